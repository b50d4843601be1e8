//! `explain`, `man`, `completions` and `version`.

#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]

use std::process::Output;

use assert_cmd::Command;
use sealpipe::Reason;

const NOW: &str = "2026-11-02T18:00:00Z";

fn sealpipe(words: &[&str]) -> Output {
    fed("", words)
}

fn fed(stdin: &str, words: &[&str]) -> Output {
    let mut command = Command::cargo_bin("sealpipe").unwrap();
    command
        .env_remove("CLICOLOR_FORCE")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(words)
        .write_stdin(stdin)
        .output()
        .unwrap()
}

fn parts(output: &Output) -> (i32, &str, &str) {
    (
        output.status.code().unwrap(),
        std::str::from_utf8(&output.stdout).unwrap(),
        std::str::from_utf8(&output.stderr).unwrap(),
    )
}

#[test]
fn a_code_has_a_page() {
    for reason in Reason::ALL {
        let output = sealpipe(&["explain", reason.code()]);
        let (exit, out, err) = parts(&output);
        assert_eq!((exit, err), (0, ""));
        assert!(out.starts_with(&format!("{reason}\n\n")), "{out}");
        assert!(out.contains("\nWhat to do: "), "{out}");
    }
    let lower = sealpipe(&["explain", "no_dispatch"]);
    assert_eq!(parts(&lower).1, parts(&sealpipe(&["explain", "NO_DISPATCH"])).1);
    let all = sealpipe(&["explain"]);
    let listed = parts(&all).1.lines().filter(|line| !line.starts_with(' ')).count();
    assert_eq!(listed, Reason::ALL.len());
}

#[test]
fn what_is_no_code_is_told_what_it_may_be() {
    for (words, message) in [
        (&["explain", "NO_DISPACH"][..], "`NO_DISPACH` is no reason code; did you mean `NO_DISPATCH`?"),
        (&["explain", "\u{1b}x"], "`\\u{1b}x` is no reason code; `sealpipe explain` lists them"),
        (
            &["explain", "fixtures/day/log.jsonl"],
            "`fixtures/day/log.jsonl` is a file; to walk one of its records through, add -c BUNDLE",
        ),
        (
            &["explain", "-c", "fixtures/day/bundle.yaml", "fixtures/day/log.jsonl", "--line", "5000"],
            "--line: `fixtures/day/log.jsonl` has 68 lines, and 5000 is not among them",
        ),
    ] {
        let output = sealpipe(words);
        let expected = format!("sealpipe: INVALID_ARGUMENT: {message}\n");
        assert_eq!(parts(&output), (2, "", expected.as_str()));
    }
    assert_eq!(parts(&sealpipe(&["explain", "NO_DISPATCH", "--line", "3"])).0, 2);
    assert_eq!(parts(&sealpipe(&["explain", "-c", "fixtures/day/bundle.yaml", "--line", "0"])).0, 2);
}

#[test]
fn one_record_is_walked_through() {
    let words = ["explain", "-c", "fixtures/day/bundle.yaml", "--now", NOW, "fixtures/day/log.jsonl"];
    let output = sealpipe(&words);
    let (exit, out, err) = parts(&output);
    assert_eq!((exit, err), (0, ""));
    assert_eq!(
        out,
        "record       line 1 of `fixtures/day/log.jsonl`
kind         json, as `kind` says
input        tool           search_customer
             source         crm://nordlicht
             target         customer:42
             observed at    2026-11-02T08:02:11Z
             evidence refs  0
             observation id made of the content hash
             tool call id   call_a3b1799d
clock        2026-11-02T18:00:00Z
transport    transported
payload      an empty array, 2 bytes as JSON
contract     `search_customer`: the tool's own name
             claim found: the only one
rules
   1 dispatch         holds
   2 transport        holds
   3 parse            holds
   4 protocol         holds
   5 absence          FAILS, truth state empty
                      EMPTY_WITHOUT_NOT_FOUND_SENTINEL: expected a payload that is not empty, found an empty array
                      Empty is not not-found. An empty list comes from a wrong filter, an
                      index that lags, a page past the end or a missing right as easily as
                      from a thing that does not exist. Absence is a fact only where the
                      source says so with the value that the contract names.
   6 reference        not asked
   7 freshness        not asked
   8 required_fields  not asked
   9 effect           not asked
decision     blocked, truth state empty
             EMPTY_WITHOUT_NOT_FOUND_SENTINEL: Nothing came back, and nothing says that this
             means absence.
             Do not conclude that the thing does not exist. Where the source can say so
             explicitly, name that value as `not_found_sentinel` in a `not_found` contract.
hashes       content      sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945
             fingerprint  sha256:c9248fa2a43e926bceea5f37f683867957899dce9e20c058721e25873130dfd3
"
    );
}

const CONTRACT: &str = r#"{"schema_version":"1","claim_type":"found","required_fields":["a"],"freshness":{"mode":"not_required"},"source_ref":"s","target_ref":"t"}"#;

/// Returns the walk of an input by a bundle of this text, with its exit status and messages.
fn walk(bundle: &str, input: &str, words: &[&str]) -> (i32, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bundle.json");
    std::fs::write(&path, bundle).unwrap();
    let mut all = vec!["explain", "-c", path.to_str().unwrap()];
    all.extend(words);
    let output = fed(input, &all);
    let (exit, out, err) = parts(&output);
    (exit, out.to_owned(), err.to_owned())
}

fn line_of<'o>(out: &'o str, head: &str) -> &'o str {
    let found = out.lines().find(|line| line.trim_start().starts_with(head));
    assert!(found.is_some(), "{head}: {out}");
    found.unwrap()
}

#[test]
fn values_are_shown_only_where_asked() {
    let input = r#"{"source_ref":"s","target_ref":"t","body":{"a":"SECRET\u001b[31m","b\u001b":[1,2]}}"#;
    let (exit, out, _) = walk(CONTRACT, input, &["-"]);
    assert_eq!(exit, 0);
    assert!(!out.contains("SECRET") && !out.contains('\u{1b}'), "{out}");
    assert!(out.contains("payload      an object of 2 members, 40 bytes as JSON\n"), "{out}");
    assert!(out.contains("             a: a string of 11 characters\n"), "{out}");
    assert!(out.contains("             b\\u{1b}: an array of 2 elements\n"), "{out}");
    let (_, out, _) = walk(CONTRACT, input, &["-", "--show-values"]);
    assert!(out.contains(r#"{"a":"SECRET\u001b[31m","b\u001b":[1,2]}"#), "{out}");
}

#[test]
fn the_kind_and_what_tells_it() {
    for (members, expected) in [
        (r#""body":1"#, "json, for no member tells of another kind"),
        (r#""kind":"json""#, "json, as `kind` says"),
        (r#""kind":null,"isError":false"#, "mcp, for `isError` is there and `kind` is not"),
        (r#""stderr":null,"exit_code":0"#, "stdio, for `exit_code` is there and `kind` is not"),
        (r#""status_code":200"#, "http_json, for `status_code` is there and `kind` is not"),
    ] {
        let input = format!(r#"{{"source_ref":"s","target_ref":"t",{members}}}"#);
        let (_, out, _) = walk(CONTRACT, &input, &["-"]);
        assert_eq!(line_of(&out, "kind"), format!("kind         {expected}"));
    }
}

#[test]
fn the_contract_and_why_it_was_chosen() {
    let not_found = CONTRACT.replace("\"found\"", "\"not_found\"").replace("[\"a\"]", "[]");
    let not_found = not_found.replace("\"target_ref\"", "\"not_found_sentinel\":\"NONE\",\"target_ref\"");
    let bundle = format!(
        r#"{{"bundle_version":1,"contracts":{{"one":{CONTRACT},"two":[{CONTRACT},{not_found}],"g*":{CONTRACT}}},"default":{CONTRACT}}}"#
    );
    let input = |tool: &str, body: &str, more: &str| {
        format!(r#"{{"source_ref":"s","target_ref":"t","tool_name":"{tool}","body":{body}{more}}}"#)
    };
    for (input, contract, claim, tables) in [
        (input("one", "{\"a\":1}", ""), "`one`: the tool's own name", "claim found: the only one", 1),
        (
            input("gx", "{\"a\":1}", ""),
            "`g*`: the glob with the longest literal prefix that matches the tool",
            "claim found: the only one",
            1,
        ),
        (
            input("other", "{\"a\":1}", ""),
            "`default`: the default, for no other entry matches the tool",
            "claim found: the only one",
            1,
        ),
        (
            input("two", "{\"a\":1}", ""),
            "`two`: the tool's own name",
            "claim found: the first in order that seals",
            1,
        ),
        (
            input("two", "{\"status\":\"NONE\"}", ""),
            "`two`: the tool's own name",
            "claim not_found: the first in order that seals",
            2,
        ),
        (
            input("two", "[]", ""),
            "`two`: the tool's own name",
            "claim found: none seals, so the first listed decides",
            2,
        ),
        (
            input("two", "[]", ",\"claim_type\":\"not_found\""),
            "`two`: the tool's own name",
            "claim not_found: the input's `claim_type` names it",
            1,
        ),
    ] {
        let (exit, out, err) = walk(&bundle, &input, &["-"]);
        assert_eq!((exit, err.as_str()), (0, ""));
        assert_eq!(line_of(&out, "contract "), format!("contract     {contract}"), "{input}");
        assert_eq!(line_of(&out, "claim "), format!("             {claim}"), "{input}");
        assert_eq!(out.lines().filter(|line| line.starts_with("rules")).count(), tables, "{out}");
        assert_eq!(out.matches(" 1 dispatch ").count(), tables, "{out}");
    }
    let unsupported = input("one", "[]", ",\"claim_type\":\"task_complete\"");
    let (_, out, _) = walk(&bundle, &unsupported, &["-"]);
    assert!(out.contains("none of its contracts is for the claim type that the input names\n"), "{out}");
    assert!(out.contains("UNSUPPORTED_CLAIM: ") && !out.contains("dispatch"), "{out}");
    let without = format!(r#"{{"bundle_version":1,"contracts":{{"one":{CONTRACT}}}}}"#);
    let (_, out, _) = walk(&without, &input("zz", "1", ""), &["-"]);
    assert_eq!(
        line_of(&out, "contract "),
        "contract     none: no entry matches the tool, and there is no default"
    );
    assert!(
        out.contains("tool_name: expected a tool that the bundle names, or a default, found `zz`\n"),
        "{out}"
    );
}

#[test]
fn a_contract_of_version_2_has_rules_of_its_own() {
    let contract = r#"{"schema_version":"2","claim_type":"found","source_ref":"s","freshness":{"mode":"not_required"},"fields":[{"path":"/age","type":"integer","minimum":0}]}"#;
    let (exit, out, err) = walk(contract, r#"{"source_ref":"s","structured_content":{"age":-1}}"#, &["-"]);
    assert_eq!((exit, err.as_str()), (0, ""));
    assert_eq!(
        line_of(&out, "kind"),
        "kind         mcp, for `structured_content` is there and `kind` is not"
    );
    assert_eq!(line_of(&out, "target"), "             target         not said");
    assert!(out.contains("   5 tool_error       holds\n"), "{out}");
    assert!(out.contains("  12 fields           FAILS, truth state observed\n"), "{out}");
    assert!(out.contains("OUT_OF_RANGE: /age: "), "{out}");
    assert!(out.contains("  13 schemas          not asked\n"), "{out}");
    // Of an absence there is no content to ask about.
    let absence = contract
        .replace("\"found\"", "\"not_found\"")
        .replace("\"fields\"", "\"not_found_sentinel\":\"NONE\",\"fields\"");
    let (_, out, _) = walk(&absence, r#"{"source_ref":"s","body":{"status":"NONE"}}"#, &["-"]);
    assert!(line_of(&out, "decision").ends_with("truth state not_found"), "{out}");
    assert!(out.contains(" freshness ") && !out.contains(" fields ") && !out.contains("FAILS"), "{out}");
}

#[test]
fn lines_documents_and_clocks() {
    let aged = CONTRACT
        .replace("{\"mode\":\"not_required\"}", "{\"mode\":\"max_age_seconds\",\"max_age_seconds\":60}");
    let line = r#"{"source_ref":"s","target_ref":"t","observed_at":"2026-11-02T12:00:00Z","seen":"2026-11-02T12:00:30Z","body":{"a":1}}"#;
    let (_, out, _) = walk(&aged, line, &["-", "--now-from", "/seen"]);
    assert_eq!(line_of(&out, "clock"), "clock        2026-11-02T12:00:30Z");
    assert!(line_of(&out, "decision").contains("sealed"), "{out}");
    let (_, out, _) = walk(&aged, line, &["-", "--now", NOW]);
    assert!(
        out.contains("STALE_OBSERVATION: observed_at: expected at most 60 seconds, found 21600 seconds\n"),
        "{out}"
    );

    let log = format!("\n \r\n{line}\r\n{{}}\n");
    let (_, out, _) = walk(&aged, &log, &["-"]);
    assert_eq!(line_of(&out, "record"), "record       line 3 of `-`");
    let (exit, out, _) = walk(&aged, &log, &["-", "--line", "4"]);
    assert_eq!((exit, line_of(&out, "record")), (0, "record       line 4 of `-`"));
    assert!(out.contains("source_ref: expected a string of 1 to 1024 characters, found absent\n"), "{out}");
    let (exit, _, err) = walk(&aged, &log, &["-", "--line", "1"]);
    assert_eq!(exit, 2);
    assert!(err.starts_with("sealpipe: PARSE_FAILED: ") && err.ends_with(" (line 1 of `-`)\n"), "{err}");

    let document = line.replace(',', ",\n  ");
    let (_, out, _) = walk(&aged, &document, &["-"]);
    assert_eq!(line_of(&out, "record"), "record       `-`");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in.yaml");
    std::fs::write(&path, "source_ref: s\ntarget_ref: t\nbody: {a: 1}\n").unwrap();
    let (exit, out, _) = walk(CONTRACT, "", &[path.to_str().unwrap()]);
    assert_eq!(exit, 0);
    assert!(line_of(&out, "decision").contains("sealed"), "{out}");

    // A line that is too long is refused without being held, and the next is found behind it.
    let overlong = format!("{{\"a\":\"{}\"}}\n{line}\n", "x".repeat(1 << 20));
    let (exit, _, err) = walk(&aged, &overlong, &["-", "--line", "1"]);
    assert_eq!(exit, 3, "{err}");
    let (exit, out, _) = walk(&aged, &overlong, &["-", "--line", "2"]);
    assert_eq!((exit, line_of(&out, "record")), (0, "record       line 2 of `-`"));
}

#[test]
fn manual_and_completions_know_every_command() {
    let manual = sealpipe(&["man"]);
    let (exit, out, err) = parts(&manual);
    assert_eq!((exit, err), (0, ""));
    assert!(out.contains(".TH sealpipe 1"), "{out}");
    let commands = ["check", "replay", "validate", "explain", "schema", "man", "completions", "version"];
    for command in commands {
        assert!(out.contains(&format!("sealpipe\\-{command}(1)")), "{command}: {out}");
        let page = sealpipe(&["man", command]);
        assert!(parts(&page).1.contains(&format!(".TH sealpipe-{command} 1")), "{command}: {page:?}");
    }
    assert_eq!(parts(&sealpipe(&["man", "nope"])).0, 2);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = sealpipe(&["completions", shell]);
        let (exit, out, err) = parts(&script);
        assert_eq!((exit, err), (0, ""), "{shell}");
        for command in commands {
            assert!(out.contains(command), "{shell}: {command}");
        }
        assert!(out.contains("--blocked-fd") || out.contains("blocked-fd"), "{shell}");
    }
    assert_eq!(parts(&sealpipe(&["completions", "tcsh"])).0, 2);
}

#[test]
fn the_version_is_one_line() {
    assert_eq!(parts(&sealpipe(&["version"])), (0, concat!(env!("CARGO_PKG_VERSION"), "\n"), ""));
    assert_eq!(
        parts(&sealpipe(&["--version"])),
        (0, concat!("sealpipe ", env!("CARGO_PKG_VERSION"), "\n"), "")
    );
    assert_eq!(parts(&sealpipe(&["version", "x"])).0, 2);
}
