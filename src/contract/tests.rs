//! What is refused in a contract or bundle, with its place; all of it at once; and what is at the very bounds.

use serde_json::{Value as Json, json};

use super::*;
use crate::reason::Reason;

fn terms() -> Json {
    json!({
        "schema_version": "1", "claim_type": "found", "required_fields": ["id"], "freshness": {"mode": "not_required"},
        "source_ref": "s", "target_ref": "t",
    })
}

/// Returns a contract's text in which one member is what this JSON text says.
fn with(member: &str, text: &str) -> String {
    let mut object = terms();
    object.as_object_mut().unwrap().remove(member);
    let mut object = object.to_string();
    object.pop();
    format!("{object},\"{member}\":{text}}}")
}

/// Returns the place and the message of each problem, with its code where that is another one.
fn told<T: fmt::Debug>(read: Result<T, Problems>) -> Vec<String> {
    read.unwrap_err()
        .0
        .into_iter()
        .map(|problem| match problem.reason {
            Reason::ContractInvalid => format!("{}: {}", problem.place, problem.message),
            reason => format!("{reason} {}: {}", problem.place, problem.message),
        })
        .collect()
}

fn of_contract(text: &str) -> Vec<String> {
    told(Contract::from_json(text.as_bytes()))
}

fn of_bundle(text: &str) -> Vec<String> {
    told(Bundle::from_json(text.as_bytes()))
}

#[test]
fn a_contract_is_what_it_says() {
    let contract = Contract::from_json(terms().to_string().as_bytes()).unwrap();
    let expected = Contract(Terms::Portable(Portable {
        claim_type: ClaimType::Found,
        required_fields: Box::new(["id".into()]),
        freshness: Freshness::NotRequired,
        source_ref: "s".into(),
        target_ref: "t".into(),
        not_found_sentinel: None,
        effect_evidence_required: false,
    }));
    assert_eq!(contract, expected);
    let yaml = "schema_version: '1'\nclaim_type: found\nrequired_fields: [id]\nfreshness: {mode: not_required}\n\
                source_ref: s\ntarget_ref: t\nnot_found_sentinel: ~\nmin_source_version:\n";
    assert_eq!(Contract::from_yaml(yaml.as_bytes()), Ok(expected));
}

#[test]
fn members_at_their_bounds() {
    let long = |characters: usize| format!("\"{}\"", "é".repeat(characters));
    let names = |count: usize| format!("[{}]", vec!["\"x\""; count].join(","));
    for (member, text) in [
        ("required_fields", "[]"),
        ("required_fields", "[\"a\",\"a\"]"),
        ("required_fields", &names(64)),
        ("required_fields", &format!("[{}]", long(256))),
        ("source_ref", &long(1024)),
        ("target_ref", &long(1024)),
        ("target_ref", "\" \""),
        ("not_found_sentinel", "null"),
        ("not_found_sentinel", &long(256)),
        ("min_source_version", "null"),
        ("min_source_version", &long(256)),
        ("effect_evidence_required", "true"),
        ("effect_evidence_required", "false"),
        ("freshness", r#"{"mode":"not_required","max_age_seconds":null}"#),
        ("freshness", r#"{"mode":"max_age_seconds","max_age_seconds":0}"#),
        ("freshness", r#"{"mode":"max_age_seconds","max_age_seconds":31536000}"#),
    ] {
        assert!(Contract::from_json(with(member, text).as_bytes()).is_ok(), "{member} {text:.60}");
    }
    for claim in ClaimType::ALL {
        let contract = Contract::from_json(with("claim_type", &format!("\"{claim}\"")).as_bytes()).unwrap();
        assert_eq!(contract.claim_type(), claim);
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn one_wrong_member_is_one_problem_at_its_place() {
    let long = |characters: usize| format!("\"{}\"", "é".repeat(characters));
    let names = format!("[{}]", vec!["\"x\""; 65].join(","));
    let text = |most: usize, not: &str| format!("must be a string of 1 to {most} characters, not {not}");
    for (member, value, place, message) in [
        (
            "schema_version",
            "1",
            "schema_version",
            "must be the string \"1\" or \"2\", not an integer".to_owned(),
        ),
        (
            "schema_version",
            "\"3\"",
            "schema_version",
            "must be the string \"1\" or \"2\", not another one".to_owned(),
        ),
        (
            "schema_version",
            "null",
            "schema_version",
            "must be the string \"1\" or \"2\", not null".to_owned(),
        ),
        (
            "claim_type",
            "\"Found\"",
            "claim_type",
            "must be one of found, not_found, read_complete, effect_observed, task_complete".to_owned(),
        ),
        (
            "claim_type",
            "null",
            "claim_type",
            "must be one of found, not_found, read_complete, effect_observed, task_complete".to_owned(),
        ),
        ("required_fields", "null", "required_fields", "must be an array of names, not null".to_owned()),
        ("required_fields", "{}", "required_fields", "must be an array of names, not an object".to_owned()),
        (
            "required_fields",
            "\"id\"",
            "required_fields",
            "must be an array of names, not a string".to_owned(),
        ),
        ("required_fields", &names, "required_fields", "must have at most 64 names, not 65".to_owned()),
        ("required_fields", "[\"a\",1]", "required_fields.1", text(256, "an integer")),
        ("required_fields", "[\"\"]", "required_fields.0", text(256, "an empty one")),
        ("required_fields", &format!("[{}]", long(257)), "required_fields.0", text(256, "a longer one")),
        ("source_ref", "\"\"", "source_ref", text(1024, "an empty one")),
        ("source_ref", "null", "source_ref", text(1024, "null")),
        ("source_ref", &long(1025), "source_ref", text(1024, "a longer one")),
        ("target_ref", "7.5", "target_ref", text(1024, "a float")),
        ("target_ref", &long(1025), "target_ref", text(1024, "a longer one")),
        ("not_found_sentinel", "\"\"", "not_found_sentinel", text(256, "an empty one")),
        ("not_found_sentinel", "false", "not_found_sentinel", text(256, "a boolean")),
        ("not_found_sentinel", &long(257), "not_found_sentinel", text(256, "a longer one")),
        ("min_source_version", "\"\"", "min_source_version", text(256, "an empty one")),
        ("min_source_version", "12", "min_source_version", text(256, "an integer")),
        ("min_source_version", &long(257), "min_source_version", text(256, "a longer one")),
        (
            "effect_evidence_required",
            "null",
            "effect_evidence_required",
            "must be true or false, not null".to_owned(),
        ),
        (
            "effect_evidence_required",
            "\"true\"",
            "effect_evidence_required",
            "must be true or false, not a string".to_owned(),
        ),
        ("freshness", "null", "freshness", "must be an object with `mode`, not null".to_owned()),
        (
            "freshness",
            "\"not_required\"",
            "freshness",
            "must be an object with `mode`, not a string".to_owned(),
        ),
        (
            "freshness",
            "{}",
            "freshness.mode",
            "must be one of not_required, source_version, max_age_seconds".to_owned(),
        ),
        (
            "freshness",
            r#"{"mode":"none"}"#,
            "freshness.mode",
            "must be one of not_required, source_version, max_age_seconds".to_owned(),
        ),
        (
            "freshness",
            r#"{"mode":"source_version"}"#,
            "min_source_version",
            "is missing; the mode `source_version` needs it".to_owned(),
        ),
        (
            "freshness",
            r#"{"mode":"not_required","max_age_seconds":5}"#,
            "freshness.max_age_seconds",
            "is for the mode `max_age_seconds` alone".to_owned(),
        ),
        (
            "freshness",
            r#"{"mode":"not_required","max_age":5}"#,
            "freshness.max_age",
            "is not a member; these are: mode, max_age_seconds".to_owned(),
        ),
        (
            "freshness",
            r#"{"mode":"not_required","Mode":5}"#,
            "freshness.Mode",
            "is not a member; did you mean `mode`?".to_owned(),
        ),
        (
            "max_age_seconds",
            "5",
            "max_age_seconds",
            "is not a member; these are: schema_version, claim_type, required_fields, freshness, \
             min_source_version, source_ref, target_ref, not_found_sentinel, effect_evidence_required"
                .to_owned(),
        ),
        ("Source_ref", "\"s\"", "Source_ref", "is not a member; did you mean `source_ref`?".to_owned()),
        (
            "not_found_sentinal",
            "null",
            "not_found_sentinal",
            "is not a member; did you mean `not_found_sentinel`?".to_owned(),
        ),
    ] {
        assert_eq!(
            of_contract(&with(member, value)),
            [format!("{place}: {message}")],
            "{member} {value:.60}"
        );
    }
    for seconds in ["-1", "31536001", "1.0", "true", "\"60\"", "1e3", "99999999999999999999", "[]"] {
        let freshness = format!(r#"{{"mode":"max_age_seconds","max_age_seconds":{seconds}}}"#);
        let expected = "freshness.max_age_seconds: must be an integer from 0 to 31536000";
        assert_eq!(of_contract(&with("freshness", &freshness)), [expected], "{seconds}");
    }
    for freshness in [r#"{"mode":"max_age_seconds"}"#, r#"{"mode":"max_age_seconds","max_age_seconds":null}"#]
    {
        let expected = "freshness.max_age_seconds: is missing; it must be an integer from 0 to 31536000";
        assert_eq!(of_contract(&with("freshness", freshness)), [expected]);
    }
}

#[test]
fn a_member_that_is_missing_is_told_with_what_it_must_be() {
    for (member, message) in [
        ("schema_version", "is missing; it must be the string \"1\" or \"2\""),
        (
            "claim_type",
            "is missing; it must be one of found, not_found, read_complete, effect_observed, task_complete",
        ),
        ("required_fields", "is missing; it must be an array of names, which may be empty"),
        ("freshness", "is missing; `{\"mode\": \"not_required\"}` asks for nothing"),
        ("source_ref", "is missing; it must be a string of 1 to 1024 characters"),
        ("target_ref", "is missing; it must be a string of 1 to 1024 characters"),
    ] {
        let mut object = terms();
        object.as_object_mut().unwrap().remove(member);
        assert_eq!(of_contract(&object.to_string()), [format!("{member}: {message}")]);
    }
}

#[test]
fn everything_wrong_is_told_at_once() {
    let text = r#"{"schema_version":2,"claim_type":"x","required_fields":["",7],"freshness":{"mode":"max_age_seconds",
        "max_age_seconds":-1,"more":1},"min_source_version":"","source_ref":"","not_found_sentinel":[],
        "effect_evidence_required":1,"more":1}"#;
    let places: Vec<String> = Contract::from_json(text.as_bytes())
        .unwrap_err()
        .0
        .into_iter()
        .map(|problem| problem.place)
        .collect();
    let expected = [
        "more",
        "schema_version",
        "claim_type",
        "required_fields.0",
        "required_fields.1",
        "min_source_version",
        "freshness.more",
        "freshness.max_age_seconds",
        "source_ref",
        "target_ref",
        "not_found_sentinel",
        "effect_evidence_required",
    ];
    assert_eq!(places, expected);
}

#[test]
fn a_text_that_is_no_contract() {
    for (text, expected) in [
        ("[]", ": a contract is an object, not an array"),
        ("null", ": a contract is an object, not null"),
        ("\"x\"", ": a contract is an object, not a string"),
        ("{\"a\":1,\"a\":2}", ": the same key twice in one object"),
    ] {
        assert_eq!(of_contract(text), [expected], "{text}");
    }
    for text in ["", "{", "{}x", "{'a':1}", "\u{feff}\u{feff}{}", "{\"a\":NaN}"] {
        let problems = Contract::from_json(text.as_bytes()).unwrap_err();
        assert_eq!(problems.0.len(), 1, "{text}");
        assert_eq!(problems.0[0].reason, Reason::ParseFailed, "{text}");
        assert_eq!(problems.exit_status(), 2);
    }
    assert!(Contract::from_json(format!("\u{feff}{}", terms()).as_bytes()).is_ok());
    let not_utf8 = Contract::from_yaml(b"a: \xff").unwrap_err();
    assert_eq!(not_utf8.0[0].reason, Reason::ParseFailed);
    for (text, reason) in [
        ("a: &x 1", Reason::UnsafeInput),
        ("a: !!binary aGk=", Reason::UnsafeInput),
        ("a: [", Reason::ParseFailed),
        ("a: 1\n--- {}", Reason::ParseFailed),
    ] {
        assert_eq!(Contract::from_yaml(text.as_bytes()).unwrap_err().0[0].reason, reason, "{text}");
    }
    let yaml = "source_ref: s\nsource_ref: s\n";
    assert_eq!(Contract::from_yaml(yaml.as_bytes()).unwrap_err().0[0].reason, Reason::ContractInvalid);
}

#[test]
fn a_contract_has_the_bounds_of_any_document() {
    let deep = with("x", &format!("{}{}", "[".repeat(32), "]".repeat(32)));
    assert!(of_contract(&deep)[0].starts_with("LIMIT_EXCEEDED "), "{:?}", of_contract(&deep));
    let many = with("x", &format!("[{}]", vec!["0"; 4096].join(",")));
    assert!(of_contract(&many)[0].starts_with("LIMIT_EXCEEDED "));
    let long = with("x", &format!("\"{}\"", "x".repeat(16_385)));
    assert!(of_contract(&long)[0].starts_with("LIMIT_EXCEEDED "));
    let large = format!("{}{}", " ".repeat(131_072), terms());
    assert!(of_contract(&large)[0].starts_with("LIMIT_EXCEEDED "));
    assert_eq!(Contract::from_json(large.as_bytes()).unwrap_err().exit_status(), 3);
    let fits = format!("{}{}", terms(), " ".repeat(131_072 - terms().to_string().len()));
    assert!(Contract::from_json(fits.as_bytes()).is_ok());
    // A bundle as a whole may be larger than any contract in it, and each contract has its own bounds.
    let contracts: Vec<String> = (0..2000).map(|number| format!("\"tool{number}\":{}", terms())).collect();
    let bundle = format!("{{\"bundle_version\":1,\"contracts\":{{{}}}}}", contracts.join(","));
    assert!(bundle.len() > 131_072);
    assert_eq!(Bundle::from_json(bundle.as_bytes()).unwrap().entries().len(), 2000);
    let bundle = json!({"bundle_version": 1, "contracts": {"a": terms()}}).to_string();
    for (inner, part) in [(&deep, "levels"), (&many, "nodes"), (&long, "characters")] {
        let told = of_bundle(&bundle.replace(&terms().to_string(), inner));
        assert_eq!(told.len(), 1);
        assert!(told[0].starts_with("LIMIT_EXCEEDED contracts.a: ") && told[0].contains(part), "{told:?}");
    }
}

#[test]
fn a_bundle_tells_everything_with_its_place() {
    let bad = json!({"schema_version": "1", "claim_type": "x", "required_fields": [], "freshness": {"mode": "not_required"},
        "source_ref": "s", "target_ref": "t"});
    let text = json!({
        "bundle_version": "1",
        "contract": {},
        "contracts": {
            "": terms(),
            "a": bad,
            "b.c": 7,
            "d": [],
            "e": [terms(), bad, terms()],
            "f[": terms(),
            "line\nbreak": [[]],
        },
        "default": null,
    });
    let told = of_bundle(&text.to_string());
    let claim = "claim_type: must be one of found, not_found, read_complete, effect_observed, task_complete";
    let mut expected = vec![
        "contract: is not a member; did you mean `contracts`?".to_owned(),
        "bundle_version: must be the integer 1".to_owned(),
        "contracts.: a tool's name is not empty".to_owned(),
        format!("contracts.a.{claim}"),
        "contracts.b.c: a contract is an object, not an integer".to_owned(),
        "contracts.d: must have at least one contract".to_owned(),
        format!("contracts.e.1.{claim}"),
        "contracts.e.2.claim_type: is that of an earlier contract of the same tool".to_owned(),
        "contracts.f[: is no glob: unclosed character class; missing ']'".to_owned(),
        "contracts.line\\nbreak.0: a contract is an object, not an array".to_owned(),
        "default: a contract is an object, not null".to_owned(),
    ];
    let mut sorted = told.clone();
    sorted.sort();
    expected.sort();
    assert_eq!(sorted, expected);
}

#[test]
fn the_frame_of_a_bundle() {
    for (text, expected) in [
        ("[]", &[": a bundle is an object, not an array"][..]),
        ("7", &[": a bundle is an object, not an integer"]),
        (
            r#"{"bundle_version":1}"#,
            &["contracts: is missing; it must be an object of contracts by tool name"],
        ),
        (r#"{"bundle_version":2,"contracts":{}}"#, &["bundle_version: must be the integer 1"]),
        (r#"{"bundle_version":1.0,"contracts":{}}"#, &["bundle_version: must be the integer 1"]),
        (r#"{"bundle_version":true,"contracts":{}}"#, &["bundle_version: must be the integer 1"]),
        (r#"{"contracts":{}}"#, &["bundle_version: is missing; it must be the integer 1"]),
        (
            r#"{"bundle_version":1,"contracts":[]}"#,
            &["contracts: must be an object of contracts by tool name, not an array"],
        ),
        (
            r#"{"bundle_version":1,"contracts":null}"#,
            &["contracts: must be an object of contracts by tool name, not null"],
        ),
    ] {
        assert_eq!(of_bundle(text), expected, "{text}");
    }
    for text in [
        r#"{"bundle_version":1,"contracts":{}}"#.to_owned(),
        format!(r#"{{"bundle_version":1,"default":{}}}"#, terms()),
        format!(r#"{{"bundle_version":1,"default":[{}]}}"#, terms()),
    ] {
        assert!(Bundle::from_json(text.as_bytes()).is_ok(), "{text}");
    }
    // A key that is there twice, however deep.
    let text = r#"{"bundle_version":1,"contracts":{"a":{"x":{"k":1,"k":1}}}}"#;
    assert_eq!(of_bundle(text), [": the same key twice in one object"]);
    let yaml = "bundle_version: 1\ncontracts:\n  a: {}\n  a: {}\n";
    assert_eq!(Bundle::from_yaml(yaml.as_bytes()).unwrap_err().0[0].reason, Reason::ContractInvalid);
    let yaml = "bundle_version: 1\ncontracts:\n  7: {}\n";
    assert_eq!(
        told(Bundle::from_yaml(yaml.as_bytes())),
        ["contracts: a tool's name must be a string; put it in quotes"]
    );
    let yaml = format!("bundle_version: 1\ncontracts:\n  'yes': {}\n", terms());
    assert!(Bundle::from_yaml(yaml.as_bytes()).is_ok());
}

#[test]
fn one_contract_is_a_bundle() {
    let bundle = Bundle::from_json(terms().to_string().as_bytes()).unwrap();
    assert_eq!(bundle.entries().len(), 1);
    assert_eq!(bundle.entries()[0].key(), "default");
    assert_eq!(bundle.find("anything", &mut Lookup::default()).unwrap().contracts().len(), 1);
    assert_eq!(of_bundle(&with("claim_type", "7")).len(), 1);
}

fn bundle(tools: &[&str], default: bool) -> Bundle {
    let contracts: serde_json::Map<String, Json> =
        tools.iter().map(|name| ((*name).to_owned(), terms())).collect();
    let mut document = json!({"bundle_version": 1, "contracts": contracts});
    if default {
        document["default"] = terms();
    }
    Bundle::from_json(document.to_string().as_bytes()).unwrap()
}

#[test]
fn bundles_are_put_together_and_found_in() {
    let mut merged = bundle(&["a", "x*"], false);
    merged.merge(bundle(&["b", "xy*"], true)).unwrap();
    merged.merge(bundle(&["c", "*"], false)).unwrap();
    let mut lookup = Lookup::default();
    for (tool, key) in
        [("a", "a"), ("b", "b"), ("c", "c"), ("x1", "x*"), ("xy1", "xy*"), ("d", "*"), ("xyz", "xy*")]
    {
        assert_eq!(merged.find(tool, &mut lookup).unwrap().key(), key);
        assert_eq!(merged.find(tool, &mut lookup).unwrap().key(), key, "again, remembered");
    }
    let mut plain = bundle(&["a"], false);
    assert!(plain.find("b", &mut Lookup::default()).is_none());
    plain.merge(bundle(&[], true)).unwrap();
    assert_eq!(plain.find("b", &mut Lookup::default()).unwrap().key(), "default");
}

#[test]
fn what_two_bundles_both_have_is_a_conflict() {
    let mut merged = bundle(&["a", "b", "x*"], true);
    let problems = merged.merge(bundle(&["b", "c", "x*"], true)).unwrap_err();
    let expected = [
        "contracts.b: is in an earlier file already",
        "contracts.x*: is in an earlier file already",
        "default: is in an earlier file already",
    ];
    let mut told = told::<()>(Err(problems));
    told.sort();
    assert_eq!(told, expected);
    // Nothing of the second one got in.
    assert_eq!(merged.find("c", &mut Lookup::default()).unwrap().key(), "default");
    // A tool of the name `default` is no default.
    let mut merged = bundle(&["default"], false);
    merged.merge(bundle(&["a"], true)).unwrap();
    let mut merged = bundle(&["a"], true);
    merged.merge(bundle(&["default"], false)).unwrap();
    assert_eq!(merged.entries().len(), 3);
}

#[test]
fn a_problem_reads_as_one_line() {
    let problems = Bundle::from_json(br#"{"bundle_version":1,"contracts":{"a":{}}}"#).unwrap_err();
    let shown = problems.clone().in_file("`b.json`").to_string();
    assert_eq!(shown.lines().count(), problems.0.len());
    let first = "CONTRACT_INVALID: is missing; it must be the string \"1\" or \"2\" (`b.json`, contracts.a.schema_version)";
    assert_eq!(shown.lines().next(), Some(first));
    let shown = problems.to_string();
    assert!(shown.starts_with(
        "CONTRACT_INVALID: is missing; it must be the string \"1\" or \"2\" (contracts.a.schema_version)\n"
    ));
}
