//! Tells the formats apart that record spans, runs, observations or the wire.

use crate::import::otlp::{attributes, elements, member};
use crate::import::{Format, mcp};
use crate::value::{Object, Value};

/// Returns the format that a record belongs to, where it is one of these beyond doubt.
pub(super) fn detect(record: Value<'_>) -> Option<Format> {
    if mcp::is_message(record) {
        return Some(Format::Mcp);
    }
    let object = match record.as_array() {
        // A page of records, or a batch.
        Some(list) => list.iter().next()?.as_object()?,
        None => record.as_object()?,
    };
    let has_text = |key: &str| object.get(key).is_some_and(|value| value.as_str().is_some());
    let has_list = |key: &str| object.get(key).is_some_and(|value| value.as_array().is_some());
    if let Some(list) = member(object, "resourceSpans", "resource_spans") {
        return Some(if is_openinference(list) { Format::OpenInference } else { Format::Otel });
    }
    if ["resourceLogs", "resource_logs", "resourceMetrics", "resource_metrics"]
        .iter()
        .any(|key| object.has(key))
        || (has_text("traceId") && has_text("spanId"))
    {
        return Some(Format::Otel);
    }
    if object.has("span_kind") && (object.has("context") || has_text("context.trace_id")) {
        return Some(Format::OpenInference);
    }
    if (has_text("run_type") && (has_text("trace_id") || has_text("dotted_order")))
        || (has_list("post") && has_list("patch"))
        || is_langchain(object)
    {
        return Some(Format::LangSmith);
    }
    let is_page =
        object.get("trace").is_some_and(|trace| trace.as_object().is_some()) && has_list("observations");
    (is_page || is_observation(object)).then_some(Format::Langfuse)
}

/// Returns true where the spans about tools have `OpenInference`'s attributes and none of OpenTelemetry's own.
fn is_openinference(list: Value<'_>) -> bool {
    let scopes =
        elements(Some(list)).flat_map(|resource| elements(member(resource, "scopeSpans", "scope_spans")));
    let (mut kinds, mut own) = (false, false);
    for (key, _) in scopes.flat_map(|scope| elements(scope.get("spans"))).flat_map(attributes) {
        kinds |= key == "openinference.span.kind";
        own |= key.starts_with("gen_ai.");
    }
    kinds && !own
}

fn is_langchain(object: Object<'_>) -> bool {
    let is_message = |object: Object<'_>| {
        let kind = object.get("type").and_then(Value::as_str).unwrap_or_default();
        let typed = matches!(kind, "ai" | "human" | "system" | "tool" | "AIMessageChunk");
        object.has("lc") || (typed && !object.has("role") && (object.has("data") || object.has("content")))
    };
    match object.get("messages") {
        Some(messages) => {
            let mut first = elements(Some(messages)).take(1);
            first.any(is_message)
        }
        None => {
            is_message(object) && (object.has("lc") || object.has("tool_calls") || object.has("tool_call_id"))
        }
    }
}

fn is_observation(object: Object<'_>) -> bool {
    let kind = object.get("type").and_then(Value::as_str).unwrap_or_default();
    let known = matches!(
        kind,
        "SPAN"
            | "GENERATION"
            | "EVENT"
            | "TOOL"
            | "AGENT"
            | "CHAIN"
            | "RETRIEVER"
            | "EVALUATOR"
            | "EMBEDDING"
            | "GUARDRAIL"
    );
    known
        && (object.has("traceId") || object.has("trace_id"))
        && ["startTime", "start_time", "parentObservationId", "parent_observation_id"]
            .iter()
            .any(|key| object.has(key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Parser;

    #[test]
    fn first_records_tell_the_format() {
        let mut parser = Parser::default();
        for (format, records) in [
            (Format::Otel, include_str!("../../../fixtures/traces/otel-genai/otlp-file-exporter.jsonl")),
            (Format::Otel, include_str!("../../../fixtures/traces/otel-genai/otlp-dialects.jsonl")),
            (Format::Otel, include_str!("../../../fixtures/traces/vercel-ai/telemetry-otlp.jsonl")),
            (
                Format::OpenInference,
                include_str!("../../../fixtures/traces/openinference/otlp-tool-spans.jsonl"),
            ),
            (
                Format::OpenInference,
                include_str!("../../../fixtures/traces/openinference/phoenix-rest-spans.jsonl"),
            ),
            (
                Format::OpenInference,
                include_str!("../../../fixtures/traces/openinference/phoenix-dataframe-records.jsonl"),
            ),
            (Format::Mcp, include_str!("../../../fixtures/traces/mcp-jsonrpc/raw-stdio.jsonl")),
            (Format::Mcp, include_str!("../../../fixtures/traces/mcp-jsonrpc/wrapped-log.jsonl")),
            (Format::LangSmith, include_str!("../../../fixtures/traces/langsmith/runs.jsonl")),
            (Format::LangSmith, include_str!("../../../fixtures/traces/langsmith/ingest-post-patch.jsonl")),
            (Format::LangSmith, include_str!("../../../fixtures/traces/langsmith/langchain-messages.jsonl")),
            (
                Format::Langfuse,
                include_str!("../../../fixtures/traces/langfuse/ui-export-observations.jsonl"),
            ),
            (
                Format::Langfuse,
                include_str!("../../../fixtures/traces/langfuse/blob-export-observations.jsonl"),
            ),
        ] {
            // Any record may come first.
            for record in records.lines() {
                let found = detect(parser.parse(record.as_bytes()).unwrap().root());
                assert_eq!(found, Some(format), "{}", record.get(..120).unwrap_or(record));
            }
        }
        for other in [
            "[]",
            "{}",
            "7",
            r#"{"messages":[{"role":"tool","content":"x","tool_call_id":"c"}]}"#,
            r#"{"type":"SPAN","name":"x"}"#,
            r#"{"jsonrpc":"1.0","method":"x"}"#,
            r#"{"message":{"role":"assistant","content":[]},"type":"assistant"}"#,
        ] {
            assert_eq!(detect(parser.parse(other.as_bytes()).unwrap().root()), None, "{other}");
        }
    }
}
