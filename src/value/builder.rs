//! Builds a document that does not come from JSON text, node by node; it checks nothing but its own balance.

use bumpalo::Bump;
use simd_json::{Node, StaticNode};

use super::{Document, Mark};

/// Takes the nodes of one value in the order of the text and makes the document of them.
///
/// An object's members are pushed as a key, then a value; a key may be any scalar.
pub struct Builder<'a> {
    arena: &'a Bump,
    document: Document<'a>,
    open: Vec<Open>,
}

struct Open {
    at: usize,
    pushed: usize,
}

impl<'a> Builder<'a> {
    /// Starts a document whose strings will live in `arena`.
    pub fn new(arena: &'a Bump) -> Self {
        Self { arena, document: Document::default(), open: Vec::new() }
    }

    /// Pushes `null`.
    pub fn null(&mut self) {
        self.push(Node::Static(StaticNode::Null));
    }

    /// Pushes a boolean.
    pub fn bool(&mut self, value: bool) {
        self.push(Node::Static(StaticNode::Bool(value)));
    }

    /// Pushes an integer: decimal digits, `-` before them where it is negative, no leading zeros, any length.
    pub fn integer(&mut self, digits: &str) {
        if let Ok(value) = digits.parse::<i64>() {
            self.push(Node::Static(StaticNode::I64(value)));
        } else if let Ok(value) = digits.parse::<u64>() {
            self.push(Node::Static(StaticNode::U64(value)));
        } else {
            self.number_text(digits);
        }
    }

    /// Pushes a float, which may be infinite or no number.
    pub fn float(&mut self, value: f64) {
        self.push(Node::Static(StaticNode::F64(value)));
    }

    /// Pushes a copy of a string.
    pub fn string(&mut self, text: &str) {
        self.string_in_place(self.arena.alloc_str(text));
    }

    /// Pushes a string that lives long enough already.
    pub fn string_in_place(&mut self, text: &'a str) {
        self.push(Node::String(text));
    }

    /// Pushes a timestamp, given as ISO 8601 text.
    pub fn timestamp(&mut self, text: &str) {
        self.marked(text, Mark::Timestamp);
    }

    /// Pushes the text of a number that no other node carries.
    pub(super) fn number_text(&mut self, text: &str) {
        self.marked(text, Mark::Number);
    }

    fn marked(&mut self, text: &str, mark: Mark) {
        if let Ok(at) = u32::try_from(self.document.nodes.len()) {
            self.document.marked.push((at, mark));
        }
        self.string(text);
    }

    /// Starts an array; what follows is in it until [`Builder::close`].
    pub fn open_array(&mut self) {
        self.open(Node::Array { len: 0, count: 0 });
    }

    /// Starts an object; what follows is in it until [`Builder::close`].
    pub fn open_object(&mut self) {
        self.open(Node::Object { len: 0, count: 0 });
    }

    /// Ends the innermost open array or object.
    pub fn close(&mut self) {
        let Some(Open { at, pushed }) = self.open.pop() else { return };
        let nodes = self.document.nodes.len();
        match self.document.nodes.get_mut(at) {
            Some(Node::Array { len, count }) => (*len, *count) = (pushed, nodes - at - 1),
            Some(Node::Object { len, count }) => (*len, *count) = (pushed / 2, nodes - at - 1),
            _ => {}
        }
    }

    /// Returns how many arrays and objects are open.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Returns the document, closing what is open.
    pub fn finish(mut self) -> Document<'a> {
        while !self.open.is_empty() {
            self.close();
        }
        self.document
    }

    fn push(&mut self, node: Node<'a>) {
        if let Some(parent) = self.open.last_mut() {
            parent.pushed += 1;
        }
        self.document.nodes.push(node);
    }

    fn open(&mut self, node: Node<'a>) {
        let at = self.document.nodes.len();
        self.push(node);
        self.open.push(Open { at, pushed: 0 });
    }
}
