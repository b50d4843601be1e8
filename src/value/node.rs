//! What a document is made of that does not lie in its text as tokens: flat nodes; and what is known of either together.

use super::tokens::Escapes;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    Null,
    False,
    True,
    Integer,
    Float,
    String,
    Timestamp,
    Array,
    Object,
}

/// One value or key. A member is a key node, then the nodes of its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) tag: Tag,
    pub(super) form: Form,
    /// Where the token, or the container, begins and ends in the document's text; both 0 where there is no text.
    pub(super) start: u32,
    pub(super) end: u32,
    /// Where decoded text begins; or the lower half of a double.
    pub(super) first: u32,
    /// The number of nodes in a container; the length of decoded text; or the upper half of a double.
    pub(super) second: u32,
}

impl Node {
    pub(super) const NULL: Self =
        Self { tag: Tag::Null, form: Form::Plain, start: 0, end: 0, first: 0, second: 0 };
}

/// Returns the first eight bytes of a key, in front of zeros where it is shorter: a number that orders like them.
pub(super) fn prefix(key: &[u8]) -> u64 {
    let mut word = [0; 8];
    for (to, from) in word.iter_mut().zip(key) {
        *to = *from;
    }
    u64::from_be_bytes(word)
}

/// Where a scalar's content is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// In the text.
    Plain,
    /// In the decoded bytes.
    Decoded,
    /// The bits of a double in the node itself.
    Bits,
}

/// A document of nodes being made, or just made: kept by a parser from one text to the next.
#[derive(Default, Debug)]
pub(super) struct Store {
    pub(super) nodes: Vec<Node>,
    /// The contents of strings whose text has escapes.
    pub(super) decoded: Vec<u8>,
    pub(super) extent: Extent,
    /// The containers that are not closed yet: the node of each, and whether it is an object.
    open: Vec<(usize, bool)>,
}

/// What is known of a document without a walk through it. Repeated keys and what belongs to them count.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extent {
    /// The deepest level of any value; the root is on level 1.
    pub(super) depth: usize,
    /// No string is longer, in bytes of its text.
    pub(super) longest: usize,
    /// Some number may not be finite.
    pub(super) may_overflow: bool,
    /// Where it comes from had some key twice, though it does not.
    pub(super) had_repeated_keys: bool,
    /// The text of every scalar and key is its canonical form.
    pub(super) is_plain: bool,
    /// There is no white space between the tokens.
    pub(super) is_compact: bool,
    pub(super) escapes: Escapes,
}

impl Store {
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.decoded.clear();
        self.open.clear();
        self.extent = Extent::default();
    }

    /// Adds a scalar or a key.
    pub(super) fn push(&mut self, node: Node) {
        self.nodes.push(node);
    }

    /// Adds a scalar that is nothing but a word.
    pub(super) fn push_word(&mut self, tag: Tag, start: usize, end: usize) {
        let (start, end) = (offset(start), offset(end));
        self.push(Node { tag, form: Form::Plain, start, end, first: 0, second: 0 });
    }

    /// Starts a container.
    pub(super) fn enter(&mut self, is_object: bool, start: usize) {
        let tag = if is_object { Tag::Object } else { Tag::Array };
        self.open.push((self.nodes.len(), is_object));
        self.push(Node { tag, form: Form::Plain, start: offset(start), end: 0, first: 0, second: 0 });
    }

    /// Ends the innermost container.
    pub(super) fn leave(&mut self, end: usize) {
        let Some((at, _)) = self.open.pop() else { return };
        let inside = self.nodes.len() - at - 1;
        // What is in an empty container would lie one level further in.
        self.extent.depth = self.extent.depth.max(self.open.len() + 1 + usize::from(inside > 0));
        if let Some(node) = self.nodes.get_mut(at) {
            node.end = offset(end);
            node.second = offset(inside);
        }
    }

    /// Returns how many containers are open.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Returns whether the innermost open container is an object; nothing where none is open.
    pub(super) fn in_object(&self) -> Option<bool> {
        self.open.last().map(|(_, is_object)| *is_object)
    }
}

/// Returns a place in a text as nodes have it. No text is longer than `u32::MAX`; the parser sees to that.
pub(super) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
