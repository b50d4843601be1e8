//! OpenAI: chat message arrays, Responses items and responses, spans of the Agents SDK. Not Codex, which wraps items
//! in records of its own.
//!
//! None of them records whether a tool succeeded, except for hosted tools and spans: silence is neither.

mod chat;
mod responses;
mod spans;

use super::Cx;
use crate::value::{Pointer, Value};

/// Reads a record; `messages` says where the messages of a run file are.
pub(super) fn read(record: Value<'_>, messages: Option<&Pointer>, cx: &mut Cx<'_>) {
    if let Some(pointer) = messages {
        return match pointer.resolve(record).and_then(Value::as_array) {
            Some(messages) => chat::messages(messages, None, cx),
            None => cx.skipped(),
        };
    }
    if let Some(messages) = record.as_array() {
        return chat::messages(messages, None, cx);
    }
    let Some(object) = record.as_object() else { return cx.skipped() };
    match object.get("object").and_then(Value::as_str) {
        Some("trace.span") => return spans::read(object, cx),
        Some("response") => return responses::response(object, cx),
        Some("chat.completion.chunk") => return chat::chunk(object, cx),
        _ => {}
    }
    if object.has("messages") || object.has("choices") {
        return chat::record(object, None, cx);
    }
    if let Some(kind) = object.get("type").and_then(Value::as_str) {
        return responses::bare(object, kind, cx);
    }
    let part = |key| object.get(key).and_then(Value::as_object);
    match (part("request"), part("response")) {
        (None, None) if object.has("input") => responses::request(object, cx),
        (None, None) => cx.skipped(),
        (request, response)
            if [request, response]
                .iter()
                .flatten()
                .any(|part| part.has("messages") || part.has("choices")) =>
        {
            if let Some(request) = request {
                chat::record(request, object.get("timestamp"), cx);
            }
            if let Some(response) = response {
                chat::record(response, None, cx);
            }
        }
        (request, response) => {
            if let Some(request) = request {
                responses::request(request, cx);
            }
            if let Some(response) = response {
                responses::response(response, cx);
            }
        }
    }
}
