//! The Responses API: items, one a line, in a response's `output`, or in a request's `input`.
//!
//! What a client's tool returned is an input item of a later request, so the file is the scope. An item that comes
//! again (a request that carries its history) is known by its own id.

use super::super::Cx;
use super::super::event::{Call, Class, Form, Locator, Outcome, Reading, Scope, Signal, Span};
use super::super::payload::first_line;
use crate::input::Kind;
use crate::time::Timestamp;
use crate::value::{Array, Integer, Kind as ValueKind, Object, Value};

const SCOPE: Scope = Scope::File;

/// Types of items that hold a call, a result or both, but do not say so in their name's ending.
const OTHERS: [&str; 2] = ["program", "mcp_approval_request"];

/// Returns true for the type of an item about tools.
pub(in super::super) fn is_item(kind: &str) -> bool {
    OTHERS.contains(&kind) || kind.ends_with("_call") || kind.ends_with("_output")
}

/// What is known of an item from around it.
#[derive(Clone, Copy, Default)]
struct Around<'t> {
    response: Option<Object<'t>>,
    /// Where in the response or request it is.
    at: Option<usize>,
}

/// Reads a response.
pub(super) fn response(response: Object<'_>, cx: &mut Cx<'_>) {
    items(response.get("output"), Some(response), cx);
}

/// Reads the input items of a request.
pub(super) fn request(request: Object<'_>, cx: &mut Cx<'_>) {
    items(request.get("input"), None, cx);
}

fn items(list: Option<Value<'_>>, response: Option<Object<'_>>, cx: &mut Cx<'_>) {
    for (at, value) in list.and_then(Value::as_array).iter().flat_map(Array::iter).enumerate() {
        let Some(object) = value.as_object() else { continue };
        if let Some(kind) = object.get("type").and_then(Value::as_str).filter(|kind| is_item(kind)) {
            item(object, kind, Around { response, at: Some(at) }, cx);
        }
    }
}

/// Reads an item that stands alone on its line.
pub(super) fn bare(object: Object<'_>, kind: &str, cx: &mut Cx<'_>) {
    if !is_item(kind) {
        return cx.skipped();
    }
    item(object, kind, Around::default(), cx);
}

fn item(item: Object<'_>, kind: &str, around: Around<'_>, cx: &mut Cx<'_>) {
    match kind {
        "function_call" | "custom_tool_call" => {
            let arguments = item.get("arguments").or_else(|| item.get("input"));
            let arguments = cx.arguments(arguments);
            call(item, item.get("name"), "", item.get("call_id"), arguments, around, cx);
        }
        "mcp_approval_request" => {
            let arguments = cx.arguments(item.get("arguments"));
            call(item, item.get("name"), "", item.get("id"), arguments, around, cx);
        }
        "mcp_call" => mcp_call(item, around, cx),
        "shell_call_output" => shell(item, around, cx),
        "local_shell_call_output" => local_shell(item, around, cx),
        "web_search_call" | "file_search_call" | "code_interpreter_call" | "image_generation_call" => {
            hosted(item, kind, around, cx);
        }
        "program" => {
            let arguments = cx.arguments(item.get("code"));
            call(
                item,
                None,
                "program",
                item.get("call_id").or_else(|| item.get("id")),
                arguments,
                around,
                cx,
            );
        }
        _ => match kind.strip_suffix("_call_output").or_else(|| kind.strip_suffix("_output")) {
            Some(tool) => output(item, kind, tool, around, cx),
            None => {
                let tool = kind.strip_suffix("_call").unwrap_or(kind);
                let arguments = item.get("action").or_else(|| item.get("operation"));
                let arguments = cx.arguments(arguments.or_else(|| item.get("arguments")));
                call(item, item.get("name"), tool, item.get("call_id"), arguments, around, cx);
            }
        },
    }
}

/// Pushes a call; `tool` is its name where the item has none.
fn call(
    item: Object<'_>,
    name: Option<Value<'_>>,
    tool: &str,
    id: Option<Value<'_>>,
    arguments: Span,
    around: Around<'_>,
    cx: &mut Cx<'_>,
) {
    let label = item.get("server_label").and_then(Value::as_str);
    let name = match (name.and_then(Value::as_str), label) {
        (Some(name), Some(label)) => cx.joined(&["mcp__", label, "__", name]),
        (name, _) => cx.string(name.unwrap_or(tool)),
    };
    cx.metadata.scalar("model", around.response.and_then(|response| response.get("model")));
    cx.metadata.scalar("call_status", item.get("status")).scalar("namespace", item.get("namespace"));
    let caller = item.get("caller").and_then(Value::as_object);
    cx.metadata.scalar("caller", caller.and_then(|caller| caller.get("type")));
    cx.origin.opt_str("call_item_id", item.get("id").and_then(Value::as_str));
    let observation = locator(item, around, "", cx);
    let line = cx.line();
    let call = Call {
        id: cx.opt_string(id),
        name,
        class: Class::ANY,
        batch: line,
        record: record(item, cx),
        arguments,
        source_ref: label.map_or(Span::default(), |label| cx.joined(&["mcp:", label])),
        observation,
        metadata: cx.take_metadata(),
        origin: cx.take_origin(),
        ..Call::default()
    };
    cx.call(SCOPE, call);
}

/// What a result item has in common with every other.
fn result(item: Object<'_>, around: Around<'_>, suffix: &str, cx: &mut Cx<'_>) -> Outcome {
    cx.metadata.scalar("status", item.get("status"));
    let response = around.response.and_then(|response| response.get("id")).and_then(Value::as_str);
    cx.origin.opt_str("item_id", item.get("id").and_then(Value::as_str)).opt_str("response_id", response);
    Outcome {
        id: cx.opt_string(item.get("call_id")),
        name: cx.opt_string(item.get("name")),
        record: if suffix.is_empty() { record(item, cx) } else { Span::default() },
        observation: locator(item, around, suffix, cx),
        metadata: cx.take_metadata(),
        origin: cx.take_origin(),
        ..Outcome::default()
    }
}

/// What a client's tool gave back.
fn output(item: Object<'_>, kind: &str, tool: &str, around: Around<'_>, cx: &mut Cx<'_>) {
    let mut outcome = result(item, around, "", cx);
    // Without an id only a tool of the same name can have been called.
    outcome.positional = !outcome.name.is_empty();
    let known = matches!(kind, "function_call_output" | "custom_tool_call_output");
    if !known && outcome.name.is_empty() {
        outcome.name = cx.string(tool);
        outcome.positional = true;
    }
    let status = item.get("status").and_then(Value::as_str);
    let output = item.get("output").or_else(|| item.get("tools")).or_else(|| item.get("result"));
    let form = cx.texts.any(output, "", cx.members, cx.notes);
    // Only a patch says by its status whether it was applied; elsewhere it says that the item is complete.
    let told = kind == "apply_patch_call_output";
    let signal = if told { Signal::Status } else { Signal::NoneRecorded };
    let mut reading = cx.reading(Class::ANY, Kind::Json, form, signal);
    reading.failed = told && status == Some("failed");
    reading.truncated = status == Some("incomplete");
    outcome.readings.push(reading);
    cx.result(SCOPE, outcome);
}

/// A call of an MCP server by the provider: call and result in one item.
fn mcp_call(item: Object<'_>, around: Around<'_>, cx: &mut Cx<'_>) {
    let label = item.get("server_label").and_then(Value::as_str);
    let name = item.get("name").and_then(Value::as_str).unwrap_or_default();
    let status = item.get("status").and_then(Value::as_str);
    let error = item.get("error").filter(|error| !error.is_null());
    let mut outcome = result(item, around, "", cx);
    outcome.own_call = true;
    outcome.id = cx.opt_string(item.get("id"));
    outcome.answers = cx.opt_string(item.get("approval_request_id"));
    outcome.name = match label {
        Some(label) => cx.joined(&["mcp__", label, "__", name]),
        None => cx.string(name),
    };
    outcome.arguments = cx.arguments(item.get("arguments"));
    outcome.observed_at = answered_at(around, cx);
    let failed = error.is_some() || status == Some("failed");
    let mut reading = match status {
        Some(unfinished @ ("in_progress" | "calling" | "incomplete")) if !failed => {
            cx.no_evidence(Class::ANY, unfinished, Signal::Status)
        }
        _ => {
            let (signal, content) = mcp_error(error, cx);
            let form = cx.texts.mcp(content.or_else(|| item.get("output")), None, cx.members, cx.notes);
            if failed {
                cx.members.bool("isError", true);
            }
            cx.reading(Class::ANY, Kind::Mcp, form, signal)
        }
    };
    reading.failed = failed;
    if let Some(label) = label {
        reading.source_ref = cx.joined(&["mcp:", label]);
    }
    outcome.readings.push(reading);
    cx.result(SCOPE, outcome);
}

/// Notes an error and returns how it is told, and the content that it carries.
fn mcp_error<'t>(error: Option<Value<'t>>, cx: &mut Cx<'_>) -> (Signal, Option<Value<'t>>) {
    match error.map(Value::kind) {
        Some(ValueKind::Object(error)) => {
            let kind = error.get("type").and_then(Value::as_str).unwrap_or_default();
            cx.notes.opt_str("error_type", Some(kind).filter(|kind| !kind.is_empty()));
            cx.notes.scalar("error_code", error.get("code"));
            cx.notes.opt_str("error", error.get("message").and_then(Value::as_str).map(first_line));
            let signal = if kind == "mcp_protocol_error" { Signal::Protocol } else { Signal::Status };
            (signal, error.get("content"))
        }
        Some(ValueKind::String(text)) => {
            cx.notes.str("error", first_line(text));
            (Signal::Status, None)
        }
        _ => (Signal::Status, None),
    }
}

/// What commands of a shell printed, an input each: the one place with real exit codes.
fn shell(item: Object<'_>, around: Around<'_>, cx: &mut Cx<'_>) {
    let Some(outputs) = item.get("output").and_then(Value::as_array) else {
        return output(item, "shell_call_output", "shell", around, cx);
    };
    for (at, printed) in outputs.iter().enumerate() {
        let mut number = itoa::Buffer::new();
        let mut outcome = result(item, around, number.format(at), cx);
        outcome.more = at + 1 < outputs.len();
        outcome.name = cx.string("shell");
        let fields = printed.as_object();
        let get = |key: &str| fields.and_then(|fields| fields.get(key));
        let ended = get("outcome").and_then(Value::as_object);
        let how = ended.and_then(|ended| ended.get("type")).and_then(Value::as_str);
        let code = ended.and_then(|ended| ended.get("exit_code")).filter(|code| is_integer(*code));
        cx.notes.opt_str("outcome", how);
        let mut reading = match code.filter(|_| how == Some("exit")) {
            Some(code) => stdio(code, get("stdout"), get("stderr"), cx),
            None => {
                cx.members.value("body", printed);
                let mut reading = cx.reading(Class::ANY, Kind::Json, Form::Structured, Signal::Status);
                reading.failed = true;
                reading
            }
        };
        reading.truncated |= item.get("status").and_then(Value::as_str) == Some("incomplete");
        outcome.readings.push(reading);
        cx.result(SCOPE, outcome);
    }
}

fn stdio(code: Value<'_>, stdout: Option<Value<'_>>, stderr: Option<Value<'_>>, cx: &mut Cx<'_>) -> Reading {
    cx.members.value("exit_code", code);
    let form = match stdout.and_then(Value::as_str) {
        Some(stdout) => cx.texts.stdout(stdout, cx.members),
        None => Form::Absent,
    };
    if let Some(stderr) = stderr {
        cx.members.value("stderr", stderr);
    }
    let mut reading = cx.reading(Class::ANY, Kind::Stdio, form, Signal::ExitCode);
    reading.failed = !matches!(code.kind(), ValueKind::Integer(Integer::Signed(0)));
    reading
}

fn is_integer(value: Value<'_>) -> bool {
    matches!(value.kind(), ValueKind::Integer(_))
}

/// What the older local shell printed: JSON text, whose item may carry no id of the call.
fn local_shell(item: Object<'_>, around: Around<'_>, cx: &mut Cx<'_>) {
    let mut outcome = result(item, around, "", cx);
    outcome.name = cx.string("local_shell");
    outcome.positional = true;
    let text = item.get("output").and_then(Value::as_str);
    let reading = text.and_then(|text| {
        cx.within(text, |printed, cx| {
            let printed = printed.as_object()?;
            let code = printed.get("exit_code").filter(|code| is_integer(*code))?;
            Some(stdio(code, printed.get("stdout"), printed.get("stderr"), cx))
        })?
    });
    outcome.readings.push(reading.unwrap_or_else(|| {
        let form = cx.texts.any(item.get("output"), "", cx.members, cx.notes);
        cx.reading(Class::ANY, Kind::Json, form, Signal::NoneRecorded)
    }));
    cx.result(SCOPE, outcome);
}

/// A tool that the provider hosts: call and result in one item, and often no result in it.
fn hosted(item: Object<'_>, kind: &str, around: Around<'_>, cx: &mut Cx<'_>) {
    let tool = kind.strip_suffix("_call").unwrap_or(kind);
    let status = item.get("status").and_then(Value::as_str);
    let mut outcome = result(item, around, "", cx);
    outcome.own_call = true;
    outcome.id = cx.opt_string(item.get("id"));
    outcome.name = cx.string(tool);
    outcome.observed_at = answered_at(around, cx);
    let arguments = ["action", "queries", "code"].iter().find_map(|key| item.get(key));
    // Code stays text, whatever it looks like.
    outcome.arguments = arguments.map_or(Span::default(), |arguments| cx.json(arguments));
    let recorded = match tool {
        "file_search" => item.get("results"),
        "code_interpreter" => item.get("outputs"),
        "image_generation" => item.get("result"),
        _ => None,
    };
    let failed = status == Some("failed");
    let mut reading = match recorded.filter(|recorded| !recorded.is_null()) {
        None => cx.no_evidence(Class::ANY, "content_not_captured", Signal::Status),
        Some(_) if tool == "image_generation" => {
            cx.members.raw("body", |out| out.extend_from_slice(b"null"));
            cx.notes.str("blocks", "image:1");
            cx.reading(Class::ANY, Kind::Json, Form::Blocks, Signal::Status)
        }
        recorded => {
            let form = cx.texts.any(recorded, "", cx.members, cx.notes);
            cx.reading(Class::ANY, Kind::Json, form, Signal::Status)
        }
    };
    reading.failed = failed;
    reading.truncated = status == Some("incomplete");
    outcome.readings.push(reading);
    cx.result(SCOPE, outcome);
}

/// When the response that holds a hosted tool's item was completed, else begun.
fn answered_at(around: Around<'_>, cx: &mut Cx<'_>) -> Span {
    let Some(response) = around.response else { return Span::default() };
    let seconds = |key| match response.get(key)?.kind() {
        ValueKind::Integer(Integer::Signed(seconds)) if seconds > 0 => Some(seconds),
        _ => None,
    };
    match seconds("completed_at").or_else(|| seconds("created_at")) {
        Some(seconds) => cx.string(&Timestamp::from_unix(seconds, 0).to_string()),
        None => Span::default(),
    }
}

fn locator(item: Object<'_>, around: Around<'_>, suffix: &str, cx: &mut Cx<'_>) -> Locator {
    let mark = if suffix.is_empty() { "" } else { "#" };
    match item.get("id").and_then(Value::as_str).filter(|id| !id.is_empty()) {
        Some(id) => Locator::Whole(cx.joined(&[id, mark, suffix])),
        None => {
            let at = around.at.map_or(String::new(), |at| format!(".{at}"));
            cx.at_line(&format!("{at}{mark}{suffix}"))
        }
    }
}

/// An item that has an id of its own is known by it.
fn record(item: Object<'_>, cx: &mut Cx<'_>) -> Span {
    let Some(id) = item.get("id").and_then(Value::as_str).filter(|id| !id.is_empty()) else {
        return Span::default();
    };
    let kind = item.get("type").and_then(Value::as_str).unwrap_or_default();
    cx.joined(&[kind, ":", id])
}
