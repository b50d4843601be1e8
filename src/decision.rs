//! The decision about one result, and its bytes: this is the one place that defines what a record looks like.
//!
//! The **core record** is byte-identical to that of ResultSeal 0.2.0; the fingerprint is taken over it. The **full
//! record** has more members, outside the fingerprint. Both are canonical JSON.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::canon::{NotCanonical, Writer, write_string};
use crate::contract::ClaimType;
use crate::finding::{Finding, Findings, Path};
use crate::fingerprint::Fingerprint;
use crate::observe::{Id, Observation};
use crate::reason::Reason;
use crate::time::Timestamp;

mod redaction;

pub use redaction::{Member, Redaction, UnknownMember};

/// The version of the record format that `resultseal_version` names.
pub const RECORD_VERSION: &str = "0.2.0";

/// What was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// The result may back the claim.
    Sealed,
    /// It may not.
    Blocked,
    /// It was never judged: malformed, or unsafe to read.
    Rejected,
}

impl Outcome {
    /// Returns the word that records spell.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sealed => "sealed",
            Self::Blocked => "blocked",
            Self::Rejected => "rejected",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What is known of the thing that a result is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the words of the record format")]
pub enum TruthState {
    Observed,
    Complete,
    Empty,
    NotFound,
    Partial,
    Stale,
    SourceMismatch,
    UnverifiedEffect,
    ParseError,
    Unknown,
    Sealed,
}

impl TruthState {
    /// Every truth state.
    pub const ALL: [Self; 11] = [
        Self::Observed,
        Self::Complete,
        Self::Empty,
        Self::NotFound,
        Self::Partial,
        Self::Stale,
        Self::SourceMismatch,
        Self::UnverifiedEffect,
        Self::ParseError,
        Self::Unknown,
        Self::Sealed,
    ];

    /// Returns the word that records spell.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Observed => "observed",
            Self::Complete => "complete",
            Self::Empty => "empty",
            Self::NotFound => "not_found",
            Self::Partial => "partial",
            Self::Stale => "stale",
            Self::SourceMismatch => "source_mismatch",
            Self::UnverifiedEffect => "unverified_effect",
            Self::ParseError => "parse_error",
            Self::Unknown => "unknown",
            Self::Sealed => "sealed",
        }
    }
}

impl fmt::Display for TruthState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The decision about one result, borrowed from where it was read.
#[derive(Debug, Clone)]
pub struct Ruling<'t> {
    /// What was decided.
    pub outcome: Outcome,
    /// What is known; `None` where the result was never judged.
    pub truth_state: Option<TruthState>,
    /// The claim that was judged; `None` where no contract was found.
    pub claim_type: Option<ClaimType>,
    /// Why; empty where sealed.
    pub findings: Findings<'t>,
    /// What was judged; `None` where it was rejected.
    pub observation: Option<&'t Observation<'t>>,
    /// The bundle key whose contract decided.
    pub contract: Option<&'t str>,
    /// The tool's name, as far as it is known.
    pub tool_name: Option<&'t str>,
    /// The reference clock that it was judged by; `None` where it was rejected.
    pub now: Option<Timestamp>,
}

/// Where a result stands in its stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Place<'t> {
    /// The line, counted from 1.
    pub line: Option<u64>,
    /// The name of the input, where there are several.
    pub input: Option<&'t str>,
}

impl<'t> Ruling<'t> {
    /// Returns the ruling that an input was never judged.
    pub fn rejected(finding: Finding<'t>, tool_name: Option<&'t str>) -> Self {
        Self {
            outcome: Outcome::Rejected,
            truth_state: None,
            claim_type: None,
            findings: smallvec::smallvec![finding],
            observation: None,
            contract: None,
            tool_name,
            now: None,
        }
    }

    /// Returns the reason codes, each once, in the order of the record.
    pub fn reasons(&self) -> impl Iterator<Item = Reason> + '_ {
        let sealed = (self.outcome == Outcome::Sealed).then_some(Reason::SealedWithRequiredEvidence);
        let found = self.findings.iter().enumerate().filter_map(|(index, finding)| {
            let earlier = self.findings.iter().take(index).any(|earlier| earlier.reason == finding.reason);
            (!earlier).then_some(finding.reason)
        });
        sealed.into_iter().chain(found)
    }

    /// Returns the exit status of a program that ends with this ruling: 0, 1, 2 or 3.
    pub fn exit_status(&self) -> u8 {
        match self.outcome {
            Outcome::Sealed => 0,
            Outcome::Blocked => 1,
            Outcome::Rejected => self.reasons().map(Reason::exit_status).max().unwrap_or(2),
        }
    }

    /// Appends the core record.
    pub fn write_core(&self, place: &Place<'_>, redaction: &Redaction, out: &mut Vec<u8>) {
        match self.observation {
            Some(observation) => {
                self.write_judged(observation, None, redaction, out);
            }
            None => self.write_rejected(None, place, redaction, out),
        }
    }

    /// Appends the full record.
    pub fn write_full(&self, place: &Place<'_>, redaction: &Redaction, out: &mut Vec<u8>) {
        match self.observation {
            Some(observation) => {
                self.write_judged(observation, Some(place), redaction, out);
            }
            None => self.write_rejected(Some(place), place, redaction, out),
        }
    }

    /// Returns the fingerprint of the core record; `None` where the result was rejected, which has none.
    pub fn fingerprint(&self, redaction: &Redaction) -> Option<Fingerprint> {
        let observation = self.observation?;
        Some(self.write_judged(observation, None, redaction, &mut Vec::new()))
    }

    /// Appends the payload as JSON.
    ///
    /// # Errors
    /// [`NotCanonical`] where it is YAML that JSON cannot say.
    pub fn write_payload(&self, writer: &mut Writer, out: &mut Vec<u8>) -> Result<(), NotCanonical> {
        match self.observation.and_then(|observation| observation.payload.value()) {
            Some(value) => writer.write_json(value, out),
            None => {
                out.extend_from_slice(b"null");
                Ok(())
            }
        }
    }

    fn write_judged(
        &self,
        observation: &Observation<'_>,
        full: Option<&Place<'_>>,
        redaction: &Redaction,
        out: &mut Vec<u8>,
    ) -> Fingerprint {
        let mut record = Record::start(redaction, out);
        record.value(Member::ClaimType, |out| optional_word(self.claim_type.map(ClaimType::name), out));
        if full.is_some() {
            record.outside(Member::ContentHash, |out| {
                optional_string(observation.content_hash.map(|hash| hash.to_string()).as_deref(), out);
            });
            // A key that is the tool's name must not tell it where the name is hidden.
            let hidden = redaction.covers(Member::ToolName) && self.contract == Some(observation.tool_name);
            record.outside(Member::Contract, |out| match hidden {
                true => out.extend_from_slice(redaction::MARK),
                false => optional_string(self.contract, out),
            });
        }
        record.value(Member::Decision, |out| write_word(self.outcome.name(), out));
        record.place_of_fingerprint();
        record.value(Member::EvidenceRefs, |out| {
            let references = observation.evidence_refs.iter().flat_map(super::value::Array::iter);
            list(references.filter_map(crate::value::Value::as_str), out, |reference, out| {
                write_string(&redaction.shown(reference), out);
            });
        });
        if let Some(place) = full {
            record.outside(Member::Findings, |out| {
                list(self.findings.iter(), out, |finding, out| {
                    write_finding(finding, redaction, out);
                });
            });
            if let Some(input) = place.input {
                record.outside(Member::Input, |out| write_string(input, out));
            }
            if let Some(line) = place.line {
                record.outside(Member::Line, |out| number(line, out));
            }
        }
        let hash = observation.content_hash.as_ref();
        record.value(Member::ObservationId, |out| write_id(observation.observation_id, hash, redaction, out));
        if let (Some(_), Some(origin)) = (full, observation.origin) {
            record.outside(Member::Origin, |out| write_origin(origin, out));
        }
        record.value(Member::ReasonCodes, |out| {
            list(self.reasons(), out, |reason, out| write_word(reason.code(), out));
        });
        record.value(Member::ResultsealVersion, |out| write_word(RECORD_VERSION, out));
        record.value(Member::SourceRef, |out| {
            write_string(&redaction.shown(observation.source_ref), out);
        });
        if full.is_some() {
            record.outside(Member::TargetRef, |out| {
                let target = observation.target_ref.map(|target| redaction.shown(target));
                optional_string(target.as_deref(), out);
            });
        }
        record.value(Member::ToolCallId, |out| write_id(observation.tool_call_id, hash, redaction, out));
        if full.is_some() {
            record.outside(Member::ToolName, |out| {
                write_string(&redaction.shown(observation.tool_name), out);
            });
        }
        record.value(Member::TruthState, |out| {
            optional_word(self.truth_state.map(TruthState::name), out);
        });
        record.finish()
    }

    fn write_rejected(
        &self,
        full: Option<&Place<'_>>,
        place: &Place<'_>,
        redaction: &Redaction,
        out: &mut Vec<u8>,
    ) {
        let start = out.len();
        let mut member = |member: Member, write: &dyn Fn(&mut Vec<u8>)| {
            begin_member(member, start, out);
            redacted_or(member, redaction, out, write);
        };
        member(Member::Decision, &|out| write_word(self.outcome.name(), out));
        if let Some(place) = full {
            member(Member::Findings, &|out| {
                list(self.findings.iter(), out, |finding, out| write_finding(finding, redaction, out));
            });
            if let Some(input) = place.input {
                member(Member::Input, &|out| write_string(input, out));
            }
        }
        if let Some(line) = place.line {
            member(Member::Line, &|out| number(line, out));
        }
        member(Member::ReasonCodes, &|out| {
            list(self.reasons(), out, |reason, out| write_word(reason.code(), out));
        });
        if let (Some(_), Some(tool_name)) = (full, self.tool_name) {
            member(Member::ToolName, &|out| write_string(&redaction.shown(tool_name), out));
        }
        out.push(b'}');
    }
}

/// A record on its way: members are appended, and what is the core of it is hashed.
struct Record<'o> {
    out: &'o mut Vec<u8>,
    /// Where the record begins.
    start: usize,
    redaction: &'o Redaction,
    hasher: Sha256,
    /// From here on the bytes belong to the core and are not hashed yet.
    unhashed: usize,
    fingerprint_at: usize,
}

impl<'o> Record<'o> {
    fn start(redaction: &'o Redaction, out: &'o mut Vec<u8>) -> Self {
        let start = out.len();
        Self { out, start, redaction, hasher: Sha256::new(), unhashed: start, fingerprint_at: start }
    }

    /// Appends a member of the core.
    #[inline(always)]
    fn value(&mut self, member: Member, write: impl FnOnce(&mut Vec<u8>)) {
        begin_member(member, self.start, self.out);
        redacted_or(member, self.redaction, self.out, write);
    }

    /// Appends a member that the fingerprint does not cover.
    #[inline(always)]
    fn outside(&mut self, member: Member, write: impl FnOnce(&mut Vec<u8>)) {
        self.hash();
        self.value(member, write);
        self.unhashed = self.out.len();
    }

    fn place_of_fingerprint(&mut self) {
        self.hash();
        self.out.extend_from_slice(b",\"deterministic_fingerprint\":\"");
        self.fingerprint_at = self.out.len();
        self.out.extend_from_slice(&[b'0'; Fingerprint::TEXT_LEN]);
        self.out.push(b'"');
        self.unhashed = self.out.len();
    }

    fn hash(&mut self) {
        self.hasher.update(self.out.get(self.unhashed..).unwrap_or_default());
        self.unhashed = self.out.len();
    }

    fn finish(mut self) -> Fingerprint {
        self.out.push(b'}');
        self.hash();
        let fingerprint = Fingerprint::from(self.hasher);
        let text = fingerprint.text();
        if let Some(place) = self.out.get_mut(self.fingerprint_at..self.fingerprint_at + text.len()) {
            place.copy_from_slice(&text);
        }
        fingerprint
    }
}

/// Appends the key of a record's next member.
#[inline(always)]
fn begin_member(member: Member, start: usize, out: &mut Vec<u8>) {
    let at = out.len();
    out.extend_from_slice(member.key().as_bytes());
    // The first member of all has a bracket where the others have a comma.
    if let (true, Some(place)) = (at == start, out.get_mut(at)) {
        *place = b'{';
    }
}

#[inline(always)]
fn redacted_or(member: Member, redaction: &Redaction, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    if redaction.covers(member) {
        out.extend_from_slice(redaction::MARK);
    } else {
        write(out);
    }
}

fn write_finding(finding: &Finding<'_>, redaction: &Redaction, out: &mut Vec<u8>) {
    // What a redacted member holds must not show in the explanation either.
    let hidden = redaction.hides(finding.path);
    let fact = |key: &str, fact: Option<crate::finding::Fact<'_>>, out: &mut Vec<u8>| {
        let Some(fact) = fact else { return };
        out.extend_from_slice(key.as_bytes());
        if hidden {
            out.extend_from_slice(redaction::MARK);
        } else if redaction.masks_secrets() {
            write_string(&redaction.shown(&fact.to_string()), out);
        } else {
            fact.write(out);
        }
        out.push(b',');
    };
    out.push(b'{');
    fact("\"actual\":", finding.actual, out);
    out.extend_from_slice(b"\"code\":");
    write_word(finding.reason.code(), out);
    out.push(b',');
    fact("\"expected\":", finding.expected, out);
    match finding.path {
        Path::None => {}
        Path::Member(name) | Path::Pointer(name) => {
            out.extend_from_slice(b"\"path\":");
            write_string(name, out);
            out.push(b',');
        }
        Path::Field(name) => {
            out.extend_from_slice(b"\"path\":");
            write_string(&format!("/{}", name.replace('~', "~0").replace('/', "~1")), out);
            out.push(b',');
        }
    }
    out.extend_from_slice(b"\"rule\":");
    write_word(finding.rule, out);
    out.push(b'}');
}

/// What JSON cannot say of it is left out, with everything around it.
fn write_origin(origin: crate::value::Value<'_>, out: &mut Vec<u8>) {
    let from = out.len();
    if Writer::default().write_json(origin, out).is_err() {
        out.truncate(from);
        out.extend_from_slice(b"null");
    }
}

fn write_id(id: Id<'_>, hash: Option<&Fingerprint>, redaction: &Redaction, out: &mut Vec<u8>) {
    match id {
        Id::Given(id) => write_string(&redaction.shown(id), out),
        Id::Derived(prefix) => {
            out.push(b'"');
            out.extend_from_slice(prefix.as_bytes());
            // Whoever judged an input without an id took the hash.
            out.extend_from_slice(&hash.map(Fingerprint::short).unwrap_or_default());
            out.push(b'"');
        }
    }
}

fn optional_string(text: Option<&str>, out: &mut Vec<u8>) {
    match text {
        Some(text) => write_string(text, out),
        None => out.extend_from_slice(b"null"),
    }
}

/// Appends one of this program's own words, which have nothing to escape.
#[inline(always)]
fn write_word(word: &'static str, out: &mut Vec<u8>) {
    out.reserve(word.len() + 2);
    out.push(b'"');
    out.extend_from_slice(word.as_bytes());
    out.push(b'"');
}

#[inline(always)]
fn optional_word(word: Option<&'static str>, out: &mut Vec<u8>) {
    match word {
        Some(word) => write_word(word, out),
        None => out.extend_from_slice(b"null"),
    }
}

fn number(number: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

fn list<T>(items: impl Iterator<Item = T>, out: &mut Vec<u8>, write: impl Fn(T, &mut Vec<u8>)) {
    out.push(b'[');
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write(item, out);
    }
    out.push(b']');
}
