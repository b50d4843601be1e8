//! LangSmith: runs as the SDK lists them, bodies of the ingest interface (`post` and `patch`), and LangChain messages
//! dumped in any of the four ways.
//!
//! The scope of ids is the trace, for a dump of messages the line. A run of a tool is a call and its result; runs of
//! models announce calls, and their messages tell results once more.

use super::Cx;
use super::event::{Call, Class, Form, Locator, Outcome, Reading, Scope, Signal, Span, Way};
use super::history::History;
use super::langchain::{self, Message};
use super::otlp::{self, elements};
use super::payload::first_line;
use crate::input::Kind;
use crate::value::{Object, Value};

pub(super) fn read(record: Value<'_>, cx: &mut Cx<'_>) {
    if let Some(list) = record.as_array() {
        let messages = list.iter().any(|value| langchain::message(value).is_some());
        return if messages {
            dump(record, cx);
        } else {
            elements(Some(record)).enumerate().for_each(|(at, run)| whole(run, at, cx));
        };
    }
    let Some(object) = record.as_object() else { return cx.skipped() };
    if object.has("run_type") {
        whole(object, 0, cx);
    } else if object.has("post") || object.has("patch") {
        let runs = elements(object.get("post")).map(|run| (run, true));
        let runs = runs.chain(elements(object.get("patch")).map(|run| (run, false)));
        for (at, (run, posted)) in runs.enumerate() {
            match (posted, ended(run)) {
                (_, true) => whole(run, at, cx),
                (true, false) => started(run, at, cx),
                (false, false) => {}
            }
        }
    } else if let Some(messages) = object.get("messages") {
        dump(messages, cx);
    } else if langchain::message(record).is_some() {
        // One message a line: the file is the conversation.
        message(record, Scope::File, cx.line(), "", cx);
    }
}

/// Reads a conversation of LangChain messages, a scope of its own.
fn dump(messages: Value<'_>, cx: &mut Cx<'_>) {
    for (at, value) in messages.as_array().iter().flat_map(super::super::value::Array::iter).enumerate() {
        message(value, Scope::Line, at as u64 + 1, &format!(".{at}"), cx);
    }
}

fn message(value: Value<'_>, scope: Scope, batch: u64, suffix: &str, cx: &mut Cx<'_>) {
    match langchain::message(value) {
        Some(Message::Ai(ai)) => {
            let mut calls = 0;
            for (call, valid) in langchain::calls(ai) {
                calls += 1;
                let (name, told) = announced(call, valid, cx);
                let call = Call {
                    id: cx.opt_string(call.get("id")),
                    name: cx.string(&name),
                    batch,
                    observation: cx.at_line(&format!("{suffix}.{calls}")),
                    ..told
                };
                cx.call(scope, call);
            }
            if calls == 0 {
                cx.turn(scope);
            }
        }
        Some(Message::Tool(tool)) => {
            let reading = langchain::reading(tool, cx);
            let outcome = Outcome {
                id: cx.opt_string(tool.get("tool_call_id")),
                name: cx.opt_string(tool.get("name")),
                positional: true,
                observation: cx.at_line(suffix),
                readings: std::iter::once(reading).collect(),
                ..Outcome::default()
            };
            cx.result(scope, outcome);
        }
        Some(Message::Unreadable) => cx.broken("a tool's message of which only Python's repr was written"),
        Some(Message::Other) | None => {}
    }
}

/// Reads the name of an announced call, and what it says beside that and its id.
fn announced(call: Object<'_>, valid: bool, cx: &mut Cx<'_>) -> (String, Call) {
    if !valid {
        // Its arguments were no JSON, so nothing was dispatched.
        cx.metadata.str("reason", "invalid_arguments");
        cx.metadata.opt_str("error_message", call.get("error").and_then(Value::as_str).map(first_line));
    }
    let (name, arguments) = langchain::call(call, cx);
    let class = if valid { Class::ANY } else { Class::DENIED };
    (name, Call { class, arguments, unanswered: cx.take_metadata(), ..Call::default() })
}

/// A run's places and times.
struct Run<'t> {
    record: Object<'t>,
    trace: &'t str,
    id: &'t str,
    parent: &'t str,
}

impl<'t> Run<'t> {
    fn of(run: Object<'t>) -> Self {
        let text = |name| run.get(name).and_then(Value::as_str).unwrap_or_default();
        Self { record: run, trace: text("trace_id"), id: text("id"), parent: text("parent_run_id") }
    }

    fn text(&self, name: &str) -> Option<&'t str> {
        self.record.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    fn scope(&self, cx: &mut Cx<'_>) -> Scope {
        if self.trace.is_empty() { Scope::File } else { Scope::Global(cx.string(self.trace)) }
    }

    fn way(&self, cx: &mut Cx<'_>) -> Way {
        Way::Record { own: cx.string(self.id), parent: cx.string(self.parent), first_hand: true }
    }

    fn locator(&self, suffix: &str, cx: &mut Cx<'_>) -> Locator {
        match (self.trace, self.id) {
            (_, "") => cx.at_line(suffix),
            ("", id) => Locator::Whole(cx.joined(&[id, suffix])),
            (trace, id) => Locator::Whole(cx.joined(&[trace, "/", id, suffix])),
        }
    }

    fn note(&self, cx: &mut Cx<'_>) {
        let extra = self.record.get("extra").and_then(Value::as_object);
        let of = |part: &str, name: &str| extra.and_then(|extra| extra.get(part)?.as_object()?.get(name));
        let thread =
            ["thread_id", "session_id", "conversation_id"].iter().find_map(|name| of("metadata", name));
        cx.metadata.opt_str("status", self.text("status"));
        cx.metadata.scalar("thread", thread);
        cx.metadata.scalar("revision", of("metadata", "revision_id"));
        cx.metadata.scalar("sdk", of("runtime", "sdk"));
        cx.metadata.scalar("sdk_version", of("runtime", "sdk_version"));
        cx.metadata.scalar("library", of("runtime", "library"));
        if let Some(error) = self.text("error") {
            cx.metadata.str("error_message", first_line(error));
            cx.metadata.opt_str("exception_type", exception_type(error));
        }
        cx.origin.opt_str("trace_id", self.text("trace_id"));
        cx.origin.opt_str("run_id", self.text("id"));
        cx.origin.opt_str("parent_run_id", self.text("parent_run_id"));
    }
}

/// The name before the parenthesis of a Python exception's repr.
fn exception_type(error: &str) -> Option<&str> {
    let (name, _) = error.split_once('(')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    (!name.is_empty() && name.len() <= 64 && name.chars().all(is_name)).then_some(name)
}

/// Returns true for a run that has an end.
fn ended(run: Object<'_>) -> bool {
    let present = |name| run.get(name).is_some_and(|value: Value<'_>| !value.is_null());
    present("end_time") || present("outputs") || present("error")
}

/// Reads the start of a run whose end is another record.
fn started(run: Object<'_>, at: usize, cx: &mut Cx<'_>) {
    if run.get("run_type").and_then(Value::as_str) != Some("tool") {
        return models(run, at, cx);
    }
    let run = Run::of(run);
    cx.metadata.str("reason", "pending");
    let call = Call {
        way: run.way(cx),
        name: cx.opt_string(run.record.get("name")),
        batch: cx.line(),
        arguments: arguments(run.record, cx),
        observation: run.locator("", cx),
        unanswered: cx.take_metadata(),
        ..Call::default()
    };
    let scope = run.scope(cx);
    cx.call(scope, call);
}

/// Reads a run that is told in one record, or the end of one.
fn whole(run: Object<'_>, at: usize, cx: &mut Cx<'_>) {
    match run.get("run_type").and_then(Value::as_str) {
        Some("tool") | None => tool(run, cx),
        Some(_) => models(run, at, cx),
    }
}

fn tool(run: Object<'_>, cx: &mut Cx<'_>) {
    let told = Run::of(run);
    let mut id = Span::default();
    let error = told.text("error");
    let reading = if ended(run) {
        output(run, error.is_some(), &mut id, cx)
    } else {
        cx.no_evidence(Class::ANY, "pending", Signal::Status)
    };
    told.note(cx);
    let pending = reading.kind == Kind::ClaimOnly;
    let start_only = run.get("run_type").is_none();
    let outcome = Outcome {
        way: told.way(cx),
        id,
        own_call: true,
        // The end of a run that is not known to be a tool's.
        needs_call: start_only,
        name: cx.opt_string(run.get("name")),
        arguments: if start_only { Span::default() } else { arguments(run, cx) },
        observed_at: time(run.get("end_time"), cx),
        observation: told.locator("", cx),
        readings: std::iter::once(reading).collect(),
        metadata: cx.take_metadata(),
        origin: cx.take_origin(),
        rank: if pending { 1 } else { 5 },
        settles: !pending,
        ..Outcome::default()
    };
    let scope = told.scope(cx);
    cx.result(scope, outcome);
}

/// Reads what a tool's run gave back.
fn output(run: Object<'_>, failed: bool, id: &mut Span, cx: &mut Cx<'_>) -> Reading {
    let outputs = run.get("outputs").filter(|outputs| !outputs.is_null());
    let inner = outputs.and_then(Value::as_object);
    // The tracer wraps what is no mapping; what a function returned as one is that.
    let output = match inner {
        Some(object) if object.has("output") => object.get("output"),
        // Hidden by configuration.
        Some(object) if object.is_empty() => None,
        _ => outputs,
    };
    let mut reading = match output.map(|output| (output, message_of(output))) {
        None if inner.is_some() && !failed => {
            return cx.no_evidence(Class::ANY, "content_not_captured", Signal::Status);
        }
        None => cx.reading(Class::ANY, Kind::Json, Form::Absent, Signal::Status),
        Some((_, Some((message, command)))) => {
            *id = cx.opt_string(message.get("tool_call_id"));
            if command {
                cx.notes.bool("handoff", true);
            }
            langchain::reading(message, cx)
        }
        Some((output, None)) => {
            let form = cx.texts.any(Some(output), "\n", cx.members, cx.notes);
            cx.reading(Class::ANY, Kind::Json, form, Signal::Status)
        }
    };
    if failed {
        (reading.failed, reading.signal) = (true, Signal::Exception);
    }
    reading
}

/// Returns the tool's message that an output is, or that a command to go elsewhere carries.
fn message_of(output: Value<'_>) -> Option<(Object<'_>, bool)> {
    if let Some(message) = langchain::tool_message(output) {
        return Some((message, false));
    }
    let update = output.as_object()?.get("update")?.as_object()?;
    let messages = update.get("messages")?.as_array()?;
    let last = messages.iter().filter_map(langchain::tool_message).last();
    last.map(|message| (message, true))
}

/// Reads arguments: a mapping, or the text that the tracer makes of one.
fn arguments(run: Object<'_>, cx: &mut Cx<'_>) -> Span {
    let inputs = run.get("inputs");
    let only = inputs.and_then(Value::as_object).filter(|inputs| inputs.len() == 1);
    match only.and_then(|inputs| inputs.get("input")).filter(|input| input.as_str().is_some()) {
        Some(text) => cx.arguments(Some(text)),
        None => cx.arguments(inputs),
    }
}

/// Reads the messages of a model's run, or of a chain's.
fn models(run: Object<'_>, at: usize, cx: &mut Cx<'_>) {
    let told = Run::of(run);
    let scope = told.scope(cx);
    let mut history = History::new(scope, at, cx);
    let mut found = 0;
    for (part, time_of) in [("inputs", "start_time"), ("outputs", "end_time")] {
        let observed = time(run.get(time_of), cx);
        let Some(part) = run.get(part) else { continue };
        walk(
            part,
            0,
            &mut |value, cx| {
                history.message();
                match langchain::message(value) {
                    Some(Message::Ai(ai)) => {
                        for (call, valid) in langchain::calls(ai) {
                            found += 1;
                            let id = call.get("id").and_then(Value::as_str).unwrap_or_default();
                            let (name, made) = announced(call, valid, cx);
                            cx.origin.opt_str("call_run_id", told.text("id"));
                            let observation = told.locator(&format!("#{found}"), cx);
                            let made = Call { observation, origin: cx.take_origin(), ..made };
                            history.call(id, &name, made, cx);
                        }
                    }
                    Some(Message::Tool(tool)) => {
                        found += 1;
                        let text = |name| tool.get(name).and_then(Value::as_str).unwrap_or_default();
                        let reading = langchain::reading(tool, cx);
                        cx.metadata.str("read_from", "message");
                        cx.origin.opt_str("trace_id", told.text("trace_id"));
                        cx.origin.opt_str("run_id", told.text("id"));
                        let outcome = Outcome {
                            observed_at: observed,
                            observation: told.locator(&format!("#{found}"), cx),
                            readings: std::iter::once(reading).collect(),
                            metadata: cx.take_metadata(),
                            origin: cx.take_origin(),
                            ..Outcome::default()
                        };
                        history.result(text("tool_call_id"), text("name"), outcome, cx);
                    }
                    _ => {}
                }
            },
            cx,
        );
    }
}

/// Finds messages in what a run took or gave: as `messages` (in one list or in lists of them), or in `generations`.
pub(super) fn walk<'a>(
    value: Value<'_>,
    depth: u32,
    found: &mut impl FnMut(Value<'_>, &mut Cx<'a>),
    cx: &mut Cx<'a>,
) {
    const DEEPEST: u32 = 8;
    if depth > DEEPEST {
        return;
    }
    if langchain::message(value).is_some() {
        return found(value, cx);
    }
    if let Some(list) = value.as_array() {
        list.iter().for_each(|value| walk(value, depth + 1, found, cx));
    } else if let Some(object) = value.as_object() {
        let names = ["messages", "message", "generations", "input", "output", "update"];
        for value in names.iter().filter_map(|name| object.get(name)) {
            walk(value, depth + 1, found, cx);
        }
    }
}

/// Keeps a time: ISO 8601, UTC where it has no offset, as the interface defines; milliseconds in ingest bodies.
fn time(value: Option<Value<'_>>, cx: &mut Cx<'_>) -> Span {
    let millis = || otlp::units(value).and_then(|millis| otlp::stamp(millis, 1000));
    otlp::utc(value).or_else(millis).map_or(Span::default(), |text| cx.string(&text))
}
