//! What holds of every decision.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use sealpipe::{Contract, Outcome, Reason, TruthState, check};
use serde_json::Value as Json;
use serde_json::value::RawValue;

use super::inputs::{Input, contract, contract_text, input, now, quoted, value};

fn outcome(input: &Input, contract: &Contract) -> Outcome {
    check(input.line().as_bytes(), contract, now()).outcome()
}

fn full(line: &str, contract: &Contract) -> String {
    check(line.as_bytes(), contract, now()).full_record().to_owned()
}

/// Writes JSON text again: members in another order, spaces between, characters escaped, numbers as they are.
fn written_otherwise(text: &str, seed: u64, out: &mut String) {
    const SPACES: [&str; 6] = [" ", "", "\t", "", "\r", "  "];
    let space = |salt: u64| {
        let random = (seed ^ salt).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 61;
        SPACES[usize::try_from(random).unwrap() % SPACES.len()]
    };
    out.push_str(space(1));
    match text.trim_start().as_bytes()[0] {
        b'{' => {
            let members: BTreeMap<String, &RawValue> = serde_json::from_str(text).unwrap();
            let mut members: Vec<_> = members.into_iter().collect();
            members.sort_by_key(|(name, _)| {
                name.bytes().fold(seed, |sum, byte| sum.wrapping_mul(31) ^ u64::from(byte))
            });
            out.push('{');
            for (index, (name, value)) in members.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(space(2));
                escaped(&name, seed, out);
                out.push_str(space(3));
                out.push(':');
                written_otherwise(value.get(), seed.rotate_left(7), out);
            }
            out.push('}');
        }
        b'[' => {
            let items: Vec<&RawValue> = serde_json::from_str(text).unwrap();
            out.push('[');
            for (index, item) in items.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                written_otherwise(item.get(), seed.rotate_left(9), out);
            }
            out.push(']');
        }
        b'"' => escaped(&serde_json::from_str::<String>(text).unwrap(), seed, out),
        _ => out.push_str(text),
    }
    out.push_str(space(4));
}

fn escaped(text: &str, seed: u64, out: &mut String) {
    out.push('"');
    for (index, c) in text.chars().enumerate() {
        if c < ' ' || c == '"' || c == '\\' || (seed >> (index % 60)) & 1 == 1 {
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}").unwrap();
            }
        } else {
            out.push(c);
        }
    }
    out.push('"');
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn what_is_sealed_meets_the_contract_and_what_is_blocked_says_why(input in input(), terms in contract_text()) {
        let contract = Contract::from_json(terms.as_bytes()).unwrap();
        let decision = check(input.line().as_bytes(), &contract, now());
        let terms: Json = serde_json::from_str(&terms).unwrap();
        let core: Json = serde_json::from_str(decision.core_record()).unwrap();
        let full: Json = serde_json::from_str(decision.full_record()).unwrap();
        let findings = full["findings"].as_array().unwrap();
        match decision.outcome() {
            Outcome::Sealed => {
                let claims_absence = terms["claim_type"] == "not_found";
                let state = if claims_absence { TruthState::NotFound } else { TruthState::Sealed };
                prop_assert_eq!(decision.truth_state(), Some(state));
                prop_assert_eq!(decision.reasons(), &[Reason::SealedWithRequiredEvidence]);
                prop_assert!(findings.is_empty());
                prop_assert_eq!(&core["claim_type"], &terms["claim_type"]);
                prop_assert_eq!(&core["source_ref"], "s");
                prop_assert_eq!(&full["target_ref"], "t");
                if let Some(payload) = decision.payload() {
                    prop_assert!(!["null", "\"\"", "{}", "[]"].contains(&payload), "{}", payload);
                    if claims_absence {
                        prop_assert!(payload.contains("NOT_FOUND"));
                    }
                    // serde_json refuses what no double holds, and this program carries.
                    if let Ok(payload) = serde_json::from_str::<Json>(payload) {
                        for field in terms["required_fields"].as_array().unwrap() {
                            prop_assert!(payload.get(field.as_str().unwrap()).is_some());
                        }
                    }
                }
                let is_effect = ["effect_observed", "task_complete"].map(Json::from).contains(&terms["claim_type"]);
                if is_effect && terms["effect_evidence_required"] == true {
                    prop_assert!(!core["evidence_refs"].as_array().unwrap().is_empty());
                }
            }
            Outcome::Blocked => {
                prop_assert!(!matches!(decision.truth_state(), None | Some(TruthState::Sealed | TruthState::NotFound)));
                prop_assert!(!decision.reasons().is_empty());
                prop_assert!(!decision.reasons().contains(&Reason::SealedWithRequiredEvidence));
                prop_assert!(!findings.is_empty());
                prop_assert_eq!(decision.payload(), None);
            }
            Outcome::Rejected => {
                prop_assert_eq!(decision.truth_state(), None);
                prop_assert_eq!(decision.reasons().len(), 1);
                prop_assert_eq!(findings.len(), 1);
                prop_assert_eq!(decision.payload(), None);
            }
        }
    }

    /// The time of observation is left out here: without one a result counts as observed at the clock. And
    /// `structuredContent` goes together with `text`, which stands in for it.
    #[test]
    fn taking_evidence_away_never_seals_what_was_blocked(input in input(), contract in contract()) {
        if outcome(&input, &contract) != Outcome::Blocked {
            return Ok(());
        }
        for names in [
            &["evidence_refs"][..],
            &["source_version"],
            &["body"],
            &["stdout"],
            &["value"],
            &["text"],
            &["structuredContent", "text"],
            &["body", "evidence_refs", "source_version"],
        ] {
            let less = input.without(names);
            prop_assert_ne!(outcome(&less, &contract), Outcome::Sealed, "without {:?}: {}", names, less.line());
        }
        for name in ["body", "stdout", "structuredContent"] {
            let Some(Ok(Json::Object(members))) = input.get(name).map(serde_json::from_str::<Json>) else { continue };
            for member in members.keys() {
                let mut fewer = members.clone();
                fewer.remove(member);
                let less = input.with(name, &Json::Object(fewer).to_string());
                prop_assert_ne!(outcome(&less, &contract), Outcome::Sealed, "without {}: {}", member, less.line());
            }
        }
        if let Some(Ok(Json::Array(mut refs))) = input.get("evidence_refs").map(serde_json::from_str::<Json>) {
            while refs.pop().is_some() {
                let less = input.with("evidence_refs", &Json::Array(refs.clone()).to_string());
                prop_assert_ne!(outcome(&less, &contract), Outcome::Sealed, "{}", less.line());
            }
        }
    }

    #[test]
    fn of_equal_members_the_last_one_counts(
        input in input(), contract in contract(), at in any::<prop::sample::Index>(), earlier in value(),
    ) {
        prop_assume!(!input.0.is_empty());
        let at = at.index(input.0.len());
        let (name, last) = input.0[at].clone();
        for before in 0..=at {
            let mut twice = input.clone();
            twice.0.insert(before, (name.clone(), earlier.clone()));
            prop_assert_eq!(full(&twice.line(), &contract), full(&input.line(), &contract), "{}", twice.line());
        }
        // Inside of a value as well.
        if let Some(rest) = last.strip_prefix("{\"") {
            let key = rest.split('"').next().unwrap();
            let nested = format!("{{{}:{earlier},{}", quoted(key), &last[1..]);
            if serde_json::from_str::<Json>(&nested).is_ok() && !key.contains('\\') {
                let twice = input.with(&name, &nested);
                prop_assert_eq!(full(&twice.line(), &contract), full(&input.line(), &contract), "{}", twice.line());
            }
        }
    }

    #[test]
    fn order_and_spaces_and_escapes_change_nothing(input in input(), contract in contract(), seed in any::<u64>()) {
        let line = input.line();
        let mut other = String::new();
        written_otherwise(&line, seed, &mut other);
        prop_assert_eq!(full(&other, &contract), full(&line, &contract), "{}\n{}", line, other);
    }

    #[test]
    fn a_decision_is_the_same_every_time(input in input(), contract in contract()) {
        prop_assert_eq!(full(&input.line(), &contract), full(&input.line(), &contract));
    }
}

/// Why the time of observation is no part of the property above.
#[test]
fn without_a_time_a_result_counts_as_observed_at_the_clock() {
    let terms = r#"{"schema_version":"1","claim_type":"found","required_fields":[],
        "freshness":{"mode":"max_age_seconds","max_age_seconds":60},"source_ref":"s","target_ref":"t"}"#;
    let contract = Contract::from_json(terms.as_bytes()).unwrap();
    let old = r#"{"source_ref":"s","target_ref":"t","body":1,"observed_at":"2020-01-01T00:00:00Z"}"#;
    assert_eq!(check(old.as_bytes(), &contract, now()).outcome(), Outcome::Blocked);
    let without = r#"{"source_ref":"s","target_ref":"t","body":1}"#;
    assert_eq!(check(without.as_bytes(), &contract, now()).outcome(), Outcome::Sealed);
}

/// Were the random inputs all of one sort, the properties would say little.
#[test]
fn the_inputs_are_of_all_sorts() {
    let mut runner = TestRunner::deterministic();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let strategy = (input(), contract());
    for _ in 0..3000 {
        let (input, contract) = strategy.new_tree(&mut runner).unwrap().current();
        let decision = check(input.line().as_bytes(), &contract, now());
        for reason in decision.reasons() {
            *counts.entry(reason.to_string()).or_default() += 1;
        }
        *counts.entry(decision.outcome().to_string()).or_default() += 1;
        if let Some(state) = decision.truth_state() {
            *counts.entry(format!("state {state}")).or_default() += 1;
        }
    }
    for (name, least) in [
        ("sealed", 150),
        ("blocked", 500),
        ("rejected", 150),
        ("state not_found", 5),
        ("state observed", 10),
        ("NO_DISPATCH", 50),
        ("TRANSPORT_FAILED", 20),
        ("PARSE_FAILED", 20),
        ("PROTOCOL_CONFLICT", 10),
        ("EMPTY_WITHOUT_NOT_FOUND_SENTINEL", 100),
        ("SOURCE_MISMATCH", 20),
        ("TARGET_MISMATCH", 20),
        ("STALE_OBSERVATION", 20),
        ("MISSING_REQUIRED_FIELD", 50),
        ("UNVERIFIED_EFFECT", 20),
        ("SCHEMA_INVALID", 100),
        ("UNSAFE_INPUT", 5),
    ] {
        assert!(counts.get(name).is_some_and(|count| *count >= least), "{name}: {counts:#?}");
    }
}
