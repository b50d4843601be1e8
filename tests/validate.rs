//! `validate`: what each document is, and everything that is wrong in all of them.

#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]

use std::fs;
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const CONTRACT: &str = r#"{"schema_version":"1","claim_type":"found","required_fields":["a"],"freshness":{"mode":"not_required"},"source_ref":"s","target_ref":"t"}"#;

fn validate(folder: &Path, words: &[&str]) -> Output {
    Command::cargo_bin("sealpipe").unwrap().current_dir(folder).arg("validate").args(words).output().unwrap()
}

fn parts(output: &Output) -> (i32, &str, &str) {
    (
        output.status.code().unwrap(),
        std::str::from_utf8(&output.stdout).unwrap(),
        std::str::from_utf8(&output.stderr).unwrap(),
    )
}

#[test]
fn what_is_in_the_repository_is_valid() {
    let output = validate(
        Path::new(ROOT),
        &["fixtures/check/http-404.contract.json", "fixtures/day/bundle.yaml", "fixtures/catalogue"],
    );
    let (exit, out, err) = parts(&output);
    assert_eq!((exit, err), (0, ""));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(
        lines[..3],
        [
            "fixtures/check/http-404.contract.json: valid (contract)",
            "fixtures/day/bundle.yaml: valid (bundle)",
            "fixtures/catalogue/bulk-complete-v2.yaml: valid (fixture)"
        ]
    );
    assert!(
        lines.len() > 150 && lines[2..].iter().all(|line| line.ends_with(".yaml: valid (fixture)")),
        "{out}"
    );
}

#[test]
fn everything_wrong_is_told_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = format!(
        r#"{{"fixture_version":"1","name":"","contract":{},"input":[],"expected":{{"decision":"no"}},"x":1}}"#,
        CONTRACT.replace("\"found\"", "\"seen\"")
    );
    for (name, text) in [
        ("a.json", CONTRACT.to_owned()),
        ("b.json", CONTRACT.replace("\"s\"", "\"\"").replace("\"t\"", "1")),
        ("c.json", fixture),
        ("d.yaml", format!("bundle_version: 2\ncontracts: {{x: {CONTRACT}, y: []}}\n")),
        ("e.json", r#"{"source_ref":"s"}"#.to_owned()),
        ("f.json", "[]".to_owned()),
        ("g.json", "{".to_owned()),
        ("h.yaml", "a: !!python/name:os.system x".to_owned()),
        ("i.json", CONTRACT.replace("\"s\"", "\"s\",\"source_ref\":\"s\"")),
        ("j.json", r#"{"claim_type":"found"}"#.to_owned()),
        ("z.yaml", CONTRACT.to_owned()),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let output = validate(folder.path(), &["."]);
    let (exit, out, err) = parts(&output);
    assert_eq!((exit, out), (3, "./a.json: valid (contract)\n./z.yaml: valid (contract)\n"));
    let found: Vec<&str> = err.lines().collect();
    let expected = [
        "CONTRACT_INVALID: must be a string of 1 to 1024 characters, not an empty one (`./b.json`, source_ref)",
        "CONTRACT_INVALID: must be a string of 1 to 1024 characters, not an integer (`./b.json`, target_ref)",
        "CONTRACT_INVALID: is not a member; these are: fixture_version, name, claim_type, contract, input, expected (`./c.json`, x)",
        "CONTRACT_INVALID: must be the integer 1 (`./c.json`, fixture_version)",
        "CONTRACT_INVALID: must be a string of 1 to 256 characters (`./c.json`, name)",
        "CONTRACT_INVALID: must be an object: the adapter input (`./c.json`, input)",
        "CONTRACT_INVALID: must be one of sealed, blocked, rejected (`./c.json`, expected.decision)",
        "CONTRACT_INVALID: must be one of found, not_found, read_complete, effect_observed, task_complete (`./c.json`, contract.claim_type)",
        "CONTRACT_INVALID: must be the integer 1 (`./d.yaml`, bundle_version)",
        "CONTRACT_INVALID: must have at least one contract (`./d.yaml`, contracts.y)",
        "SCHEMA_INVALID: neither a contract (`schema_version`), nor a fixture (`fixture_version`), nor a bundle (`bundle_version`) (`./e.json`)",
        "SCHEMA_INVALID: neither a contract (`schema_version`), nor a fixture (`fixture_version`), nor a bundle (`bundle_version`) (`./f.json`)",
        "PARSE_FAILED: not valid JSON: expected a key at byte 1 (`./g.json`)",
        "UNSAFE_INPUT: a tag that is not accepted at line 1, column 4 (`./h.yaml`)",
        "CONTRACT_INVALID: the same key twice in one object (`./i.json`)",
    ];
    for (index, expected) in expected.iter().enumerate() {
        assert_eq!(found[index], format!("sealpipe: {expected}"), "{err}");
    }
    // A document that is a contract in the making is told what it lacks.
    assert!(found[expected.len()..].len() >= 5, "{err}");
    assert!(found[expected.len()..].iter().all(|line| line.contains("(`./j.json`, ")), "{err}");
}

#[test]
fn only_a_bundle_may_be_larger_than_a_document() {
    let folder = tempfile::tempdir().unwrap();
    let contracts: Vec<String> = (0..2000).map(|number| format!("  tool_{number}: {CONTRACT}\n")).collect();
    let bundle = format!("bundle_version: 1\ncontracts:\n{}", contracts.concat());
    assert!(bundle.len() > 131_072);
    let padding = "#".repeat(131_072);
    fs::write(folder.path().join("bundle.yaml"), &bundle).unwrap();
    fs::write(folder.path().join("contract.yaml"), format!("{CONTRACT}\n{padding}\n")).unwrap();
    let output = validate(folder.path(), &["bundle.yaml", "contract.yaml"]);
    assert_eq!(
        parts(&output),
        (
            3,
            "bundle.yaml: valid (bundle)\n",
            "sealpipe: LIMIT_EXCEEDED: more than 131072 bytes (`contract.yaml`)\n"
        )
    );
}

#[test]
fn what_cannot_be_read_is_told_and_stops_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.json"), CONTRACT).unwrap();
    let output = validate(folder.path(), &["nowhere.json", "a.json"]);
    assert_eq!(
        parts(&output),
        (
            4,
            "a.json: valid (contract)\n",
            "sealpipe: cannot read `nowhere.json`: No such file or directory (os error 2)\n"
        )
    );
    let output = Command::cargo_bin("sealpipe")
        .unwrap()
        .args(["validate", "-"])
        .write_stdin(CONTRACT)
        .output()
        .unwrap();
    assert_eq!(parts(&output), (0, "-: valid (contract)\n", ""));
    assert_eq!(parts(&validate(folder.path(), &[])).0, 2);
}

#[test]
fn what_is_surely_not_meant_is_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let contract = "schema_version: '2'\nclaim_type: effect_observed\nsource_ref: s\nfreshness: {mode: not_required}\neffect_evidence_required: false\n";
    fs::write(folder.path().join("a.yaml"), contract).unwrap();
    let output = validate(folder.path(), &["a.yaml"]);
    assert_eq!(
        parts(&output),
        (
            0,
            "a.yaml: valid (contract)\n",
            "sealpipe: warning: is false: any friendly answer seals an effect that nobody saw (effect_evidence_required) in `a.yaml`\n"
        )
    );
}
