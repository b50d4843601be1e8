//! The grammar of YAML 1.1 over tokens: a stream of events, one for each node and for each end of a collection.
//!
//! The states live in a vector, not on the call stack: nesting costs memory that the reader of the events bounds.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::scan::{Scanner, Token, TokenKind};
use super::text::{Fault, Mark};

/// What the prefix `!!` stands for unless a directive says otherwise.
const STANDARD_PREFIX: &str = "tag:yaml.org,2002:";

/// A node, or the start or end of something that holds nodes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Event<'t> {
    pub(super) kind: EventKind<'t>,
    /// Whether the node is named for reuse.
    pub(super) anchored: bool,
    /// The tag as written, its handle resolved.
    pub(super) tag: Option<Cow<'t, str>>,
    pub(super) mark: Mark,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum EventKind<'t> {
    StreamEnd,
    DocumentStart,
    DocumentEnd,
    Alias,
    Scalar { text: Cow<'t, str>, plain: bool },
    SequenceStart,
    SequenceEnd,
    MappingStart,
    MappingEnd,
}

#[derive(Clone, Copy)]
enum State {
    ImplicitDocumentStart,
    DocumentStart,
    DocumentContent,
    DocumentEnd,
    BlockNode,
    BlockSequenceFirstEntry,
    BlockSequenceEntry,
    IndentlessSequenceEntry,
    BlockMappingFirstKey,
    BlockMappingKey,
    BlockMappingValue,
    FlowSequenceFirstEntry,
    FlowSequenceEntry,
    FlowPairKey,
    FlowPairValue,
    FlowPairEnd,
    FlowMappingFirstKey,
    FlowMappingKey,
    FlowMappingValue,
    FlowMappingEmptyValue,
    End,
}

/// Where a node stands, which decides what may be one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Flow,
    Block,
    /// In a block mapping, where a sequence may start without being indented.
    BlockOrIndentless,
}

/// The events of one text, in order.
pub(super) struct Events<'t> {
    scanner: Scanner<'t>,
    state: State,
    /// Where to go on after the current node.
    states: Vec<State>,
    /// Handles of tags and their prefixes in this document.
    prefixes: BTreeMap<&'t str, Cow<'t, str>>,
}

impl<'t> Events<'t> {
    /// # Errors
    /// A character that no YAML text may hold, wherever it is.
    pub(super) fn new(text: &'t str) -> Result<Self, Fault> {
        Ok(Self {
            scanner: Scanner::new(text)?,
            state: State::ImplicitDocumentStart,
            states: Vec::new(),
            prefixes: BTreeMap::new(),
        })
    }

    /// Returns the next event; behind the last it is [`EventKind::StreamEnd`] again and again.
    ///
    /// # Errors
    /// Whatever is not YAML 1.1, as soon as it stands in the way of the event.
    pub(super) fn next(&mut self) -> Result<Event<'t>, Fault> {
        match self.state {
            State::ImplicitDocumentStart => self.implicit_document_start(),
            State::DocumentStart => self.document_start(),
            State::DocumentContent => self.document_content(),
            State::DocumentEnd => self.document_end(),
            State::BlockNode => self.node(Place::Block),
            State::BlockSequenceFirstEntry => {
                self.scanner.next()?;
                self.block_sequence_entry()
            }
            State::BlockSequenceEntry => self.block_sequence_entry(),
            State::IndentlessSequenceEntry => self.indentless_sequence_entry(),
            State::BlockMappingFirstKey => {
                self.scanner.next()?;
                self.block_mapping_key()
            }
            State::BlockMappingKey => self.block_mapping_key(),
            State::BlockMappingValue => self.block_mapping_value(),
            State::FlowSequenceFirstEntry => {
                self.scanner.next()?;
                self.flow_sequence_entry(true)
            }
            State::FlowSequenceEntry => self.flow_sequence_entry(false),
            State::FlowPairKey => self.flow_pair_key(),
            State::FlowPairValue => self.flow_pair_value(),
            State::FlowPairEnd => {
                self.state = State::FlowSequenceEntry;
                self.bare(EventKind::MappingEnd)
            }
            State::FlowMappingFirstKey => {
                self.scanner.next()?;
                self.flow_mapping_key(true)
            }
            State::FlowMappingKey => self.flow_mapping_key(false),
            State::FlowMappingValue => self.flow_mapping_value(),
            State::FlowMappingEmptyValue => self.empty_scalar(State::FlowMappingKey),
            State::End => self.bare(EventKind::StreamEnd),
        }
    }

    // Documents.

    fn implicit_document_start(&mut self) -> Result<Event<'t>, Fault> {
        if self.at(|kind| {
            matches!(
                kind,
                TokenKind::Version { .. }
                    | TokenKind::TagPrefix { .. }
                    | TokenKind::OtherDirective
                    | TokenKind::DocumentStart
                    | TokenKind::StreamEnd
            )
        })? {
            return self.document_start();
        }
        self.add_standard_prefixes();
        self.states.push(State::DocumentEnd);
        self.state = State::BlockNode;
        self.bare(EventKind::DocumentStart)
    }

    fn document_start(&mut self) -> Result<Event<'t>, Fault> {
        while self.at(|kind| *kind == TokenKind::DocumentEnd)? {
            self.scanner.next()?;
        }
        if self.at(|kind| *kind == TokenKind::StreamEnd)? {
            self.state = State::End;
            return self.bare(EventKind::StreamEnd);
        }
        self.directives()?;
        if !self.at(|kind| *kind == TokenKind::DocumentStart)? {
            return self.fault("expected the start of a document, `---`");
        }
        let mark = self.scanner.next()?.mark;
        self.states.push(State::DocumentEnd);
        self.state = State::DocumentContent;
        Ok(Event { kind: EventKind::DocumentStart, anchored: false, tag: None, mark })
    }

    fn directives(&mut self) -> Result<(), Fault> {
        self.prefixes.clear();
        let mut versions = 0;
        loop {
            match self.scanner.peek()?.kind {
                TokenKind::Version { supported } => {
                    versions += 1;
                    if versions > 1 {
                        return self.fault("a second `%YAML` directive");
                    }
                    if !supported {
                        return self.fault("a version of YAML other than 1");
                    }
                }
                TokenKind::TagPrefix { .. } | TokenKind::OtherDirective => {}
                _ => break,
            }
            let Token { kind, mark } = self.scanner.next()?;
            if let TokenKind::TagPrefix { handle, prefix } = kind
                && self.prefixes.insert(handle, prefix).is_some()
            {
                return Err(Fault { what: "a second `%TAG` directive for the same handle", mark });
            }
        }
        self.add_standard_prefixes();
        Ok(())
    }

    fn add_standard_prefixes(&mut self) {
        self.prefixes.entry("!").or_insert(Cow::Borrowed("!"));
        self.prefixes.entry("!!").or_insert(Cow::Borrowed(STANDARD_PREFIX));
    }

    fn document_content(&mut self) -> Result<Event<'t>, Fault> {
        if self.at(|kind| {
            matches!(
                kind,
                TokenKind::Version { .. }
                    | TokenKind::TagPrefix { .. }
                    | TokenKind::OtherDirective
                    | TokenKind::DocumentStart
                    | TokenKind::DocumentEnd
                    | TokenKind::StreamEnd
            )
        })? {
            let next = self.pop();
            return self.empty_scalar(next);
        }
        self.node(Place::Block)
    }

    fn document_end(&mut self) -> Result<Event<'t>, Fault> {
        let event = self.bare(EventKind::DocumentEnd)?;
        if self.at(|kind| *kind == TokenKind::DocumentEnd)? {
            self.scanner.next()?;
        }
        self.prefixes.clear();
        self.state = State::DocumentStart;
        Ok(event)
    }

    // Nodes.

    fn node(&mut self, place: Place) -> Result<Event<'t>, Fault> {
        let mark = self.scanner.peek()?.mark;
        if self.at(|kind| *kind == TokenKind::Alias)? {
            self.scanner.next()?;
            self.state = self.pop();
            return Ok(Event { kind: EventKind::Alias, anchored: false, tag: None, mark });
        }
        let (anchored, tag) = self.properties()?;
        let tag = match tag {
            Some((handle, suffix)) => Some(self.resolve_tag(handle, suffix, mark)?),
            None => None,
        };
        let block = place != Place::Flow;
        let (kind, state) = match self.scanner.peek()?.kind {
            TokenKind::BlockEntry if place == Place::BlockOrIndentless => {
                (EventKind::SequenceStart, State::IndentlessSequenceEntry)
            }
            TokenKind::FlowSequenceStart => (EventKind::SequenceStart, State::FlowSequenceFirstEntry),
            TokenKind::FlowMappingStart => (EventKind::MappingStart, State::FlowMappingFirstKey),
            TokenKind::BlockSequenceStart if block => {
                (EventKind::SequenceStart, State::BlockSequenceFirstEntry)
            }
            TokenKind::BlockMappingStart if block => (EventKind::MappingStart, State::BlockMappingFirstKey),
            TokenKind::Scalar { .. } => (self.scalar()?, self.pop()),
            _ if anchored || tag.is_some() => {
                (EventKind::Scalar { text: Cow::Borrowed(""), plain: true }, self.pop())
            }
            _ => return self.fault("expected a value"),
        };
        self.state = state;
        Ok(Event { kind, anchored, tag, mark })
    }

    fn scalar(&mut self) -> Result<EventKind<'t>, Fault> {
        match self.scanner.next()?.kind {
            TokenKind::Scalar { text, plain } => Ok(EventKind::Scalar { text, plain }),
            _ => self.fault("expected a value"),
        }
    }

    /// Takes an anchor and a tag in front of a node, in either order, each at most once.
    #[expect(clippy::type_complexity, reason = "the handle and the suffix of a tag, or none")]
    fn properties(&mut self) -> Result<(bool, Option<(Option<&'t str>, Cow<'t, str>)>), Fault> {
        let mut anchored = false;
        let mut tag = None;
        loop {
            match self.scanner.peek()?.kind {
                TokenKind::Anchor if !anchored => {
                    anchored = true;
                    self.scanner.next()?;
                }
                TokenKind::Tag { .. } if tag.is_none() => {
                    if let TokenKind::Tag { handle, suffix } = self.scanner.next()?.kind {
                        tag = Some((handle, suffix));
                    }
                }
                _ => return Ok((anchored, tag)),
            }
        }
    }

    fn resolve_tag(
        &self,
        handle: Option<&str>,
        suffix: Cow<'t, str>,
        mark: Mark,
    ) -> Result<Cow<'t, str>, Fault> {
        let Some(handle) = handle else { return Ok(suffix) };
        match self.prefixes.get(handle) {
            Some(prefix) => Ok(Cow::Owned(format!("{prefix}{suffix}"))),
            None => Err(Fault { what: "a tag with a handle that no `%TAG` directive explains", mark }),
        }
    }

    // Block collections.

    fn block_sequence_entry(&mut self) -> Result<Event<'t>, Fault> {
        if self.at(|kind| *kind == TokenKind::BlockEntry)? {
            self.scanner.next()?;
            if self.at(|kind| matches!(kind, TokenKind::BlockEntry | TokenKind::BlockEnd))? {
                return self.empty_scalar(State::BlockSequenceEntry);
            }
            self.states.push(State::BlockSequenceEntry);
            return self.node(Place::Block);
        }
        self.end_block(EventKind::SequenceEnd, "expected `-` or the end of the sequence")
    }

    fn indentless_sequence_entry(&mut self) -> Result<Event<'t>, Fault> {
        if self.at(|kind| *kind == TokenKind::BlockEntry)? {
            self.scanner.next()?;
            if self.at(|kind| {
                matches!(
                    kind,
                    TokenKind::BlockEntry | TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd
                )
            })? {
                return self.empty_scalar(State::IndentlessSequenceEntry);
            }
            self.states.push(State::IndentlessSequenceEntry);
            return self.node(Place::Block);
        }
        self.state = self.pop();
        self.bare(EventKind::SequenceEnd)
    }

    fn block_mapping_key(&mut self) -> Result<Event<'t>, Fault> {
        if self.at(|kind| *kind == TokenKind::Key)? {
            self.scanner.next()?;
            return self.block_mapping_part(State::BlockMappingValue);
        }
        self.end_block(EventKind::MappingEnd, "expected a key or the end of the mapping")
    }

    fn block_mapping_value(&mut self) -> Result<Event<'t>, Fault> {
        if self.at(|kind| *kind == TokenKind::Value)? {
            self.scanner.next()?;
            return self.block_mapping_part(State::BlockMappingKey);
        }
        self.empty_scalar(State::BlockMappingKey)
    }

    fn block_mapping_part(&mut self, next: State) -> Result<Event<'t>, Fault> {
        if self.at(|kind| matches!(kind, TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd))? {
            return self.empty_scalar(next);
        }
        self.states.push(next);
        self.node(Place::BlockOrIndentless)
    }

    fn end_block(&mut self, kind: EventKind<'t>, otherwise: &'static str) -> Result<Event<'t>, Fault> {
        if !self.at(|kind| *kind == TokenKind::BlockEnd)? {
            return self.fault(otherwise);
        }
        self.end_collection(kind)
    }

    // Flow collections.

    fn flow_sequence_entry(&mut self, first: bool) -> Result<Event<'t>, Fault> {
        if !self.at(|kind| *kind == TokenKind::FlowSequenceEnd)? {
            if !first {
                self.separator("expected `,` or `]`")?;
            }
            if self.at(|kind| *kind == TokenKind::Key)? {
                self.state = State::FlowPairKey;
                return self.bare(EventKind::MappingStart);
            }
            if !self.at(|kind| *kind == TokenKind::FlowSequenceEnd)? {
                self.states.push(State::FlowSequenceEntry);
                return self.node(Place::Flow);
            }
        }
        self.end_collection(EventKind::SequenceEnd)
    }

    /// `[a: b]`: a mapping of one pair without braces.
    fn flow_pair_key(&mut self) -> Result<Event<'t>, Fault> {
        self.scanner.next()?;
        if self
            .at(|kind| matches!(kind, TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowSequenceEnd))?
        {
            return self.empty_scalar(State::FlowPairValue);
        }
        self.states.push(State::FlowPairValue);
        self.node(Place::Flow)
    }

    fn flow_pair_value(&mut self) -> Result<Event<'t>, Fault> {
        self.flow_value(&TokenKind::FlowSequenceEnd, State::FlowPairEnd)
    }

    fn flow_mapping_key(&mut self, first: bool) -> Result<Event<'t>, Fault> {
        if !self.at(|kind| *kind == TokenKind::FlowMappingEnd)? {
            if !first {
                self.separator("expected `,` or `}`")?;
            }
            if self.at(|kind| *kind == TokenKind::Key)? {
                self.scanner.next()?;
                if self.at(|kind| {
                    matches!(kind, TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowMappingEnd)
                })? {
                    return self.empty_scalar(State::FlowMappingValue);
                }
                self.states.push(State::FlowMappingValue);
                return self.node(Place::Flow);
            }
            if !self.at(|kind| *kind == TokenKind::FlowMappingEnd)? {
                self.states.push(State::FlowMappingEmptyValue);
                return self.node(Place::Flow);
            }
        }
        self.end_collection(EventKind::MappingEnd)
    }

    fn flow_mapping_value(&mut self) -> Result<Event<'t>, Fault> {
        self.flow_value(&TokenKind::FlowMappingEnd, State::FlowMappingKey)
    }

    fn flow_value(&mut self, end: &TokenKind<'_>, next: State) -> Result<Event<'t>, Fault> {
        if self.at(|kind| *kind == TokenKind::Value)? {
            self.scanner.next()?;
            if !self.at(|kind| *kind == TokenKind::FlowEntry || kind == end)? {
                self.states.push(next);
                return self.node(Place::Flow);
            }
        }
        self.empty_scalar(next)
    }

    fn separator(&mut self, otherwise: &'static str) -> Result<(), Fault> {
        if !self.at(|kind| *kind == TokenKind::FlowEntry)? {
            return self.fault(otherwise);
        }
        self.scanner.next()?;
        Ok(())
    }

    // Parts.

    fn at(&mut self, expected: impl Fn(&TokenKind<'t>) -> bool) -> Result<bool, Fault> {
        Ok(expected(&self.scanner.peek()?.kind))
    }

    fn fault<T>(&mut self, what: &'static str) -> Result<T, Fault> {
        let mark = self.scanner.peek()?.mark;
        Err(Fault { what, mark })
    }

    /// An event without properties at the next token, which stays.
    fn bare(&mut self, kind: EventKind<'t>) -> Result<Event<'t>, Fault> {
        let mark = self.scanner.peek()?.mark;
        Ok(Event { kind, anchored: false, tag: None, mark })
    }

    /// A value that is not there, then `next`.
    fn empty_scalar(&mut self, next: State) -> Result<Event<'t>, Fault> {
        self.state = next;
        self.bare(EventKind::Scalar { text: Cow::Borrowed(""), plain: true })
    }

    fn end_collection(&mut self, kind: EventKind<'t>) -> Result<Event<'t>, Fault> {
        let mark = self.scanner.next()?.mark;
        self.state = self.pop();
        Ok(Event { kind, anchored: false, tag: None, mark })
    }

    fn pop(&mut self) -> State {
        self.states.pop().unwrap_or(State::End)
    }
}
