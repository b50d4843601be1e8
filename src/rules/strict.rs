//! The rules for contracts of version "2": those of version "1" with their gaps closed, and the rows between them.

use bumpalo::Bump;

use super::Failure;
use crate::condition::{Answer, Condition};
use crate::contract::{ClaimType, Strict};
use crate::decision::TruthState;
use crate::finding::{Fact, Finding, Findings};
use crate::input::Members;
use crate::observe::Observation;
use crate::observe::strict::Strict as Reading;
use crate::time::Timestamp;
use crate::validator::Schema;
use crate::value::Value;

mod absence;
mod claims;
mod contradiction;
mod effect;
mod fields;
mod flags;
mod freshness;
mod partial;
mod protocol;
mod reference;
mod required_fields;
mod schemas;
#[cfg(test)]
mod table;
mod tool_error;

/// What a rule for version "2" looks at.
#[derive(Clone, Copy)]
pub struct Case<'t> {
    /// The tool result.
    pub observation: &'t Observation<'t>,
    /// What it must contain.
    pub(crate) terms: &'t Strict,
    /// The adapter input as a whole.
    pub input: Value<'t>,
    /// Its members.
    pub members: &'t Members<'t>,
    /// What its kind read out of them.
    pub reading: &'t Reading<'t>,
    /// The input's own schema for structured content, compiled, or what is wrong with it.
    pub output_schema: Option<Result<&'t Schema, &'static str>>,
    /// Where texts for findings live.
    pub arena: &'t Bump,
    /// The reference clock.
    pub now: Timestamp,
}

impl<'t> Case<'t> {
    /// Returns the payload, where there is one that is not null.
    fn content(&self) -> Option<Value<'t>> {
        self.observation.payload.value().filter(|value| !value.is_null())
    }
}

/// One rule: a name, an explanation for people, and a pure function.
pub struct Rule {
    /// The name that findings carry.
    pub name: &'static str,
    /// What it checks and why it exists.
    pub explanation: &'static str,
    /// Whether it is asked of a `not_found` claim too, which has no content to check.
    pub for_absence: bool,
    /// Returns the failure, or nothing where the rule holds.
    pub check: for<'t> fn(&Case<'t>) -> Option<Failure<'t>>,
}

/// Every rule. **The order matters**: the first that fails decides the truth state, and no later one is asked.
pub const RULES: &[Rule] = &[
    shared(&super::dispatch::RULE, |case| super::dispatch::of(case.observation)),
    shared(&super::transport::RULE, |case| super::transport::of(case.observation)),
    shared(&super::parse::RULE, |case| super::parse::of(case.observation)),
    protocol::RULE,
    tool_error::RULE,
    flags::RULE,
    absence::RULE,
    contradiction::RULE,
    reference::RULE,
    freshness::RULE,
    required_fields::RULE,
    fields::RULE,
    schemas::RULE,
    partial::RULE,
    effect::RULE,
    claims::RULE,
];

const fn shared(rule: &super::Rule, check: for<'t> fn(&Case<'t>) -> Option<Failure<'t>>) -> Rule {
    Rule { name: rule.name, explanation: rule.explanation, for_absence: true, check }
}

/// Returns the first failure, or nothing where every rule holds.
pub fn first_failure<'t>(case: &Case<'t>) -> Option<Failure<'t>> {
    asked_for(case.terms.claim_type).find_map(|rule| (rule.check)(case))
}

/// Returns the rules that are asked of a claim, in their order.
pub(super) fn asked_for(claim: ClaimType) -> impl Iterator<Item = &'static Rule> {
    RULES.iter().filter(move |rule| rule.for_absence || claim != ClaimType::NotFound)
}

/// Returns the failure of the findings, if there are any.
fn failure(truth_state: TruthState, findings: Findings<'_>) -> Option<Failure<'_>> {
    (!findings.is_empty()).then_some(Failure { truth_state, findings })
}

/// Returns the findings of the conditions that hold, or that the payload does not decide.
fn holding<'t>(conditions: &'t [Condition], payload: Value<'t>, finding: Finding<'t>) -> Findings<'t> {
    let mut findings = Findings::new();
    for condition in conditions {
        let answer = condition.answer(payload);
        if answer == Answer::No {
            continue;
        }
        // Of several tests together, the one that is unclear is the one to look at.
        let test = condition.tests().iter().find(|test| test.answer(payload) == answer);
        let Some(test) = test else { continue };
        let actual = match (answer, test.path.resolve(payload)) {
            (Answer::Unclear, None) => Fact::Words("absent, which leaves it open"),
            (Answer::Unclear, Some(value)) => Fact::Words(match value.type_name() {
                "null" => "null, which leaves it open",
                "string" => "a string, which leaves it open",
                "boolean" => "a boolean, which leaves it open",
                "integer" | "number" => "a number, which leaves it open",
                _ => "a value that leaves it open",
            }),
            _ => Fact::Words(test.operator.words()),
        };
        let finding = finding.pointer(test.path.as_str()).expected(Fact::Not(test.operator.words()));
        findings.push(finding.actual(actual));
    }
    findings
}
