//! The JSON Schemas: every document in the repository is valid by its schema, and a schema says no where the program
//! does.

#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use jsonschema::Validator;
use sealpipe::schema::Schema;
use sealpipe::{Contract, Timestamp, check};
use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn validator(schema: Schema) -> Validator {
    jsonschema::draft202012::new(&serde_json::from_str(schema.text()).unwrap()).unwrap()
}

/// Returns why a document is not valid; empty where it is.
fn faults(validator: &Validator, document: &Value) -> Vec<String> {
    validator.iter_errors(document).map(|error| format!("{error} at {}", error.instance_path())).collect()
}

/// Returns a document with YAML turned to JSON by the program's own reader; `None` where JSON cannot say it.
fn load(path: &Path) -> Option<Value> {
    let text = fs::read(path).unwrap();
    let format = sealpipe::document::Format::of(path.extension().and_then(|e| e.to_str()), &text);
    let limits = sealpipe::value::Limits { bytes: 64 << 20, nodes: usize::MAX, ..Default::default() };
    let mut reader = sealpipe::document::Reader::default();
    let document = reader.read(&text, format, &limits).unwrap();
    let mut json = Vec::new();
    sealpipe::canon::Writer::default().write_json(document.root(), &mut json).ok()?;
    Some(serde_json::from_slice(&json).unwrap())
}

fn files(directory: &str, ending: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(root().join(directory))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_str().unwrap().ends_with(ending))
        .collect();
    files.sort();
    files
}

fn lines(path: &str) -> Vec<Value> {
    let text = fs::read_to_string(root().join(path)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_command_prints_what_the_library_has() {
    for schema in Schema::ALL {
        let output =
            Command::cargo_bin("sealpipe").unwrap().args(["schema", schema.name()]).output().unwrap();
        assert!(output.status.success());
        assert_eq!(String::from_utf8(output.stdout).unwrap(), schema.text());
        let parsed: Value = serde_json::from_str(schema.text()).unwrap();
        assert_eq!(parsed["$schema"], "https://json-schema.org/draft/2020-12/schema", "{}", schema.name());
        jsonschema::draft202012::meta::validate(&parsed).unwrap();
    }
    Command::cargo_bin("sealpipe").unwrap().args(["schema", "nope"]).assert().code(2);
}

#[test]
fn the_contract_in_other_schemas_is_that_of_its_own() {
    const START: &str = "\n  \"$defs\": {\n";
    let definitions = &Schema::Contract.text()[Schema::Contract.text().find(START).unwrap()..];
    for schema in [Schema::Bundle, Schema::Fixture] {
        let text = schema.text();
        let expected = format!("{}{definitions}", &text[..text.find(START).unwrap()]);
        if std::env::var_os("SEALPIPE_BLESS").is_some() {
            fs::write(root().join(format!("src/schema/{}.json", schema.name())), expected).unwrap();
        } else {
            assert_eq!(text, expected, "run `SEALPIPE_BLESS=1 cargo test --test schema`");
        }
    }
}

#[test]
fn every_fixture_is_valid() {
    let fixture = validator(Schema::Fixture);
    let contract = validator(Schema::Contract);
    let mut paths = files("fixtures/catalogue", ".yaml");
    paths.extend(files("fixtures/clock", ".yaml"));
    assert!(paths.len() >= 150, "{}", paths.len());
    for path in paths {
        let document = load(&path).unwrap();
        assert_eq!(faults(&fixture, &document), Vec::<String>::new(), "{}", path.display());
        if let Some(inline) = document.get("contract") {
            assert_eq!(faults(&contract, inline), Vec::<String>::new(), "{}", path.display());
        }
    }
}

#[test]
fn a_fixture_that_the_program_refuses_is_not_valid() {
    let fixture = validator(Schema::Fixture);
    let good = load(&root().join("fixtures/catalogue/rest-404.yaml")).unwrap();
    assert!(fixture.is_valid(&good));
    let changed: [(&str, Value); 14] = [
        ("/fixture_version", "1".into()),
        ("/fixture_version", 2.into()),
        ("/name", "".into()),
        ("/name", "x".repeat(257).into()),
        ("/claim_type", "nope".into()),
        ("/contract", Value::Array(Vec::new())),
        ("/contract/claim_type", "nope".into()),
        ("/input", Value::Null),
        ("/expected", Value::Null),
        ("/expected/decision", "Sealed".into()),
        ("/expected/truth_state", "*".into()),
        ("/expected/reason_codes", "NO_DISPATCH".into()),
        ("/expected/other", 1.into()),
        ("/other", 1.into()),
    ];
    let folder = tempfile::tempdir().unwrap();
    for (place, value) in changed {
        let mut document = good.clone();
        let (parent, member) = place.rsplit_once('/').unwrap();
        document.pointer_mut(parent).unwrap()[member] = value;
        assert!(!fixture.is_valid(&document), "{place}: {document}");
        let path = folder.path().join("fixture.json");
        fs::write(&path, document.to_string()).unwrap();
        Command::cargo_bin("sealpipe").unwrap().arg("validate").arg(&path).assert().code(2);
    }
}

#[test]
fn every_bundle_and_contract_is_valid() {
    let bundle = validator(Schema::Bundle);
    assert_eq!(
        faults(&bundle, &load(&root().join("fixtures/day/bundle.yaml")).unwrap()),
        Vec::<String>::new()
    );
    let contract = validator(Schema::Contract);
    let paths = files("fixtures/check", ".contract.json");
    assert!(paths.len() >= 16);
    for path in paths {
        let is_valid = !path.ends_with("contract-unknown-member.contract.json");
        assert_eq!(faults(&contract, &load(&path).unwrap()).is_empty(), is_valid, "{}", path.display());
    }
    let one = load(&files("fixtures/check", "http-404.contract.json")[0]).unwrap();
    for (text, valid) in [
        (r#"{"bundle_version":1,"default":C}"#, true),
        (r#"{"bundle_version":1,"contracts":{"a":C,"b*":[C]}}"#, true),
        (r#"{"bundle_version":1,"contracts":{}}"#, true),
        ("C", true),
        (r#"{"bundle_version":1}"#, false),
        (r#"{"bundle_version":2,"default":C}"#, false),
        (r#"{"contracts":{"a":C}}"#, false),
        (r#"{"bundle_version":1,"contracts":{"a":[]}}"#, false),
        (r#"{"bundle_version":1,"contracts":{"":C}}"#, false),
        (r#"{"bundle_version":1,"contracts":{"a":1}}"#, false),
        (r#"{"bundle_version":1,"default":C,"other":C}"#, false),
    ] {
        let text = text.replace('C', &one.to_string());
        assert_eq!(bundle.is_valid(&serde_json::from_str(&text).unwrap()), valid, "{text}");
        assert_eq!(sealpipe::Bundle::from_json(text.as_bytes()).is_ok(), valid, "{text}");
    }
}

/// Returns true where a rejection is for something that JSON Schema cannot say.
fn is_beyond_schemas(record: &Value) -> bool {
    let finding = &record["findings"][0];
    let rule = finding["rule"].as_str().unwrap();
    // Bounds, syntax, what can be hashed; how many members metadata has in the end; 200.0 for an integer.
    rule != "input"
        || finding["path"] == "metadata"
        || (finding["expected"] == "an integer" && finding["actual"] == "number")
}

#[test]
fn inputs_are_taken_and_refused_as_the_program_does() {
    let input = validator(Schema::Input);
    let record = validator(Schema::Record);
    let contract =
        Contract::from_json(&fs::read(root().join("fixtures/check/http-404.contract.json")).unwrap())
            .unwrap();
    let (mut valid, mut refused, mut beyond) = (0, 0, 0);
    for case in lines("fixtures/golden/inputs.jsonl") {
        let line = case["line"].as_str().unwrap();
        let now = Timestamp::parse(case["now"].as_str().unwrap()).unwrap();
        let decision = check(line.as_bytes(), &contract, now);
        let full: Value = serde_json::from_str(decision.full_record()).unwrap();
        assert_eq!(faults(&record, &full), Vec::<String>::new(), "{full}");
        let core: Value = serde_json::from_str(decision.core_record()).unwrap();
        assert_eq!(faults(&record, &core), Vec::<String>::new(), "{core}");
        let Ok(document) = serde_json::from_str::<Value>(line) else { continue };
        if full["decision"] == "rejected"
            && is_beyond_schemas(&full)
            && full["findings"][0]["path"].is_string()
        {
            beyond += 1;
        } else if full["decision"] == "rejected" && full["findings"][0]["rule"] == "input" {
            refused += 1;
            assert!(!input.is_valid(&document), "{}: {line}\n{full}", case["id"]);
        } else if full["decision"] != "rejected" {
            valid += 1;
            assert_eq!(faults(&input, &document), Vec::<String>::new(), "{}: {line}", case["id"]);
        }
    }
    assert!(valid >= 2000 && refused >= 400 && beyond <= 120, "{valid} {refused} {beyond}");
}

#[test]
fn every_record_in_the_repository_is_valid() {
    let record = validator(Schema::Record);
    let mut seen = 0;
    let mut take = |document: &Value, of: &str| {
        seen += 1;
        assert_eq!(faults(&record, document), Vec::<String>::new(), "{of}: {document}");
    };
    for form in ["core", "full"] {
        let output = Command::cargo_bin("sealpipe")
            .unwrap()
            .current_dir(root())
            .args(["-c", "fixtures/day/bundle.yaml", "--record", form, "--redact", "target_ref"])
            .args(["fixtures/day/log.jsonl", "fixtures/day/log.jsonl"])
            .output()
            .unwrap();
        for line in String::from_utf8(output.stdout).unwrap().lines() {
            take(&serde_json::from_str(line).unwrap(), "day");
        }
    }
    for path in files("fixtures/check", ".expected.json") {
        take(&load(&path).unwrap(), path.to_str().unwrap());
    }
    for name in ["inputs", "yaml"] {
        for case in lines(&format!("fixtures/golden/{name}.jsonl")) {
            if let Some(text) = case["expect"]["record"].as_str() {
                take(&serde_json::from_str(text).unwrap(), name);
            }
        }
    }
    for format in [["--redact", "source_ref"], ["--redact", "reason_codes"]] {
        let output = Command::cargo_bin("sealpipe")
            .unwrap()
            .current_dir(root())
            .args(["replay", "--format", "json", "fixtures/catalogue"])
            .args(format)
            .output()
            .unwrap();
        for line in String::from_utf8(output.stdout).unwrap().lines() {
            take(&serde_json::from_str(line).unwrap(), "replay");
        }
    }
    assert!(seen > 3000, "{seen}");
    for text in [
        r#"{"decision":"rejected"}"#,
        r#"{"decision":"rejected","reason_codes":[]}"#,
        r#"{"decision":"rejected","reason_codes":["PARSE_FAILED"],"line":0}"#,
        r#"{"decision":"sealed","reason_codes":["PARSE_FAILED"]}"#,
        "[]",
    ] {
        assert!(!record.is_valid(&serde_json::from_str(text).unwrap()), "{text}");
    }
}
