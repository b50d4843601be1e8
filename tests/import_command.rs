//! `sealpipe import` as a process: formats told or refused, compressed inputs, order, exit status.

#![expect(clippy::unwrap_used, reason = "these are tests, and their helpers")]

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use assert_cmd::cargo::cargo_bin_cmd;

fn trace(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/traces").join(file)
}

/// Runs the command in the folder of the samples.
fn import(arguments: &[&str], stdin: &[u8]) -> Output {
    cargo_bin_cmd!("sealpipe")
        .current_dir(trace(""))
        .arg("import")
        .args(arguments)
        .write_stdin(stdin)
        .output()
        .unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn every_way_to_read_a_sample_gives_the_same_inputs() {
    let file = "codex/rollout-limited.jsonl";
    let text = fs::read(trace(file)).unwrap();
    let expected = fs::read(trace("codex/rollout-limited.expected.jsonl")).unwrap();
    for from in ["codex", "auto"] {
        for threads in ["1", "2", "7"] {
            let output = import(&["--from", from, "-j", threads, file], b"");
            assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
            assert_eq!(String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&expected));
        }
    }
    let plain = import(&["--from", "codex"], &text);
    assert_eq!(plain.status.code(), Some(0));
    assert!(!String::from_utf8_lossy(&plain.stdout).contains("\"file\""), "standard input has no name");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, &text).unwrap();
    for packed in [gzip.finish().unwrap(), zstd::encode_all(&text[..], 1).unwrap()] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace");
        fs::write(&path, &packed).unwrap();
        assert_eq!(import(&["--from", "auto", "-"], &packed).stdout, plain.stdout);
        let named = import(&["--from", "auto", path.to_str().unwrap()], b"");
        assert_eq!(String::from_utf8(named.stdout).unwrap().lines().count(), 14);
        let cut = import(&["--from", "auto"], &packed[..packed.len() - 9]);
        assert_eq!(cut.status.code(), Some(4), "a compressed input that is cut: {}", stderr(&cut));
    }
}

#[test]
fn a_wrong_or_unknown_format_decides_nothing() {
    for (arguments, stdin, message) in [
        (
            &["--from", "codex", "claude-code/session-v2.1.jsonl"][..],
            "",
            "is of format `claude-code`, not `codex`",
        ),
        (
            &["--from", "anthropic", "openai/chat-messages.jsonl"],
            "",
            "is of format `openai`, not `anthropic`",
        ),
        (&["--from", "auto", "tau-bench/trajectories.jsonl"], "", "--messages-member /traj"),
        (&["--from", "auto"], "{\"a\":1}\n", "is an object with `a`; name its format"),
        (&["--from", "auto"], "not JSON\n", "is no JSON"),
        (&["--from", "auto"], "[1]\n", "is a JSON array"),
        (&["--from", "nope"], "", "none of auto"),
        (&["--from", "codex", "--messages-member", "/a"], "", "only with `--from openai`"),
        (&["--from", "openai", "--messages-member", "a"], "", "begins with `/`"),
        (&[], "", "--from"),
    ] {
        let output = import(arguments, stdin.as_bytes());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        assert!(stderr(&output).contains(message), "{arguments:?}: {}", stderr(&output));
        assert_eq!(stderr(&output).lines().count(), 1, "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn inputs_of_two_formats_are_not_read_as_one() {
    let output = import(&["--from", "auto", "codex/rollout-limited.jsonl", "anthropic/messages.jsonl"], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("is of format `anthropic`, not `codex`"), "{}", stderr(&output));
    assert!(!String::from_utf8_lossy(&output.stdout).contains("anthropic"));
}

#[test]
fn a_broken_record_gives_one_input_in_its_place() {
    let lines = "{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n\n{\"a\":\n{\"type\":\"item.completed\",\"item\":\
        {\"id\":\"i\",\"type\":\"command_execution\",\"command\":\"ls\",\"aggregated_output\":\"\",\"exit_code\":0}}\n";
    let output = import(&["--from", "codex", "--summary"], lines.as_bytes());
    assert_eq!(output.status.code(), Some(2));
    let inputs: Vec<serde_json::Value> = String::from_utf8(output.stdout.clone())
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(inputs.len(), 2);
    assert_eq!((&inputs[0]["kind"], &inputs[0]["origin"]["line"]), (&"unreadable".into(), &3.into()));
    assert_eq!(inputs[0]["metadata"]["code"], "PARSE_FAILED");
    assert_eq!((&inputs[1]["kind"], &inputs[1]["origin"]["line"]), (&"stdio".into(), &4.into()));
    assert!(stderr(&output).contains("1 skipped, 1 broken"), "{}", stderr(&output));

    let long = import(&["--from", "codex", "--max-trace-line", "60"], lines.as_bytes());
    assert_eq!(long.status.code(), Some(3));
    let text = String::from_utf8_lossy(&long.stdout);
    assert!(text.contains("LIMIT_EXCEEDED") && text.contains("\"line\":4"), "{text}");
}

#[test]
fn tools_are_listed() {
    let output = import(&["--from", "claude-code", "--list-tools", "claude-code/session-v2.1.jsonl"], b"");
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    let row = |name: &str| -> Vec<String> {
        let row = text.lines().find(|line| line.starts_with(name)).unwrap();
        row.split_whitespace().map(str::to_owned).collect()
    };
    assert_eq!(row("TOOL"), ["TOOL", "CALLS", "RESULTS", "UNANSWERED", "ERRORS", "FORMS", "FIRST", "LAST"]);
    assert_eq!(row("Bash")[..5], ["Bash", "6", "5", "1", "1"]);
    assert_eq!(row("mcp__crm__get_ticket")[5], "json_text:1,text:1");
}

#[test]
fn a_trace_without_tools_says_so() {
    let output =
        import(&["--from", "codex"], b"{\"timestamp\":\"t\",\"type\":\"compacted\",\"payload\":{}}\n");
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout.is_empty());
    assert!(stderr(&output).contains("none of 1 records is about a tool"), "{}", stderr(&output));
}

const BUNDLE: &str = r#"{"bundle_version": 1, "contracts": {}, "default": {"schema_version": "2", "claim_type": "found",
    "required_fields": [], "source_ref": "*", "freshness": {"mode": "not_required"}}}"#;

#[test]
fn deciding_in_the_same_process_is_importing_and_then_deciding() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("bundle.json");
    fs::write(&bundle, BUNDLE).unwrap();
    let decide = |arguments: &[&str], stdin: &[u8]| {
        let mut command = cargo_bin_cmd!("sealpipe");
        command.current_dir(trace("")).arg("-c").arg(&bundle).args(["--record", "core"]);
        command.args(arguments).write_stdin(stdin).output().unwrap()
    };
    for file in
        ["claude-code/session-v2.1.jsonl", "codex/rollout-limited.jsonl", "openai/responses-items.jsonl"]
    {
        let inputs = import(&["--from", "auto", file], b"").stdout;
        let apart = decide(&[], &inputs);
        for threads in ["1", "3"] {
            let together = decide(&["--from", "auto", "-j", threads, file], b"");
            assert_eq!(together.stdout, apart.stdout, "{file}");
            assert_eq!(together.status.code(), Some(1), "{file}: {}", stderr(&together));
        }
    }
    let wrong = decide(&["--from", "codex", "claude-code/session-v2.1.jsonl"], b"");
    assert_eq!((wrong.status.code(), wrong.stdout.len()), (Some(2), 0), "{}", stderr(&wrong));
    let broken = decide(&["--from", "codex"], b"{\"type\":\"turn.started\"}\n{\"a\":\n");
    assert_eq!(broken.status.code(), Some(2));
    let record: serde_json::Value = serde_json::from_slice(&broken.stdout).unwrap();
    assert_eq!(
        record,
        serde_json::json!({"decision": "rejected", "line": 2, "reason_codes": ["PARSE_FAILED"]})
    );
}
