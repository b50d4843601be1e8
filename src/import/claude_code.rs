//! Claude Code: session transcripts, of the main agent and of subagents, and the stream of `--output-format
//! stream-json`. A session and an agent in it are the scope.
//!
//! What a tool returned is read from `toolUseResult`, which holds it as the tool made it; the text beside it was made
//! for the model. A command's exit code is recorded only for failures, in the text. What answers a refused or
//! cancelled call comes from the harness, and a background task's receipt is not its outcome: all `claim_only`.
//! Exchanges of a subagent also appear inside the parent's `progress` records; they are known by their call's id, so
//! that a subagent's own file does not count them again.

use super::Cx;
use super::event::{Call, Class, Form, Locator, Outcome, Reading, Scope, Signal, Span};
use super::tool_name::mcp_server;
use crate::input::Kind;
use crate::value::{Array, Integer, Kind as ValueKind, Object, Value};

const SHELL: Class = Class(1);
const WEB_FETCH: Class = Class(2);
const MCP: Class = Class(3);

/// The members of a record that matter, found in one pass.
#[derive(Default, Clone, Copy)]
struct Line<'t> {
    kind: &'t str,
    uuid: &'t str,
    session: &'t str,
    agent: &'t str,
    version: &'t str,
    sidechain: bool,
    timestamp: Option<Value<'t>>,
    message: Option<Object<'t>>,
    tool_result: Option<Value<'t>>,
    data: Option<Object<'t>>,
    /// The record is one of the stream, which ends with a `result`.
    stream: bool,
}

impl<'t> Line<'t> {
    fn of(record: Object<'t>) -> Self {
        let mut line = Self::default();
        for (name, value) in record.members() {
            let text = || value.as_str().unwrap_or_default();
            match name {
                "type" => line.kind = text(),
                "uuid" => line.uuid = text(),
                "sessionId" => line.session = text(),
                "session_id" => (line.session, line.stream) = (text(), true),
                "agentId" => line.agent = text(),
                "parent_tool_use_id" if value.as_str().is_some() => {
                    (line.agent, line.sidechain) = (text(), true);
                }
                "version" => line.version = text(),
                "isSidechain" => line.sidechain = value.as_bool() == Some(true),
                "timestamp" => line.timestamp = Some(value),
                "message" => line.message = value.as_object(),
                "toolUseResult" | "tool_use_result" => line.tool_result = Some(value),
                "data" => line.data = value.as_object(),
                _ => {}
            }
        }
        line
    }

    /// Notes whose record it is.
    fn whose(&self, cx: &mut Cx<'_>) {
        for (name, text) in [("session", self.session), ("agent", self.agent), ("cli_version", self.version)]
        {
            cx.metadata.opt_str(name, Some(text).filter(|text| !text.is_empty()));
        }
        if self.sidechain {
            cx.metadata.bool("sidechain", true);
        }
    }
}

pub(super) fn read(record: Value<'_>, cx: &mut Cx<'_>) {
    let Some(record) = record.as_object() else { return cx.skipped() };
    let line = Line::of(record);
    match line.kind {
        "assistant" | "user" => exchange(&line, cx),
        "progress" => progress(&line, cx),
        "result" if line.stream => {
            let scope = scope(&line, cx);
            cx.end(scope);
        }
        _ => cx.skipped(),
    }
}

/// A subagent's message within the parent's transcript.
fn progress(line: &Line<'_>, cx: &mut Cx<'_>) {
    let Some(data) = line.data else { return };
    if data.get("type").and_then(Value::as_str) != Some("agent_progress") {
        return;
    }
    let Some(nested) = data.get("message").and_then(Value::as_object) else { return };
    let nested = Line {
        session: line.session,
        agent: data.get("agentId").and_then(Value::as_str).unwrap_or_default(),
        version: line.version,
        sidechain: true,
        ..Line::of(nested)
    };
    if matches!(nested.kind, "assistant" | "user") {
        exchange(&nested, cx);
    }
}

fn scope(line: &Line<'_>, cx: &mut Cx<'_>) -> Scope {
    match (line.session, line.agent) {
        ("", _) => Scope::File,
        (session, "") => Scope::Named(cx.string(session)),
        (session, agent) => Scope::Named(cx.joined(&[session, "/", agent])),
    }
}

fn exchange(line: &Line<'_>, cx: &mut Cx<'_>) {
    let Some(message) = line.message else { return };
    let Some(blocks) = message.get("content").and_then(Value::as_array) else { return };
    for (at, block) in blocks.iter().enumerate() {
        let Some(block) = block.as_object() else { continue };
        match block.get("type").and_then(Value::as_str) {
            Some("tool_use") => call(line, message, block, at, cx),
            Some("tool_result") => result(line, block, at, cx),
            _ => {}
        }
    }
}

fn locator(line: &Line<'_>, at: usize, cx: &mut Cx<'_>) -> Locator {
    let mut number = itoa::Buffer::new();
    let number = number.format(at);
    match (line.session, line.uuid) {
        ("", _) | (_, "") => cx.at_line(&format!(".{number}")),
        (session, uuid) => Locator::Whole(cx.joined(&[session, "/", uuid, "#", number])),
    }
}

/// What makes a block of a record the same block when it comes again.
fn record(line: &Line<'_>, id: Span, what: &str, at: usize, block: Object<'_>, cx: &mut Cx<'_>) -> Span {
    let mut number = itoa::Buffer::new();
    if line.sidechain && !id.is_empty() {
        let id = block.get(if what == "call" { "id" } else { "tool_use_id" });
        return cx.joined(&[what, ":", line.agent, ":", id.and_then(Value::as_str).unwrap_or_default()]);
    }
    if line.uuid.is_empty() {
        return Span::default();
    }
    cx.joined(&[line.uuid, "#", number.format(at)])
}

fn call(line: &Line<'_>, message: Object<'_>, block: Object<'_>, at: usize, cx: &mut Cx<'_>) {
    let name = block.get("name").and_then(Value::as_str).unwrap_or_default();
    let server = mcp_server(name);
    let scope = scope(line, cx);
    line.whose(cx);
    let unanswered = cx.take_metadata();
    cx.metadata.scalar("model", message.get("model"));
    cx.origin.opt_str("call_uuid", Some(line.uuid).filter(|uuid| !uuid.is_empty()));
    let id = cx.opt_string(block.get("id"));
    let call = Call {
        id,
        name: cx.string(name),
        class: match (name, server) {
            ("Bash", _) => SHELL,
            ("WebFetch", _) => WEB_FETCH,
            (_, Some(_)) => MCP,
            _ => Class::ANY,
        },
        batch: cx.line(),
        record: record(line, id, "call", at, block, cx),
        arguments: cx.arguments(block.get("input")),
        source_ref: server.map_or(Span::default(), |server| cx.joined(&["mcp:", server])),
        observation: locator(line, at, cx),
        metadata: cx.take_metadata(),
        unanswered,
        origin: cx.take_origin(),
        ..Call::default()
    };
    cx.call(scope, call);
}

fn result(line: &Line<'_>, block: Object<'_>, at: usize, cx: &mut Cx<'_>) {
    let scope = scope(line, cx);
    line.whose(cx);
    cx.metadata.scalar("is_error", block.get("is_error"));
    cx.origin.opt_str("uuid", Some(line.uuid).filter(|uuid| !uuid.is_empty()));
    let id = cx.opt_string(block.get("tool_use_id"));
    let mut outcome = Outcome {
        id,
        record: record(line, id, "result", at, block, cx),
        observed_at: cx.time(line.timestamp),
        observation: locator(line, at, cx),
        metadata: cx.take_metadata(),
        origin: cx.take_origin(),
        ..Outcome::default()
    };
    let returned = Returned::of(block, line.tool_result);
    returned.readings(&mut outcome, cx);
    cx.result(scope, outcome);
}

/// What a result record holds: the text for the model, and what the tool itself returned.
struct Returned<'t> {
    content: Option<Value<'t>>,
    /// The text, or the first block of text.
    text: &'t str,
    tool: Option<Value<'t>>,
    flag: Option<Value<'t>>,
    failed: bool,
}

impl<'t> Returned<'t> {
    fn of(block: Object<'t>, tool: Option<Value<'t>>) -> Self {
        let content = block.get("content");
        let text = match content.map(Value::kind) {
            Some(ValueKind::String(text)) => text,
            Some(ValueKind::Array(blocks)) => {
                blocks.iter().find_map(super::payload::text_of).unwrap_or_default()
            }
            _ => "",
        };
        let flag = block.get("is_error").filter(|flag| !flag.is_null());
        let failed = flag.is_some_and(|flag| flag.as_bool() != Some(false));
        Self { content, text, tool: tool.filter(|tool| !tool.is_null()), flag, failed }
    }

    fn readings(&self, outcome: &mut Outcome, cx: &mut Cx<'_>) {
        if let Some(reason) = self.no_evidence() {
            if let Some(task) = self.member("backgroundTaskId").or_else(|| self.member("agentId")) {
                cx.notes.scalar("task_id", Some(task));
            }
            let reading = cx.no_evidence(Class::ANY, reason, Signal::Flag);
            outcome.readings.push(reading);
            return;
        }
        let from = outcome.readings.len();
        if self.failed {
            self.failure(outcome, cx);
        } else {
            self.success(outcome, cx);
        }
        let truncated = self.truncated();
        for reading in outcome.readings.iter_mut().skip(from) {
            reading.truncated = truncated;
        }
    }

    fn member(&self, name: &str) -> Option<Value<'t>> {
        self.tool?.as_object()?.get(name).filter(|value| !value.is_null())
    }

    /// Why the record is no result of the tool, if it is none.
    fn no_evidence(&self) -> Option<&'static str> {
        let tool = self.tool.and_then(Value::as_str).unwrap_or_default();
        if self.failed {
            let refused = "The user doesn't want to proceed with this tool use.";
            let sibling = "Sibling tool call errored";
            return match () {
                () if tool == "User rejected tool use" || self.text.starts_with(refused) => Some("rejected"),
                () if self.text.starts_with("[Request interrupted by user") => Some("interrupted"),
                () if tool == sibling
                    || self
                        .text
                        .strip_prefix("<tool_use_error>")
                        .is_some_and(|text| text.starts_with(sibling)) =>
                {
                    Some("cancelled")
                }
                () => None,
            };
        }
        let status = self.member("status").and_then(Value::as_str);
        let launched = matches!(status, Some("async_launched" | "remote_launched"));
        let told = ["Command running in background with ID", "Async agent launched"];
        let receipt = launched
            || self.member("backgroundTaskId").is_some()
            || told.iter().any(|told| self.text.starts_with(told));
        receipt.then_some("receipt")
    }

    fn truncated(&self) -> bool {
        let yes = |name| self.member(name).is_some_and(|value| value.as_bool() == Some(true));
        self.text.starts_with("<persisted-output>")
            || self.member("persistedOutputPath").is_some()
            || self.member("appliedLimit").is_some()
            || yes("truncated")
            || yes("truncatedByTokenCap")
            || yes("interrupted")
    }

    fn failure(&self, outcome: &mut Outcome, cx: &mut Cx<'_>) {
        let form = cx.texts.any(self.content, "\n", cx.members, cx.notes);
        let mut reading = cx.reading(Class::ANY, Kind::Json, form, Signal::Flag);
        reading.failed = true;
        outcome.readings.push(reading);
        if let Some((code, printed)) = exit_code(self.text) {
            cx.members.raw("exit_code", |out| out.extend_from_slice(code.as_bytes()));
            let form = cx.texts.stdout(printed, cx.members);
            cx.notes.bool("streams_merged", true);
            let mut reading = cx.reading(SHELL, Kind::Stdio, form, Signal::ExitCode);
            reading.failed = true;
            outcome.readings.push(reading);
        }
        let mut reading = self.mcp(self.content, None, cx);
        reading.failed = true;
        outcome.readings.push(reading);
    }

    fn success(&self, outcome: &mut Outcome, cx: &mut Cx<'_>) {
        let Some(tool) = self.tool else {
            cx.notes.str("payload_source", "content");
            let form = cx.texts.any(self.content, "\n", cx.members, cx.notes);
            outcome.readings.push(cx.reading(Class::ANY, Kind::Json, form, Signal::Flag));
            let mcp = self.mcp(self.content, None, cx);
            outcome.readings.push(mcp);
            return;
        };
        let Some(object) = tool.as_object() else {
            let form = cx.texts.any(Some(tool), "\n", cx.members, cx.notes);
            outcome.readings.push(cx.reading(Class::ANY, Kind::Json, form, Signal::Flag));
            let mcp = self.mcp(Some(tool), None, cx);
            outcome.readings.push(mcp);
            return;
        };
        cx.notes.scalar("interrupted", object.get("interrupted"));
        cx.notes.scalar("return_code_interpretation", object.get("returnCodeInterpretation"));
        let picture = object.get("type").and_then(Value::as_str) == Some("image")
            || object.get("isImage").and_then(Value::as_bool) == Some(true);
        if object.has("stdout") {
            cx.notes.bool("exit_code_recorded", false);
        }
        let reading = if picture {
            cx.members.raw("body", |out| out.extend_from_slice(b"null"));
            cx.notes.str("blocks", "image:1");
            cx.reading(Class::ANY, Kind::Json, Form::Blocks, Signal::Flag)
        } else {
            cx.members.value("body", tool);
            cx.reading(Class::ANY, Kind::Json, Form::Structured, Signal::Flag)
        };
        outcome.readings.push(reading);
        let code = object.get("code").filter(|code| matches!(code.kind(), ValueKind::Integer(_)));
        if let (Some(code), Some(page)) = (code, object.get("result").and_then(Value::as_str)) {
            cx.members.value("status_code", code);
            let form = cx.texts.body(page, cx.members);
            cx.notes.scalar("url", object.get("url"));
            let mut reading = cx.reading(WEB_FETCH, Kind::HttpJson, form, Signal::Status);
            reading.failed = !matches!(code.kind(), ValueKind::Integer(Integer::Signed(code)) if (200..400).contains(&code));
            outcome.readings.push(reading);
        }
        if object.has("structuredContent")
            || object.get("content").is_some_and(|content| content.as_array().is_some_and(all_typed))
        {
            let mcp = self.mcp(object.get("content").or(self.content), object.get("structuredContent"), cx);
            outcome.readings.push(mcp);
        }
    }

    /// The way to read the result of an MCP server's tool.
    fn mcp(&self, content: Option<Value<'_>>, structured: Option<Value<'_>>, cx: &mut Cx<'_>) -> Reading {
        let form = cx.texts.mcp(content, structured, cx.members, cx.notes);
        if let Some(flag) = self.flag {
            cx.members.value("isError", flag);
        }
        cx.reading(MCP, Kind::Mcp, form, Signal::Flag)
    }
}

fn all_typed(blocks: Array<'_>) -> bool {
    blocks.iter().all(|block| block.as_object().is_some_and(|block| block.has("type")))
}

/// Returns the exit code at the start of a failed command's text, as digits, and what follows its line.
fn exit_code(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("Exit code ")?;
    let (code, printed) = rest.split_once('\n').unwrap_or((rest, ""));
    let digits = code.strip_prefix('-').unwrap_or(code);
    let number = !digits.is_empty() && digits.len() <= 10 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let canonical = digits == "0" || !digits.starts_with('0');
    (number && canonical && code != "-0").then_some((code, printed))
}

#[cfg(test)]
mod tests {
    use super::exit_code;

    #[test]
    fn reads_an_exit_code_only_where_one_stands() {
        for (text, expected) in [
            ("Exit code 1\n..F\n1 failed", Some(("1", "..F\n1 failed"))),
            ("Exit code 127", Some(("127", ""))),
            ("Exit code -1\n", Some(("-1", ""))),
            ("Exit code 1 or so\n", None),
            ("Exit code \n", None),
            ("Exit code 01\n", None),
            ("Error: Exit code 1\n", None),
            ("exit code 1\n", None),
            ("Exit code 99999999999\n", None),
        ] {
            assert_eq!(exit_code(text), expected, "{text:?}");
        }
    }
}
