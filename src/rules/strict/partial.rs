//! Is this all of it?

use super::{Case, Failure, Rule, failure, holding};
use crate::decision::TruthState;
use crate::finding::Finding;
use crate::reason::Reason;

pub(super) const RULE: Rule = Rule {
    name: "partial",
    explanation: "The first page of a list looks like a list. A cursor for the next one, a total above the number of \
                  items, a `has_more` flag: `partial_when` names how one tool says that there is more. A condition that \
                  the payload leaves open counts as one that holds.",
    for_absence: false,
    check,
};

fn check<'t>(case: &Case<'t>) -> Option<Failure<'t>> {
    let payload = case.content()?;
    let findings =
        holding(&case.terms.partial_when, payload, Finding::new(Reason::TruncatedResult, RULE.name));
    failure(TruthState::Partial, findings)
}

#[cfg(test)]
mod tests {
    use super::super::table::check_table;

    #[test]
    fn more_to_come_is_not_all_of_it() {
        check_table(&[
            (
                r#""partial_when":[{"path":"/next","non_empty":true}]"#,
                r#""body":{"id":1,"next":"CANARY"}"#,
                "partial TRUNCATED_RESULT",
            ),
            (
                r#""partial_when":[{"path":"/next","non_empty":true}]"#,
                r#""body":{"id":1,"next":null}"#,
                "sealed",
            ),
            (
                r#""partial_when":[{"path":"/n","exceeds_count_of":"/i"}]"#,
                r#""body":{"n":2,"i":[1]}"#,
                "partial TRUNCATED_RESULT",
            ),
            (
                r#""partial_when":[{"path":"/n","exceeds_count_of":"/i"}]"#,
                r#""body":{"n":1,"i":[1]}"#,
                "sealed",
            ),
            (
                r#""partial_when":[{"path":"/n","exceeds_count_of":"/i"}]"#,
                r#""body":{"i":[1]}"#,
                "partial TRUNCATED_RESULT",
            ),
        ]);
    }
}
