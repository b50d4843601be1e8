//! Is the payload what the schemas say, the contract's and the tool's own?

use super::{Case, Failure, Rule, failure};
use crate::decision::TruthState;
use crate::finding::{Fact, Finding, Findings};
use crate::input::Kind;
use crate::reason::Reason;
use crate::validator::Schema;
use crate::value::Value;

pub(super) const RULE: Rule = Rule {
    name: "schemas",
    explanation: "A tool that declares an `outputSchema` promises structured content that is valid against it. Tools \
                  rebuilt from a cached catalogue were never held to it, and malformed payloads went straight to the \
                  model. A schema that cannot be used, and a number that cannot be checked exactly, prove nothing.",
    for_absence: false,
    check,
};

fn check<'t>(case: &Case<'t>) -> Option<Failure<'t>> {
    let mut findings = Findings::new();
    if let Some(schema) = &case.terms.payload_schema {
        hold(case, schema, case.observation.payload.value(), "payload_schema", &mut findings);
    }
    if case.observation.kind == Kind::Mcp {
        let own = case.terms.output_schema.as_ref().map(Ok);
        for schema in [own, case.output_schema].into_iter().flatten() {
            structured(case, schema, &mut findings);
        }
    }
    let missing = findings.iter().any(|finding| finding.reason == Reason::MissingRequiredField);
    failure(if missing { TruthState::Partial } else { TruthState::Observed }, findings)
}

fn structured<'t>(case: &Case<'t>, schema: Result<&'t Schema, &'static str>, findings: &mut Findings<'t>) {
    if case.reading.structured.is_none() {
        let finding = Finding::new(Reason::MissingRequiredField, RULE.name).member("structuredContent");
        let finding = finding.expected(Fact::Words("structured content")).actual(Fact::Words("absent"));
        if !findings.contains(&finding) {
            findings.push(finding);
        }
        return;
    }
    match schema {
        Ok(schema) => hold(case, schema, case.reading.structured, "outputSchema", findings),
        Err(words) => findings.push(
            Finding::new(Reason::PayloadSchemaMismatch, RULE.name)
                .member("outputSchema")
                .expected(Fact::Words("a schema that can be used"))
                .actual(Fact::Words(words)),
        ),
    }
}

/// Holds a value against a schema; the finding's path is the place in the schema, whose keys are not the payload's.
fn hold<'t>(
    case: &Case<'t>,
    schema: &'t Schema,
    value: Option<Value<'t>>,
    member: &'static str,
    findings: &mut Findings<'t>,
) {
    let finding = Finding::new(Reason::PayloadSchemaMismatch, RULE.name);
    let Some(value) = value else {
        let finding = finding.member(member).expected(Fact::Words("a value"));
        return findings.push(finding.actual(Fact::Words("absent")));
    };
    let held = schema.check(value, |place| {
        let path: &'t str = case.arena.alloc_str(&format!("{member}{place}"));
        let finding = finding.member(path).expected(Fact::Words("a value that the schema lets through"));
        findings.push(finding.actual(Fact::Words(value.type_name())));
    });
    if let Err(words) = held {
        findings.push(finding.member(member).actual(Fact::Words(words)));
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::check_table;

    #[test]
    fn what_no_schema_lets_through_is_blocked() {
        check_table(&[
            (r#""payload_schema":{"required":["id"]}"#, "", "sealed"),
            (
                r#""payload_schema":{"properties":{"id":{"const":"CANARY"}}}"#,
                r#""body":{"id":"x"}"#,
                "observed PAYLOAD_SCHEMA_MISMATCH",
            ),
            (
                r#""payload_schema":{"additionalProperties":false}"#,
                r#""body":{"CANARY":1}"#,
                "observed PAYLOAD_SCHEMA_MISMATCH",
            ),
            ("", r#""kind":"mcp","structuredContent":{"id":1},"outputSchema":{"required":["id"]}"#, "sealed"),
            (
                "",
                r#""kind":"mcp","structuredContent":{"id":1},"outputSchema":{"required":["n"]}"#,
                "observed PAYLOAD_SCHEMA_MISMATCH",
            ),
            ("", r#""kind":"mcp","text":"CANARY","outputSchema":{}"#, "partial MISSING_REQUIRED_FIELD"),
            (
                r#""outputSchema":{"required":["n"]}"#,
                r#""kind":"mcp","structuredContent":{"id":1}"#,
                "observed PAYLOAD_SCHEMA_MISMATCH",
            ),
            (
                "",
                r#""kind":"mcp","structuredContent":{"id":1},"outputSchema":7"#,
                "observed PAYLOAD_SCHEMA_MISMATCH",
            ),
            (
                "",
                r##""kind":"mcp","structuredContent":{"id":1},"outputSchema":{"$ref":"#"}"##,
                "observed PAYLOAD_SCHEMA_MISMATCH",
            ),
            (
                r#""assert_formats":true"#,
                r#""kind":"mcp","structuredContent":{"d":"CANARY"},"outputSchema":{"properties":{"d":{"format":"date"}}}"#,
                "observed PAYLOAD_SCHEMA_MISMATCH",
            ),
        ]);
    }
}
