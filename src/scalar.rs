//! Scalars compared exactly: no number is ever rounded, and no type passes for another.
//!
//! `1`, `1.0`, `"1"` and `true` are four values. Numbers of both sorts still have one order, in which an integer of
//! any length meets a double without being squeezed through one.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::value::{Integer, Kind, Value};

/// A scalar that a contract or an evidence document names, kept after its document is gone.
#[derive(Debug, Clone, PartialEq)]
pub enum Scalar {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// An integer that fits 64 bits with a sign.
    Integer(i64),
    /// Any other integer: its digits, with a sign where it is negative.
    BigInteger(Box<str>),
    /// A number with a fraction or an exponent; always finite.
    Float(f64),
    /// A string.
    String(Box<str>),
}

impl Scalar {
    /// Returns the scalar that a value is; `None` for an array, an object, a number that is not finite, or a
    /// timestamp of YAML.
    pub fn of(value: Value<'_>) -> Option<Self> {
        Some(match value.kind() {
            Kind::Null => Self::Null,
            Kind::Bool(value) => Self::Bool(value),
            Kind::Integer(Integer::Signed(value)) => Self::Integer(value),
            Kind::Integer(Integer::Unsigned(value)) => Self::BigInteger(value.to_string().into()),
            Kind::Integer(Integer::Big(digits)) => Self::BigInteger(digits.into()),
            Kind::Float(value) if value.is_finite() => Self::Float(value),
            Kind::String(text) => Self::String(text.into()),
            Kind::Float(_) | Kind::Timestamp(_) | Kind::Array(_) | Kind::Object(_) => return None,
        })
    }

    /// Returns the scalar as what a value of a document is.
    pub fn kind(&self) -> Kind<'_> {
        match self {
            Self::Null => Kind::Null,
            Self::Bool(value) => Kind::Bool(*value),
            Self::Integer(value) => Kind::Integer(Integer::Signed(*value)),
            Self::BigInteger(digits) => Kind::Integer(integer(digits)),
            Self::Float(value) => Kind::Float(*value),
            Self::String(text) => Kind::String(text),
        }
    }
}

/// Returns true where two scalars are the same value of the same type; arrays and objects never are.
pub fn same(a: Kind<'_>, b: Kind<'_>) -> bool {
    match (a, b) {
        (Kind::Null, Kind::Null) => true,
        (Kind::Bool(a), Kind::Bool(b)) => a == b,
        (Kind::Integer(a), Kind::Integer(b)) => compare_integers(a, b).is_eq(),
        #[expect(clippy::float_cmp, reason = "both are the nearest doubles of what was written")]
        (Kind::Float(a), Kind::Float(b)) => a == b && a.is_finite(),
        (Kind::String(a), Kind::String(b)) => a == b,
        _ => false,
    }
}

/// Returns the order of two numbers; `None` where one is no number at all, or not a number (YAML's `.nan`).
pub fn compare(a: Kind<'_>, b: Kind<'_>) -> Option<Ordering> {
    match (a, b) {
        (Kind::Integer(a), Kind::Integer(b)) => Some(compare_integers(a, b)),
        (Kind::Float(a), Kind::Float(b)) => a.partial_cmp(&b),
        (Kind::Integer(a), Kind::Float(b)) => compare_with_float(a, b),
        (Kind::Float(a), Kind::Integer(b)) => compare_with_float(b, a).map(Ordering::reverse),
        _ => None,
    }
}

/// Returns the order of two integers.
pub fn compare_integers(a: Integer<'_>, b: Integer<'_>) -> Ordering {
    if let (Some(a), Some(b)) = (small(a), small(b)) {
        return a.cmp(&b);
    }
    let (a, b) = (digits(a), digits(b));
    match (a.strip_prefix('-'), b.strip_prefix('-')) {
        (None, None) => compare_digits(&a, &b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (Some(a), Some(b)) => compare_digits(b, a),
    }
}

fn small(integer: Integer<'_>) -> Option<i128> {
    match integer {
        Integer::Signed(value) => Some(value.into()),
        Integer::Unsigned(value) => Some(value.into()),
        Integer::Big(_) => None,
    }
}

fn digits(integer: Integer<'_>) -> Cow<'_, str> {
    match integer {
        Integer::Signed(value) => value.to_string().into(),
        Integer::Unsigned(value) => value.to_string().into(),
        Integer::Big(digits) => digits.into(),
    }
}

fn integer(digits: &str) -> Integer<'_> {
    match (digits.parse::<i64>(), digits.parse::<u64>()) {
        (Ok(value), _) => Integer::Signed(value),
        (Err(_), Ok(value)) => Integer::Unsigned(value),
        (Err(_), Err(_)) => Integer::Big(digits),
    }
}

/// Compares digits without a sign and without leading zeros.
fn compare_digits(a: &str, b: &str) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

fn compare_with_float(whole: Integer<'_>, float: f64) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    if float.is_infinite() {
        return Some(if float > 0.0 { Ordering::Less } else { Ordering::Greater });
    }
    // The digits of the whole part are exact, however many there are; the fraction decides where they are equal.
    let truncated = float.trunc();
    let mut text = format!("{truncated:.0}");
    if text == "-0" {
        text.remove(0);
    }
    let by_whole = compare_integers(whole, integer(&text));
    Some(by_whole.then_with(|| 0.0_f64.partial_cmp(&(float - truncated)).unwrap_or(Ordering::Equal)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::value::Parser;

    fn with<R>(text: &str, then: impl FnOnce(Value<'_>) -> R) -> R {
        then(Parser::default().parse(text.as_bytes()).unwrap().root())
    }

    #[test]
    fn numbers_have_one_exact_order() {
        use Ordering::{Equal, Greater, Less};
        for (a, b, expected) in [
            ("1", "2", Some(Less)),
            ("1", "1.0", Some(Equal)),
            ("-0", "0.0", Some(Equal)),
            ("-0.0", "0", Some(Equal)),
            ("9007199254740993", "9007199254740992.0", Some(Greater)),
            ("9007199254740992", "9007199254740992.0", Some(Equal)),
            ("-9007199254740993", "-9007199254740992.0", Some(Less)),
            ("18446744073709551615", "18446744073709551616.0", Some(Less)),
            ("18446744073709551616", "18446744073709551616.0", Some(Equal)),
            ("123456789012345678901234567890", "123456789012345678901234567889", Some(Greater)),
            ("-123456789012345678901234567890", "-123456789012345678901234567889", Some(Less)),
            ("-99999999999999999999", "99999999999999999999", Some(Less)),
            ("99999999999999999999", "1", Some(Greater)),
            ("-99999999999999999999", "18446744073709551615", Some(Less)),
            ("1e308", "1", Some(Greater)),
            ("3", "3.5", Some(Less)),
            ("-3", "-3.5", Some(Greater)),
            ("0", "-0.25", Some(Greater)),
            ("1e400", "99999999999999999999", Some(Greater)),
            ("-1e400", "-99999999999999999999", Some(Less)),
            ("1", "true", None),
            ("1", "\"1\"", None),
        ] {
            let found = with(a, |a| with(b, |b| compare(a.kind(), b.kind())));
            assert_eq!(found, expected, "{a} {b}");
            let reverse = with(a, |a| with(b, |b| compare(b.kind(), a.kind())));
            assert_eq!(reverse, expected.map(Ordering::reverse), "{b} {a}");
        }
    }

    #[test]
    fn no_type_passes_for_another() {
        let values = [
            "null", "true", "false", "0", "1", "0.0", "1.0", "\"1\"", "\"true\"", "\"\"", "[]", "{}", "1e400",
        ];
        for (i, a) in values.iter().enumerate() {
            for (j, b) in values.iter().enumerate() {
                let scalar = !["[]", "{}", "1e400"].contains(a);
                let found = with(a, |a| with(b, |b| same(a.kind(), b.kind())));
                assert_eq!(found, i == j && scalar, "{a} {b}");
            }
        }
        assert!(with("18446744073709551615", |a| same(a.kind(), Scalar::of(a).unwrap().kind())));
        assert!(with("-0.0", |a| with("0.0", |b| same(a.kind(), b.kind()))));
    }

    proptest! {
        #[test]
        fn integers_and_doubles_agree_with_wide_arithmetic(a in any::<i64>(), b in any::<i32>(), quarter in 0..4_u8) {
            let float = f64::from(b) + f64::from(quarter) / 4.0;
            let expected = (i128::from(a) * 4).cmp(&(i128::from(b) * 4 + i128::from(quarter)));
            let found = compare(Kind::Integer(Integer::Signed(a)), Kind::Float(float));
            prop_assert_eq!(found, Some(expected));
        }
    }
}
