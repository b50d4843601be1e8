//! Rules on single values: type, bounds, allowed values, pattern. One implementation for contracts of version "2" and
//! for evidence documents, which name the failures by codes of their own.

use std::cmp::Ordering;

use crate::pattern::Pattern;
use crate::scalar::{self, Scalar};
use crate::value::{Kind, Pointer, Value};

mod read;

pub(crate) use read::{Dialect, read_all, read_pointer};

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
            None => !matches!(kind, Kind::Null | Kind::Timestamp(_) | Kind::Array(_) | Kind::Object(_)),
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
    let bytes = text.as_bytes();
    let is_mark =
        |at: usize| bytes.get(at..at + MARK.len()).is_some_and(|part| part.eq_ignore_ascii_case(MARK));
    if memchr::memchr_iter(b'[', bytes).any(is_mark) {
        return true;
    }
    let word = text.trim_matches(|c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c));
    // U+FB01 is the one ligature that folds to letters of these words.
    ["***", "n/a", "null", "undefined"].iter().any(|known| word.eq_ignore_ascii_case(known))
        || (word.contains('\u{fb01}') && word.replace('\u{fb01}', "fi").eq_ignore_ascii_case("undefined"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{Collector, Problems};
    use crate::value::Parser;

    fn check(rule: &str, payload: &str) -> Vec<Violation> {
        let mut parser = Parser::default();
        let mut problems = Problems::default();
        let rules = format!("[{rule}]");
        let document = parser.parse(rules.as_bytes()).unwrap();
        let rules = read_all(document.root(), Dialect::Contract, &mut Collector::new(&mut problems));
        let rules = rules.unwrap_or_else(|| panic!("{problems}"));
        let rule = &rules[0];
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
}
