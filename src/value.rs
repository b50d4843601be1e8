//! JSON text to a flat, borrowed document: the only module that names simd-json. It knows syntax, not meaning.
//!
//! A document is its own text and the places where its tokens begin: `fast` finds them with simd-json's scan, or `nested`
//! in a text that stands in a string, and `grammar` reads them. Whatever these refuse goes once more through `exact`, a
//! strict parser of RFC 8259 that is slower, makes a list of nodes and gives the place of an error. Documents that do not
//! come from JSON text are such lists too. What holds on every way:
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
mod container;
mod escape;
mod exact;
mod fast;
mod float;
mod grammar;
mod lanes;
mod nested;
mod node;
mod number;
mod parser;
mod pointer;
mod repeated;
mod tokens;

pub use bounds::{Excess, Limits};
pub use builder::Builder;
pub use container::{Array, Elements, Members, Object};
pub(crate) use float::shortest;
use node::{Extent, Form, Node, Tag, prefix};
pub use parser::Parser;
pub use pointer::{BadPointer, Pointer};
pub(crate) use tokens::Tokens;

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

/// One JSON or YAML value with everything in it, laid out flat in the order of the text.
#[derive(Debug, Clone, Copy, Default)]
pub struct Document<'a> {
    layout: Layout<'a>,
    extent: Extent,
}

/// How a document is laid out. A value or key is known by where it begins there.
#[derive(Debug, Clone, Copy)]
enum Layout<'a> {
    /// The root first; a container's node tells how many nodes belong to it; a member is a key node, then a value.
    Nodes {
        /// Empty where the document does not come from JSON text.
        text: &'a [u8],
        decoded: &'a [u8],
        nodes: &'a [Node],
    },
    /// The root first; commas, colons and closing brackets have places of their own.
    Tokens(Tokens<'a>),
}

impl Default for Layout<'_> {
    fn default() -> Self {
        Self::Nodes { text: &[], decoded: &[], nodes: &[] }
    }
}

impl<'a> Document<'a> {
    /// Returns the outermost value.
    pub fn root(&self) -> Value<'_> {
        Value { document: self, at: 0 }
    }

    fn tag(&self, at: usize) -> Tag {
        match &self.layout {
            Layout::Nodes { nodes, .. } => nodes.get(at).map_or(Tag::Null, |node| node.tag),
            Layout::Tokens(tokens) => tokens.tag(at),
        }
    }

    /// Returns true where a container is at `at`, of this kind: `Tag::Array` or `Tag::Object`.
    #[inline]
    fn is_container(&self, at: usize, tag: Tag) -> bool {
        match &self.layout {
            Layout::Nodes { nodes, .. } => nodes.get(at).is_some_and(|node| node.tag == tag),
            Layout::Tokens(tokens) => tokens.byte(at) == if tag == Tag::Object { b'{' } else { b'[' },
        }
    }

    #[inline]
    fn is_string(&self, at: usize) -> bool {
        match &self.layout {
            Layout::Nodes { nodes, .. } => nodes.get(at).is_some_and(|node| node.tag == Tag::String),
            Layout::Tokens(tokens) => tokens.byte(at) == b'"',
        }
    }

    /// Returns the member, element or value behind the one at `at`, or where a container of it would end.
    #[inline]
    fn behind(&self, at: usize) -> usize {
        match &self.layout {
            Layout::Nodes { nodes, .. } => match nodes.get(at) {
                Some(Node { tag: Tag::Array | Tag::Object, second, .. }) => at + 1 + *second as usize,
                _ => at + 1,
            },
            // Behind it is a comma, a colon or the end of the container.
            Layout::Tokens(tokens) => tokens.behind(at) + 1,
        }
    }

    /// Returns where the first member or element of a container is, and what [`Document::behind`] the last one is.
    #[inline]
    fn inside(&self, at: usize) -> (usize, usize) {
        match &self.layout {
            Layout::Nodes { .. } => (at + 1, self.behind(at)),
            Layout::Tokens(tokens) => {
                let closer = tokens.closer(at);
                if closer == at + 1 { (closer + 1, closer + 1) } else { (at + 1, closer + 1) }
            }
        }
    }

    /// The content of a scalar: what stands between the quotes of a string, decoded; the text of a number.
    fn content(&self, at: usize) -> &'a [u8] {
        let (text, decoded, nodes) = match self.layout {
            Layout::Nodes { text, decoded, nodes } => (text, decoded, nodes),
            Layout::Tokens(tokens) => return tokens.content(at),
        };
        let node = nodes.get(at).copied().unwrap_or(Node::NULL);
        let (from, to) = match (node.form, node.tag) {
            (Form::Decoded, _) => {
                let from = node.first as usize;
                return decoded.get(from..from + node.second as usize).unwrap_or_default();
            }
            (Form::Bits, _) => return &[],
            (Form::Plain, Tag::String) => (node.start as usize + 1, node.end as usize - 1),
            (Form::Plain, _) => (node.start as usize, node.end as usize),
        };
        text.get(from..to).unwrap_or_default()
    }

    fn str(&self, at: usize) -> &'a str {
        // All of the text was checked once; short strings are checked again faster than they could be remembered.
        let content = self.content(at);
        let checked = if content.len() < 64 {
            std::str::from_utf8(content).ok()
        } else {
            simdutf8::basic::from_utf8(content).ok()
        };
        checked.unwrap_or_default()
    }

    /// Returns the double that stands for itself at `at`, without a text.
    fn bits(&self, at: usize) -> Option<f64> {
        let Layout::Nodes { nodes, .. } = &self.layout else { return None };
        match nodes.get(at) {
            Some(Node { form: Form::Bits, first, second, .. }) => {
                Some(f64::from_bits(u64::from(*first) | u64::from(*second) << 32))
            }
            _ => None,
        }
    }
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
        let text = || self.document.str(self.at);
        match self.document.tag(self.at) {
            Tag::Null => Kind::Null,
            Tag::False => Kind::Bool(false),
            Tag::True => Kind::Bool(true),
            Tag::Integer => Kind::Integer(integer(text())),
            Tag::Float => match self.document.bits(self.at) {
                Some(float) => Kind::Float(float),
                None => Kind::Float(text().parse().unwrap_or(f64::INFINITY)),
            },
            Tag::String => Kind::String(text()),
            Tag::Timestamp => Kind::Timestamp(text()),
            Tag::Array => Kind::Array(Array { value: self }),
            Tag::Object => Kind::Object(Object { value: self }),
        }
    }

    /// Returns the string that the value is.
    pub fn as_str(self) -> Option<&'t str> {
        self.is_string().then(|| self.document.str(self.at))
    }

    /// Returns the boolean that the value is.
    pub fn as_bool(self) -> Option<bool> {
        match self.document.tag(self.at) {
            Tag::True => Some(true),
            Tag::False => Some(false),
            _ => None,
        }
    }

    /// Returns the object that the value is.
    pub fn as_object(self) -> Option<Object<'t>> {
        self.document.is_container(self.at, Tag::Object).then_some(Object { value: self })
    }

    /// Returns the array that the value is.
    pub fn as_array(self) -> Option<Array<'t>> {
        self.document.is_container(self.at, Tag::Array).then_some(Array { value: self })
    }

    /// Returns true for `null`.
    pub fn is_null(self) -> bool {
        self.document.tag(self.at) == Tag::Null
    }

    /// Returns true for a string, whatever it says.
    #[inline]
    pub fn is_string(self) -> bool {
        self.document.is_string(self.at)
    }

    /// Returns true for a string and for a timestamp of YAML.
    pub(crate) fn is_text(self) -> bool {
        self.is_string() || self.document.tag(self.at) == Tag::Timestamp
    }

    /// Returns the first byte of a scalar as it is written, behind the quote of a string; nothing where it is not known.
    pub(crate) fn first_written(self) -> Option<u8> {
        match &self.document.layout {
            Layout::Nodes { .. } => None,
            Layout::Tokens(tokens) => tokens.raw(self.at).first().copied(),
        }
    }

    /// Returns true where the value is this string.
    pub fn is_str(self, text: &str) -> bool {
        self.is_string()
            && match &self.document.layout {
                Layout::Nodes { .. } => self.document.content(self.at) == text.as_bytes(),
                Layout::Tokens(tokens) => tokens.is_str(self.at, text.as_bytes()),
            }
    }

    /// Returns the JSON text that the value was read from; nothing where there is none, or it stands in a string.
    pub(crate) fn source(self) -> Option<&'t [u8]> {
        match self.document.layout {
            Layout::Nodes { text, nodes, .. } => {
                let node = nodes.get(self.at)?;
                text.get(node.start as usize..node.end as usize).filter(|text| !text.is_empty())
            }
            Layout::Tokens(tokens) if tokens.is_nested => None,
            Layout::Tokens(tokens) => Some(tokens.text(tokens.place(self.at), tokens.end(self.at))),
        }
    }

    /// Returns the decimal text of a number that comes from JSON text.
    pub(crate) fn number_text(self) -> Option<&'t str> {
        let is_number = matches!(self.document.tag(self.at), Tag::Integer | Tag::Float);
        (is_number && self.document.bits(self.at).is_none()).then(|| self.document.str(self.at))
    }

    /// Returns true unless it is certain that the value has a canonical form.
    pub(crate) fn may_lack_canonical_form(self) -> bool {
        match self.document.layout {
            Layout::Nodes { text, .. } => text.is_empty() || self.document.extent.may_overflow,
            Layout::Tokens(_) => self.document.extent.may_overflow,
        }
    }

    /// Returns where the value begins in the tokens of its document, and these; nothing where it has none that are
    /// written as in a text of their own.
    pub(crate) fn tokens(self) -> Option<(usize, Tokens<'t>)> {
        match self.document.layout {
            Layout::Tokens(tokens) if !tokens.is_nested => Some((self.at, tokens)),
            _ => None,
        }
    }

    /// Returns true where the texts of all scalars and keys of the whole document are canonical.
    pub(crate) fn document_is_plain(self) -> bool {
        self.document.extent.is_plain
    }

    /// Returns true where that is so, between the tokens of the whole document there is nothing, and no key has an escape.
    pub(crate) fn document_is_compact(self) -> bool {
        let Extent { is_plain, is_compact, escapes, .. } = self.document.extent;
        is_plain && is_compact && !escapes.in_keys
    }

    /// Returns the first eight bytes of a key, in front of zeros where it is shorter; nothing where it is no string.
    pub(crate) fn key_prefix(self) -> Option<u64> {
        self.is_string().then(|| match &self.document.layout {
            Layout::Nodes { .. } => prefix(self.document.content(self.at)),
            Layout::Tokens(tokens) => tokens.prefix(self.at),
        })
    }

    /// Returns the content of a string as bytes.
    pub(crate) fn string_bytes(self) -> Option<&'t [u8]> {
        self.is_string().then(|| self.document.content(self.at))
    }

    /// Returns true where some object of the whole document has the same key twice.
    pub(crate) fn document_has_duplicate_keys(self) -> bool {
        self.document.has_duplicate_keys()
    }

    /// Returns the name of the value's type as JSON Schema spells it, with `integer` apart from `number`.
    pub fn type_name(self) -> &'static str {
        match self.document.tag(self.at) {
            Tag::Null => "null",
            Tag::False | Tag::True => "boolean",
            Tag::Integer => "integer",
            Tag::Float => "number",
            Tag::String => "string",
            Tag::Timestamp => "timestamp",
            Tag::Array => "array",
            Tag::Object => "object",
        }
    }

    /// Returns what tells the value from every other one that is there at the same time.
    pub(crate) fn identity(self) -> (usize, usize) {
        (std::ptr::from_ref(self.document).addr(), self.at)
    }

    /// Returns the value that lies at another position of the same document.
    pub(crate) fn elsewhere(self, at: usize) -> Self {
        Self { at, ..self }
    }

    /// Returns where the value lies in its document, for [`Object::key_at`].
    pub(crate) fn position(self) -> usize {
        self.at
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind().fmt(f)
    }
}

#[cfg(test)]
pub(crate) mod tests;
