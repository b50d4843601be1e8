//! The golden cases in YAML through the library: every record byte-identical, every error with its code and exit
//! status, but for the listed differences, all of which refuse.

#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]

use bumpalo::Bump;
use sealpipe::decision::{Place, Ruling};
use sealpipe::engine::{Clock, Engine, Scratch};
use sealpipe::value::Limits;
use sealpipe::{Contract, Timestamp, yaml};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    id: String,
    now: String,
    contract: Box<serde_json::value::RawValue>,
    line: String,
    expect: Expect,
    #[serde(default)]
    yaml: bool,
}

#[derive(Deserialize)]
struct Expect {
    record: Option<String>,
    error: Option<String>,
    exit: Option<u8>,
}

/// What came out: the core record, or the code of an error and its exit status.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Record(String),
    Error(String, u8),
    /// The reference gives no answer.
    Crash,
}

/// The cases that the reference reads and this program refuses.
///
/// All of them hold `"\uD83D\uDE42"`, the escapes of a surrogate pair: two halves, of which no Unicode string can be
/// made. The reference keeps the halves and crashes where it has to hash them.
const STRICTER: [&str; 9] =
    ["y11-312", "y11-414", "y11-549", "y11-557", "y11-693", "y11-838", "y11-878", "y11-964", "y11-1100"];

fn answer(case: &Case) -> Answer {
    let now = Timestamp::parse(&case.now).unwrap();
    let engine = Engine::of_contract(Contract::from_json(case.contract.get().as_bytes()).unwrap());
    let engine = engine.with_content_hash(true);
    let then = |ruling: &Ruling<'_>| {
        if ruling.observation.is_none() {
            let reason = ruling.reasons().next().unwrap();
            return Answer::Error(reason.code().to_owned(), reason.exit_status());
        }
        let mut core = Vec::new();
        ruling.write_core(&Place::default(), engine.redaction(), &mut core);
        Answer::Record(String::from_utf8(core).unwrap())
    };
    let mut scratch = Scratch::default();
    if !case.yaml {
        return engine.judge(case.line.as_bytes(), &Clock::At(now), &mut scratch, |ruling, _| then(ruling));
    }
    let arena = Bump::new();
    match yaml::load(&case.line, &arena, &Limits::DEFAULT) {
        Ok(document) => {
            engine.judge_document(&document, &Clock::At(now), &mut scratch, |ruling, _| then(ruling))
        }
        Err(refusal) => Answer::Error(refusal.reason.code().to_owned(), refusal.reason.exit_status()),
    }
}

#[test]
fn every_case_but_the_listed_ones() {
    let path = format!("{}/fixtures/golden/yaml.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let cases: Vec<Case> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(cases.len(), 1200);
    let mut wrong = Vec::new();
    for case in &cases {
        let expected = match &case.expect {
            Expect { record: Some(record), .. } => Answer::Record(record.clone()),
            Expect { error: Some(code), exit: Some(exit), .. } => Answer::Error(code.clone(), *exit),
            _ => Answer::Crash,
        };
        let actual = answer(case);
        let right = if STRICTER.contains(&case.id.as_str()) {
            actual != expected && actual == Answer::Error("PARSE_FAILED".to_owned(), 2)
        } else {
            actual == expected
        };
        if !right {
            wrong.push(format!("{}: {:?}\n expected {expected:?}\n got {actual:?}", case.id, case.line));
        }
    }
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_timestamp_is_no_string() {
    let contract = |claim: &str, required: &str| {
        let text = format!(
            r#"{{"schema_version":"1","claim_type":"{claim}","required_fields":[{required}],"source_ref":"s","target_ref":"t",
                "freshness":{{"mode":"not_required"}},"not_found_sentinel":"2026-11-02"}}"#
        );
        Contract::from_json(text.as_bytes()).unwrap()
    };
    let now = Timestamp::parse("2026-11-02T12:00:00Z").unwrap();
    let codes = |contract: &Contract, value: &str| {
        let input = serde_json::json!({"kind": "yaml", "source_ref": "s", "target_ref": "t", "value": value});
        let decision = sealpipe::check(input.to_string().as_bytes(), contract, now);
        decision.reasons().iter().map(|reason| reason.code()).collect::<Vec<_>>()
    };
    let absent = contract("not_found", "");
    assert_eq!(codes(&absent, "a: 2026-11-02"), ["EMPTY_WITHOUT_NOT_FOUND_SENTINEL"]);
    assert_eq!(codes(&absent, "a: '2026-11-02'"), ["SEALED_WITH_REQUIRED_EVIDENCE"]);
    let named = contract("found", r#""2026-11-02""#);
    assert_eq!(codes(&named, "2026-11-02: a"), ["MISSING_REQUIRED_FIELD"]);
    assert_eq!(codes(&named, "'2026-11-02': a"), ["SEALED_WITH_REQUIRED_EVIDENCE"]);
}
