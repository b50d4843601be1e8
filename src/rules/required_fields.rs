//! Does the payload have every field that the claim needs?

use super::{Case, Failure, Rule};
use crate::decision::TruthState;
use crate::finding::{Fact, Finding, Findings};
use crate::reason::Reason;
use crate::value::Value;

pub(super) const RULE: Rule = Rule {
    name: "required_fields",
    explanation: "A field that is not there gets filled in by whoever needs it. Every required field must be a \
                  top-level key of a payload that is an object; a null value counts as present.",
    check,
};

fn check<'t>(case: &Case<'t>) -> Option<Failure<'t>> {
    let payload = case.observation.payload.value();
    let object = payload.and_then(Value::as_object);
    let actual = match (object, payload) {
        (Some(_), _) => Fact::Words("absent"),
        (None, Some(value)) => Fact::Words(match value.type_name() {
            "array" => "absent: the payload is an array",
            "string" => "absent: the payload is a string",
            _ => "absent: the payload is a scalar",
        }),
        (None, None) => Fact::Words("absent: there is no payload"),
    };
    let mut findings = Findings::new();
    for name in &case.contract.required_fields {
        if object.is_none_or(|object| !object.has(name)) {
            let finding = Finding::new(Reason::MissingRequiredField, RULE.name).field(name);
            findings.push(finding.expected(Fact::Words("present")).actual(actual));
        }
    }
    (!findings.is_empty()).then_some(Failure { truth_state: TruthState::Partial, findings })
}
