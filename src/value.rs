//! JSON text to a flat, borrowed document: the only module that names simd-json. It knows syntax, not meaning.
//!
//! A document is its own text and a list of nodes that point into it, in the order of the text. `fast` makes it with
//! simd-json's scan; whatever that refuses goes once more through `exact`, a strict parser of RFC 8259 that is slower
//! and gives the place of an error. What holds on both ways:
//!
//! - **Duplicate keys** stay in the document; [`Object::get`] and every other reader lets the last one win.
//!   [`Document::has_duplicate_keys`] tells.
//! - **Integers** keep every digit: numbers stay text until somebody asks. Past 64 bits they are [`Integer::Big`].
//! - **Floats** are the nearest double. One that overflows is [`Kind::Float`] with an infinite value.
//! - **Depth**: more than [`MAX_DEPTH`] levels are refused as [`Syntax::TooDeep`], so that no reader of a document
//!   recurses further than that.
//! - **UTF-8** is checked; unpaired surrogate escapes, `NaN`, `Infinity` and text after the value are errors.

use std::fmt;

mod bounds;
mod builder;
mod escape;
mod exact;
mod fast;
mod node;
mod pointer;
mod repeated;

pub use bounds::{Excess, Limits};
pub use builder::Builder;
use node::{Extent, Form, Node, Store, Tag, prefix};
pub use pointer::{BadPointer, Pointer};

/// The deepest nesting that any document may have, in levels; the root is level 1.
pub const MAX_DEPTH: usize = 500;

fn integer(digits: &str) -> Integer<'_> {
    match digits.parse::<i64>() {
        Ok(value) => Integer::Signed(value),
        Err(_) => digits.parse::<u64>().map_or(Integer::Big(digits), Integer::Unsigned),
    }
}

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
    /// A copy of the text, with the padding that the scan reads over.
    text: Vec<u8>,
    scanner: fast::Scanner,
    store: Store,
}

impl Parser {
    /// Returns the document of `text`, which holds exactly one JSON value.
    ///
    /// # Errors
    /// [`Syntax`] where `text` is not RFC 8259 JSON in UTF-8, or nests too deep.
    pub fn parse(&mut self, text: &[u8]) -> Result<Document<'_>, Syntax> {
        let Self { text: padded, scanner, store } = self;
        padded.clear();
        padded.extend_from_slice(text);
        fast::pad(padded);
        store.clear();
        if !fast::parse(padded, text.len(), scanner, store) {
            store.clear();
            exact::parse(text, store)?;
        }
        Ok(self.document(text.len()))
    }

    /// The same by the exact parser alone: the fast one must never answer differently.
    ///
    /// # Errors
    /// As [`Parser::parse`].
    pub fn parse_exact(&mut self, text: &[u8]) -> Result<Document<'_>, Syntax> {
        self.text.clear();
        self.text.extend_from_slice(text);
        self.store.clear();
        exact::parse(text, &mut self.store)?;
        Ok(self.document(text.len()))
    }

    fn document(&self, len: usize) -> Document<'_> {
        Document {
            text: self.text.get(..len).unwrap_or_default(),
            decoded: &self.store.decoded,
            nodes: self.store.document(),
            extent: self.store.extent,
        }
    }
}

/// One JSON or YAML value with everything in it, laid out flat in the order of the text.
#[derive(Debug, Clone, Copy, Default)]
pub struct Document<'a> {
    /// Empty where the document does not come from JSON text.
    text: &'a [u8],
    decoded: &'a [u8],
    /// The root first; a container's node tells how many nodes belong to it; a member is a key node, then a value.
    nodes: &'a [Node],
    extent: Extent,
}

impl<'a> Document<'a> {
    /// Returns the outermost value.
    pub fn root(&self) -> Value<'_> {
        Value { document: self, at: 0 }
    }

    fn node(&self, at: usize) -> Node {
        self.nodes.get(at).copied().unwrap_or(Node::NULL)
    }

    /// The number of nodes that the value at `at` takes, itself included.
    fn span(&self, at: usize) -> usize {
        match self.nodes.get(at) {
            Some(Node { tag: Tag::Array | Tag::Object, second, .. }) => *second as usize + 1,
            _ => 1,
        }
    }

    /// The content of a scalar: what stands between the quotes of a string, decoded; the text of a number.
    fn content(&self, node: Node) -> &'a [u8] {
        let (from, to) = match node.form {
            Form::Decoded | Form::DecodedCanonical => {
                let from = node.first as usize;
                return self.decoded.get(from..from + node.second as usize).unwrap_or_default();
            }
            Form::Bits | Form::Unsure => return &[],
            Form::Canonical | Form::Plain => match node.tag {
                Tag::String => (node.start as usize + 1, node.end as usize - 1),
                _ => (node.start as usize, node.end as usize),
            },
        };
        self.text.get(from..to).unwrap_or_default()
    }

    fn str(&self, node: Node) -> &'a str {
        // All of the text was checked once; short strings are checked again faster than they could be remembered.
        let content = self.content(node);
        let checked = if content.len() < 64 {
            std::str::from_utf8(content).ok()
        } else {
            simdutf8::basic::from_utf8(content).ok()
        };
        checked.unwrap_or_default()
    }
}

/// A piece of a document's text that holds one value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    /// Where it begins.
    pub(crate) start: usize,
    /// Where it ends.
    pub(crate) end: usize,
    /// It is certain that the piece is the value's canonical form as it stands.
    pub(crate) is_canonical: bool,
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
        let node = self.node();
        match node.tag {
            Tag::Null => Kind::Null,
            Tag::False => Kind::Bool(false),
            Tag::True => Kind::Bool(true),
            Tag::Integer => Kind::Integer(integer(self.document.str(node))),
            Tag::Float if node.form == Form::Bits => {
                Kind::Float(f64::from_bits(u64::from(node.first) | u64::from(node.second) << 32))
            }
            Tag::Float => Kind::Float(self.document.str(node).parse().unwrap_or(f64::INFINITY)),
            Tag::String => Kind::String(self.document.str(node)),
            Tag::Timestamp => Kind::Timestamp(self.document.str(node)),
            Tag::Array => Kind::Array(Array { value: self, len: node.first as usize }),
            Tag::Object => Kind::Object(Object { value: self, len: node.first as usize }),
        }
    }

    /// Returns the string that the value is.
    pub fn as_str(self) -> Option<&'t str> {
        let node = self.node();
        (node.tag == Tag::String).then(|| self.document.str(node))
    }

    /// Returns the boolean that the value is.
    pub fn as_bool(self) -> Option<bool> {
        match self.node().tag {
            Tag::True => Some(true),
            Tag::False => Some(false),
            _ => None,
        }
    }

    /// Returns the object that the value is.
    pub fn as_object(self) -> Option<Object<'t>> {
        let node = self.node();
        (node.tag == Tag::Object).then_some(Object { value: self, len: node.first as usize })
    }

    /// Returns the array that the value is.
    pub fn as_array(self) -> Option<Array<'t>> {
        let node = self.node();
        (node.tag == Tag::Array).then_some(Array { value: self, len: node.first as usize })
    }

    /// Returns true for `null`.
    pub fn is_null(self) -> bool {
        self.node().tag == Tag::Null
    }

    /// Returns true where the value is this string.
    pub fn is_str(self, text: &str) -> bool {
        let node = self.node();
        node.tag == Tag::String && self.document.content(node) == text.as_bytes()
    }

    /// Returns the JSON text that the value was read from; nothing where the document does not come from JSON text.
    pub fn source(self) -> Option<&'t str> {
        let node = self.node();
        let text = self.document.text.get(node.start as usize..node.end as usize)?;
        std::str::from_utf8(text).ok().filter(|text| !text.is_empty())
    }

    /// Returns the decimal text of a number that comes from JSON text.
    pub(crate) fn number_text(self) -> Option<&'t str> {
        let node = self.node();
        (matches!(node.tag, Tag::Integer | Tag::Float) && node.form != Form::Bits)
            .then(|| self.document.str(node))
    }

    /// Returns true unless it is certain that the value has a canonical form.
    pub(crate) fn may_lack_canonical_form(self) -> bool {
        self.document.text.is_empty() || self.document.extent.may_overflow
    }

    /// Returns the text that the document comes from; empty where it does not come from JSON text.
    pub(crate) fn whole_text(self) -> &'t [u8] {
        self.document.text
    }

    /// Returns the piece of its document's text that the value was read from.
    pub(crate) fn span(self) -> Span {
        let node = self.node();
        let is_canonical = matches!(node.form, Form::Canonical | Form::DecodedCanonical);
        Span { start: node.start as usize, end: node.end as usize, is_canonical }
    }

    /// Returns the first eight bytes of a key, in front of zeros where it is shorter; nothing where it is no string.
    pub(crate) fn key_prefix(self) -> Option<u64> {
        let node = self.node();
        match (node.tag, node.form) {
            (Tag::String, Form::Canonical) => Some(node.prefix()),
            (Tag::String, _) => Some(prefix(self.document.content(node))),
            _ => None,
        }
    }

    /// Returns the content of a string as bytes.
    pub(crate) fn string_bytes(self) -> Option<&'t [u8]> {
        let node = self.node();
        (node.tag == Tag::String).then(|| self.document.content(node))
    }

    /// Returns true where some object of the whole document has the same key twice.
    pub(crate) fn document_has_duplicate_keys(self) -> bool {
        self.document.has_duplicate_keys()
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

    /// Returns what tells the value from every other one that is there at the same time.
    pub(crate) fn identity(self) -> (usize, usize) {
        (std::ptr::from_ref(self.document).addr(), self.at)
    }

    /// Returns where the value lies in its document, for [`Object::key_at`].
    pub(crate) fn position(self) -> usize {
        self.at
    }

    fn node(self) -> Node {
        self.document.node(self.at)
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
    pub fn iter(&self) -> Elements<'t> {
        Elements { next: Value { document: self.value.document, at: self.value.at + 1 }, left: self.len }
    }
}

impl<'t> IntoIterator for &Array<'t> {
    type Item = Value<'t>;
    type IntoIter = Elements<'t>;

    fn into_iter(self) -> Elements<'t> {
        self.iter()
    }
}

/// Walks the elements of an array.
#[derive(Clone)]
pub struct Elements<'t> {
    next: Value<'t>,
    left: usize,
}

impl<'t> Iterator for Elements<'t> {
    type Item = Value<'t>;

    fn next(&mut self) -> Option<Value<'t>> {
        self.left = self.left.checked_sub(1)?;
        let value = self.next;
        self.next = value.following();
        Some(value)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Elements<'_> {}

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
    pub fn iter(&self) -> Members<'t> {
        Members { next: Value { document: self.value.document, at: self.value.at + 1 }, left: self.len }
    }

    /// Walks the keys in their order, repeated ones included.
    pub(crate) fn keys(&self) -> impl Iterator<Item = Value<'t>> + use<'t> {
        let document = self.value.document;
        let mut next = self.value.at + 1;
        (0..self.len).map(move |_| {
            // A key takes one node.
            let key = Value { document, at: next };
            next += 1 + document.span(next + 1);
            key
        })
    }

    /// Walks the members whose key is a string, in their order.
    pub fn members(&self) -> impl Iterator<Item = (&'t str, Value<'t>)> + use<'t> {
        self.iter().filter_map(|(key, value)| Some((key.as_str()?, value)))
    }

    /// Returns true where a member has this key.
    pub fn has(&self, key: &str) -> bool {
        self.iter().any(|(name, _)| name.is_str(key))
    }

    /// Returns the key that lies at this position; empty where none does.
    pub(crate) fn key_at(&self, at: usize) -> &'t str {
        self.member_at(at).0.as_str().unwrap_or_default()
    }

    /// Returns the bytes of the key that lies at this position; none where none does.
    pub(crate) fn key_bytes_at(&self, at: usize) -> &'t [u8] {
        self.member_at(at).0.string_bytes().unwrap_or_default()
    }

    /// Returns the member whose key lies at this position.
    pub(crate) fn member_at(&self, at: usize) -> (Value<'t>, Value<'t>) {
        let document = self.value.document;
        (Value { document, at }, Value { document, at: at + 1 })
    }

    /// Returns the value of a member; the last one where the key is repeated.
    pub fn get(&self, key: &str) -> Option<Value<'t>> {
        self.iter().filter(|(name, _)| name.is_str(key)).last().map(|(_, value)| value)
    }
}

impl<'t> IntoIterator for &Object<'t> {
    type Item = (Value<'t>, Value<'t>);
    type IntoIter = Members<'t>;

    fn into_iter(self) -> Members<'t> {
        self.iter()
    }
}

/// Walks the members of an object, repeated keys included.
#[derive(Clone)]
pub struct Members<'t> {
    next: Value<'t>,
    left: usize,
}

impl<'t> Iterator for Members<'t> {
    type Item = (Value<'t>, Value<'t>);

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let key = self.next;
        let value = key.following();
        self.next = value.following();
        Some((key, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Members<'_> {}

impl fmt::Debug for Object<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
pub(crate) mod tests;
