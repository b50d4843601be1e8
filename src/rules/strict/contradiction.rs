//! Does the payload say that the thing does not exist, while the claim says that it does?

use super::absence::explicit_absence;
use super::{Case, Failure, Rule, failure};
use crate::condition::Answer;
use crate::decision::TruthState;
use crate::finding::{Fact, Finding};
use crate::reason::Reason;

pub(super) const RULE: Rule = Rule {
    name: "contradiction",
    explanation: "A lookup that answers `success: true` with the verdict NOT_FOUND worked, and found nothing. Any other \
                  claim than `not_found` on such an answer says the opposite of what was observed. Where the payload \
                  leaves open whether `not_found_when` holds, that is no observation either.",
    for_absence: false,
    check,
};

fn check<'t>(case: &Case<'t>) -> Option<Failure<'t>> {
    let (state, actual) = match explicit_absence(case) {
        Answer::No => return None,
        Answer::Yes => (TruthState::NotFound, "the absence that the contract names"),
        Answer::Unclear => (TruthState::Unknown, "a payload that leaves open whether it is an absence"),
    };
    let finding = Finding::new(Reason::ClaimContradicted, RULE.name)
        .expected(Fact::Words("a payload that is no explicit absence"))
        .actual(Fact::Words(actual));
    // Where a condition left it open, its place is the one to look at.
    let open = case.content().filter(|_| state == TruthState::Unknown).and_then(|payload| {
        let tests = || case.terms.not_found_when.iter().flat_map(crate::condition::Condition::tests);
        tests().find(|test| test.answer(payload) == Answer::Unclear)
    });
    let finding = match open {
        Some(test) => finding.pointer(test.path.as_str()),
        None => finding,
    };
    failure(state, smallvec::smallvec![finding])
}

#[cfg(test)]
mod tests {
    use super::super::table::check_table;

    #[test]
    fn another_claim_on_an_absence() {
        check_table(&[
            (
                r#""not_found_sentinel":"NONE""#,
                r#""body":{"s":"NONE","x":"CANARY"}"#,
                "not_found CLAIM_CONTRADICTED",
            ),
            (r#""not_found_sentinel":"NONE""#, r#""body":{"s":"SOME"}"#, "sealed"),
            (
                r#""not_found_when":[{"path":"/found","equals":false}]"#,
                r#""body":{"found":false}"#,
                "not_found CLAIM_CONTRADICTED",
            ),
            (r#""not_found_when":[{"path":"/found","equals":false}]"#, r#""body":{"found":true}"#, "sealed"),
            (
                r#""not_found_when":[{"path":"/found","equals":false}]"#,
                r#""body":{"id":"CANARY"}"#,
                "unknown CLAIM_CONTRADICTED",
            ),
            (
                r#""not_found_when":[{"path":"/found","exists":true},{"path":"/found","equals":false}]"#,
                r#""body":{"id":1}"#,
                "sealed",
            ),
            (
                r#""not_found_when":[{"path":"","is_empty":true}]"#,
                r#""body":[]"#,
                "not_found CLAIM_CONTRADICTED",
            ),
        ]);
    }
}
