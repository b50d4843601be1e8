//! The rules: which observation may back which claim. Pure functions, one a file, in one fixed order.

use crate::contract::{Contract, Portable};
use crate::decision::TruthState;
use crate::finding::Findings;
use crate::observe::Observation;
use crate::time::Timestamp;

mod absence;
mod dispatch;
mod effect;
mod freshness;
mod parse;
mod protocol;
mod reference;
mod required_fields;
pub mod strict;
mod transport;

/// What a rule looks at.
#[derive(Debug, Clone, Copy)]
pub struct Case<'t> {
    /// The tool result.
    pub observation: &'t Observation<'t>,
    /// What it must contain.
    pub contract: &'t Portable,
    /// The reference clock.
    pub now: Timestamp,
}

/// What a rule that fails says.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure<'t> {
    /// What is known of the thing all the same.
    pub truth_state: TruthState,
    /// Every failure of the rule, in the order of the contract; never empty.
    pub findings: Findings<'t>,
}

/// One rule: a name, an explanation for people, and a pure function.
pub struct Rule {
    /// The name that findings carry.
    pub name: &'static str,
    /// What it checks and why it exists.
    pub explanation: &'static str,
    /// Returns the failure, or nothing where the rule holds.
    pub check: for<'t> fn(&Case<'t>) -> Option<Failure<'t>>,
}

/// Every rule. **The order matters**: the first that fails decides the truth state, and no later one is asked. A
/// claim about a result that never arrived must not be explained by a field that it lacks.
pub const RULES: &[Rule] = &[
    dispatch::RULE,
    transport::RULE,
    parse::RULE,
    protocol::RULE,
    absence::RULE,
    reference::RULE,
    freshness::RULE,
    required_fields::RULE,
    effect::RULE,
];

/// A rule as explanations show it: its name, and what it checks and why it exists.
pub type Told = (&'static str, &'static str);

/// Returns the rules that are asked under a contract, in their order.
pub fn asked_by(contract: &Contract) -> Vec<Told> {
    if contract.is_strict() {
        strict::asked_for(contract.claim_type()).map(|rule| (rule.name, rule.explanation)).collect()
    } else {
        RULES.iter().map(|rule| (rule.name, rule.explanation)).collect()
    }
}

/// Returns the explanation of the rule of that name, which findings carry. Where a rule has the same name in both
/// versions, `strict` tells which is meant.
pub fn explanation(name: &str, strict: bool) -> Option<&'static str> {
    let portable = RULES.iter().map(|rule| (rule.name, rule.explanation));
    let of_strict = strict::RULES.iter().map(|rule| (rule.name, rule.explanation));
    let mut known: Vec<Told> = if strict { of_strict.collect() } else { portable.collect() };
    known.retain(|(known, _)| *known == name);
    known.first().map(|(_, explanation)| *explanation)
}

/// Returns the first failure, or nothing where every rule holds.
pub fn first_failure<'t>(case: &Case<'t>) -> Option<Failure<'t>> {
    RULES.iter().find_map(|rule| (rule.check)(case))
}

/// Returns the failure of a rule that finds one thing.
fn failure(truth_state: TruthState, finding: crate::finding::Finding<'_>) -> Failure<'_> {
    Failure { truth_state, findings: smallvec::smallvec![finding] }
}

#[cfg(test)]
mod tests;
