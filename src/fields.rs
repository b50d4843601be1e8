//! Rules on single values: type, bounds, allowed values, pattern. One implementation for contracts of version "2" and
//! for evidence documents, which name the failures by codes of their own.

use std::cmp::Ordering;

use crate::contract::Collector;
use crate::contract::read::{unknown_member, with_article};
use crate::pattern::Pattern;
use crate::scalar::{self, Scalar};
use crate::value::{Kind, Object, Pointer, Value};

/// What type a value must have, exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// A number without fraction and exponent.
    Integer,
    /// Any number that is finite.
    Number,
    /// A string.
    String,
    /// `true` or `false`.
    Boolean,
}

impl Type {
    const ALL: [(&'static str, Self); 4] = [
        ("integer", Self::Integer),
        ("number", Self::Number),
        ("string", Self::String),
        ("boolean", Self::Boolean),
    ];

    /// Returns the name that rules spell.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Number => "number",
            Self::String => "string",
            Self::Boolean => "boolean",
        }
    }

    fn is_numeric(self) -> bool {
        matches!(self, Self::Integer | Self::Number)
    }

    fn covers(self, kind: Kind<'_>) -> bool {
        match self {
            Self::Integer => matches!(kind, Kind::Integer(_)),
            Self::Number => matches!(kind, Kind::Integer(_) | Kind::Float(_)),
            Self::String => matches!(kind, Kind::String(_)),
            Self::Boolean => matches!(kind, Kind::Bool(_)),
        }
    }
}

/// A rule on the value at one path.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldRule {
    /// Where the value is.
    pub path: Pointer,
    /// What type it must have; any scalar where `None`.
    pub expected: Option<Type>,
    /// The least that it may be; an integer or a float.
    pub minimum: Option<Scalar>,
    /// The most that it may be; an integer or a float.
    pub maximum: Option<Scalar>,
    /// The only values that it may have; not empty.
    pub allowed: Option<Box<[Scalar]>>,
    /// The pattern that must be found in it.
    pub pattern: Option<Pattern>,
    /// Whether it may be absent or null.
    pub optional: bool,
}

/// How a value breaks a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Violation {
    /// There is no value at the path.
    Missing,
    /// It is of another type.
    WrongType,
    /// It is a number that overflows a double, or is none.
    NotFinite,
    /// It is below the minimum or above the maximum.
    OutOfRange,
    /// It is a string of nothing but white space.
    Blank,
    /// It is a string that stands for a value that is not there.
    Placeholder,
    /// It is none of the allowed values.
    NotAllowed,
    /// The pattern is not found in it.
    Unmatched,
}

impl FieldRule {
    /// Hands every violation by the value of `root` at the rule's path to `report`.
    pub fn check(&self, root: Value<'_>, mut report: impl FnMut(Violation)) {
        let value = self.path.resolve(root);
        let Some(value) = value.filter(|value| !(self.optional && value.is_null())) else {
            if !self.optional {
                report(Violation::Missing);
            }
            return;
        };
        let kind = value.kind();
        if !self.has_type_of(kind) {
            return report(Violation::WrongType);
        }
        match kind {
            Kind::Float(value) if !value.is_finite() => return report(Violation::NotFinite),
            Kind::String(text) if is_blank(text) => report(Violation::Blank),
            Kind::String(text) if is_placeholder(text) => report(Violation::Placeholder),
            _ => {}
        }
        if self.minimum.is_some() || self.maximum.is_some() {
            let beyond = |bound: &Option<Scalar>, wrong: Ordering| {
                bound.as_ref().is_some_and(|bound| {
                    scalar::compare(kind, bound.kind()).is_none_or(|order| order == wrong)
                })
            };
            if !matches!(kind, Kind::Integer(_) | Kind::Float(_)) {
                return report(Violation::WrongType);
            }
            if beyond(&self.minimum, Ordering::Less) || beyond(&self.maximum, Ordering::Greater) {
                report(Violation::OutOfRange);
            }
        }
        if let Some(pattern) = &self.pattern {
            match kind {
                Kind::String(text) if pattern.is_found_in(text) => {}
                Kind::String(_) => report(Violation::Unmatched),
                _ => return report(Violation::WrongType),
            }
        }
        if let Some(allowed) = &self.allowed
            && !allowed.iter().any(|scalar| scalar::same(scalar.kind(), kind))
        {
            report(Violation::NotAllowed);
        }
    }
}

impl FieldRule {
    /// Returns true where a value is of the type that the rule asks for; without one, of any but null.
    pub fn has_type_of(&self, kind: Kind<'_>) -> bool {
        match self.expected {
            Some(expected) => expected.covers(kind),
            None => !matches!(kind, Kind::Null | Kind::Array(_) | Kind::Object(_)),
        }
    }
}

/// Returns true for a string of nothing but white space, control separators (U+001C to U+001F) included.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c))
}

/// Returns true for a string that somebody put where a value was, or that lost characters on its way.
pub fn is_placeholder(text: &str) -> bool {
    const MARK: &[u8] = b"[redacted]";
    if text.contains('\u{fffd}') {
        return true;
    }
    // No other character folds to one of these letters without something else after it.
    if text.len() >= MARK.len()
        && text.as_bytes().windows(MARK.len()).any(|part| part.eq_ignore_ascii_case(MARK))
    {
        return true;
    }
    let word = text.trim_matches(|c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c));
    // U+FB01 is the one ligature that folds to letters of these words.
    ["***", "n/a", "null", "undefined"].iter().any(|known| word.eq_ignore_ascii_case(known))
        || (word.contains('\u{fb01}') && word.replace('\u{fb01}', "fi").eq_ignore_ascii_case("undefined"))
}

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
    let mut sound = true;
    for (key, _) in object.iter() {
        match key.as_str() {
            Some(name) if known.contains(&name) => {}
            Some(name) => {
                report.at(name).invalid(unknown_member(name, known.iter().copied()));
                sound = false;
            }
            None => {
                report.invalid("a member's name must be a string");
                sound = false;
            }
        }
    }
    let path = path(object, dialect, report);
    let expected = expected(object, dialect, report);
    let of_type = expected.unwrap_or_default();
    let minimum = bound(object, "minimum", of_type, report);
    let maximum = bound(object, "maximum", of_type, report);
    if let (Some(Some(least)), Some(Some(most))) = (&minimum, &maximum)
        && scalar::compare(least.kind(), most.kind()) == Some(Ordering::Greater)
    {
        report.at("minimum").invalid("is above `maximum`, so that no value can hold");
        sound = false;
    }
    let allowed = allowed(object, of_type, report);
    let pattern = pattern(object, of_type, report);
    let optional = match object.get("optional").map(|value| (value, value.as_bool())) {
        None => Some(false),
        Some((_, Some(optional))) => Some(optional),
        Some((value, None)) => {
            report.at("optional").invalid(format!("must be true or false, not {}", with_article(value)));
            None
        }
    };
    let rule = FieldRule {
        path: path?,
        expected: expected?,
        minimum: minimum?,
        maximum: maximum?,
        allowed: allowed?,
        pattern: pattern?,
        optional: optional?,
    };
    if dialect == Dialect::Contract {
        warn_of_idle_parts(&rule, report);
    }
    sound.then_some(rule)
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

fn expected(object: Object<'_>, dialect: Dialect, report: &mut Collector<'_>) -> Option<Option<Type>> {
    let value = object.get("type");
    let named = value.and_then(Value::as_str);
    let found = named.and_then(|name| Type::ALL.into_iter().find(|(known, _)| *known == name));
    match (value, found) {
        (_, Some((_, expected))) => Some(Some(expected)),
        (None, None) if dialect == Dialect::Contract => Some(None),
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
) -> Option<Option<Scalar>> {
    let Some(value) = object.get(member) else { return Some(None) };
    let mut report = report.at(member);
    if expected.is_some_and(|expected| !expected.is_numeric()) {
        report.invalid("is for the types integer and number alone");
        return None;
    }
    match Scalar::of(value) {
        Some(scalar @ (Scalar::Integer(_) | Scalar::BigInteger(_) | Scalar::Float(_))) => Some(Some(scalar)),
        _ => {
            report.invalid(format!("must be a finite number, not {}", with_article(value)));
            None
        }
    }
}

fn allowed(
    object: Object<'_>,
    expected: Option<Type>,
    report: &mut Collector<'_>,
) -> Option<Option<Box<[Scalar]>>> {
    let Some(value) = object.get("enum") else { return Some(None) };
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
    (scalars.len() == array.len()).then(|| Some(scalars.into()))
}

fn pattern(
    object: Object<'_>,
    expected: Option<Type>,
    report: &mut Collector<'_>,
) -> Option<Option<Pattern>> {
    let Some(value) = object.get("pattern") else { return Some(None) };
    let mut report = report.at("pattern");
    if expected.is_some_and(|expected| expected != Type::String) {
        report.invalid("is for the type string alone");
        return None;
    }
    Pattern::read(value, &mut report).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Problems;
    use crate::value::Parser;

    fn check(rule: &str, payload: &str) -> Vec<Violation> {
        let mut parser = Parser::default();
        let document = parser.parse(rule.as_bytes()).unwrap();
        let mut problems = Problems::default();
        let rule = read(document.root(), Dialect::Contract, &mut Collector::new(&mut problems));
        let rule = rule.unwrap_or_else(|| panic!("{problems:?}"));
        drop(document);
        let mut found = Vec::new();
        rule.check(parser.parse(payload.as_bytes()).unwrap().root(), |violation| found.push(violation));
        found
    }

    #[test]
    fn checks_values() {
        use Violation::{
            Blank, Missing, NotAllowed, NotFinite, OutOfRange, Placeholder, Unmatched, WrongType,
        };
        let cases: &[(&str, &str, &[Violation])] = &[
            (r#"{"path":"/a"}"#, r#"{"a":0}"#, &[]),
            (r#"{"path":"/a"}"#, r#"{"a":false}"#, &[]),
            (r#"{"path":"/a"}"#, r#"{"a":null}"#, &[WrongType]),
            (r#"{"path":"/a"}"#, r#"{"a":[1]}"#, &[WrongType]),
            (r#"{"path":"/a"}"#, r#"{"b":1}"#, &[Missing]),
            (r#"{"path":"/a","optional":true}"#, r#"{"b":1}"#, &[]),
            (r#"{"path":"/a","optional":true}"#, r#"{"a":null}"#, &[]),
            (r#"{"path":"/a","optional":true,"type":"string"}"#, r#"{"a":1}"#, &[WrongType]),
            (r#"{"path":"/a","type":"integer"}"#, r#"{"a":1.0}"#, &[WrongType]),
            (r#"{"path":"/a","type":"integer"}"#, r#"{"a":true}"#, &[WrongType]),
            (r#"{"path":"/a","type":"integer"}"#, r#"{"a":123456789012345678901234567890}"#, &[]),
            (r#"{"path":"/a","type":"number"}"#, r#"{"a":1}"#, &[]),
            (r#"{"path":"/a","type":"number"}"#, r#"{"a":1e400}"#, &[NotFinite]),
            (r#"{"path":"/a","type":"boolean"}"#, r#"{"a":0}"#, &[WrongType]),
            (r#"{"path":"/a","minimum":1}"#, r#"{"a":"2"}"#, &[WrongType]),
            (r#"{"path":"/a","minimum":1}"#, r#"{"a":0.999}"#, &[OutOfRange]),
            (r#"{"path":"/a","maximum":9007199254740992}"#, r#"{"a":9007199254740993}"#, &[OutOfRange]),
            (r#"{"path":"/a","maximum":9007199254740992.0}"#, r#"{"a":9007199254740993}"#, &[OutOfRange]),
            (r#"{"path":"/a","enum":[1]}"#, r#"{"a":1.0}"#, &[NotAllowed]),
            (r#"{"path":"/a","enum":[1]}"#, r#"{"a":true}"#, &[NotAllowed]),
            (r#"{"path":"/a","enum":["x",""]}"#, r#"{"a":""}"#, &[Blank]),
            (r#"{"path":"/a","type":"string"}"#, r#"{"a":" \u2003\u001c"}"#, &[Blank]),
            (r#"{"path":"/a"}"#, r#"{"a":"<[ReDacted]>"}"#, &[Placeholder]),
            (r#"{"path":"/a"}"#, r#"{"a":"unde\ufb01ned"}"#, &[Placeholder]),
            (r#"{"path":"/a"}"#, r#"{"a":"a\ufffdb"}"#, &[Placeholder]),
            (r#"{"path":"/a"}"#, r#"{"a":"nullable"}"#, &[]),
            (r#"{"path":"/a","pattern":"^C-[0-9]+$"}"#, r#"{"a":"C-12"}"#, &[]),
            (r#"{"path":"/a","pattern":"^C-[0-9]+$"}"#, r#"{"a":"C-12\n"}"#, &[Unmatched]),
            (r#"{"path":"/a","pattern":"^C"}"#, r#"{"a":12}"#, &[WrongType]),
            (r#"{"path":"/a/0/b"}"#, r#"{"a":[{"b":1}]}"#, &[]),
        ];
        for (rule, payload, expected) in cases {
            assert_eq!(check(rule, payload), *expected, "{rule} {payload}");
        }
    }

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
