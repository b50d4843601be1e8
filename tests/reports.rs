//! Shapes from public bug reports, each with a contract of version "2" for its tool: what hurt somebody is blocked, and
//! a good answer of the same tool is sealed.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test ends at the first surprise")]

use std::collections::BTreeMap;

use bumpalo::Bump;
use sealpipe::canon::Writer;
use sealpipe::value::{Document, Limits, Value};
use sealpipe::{Contract, Decision, Engine, Outcome, Timestamp, yaml};
use serde::Deserialize;
use serde_json::Value as Json;

#[derive(Deserialize)]
struct Report {
    id: String,
    input: Option<Json>,
    input_bytes: Option<String>,
    expected: Expected,
}

#[derive(Deserialize)]
struct Expected {
    decision: String,
    reason_codes: Vec<String>,
    #[serde(default)]
    open_question: bool,
    #[serde(default)]
    lines: Vec<Json>,
}

fn fixture(name: &str) -> String {
    std::fs::read_to_string(format!("{}/fixtures/reports/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn json(value: Value<'_>) -> Json {
    let mut text = Vec::new();
    Writer::default().write(value, &mut text).unwrap();
    serde_json::from_slice(&text).unwrap()
}

fn member<'t>(value: Value<'t>, name: &str) -> Option<Value<'t>> {
    value.as_object().unwrap().get(name)
}

/// The bytes that a Python expression of literals, `+` and `*` says.
fn bytes_of(expression: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = expression.trim();
    while !rest.is_empty() {
        rest = rest.trim_start_matches([' ', '+', '(']);
        let inner = rest.strip_prefix("b'").unwrap_or_else(|| panic!("{rest}"));
        let mut literal = Vec::new();
        let mut bytes = inner.bytes().enumerate();
        let end = loop {
            match bytes.next().unwrap() {
                (at, b'\'') => break at,
                (_, b'\\') => match bytes.next().unwrap().1 {
                    b'n' => literal.push(b'\n'),
                    b'x' => {
                        let hex: String = (0..2).map(|_| char::from(bytes.next().unwrap().1)).collect();
                        literal.push(u8::from_str_radix(&hex, 16).unwrap());
                    }
                    other => literal.push(other),
                },
                (_, other) => literal.push(other),
            }
        };
        rest = inner[end + 1..].trim_start_matches([')', ' ']);
        let mut times = 1;
        if let Some(factor) = rest.strip_prefix('*') {
            let digits = factor.bytes().take_while(u8::is_ascii_digit).count();
            times = factor[..digits].parse().unwrap();
            rest = &factor[digits..];
        }
        out.extend(literal.repeat(times));
    }
    out
}

fn now() -> Timestamp {
    Timestamp::parse("2026-11-02T12:00:00Z").unwrap()
}

struct Case<'t> {
    report: Report,
    entry: Value<'t>,
}

/// Runs `then` for each report, with the entry of `contracts.yaml` for it; every report has one, and no more.
fn for_each(mut then: impl FnMut(&Case<'_>)) {
    let reports = fixture("reports.jsonl");
    let mut reports: BTreeMap<String, Report> = reports
        .lines()
        .map(|line| serde_json::from_str::<Report>(line).unwrap())
        .map(|report| (report.id.clone(), report))
        .collect();
    assert_eq!(reports.len(), 38);
    let arena = Bump::new();
    let limits = Limits { nodes: 1 << 20, bytes: 1 << 20, ..Limits::DEFAULT };
    let text = fixture("contracts.yaml");
    let document: Document<'_> = yaml::load_unique(&text, &arena, &limits).unwrap();
    for entry in document.root().as_array().unwrap().iter() {
        let id = member(entry, "id").and_then(Value::as_str).unwrap();
        let report = reports.remove(id).unwrap_or_else(|| panic!("{id}: no such report, or twice"));
        then(&Case { report, entry });
    }
    assert!(reports.is_empty(), "without a contract: {:?}", reports.keys());
}

impl Case<'_> {
    fn engine(&self) -> Engine {
        let contract = Contract::from_value(member(self.entry, "contract").unwrap());
        let contract = contract.unwrap_or_else(|problems| panic!("{}: {problems}", self.report.id));
        assert_eq!(contract.schema_version(), 2);
        Engine::of_contract(contract).with_masked_secrets(true)
    }

    fn lines(&self) -> Vec<Vec<u8>> {
        match (&self.report.input, &self.report.input_bytes) {
            (Some(input), _) => vec![serde_json::to_vec(input).unwrap()],
            (None, Some(expression)) => {
                let bytes = bytes_of(expression);
                bytes
                    .split(|byte| *byte == b'\n')
                    .filter(|line| !line.is_empty())
                    .map(<[u8]>::to_vec)
                    .collect()
            }
            (None, None) => panic!("{}: no input", self.report.id),
        }
    }

    fn good(&self) -> Vec<u8> {
        // Where the reported line is no JSON, the entry holds the good answer whole.
        let first = self.report.input.clone().or_else(|| serde_json::from_slice(&self.lines()[0]).ok());
        let mut input = first.filter(Json::is_object).unwrap_or_else(|| Json::Object(serde_json::Map::new()));
        let Json::Object(changes) = json(member(self.entry, "good").unwrap()) else { panic!() };
        if changes.get("kind").is_some() && self.report.input.is_none() {
            input = Json::Object(serde_json::Map::new());
        }
        let object = input.as_object_mut().unwrap();
        for (name, value) in changes {
            if value.is_null() {
                object.remove(&name);
            } else {
                object.insert(name, value);
            }
        }
        serde_json::to_vec(&input).unwrap()
    }
}

fn codes(decision: &Decision) -> Vec<&'static str> {
    decision.reasons().iter().map(|reason| reason.code()).collect()
}

#[test]
fn what_hurt_somebody_is_never_sealed() {
    for_each(|case| {
        let id = &case.report.id;
        let expected = json(member(case.entry, "expected").unwrap());
        let (decision, expected_codes) = (expected["decision"].as_str().unwrap(), &expected["reason_codes"]);
        let reported = &case.report.expected;
        let agrees = decision == reported.decision
            || (decision == "rejected" && reported.decision == "blocked")
            || reported.open_question;
        assert!(agrees, "{id}: {decision} is not what the report asks for");
        let decided = member(case.entry, "decided").and_then(Value::as_str);
        let same_codes = *expected_codes == serde_json::json!(reported.reason_codes);
        assert_eq!(
            decided.is_some(),
            reported.open_question || !same_codes,
            "{id}: an open question, and only that, has its reason"
        );
        let engine = case.engine();
        let lines = case.lines();
        let mut seen = Vec::new();
        for (index, line) in lines.iter().enumerate() {
            let found = engine.check(line, now());
            let (mut wanted, mut wanted_codes) = (decision, expected_codes.clone());
            if let Some(line) = reported.lines.get(index) {
                // Other lines of the same case are good ones, or say for themselves what they are.
                if line["decision"] == "sealed" {
                    (wanted, wanted_codes) = ("sealed", line["reason_codes"].clone());
                }
            }
            assert_eq!(found.outcome().name(), wanted, "{id} line {index}: {}", found.full_record());
            assert_eq!(serde_json::json!(codes(&found)), wanted_codes, "{id} line {index}");
            for secret in ["sk-EXAMPLE-0000", "pw-EXAMPLE-0000"] {
                assert!(!found.full_record().contains(secret), "{id}: {}", found.full_record());
                assert!(!found.core_record().contains(secret), "{id}: {}", found.core_record());
            }
            if index < 3 {
                seen.push(found.core_record().to_owned());
            }
        }
        if id == "g2-int64-ids-not-rounded" {
            assert_ne!(seen[0], seen[1]);
        }
    });
}

#[test]
fn a_good_answer_of_the_same_tool_is_sealed() {
    for_each(|case| {
        let good = case.good();
        let found = case.engine().check(&good, now());
        let text: String = String::from_utf8_lossy(&good).chars().take(400).collect();
        assert_eq!(found.outcome(), Outcome::Sealed, "{}: {text}\n{}", case.report.id, found.full_record());
    });
}
