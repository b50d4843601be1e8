//! Each kind's own members: what counts as arrived, what the payload is, and what the content hash is taken of.

use serde_json::{Value as Json, json};

use super::*;

/// What a kind reads: in short what comes out, the payload where it is sealed, and what is hashed as JSON text.
struct Reading {
    short: String,
    payload: Option<String>,
    hash: Json,
}

fn read(members: &str) -> Reading {
    let text = format!(r#"{{"source_ref":"s","target_ref":"t",{members}}}"#);
    let decision = check(text.as_bytes(), &contract(json!({})), now());
    Reading {
        short: short(&text),
        payload: decision.payload().map(ToOwned::to_owned),
        hash: record(&text).get("content_hash").cloned().unwrap_or_default(),
    }
}

fn hash_of(text: &str) -> Json {
    let mut parser = Parser::default();
    let mut canonical = Vec::new();
    Writer::default().write(parser.parse(text.as_bytes()).unwrap().root(), &mut canonical).unwrap();
    json!(Fingerprint::of(&canonical).to_string())
}

const EMPTY: &str = "empty EMPTY_WITHOUT_NOT_FOUND_SENTINEL";
const BROKEN: &str = "parse_error PARSE_FAILED";

/// Asserts for each row what comes out, where sealed as which payload, and of which JSON text the hash is.
fn assert_readings(prefix: &str, rows: &[(&str, &str, &str)]) {
    for (members, expected, hashed) in rows {
        let reading = read(&format!("{prefix}{members}"));
        let got = match &reading.payload {
            Some(payload) => payload.as_str(),
            None => reading.short.as_str(),
        };
        assert_eq!(&got, expected, "{prefix}{members}");
        assert_eq!(reading.hash, hash_of(hashed), "{prefix}{members}");
    }
}

#[test]
fn json() {
    assert_readings(
        r#""kind":"json","#,
        &[
            (r#""body":{"b":1,"a":2}"#, r#"{"a":2,"b":1}"#, r#"{"a":2,"b":1}"#),
            (r#""body":"{\"b\":1,\"a\":2}""#, r#"{"a":2,"b":1}"#, r#""{\"b\":1,\"a\":2}""#),
            (r#""body":"  1 ""#, "1", r#""  1 ""#),
            (r#""body":"\"text\"""#, r#""text""#, r#""\"text\"""#),
            (r#""body":0"#, "0", "0"),
            (r#""body":false"#, "false", "false"),
            (r#""body":[[]]"#, "[[]]", "[[]]"),
            (r#""body":null"#, EMPTY, "null"),
            (r#""x":1"#, EMPTY, "null"),
            (r#""body":"""#, EMPTY, r#""""#),
            (r#""body":"null""#, EMPTY, r#""null""#),
            (r#""body":"\"\"""#, EMPTY, r#""\"\"""#),
            (r#""body":"{}""#, EMPTY, r#""{}""#),
            (r#""body":[]"#, EMPTY, "[]"),
            (r#""body":" ""#, BROKEN, r#"" ""#),
            (r#""body":"text""#, BROKEN, r#""text""#),
            (r#""body":"{\"a\":1""#, BROKEN, r#""{\"a\":1""#),
            (r#""body":"1 2""#, BROKEN, r#""1 2""#),
            (r#""body":"NaN""#, BROKEN, r#""NaN""#),
            (r#""body":"\ufeff1""#, BROKEN, r#""\ufeff1""#),
            (r#""body":"\u00a01""#, BROKEN, r#""\u00a01""#),
            // A number that no double holds is text here, and text is hashed.
            (r#""body":"[1e400]""#, "[1e400]", r#""[1e400]""#),
            (
                r#""body":123456789012345678901234567890"#,
                "123456789012345678901234567890",
                "123456789012345678901234567890",
            ),
        ],
    );
    // A body text may nest deeper than a line.
    let deep = |levels: usize| format!(r#""body":"{}{}""#, "[".repeat(levels), "]".repeat(levels));
    assert_eq!(read(&deep(500)).short, "sealed");
    assert_eq!(read(&deep(501)).short, BROKEN);
    assert_eq!(read(&deep(8000)).short, BROKEN);
    assert_eq!(read(r#""body":{"a":1e400}"#).short, "rejected SCHEMA_INVALID");
    assert_eq!(read(r#""kind":"json","status_code":500,"body":1"#).short, "sealed", "another kind's member");
}

#[test]
fn http_json() {
    for status in ["200", "204", "301", "399"] {
        let prefix = format!(r#""kind":"http_json","status_code":{status},"#);
        assert_readings(
            &prefix,
            &[
                (r#""body":{"a":1}"#, r#"{"a":1}"#, r#"{"a":1}"#),
                (r#""body":"[1]""#, "[1]", r#""[1]""#),
                (r#""body":"<html>""#, BROKEN, r#""<html>""#),
                (r#""body":"""#, EMPTY, r#""""#),
                (r#""x":1"#, EMPTY, "null"),
            ],
        );
    }
    let failed = "unknown TRANSPORT_FAILED status_code";
    for status in ["0", "-1", "100", "199", "400", "404", "500", "1000", "123456789012345678901234567890"] {
        let prefix = format!(r#""kind":"http_json","status_code":{status},"#);
        assert_readings(
            &prefix,
            &[
                (r#""body":{"a":1}"#, failed, r#"{"a":1}"#),
                // What came with a failure is not read.
                (r#""body":"<html>""#, failed, r#""<html>""#),
                (r#""x":1"#, failed, "null"),
            ],
        );
    }
    for status in ["200.0", "2e2", "\"200\"", "true", "null", "[200]", "{}"] {
        let short = read(&format!(r#""kind":"http_json","status_code":{status},"body":1"#)).short;
        assert_eq!(short, "rejected SCHEMA_INVALID status_code", "{status}");
    }
    assert_eq!(read(r#""kind":"http_json","body":1"#).short, "rejected SCHEMA_INVALID status_code");
    assert_eq!(read(r#""status_code":404,"body":1"#).short, failed, "inferred");
    assert_eq!(
        read(r#""status_code":500,"body":1e400"#).short,
        "rejected SCHEMA_INVALID",
        "hashed all the same"
    );
}

#[test]
fn the_target_of_a_response() {
    for (members, expected) in [
        (r#""target_ref":"t","response_target":"x","request_target":"y""#, "sealed"),
        (r#""response_target":"t","request_target":"y""#, "sealed"),
        (r#""request_target":"t""#, "sealed"),
        (r#""response_target":"other","request_target":"t""#, "source_mismatch TARGET_MISMATCH target_ref"),
        (r#""request_target":"other""#, "source_mismatch TARGET_MISMATCH target_ref"),
        // The key that is there decides, not whether it is of use.
        (r#""response_target":null,"request_target":"t""#, "rejected SCHEMA_INVALID response_target"),
        (r#""response_target":"","request_target":"t""#, "rejected SCHEMA_INVALID response_target"),
        (r#""target_ref":null,"response_target":"t""#, "rejected SCHEMA_INVALID target_ref"),
        (r#""request_target":null"#, "rejected SCHEMA_INVALID request_target"),
        (r#""request_target":7"#, "rejected SCHEMA_INVALID request_target"),
        (r#""x":1"#, "rejected SCHEMA_INVALID target_ref"),
    ] {
        let text = format!(r#"{{"source_ref":"s","status_code":200,"body":1,{members}}}"#);
        assert_eq!(short(&text), expected, "{members}");
    }
    // No other kind has these members.
    let text = r#"{"source_ref":"s","body":1,"response_target":"t"}"#;
    assert_eq!(short(text), "rejected SCHEMA_INVALID target_ref");
}

#[test]
fn mcp() {
    assert_readings(
        r#""kind":"mcp","#,
        &[
            (r#""structuredContent":{"a":1},"text":"x""#, r#"{"a":1}"#, r#"{"a":1}"#),
            (r#""structuredContent":0,"text":"x""#, "0", "0"),
            (r#""structuredContent":false,"text":"x""#, "false", "false"),
            // It is there, and it is empty: the text is no way out.
            (r#""structuredContent":{},"text":"x""#, EMPTY, "{}"),
            (r#""structuredContent":[],"text":"x""#, EMPTY, "[]"),
            (r#""structuredContent":"","text":"x""#, EMPTY, r#""""#),
            (r#""structuredContent":"text""#, r#""text""#, r#""text""#),
            (r#""structuredContent":null,"text":"x""#, r#""x""#, r#""x""#),
            // Text is taken as it stands, JSON or not.
            (r#""text":"{\"a\":1""#, r#""{\"a\":1""#, r#""{\"a\":1""#),
            (r#""text":" ""#, r#"" ""#, r#"" ""#),
            (r#""text":"""#, EMPTY, r#""""#),
            (r#""text":null"#, EMPTY, "null"),
            (r#""text":[1]"#, EMPTY, "[1]"),
            (r#""text":7"#, EMPTY, "7"),
            (r#""x":1"#, EMPTY, "null"),
            (r#""text":"x","isError":false"#, r#""x""#, r#""x""#),
            (r#""text":"x","isError":"true""#, r#""x""#, r#""x""#),
            (r#""text":"x","isError":1"#, r#""x""#, r#""x""#),
            (r#""text":"x","isError":null"#, r#""x""#, r#""x""#),
            (r#""text":"x","isError":true"#, "unknown PROTOCOL_CONFLICT isError", r#""x""#),
            (r#""structuredContent":[],"isError":true"#, "unknown PROTOCOL_CONFLICT isError", "[]"),
            // What the schema asks for is noted and blocks nothing.
            (r#""structuredContent":{"a":1},"outputSchema":{"required":["b"]}"#, r#"{"a":1}"#, r#"{"a":1}"#),
            (
                r#""structuredContent":{"a":1},"outputSchema":{"required":["b",1,null,"b"]}"#,
                r#"{"a":1}"#,
                r#"{"a":1}"#,
            ),
            (r#""structuredContent":{"a":1},"outputSchema":[]"#, r#"{"a":1}"#, r#"{"a":1}"#),
            (r#""structuredContent":{"a":1},"outputSchema":{"required":"b"}"#, r#"{"a":1}"#, r#"{"a":1}"#),
        ],
    );
    assert_eq!(read(r#""kind":"mcp","structuredContent":{"a":1e400}"#).short, "rejected SCHEMA_INVALID");
    assert_eq!(read(r#""kind":"mcp","structuredContent":1,"text":1e400"#).short, "sealed", "not hashed");
}

#[test]
fn stdio() {
    assert_readings(
        r#""kind":"stdio","exit_code":0,"#,
        &[
            (r#""stdout":"total 0\n""#, r#""total 0\n""#, r#""total 0\n""#),
            (r#""stdout":"[1]""#, r#""[1]""#, r#""[1]""#),
            (r#""stdout":"[1]","output_format":"json""#, "[1]", r#""[1]""#),
            (r#""stdout":"[1]","output_format":"JSON""#, r#""[1]""#, r#""[1]""#),
            (r#""stdout":"[1]","output_format":1"#, r#""[1]""#, r#""[1]""#),
            (r#""stdout":"[1","output_format":"json""#, BROKEN, r#""[1""#),
            (r#""stdout":"","output_format":"json""#, EMPTY, r#""""#),
            (r#""stdout":"null","output_format":"json""#, EMPTY, r#""null""#),
            (r#""stdout":{"a":1}"#, r#"{"a":1}"#, r#"{"a":1}"#),
            (r#""stdout":{"a":1},"output_format":"json""#, r#"{"a":1}"#, r#"{"a":1}"#),
            (r#""stdout":[1]"#, "[1]", "[1]"),
            (r#""stdout":[]"#, EMPTY, "[]"),
            (r#""stdout":{}"#, EMPTY, "{}"),
            (r#""stdout":"""#, EMPTY, r#""""#),
            (r#""stdout":null"#, EMPTY, "null"),
            (r#""stdout":true"#, EMPTY, "true"),
            (r#""stdout":7"#, EMPTY, "7"),
            (r#""stdout":7,"output_format":"json""#, EMPTY, "7"),
            (r#""stderr":"x""#, EMPTY, "null"),
        ],
    );
    for code in ["1", "-1", "137", "256", "123456789012345678901234567890"] {
        let prefix = format!(r#""kind":"stdio","exit_code":{code},"#);
        assert_readings(
            &prefix,
            &[
                (r#""stdout":"fine""#, "unknown TRANSPORT_FAILED exit_code", r#""fine""#),
                (r#""stdout":"[1","output_format":"json""#, "unknown TRANSPORT_FAILED exit_code", r#""[1""#),
            ],
        );
    }
    for code in ["0.0", "\"0\"", "false", "null", "[]"] {
        let short = read(&format!(r#""kind":"stdio","exit_code":{code},"stdout":"x""#)).short;
        assert_eq!(short, "rejected SCHEMA_INVALID exit_code", "{code}");
    }
    assert_eq!(read(r#""stdout":"x""#).short, "rejected SCHEMA_INVALID exit_code", "inferred");
    assert_eq!(read(r#""exit_code":-0,"stdout":"x""#).short, "sealed");
    assert_eq!(read(r#""exit_code":0,"stdout":"x","stderr":1e400"#).short, "sealed", "not hashed");
}

#[test]
fn yaml() {
    assert_readings(
        r#""kind":"yaml","#,
        &[
            (r#""value":"a: 1\nb: [x, yes]\n""#, r#"{"a":1,"b":["x",true]}"#, r#""a: 1\nb: [x, yes]\n""#),
            (r#""value":"{\"a\": 010}""#, r#"{"a":8}"#, r#""{\"a\": 010}""#),
            (r#""value":"text""#, r#""text""#, r#""text""#),
            (r#""value":"""#, EMPTY, r#""""#),
            (r#""value":"~""#, EMPTY, r#""~""#),
            (r##""value":"# a comment\n""##, EMPTY, r##""# a comment\n""##),
            (r#""value":"[]""#, EMPTY, r#""[]""#),
        ],
    );
    for (value, expected) in [
        (r#""a: &x 1""#, "rejected UNSAFE_INPUT"),
        (r#""a: *x""#, "rejected UNSAFE_INPUT"),
        (r#""!!binary aGk=""#, "rejected UNSAFE_INPUT"),
        (r#""!!python/object/apply:os.system [x]""#, "rejected UNSAFE_INPUT"),
        (r#""? [a]\n: b""#, "rejected UNSAFE_INPUT"),
        (r#""a: [""#, "rejected PARSE_FAILED"),
        (r#""a: 1\n---\nb: 2""#, "rejected PARSE_FAILED"),
        ("null", "rejected SCHEMA_INVALID value"),
        ("7", "rejected SCHEMA_INVALID value"),
        ("{}", "rejected SCHEMA_INVALID value"),
    ] {
        assert_eq!(read(&format!(r#""kind":"yaml","value":{value}"#)).short, expected, "{value}");
    }
    assert_eq!(read(r#""kind":"yaml","x":1"#).short, "rejected SCHEMA_INVALID value");
    let deep = format!(r#""kind":"yaml","value":"{}{}""#, "[".repeat(33), "]".repeat(33));
    assert_eq!(read(&deep).short, "rejected LIMIT_EXCEEDED");
    // Text that cannot be read comes before other members that are wrong.
    let text = r#"{"kind":"yaml","value":"a: &x 1","evidence_refs":7}"#;
    assert_eq!(short(text), "rejected UNSAFE_INPUT");
    // Only a stated kind is YAML: nothing is taken for it by its looks.
    assert_eq!(read(r#""value":"a: 1""#).short, EMPTY);
    // What JSON cannot say may back a claim, though it cannot be handed on as JSON.
    let reading = read(r#""kind":"yaml","value":"1: a""#);
    assert_eq!((reading.short.as_str(), reading.payload), ("sealed", None));
}

#[test]
fn claim_only() {
    for (members, hashed) in [
        (r#""claim":"I sent it""#, r#""I sent it""#),
        (r#""claim":{"a":1}"#, r#"{"a":1}"#),
        (r#""claim":null"#, "null"),
        (r#""x":1"#, "null"),
        (r#""body":{"id":1},"status_code":200"#, "null"),
        (r#""metadata":{"protocol_conflict":true}"#, "null"),
        (r#""tool_call_dispatched":true"#, "null"),
    ] {
        let reading = read(&format!(r#""kind":"claim_only",{members}"#));
        assert_eq!(reading.short, "unknown NO_DISPATCH", "{members}");
        assert_eq!(reading.hash, hash_of(hashed), "{members}");
    }
    assert_eq!(read(r#""kind":"claim_only","claim":1e400"#).short, "rejected SCHEMA_INVALID");
    assert_eq!(read(r#""claim":"x""#).short, EMPTY, "never inferred");
}

#[test]
fn the_kind_that_is_stated_wins_and_nothing_else_is_one() {
    for (members, expected) in [
        (r#""kind":"json","isError":true,"body":1"#, "sealed"),
        (r#""kind":null,"isError":true,"text":"x""#, "unknown PROTOCOL_CONFLICT isError"),
        (
            r#""isError":true,"exit_code":0,"status_code":200,"body":1,"text":"x""#,
            "unknown PROTOCOL_CONFLICT isError",
        ),
        (r#""exit_code":1,"status_code":200,"body":1"#, "unknown TRANSPORT_FAILED exit_code"),
        (r#""kind":"","body":1"#, "rejected SCHEMA_INVALID kind"),
        (r#""kind":"Json","body":1"#, "rejected SCHEMA_INVALID kind"),
        (r#""kind":7,"body":1"#, "rejected SCHEMA_INVALID kind"),
        (r#""kind":"x","kind":"json","body":1"#, "sealed"),
    ] {
        assert_eq!(read(members).short, expected, "{members}");
    }
}
