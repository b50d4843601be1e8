//! The golden cases through the library: every record byte-identical, every error with its code and exit status.

#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]

use sealpipe::{Contract, Timestamp, check};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    id: String,
    now: String,
    contract: Box<serde_json::value::RawValue>,
    line: String,
    expect: Expect,
}

#[derive(Deserialize)]
struct Expect {
    record: Option<String>,
    error: Option<String>,
    exit: Option<u8>,
    contract: Option<ContractExpect>,
}

#[derive(Deserialize)]
struct ContractExpect {
    #[serde(default)]
    valid: bool,
    error: Option<String>,
    exit: Option<u8>,
}

fn cases(name: &str) -> Vec<Case> {
    let path = format!("{}/fixtures/golden/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn inputs() {
    let cases = cases("inputs.jsonl");
    assert_eq!(cases.len(), 3000);
    let mut wrong = Vec::new();
    for case in &cases {
        let now = Timestamp::parse(&case.now).unwrap();
        let contract = Contract::from_json(case.contract.get().as_bytes());
        if let Some(expected) = &case.expect.contract {
            let ok = match &contract {
                Ok(_) => expected.valid,
                Err(problems) => {
                    problems.0.iter().any(|problem| Some(problem.reason.code()) == expected.error.as_deref())
                        && Some(problems.exit_status()) == expected.exit
                }
            };
            if !ok {
                wrong.push(format!("{}: contract: {:?}", case.id, contract));
            }
        }
        let Ok(contract) = contract else {
            if case.expect.record.is_some() {
                wrong.push(format!("{}: contract refused: {:?}", case.id, contract));
            }
            continue;
        };
        let decision = check(case.line.as_bytes(), &contract, now);
        let ok = match (&case.expect.record, &case.expect.error) {
            (Some(record), _) => decision.core_record() == record,
            (None, Some(error)) => {
                decision.core_record() == format!(r#"{{"decision":"rejected","reason_codes":["{error}"]}}"#)
                    && Some(decision.reasons()[0].exit_status()) == case.expect.exit
            }
            (None, None) => false,
        };
        if !ok {
            wrong.push(format!(
                "{}: {}\n expected {:?} {:?}\n got {}",
                case.id,
                case.line.chars().take(400).collect::<String>(),
                case.expect.record,
                case.expect.error,
                decision.full_record()
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} differ\n{}",
        wrong.len(),
        cases.len(),
        wrong[..wrong.len().min(8)].join("\n")
    );
}
