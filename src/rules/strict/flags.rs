//! Does whoever recorded the result say that it is not whole?

use super::{Case, Failure, Rule, failure};
use crate::decision::TruthState;
use crate::finding::{Fact, Finding, Findings};
use crate::observe::strict::is_set;
use crate::reason::Reason;

pub(super) const RULE: Rule = Rule {
    name: "flags",
    explanation: "A recorder that cuts long output, serves from a cache past its time, or takes out personal data often \
                  says so beside the result: `truncated`, `stale`, `corrupted`, `redacted`. What is left may look \
                  complete. A flag that is not exactly false counts as set.",
    for_absence: true,
    check,
};

fn check<'t>(case: &Case<'t>) -> Option<Failure<'t>> {
    let members = case.members;
    let mut findings = Findings::new();
    for (name, flag, reason) in [
        ("truncated", members.truncated, Reason::TruncatedResult),
        ("stale", members.stale, Reason::StaleResult),
        ("corrupted", members.corrupted, Reason::CorruptedResult),
        ("redacted", members.redacted, Reason::RedactedResult),
    ] {
        if is_set(flag) {
            let finding = Finding::new(reason, RULE.name).member(name).expected(Fact::Words("false"));
            findings.push(finding.actual(Fact::Words(flag.map_or("absent", |flag| flag.type_name()))));
        }
    }
    failure(TruthState::Unknown, findings)
}

#[cfg(test)]
mod tests {
    use super::super::table::check_table;

    #[test]
    fn a_flag_counts_unless_it_is_false() {
        check_table(&[
            ("", r#""truncated":false,"stale":null"#, "sealed"),
            ("", r#""truncated":true"#, "unknown TRUNCATED_RESULT"),
            (
                "",
                r#""truncated":true,"redacted":"CANARY","corrupted":0,"stale":[]"#,
                "unknown TRUNCATED_RESULT STALE_RESULT CORRUPTED_RESULT REDACTED_RESULT",
            ),
            (r#""error_when":[{"path":"/id","equals":1}]"#, r#""truncated":true"#, "unknown TOOL_ERROR"),
            (
                r#""claim_type":"not_found","not_found_sentinel":"x""#,
                r#""body":"\"x\"","stale":true"#,
                "unknown STALE_RESULT",
            ),
        ]);
    }
}
