//! Does the tool's own protocol say that the call failed, or say two things at once?

use super::{Case, Failure, Rule, failure};
use crate::decision::TruthState;
use crate::finding::{Fact, Finding};
use crate::observe::strict::Conflict;
use crate::reason::Reason;

pub(super) const RULE: Rule = Rule {
    name: "protocol",
    explanation: "The Model Context Protocol reports a failed tool inside a successful response, as `isError: true` \
                  with text about the error. SDK objects spell the flag `is_error`, loggers write it as a string or as \
                  1: whatever is not exactly false counts as set. Text and structured content that are both JSON and \
                  differ are two answers, and nobody knows which one was read.",
    for_absence: true,
    check,
};

fn check<'t>(case: &Case<'t>) -> Option<Failure<'t>> {
    let finding = Finding::new(Reason::ProtocolConflict, RULE.name);
    let finding = match case.reading.conflict? {
        Conflict::Flag(member) => finding
            .member(member)
            .expected(Fact::Words("no error flag"))
            .actual(Fact::Words("an error flag that is not false")),
        Conflict::Spellings => finding
            .member("structured_content")
            .expected(Fact::Words("the same as `structuredContent`"))
            .actual(Fact::Words("another value")),
        Conflict::Text => finding
            .member("text")
            .expected(Fact::Words("the same JSON as the structured content"))
            .actual(Fact::Words("other JSON")),
    };
    failure(TruthState::Unknown, smallvec::smallvec![finding])
}
