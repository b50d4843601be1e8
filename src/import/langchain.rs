//! LangChain messages in the four ways that they are serialised, wherever they turn up. Finds no calls of its own.

use super::Class;
use super::Cx;
use super::event::{Form, Reading, Signal, Span};
use crate::input::Kind;
use crate::value::{Object, Value};

/// A message that announces calls or carries a result.
#[derive(Debug, Clone, Copy)]
pub(super) enum Message<'t> {
    /// A model's message: its members.
    Ai(Object<'t>),
    /// A tool's result: its members.
    Tool(Object<'t>),
    /// A tool's result of which only Python's `repr` was written.
    Unreadable,
    /// Somebody else's.
    Other,
}

/// Tells what message a value is: `dumps` (`lc` 1), `messages_to_dict` (`data`), `model_dump` (flat), or the text that
/// `dumps` leaves of what it cannot write.
pub(super) fn message(value: Value<'_>) -> Option<Message<'_>> {
    let object = value.as_object()?;
    let kind = object.get("type").and_then(Value::as_str);
    if object.has("lc") {
        let class = object.get("id")?.as_array()?.iter().last()?.as_str()?;
        return match (kind?, class) {
            ("constructor", _) => {
                let kwargs = object.get("kwargs")?.as_object()?;
                Some(of_kind(class, kwargs))
            }
            (_, "ToolMessage") => Some(Message::Unreadable),
            // A class of the application's own.
            (_, _)
                if object
                    .get("repr")
                    .and_then(Value::as_str)
                    .is_some_and(|repr| repr.contains("tool_call_id=")) =>
            {
                Some(Message::Unreadable)
            }
            _ => Some(Message::Other),
        };
    }
    let kind = kind.or_else(|| object.get("role").and_then(Value::as_str))?;
    match object.get("data").and_then(Value::as_object) {
        Some(data) if !object.has("content") => Some(of_kind(kind, data)),
        _ if object.has("content") => Some(of_kind(kind, object)),
        _ => None,
    }
}

fn of_kind<'t>(kind: &str, members: Object<'t>) -> Message<'t> {
    match kind {
        "ai" | "assistant" | "AIMessage" | "AIMessageChunk" => Message::Ai(members),
        "tool" | "ToolMessage" | "ToolMessageChunk" => Message::Tool(members),
        _ => Message::Other,
    }
}

/// Returns the members of a tool's message, where a value is one.
pub(super) fn tool_message(value: Value<'_>) -> Option<Object<'_>> {
    match message(value)? {
        Message::Tool(members) if members.has("tool_call_id") => Some(members),
        _ => None,
    }
}

/// Walks the calls that a model's message announces: those to be made, and those whose arguments were no JSON.
pub(super) fn calls(message: Object<'_>) -> impl Iterator<Item = (Object<'_>, bool)> {
    let list = move |key| {
        let list = message.get(key).and_then(Value::as_array);
        list.into_iter().flat_map(|list| list.iter()).filter_map(Value::as_object)
    };
    let invalid = list("invalid_tool_calls").map(|call| (call, false));
    list("tool_calls").map(|call| (call, true)).chain(invalid)
}

/// Reads the name and the arguments of a call, LangChain's or `OpenAI`'s.
pub(super) fn call(call: Object<'_>, cx: &mut Cx<'_>) -> (String, Span) {
    let function = call.get("function").and_then(Value::as_object);
    let name = call.get("name").or_else(|| function?.get("name")).and_then(Value::as_str);
    let arguments = call.get("args").or_else(|| function?.get("arguments"));
    (name.unwrap_or_default().to_owned(), cx.arguments(arguments))
}

/// Reads the result in a tool's message: what the model was shown. `artifact`, what it was not shown, is only noted.
pub(super) fn reading(message: Object<'_>, cx: &mut Cx<'_>) -> Reading {
    let form = cx.texts.any(message.get("content"), "\n", cx.members, cx.notes);
    finish(message, form, cx)
}

/// Adds what a tool's message says beside its content.
pub(super) fn finish(message: Object<'_>, form: Form, cx: &mut Cx<'_>) -> Reading {
    let status = message.get("status").and_then(Value::as_str);
    cx.notes.opt_str("tool_message_status", status);
    if message.get("artifact").is_some_and(|artifact| !artifact.is_null()) {
        cx.notes.bool("artifact", true);
    }
    let mut reading = cx.reading(Class::ANY, Kind::Json, form, Signal::Status);
    reading.failed = status == Some("error");
    reading
}
