//! No command tells a payload's values: a canary goes through every command and every way to fail, and must not come out.

#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use serde_json::{Value, json};

const CANARY: &str = "c4n4ry";

fn contracts() -> [Value; 3] {
    let base = |version: &str, claim: &str| {
        json!({
            "schema_version": version, "claim_type": claim, "source_ref": "s", "target_ref": "t",
            "required_fields": [], "freshness": {"mode": "not_required"},
        })
    };
    let mut portable = base("1", "not_found");
    portable["not_found_sentinel"] = json!("absent");
    let mut fields = base("1", "found");
    fields["required_fields"] = json!(["nowhere"]);
    let mut strict = base("2", "found");
    strict["required_fields"] = json!(["/a/b"]);
    strict["target_ref"] = json!("t:{/arguments/id}");
    strict["observed_target"] = json!("t:{/a}");
    strict["fields"] = json!([
        {"path": "/a", "type": "integer", "minimum": 1}, {"path": "/b", "enum": ["x"]}, {"path": "/c", "pattern": "^x$"},
    ]);
    strict["error_when"] = json!([{"path": "/a", "matches": "c4"}]);
    strict["partial_when"] = json!([{"path": "/a", "differs_from": "/b"}]);
    strict["payload_schema"] =
        json!({"type": "object", "properties": {"a": {"const": 1}, "b": {"maxLength": 2}}});
    [portable, fields, strict]
}

/// Adapter inputs that hold the canary where the payload is, well-formed and not.
fn inputs() -> Vec<String> {
    let payloads = [
        json!({"a": CANARY, "b": CANARY, "c": CANARY}),
        json!({"a": 1, "b": CANARY}),
        json!([CANARY]),
        json!(CANARY),
        json!(format!("{{\"a\": \"{CANARY}\"")),
        json!(format!("{{\"a\": \"{CANARY}\"}} {CANARY}")),
        json!({"a": {"b": format!("{CANARY} [REDACTED]")}}),
    ];
    let mut inputs = Vec::new();
    for payload in &payloads {
        let frames = [
            json!({"kind": "json", "body": payload}),
            json!({"status_code": 500, "body": payload}),
            json!({"status_code": payload, "body": payload}),
            json!({"structuredContent": payload, "isError": payload}),
            json!({"text": payload, "isError": true}),
            json!({"kind": "mcp", "content": [{"type": "text", "text": payload}]}),
            json!({"structuredContent": payload, "outputSchema": {"type": "string"}}),
            json!({"exit_code": 1, "stdout": payload, "stderr": payload}),
            json!({"exit_code": payload, "stdout": payload}),
            json!({"exit_code": 0, "stdout": payload, "output_format": "json"}),
            json!({"kind": "yaml", "value": format!("a: &{CANARY} {CANARY}")}),
            json!({"kind": "yaml", "value": format!("a: !{CANARY} x")}),
            json!({"kind": "yaml", "value": format!("{{{CANARY}: [")}),
            json!({"kind": "claim_only", "claim": payload}),
            json!({"kind": payload, "body": payload}),
            json!({"kind": "json", "body": payload, "metadata": {"note": payload}, "claims": [{"path": "/a", "value": payload}]}),
            json!({"kind": "json", "body": payload, "evidence_refs": payload, "observed_at": [payload]}),
        ];
        for mut frame in frames {
            frame["source_ref"] = json!("s");
            frame["target_ref"] = json!("t");
            frame["arguments"] = json!({"id": payload});
            inputs.push(frame.to_string());
        }
    }
    inputs.push(format!("{{\"body\": \"{CANARY}"));
    inputs.push(format!("{{\"body\": \"{CANARY}\"}} {CANARY}"));
    inputs.push(format!(
        "{{\"source_ref\":\"s\",\"target_ref\":\"t\",\"body\":{}\"{CANARY}\"{}}}",
        "[".repeat(40),
        "]".repeat(40)
    ));
    inputs.push(format!("[\"{CANARY}\"]"));
    inputs.push(format!("\"{CANARY}\\x\""));
    inputs
}

/// Runs a command and looks for the canary in all that it says.
fn keeps_quiet(folder: &Path, words: &[&str]) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_sealpipe")).current_dir(folder).args(words).output().unwrap();
    for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        let text = String::from_utf8_lossy(bytes);
        assert!(!text.contains(CANARY), "{words:?} {name}:\n{text}");
    }
    assert!(output.status.code().is_some_and(|code| code < 4), "{words:?} {:?}", output.status);
    assert!(
        !output.stdout.is_empty() || !output.stderr.is_empty() || output.status.success(),
        "{words:?} said nothing"
    );
}

#[test]
fn no_command_tells_a_payload() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let inputs = inputs();
    write("log.jsonl", &inputs.join("\n"));
    for (number, contract) in contracts().iter().enumerate() {
        let bundle = format!("contract-{number}.json");
        write(&bundle, &contract.to_string());
        for words in [
            &["--summary"][..],
            &["--record", "core"],
            &["--mask-secrets"],
            &["--now-from", "/body"],
            &["--max-string", "3"],
        ] {
            keeps_quiet(folder.path(), &[&["-c", &bundle, "log.jsonl"][..], words].concat());
        }
        // One process an input and command: every seventh input is enough of them, and those that are no JSON.
        for (line, input) in
            inputs.iter().enumerate().filter(|(line, _)| line % 7 == number || line + 5 > inputs.len())
        {
            write("input.json", input);
            keeps_quiet(folder.path(), &["check", "input.json", "--contract", &bundle]);
            keeps_quiet(folder.path(), &["check", "input.json", "--contract", &bundle, "--format", "json"]);
            keeps_quiet(
                folder.path(),
                &["explain", "-c", &bundle, "--line", &(line + 1).to_string(), "log.jsonl"],
            );
            let Ok(input) = serde_json::from_str::<Value>(input) else { continue };
            let expected = json!({"decision": "sealed", "truth_state": "sealed"});
            let fixture = json!({"fixture_version": 1, "name": "x", "contract": contract, "input": input, "expected": expected});
            write("fixture.json", &fixture.to_string());
            keeps_quiet(folder.path(), &["replay", "fixture.json"]);
            keeps_quiet(folder.path(), &["replay", "fixture.json", "--format", "json"]);
            keeps_quiet(folder.path(), &["validate", "fixture.json"]);
        }
    }
}

#[test]
fn evidence_and_traces_keep_quiet_too() {
    let folder = tempfile::tempdir().unwrap();
    let document = |path: &str, value: Value| {
        json!({
            "contract": {"call_id": "c", "fields": [{"path": path, "type": "integer"}]},
            "result": {"call_id": "c", "status": "ok", "data": {"a": value, "error": CANARY}},
            "claims": [{"path": path, "value": CANARY}],
        })
        .to_string()
    };
    let documents = [
        document("/data/a", json!(CANARY)),
        document("/nowhere", json!(1)),
        format!("{{\"contract\": \"{CANARY}"),
        format!("{{\"a\": \"{CANARY}\", \"a\": 1}}"),
    ];
    fs::write(folder.path().join("documents.jsonl"), documents.join("\n")).unwrap();
    keeps_quiet(folder.path(), &["evidence", "documents.jsonl"]);
    let messages = json!([
        {"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "t", "arguments": CANARY}}]},
        {"role": "tool", "tool_call_id": "1", "content": CANARY},
    ]);
    let trace = format!("{messages}\n{{\"role\": \"{CANARY}\n");
    fs::write(folder.path().join("trace.jsonl"), trace).unwrap();
    fs::write(folder.path().join("contract.json"), contracts()[2].to_string()).unwrap();
    keeps_quiet(folder.path(), &["import", "--from", "openai", "--list-tools", "trace.jsonl"]);
    keeps_quiet(folder.path(), &["-c", "contract.json", "--from", "openai", "trace.jsonl"]);
    keeps_quiet(folder.path(), &["-c", "contract.json", "--from", "auto", "documents.jsonl"]);
}
