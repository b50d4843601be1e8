//! The one safe door for YAML: contracts, bundles, fixtures and YAML payloads. It reads; it never writes YAML.
//!
//! A text is YAML 1.1 as `PyYAML`'s safe loader reads it, so that a document means here what it means to the
//! programs that wrote it: `yes` is a boolean, `010` is 8, `1:30` is 90, a date is a timestamp, `<<` merges.
//! Anchors, aliases and all tags but `!!str`, `!!int`, `!!float`, `!!bool`, `!!null`, `!!seq`, `!!map` and
//! `!!timestamp` are refused before anything is built, and nesting is bounded while scanning.
//!
//! The scan that refuses and the load that builds are the same pass over the same events, of a scanner of our own.
//! The two crates that were tried instead read other documents than `PyYAML` does or panic on texts as common as a
//! block scalar without a line break at its end; what is left of differences is listed in this module's tests and
//! refuses where `PyYAML` would read.

use std::borrow::Cow;
use std::fmt;

use bumpalo::Bump;

use crate::value::{Builder, Document, Limits, MAX_DEPTH};

mod events;
mod resolve;
mod scalar;
mod scan;
#[cfg(test)]
mod tests;
mod text;
mod timestamp;
mod tree;

use resolve::Scalar;
use text::{Fault, Mark};
use tree::{Built, NodeId, Tree};

/// What is wrong with a YAML text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// Something that could do more than describe data: an anchor, an alias, a foreign tag, a collection as a key.
    UnsafeInput,
    /// Past one of the bounds of [`Limits`].
    LimitExceeded,
    /// Not one document of YAML 1.1 in UTF-8, or a scalar that is not of its type.
    ParseFailed,
    /// The same key twice in one mapping, where [`DuplicateKeys::Refuse`] asks.
    DuplicateKey,
}

/// Why a YAML text is not loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The class of the reason.
    pub code: Code,
    /// The reason in words, without anything from the text.
    pub message: Cow<'static, str>,
    /// Line and column of what is wrong, both from 1 on and the column in characters; none where it is the whole
    /// text.
    pub place: Option<(usize, usize)>,
}

impl Refusal {
    fn new(code: Code, message: impl Into<Cow<'static, str>>, mark: Mark) -> Self {
        Self { code, message: message.into(), place: Some((mark.line + 1, mark.column + 1)) }
    }

    fn whole(code: Code, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, message: message.into(), place: None }
    }
}

impl From<Fault> for Refusal {
    fn from(Fault { what, mark }: Fault) -> Self {
        Self::new(Code::ParseFailed, what, mark)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match self.place {
            Some((line, column)) => write!(f, " at line {line}, column {column}"),
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

/// Loads the one YAML document in `text`; an empty text is `null`.
///
/// Strings and keys are copied into `arena`. Of equal keys the first stays, with the last one's value; keys are
/// equal as in Python, so that `1`, `1.0` and `true` are.
///
/// # Errors
/// A [`Refusal`] with the first thing wrong, in this order: the length of the text; what the scan meets first of
/// anchors, aliases, tags, nesting and syntax; scalars and keys, level by level; the other bounds of `limits`.
pub fn load<'a>(
    text: &str,
    arena: &'a Bump,
    limits: &Limits,
    duplicates: DuplicateKeys,
) -> Result<Document<'a>, Refusal> {
    check_length(text.len(), limits)?;
    let mut tree = Tree::read(text, limits.depth.min(MAX_DEPTH))?;
    tree.build(duplicates)?;
    if let Built::Scalar(Scalar::Timestamp(_)) = tree.node(0) {
        return Err(Refusal::whole(Code::LimitExceeded, "a document that is nothing but a timestamp"));
    }
    let mut builder = Builder::new(arena);
    write(&tree, 0, &mut builder);
    let document = builder.finish();
    match document.check_bounds(limits) {
        Ok(()) => Ok(document),
        Err(excess) => Err(Refusal::whole(Code::LimitExceeded, excess.to_string())),
    }
}

/// Loads the one YAML document in `bytes`, which must be UTF-8; a byte order mark is skipped.
///
/// # Errors
/// As [`load`]; bytes that are not UTF-8 are [`Code::ParseFailed`].
pub fn load_bytes<'a>(
    bytes: &[u8],
    arena: &'a Bump,
    limits: &Limits,
    duplicates: DuplicateKeys,
) -> Result<Document<'a>, Refusal> {
    check_length(bytes.len(), limits)?;
    match std::str::from_utf8(bytes) {
        Ok(text) => load(text, arena, limits, duplicates),
        Err(_) => Err(Refusal::whole(Code::ParseFailed, "not UTF-8")),
    }
}

fn check_length(length: usize, limits: &Limits) -> Result<(), Refusal> {
    if length > limits.bytes {
        return Err(Refusal::whole(Code::LimitExceeded, format!("more than {} bytes", limits.bytes)));
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
        Built::Scalar(Scalar::Timestamp(timestamp)) => builder.string(&timestamp.to_string()),
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
