//! Puts the rendered parts of a call and its result together to one adapter input, a line of JSON.

use super::Format;
use super::event::{Call, Fault, Form, Locator, Outcome, Reading};
use crate::canon;
use crate::input::Kind;

/// The most bytes that an id made here may have: the members take 256 characters.
const ID_BYTES: usize = 256;

/// What the scope knows.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) session: Vec<u8>,
    pub(super) source_ref: Vec<u8>,
    pub(super) source_label: Vec<u8>,
    pub(super) source_version: Vec<u8>,
    pub(super) metadata: Vec<u8>,
    pub(super) members: Vec<u8>,
    /// Members for one tool, by its name.
    pub(super) tools: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Known {
    fn members_of(&self, tool: &[u8]) -> &[u8] {
        self.tools.iter().find(|(name, _)| name == tool).map_or(&self.members, |(_, members)| members)
    }
}

/// Where a line is.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) format: Format,
    /// The file's name, rendered; empty where there is none.
    pub(super) file: &'a [u8],
    pub(super) line: u64,
}

/// How a call and its result came together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pairing {
    ById,
    ByPlace,
    /// One record is call and result.
    OneRecord,
    /// The result's call is not in the trace.
    NoCall,
    Unanswered,
    /// The call was given up to keep memory bounded.
    Evicted,
}

impl Pairing {
    const fn name(self) -> &'static str {
        match self {
            Self::ById => "id",
            Self::ByPlace => "positional",
            Self::OneRecord => "record",
            Self::NoCall => "none",
            Self::Unanswered => "unanswered",
            Self::Evicted => "evicted",
        }
    }
}

/// A call with the text of its spans.
#[derive(Clone, Copy)]
pub(super) struct CallPart<'a> {
    pub(super) call: &'a Call,
    pub(super) text: &'a [u8],
    pub(super) line: u64,
}

/// A result, read in one way, with the text of its spans.
#[derive(Clone, Copy)]
pub(super) struct ResultPart<'a> {
    pub(super) outcome: &'a Outcome,
    pub(super) reading: &'a Reading,
    pub(super) text: &'a [u8],
}

/// Everything that an input is made of.
pub(super) struct Parts<'a> {
    pub(super) place: Place<'a>,
    pub(super) pairing: Pairing,
    pub(super) call: Option<CallPart<'a>>,
    pub(super) result: Option<ResultPart<'a>>,
    pub(super) known: Option<&'a Known>,
    /// The tool's name, the call's id and the arguments where neither part tells them.
    pub(super) name: &'a [u8],
    pub(super) id: &'a [u8],
    pub(super) arguments: &'a [u8],
    /// Lines of other records of the same result.
    pub(super) duplicates: &'a [u64],
    /// The line of another result of the same call that says something else.
    pub(super) contradicts: Option<u64>,
}

impl<'a> Parts<'a> {
    /// Returns the tool's name.
    pub(super) fn tool(&self) -> &'a [u8] {
        let named = |span: &'a [u8]| Some(span).filter(|name| !name.is_empty());
        (self.call.and_then(|part| named(part.call.name.of(part.text))))
            .or_else(|| self.result.and_then(|part| named(part.outcome.name.of(part.text))))
            .unwrap_or(self.name)
    }

    /// Appends the input and a newline.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let Self { call, result, known, .. } = *self;
        let reading = result.map(|part| part.reading);
        let kind = reading.map_or(Kind::ClaimOnly, |reading| reading.kind);
        let mut to = Object::open(out);
        to.text("kind", kind.name().as_bytes());
        let tool = self.tool();
        to.text("tool_name", tool);
        let id = result.map(|part| part.outcome.id.of(part.text)).filter(|id| !id.is_empty());
        let id = id.or_else(|| call.map(|part| part.call.id.of(part.text)));
        to.text("tool_call_id", id.filter(|id| !id.is_empty()).unwrap_or(self.id));
        self.observation_id(&mut to);
        self.source(&mut to);
        if let Some(known) = known {
            to.text("source_version", &known.source_version);
        }
        if let Some(part) = result {
            to.text("observed_at", part.outcome.observed_at.of(part.text));
            to.members(part.reading.members.of(part.text));
        }
        if let Some(known) = known.filter(|_| kind == Kind::Mcp) {
            to.members(known.members_of(tool));
        }
        if reading.is_some_and(|reading| reading.truncated) {
            to.json("truncated", b"true");
        }
        let arguments = call.map(|part| part.call.arguments.of(part.text)).filter(|json| !json.is_empty());
        let arguments = arguments.or_else(|| result.map(|part| part.outcome.arguments.of(part.text)));
        to.json("arguments", arguments.filter(|json| !json.is_empty()).unwrap_or(self.arguments));
        to.key("metadata");
        self.metadata(&mut Object::open(to.out));
        to.key("origin");
        self.origin(&mut Object::open(to.out));
        to.close();
        out.push(b'\n');
    }

    fn observation_id(&self, to: &mut Object<'_>) {
        let (locator, text) = match (self.result, self.call) {
            (Some(part), _) => (part.outcome.observation, part.text),
            (None, Some(part)) => (part.call.observation, part.text),
            (None, None) => return,
        };
        let (prefix, rest) = match locator {
            Locator::Whole(span) => (&b""[..], span.of(text)),
            Locator::InSession(span) => {
                let session = self.known.map(|known| &known.session[..]).unwrap_or_default();
                (if session.is_empty() { self.place.file } else { session }, span.of(text))
            }
        };
        if !rest.is_empty() && prefix.len() + rest.len() <= ID_BYTES {
            to.key("observation_id");
            to.out.push(b'"');
            to.out.extend_from_slice(prefix);
            to.out.extend_from_slice(rest);
            to.out.push(b'"');
        }
    }

    fn source(&self, to: &mut Object<'_>) {
        let said = |source: &'a [u8]| Some(source).filter(|source| !source.is_empty());
        let source = (self.result.and_then(|part| said(part.reading.source_ref.of(part.text))))
            .or_else(|| self.call.and_then(|part| said(part.call.source_ref.of(part.text))))
            .or_else(|| self.known.and_then(|known| said(&known.source_ref)))
            .or_else(|| self.known.and_then(|known| said(&known.source_label)));
        if let Some(source) = source {
            return to.text("source_ref", source);
        }
        to.key("source_ref");
        to.out.extend_from_slice(b"\"trace:");
        to.out.extend_from_slice(self.place.format.name().as_bytes());
        to.out.push(b'"');
    }

    fn metadata(&self, to: &mut Object<'_>) {
        to.text("pairing", self.pairing.name().as_bytes());
        if let Some(part) = self.result {
            let reading = part.reading;
            if reading.kind != Kind::ClaimOnly || reading.form != Form::Absent {
                to.text("payload_form", reading.form.name().as_bytes());
            }
            to.text("error_signal", reading.signal.name().as_bytes());
            let unsaid = reading.failed && matches!(reading.kind, Kind::Json | Kind::Yaml);
            if unsaid || reading.conflict || self.contradicts.is_some() {
                to.json("protocol_conflict", b"true");
            }
            if reading.truncated {
                to.json("truncated", b"true");
            }
            to.members(part.outcome.metadata.of(part.text));
            to.members(reading.metadata.of(part.text));
        }
        if let Some(part) = self.call {
            to.members(part.call.metadata.of(part.text));
            if self.result.is_none() {
                to.members(part.call.unanswered.of(part.text));
            }
        }
        if let Some(known) = self.known {
            to.members(&known.metadata);
        }
        to.close();
    }

    fn origin(&self, to: &mut Object<'_>) {
        self.place.write(to);
        if let (Some(call), Some(_)) = (self.call, self.result) {
            to.count("call_line", call.line);
        }
        if let Some(part) = self.result {
            to.members(part.outcome.origin.of(part.text));
        }
        if let Some(part) = self.call {
            to.members(part.call.origin.of(part.text));
        }
        if let Some(line) = self.contradicts {
            to.count("contradicts_line", line);
        }
        if !self.duplicates.is_empty() {
            to.key("duplicates");
            to.out.push(b'[');
            for (index, line) in self.duplicates.iter().enumerate() {
                if index > 0 {
                    to.out.push(b',');
                }
                to.out.extend_from_slice(itoa::Buffer::new().format(*line).as_bytes());
            }
            to.out.push(b']');
        }
        to.close();
    }
}

impl Place<'_> {
    fn write(&self, to: &mut Object<'_>) {
        to.text("format", self.format.name().as_bytes());
        to.text("file", self.file);
        to.count("line", self.line);
    }
}

/// Appends the line that stands for a record that cannot be read: an object whose `kind` is none of the six, so that
/// it is rejected wherever it is decided, in its place.
pub(super) fn write_broken(place: Place<'_>, fault: Fault, out: &mut Vec<u8>) {
    let mut to = Object::open(out);
    to.text("kind", b"unreadable");
    to.key("metadata");
    let mut metadata = Object::open(to.out);
    metadata.text("code", fault.reason().code().as_bytes());
    metadata.key("fault");
    canon::write_string(&fault.to_string(), metadata.out);
    metadata.close();
    to.key("origin");
    let mut origin = Object::open(to.out);
    place.write(&mut origin);
    origin.close();
    to.close();
    out.push(b'\n');
}

/// An object being written; absent members are not.
struct Object<'o> {
    out: &'o mut Vec<u8>,
    first: bool,
}

impl<'o> Object<'o> {
    fn open(out: &'o mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, first: true }
    }

    fn comma(&mut self) {
        if !std::mem::take(&mut self.first) {
            self.out.push(b',');
        }
    }

    /// Starts a member; `key` needs no escapes.
    fn key(&mut self, key: &str) {
        self.comma();
        self.out.push(b'"');
        self.out.extend_from_slice(key.as_bytes());
        self.out.extend_from_slice(b"\":");
    }

    /// Writes a string that is rendered already, where it is not empty.
    fn text(&mut self, key: &str, rendered: &[u8]) {
        if !rendered.is_empty() {
            self.key(key);
            self.out.push(b'"');
            self.out.extend_from_slice(rendered);
            self.out.push(b'"');
        }
    }

    /// Writes a value that is rendered already, where it is not empty.
    fn json(&mut self, key: &str, rendered: &[u8]) {
        if !rendered.is_empty() {
            self.key(key);
            self.out.extend_from_slice(rendered);
        }
    }

    fn count(&mut self, key: &str, count: u64) {
        self.key(key);
        self.out.extend_from_slice(itoa::Buffer::new().format(count).as_bytes());
    }

    fn members(&mut self, rendered: &[u8]) {
        if !rendered.is_empty() {
            self.comma();
            self.out.extend_from_slice(rendered);
        }
    }

    fn close(&mut self) {
        self.out.push(b'}');
    }
}
