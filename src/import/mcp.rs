//! The Model Context Protocol's messages: JSON-RPC as it went over the wire, raw or wrapped by who logged it, of the
//! stateful versions (2024-11-05 to 2025-11-25) and of the stateless one (2026-07-28).
//!
//! A scope is a connection: the session or server that the wrapper names, else the file. Only the client calls tools,
//! so what the client answers is no result of one, though both sides number their requests from the same integers.
//! A result is known as a tool's by its shape: `content` is a list, or there is `structuredContent` or `isError`.

use super::Cx;
use super::event::{Call, Class, Facts, Form, Outcome, Reading, Scope, Signal, Span, Way};
use super::otlp::{self, elements};
use super::payload::first_line;
use crate::input::Kind;
use crate::value::{Integer, Kind as ValueKind, Object, Value};

/// The member of a result's `_meta` that names its server, since 2026-07-28.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";

/// Returns the JSON in a line of a log: what follows `data:` where the line is one of an event stream, nothing for the
/// other fields of one.
pub(super) fn line(text: &[u8]) -> &[u8] {
    match text.first() {
        None | Some(b'{' | b'[') => text,
        Some(_) if text.starts_with(b"data:") => text.get(5..).unwrap_or_default().trim_ascii(),
        Some(_) if [&b"event:"[..], b"id:", b"retry:", b":"].iter().any(|field| text.starts_with(field)) => {
            b""
        }
        Some(_) => text,
    }
}

pub(super) fn read(record: Value<'_>, cx: &mut Cx<'_>) {
    let Some((message, wrapper)) = unwrap(record) else { return cx.skipped() };
    let log = Log::of(wrapper, cx);
    if let Some(text) = message.as_str() {
        cx.within(text, |message, cx| log.read(message, cx));
        return;
    }
    log.read(message, cx);
}

/// Returns the message in a record, and the object that it is wrapped in.
fn unwrap(record: Value<'_>) -> Option<(Value<'_>, Option<Object<'_>>)> {
    let Some(object) = record.as_object() else { return record.as_array().map(|_| (record, None)) };
    if object.has("jsonrpc") {
        return Some((record, None));
    }
    let names = ["message", "msg", "raw", "payload", "data", "body", "jsonrpc_message"];
    let message = names.iter().find_map(|name| {
        let value = object.get(name)?;
        let wrapped = match value.kind() {
            ValueKind::Object(inner) => inner.has("jsonrpc"),
            ValueKind::Array(list) => !list.is_empty(),
            ValueKind::String(text) => text.trim_start().starts_with(['{', '[']),
            _ => false,
        };
        wrapped.then_some(value)
    });
    Some((message?, Some(object)))
}

/// Returns true for a record that is or wraps a message of the protocol.
pub(super) fn is_message(record: Value<'_>) -> bool {
    let is = |value: Value<'_>| {
        let version = value.as_object().and_then(|object| object.get("jsonrpc")?.as_str());
        version == Some("2.0")
    };
    unwrap(record).is_some_and(|(message, _)| match message.kind() {
        ValueKind::Array(batch) => batch.iter().next().is_some_and(is),
        ValueKind::String(text) => text.contains("\"jsonrpc\""),
        _ => is(message),
    })
}

/// What the wrapper of a message says.
struct Log {
    scope: Scope,
    time: Span,
    /// The wrapper's own name for the server.
    server: Span,
    session: String,
    from_client: Option<bool>,
}

impl Log {
    fn of(wrapper: Option<Object<'_>>, cx: &mut Cx<'_>) -> Self {
        let text = |names: &[&str]| {
            names.iter().find_map(|name| wrapper?.get(name)?.as_str()).filter(|text| !text.is_empty())
        };
        let server = text(&["server", "server_name", "serverName"]);
        let session =
            text(&["session", "session_id", "sessionId", "mcp-session-id", "connection", "connection_id"]);
        let direction =
            text(&["dir", "direction", "from", "sender"]).unwrap_or_default().to_ascii_lowercase();
        let from = |names: &[&str]| names.iter().any(|name| direction.starts_with(name));
        let time = ["ts", "timestamp", "time", "at"].iter().find_map(|name| wrapper?.get(name));
        Self {
            scope: match (server, session) {
                (None, None) => Scope::File,
                _ => {
                    Scope::Named(cx.joined(&[server.unwrap_or_default(), "\n", session.unwrap_or_default()]))
                }
            },
            time: time.map_or(Span::default(), |time| stamp(time, cx)),
            server: server.map_or(Span::default(), |server| cx.joined(&["mcp:", server])),
            session: session.unwrap_or_default().to_owned(),
            from_client: match () {
                () if from(&["client", "c2s", "c->s", "c→s"]) => Some(true),
                () if from(&["server", "s2c", "s->c", "s→c"]) => Some(false),
                () => None,
            },
        }
    }

    fn read(&self, message: Value<'_>, cx: &mut Cx<'_>) {
        match message.as_array() {
            Some(batch) => {
                for (at, message) in batch.iter().enumerate() {
                    if let Some(message) = message.as_object() {
                        self.message(message, &format!(".{at}"), cx);
                    }
                }
            }
            None => {
                if let Some(message) = message.as_object() {
                    self.message(message, "", cx);
                }
            }
        }
    }

    fn message(&self, message: Object<'_>, suffix: &str, cx: &mut Cx<'_>) {
        if let Some(method) = message.get("method").and_then(Value::as_str) {
            if self.from_client != Some(false) {
                self.request(method, message, suffix, cx);
            }
        } else if self.from_client != Some(true) {
            if let Some(result) = message.get("result").and_then(Value::as_object) {
                self.response(message, result, suffix, cx);
            } else if let Some(error) = message.get("error").and_then(Value::as_object) {
                self.error(message, error, suffix, cx);
            }
        }
    }

    fn request(&self, method: &str, message: Object<'_>, suffix: &str, cx: &mut Cx<'_>) {
        let params = message.get("params").and_then(Value::as_object);
        let param = |name| params.and_then(|params| params.get(name));
        match method {
            // Ids start anew with a connection, and so does what is known of the server.
            "initialize" => cx.end(self.scope),
            "tools/call" => {
                let name = param("name").and_then(Value::as_str).unwrap_or_default();
                if !self.server.is_empty() {
                    let facts = Facts { source_label: self.server, ..Facts::default() };
                    cx.facts(self.scope, facts);
                }
                let meta = param("_meta").and_then(Value::as_object);
                let of_meta = |name| meta.and_then(|meta| meta.get(name)?.as_str());
                cx.metadata
                    .opt_str("request_protocol_version", of_meta("io.modelcontextprotocol/protocolVersion"));
                cx.origin.opt_str("traceparent", of_meta("traceparent"));
                cx.metadata.opt_str("session", Some(&*self.session).filter(|session| !session.is_empty()));
                let call = Call {
                    id: id(message.get("id"), cx),
                    name: cx.string(name),
                    batch: cx.line(),
                    arguments: param("arguments").map_or(Span::default(), |arguments| cx.json(arguments)),
                    observation: cx.at_line(suffix),
                    metadata: cx.take_metadata(),
                    origin: cx.take_origin(),
                    ..Call::default()
                };
                cx.call(self.scope, call);
            }
            "notifications/cancelled" => {
                // A result may still come; until then the call has none.
                let reading = cx.no_evidence(Class::ANY, "cancelled", Signal::Protocol);
                let id = id(param("requestId"), cx);
                self.outcome(id, reading, suffix, cx, |outcome| {
                    (outcome.settles, outcome.needs_call) = (false, true);
                });
            }
            "tasks/result" => {
                // Asks for the result of a call under another id.
                let call =
                    Call { id: id(message.get("id"), cx), way: task(param("taskId"), cx), ..Call::default() };
                if call.way != Way::Once {
                    cx.call(self.scope, call);
                }
            }
            _ => {}
        }
    }

    fn response(&self, message: Object<'_>, result: Object<'_>, suffix: &str, cx: &mut Cx<'_>) {
        let meta = result.get("_meta").and_then(Value::as_object);
        let server = result.get("serverInfo").or_else(|| meta.and_then(|meta| meta.get(SERVER_INFO)));
        if let Some(server) = server.and_then(Value::as_object) {
            self.server_info(server, result, cx);
        }
        if let Some(tools) = result.get("tools") {
            self.tools(tools, cx);
        }
        let id = id(message.get("id"), cx);
        if result.get("resultType").and_then(Value::as_str).is_some_and(|kind| kind != "complete") {
            // The client is to answer and to ask again, under a new id.
            cx.notes.scalar("result_type", result.get("resultType"));
            let reading = cx.no_evidence(Class::ANY, "input_required", Signal::Protocol);
            return self.outcome(id, reading, suffix, cx, |outcome| outcome.needs_call = true);
        }
        if let Some(handle) = result.get("task").and_then(Value::as_object) {
            // A receipt: the result comes later, for this task.
            let way = task(handle.get("taskId"), cx);
            cx.notes.scalar("task_status", handle.get("status"));
            cx.origin.opt_str("task", handle.get("taskId").and_then(Value::as_str));
            let reading = cx.no_evidence(Class::ANY, "background_task", Signal::Protocol);
            return self.outcome(id, reading, suffix, cx, |outcome| {
                (outcome.settles, outcome.needs_call, outcome.way) = (false, true, way);
            });
        }
        if let (Some(inner), Some(_)) =
            (result.get("result").and_then(Value::as_object), result.get("taskId"))
        {
            // A polled task that has ended.
            let way = task(result.get("taskId"), cx);
            let reading = call_result(inner, cx);
            return self.outcome(Span::default(), reading, suffix, cx, |outcome| {
                (outcome.rank, outcome.needs_call, outcome.way) = (1, true, way);
            });
        }
        let is_result = result.get("content").is_some_and(|content| content.as_array().is_some())
            || result.has("structuredContent")
            || result.has("isError");
        if !is_result || result.has("role") {
            return;
        }
        let reading = call_result(result, cx);
        let related = meta.and_then(|meta| meta.get(RELATED_TASK)?.as_object()?.get("taskId"));
        let (id, way) = match related {
            Some(_) => (Span::default(), task(related, cx)),
            None => (id, Way::Once),
        };
        cx.origin.opt_str("task", related.and_then(Value::as_str));
        self.outcome(id, reading, suffix, cx, |outcome| (outcome.rank, outcome.way) = (1, way));
    }

    /// Reads a failure of the protocol; whether it was of a tool's call only the call tells.
    fn error(&self, message: Object<'_>, error: Object<'_>, suffix: &str, cx: &mut Cx<'_>) {
        cx.notes.scalar("jsonrpc_error_code", error.get("code"));
        cx.notes.opt_str("error_message", error.get("message").and_then(Value::as_str).map(first_line));
        let reading = cx.reading(Class::ANY, Kind::Mcp, Form::Absent, Signal::Protocol);
        let reading = Reading { failed: true, conflict: true, ..reading };
        let id = id(message.get("id"), cx);
        self.outcome(id, reading, suffix, cx, |outcome| (outcome.rank, outcome.needs_call) = (1, true));
    }

    fn outcome(
        &self,
        id: Span,
        reading: Reading,
        suffix: &str,
        cx: &mut Cx<'_>,
        change: impl FnOnce(&mut Outcome),
    ) {
        let mut outcome = Outcome {
            id,
            observed_at: self.time,
            observation: cx.at_line(suffix),
            readings: std::iter::once(reading).collect(),
            origin: cx.take_origin(),
            ..Outcome::default()
        };
        change(&mut outcome);
        if !outcome.id.is_empty() || outcome.way != Way::Once {
            cx.result(self.scope, outcome);
        }
    }

    fn server_info(&self, server: Object<'_>, result: Object<'_>, cx: &mut Cx<'_>) {
        let text = |name| server.get(name).and_then(Value::as_str).filter(|text: &&str| !text.is_empty());
        cx.metadata.opt_str("protocol_version", result.get("protocolVersion").and_then(Value::as_str));
        let facts = Facts {
            source_ref: text("name").map_or(Span::default(), |name| cx.joined(&["mcp:", name])),
            source_version: text("version").map_or(Span::default(), |version| cx.string(version)),
            metadata: cx.take_metadata(),
            ..Facts::default()
        };
        cx.facts(self.scope, facts);
    }

    fn tools(&self, tools: Value<'_>, cx: &mut Cx<'_>) {
        for tool in elements(Some(tools)) {
            let Some(name) = tool.get("name").and_then(Value::as_str).filter(|name| !name.is_empty()) else {
                continue;
            };
            if let Some(schema) = tool.get("outputSchema").filter(|schema| schema.as_object().is_some()) {
                cx.origin.value("outputSchema", schema);
            }
            let facts = Facts { tool: cx.string(name), members: cx.take_origin(), ..Facts::default() };
            cx.facts(self.scope, facts);
        }
    }
}

/// Reads the result of a `tools/call`.
fn call_result(result: Object<'_>, cx: &mut Cx<'_>) -> Reading {
    let form = cx.texts.mcp(result.get("content"), result.get("structuredContent"), cx.members, cx.notes);
    let flag = result.get("isError").filter(|flag| !flag.is_null());
    match flag {
        Some(flag) => cx.members.value("isError", flag),
        // By the protocol's definition that means false; that it was not said is kept.
        None => cx.notes.str("is_error", "absent"),
    };
    let mut reading = cx.reading(Class::ANY, Kind::Mcp, form, Signal::Flag);
    reading.failed = flag.is_some_and(|flag| flag.as_bool() != Some(false));
    reading.conflict = reading.failed && flag.and_then(Value::as_bool) != Some(true);
    reading
}

/// Keeps an id as JSON spells it, for `2` and `"2"` are two.
fn id(id: Option<Value<'_>>, cx: &mut Cx<'_>) -> Span {
    match id.map(Value::kind) {
        Some(ValueKind::String(text)) if !text.is_empty() => cx.joined(&["\"", text, "\""]),
        Some(ValueKind::Integer(Integer::Signed(number))) => cx.string(itoa::Buffer::new().format(number)),
        Some(ValueKind::Integer(Integer::Unsigned(number))) => cx.string(itoa::Buffer::new().format(number)),
        _ => Span::default(),
    }
}

fn task(task: Option<Value<'_>>, cx: &mut Cx<'_>) -> Way {
    match task.and_then(Value::as_str).filter(|task| !task.is_empty()) {
        Some(task) => Way::Record { own: cx.string(task), parent: Span::default(), first_hand: false },
        None => Way::Once,
    }
}

/// Keeps the wrapper's time: ISO 8601 with an offset, or a number, whose size tells seconds from milliseconds.
fn stamp(time: Value<'_>, cx: &mut Cx<'_>) -> Span {
    const MILLIS_FROM: f64 = 1e11;
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53 where it is a time")]
    let number = match time.kind() {
        ValueKind::Integer(integer) => integer.as_i64().map(|number| number as f64),
        ValueKind::Float(number) => Some(number),
        _ => return cx.time(Some(time)),
    };
    let Some(number) = number.filter(|number| (1e8..1e14).contains(number)) else { return Span::default() };
    let seconds = if number < MILLIS_FROM { number } else { number / 1e3 };
    #[expect(clippy::cast_possible_truncation, reason = "below 1e17")]
    let text = otlp::stamp((seconds * 1e6).round() as i64, 1_000_000);
    text.map_or(Span::default(), |text| cx.string(&text))
}
