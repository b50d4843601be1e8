//! Does the tool's own protocol say that the call failed?

use super::{Case, Failure, Rule, failure};
use crate::decision::TruthState;
use crate::finding::{Fact, Finding};
use crate::input::Kind;
use crate::reason::Reason;

pub(super) const RULE: Rule = Rule {
    name: "protocol",
    explanation: "The Model Context Protocol reports a failed tool inside a successful response, as `isError: true` \
                  with text about the error. Read without the flag, that text looks like an answer.",
    check,
};

fn check<'t>(case: &Case<'t>) -> Option<Failure<'t>> {
    case.observation.protocol_conflict.then(|| {
        let member = if case.observation.kind == Kind::Mcp { "isError" } else { "metadata" };
        failure(
            TruthState::Unknown,
            Finding::new(Reason::ProtocolConflict, RULE.name)
                .member(member)
                .expected(Fact::Words("no error flag"))
                .actual(Fact::Words("an error flag that is true")),
        )
    })
}
