//! What version "2" may never do, for any input and any contract: seal more because more is asked, because less came
//! back, or because a contract of version "1" was rewritten. Where that is not so, the exception is named here.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test ends at the first surprise")]

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use sealpipe::{Contract, Outcome, Timestamp, check};
use serde_json::{Map, Value as Json, json};

fn now() -> Timestamp {
    Timestamp::parse("2026-11-02T12:00:00Z").unwrap()
}

fn outcome(contract: &Json, input: &Json) -> Outcome {
    let text = serde_json::to_vec(contract).unwrap();
    let contract = Contract::from_json(&text).unwrap_or_else(|problems| panic!("{contract}: {problems}"));
    check(&serde_json::to_vec(input).unwrap(), &contract, now()).outcome()
}

/// Few names and few values, so that rules and payloads meet.
fn value() -> impl Strategy<Value = Json> {
    let scalar = select(vec![
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(2),
        json!(1.0),
        json!(""),
        json!("x"),
        json!("t"),
        json!("NOT_FOUND"),
        json!("n/a"),
        json!("  "),
        json!(9_007_199_254_740_993_u64),
    ]);
    scalar.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Json::Array),
            prop::collection::btree_map("[abc]", inner, 0..3)
                .prop_map(|members| Json::Object(members.into_iter().collect())),
        ]
    })
}

fn payload() -> impl Strategy<Value = Json> {
    prop_oneof![
        4 => prop::collection::btree_map("[abc]", value(), 0..4)
            .prop_map(|members| Json::Object(members.into_iter().collect())),
        1 => value(),
    ]
}

fn path() -> impl Strategy<Value = String> {
    select(vec!["/a", "/b", "/c", "/a/a", "/b/0", ""]).prop_map(str::to_owned)
}

/// Conditions; without `testing_absence` none that a missing path decides in favour of the result.
fn condition(testing_absence: bool) -> impl Strategy<Value = Json> {
    let scalar = || select(vec![json!(true), json!(false), json!(1), json!(0), json!("x"), json!(null)]);
    let test = (path(), scalar(), path(), 0..if testing_absence { 11 } else { 8 }).prop_map(
        |(path, scalar, other, which)| {
            let other = if other == path { "/c/none".to_owned() } else { other };
            let (name, value) = match which {
                0 => ("equals", scalar),
                1 => ("in", json!([scalar, "t"])),
                2 => ("is_empty", json!(true)),
                3 => ("matches", json!("^x$")),
                4 => ("minimum", json!(1)),
                5 => ("maximum", json!(1)),
                6 => ("exceeds_count_of", json!(other)),
                7 => ("equals_path", json!(other)),
                8 => ("exists", json!(true)),
                9 => ("exists", json!(false)),
                _ => ("non_empty", json!(true)),
            };
            json!({"path": path, name: value})
        },
    );
    let test = test.boxed();
    prop_oneof![3 => test.clone(), 1 => prop::collection::vec(test, 1..3).prop_map(|tests| json!({"all": tests}))]
}

/// Rules by the member that they are added to; arrays grow, objects are set.
fn rule(claim: &'static str, testing_absence: bool) -> BoxedStrategy<(&'static str, Json)> {
    let name = select(vec!["a", "b", "c", "/a/a"]);
    let field =
        (path(), select(vec!["integer", "number", "string", "boolean", ""])).prop_map(|(path, of)| {
            if of.is_empty() {
                json!({"path": path, "enum": ["x", 1, true]})
            } else {
                json!({"path": path, "type": of})
            }
        });
    let mut rules = vec![
        name.prop_map(|name| ("required_fields", json!(name))).boxed(),
        field.prop_map(|rule| ("fields", rule)).boxed(),
        condition(testing_absence).prop_map(|condition| ("error_when", condition)).boxed(),
        condition(testing_absence).prop_map(|condition| ("partial_when", condition)).boxed(),
        Just(("observed_target", json!("{/a}"))).boxed(),
    ];
    if claim != "not_found" {
        rules.push(condition(testing_absence).prop_map(|condition| ("empty_when", condition)).boxed());
        rules.push(condition(testing_absence).prop_map(|condition| ("not_found_when", condition)).boxed());
    }
    if testing_absence {
        rules.push(Just(("payload_schema", json!({"type": "object", "required": ["a"]}))).boxed());
        rules.push(Just(("claims", json!({"required": true}))).boxed());
    }
    prop::strategy::Union::new(rules).boxed()
}

fn base(claim: &str) -> Json {
    let mut contract = json!({
        "schema_version": "2", "claim_type": claim, "source_ref": "s", "freshness": {"mode": "not_required"},
    });
    if claim == "not_found" {
        contract["not_found_when"] = json!([{"path": "/a", "equals": false}]);
    }
    contract
}

fn add(contract: &mut Json, (member, rule): &(&'static str, Json)) {
    match *member {
        "observed_target" | "payload_schema" | "claims" => contract[*member] = rule.clone(),
        _ => {
            let list = contract.as_object_mut().unwrap().entry(*member).or_insert_with(|| json!([]));
            let list = list.as_array_mut().unwrap();
            // Two rules on one path are one rule too many, and no contract.
            let path = |rule: &Json| rule.get("path").cloned();
            let is_refused = *member == "fields" && list.iter().any(|other| path(other) == path(rule));
            // All of `not_found_when` must hold: one more makes an absence rarer, which asks for less.
            let asks_for_less = *member == "not_found_when" && !list.is_empty();
            if !is_refused && !asks_for_less {
                list.push(rule.clone());
            }
        }
    }
}

fn claim() -> impl Strategy<Value = &'static str> {
    select(vec!["found", "not_found", "read_complete", "effect_observed", "task_complete"])
}

fn input(payload: Json) -> impl Strategy<Value = Json> {
    let extra = vec![
        ("evidence_refs", json!(["e"])),
        ("evidence_refs", json!(["id"])),
        ("tool_call_id", json!("id")),
        ("truncated", json!(false)),
        ("stale", json!(1)),
        ("isError", json!(false)),
    ];
    (subsequence(extra, 0..3), select(vec!["s", "other"])).prop_map(move |(extra, source)| {
        let mut input = json!({"kind": "json", "source_ref": source, "target_ref": "x", "body": payload});
        for (name, value) in extra {
            input[name] = value;
        }
        input
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// Exceptions, none of them rules in this sense: members that replace what another one asks for (`effect_evidence`
    /// takes the place of any reference, `target_ref` and `observed_target` beside one another that of the input's own
    /// target), a further alternative for absence in a `not_found` contract, a further condition of an absence, and a field that a claim may then be about.
    #[test]
    fn asking_for_more_never_seals_more(
        (claim, rules, added) in claim().prop_flat_map(|claim| (
            Just(claim), prop::collection::vec(rule(claim, true), 0..3), rule(claim, true),
        )),
        input in payload().prop_flat_map(input),
    ) {
        let mut contract = base(claim);
        for rule in &rules {
            add(&mut contract, rule);
        }
        let before = outcome(&contract, &input);
        add(&mut contract, &added);
        let after = outcome(&contract, &input);
        prop_assert!(before == Outcome::Sealed || after != Outcome::Sealed, "{contract} {input}");
    }

    /// Exceptions: conditions that test absence (`exists`, `non_empty`), rules that are `optional`, a schema that
    /// refuses a member, the sentinel of a contract that claims something else than absence, and `allow_empty_payload`.
    #[test]
    fn less_of_a_payload_never_seals_more(
        (claim, rules) in claim().prop_flat_map(|claim| (
            Just(claim), prop::collection::vec(rule(claim, false), 0..4),
        )),
        (input, lost) in payload().prop_flat_map(|payload| (input(payload), "[abc]")),
    ) {
        let mut contract = base(claim);
        for rule in &rules {
            add(&mut contract, rule);
        }
        let before = outcome(&contract, &input);
        let mut less = input.clone();
        if let Some(body) = less["body"].as_object_mut() {
            body.remove(&lost);
        }
        let after = outcome(&contract, &less);
        prop_assert!(before == Outcome::Sealed || after != Outcome::Sealed, "{contract} {input} without {lost}");
    }
}

/// Why a rewritten contract may seal what version "1" did not: the documented relaxations.
fn is_relaxed(input: &Map<String, Json>) -> bool {
    let is_json = |text: &Json| text.as_str().is_some_and(|text| text.trim_start().starts_with(['{', '[']));
    let text_is_json = input.get("text").is_some_and(is_json);
    let other_spelling =
        ["content", "structured_content", "is_error"].iter().any(|name| input.contains_key(*name));
    let null_target = input.get("target_ref").is_some_and(Json::is_null);
    let skew = input.get("observed_at").and_then(Json::as_str).is_some_and(|text| {
        text.ends_with('z')
            || Timestamp::parse(text).is_ok_and(|at| (-5_000_000..0).contains(&now().micros_since(at)))
    });
    text_is_json || other_spelling || null_target || skew
}

/// The golden contracts and inputs of version "1", rewritten by their version alone.
#[test]
fn a_rewritten_contract_never_seals_what_version_1_does_not() {
    let path = format!("{}/fixtures/golden/inputs.jsonl", env!("CARGO_MANIFEST_DIR"));
    let (mut both, mut compared) = (0, 0);
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let case: Json = serde_json::from_str(line).unwrap();
        let Some(contract) = case["contract"].as_object() else { continue };
        let text = |contract: &Map<String, Json>| serde_json::to_vec(contract).unwrap();
        let Ok(first) = Contract::from_json(&text(contract)) else { continue };
        let mut rewritten = contract.clone();
        rewritten.insert("schema_version".to_owned(), json!("2"));
        // In version "2" braces and stars mean something.
        let Ok(second) = Contract::from_json(&text(&rewritten)) else { continue };
        let input = case["line"].as_str().unwrap();
        let at = Timestamp::parse(case["now"].as_str().unwrap()).unwrap();
        let (first, second) = (check(input.as_bytes(), &first, at), check(input.as_bytes(), &second, at));
        compared += 1;
        both += usize::from(first.is_sealed() && second.is_sealed());
        // An absence has no content, so version "2" asks none of it.
        let absence = contract["claim_type"] == "not_found" && contract["required_fields"] != json!([]);
        let input_is_relaxed = |input: Json| input.as_object().is_some_and(is_relaxed);
        let relaxed = absence || serde_json::from_str(input).is_ok_and(input_is_relaxed);
        assert!(
            first.is_sealed() || !second.is_sealed() || relaxed,
            "{}: {input}\n{}\n{}",
            case["id"],
            first.full_record(),
            second.full_record()
        );
    }
    assert!(compared > 2000 && both > 50, "{compared} {both}");
}
