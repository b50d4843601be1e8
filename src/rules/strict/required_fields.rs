//! Does the payload have every field that the claim needs, with something in it?

use super::{Case, Failure, Rule, failure};
use crate::condition::is_empty;
use crate::decision::TruthState;
use crate::finding::{Fact, Finding, Findings};
use crate::reason::Reason;

pub(super) const RULE: Rule = Rule {
    name: "required_fields",
    explanation: "A field that is not there gets filled in by whoever needs it. A key with null under it has not been \
                  observed: serialisers write null for a number that was none. An empty string or list is nothing as \
                  well, unless the contract lists the field under `allow_empty`.",
    for_absence: false,
    check,
};

fn check<'t>(case: &Case<'t>) -> Option<Failure<'t>> {
    let payload = case.observation.payload.value();
    let mut findings = Findings::new();
    for required in &case.terms.required_fields {
        let value = payload.and_then(|payload| required.path.resolve(payload));
        let (reason, actual) = match value {
            None => (Reason::MissingRequiredField, "absent"),
            Some(value) if value.is_null() => (Reason::MissingRequiredField, "null"),
            Some(value) if is_empty(value) && !required.may_be_empty => {
                let actual = match value.type_name() {
                    "string" => "an empty string",
                    "array" => "an empty array",
                    _ => "an empty object",
                };
                (Reason::EmptyWithoutNotFoundSentinel, actual)
            }
            Some(_) => continue,
        };
        let finding = Finding::new(reason, RULE.name).pointer(required.path.as_str());
        findings.push(finding.expected(Fact::Words("a value")).actual(Fact::Words(actual)));
    }
    let missing = findings.iter().any(|finding| finding.reason == Reason::MissingRequiredField);
    failure(if missing { TruthState::Partial } else { TruthState::Empty }, findings)
}

#[cfg(test)]
mod tests {
    use super::super::table::check_table;

    #[test]
    fn a_field_must_hold_something() {
        check_table(&[
            (r#""required_fields":["id"]"#, "", "sealed"),
            (r#""required_fields":["id","/a/b"]"#, r#""body":{"id":0,"a":{"b":false}}"#, "sealed"),
            (r#""required_fields":["id"]"#, r#""body":{"id":null}"#, "partial MISSING_REQUIRED_FIELD"),
            (r#""required_fields":["a/b"]"#, r#""body":{"a/b":1}"#, "sealed"),
            (
                r#""required_fields":["id","x"]"#,
                r#""body":{"id":""}"#,
                "partial EMPTY_WITHOUT_NOT_FOUND_SENTINEL MISSING_REQUIRED_FIELD",
            ),
            (r#""required_fields":["id"]"#, r#""body":{"id":{}}"#, "empty EMPTY_WITHOUT_NOT_FOUND_SENTINEL"),
            (r#""required_fields":["id"],"allow_empty":["id"]"#, r#""body":{"id":[]}"#, "sealed"),
            (
                r#""required_fields":["id"],"allow_empty":["/id"]"#,
                r#""body":{"id":null}"#,
                "partial MISSING_REQUIRED_FIELD",
            ),
            (r#""required_fields":["0"]"#, r#""body":["CANARY"]"#, "sealed"),
        ]);
    }
}
