//! Anthropic: bodies of the Messages API, provider-run tools, the MCP connector, managed-agent events. Not the
//! transcripts of Claude Code, which wrap messages in records of their own.
//!
//! A body with `messages` is a conversation, its own scope. Messages one a line (responses) share their file as scope,
//! since a paused turn may bring a server tool's result in the next response; so do events.
//!
//! An absent `is_error` means false here, by the API's definition. A result without `content` has no payload.

use super::event::{Call, Class, Form, Locator, Outcome, Scope, Signal};
use super::{Cx, Reading};
use crate::input::Kind;
use crate::value::{Array, Integer, Kind as ValueKind, Object, Value};

pub(super) fn read(record: Value<'_>, cx: &mut Cx<'_>) {
    let Some(record) = record.as_object() else { return cx.skipped() };
    let of = |key| record.get(key).and_then(Value::as_object);
    match record.get("type").and_then(Value::as_str) {
        Some(kind) if kind.starts_with("agent.") || kind.starts_with("user.") => event(kind, record, cx),
        _ if record.has("messages") => conversation(record, cx),
        _ if record.has("role") => {
            let line = cx.line();
            message(record, Scope::File, line, cx);
        }
        _ if of("request").is_some() || of("response").is_some() => {
            if let Some(request) = of("request") {
                conversation(request, cx);
            }
            if let Some(response) = of("response") {
                // After all messages of the request.
                message(response, Scope::Line, u64::MAX, cx);
            }
        }
        _ => cx.skipped(),
    }
}

fn conversation(body: Object<'_>, cx: &mut Cx<'_>) {
    let messages = body.get("messages").and_then(Value::as_array);
    for (message_at, record) in messages.iter().flat_map(Array::iter).enumerate() {
        if let Some(record) = record.as_object() {
            message(record, Scope::Line, message_at as u64 + 1, cx);
        }
    }
}

/// Reads one message; `batch` is its place within the scope.
fn message(message: Object<'_>, scope: Scope, batch: u64, cx: &mut Cx<'_>) {
    let role = message.get("role").and_then(Value::as_str);
    let blocks = message.get("content").and_then(Value::as_array);
    let mut calls = 0_u32;
    for (block_at, block) in blocks.iter().flat_map(Array::iter).enumerate() {
        let Some(block) = block.as_object() else { continue };
        let Some(kind) = block.get("type").and_then(Value::as_str) else { continue };
        let locator = |cx: &mut Cx<'_>| match (message.get("id").and_then(Value::as_str), scope) {
            (Some(id), _) => Locator::Whole(cx.joined(&[id, "#", itoa::Buffer::new().format(block_at)])),
            (None, Scope::Line) => cx.at_line(&format!(".{batch}.{block_at}")),
            (None, _) => cx.at_line(&format!(".{block_at}")),
        };
        match kind {
            "tool_use" | "server_tool_use" | "mcp_tool_use" => {
                calls += 1;
                let observation = locator(cx);
                cx.metadata.scalar("model", message.get("model"));
                cx.origin.opt_str("message_id", message.get("id").and_then(Value::as_str));
                call(block, kind, scope, batch, observation, cx);
            }
            _ if kind == "tool_result" || kind.ends_with("_tool_result") => {
                let observation = locator(cx);
                result(block, kind, scope, observation, cx);
            }
            _ => {}
        }
    }
    if role == Some("assistant") && calls == 0 {
        cx.turn(scope);
    }
}

fn call(block: Object<'_>, kind: &str, scope: Scope, batch: u64, observation: Locator, cx: &mut Cx<'_>) {
    let name = block.get("name").and_then(Value::as_str).unwrap_or_default();
    let server = block.get("server_name").or_else(|| block.get("mcp_server_name")).and_then(Value::as_str);
    let source_ref = match (kind, server) {
        (_, Some(server)) => cx.joined(&["mcp:", server]),
        ("server_tool_use", None) => cx.joined(&["anthropic:", name]),
        _ => super::Span::default(),
    };
    if let Some(caller) = block.get("caller").and_then(Value::as_object) {
        cx.metadata.scalar("caller", caller.get("type"));
    }
    let denied = block.get("evaluated_permission").and_then(Value::as_str) == Some("deny");
    let call = Call {
        id: cx.opt_string(block.get("id")),
        name: cx.string(name),
        class: if denied { Class::DENIED } else { Class::ANY },
        batch,
        arguments: cx.arguments(block.get("input")),
        source_ref,
        observation,
        metadata: cx.take_metadata(),
        origin: cx.take_origin(),
        ..Call::default()
    };
    cx.call(scope, call);
}

fn result(block: Object<'_>, kind: &str, scope: Scope, observation: Locator, cx: &mut Cx<'_>) {
    let mut outcome = Outcome { positional: true, observation, ..Outcome::default() };
    outcome.id = cx.opt_string(block.get("tool_use_id"));
    let content = block.get("content");
    outcome.readings.push(match kind {
        "tool_result" => plain(block, cx),
        "mcp_tool_result" => mcp(block, cx),
        _ => server(content, cx),
    });
    if let Some(page) = content.and_then(Value::as_object) {
        outcome.observed_at = cx.time(page.get("retrieved_at"));
    }
    cx.result(scope, outcome);
}

/// A result that the client gave back: whatever its content is.
fn plain(block: Object<'_>, cx: &mut Cx<'_>) -> Reading {
    let form = cx.texts.any(block.get("content"), "\n", cx.members, cx.notes);
    cx.notes.scalar("is_error", block.get("is_error"));
    let mut reading = cx.reading(Class::ANY, Kind::Json, form, Signal::Flag);
    reading.failed = is_error(block);
    reading
}

/// A result of an MCP server that the provider called.
fn mcp(block: Object<'_>, cx: &mut Cx<'_>) -> Reading {
    let form = cx.texts.mcp(block.get("content"), None, cx.members, cx.notes);
    if let Some(flag) = block.get("is_error").filter(|flag| !flag.is_null()) {
        cx.members.value("isError", flag);
    }
    let mut reading = cx.reading(Class::ANY, Kind::Mcp, form, Signal::Flag);
    reading.failed = is_error(block);
    reading
}

fn is_error(block: Object<'_>) -> bool {
    block.get("is_error").is_some_and(|flag| !flag.is_null() && flag.as_bool() != Some(false))
}

/// A result of a tool that the provider ran: its failure is told by the type of its content.
fn server(content: Option<Value<'_>>, cx: &mut Cx<'_>) -> Reading {
    let object = content.and_then(Value::as_object);
    let kind = object.and_then(|object| object.get("type")).and_then(Value::as_str).unwrap_or_default();
    cx.notes.opt_str("result_type", Some(kind).filter(|kind| !kind.is_empty()));
    if let Some((object, code)) = object.and_then(|object| Some((object, object.get("return_code")?)))
        && matches!(code.kind(), ValueKind::Integer(Integer::Signed(_)))
    {
        cx.members.value("exit_code", code);
        let form = match object.get("stdout").and_then(Value::as_str) {
            Some(stdout) => cx.texts.stdout(stdout, cx.members),
            None => Form::Absent,
        };
        if let Some(stderr) = object.get("stderr") {
            cx.members.value("stderr", stderr);
        }
        let mut reading = cx.reading(Class::ANY, Kind::Stdio, form, Signal::ExitCode);
        reading.failed = !matches!(code.kind(), ValueKind::Integer(Integer::Signed(0)));
        return reading;
    }
    let failed = kind.ends_with("_error");
    if failed {
        cx.notes.scalar("error_code", object.and_then(|object| object.get("error_code")));
    }
    let form = cx.texts.any(content, "\n", cx.members, cx.notes);
    let mut reading = cx.reading(Class::ANY, Kind::Json, form, Signal::Status);
    reading.failed = failed;
    reading
}

/// Reads one event of a managed agent's log.
fn event(kind: &str, event: Object<'_>, cx: &mut Cx<'_>) {
    let scope = Scope::File;
    let line = cx.line();
    let id = event.get("id").and_then(Value::as_str);
    let observation = |cx: &mut Cx<'_>| match id {
        Some(id) => Locator::Whole(cx.string(id)),
        None => cx.at_line(""),
    };
    match kind {
        "agent.tool_use" | "agent.mcp_tool_use" | "agent.custom_tool_use" => {
            let observation = observation(cx);
            cx.metadata.scalar("evaluated_permission", event.get("evaluated_permission"));
            call(event, kind, scope, line, observation, cx);
        }
        "agent.tool_result" | "agent.mcp_tool_result" | "user.custom_tool_result" => {
            let observation = observation(cx);
            let answers = ["tool_use_id", "mcp_tool_use_id", "custom_tool_use_id"];
            let mut outcome = Outcome { observation, ..Outcome::default() };
            outcome.id = cx.opt_string(answers.iter().find_map(|key| event.get(key)));
            outcome.observed_at = cx.time(event.get("processed_at"));
            outcome.readings.push(if kind == "agent.mcp_tool_result" {
                mcp(event, cx)
            } else {
                plain(event, cx)
            });
            outcome.readings.push(cx.no_evidence(Class::DENIED, "denied", Signal::Flag));
            cx.result(scope, outcome);
        }
        "user.tool_confirmation" if event.get("result").and_then(Value::as_str) == Some("deny") => {
            let id = cx.opt_string(event.get("tool_use_id"));
            cx.reclass(scope, id, Class::DENIED);
        }
        _ => cx.skipped(),
    }
}
