//! What a reason code means, why it exists, a smallest example, and what to do. The decision about the example is made
//! when it is shown, so that it cannot be wrong.

use std::fmt::Write;

use super::wrap;
use crate::contract::{Bundle, Entry};
use crate::decision::{Outcome, TruthState};
use crate::engine::{Clock, Engine, Scratch};
use crate::reason::Reason;
use crate::rules;
use crate::time::Timestamp;

mod examples;

use examples::{EXAMPLES, Example};

/// The clock that the examples are judged by: 2026-11-02T12:00:00Z.
const NOW: i64 = 1_793_620_800;

/// Returns every code with what it says, one a line.
pub fn codes() -> String {
    let width = Reason::ALL.iter().map(|reason| reason.code().len()).max().unwrap_or(0);
    Reason::ALL.iter().fold(String::new(), |mut out, reason| {
        let _ = write!(out, "{:<width$}  ", reason.code());
        wrap(reason.summary(), width + 2, &mut out);
        out
    })
}

/// Returns the page of a code.
pub fn code(reason: Reason) -> String {
    let mut out = format!("{reason}\n\n");
    wrap(reason.summary(), 0, &mut out);
    let example = EXAMPLES.iter().find(|(of, _)| *of == reason).map(|(_, example)| example);
    let shown = example.map(show);
    if let Some(why) = shown.as_ref().and_then(|shown| shown.why) {
        out.push_str("\nWhy: ");
        wrap(why, 5, &mut out);
    }
    if let Some(shown) = shown {
        out.push_str("\nA smallest example:\n\n");
        for (name, text) in shown.parts {
            let _ = writeln!(out, "  {name:<9} {text}");
        }
    }
    out.push_str("\nWhat to do: ");
    wrap(reason.advice(), 12, &mut out);
    out
}

struct Shown {
    why: Option<&'static str>,
    parts: Vec<(&'static str, String)>,
}

/// Decides about an example and puts it in words.
fn show(example: &Example) -> Shown {
    match *example {
        Example::Input { bundle, input, why } => {
            let engine = Bundle::from_json(bundle.as_bytes()).map(Engine::new).unwrap_or_default();
            let clock = Clock::At(Timestamp::from_unix(NOW, 0));
            engine.judge(input.as_bytes(), &clock, &mut Scratch::default(), |ruling, _| {
                let strict = engine.bundle().entries().iter().any(Entry::has_strict);
                let rule = ruling.findings.first();
                let rule = rule.and_then(|finding| rules::explanation(finding.rule, strict));
                let decision = match (ruling.outcome, ruling.truth_state) {
                    (Outcome::Rejected, _) | (_, None) => ruling.outcome.to_string(),
                    (outcome, Some(state)) => format!("{outcome}, {}", TruthState::name(state)),
                };
                let mut parts = vec![
                    (if bundle.contains("contracts") { "bundle" } else { "contract" }, bundle.to_owned()),
                    ("input", input.to_owned()),
                    ("decision", decision),
                ];
                for finding in &ruling.findings {
                    let path = finding.path.to_string();
                    let separator = if path.is_empty() { "" } else { ": " };
                    parts.push(("", format!("{} {path}{separator}{finding}", finding.reason)));
                }
                Shown { why: why.or(rule), parts }
            })
        }
        Example::Contract { contract, why } => {
            let refusal = Bundle::from_json(contract.as_bytes()).err();
            let refusal = refusal.map(|problems| problems.to_string()).unwrap_or_default();
            Shown { why: Some(why), parts: vec![("contract", contract.to_owned()), ("refusal", refusal)] }
        }
        Example::Command { command, why } => {
            Shown { why: Some(why), parts: vec![("command", command.to_owned())] }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_an_example_that_gives_it() {
        for reason in Reason::ALL {
            let (_, example) =
                EXAMPLES.iter().find(|(of, _)| of == reason).unwrap_or_else(|| panic!("{reason}"));
            let shown = show(example);
            assert!(shown.why.is_some_and(|why| why.ends_with('.')), "{reason}: why");
            match example {
                Example::Input { bundle, input, .. } => {
                    let engine = Engine::new(Bundle::from_json(bundle.as_bytes()).unwrap());
                    let decision = engine.check(input.as_bytes(), Timestamp::from_unix(NOW, 0));
                    assert_eq!(decision.reasons(), [*reason], "{input}");
                }
                Example::Contract { contract, .. } => {
                    let problems = Bundle::from_json(contract.as_bytes()).unwrap_err();
                    assert_eq!(problems.0[0].reason, *reason);
                }
                Example::Command { command, .. } => assert!(command.starts_with("sealpipe ")),
            }
        }
        assert_eq!(Timestamp::from_unix(NOW, 0).to_string(), "2026-11-02T12:00:00Z");
    }

    #[test]
    fn a_page_has_all_four_parts() {
        assert_eq!(
            code(Reason::EmptyWithoutNotFoundSentinel),
            r#"EMPTY_WITHOUT_NOT_FOUND_SENTINEL

Nothing came back, and nothing says that this means absence.

Why: Empty is not not-found. An empty list comes from a wrong filter, an index that lags, a
     page past the end or a missing right as easily as from a thing that does not exist.
     Absence is a fact only where the source says so with the value that the contract names.

A smallest example:

  contract  {"schema_version":"1","claim_type":"found","required_fields":["name"],"freshness":{"mode":"not_required"},"source_ref":"crm","target_ref":"customer:42"}
  input     {"source_ref":"crm","target_ref":"customer:42","body":[]}
  decision  blocked, empty
            EMPTY_WITHOUT_NOT_FOUND_SENTINEL expected a payload that is not empty, found an empty array

What to do: Do not conclude that the thing does not exist. Where the source can say so
            explicitly, name that value as `not_found_sentinel` in a `not_found` contract.
"#
        );
        for reason in Reason::ALL {
            let page = code(*reason);
            for part in ["\nWhy: ", "\nA smallest example:\n", "\nWhat to do: "] {
                assert!(page.contains(part), "{page}");
            }
        }
        assert_eq!(codes().lines().filter(|line| !line.starts_with(' ')).count(), Reason::ALL.len());
    }
}
