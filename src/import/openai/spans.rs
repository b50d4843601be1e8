//! Spans of the Agents SDK: one function span is a call and its result. There is no call id, and `output` is what
//! Python's `str()` made of the value.

use super::super::Cx;
use super::super::event::{Class, Locator, Outcome, Scope, Signal};
use super::super::payload::first_line;
use crate::input::Kind;
use crate::value::{Object, Value};

pub(super) fn read(span: Object<'_>, cx: &mut Cx<'_>) {
    let data = span.get("span_data").and_then(Value::as_object);
    let Some(data) = data.filter(|data| data.get("type").and_then(Value::as_str) == Some("function")) else {
        return cx.skipped();
    };
    let text = |key| span.get(key).and_then(Value::as_str);
    let observation = match (text("trace_id"), text("id")) {
        (Some(trace), Some(id)) => Locator::Whole(cx.joined(&[trace, "/", id])),
        _ => cx.at_line(""),
    };
    cx.origin.opt_str("trace_id", text("trace_id")).opt_str("span_id", text("id"));
    cx.origin.opt_str("parent_id", text("parent_id"));
    cx.metadata.opt_str("started_at", text("started_at"));
    let mut outcome = Outcome {
        own_call: true,
        name: cx.opt_string(data.get("name")),
        record: match (text("trace_id"), text("id")) {
            (Some(trace), Some(id)) => cx.joined(&[trace, "/", id]),
            _ => super::super::Span::default(),
        },
        arguments: cx.arguments(data.get("input")),
        observed_at: cx.time(span.get("ended_at")),
        observation,
        metadata: cx.take_metadata(),
        origin: cx.take_origin(),
        ..Outcome::default()
    };
    let error = span.get("error").filter(|error| !error.is_null());
    let ended = span.get("ended_at").is_some_and(|at| !at.is_null());
    let mut reading = if !ended && error.is_none() {
        cx.no_evidence(Class::ANY, "not_ended", Signal::Exception)
    } else {
        if let Some(error) = error {
            let message = error.as_object().and_then(|error| error.get("message")).or(Some(error));
            cx.notes.opt_str("error", message.and_then(Value::as_str).map(first_line));
        }
        let form = cx.texts.any(data.get("output"), "", cx.members, cx.notes);
        cx.reading(Class::ANY, Kind::Json, form, Signal::Exception)
    };
    reading.failed = error.is_some();
    let server = data.get("mcp_data").and_then(Value::as_object).and_then(|data| data.get("server"));
    if let Some(server) = server.and_then(Value::as_str) {
        reading.source_ref = cx.joined(&["mcp:", server]);
    }
    outcome.readings.push(reading);
    cx.result(Scope::Line, outcome);
}
