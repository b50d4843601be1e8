//! Did something come back, or did the source say explicitly that there is nothing?

use super::{Case, Failure, Rule, failure, holding};
use crate::condition::{self, Answer};
use crate::contract::ClaimType;
use crate::decision::TruthState;
use crate::finding::{Fact, Finding};
use crate::reason::Reason;
use crate::rules::absence::{says_absence, shape};

pub(super) const RULE: Rule = Rule {
    name: "absence",
    explanation: "Empty is not not-found. An empty list comes from a wrong filter, an index that lags, a page past the \
                  end or a missing right as easily as from a thing that does not exist. Absence is a fact only where \
                  the source says so: with the contract's `not_found_sentinel`, or where every condition of \
                  `not_found_when` holds. `empty_when` names what nothing looks like where the payload is an envelope.",
    for_absence: true,
    check,
};

fn check<'t>(case: &Case<'t>) -> Option<Failure<'t>> {
    let payload = &case.observation.payload;
    let explicit = explicit_absence(case);
    if explicit == Answer::Yes {
        return None;
    }
    let usable = payload.is_usable();
    let finding = Finding::new(Reason::EmptyWithoutNotFoundSentinel, RULE.name);
    if case.terms.claim_type == ClaimType::NotFound {
        let expected = match (&case.terms.not_found_sentinel, case.terms.not_found_when.is_empty()) {
            (Some(sentinel), true) => Fact::Text(sentinel),
            (None, true) => Fact::Words("a contract with `not_found_sentinel` or `not_found_when`"),
            (_, false) => Fact::Words("an absence that the contract names"),
        };
        let state = if usable { TruthState::Observed } else { TruthState::Empty };
        return failure(state, smallvec::smallvec![finding.expected(expected).actual(shape(payload))]);
    }
    let may_be_empty = case.terms.allow_empty_payload && case.terms.claim_type.is_effect();
    if !usable && !may_be_empty {
        let finding = finding.expected(Fact::Words("a payload that is not empty")).actual(shape(payload));
        return failure(TruthState::Empty, smallvec::smallvec![finding]);
    }
    let findings = holding(&case.terms.empty_when, case.content()?, finding);
    failure(TruthState::Empty, findings)
}

/// Returns whether the payload says that the thing does not exist.
pub(super) fn explicit_absence(case: &Case<'_>) -> Answer {
    if says_absence(&case.observation.payload, case.terms.not_found_sentinel.as_deref()) {
        return Answer::Yes;
    }
    case.content().map_or(Answer::No, |payload| condition::all(&case.terms.not_found_when, payload))
}

#[cfg(test)]
mod tests {
    use super::super::table::check_table;

    #[test]
    fn only_what_is_said_is_an_absence() {
        check_table(&[
            (r#""claim_type":"not_found""#, r#""body":[]"#, "empty EMPTY_WITHOUT_NOT_FOUND_SENTINEL"),
            (
                r#""claim_type":"not_found","not_found_sentinel":"NONE""#,
                r#""body":{"s":"NONE"}"#,
                "not_found",
            ),
            (
                r#""claim_type":"not_found","not_found_when":[{"path":"/found","equals":false}]"#,
                r#""body":{"found":false}"#,
                "not_found",
            ),
            (
                r#""claim_type":"not_found","not_found_when":[{"path":"/found","equals":false}]"#,
                r#""body":{"found":"CANARY"}"#,
                "observed EMPTY_WITHOUT_NOT_FOUND_SENTINEL",
            ),
            (
                r#""claim_type":"not_found","not_found_when":[{"path":"/found","equals":false}]"#,
                r#""body":{"x":"CANARY"}"#,
                "observed EMPTY_WITHOUT_NOT_FOUND_SENTINEL",
            ),
            (
                r#""claim_type":"not_found","not_found_when":[{"path":"/hits","is_empty":true}]"#,
                r#""body":{"x":1}"#,
                "observed EMPTY_WITHOUT_NOT_FOUND_SENTINEL",
            ),
            (
                r#""claim_type":"not_found","not_found_when":[{"path":"/found","equals":false},{"path":"/n","equals":0}]"#,
                r#""body":{"found":false,"n":1}"#,
                "observed EMPTY_WITHOUT_NOT_FOUND_SENTINEL",
            ),
            (
                r#""claim_type":"not_found","not_found_when":[{"path":"","is_empty":true}]"#,
                r#""body":null"#,
                "empty EMPTY_WITHOUT_NOT_FOUND_SENTINEL",
            ),
            (
                r#""claim_type":"not_found","not_found_when":[{"path":"","is_empty":true}]"#,
                r#""body":[]"#,
                "not_found",
            ),
            (
                r#""empty_when":[{"path":"/hits","is_empty":true}]"#,
                r#""body":{"hits":[]}"#,
                "empty EMPTY_WITHOUT_NOT_FOUND_SENTINEL",
            ),
            (
                r#""empty_when":[{"path":"/hits","is_empty":true}]"#,
                r#""body":{"hots":[1]}"#,
                "empty EMPTY_WITHOUT_NOT_FOUND_SENTINEL",
            ),
            (r#""empty_when":[{"path":"/hits","is_empty":true}]"#, r#""body":{"hits":[1]}"#, "sealed"),
            (r#""allow_empty_payload":true"#, r#""body":null"#, "empty EMPTY_WITHOUT_NOT_FOUND_SENTINEL"),
            (
                r#""claim_type":"effect_observed","allow_empty_payload":true"#,
                r#""body":null,"evidence_refs":["e"]"#,
                "sealed",
            ),
            (
                r#""claim_type":"effect_observed""#,
                r#""body":null,"evidence_refs":["e"]"#,
                "empty EMPTY_WITHOUT_NOT_FOUND_SENTINEL",
            ),
        ]);
    }
}
