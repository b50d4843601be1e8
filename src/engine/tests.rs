//! What comes out of the core for texts that go in: members, kinds, bundles, and that every way in says the same.

mod bundles;
mod kinds;
mod members;

use serde_json::{Map, Value as Json, json};

use super::*;
use crate::decision::{Outcome, TruthState};

pub(super) const NOW: &str = "2026-11-02T12:00:00Z";

pub(super) fn now() -> Timestamp {
    Timestamp::parse(NOW).unwrap()
}

/// Returns the contract that asks for as little as can be, with members changed.
pub(super) fn contract(changes: Json) -> Contract {
    let mut members = json!({
        "schema_version": "1", "claim_type": "found", "required_fields": [], "freshness": {"mode": "not_required"},
        "source_ref": "s", "target_ref": "t",
    });
    merge(&mut members, changes);
    Contract::from_json(members.to_string().as_bytes()).unwrap()
}

/// Puts members into an object; null takes one away.
pub(super) fn merge(object: &mut Json, changes: Json) {
    let (Json::Object(object), Json::Object(changes)) = (object, changes) else { panic!("two objects") };
    for (name, value) in changes {
        match value {
            Json::Null => object.remove(&name),
            value => object.insert(name, value),
        };
    }
}

/// Returns an input that seals, with members changed.
pub(super) fn input(changes: Json) -> String {
    let mut members = json!({"source_ref": "s", "target_ref": "t", "body": {"id": 1}});
    merge(&mut members, changes);
    members.to_string()
}

/// Returns an input in which one member is what this JSON text says, null as well.
pub(super) fn input_with(member: &str, text: &str) -> String {
    let Json::Object(mut members) = serde_json::from_str(&input(json!({}))).unwrap() else {
        panic!("an object")
    };
    members.remove(member);
    let mut line = Json::Object(members).to_string();
    line.pop();
    format!("{line},\"{member}\":{text}}}")
}

/// Returns the full record that a text gives under the plainest contract.
pub(super) fn record(text: &str) -> Map<String, Json> {
    let decision = check(text.as_bytes(), &contract(json!({})), now());
    serde_json::from_str(decision.full_record()).unwrap()
}

/// Returns in short what a text gives: `sealed`, or the outcome with state, first code and its path.
pub(super) fn short(text: &str) -> String {
    short_by(text, &contract(json!({})))
}

pub(super) fn short_by(text: &str, contract: &Contract) -> String {
    let decision = check(text.as_bytes(), contract, now());
    let record: Json = serde_json::from_str(decision.full_record()).unwrap();
    let path = record["findings"][0]["path"].as_str().map(|path| format!(" {path}")).unwrap_or_default();
    match (decision.outcome(), decision.truth_state()) {
        (Outcome::Sealed, Some(state)) => state.to_string(),
        (Outcome::Blocked, Some(state)) => format!("{state} {}{path}", decision.reasons()[0]),
        (Outcome::Rejected, None) => format!("rejected {}{path}", decision.reasons()[0]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_decision_says_the_same_in_every_form() {
    for (text, status) in [
        (input(json!({})), 0),
        (input(json!({"body": []})), 1),
        (input(json!({"source_ref": 1})), 2),
        ("{".to_owned(), 2),
        (input(json!({"body": "x".repeat(20_000)})), 3),
    ] {
        let decision = check(text.as_bytes(), &contract(json!({})), now());
        let core: Json = serde_json::from_str(decision.core_record()).unwrap();
        let full: Json = serde_json::from_str(decision.full_record()).unwrap();
        for (name, value) in core.as_object().unwrap() {
            assert_eq!(&full[name], value, "{name}");
        }
        assert_eq!(core["decision"], decision.outcome().name());
        assert_eq!(core["truth_state"].as_str(), decision.truth_state().map(TruthState::name));
        let codes: Vec<_> = decision.reasons().iter().map(|reason| reason.code()).collect();
        assert_eq!(core["reason_codes"], json!(codes));
        assert_eq!(decision.is_sealed(), status == 0);
        assert_eq!(decision.payload().is_some(), status == 0);
        let engine = Engine::of_contract(contract(json!({})));
        let exit = engine.judge(text.as_bytes(), &Clock::At(now()), &mut Scratch::default(), |ruling, _| {
            ruling.exit_status()
        });
        assert_eq!(exit, status, "{text:.100}");
    }
}

#[test]
fn memory_that_is_kept_keeps_nothing_of_the_line_before() {
    let lines = [
        input(json!({"body": {"a": [1, {"b": "c"}]}, "evidence_refs": ["e"], "metadata": {"k": "v"}})),
        "{\"broken".to_owned(),
        input(json!({})),
        input(json!({"body": "[1, 2, 3]"})),
        input(json!({"body": "[1, 2"})),
        input(json!({"kind": "yaml", "value": "a: [1, 2]", "body": null})),
        input(json!({"kind": "yaml", "value": "a: &x 1", "body": null})),
        input_with("body", "123456789012345678901234567890"),
        input_with("body", "{\"a\":1,\"a\":2}"),
        "\u{feff}".to_owned() + &input(json!({})),
        "[".repeat(600),
        String::new(),
        input(json!({"body": "x".repeat(20_000)})),
        " ".repeat(200_000),
    ];
    let engine = Engine::of_contract(contract(json!({}))).with_content_hash(true);
    let mut scratch = Scratch::default();
    let full = |line: &str, scratch: &mut Scratch| {
        engine.judge(line.as_bytes(), &Clock::At(now()), scratch, |ruling, _| {
            let mut out = Vec::new();
            ruling.write_full(&Place::default(), &Redaction::none(), &mut out);
            String::from_utf8(out).unwrap()
        })
    };
    for first in &lines {
        for second in &lines {
            full(first, &mut scratch);
            let kept = full(second, &mut scratch);
            assert_eq!(kept, full(second, &mut Scratch::default()), "{first:.80} then {second:.80}");
            assert_eq!(kept, engine.check(second.as_bytes(), now()).full_record());
        }
    }
}

#[test]
fn the_hash_is_taken_where_it_is_needed_and_content_without_one_is_refused_all_the_same() {
    let with_ids = json!({"observation_id": "o", "tool_call_id": "c"});
    let overflowing = input_with("body", "1e400");
    let mut with_ids_too = input(with_ids.clone());
    with_ids_too.truncate(with_ids_too.len() - 1);
    let with_ids_too = format!("{with_ids_too},\"body\":1e400}}");
    for always in [false, true] {
        let engine = Engine::of_contract(contract(json!({}))).with_content_hash(always);
        for line in [&overflowing, &with_ids_too] {
            let reason =
                engine.judge(line.as_bytes(), &Clock::At(now()), &mut Scratch::default(), |ruling, _| {
                    ruling.reasons().next()
                });
            assert_eq!(reason, Some(Reason::SchemaInvalid), "{line}");
        }
        let line = input(with_ids.clone());
        let hashed =
            engine.judge(line.as_bytes(), &Clock::At(now()), &mut Scratch::default(), |ruling, _| {
                ruling.observation.unwrap().content_hash.is_some()
            });
        assert_eq!(hashed, always);
    }
}

#[test]
fn a_clock_of_the_input_needs_no_wall() {
    let engine = Engine::of_contract(contract(json!({
        "freshness": {"mode": "max_age_seconds", "max_age_seconds": 60}
    })));
    let clock = Clock::FromInput(Pointer::parse("/metadata/logged").unwrap());
    for (logged, expected) in [
        (json!("2026-11-02T12:00:00Z"), Outcome::Sealed),
        (json!("2026-11-02T12:01:01Z"), Outcome::Blocked),
        (json!("2026-11-02T12:00:00"), Outcome::Rejected),
        (json!("x"), Outcome::Rejected),
        (json!(1), Outcome::Rejected),
        (json!({}), Outcome::Rejected),
    ] {
        let line = input(json!({"observed_at": NOW, "metadata": {"logged": logged}}));
        let outcome =
            engine.judge(line.as_bytes(), &clock, &mut Scratch::default(), |ruling, _| ruling.outcome);
        assert_eq!(outcome, expected, "{line}");
    }
}

#[test]
fn bounds_are_checked_in_the_order_of_reading() {
    // Size before syntax, syntax before depth.
    assert_eq!(short(&"{".repeat(131_073)), "rejected LIMIT_EXCEEDED");
    assert_eq!(short(&"[".repeat(40)), "rejected PARSE_FAILED");
    assert_eq!(short(&format!("{}{}", "[".repeat(40), "]".repeat(40))), "rejected LIMIT_EXCEEDED");
    assert_eq!(short(&format!("{}{}", "[".repeat(32), "]".repeat(32))), "rejected SCHEMA_INVALID");
    assert_eq!(short(&format!("{}{}", "[".repeat(501), "]".repeat(501))), "rejected LIMIT_EXCEEDED");
    let long = format!("{{\"{}\":1}}", "k".repeat(16_385));
    assert_eq!(short(&long), "rejected LIMIT_EXCEEDED");
    assert_eq!(short(&long.replace('1', "x")), "rejected PARSE_FAILED");
    // Equal keys count once: the object, its key and its value.
    let many = format!("{{{}}}", vec!["\"k\":0"; 4096].join(","));
    assert_eq!(short(&many), "rejected SCHEMA_INVALID source_ref");
}
