//! The members that every kind shares: absent, null, of the wrong type, at their bounds and past them.

use serde_json::{Map, Value as Json, json};

use super::*;

/// Returns a string of that many characters, each of two bytes, as JSON text.
fn long(characters: usize) -> String {
    format!("\"{}\"", "é".repeat(characters))
}

const NO_STRINGS: [&str; 7] = ["0", "1.5", "true", "false", "[]", "{}", "[\"x\"]"];

#[test]
fn references_must_be_there() {
    for member in ["source_ref", "target_ref"] {
        let rejected = format!("rejected SCHEMA_INVALID {member}");
        assert_eq!(short(&input(json!({member: null}))), rejected, "absent");
        for text in ["null", "\"\"", &long(1025)].into_iter().chain(NO_STRINGS) {
            assert_eq!(short(&input_with(member, text)), rejected, "{text:.50}");
        }
        // Another reference is a mismatch, not an error.
        let mismatch = if member == "source_ref" { "SOURCE_MISMATCH" } else { "TARGET_MISMATCH" };
        for text in ["\"x\"", "\" \"", &long(1024)] {
            let expected = format!("source_mismatch {mismatch} {member}");
            assert_eq!(short(&input_with(member, text)), expected, "{text:.50}");
        }
    }
    // Of several errors the first in a fixed order is told.
    assert_eq!(short("{}"), "rejected SCHEMA_INVALID source_ref");
}

#[test]
fn a_claim_alone_needs_no_references() {
    let claim = |members: Json| {
        let mut object = json!({"kind": "claim_only", "claim": "done"});
        merge(&mut object, members);
        object.to_string()
    };
    assert_eq!(short(&claim(json!({}))), "unknown NO_DISPATCH");
    let given = record(&claim(json!({})));
    assert_eq!(
        (&given["source_ref"], &given["target_ref"]),
        (&json!("local://claim"), &json!("unknown-target"))
    );
    let null = r#"{"kind":"claim_only","source_ref":null,"target_ref":null}"#;
    assert_eq!(record(null)["source_ref"], "local://claim");
    let given = record(&claim(json!({"source_ref": "a", "target_ref": "b"})));
    assert_eq!((&given["source_ref"], &given["target_ref"]), (&json!("a"), &json!("b")));
    for member in ["source_ref", "target_ref"] {
        for value in [json!(""), json!(0), json!([]), json!("x".repeat(1025))] {
            let text = claim(json!({member: value}));
            assert_eq!(short(&text), format!("rejected SCHEMA_INVALID {member}"));
        }
    }
}

#[test]
fn names_and_versions_may_be_absent() {
    for member in ["tool_name", "source_version"] {
        let rejected = format!("rejected SCHEMA_INVALID {member}");
        for text in ["null", "\"x\"", "\" \"", &long(256)] {
            assert_eq!(short(&input_with(member, text)), "sealed", "{member} {text:.50}");
        }
        for text in ["\"\"", &long(257)].into_iter().chain(NO_STRINGS) {
            assert_eq!(short(&input_with(member, text)), rejected, "{member} {text:.50}");
        }
    }
    assert_eq!(record(&input(json!({})))["tool_name"], "unspecified-tool");
    assert_eq!(record(&input_with("tool_name", "null"))["tool_name"], "unspecified-tool");
    assert_eq!(record(&input(json!({"tool_name": "search"})))["tool_name"], "search");
}

#[test]
fn a_time_is_kept_as_it_stands() {
    for text in ["null", "\"x\"", "\"2026-11-02T12:00:00Z\"", &long(64)] {
        assert_eq!(short(&input_with("observed_at", text)), "sealed", "{text:.50}");
    }
    for text in ["\"\"", &long(65)].into_iter().chain(NO_STRINGS) {
        let short = short(&input_with("observed_at", text));
        assert_eq!(short, "rejected SCHEMA_INVALID observed_at", "{text:.50}");
    }
    let aged = contract(json!({"freshness": {"mode": "max_age_seconds", "max_age_seconds": 0}}));
    for (text, expected) in [
        ("null", "sealed"),
        ("\"2026-11-02T12:00:00Z\"", "sealed"),
        ("\"2026-11-02T11:59:59Z\"", "stale STALE_OBSERVATION observed_at"),
        ("\"noon\"", "unknown SCHEMA_INVALID observed_at"),
    ] {
        assert_eq!(short_by(&input_with("observed_at", text), &aged), expected, "{text}");
    }
    assert_eq!(short_by(&input(json!({})), &aged), "sealed", "observed at the clock");
}

#[test]
fn ids_come_from_the_content_where_they_are_no_strings() {
    // The first digits of the hash of {"id":1}.
    let hash = record(&input(json!({})))["content_hash"].as_str().unwrap().to_owned();
    let digits = &hash["sha256:".len()..][..12];
    for (member, prefix) in [("observation_id", "obs-"), ("tool_call_id", "call-")] {
        let derived = json!(format!("{prefix}{digits}"));
        assert_eq!(record(&input(json!({})))[member], derived);
        for text in ["null"].into_iter().chain(NO_STRINGS) {
            assert_eq!(record(&input_with(member, text))[member], derived, "{text}");
        }
        for text in ["\"x\"", "\" \"", &long(256)] {
            let value: Json = serde_json::from_str(text).unwrap();
            assert_eq!(record(&input_with(member, text))[member], value);
        }
        for text in ["\"\"", &long(257)] {
            let rejected = format!("rejected SCHEMA_INVALID {member}");
            assert_eq!(short(&input_with(member, text)), rejected, "{text:.50}");
        }
    }
}

#[test]
fn evidence_is_an_array_of_strings() {
    let refs = |count: usize| format!("[{}]", vec!["\"e\""; count].join(","));
    for (text, expected) in [
        ("null", json!([])),
        ("[]", json!([])),
        ("[\"b\",\"a\",\"b\"]", json!(["b", "a", "b"])),
        (&format!("[{}]", long(2048)), json!(["é".repeat(2048)])),
        (&refs(64), json!(vec!["e"; 64])),
    ] {
        assert_eq!(record(&input_with("evidence_refs", text))["evidence_refs"], expected, "{text:.50}");
    }
    assert_eq!(record(&input(json!({})))["evidence_refs"], json!([]));
    for text in [
        "{}",
        "\"\"",
        "\"e\"",
        "false",
        "0",
        "[\"\"]",
        "[null]",
        "[1]",
        "[\"a\",[\"b\"]]",
        "[\"a\",{}]",
        &format!("[{}]", long(2049)),
        &refs(65),
    ] {
        let short = short(&input_with("evidence_refs", text));
        assert_eq!(short, "rejected SCHEMA_INVALID evidence_refs", "{text:.50}");
    }
}

/// Returns an object of `count` scalar members.
fn members(count: usize) -> Map<String, Json> {
    (0..count).map(|index| (format!("k{index}"), json!(index))).collect()
}

#[test]
fn metadata_has_at_most_64_members_what_the_kind_adds_included() {
    let of_kind = |kind: Json, metadata: Map<String, Json>| {
        let mut object = json!({"source_ref": "s", "target_ref": "t", "metadata": metadata});
        merge(&mut object, kind);
        short(&object.to_string())
    };
    let rejected = "rejected SCHEMA_INVALID metadata";
    // `input_kind` is always there.
    for (kind, added, otherwise) in [
        (json!({"kind": "json", "body": 1}), 1, "sealed"),
        (json!({"kind": "http_json", "body": 1, "status_code": 200}), 1, "sealed"),
        (json!({"kind": "yaml", "value": "1"}), 1, "sealed"),
        (json!({"kind": "mcp", "text": "x"}), 1, "sealed"),
        (json!({"kind": "mcp", "text": "x", "isError": false}), 1, "sealed"),
        (json!({"kind": "mcp", "text": "x", "isError": true}), 2, "unknown PROTOCOL_CONFLICT isError"),
        (
            json!({"kind": "mcp", "structuredContent": {"a": 1}, "outputSchema": {"required": ["a"]}}),
            1,
            "sealed",
        ),
        (
            json!({"kind": "mcp", "structuredContent": {"a": 1}, "outputSchema": {"required": ["b", "c"]}}),
            2,
            "sealed",
        ),
        (
            json!({"kind": "mcp", "structuredContent": {"a": 1}, "outputSchema": {"required": ["b"]}, "isError": true}),
            3,
            "unknown PROTOCOL_CONFLICT isError",
        ),
        (json!({"kind": "mcp", "text": "x", "outputSchema": {"required": ["b"]}}), 1, "sealed"),
        (json!({"kind": "stdio", "exit_code": 0, "stdout": "x"}), 1, "sealed"),
        (json!({"kind": "stdio", "exit_code": 0, "stdout": "x", "command": "ls"}), 2, "sealed"),
        (json!({"kind": "stdio", "exit_code": 0, "stdout": "x", "command": ["ls"]}), 1, "sealed"),
        (json!({"kind": "claim_only", "claim": "x"}), 2, "unknown NO_DISPATCH"),
        (json!({"kind": "claim_only", "claim": ["x"]}), 1, "unknown NO_DISPATCH"),
    ] {
        assert_eq!(of_kind(kind.clone(), members(64 - added)), otherwise, "{kind}");
        assert_eq!(of_kind(kind.clone(), members(65 - added)), rejected, "{kind}");
    }
    // What the kind adds under a name that is there already adds nothing.
    let stdio = json!({"kind": "stdio", "exit_code": 0, "stdout": "x", "command": "ls"});
    let mut full = members(62);
    full.insert("command".to_owned(), json!("mine"));
    full.insert("input_kind".to_owned(), json!("mine"));
    assert_eq!(of_kind(stdio.clone(), full.clone()), "sealed");
    full.insert("one more".to_owned(), json!(null));
    assert_eq!(of_kind(stdio, full), rejected);
    // Members that are no scalars are dropped before anyone counts.
    let json_kind = json!({"kind": "json", "body": 1});
    let mut full = members(63);
    for index in 0..50 {
        full.insert(format!("nested{index}"), json!([index]));
        full.insert(format!("deeper{index}"), json!({"a": index}));
    }
    assert_eq!(of_kind(json_kind.clone(), full.clone()), "sealed");
    full.insert("scalar".to_owned(), json!(null));
    assert_eq!(of_kind(json_kind, full), rejected);
}

#[test]
fn a_repeated_name_counts_once_in_metadata_as_its_last_value() {
    let with = |metadata: String| short(&input_with("metadata", &metadata));
    let of = |count: usize| {
        let text = Json::Object(members(count)).to_string();
        text[1..text.len() - 1].to_owned()
    };
    assert_eq!(with(format!("{{{},\"k0\":1,\"k1\":2}}", of(63))), "sealed");
    // The last value is dropped, and its name with it.
    assert_eq!(with(format!("{{{},\"k0\":[]}}", of(64))), "sealed");
    assert_eq!(with(format!("{{\"k0\":[],{}}}", of(64))), "rejected SCHEMA_INVALID metadata");
}

#[test]
fn metadata_that_is_no_object_is_dropped() {
    for text in ["null", "[]", "\"x\"", "0", "true"] {
        assert_eq!(short(&input_with("metadata", text)), "sealed", "{text}");
    }
}

#[test]
fn a_protocol_conflict_in_metadata_counts_where_it_is_exactly_true() {
    for (value, expected) in [
        (json!(true), "unknown PROTOCOL_CONFLICT metadata"),
        (json!(false), "sealed"),
        (json!("true"), "sealed"),
        (json!(1), "sealed"),
        (json!([true]), "sealed"),
    ] {
        assert_eq!(short(&input(json!({"metadata": {"protocol_conflict": value}}))), expected);
    }
    // The protocol's own word that all is well does not clear it.
    let text = json!({
        "source_ref": "s", "target_ref": "t", "text": "x", "isError": false, "metadata": {"protocol_conflict": true}
    });
    assert_eq!(short(&text.to_string()), "unknown PROTOCOL_CONFLICT isError");
    let text = input_with("metadata", r#"{"protocol_conflict":true,"protocol_conflict":false}"#);
    assert_eq!(short(&text), "sealed");
}

#[test]
fn unknown_members_are_ignored() {
    let text = input(json!({
        "x": {"deep": [1]}, "Kind": "zz", "stdErr": 1, "tool_call_dispatched": false, "": null, "value": "a: &b 1"
    }));
    assert_eq!(
        record(&text)["deterministic_fingerprint"],
        record(&input(json!({})))["deterministic_fingerprint"]
    );
}
