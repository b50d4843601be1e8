//! Was anything sent at all?

use super::{Case, Failure, Rule, failure};
use crate::decision::TruthState;
use crate::finding::{Fact, Finding};
use crate::observe::{Observation, Transport};
use crate::reason::Reason;

pub(super) const RULE: Rule = Rule {
    name: "dispatch",
    explanation: "A claim with no record that a tool ran is not an observation. Models describe calls that they never \
                  made, results included; nothing that such a text says can be checked.",
    check,
};

fn check<'t>(case: &Case<'t>) -> Option<Failure<'t>> {
    of(case.observation)
}

/// The same for contracts of either version.
pub(super) fn of<'t>(observation: &Observation<'t>) -> Option<Failure<'t>> {
    (observation.transport == Transport::Attempted).then(|| {
        failure(
            TruthState::Unknown,
            Finding::new(Reason::NoDispatch, RULE.name)
                .expected(Fact::Words("a record of a tool call"))
                .actual(Fact::Words("a claim only")),
        )
    })
}
