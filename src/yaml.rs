//! The one safe door for YAML: contracts, bundles, fixtures and YAML payloads. It reads; it never writes YAML.
//!
//! A text is YAML 1.1 as `PyYAML`'s safe loader reads it, so that a document means here what it means to the
//! programs that wrote it: `yes` is a boolean, `010` is 8, `1:30` is 90, a date is a timestamp, `<<` merges.
//! Anchors, aliases and all tags but `!!str`, `!!int`, `!!float`, `!!bool`, `!!null`, `!!seq`, `!!map` and
//! `!!timestamp` are refused before anything is built, and nesting is bounded while scanning.
//!
//! The scan that refuses and the load that builds are the same pass over the same events. What is left of differences
//! from `PyYAML` refuses where that would read; the test `stricter_than_pyyaml` lists it.
//!
//! The scanner is our own because the crates that were tried could not be made safe from outside: libyaml-safer 0.3.0
//! panics on texts as common as a block scalar without a line break at its end and reads tabs that `PyYAML` refuses,
//! saphyr-parser 0.3.4 follows YAML 1.2 and reads other documents out of the same text.

use std::fmt;

use bumpalo::Bump;

use crate::finding::{Fact, Finding};
use crate::reason::Reason;
use crate::value::{Builder, Document, Excess, Limits, MAX_DEPTH};

mod events;
mod resolve;
mod scalar;
mod scan;
mod tag;
#[cfg(test)]
mod tests;
mod text;
mod timestamp;
mod tree;

use resolve::Scalar;
use text::Fault;
use tree::{Built, NodeId, Tree};

/// A place in a text; what lies beyond `u32` counts as its greatest value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// In bytes from the start of the text.
    pub byte: u32,
    /// From 1 on.
    pub line: u32,
    /// In characters, from 1 on.
    pub column: u32,
}

/// Why a YAML text is not loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// `UnsafeInput` for what could do more than describe data: an anchor, an alias, a foreign tag, a collection as
    /// a key. `LimitExceeded` past a bound. `ParseFailed` for what is not one document of YAML 1.1, or a scalar that
    /// is not of its type. `ContractInvalid` for a repeated key, where [`DuplicateKeys::Refuse`] asks.
    pub reason: Reason,
    /// The reason in words, without anything from the text.
    pub what: &'static str,
    /// The bound that the text is past, if it is one of [`Limits`].
    pub excess: Option<Excess>,
    /// Where; none where it is the whole text.
    pub place: Option<Place>,
}

impl Refusal {
    fn at(reason: Reason, what: &'static str, place: Place) -> Self {
        Self { reason, what, excess: None, place: Some(place) }
    }

    fn whole(reason: Reason, what: &'static str) -> Self {
        Self { reason, what, excess: None, place: None }
    }

    fn excess(excess: Excess, place: Option<Place>) -> Self {
        Self { reason: Reason::LimitExceeded, what: "past a bound", excess: Some(excess), place }
    }

    /// Returns the refusal as a record shows it.
    pub fn finding<'t>(&self) -> Finding<'t> {
        let (limit, of) = match self.excess {
            Some(Excess::Bytes(limit)) => (limit, "bytes"),
            Some(Excess::Depth(limit)) => (limit, "levels of nesting"),
            Some(Excess::Nodes(limit)) => (limit, "nodes"),
            Some(Excess::Characters(limit)) => (limit, "characters in a string"),
            None => {
                return Finding::new(self.reason, "yaml").actual(match self.place {
                    Some(Place { byte, .. }) => Fact::Place(self.what, byte as usize),
                    None => Fact::Words(self.what),
                });
            }
        };
        Finding::new(self.reason, "limits").expected(Fact::AtMost(limit as u64, of))
    }
}

impl From<Fault> for Refusal {
    fn from(Fault { what, mark }: Fault) -> Self {
        Self::at(Reason::ParseFailed, what, mark.place())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.excess {
            Some(excess) => excess.fmt(f)?,
            None => f.write_str(self.what)?,
        }
        match self.place {
            Some(Place { line, column, .. }) => write!(f, " at line {line}, column {column}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Refusal {}

/// What becomes of a mapping that has the same key twice. What `<<` brings in may be repeated either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DuplicateKeys {
    /// The last one's value counts, as in JSON: for payloads and inputs.
    LastWins,
    /// The text is refused: for contracts and bundles, where a repeated key is a mistake.
    Refuse,
}

/// Loads the one YAML document in `text`, repeated keys and all; an empty text is `null`.
///
/// Strings and keys are copied into `arena`. Of equal keys the first stays, with the last one's value; keys are
/// equal as in Python, so that `1`, `1.0` and `true` are. [`Document::has_duplicate_keys`] still tells that there were.
///
/// # Errors
/// A [`Refusal`] with the first thing wrong, in this order: the length of the text; what the scan meets first of
/// anchors, aliases, tags, nesting and syntax; scalars and keys, level by level; the other bounds of `limits`.
pub fn load<'a>(text: &str, arena: &'a Bump, limits: &Limits) -> Result<Document<'a>, Refusal> {
    load_with(text, arena, limits, DuplicateKeys::LastWins)
}

/// Loads the one YAML document in `text`, in which no mapping has the same key twice.
///
/// # Errors
/// As [`load`], and for a repeated key.
pub fn load_unique<'a>(text: &str, arena: &'a Bump, limits: &Limits) -> Result<Document<'a>, Refusal> {
    load_with(text, arena, limits, DuplicateKeys::Refuse)
}

/// Loads the one YAML document in `bytes`, which must be UTF-8; a byte order mark is skipped.
///
/// # Errors
/// As [`load`], and for bytes that are not UTF-8.
pub fn load_bytes<'a>(
    bytes: &[u8],
    arena: &'a Bump,
    limits: &Limits,
    duplicates: DuplicateKeys,
) -> Result<Document<'a>, Refusal> {
    check_length(bytes.len(), limits)?;
    match std::str::from_utf8(bytes) {
        Ok(text) => load_with(text, arena, limits, duplicates),
        Err(_) => Err(Refusal::whole(Reason::ParseFailed, "not UTF-8")),
    }
}

fn load_with<'a>(
    text: &str,
    arena: &'a Bump,
    limits: &Limits,
    duplicates: DuplicateKeys,
) -> Result<Document<'a>, Refusal> {
    check_length(text.len(), limits)?;
    let mut tree = Tree::read(text, limits.depth.min(MAX_DEPTH))?;
    tree.build(duplicates)?;
    if let Built::Scalar(Scalar::Timestamp(_)) = tree.node(0) {
        return Err(Refusal::whole(Reason::LimitExceeded, "a document that is nothing but a timestamp"));
    }
    let mut builder = Builder::new(arena);
    write(&tree, 0, &mut builder);
    if tree.has_repeated_keys() {
        builder.had_repeated_keys();
    }
    let document = builder.finish();
    match document.check_bounds(limits) {
        Ok(()) => Ok(document),
        Err(excess) => Err(Refusal::excess(excess, None)),
    }
}

fn check_length(length: usize, limits: &Limits) -> Result<(), Refusal> {
    if length > limits.bytes {
        return Err(Refusal::excess(Excess::Bytes(limits.bytes), None));
    }
    Ok(())
}

/// Goes as deep as [`Tree::read`] let the document be.
fn write(tree: &Tree<'_>, id: NodeId, builder: &mut Builder<'_>) {
    match tree.node(id) {
        Built::Scalar(Scalar::Null) => builder.null(),
        Built::Scalar(Scalar::Bool(value)) => builder.bool(*value),
        Built::Scalar(Scalar::Int(digits)) => builder.integer(digits),
        Built::Scalar(Scalar::Float(value)) => builder.float(*value),
        Built::Scalar(Scalar::Str(text)) => builder.string(text),
        Built::Scalar(Scalar::Timestamp(timestamp)) => builder.timestamp(&timestamp.to_string()),
        Built::Sequence(items) => {
            builder.open_array();
            for &item in items {
                write(tree, item, builder);
            }
            builder.close();
        }
        Built::Mapping(pairs) => {
            builder.open_object();
            for &(key, value) in pairs {
                write(tree, key, builder);
                write(tree, value, builder);
            }
            builder.close();
        }
    }
}
