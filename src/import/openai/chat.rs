//! Chat completions: arrays of messages, a conversation each. The line is the scope.

use super::super::Cx;
use super::super::event::{Call, Class, Form, Locator, Outcome, Scope, Signal, Span};
use super::super::payload::first_line;
use crate::input::Kind;
use crate::value::{Array, Kind as ValueKind, Object, Value};

/// After all messages of a request.
const RESPONSE: u64 = u64::MAX;

/// Reads a request body, a conversation, or a completion. `logged` is when a log wrapper says that it was sent.
pub(super) fn record(record: Object<'_>, logged: Option<Value<'_>>, cx: &mut Cx<'_>) {
    if let Some(list) = record.get("messages").and_then(Value::as_array) {
        messages(list, logged, cx);
    }
    for choice in record.get("choices").and_then(Value::as_array).iter().flat_map(Array::iter) {
        let Some(choice) = choice.as_object() else { continue };
        let Some(message) = choice.get("message").and_then(Value::as_object) else { continue };
        let from = From { completion: Some(record), choice: Some(choice) };
        assistant(message, RESPONSE, &from, cx);
    }
}

/// Reads a conversation.
///
/// A log's own time is the time of the results that no message follows: those before were there earlier.
pub(super) fn messages(messages: Array<'_>, logged: Option<Value<'_>>, cx: &mut Cx<'_>) {
    let newest = messages.iter().enumerate().fold(0, |newest, (at, message)| {
        let role = message.as_object().and_then(|message| message.get("role")).and_then(Value::as_str);
        if role == Some("assistant") { at } else { newest }
    });
    for (at, message) in messages.iter().enumerate() {
        let Some(message) = message.as_object() else { continue };
        let place = at as u64;
        match message.get("role").and_then(Value::as_str) {
            Some("assistant") => assistant(message, place, &From::default(), cx),
            Some("tool" | "function") => tool(message, place, logged.filter(|_| at > newest), cx),
            _ => {}
        }
    }
}

/// A piece of a streamed completion: a call in it would have to be put together from many.
pub(super) fn chunk(chunk: Object<'_>, cx: &mut Cx<'_>) {
    let choices = chunk.get("choices").and_then(Value::as_array);
    let calls = choices.iter().flat_map(Array::iter).any(|choice| {
        let delta = choice.as_object().and_then(|choice| choice.get("delta")).and_then(Value::as_object);
        delta.is_some_and(|delta| delta.has("tool_calls") || delta.has("function_call"))
    });
    if calls {
        return cx.broken("a piece of a streamed call; whole completions can be read");
    }
    cx.skipped();
}

/// The completion that a message is part of.
#[derive(Default)]
struct From<'t> {
    completion: Option<Object<'t>>,
    choice: Option<Object<'t>>,
}

fn assistant(message: Object<'_>, batch: u64, from: &From<'_>, cx: &mut Cx<'_>) {
    let calls = message.get("tool_calls").and_then(Value::as_array).filter(|calls| !calls.is_empty());
    let legacy = message.get("function_call").and_then(Value::as_object);
    if calls.is_none() && legacy.is_none() {
        return cx.turn(Scope::Line);
    }
    for (at, call) in calls.iter().flat_map(Array::iter).enumerate() {
        let Some(call) = call.as_object() else { continue };
        let function = call.get("function");
        let custom = call.get("custom").and_then(Value::as_object);
        let (name, arguments) = match (function.map(Value::kind), custom) {
            (Some(ValueKind::Object(function)), _) => (function.get("name"), function.get("arguments")),
            // Run files of AgentDojo: the name itself, and the arguments beside it.
            (Some(ValueKind::String(_)), _) => (function, call.get("args")),
            (_, Some(custom)) => {
                cx.metadata.str("call_type", "custom");
                (custom.get("name"), custom.get("input"))
            }
            _ => (call.get("name"), call.get("arguments").or_else(|| call.get("args"))),
        };
        announce(call.get("id"), name, arguments, batch, at, from, cx);
    }
    if let Some(call) = legacy {
        announce(None, call.get("name"), call.get("arguments"), batch, 0, from, cx);
    }
}

fn announce(
    id: Option<Value<'_>>,
    name: Option<Value<'_>>,
    arguments: Option<Value<'_>>,
    batch: u64,
    at: usize,
    from: &From<'_>,
    cx: &mut Cx<'_>,
) {
    let mut number = itoa::Buffer::new();
    let completion = from.completion.and_then(|completion| completion.get("id")).and_then(Value::as_str);
    let observation = match completion {
        Some(id) => Locator::Whole(cx.joined(&[id, "#", number.format(at)])),
        None => cx.at_line(&format!(".{batch}.{at}")),
    };
    cx.metadata.scalar("model", from.completion.and_then(|completion| completion.get("model")));
    cx.metadata.scalar("finish_reason", from.choice.and_then(|choice| choice.get("finish_reason")));
    cx.origin.opt_str("completion_id", completion);
    let call = Call {
        id: cx.opt_string(id),
        name: cx.opt_string(name),
        class: Class::ANY,
        batch,
        arguments: cx.arguments(arguments),
        observation,
        metadata: cx.take_metadata(),
        origin: cx.take_origin(),
        ..Call::default()
    };
    cx.call(Scope::Line, call);
}

fn tool(message: Object<'_>, place: u64, logged: Option<Value<'_>>, cx: &mut Cx<'_>) {
    // AgentDojo repeats the whole call.
    let call = message.get("tool_call").and_then(Value::as_object);
    let repeated = call.and_then(|call| call.get("function"));
    let observation = cx.at_line(&format!(".{place}"));
    let mut outcome = Outcome {
        id: cx.opt_string(message.get("tool_call_id").or_else(|| message.get("id"))),
        name: cx.opt_string(message.get("name").filter(|name| !name.is_null()).or(repeated)),
        positional: true,
        arguments: cx.arguments(call.and_then(|call| call.get("args"))),
        observed_at: logged.map_or(Span::default(), |logged| cx.time(Some(logged))),
        observation,
        ..Outcome::default()
    };
    // No type of the API has this member; who writes it says with null or false that there was no error.
    let (signal, failed) = match message.get("error").map(Value::kind) {
        None => (Signal::NoneRecorded, false),
        Some(ValueKind::Null) => (Signal::Exception, false),
        Some(ValueKind::Bool(failed)) => (Signal::Flag, failed),
        Some(ValueKind::String(text)) => {
            cx.notes.str("error", first_line(text));
            (Signal::Exception, true)
        }
        Some(_) => (Signal::Exception, true),
    };
    let content = message.get("content");
    let form = cx.texts.any(content, "", cx.members, cx.notes);
    let form = if content.is_some() { form } else { Form::Absent };
    let mut reading = cx.reading(Class::ANY, Kind::Json, form, signal);
    reading.failed = failed;
    outcome.readings.push(reading);
    cx.result(Scope::Line, outcome);
}
