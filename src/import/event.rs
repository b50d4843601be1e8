//! What a reader says about one trace line: calls, results and a few things beside them, owned and compact.
//!
//! Everything textual of a batch lies in one buffer and is named by [`Span`]s, so that a batch is two allocations that
//! are kept from one to the next. Texts are rendered: a string is the inside of a JSON string, escapes included, so
//! two strings are equal where their spans are; a [`Fields`](super::fields::Fields) fragment is members of an object
//! with commas between them.

use std::fmt;

use smallvec::SmallVec;

use crate::input::Kind;
use crate::reason::Reason;
use crate::value::Syntax;

/// A part of the text of a batch; empty means absent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Span {
    from: usize,
    to: usize,
}

impl Span {
    /// Returns true where nothing is there.
    pub fn is_empty(self) -> bool {
        self.from == self.to
    }

    fn kept(self, from: &[u8], text: &mut Vec<u8>) -> Self {
        let start = text.len();
        text.extend_from_slice(self.of(from));
        Self { from: start, to: text.len() }
    }

    /// Returns the bytes of the span in the text that it was made for.
    pub fn of(self, text: &[u8]) -> &[u8] {
        text.get(self.from..self.to).unwrap_or_default()
    }
}

/// The conversation within which ids pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The trace line itself; it ends with the line.
    Line,
    /// The file; it ends with the file.
    File,
    /// A conversation by its id (a session, say); it ends with the file.
    Named(Span),
    /// A conversation by its id that may straddle files (rotated exports); it ends with the run.
    Global(Span),
}

/// What kind of tool a call names, so far as its format tells them apart: a number of the format's own choice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Class(pub u8);

impl Class {
    /// No particular kind of tool.
    pub const ANY: Self = Self(0);
    /// A call that was refused, so that what answers it comes from the harness, not from the tool.
    pub const DENIED: Self = Self(u8::MAX);
}

/// Where an observation id comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Locator {
    /// The whole id.
    Whole(Span),
    /// What follows the session's id, or the file's name where the trace has told no session.
    InSession(Span),
}

impl Default for Locator {
    fn default() -> Self {
        Self::InSession(Span::default())
    }
}

/// What form a payload is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are said with `Form::name`, the order of deciding in `payload`")]
pub enum Form {
    Structured,
    JsonText,
    JsonStringLiteral,
    Blocks,
    PythonRepr,
    Text,
    Empty,
    Absent,
}

impl Form {
    /// Returns the name that `metadata.payload_form` carries.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Structured => "structured",
            Self::JsonText => "json_text",
            Self::JsonStringLiteral => "json_string_literal",
            Self::Blocks => "blocks",
            Self::PythonRepr => "python_repr",
            Self::Text => "text",
            Self::Empty => "empty",
            Self::Absent => "absent",
        }
    }
}

/// How a result says that the tool failed, or did not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// An error flag, given or with a default that its format defines.
    Flag,
    /// A status word or number.
    Status,
    /// An exit code.
    ExitCode,
    /// An exception.
    Exception,
    /// The protocol's own error channel.
    Protocol,
    /// Words in the text and nothing else.
    TextOnly,
    /// Nothing: neither success nor failure is known.
    NoneRecorded,
}

impl Signal {
    /// Returns the name that `metadata.error_signal` carries.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Status => "status",
            Self::ExitCode => "exit_code",
            Self::Exception => "exception",
            Self::Protocol => "protocol",
            Self::TextOnly => "text_only",
            Self::NoneRecorded => "none_recorded",
        }
    }
}

/// How often a trace tells of one call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Way {
    /// Once; each record is news.
    #[default]
    Once,
    /// The record (a span, a run, an observation) tells of call and result together, and others tell of it again.
    /// A record and the one that it lies in are about one call where they name the same tool.
    Record {
        /// The record's own id.
        own: Span,
        /// The id of the record that it lies in; empty where there is none.
        parent: Span,
        /// The record of who made the call: two of them are two calls, though they share the call's id.
        first_hand: bool,
    },
    /// In a history that is told again and again: the so-many-th, from 1, that has this id (or, without id, this
    /// name) so far in the history.
    History(u32),
}

/// A call that was announced.
#[derive(Debug, Clone, Default)]
pub struct Call {
    /// How often the trace tells of it.
    pub way: Way,
    /// The id, empty where there is none: `null` and `""` are no ids.
    pub id: Span,
    /// The tool's name.
    pub name: Span,
    /// What kind of tool it is.
    pub class: Class,
    /// Calls of one message have one number, which grows from message to message within a scope.
    pub batch: u64,
    /// What makes the record one record however often the trace repeats it, across scopes; empty: nothing does.
    pub record: Span,
    /// The arguments, as one JSON value.
    pub arguments: Span,
    /// Who will produce the result; empty: the format's own name.
    pub source_ref: Span,
    /// Where the call is recorded, the observation id of a call without result.
    pub observation: Locator,
    /// Members of `metadata` that the call knows; the names must differ from a result's.
    pub metadata: Span,
    /// Members of `metadata` that a result would have as well: for a call that gets none.
    pub unanswered: Span,
    /// Members of `origin` that the call knows.
    pub origin: Span,
}

/// One way to read a result, for one class of tools.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    /// The class of the call for which this is the way; [`Class::ANY`] where no other fits.
    pub class: Class,
    /// The kind of the input.
    pub kind: Kind,
    /// The kind's own members.
    pub members: Span,
    /// Members of `metadata` that belong to this way of reading.
    pub metadata: Span,
    /// Who produced the result; empty: what the call or the session says.
    pub source_ref: Span,
    /// What form the payload is in.
    pub form: Form,
    /// How failure would be told.
    pub signal: Signal,
    /// The trace says that the tool failed.
    pub failed: bool,
    /// It failed in a way that the kind has no member for; always so for a failed `json` or `yaml`.
    pub conflict: bool,
    /// The trace says that the payload is not all there.
    pub truncated: bool,
}

/// A result that was recorded.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// How often the trace tells of it.
    pub way: Way,
    /// The id of the call it answers, empty where there is none.
    pub id: Span,
    /// The id of an announcement that came before, where it is another one than `id`.
    pub answers: Span,
    /// The record is the call as well: it need not have been announced.
    pub own_call: bool,
    /// More results of the same call follow.
    pub more: bool,
    /// Without its call it is not known to be a tool's result at all, and is skipped.
    pub needs_call: bool,
    /// The tool's name, where the result repeats it.
    pub name: Span,
    /// Without an id: may be paired by its place among the results of a message.
    pub positional: bool,
    /// What makes the record one record however often the trace repeats it, across scopes; empty: nothing does.
    pub record: Span,
    /// The arguments, where the result repeats them.
    pub arguments: Span,
    /// When the call ended, an ISO 8601 text; empty where nothing tells.
    pub observed_at: Span,
    /// Where the result is recorded.
    pub observation: Locator,
    /// Members of `metadata` for every way of reading.
    pub metadata: Span,
    /// Members of `origin`.
    pub origin: Span,
    /// The ways to read it; never empty, the first is for calls that no other fits.
    pub readings: SmallVec<[Reading; 2]>,
    /// Of several records of one result the highest rank is read, the first of equals.
    pub rank: u8,
    /// False: another record of the same result may follow; held until one settles it, or its scope ends.
    pub settles: bool,
}

impl Default for Outcome {
    fn default() -> Self {
        Self {
            way: Way::Once,
            id: Span::default(),
            answers: Span::default(),
            own_call: false,
            more: false,
            needs_call: false,
            name: Span::default(),
            positional: false,
            record: Span::default(),
            arguments: Span::default(),
            observed_at: Span::default(),
            observation: Locator::default(),
            metadata: Span::default(),
            origin: Span::default(),
            readings: SmallVec::new(),
            rank: 0,
            settles: true,
        }
    }
}

impl Call {
    /// Returns the call with its text copied to `text`.
    pub(super) fn kept(&self, from: &[u8], text: &mut Vec<u8>) -> Self {
        let mut keep = |span: Span| span.kept(from, text);
        Self {
            way: Way::Once,
            id: keep(self.id),
            name: keep(self.name),
            class: self.class,
            batch: self.batch,
            record: Span::default(),
            arguments: keep(self.arguments),
            source_ref: keep(self.source_ref),
            observation: self.observation.kept(&mut keep),
            metadata: keep(self.metadata),
            unanswered: keep(self.unanswered),
            origin: keep(self.origin),
        }
    }
}

impl Outcome {
    /// Returns the result with its text copied to `text`.
    pub(super) fn kept(&self, from: &[u8], text: &mut Vec<u8>) -> Self {
        let mut keep = |span: Span| span.kept(from, text);
        let readings = self.readings.iter().map(|reading| Reading {
            members: keep(reading.members),
            metadata: keep(reading.metadata),
            source_ref: keep(reading.source_ref),
            ..*reading
        });
        Self {
            readings: readings.collect(),
            id: keep(self.id),
            answers: keep(self.answers),
            name: keep(self.name),
            record: Span::default(),
            way: Way::Once,
            arguments: keep(self.arguments),
            observed_at: keep(self.observed_at),
            observation: self.observation.kept(&mut keep),
            metadata: keep(self.metadata),
            origin: keep(self.origin),
            ..*self
        }
    }

    /// Returns how to read the result of a call of this class.
    pub(super) fn reading_for(&self, class: Class) -> Option<&Reading> {
        self.readings.iter().find(|reading| reading.class == class).or_else(|| self.readings.first())
    }
}

impl Locator {
    fn kept(self, keep: &mut impl FnMut(Span) -> Span) -> Self {
        match self {
            Self::Whole(span) => Self::Whole(keep(span)),
            Self::InSession(span) => Self::InSession(keep(span)),
        }
    }
}

/// Things that hold for later events of a scope. What is empty changes nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Facts {
    /// The session's id, for [`Locator::InSession`].
    pub session: Span,
    /// Who produces results of which nothing else tells.
    pub source_ref: Span,
    /// Who produces them by a name that somebody else gave, where nothing else tells.
    pub source_label: Span,
    /// The version of who produces them.
    pub source_version: Span,
    /// Members of `metadata` for every input of the scope.
    pub metadata: Span,
    /// With a tool's name here, `members` is for that tool only.
    pub tool: Span,
    /// Members of every input of kind `mcp` (of that tool), such as `outputSchema`.
    pub members: Span,
}

/// Why a record is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Not JSON; what is wrong, and the byte offset.
    Syntax(Syntax),
    /// Longer than a trace line may be, in bytes.
    TooLong(usize),
    /// JSON, but not what the format promises at a place where a result is recorded.
    Shape(&'static str),
}

impl Fault {
    /// Returns the reason with which the record is rejected.
    pub const fn reason(self) -> Reason {
        match self {
            Self::Syntax(Syntax::Invalid { .. } | Syntax::NotUtf8 { .. }) => Reason::ParseFailed,
            Self::Syntax(Syntax::TooDeep) | Self::TooLong(_) => Reason::LimitExceeded,
            Self::Shape(_) => Reason::SchemaInvalid,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => write!(f, "no JSON: {error}"),
            Self::TooLong(limit) => write!(f, "longer than {limit} bytes"),
            Self::Shape(what) => f.write_str(what),
        }
    }
}

/// What happened.
#[derive(Debug, Clone)]
pub enum What {
    /// A call was announced.
    Call(Box<Call>),
    /// A result was recorded.
    Result(Box<Outcome>),
    /// A message without calls: what follows answers none of the calls before by position.
    Turn,
    /// Something holds from here on.
    Facts(Box<Facts>),
    /// The open call with this id turns out to be of another class.
    Reclass {
        /// The call's id.
        id: Span,
        /// Its class from now on.
        class: Class,
    },
    /// The scope ends: open calls stay unanswered.
    End,
    /// No better record of the results in the scope is to be expected.
    Settled,
    /// A record that says nothing about tools.
    Skipped,
    /// A record that cannot be read.
    Broken(Fault),
}

/// Something that a trace line says.
#[derive(Debug, Clone)]
pub struct Event {
    /// The number of the line in its file, from 1.
    pub line: u64,
    /// The conversation.
    pub scope: Scope,
    /// What happened.
    pub what: What,
}

/// The events of some lines, in their order, with all their text.
#[derive(Debug, Default)]
pub struct Events {
    text: Vec<u8>,
    list: Vec<Event>,
}

impl Events {
    /// Forgets everything and keeps the memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.list.clear();
    }

    /// Returns true where nothing was said.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Walks the events in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Event> {
        self.list.iter()
    }

    /// Returns the text that the spans are parts of.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Appends an event.
    pub fn push(&mut self, line: u64, scope: Scope, what: What) {
        self.list.push(Event { line, scope, what });
    }

    /// Appends rendered text and returns its span.
    pub fn rendered(&mut self, bytes: &[u8]) -> Span {
        self.written(|out| out.extend_from_slice(bytes))
    }

    /// Appends the inside of a JSON string and returns its span.
    pub fn string(&mut self, text: &str) -> Span {
        self.written(|out| super::fields::write_inside(text, out))
    }

    /// Appends what `write` writes and returns its span. `write` only appends.
    pub fn written(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Span {
        let from = self.text.len();
        write(&mut self.text);
        Span { from, to: self.text.len().max(from) }
    }

    /// Returns how many events there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }
}
