//! `OpenInference`: OTLP batches, spans as Phoenix's REST interface and its JSON lines give them, rows of its data
//! frames. The scope of ids is the trace.

use super::otlp::{self, Attr, elements};
use super::spans::{self, SpanRecord};
use super::{Cx, otel};
use crate::time::Timestamp;
use crate::value::{Object, Value};

const FORMAT: &str = "openinference";

pub(super) fn read(record: Value<'_>, cx: &mut Cx<'_>) {
    let Some(object) = record.as_object() else { return cx.skipped() };
    if ["resourceSpans", "resource_spans", "resourceLogs", "traceId"].iter().any(|key| object.has(key)) {
        return otel::read(record, FORMAT, cx);
    }
    // The body of a REST answer is a page of spans.
    match object.get("data").and_then(Value::as_array) {
        Some(page) => {
            for (at, span) in page.iter().enumerate().filter_map(|(at, span)| Some((at, span.as_object()?))) {
                phoenix(span, at, cx);
            }
        }
        None => phoenix(object, 0, cx),
    }
}

/// Reads a span of Phoenix: its members nested, or (rows of data frames) with dotted names.
fn phoenix(span: Object<'_>, nth: usize, cx: &mut Cx<'_>) {
    let context = span.get("context").and_then(Value::as_object);
    let of_context = |key, dotted| {
        let value = context.and_then(|context| context.get(key)).or_else(|| span.get(dotted));
        value.and_then(Value::as_str).unwrap_or_default()
    };
    let text = |key| span.get(key).and_then(Value::as_str);
    let status = match text("status_code") {
        Some("ERROR") => "ERROR",
        Some("OK") => "OK",
        _ => "",
    };
    let mut record = SpanRecord {
        trace: of_context("trace_id", "context.trace_id"),
        span: of_context("span_id", "context.span_id"),
        parent: text("parent_id").unwrap_or_default(),
        name: text("name").unwrap_or_default(),
        start: time(span.get("start_time")),
        end: time(span.get("end_time")),
        status,
        status_message: text("status_message"),
        ..SpanRecord::default()
    };
    if let Some(kind) = span.get("span_kind") {
        record.attributes.add("openinference.span.kind", Attr::Json(kind));
    }
    let mut nested = Vec::new();
    if let Some(attributes) = span.get("attributes").and_then(Value::as_object) {
        flatten(attributes, &mut String::new(), &mut nested);
    }
    for (key, value) in &nested {
        record.attributes.add(key, Attr::Json(*value));
    }
    for (key, value) in span.members() {
        if let Some(key) = key.strip_prefix("attributes.") {
            record.attributes.add(key, Attr::Json(value));
        }
    }
    for event in elements(span.get("events")) {
        if event.get("name").and_then(Value::as_str) == Some("exception") {
            let attributes = event.get("attributes").and_then(Value::as_object);
            let text = |key| attributes.and_then(|attributes| attributes.get(key)?.as_str());
            record.exception_type = text("exception.type");
            record.exception_message = text("exception.message");
        }
    }
    spans::read(&record, FORMAT, nth, cx);
}

/// Writes nested members with dotted names. Lists keep their place: those of messages are read as lists.
fn flatten<'t>(of: Object<'t>, prefix: &mut String, to: &mut Vec<(String, Value<'t>)>) {
    for (key, value) in of.members() {
        let length = prefix.len();
        prefix.push_str(key);
        match value.as_object() {
            // Values, not names: what a tool took or gave.
            Some(inner) if !["value", "parameters", "metadata"].contains(&key) => {
                prefix.push('.');
                flatten(inner, prefix, to);
            }
            _ => to.push((prefix.clone(), value)),
        }
        prefix.truncate(length);
    }
}

/// Reads a time: ISO 8601, or the milliseconds that pandas writes.
fn time(value: Option<Value<'_>>) -> Option<String> {
    match value?.as_str() {
        Some(text) => Timestamp::parse(text).is_ok().then(|| text.to_owned()),
        None => otlp::units(value).and_then(|millis| otlp::stamp(millis, 1000)),
    }
}
