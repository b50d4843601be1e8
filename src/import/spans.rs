//! Spans about tools, whichever convention and vendor named their attributes: OTLP's and Phoenix's records are turned
//! into [`SpanRecord`]s elsewhere, and read here.
//!
//! One span is a call and its result. Of several spans of one call, and the messages of model calls, one is read:
//!
//! | rank | record |
//! |---|---|
//! | 6 | an MCP client's span that has the whole result of the protocol |
//! | 5 | the agent's span, with a result or a failure; it settles the call |
//! | 4, 3 | an MCP client's span, an MCP server's span, with a result or a failure |
//! | 2 | a message of a later model call |
//! | 1 | any span that has neither: it ran, but nothing that it returned is known |

mod attributes;
mod messages;

use smallvec::SmallVec;

pub(super) use attributes::{Attributes, Key};
pub(super) use messages::{log, read as read_messages};

use super::event::{Class, Form, Locator, Outcome, Reading, Scope, Signal, Span, Way};
use super::otlp::Attr;
use super::payload::first_line;
use super::{Cx, langchain};
use crate::input::Kind;
use crate::value::{Object, Parser, Value};

/// What stands for a value that `OpenInference`'s privacy settings hide.
const REDACTED: &str = "__REDACTED__";

/// A span, whatever wrote it.
#[derive(Default)]
pub(super) struct SpanRecord<'t> {
    /// Lower-case hex, or as it is.
    pub(super) trace: &'t str,
    pub(super) span: &'t str,
    /// Empty for the root of a trace.
    pub(super) parent: &'t str,
    pub(super) name: &'t str,
    /// The span is the server's side of a remote call.
    pub(super) server: bool,
    pub(super) start: Option<String>,
    pub(super) end: Option<String>,
    /// `OK`, `ERROR`, or empty where it is unset.
    pub(super) status: &'static str,
    pub(super) status_message: Option<&'t str>,
    pub(super) exception_type: Option<&'t str>,
    pub(super) exception_message: Option<&'t str>,
    pub(super) service: &'t str,
    pub(super) service_version: &'t str,
    pub(super) instrumentation: &'t str,
    pub(super) instrumentation_version: &'t str,
    pub(super) schema_url: Option<&'t str>,
    pub(super) attributes: Attributes<'t>,
    /// OTLP's list of events.
    pub(super) events: Option<Value<'t>>,
}

/// Whose span it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Agent,
    McpClient,
    McpServer,
}

impl<'t> SpanRecord<'t> {
    fn text(&self, key: Key) -> Option<&'t str> {
        self.attributes.get(key).and_then(Attr::as_str)
    }

    fn any_text(&self, keys: &[Key]) -> Option<&'t str> {
        keys.iter().find_map(|key| self.text(*key).filter(|text| !text.is_empty()))
    }

    /// Returns true for the span of a tool's call.
    pub(super) fn is_tool(&self) -> bool {
        use Key::{
            AiOperation, AiToolName, GenkitSubtype, LangSmithKind, LiveKitOutput, McpMethod, MlflowType,
            OpenInferenceKind, Operation, ToolName, TraceloopKind,
        };
        if let Some(method) = self.text(McpMethod) {
            return method == "tools/call";
        }
        match self.text(Operation) {
            Some("execute_tool") => return true,
            Some(_) => return false,
            None => {}
        }
        self.name.starts_with("execute_tool ")
            || self.text(OpenInferenceKind).map_or(self.text(ToolName).is_some(), |kind| kind == "TOOL")
            || self.text(TraceloopKind) == Some("tool")
            || self.text(LangSmithKind) == Some("tool")
            || self.text(GenkitSubtype) == Some("tool")
            || self.text(MlflowType).is_some_and(|kind| kind.trim_matches('"') == "TOOL")
            || self.text(AiOperation) == Some("ai.toolCall")
            || self.text(AiToolName).is_some()
            || self.attributes.get(LiveKitOutput).is_some()
    }

    /// Returns true for a span of the Model Context Protocol.
    pub(super) fn is_mcp(&self) -> bool {
        self.side() != Side::Agent
            || self.instrumentation.split(['.', '-', '_', '/']).any(|word| word == "mcp")
    }

    fn side(&self) -> Side {
        match self.text(Key::McpMethod) {
            None => Side::Agent,
            Some(_) if self.server => Side::McpServer,
            Some(_) => Side::McpClient,
        }
    }

    pub(super) fn tool(&self) -> &'t str {
        use Key::{AiToolName, LiveKitName, OpenInferenceName, ToolName, TraceloopName};
        if let Some(name) =
            self.any_text(&[ToolName, OpenInferenceName, AiToolName, TraceloopName, LiveKitName])
        {
            return name;
        }
        let prefixes = ["execute_tool ", "running tool: "];
        // Some instruments say before the method what they do with it.
        let called = || self.name.split_once("tools/call ").map(|(_, tool)| tool);
        let bare = prefixes.iter().find_map(|prefix| self.name.strip_prefix(prefix)).or_else(called);
        let bare = bare.unwrap_or(self.name);
        match self.text(Key::TraceloopKind) {
            Some(_) => bare.strip_suffix(".tool").unwrap_or(bare),
            None => bare,
        }
    }

    pub(super) fn id(&self) -> Option<&'t str> {
        use Key::{AiToolId, CallId, LiveKitId, OpenInferenceCallId, OpenInferenceId};
        self.any_text(&[CallId, OpenInferenceId, OpenInferenceCallId, AiToolId, LiveKitId])
    }

    fn failed(&self) -> bool {
        self.status == "ERROR"
            || self.attributes.get(Key::ErrorType).is_some()
            || self.exception_type.is_some()
    }

    /// The conversation within which ids pair: the trace.
    pub(super) fn scope(&self, cx: &mut Cx<'_>) -> Scope {
        if self.trace.is_empty() { Scope::File } else { Scope::Global(cx.string(self.trace)) }
    }

    pub(super) fn locator(&self, suffix: &str, cx: &mut Cx<'_>) -> Locator {
        match (self.trace, self.span) {
            ("", _) | (_, "") => cx.at_line(suffix),
            (trace, span) => Locator::Whole(cx.joined(&[trace, "/", span, suffix])),
        }
    }

    /// Who produced the result, from recorded names: the server that was asked, else the service and its instrument.
    /// Not the session of the protocol: no two runs share one, so no contract could name it.
    pub(super) fn source(&self, format: &str, cx: &mut Cx<'_>) -> Span {
        let side = self.side();
        let server = self.text(Key::ServerAddress).filter(|server| !server.is_empty());
        match (side, server, self.service, self.instrumentation) {
            (Side::McpClient, Some(server), _, _) => cx.joined(&["mcp:", server]),
            (Side::McpServer, _, service, _) if !service.is_empty() => cx.joined(&["mcp:", service]),
            (_, _, "", "") => Span::default(),
            (_, _, "", scope) => cx.joined(&[format, ":", scope]),
            (_, _, service, "") => cx.joined(&[format, ":", service]),
            (_, _, service, scope) => cx.joined(&[format, ":", service, "/", scope]),
        }
    }

    pub(super) fn note(&self, cx: &mut Cx<'_>) {
        let filled = |text: &'t str| Some(text).filter(|text| !text.is_empty());
        let to = &mut *cx.metadata;
        to.opt_str("started_at", self.start.as_deref());
        to.opt_str("status", filled(self.status));
        to.opt_str("status_message", self.status_message.map(first_line).filter(|text| !text.is_empty()));
        to.opt_str("error_type", self.text(Key::ErrorType));
        to.opt_str("exception_type", self.exception_type);
        to.opt_str("exception_message", self.exception_message.map(first_line));
        to.opt_str("service_name", filled(self.service));
        to.opt_str("service_version", filled(self.service_version));
        to.opt_str("scope_name", filled(self.instrumentation));
        to.opt_str("scope_version", filled(self.instrumentation_version));
        to.opt_str("schema_url", self.schema_url);
        for (name, keys) in [
            ("session", &[Key::Session, Key::Conversation][..]),
            ("agent", &[Key::Agent]),
            ("tool_type", &[Key::ToolType]),
            ("mcp_session", &[Key::McpSession]),
            ("mcp_protocol", &[Key::McpProtocol]),
            ("mcp_request_id", &[Key::McpRequest, Key::McpRequestOld]),
            ("rpc_status", &[Key::RpcStatus]),
            ("transport", &[Key::Transport]),
            ("output_mime_type", &[Key::OutputMime]),
        ] {
            to.opt_str(name, self.any_text(keys));
        }
        cx.origin.opt_str("trace_id", filled(self.trace));
        cx.origin.opt_str("span_id", filled(self.span));
        cx.origin.opt_str("parent_span_id", filled(self.parent));
    }

    pub(super) fn arguments(&self, cx: &mut Cx<'_>) -> Span {
        use Key::{
            AdkArguments, AiArguments, Arguments, GenkitInput, Input, InputValue, LiveKitArguments,
            MlflowInputs, PydanticArguments, TraceloopInput,
        };
        let keys = [
            Arguments,
            AdkArguments,
            PydanticArguments,
            AiArguments,
            LiveKitArguments,
            InputValue,
            TraceloopInput,
            MlflowInputs,
            GenkitInput,
            Input,
        ];
        if let Some(found) = keys.iter().find_map(|key| self.attributes.get(*key)) {
            return match found.as_str() {
                Some(REDACTED) => Span::default(),
                Some(text) => cx.arguments_text(text),
                None => cx.written(|out| found.write(out)),
            };
        }
        let parameters: SmallVec<[(&str, Attr<'_>); 4]> = self.attributes.parameters().collect();
        if parameters.is_empty() {
            return Span::default();
        }
        cx.written(|out| {
            for (index, (name, value)) in parameters.iter().enumerate() {
                out.push(if index == 0 { b'{' } else { b',' });
                crate::canon::write_string(name, out);
                out.push(b':');
                value.write(out);
            }
            out.push(b'}');
        })
    }

    /// The attribute that holds the result, and its name where it is a vendor's own.
    pub(super) fn result(&self) -> Option<(Attr<'t>, Option<&'static str>)> {
        use Key::{
            AdkResponse, AiResult, CodeReturn, GenkitOutput, LiveKitOutput, MlflowOutputs, Output,
            OutputValue, PydanticResponse, Result as ToolResult, TraceloopOutput,
        };
        let vendors = [
            AdkResponse,
            PydanticResponse,
            CodeReturn,
            AiResult,
            TraceloopOutput,
            MlflowOutputs,
            OutputValue,
            LiveKitOutput,
            GenkitOutput,
            Output,
        ];
        let standard = self.attributes.get(ToolResult).map(|found| (found, None));
        standard
            .or_else(|| vendors.iter().find_map(|key| Some((self.attributes.get(*key)?, Some(key.name())))))
    }
}

/// Reads a span: of a tool, or of a model call with its messages. `nth` is its place on its line.
pub(super) fn read(record: &SpanRecord<'_>, format: &'static str, nth: usize, cx: &mut Cx<'_>) {
    if record.is_tool() {
        tool(record, format, cx);
    } else {
        messages::read(record, format, nth, cx);
    }
}

fn tool(record: &SpanRecord<'_>, format: &'static str, cx: &mut Cx<'_>) {
    let side = record.side();
    let mut outcome = Outcome { own_call: true, ..Outcome::default() };
    let mut call_id = record.id().map(ToOwned::to_owned);
    let found = record.result();
    let mut whole = false;
    let reading = match (found, side) {
        (None, _) if !record.failed() => {
            cx.notes.bool("dispatch_recorded", true);
            cx.no_evidence(Class::ANY, "content_not_captured", Signal::Status)
        }
        (_, Side::Agent) => json(record, found, &mut call_id, cx),
        (_, Side::McpClient | Side::McpServer) => {
            let (reading, is_whole) = mcp(record, found.map(|(found, _)| found), cx);
            whole = is_whole;
            reading
        }
    };
    let known = reading.kind != Kind::ClaimOnly;
    outcome.rank = match side {
        _ if !known => 1,
        Side::McpClient if whole => 6,
        Side::Agent => 5,
        Side::McpClient => 4,
        Side::McpServer => 3,
    };
    outcome.settles = known && side == Side::Agent;
    outcome.readings.push(Reading { source_ref: record.source(format, cx), ..reading });
    let scope = record.scope(cx);
    outcome.way = Way::Record {
        own: cx.string(record.span),
        parent: cx.string(record.parent),
        first_hand: side == Side::Agent,
    };
    if !record.trace.is_empty() && !record.span.is_empty() {
        outcome.record = cx.joined(&[record.trace, "/", record.span]);
    }
    outcome.id = call_id.map_or(Span::default(), |id| cx.string(&id));
    outcome.name = cx.string(record.tool());
    outcome.arguments = record.arguments(cx);
    outcome.observed_at = record.end.as_deref().map_or(Span::default(), |end| cx.string(end));
    outcome.observation = record.locator("", cx);
    record.note(cx);
    outcome.metadata = cx.take_metadata();
    outcome.origin = cx.take_origin();
    cx.result(scope, outcome);
}

fn signal(record: &SpanRecord<'_>) -> Signal {
    if record.exception_type.is_some() { Signal::Exception } else { Signal::Status }
}

/// Reads the result of an agent's span.
fn json(
    record: &SpanRecord<'_>,
    found: Option<(Attr<'_>, Option<&'static str>)>,
    call_id: &mut Option<String>,
    cx: &mut Cx<'_>,
) -> Reading {
    let mut reading = match found {
        None => cx.reading(Class::ANY, Kind::Json, Form::Absent, signal(record)),
        Some((found, vendor)) => {
            cx.notes.opt_str("result_attribute", vendor);
            let mut reading = payload(found, call_id, cx);
            if !reading.failed {
                reading.signal = signal(record);
            }
            reading
        }
    };
    reading.failed |= record.failed();
    reading
}

/// Reads a payload in an attribute, out of the wrappers that instruments put around it.
pub(super) fn payload(found: Attr<'_>, call_id: &mut Option<String>, cx: &mut Cx<'_>) -> Reading {
    if let Some(text) = found.as_str() {
        return payload_text(text, call_id, cx);
    }
    if let Some(value) = found.as_json() {
        if let Some(reading) = unwrapped(value, call_id, cx) {
            return reading;
        }
        let form = cx.texts.any(Some(value), "\n", cx.members, cx.notes);
        return cx.reading(Class::ANY, Kind::Json, form, Signal::Status);
    }
    cx.members.raw("body", |out| found.write(out));
    let form = if found.is_null() { Form::Empty } else { Form::Structured };
    cx.reading(Class::ANY, Kind::Json, form, Signal::Status)
}

/// Reads a payload that is text.
pub(super) fn payload_text(text: &str, call_id: &mut Option<String>, cx: &mut Cx<'_>) -> Reading {
    let has = |name: &[u8]| memchr::memmem::find(text.as_bytes(), name).is_some();
    let wrapped = text.trim_start().starts_with('{') && (has(b"\"tool_call_id\"") || has(b"\"response\""));
    if wrapped && let Some(Some(reading)) = cx.within(text, |value, cx| unwrapped(value, call_id, cx)) {
        return reading;
    }
    let form = cx.texts.body(text, cx.members);
    let mut reading = cx.reading(Class::ANY, Kind::Json, form, Signal::Status);
    reading.truncated = text == REDACTED;
    reading
}

/// Reads the content of a tool's message, or of a function response, where a value is one.
fn unwrapped(value: Value<'_>, call_id: &mut Option<String>, cx: &mut Cx<'_>) -> Option<Reading> {
    let text = |object: Object<'_>, key| object.get(key).and_then(Value::as_str).map(ToOwned::to_owned);
    if let Some(message) = langchain::tool_message(value) {
        *call_id = call_id.take().or_else(|| text(message, "tool_call_id")).filter(|id| !id.is_empty());
        return Some(langchain::reading(message, cx));
    }
    let object = value.as_object().filter(|object| object.len() == 3 && object.has("name"))?;
    let response = object.get("response").filter(|_| object.has("id"))?;
    *call_id = call_id.take().or_else(|| text(object, "id")).filter(|id| !id.is_empty());
    let form = cx.texts.any(Some(response), "\n", cx.members, cx.notes);
    Some(cx.reading(Class::ANY, Kind::Json, form, Signal::Status))
}

/// Reads the result of an MCP span; returns whether it was the protocol's whole result.
pub(super) fn mcp(record: &SpanRecord<'_>, found: Option<Attr<'_>>, cx: &mut Cx<'_>) -> (Reading, bool) {
    let mut rendered = Vec::new();
    let text = found.map(|found| {
        found.as_str().unwrap_or_else(|| {
            found.write(&mut rendered);
            std::str::from_utf8(&rendered).unwrap_or_default()
        })
    });
    let mut flag = None;
    let result = text.map(|text| {
        let read = |value: Value<'_>, cx: &mut Cx<'_>| {
            let object = value.as_object()?;
            let (content, structured) = (object.get("content"), object.get("structuredContent"));
            (content.is_some() || structured.is_some()).then(|| {
                flag = object.get("isError").and_then(Value::as_bool);
                cx.texts.mcp(content, structured, cx.members, cx.notes)
            })
        };
        match cx.within(text, read).flatten() {
            Some(form) => (form, true),
            None => {
                cx.members.str("text", text);
                (cx.texts.form_of(text).form, false)
            }
        }
    });
    let error_type = record.text(Key::ErrorType);
    let flag = flag.or((error_type == Some("tool_error")).then_some(true));
    if let Some(flag) = flag {
        cx.members.bool("isError", flag);
    }
    let code = error_type.filter(|kind| kind.parse::<i32>().is_ok());
    cx.notes.opt_str("jsonrpc_error_code", code);
    if record.side() == Side::McpServer && !record.service_version.is_empty() {
        cx.members.str("source_version", record.service_version);
    }
    let (form, whole) = result.unwrap_or((Form::Absent, false));
    let signal = match (flag, code) {
        (Some(_), _) => Signal::Flag,
        (None, Some(_)) => Signal::Protocol,
        (None, None) => signal(record),
    };
    let mut reading = cx.reading(Class::ANY, Kind::Mcp, form, signal);
    reading.failed = flag.unwrap_or(false) || record.failed();
    reading.conflict = reading.failed && flag != Some(true);
    (reading, whole)
}

/// Runs `then` on the value of an attribute that is JSON text, or a value of its own.
fn with_value<R>(
    found: Attr<'_>,
    cx: &mut Cx<'_>,
    then: impl FnOnce(Value<'_>, &mut Cx<'_>) -> R,
) -> Option<R> {
    if let Some(text) = found.as_str() {
        return cx.within(text, then);
    }
    if let Some(value) = found.as_json() {
        return Some(then(value, cx));
    }
    let mut rendered = Vec::new();
    found.write(&mut rendered);
    let mut parser = Parser::default();
    parser.parse(&rendered).ok().map(|document| then(document.root(), cx))
}
