//! Builds a document that does not come from JSON text, node by node; it checks nothing but its own balance.

use bumpalo::Bump;

use super::node::{Form, Node, Store, Tag, offset};
use super::{Document, Layout, Value};

/// Takes the nodes of one value in the order of the text and makes the document of them.
///
/// An object's members are pushed as a key, then a value; a key may be any scalar.
pub struct Builder<'a> {
    arena: &'a Bump,
    store: Store,
}

impl<'a> Builder<'a> {
    /// Starts a document that will live in `arena`.
    pub fn new(arena: &'a Bump) -> Self {
        Self { arena, store: Store::default() }
    }

    /// Returns the value that is nothing but a string.
    pub fn text(text: &str, arena: &'a Bump) -> Value<'a> {
        let mut builder = Self::new(arena);
        builder.string(text);
        let document: &'a Document<'a> = arena.alloc(builder.finish());
        document.root()
    }

    /// Pushes `null`.
    pub fn null(&mut self) {
        self.store.push_word(Tag::Null, 0, 0);
    }

    /// Pushes a boolean.
    pub fn bool(&mut self, value: bool) {
        self.store.push_word(if value { Tag::True } else { Tag::False }, 0, 0);
    }

    /// Pushes an integer: decimal digits, `-` before them where it is negative, no leading zeros, any length.
    pub fn integer(&mut self, digits: &str) {
        self.push(Tag::Integer, digits);
    }

    /// Pushes a float, which may be infinite or no number.
    pub fn float(&mut self, value: f64) {
        let bits = value.to_bits();
        self.store.extent.may_overflow |= !value.is_finite();
        #[expect(clippy::cast_possible_truncation, reason = "the two halves")]
        let (first, second) = (bits as u32, (bits >> 32) as u32);
        self.store.push(Node { tag: Tag::Float, form: Form::Bits, start: 0, end: 0, first, second });
    }

    /// Pushes a string.
    pub fn string(&mut self, text: &str) {
        self.store.extent.longest = self.store.extent.longest.max(text.len());
        self.push(Tag::String, text);
    }

    /// Pushes a timestamp, given as ISO 8601 text.
    pub fn timestamp(&mut self, text: &str) {
        self.push(Tag::Timestamp, text);
    }

    /// Starts an array; what follows is in it until [`Builder::close`].
    pub fn open_array(&mut self) {
        self.store.enter(false, 0);
    }

    /// Starts an object; what follows is in it until [`Builder::close`].
    pub fn open_object(&mut self) {
        self.store.enter(true, 0);
    }

    /// Ends the innermost open array or object.
    pub fn close(&mut self) {
        self.store.leave(0);
    }

    /// Says that what the document comes from had some key twice, of which only one is pushed.
    pub fn had_repeated_keys(&mut self) {
        self.store.extent.had_repeated_keys = true;
    }

    /// Returns the document, closing what is open.
    pub fn finish(mut self) -> Document<'a> {
        while self.store.depth() > 0 {
            self.close();
        }
        let layout = Layout::Nodes {
            text: &[],
            decoded: self.arena.alloc_slice_copy(&self.store.decoded),
            nodes: self.arena.alloc_slice_copy(&self.store.nodes),
        };
        Document { layout, extent: self.store.extent }
    }

    fn push(&mut self, tag: Tag, text: &str) {
        let (first, second) = (offset(self.store.decoded.len()), offset(text.len()));
        self.store.decoded.extend_from_slice(text.as_bytes());
        self.store.push(Node { tag, form: Form::Decoded, start: 0, end: 0, first, second });
    }
}
