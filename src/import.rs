//! Trace exports to adapter inputs: what agents' logs already say, one input for every tool result. Decides nothing,
//! reads and writes nothing, and invents nothing.
//!
//! ```text
//! trace line → Importer::read (parallel, pure) → Events → Pairing::feed (in order, cheap) → Inputs, lines of JSON
//! ```
//!
//! * Stage 1, [`Importer`]: one trace line to [`Events`]: calls, results, and what holds for both. It knows the format
//!   and only this line. Everything costly is here: parsing, and rendering the members of an input.
//! * Stage 2, [`Pairing`]: finds the call of each result within its scope and puts the rendered parts together, in the
//!   order of the results. It knows no format. Its memory is bounded by [`Bounds`].
//!
//! # How to add a format
//!
//! 1. A variant of [`Format`] with its name, and its first record in [`detect`].
//! 2. `import/<format>.rs` with `pub(super) fn read(record: Value<'_>, cx: &mut Cx<'_>)` and an arm in `read_record`.
//!    A record that says nothing of tools ends in [`Cx::skipped`]; what should have been a result and cannot be read
//!    in [`Cx::broken`].
//! 3. For a call fill a [`Call`], for a result an [`Outcome`], and push them with [`Cx::call`] and [`Cx::result`].
//!    `cx.members`, `cx.notes` (metadata of one reading), `cx.metadata` (of all of them) and `cx.origin` are fragments
//!    to write into, taken and emptied by [`Cx::reading`], [`Cx::take_metadata`] and [`Cx::take_origin`]; payload text
//!    goes through `cx.texts`, so that `payload_form` means the same everywhere.
//! 4. Where the way to read a result depends on the tool (a shell, an MCP server) the result does not know its call
//!    yet: give the call a [`Class`], and the result one [`Reading`] for each class that matters. The first reading is
//!    the one for all other calls.
//! 5. Samples in `fixtures/traces/<format>/`, an `.expected.jsonl` beside each, and a row in the table of
//!    `tests/import_samples.rs` that says what each tricky line shows.
//!
//! What stage 2 does for every format: ids pair within a [`Scope`] only, a result with the latest message that has an
//! open call of that id, in the order of the calls; a result without id by its place (`positional`), never across
//! messages; a name that the result repeats must be the call's. Calls left open give one `claim_only` where the scope
//! ends. A record seen before (equal [`Outcome::record`]) and a second result that says the same are counted and
//! dropped; a second result that says something else is kept and marked as a conflict. Several records of one result
//! (an event and an item, three spans): all but the last with `settles: false`, the one to read with the highest rank.
//! `metadata.pairing`, `payload_form`, `error_signal`, `protocol_conflict` (a failure that the kind has no member for),
//! `truncated`, `source_ref` and `origin`'s `format`, `file`, `line`, `call_line` and `duplicates` are written there.

mod anthropic;
mod bounds;
mod claude_code;
mod codex;
mod cx;
pub mod detect;
pub mod event;
pub mod fields;
mod history;
mod inputs;
mod langchain;
mod langfuse;
mod langsmith;
mod mcp;
mod openai;
mod openinference;
mod otel;
mod otlp;
mod pairing;
pub mod payload;
mod recent;
mod render;
mod spans;
mod tool_name;
mod tools;

use std::fmt;

pub use bounds::Bounds;
pub use cx::Cx;
pub use event::{
    Call, Class, Event, Events, Facts, Fault, Form, Locator, Outcome, Reading, Scope, Signal, Span, What,
};
pub use inputs::{Counts, Input, Inputs};
pub use pairing::Pairing;
pub use tools::{Tool, Tools};

use crate::value::{Parser, Pointer, Value};

/// A trace format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Anthropic: Messages bodies, server tools, the MCP connector, managed-agent events.
    Anthropic,
    /// Claude Code: session transcripts and the stream of `--output-format stream-json`.
    ClaudeCode,
    /// Codex: rollouts and the stream of `codex exec --json`.
    Codex,
    /// OpenTelemetry: OTLP/JSON with spans of tools, of the Model Context Protocol, and of model calls.
    Otel,
    /// `OpenInference`: OTLP/JSON, and the records of Phoenix.
    OpenInference,
    /// The Model Context Protocol: JSON-RPC messages, raw or wrapped.
    Mcp,
    /// `LangSmith`: runs, bodies of the ingest interface, `LangChain` messages.
    LangSmith,
    /// Langfuse: observations of its interface and of its blob export.
    Langfuse,
    /// `OpenAI`: chat message arrays, Responses items and responses, spans of the Agents SDK.
    OpenAi,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 9] = [
        Self::Anthropic,
        Self::ClaudeCode,
        Self::Codex,
        Self::OpenAi,
        Self::Otel,
        Self::OpenInference,
        Self::Mcp,
        Self::LangSmith,
        Self::Langfuse,
    ];

    /// Returns the name that `--from` takes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::OpenAi => "openai",
            Self::Otel => "otel",
            Self::OpenInference => "openinference",
            Self::Mcp => "mcp",
            Self::LangSmith => "langsmith",
            Self::Langfuse => "langfuse",
        }
    }

    /// Returns the format of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The longest trace line by default, in bytes.
pub const LINE_LIMIT: usize = 64 << 20;

/// Reads trace lines of one format, on any number of threads.
#[derive(Debug, Clone)]
pub struct Importer {
    format: Format,
    line_limit: usize,
    messages: Option<Pointer>,
}

/// What reading a line needs besides the line; one for each thread, used again and again.
#[derive(Default)]
pub struct Scratch {
    parser: Parser,
    drafts: cx::Drafts,
}

impl Importer {
    /// Makes an importer of a format, with the default limit.
    pub fn new(format: Format) -> Self {
        Self { format, line_limit: LINE_LIMIT, messages: None }
    }

    /// Sets the longest trace line, in bytes.
    #[must_use]
    pub fn line_limit(mut self, bytes: usize) -> Self {
        self.line_limit = bytes;
        self
    }

    /// Says where in a record the messages are, for run files that hold a conversation as one member of many.
    #[must_use]
    pub fn messages(mut self, pointer: Pointer) -> Self {
        self.messages = Some(pointer);
        self
    }

    /// Returns the format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Appends what a line says to `events`. A blank line says nothing; a broken one gives [`What::Broken`].
    pub fn read(&self, line: &[u8], number: u64, scratch: &mut Scratch, events: &mut Events) {
        let text = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
        let text = if self.format == Format::Mcp { mcp::line(text) } else { text };
        if text.is_empty() {
            return;
        }
        if line.len() > self.line_limit {
            return self.too_long(number, events);
        }
        let Scratch { parser, drafts } = scratch;
        let parsed = match parser.parse(text) {
            Ok(parsed) => parsed,
            Err(error) => return events.push(number, Scope::Line, What::Broken(Fault::Syntax(error))),
        };
        let mut cx = Cx::new(number, events, drafts);
        self.read_record(parsed.root(), &mut cx);
        cx.finish();
    }

    /// Appends that a line was longer than the limit, for who did not even hold it.
    pub fn too_long(&self, number: u64, events: &mut Events) {
        events.push(number, Scope::Line, What::Broken(Fault::TooLong(self.line_limit)));
    }

    fn read_record(&self, record: Value<'_>, cx: &mut Cx<'_>) {
        match self.format {
            Format::Anthropic => anthropic::read(record, cx),
            Format::ClaudeCode => claude_code::read(record, cx),
            Format::Codex => codex::read(record, cx),
            Format::OpenAi => openai::read(record, self.messages.as_ref(), cx),
            Format::Otel => otel::read(record, "otel", cx),
            Format::OpenInference => openinference::read(record, cx),
            Format::Mcp => mcp::read(record, cx),
            Format::LangSmith => langsmith::read(record, cx),
            Format::Langfuse => langfuse::read(record, cx),
        }
    }
}
