//! Tells formats apart by one record; `--from auto` asks about the first one.
//!
//! A guess rests on members that only one format has. What fits none is described, never guessed.

mod traced;

use super::Format;
use crate::value::{Array, Object, Value};

/// Returns the format that a record belongs to, where it says so beyond doubt.
pub fn detect(record: Value<'_>) -> Option<Format> {
    if let Some(format) = traced::detect(record) {
        return Some(format);
    }
    if let Some(list) = record.as_array() {
        return conversation(list);
    }
    let object = record.as_object()?;
    let text = |key: &str| object.get(key).and_then(Value::as_str);
    let has_text = |key: &str| text(key).is_some();
    match (text("type"), text("object")) {
        (_, Some("response" | "trace" | "trace.span" | "chat.completion" | "chat.completion.chunk")) => {
            return Some(Format::OpenAi);
        }
        (Some(_), _) if has_text("timestamp") && object.get("payload").is_some_and(is_object) => {
            return Some(Format::Codex);
        }
        (Some("thread.started"), _) if has_text("thread_id") => return Some(Format::Codex),
        (Some(kind), _) if kind.starts_with("item.") && object.get("item").is_some_and(is_object) => {
            return Some(Format::Codex);
        }
        (Some(_), _) if has_text("uuid") && (has_text("sessionId") || has_text("session_id")) => {
            return Some(Format::ClaudeCode);
        }
        (Some("summary"), _) if has_text("leafUuid") => return Some(Format::ClaudeCode),
        (Some("file-history-snapshot"), _) if has_text("messageId") => return Some(Format::ClaudeCode),
        (Some("queue-operation"), _) if has_text("sessionId") => return Some(Format::ClaudeCode),
        (Some(kind), _)
            if ["agent.", "user.", "session."].iter().any(|prefix| kind.starts_with(prefix))
                && has_text("processed_at") =>
        {
            return Some(Format::Anthropic);
        }
        (Some(kind), _) if is_item(kind) && (has_text("call_id") || has_text("id")) => {
            return Some(Format::OpenAi);
        }
        _ => {}
    }
    if has_text("role") {
        return message(object).format(text("model"));
    }
    if let Some(messages) = object.get("messages").and_then(Value::as_array) {
        return conversation(messages).or_else(|| Seen::default().format(text("model")));
    }
    ["request", "response"].iter().find_map(|part| detect(object.get(part).filter(|part| is_object(*part))?))
}

fn is_object(value: Value<'_>) -> bool {
    value.as_object().is_some()
}

/// Returns true for the type of an item of the Responses API that only this API has.
fn is_item(kind: &str) -> bool {
    matches!(
        kind,
        "function_call" | "custom_tool_call" | "mcp_call" | "mcp_list_tools" | "mcp_approval_request"
    ) || kind.ends_with("_call_output")
        || kind.ends_with("_search_call")
        || kind.ends_with("shell_call")
        || kind == "code_interpreter_call"
}

/// What messages have that only one of two formats has.
#[derive(Default, Clone, Copy)]
struct Seen {
    openai: bool,
    anthropic: bool,
}

impl Seen {
    fn format(self, model: Option<&str>) -> Option<Format> {
        match (self.openai, self.anthropic) {
            (true, false) => Some(Format::OpenAi),
            (false, true) => Some(Format::Anthropic),
            (true, true) => None,
            (false, false) => match model? {
                model if model.starts_with("claude-") => Some(Format::Anthropic),
                model if model.starts_with("gpt-") => Some(Format::OpenAi),
                _ => None,
            },
        }
    }
}

fn conversation(messages: Array<'_>) -> Option<Format> {
    let mut seen = Seen::default();
    for one in messages.iter().filter_map(Value::as_object).map(message) {
        seen.openai |= one.openai;
        seen.anthropic |= one.anthropic;
    }
    seen.format(None)
}

fn message(message: Object<'_>) -> Seen {
    let role = message.get("role").and_then(Value::as_str);
    let blocks = message.get("content").and_then(Value::as_array);
    let has_block = |kinds: &[&str]| {
        blocks.iter().flat_map(Array::iter).any(|block| {
            let kind = block.as_object().and_then(|block| block.get("type")).and_then(Value::as_str);
            kind.is_some_and(|kind| kinds.contains(&kind))
        })
    };
    Seen {
        openai: matches!(role, Some("system" | "developer" | "tool" | "function"))
            || message.has("tool_calls")
            || message.has("function_call")
            || has_block(&["input_text", "output_text", "image_url"]),
        anthropic: has_block(&["tool_use", "tool_result", "server_tool_use", "mcp_tool_use", "thinking"]),
    }
}

/// Returns the name of the member that holds chat messages, in a record that is of no format itself; only a name that
/// can be part of a JSON Pointer as it is.
pub fn messages_in(record: Value<'_>) -> Option<&str> {
    record.as_object()?.members().find_map(|(name, value)| {
        let plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        (plain && conversation(value.as_array()?) == Some(Format::OpenAi)).then_some(name)
    })
}

/// Describes a record by its shape, for a message about what was seen: no values, only the names of members.
pub fn describe(record: Value<'_>) -> String {
    const NAMES: usize = 8;
    let Some(object) = record.as_object() else { return format!("a JSON {}", record.type_name()) };
    let names: Vec<String> = (object.members())
        .take(NAMES)
        .map(|(name, _)| {
            format!("`{}`", name.chars().take(40).filter(|c| !c.is_control()).collect::<String>())
        })
        .collect();
    let more = if object.len() > NAMES { ", …" } else { "" };
    if names.is_empty() {
        return "an object without members".to_owned();
    }
    format!("an object with {}{more}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Parser;

    #[test]
    fn knows_a_format_by_one_record_or_says_nothing() {
        let mut parser = Parser::default();
        for (record, format) in [
            (
                r#"{"messages":[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[]}]}"#,
                Some(Format::OpenAi),
            ),
            (r#"{"messages":[{"role":"system","content":"a"}]}"#, Some(Format::OpenAi)),
            (r#"[{"role":"tool","content":"a"}]"#, Some(Format::OpenAi)),
            (r#"{"object":"response","output":[]}"#, Some(Format::OpenAi)),
            (r#"{"type":"function_call","call_id":"c","name":"n"}"#, Some(Format::OpenAi)),
            (
                r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":""}]}"#,
                Some(Format::OpenAi),
            ),
            (
                r#"{"request":{"messages":[{"role":"system","content":""}]},"response":{}}"#,
                Some(Format::OpenAi),
            ),
            (r#"{"messages":[{"role":"user","content":[{"type":"tool_result"}]}]}"#, Some(Format::Anthropic)),
            (
                r#"{"type":"message","role":"assistant","model":"claude-x","content":[{"type":"text"}]}"#,
                Some(Format::Anthropic),
            ),
            (r#"{"type":"agent.tool_use","processed_at":"2026-07-06T16:26:35Z"}"#, Some(Format::Anthropic)),
            (r#"{"type":"summary","leafUuid":"u","summary":"s"}"#, Some(Format::ClaudeCode)),
            (r#"{"type":"user","uuid":"u","sessionId":"s","parentUuid":null}"#, Some(Format::ClaudeCode)),
            (r#"{"type":"system","subtype":"init","uuid":"u","session_id":"s"}"#, Some(Format::ClaudeCode)),
            (r#"{"timestamp":"t","type":"session_meta","payload":{}}"#, Some(Format::Codex)),
            (r#"{"type":"thread.started","thread_id":"t"}"#, Some(Format::Codex)),
            // Beyond doubt, or not at all.
            (r#"{"messages":[{"role":"user","content":"a"}]}"#, None),
            (r#"{"messages":[{"role":"tool"},{"role":"user","content":[{"type":"tool_result"}]}]}"#, None),
            (r#"{"type":"user","uuid":"u"}"#, None),
            (r#"{"type":"summary"}"#, None),
            (r#"{"timestamp":"t","type":"x","payload":1}"#, None),
            (r#"{"kind":"json","body":"{}"}"#, None),
            (r#"{"traj":[]}"#, None),
            ("[]", None),
            ("7", None),
        ] {
            let document = parser.parse(record.as_bytes()).unwrap();
            assert_eq!(detect(document.root()), format, "{record}");
        }
    }

    #[test]
    fn finds_the_messages_of_a_run_file() {
        let mut parser = Parser::default();
        for (record, member) in [
            (r#"{"id":1,"traj":[{"role":"system","content":""}]}"#, Some("traj")),
            (r#"{"id":1,"a/b":[{"role":"system","content":""}]}"#, None),
            (r#"{"id":1,"traj":[{"role":"user","content":""}]}"#, None),
            (r#"{"id":1}"#, None),
        ] {
            let document = parser.parse(record.as_bytes()).unwrap();
            assert_eq!(messages_in(document.root()), member, "{record}");
        }
    }

    #[test]
    fn describes_a_record_without_its_values() {
        let mut parser = Parser::default();
        for (record, expected) in [
            (r#"{"kind":"json","body":"secret"}"#, "an object with `kind`, `body`"),
            ("{}", "an object without members"),
            ("[1]", "a JSON array"),
            (
                r#"{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1}"#,
                "an object with `a`, `b`, `c`, `d`, `e`, `f`, `g`, `h`, …",
            ),
        ] {
            let document = parser.parse(record.as_bytes()).unwrap();
            assert_eq!(describe(document.root()), expected, "{record}");
        }
    }
}
