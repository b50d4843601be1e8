//! Could the payload be read?

use super::{Case, Failure, Rule, failure};
use crate::decision::TruthState;
use crate::finding::{Fact, Finding};
use crate::observe::{Observation, Payload};
use crate::reason::Reason;

pub(super) const RULE: Rule = Rule {
    name: "parse",
    explanation: "Text that should be JSON and is not was cut short, is a page for people, or has log lines mixed in. \
                  Whatever can be made out of it is a guess.",
    check,
};

fn check<'t>(case: &Case<'t>) -> Option<Failure<'t>> {
    of(case.observation)
}

/// The same for contracts of either version.
pub(super) fn of<'t>(observation: &Observation<'t>) -> Option<Failure<'t>> {
    let Payload::Unreadable(actual) = observation.payload else { return None };
    Some(failure(
        TruthState::ParseError,
        Finding::new(Reason::ParseFailed, RULE.name).expected(Fact::Words("JSON text")).actual(actual),
    ))
}
