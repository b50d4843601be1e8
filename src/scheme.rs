//! How versions are compared: the schemes that a contract of version "2" may name. What has no order has no answer.

use std::cmp::Ordering;

use crate::scalar::compare_integers;
use crate::time::Timestamp;
use crate::value::Integer;
use crate::version;

/// How the version of a source is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Text and numbers in turns; the text must be the same up to the first number that differs.
    Natural,
    /// Semantic versioning 2.0.0: a pre-release is below its release, build metadata does not count.
    Semver,
    /// Decimal digits, any number of them, with a sign where it is negative.
    Integer,
    /// A date, or a timestamp with an offset; the two are never compared with one another.
    Date,
}

impl Scheme {
    /// Every scheme, by the name that contracts spell.
    pub const ALL: [(&'static str, Self); 4] = [
        ("natural", Self::Natural),
        ("semver", Self::Semver),
        ("integer", Self::Integer),
        ("date", Self::Date),
    ];

    /// Returns the order of two versions; `None` where the scheme gives them none.
    pub fn compare(self, a: &str, b: &str) -> Option<Ordering> {
        match self {
            Self::Natural => version::compare_alike(a, b),
            Self::Semver => {
                let (a, b) = (semver::Version::parse(a).ok()?, semver::Version::parse(b).ok()?);
                Some(a.cmp_precedence(&b))
            }
            Self::Integer => Some(compare_integers(integer(a)?, integer(b)?)),
            Self::Date => match (date(a)?, date(b)?) {
                (Date::Day(a), Date::Day(b)) | (Date::Point(a), Date::Point(b)) => Some(a.cmp(&b)),
                _ => None,
            },
        }
    }

    /// Returns true where a text is a version of this scheme at all.
    pub fn covers(self, text: &str) -> bool {
        self.compare(text, text).is_some()
    }
}

/// Digits without leading zeros, as [`Integer::Big`] holds them; small numbers too, as the order is by digits.
fn integer(text: &str) -> Option<Integer<'_>> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let sound = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let canonical = digits == "0" || !digits.starts_with('0');
    if !sound || !canonical || text == "-0" {
        return None;
    }
    Some(match (text.parse::<i64>(), text.parse::<u64>()) {
        (Ok(value), _) => Integer::Signed(value),
        (Err(_), Ok(value)) => Integer::Unsigned(value),
        (Err(_), Err(_)) => Integer::Big(text),
    })
}

enum Date {
    Day(Timestamp),
    Point(Timestamp),
}

fn date(text: &str) -> Option<Date> {
    let is_day = text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    if is_day {
        return Timestamp::parse_assuming_utc(text).ok().map(Date::Day);
    }
    Timestamp::parse_lenient(text).ok().map(Date::Point)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_by_scheme() {
        use Ordering::{Equal, Greater, Less};
        for (scheme, a, b, expected) in [
            (Scheme::Natural, "rev-9", "rev-12", Some(Less)),
            (Scheme::Natural, "rev-12", "rev-012", Some(Equal)),
            (Scheme::Natural, "unknown", "rev-12", None),
            (Scheme::Natural, "snapshot-13", "rev-12", None),
            (Scheme::Natural, "3.4.0-beta2", "3.4.0", None),
            (Scheme::Natural, "3.5.0-beta2", "3.4.0", Some(Greater)),
            (Scheme::Natural, "", "", Some(Equal)),
            (Scheme::Semver, "3.4.0-beta.2", "3.4.0", Some(Less)),
            (Scheme::Semver, "3.4.0-beta.2", "3.4.0-beta.10", Some(Less)),
            (Scheme::Semver, "3.4.0+2", "3.4.0+1", Some(Equal)),
            (Scheme::Semver, "v3.4.0", "3.4.0", None),
            (Scheme::Semver, "3.4", "3.4.0", None),
            (Scheme::Integer, "9", "12", Some(Less)),
            (Scheme::Integer, "-9", "-12", Some(Greater)),
            (Scheme::Integer, "123456789012345678901234567890", "123456789012345678901234567891", Some(Less)),
            (Scheme::Integer, "123456789012345678901234567890", "12", Some(Greater)),
            (Scheme::Integer, "012", "12", None),
            (Scheme::Integer, "12.0", "12", None),
            (Scheme::Integer, "", "12", None),
            (Scheme::Integer, "\u{663}", "3", None),
            (Scheme::Date, "2026-11-01", "2026-11-02", Some(Less)),
            (Scheme::Date, "2026-11-02T00:00:00Z", "2026-11-02T01:00:00+01:00", Some(Equal)),
            (Scheme::Date, "2026-11-02", "2026-11-02T00:00:00Z", None),
            (Scheme::Date, "2026-02-30", "2026-02-28", None),
            (Scheme::Date, "2026-11-02T00:00:00", "2026-11-02T00:00:00Z", None),
            (Scheme::Date, "20261102", "2026-11-02", None),
        ] {
            assert_eq!(scheme.compare(a, b), expected, "{scheme:?} {a} {b}");
            assert_eq!(scheme.compare(b, a), expected.map(Ordering::reverse), "{scheme:?} {b} {a}");
        }
    }
}
