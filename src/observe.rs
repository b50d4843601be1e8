//! From the members of an input to an observation: what arrived, from where, about what. It judges nothing.
//!
//! How each kind says success, failure and payload stands in a file of its own; here is what they share.

use std::fmt;

use crate::finding::{Fact, Finding};
use crate::fingerprint::Fingerprint;
use crate::input::{Kind, Members, evidence_refs, malformed, text};
use crate::reason::Reason;
use crate::value::{Array, Kind as ValueKind, Object, Value};

mod claim;
mod http;
mod json;
mod mcp;
mod stdio;
pub mod strict;
mod yaml;

/// How far the call got.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Transport<'t> {
    /// The result arrived.
    Transported,
    /// No record says that anything was sent.
    Attempted,
    /// The call failed; with what it said of the failure.
    Failed(Fact<'t>),
}

/// Where the payload is to be had.
#[derive(Debug, Clone, Copy)]
pub enum Source<'t> {
    /// There is none.
    Nothing,
    /// It lies in the input as it is.
    Value(Value<'t>),
    /// It is the JSON text that this string is.
    Json(Value<'t>),
    /// It is this YAML text.
    Yaml(&'t str),
}

/// What one kind reads out of its own members.
#[derive(Debug, Clone, Copy)]
pub struct Reading<'t> {
    /// How far the call got.
    pub transport: Transport<'t>,
    /// Where the payload is.
    pub payload: Source<'t>,
    /// The value that the content hash is taken of; null where `None`.
    pub hashed: Option<Value<'t>>,
    /// The protocol itself says that the call failed.
    pub protocol_conflict: bool,
}

impl<'t> Reading<'t> {
    /// A result that arrived, with the payload and the content hash of one member.
    fn transported(payload: Source<'t>, hashed: Option<Value<'t>>) -> Self {
        Self { transport: Transport::Transported, payload, hashed, protocol_conflict: false }
    }
}

/// The payload, once it is read.
#[derive(Debug, Clone, Copy)]
pub enum Payload<'t> {
    /// There is none.
    Nothing,
    /// The value that a claim may rest on.
    Value(Value<'t>),
    /// Text that should have been JSON is not; with what is wrong where.
    Unreadable(Fact<'t>),
}

impl<'t> Payload<'t> {
    /// Returns the payload's value, where there is one.
    pub fn value(&self) -> Option<Value<'t>> {
        match *self {
            Self::Value(value) => Some(value),
            Self::Nothing | Self::Unreadable(_) => None,
        }
    }

    /// Returns true unless there is nothing: no payload, null, `""`, `{}` or `[]`.
    pub fn is_usable(&self) -> bool {
        self.value().is_some_and(|value| {
            let is_empty = value.is_null()
                || value.is_str("")
                || value.as_array().is_some_and(|array| array.is_empty())
                || value.as_object().is_some_and(|object| object.is_empty());
            !is_empty
        })
    }
}

/// One tool result, as far as contracts look at it.
#[derive(Debug, Clone, Copy)]
pub struct Observation<'t> {
    /// How the result was carried.
    pub kind: Kind,
    /// How far the call got.
    pub transport: Transport<'t>,
    /// What a claim may rest on.
    pub payload: Payload<'t>,
    /// The protocol, or the caller, says that the call failed.
    pub protocol_conflict: bool,
    /// Where the result comes from; 1 to 1,024 characters.
    pub source_ref: &'t str,
    /// What it is about; 1 to 1,024 characters. Only a contract of version "2" may do without.
    pub target_ref: Option<&'t str>,
    /// The tool's name; 1 to 256 characters.
    pub tool_name: &'t str,
    /// The observation's own id.
    pub observation_id: Id<'t>,
    /// The id of the call that it answers.
    pub tool_call_id: Id<'t>,
    /// When it was observed, as written; the reference clock where `None`.
    pub observed_at: Option<&'t str>,
    /// The version of what was observed.
    pub source_version: Option<&'t str>,
    /// References to evidence of an effect.
    pub evidence_refs: Option<Array<'t>>,
    /// Where in a trace the result was recorded: an object.
    pub origin: Option<Value<'t>>,
    /// The digest of the hashed content, where somebody needs it.
    pub content_hash: Option<Fingerprint>,
}

impl<'t> Observation<'t> {
    /// Puts together what was read.
    pub fn of(
        envelope: &Envelope<'t>,
        reading: &Reading<'t>,
        payload: Payload<'t>,
        content_hash: Option<Fingerprint>,
    ) -> Self {
        Self {
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
            origin: envelope.origin,
            content_hash,
        }
    }
}

/// An id: the input's own, or one made of the content hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Id<'t> {
    /// As the input gives it; 1 to 256 characters.
    Given(&'t str),
    /// A prefix, to be followed by the first 12 hexadecimal digits of the content hash.
    Derived(&'static str),
}

impl Id<'_> {
    /// Returns true where the id needs the content hash.
    pub fn is_derived(&self) -> bool {
        matches!(self, Self::Derived(_))
    }
}

/// The members that every kind shares, checked.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "as in `Observation`")]
pub struct Envelope<'t> {
    pub kind: Kind,
    pub source_ref: &'t str,
    pub target_ref: Option<&'t str>,
    pub tool_name: &'t str,
    pub observation_id: Id<'t>,
    pub tool_call_id: Id<'t>,
    pub observed_at: Option<&'t str>,
    pub source_version: Option<&'t str>,
    pub evidence_refs: Option<Array<'t>>,
    pub origin: Option<Value<'t>>,
    pub protocol_conflict: bool,
}

/// The tool's name where an input gives none.
pub const UNSPECIFIED_TOOL: &str = "unspecified-tool";

/// Returns what a kind reads out of its own members.
///
/// # Errors
/// A member that the kind needs is of the wrong type.
pub fn read<'t>(kind: Kind, members: &Members<'t>) -> Result<Reading<'t>, Finding<'t>> {
    match kind {
        Kind::Json => Ok(json::read(members)),
        Kind::HttpJson => http::read(members),
        Kind::Mcp => Ok(mcp::read(members)),
        Kind::Stdio => stdio::read(members),
        Kind::Yaml => yaml::read(members),
        Kind::ClaimOnly => Ok(claim::read(members)),
    }
}

/// Where an input names its target.
#[derive(Debug, Clone, Copy)]
pub struct Target<'t> {
    value: Option<Value<'t>>,
    member: &'static str,
    optional: bool,
}

/// Returns where an input names its target, for a contract of version "1".
pub fn target<'t>(kind: Kind, members: &Members<'t>) -> Target<'t> {
    let (value, member) = match kind {
        Kind::HttpJson => http::target(members),
        _ => (members.target_ref, "target_ref"),
    };
    Target { value, member, optional: false }
}

impl Target<'_> {
    /// The same for an input that no contract is about: it need not say what it is about either.
    #[must_use]
    pub fn optional_if(self, optional: bool) -> Self {
        Self { optional: self.optional || optional, ..self }
    }
}

/// Checks the members that every kind shares.
///
/// # Errors
/// The first of them that is missing, of the wrong type or out of its bounds.
pub fn envelope<'t>(
    kind: Kind,
    members: &Members<'t>,
    target: Target<'t>,
) -> Result<Envelope<'t>, Finding<'t>> {
    const REFERENCE: &str = "a string of 1 to 1024 characters";
    const NAME: &str = "a string of 1 to 256 characters";
    let reference = |value, member| text(value, member, 1024, REFERENCE);
    let (default_source, default_target) = match kind {
        Kind::ClaimOnly => (Some(claim::SOURCE), Some(claim::TARGET)),
        _ => (None, None),
    };
    let absent = |member| malformed(member, REFERENCE).actual(Fact::Words("absent"));
    let source_ref = reference(members.source_ref, "source_ref")?
        .or(default_source)
        .ok_or_else(|| absent("source_ref"))?;
    let target_ref = reference(target.value, target.member)?.or(default_target);
    if target_ref.is_none() && !target.optional {
        return Err(absent(target.member));
    }
    let id = |value: Option<Value<'t>>, member, prefix| match value.filter(|value| value.is_string()) {
        Some(value) => {
            text(Some(value), member, 256, NAME).map(|id| id.map_or(Id::Derived(prefix), Id::Given))
        }
        None => Ok(Id::Derived(prefix)),
    };
    let metadata = members.metadata.and_then(Value::as_object);
    if let Some(metadata) = metadata {
        check_metadata(kind, members, metadata)?;
    }
    Ok(Envelope {
        kind,
        source_ref,
        target_ref,
        tool_name: text(members.tool_name, "tool_name", 256, NAME)?.unwrap_or(UNSPECIFIED_TOOL),
        observation_id: id(members.observation_id, "observation_id", "obs-")?,
        tool_call_id: id(members.tool_call_id, "tool_call_id", "call-")?,
        observed_at: match members.observed_at.map(Value::kind) {
            Some(ValueKind::Timestamp(text)) => Some(text),
            _ => text(members.observed_at, "observed_at", 64, "a string of 1 to 64 characters")?,
        },
        source_version: text(members.source_version, "source_version", 256, NAME)?,
        evidence_refs: evidence_refs(members.evidence_refs)?,
        origin: members.origin.filter(|origin| origin.as_object().is_some()),
        protocol_conflict: metadata
            .and_then(|metadata| metadata.get("protocol_conflict"))
            .is_some_and(|value| value.as_bool() == Some(true)),
    })
}

/// The most members that an input's metadata may have, what the kind adds included.
const MOST_METADATA: usize = 64;

fn check_metadata<'t>(kind: Kind, members: &Members<'t>, metadata: Object<'t>) -> Result<(), Finding<'t>> {
    // `input_kind`, and no kind adds more than two: a small object needs no exact count.
    if metadata.len() + 3 <= MOST_METADATA {
        return Ok(());
    }
    let mut last: Vec<(&'t str, bool)> =
        metadata.members().map(|(name, value)| (name, is_scalar(value))).collect();
    // A stable sort keeps equal names in their order, so that the last of them stands last.
    last.sort_by(|a, b| a.0.cmp(b.0));
    last.reverse();
    last.dedup_by(|a, b| a.0 == b.0);
    let mut names: Vec<&'t str> =
        last.into_iter().filter(|(_, scalar)| *scalar).map(|(name, _)| name).collect();
    names.push("input_kind");
    let added: [Option<&'static str>; 2] = match kind {
        Kind::Mcp => mcp::added(members),
        Kind::Stdio => [stdio::added(members), None],
        Kind::ClaimOnly => [claim::added(members), None],
        Kind::Json | Kind::HttpJson | Kind::Yaml => [None, None],
    };
    names.extend(added.into_iter().flatten());
    names.sort_unstable();
    names.dedup();
    if names.len() <= MOST_METADATA {
        return Ok(());
    }
    Err(malformed("metadata", "at most 64 members that are scalars, those that the kind adds included")
        .actual(Fact::Count(names.len(), "members")))
}

fn is_scalar(value: Value<'_>) -> bool {
    value.as_array().is_none() && value.as_object().is_none()
}

/// Returns where the payload is when a member holds *body text*: nothing, JSON text, or the value itself.
fn body_text(value: Option<Value<'_>>) -> Source<'_> {
    match value {
        None => Source::Nothing,
        Some(value) if value.is_null() || value.is_str("") => Source::Nothing,
        // A timestamp's text is read as JSON too, which it never is.
        Some(value) if value.is_text() => Source::Json(value),
        Some(value) => Source::Value(value),
    }
}

/// Returns the integer that a member must be, as far as it fits 64 bits.
fn integer<'t>(value: Option<Value<'t>>, member: &'static str) -> Result<Option<i64>, Finding<'t>> {
    match value.map(|value| (value, value.kind())) {
        Some((_, ValueKind::Integer(integer))) => Ok(integer.as_i64()),
        Some((value, _)) => Err(malformed(member, "an integer").actual(Fact::Words(value.type_name()))),
        None => Err(malformed(member, "an integer").actual(Fact::Words("absent"))),
    }
}

/// Returns the fact of a failure that a number tells.
fn failure<'t>(number: Option<i64>) -> Transport<'t> {
    Transport::Failed(number.map_or(Fact::Words("an integer beyond 64 bits"), Fact::Number))
}

impl fmt::Display for Id<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Given(id) => id,
            Self::Derived(prefix) => prefix,
        })
    }
}

/// Returns the finding that the hashed content has no canonical form.
pub(crate) fn unhashable<'t>(error: crate::canon::NotCanonical) -> Finding<'t> {
    let actual = match error {
        crate::canon::NotCanonical::NotFinite => "a number that is not finite",
        crate::canon::NotCanonical::KeyNotString => "an object key that is not a string",
    };
    Finding::new(Reason::SchemaInvalid, "content_hash")
        .expected(Fact::Words("content that has a canonical JSON form"))
        .actual(Fact::Words(actual))
}
