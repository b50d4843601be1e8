//! `replay`: the catalogue through the program; what does not match, what cannot be used, and in which order it is told.

#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]

use std::fs;
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const HEAD: &str = "fixture_version: 1\nname: NAME\ncontract: {schema_version: '1', claim_type: found, required_fields: [a], freshness: {mode: not_required}, source_ref: s, target_ref: t}\n";
const INPUT: &str = "input: {source_ref: s, target_ref: t, body: {a: 1}}\n";

fn replay(folder: &Path, words: &[&str]) -> Output {
    Command::cargo_bin("sealpipe").unwrap().current_dir(folder).arg("replay").args(words).output().unwrap()
}

fn parts(output: &Output) -> (i32, &str, &str) {
    (
        output.status.code().unwrap(),
        std::str::from_utf8(&output.stdout).unwrap(),
        std::str::from_utf8(&output.stderr).unwrap(),
    )
}

fn fixture(name: &str, expected: &str) -> String {
    format!("{}{INPUT}expected: {expected}\n", HEAD.replace("NAME", name))
}

fn rejected(name: &str, input: &str, expected: &str) -> String {
    format!("fixture_version: 1\nname: {name}\ninput: {input}\nexpected: {expected}\n")
}

#[test]
fn the_whole_catalogue_matches() {
    let output = replay(Path::new(ROOT), &["fixtures/catalogue"]);
    let (exit, out, err) = parts(&output);
    let count = fs::read_dir(Path::new(ROOT).join("fixtures/catalogue")).unwrap().count();
    assert!(count >= 150);
    assert_eq!(
        out.lines().filter(|line| !line.starts_with("MATCH: ")).collect::<Vec<_>>(),
        Vec::<&str>::new()
    );
    assert_eq!(out.lines().count(), count);
    assert_eq!(
        (exit, err),
        (0, format!("sealpipe: {count} fixtures: {count} match, 0 differ, 0 not usable\n").as_str())
    );
    let mut in_order = out.lines().map(|line| line.split(' ').nth(1).unwrap()).collect::<Vec<_>>();
    let printed = in_order.clone();
    // File names, with their endings, decide the order: `a-b.yaml` before `a.yaml`.
    in_order.sort_by_key(|name| format!("{name}.yaml"));
    assert_eq!(printed, in_order);
}

#[test]
fn the_clock_is_the_one_that_is_pinned() {
    let output = replay(Path::new(ROOT), &["fixtures/clock", "--now", "2026-11-02T12:00:00Z"]);
    assert_eq!(parts(&output).0, 0);
    assert_eq!(parts(&output).2, "sealpipe: 8 fixtures: 8 match, 0 differ, 0 not usable\n");
    let output = replay(Path::new(ROOT), &["fixtures/clock", "--now", "2026-11-02T11:00:00"]);
    assert_eq!(parts(&output).0, 1);
}

#[test]
fn what_differs_is_shown_in_both_layouts() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        (
            "a.yaml",
            fixture(
                "a",
                "{decision: sealed, truth_state: sealed, reason_codes: [SEALED_WITH_REQUIRED_EVIDENCE]}",
            ),
        ),
        ("b.yaml", fixture("b", "{decision: blocked}")),
        (
            "c.yaml",
            fixture("c", "{decision: sealed, truth_state: not_found, reason_codes: [NO_DISPATCH, \"it's\"]}"),
        ),
        ("d.yaml", rejected("d", "{target_ref: t}", "{decision: rejected, reason_codes: [SCHEMA_INVALID]}")),
        (
            "e.yaml",
            rejected(
                "e",
                "{target_ref: t}",
                "{decision: rejected, reason_codes: [SCHEMA_INVALID, UNSAFE_INPUT]}",
            ),
        ),
        ("f.yaml", fixture("f", "{decision: rejected, reason_codes: [SCHEMA_INVALID]}")),
        ("g.yaml", rejected("g", "{target_ref: t}", "{decision: rejected}")),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let output = replay(folder.path(), &["."]);
    let (exit, out, err) = parts(&output);
    assert_eq!((exit, err), (1, "sealpipe: 7 fixtures: 3 match, 4 differ, 0 not usable\n"));
    assert_eq!(
        out,
        "MATCH: a -> sealed/sealed
MISMATCH: b -> sealed/sealed
  expected: */blocked codes=[]
  actual:   sealed/sealed codes=['SEALED_WITH_REQUIRED_EVIDENCE']
MISMATCH: c -> sealed/sealed
  expected: not_found/sealed codes=['NO_DISPATCH', \"it's\"]
  actual:   sealed/sealed codes=['SEALED_WITH_REQUIRED_EVIDENCE']
MATCH: d -> rejected (SCHEMA_INVALID)
MISMATCH: e -> rejected (SCHEMA_INVALID)
  expected codes=['SCHEMA_INVALID', 'UNSAFE_INPUT']
  actual:   SCHEMA_INVALID: source_ref: expected a string of 1 to 1024 characters, found absent
MISMATCH: f -> sealed/sealed
  expected: */rejected codes=['SCHEMA_INVALID']
  actual:   sealed/sealed codes=['SEALED_WITH_REQUIRED_EVIDENCE']
MATCH: g -> rejected (SCHEMA_INVALID)
"
    );
    let output = replay(
        folder.path(),
        &["a.yaml", "e.yaml", "--format", "json", "--redact", "source_ref", "--redact", "x"],
    );
    let (exit, out, err) = parts(&output);
    assert_eq!(exit, 1);
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines[0].starts_with(r#"{"claim_type":"found","decision":"sealed","#), "{out}");
    assert!(lines[0].contains(r#""source_ref":"[REDACTED]""#), "{out}");
    assert_eq!(lines[1..], [r#"{"decision":"rejected","fixture":"e","reason_codes":["SCHEMA_INVALID"]}"#]);
    assert!(err.starts_with("sealpipe: warning: --redact: `x` "), "{err}");
}

#[test]
fn a_bound_is_a_narrower_case_of_unsafe_input() {
    let folder = tempfile::tempdir().unwrap();
    let deep = format!(
        "{{kind: yaml, source_ref: s, target_ref: t, value: '{}{}'}}",
        "[".repeat(40),
        "]".repeat(40)
    );
    for (code, exit) in [("UNSAFE_INPUT", 0), ("LIMIT_EXCEEDED", 0), ("PARSE_FAILED", 1), ("NOPE", 1)] {
        let text = rejected("deep", &deep, &format!("{{decision: rejected, reason_codes: [{code}]}}"));
        fs::write(folder.path().join("deep.yaml"), text).unwrap();
        let output = replay(folder.path(), &["deep.yaml"]);
        assert_eq!(parts(&output).0, exit, "{code}");
        assert!(parts(&output).1.contains("MATCH: deep -> rejected (LIMIT_EXCEEDED)\n"), "{code}");
    }
}

#[test]
fn a_fixture_that_cannot_be_used_stops_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("empty")).unwrap();
    for (name, text) in [
        ("a.yaml", fixture("a", "{decision: sealed}")),
        ("b.yaml", fixture("b", "{decision: sealed, truthstate: x}").replace("name: b", "name: ''")),
        ("c.json", "{".to_owned()),
        ("d.yaml", format!("fixture_version: 1\nname: d\n{INPUT}expected: {{decision: sealed}}\n")),
        ("e.yaml", rejected("e", "{source_ref: s, target_ref: t}", "{decision: rejected}")),
        (
            "f.yaml",
            fixture("f", "{decision: sealed}")
                .replace("source_ref: s, target_ref: t, body", "target_ref: t, body"),
        ),
        ("g.yaml", "a: &x 1".to_owned()),
        ("h.yaml", fixture("h", "{decision: sealed}").replace("claim_type: found", "claim_type: seen")),
        ("z.yaml", fixture("z", "{decision: sealed}")),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let words = ["a.yaml", "b.yaml", "c.json", "d.yaml", "e.yaml", "f.yaml", "g.yaml", "h.yaml", "z.yaml"];
    let output = replay(folder.path(), &words);
    let (exit, out, err) = parts(&output);
    assert_eq!((exit, out), (3, "MATCH: a -> sealed/sealed\nMATCH: z -> sealed/sealed\n"));
    assert_eq!(
        err,
        "sealpipe: CONTRACT_INVALID: must be a string of 1 to 256 characters (`b.yaml`, name)
sealpipe: CONTRACT_INVALID: is not a member; did you mean `truth_state`? (`b.yaml`, expected.truthstate)
sealpipe: PARSE_FAILED: not valid JSON: expected a key at byte 1 (`c.json`)
sealpipe: SCHEMA_INVALID: the fixture has no contract, so there is nothing to decide by; add one as `contract` (`d.yaml`)
sealpipe: SCHEMA_INVALID: the fixture expects its input to be rejected, and nothing is wrong with it (`e.yaml`)
sealpipe: SCHEMA_INVALID: expected a string of 1 to 1024 characters, found absent (`f.yaml`, input.source_ref)
sealpipe: UNSAFE_INPUT: anchors and aliases are not accepted at line 1, column 4 (`g.yaml`)
sealpipe: CONTRACT_INVALID: must be one of found, not_found, read_complete, effect_observed, task_complete (`h.yaml`, contract.claim_type)
sealpipe: 9 fixtures: 2 match, 0 differ, 7 not usable
"
    );
    let output = replay(folder.path(), &["a.yaml", "nowhere", "empty"]);
    let (exit, out, err) = parts(&output);
    assert_eq!((exit, out), (4, "MATCH: a -> sealed/sealed\n"));
    assert_eq!(
        err,
        "sealpipe: cannot read `nowhere`: No such file or directory (os error 2)
sealpipe: cannot read `empty`: no .yaml, .yml or .json file in this directory
sealpipe: 3 fixtures: 1 match, 0 differ, 2 not usable
"
    );
    assert_eq!(parts(&replay(folder.path(), &["a.yaml", "--now", "x"])).0, 2);
    assert_eq!(parts(&replay(folder.path(), &[])).0, 2);
}

#[test]
fn standard_input_is_a_fixture_too() {
    let text = fixture("from stdin", "{decision: sealed}");
    let output =
        Command::cargo_bin("sealpipe").unwrap().args(["replay", "-"]).write_stdin(text).output().unwrap();
    assert_eq!(parts(&output).0, 0);
    assert_eq!(parts(&output).1, "MATCH: from stdin -> sealed/sealed\n");
    assert_eq!(parts(&output).2, "sealpipe: 1 fixture: 1 match, 0 differ, 0 not usable\n");
    let twice = Command::cargo_bin("sealpipe").unwrap().args(["replay", "-", "-"]).output().unwrap();
    assert_eq!(parts(&twice).0, 2);
}

#[test]
fn many_fixtures_keep_their_order() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..1300 {
        let expected = if number % 7 == 0 { "blocked" } else { "sealed" };
        let text = fixture(&format!("n{number:04}"), &format!("{{decision: {expected}}}"));
        fs::write(folder.path().join(format!("{number:04}.yaml")), text).unwrap();
    }
    let output = replay(folder.path(), &["."]);
    let (exit, out, err) = parts(&output);
    assert_eq!((exit, err), (1, "sealpipe: 1300 fixtures: 1114 match, 186 differ, 0 not usable\n"));
    let names: Vec<&str> = out
        .lines()
        .filter(|line| !line.starts_with(' '))
        .map(|line| line.split_once(": ").unwrap().1.split(' ').next().unwrap())
        .collect();
    let expected: Vec<String> = (0..1300).map(|number| format!("n{number:04}")).collect();
    assert_eq!(names, expected);
}

#[test]
fn a_key_that_is_there_twice_is_refused_by_version_2() {
    let yaml = |version: &str, body: &str| {
        format!(
            "fixture_version: 1\nname: twice\ninput: {{source_ref: s, target_ref: t, body: {body}}}\n\
             contract: {{schema_version: '{version}', claim_type: found, required_fields: [a], \
             freshness: {{mode: not_required}}, source_ref: s, target_ref: t}}\nexpected: {{decision: sealed}}\n"
        )
    };
    for (version, body, expected) in [
        ("1", "{a: 1, a: 2}", 0),
        ("2", "{a: 1, a: 2}", 1),
        ("2", "{a: 2}", 0),
        ("2", "{b: {c: 1, c: 1}, a: 1}", 1),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let text = yaml(version, body);
        fs::write(folder.path().join("f.yaml"), &text).unwrap();
        let output = replay(folder.path(), &["f.yaml"]);
        assert_eq!(parts(&output).0, expected, "{text}{output:?}");
    }
}

/// Returns the catalogue, written from the first line of every fixture: `# Backend: why it seals or blocks.`
fn catalogue() -> String {
    let mut sections: Vec<(String, Vec<String>)> = Vec::new();
    for folder in ["catalogue", "clock"] {
        let mut paths: Vec<_> = fs::read_dir(Path::new(ROOT).join("fixtures").join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        paths.sort();
        for path in paths {
            let text = fs::read_to_string(&path).unwrap();
            let first = text.lines().next().unwrap();
            let parts = first.strip_prefix("# ").and_then(|line| line.split_once(": "));
            let parts = parts.filter(|(_, why)| why.ends_with('.'));
            assert!(parts.is_some(), "{}: `# Backend: sentence.` must come first", path.display());
            let (backend, why) = parts.unwrap();
            let value = |name: &str| {
                let line = text.lines().rfind(|line| line.trim_start().starts_with(name));
                line.map(|line| line.trim_start()[name.len()..].trim().trim_matches(['[', ']']).to_owned())
            };
            let decision = value("decision:").unwrap();
            let codes = value("reason_codes:").unwrap();
            let outcome = match decision.as_str() {
                "sealed" => "**sealed**".to_owned(),
                other => format!(
                    "{other}: {}",
                    codes.split(", ").map(|code| format!("`{code}`")).collect::<Vec<_>>().join(", ")
                ),
            };
            let name = path.file_name().unwrap().to_str().unwrap();
            let row = format!("| [`{name}`]({folder}/{name}) | {outcome} | {} |\n", why.replace('|', "\\|"));
            match sections.iter_mut().find(|(of, _)| of == backend) {
                Some((_, rows)) => rows.push(row),
                None => sections.push((backend.to_owned(), vec![row])),
            }
        }
    }
    sections.sort_by_key(|(backend, _)| backend.to_lowercase());
    let count: usize = sections.iter().map(|(_, rows)| rows.len()).sum();
    let mut text = format!(
        "# Fixtures\n\n\
         {count} tool results, what backends answer when all is well and when it is not, each with the contract that\n\
         judges it and the decision that comes out. `sealpipe replay fixtures/catalogue` replays them;\n\
         those in `clock` need `--now 2026-11-02T12:00:00Z`.\n\n\
         Written from the first line of each by `SEALPIPE_BLESS=1 cargo test --test replay`.\n"
    );
    for (backend, rows) in sections {
        text.push_str(&format!(
            "\n## {backend}\n\n| fixture | decision | why |\n|---|---|---|\n{}",
            rows.concat()
        ));
    }
    text
}

#[test]
fn the_catalogue_lists_what_is_there() {
    let path = Path::new(ROOT).join("fixtures/README.md");
    let expected = catalogue();
    if std::env::var_os("SEALPIPE_BLESS").is_some() {
        fs::write(path, expected).unwrap();
    } else {
        let found = fs::read_to_string(path).unwrap_or_default();
        assert_eq!(found, expected, "run `SEALPIPE_BLESS=1 cargo test --test replay`");
    }
}
