//! Does the result say what the claims say that it says?

use super::{Case, Failure, Rule, failure};
use crate::claims::{self, Flaw};
use crate::decision::TruthState;
use crate::finding::{Fact, Finding, Findings};
use crate::reason::Reason;

pub(super) const RULE: Rule = Rule {
    name: "claims",
    explanation: "A good record and a wrong sentence about it are the commonest pair. Claims in an input name a path and \
                  a value; the path must be one of the contract's `fields`, and the payload must hold this scalar there, \
                  of this type. Claims are always checked, whether the contract asks for them or not.",
    for_absence: true,
    check,
};

fn check<'t>(case: &Case<'t>) -> Option<Failure<'t>> {
    let finding = |reason| Finding::new(reason, RULE.name).member("claims");
    let claims = case.members.claims.filter(|claims| !claims.is_null());
    let Some(claims) = claims else {
        let missing = finding(Reason::InvalidClaims)
            .expected(Fact::Words("at least one claim"))
            .actual(Fact::Words("absent"));
        return case
            .terms
            .claims_required
            .then(|| failure(TruthState::Observed, smallvec::smallvec![missing]))
            .flatten();
    };
    let mut findings = Findings::new();
    let Some(payload) = case.observation.payload.value() else {
        let finding =
            finding(Reason::ClaimMismatch).expected(Fact::Words("a payload that holds what is claimed"));
        return failure(TruthState::Observed, smallvec::smallvec![finding.actual(Fact::Words("no payload"))]);
    };
    let rules = &case.terms.fields;
    claims::check(claims, rules, payload, |flaw, path| {
        let declared = rules.iter().map(|rule| rule.path.as_str()).find(|known| Some(*known) == path);
        findings.push(match flaw {
            Flaw::Malformed => finding(Reason::InvalidClaims)
                .expected(Fact::Words("an array of exactly `{path, value}`"))
                .actual(Fact::Words(claims.type_name())),
            Flaw::Undeclared => finding(Reason::UndeclaredClaim)
                .expected(Fact::Words("a path that the contract's `fields` declare"))
                .actual(Fact::Words("another path")),
            Flaw::Mismatch => {
                let finding = finding(Reason::ClaimMismatch);
                let finding = declared.map_or(finding, |path| finding.pointer(path));
                finding
                    .expected(Fact::Words("the value that is claimed"))
                    .actual(Fact::Words("another value, another type, or none"))
            }
        });
    });
    let none = claims.as_array().is_some_and(|claims| claims.is_empty());
    if case.terms.claims_required && none {
        let finding = finding(Reason::InvalidClaims).expected(Fact::Words("at least one claim"));
        findings.push(finding.actual(Fact::Words("none")));
    }
    failure(TruthState::Observed, findings)
}

#[cfg(test)]
mod tests {
    use super::super::table::check_table;

    #[test]
    fn claims_are_always_checked() {
        check_table(&[
            (r#""fields":[{"path":"/id"}]"#, r#""claims":[{"path":"/id","value":1}]"#, "sealed"),
            (r#""fields":[{"path":"/id"}]"#, r#""claims":[]"#, "sealed"),
            (
                r#""fields":[{"path":"/id"}],"claims":{"required":true}"#,
                r#""claims":[]"#,
                "observed INVALID_CLAIMS",
            ),
            (r#""fields":[{"path":"/id"}],"claims":{"required":true}"#, "", "observed INVALID_CLAIMS"),
            (
                r#""fields":[{"path":"/id"}]"#,
                r#""claims":[{"path":"/id","value":"CANARY"}]"#,
                "observed CLAIM_MISMATCH",
            ),
            (
                r#""fields":[{"path":"/id"}]"#,
                r#""claims":[{"path":"/id","value":1.0}]"#,
                "observed CLAIM_MISMATCH",
            ),
            (
                r#""fields":[{"path":"/id"}]"#,
                r#""claims":[{"path":"/CANARY","value":1}]"#,
                "observed UNDECLARED_CLAIM",
            ),
            ("", r#""claims":[{"path":"/id","value":1}]"#, "observed UNDECLARED_CLAIM"),
            (r#""fields":[{"path":"/id"}]"#, r#""claims":"CANARY""#, "observed INVALID_CLAIMS"),
            (
                r#""claim_type":"not_found","not_found_sentinel":"x""#,
                r#""body":"\"x\"","claims":[{"path":"","value":"x"}]"#,
                "observed UNDECLARED_CLAIM",
            ),
        ]);
    }
}
