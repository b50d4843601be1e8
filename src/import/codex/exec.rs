//! The stream of `codex exec --json`: threads, turns and items, without times.

use super::super::Cx;
use super::super::event::{Call, Class, Facts, Form, Outcome, Reading, Signal};
use super::super::payload::first_line;
use super::{SCOPE, shell};
use crate::input::Kind;
use crate::value::{Integer, Kind as ValueKind, Object, Value};

pub(super) fn read(record: Object<'_>, kind: &str, cx: &mut Cx<'_>) {
    let item = record.get("item").and_then(Value::as_object);
    match (kind, item) {
        ("thread.started", _) => {
            // Ids of items begin anew with each thread.
            cx.end(SCOPE);
            cx.metadata.scalar("session", record.get("thread_id"));
            let session = cx.opt_string(record.get("thread_id"));
            let facts = Facts { session, metadata: cx.take_metadata(), ..Facts::default() };
            cx.facts(SCOPE, facts);
            cx.skipped();
        }
        ("item.started", Some(item)) => started(item, cx),
        ("item.completed", Some(item)) => completed(item, cx),
        _ => cx.skipped(),
    }
}

/// Keeps the name of the tool and the arguments that an item is about; the name is empty where it is about none.
fn about(item: Object<'_>, cx: &mut Cx<'_>) -> (super::Span, super::Span) {
    let text = |key: &str| item.get(key).and_then(Value::as_str).unwrap_or_default();
    match text("type") {
        "command_execution" => {
            let arguments = cx.object(&[("command", item.get("command"))]);
            (cx.string("command_execution"), arguments)
        }
        "mcp_tool_call" => {
            (cx.joined(&["mcp__", text("server"), "__", text("tool")]), cx.arguments(item.get("arguments")))
        }
        "web_search" => (cx.string("web_search"), cx.object(&[("query", item.get("query"))])),
        "file_change" => (cx.string("file_change"), cx.object(&[("changes", item.get("changes"))])),
        _ => Default::default(),
    }
}

fn started(item: Object<'_>, cx: &mut Cx<'_>) {
    let (name, arguments) = about(item, cx);
    if name.is_empty() {
        return cx.skipped();
    }
    let server = item.get("server").and_then(Value::as_str);
    let call = Call {
        id: cx.opt_string(item.get("id")),
        name,
        batch: cx.line(),
        arguments,
        source_ref: server.map_or(super::Span::default(), |server| cx.joined(&["mcp:", server])),
        observation: cx.at_line(""),
        ..Call::default()
    };
    cx.call(SCOPE, call);
}

fn completed(item: Object<'_>, cx: &mut Cx<'_>) {
    let (name, arguments) = about(item, cx);
    if name.is_empty() {
        return cx.skipped();
    }
    let status = item.get("status").and_then(Value::as_str);
    cx.metadata.opt_str("status", status);
    let mut outcome = Outcome {
        own_call: true,
        id: cx.opt_string(item.get("id")),
        name,
        arguments,
        observation: cx.at_line(""),
        metadata: cx.take_metadata(),
        ..Outcome::default()
    };
    let reading = match item.get("type").and_then(Value::as_str) {
        Some("command_execution") => command(item, status, cx),
        Some("mcp_tool_call") => mcp(item, status, cx),
        Some("file_change") => {
            let form = cx.texts.any(item.get("changes"), "", cx.members, cx.notes);
            let mut reading = cx.reading(Class::ANY, Kind::Json, form, Signal::Status);
            reading.failed = status == Some("failed");
            reading
        }
        _ => cx.no_evidence(Class::ANY, "content_not_captured", Signal::NoneRecorded),
    };
    outcome.readings.push(reading);
    cx.result(SCOPE, outcome);
}

fn command(item: Object<'_>, status: Option<&str>, cx: &mut Cx<'_>) -> Reading {
    let printed = item.get("aggregated_output").and_then(Value::as_str).unwrap_or_default();
    let code = item.get("exit_code").filter(|code| matches!(code.kind(), ValueKind::Integer(_)));
    let mut reading = match code {
        Some(code) => {
            cx.members.value("exit_code", code);
            let form = cx.texts.stdout(printed, cx.members);
            cx.notes.bool("streams_merged", true);
            let mut reading = cx.reading(Class::ANY, Kind::Stdio, form, Signal::ExitCode);
            reading.failed = !matches!(code.kind(), ValueKind::Integer(Integer::Signed(0)));
            reading
        }
        None if status == Some("declined") => cx.no_evidence(Class::ANY, "denied", Signal::Status),
        None => {
            let form = cx.texts.body(printed, cx.members);
            let mut reading = cx.reading(Class::ANY, Kind::Json, form, Signal::Status);
            reading.failed = status == Some("failed");
            reading
        }
    };
    reading.truncated = shell::is_truncated(printed);
    reading
}

fn mcp(item: Object<'_>, status: Option<&str>, cx: &mut Cx<'_>) -> Reading {
    let object = |key| item.get(key).and_then(Value::as_object);
    let (result, error) = (object("result"), object("error"));
    let of = |key| result.and_then(|result| result.get(key));
    let form = match result {
        Some(_) => cx.texts.mcp(of("content"), of("structured_content"), cx.members, cx.notes),
        None => Form::Absent,
    };
    let message = error.and_then(|error| error.get("message")).and_then(Value::as_str);
    cx.notes.opt_str("error", message.map(first_line));
    let mut reading = cx.reading(Class::ANY, Kind::Mcp, form, Signal::Status);
    reading.failed = error.is_some() || status == Some("failed");
    // The stream has no `isError`, so the failure has no member of the kind's own.
    reading.conflict = reading.failed;
    if let Some(server) = item.get("server").and_then(Value::as_str) {
        reading.source_ref = cx.joined(&["mcp:", server]);
    }
    reading
}
