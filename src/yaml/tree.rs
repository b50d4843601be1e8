//! The one pass from events to nodes that refuses whatever is unsafe, and the building of values out of the nodes.
//!
//! Nothing is resolved before the last event has been seen: an anchor, an alias or a foreign tag anywhere before
//! the first syntax error refuses the text. Values are then built one level of nesting after the other, which
//! decides what is reported where a text is wrong in several ways.

use std::borrow::Cow;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::events::{EventKind, Events};
use super::resolve::{Scalar, Tag};
use super::text::Mark;
use super::timestamp::Moment;
use super::{DuplicateKeys, Place, Refusal};
use crate::reason::Reason;
use crate::value::Excess;

const BROUGHT_TWICE: &str = "a mapping key that `<<` brings in twice";

/// The place of a node in [`Tree::nodes`].
pub(super) type NodeId = usize;

/// A document as nodes that name each other.
pub(super) struct Tree<'t> {
    nodes: Vec<Node<'t>>,
    has_repeated_keys: bool,
}

struct Node<'t> {
    tag: Tag,
    place: Place,
    content: Content<'t>,
}

enum Content<'t> {
    /// A scalar whose type is not applied yet.
    Text(Cow<'t, str>),
    Scalar(Scalar<'t>),
    Sequence(Vec<NodeId>),
    /// Keys and values.
    Mapping(Vec<(NodeId, NodeId)>),
}

/// A built node, to look at.
pub(super) enum Built<'n, 't> {
    Scalar(&'n Scalar<'t>),
    Sequence(&'n [NodeId]),
    Mapping(&'n [(NodeId, NodeId)]),
}

/// A mapping's pair, and whether a `<<` brought it there.
#[derive(Clone, Copy)]
struct Pair {
    key: NodeId,
    value: NodeId,
    brought: bool,
}

/// What a key is equal to: numbers and booleans by their value, whatever their type.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key<'n> {
    Null,
    Whole(Cow<'n, str>),
    Fraction(u64),
    Text(&'n str),
    Moment(Moment),
}

impl<'t> Tree<'t> {
    /// Reads the one document in `text`, to be built by [`Tree::build`]; the root is node 0.
    pub(super) fn read(text: &'t str, depth: usize) -> Result<Self, Refusal> {
        let mut events = Events::new(text)?;
        let mut tree = Self { nodes: Vec::new(), has_repeated_keys: false };
        let mut open: Vec<NodeId> = Vec::new();
        let mut documents = 0;
        loop {
            let event = events.next()?;
            let place = event.mark.place();
            let opens = matches!(event.kind, EventKind::SequenceStart | EventKind::MappingStart);
            if opens && open.len() >= depth {
                return Err(Refusal::excess(Excess::Depth(depth), Some(place)));
            }
            if event.anchored || event.kind == EventKind::Alias {
                return Err(Refusal::at(Reason::UnsafeInput, "anchors and aliases are not accepted", place));
            }
            let tag = event.tag.as_deref().map(Tag::from_uri);
            if tag == Some(None) {
                return Err(Refusal::at(Reason::UnsafeInput, "a tag that is not accepted", place));
            }
            let tag = tag.flatten();
            let (tag, content) = match event.kind {
                EventKind::StreamEnd => break,
                EventKind::DocumentStart => {
                    documents += 1;
                    continue;
                }
                EventKind::DocumentEnd | EventKind::Alias => continue,
                EventKind::SequenceEnd | EventKind::MappingEnd => {
                    open.pop();
                    continue;
                }
                EventKind::Scalar { text, plain } => {
                    let implied = if plain { Tag::of_plain(&text) } else { Tag::Str };
                    (tag.unwrap_or(implied), Content::Text(text))
                }
                EventKind::SequenceStart => (tag.unwrap_or(Tag::Seq), Content::Sequence(Vec::new())),
                EventKind::MappingStart => (tag.unwrap_or(Tag::Map), Content::Mapping(Vec::new())),
            };
            // What follows the first document is refused, but only after it has been looked at.
            let id = if documents == 1 { tree.push(Node { tag, place, content }, &open) } else { 0 };
            if opens {
                open.push(id);
            }
        }
        if documents > 1 {
            return Err(Refusal::whole(Reason::ParseFailed, "more than one document"));
        }
        if tree.nodes.is_empty() {
            let content = Content::Text(Cow::Borrowed(""));
            tree.nodes.push(Node { tag: Tag::Null, place: Mark::default().place(), content });
        }
        Ok(tree)
    }

    /// Returns true where some mapping had the same key twice, of which only one is left.
    pub(super) fn has_repeated_keys(&self) -> bool {
        self.has_repeated_keys
    }

    /// Adds a node to the innermost open collection.
    fn push(&mut self, node: Node<'t>, open: &[NodeId]) -> NodeId {
        let id = self.nodes.len();
        self.nodes.push(node);
        match open.last().map(|&parent| &mut self.nodes[parent].content) {
            Some(Content::Sequence(items)) => items.push(id),
            Some(Content::Mapping(pairs)) => match pairs.last_mut() {
                // A key is its own value until that comes.
                Some((key, value)) if key == value => *value = id,
                _ => pairs.push((id, id)),
            },
            _ => {}
        }
        id
    }

    /// Gives every scalar its meaning, merges `<<` and makes keys unique.
    pub(super) fn build(&mut self, duplicates: DuplicateKeys) -> Result<(), Refusal> {
        let mut waiting = VecDeque::new();
        self.build_node(0, &mut waiting)?;
        while let Some(id) = waiting.pop_front() {
            if self.nodes[id].tag == Tag::Seq {
                let Content::Sequence(items) = &self.nodes[id].content else {
                    return Err(self.refuse_tag(id));
                };
                for item in items.clone() {
                    self.build_node(item, &mut waiting)?;
                }
            } else {
                self.build_mapping(id, duplicates, &mut waiting)?;
            }
        }
        Ok(())
    }

    /// Returns a node that has been built.
    pub(super) fn node(&self, id: NodeId) -> Built<'_, 't> {
        match &self.nodes[id].content {
            Content::Scalar(scalar) => Built::Scalar(scalar),
            Content::Sequence(items) => Built::Sequence(items),
            Content::Mapping(pairs) => Built::Mapping(pairs),
            Content::Text(_) => Built::Scalar(&Scalar::Null),
        }
    }

    /// Builds a scalar, or puts a collection behind those that wait.
    fn build_node(&mut self, id: NodeId, waiting: &mut VecDeque<NodeId>) -> Result<(), Refusal> {
        let Node { tag, place, content } = &mut self.nodes[id];
        match (*tag, content) {
            (Tag::Seq | Tag::Map, _) => waiting.push_back(id),
            (Tag::Merge | Tag::Value, _) => {
                return Err(Refusal::at(Reason::UnsafeInput, "`<<` or `=` where no key is", *place));
            }
            (tag, Content::Text(text)) => {
                let scalar = Scalar::read(tag, std::mem::take(text))
                    .map_err(|misfit| Refusal::at(Reason::ParseFailed, misfit, *place))?;
                self.nodes[id].content = Content::Scalar(scalar);
            }
            _ => return Err(self.refuse_tag(id)),
        }
        Ok(())
    }

    fn build_mapping(
        &mut self,
        id: NodeId,
        duplicates: DuplicateKeys,
        waiting: &mut VecDeque<NodeId>,
    ) -> Result<(), Refusal> {
        if !matches!(self.nodes[id].content, Content::Mapping(_)) {
            return Err(self.refuse_tag(id));
        }
        let pairs = self.merge(id, duplicates)?;
        let repeated = self.repeated_spelling(&pairs);
        for pair in &pairs {
            self.build_node(pair.key, waiting)?;
            if !matches!(self.nodes[pair.key].content, Content::Scalar(_)) {
                return Err(self.refuse(Reason::UnsafeInput, "a mapping key that is a collection", pair.key));
            }
            self.build_node(pair.value, waiting)?;
        }
        if let Some(key) = repeated {
            return Err(self.refuse(Reason::UnsafeInput, BROUGHT_TWICE, key));
        }
        let unique = self.unique(&pairs, duplicates)?;
        self.nodes[id].content = Content::Mapping(unique);
        Ok(())
    }

    /// Returns the pairs of a mapping, what its `<<` bring in front of its own.
    fn merge(&mut self, id: NodeId, duplicates: DuplicateKeys) -> Result<Vec<Pair>, Refusal> {
        let Content::Mapping(written) = &self.nodes[id].content else { return Ok(Vec::new()) };
        let written = written.clone();
        let mut pairs = Vec::new();
        let mut own = Vec::new();
        let mut merges = 0;
        for (key, value) in written {
            if self.nodes[key].tag == Tag::Merge {
                merges += 1;
                if merges > 1 {
                    self.repeat(key, "a second `<<` in the same mapping", duplicates)?;
                }
                for source in self.merge_sources(value)? {
                    let brought = self.merge(source, duplicates)?;
                    pairs.extend(brought.into_iter().map(|pair| Pair { brought: true, ..pair }));
                }
                continue;
            }
            if self.nodes[key].tag == Tag::Value {
                self.nodes[key].tag = Tag::Str;
            }
            own.push(Pair { key, value, brought: false });
        }
        pairs.append(&mut own);
        Ok(pairs)
    }

    /// The mappings that a `<<` names: its value, or what is in it.
    fn merge_sources(&self, value: NodeId) -> Result<Vec<NodeId>, Refusal> {
        let sources = match &self.nodes[value].content {
            Content::Sequence(items) => items.clone(),
            _ => vec![value],
        };
        match sources.iter().find(|&&source| !matches!(self.nodes[source].content, Content::Mapping(_))) {
            Some(&source) => Err(self.refuse(Reason::UnsafeInput, "`<<` merges mappings only", source)),
            None => Ok(sources),
        }
    }

    /// Finds the first key that `<<` brings in although one that is spelled alike came that way before.
    ///
    /// `PyYAML` 6.0.4 compares such keys by their spelling, whatever their types.
    fn repeated_spelling(&self, pairs: &[Pair]) -> Option<NodeId> {
        let mut spellings = BTreeSet::new();
        let mut brought = pairs.iter().filter(|pair| pair.brought);
        let repeated = brought.find(|pair| match &self.nodes[pair.key].content {
            Content::Text(text) => !spellings.insert(text),
            _ => false,
        });
        repeated.map(|pair| pair.key)
    }

    /// Leaves of equal keys the first, with the last one's value.
    ///
    /// Which one wins of two that `<<` bring in depends on the version of `PyYAML`: such a mapping is refused.
    fn unique(
        &mut self,
        pairs: &[Pair],
        duplicates: DuplicateKeys,
    ) -> Result<Vec<(NodeId, NodeId)>, Refusal> {
        let mut unique: Vec<(NodeId, NodeId)> = Vec::with_capacity(pairs.len());
        let mut repeated = None;
        let mut seen = BTreeMap::new();
        for pair in pairs {
            let Content::Scalar(scalar) = &self.nodes[pair.key].content else { continue };
            match seen.entry(Key::of(scalar)) {
                Entry::Vacant(entry) => {
                    entry.insert((unique.len(), pair.brought));
                    unique.push((pair.key, pair.value));
                }
                Entry::Occupied(_) if pair.brought => {
                    return Err(self.refuse(Reason::UnsafeInput, BROUGHT_TWICE, pair.key));
                }
                Entry::Occupied(entry) => {
                    let (at, brought) = entry.into_mut();
                    if !*brought {
                        repeated = repeated.or(Some(pair.key));
                        if duplicates == DuplicateKeys::Refuse {
                            break;
                        }
                    }
                    *brought = false;
                    unique[*at].1 = pair.value;
                }
            }
        }
        drop(seen);
        if let Some(key) = repeated {
            self.repeat(key, "a mapping key for the second time", duplicates)?;
        }
        Ok(unique)
    }

    /// Refuses a repeated key, or remembers that there is one.
    fn repeat(&mut self, key: NodeId, what: &'static str, duplicates: DuplicateKeys) -> Result<(), Refusal> {
        if duplicates == DuplicateKeys::Refuse {
            return Err(self.refuse(Reason::ContractInvalid, what, key));
        }
        self.has_repeated_keys = true;
        Ok(())
    }

    fn refuse(&self, reason: Reason, what: &'static str, id: NodeId) -> Refusal {
        Refusal::at(reason, what, self.nodes[id].place)
    }

    fn refuse_tag(&self, id: NodeId) -> Refusal {
        self.refuse(Reason::UnsafeInput, "a tag of another kind of node", id)
    }
}

impl<'n> Key<'n> {
    fn of(scalar: &'n Scalar<'_>) -> Self {
        match scalar {
            Scalar::Null => Self::Null,
            Scalar::Bool(value) => Self::Whole(Cow::Borrowed(if *value { "1" } else { "0" })),
            Scalar::Int(digits) => Self::Whole(Cow::Borrowed(digits)),
            Scalar::Float(value) if *value == 0.0 => Self::Whole(Cow::Borrowed("0")),
            // `{:.0}` prints all digits of a whole double.
            Scalar::Float(value) if value.fract() == 0.0 => Self::Whole(Cow::Owned(format!("{value:.0}"))),
            Scalar::Float(value) => Self::Fraction(value.to_bits()),
            Scalar::Str(text) => Self::Text(text),
            Scalar::Timestamp(timestamp) => Self::Moment(timestamp.moment()),
        }
    }
}
