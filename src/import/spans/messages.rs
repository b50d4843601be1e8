//! The messages of model calls' spans: calls that were announced, and, where nothing better tells it, results.

use std::collections::BTreeMap;

use super::{Attr, Key, REDACTED, SpanRecord, with_value};
use crate::import::Cx;
use crate::import::event::{Call, Class, Form, Outcome, Reading, Signal, Span};
use crate::import::history::History;
use crate::import::otlp;
use crate::input::Kind;
use crate::value::{Object, Value};

/// Reads what the messages of a span tell of tools.
pub(in crate::import) fn read(record: &SpanRecord<'_>, format: &'static str, nth: usize, cx: &mut Cx<'_>) {
    let attributes = &record.attributes;
    let (input, output) = (attributes.get(Key::InputMessages), attributes.get(Key::OutputMessages));
    let old = record.events.is_some_and(|events| events.as_array().is_some_and(|events| !events.is_empty()));
    let flat = attributes.flat("llm.").next().is_some();
    if input.is_none() && output.is_none() && !old && !flat {
        return;
    }
    let scope = record.scope(cx);
    let mut reader = Reader { record, format, history: History::new(scope, nth, cx), at: 0 };
    if let Some(input) = input {
        with_value(input, cx, |list, cx| reader.parts(list, record.start.as_deref(), cx));
    }
    if let Some(output) = output {
        with_value(output, cx, |list, cx| reader.parts(list, record.end.as_deref(), cx));
    }
    if flat {
        reader.flat("llm.input_messages", record.start.as_deref(), cx);
        reader.flat("llm.output_messages", record.end.as_deref(), cx);
    }
    for event in otlp::elements(record.events) {
        let Some(name) = event.get("name").and_then(Value::as_str) else { continue };
        let (mut found, mut time) = (super::Attributes::default(), None);
        if name.starts_with("gen_ai.") {
            otlp::attributes(event).for_each(|(key, value)| found.add(key, value));
            time = otlp::units(otlp::member(event, "timeUnixNano", "time_unix_nano"))
                .and_then(|nanos| otlp::stamp(nanos, otlp::NANOS));
        }
        reader.event(name, &found, time.as_deref(), cx);
    }
}

/// Reads one log record that carries a message; `nth` is its place on its line.
pub(in crate::import) fn log(
    record: &SpanRecord<'_>,
    name: &str,
    format: &'static str,
    nth: usize,
    cx: &mut Cx<'_>,
) {
    let scope = record.scope(cx);
    let mut reader = Reader { record, format, history: History::new(scope, nth, cx), at: 0 };
    reader.event(name, &record.attributes, record.end.as_deref(), cx);
}

struct Reader<'r, 't> {
    record: &'r SpanRecord<'t>,
    format: &'static str,
    history: History,
    /// How many calls and results there were.
    at: usize,
}

impl Reader<'_, '_> {
    /// Reads messages with parts, as OpenTelemetry's conventions write them since 1.37.
    fn parts(&mut self, list: Value<'_>, time: Option<&str>, cx: &mut Cx<'_>) {
        for message in otlp::elements(Some(list)) {
            self.history.message();
            for part in otlp::elements(message.get("parts")) {
                let text = |key| part.get(key).and_then(Value::as_str).unwrap_or_default();
                match text("type") {
                    "tool_call" => {
                        let arguments = cx.arguments(part.get("arguments"));
                        self.call(text("id"), text("name"), arguments, cx);
                    }
                    "server_tool_call" => {
                        let arguments = cx.arguments(part.get("server_tool_call"));
                        self.call(text("id"), text("name"), arguments, cx);
                    }
                    "tool_call_response" => {
                        // The schema says `response`, the prose beside it `result`.
                        let response = part.get("response").or_else(|| part.get("result"));
                        self.result(text("id"), text("name"), response.map(Attr::Json), time, cx);
                    }
                    "server_tool_call_response" => {
                        let response = part.get("server_tool_call_response").map(Attr::Json);
                        self.result(text("id"), text("name"), response, time, cx);
                    }
                    _ => {}
                }
            }
        }
    }

    /// Reads a message in an event, as the conventions before 1.37 had it; later ones put all messages into one.
    fn event(&mut self, name: &str, found: &super::Attributes<'_>, time: Option<&str>, cx: &mut Cx<'_>) {
        for key in [Key::InputMessages, Key::OutputMessages] {
            if let Some(list) = found.get(key) {
                with_value(list, cx, |list, cx| self.parts(list, time, cx));
            }
        }
        match name {
            "gen_ai.assistant.message" | "gen_ai.choice" => {
                self.history.message();
                if let Some(calls) = found.get(Key::OldToolCalls) {
                    with_value(calls, cx, |calls, cx| self.calls(calls, cx));
                }
                if let Some(message) = found.get(Key::OldMessage) {
                    with_value(message, cx, |message, cx| {
                        let calls = message.as_object().and_then(|message| message.get("tool_calls"));
                        if let Some(calls) = calls {
                            self.calls(calls, cx);
                        }
                    });
                }
            }
            "gen_ai.tool.message" => {
                let id = found.get(Key::OldId).and_then(Attr::as_str).unwrap_or_default();
                self.result(id, "", found.get(Key::OldContent), time, cx);
            }
            _ => {}
        }
    }

    /// Reads calls as OpenAI's chat messages have them.
    fn calls(&mut self, calls: Value<'_>, cx: &mut Cx<'_>) {
        for call in otlp::elements(Some(calls)) {
            let Some(function) = call.get("function").and_then(Value::as_object) else { continue };
            let text =
                |of: Object<'_>, key| of.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            let arguments = cx.arguments(function.get("arguments"));
            self.call(&text(call, "id"), &text(function, "name"), arguments, cx);
        }
    }

    /// Reads messages as `OpenInference` has them, their place in the attributes' names or (data frames) in lists.
    fn flat(&mut self, prefix: &str, time: Option<&str>, cx: &mut Cx<'_>) {
        let mut messages: BTreeMap<u32, Flat<'_>> = BTreeMap::new();
        for (path, value) in self.record.attributes.flat(prefix) {
            if path.is_empty() {
                for (at, message) in (0..).zip(otlp::elements(value.as_json())) {
                    messages.entry(at).or_default().members(message);
                }
            } else if let Some((at, path)) = path.strip_prefix('.').and_then(numbered) {
                messages.entry(at).or_default().add(path, value);
            }
        }
        for message in messages.into_values() {
            self.history.message();
            for call in message.calls.values() {
                let arguments = call.arguments.map_or(Span::default(), |text| cx.arguments_text(text));
                self.call(call.id, call.name, arguments, cx);
            }
            if message.role == "tool" {
                let content = message.content.or_else(|| message.contents.values().next().copied());
                self.result(message.id, message.name, content, time, cx);
            }
        }
    }

    fn call(&mut self, id: &str, name: &str, arguments: Span, cx: &mut Cx<'_>) {
        let record = self.record;
        self.at += 1;
        let observation = record.locator(&format!("#{}", self.at), cx);
        let source_ref = record.source(self.format, cx);
        cx.origin.opt_str("call_span_id", Some(record.span).filter(|span| !span.is_empty()));
        let origin = cx.take_origin();
        let call = Call { arguments, source_ref, observation, origin, ..Call::default() };
        self.history.call(id, name, call, cx);
    }

    fn result(&mut self, id: &str, name: &str, found: Option<Attr<'_>>, time: Option<&str>, cx: &mut Cx<'_>) {
        let record = self.record;
        self.at += 1;
        let reading = match found {
            None => cx.reading(Class::ANY, Kind::Json, Form::Absent, Signal::NoneRecorded),
            Some(found) => {
                let reading = super::payload(found, &mut None, cx);
                let signal = if reading.failed { reading.signal } else { Signal::NoneRecorded };
                Reading { signal, truncated: found.as_str() == Some(REDACTED), ..reading }
            }
        };
        let reading = Reading { source_ref: record.source(self.format, cx), ..reading };
        let filled = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        cx.metadata.str("read_from", "message");
        cx.metadata.opt_str("service_name", filled(record.service).as_deref());
        cx.metadata.opt_str("scope_name", filled(record.instrumentation).as_deref());
        cx.metadata.opt_str("session", record.any_text(&[Key::Session, Key::Conversation]));
        cx.origin.opt_str("trace_id", filled(record.trace).as_deref());
        cx.origin.opt_str("span_id", filled(record.span).as_deref());
        let outcome = Outcome {
            observed_at: time.map_or(Span::default(), |time| cx.string(time)),
            observation: record.locator(&format!("#{}", self.at), cx),
            readings: std::iter::once(reading).collect(),
            metadata: cx.take_metadata(),
            origin: cx.take_origin(),
            ..Outcome::default()
        };
        self.history.result(id, name, outcome, cx);
    }
}

/// A message of `OpenInference`.
#[derive(Default)]
struct Flat<'t> {
    role: &'t str,
    content: Option<Attr<'t>>,
    contents: BTreeMap<u32, Attr<'t>>,
    id: &'t str,
    name: &'t str,
    calls: BTreeMap<u32, FlatCall<'t>>,
}

#[derive(Default)]
struct FlatCall<'t> {
    id: &'t str,
    name: &'t str,
    arguments: Option<&'t str>,
}

impl<'t> Flat<'t> {
    fn add(&mut self, path: &str, value: Attr<'t>) {
        let Some(path) = path.strip_prefix("message.") else { return };
        let text = value.as_str();
        match path {
            "role" => self.role = text.unwrap_or_default(),
            "content" => self.content = Some(value),
            "tool_call_id" => self.id = text.unwrap_or_default(),
            "name" => self.name = text.unwrap_or_default(),
            "tool_calls" => {
                for (at, call) in (0..).zip(otlp::elements(value.as_json())) {
                    let call = call.members().filter(|(_, value)| !value.is_null());
                    call.for_each(|(key, value)| self.call(at, key, Attr::Json(value)));
                }
            }
            "contents" => {
                for (at, block) in (0..).zip(otlp::elements(value.as_json())) {
                    if let Some(text) = block.get("message_content.text") {
                        self.contents.insert(at, Attr::Json(text));
                    }
                }
            }
            _ => {
                if let Some((at, path)) = path.strip_prefix("tool_calls.").and_then(numbered) {
                    self.call(at, path, value);
                } else if let Some((at, "message_content.text")) =
                    path.strip_prefix("contents.").and_then(numbered)
                {
                    self.contents.insert(at, value);
                }
            }
        }
    }

    fn members(&mut self, message: Object<'t>) {
        let filled = message.members().filter(|(_, value)| !value.is_null());
        filled.for_each(|(key, value)| self.add(key, Attr::Json(value)));
    }

    fn call(&mut self, at: u32, path: &str, value: Attr<'t>) {
        let call = self.calls.entry(at).or_default();
        match path {
            "tool_call.id" => call.id = value.as_str().unwrap_or_default(),
            "tool_call.function.name" => call.name = value.as_str().unwrap_or_default(),
            "tool_call.function.arguments" => call.arguments = value.as_str(),
            _ => {}
        }
    }
}

/// Splits `3.message.role` after its number.
fn numbered(path: &str) -> Option<(u32, &str)> {
    let (number, rest) = path.split_once('.')?;
    Some((number.parse().ok()?, rest))
}
