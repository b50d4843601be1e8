//! The whole core on one screen: a line and a clock in, a decision out. Total: it never fails and never panics.

use bumpalo::Bump;

use crate::canon::Writer;
use crate::contract::{Bundle, ClaimType, Contract, Lookup};
use crate::decision::{Place, Redaction, Ruling};
use crate::finding::{Fact, Finding};
use crate::fingerprint::Fingerprint;
use crate::input::Members;
use crate::observe::{self, Envelope, Reading, UNSPECIFIED_TOOL};
use crate::reason::Reason;
use crate::time::{Timestamp, TimestampError};
use crate::validator::Cache;
use crate::value::{Document, Excess, Limits, Parser, Pointer, Syntax, Value};

mod owned;
mod portable;
mod strict;

pub use owned::{Blocked, Decision, check, seal};

/// Decides about results by the contracts of a bundle.
#[derive(Debug, Clone, Default)]
pub struct Engine {
    bundle: Bundle,
    limits: Limits,
    redaction: Redaction,
    always_hash: bool,
    /// The contract that every input is judged by, whatever tool or claim it names.
    only: Option<Contract>,
}

/// What the reference clock of a result is.
#[derive(Debug, Clone)]
pub enum Clock {
    /// This point in time.
    At(Timestamp),
    /// Each input's own: the timestamp with an offset that this pointer names in it.
    FromInput(Pointer),
}

/// The working memory of one thread that decides; kept from line to line, so that nothing is allocated for each.
#[derive(Default)]
pub struct Scratch {
    line: Parser,
    body: Parser,
    arena: Bump,
    writer: Writer,
    canonical: Vec<u8>,
    lookup: Lookup,
    schemas: Cache,
}

impl Scratch {
    /// Returns the writer, for a payload.
    pub fn writer(&mut self) -> &mut Writer {
        &mut self.writer
    }
}

impl Engine {
    /// Returns the engine that decides by these contracts, with the default limits.
    pub fn new(bundle: Bundle) -> Self {
        Self { bundle, ..Self::default() }
    }

    /// Returns the engine that judges every input by one contract, whatever tool or claim type the input names.
    pub fn of_contract(contract: Contract) -> Self {
        Self { only: Some(contract), ..Self::default() }
    }

    /// Sets how large an input may be.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets which members of the records are hidden.
    #[must_use]
    pub fn with_redaction(mut self, redaction: Redaction) -> Self {
        self.redaction = redaction.with_masked_secrets(self.redaction.masks_secrets());
        self
    }

    /// Sets whether credentials in references and ids are masked in records, before the fingerprint is taken.
    #[must_use]
    pub fn with_masked_secrets(mut self, masked: bool) -> Self {
        self.redaction = self.redaction.with_masked_secrets(masked);
        self
    }

    /// Sets whether the content hash is taken of every input, as the full record needs it, or only where an id does.
    #[must_use]
    pub fn with_content_hash(mut self, always: bool) -> Self {
        self.always_hash = always;
        self
    }

    /// Returns the contracts.
    pub fn bundle(&self) -> &Bundle {
        &self.bundle
    }

    /// Returns which members of the records are hidden.
    pub fn redaction(&self) -> &Redaction {
        &self.redaction
    }

    /// Decides about one adapter input, given as JSON text.
    pub fn check(&self, input: &[u8], now: Timestamp) -> Decision {
        let engine = Self { always_hash: true, ..self.clone() };
        let mut scratch = Scratch::default();
        engine.judge(input, &Clock::At(now), &mut scratch, |ruling, writer| {
            Decision::of(ruling, &Place::default(), &engine.redaction, writer)
        })
    }

    /// The same with memory that is kept, and the ruling borrowed from it: what a stream of inputs is decided by.
    pub fn judge<R>(
        &self,
        line: &[u8],
        clock: &Clock,
        scratch: &mut Scratch,
        then: impl FnOnce(&Ruling<'_>, &mut Writer) -> R,
    ) -> R {
        let Scratch { line: parser, body, arena, writer, canonical, lookup, schemas } = scratch;
        let parsed = match self.parse(line, parser) {
            Ok(parsed) => parsed,
            Err(finding) => return then(&Ruling::rejected(finding, None), writer),
        };
        self.judge_value(
            parsed.root(),
            clock,
            Memory { body, arena, writer, canonical, lookup, schemas },
            then,
        )
    }

    /// Decides about an adapter input that is a document already, as one from YAML.
    pub fn judge_document<R>(
        &self,
        document: &Document<'_>,
        clock: &Clock,
        scratch: &mut Scratch,
        then: impl FnOnce(&Ruling<'_>, &mut Writer) -> R,
    ) -> R {
        self.judge_input(document.root(), clock, scratch, then)
    }

    /// Decides about an adapter input that lies in a document, as in a fixture. Whoever read the document checked
    /// its bounds.
    pub fn judge_input<R>(
        &self,
        input: Value<'_>,
        clock: &Clock,
        scratch: &mut Scratch,
        then: impl FnOnce(&Ruling<'_>, &mut Writer) -> R,
    ) -> R {
        let Scratch { body, arena, writer, canonical, lookup, schemas, .. } = scratch;
        self.judge_value(input, clock, Memory { body, arena, writer, canonical, lookup, schemas }, then)
    }

    fn parse<'p>(&self, line: &[u8], parser: &'p mut Parser) -> Result<Document<'p>, Finding<'static>> {
        if line.len() > self.limits.bytes {
            return Err(over_limit(Excess::Bytes(self.limits.bytes)).actual(Fact::Count(line.len(), "bytes")));
        }
        let text = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        let parsed = parser.parse(text).map_err(|error| match error {
            Syntax::TooDeep => over_limit(Excess::Depth(self.limits.depth)),
            error => Finding::new(Reason::ParseFailed, "json")
                .expected(Fact::Words("JSON text"))
                .actual(syntax(error)),
        })?;
        parsed.check_bounds(&self.limits).map_err(over_limit)?;
        Ok(parsed)
    }

    fn judge_value<R>(
        &self,
        root: Value<'_>,
        clock: &Clock,
        mut memory: Memory<'_>,
        then: impl FnOnce(&Ruling<'_>, &mut Writer) -> R,
    ) -> R {
        let Some(object) = root.as_object() else {
            let finding = Finding::new(Reason::SchemaInvalid, "input")
                .expected(Fact::Words("an object"))
                .actual(Fact::Words(root.type_name()));
            return then(&Ruling::rejected(finding, None), memory.writer);
        };
        let members = Members::of(object);
        let tool_name = members.tool_name.and_then(Value::as_str).filter(|name| name.len() <= 1024);
        memory.arena.reset();
        let found = self.find(&members, tool_name, memory.lookup);
        let input = Input { root, members: &members, clock, tool_name };
        if found.has_strict {
            self.judge_each(&found, &input, &mut memory, then)
        } else {
            self.judge_portable(&found, &input, &mut memory, then)
        }
    }

    /// Finds the contracts for the tool that an input names.
    fn find<'e>(&'e self, members: &Members<'_>, tool_name: Option<&str>, lookup: &mut Lookup) -> Found<'e> {
        if let Some(contract) = &self.only {
            return Found {
                key: Some("default"),
                contracts: std::slice::from_ref(contract),
                has_strict: contract.is_strict(),
                wanted: Wanted::Any,
            };
        }
        let wanted = match members.claim_type.filter(|claim| !claim.is_null()) {
            Some(claim) => Wanted::Claim(claim.as_str().and_then(ClaimType::from_name)),
            None => Wanted::Any,
        };
        match self.bundle.find(tool_name.unwrap_or(UNSPECIFIED_TOOL), lookup) {
            Some(entry) => Found {
                key: Some(entry.key()),
                contracts: entry.contracts(),
                has_strict: entry.has_strict(),
                wanted,
            },
            None => Found { key: None, contracts: &[], has_strict: false, wanted },
        }
    }

    /// Takes the hash where an id or the record needs it; what has none is refused all the same.
    fn content_hash(
        &self,
        envelope: &Envelope<'_>,
        reading: &Reading<'_>,
        writer: &mut Writer,
        canonical: &mut Vec<u8>,
    ) -> Result<Option<Fingerprint>, Finding<'static>> {
        let wanted =
            self.always_hash || envelope.observation_id.is_derived() || envelope.tool_call_id.is_derived();
        let hashed = reading.hashed.filter(|value| wanted || value.may_lack_canonical_form());
        if !wanted && hashed.is_none() {
            return Ok(None);
        }
        let text = match hashed {
            Some(value) => writer.text(value, canonical).map_err(observe::unhashable)?,
            None => b"null",
        };
        Ok(Some(Fingerprint::of(text)))
    }
}

/// An adapter input and what is asked about it.
#[derive(Clone, Copy)]
struct Input<'t> {
    root: Value<'t>,
    members: &'t Members<'t>,
    clock: &'t Clock,
    /// As far as it is known.
    tool_name: Option<&'t str>,
}

/// The contracts for one tool.
#[derive(Clone, Copy)]
struct Found<'e> {
    /// The bundle key; `None` where the bundle has neither the tool nor a default.
    key: Option<&'e str>,
    contracts: &'e [Contract],
    has_strict: bool,
    wanted: Wanted,
}

/// Which claims an input is about.
#[derive(Clone, Copy)]
enum Wanted {
    /// Any that the tool has a contract for.
    Any,
    /// This one; `None` where it names none of the five.
    Claim(Option<ClaimType>),
}

impl<'e> Found<'e> {
    /// Returns the contracts that may decide, in the order of the bundle.
    fn candidates(&self) -> impl Iterator<Item = &'e Contract> + use<'e> {
        let wanted = self.wanted;
        self.contracts.iter().filter(move |contract| match wanted {
            Wanted::Any => true,
            Wanted::Claim(claim) => claim == Some(contract.claim_type()),
        })
    }
}

/// The parts of a scratch that are free once the line is parsed.
struct Memory<'m> {
    body: &'m mut Parser,
    arena: &'m mut Bump,
    writer: &'m mut Writer,
    canonical: &'m mut Vec<u8>,
    lookup: &'m mut Lookup,
    schemas: &'m mut Cache,
}

/// Returns the reference clock of an input.
fn clock_of<'t>(root: Value<'t>, clock: &Clock) -> Result<Timestamp, Finding<'t>> {
    let pointer = match clock {
        Clock::At(now) => return Ok(*now),
        Clock::FromInput(pointer) => pointer,
    };
    let finding = |actual| {
        Finding::new(Reason::SchemaInvalid, "clock")
            .expected(Fact::Words("an ISO 8601 timestamp with an offset, as the clock of this record"))
            .actual(Fact::Words(actual))
    };
    let value = pointer.resolve(root).ok_or_else(|| finding("absent"))?;
    let text = value.as_str().ok_or_else(|| finding(value.type_name()))?;
    Timestamp::parse(text).map_err(|error| match error {
        TimestampError::NotATimestamp => finding("no ISO 8601 timestamp"),
        TimestampError::NoOffset => finding("a timestamp without an offset"),
    })
}

fn over_limit<'t>(excess: Excess) -> Finding<'t> {
    let (limit, of) = match excess {
        Excess::Bytes(limit) => (limit, "bytes"),
        Excess::Depth(limit) => (limit, "levels of nesting"),
        Excess::Nodes(limit) => (limit, "nodes"),
        Excess::Characters(limit) => (limit, "characters in a string"),
    };
    Finding::new(Reason::LimitExceeded, "limits").expected(Fact::AtMost(limit as u64, of))
}

fn syntax(error: Syntax) -> Fact<'static> {
    match error {
        Syntax::Invalid { offset, what } => Fact::Place(what, offset),
        Syntax::NotUtf8 { offset } => Fact::Place("invalid UTF-8", offset),
        Syntax::TooDeep => Fact::Words("more than 500 levels of nesting"),
    }
}

#[cfg(test)]
mod tests;
