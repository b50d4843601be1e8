//! The golden evidence documents: every report byte-identical, with its exit status.

use sealpipe::Timestamp;
use sealpipe::evidence::{Scratch, report};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    now: String,
    line: String,
    expect: String,
    exit: u8,
}

#[test]
fn evidence() {
    let path = format!("{}/fixtures/golden/evidence.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let cases: Vec<Case> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(cases.len(), 2000);
    let mut scratch = Scratch::default();
    let mut wrong = Vec::new();
    for case in &cases {
        let mut out = Vec::new();
        let now = Timestamp::parse(&case.now).unwrap();
        let status = report(case.line.as_bytes(), now, &mut scratch, &mut out);
        if out != case.expect.as_bytes() || status.exit_status() != case.exit {
            let got = String::from_utf8_lossy(&out).into_owned();
            wrong.push(format!("{}: {}\n expected {}\n got      {got}", case.id, case.line, case.expect));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}
