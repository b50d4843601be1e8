//! Every sample in `fixtures/traces/<format>/*.jsonl` gives exactly the inputs of the `.expected.jsonl` beside it.
//!
//! `BLESS=1 cargo test --test import_samples` writes the expected files anew; the review is `git diff`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use sealpipe::import::detect::detect;
use sealpipe::import::{Bounds, Counts, Events, Format, Importer, Inputs, Pairing, Scratch};
use sealpipe::value::{Parser, Pointer};

/// A folder of samples, how it is read, and what its tricky lines show.
struct Sample {
    file: &'static str,
    format: Format,
    /// Where the messages are, for run files.
    messages: Option<&'static str>,
    /// Calls, results, results without call, unanswered, duplicates, skipped, broken.
    counts: [u64; 7],
    /// The line of the sample, a pointer into the input that comes from it, the value there, and what that shows.
    /// A value of `-` means that the member must be absent, `no input` that nothing comes from the line. Where a line gives several inputs any one may hold it.
    shows: &'static [(u64, &'static str, &'static str, &'static str)],
}

const SAMPLES: &[Sample] = &[
    Sample {
        file: "anthropic/messages.jsonl",
        format: Format::Anthropic,
        messages: None,
        counts: [15, 13, 0, 2, 0, 0, 0],
        shows: &[
            (1, "/tool_call_id", "toolu_01B", "results of a batch come in any order"),
            (1, "/metadata/protocol_conflict", "true", "`is_error` of a kind that has no flag of its own"),
            (1, "/metadata/blocks", "text:1,image:1", "a picture is counted, never read as text"),
            (1, "/metadata/payload_form", "absent", "a result without content"),
            (1, "/metadata/pairing", "unanswered", "a conversation that is cut before its result"),
            (2, "/source_ref", "mcp:echo", "the MCP connector names its server"),
            (2, "/isError", "false", "where it is recorded"),
            (3, "/exit_code", "0", "`return_code` is a real exit code"),
            (4, "/metadata/error_code", "unavailable", "a server tool's error has a type, no flag"),
            (4, "/metadata/protocol_conflict", "true", "and is a failure all the same"),
            (5, "/metadata/payload_form", "empty", "no hits are a present, empty result"),
            (6, "/metadata/caller", "direct", "who called"),
            (6, "/metadata/pairing", "unanswered", "a response that ends in a call"),
            (7, "/isError", "true", "a failure in the kind's own member"),
        ],
    },
    Sample {
        file: "anthropic/managed-agent-events.jsonl",
        format: Format::Anthropic,
        messages: None,
        counts: [5, 5, 0, 0, 0, 1, 0],
        shows: &[
            (2, "/observed_at", "2026-07-06T16:26:38.120281Z", "events carry their time"),
            (4, "/tool_name", "get_weather", "a custom tool is answered by the user"),
            (7, "/kind", "mcp", "an MCP server's result"),
            (10, "/kind", "claim_only", "a denied call was never dispatched, whatever answers it"),
            (10, "/metadata/reason", "denied", "and says so"),
            (12, "/metadata/payload_form", "blocks", "a document is data"),
        ],
    },
    Sample {
        file: "openai/chat-messages.jsonl",
        format: Format::OpenAi,
        messages: None,
        counts: [11, 9, 0, 2, 0, 0, 0],
        shows: &[
            (
                1,
                "/arguments/date",
                "2024-05-20",
                "an id that is used again belongs to the call announced last",
            ),
            (1, "/tool_name", "search_onestop_flight", "the second call of the reused id"),
            (1, "/tool_name", "calculate", "the first id again, many messages later"),
            (1, "/body", "255.0", "a number in text is read as a number"),
            (
                2,
                "/observation_id",
                "openai/chat-messages.jsonl#L2.2",
                "results come in another order than calls",
            ),
            (2, "/body", r#"{"order_id":"A-1009","status":"shipped"}"#, "JSON text split over text parts"),
            (2, "/metadata/payload_form", "python_repr", "a Python repr stays text"),
            (2, "/arguments", "select 1", "a custom call has text for arguments"),
            (3, "/arguments", r#"{"order_id": "A-1009""#, "arguments that are no JSON stay text"),
            (
                3,
                "/body",
                r#""Error: arguments are not valid JSON""#,
                "plain text is a string, and no failure is inferred from it",
            ),
            (3, "/metadata/error_signal", "none_recorded", "nothing says whether it succeeded"),
            (3, "/metadata/pairing", "unanswered", "a conversation that is cut"),
            (4, "/metadata/pairing", "positional", "calls of 2023 have no ids"),
            (5, "/metadata/finish_reason", "tool_calls", "a log line with a completion"),
            (5, "/observed_at", "-", "a completion's time dates the call, not a result"),
        ],
    },
    Sample {
        file: "openai/responses-items.jsonl",
        format: Format::OpenAi,
        messages: None,
        counts: [14, 16, 4, 2, 0, 0, 0],
        shows: &[
            (1, "/source_ref", "mcp:zip1", "an MCP call of the provider, in one item"),
            (1, "/observed_at", "2025-12-22T20:14:20Z", "a hosted tool is dated by its response's end"),
            (1, "/isError", "-", "success has no flag of its own"),
            (2, "/metadata/pairing", "unanswered", "a request for approval is an announcement"),
            (3, "/exit_code", "0", "a real exit code"),
            (6, "/tool_call_id", "call_s2", "outputs in another order than calls"),
            (6, "/metadata/blocks", "input_text:1,input_image:1", "a picture is counted, not read"),
            (7, "/metadata/status", "-", "an output without status"),
            (8, "/metadata/pairing", "none", "a null id matches nothing, and no open call has its name"),
            (8, "/truncated", "true", "an incomplete output"),
            (10, "/body", "[(42,)]", "a Python repr stays text"),
            (11, "/text", "index offline", "the error's own content"),
            (11, "/isError", "true", "a failed MCP call"),
            (12, "/metadata/error", "424: failed dependency", "errors of older SDKs are strings"),
            (13, "/metadata/error_code", "503", "a status of the transport is metadata"),
            (15, "/metadata/pairing", "positional", "an output that repeats no call id"),
            (15, "/exit_code", "0", "in JSON text"),
            (16, "/exit_code", "-", "a timeout has no exit code"),
            (16, "/metadata/protocol_conflict", "true", "and is a failure"),
            (16, "/observation_id", "sho_1#1", "an input for each command"),
            (17, "/kind", "claim_only", "a search whose result is not recorded"),
            (18, "/body", r#"[{"logs":"42\n","type":"logs"}]"#, "logs are data"),
            (19, "/metadata/reason", "content_not_captured", "null results are unknown results"),
            (20, "/metadata/protocol_conflict", "true", "a patch that failed"),
            (21, "/metadata/call_status", "in_progress", "a call being written when the log ends"),
        ],
    },
    Sample {
        file: "openai-agents/trace-items.jsonl",
        format: Format::OpenAi,
        messages: None,
        counts: [2, 2, 0, 0, 0, 1, 0],
        shows: &[
            (2, "/metadata/payload_form", "python_repr", "the SDK records str() of a value"),
            (2, "/tool_call_id", "-", "there is no call id"),
            (3, "/metadata/protocol_conflict", "true", "a span with an error"),
            (3, "/source_ref", "mcp:crm", "a recorded server"),
        ],
    },
    Sample {
        file: "tau-bench/trajectories.jsonl",
        format: Format::OpenAi,
        messages: Some("/traj"),
        counts: [12, 12, 0, 0, 0, 0, 0],
        shows: &[],
    },
    Sample {
        file: "agentdojo/runs.jsonl",
        format: Format::OpenAi,
        messages: Some("/messages"),
        counts: [12, 12, 0, 0, 0, 0, 0],
        shows: &[],
    },
    Sample {
        file: "claude-code/session-v2.1.jsonl",
        format: Format::ClaudeCode,
        messages: None,
        counts: [15, 15, 1, 1, 0, 8, 0],
        shows: &[
            (
                8,
                "/body/file/content",
                "def total(x):
    return round(x, 1)
",
                "what the tool returned, not the numbered text with reminders",
            ),
            (10, "/exit_code", "1", "a failed command's text begins with its exit code"),
            (10, "/stderr", "-", "the streams are merged in that text"),
            (11, "/metadata/reason", "cancelled", "a sibling's failure is no result"),
            (13, "/exit_code", "-", "no exit code is made of a success"),
            (13, "/metadata/exit_code_recorded", "false", "and it says so"),
            (
                15,
                "/metadata/return_code_interpretation",
                "No matches found",
                "a code other than 0 behind `is_error: false`",
            ),
            (17, "/metadata/reason", "receipt", "a background task's receipt is not its outcome"),
            (17, "/kind", "claim_only", "so nothing was observed"),
            (19, "/truncated", "true", "output that was saved elsewhere"),
            (21, "/metadata/reason", "rejected", "a person said no"),
            (24, "/kind", "mcp", "an MCP server's tool by its name"),
            (24, "/source_ref", "mcp:crm", "and its server"),
            (24, "/isError", "-", "no flag is written for a success"),
            (26, "/isError", "true", "a failed MCP call"),
            (28, "/status_code", "200", "a status that is recorded"),
            (30, "/metadata/sidechain", "true", "a subagent's result in the parent's file"),
            (30, "/metadata/pairing", "none", "whose call is not recorded there"),
            (31, "/body/content/0/text", "One usage: src/a.py:3", "a finished task"),
            (33, "/metadata/task_id", "ae499f1", "an agent that was launched, not one that answered"),
            (35, "/body", "null", "a picture is nothing to read"),
            (37, "", "no input", "a summary repeats claims and is no evidence"),
            (38, "/metadata/pairing", "unanswered", "the last call"),
        ],
    },
    Sample {
        file: "claude-code/stream-json.jsonl",
        format: Format::ClaudeCode,
        messages: None,
        counts: [1, 1, 0, 0, 0, 1, 0],
        shows: &[
            (3, "/observed_at", "-", "older streams have no times"),
            (3, "/body/stdout", "total.py", "the tool's own object, under its other name"),
        ],
    },
    Sample {
        file: "claude-code/subagents-agent-ae499f1.jsonl",
        format: Format::ClaudeCode,
        messages: None,
        counts: [1, 1, 0, 0, 0, 1, 0],
        shows: &[(3, "/metadata/agent", "ae499f1", "a subagent's own file")],
    },
    Sample {
        file: "codex/rollout-limited.jsonl",
        format: Format::Codex,
        messages: None,
        counts: [14, 13, 0, 1, 0, 8, 0],
        shows: &[
            (7, "/exit_code", "1", "JSON text with an exit code"),
            (10, "/truncated", "true", "lines were left out"),
            (10, "/arguments/command", "seq 1 9999", "outputs in another order than calls"),
            (11, "/stdout", " M total.py", "the header is not part of the output"),
            (11, "/metadata/streams_merged", "true", "what went to which stream is not recorded"),
            (13, "/metadata/duration_seconds", "0.0512", "the unified shell's header"),
            (15, "/metadata/reason", "running", "a process that has not ended has no exit code"),
            (
                17,
                "/arguments",
                "*** Begin Patch
*** Update File: total.py
@@
-    return round(x, 1)
+    return round(x, 2)
*** End Patch",
                "a custom call has text for arguments",
            ),
            (19, "/structuredContent/state", "open", "an MCP result as structured content"),
            (19, "/isError", "-", "`isError` is lost in a rollout"),
            (21, "/text", "Entity not found: Ticket", "an MCP result as content blocks"),
            (23, "/metadata/blocks", "input_text:1,input_image:1", "a list of items"),
            (25, "/metadata/error_signal", "none_recorded", "a dispatch failure is text like any other"),
            (27, "/body", "exec command rejected by user", "what no shell printed is not data"),
            (28, "/kind", "claim_only", "a search whose result is not recorded"),
            (31, "/metadata/reason", "aborted", "an aborted call"),
            (33, "/metadata/pairing", "unanswered", "a call at the end"),
        ],
    },
    Sample {
        file: "codex/rollout-extended-paginated.jsonl",
        format: Format::Codex,
        messages: None,
        counts: [4, 4, 0, 0, 2, 3, 0],
        shows: &[
            (
                4,
                "/stderr",
                "ls: /nonexistent: No such file or directory
",
                "the event keeps the streams apart",
            ),
            (4, "/origin/duplicates", "[5]", "the item says the same again"),
            (
                4,
                "/observation_id",
                "1240ce06-59dd-36bf-72d9-74002ebc9857#3",
                "ordinals of paginated histories",
            ),
            (7, "/isError", "true", "which the item would have lost"),
            (7, "/tool_name", "mcp__crm__get_ticket", "a namespace and a name"),
            (9, "/metadata/protocol_conflict", "true", "a call that got no result of the server"),
            (9, "/isError", "-", "is no tool's error"),
            (10, "/body/success", "true", "a patch, known by its event only"),
        ],
    },
    Sample {
        file: "codex/exec-json-stream.jsonl",
        format: Format::Codex,
        messages: None,
        counts: [3, 3, 0, 0, 0, 4, 0],
        shows: &[
            (4, "/exit_code", "1", "an item that was started and completed"),
            (4, "/origin/call_line", "3", "is one call"),
            (5, "/structuredContent/id", "T-8", "an MCP call"),
            (6, "/metadata/protocol_conflict", "true", "and one that failed"),
        ],
    },
    Sample {
        file: "otel-genai/otlp-file-exporter.jsonl",
        format: Format::Otel,
        messages: None,
        counts: [15, 14, 0, 1, 4, 0, 0],
        shows: &[
            (
                1,
                "/metadata/payload_form",
                "json_string_literal",
                "a string that is a JSON string: quoted twice",
            ),
            (1, "/metadata/pairing", "record", "a span is the call and its result"),
            (1, "/observed_at", "2025-12-17T09:37:40.552Z", "nanoseconds, at the end of the call"),
            (2, "", "no input", "the model's input repeats the call and the result: duplicates"),
            (3, "/body/items/0/qty", "2", "a key-value list with 64-bit integers in strings"),
            (3, "/metadata/exception_type", "TimeoutError", "an exception in an event"),
            (3, "/metadata/protocol_conflict", "true", "and no result at all"),
            (3, "/metadata/reason", "content_not_captured", "it ran, but what it returned was not recorded"),
            (3, "/metadata/payload_form", "text", "JSON cut off by the SDK's limit is never data"),
            (4, "/metadata/result_attribute", "gcp.vertex.agent.tool_response", "a vendor's own attribute"),
            (4, "/body", "{\"greeting\": \"Hello there\"}", "and not the wrapper in `output.value`"),
            (5, "/metadata/result_attribute", "tool_response", "a span without an operation's name"),
            (5, "/metadata/protocol_conflict", "true", "a retry prompt in the result of a failed call"),
            (6, "/arguments/day", "2026-01-05", "arguments in an attribute each"),
            (6, "/tool_call_id", "-", "no id is made up"),
            (7, "/arguments/dimensions/0", "Month", "the tool's name as id: two spans are two calls"),
            (7, "/arguments/dimensions/0", "Campaign", "of which the first failed in a way no flag tells"),
            (7, "/metadata/payload_form", "empty", "a pseudo-tool that returns null"),
            (8, "", "no input", "the server's span, read with the client's"),
            (9, "/isError", "true", "three spans of one call: the client's whole result is read"),
            (9, "/tool_call_id", "call_mcp1", "with the id that only the agent's span has"),
            (9, "/origin/duplicates/0", "8", "and the lines of the other two"),
            (9, "/metadata/jsonrpc_error_code", "-32602", "an unknown tool: the protocol's failure"),
            (9, "/isError", "-", "which is no `isError`"),
            (10, "/metadata/pairing", "unanswered", "a call that was announced and never ran"),
        ],
    },
    Sample {
        file: "otel-genai/otlp-dialects.jsonl",
        format: Format::Otel,
        messages: None,
        counts: [3, 3, 0, 0, 1, 1, 0],
        shows: &[
            (1, "/body", "\"rain, 7 C\"", "the result in an event, as before version 1.37"),
            (1, "/metadata/error_signal", "none_recorded", "a message tells no failure"),
            (2, "/origin/span_id", "ee859b25e84dfcb6", "base64 ids, names of enums"),
            (2, "/metadata/protocol_conflict", "true", "`STATUS_CODE_ERROR`"),
            (3, "/origin/trace_id", "de2d91dc0a2580414e9a70f7dfc76af7", "hex in capitals, numbers for times"),
            (3, "/body", "42", "an integer as a number"),
            (3, "/tool_call_id", "-", "null is no id"),
            (3, "/source_ref", "trace:otel", "nothing tells who"),
            (4, "", "no input", "metrics"),
            (5, "", "no input", "a log record repeats the message"),
        ],
    },
    Sample {
        file: "openinference/otlp-tool-spans.jsonl",
        format: Format::OpenInference,
        messages: None,
        counts: [10, 10, 0, 0, 0, 0, 0],
        shows: &[
            (1, "/metadata/result_attribute", "output.value", "plain text without a type"),
            (2, "/tool_call_id", "call_lc1", "the id inside a serialised message"),
            (
                2,
                "/body",
                "[{\"title\": \"Leave\", \"url\": \"https://handbook.example/leave\"}]",
                "its content",
            ),
            (2, "/arguments", "{'query': 'leave policy'}", "Python's repr stays text"),
            (2, "/metadata/exception_type", "sqlite3.OperationalError", "an exception"),
            (2, "/metadata/tool_message_status", "error", "a failure inside a span with status OK"),
            (3, "/metadata/payload_form", "python_repr", "never evaluated"),
            (
                4,
                "/arguments/args/0",
                "https://example.test",
                "arguments, not the schema in `tool.parameters`",
            ),
            (5, "/truncated", "true", "a hidden value"),
            (5, "/arguments", "-", "hidden arguments are none"),
            (5, "/metadata/status_message", "Abandoned", "a call that was given up"),
            (5, "/kind", "json", "a name alone makes no MCP result"),
            (6, "/metadata/read_from", "message", "a result that only a model's messages tell"),
            (6, "/observed_at", "2025-12-17T09:37:49Z", "before the model was asked"),
        ],
    },
    Sample {
        file: "openinference/phoenix-rest-spans.jsonl",
        format: Format::OpenInference,
        messages: None,
        counts: [10, 10, 0, 0, 0, 0, 0],
        shows: &[
            (1, "/observed_at", "2025-12-17T09:37:40.003000+00:00", "ISO times"),
            (3, "/metadata/status", "ERROR", "a status in words"),
            (10, "/tool_call_id", "call_oi1", "messages flattened into names"),
        ],
    },
    Sample {
        file: "openinference/phoenix-dataframe-records.jsonl",
        format: Format::OpenInference,
        messages: None,
        counts: [10, 10, 0, 0, 0, 0, 0],
        shows: &[
            (1, "/observed_at", "2025-12-17T09:37:40.003Z", "milliseconds"),
            (4, "/tool_call_id", "call_lc3", "most cells are null"),
            (10, "/tool_call_id", "call_oi1", "messages in a list with dotted names"),
        ],
    },
    Sample {
        file: "mcp-jsonrpc/raw-stdio.jsonl",
        format: Format::Mcp,
        messages: None,
        counts: [10, 10, 0, 0, 1, 4, 0],
        shows: &[
            (9, "/tool_call_id", "\"q-3\"", "an id that is a string stays one"),
            (9, "/isError", "true", "the tool's own failure"),
            (9, "/source_ref", "mcp:crm", "the server named itself"),
            (10, "/source_version", "3.2.1", "with its version"),
            (10, "/outputSchema/required/1", "state", "from `tools/list` of the same log"),
            (10, "/tool_call_id", "2", "the server's own request 2 is another one"),
            (12, "/metadata/jsonrpc_error_code", "-32602", "the other error channel"),
            (12, "/metadata/protocol_conflict", "true", "which `isError` cannot tell"),
            (15, "/metadata/blocks", "image:1,resource_link:1,resource:1", "no text at all"),
            (15, "/metadata/is_error", "absent", "which means false, and is kept"),
            (17, "/metadata/reason", "cancelled", "no result came"),
            (19, "", "no input", "the receipt of a task"),
            (21, "/tool_call_id", "7", "the task's result answers the call that started it"),
            (21, "/origin/duplicates/0", "19", "and names the receipt"),
            (23, "/structuredContent/1/id", "2", "any JSON value, since 2026-07-28"),
            (23, "/metadata/request_protocol_version", "2026-07-28", "said with the request"),
            (25, "/kind", "claim_only", "`input_required` is no result"),
            (27, "/tool_name", "b", "a batch, out of order"),
            (27, "/metadata/payload_form", "empty", "no content is a present, empty result"),
        ],
    },
    Sample {
        file: "mcp-jsonrpc/wrapped-log.jsonl",
        format: Format::Mcp,
        messages: None,
        counts: [3, 3, 0, 0, 0, 1, 0],
        shows: &[
            (4, "/observed_at", "2026-01-05T09:00:03.021Z", "the wrapper's time"),
            (4, "/metadata/session", "8267461134f24305", "and session"),
            (5, "/source_version", "-", "nothing told the server's version"),
            (7, "/metadata/error_message", "Unknown tool: nope", "a protocol error"),
        ],
    },
    Sample {
        file: "langsmith/runs.jsonl",
        format: Format::LangSmith,
        messages: None,
        counts: [9, 7, 0, 2, 0, 1, 0],
        shows: &[
            (3, "/tool_call_id", "call_l1", "the id is in the message that the tool returned"),
            (3, "/origin/call_line", "2", "and pairs with the model's call"),
            (3, "/arguments/order_id", "A-1009", "as announced, for the run has only Python's repr"),
            (3, "/metadata/artifact", "true", "what the model was not shown is only noted"),
            (3, "/observed_at", "2026-01-05T09:00:01.120000Z", "no offset means UTC here"),
            (4, "/tool_call_id", "-", "a mapping as output, no id"),
            (5, "/arguments", "refund window", "a tool of one text"),
            (6, "/metadata/exception_type", "ZeroDivisionError", "a failed run"),
            (7, "/metadata/protocol_conflict", "true", "a handled error in a run that succeeded"),
            (8, "/metadata/handoff", "true", "a command that carries the message"),
            (9, "/metadata/reason", "pending", "no end"),
            (2, "/metadata/reason", "invalid_arguments", "announced, never dispatched"),
            (2, "/tool_name", "cancel_order", "announced, and no run of it"),
        ],
    },
    Sample {
        file: "langsmith/ingest-post-patch.jsonl",
        format: Format::LangSmith,
        messages: None,
        counts: [1, 1, 0, 0, 0, 0, 0],
        shows: &[
            (2, "/arguments/order_id", "A-1009", "from the record of the start"),
            (2, "/observed_at", "2026-01-05T09:00:01.120Z", "milliseconds"),
            (2, "/tool_call_id", "-", "the run's id is not the call's"),
        ],
    },
    Sample {
        file: "langsmith/langchain-messages.jsonl",
        format: Format::LangSmith,
        messages: None,
        counts: [3, 3, 0, 0, 0, 0, 1],
        shows: &[
            (1, "/body", "\"sunny\"", "`dumps`"),
            (
                2,
                "/metadata/payload_form",
                "json_text",
                "`messages_to_dict`; text that lists blocks stays text",
            ),
            (3, "/body", "\"wind\"", "`model_dump`, content in blocks"),
            (4, "/kind", "unreadable", "only Python's repr was written"),
        ],
    },
    Sample {
        file: "langfuse/ui-export-observations.jsonl",
        format: Format::Langfuse,
        messages: None,
        counts: [13, 15, 2, 0, 0, 0, 0],
        shows: &[
            (1, "/metadata/json_levels", "1", "JSON text in the output"),
            (2, "/kind", "json", "blocks alone make no MCP result"),
            (4, "/metadata/result_attribute", "gcp.vertex.agent.tool_response", "where the output is `{}`"),
            (6, "/tool_call_id", "call_DgKARp7a7IhJPDczfifMp6Ra", "a vendor's attribute"),
            (7, "/tool_name", "ByeTool", "a span that its attributes make a tool's"),
            (9, "/tool_call_id", "call_lg1", "messages in a node's input"),
            (9, "/tool_call_id", "call_1oGK863sxQHlPreFhDdEs3yl", "and in its output"),
            (9, "/metadata/pairing", "none", "whose calls are not in the export"),
            (10, "/arguments/topic", "programming", "values that are no text"),
            (12, "/metadata/reason", "content_not_captured", "spans of one call without output"),
            (14, "/metadata/status_message", "Error: card declined", "level ERROR"),
        ],
    },
    Sample {
        file: "langfuse/blob-export-observations.jsonl",
        format: Format::Langfuse,
        messages: None,
        counts: [9, 11, 2, 0, 0, 0, 0],
        shows: &[
            (1, "/observed_at", "2025-12-17T09:37:40.551000Z", "no offset means UTC here"),
            (4, "/body", "{\"greeting\": \"Hello there\"}", "attributes as JSON text within metadata"),
            (7, "/metadata/application_version", "0.3.0", "not the tool's"),
            (10, "/metadata/protocol_conflict", "true", "level ERROR"),
        ],
    },
];

fn traces() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/traces")
}

/// Imports a text in one go.
#[expect(clippy::unwrap_used, reason = "a helper of tests")]
fn import(format: Format, messages: Option<&str>, name: &str, text: &[u8]) -> (Inputs, Counts) {
    let mut importer = Importer::new(format);
    if let Some(pointer) = messages {
        importer = importer.messages(Pointer::parse(pointer).unwrap());
    }
    let mut pairing = Pairing::new(format, Bounds::default());
    let (mut scratch, mut events, mut inputs) = (Scratch::default(), Events::default(), Inputs::default());
    pairing.start_file(Some(name));
    for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
        events.clear();
        importer.read(line, index as u64 + 1, &mut scratch, &mut events);
        pairing.feed(&events, &mut inputs);
    }
    pairing.end_file(&mut inputs);
    pairing.finish(&mut inputs);
    let counts = pairing.counts();
    (inputs, counts)
}

fn listed(counts: Counts) -> [u64; 7] {
    let Counts { calls, results, without_call, unanswered, evicted, duplicates, skipped, broken } = counts;
    assert_eq!(evicted, 0);
    [calls, results, without_call, unanswered, duplicates, skipped, broken]
}

#[test]
fn samples_give_the_expected_inputs() {
    let bless = std::env::var_os("BLESS").is_some();
    for sample in SAMPLES {
        let path = traces().join(sample.file);
        let expected = path.with_extension("expected.jsonl");
        let (inputs, _) = import(sample.format, sample.messages, sample.file, &fs::read(&path).unwrap());
        if bless {
            fs::write(&expected, inputs.bytes()).unwrap();
        }
        let wanted = fs::read_to_string(&expected).unwrap_or_default();
        let given = std::str::from_utf8(inputs.bytes()).unwrap();
        for (index, (given, wanted)) in given.lines().zip(wanted.lines()).enumerate() {
            assert_eq!(given, wanted, "{}: input {}", sample.file, index + 1);
        }
        assert_eq!(given.lines().count(), wanted.lines().count(), "{}", sample.file);
    }
}

#[test]
fn tricky_lines_show_what_they_are_made_for() {
    let mut failures = Vec::new();
    for sample in SAMPLES {
        let text = fs::read(traces().join(sample.file)).unwrap();
        let (inputs, counts) = import(sample.format, sample.messages, sample.file, &text);
        if listed(counts) != sample.counts {
            failures.push(format!("{}: counts {:?}, not {:?}", sample.file, listed(counts), sample.counts));
        }
        let mut by_line: BTreeMap<u64, Vec<serde_json::Value>> = BTreeMap::new();
        for (input, line) in inputs.iter() {
            by_line.entry(input.line).or_default().push(serde_json::from_slice(line).unwrap());
        }
        for (line, pointer, wanted, shows) in sample.shows {
            let given: Vec<String> = by_line.get(line).map_or_else(Vec::new, |inputs| {
                let value = |input: &serde_json::Value| match input.pointer(pointer) {
                    None => "-".to_owned(),
                    Some(serde_json::Value::String(text)) => text.clone(),
                    Some(other) => other.to_string(),
                };
                inputs.iter().map(value).collect()
            });
            let none = given.is_empty() && *wanted == "no input";
            if !none && !given.iter().any(|given| given == wanted) {
                failures
                    .push(format!("{}:{line}: {pointer} is {given:?}, not {wanted:?}: {shows}", sample.file));
            }
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn no_input_repeats_a_key_or_invents_evidence() {
    let mut parser = Parser::default();
    for sample in SAMPLES {
        let text = fs::read(traces().join(sample.file)).unwrap();
        let (inputs, _) = import(sample.format, sample.messages, sample.file, &text);
        for (input, line) in inputs.iter() {
            let document = parser.parse(line).unwrap();
            assert!(!document.has_duplicate_keys(), "{}:{}", sample.file, input.line);
            let object = document.root().as_object().unwrap();
            for absent in ["evidence_refs", "target_ref", "claim_type"] {
                assert!(!object.has(absent), "{}:{}: {absent}", sample.file, input.line);
            }
            assert!(input.fault.is_some() || object.has("source_ref"), "{}:{}", sample.file, input.line);
        }
    }
}

#[test]
fn the_first_record_of_a_sample_tells_its_format() {
    let mut parser = Parser::default();
    for sample in SAMPLES.iter().filter(|sample| sample.messages != Some("/traj")) {
        let text = fs::read(traces().join(sample.file)).unwrap();
        let first = text.split(|byte| *byte == b'\n').next().unwrap();
        let document = parser.parse(first).unwrap();
        assert_eq!(detect(document.root()), Some(sample.format), "{}", sample.file);
    }
}
