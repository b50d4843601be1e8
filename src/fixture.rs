//! Fixtures: one input, the contract it is judged by, and the decision that is expected. Reading one reports everything
//! that is wrong; replaying one says whether the decision is the expected one. It reads no files.
//!
//! Of a fixture's member that stands there twice the last one counts, so that its `input` may hold repeated keys.

use crate::contract::read::{unknown_member, with_article};
use crate::contract::{ClaimType, Collector, Contract, Problem, Problems};
use crate::decision::{Outcome, Redaction, Ruling, TruthState};
use crate::engine::{Clock, Engine, Scratch};
use crate::input::fits;
use crate::reason::Reason;
use crate::value::{Kind, Object, Value};

/// One fixture, borrowed from its document.
#[derive(Debug, Clone)]
pub struct Fixture<'t> {
    /// 1 to 256 characters.
    pub name: &'t str,
    /// The contract that stands in it. Needed where a decision is expected; a fixture that expects its input to be
    /// rejected does without.
    pub contract: Option<Contract>,
    /// The adapter input.
    pub input: Value<'t>,
    /// What must come out.
    pub expected: Expected<'t>,
}

/// What a fixture expects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected<'t> {
    /// The decision.
    pub outcome: Outcome,
    /// The truth state; any where `None`. Without meaning where a rejection is expected.
    pub truth_state: Option<TruthState>,
    /// Codes that must be among those of the record. They need not be codes of this program: then nothing matches.
    pub reason_codes: Vec<&'t str>,
}

/// How a replay ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// As expected.
    Match,
    /// Not as expected.
    Mismatch,
    /// There is nothing to compare: the fixture has no contract, or its input was rejected though a decision was
    /// expected.
    Unusable(Problem),
}

const MEMBERS: [&str; 6] = ["fixture_version", "name", "claim_type", "contract", "input", "expected"];
const EXPECTED_MEMBERS: [&str; 3] = ["decision", "truth_state", "reason_codes"];
const OUTCOMES: [Outcome; 3] = [Outcome::Sealed, Outcome::Blocked, Outcome::Rejected];

impl<'t> Fixture<'t> {
    /// Returns the fixture that a document is.
    ///
    /// # Errors
    /// Everything that is wrong with it, the contract in it included.
    pub fn from_value(document: Value<'t>) -> Result<Self, Problems> {
        let mut problems = Problems::default();
        let fixture = read(document, &mut problems);
        match fixture {
            Some(fixture) if problems.0.is_empty() => Ok(fixture),
            _ => Err(problems),
        }
    }

    /// Decides about the input and hands on the verdict with the ruling, which is `None` where none was made.
    pub fn replay<R>(
        &self,
        clock: &Clock,
        redaction: Redaction,
        scratch: &mut Scratch,
        then: impl FnOnce(Verdict, Option<&Ruling<'_>>) -> R,
    ) -> R {
        let expects_rejection = self.expected.outcome == Outcome::Rejected;
        let engine = match &self.contract {
            Some(contract) => Engine::of_contract(contract.clone()),
            // Whether an input can be read at all does not depend on a contract.
            None if expects_rejection => Engine::default(),
            None => {
                let message =
                    "the fixture has no contract, so there is nothing to decide by; add one as `contract`";
                return then(Verdict::Unusable(unusable(message)), None);
            }
        };
        engine.with_redaction(redaction).judge_input(self.input, clock, scratch, |ruling, _| {
            let verdict = match (ruling.outcome, expects_rejection) {
                (Outcome::Rejected, false) => Verdict::Unusable(rejection(ruling, "input")),
                (Outcome::Sealed | Outcome::Blocked, true) if self.contract.is_none() => Verdict::Unusable(
                    unusable("the fixture expects its input to be rejected, and nothing is wrong with it"),
                ),
                _ if self.expected.is_met_by(ruling) => Verdict::Match,
                _ => Verdict::Mismatch,
            };
            then(verdict, Some(ruling))
        })
    }
}

impl Expected<'_> {
    /// Returns true where a ruling is as expected.
    fn is_met_by(&self, ruling: &Ruling<'_>) -> bool {
        if ruling.outcome != self.outcome {
            return false;
        }
        if ruling.outcome == Outcome::Rejected {
            // A rejection has one code, which may be a narrower case of the one that is expected.
            return self.reason_codes.iter().all(|code| {
                let expected = Reason::from_code(code);
                expected.is_some_and(|expected| ruling.reasons().any(|reason| reason.specialises(expected)))
            });
        }
        self.truth_state.is_none_or(|state| ruling.truth_state == Some(state))
            && self.reason_codes.iter().all(|code| ruling.reasons().any(|reason| reason.code() == *code))
    }
}

/// Returns why an input was rejected, as a problem of the member that holds it or of the document as a whole.
pub fn rejection(ruling: &Ruling<'_>, member: &str) -> Problem {
    let Some(finding) = ruling.findings.first() else { return unusable("the input was rejected") };
    let path = finding.path.to_string();
    let place = [member, path.as_str()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
    Problem { reason: finding.reason, file: None, place: place.join("."), message: finding.to_string() }
}

fn unusable(message: &str) -> Problem {
    Problem { reason: Reason::SchemaInvalid, file: None, place: String::new(), message: message.to_owned() }
}

fn read<'t>(document: Value<'t>, problems: &mut Problems) -> Option<Fixture<'t>> {
    let mut report = Collector::new(problems);
    let Some(object) = document.as_object() else {
        report.invalid(format!("a fixture is an object, not {}", with_article(document)));
        return None;
    };
    check_members(object, &MEMBERS, &mut report);
    match object.get("fixture_version").map(Value::kind) {
        Some(Kind::Integer(version)) if version.as_i64() == Some(1) => {}
        Some(_) => report.at("fixture_version").invalid("must be the integer 1"),
        None => report.at("fixture_version").invalid("is missing; it must be the integer 1"),
    }
    let name = object.get("name").and_then(Value::as_str).filter(|name| !name.is_empty() && fits(name, 256));
    if name.is_none() {
        report.at("name").invalid("must be a string of 1 to 256 characters");
    }
    if let Some(claim) = present(object, "claim_type")
        && claim.as_str().and_then(ClaimType::from_name).is_none()
    {
        let names = ClaimType::ALL.map(ClaimType::name).join(", ");
        report.at("claim_type").invalid(format!("must be one of {names}"));
    }
    let input = object.get("input").filter(|input| input.as_object().is_some());
    if input.is_none() {
        report.at("input").invalid("must be an object: the adapter input");
    }
    let expected = match object.get("expected").and_then(Value::as_object) {
        Some(expected) => read_expected(expected, &mut report.at("expected")),
        None => {
            report.at("expected").invalid("must be an object with `decision`");
            None
        }
    };
    let contract = present(object, "contract").map(Contract::from_value).transpose();
    let contract = contract.map_err(|mut found| {
        for problem in &mut found.0 {
            let separator = if problem.place.is_empty() { "" } else { "." };
            problem.place = format!("contract{separator}{}", problem.place);
        }
        problems.0.append(&mut found.0);
    });
    Some(Fixture { name: name?, contract: contract.ok()?, input: input?, expected: expected? })
}

fn read_expected<'t>(object: Object<'t>, report: &mut Collector<'_>) -> Option<Expected<'t>> {
    check_members(object, &EXPECTED_MEMBERS, report);
    let decision = object.get("decision").and_then(Value::as_str);
    let outcome =
        OUTCOMES.into_iter().find(|outcome| decision.is_some_and(|decision| decision == outcome.name()));
    if outcome.is_none() {
        report.at("decision").invalid("must be one of sealed, blocked, rejected");
    }
    let truth_state = match present(object, "truth_state") {
        None => Some(None),
        Some(value) => {
            let state = TruthState::ALL
                .into_iter()
                .find(|state| value.as_str().is_some_and(|name| name == state.name()));
            if state.is_none() {
                let names = TruthState::ALL.map(TruthState::name).join(", ");
                report.at("truth_state").invalid(format!("must be one of {names}"));
            }
            state.map(Some)
        }
    };
    let codes = match present(object, "reason_codes") {
        None => Some(Vec::new()),
        Some(value) => value.as_array().and_then(|codes| codes.iter().map(Value::as_str).collect()),
    };
    if codes.is_none() {
        report.at("reason_codes").invalid("must be an array of strings");
    }
    Some(Expected { outcome: outcome?, truth_state: truth_state?, reason_codes: codes? })
}

fn present<'t>(object: Object<'t>, member: &str) -> Option<Value<'t>> {
    object.get(member).filter(|value| !value.is_null())
}

fn check_members(object: Object<'_>, known: &[&str], report: &mut Collector<'_>) {
    for (key, _) in object.iter() {
        match key.as_str() {
            Some(name) if known.contains(&name) => {}
            Some(name) => report.at(name).invalid(unknown_member(name, known.iter().copied())),
            None => report.invalid("a member's name must be a string"),
        }
    }
}

#[cfg(test)]
mod tests;
