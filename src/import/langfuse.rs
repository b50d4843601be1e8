//! Langfuse: observations as its interface and its UI give them (camelCase), and as its blob export writes them
//! (`snake_case`). The scope of ids is the trace.
//!
//! An observation of a tool is a call and its result; messages of other observations announce calls and tell results
//! once more. An observation that was exported twice is read the first time that it has an end.

use super::event::{Call, Class, Outcome, Reading, Signal, Span, Way};
use super::history::History;
use super::langchain::{self, Message};
use super::otlp::{self, Attr, elements, member};
use super::payload::first_line;
use super::spans::{self, Attributes, SpanRecord};
use super::{Cx, langsmith};
use crate::input::Kind;
use crate::value::{Object, Value};

const FORMAT: &str = "langfuse";

pub(super) fn read(record: Value<'_>, cx: &mut Cx<'_>) {
    if record.as_array().is_some() {
        return elements(Some(record)).enumerate().for_each(|(at, object)| observation(object, at, cx));
    }
    let Some(object) = record.as_object() else { return cx.skipped() };
    match object.get("observations").or_else(|| object.get("data")).filter(|list| list.as_array().is_some()) {
        Some(list) => {
            elements(Some(list)).enumerate().for_each(|(at, object)| observation(object, at, cx));
        }
        None => observation(object, 0, cx),
    }
}

/// The part of an observation's metadata that instruments filled in.
#[derive(Default)]
struct Instrument {
    service: String,
    scope: String,
    scope_version: String,
}

fn observation(object: Object<'_>, nth: usize, cx: &mut Cx<'_>) {
    let read = |metadata: Option<Value<'_>>, cx: &mut Cx<'_>| {
        let metadata = metadata.and_then(Value::as_object);
        let part = |name| metadata.and_then(|metadata| metadata.get(name));
        let mut instrument = Instrument::default();
        inner(part("resourceAttributes"), cx, |resource, _| {
            text(resource, "service.name").clone_into(&mut instrument.service);
        });
        inner(part("scope"), cx, |scope, _| {
            text(scope, "name").clone_into(&mut instrument.scope);
            text(scope, "version").clone_into(&mut instrument.scope_version);
        });
        let done = inner(part("attributes"), cx, |attributes, cx| {
            told(object, attributes.members(), &instrument, nth, cx);
        });
        if !done {
            told(object, std::iter::empty(), &instrument, nth, cx);
        }
    };
    let metadata = object.get("metadata");
    match metadata.and_then(Value::as_str) {
        Some(text) => {
            if cx.within(text, |metadata, cx| read(Some(metadata), cx)).is_none() {
                read(None, cx);
            }
        }
        None => read(metadata, cx),
    }
}

/// Runs `then` on an object that is there as itself or as JSON text.
fn inner<'a>(value: Option<Value<'_>>, cx: &mut Cx<'a>, then: impl FnOnce(Object<'_>, &mut Cx<'a>)) -> bool {
    let Some(value) = value else { return false };
    match value.as_str() {
        Some(text) => cx.within(text, |value, cx| value.as_object().map(|object| then(object, cx))).flatten(),
        None => value.as_object().map(|object| then(object, cx)),
    }
    .is_some()
}

fn text<'t>(of: Object<'t>, name: &str) -> &'t str {
    of.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn told<'t>(
    object: Object<'t>,
    attributes: impl Iterator<Item = (&'t str, Value<'t>)>,
    instrument: &'t Instrument,
    nth: usize,
    cx: &mut Cx<'_>,
) {
    let string = |name, snake| member(object, name, snake).and_then(Value::as_str).unwrap_or_default();
    let end = otlp::utc(member(object, "endTime", "end_time"));
    let mut record = SpanRecord {
        trace: string("traceId", "trace_id"),
        span: string("id", "id"),
        parent: string("parentObservationId", "parent_observation_id"),
        name: string("name", "name"),
        start: otlp::utc(member(object, "startTime", "start_time")),
        status: if string("level", "level") == "ERROR" { "ERROR" } else { "" },
        end,
        service: &instrument.service,
        instrumentation: &instrument.scope,
        instrumentation_version: &instrument.scope_version,
        ..SpanRecord::default()
    };
    attributes.for_each(|(name, value)| record.attributes.add(name, Attr::Json(value)));
    let kind = string("type", "type");
    if kind == "TOOL" || (kind != "GENERATION" && record.is_tool()) {
        tool(object, &record, cx);
    } else if !record.span.is_empty() {
        messages(object, record, nth, cx);
    }
}

fn tool(object: Object<'_>, record: &SpanRecord<'_>, cx: &mut Cx<'_>) {
    let string = |name, snake| member(object, name, snake).and_then(Value::as_str);
    let output = object.get("output").filter(|output| !output.is_null());
    let failed = record.status == "ERROR";
    let ended = record.end.is_some();
    let mut call_id = record.id().map(ToOwned::to_owned);
    let mut reading = match (best(output, record), ended) {
        (None, false) => cx.no_evidence(Class::ANY, "unfinished", Signal::Status),
        (None, true) if !failed => {
            cx.notes.bool("dispatch_recorded", true);
            cx.no_evidence(Class::ANY, "content_not_captured", Signal::Status)
        }
        (None, true) => cx.reading(Class::ANY, Kind::Json, super::Form::Absent, Signal::Status),
        (Some((found, attribute)), _) => {
            cx.notes.opt_str("result_attribute", attribute);
            let mcp = record.is_mcp();
            match mcp.then(|| spans::mcp(record, Some(found), cx)) {
                Some((reading, true)) => reading,
                _ => {
                    cx.members.clear();
                    decoded(found, &mut call_id, cx)
                }
            }
        }
    };
    reading.failed |= failed;
    reading.conflict |= failed && reading.kind == Kind::Mcp;
    reading.source_ref = record.source(FORMAT, cx);
    let known = reading.kind != Kind::ClaimOnly;
    let mut outcome = Outcome {
        way: Way::Record { own: cx.string(record.span), parent: cx.string(record.parent), first_hand: true },
        own_call: true,
        id: call_id.map_or(Span::default(), |id| cx.string(&id)),
        name: cx.string(record.tool()),
        arguments: match object.get("input").filter(|input| !input.is_null()) {
            Some(input) => cx.arguments(Some(input)),
            None => record.arguments(cx),
        },
        observed_at: record.end.as_deref().map_or(Span::default(), |end| cx.string(end)),
        observation: record.locator("", cx),
        readings: std::iter::once(reading).collect(),
        rank: if known { 5 } else { 1 },
        settles: known,
        ..Outcome::default()
    };
    if ended && !record.span.is_empty() {
        outcome.record = cx.joined(&[record.trace, "/", record.span]);
    }
    record.note(cx);
    cx.metadata.opt_str("level", string("level", "level"));
    cx.metadata.opt_str(
        "status_message",
        string("statusMessage", "status_message").map(first_line).filter(|text| !text.is_empty()),
    );
    cx.metadata.opt_str("environment", string("environment", "environment"));
    // Of the application, not of the tool.
    cx.metadata.opt_str("application_version", string("version", "version"));
    cx.metadata.opt_str("observation_type", string("type", "type"));
    outcome.metadata = cx.take_metadata();
    outcome.origin = cx.take_origin();
    let scope = record.scope(cx);
    cx.result(scope, outcome);
}

/// The output; where that is empty, what the instrument recorded under another name.
fn best<'t>(output: Option<Value<'t>>, record: &SpanRecord<'t>) -> Option<(Attr<'t>, Option<&'static str>)> {
    let hollow = |value: Value<'_>| match value.as_str() {
        Some(text) => matches!(text.trim(), "" | "{}" | "null" | "\"{}\""),
        None => value.as_object().is_some_and(|object| object.is_empty()),
    };
    match output {
        Some(output) if !hollow(output) => Some((Attr::Json(output), None)),
        _ => {
            let found = record
                .result()
                .map(|(found, vendor)| (found, Some(vendor.unwrap_or("gen_ai.tool.call.result"))));
            found.or(output.map(|output| (Attr::Json(output), None)))
        }
    }
}

/// Reads a payload that may be JSON text, or JSON text within a JSON string: two levels, not more.
fn decoded(found: Attr<'_>, call_id: &mut Option<String>, cx: &mut Cx<'_>) -> Reading {
    let Some(text) = found.as_str() else { return spans::payload(found, call_id, cx) };
    let literal = text.trim_start().starts_with('"');
    let inner = literal
        .then(|| cx.within(text, |value, _| value.as_str().map(ToOwned::to_owned)))
        .flatten()
        .flatten();
    if let Some(inner) = inner.filter(|inner| cx.texts.form_of(inner).form == super::Form::JsonText) {
        cx.notes.count("json_levels", 2);
        return spans::payload_text(&inner, call_id, cx);
    }
    if cx.texts.form_of(text).json {
        cx.notes.count("json_levels", 1);
    }
    spans::payload(found, call_id, cx)
}

/// Reads what the messages of an observation tell of tools.
fn messages<'t>(object: Object<'t>, mut record: SpanRecord<'t>, nth: usize, cx: &mut Cx<'_>) {
    let scope = record.scope(cx);
    let mut history = History::new(scope, nth, cx);
    let mut found = 0;
    record.attributes = Attributes::default();
    for (part, key) in [("input", "gen_ai.input.messages"), ("output", "gen_ai.output.messages")] {
        let Some(value) = object.get(part) else { continue };
        let promising = |text: &str| memchr::memmem::find(text.as_bytes(), b"tool").is_some();
        if value.as_str().is_some_and(|text| !promising(text)) {
            continue;
        }
        record.attributes.add(key, Attr::Json(value));
        let time = if part == "input" { record.start.clone() } else { record.end.clone() };
        let record = &record;
        let mut each = |value: Value<'_>, cx: &mut Cx<'_>| {
            history.message();
            match langchain::message(value) {
                Some(Message::Ai(ai)) => {
                    for (call, _) in langchain::calls(ai) {
                        found += 1;
                        let (name, arguments) = langchain::call(call, cx);
                        let observation = record.locator(&format!("#{found}"), cx);
                        let made = Call { arguments, observation, ..Call::default() };
                        history.call(text(call, "id"), &name, made, cx);
                    }
                }
                Some(Message::Tool(tool)) => {
                    found += 1;
                    let mut reading = langchain::reading(tool, cx);
                    reading.source_ref = record.source(FORMAT, cx);
                    let observation = record.locator(&format!("#{found}"), cx);
                    cx.metadata.str("read_from", "message");
                    cx.origin.opt_str("trace_id", Some(record.trace));
                    cx.origin.opt_str("span_id", Some(record.span));
                    let outcome = Outcome {
                        observed_at: time.as_deref().map_or(Span::default(), |time| cx.string(time)),
                        observation,
                        readings: std::iter::once(reading).collect(),
                        metadata: cx.take_metadata(),
                        origin: cx.take_origin(),
                        ..Outcome::default()
                    };
                    history.result(text(tool, "tool_call_id"), text(tool, "name"), outcome, cx);
                }
                _ => {}
            }
        };
        match value.as_str() {
            Some(text) => {
                cx.within(text, |value, cx| langsmith::walk(value, 0, &mut each, cx));
            }
            None => langsmith::walk(value, 0, &mut each, cx),
        }
    }
    spans::read_messages(&record, FORMAT, nth, cx);
}
