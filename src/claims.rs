//! Claims: what somebody says that a result holds, `{path, value}`, each held against the result itself.

use crate::fields::FieldRule;
use crate::scalar;
use crate::value::Value;

/// What is wrong with a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flaw {
    /// The claims are no array, or one of them is not exactly `{path, value}` with a string for a path.
    Malformed,
    /// No rule declares the path.
    Undeclared,
    /// The result does not hold this scalar, of this type, at the path.
    Mismatch,
}

/// Holds claims against `root` and hands every flaw to `report`, with the path where there is one.
///
/// Returns how many claims the result supports. That a path is declared is not enough for a claim to be true, and
/// that a value is there is not enough for its path to be declared.
pub fn check<'t>(
    claims: Value<'t>,
    rules: &[FieldRule],
    root: Value<'_>,
    mut report: impl FnMut(Flaw, Option<&'t str>),
) -> usize {
    let Some(claims) = claims.as_array() else {
        report(Flaw::Malformed, None);
        return 0;
    };
    let mut supported = 0;
    for claim in claims.iter() {
        let object = claim.as_object().filter(|object| object.len() == 2);
        let path = object.and_then(|object| object.get("path")).and_then(Value::as_str);
        let (Some(path), Some(value)) = (path, object.and_then(|object| object.get("value"))) else {
            report(Flaw::Malformed, None);
            continue;
        };
        let Some(rule) = rules.iter().find(|rule| rule.path.as_str() == path) else {
            report(Flaw::Undeclared, Some(path));
            continue;
        };
        if holds(rule, value, root) {
            supported += 1;
        } else {
            report(Flaw::Mismatch, Some(path));
        }
    }
    supported
}

/// A value of another type than its rule asks for supports no claim, not even one that repeats it.
fn holds(rule: &FieldRule, value: Value<'_>, root: Value<'_>) -> bool {
    rule.path
        .resolve(root)
        .is_some_and(|actual| rule.has_type_of(actual.kind()) && scalar::same(actual.kind(), value.kind()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Parser, Pointer};

    #[test]
    fn holds_claims_against_the_result() {
        let rules: Vec<FieldRule> = ["/id", "/n", "/none"]
            .map(|path| FieldRule {
                path: Pointer::parse(path).unwrap(),
                expected: None,
                minimum: None,
                maximum: None,
                allowed: None,
                pattern: None,
                optional: false,
            })
            .into();
        let mut result = Parser::default();
        let result = result.parse(br#"{"id":"42","n":9007199254740993,"none":null,"x":1}"#).unwrap();
        for (claims, supported, flaws) in [
            (r"[]", 0, vec![]),
            (r#"[{"path":"/id","value":"42"},{"path":"/id","value":"42"}]"#, 2, vec![]),
            (r#"[{"path":"/id","value":42}]"#, 0, vec![Flaw::Mismatch]),
            (r#"[{"path":"/n","value":9007199254740993}]"#, 1, vec![]),
            (r#"[{"path":"/n","value":9007199254740992}]"#, 0, vec![Flaw::Mismatch]),
            (r#"[{"path":"/n","value":9007199254740993.0}]"#, 0, vec![Flaw::Mismatch]),
            (r#"[{"path":"/x","value":1}]"#, 0, vec![Flaw::Undeclared]),
            (r#"[{"path":"id","value":"42"}]"#, 0, vec![Flaw::Undeclared]),
            (r#"[{"path":"/id"}]"#, 0, vec![Flaw::Malformed]),
            (r#"[{"path":"/id","value":"42","note":1}]"#, 0, vec![Flaw::Malformed]),
            (r#"[{"path":"/id","path":"/id"}]"#, 0, vec![Flaw::Malformed]),
            (r#"[{"path":1,"value":1},null,{"path":"/id","value":"42"}]"#, 1, vec![Flaw::Malformed; 2]),
            (r#"{"path":"/id","value":"42"}"#, 0, vec![Flaw::Malformed]),
            ("null", 0, vec![Flaw::Malformed]),
        ] {
            let mut parser = Parser::default();
            let document = parser.parse(claims.as_bytes()).unwrap();
            let mut found = Vec::new();
            let count = check(document.root(), &rules, result.root(), |flaw, _| found.push(flaw));
            assert_eq!((count, found), (supported, flaws), "{claims}");
        }
    }
}
