//! Does the payload itself report a failure?

use super::{Case, Failure, Rule, failure, holding};
use crate::decision::TruthState;
use crate::finding::Finding;
use crate::reason::Reason;

pub(super) const RULE: Rule = Rule {
    name: "tool_error",
    explanation: "Many tools answer a failure with a success: HTTP 200 and `ok: false`, an `errors` list beside the \
                  data, a bulk write that saved 7 of 12. `error_when` names what that looks like for one tool. A \
                  condition that the payload leaves open counts as one that holds.",
    for_absence: true,
    check,
};

fn check<'t>(case: &Case<'t>) -> Option<Failure<'t>> {
    let payload = case.content()?;
    let findings = holding(&case.terms.error_when, payload, Finding::new(Reason::ToolError, RULE.name));
    failure(TruthState::Unknown, findings)
}

#[cfg(test)]
mod tests {
    use super::super::table::check_table;

    #[test]
    fn what_is_left_open_counts() {
        check_table(&[
            (r#""error_when":[{"path":"/ok","equals":false}]"#, r#""body":{"ok":true}"#, "sealed"),
            (
                r#""error_when":[{"path":"/ok","equals":false}]"#,
                r#""body":{"ok":false,"error":"CANARY"}"#,
                "unknown TOOL_ERROR",
            ),
            (
                r#""error_when":[{"path":"/ok","equals":false}]"#,
                r#""body":{"ok":"CANARY"}"#,
                "unknown TOOL_ERROR",
            ),
            (r#""error_when":[{"path":"/ok","equals":false}]"#, r#""body":{"id":1}"#, "unknown TOOL_ERROR"),
            (r#""error_when":[{"path":"/errors","non_empty":true}]"#, r#""body":{"id":1}"#, "sealed"),
            (
                r#""error_when":[{"all":[{"path":"/e","exists":true},{"path":"/e","equals":"x"}]}]"#,
                r#""body":{"id":1}"#,
                "sealed",
            ),
            (r#""error_when":[{"path":"/ok","equals":false}]"#, r#""body":[]"#, "unknown TOOL_ERROR"),
            (
                r#""error_when":[{"path":"/ok","equals":false}]"#,
                r#""body":null"#,
                "empty EMPTY_WITHOUT_NOT_FOUND_SENTINEL",
            ),
        ]);
    }
}
