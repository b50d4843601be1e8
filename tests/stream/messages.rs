//! What is said on standard error: one line each, with what is wrong and where, and never a payload's value.

use super::program::{CONTRACT, NOW, bare, filter, records, run};

const CANARY: &str = "canary-9c27";

/// Inputs whose payload holds the canary, each wrong in another way.
fn hostile() -> Vec<String> {
    let body = format!(r#"{{"{CANARY}":"{CANARY}","list":["{CANARY}"],"status":"{CANARY}"}}"#);
    let quoted = body.replace('"', "\\\"");
    vec![
        format!(r#"{{"source_ref":"s","target_ref":"t","body":{body}}}"#),
        format!(r#"{{"source_ref":"s","target_ref":"t","body":"{quoted}"}}"#),
        format!(r#"{{"source_ref":"s","target_ref":"t","body":"{CANARY} {{"}}"#),
        format!(r#"{{"source_ref":"s","target_ref":"t","body":"\"{CANARY}"}}"#),
        format!(r#"{{"source_ref":"other","target_ref":"other","body":{body}}}"#),
        format!(r#"{{"source_ref":"s","target_ref":"t","status_code":500,"body":{body}}}"#),
        format!(r#"{{"source_ref":"s","target_ref":"t","status_code":"{CANARY}","body":{body}}}"#),
        format!(
            r#"{{"source_ref":"s","target_ref":"t","exit_code":1,"stdout":"{quoted}","stderr":"{CANARY}"}}"#
        ),
        format!(r#"{{"source_ref":"s","target_ref":"t","exit_code":"{CANARY}","stdout":"{quoted}"}}"#),
        format!(r#"{{"source_ref":"s","target_ref":"t","isError":true,"text":"{CANARY}"}}"#),
        format!(r#"{{"source_ref":"s","target_ref":"t","structuredContent":{body}}}"#),
        format!(r#"{{"kind":"yaml","source_ref":"s","target_ref":"t","value":"a: &{CANARY} {CANARY}"}}"#),
        format!(r#"{{"kind":"yaml","source_ref":"s","target_ref":"t","value":"a: *{CANARY}"}}"#),
        format!(r#"{{"kind":"yaml","source_ref":"s","target_ref":"t","value":"a: !{CANARY} {CANARY}"}}"#),
        format!(r#"{{"kind":"yaml","source_ref":"s","target_ref":"t","value":"!!int {CANARY}"}}"#),
        format!(r#"{{"kind":"yaml","source_ref":"s","target_ref":"t","value":"[{CANARY}"}}"#),
        format!(r#"{{"kind":"yaml","source_ref":"s","target_ref":"t","value":"{CANARY}: 1\n{CANARY}: 2"}}"#),
        format!(r#"{{"kind":"{CANARY}","source_ref":"s","target_ref":"t","body":{body}}}"#),
        format!(r#"{{"kind":"claim_only","claim":"{CANARY}"}}"#),
        format!(r#"{{"source_ref":"s","target_ref":"t","evidence_refs":"{CANARY}","body":{body}}}"#),
        format!(r#"{{"source_ref":"s","target_ref":"t","evidence_refs":[1,"{CANARY}"],"body":{body}}}"#),
        format!(r#"{{"source_ref":"s","target_ref":"t","observed_at":"{CANARY}","body":{body}}}"#),
        format!(r#"{{"source_ref":"s","target_ref":"t","claim_type":"{CANARY}","body":{body}}}"#),
        format!(r#"{{"source_ref":"s","target_ref":"t","metadata":{{"{CANARY}":"{CANARY}"}},"body":[]}}"#),
        format!(r#"{{"source_ref":"s","target_ref":"t","body":{{"a":1e400,"{CANARY}":1}}}}"#),
        format!(r#"{{"source_ref":"s","target_ref":"t","body":"{}"}}"#, CANARY.repeat(3000)),
        format!(
            r#"{{"source_ref":"s","{CANARY}":[{}1{}],"target_ref":"t"}}"#,
            "[".repeat(40),
            "]".repeat(40)
        ),
        format!(r#"{{"{CANARY}":{CANARY}}}"#),
        CANARY.to_owned(),
        format!(r#"["{CANARY}"]"#),
    ]
}

#[test]
fn no_record_and_no_message_holds_a_payload_value() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("contract.json");
    let contracts = [
        CONTRACT.to_owned(),
        CONTRACT.replace("[]", r#"["missing","absent"]"#),
        CONTRACT
            .replace(r#""found""#, r#""not_found""#)
            .replace("\"s\",", "\"s\",\"not_found_sentinel\":\"NONE\","),
        CONTRACT.replace(r#""not_required""#, r#""max_age_seconds","max_age_seconds":1"#),
        CONTRACT
            .replace(r#""found""#, r#""task_complete""#)
            .replace("\"s\",", "\"s\",\"effect_evidence_required\":true,"),
    ];
    let text = hostile().join("\n");
    for contract in contracts {
        std::fs::write(&path, &contract).unwrap();
        for arguments in [&[][..], &["--record", "core"], &["--summary"]] {
            let mut command = bare();
            command.arg("-c").arg(&path).args(["--now", NOW]).args(arguments);
            let ran = run(&mut command, &text);
            assert_eq!(records(&ran.stdout).len(), hostile().len());
            for (line, record) in hostile().iter().zip(ran.stdout.lines()) {
                assert!(!record.contains("canary"), "{contract}\n{line:.300}\n{record}");
            }
            assert!(!ran.stderr.contains("canary"), "{}", ran.stderr);
        }
        let mut command = bare();
        let ran = run(command.arg("-c").arg(&path).args(["--now-from", "/body/status"]), &text);
        assert!(!ran.stdout.contains("canary") && !ran.stderr.contains("canary"));
    }
}

#[test]
fn everything_wrong_with_a_bundle_is_told_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bundle.yaml");
    let bundle =
        "bundle_version: 2\ncontract: {}\ncontracts:\n  search: {claim_type: fnd, required_field: []}\n";
    std::fs::write(&path, bundle).unwrap();
    let ran = run(bare().arg("-c").arg(&path), "");
    assert_eq!((ran.code(), ran.stdout.as_str()), (Some(2), ""));
    for (place, what) in [
        ("bundle_version", "must be the integer 1"),
        ("contract", "did you mean `contracts`?"),
        ("contracts.search.claim_type", "must be one of found, not_found"),
        ("contracts.search.required_field", "did you mean `required_fields`?"),
        ("contracts.search.required_fields", "is missing"),
        ("contracts.search.schema_version", "is missing"),
        ("contracts.search.freshness", "is missing"),
        ("contracts.search.source_ref", "is missing"),
        ("contracts.search.target_ref", "is missing"),
    ] {
        let end = format!("(`{}`, {place})", path.display());
        let line = ran.stderr.lines().find(|line| line.ends_with(&end));
        let line = line.unwrap_or_else(|| panic!("nothing about {place}\n{}", ran.stderr));
        assert!(line.starts_with("sealpipe: CONTRACT_INVALID: ") && line.contains(what), "{line}");
    }
    assert_eq!(ran.stderr.lines().count(), 9, "{}", ran.stderr);
}

#[test]
fn a_bundle_that_cannot_be_read_or_is_no_document() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bundle.yaml");
    for (text, exit, code) in [
        ("a: [", 2, "PARSE_FAILED"),
        ("a: &x 1", 3, "UNSAFE_INPUT"),
        ("a: !!python/object:x {}", 3, "UNSAFE_INPUT"),
        ("- 1", 2, "CONTRACT_INVALID"),
        ("", 2, "CONTRACT_INVALID"),
        ("a: 1\n---\nb: 2", 2, "PARSE_FAILED"),
        ("bundle_version: 1\nbundle_version: 1\ncontracts: {}", 2, "CONTRACT_INVALID"),
        ("\u{0}", 2, "PARSE_FAILED"),
    ] {
        std::fs::write(&path, text).unwrap();
        let ran = run(bare().arg("-c").arg(&path), "{}");
        assert_eq!((ran.code(), ran.stdout.as_str()), (Some(exit), ""), "{text:?}: {}", ran.stderr);
        assert!(ran.stderr.starts_with(&format!("sealpipe: {code}: ")), "{text:?}: {}", ran.stderr);
    }
    for missing in ["missing.yaml", "."] {
        let ran = run(bare().arg("-c").arg(directory.path().join(missing)), "{}");
        assert_eq!((ran.code(), ran.stdout.as_str()), (Some(4), ""), "{missing}");
        assert!(ran.stderr.starts_with("sealpipe: cannot read `"), "{}", ran.stderr);
    }
}

#[test]
fn a_command_line_that_has_no_meaning_is_one_line() {
    for arguments in [
        &["--blokced", "x"][..],
        &["--emit", "nothing"],
        &["--record"],
        &["--record", "half"],
        &["-j", "many"],
        &["--now"],
        &["--emit", "input", "--emit", "payload"],
    ] {
        let ran = run(&mut filter(arguments), "{}");
        assert_eq!((ran.code(), ran.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(ran.stderr.starts_with("sealpipe: INVALID_ARGUMENT: "), "{}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    }
    assert!(run(&mut filter(&["--blokced", "x"]), "").stderr.contains("did you mean `--blocked`?"));
    let ran = run(&mut bare(), "{}");
    assert_eq!((ran.code(), ran.stderr.lines().count()), (Some(2), 1), "{}", ran.stderr);
    assert!(ran.stderr.contains("--bundle"), "{}", ran.stderr);
}

#[test]
fn nothing_that_commands_a_terminal_gets_through() {
    let hostile = "\u{1b}[2J\u{1b}]0;x\u{7}\r\u{9b}31m";
    for arguments in [
        ["--redact", hostile],
        ["--now", hostile],
        ["--now-from", hostile],
        ["--max-bytes", hostile],
        ["--emit", hostile],
        ["--blocked", &format!("/no/such/{hostile}")],
        ["--blocked-fd", hostile],
        ["--no-progress", hostile],
        ["--no-progress", &format!("--{hostile}")],
    ] {
        let ran = run(&mut filter(&arguments), "{}");
        assert!(matches!(ran.code(), Some(2 | 4)), "{arguments:?}");
        let control = |c: char| c.is_control() && c != '\n';
        assert!(!ran.stderr.contains(control), "{arguments:?}: {:?}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{:?}", ran.stderr);
    }
    // The tools of a log are named by whoever wrote it.
    let line = format!(r#"{{"tool_name":"{}","source_ref":"s","target_ref":"t"}}"#, r"\u001b[2J\r\n\u009b");
    let ran = run(&mut filter(&["--summary"]), line);
    assert!(!ran.stderr.contains(|c: char| c.is_control() && c != '\n'), "{:?}", ran.stderr);
    assert!(!ran.stdout.contains('\u{1b}'), "{:?}", ran.stdout);
}

#[test]
fn help_and_version_are_on_standard_output() {
    for (flag, part) in [("--help", "Exit status:"), ("-h", "--bundle"), ("--version", "sealpipe ")] {
        let ran = run(bare().arg(flag), "");
        assert_eq!((ran.code(), ran.stderr.as_str()), (Some(0), ""));
        assert!(ran.stdout.contains(part), "{}", ran.stdout);
    }
    let ran = run(bare().arg("version"), "");
    assert_eq!((ran.code(), ran.stdout), (Some(0), format!("{}\n", env!("CARGO_PKG_VERSION"))));
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    assert_eq!(run(bare().arg("version").stdout(full), "").code(), Some(4));
}
