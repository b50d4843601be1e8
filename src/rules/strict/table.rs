//! What the tables of cases of these rules have in common. For tests alone.

use serde_json::{Value as Json, json};

use crate::contract::Contract;
use crate::engine::check;
use crate::time::Timestamp;

/// Decides about an input and returns `truth state CODE…`; members given replace or add to plain ones, null ones go.
pub(super) fn decide(terms: &str, members: &str) -> String {
    let base = json!({"schema_version": "2", "claim_type": "found", "source_ref": "s",
        "freshness": {"mode": "not_required"}});
    let contract = with(base, terms);
    let input =
        with(json!({"kind": "json", "source_ref": "s", "target_ref": "t", "body": {"id": 1}}), members);
    let contract = Contract::from_json(contract.to_string().as_bytes())
        .unwrap_or_else(|problems| panic!("{contract}: {problems}"));
    let now = Timestamp::parse("2026-11-02T12:00:00Z").unwrap();
    let decision = check(input.to_string().as_bytes(), &contract, now);
    let state = decision.truth_state().map_or("rejected", crate::decision::TruthState::name);
    let codes: Vec<&str> = decision.reasons().iter().map(|reason| reason.code()).collect();
    // Whatever is decided, no value of a payload shows.
    assert!(!decision.full_record().contains("CANARY"), "{}", decision.full_record());
    match codes.as_slice() {
        ["SEALED_WITH_REQUIRED_EVIDENCE"] => state.to_owned(),
        codes => format!("{state} {}", codes.join(" ")),
    }
}

/// Checks a table of terms, members and what is decided.
pub(super) fn check_table(cases: &[(&str, &str, &str)]) {
    for (terms, members, expected) in cases {
        assert_eq!(decide(terms, members), *expected, "{terms} {members}");
    }
}

fn with(mut base: Json, more: &str) -> Json {
    let Json::Object(more) =
        serde_json::from_str(&format!("{{{more}}}")).unwrap_or_else(|_| panic!("{more}"))
    else {
        panic!("{more}")
    };
    let object = base.as_object_mut().unwrap();
    for (name, value) in more {
        if value.is_null() && object.contains_key(&name) {
            object.remove(&name);
        } else {
            object.insert(name, value);
        }
    }
    base
}
