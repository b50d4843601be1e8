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

#[cfg(test)]
mod tests {
    use super::super::table::check_table;

    #[test]
    fn what_came_back_is_what_was_asked_for() {
        check_table(&[
            (r#""source_ref":["a","s*"]"#, "", "sealed"),
            (r#""source_ref":["a","b*"]"#, "", "source_mismatch SOURCE_MISMATCH"),
            (r#""target_ref":"t""#, "", "sealed"),
            (r#""target_ref":"T""#, "", "source_mismatch TARGET_MISMATCH"),
            (r#""source_ref":"x","target_ref":"y""#, "", "source_mismatch SOURCE_MISMATCH TARGET_MISMATCH"),
            (r#""target_ref":"t""#, r#""target_ref":null"#, "rejected SCHEMA_INVALID"),
            ("", r#""target_ref":null"#, "sealed"),
            (r#""target_ref":"c:{/arguments/id}""#, r#""target_ref":"c:7","arguments":{"id":7}"#, "sealed"),
            (
                r#""target_ref":"c:{/arguments/id}""#,
                r#""target_ref":"c:7""#,
                "source_mismatch TARGET_MISMATCH",
            ),
            (r#""observed_target":"c:{/id}""#, r#""target_ref":"c:1""#, "sealed"),
            (
                r#""observed_target":"c:{/id}""#,
                r#""target_ref":"c:1","body":{"id":"CANARY"}"#,
                "source_mismatch TARGET_MISMATCH",
            ),
            (r#""observed_target":"c:{/id}""#, r#""target_ref":null"#, "source_mismatch TARGET_MISMATCH"),
            (
                r#""target_ref":"c:{/arguments/id}","observed_target":"c:{/id}""#,
                r#""target_ref":null,"arguments":{"id":1}"#,
                "sealed",
            ),
            (
                r#""target_ref":"c:{/arguments/id}","observed_target":"c:{/id}""#,
                r#""target_ref":null,"arguments":{"id":"1"}"#,
                "sealed",
            ),
            (
                r#""target_ref":"c:{/arguments/id}","observed_target":"c:{/id}""#,
                r#""arguments":{"id":""},"body":{"id":""}"#,
                "source_mismatch TARGET_MISMATCH",
            ),
            (
                r#""target_ref":"c:{/arguments/id}","observed_target":"c:{/id}""#,
                r#""body":{"x":1}"#,
                "source_mismatch TARGET_MISMATCH",
            ),
            (
                r#""target_ref":"c:{/arguments/id}","observed_target":"c:{/id}""#,
                r#""arguments":{"id":9007199254740993},"body":{"id":9007199254740992}"#,
                "source_mismatch TARGET_MISMATCH",
            ),
            (
                r#""target_ref":"{/arguments/a}/{/arguments/b}","observed_target":"{/a}/{/b}""#,
                r#""arguments":{"a":"x","b":"y/z"},"body":{"a":"x/y","b":"z"}"#,
                "source_mismatch TARGET_MISMATCH",
            ),
            (
                r#""target_ref":"t""#,
                r#""kind":"http_json","status_code":200,"response_target":"u""#,
                "source_mismatch TARGET_MISMATCH",
            ),
            ("", r#""kind":"http_json","status_code":200,"response_target":"t""#, "sealed"),
            (
                "",
                r#""kind":"http_json","status_code":200,"response_target":"u""#,
                "source_mismatch TARGET_MISMATCH",
            ),
            (
                r#""target_ref":"q""#,
                r#""kind":"http_json","status_code":200,"target_ref":null,"request_target":"q","response_target":"r""#,
                "source_mismatch TARGET_MISMATCH",
            ),
        ]);
    }
}
