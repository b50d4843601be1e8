//! Which contract decides: by tool name, by glob, by claim type, by default.

use serde_json::{Value as Json, json};

use super::*;

fn terms(changes: Json) -> Json {
    let mut members = json!({
        "schema_version": "1", "claim_type": "found", "required_fields": [], "freshness": {"mode": "not_required"},
        "source_ref": "s", "target_ref": "t",
    });
    merge(&mut members, changes);
    members
}

fn engine(bundle: &Json) -> Engine {
    Engine::new(Bundle::from_json(bundle.to_string().as_bytes()).unwrap())
}

fn judged(engine: &Engine, members: Json) -> Json {
    serde_json::from_str(engine.check(input(members).as_bytes(), now()).full_record()).unwrap()
}

#[test]
fn the_exact_name_then_the_longest_literal_prefix_then_the_default() {
    let names = [
        "search",
        "mcp__crm__*",
        "mcp__*",
        "mcp__crm__get_*",
        "mcp__crm__get_customer",
        "*",
        "?at",
        "[bc]ar",
        "log_{day,night}",
        "\\*literal\\*",
        "a.b",
    ];
    let contracts: Json =
        names.iter().map(|name| ((*name).to_owned(), terms(json!({})))).collect::<Map<_, _>>().into();
    let all = engine(&json!({"bundle_version": 1, "contracts": contracts, "default": terms(json!({}))}));
    for (tool, key) in [
        ("search", "search"),
        ("searches", "*"),
        ("Search", "*"),
        ("mcp__crm__x", "mcp__crm__*"),
        ("mcp__crm__get_x", "mcp__crm__get_*"),
        ("mcp__crm__get_customer", "mcp__crm__get_customer"),
        ("mcp__crm__get_customers", "mcp__crm__get_*"),
        ("mcp__erp__x", "mcp__*"),
        ("mcp__", "mcp__*"),
        ("mcp_", "*"),
        // No separator stops a star: a tool's name is no path.
        ("mcp__crm__a/b/c", "mcp__crm__*"),
        ("cat", "?at"),
        ("ccat", "*"),
        ("bar", "[bc]ar"),
        ("log_day", "log_{day,night}"),
        ("log_noon", "*"),
        ("*literal*", "\\*literal\\*"),
        ("xliteralx", "*"),
        ("a.b", "a.b"),
        ("axb", "*"),
    ] {
        let record = judged(&all, json!({"tool_name": tool}));
        assert_eq!((&record["contract"], &record["decision"]), (&json!(key), &json!("sealed")), "{tool}");
    }
    // Without a name, the name that says so.
    assert_eq!(judged(&all, json!({}))["contract"], "*");
    let few = engine(
        &json!({"bundle_version": 1, "contracts": {"search": terms(json!({}))}, "default": terms(json!({}))}),
    );
    assert_eq!(judged(&few, json!({"tool_name": "other"}))["contract"], "default");
    assert_eq!(judged(&few, json!({}))["contract"], "default");
    // A tool may be called as the default is.
    assert_eq!(judged(&few, json!({"tool_name": "default"}))["contract"], "default");
}

#[test]
fn equal_prefixes_go_by_the_longer_pattern() {
    let contracts = json!({"a*": terms(json!({})), "a*z": terms(json!({})), "a?": terms(json!({}))});
    let engine = engine(&json!({"bundle_version": 1, "contracts": contracts}));
    for (tool, key) in [("abz", "a*z"), ("abc", "a*"), ("ab", "a?"), ("az", "a*z"), ("a", "a*")] {
        assert_eq!(judged(&engine, json!({"tool_name": tool}))["contract"], key, "{tool}");
    }
}

#[test]
fn a_tool_without_a_contract_is_blocked() {
    let engine = engine(
        &json!({"bundle_version": 1, "contracts": {"search": terms(json!({})), "x*": terms(json!({}))}}),
    );
    for members in
        [json!({"tool_name": "other"}), json!({}), json!({"tool_name": "other", "claim_type": "found"})]
    {
        let record = judged(&engine, members);
        assert_eq!(record["decision"], "blocked");
        assert_eq!(record["truth_state"], "unknown");
        assert_eq!(record["reason_codes"], json!(["NO_CONTRACT"]));
        assert_eq!((&record["claim_type"], &record["contract"]), (&Json::Null, &Json::Null));
        assert_eq!(record["findings"][0]["path"], "tool_name");
    }
    // A contract nobody has does not hide that the input is malformed.
    assert_eq!(judged(&engine, json!({"tool_name": "other", "source_ref": 1}))["decision"], "rejected");
    assert_eq!(
        judged(&engine, json!({"tool_name": "other", "kind": "claim_only"}))["reason_codes"],
        json!(["NO_CONTRACT"])
    );
}

fn several() -> Engine {
    engine(&json!({"bundle_version": 1, "contracts": {"get": [
        terms(json!({"claim_type": "found", "required_fields": ["name"]})),
        terms(json!({"claim_type": "not_found", "not_found_sentinel": "NONE"})),
        terms(json!({"claim_type": "read_complete", "required_fields": ["all"]})),
    ]}}))
}

#[test]
fn of_several_contracts_the_first_that_seals_decides_else_the_first_listed() {
    for (body, claim, state, code) in [
        (json!({"name": 1}), "found", "sealed", "SEALED_WITH_REQUIRED_EVIDENCE"),
        (json!({"name": 1, "all": 1}), "found", "sealed", "SEALED_WITH_REQUIRED_EVIDENCE"),
        (json!({"status": "NONE"}), "not_found", "not_found", "SEALED_WITH_REQUIRED_EVIDENCE"),
        (json!({"all": 1}), "read_complete", "sealed", "SEALED_WITH_REQUIRED_EVIDENCE"),
        (json!({"status": "NONE", "all": 1}), "not_found", "not_found", "SEALED_WITH_REQUIRED_EVIDENCE"),
        (json!({"other": 1}), "found", "partial", "MISSING_REQUIRED_FIELD"),
        (json!([]), "found", "empty", "EMPTY_WITHOUT_NOT_FOUND_SENTINEL"),
    ] {
        let record = judged(&several(), json!({"tool_name": "get", "body": body}));
        assert_eq!(record["claim_type"], claim, "{body}");
        assert_eq!(record["truth_state"], state, "{body}");
        assert_eq!(record["reason_codes"], json!([code]), "{body}");
        assert_eq!(record["contract"], "get");
    }
}

#[test]
fn a_claim_type_in_the_input_chooses_its_contract() {
    for (claim, body, claim_type, state, code) in [
        ("found", json!({"name": 1}), json!("found"), "sealed", "SEALED_WITH_REQUIRED_EVIDENCE"),
        ("not_found", json!({"name": 1}), json!("not_found"), "observed", "EMPTY_WITHOUT_NOT_FOUND_SENTINEL"),
        ("not_found", json!("\"NONE\""), json!("not_found"), "not_found", "SEALED_WITH_REQUIRED_EVIDENCE"),
        ("found", json!("\"NONE\""), json!("found"), "partial", "MISSING_REQUIRED_FIELD"),
        ("read_complete", json!({"name": 1}), json!("read_complete"), "partial", "MISSING_REQUIRED_FIELD"),
        ("task_complete", json!({"name": 1}), json!("task_complete"), "unknown", "UNSUPPORTED_CLAIM"),
    ] {
        let record = judged(&several(), json!({"tool_name": "get", "claim_type": claim, "body": body}));
        assert_eq!(record["claim_type"], claim_type, "{claim} {body}");
        assert_eq!(record["truth_state"], state, "{claim} {body}");
        assert_eq!(record["reason_codes"], json!([code]), "{claim} {body}");
    }
    for claim in [json!("foun"), json!(""), json!("FOUND"), json!(7), json!([]), json!(false)] {
        let record =
            judged(&several(), json!({"tool_name": "get", "claim_type": claim, "body": {"name": 1}}));
        assert_eq!(record["reason_codes"], json!(["UNSUPPORTED_CLAIM"]), "{claim}");
        assert_eq!(record["claim_type"], Json::Null, "{claim}");
        assert_eq!(record["findings"][0]["path"], "claim_type");
    }
    // Null is as good as absent.
    let text = input_with("claim_type", "null").replace("\"id\":1", "\"name\":1");
    let text = text.replacen('{', "{\"tool_name\":\"get\",", 1);
    assert!(several().check(text.as_bytes(), now()).is_sealed());
}

#[test]
fn one_contract_is_a_bundle_with_a_default_alone() {
    let one = engine(&terms(json!({"claim_type": "read_complete"})));
    for members in [json!({}), json!({"tool_name": "x"}), json!({"claim_type": "read_complete"})] {
        let record = judged(&one, members);
        assert_eq!((&record["contract"], &record["decision"]), (&json!("default"), &json!("sealed")));
    }
    assert_eq!(judged(&one, json!({"claim_type": "found"}))["reason_codes"], json!(["UNSUPPORTED_CLAIM"]));
    // Whoever checks by one contract asks about that one, whatever the input says.
    let decision = check(
        input(json!({"claim_type": "found"})).as_bytes(),
        &contract(json!({"claim_type": "read_complete"})),
        now(),
    );
    assert!(decision.is_sealed());
}

#[test]
fn a_default_may_have_several_contracts() {
    let engine = engine(&json!({"bundle_version": 1, "default": [
        terms(json!({"required_fields": ["name"]})),
        terms(json!({"claim_type": "not_found", "not_found_sentinel": "NONE"})),
    ]}));
    assert_eq!(judged(&engine, json!({"body": {"x": "NONE"}}))["truth_state"], "not_found");
    assert_eq!(judged(&engine, json!({"body": {"name": "NONE"}}))["truth_state"], "sealed");
}

#[test]
fn names_that_were_looked_up_are_remembered_within_bounds() {
    let bundle = json!({"bundle_version": 1, "contracts": {"a*": terms(json!({})), "b": terms(json!({}))}});
    let engine = engine(&bundle);
    let mut scratch = Scratch::default();
    for round in 0..2 {
        for number in 0..6000 {
            let letter = ["a", "b", "c"][number % 3];
            let tool = format!("{letter}{number}");
            let line = input(json!({"tool_name": tool}));
            let outcome =
                engine.judge(line.as_bytes(), &Clock::At(now()), &mut scratch, |ruling, _| ruling.outcome);
            let expected = if letter == "a" { Outcome::Sealed } else { Outcome::Blocked };
            assert_eq!(outcome, expected, "{tool} in round {round}");
        }
    }
}
