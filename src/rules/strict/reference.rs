//! Does the result come from where, and speak about what, the contract names?

use super::{Case, Failure, Rule, failure};
use crate::decision::TruthState;
use crate::finding::{Fact, Finding, Findings};
use crate::reason::Reason;
use crate::template::{Template, Unfilled};
use crate::value::Value;

pub(super) const RULE: Rule = Rule {
    name: "reference",
    explanation: "A record about another customer is a good record and a wrong answer. `target_ref` says what was asked \
                  for, filled from the input; `observed_target` says what came back, filled from the payload. Both are \
                  compared character by character, and a placeholder that names nothing compares with nothing.",
    for_absence: true,
    check,
};

fn check<'t>(case: &Case<'t>) -> Option<Failure<'t>> {
    let Case { observation, terms, .. } = case;
    let mut findings = Findings::new();
    if !terms.sources.iter().any(|source| source.matches(observation.source_ref)) {
        let expected = match &*terms.sources {
            [source] => Fact::Text(source.as_str()),
            sources => Fact::Count(sources.len(), "references, one of which must match"),
        };
        let finding = Finding::new(Reason::SourceMismatch, RULE.name).member("source_ref");
        findings.push(finding.expected(expected).actual(Fact::Text(observation.source_ref)));
    }
    compare_targets(case, &mut findings);
    failure(TruthState::SourceMismatch, findings)
}

/// What was asked for, and what came back, as texts.
struct Side<'t> {
    text: Result<&'t str, Unfilled>,
    /// What findings show: never what a placeholder was filled with.
    shown: Fact<'t>,
}

fn compare_targets<'t>(case: &Case<'t>, findings: &mut Findings<'t>) {
    let Case { observation, terms, .. } = case;
    let mismatch = |member| Finding::new(Reason::TargetMismatch, RULE.name).member(member);
    let own = observation.target_ref.map(|target| Side { text: Ok(target), shown: Fact::Text(target) });
    let asked = terms.target_ref.as_ref().map(|template| side(template, Some(case.input), case));
    let seen =
        terms.observed_target.as_ref().map(|template| side(template, observation.payload.value(), case));
    let (expected, actual, member) = match (asked, seen) {
        (Some(asked), Some(seen)) => (Some(asked), Some(seen), "observed_target"),
        // What came back is held against what the input itself says that it was about.
        (None, Some(seen)) => match own {
            Some(own) => (Some(own), Some(seen), "observed_target"),
            None => {
                let finding = mismatch("target_ref").expected(Fact::Words("a target to compare with"));
                findings.push(finding.actual(Fact::Words("absent")));
                return;
            }
        },
        (Some(asked), None) => (Some(asked), own, "target_ref"),
        (None, None) => (own, None, "target_ref"),
    };
    let target = expected.as_ref().and_then(|side| side.text.ok());
    if terms.target_ref.is_some() || terms.observed_target.is_some() {
        let expected_fact = expected.as_ref().map_or(Fact::Words("a target"), |side| side.shown);
        let finding = mismatch(member).expected(expected_fact);
        match (expected.map(|side| side.text), actual) {
            (Some(Err(unfilled)), _) => {
                findings.push(
                    mismatch("target_ref").expected(expected_fact).actual(Fact::Words(unfilled.words())),
                );
            }
            (Some(Ok(_)), Some(Side { text: Err(unfilled), .. })) => {
                findings.push(finding.actual(Fact::Words(unfilled.words())));
            }
            (Some(Ok(expected)), Some(Side { text: Ok(actual), shown })) if expected != actual => {
                findings.push(finding.actual(shown));
            }
            (Some(Ok(_)), Some(_)) => {}
            (_, None) | (None, _) => findings.push(finding.actual(Fact::Words("absent"))),
        }
    }
    compare_response(case, target, findings);
}

/// An HTTP response that names its target must name the one that was asked for.
fn compare_response<'t>(case: &Case<'t>, target: Option<&'t str>, findings: &mut Findings<'t>) {
    let response = case.members.response_target.filter(|response| !response.is_null());
    let (Some(response), crate::input::Kind::HttpJson) = (response, case.observation.kind) else { return };
    let Some(target) = target else { return };
    if response.as_str() == Some(target) {
        return;
    }
    let finding = Finding::new(Reason::TargetMismatch, RULE.name).member("response_target");
    let actual = response.as_str().map_or(Fact::Words(response.type_name()), Fact::Text);
    findings.push(finding.expected(Fact::Words("the target that was asked for")).actual(actual));
}

fn side<'t>(template: &'t Template, root: Option<Value<'t>>, case: &Case<'t>) -> Side<'t> {
    if let Some(text) = template.constant() {
        return Side { text: Ok(text), shown: Fact::Text(text) };
    }
    let mut filled = Vec::new();
    let text = match root {
        Some(root) => template.fill(root, &mut filled),
        None => Err(Unfilled::Absent),
    };
    let text = text.map(|()| case.arena.alloc_str(&String::from_utf8_lossy(&filled)) as &str);
    Side { text, shown: Fact::Template(template.as_str()) }
}
