//! Did the call succeed, as its transport tells it?

use super::{Case, Failure, Rule, failure};
use crate::decision::TruthState;
use crate::finding::{Fact, Finding};
use crate::input::Kind;
use crate::observe::{Observation, Transport};
use crate::reason::Reason;

pub(super) const RULE: Rule = Rule {
    name: "transport",
    explanation: "A call that failed says nothing about the world. An HTTP 404 may be a wrong path, a missing right or \
                  a proxy; the body of an error page is not the record that was asked for; a process that ended with \
                  an error may have printed half of its output.",
    check,
};

fn check<'t>(case: &Case<'t>) -> Option<Failure<'t>> {
    of(case.observation)
}

/// The same for contracts of either version.
pub(super) fn of<'t>(observation: &Observation<'t>) -> Option<Failure<'t>> {
    let Transport::Failed(actual) = observation.transport else { return None };
    let finding = Finding::new(Reason::TransportFailed, RULE.name).actual(actual);
    let finding = match observation.kind {
        Kind::HttpJson => finding.member("status_code").expected(Fact::Words("200 to 399")),
        Kind::Stdio => finding.member("exit_code").expected(Fact::Words("0")),
        Kind::Json | Kind::Mcp | Kind::Yaml | Kind::ClaimOnly => finding,
    };
    Some(failure(TruthState::Unknown, finding))
}
