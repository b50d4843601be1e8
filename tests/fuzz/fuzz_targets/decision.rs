//! Any bytes as an adapter input: a decision, always the same, whose record is JSON; never a panic.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use sealpipe::decision::{Place, Redaction};
use sealpipe::{Bundle, Clock, Engine, Outcome, Scratch, Timestamp};

const BUNDLE: &[u8] = br#"{"bundle_version": 1, "contracts": {
    "a": {"schema_version": "1", "claim_type": "found", "required_fields": ["a"], "freshness": {"mode": "not_required"},
          "source_ref": "s", "target_ref": "t"},
    "b": [{"schema_version": "1", "claim_type": "read_complete", "required_fields": [], "source_ref": "s", "target_ref": "t",
           "freshness": {"mode": "max_age_seconds", "max_age_seconds": 60}},
          {"schema_version": "1", "claim_type": "not_found", "required_fields": [], "source_ref": "s", "target_ref": "t",
           "freshness": {"mode": "source_version"}, "min_source_version": "v2", "not_found_sentinel": "0"}],
    "m*": {"schema_version": "1", "claim_type": "task_complete", "required_fields": [], "source_ref": "s", "target_ref": "t",
           "freshness": {"mode": "not_required"}, "effect_evidence_required": true}},
    "default": {"schema_version": "1", "claim_type": "read_complete", "required_fields": [], "source_ref": "s", "target_ref": "t",
           "freshness": {"mode": "not_required"}}}"#;

static ENGINE: LazyLock<Engine> =
    LazyLock::new(|| Engine::new(Bundle::from_json(BUNDLE).unwrap()).with_content_hash(true));

fuzz_target!(|line: &[u8]| {
    let clock = Clock::At(Timestamp::parse("2026-11-02T12:00:00Z").unwrap());
    let place = Place { line: Some(1), input: None };
    let record = |scratch: &mut Scratch| {
        ENGINE.judge(line, &clock, scratch, |ruling, writer| {
            let (mut core, mut full, mut payload) = (Vec::new(), Vec::new(), Vec::new());
            ruling.write_core(&place, &Redaction::none(), &mut core);
            ruling.write_full(&place, &Redaction::none(), &mut full);
            let payload = ruling.write_payload(writer, &mut payload).ok().map(|()| payload);
            assert_eq!(ruling.outcome == Outcome::Sealed, ruling.findings.is_empty());
            (ruling.outcome, core, full, payload)
        })
    };
    let mut scratch = Scratch::default();
    let first = record(&mut scratch);
    assert_eq!(first, record(&mut scratch), "a scratch that served before changes the decision");
    let core: serde_json::Value = serde_json::from_slice(&first.1).expect("the core record is JSON");
    let full: serde_json::Value = serde_json::from_slice(&first.2).expect("the full record is JSON");
    assert_eq!(core["decision"], full["decision"]);
    assert_eq!(core["deterministic_fingerprint"], full["deterministic_fingerprint"]);
    if let (Outcome::Sealed, Some(payload)) = (first.0, &first.3) {
        serde_json::from_slice::<serde_json::Value>(payload).expect("a sealed payload is JSON");
    }
});
