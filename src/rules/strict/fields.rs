//! Are the values of the type, in the range and among the words that the contract names?

use super::{Case, Failure, Rule, failure};
use crate::decision::TruthState;
use crate::fields::{FieldRule, Violation};
use crate::finding::{Fact, Finding, Findings};
use crate::reason::Reason;

pub(super) const RULE: Rule = Rule {
    name: "fields",
    explanation: "A value can be there and say nothing: `n/a` for a temperature, -1 for a count, `[REDACTED]` for a name, \
                  \"true\" for true. Types are exact and numbers are never rounded, so that an identifier of 17 digits \
                  is not taken for its neighbour.",
    for_absence: false,
    check,
};

fn check<'t>(case: &Case<'t>) -> Option<Failure<'t>> {
    let mut findings = Findings::new();
    let payload = case.observation.payload.value();
    for rule in &case.terms.fields {
        match payload {
            Some(payload) => rule.check(payload, |violation| {
                let actual = rule.path.resolve(payload).map_or("absent", crate::value::Value::type_name);
                findings.push(finding(rule, violation, actual));
            }),
            None if rule.optional => {}
            None => findings.push(finding(rule, Violation::Missing, "absent")),
        }
    }
    let missing = findings.iter().any(|finding| finding.reason == Reason::MissingRequiredField);
    failure(if missing { TruthState::Partial } else { TruthState::Observed }, findings)
}

fn finding<'t>(rule: &'t FieldRule, violation: Violation, actual: &'static str) -> Finding<'t> {
    let of_type = match rule.expected {
        Some(expected) => expected.name(),
        None if rule.minimum.is_some() || rule.maximum.is_some() => "number",
        None if rule.pattern.is_some() => "string",
        None => "a scalar",
    };
    let (reason, expected, actual) = match violation {
        Violation::Missing => (Reason::MissingRequiredField, "a value", actual),
        Violation::WrongType => (Reason::TypeMismatch, of_type, actual),
        Violation::NotFinite => (Reason::OutOfRange, "a finite number", "a number that overflows"),
        Violation::OutOfRange => (Reason::OutOfRange, "a number within the bounds of the contract", actual),
        Violation::Blank => (Reason::EmptyValue, "a string that is not blank", "a blank string"),
        Violation::Placeholder => {
            (Reason::UnusablePlaceholder, "a value", "a string that stands for a value that is not there")
        }
        Violation::NotAllowed => {
            (Reason::ValueNotAllowed, "one of the values that the contract names", actual)
        }
        Violation::Unmatched => (Reason::ValueNotAllowed, "a match of the contract's pattern", actual),
    };
    Finding::new(reason, RULE.name)
        .pointer(rule.path.as_str())
        .expected(Fact::Words(expected))
        .actual(Fact::Words(actual))
}

#[cfg(test)]
mod tests {
    use super::super::table::check_table;

    #[test]
    fn values_are_what_the_contract_names() {
        check_table(&[
            (r#""fields":[{"path":"/id","type":"integer"}]"#, "", "sealed"),
            (
                r#""fields":[{"path":"/id","type":"string"},{"path":"/x"}]"#,
                "",
                "partial TYPE_MISMATCH MISSING_REQUIRED_FIELD",
            ),
            (
                r#""fields":[{"path":"/id","enum":["a"]}]"#,
                r#""body":{"id":"CANARY"}"#,
                "observed VALUE_NOT_ALLOWED",
            ),
            (
                r#""fields":[{"path":"/id","pattern":"^a"}]"#,
                r#""body":{"id":"CANARY"}"#,
                "observed VALUE_NOT_ALLOWED",
            ),
            (r#""fields":[{"path":"/id","maximum":0}]"#, "", "observed OUT_OF_RANGE"),
            (r#""fields":[{"path":"/id"}]"#, r#""body":{"id":"\t"}"#, "observed EMPTY_VALUE"),
            (
                r#""fields":[{"path":"/id"}]"#,
                r#""body":{"id":"CANARY [Redacted]"}"#,
                "observed UNUSABLE_PLACEHOLDER",
            ),
            (r#""fields":[{"path":"/x","optional":true}]"#, "", "sealed"),
            (
                r#""claim_type":"effect_observed","allow_empty_payload":true,"fields":[{"path":"/x"}]"#,
                r#""body":null,"evidence_refs":["e"]"#,
                "partial MISSING_REQUIRED_FIELD",
            ),
        ]);
    }
}
