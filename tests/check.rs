//! `check`: the documented examples with their exact output, and everything around them.

#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;

const NOW: &str = "2026-11-02T12:00:00Z";
const CONTRACT: &str = r#"{"schema_version":"1","claim_type":"found","required_fields":["a"],"freshness":{"mode":"not_required"},"source_ref":"s","target_ref":"t"}"#;
const SEALED: &str = r#"{"claim_type":"found","decision":"sealed","deterministic_fingerprint":"sha256:d2857c530b667d622a73220b441d0db5e31e201a87ba4c362eee1fe331d72ca6","evidence_refs":[],"observation_id":"obs-6f30fb231616","reason_codes":["SEALED_WITH_REQUIRED_EVIDENCE"],"resultseal_version":"0.2.0","source_ref":"s","tool_call_id":"call-6f30fb231616","truth_state":"sealed"}
"#;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/check")
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn with(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        Self(folder)
    }

    fn check(&self, words: &[&str]) -> Output {
        self.fed("", words)
    }

    fn fed(&self, stdin: &str, words: &[&str]) -> Output {
        let mut command = Command::cargo_bin("sealpipe").unwrap();
        command
            .env_remove("CLICOLOR_FORCE")
            .current_dir(self.0.path())
            .arg("check")
            .args(words)
            .write_stdin(stdin)
            .output()
            .unwrap()
    }
}

fn parts(output: &Output) -> (i32, &str, &str) {
    (
        output.status.code().unwrap(),
        std::str::from_utf8(&output.stdout).unwrap(),
        std::str::from_utf8(&output.stderr).unwrap(),
    )
}

#[test]
fn the_documented_examples() {
    let table = fs::read_to_string(fixtures().join("cases.tsv")).unwrap();
    let mut seen = 0;
    for row in table.lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        let [name, exit, arguments, _] = columns[..] else { panic!("{row}") };
        seen += 1;
        let output = Command::cargo_bin("sealpipe")
            .unwrap()
            .current_dir(fixtures())
            .args(["check", &format!("{name}.input.json"), "--contract", &format!("{name}.contract.json")])
            .args(["--now", NOW])
            .args(arguments.split_whitespace())
            .output()
            .unwrap();
        let (code, out, err) = parts(&output);
        let expected =
            fs::read_to_string(fixtures().join(format!("{name}.expected.json"))).unwrap_or_default();
        assert_eq!((code, out), (exit.parse().unwrap(), expected.as_str()), "{name}: {err}");
        assert_eq!(err.is_empty(), code < 2, "{name}: {err}");
    }
    assert_eq!(seen, 16);
}

#[test]
fn json_and_yaml_by_name_and_by_look() {
    let yaml = "source_ref: s\ntarget_ref: t\nobserved_at: 2026-11-02T12:00:00Z\nbody: {a: 2026-01-01}\n";
    let contract = "schema_version: '1'\nclaim_type: found\nrequired_fields: [a]\nfreshness: {mode: not_required}\nsource_ref: s\ntarget_ref: t\n";
    let json = r#"{"source_ref":"s","target_ref":"t","body":{"a":"2026-01-01"}}"#;
    let folder = Folder::with(&[
        ("in.yaml", yaml),
        ("in.YML", yaml),
        ("in", yaml),
        ("in.json", json),
        ("in.txt", json),
        ("flow.yaml", json),
        ("bom.json", &format!("\u{feff}{json}")),
        ("c.json", CONTRACT),
        ("c.yaml", contract),
    ]);
    for input in ["in.yaml", "in.YML", "in", "in.json", "in.txt", "flow.yaml", "bom.json"] {
        for contract in ["c.json", "c.yaml"] {
            let output = folder.check(&[input, "-c", contract]);
            assert_eq!(parts(&output), (0, SEALED, ""), "{input} {contract}");
        }
    }
    for stdin in [yaml, json] {
        assert_eq!(parts(&folder.fed(stdin, &["-", "--contract", "c.json"])), (0, SEALED, ""));
    }
    assert_eq!(parts(&folder.fed(CONTRACT, &["in.json", "--contract", "-"])), (0, SEALED, ""));
}

/// Arguments, the exit status and the message.
const WRONG: [(&[&str], i32, &str); 16] = [
    (
        &["cut.json", "-c", "c.json"],
        2,
        "sealpipe: PARSE_FAILED: not valid JSON: expected a value at byte 14 (`cut.json`)\n",
    ),
    (
        &["list.json", "-c", "c.json"],
        2,
        "sealpipe: SCHEMA_INVALID: expected an object, found array (`list.json`)\n",
    ),
    (
        &["no-source.json", "-c", "c.json"],
        2,
        "sealpipe: SCHEMA_INVALID: expected a string of 1 to 1024 characters, found absent (`no-source.json`, source_ref)\n",
    ),
    (
        &["kind.json", "-c", "c.json"],
        2,
        "sealpipe: SCHEMA_INVALID: expected one of json, http_json, mcp, stdio, yaml, claim_only, found another string (`kind.json`, kind)\n",
    ),
    (
        &["deep.json", "-c", "c.json"],
        3,
        "sealpipe: LIMIT_EXCEEDED: more than 32 levels of nesting (`deep.json`)\n",
    ),
    (&["huge.json", "-c", "c.json"], 3, "sealpipe: LIMIT_EXCEEDED: more than 131072 bytes (`huge.json`)\n"),
    (
        &["anchor.yaml", "-c", "c.json"],
        3,
        "sealpipe: UNSAFE_INPUT: anchors and aliases are not accepted at line 1, column 13 (`anchor.yaml`)\n",
    ),
    (
        &["nan.yaml", "-c", "c.json"],
        2,
        "sealpipe: SCHEMA_INVALID: expected content that has a canonical JSON form, found a number that is not finite (`nan.yaml`)\n",
    ),
    (
        &["ok.json", "-c", "c-misspelt.json"],
        2,
        "sealpipe: CONTRACT_INVALID: is not a member; did you mean `required_fields`? (`c-misspelt.json`, required_field)\n\
             sealpipe: CONTRACT_INVALID: is missing; it must be an array of names, which may be empty (`c-misspelt.json`, required_fields)\n",
    ),
    (
        &["ok.json", "-c", "c-anchor.yaml"],
        3,
        "sealpipe: UNSAFE_INPUT: anchors and aliases are not accepted at line 1, column 4 (`c-anchor.yaml`)\n",
    ),
    // What is wrong with the input comes before what is wrong with the contract.
    (
        &["deep.json", "-c", "c-misspelt.json"],
        3,
        "sealpipe: LIMIT_EXCEEDED: more than 32 levels of nesting (`deep.json`)\n",
    ),
    (
        &["nowhere.json", "-c", "c.json"],
        4,
        "sealpipe: cannot read `nowhere.json`: No such file or directory (os error 2)\n",
    ),
    (
        &["ok.json", "-c", "nowhere.json"],
        4,
        "sealpipe: cannot read `nowhere.json`: No such file or directory (os error 2)\n",
    ),
    (
        &["ok.json", "-c", "c.json", "--now", "noon"],
        2,
        "sealpipe: INVALID_ARGUMENT: --now: not an ISO 8601 timestamp; write it like `2026-11-02T12:00:00Z`\n",
    ),
    (
        &["-", "-c", "-"],
        2,
        "sealpipe: INVALID_ARGUMENT: RESPONSE and --contract: both are `-`, and standard input is only one\n",
    ),
    (
        &["ok.json", "-c", "c.json", "--format", "xml"],
        2,
        "sealpipe: INVALID_ARGUMENT: invalid value 'xml' for '--format <FORMAT>' [possible values: json, md] (see `sealpipe --help`)\n",
    ),
];

#[test]
fn what_is_wrong_is_told_in_one_line_with_its_place() {
    let deep = format!(r#"{{"source_ref":"s","body":{}1{}}}"#, "[".repeat(40), "]".repeat(40));
    let folder = Folder::with(&[
        ("ok.json", r#"{"source_ref":"s","target_ref":"t","body":{"a":1}}"#),
        ("cut.json", r#"{"source_ref":"#),
        ("list.json", "[]"),
        ("no-source.json", r#"{"target_ref":"t"}"#),
        ("kind.json", r#"{"source_ref":"s","target_ref":"t","kind":"\u001b[31mHTTP"}"#),
        ("deep.json", &deep),
        ("anchor.yaml", "source_ref: &a s\ntarget_ref: t\n"),
        ("nan.yaml", "source_ref: s\ntarget_ref: t\nbody: .nan\n"),
        ("twins.json", r#"{"source_ref":"x","source_ref":"s","target_ref":"t","body":{"a":1}}"#),
        ("c.json", CONTRACT),
        ("c-misspelt.json", &CONTRACT.replace("required_fields", "required_field")),
        ("c-anchor.yaml", "a: &a 1"),
        ("huge.json", &format!("{}{{}}", " ".repeat(131_072))),
    ]);
    for (words, exit, message) in WRONG {
        assert_eq!(parts(&folder.check(words)), (exit, "", message), "{words:?}");
    }
    // Of a repeated key in an input the last one counts.
    assert_eq!(folder.check(&["twins.json", "-c", "c.json"]).status.code(), Some(0));
}

#[test]
fn names_that_cannot_be_redacted_are_told_and_hide_nothing() {
    let folder = Folder::with(&[
        ("in.json", r#"{"source_ref":"s","target_ref":"t","body":{"a":"2026-01-01"}}"#),
        ("c.json", CONTRACT),
    ]);
    let warning = |name: &str| {
        format!(
            "sealpipe: warning: --redact: `{name}` is no member of the record that can be redacted, so nothing is hidden by it\n"
        )
    };
    let output = folder.check(&[
        "in.json",
        "-c",
        "c.json",
        "--redact",
        "nope",
        "--redact",
        "deterministic_fingerprint",
    ]);
    let expected = warning("nope") + &warning("deterministic_fingerprint");
    assert_eq!(parts(&output), (0, SEALED, expected.as_str()));
}

#[test]
fn the_report_has_every_part_and_no_payload() {
    let folder = Folder::with(&[
        (
            "in.json",
            r#"{"source_ref":"s\u001b[31m","target_ref":"t","tool_name":"look","observed_at":"yesterday","evidence_refs":["e:1"],"body":{"a":"SECRET","SECRET2":1}}"#,
        ),
        ("c.json", CONTRACT),
    ]);
    let output = folder.check(&["in.json", "-c", "c.json", "--format", "md", "--now", NOW]);
    let (exit, out, err) = parts(&output);
    assert_eq!((exit, err), (1, ""));
    assert_eq!(
        out,
        r"# blocked

- input: look, of kind json, from s\u{1b}[31m about t
- observed at: yesterday
- state: transported; payload: an object of 2 members
- claim: found
- decision: blocked, truth state source_mismatch
- reasons:
  - SOURCE_MISMATCH: The result comes from another source than the contract names.
    - source_ref: expected `s`, found `s\u{1b}[31m`
    - Ask the right source, or correct `source_ref` in the contract.
- evidence:
  - e:1
- reference clock: 2026-11-02T12:00:00Z
- fingerprint: sha256:FINGERPRINT
"
        .replace("FINGERPRINT", &fingerprint(&folder))
    );
    let hidden = folder.check(&[
        "in.json",
        "-c",
        "c.json",
        "--format",
        "md",
        "--redact",
        "source_ref",
        "--redact",
        "evidence_refs",
    ]);
    let (_, out, _) = parts(&hidden);
    assert!(
        out.contains("from [REDACTED] about t") && out.contains("    - source_ref: [REDACTED]\n"),
        "{out}"
    );
    assert!(!out.contains("e:1") && !out.contains("[31m"), "{out}");
}

fn fingerprint(folder: &Folder) -> String {
    let record: serde_json::Value =
        serde_json::from_slice(&folder.check(&["in.json", "-c", "c.json", "--now", NOW]).stdout).unwrap();
    record["deterministic_fingerprint"].as_str().unwrap().trim_start_matches("sha256:").to_owned()
}

#[test]
fn a_reader_that_went_away_is_no_failure_of_ours() {
    let script = r#"set -o pipefail; sleep 0.2 | :; { sleep 0.2; "$0" check in.json -c c.json; echo "$?" >status; } | :; cat status"#;
    let folder = Folder::with(&[
        ("in.json", r#"{"source_ref":"s","target_ref":"t","body":{"a":1}}"#),
        ("c.json", CONTRACT),
    ]);
    let output = std::process::Command::new("bash")
        .args(["-c", script, env!("CARGO_BIN_EXE_sealpipe")])
        .current_dir(folder.0.path())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "141\n");
    assert!(output.stderr.is_empty(), "{:?}", output.stderr);
}

#[test]
fn a_key_that_is_there_twice_is_refused_by_version_2_however_the_input_is_written() {
    let strict = r#"{"schema_version":"2","claim_type":"found","required_fields":["a"],"freshness":{"mode":"not_required"},
        "source_ref":"s","target_ref":"t"}"#;
    let folder = Folder::with(&[
        ("twice.yaml", "source_ref: s\ntarget_ref: t\nbody: {a: '', a: x}\n"),
        ("merged.yaml", "source_ref: s\ntarget_ref: t\nbody: {<<: {a: ''}, <<: {b: 1}, a: x}\n"),
        ("target.yaml", "source_ref: s\ntarget_ref: u\ntarget_ref: t\nbody: {a: x}\n"),
        ("twice.json", r#"{"source_ref":"s","target_ref":"t","body":{"a":"","a":"x"}}"#),
        ("once.yaml", "source_ref: s\ntarget_ref: t\nbody: {<<: {a: ''}, a: x}\n"),
        ("c1.json", &strict.replace("\"2\"", "\"1\"")),
        ("c2.json", strict),
    ]);
    for input in ["twice.yaml", "merged.yaml", "target.yaml", "twice.json"] {
        let output = folder.check(&[input, "-c", "c2.json"]);
        let (code, out, _) = parts(&output);
        assert!(code == 1 && out.contains("PARSE_FAILED"), "{input}: {out}");
        assert_eq!(parts(&folder.check(&[input, "-c", "c1.json"])).0, 0, "{input}");
    }
    // What `<<` brings in may be said again: that is what it is for.
    assert_eq!(parts(&folder.check(&["once.yaml", "-c", "c2.json"])).0, 0);
}
