//! The attributes of a span that say something of tools, by whoever named them.

use crate::import::otlp::Attr;

macro_rules! keys {
    ($($key:ident = $name:literal,)*) => {
        /// An attribute that is read.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(in crate::import) enum Key { $(#[doc = concat!("`", $name, "`")] $key,)* }

        impl Key {
            const ALL: &[Self] = &[$(Self::$key,)*];

            fn of(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$key),)* _ => None }
            }

            /// Returns the attribute's name.
            pub(in crate::import) const fn name(self) -> &'static str {
                match self { $(Self::$key => $name,)* }
            }
        }
    };
}

keys! {
    // OpenTelemetry's conventions for generative AI, and for the Model Context Protocol.
    Operation = "gen_ai.operation.name",
    ToolName = "gen_ai.tool.name",
    CallId = "gen_ai.tool.call.id",
    ToolType = "gen_ai.tool.type",
    Arguments = "gen_ai.tool.call.arguments",
    Result = "gen_ai.tool.call.result",
    InputMessages = "gen_ai.input.messages",
    OutputMessages = "gen_ai.output.messages",
    Conversation = "gen_ai.conversation.id",
    Agent = "gen_ai.agent.name",
    ErrorType = "error.type",
    McpMethod = "mcp.method.name",
    McpSession = "mcp.session.id",
    McpProtocol = "mcp.protocol.version",
    McpRequest = "jsonrpc.request.id",
    McpRequestOld = "mcp.request.id",
    RpcStatus = "rpc.response.status_code",
    ServerAddress = "server.address",
    Transport = "network.transport",
    Session = "session.id",
    // OpenInference.
    OpenInferenceKind = "openinference.span.kind",
    OpenInferenceName = "tool.name",
    OpenInferenceId = "tool.id",
    OpenInferenceCallId = "tool_call.id",
    InputValue = "input.value",
    OutputValue = "output.value",
    OutputMime = "output.mime_type",
    // Google's Agent Development Kit.
    AdkArguments = "gcp.vertex.agent.tool_call_args",
    AdkResponse = "gcp.vertex.agent.tool_response",
    // pydantic-ai before its third naming.
    PydanticArguments = "tool_arguments",
    PydanticResponse = "tool_response",
    // google-genai's instrument.
    CodeReturn = "code.function.return.value",
    // Vercel's AI SDK.
    AiOperation = "ai.operationId",
    AiToolName = "ai.toolCall.name",
    AiToolId = "ai.toolCall.id",
    AiArguments = "ai.toolCall.args",
    AiResult = "ai.toolCall.result",
    // OpenLLMetry.
    TraceloopKind = "traceloop.span.kind",
    TraceloopName = "traceloop.entity.name",
    TraceloopInput = "traceloop.entity.input",
    TraceloopOutput = "traceloop.entity.output",
    // MLflow.
    MlflowType = "mlflow.spanType",
    MlflowInputs = "mlflow.spanInputs",
    MlflowOutputs = "mlflow.spanOutputs",
    // LangSmith, LiveKit, Genkit, and what names no one.
    LangSmithKind = "langsmith.span.kind",
    LiveKitName = "lk.function_tool.name",
    LiveKitId = "lk.function_tool.id",
    LiveKitArguments = "lk.function_tool.arguments",
    LiveKitOutput = "lk.function_tool.output",
    GenkitSubtype = "genkit:metadata:subtype",
    GenkitInput = "genkit:input",
    GenkitOutput = "genkit:output",
    Input = "input",
    Output = "output",
    // What OpenTelemetry's conventions before 1.37 put into events.
    OldToolCalls = "tool_calls",
    OldId = "id",
    OldContent = "content",
    OldMessage = "message",
}

/// The attributes that are read, each once: the last of its name.
pub(in crate::import) struct Attributes<'t> {
    found: [Option<Attr<'t>>; Key::ALL.len()],
    /// Messages and parameters whose place is in the attribute's name.
    flat: Vec<(&'t str, Attr<'t>)>,
}

impl Default for Attributes<'_> {
    fn default() -> Self {
        Self { found: [None; Key::ALL.len()], flat: Vec::new() }
    }
}

impl<'t> Attributes<'t> {
    /// Keeps an attribute that is read; null counts as absent.
    pub(in crate::import) fn add(&mut self, name: &'t str, value: Attr<'t>) {
        if value.is_null() {
            return;
        }
        if let Some(key) = Key::of(name) {
            self.found[key as usize] = Some(value);
        } else if name.starts_with("llm.") || name.starts_with("code.function.parameters.") {
            self.flat.push((name, value));
        }
    }

    /// Returns an attribute.
    pub(in crate::import) fn get(&self, key: Key) -> Option<Attr<'t>> {
        self.found[key as usize]
    }

    /// Walks attributes whose names begin with `prefix`, with what follows it.
    pub(super) fn flat(&self, prefix: &str) -> impl Iterator<Item = (&'t str, Attr<'t>)> {
        self.flat.iter().filter_map(move |(name, value)| Some((name.strip_prefix(prefix)?, *value)))
    }

    /// Walks the arguments that google-genai's instrument writes one by one.
    pub(super) fn parameters(&self) -> impl Iterator<Item = (&'t str, Attr<'t>)> {
        self.flat("code.function.parameters.")
            .filter_map(|(name, value)| Some((name.strip_suffix(".value")?, value)))
    }
}
