//! A day of a support agent: what is expected of each line of the log, through the program.

#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]

use std::collections::BTreeSet;

use assert_cmd::Command;
use sealpipe::Reason;
use serde::Deserialize;

const DAY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/day");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    line: u64,
    decision: String,
    truth_state: Option<String>,
    reason_codes: Vec<String>,
    why: String,
}

/// A full record. A member that is not listed here is one that nobody decided to add.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "that a member is there, and of its type, is checked by reading it")]
struct Record {
    claim_type: Option<String>,
    content_hash: Option<String>,
    contract: Option<String>,
    decision: String,
    deterministic_fingerprint: Option<String>,
    #[serde(default)]
    evidence_refs: Vec<String>,
    findings: Vec<Finding>,
    line: u64,
    observation_id: Option<String>,
    reason_codes: Vec<String>,
    resultseal_version: Option<String>,
    source_ref: Option<String>,
    target_ref: Option<String>,
    tool_call_id: Option<String>,
    tool_name: Option<String>,
    truth_state: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "as above")]
struct Finding {
    code: String,
    rule: String,
    path: Option<String>,
    expected: Option<String>,
    actual: Option<String>,
}

fn expected() -> Vec<Expected> {
    let text = std::fs::read_to_string(format!("{DAY}/expected.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn filter() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sealpipe"));
    command.args(["-c", &format!("{DAY}/bundle.yaml"), "--now", "2026-11-02T18:00:00Z"]);
    command.arg(format!("{DAY}/log.jsonl"));
    command
}

#[test]
fn every_line_is_decided_as_expected_and_says_why() {
    let expected = expected();
    assert!(expected.len() >= 40);
    let assert = filter().assert().code(3).stderr("");
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    let records: Vec<Record> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(records.len(), expected.len());
    for (record, expected) in records.iter().zip(&expected) {
        let why = &expected.why;
        assert_eq!(record.line, expected.line, "{why}");
        assert_eq!(record.decision, expected.decision, "line {}: {why}", expected.line);
        assert_eq!(record.truth_state, expected.truth_state, "line {}: {why}", expected.line);
        assert_eq!(record.reason_codes, expected.reason_codes, "line {}: {why}", expected.line);
        let of_findings: BTreeSet<_> = record.findings.iter().map(|finding| &finding.code).collect();
        match record.decision.as_str() {
            "sealed" => assert!(of_findings.is_empty(), "line {}", expected.line),
            _ => {
                assert_eq!(of_findings, record.reason_codes.iter().collect(), "line {}", expected.line);
            }
        }
        let judged = record.decision != "rejected";
        assert_eq!(record.deterministic_fingerprint.is_some(), judged, "line {}", expected.line);
        assert_eq!(record.content_hash.is_some(), judged, "line {}", expected.line);
    }
}

#[test]
fn the_two_sinks_together_have_every_line_once() {
    let directory = tempfile::tempdir().unwrap();
    let blocked = directory.path().join("blocked.jsonl");
    let assert = filter().arg("--blocked").arg(&blocked).assert().code(3);
    let sealed = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    let blocked = std::fs::read_to_string(blocked).unwrap();
    let lines = |text: &str| -> Vec<u64> {
        text.lines().map(|line| serde_json::from_str::<Record>(line).unwrap().line).collect()
    };
    let expected = expected();
    let of = |sealed: bool| -> Vec<u64> {
        expected.iter().filter(|e| (e.decision == "sealed") == sealed).map(|e| e.line).collect()
    };
    assert_eq!(lines(&sealed), of(true));
    assert_eq!(lines(&blocked), of(false));
}

#[test]
fn the_day_has_every_reason_that_a_filter_gives_and_many_tools() {
    let codes: BTreeSet<String> = expected().into_iter().flat_map(|expected| expected.reason_codes).collect();
    // The day has contracts of version "1" alone; what version "2" adds stands between these two.
    let of_version_2 = |reason: Reason| (Reason::ToolError..Reason::NoContract).contains(&reason);
    for reason in Reason::ALL.iter().copied().filter(|reason| !of_version_2(*reason)) {
        // These two are about what people write for the program, and end it before it reads a line.
        let of_a_line = !matches!(reason, Reason::ContractInvalid | Reason::InvalidArgument);
        assert_eq!(codes.contains(reason.code()), of_a_line, "{reason}");
    }
    let log = std::fs::read_to_string(format!("{DAY}/log.jsonl")).unwrap();
    let tools: BTreeSet<String> = log
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter_map(|input| Some(input.get("tool_name")?.as_str()?.to_owned()))
        .collect();
    assert!(tools.len() >= 10, "{tools:?}");
}
