//! What a document is made of: flat nodes that point into its text, and what is known of them all together.

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
    /// A container's members or elements; where decoded text begins; the upper half of a key's [`prefix`]; or the lower
    /// half of a double.
    pub(super) first: u32,
    /// The number of nodes in a container; the length of decoded text; the lower half of a key's [`prefix`]; or the
    /// upper half of a double.
    pub(super) second: u32,
}

impl Node {
    pub(super) const NULL: Self =
        Self { tag: Tag::Null, form: Form::Plain, start: 0, end: 0, first: 0, second: 0 };

    /// Returns the first eight bytes of a key, which has no escapes.
    pub(super) fn prefix(self) -> u64 {
        u64::from(self.first) << 32 | u64::from(self.second)
    }
}

/// Returns the first eight bytes of a key, in front of zeros where it is shorter: a number that orders like them.
pub(super) fn prefix(key: &[u8]) -> u64 {
    let mut word = [0; 8];
    for (to, from) in word.iter_mut().zip(key) {
        *to = *from;
    }
    u64::from_be_bytes(word)
}

/// Returns the two halves of a prefix, as a key's node has them.
#[expect(clippy::cast_possible_truncation, reason = "the two halves")]
pub(super) fn halves(prefix: u64) -> (u32, u32) {
    ((prefix >> 32) as u32, prefix as u32)
}

/// Where a scalar's content is, and whether the text is canonical.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// In the text, which is canonical as it stands.
    Canonical,
    /// In the decoded bytes; the text has escapes, all of them canonical.
    DecodedCanonical,
    /// In the text, which has a shorter or another canonical form.
    Plain,
    /// In the decoded bytes.
    Decoded,
    /// The bits of a double in the node itself.
    Bits,
    /// Of an object: as [`Form::Plain`], and it may have the same key twice.
    Unsure,
}

/// A document being made, or just made: kept by a parser from one text to the next.
#[derive(Default, Debug)]
pub(super) struct Store {
    /// The document's nodes, and maybe more that are left from earlier.
    pub(super) nodes: Vec<Node>,
    /// The number of the document's nodes.
    pub(super) count: usize,
    /// The contents of strings whose text has escapes, and maybe more that is left from earlier.
    pub(super) decoded: Vec<u8>,
    pub(super) extent: Extent,
    pub(super) open: Vec<Open>,
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
}

/// A container that is not closed yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    /// Its node.
    pub(super) at: usize,
    /// Members or elements so far; keys and values each count where a [`Store`] counts them.
    pub(super) pushed: u32,
    pub(super) is_object: bool,
    /// Up to here its text is canonical but for spaces: known to the fast parser only.
    pub(super) is_canonical: bool,
    /// The prefix of its last key: likewise.
    pub(super) last_key: u64,
    /// A bit for each key, not always one of its own: likewise.
    pub(super) keys: u64,
    /// Two keys had the same bit: likewise.
    pub(super) may_repeat: bool,
}

impl Store {
    pub(super) fn clear(&mut self) {
        self.count = 0;
        self.open.clear();
        self.extent = Extent::default();
    }

    /// Adds a scalar or a key.
    pub(super) fn push(&mut self, node: Node) {
        if let Some(open) = self.open.last_mut() {
            open.pushed += 1;
        }
        self.nodes.truncate(self.count);
        self.nodes.push(node);
        self.count += 1;
    }

    /// Returns the document's nodes.
    pub(super) fn document(&self) -> &[Node] {
        self.nodes.get(..self.count).unwrap_or_default()
    }

    /// Adds a scalar that is nothing but a word.
    pub(super) fn push_word(&mut self, tag: Tag, start: usize, end: usize) {
        self.push(Node {
            tag,
            form: Form::Canonical,
            start: offset(start),
            end: offset(end),
            first: 0,
            second: 0,
        });
    }

    /// Starts a container.
    pub(super) fn enter(&mut self, is_object: bool, start: usize) {
        let (tag, form) = if is_object { (Tag::Object, Form::Unsure) } else { (Tag::Array, Form::Plain) };
        self.push(Node { tag, form, start: offset(start), end: 0, first: 0, second: 0 });
        let at = self.count - 1;
        self.open.push(Open {
            at,
            pushed: 0,
            is_object,
            is_canonical: false,
            last_key: 0,
            keys: 0,
            may_repeat: true,
        });
    }

    /// Ends the innermost container.
    pub(super) fn leave(&mut self, end: usize) {
        let Some(Open { at, pushed, is_object, .. }) = self.open.pop() else { return };
        let inside = self.count - at - 1;
        // What is in an empty container would lie one level further in.
        self.extent.depth = self.extent.depth.max(self.open.len() + 1 + usize::from(pushed > 0));
        if let Some(node) = self.nodes.get_mut(at) {
            node.end = offset(end);
            node.first = if is_object { pushed / 2 } else { pushed };
            node.second = offset(inside);
        }
    }

    /// Returns how many containers are open.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Returns whether the innermost open container is an object; nothing where none is open.
    pub(super) fn in_object(&self) -> Option<bool> {
        self.open.last().map(|open| open.is_object)
    }
}

/// Returns a place in a text as nodes have it. No text is longer than `u32::MAX`; the parser sees to that.
pub(super) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
