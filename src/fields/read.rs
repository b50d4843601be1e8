//! Reads rules on single values out of a document, and reports everything that is wrong with them at once.

use std::cmp::Ordering;

use super::{FieldRule, Type, is_blank, is_placeholder};
use crate::contract::Collector;
use crate::contract::read::{unknown_member, with_article};
use crate::pattern::Pattern;
use crate::scalar::{self, Scalar};
use crate::value::{Kind, Object, Pointer, Value};

/// Where rules are written, which says what they may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// A contract of version "2".
    Contract,
    /// An evidence document: `type` is required, paths lie under `/data/`.
    Evidence,
}

impl Dialect {
    fn members(self) -> &'static [&'static str] {
        const ALL: &[&str] = &["path", "type", "minimum", "maximum", "enum", "pattern", "optional"];
        match self {
            Self::Contract => ALL,
            Self::Evidence => ALL.split_at(5).0,
        }
    }
}

/// The most rules, and the most allowed values of one.
const MOST: usize = 1024;

/// Returns the rules that an array holds; reports what is wrong with them.
pub(crate) fn read_all(
    value: Value<'_>,
    dialect: Dialect,
    report: &mut Collector<'_>,
) -> Option<Box<[FieldRule]>> {
    let Some(array) = value.as_array() else {
        report.invalid(format!("must be an array of rules, not {}", with_article(value)));
        return None;
    };
    if array.is_empty() && dialect == Dialect::Evidence {
        report.invalid("must have at least one rule");
        return None;
    }
    let mut rules: Vec<FieldRule> = Vec::with_capacity(array.len());
    for (index, element) in array.iter().enumerate() {
        let mut report = report.at(&index.to_string());
        let Some(rule) = read(element, dialect, &mut report) else { continue };
        if rules.iter().any(|other| other.path == rule.path) {
            report.at("path").invalid("is that of an earlier rule; put what it asks for into one");
        }
        rules.push(rule);
    }
    (rules.len() == array.len()).then(|| rules.into())
}

fn read(value: Value<'_>, dialect: Dialect, report: &mut Collector<'_>) -> Option<FieldRule> {
    let Some(object) = value.as_object() else {
        report.invalid(format!("a rule is an object with `path`, not {}", with_article(value)));
        return None;
    };
    let known = dialect.members();
    let before = report.count();
    for (key, _) in object.iter() {
        match key.as_str() {
            Some(name) if known.contains(&name) => {}
            Some(name) => report.at(name).invalid(unknown_member(name, known.iter().copied())),
            None => report.invalid("a member's name must be a string"),
        }
    }
    let path = path(object, dialect, report);
    let expected = expected(object, dialect, report);
    let minimum = bound(object, "minimum", expected, report);
    let maximum = bound(object, "maximum", expected, report);
    if let (Some(least), Some(most)) = (&minimum, &maximum)
        && scalar::compare(least.kind(), most.kind()) == Some(Ordering::Greater)
    {
        report.at("minimum").invalid("is above `maximum`, so that no value can hold");
    }
    let allowed = allowed(object, expected, report);
    let pattern = pattern(object, expected, report);
    let optional = match object.get("optional").map(|value| (value, value.as_bool())) {
        None => false,
        Some((_, Some(optional))) => optional,
        Some((value, None)) => {
            report.at("optional").invalid(format!("must be true or false, not {}", with_article(value)));
            false
        }
    };
    // Whatever was read in spite of a problem is not handed on.
    if report.count() > before {
        return None;
    }
    let rule = FieldRule { path: path?, expected, minimum, maximum, allowed, pattern, optional };
    if dialect == Dialect::Contract {
        warn_of_idle_parts(&rule, report);
    }
    Some(rule)
}

/// Warns of parts that can never hold, or never fail, beside the others.
fn warn_of_idle_parts(rule: &FieldRule, report: &mut Collector<'_>) {
    let Some(allowed) = &rule.allowed else { return };
    let holds = |scalar: &Scalar| {
        let kind = scalar.kind();
        let within = |bound: &Option<Scalar>, wrong| {
            bound
                .as_ref()
                .is_none_or(|bound| scalar::compare(kind, bound.kind()).is_some_and(|order| order != wrong))
        };
        let matched = match (&rule.pattern, kind) {
            (Some(pattern), Kind::String(text)) => pattern.is_found_in(text),
            (Some(_), _) => false,
            (None, _) => true,
        };
        let readable = !matches!(kind, Kind::String(text) if is_blank(text) || is_placeholder(text));
        within(&rule.minimum, Ordering::Less)
            && within(&rule.maximum, Ordering::Greater)
            && matched
            && readable
    };
    match allowed.iter().filter(|scalar| holds(scalar)).count() {
        0 => report
            .at("enum")
            .warn("holds no value that the other parts of the rule let through: it can never hold"),
        count if count < allowed.len() => {
            report.at("enum").warn("holds values that the other parts of the rule never let through");
        }
        _ if rule.minimum.is_some() || rule.maximum.is_some() || rule.pattern.is_some() => {
            report.at("enum").warn("decides alone: bounds and pattern beside it can never fail");
        }
        _ => {}
    }
}

fn path(object: Object<'_>, dialect: Dialect, report: &mut Collector<'_>) -> Option<Pointer> {
    let mut report = report.at("path");
    let Some(value) = object.get("path") else {
        report.invalid("is missing; it must be a JSON Pointer such as `/customer/id`");
        return None;
    };
    let pointer = read_pointer(value, &mut report)?;
    if dialect == Dialect::Evidence && !pointer.as_str().starts_with("/data/") {
        report.invalid("must begin with `/data/`");
        return None;
    }
    Some(pointer)
}

/// Returns the JSON Pointer that a value holds; reports what is wrong with it.
pub(crate) fn read_pointer(value: Value<'_>, report: &mut Collector<'_>) -> Option<Pointer> {
    let Some(text) = value.as_str() else {
        report.invalid(format!("must be a JSON Pointer, not {}", with_article(value)));
        return None;
    };
    match Pointer::parse(text) {
        Ok(pointer) => Some(pointer),
        Err(error) => {
            report.invalid(format!("is no JSON Pointer: {error}"));
            None
        }
    }
}

fn expected(object: Object<'_>, dialect: Dialect, report: &mut Collector<'_>) -> Option<Type> {
    let value = object.get("type");
    let named = value.and_then(Value::as_str);
    let found = named.and_then(|name| Type::ALL.into_iter().find(|(known, _)| *known == name));
    match (value, found) {
        (_, Some((_, expected))) => Some(expected),
        (None, None) if dialect == Dialect::Contract => None,
        _ => {
            report.at("type").invalid("must be one of integer, number, string, boolean");
            None
        }
    }
}

fn bound(
    object: Object<'_>,
    member: &str,
    expected: Option<Type>,
    report: &mut Collector<'_>,
) -> Option<Scalar> {
    let value = object.get(member)?;
    let mut report = report.at(member);
    if expected.is_some_and(|expected| !expected.is_numeric()) {
        report.invalid("is for the types integer and number alone");
        return None;
    }
    match Scalar::of(value) {
        Some(scalar @ (Scalar::Integer(_) | Scalar::BigInteger(_) | Scalar::Float(_))) => Some(scalar),
        _ => {
            report.invalid(format!("must be a finite number, not {}", with_article(value)));
            None
        }
    }
}

fn allowed(object: Object<'_>, expected: Option<Type>, report: &mut Collector<'_>) -> Option<Box<[Scalar]>> {
    let value = object.get("enum")?;
    let mut report = report.at("enum");
    let Some(array) = value.as_array().filter(|array| !array.is_empty() && array.len() <= MOST) else {
        report.invalid(format!("must be an array of 1 to {MOST} values"));
        return None;
    };
    let mut scalars = Vec::with_capacity(array.len());
    for (index, element) in array.iter().enumerate() {
        let fits = match expected {
            Some(expected) => expected.covers(element.kind()),
            None => !element.is_null(),
        };
        match Scalar::of(element).filter(|_| fits) {
            Some(scalar) => scalars.push(scalar),
            None => report.at(&index.to_string()).invalid(match expected {
                Some(expected) => format!("is not of the rule's type {}", expected.name()),
                None => "must be a finite number, a string or a boolean".to_owned(),
            }),
        }
    }
    Some(scalars.into())
}

fn pattern(object: Object<'_>, expected: Option<Type>, report: &mut Collector<'_>) -> Option<Pattern> {
    let value = object.get("pattern")?;
    let mut report = report.at("pattern");
    if expected.is_some_and(|expected| expected != Type::String) {
        report.invalid("is for the type string alone");
        return None;
    }
    Pattern::read(value, &mut report)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Problems;
    use crate::value::Parser;

    #[test]
    fn reports_every_mistake_at_once() {
        let cases: &[(&str, &[&str])] = &[
            (r#"{"path":"a","typ":"string","minimum":3,"maximum":1}"#, &["typ", "path", "minimum"]),
            (r#"{"path":"/a","type":"string","minimum":1}"#, &["minimum"]),
            (r#"{"path":"/a","type":"integer","enum":[1,1.5,"x"]}"#, &["enum.1", "enum.2"]),
            (r#"{"path":"/a","enum":[]}"#, &["enum"]),
            (r#"{"path":"/a","pattern":"("}"#, &["pattern"]),
            (r#"{"path":"/a","type":"integer","pattern":"x"}"#, &["pattern"]),
            (r#"{"path":"/a","type":"int"}"#, &["type"]),
            (r#"{"type":"string","optional":1}"#, &["path", "optional"]),
            (r#"{"path":"/a~2","maximum":null}"#, &["path", "maximum"]),
        ];
        for (rule, places) in cases {
            let mut parser = Parser::default();
            let document = parser.parse(rule.as_bytes()).unwrap();
            let mut problems = Problems::default();
            let read = read(document.root(), Dialect::Contract, &mut Collector::new(&mut problems));
            assert!(read.is_none(), "{rule}");
            let found: Vec<&str> = problems.0.iter().map(|problem| problem.place.as_str()).collect();
            assert_eq!(found, *places, "{rule}");
        }
    }
}
