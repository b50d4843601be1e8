//! What is told about contracts of version "2", and how both versions live in one bundle.

use crate::contract::{Bundle, Contract};
use crate::engine::{Clock, Engine, Scratch};
use crate::time::Timestamp;

fn contract(more: &str) -> String {
    format!(
        r#"{{"schema_version":"2","claim_type":"found","source_ref":"s","freshness":{{"mode":"not_required"}}{more}}}"#
    )
}

#[test]
fn every_mistake_is_told_at_once_with_its_place() {
    let text = r#"{"schema_version":"2","claim_type":"fond","source_ref":["s","a["],"target_ref":"t:{id}",
        "requird_fields":["a"],"required_fields":["a","/~2",1],"allow_empty":["b"],"fields":[{"path":"/a","type":"int"}],
        "payload_schema":{"type":"strin"},"outputSchema":{"$ref":"http://x.test/"},"error_when":[{"path":"/a"}],
        "freshness":{"mode":"source_version","scheme":"semantic","max_skew_seconds":1},"text_format":"xml",
        "effect_evidence":{},"claims":{"require":true},"success_exit_codes":[0,"1"],"allow_empty_payload":"yes"}"#;
    let problems = Contract::from_json(text.as_bytes()).unwrap_err();
    let mut places: Vec<&str> = problems.0.iter().map(|problem| problem.place.as_str()).collect();
    places.sort_unstable();
    assert_eq!(
        places,
        [
            "allow_empty.b",
            "allow_empty_payload",
            "claim_type",
            "claims.require",
            "effect_evidence",
            "error_when.0",
            "fields.0.type",
            "freshness.max_skew_seconds",
            "freshness.scheme",
            "min_source_version",
            "outputSchema",
            "payload_schema",
            "requird_fields",
            "required_fields.1",
            "required_fields.2",
            "source_ref.1",
            "success_exit_codes.1",
            "target_ref",
            "text_format",
        ],
        "{problems}"
    );
    let told = problems.to_string();
    for hint in
        ["did you mean `required_fields`?", "did you mean `required`?", "must be one of natural, semver"]
    {
        assert!(told.contains(hint), "{told}");
    }
}

#[test]
fn what_can_never_hold_or_fail_is_a_warning() {
    for (more, place) in [
        (r#","effect_evidence":{"refs":"x"}"#, "effect_evidence"),
        (r#","allow_empty_payload":true"#, "allow_empty_payload"),
        (r#","claims":{"required":true}"#, "claims"),
        (r#","success_exit_codes":[0]"#, "success_exit_codes"),
        (r#","target_ref":"c:{/body/id}","observed_target":"c:{/id}""#, "target_ref"),
        (r#","target_ref":"{/target_ref}""#, "target_ref"),
        (r#","payload_schema":{}"#, "payload_schema"),
        (r#","payload_schema":false"#, "payload_schema"),
        (r#","fields":[{"path":"/a","enum":["n/a"]}]"#, "fields.0.enum"),
        (r#","fields":[{"path":"/a","enum":[5],"minimum":9}]"#, "fields.0.enum"),
        (r#","fields":[{"path":"/a","pattern":".*"}]"#, "fields.0.pattern"),
        (
            r#","error_when":[{"all":[{"path":"/a","is_empty":true},{"path":"/a","non_empty":true}]}]"#,
            "error_when.0.all.1",
        ),
        (r#","required_fields":["a","/a"]"#, "required_fields./a"),
    ] {
        let bundle =
            Bundle::from_json(contract(more).as_bytes()).unwrap_or_else(|problems| panic!("{problems}"));
        let places: Vec<&str> = bundle.warnings().iter().map(|warning| warning.place.as_str()).collect();
        assert_eq!(places, [place], "{more}: {:?}", bundle.warnings());
    }
    let none = contract(r#","required_fields":["a"],"fields":[{"path":"/a","enum":["x","y"]}]"#);
    assert_eq!(Bundle::from_json(none.as_bytes()).unwrap().warnings(), []);
    let absence = r#"{"default":{"schema_version":"2","claim_type":"not_found","source_ref":"s",
        "freshness":{"mode":"not_required"},"required_fields":["a"]},"bundle_version":1}"#;
    let bundle = Bundle::from_json(absence.as_bytes()).unwrap();
    let places: Vec<&str> = bundle.warnings().iter().map(|warning| warning.place.as_str()).collect();
    assert_eq!(places, ["default", "default.required_fields"]);
}

#[test]
fn both_versions_judge_one_input_each_in_its_own_way() {
    let one = r#"{"schema_version":"1","claim_type":"found","required_fields":["id"],
        "freshness":{"mode":"not_required"},"source_ref":"s","target_ref":"t"}"#;
    let two = r#"{"schema_version":"2","claim_type":"read_complete","required_fields":["id"],
        "freshness":{"mode":"not_required"},"source_ref":"s"}"#;
    let bundle = |contracts: &[&str]| {
        let text = format!(r#"{{"bundle_version":1,"contracts":{{"a":[{}]}}}}"#, contracts.join(","));
        Engine::new(Bundle::from_json(text.as_bytes()).unwrap_or_else(|problems| panic!("{problems}")))
    };
    let now = Clock::At(Timestamp::from_unix(0, 0));
    let mut scratch = Scratch::default();
    for (order, members, expected) in [
        ([one, two], r#""target_ref":"t","body":{"id":1}"#, "sealed found "),
        ([two, one], r#""target_ref":"t","body":{"id":1}"#, "sealed read_complete "),
        // Null is a value for version 1 alone.
        ([two, one], r#""target_ref":"t","body":{"id":null}"#, "sealed found "),
        // Without a target version 1 cannot read the input at all; version 2 can.
        ([one, two], r#""body":{"id":1}"#, "sealed read_complete "),
        ([one, two], r#""body":{"id":null}"#, "blocked read_complete MISSING_REQUIRED_FIELD"),
        ([one, two], r#""target_ref":"t","body":{"x":1}"#, "blocked found MISSING_REQUIRED_FIELD"),
        (
            [one, two],
            r#""claim_type":"read_complete","target_ref":"t","body":{"id":1}"#,
            "sealed read_complete ",
        ),
        ([one, two], r#""claim_type":"found","body":{"id":1}"#, "rejected  SCHEMA_INVALID"),
        ([one, two], r#""claim_type":"not_found","body":{"id":1}"#, "blocked not_found UNSUPPORTED_CLAIM"),
        ([one, two], r#""claim_type":"CANARY","body":{"id":1}"#, "blocked  UNSUPPORTED_CLAIM"),
        // The last of equal keys counts for version 1; for version 2 neither does.
        ([two, one], r#""target_ref":"t","body":{"id":1,"id":2}"#, "sealed found "),
        ([two, two_not_found()], r#""body":{"id":1,"id":2}"#, "blocked read_complete PARSE_FAILED"),
    ] {
        let input = format!(r#"{{"tool_name":"a","source_ref":"s",{members}}}"#);
        let decided = bundle(&order).judge(input.as_bytes(), &now, &mut scratch, |ruling, _| {
            let reasons: Vec<&str> = ruling.findings.iter().map(|finding| finding.reason.code()).collect();
            let claim = ruling.claim_type.map_or("", crate::contract::ClaimType::name);
            format!("{} {claim} {}", ruling.outcome, reasons.join(" "))
        });
        assert_eq!(decided, expected, "{input}");
    }
}

fn two_not_found() -> &'static str {
    r#"{"schema_version":"2","claim_type":"not_found","freshness":{"mode":"not_required"},"source_ref":"s",
        "not_found_sentinel":"none"}"#
}
