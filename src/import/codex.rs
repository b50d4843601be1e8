//! Codex: rollouts (limited, extended, paginated) and the stream of `codex exec --json`. The file is the scope, from
//! one session's first record to the next's.
//!
//! A rollout's output item is a string, or a list, and nothing else: whether the tool failed is not in it. Exit codes
//! come from the text that Codex itself wrote around the output of its own shells ([`shell`]), or from the events of
//! an extended rollout ([`events`]), which come before the item and are read in its place.

mod events;
mod exec;
mod shell;

use super::Cx;
use super::event::{Call, Class, Facts, Form, Locator, Outcome, Reading, Scope, Signal, Span};
use super::tool_name::mcp_server;
use crate::input::Kind;
use crate::value::{Array, Object, Value};

const SCOPE: Scope = Scope::File;
/// The shells, and the patcher, which speak of exit codes.
const SHELL: Class = Class(1);
const MCP: Class = Class(2);

/// The ranks of records of one result.
const PATCH_EVENT: u8 = 0;
const ITEM: u8 = 1;
const EVENT: u8 = 2;

pub(super) fn read(record: Value<'_>, cx: &mut Cx<'_>) {
    let Some(record) = record.as_object() else { return cx.skipped() };
    let kind = record.get("type").and_then(Value::as_str).unwrap_or_default();
    let payload = record.get("payload").and_then(Value::as_object);
    let at = |payload| Line { record, payload };
    match (kind, payload) {
        ("session_meta", Some(meta)) => session(meta, cx),
        ("response_item", Some(payload)) => item(&at(payload), cx),
        ("event_msg", Some(payload)) => events::read(&at(payload), cx),
        (_, Some(_)) => cx.skipped(),
        (_, None) if kind.contains('.') => exec::read(record, kind, cx),
        // Rollouts before the envelope: the item itself.
        (_, None) => item(&at(record), cx),
    }
}

/// A record and what it carries.
struct Line<'t> {
    record: Object<'t>,
    payload: Object<'t>,
}

impl<'t> Line<'t> {
    fn text(&self, key: &str) -> Option<&'t str> {
        self.payload.get(key).and_then(Value::as_str)
    }

    fn timestamp(&self) -> Option<Value<'t>> {
        self.record.get("timestamp")
    }

    /// The place within the session: the ordinal of paginated histories, else the line.
    fn locator(&self, cx: &mut Cx<'_>) -> Locator {
        match self.record.get("ordinal").and_then(ordinal) {
            Some(ordinal) => {
                let mut number = itoa::Buffer::new();
                Locator::InSession(cx.joined(&["#", number.format(ordinal)]))
            }
            None => cx.at_line(""),
        }
    }

    /// A forked or resumed session repeats earlier records.
    fn record(&self, cx: &mut Cx<'_>) -> Span {
        match (self.text("type"), self.text("call_id"), self.timestamp().and_then(Value::as_str)) {
            (Some(kind), Some(id), Some(timestamp)) => cx.joined(&[kind, ":", id, "@", timestamp]),
            _ => Span::default(),
        }
    }
}

fn ordinal(value: Value<'_>) -> Option<i64> {
    match value.kind() {
        crate::value::Kind::Integer(integer) => integer.as_i64(),
        _ => None,
    }
}

fn session(meta: Object<'_>, cx: &mut Cx<'_>) {
    cx.end(SCOPE);
    cx.metadata.scalar("session", meta.get("id")).scalar("cli_version", meta.get("cli_version"));
    cx.metadata.scalar("model_provider", meta.get("model_provider"));
    let facts =
        Facts { session: cx.opt_string(meta.get("id")), metadata: cx.take_metadata(), ..Facts::default() };
    cx.facts(SCOPE, facts);
    cx.skipped();
}

fn item(line: &Line<'_>, cx: &mut Cx<'_>) {
    let payload = line.payload;
    match line.text("type") {
        Some("function_call" | "custom_tool_call") => {
            let arguments = payload.get("arguments").or_else(|| payload.get("input"));
            let arguments = cx.arguments(arguments);
            call(line, line.text("name").unwrap_or_default(), arguments, cx);
        }
        Some("local_shell_call") => {
            let arguments = cx.arguments(payload.get("action"));
            call(line, "local_shell", arguments, cx);
        }
        Some("tool_search_call") => {
            let arguments = cx.arguments(payload.get("arguments"));
            call(line, "tool_search", arguments, cx);
        }
        Some("function_call_output" | "custom_tool_call_output") => output(line, payload.get("output"), cx),
        Some("tool_search_output") => output(line, payload.get("tools"), cx),
        Some("web_search_call") => web_search(line, cx),
        _ => cx.skipped(),
    }
}

/// Returns the class of a tool and who produces its results.
fn tool(name: &str, namespace: &str, cx: &mut Cx<'_>) -> (Class, Span) {
    let server = mcp_server(name).or_else(|| namespace.strip_prefix("mcp__")?.strip_suffix("__"));
    match (name, server) {
        (_, Some(server)) => (MCP, cx.joined(&["mcp:", server])),
        (
            "shell" | "container.exec" | "shell_command" | "exec_command" | "write_stdin" | "local_shell"
            | "apply_patch",
            None,
        ) => (SHELL, Span::default()),
        _ => (Class::ANY, Span::default()),
    }
}

fn call(line: &Line<'_>, name: &str, arguments: Span, cx: &mut Cx<'_>) {
    let namespace = line.text("namespace").unwrap_or_default();
    let (class, source_ref) = tool(name, namespace, cx);
    let call = Call {
        id: cx.opt_string(line.payload.get("call_id")),
        name: cx.joined(&[namespace, name]),
        class,
        batch: cx.line(),
        record: line.record(cx),
        arguments,
        source_ref,
        observation: line.locator(cx),
        ..Call::default()
    };
    cx.call(SCOPE, call);
}

fn output(line: &Line<'_>, output: Option<Value<'_>>, cx: &mut Cx<'_>) {
    let mut outcome = Outcome {
        id: cx.opt_string(line.payload.get("call_id")),
        record: line.record(cx),
        observed_at: cx.time(line.timestamp()),
        observation: line.locator(cx),
        rank: ITEM,
        ..Outcome::default()
    };
    let text = output.and_then(Value::as_str).unwrap_or_default();
    if shell::is_aborted(text) {
        let reading = cx.no_evidence(Class::ANY, "aborted", Signal::TextOnly);
        outcome.readings.push(reading);
        return cx.result(SCOPE, outcome);
    }
    let form = cx.texts.any(output, "", cx.members, cx.notes);
    let mut reading = cx.reading(Class::ANY, Kind::Json, form, Signal::NoneRecorded);
    reading.truncated = shell::is_truncated(text);
    outcome.readings.push(reading);
    let reading = shell::reading(text, cx).unwrap_or_else(|| shell::bare(output, text, cx));
    outcome.readings.push(reading);
    let mut reading = mcp(output, text, cx);
    reading.truncated = shell::is_truncated(text);
    outcome.readings.push(reading);
    cx.result(SCOPE, outcome);
}

/// The way to read what an MCP server's tool returned: the item holds its structured content as JSON text where there
/// is some, else its content blocks; `isError` is not recorded.
fn mcp(output: Option<Value<'_>>, text: &str, cx: &mut Cx<'_>) -> Reading {
    let json = cx.within(text, |value, cx| match value.as_array().filter(|blocks| all_blocks(*blocks)) {
        Some(_) => cx.texts.mcp(Some(value), None, cx.members, cx.notes),
        None => cx.texts.mcp(None, Some(value), cx.members, cx.notes),
    });
    let form = match json {
        Some(Form::Absent) | None => cx.texts.mcp(output, None, cx.members, cx.notes),
        Some(form) => form,
    };
    cx.reading(MCP, Kind::Mcp, form, Signal::NoneRecorded)
}

fn all_blocks(blocks: Array<'_>) -> bool {
    const TYPES: [&str; 5] = ["text", "image", "audio", "resource", "resource_link"];
    blocks.iter().all(|block| {
        let kind = block.as_object().and_then(|block| block.get("type")).and_then(Value::as_str);
        kind.is_some_and(|kind| TYPES.contains(&kind))
    })
}

/// The provider's search: the item says what was asked, never what was found.
fn web_search(line: &Line<'_>, cx: &mut Cx<'_>) {
    cx.metadata.scalar("status", line.payload.get("status"));
    let mut outcome = Outcome {
        own_call: true,
        id: cx.opt_string(line.payload.get("id")),
        name: cx.string("web_search"),
        arguments: cx.arguments(line.payload.get("action")),
        observed_at: cx.time(line.timestamp()),
        observation: line.locator(cx),
        metadata: cx.take_metadata(),
        ..Outcome::default()
    };
    let reading = cx.no_evidence(Class::ANY, "content_not_captured", Signal::NoneRecorded);
    outcome.readings.push(reading);
    cx.result(SCOPE, outcome);
}
