//! Traces made by the real SDKs are imported and decided: counts, kinds, payload forms, decisions. The traces and the
//! versions that made them: `fixtures/traces/sdk/README.md`.

#![expect(clippy::unwrap_used, reason = "these are tests, and their helpers")]

use std::fs;
use std::path::{Path, PathBuf};

use sealpipe::import::detect::detect;
use sealpipe::import::{Bounds, Counts, Events, Format, Importer, Inputs, Pairing, Scratch};
use sealpipe::value::Parser;
use sealpipe::{Contract, Timestamp, check};
use serde_json::{Value, json};

fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/traces/sdk").join(file)
}

/// Imports files of one format, one after the other, as one run.
fn import(format: Format, files: &[&str]) -> (Vec<Value>, Counts) {
    let importer = Importer::new(format);
    let mut pairing = Pairing::new(format, Bounds::default());
    let (mut scratch, mut events, mut inputs) = (Scratch::default(), Events::default(), Inputs::default());
    for file in files {
        pairing.start_file(Some(file));
        for (index, line) in fs::read(path(file)).unwrap().split(|byte| *byte == b'\n').enumerate() {
            events.clear();
            importer.read(line, index as u64 + 1, &mut scratch, &mut events);
            pairing.feed(&events, &mut inputs);
        }
        pairing.end_file(&mut inputs);
    }
    pairing.finish(&mut inputs);
    let inputs = inputs.iter().map(|(_, line)| serde_json::from_slice(line).unwrap()).collect();
    (inputs, pairing.counts())
}

/// Decides an input with a contract of version 1 that asks for a payload from its source and nothing more.
fn decide(input: &Value) -> String {
    let contract = json!({
        "schema_version": "1", "claim_type": "found", "required_fields": [], "freshness": {"mode": "not_required"},
        "source_ref": input.get("source_ref").unwrap_or(&json!("none")), "target_ref": "orders",
    });
    let contract = Contract::from_json(contract.to_string().as_bytes()).unwrap();
    // No trace says what a result is about; who decides does.
    let mut input = input.clone();
    input["target_ref"] = json!("orders");
    let decision = check(input.to_string().as_bytes(), &contract, Timestamp::parse(NOW).unwrap());
    if decision.is_sealed() {
        return "sealed".to_owned();
    }
    let reason = decision.reasons()[0].code();
    decision
        .truth_state()
        .map_or_else(|| format!("rejected {reason}"), |state| format!("{} {reason}", state.name()))
}

/// One SDK's trace.
struct Trace {
    format: Format,
    files: &'static [&'static str],
    /// Calls, results, results without call, unanswered, duplicates, broken.
    counts: [u64; 6],
    /// Tool, kind, pairing, payload form, decision, of each input in order.
    inputs: &'static [[&'static str; 5]],
}

const NOW: &str = "2026-12-01T00:00:00Z";

const TRACES: &[Trace] = &[
    Trace {
        format: Format::Otel,
        files: &["otel-sdk.jsonl"],
        counts: [6, 5, 0, 1, 2, 0],
        inputs: &[
            ["get_order", "json", "record", "json_text", "sealed"],
            ["list_slots", "json", "record", "structured", "sealed"],
            ["get_customer", "json", "record", "absent", "unknown PROTOCOL_CONFLICT"],
            ["refund", "json", "record", "absent", "unknown PROTOCOL_CONFLICT"],
            ["send_receipt", "claim_only", "record", "-", "unknown NO_DISPATCH"],
            ["cancel_order", "claim_only", "unanswered", "-", "unknown NO_DISPATCH"],
        ],
    },
    Trace {
        format: Format::Otel,
        files: &["pydantic-ai-v2.jsonl"],
        counts: [5, 5, 0, 0, 14, 0],
        inputs: &[
            ["get_order", "json", "id", "json_text", "sealed"],
            ["motto", "json", "id", "text", "sealed"],
            ["book_room", "json", "id", "text", "unknown PROTOCOL_CONFLICT"],
            ["book_room", "json", "id", "text", "sealed"],
            ["divide", "json", "id", "absent", "unknown PROTOCOL_CONFLICT"],
        ],
    },
    Trace {
        format: Format::Otel,
        files: &["pydantic-ai-v5.jsonl"],
        counts: [5, 5, 0, 0, 14, 0],
        inputs: &[
            ["get_order", "json", "id", "json_text", "sealed"],
            ["motto", "json", "id", "text", "sealed"],
            ["book_room", "json", "id", "text", "unknown PROTOCOL_CONFLICT"],
            ["book_room", "json", "id", "text", "sealed"],
            ["divide", "json", "id", "absent", "unknown PROTOCOL_CONFLICT"],
        ],
    },
    Trace {
        format: Format::LangSmith,
        files: &["langchain-messages.jsonl"],
        counts: [15, 12, 0, 3, 0, 1],
        inputs: &[
            ["get_weather", "json", "id", "json_text", "sealed"],
            ["search", "json", "id", "text", "sealed"],
            ["divide", "json", "id", "text", "unknown PROTOCOL_CONFLICT"],
            ["get_weather", "json", "id", "json_text", "sealed"],
            ["get_weather", "json", "id", "json_text", "sealed"],
            ["search", "json", "id", "text", "sealed"],
            ["divide", "json", "id", "text", "unknown PROTOCOL_CONFLICT"],
            ["get_weather", "json", "id", "json_text", "sealed"],
            ["get_weather", "json", "id", "json_text", "sealed"],
            ["search", "json", "id", "text", "sealed"],
            ["divide", "json", "id", "text", "unknown PROTOCOL_CONFLICT"],
            ["get_weather", "json", "id", "json_text", "sealed"],
            ["get_weather", "claim_only", "unanswered", "-", "unknown NO_DISPATCH"],
            ["search", "claim_only", "unanswered", "-", "unknown NO_DISPATCH"],
            ["divide", "claim_only", "unanswered", "-", "unknown NO_DISPATCH"],
            ["-", "unreadable", "-", "-", "rejected SCHEMA_INVALID"],
        ],
    },
    Trace {
        format: Format::LangSmith,
        files: &["langsmith-runs.jsonl"],
        counts: [4, 4, 0, 0, 58, 0],
        inputs: &[
            ["get_weather", "json", "id", "json_text", "sealed"],
            ["search", "json", "id", "text", "sealed"],
            ["divide", "json", "positional", "absent", "unknown PROTOCOL_CONFLICT"],
            ["get_weather", "json", "id", "json_text", "sealed"],
        ],
    },
    Trace {
        format: Format::OpenAi,
        files: &["openai-chat.jsonl"],
        counts: [3, 2, 0, 1, 0, 0],
        inputs: &[
            ["motto", "json", "id", "text", "sealed"],
            ["get_order", "json", "id", "json_text", "sealed"],
            ["cancel_order", "claim_only", "unanswered", "-", "unknown NO_DISPATCH"],
        ],
    },
    Trace {
        format: Format::OpenAi,
        files: &["openai-responses.jsonl"],
        counts: [3, 2, 0, 1, 0, 0],
        inputs: &[
            ["get_order", "json", "id", "json_text", "sealed"],
            ["mcp__crm__get_ticket", "mcp", "record", "json_text", "sealed"],
            ["refund", "claim_only", "unanswered", "-", "unknown NO_DISPATCH"],
        ],
    },
    Trace {
        format: Format::Anthropic,
        files: &["anthropic-messages.jsonl"],
        counts: [3, 2, 0, 1, 0, 0],
        inputs: &[
            ["divide", "json", "id", "text", "unknown PROTOCOL_CONFLICT"],
            ["get_order", "json", "id", "json_text", "sealed"],
            ["cancel_order", "claim_only", "unanswered", "-", "unknown NO_DISPATCH"],
        ],
    },
    Trace {
        format: Format::Mcp,
        files: &["mcp-initialize.jsonl"],
        counts: [4, 4, 0, 0, 0, 0],
        inputs: &[
            ["get_ticket", "mcp", "id", "structured", "sealed"],
            ["motto", "mcp", "id", "text", "sealed"],
            ["divide", "mcp", "id", "text", "unknown PROTOCOL_CONFLICT"],
            ["nope", "mcp", "id", "text", "unknown PROTOCOL_CONFLICT"],
        ],
    },
    Trace {
        format: Format::Mcp,
        files: &["mcp-discover.jsonl"],
        counts: [4, 4, 0, 0, 0, 0],
        inputs: &[
            ["get_ticket", "mcp", "id", "structured", "sealed"],
            ["motto", "mcp", "id", "text", "sealed"],
            ["divide", "mcp", "id", "text", "unknown PROTOCOL_CONFLICT"],
            ["nope", "mcp", "id", "text", "unknown PROTOCOL_CONFLICT"],
        ],
    },
    Trace {
        format: Format::Mcp,
        files: &["mcp-discover-wrapped.jsonl"],
        counts: [4, 4, 0, 0, 0, 0],
        inputs: &[
            ["get_ticket", "mcp", "id", "structured", "sealed"],
            ["motto", "mcp", "id", "text", "sealed"],
            ["divide", "mcp", "id", "text", "unknown PROTOCOL_CONFLICT"],
            ["nope", "mcp", "id", "text", "unknown PROTOCOL_CONFLICT"],
        ],
    },
    Trace {
        format: Format::Otel,
        files: &["mcp-discover-client-spans.jsonl", "mcp-discover-server-spans.jsonl"],
        counts: [4, 4, 0, 0, 4, 0],
        inputs: &[
            ["get_ticket", "claim_only", "record", "-", "unknown NO_DISPATCH"],
            ["motto", "claim_only", "record", "-", "unknown NO_DISPATCH"],
            ["divide", "mcp", "record", "absent", "unknown PROTOCOL_CONFLICT"],
            ["nope", "mcp", "record", "absent", "unknown PROTOCOL_CONFLICT"],
        ],
    },
    Trace {
        format: Format::Otel,
        files: &["mcp-initialize-server-spans.jsonl", "mcp-initialize-client-spans.jsonl"],
        counts: [4, 4, 0, 0, 4, 0],
        inputs: &[
            ["divide", "mcp", "record", "absent", "unknown PROTOCOL_CONFLICT"],
            ["nope", "mcp", "record", "absent", "unknown PROTOCOL_CONFLICT"],
            ["get_ticket", "claim_only", "record", "-", "unknown NO_DISPATCH"],
            ["motto", "claim_only", "record", "-", "unknown NO_DISPATCH"],
        ],
    },
];

#[test]
fn traces_of_the_sdks_are_read_and_decided() {
    let mut failures = Vec::new();
    for trace in TRACES {
        let (inputs, counts) = import(trace.format, trace.files);
        let Counts { calls, results, without_call, unanswered, evicted, duplicates, broken, .. } = counts;
        let counted = [calls, results, without_call, unanswered, duplicates, broken];
        assert_eq!(evicted, 0);
        let text = |input: &Value, pointer: &str| {
            input.pointer(pointer).and_then(Value::as_str).unwrap_or("-").to_owned()
        };
        let rows: Vec<[String; 5]> = (inputs.iter())
            .map(|input| {
                [
                    text(input, "/tool_name"),
                    text(input, "/kind"),
                    text(input, "/metadata/pairing"),
                    text(input, "/metadata/payload_form"),
                    decide(input),
                ]
            })
            .collect();
        if counted != trace.counts || rows != trace.inputs {
            failures.push(format!("{:?}: {counted:?}\n{rows:#?}", trace.files));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_encodings_of_otlp_say_the_same() {
    let (numbers, _) = import(Format::Otel, &["otel-sdk.jsonl"]);
    let (names, _) = import(Format::Otel, &["otel-sdk-protobuf.jsonl"]);
    assert_eq!(numbers.len(), names.len());
    for (mut number, mut name) in numbers.into_iter().zip(names) {
        for input in [&mut number, &mut name] {
            input["origin"]["file"].take();
        }
        assert_eq!(number, name);
    }
}

#[test]
fn the_first_record_tells_the_format() {
    let mut parser = Parser::default();
    for trace in TRACES {
        for file in trace.files {
            let text = fs::read(path(file)).unwrap();
            let first = text.split(|byte| *byte == b'\n').next().unwrap();
            assert_eq!(detect(parser.parse(first).unwrap().root()), Some(trace.format), "{file}");
        }
    }
}
