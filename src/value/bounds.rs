//! The bounds of a document: bytes, depth, nodes and characters; what counts and what is past them.

use std::fmt;

use super::node::Tag;
use super::{Document, Extent, Kind, Layout, Value};

/// How large a document may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The text's length in bytes.
    pub bytes: usize,
    /// Levels of nesting; the root is level 1 and a scalar in an array of level 1 is on level 2.
    pub depth: usize,
    /// Values and object keys, each counted once, repeated keys collapsed.
    pub nodes: usize,
    /// Unicode scalar values in any one string or key.
    pub characters: usize,
}

impl Limits {
    /// The bounds that hold where nobody asks for others: those of the ResultSeal 0.2.0 formats.
    pub const DEFAULT: Self = Self { bytes: 131_072, depth: 32, nodes: 4_096, characters: 16_384 };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The bound that a document is past.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Excess {
    /// More bytes than this.
    Bytes(usize),
    /// More levels of nesting than this.
    Depth(usize),
    /// More nodes than this.
    Nodes(usize),
    /// A string with more characters than this.
    Characters(usize),
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(limit) => write!(f, "more than {limit} bytes"),
            Self::Depth(limit) => write!(f, "more than {limit} levels of nesting"),
            Self::Nodes(limit) => write!(f, "more than {limit} nodes"),
            Self::Characters(limit) => write!(f, "a string of more than {limit} characters"),
        }
    }
}

impl Document<'_> {
    /// Checks depth, nodes and characters; the bytes are the reader's to check, before it parses.
    ///
    /// # Errors
    /// The first bound that the document is past.
    pub fn check_bounds(&self, limits: &Limits) -> Result<(), Excess> {
        // Every node is a value or a key, and a character takes a byte or more. This counts repeated keys too, so that
        // it can only find more: then look again, exactly.
        let Extent { depth, longest, .. } = self.extent;
        let is_within = self.has_nodes_within(limits.nodes) && depth.max(1) <= limits.depth;
        if is_within && (longest <= limits.characters || !self.has_string_past(limits.characters)) {
            return Ok(());
        }
        self.root().check_bounds(limits)
    }

    fn has_nodes_within(&self, limit: usize) -> bool {
        match &self.layout {
            Layout::Nodes { nodes, .. } => nodes.len() <= limit,
            // Most tokens are no nodes.
            Layout::Tokens(tokens) => tokens.len() <= limit || tokens.nodes() <= limit,
        }
    }

    /// Returns whether some string or key may have more bytes than this.
    fn has_string_past(&self, bytes: usize) -> bool {
        match &self.layout {
            Layout::Nodes { nodes, .. } => nodes.iter().enumerate().any(|(at, node)| {
                matches!(node.tag, Tag::String | Tag::Timestamp) && self.content(at).len() > bytes
            }),
            Layout::Tokens(tokens) => tokens.has_string_past(bytes),
        }
    }
}

impl Value<'_> {
    /// Checks depth, nodes and characters of one value, itself on level 1.
    ///
    /// # Errors
    /// The first bound that the value is past.
    pub fn check_bounds(self, limits: &Limits) -> Result<(), Excess> {
        Survey { limits, nodes: 0, keys: Vec::new() }.visit(self, 1)
    }
}

fn too_long(text: &str, limits: &Limits) -> bool {
    text.len() > limits.characters && text.chars().count() > limits.characters
}

/// The exact count, in which only the last of several equal keys is there at all.
struct Survey<'t, 'l> {
    limits: &'l Limits,
    nodes: usize,
    keys: Vec<(&'t str, usize)>,
}

impl<'t> Survey<'t, '_> {
    // Recursion ends at `limits.depth`, and no document is deeper than `MAX_DEPTH`.
    fn visit(&mut self, value: Value<'t>, depth: usize) -> Result<(), Excess> {
        if depth > self.limits.depth {
            return Err(Excess::Depth(self.limits.depth));
        }
        self.count()?;
        match value.kind() {
            Kind::String(text) | Kind::Timestamp(text) => self.measure(text),
            Kind::Array(array) => array.iter().try_for_each(|element| self.visit(element, depth + 1)),
            Kind::Object(object) => {
                self.keys.clear();
                self.keys.extend(object.iter().filter_map(|(key, member)| Some((key.as_str()?, member.at))));
                self.keys.sort_unstable();
                let mut last_of_its_name: Vec<usize> = Vec::with_capacity(self.keys.len());
                for (index, (name, at)) in self.keys.iter().enumerate() {
                    if self.keys.get(index + 1).is_none_or(|(next, _)| next != name) {
                        last_of_its_name.push(*at);
                    }
                }
                last_of_its_name.sort_unstable();
                for (key, member) in object.iter() {
                    if let Some(name) = key.as_str() {
                        if last_of_its_name.binary_search(&member.at).is_err() {
                            continue;
                        }
                        self.measure(name)?;
                    }
                    self.count()?;
                    self.visit(member, depth + 1)?;
                }
                Ok(())
            }
            Kind::Null | Kind::Bool(_) | Kind::Integer(_) | Kind::Float(_) => Ok(()),
        }
    }

    fn count(&mut self) -> Result<(), Excess> {
        self.nodes += 1;
        if self.nodes > self.limits.nodes { Err(Excess::Nodes(self.limits.nodes)) } else { Ok(()) }
    }

    fn measure(&self, text: &str) -> Result<(), Excess> {
        if too_long(text, self.limits) { Err(Excess::Characters(self.limits.characters)) } else { Ok(()) }
    }
}
