//! `sealpipe evidence`: the golden documents as a stream, whatever the threads, and whole files.

#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]

use std::fmt::Write as _;

use assert_cmd::Command;

const NOW: [&str; 2] = ["--now", "2026-11-02T12:00:00Z"];

fn sealpipe() -> Command {
    let mut command = Command::cargo_bin("sealpipe").unwrap();
    command.arg("evidence").args(NOW);
    command
}

#[test]
fn a_stream_gives_the_golden_reports_in_order() {
    let path = format!("{}/fixtures/golden/evidence.jsonl", env!("CARGO_MANIFEST_DIR"));
    let (mut lines, mut expected) = (String::new(), String::new());
    for case in std::fs::read_to_string(path).unwrap().lines() {
        let case: serde_json::Value = serde_json::from_str(case).unwrap();
        let line = case["line"].as_str().unwrap();
        // What spans lines, or is blank, is for files.
        if !line.contains('\n') && !line.trim().is_empty() {
            writeln!(lines, "{line}").unwrap();
            writeln!(expected, "{}", case["expect"].as_str().unwrap()).unwrap();
        }
    }
    for threads in ["1", "3"] {
        let assert = sealpipe().args(["-j", threads]).write_stdin(lines.clone()).assert().code(2);
        assert_eq!(String::from_utf8_lossy(&assert.get_output().stdout), expected, "{threads} threads");
    }
}

#[test]
fn a_file_may_be_one_document_and_the_worst_report_decides() {
    let folder = tempfile::tempdir().unwrap();
    let good = r#"{"contract": {"call_id": "c", "fields": [{"path": "/data/a", "type": "integer"}]},
 "result": {"call_id": "c", "status": "ok", "data": {"a": 0}},
 "claims": [{"path": "/data/a", "value": 0}]}"#;
    let path = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let whole = path("whole.json", good);
    let one_line = good.replace('\n', "");
    let failed = one_line.replace("\"ok\"", "\"error\"");
    let ok = "{\"retrieval_status\": \"OK\", \"reasons\": [], \"supported_claims\": 1}\n";
    let error =
        "{\"retrieval_status\": \"FAILED\", \"reasons\": [\"TOOL_ERROR\"], \"supported_claims\": 0}\n";
    sealpipe().arg(&whole).assert().code(0).stdout(ok);
    let lines = path("lines.jsonl", &format!("{one_line}\n\n{failed}\n"));
    let last = path("last.jsonl", &one_line);
    sealpipe()
        .arg(&whole)
        .arg(&lines)
        .arg(&whole)
        .arg(&last)
        .assert()
        .code(1)
        .stdout(format!("{ok}{ok}{error}{ok}{ok}"));
    let long = path("long.jsonl", &format!("\"{}\"\n{one_line}\n", "a".repeat(2 << 20)));
    let limit =
        "{\"retrieval_status\": \"FAILED\", \"reasons\": [\"INPUT_LIMIT\"], \"supported_claims\": 0}\n";
    sealpipe().arg(&long).assert().code(2).stdout(format!("{limit}{ok}"));
    sealpipe().arg(folder.path().join("none.jsonl")).assert().code(4);
}
