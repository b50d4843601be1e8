//! Is there evidence that the effect happened?

use super::{Case, Failure, Rule, failure};
use crate::decision::TruthState;
use crate::fields::{is_blank, is_placeholder};
use crate::finding::{Fact, Finding, Findings};
use crate::observe::Id;
use crate::reason::Reason;
use crate::value::{Kind, Value};

pub(super) const RULE: Rule = Rule {
    name: "effect",
    explanation: "A tool call is not an effect. \"Sent\" in a response says that somebody took the request, and so does \
                  HTTP 202; a message id, a row version or a receipt says that something happened. The id of the call \
                  itself is no evidence of what it did.",
    for_absence: false,
    check,
};

fn check<'t>(case: &Case<'t>) -> Option<Failure<'t>> {
    if !case.terms.claim_type.is_effect() {
        return None;
    }
    let evidence = &case.terms.effect_evidence;
    let mut findings = Findings::new();
    let finding = Finding::new(Reason::UnverifiedEffect, RULE.name);
    if case.reading.only_accepted {
        let finding =
            finding.member("status_code").expected(Fact::Words("a status that says more than accepted"));
        findings.push(finding.actual(Fact::Number(202)));
    }
    let references = || {
        let all = case.observation.evidence_refs.into_iter().flat_map(|refs| refs.iter());
        all.filter_map(Value::as_str).filter(|reference| !is_own(case, reference))
    };
    let needs_references = case.terms.effect_evidence_required && !evidence.is_given();
    if needs_references && references().next().is_none() {
        let given = case.observation.evidence_refs.is_some_and(|refs| !refs.is_empty());
        let actual = if given { "the ids of the call itself" } else { "none" };
        let finding = finding.member("evidence_refs").expected(Fact::Words("at least one reference"));
        findings.push(finding.actual(Fact::Words(actual)));
    }
    if let Some(matcher) = &evidence.refs
        && !references().any(|reference| matcher.matches(reference))
    {
        let finding = finding.member("evidence_refs").expected(Fact::Text(matcher.as_str()));
        findings.push(finding.actual(Fact::Words("no reference that matches")));
    }
    if let Some(pointer) = &evidence.pointer {
        let value = case.observation.payload.value().and_then(|payload| pointer.resolve(payload));
        if !value.is_some_and(|value| says_something(case, value)) {
            let actual = value.map_or("absent", Value::type_name);
            let finding =
                finding.pointer(pointer.as_str()).expected(Fact::Words("a scalar that says something"));
            findings.push(finding.actual(Fact::Words(actual)));
        }
    }
    failure(TruthState::UnverifiedEffect, findings)
}

/// Returns true for an id of the call or of the observation itself.
fn is_own(case: &Case<'_>, reference: &str) -> bool {
    let observation = case.observation;
    [observation.tool_call_id, observation.observation_id].into_iter().any(|id| match id {
        Id::Given(id) => id == reference,
        Id::Derived(prefix) => reference.strip_prefix(prefix).is_some_and(|digits| {
            observation.content_hash.as_ref().is_some_and(|hash| hash.short() == *digits.as_bytes())
        }),
    })
}

fn says_something(case: &Case<'_>, value: Value<'_>) -> bool {
    match value.kind() {
        Kind::String(text) => !is_blank(text) && !is_placeholder(text) && !is_own(case, text),
        Kind::Bool(value) => value,
        Kind::Integer(_) => true,
        Kind::Float(value) => value.is_finite(),
        Kind::Null | Kind::Timestamp(_) | Kind::Array(_) | Kind::Object(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::check_table;

    #[test]
    fn a_call_is_no_effect() {
        check_table(&[
            (r#""claim_type":"effect_observed""#, "", "unverified_effect UNVERIFIED_EFFECT"),
            (r#""claim_type":"task_complete""#, r#""evidence_refs":["e"]"#, "sealed"),
            (r#""claim_type":"task_complete","effect_evidence_required":false"#, "", "sealed"),
            (
                r#""claim_type":"task_complete""#,
                r#""tool_call_id":"c","observation_id":"o","evidence_refs":["c","o"]"#,
                "unverified_effect UNVERIFIED_EFFECT",
            ),
            (r#""claim_type":"task_complete""#, r#""tool_call_id":"c","evidence_refs":["c","e"]"#, "sealed"),
            (
                r#""claim_type":"task_complete","effect_evidence":{"refs":"row:*"}"#,
                r#""evidence_refs":["e"]"#,
                "unverified_effect UNVERIFIED_EFFECT",
            ),
            (
                r#""claim_type":"task_complete","effect_evidence":{"refs":"row:*"}"#,
                r#""evidence_refs":["e","row:7"]"#,
                "sealed",
            ),
            (
                r#""claim_type":"task_complete","effect_evidence":{"pointer":"/m"}"#,
                r#""body":{"m":"<1@x>"}"#,
                "sealed",
            ),
            (
                r#""claim_type":"task_complete","effect_evidence":{"pointer":"/m"}"#,
                r#""body":{"m":"n/a"}"#,
                "unverified_effect UNVERIFIED_EFFECT",
            ),
            (
                r#""claim_type":"task_complete","effect_evidence":{"pointer":"/m"}"#,
                r#""body":{"m":false}"#,
                "unverified_effect UNVERIFIED_EFFECT",
            ),
            (
                r#""claim_type":"task_complete","effect_evidence":{"pointer":"/m"}"#,
                r#""body":{"m":["CANARY"]}"#,
                "unverified_effect UNVERIFIED_EFFECT",
            ),
            (
                r#""claim_type":"task_complete","effect_evidence":{"pointer":"/m"}"#,
                r#""tool_call_id":"c","body":{"m":"c"}"#,
                "unverified_effect UNVERIFIED_EFFECT",
            ),
            (
                r#""claim_type":"task_complete","effect_evidence_required":false"#,
                r#""kind":"http_json","status_code":202"#,
                "unverified_effect UNVERIFIED_EFFECT",
            ),
            (r#""claim_type":"found""#, r#""kind":"http_json","status_code":202"#, "sealed"),
        ]);
    }
}
