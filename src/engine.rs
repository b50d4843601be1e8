//! The whole core on one screen: a line and a clock in, a decision out. Total: it never fails and never panics.

use bumpalo::Bump;

use crate::canon::Writer;
use crate::contract::{Bundle, ClaimType, Contract, Lookup};
use crate::decision::{Outcome, Place, Redaction, Ruling, TruthState};
use crate::finding::{Fact, Finding, Findings};
use crate::fingerprint::Fingerprint;
use crate::input::Members;
use crate::observe::{self, Envelope, Observation, Payload, Reading, Source};
use crate::reason::Reason;
use crate::rules::{self, Case};
use crate::time::{Timestamp, TimestampError};
use crate::value::{Document, Excess, Limits, Parser, Pointer, Syntax, Value};
use crate::yaml;

mod owned;

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
        self.redaction = redaction;
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
        let Scratch { line: parser, body, arena, writer, canonical, lookup } = scratch;
        let parsed = match self.parse(line, parser) {
            Ok(parsed) => parsed,
            Err(finding) => return then(&Ruling::rejected(finding, None), writer),
        };
        self.judge_value(parsed.root(), clock, Memory { body, arena, writer, canonical, lookup }, then)
    }

    /// Decides about an adapter input that is a value already, as one from YAML.
    pub fn judge_document<R>(
        &self,
        document: &Document<'_>,
        clock: &Clock,
        scratch: &mut Scratch,
        then: impl FnOnce(&Ruling<'_>, &mut Writer) -> R,
    ) -> R {
        let Scratch { body, arena, writer, canonical, lookup, .. } = scratch;
        self.judge_value(document.root(), clock, Memory { body, arena, writer, canonical, lookup }, then)
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
        memory: Memory<'_>,
        then: impl FnOnce(&Ruling<'_>, &mut Writer) -> R,
    ) -> R {
        let Memory { body, arena, writer, canonical, lookup } = memory;
        let Some(object) = root.as_object() else {
            let finding = Finding::new(Reason::SchemaInvalid, "input")
                .expected(Fact::Words("an object"))
                .actual(Fact::Words(root.type_name()));
            return then(&Ruling::rejected(finding, None), writer);
        };
        let members = Members::of(object);
        let tool_name = members.tool_name.and_then(Value::as_str).filter(|name| name.len() <= 1024);
        arena.reset();
        let (parsed, loaded);
        let (kind, reading) = match members.kind().and_then(|kind| Ok((kind, observe::read(kind, &members)?)))
        {
            Ok(read) => read,
            Err(finding) => return then(&Ruling::rejected(finding, tool_name), writer),
        };
        let payload = match reading.payload {
            Source::Nothing => Payload::Nothing,
            Source::Value(value) => Payload::Value(value),
            Source::Json(text) => match body.parse(text.as_bytes()) {
                Ok(read) => {
                    parsed = read;
                    Payload::Value(parsed.root())
                }
                Err(error) => Payload::Unreadable(syntax(error)),
            },
            Source::Yaml(text) => match yaml::load(text, arena, &self.limits) {
                Ok(read) => {
                    loaded = read;
                    Payload::Value(loaded.root())
                }
                Err(refusal) => return then(&Ruling::rejected(refusal.finding(), tool_name), writer),
            },
        };
        let observed = observe::envelope(kind, &members).and_then(|envelope| {
            let now = match clock {
                Clock::At(now) => *now,
                Clock::FromInput(pointer) => clock_of(root, pointer)?,
            };
            let content_hash = self.content_hash(&envelope, &reading, writer, canonical)?;
            Ok((observation(&envelope, &reading, payload, content_hash), now))
        });
        let ruling = match &observed {
            Ok((observation, now)) => self.rule(observation, members.claim_type, *now, lookup),
            Err(finding) => Ruling::rejected(*finding, tool_name),
        };
        then(&ruling, writer)
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

    /// Finds the contract and applies the rules.
    fn rule<'t>(
        &'t self,
        observation: &'t Observation<'t>,
        claim: Option<Value<'t>>,
        now: Timestamp,
        lookup: &mut Lookup,
    ) -> Ruling<'t> {
        let blocked = |reason, claim_type, contract| Ruling {
            outcome: Outcome::Blocked,
            truth_state: Some(TruthState::Unknown),
            claim_type,
            findings: smallvec::smallvec![reason],
            observation: Some(observation),
            contract,
            tool_name: Some(observation.tool_name),
        };
        if let Some(contract) = &self.only {
            return apply(contract, "default", observation, now);
        }
        let Some(entry) = self.bundle.find(observation.tool_name, lookup) else {
            let finding = Finding::new(Reason::NoContract, "bundle")
                .member("tool_name")
                .expected(Fact::Words("a tool that the bundle names, or a default"))
                .actual(Fact::Text(observation.tool_name));
            return blocked(finding, None, None);
        };
        if let Some(claim) = claim.filter(|claim| !claim.is_null()) {
            let claim = claim.as_str().and_then(ClaimType::from_name);
            return match claim.and_then(|claim| entry.of_claim(claim)) {
                Some(contract) => apply(contract, entry.key(), observation, now),
                None => {
                    let finding = Finding::new(Reason::UnsupportedClaim, "bundle")
                        .member("claim_type")
                        .expected(Fact::Words("a claim type for which the tool has a contract"))
                        .actual(Fact::Words(claim.map_or("none of the five claim types", ClaimType::name)));
                    blocked(finding, claim, Some(entry.key()))
                }
            };
        }
        // The first that seals decides, else the first of all.
        let mut first = None;
        for contract in entry.contracts() {
            let ruling = apply(contract, entry.key(), observation, now);
            if ruling.outcome == Outcome::Sealed {
                return ruling;
            }
            first.get_or_insert(ruling);
        }
        first.unwrap_or_else(|| blocked(Finding::new(Reason::NoContract, "bundle"), None, Some(entry.key())))
    }
}

/// The parts of a scratch that are free once the line is parsed.
struct Memory<'m> {
    body: &'m mut Parser,
    arena: &'m mut Bump,
    writer: &'m mut Writer,
    canonical: &'m mut Vec<u8>,
    lookup: &'m mut Lookup,
}

/// Applies the rules of one contract.
fn apply<'t>(
    contract: &'t Contract,
    key: &'t str,
    observation: &'t Observation<'t>,
    now: Timestamp,
) -> Ruling<'t> {
    let (outcome, truth_state, findings) = match rules::first_failure(&Case { observation, contract, now }) {
        Some(failure) => (Outcome::Blocked, failure.truth_state, failure.findings),
        None if contract.claim_type() == ClaimType::NotFound => {
            (Outcome::Sealed, TruthState::NotFound, Findings::new())
        }
        None => (Outcome::Sealed, TruthState::Sealed, Findings::new()),
    };
    Ruling {
        outcome,
        truth_state: Some(truth_state),
        claim_type: Some(contract.claim_type()),
        findings,
        observation: Some(observation),
        contract: Some(key),
        tool_name: Some(observation.tool_name),
    }
}

fn observation<'t>(
    envelope: &Envelope<'t>,
    reading: &Reading<'t>,
    payload: Payload<'t>,
    content_hash: Option<Fingerprint>,
) -> Observation<'t> {
    Observation {
        kind: envelope.kind,
        transport: reading.transport,
        payload,
        protocol_conflict: reading.protocol_conflict || envelope.protocol_conflict,
        source_ref: envelope.source_ref,
        target_ref: envelope.target_ref,
        tool_name: envelope.tool_name,
        observation_id: envelope.observation_id,
        tool_call_id: envelope.tool_call_id,
        observed_at: envelope.observed_at,
        source_version: envelope.source_version,
        evidence_refs: envelope.evidence_refs,
        content_hash,
    }
}

/// Returns the timestamp that a pointer names in an input.
fn clock_of<'t>(root: Value<'t>, pointer: &Pointer) -> Result<Timestamp, Finding<'t>> {
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
