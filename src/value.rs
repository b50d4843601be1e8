//! JSON text to a flat, borrowed document: the only module that names simd-json. It knows syntax, not meaning.
//!
//! [`Parser::parse`] first lets simd-json fill its tape. Whatever simd-json refuses goes once more through
//! `exact`, a strict parser of RFC 8259 that is slower and gives the place of an error. What holds on both ways:
//!
//! - **Duplicate keys** stay in the document; [`Object::get`] and every other reader lets the last one win.
//!   [`Document::has_duplicate_keys`] tells.
//! - **Integers** keep every digit. simd-json carries 64 bits; wider ones come from the exact parser as
//!   [`Integer::Big`].
//! - **Floats** are the nearest double. One that overflows is [`Kind::Float`] with an infinite value.
//! - **Depth**: more than [`MAX_DEPTH`] levels are refused as [`Syntax::TooDeep`], so that no reader of a document
//!   recurses further than that.
//! - **UTF-8** is checked; unpaired surrogate escapes, `NaN`, `Infinity` and text after the value are errors.

use std::fmt;
use std::ops::Deref;

use bumpalo::Bump;
use simd_json::{Buffers, INPUT_PADDING, Node, StaticNode, Tape};

mod bounds;
mod builder;
mod exact;
mod pointer;

pub use bounds::{Excess, Limits};
pub use builder::Builder;
pub use pointer::{BadPointer, Pointer};

/// The deepest nesting that any document may have, in levels; the root is level 1.
pub const MAX_DEPTH: usize = 500;

/// Why a text is not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// RFC 8259 does not allow what stands at this byte offset.
    Invalid {
        /// Offset in bytes from the start of the text.
        offset: usize,
        /// What was expected or found, without any of the text.
        what: &'static str,
    },
    /// Not UTF-8 from this byte offset on.
    NotUtf8 {
        /// Offset in bytes from the start of the text.
        offset: usize,
    },
    /// More than [`MAX_DEPTH`] levels of nesting.
    TooDeep,
}

impl fmt::Display for Syntax {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid { offset, what } => write!(f, "{what} at byte {offset}"),
            Self::NotUtf8 { offset } => write!(f, "invalid UTF-8 at byte {offset}"),
            Self::TooDeep => write!(f, "more than {MAX_DEPTH} levels of nesting"),
        }
    }
}

impl std::error::Error for Syntax {}

/// Turns JSON texts into documents, one after the other, in buffers that it keeps.
#[derive(Default)]
pub struct Parser {
    /// A copy of the text: simd-json decodes escapes in place.
    text: Vec<u8>,
    arena: Bump,
    machine: Machine,
}

/// What survives a document: buffers whose contents are void between two texts.
struct Machine {
    buffers: Buffers,
    nodes: Vec<Node<'static>>,
}

impl Default for Machine {
    fn default() -> Self {
        Self { buffers: Buffers::with_max_depth(4096, MAX_DEPTH), nodes: Vec::new() }
    }
}

impl Parser {
    /// Returns the document of `text`, which holds exactly one JSON value.
    ///
    /// # Errors
    /// [`Syntax`] where `text` is not RFC 8259 JSON in UTF-8, or nests too deep.
    pub fn parse(&mut self, text: &[u8]) -> Result<Parsed<'_>, Syntax> {
        let Self { text: copy, arena, machine } = self;
        copy.clear();
        copy.extend_from_slice(text);
        copy.resize(text.len() + INPUT_PADDING, 0);
        let mut tape = Tape(std::mem::take(&mut machine.nodes)).reset();
        if simd_json::fill_tape_padded(copy, text.len(), &mut machine.buffers, &mut tape).is_ok() {
            let document = Document { nodes: tape.0, plain: true, marked: Vec::new() };
            return Ok(Parsed { document, machine });
        }
        machine.nodes = tape.reset().0;
        arena.reset();
        let document = exact::parse(text, arena)?;
        Ok(Parsed { document, machine })
    }

    /// The same by the exact parser alone: the fast one must never answer differently.
    ///
    /// # Errors
    /// As [`Parser::parse`].
    pub fn parse_exact(&mut self, text: &[u8]) -> Result<Parsed<'_>, Syntax> {
        self.arena.reset();
        let document = exact::parse(text, &self.arena)?;
        Ok(Parsed { document, machine: &mut self.machine })
    }
}

/// A document in a parser's buffers, which it gives back when it is dropped.
pub struct Parsed<'p> {
    document: Document<'p>,
    machine: &'p mut Machine,
}

impl<'p> Deref for Parsed<'p> {
    type Target = Document<'p>;
    fn deref(&self) -> &Document<'p> {
        &self.document
    }
}

impl Drop for Parsed<'_> {
    fn drop(&mut self) {
        self.machine.nodes = Tape(std::mem::take(&mut self.document.nodes)).reset().0;
    }
}

/// One JSON or YAML value with everything in it, laid out flat in the order of the text.
#[derive(Debug, Default)]
pub struct Document<'a> {
    /// The root first; a container's node tells how many nodes belong to it; a member is a key node, then a value.
    nodes: Vec<Node<'a>>,
    /// All keys are strings and all floats are finite.
    plain: bool,
    /// The string nodes that are no strings, ascending; nearly always none.
    marked: Vec<(u32, Mark)>,
}

impl Document<'_> {
    /// Returns the outermost value.
    pub fn root(&self) -> Value<'_> {
        Value { document: self, at: 0 }
    }

    /// Returns true where some object of the document has the same key twice.
    pub fn has_duplicate_keys(&self) -> bool {
        let mut keys = Vec::new();
        (0..self.nodes.len()).any(|at| {
            let Kind::Object(object) = (Value { document: self, at }).kind() else { return false };
            keys.clear();
            keys.extend(object.iter().map(|(key, _)| key.node()).filter_map(|node| match node {
                Node::String(text) => Some(text),
                _ => None,
            }));
            keys.sort_unstable();
            keys.windows(2).any(|pair| pair[0] == pair[1])
        })
    }

    fn node(&self, at: usize) -> Node<'_> {
        self.nodes.get(at).copied().unwrap_or(Node::Static(StaticNode::Null))
    }

    /// The number of nodes that the value at `at` takes, itself included.
    fn span(&self, at: usize) -> usize {
        match self.nodes.get(at) {
            Some(Node::Object { count, .. } | Node::Array { count, .. }) => count + 1,
            _ => 1,
        }
    }
}

/// What a string node is that is no string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    /// The text of a number that no other node carries.
    Number,
    /// A timestamp, as YAML has them.
    Timestamp,
}

/// A value in a document: a cursor, as cheap to copy as a reference.
#[derive(Clone, Copy)]
pub struct Value<'t> {
    document: &'t Document<'t>,
    at: usize,
}

/// What a value is.
#[derive(Clone, Copy, Debug)]
pub enum Kind<'t> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number without fraction and exponent.
    Integer(Integer<'t>),
    /// A number with a fraction or an exponent; infinite where it overflows a double.
    Float(f64),
    /// A string, its escapes decoded.
    String(&'t str),
    /// A timestamp of YAML, as ISO 8601 text: no string, though it is hashed like one.
    Timestamp(&'t str),
    /// An array.
    Array(Array<'t>),
    /// An object.
    Object(Object<'t>),
}

/// An integer with all its digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integer<'t> {
    /// Fits `i64`.
    Signed(i64),
    /// Fits `u64` but not `i64`.
    Unsigned(u64),
    /// Neither: its decimal digits, with a sign where it is negative, without leading zeros.
    Big(&'t str),
}

impl Integer<'_> {
    /// Returns the value where it fits.
    pub fn as_i64(&self) -> Option<i64> {
        match *self {
            Self::Signed(value) => Some(value),
            Self::Unsigned(_) | Self::Big(_) => None,
        }
    }
}

impl<'t> Value<'t> {
    /// Returns what the value is, with its content.
    pub fn kind(self) -> Kind<'t> {
        match self.node() {
            Node::String(text) => match self.mark() {
                None => Kind::String(text),
                Some(Mark::Timestamp) => Kind::Timestamp(text),
                Some(Mark::Number) if text.bytes().all(|b| b == b'-' || b.is_ascii_digit()) => {
                    Kind::Integer(Integer::Big(text))
                }
                Some(Mark::Number) => Kind::Float(text.parse().unwrap_or(f64::INFINITY)),
            },
            Node::Object { len, .. } => Kind::Object(Object { value: self, len }),
            Node::Array { len, .. } => Kind::Array(Array { value: self, len }),
            Node::Static(StaticNode::Null) => Kind::Null,
            Node::Static(StaticNode::Bool(value)) => Kind::Bool(value),
            Node::Static(StaticNode::I64(value)) => Kind::Integer(Integer::Signed(value)),
            Node::Static(StaticNode::U64(value)) => Kind::Integer(match i64::try_from(value) {
                Ok(value) => Integer::Signed(value),
                Err(_) => Integer::Unsigned(value),
            }),
            Node::Static(StaticNode::F64(value)) => Kind::Float(value),
        }
    }

    /// Returns the string that the value is.
    pub fn as_str(self) -> Option<&'t str> {
        match self.node() {
            Node::String(text) if self.mark().is_none() => Some(text),
            _ => None,
        }
    }

    /// Returns the boolean that the value is.
    pub fn as_bool(self) -> Option<bool> {
        match self.node() {
            Node::Static(StaticNode::Bool(value)) => Some(value),
            _ => None,
        }
    }

    /// Returns the object that the value is.
    pub fn as_object(self) -> Option<Object<'t>> {
        match self.node() {
            Node::Object { len, .. } => Some(Object { value: self, len }),
            _ => None,
        }
    }

    /// Returns the array that the value is.
    pub fn as_array(self) -> Option<Array<'t>> {
        match self.node() {
            Node::Array { len, .. } => Some(Array { value: self, len }),
            _ => None,
        }
    }

    /// Returns true for `null`.
    pub fn is_null(self) -> bool {
        matches!(self.node(), Node::Static(StaticNode::Null))
    }

    /// Returns the decimal text of a float that overflows a double.
    pub(crate) fn overflowing_text(self) -> Option<&'t str> {
        match self.node() {
            Node::String(text) if self.mark() == Some(Mark::Number) => Some(text),
            _ => None,
        }
    }

    /// Returns true unless it is certain that the value has a canonical form: what simd-json reads always has one.
    pub(crate) fn may_lack_canonical_form(self) -> bool {
        !self.document.plain
    }

    /// Returns the name of the value's type as JSON Schema spells it, with `integer` apart from `number`.
    pub fn type_name(self) -> &'static str {
        match self.kind() {
            Kind::Null => "null",
            Kind::Bool(_) => "boolean",
            Kind::Integer(_) => "integer",
            Kind::Float(_) => "number",
            Kind::String(_) => "string",
            Kind::Timestamp(_) => "timestamp",
            Kind::Array(_) => "array",
            Kind::Object(_) => "object",
        }
    }

    /// Returns where the value lies in its document, for [`Object::key_at`].
    pub(crate) fn position(self) -> usize {
        self.at
    }

    fn node(self) -> Node<'t> {
        self.document.node(self.at)
    }

    fn mark(self) -> Option<Mark> {
        let marked = &self.document.marked;
        if marked.is_empty() {
            return None;
        }
        let at = u32::try_from(self.at).ok()?;
        let found = marked.binary_search_by_key(&at, |(at, _)| *at).ok()?;
        marked.get(found).map(|(_, mark)| *mark)
    }

    fn following(self) -> Self {
        Self { document: self.document, at: self.at + self.document.span(self.at) }
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind().fmt(f)
    }
}

/// An array in a document.
#[derive(Clone, Copy)]
pub struct Array<'t> {
    value: Value<'t>,
    len: usize,
}

impl<'t> Array<'t> {
    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true where there is no element.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Walks the elements in their order.
    pub fn iter(&self) -> impl Iterator<Item = Value<'t>> + use<'t> {
        let mut next = Value { document: self.value.document, at: self.value.at + 1 };
        (0..self.len).map(move |_| {
            let value = next;
            next = value.following();
            value
        })
    }
}

impl fmt::Debug for Array<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// An object in a document. Keys are strings in JSON; in YAML any scalar.
#[derive(Clone, Copy)]
pub struct Object<'t> {
    value: Value<'t>,
    len: usize,
}

impl<'t> Object<'t> {
    /// Returns the number of members, each occurrence of a repeated key counted.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true where there is no member.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Walks the members in their order, repeated keys included.
    pub fn iter(&self) -> impl Iterator<Item = (Value<'t>, Value<'t>)> + use<'t> {
        let mut next = Value { document: self.value.document, at: self.value.at + 1 };
        (0..self.len).map(move |_| {
            let key = next;
            let value = key.following();
            next = value.following();
            (key, value)
        })
    }

    /// Walks the members whose key is a string, in their order.
    pub fn members(&self) -> impl Iterator<Item = (&'t str, Value<'t>)> + use<'t> {
        self.iter().filter_map(|(key, value)| Some((key.as_str()?, value)))
    }

    /// Returns true where a member has this key.
    pub fn has(&self, key: &str) -> bool {
        self.members().any(|(name, _)| name == key)
    }

    /// Returns the key that lies at this position; empty where none does.
    pub(crate) fn key_at(&self, at: usize) -> &'t str {
        (Value { document: self.value.document, at }).as_str().unwrap_or_default()
    }

    /// Returns the value of the member whose key lies at this position.
    pub(crate) fn value_of_key_at(&self, at: usize) -> Value<'t> {
        (Value { document: self.value.document, at }).following()
    }

    /// Returns the value of a member; the last one where the key is repeated.
    pub fn get(&self, key: &str) -> Option<Value<'t>> {
        self.members().filter(|(name, _)| *name == key).last().map(|(_, value)| value)
    }
}

impl fmt::Debug for Object<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests;
