//! Does the result come from where, and speak about what, the contract names?

use super::{Case, Failure, Rule};
use crate::decision::TruthState;
use crate::finding::{Fact, Finding, Findings};
use crate::reason::Reason;

pub(super) const RULE: Rule = Rule {
    name: "reference",
    explanation: "A record about another customer is a good record and a wrong answer. The references of the result \
                  must be those of the contract, character by character.",
    check,
};

fn check<'t>(case: &Case<'t>) -> Option<Failure<'t>> {
    let Case { observation, contract, .. } = case;
    let mut findings = Findings::new();
    let mut compare = |reason, member, expected: &'t str, actual: Option<&'t str>| {
        if actual != Some(expected) {
            let finding = Finding::new(reason, RULE.name).member(member).expected(Fact::Text(expected));
            findings.push(finding.actual(actual.map_or(Fact::Words("absent"), Fact::Text)));
        }
    };
    compare(Reason::SourceMismatch, "source_ref", &contract.source_ref, Some(observation.source_ref));
    compare(Reason::TargetMismatch, "target_ref", &contract.target_ref, observation.target_ref);
    (!findings.is_empty()).then_some(Failure { truth_state: TruthState::SourceMismatch, findings })
}
