//! Natural order of version texts; not semantic versioning (a pre-release sorts above its release here).
//!
//! A version is cut into runs of decimal digits and runs of anything else, which alternate. Runs are compared
//! pair by pair: digit runs as numbers of any length, other runs by code point. The first pair that differs
//! decides, and where there is none the version with fewer runs is the smaller one. Only the first pair can be of
//! a run of each sort; then the code points of the first characters decide.
//!
//! A decimal digit is a character of the Unicode category Nd, whatever its script, and counts by its value:
//! `٣` equals `3`. Other numeric characters (`²`, `Ⅷ`) are text.

use std::cmp::Ordering;

/// Compares two versions in natural order.
///
/// This orders values, not spellings: `1.02` and `1.2` are equal, though not the same text.
///
/// `compare(a, b)` is always the reverse of `compare(b, a)`, but the order is transitive only among versions that
/// do not begin with a digit outside ASCII: `٣` equals `3` and yet is above `v3`, which `3` is below. So it may
/// decide between two versions but must not sort a list of unknown ones. The reference implementation decides
/// the same way, and the verdicts have to agree.
pub fn compare(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (Runs(a), Runs(b));
    loop {
        let ordering = match (a.next(), b.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(Run::Number(a)), Some(Run::Number(b))) => compare_numbers(a, b),
            // The order of UTF-8 bytes is that of code points, and a digit never equals a character of text.
            (Some(Run::Number(a) | Run::Text(a)), Some(Run::Number(b) | Run::Text(b))) => a.cmp(b),
        };
        if ordering.is_ne() {
            return ordering;
        }
    }
}

/// Compares two versions that are spelt alike; `None` where only the spelling would decide.
///
/// They must have the same text up to the first number that differs, and if no number differs they must be of
/// the same runs throughout: neither `unknown` against `rev-12` nor `1.2` against `1.2-rc1` has an answer. Where
/// there is an answer it is that of [`compare`].
pub fn compare_alike(a: &str, b: &str) -> Option<Ordering> {
    let (mut a, mut b) = (Runs(a), Runs(b));
    loop {
        match (a.next(), b.next()) {
            (None, None) => return Some(Ordering::Equal),
            (Some(Run::Number(a)), Some(Run::Number(b))) => match compare_numbers(a, b) {
                Ordering::Equal => {}
                unequal => return Some(unequal),
            },
            (Some(Run::Text(a)), Some(Run::Text(b))) if a == b => {}
            _ => return None,
        }
    }
}

/// A longest part of a version that is all decimal digits, or has none. Never empty.
enum Run<'a> {
    Number(&'a str),
    Text(&'a str),
}

/// The runs of a version that are still to come.
struct Runs<'a>(&'a str);

impl<'a> Iterator for Runs<'a> {
    type Item = Run<'a>;

    fn next(&mut self) -> Option<Run<'a>> {
        let is_number = digit(self.0.chars().next()?).is_some();
        let end = self.0.find(|c| digit(c).is_some() != is_number).unwrap_or(self.0.len());
        let (run, rest) = self.0.split_at(end);
        self.0 = rest;
        Some(if is_number { Run::Number(run) } else { Run::Text(run) })
    }
}

/// Compares two runs of digits by value, without ever holding the number.
fn compare_numbers(a: &str, b: &str) -> Ordering {
    let (a, b) = (without_leading_zeros(a), without_leading_zeros(b));
    a.chars().count().cmp(&b.chars().count()).then_with(|| a.chars().map(digit).cmp(b.chars().map(digit)))
}

fn without_leading_zeros(run: &str) -> &str {
    run.trim_start_matches(|c| digit(c) == Some(0))
}

/// Returns the value of a decimal digit of any script.
fn digit(c: char) -> Option<u32> {
    if c.is_ascii() {
        return c.to_digit(10);
    }
    let zero = ZEROS[..ZEROS.partition_point(|&zero| zero <= c)].last()?;
    let value = u32::from(c) - u32::from(*zero);
    (value < 10).then_some(value)
}

/// The zeros of category Nd outside ASCII, in order, as of Unicode 14.0; the digits 1 to 9 follow each.
///
/// Which characters are digits decides verdicts, and those must not change with a Unicode release: 14.0 is what
/// Python 3.11 has. That rules out the crates that know the category, as they follow the newest release; std has
/// only `char::is_numeric`, which is wider (Nd, Nl and No).
const ZEROS: [char; 65] = [
    '\u{660}',
    '\u{6f0}',
    '\u{7c0}',
    '\u{966}',
    '\u{9e6}',
    '\u{a66}',
    '\u{ae6}',
    '\u{b66}',
    '\u{be6}',
    '\u{c66}',
    '\u{ce6}',
    '\u{d66}',
    '\u{de6}',
    '\u{e50}',
    '\u{ed0}',
    '\u{f20}',
    '\u{1040}',
    '\u{1090}',
    '\u{17e0}',
    '\u{1810}',
    '\u{1946}',
    '\u{19d0}',
    '\u{1a80}',
    '\u{1a90}',
    '\u{1b50}',
    '\u{1bb0}',
    '\u{1c40}',
    '\u{1c50}',
    '\u{a620}',
    '\u{a8d0}',
    '\u{a900}',
    '\u{a9d0}',
    '\u{a9f0}',
    '\u{aa50}',
    '\u{abf0}',
    '\u{ff10}',
    '\u{104a0}',
    '\u{10d30}',
    '\u{11066}',
    '\u{110f0}',
    '\u{11136}',
    '\u{111d0}',
    '\u{112f0}',
    '\u{11450}',
    '\u{114d0}',
    '\u{11650}',
    '\u{116c0}',
    '\u{11730}',
    '\u{118e0}',
    '\u{11950}',
    '\u{11c50}',
    '\u{11d50}',
    '\u{11da0}',
    '\u{16a60}',
    '\u{16ac0}',
    '\u{16b50}',
    '\u{1d7ce}',
    '\u{1d7d8}',
    '\u{1d7e2}',
    '\u{1d7ec}',
    '\u{1d7f6}',
    '\u{1e140}',
    '\u{1e2f0}',
    '\u{1e950}',
    '\u{1fbf0}',
];

#[cfg(test)]
mod tests {
    use std::cmp::Ordering::{Equal, Greater, Less};

    use proptest::prelude::*;

    use super::{Ordering, ZEROS, compare, compare_alike, digit};

    /// Two versions, their order, and whether spelling alike is enough to know it.
    const PAIRS: &[(&str, Ordering, &str, bool)] = &[
        // Numbers, not digits.
        ("1", Less, "2", true),
        ("10", Greater, "9", true),
        ("1.2", Less, "1.10", true),
        ("rev-12", Less, "rev-112", true),
        ("2026-11-02", Less, "2026-11-10", true),
        ("18446744073709551616", Greater, "18446744073709551615", true),
        ("340282366920938463463374607431768211456", Greater, "340282366920938463463374607431768211455", true),
        // Leading zeros say nothing, and zeros alone are zero.
        ("1", Equal, "01", true),
        ("v01a", Less, "v1b", false),
        ("v01b", Greater, "v1a", false),
        ("00", Equal, "0", true),
        ("0", Less, "00001", true),
        ("a00b1", Less, "a0b02", true),
        // Digits of any script, by value.
        ("\u{663}", Equal, "3", true),
        ("\u{663}", Less, "4", true),
        ("1\u{663}", Equal, "13", true),
        ("0\u{660}", Equal, "\u{ff10}", true),
        ("a0\u{660}\u{967}b", Equal, "a1b", true),
        ("\u{1d7d9}", Equal, "1", true),
        ("\u{1fbf9}", Greater, "8", true),
        ("\u{967}\u{968}a", Less, "12b", false),
        // Numeric, and yet text.
        ("a\u{b2}", Greater, "a2", false),
        ("a\u{b2}b", Greater, "a3b", false),
        ("1\u{b2}", Less, "12", true),
        ("\u{2460}", Greater, "1", false),
        ("\u{bd}", Greater, "1", false),
        // Digits since Unicode 15.0 only.
        ("\u{11f51}", Greater, "2", false),
        ("\u{1e4f1}a", Greater, "\u{1e4f0}b", false),
        // Text by code point, case and all.
        ("a", Greater, "A", false),
        ("v1", Greater, "V1", false),
        ("\u{e9}", Greater, "e", false),
        ("\u{10000}", Greater, "\u{ffff}", false),
        ("\u{ff5e}", Less, "\u{10000}", false),
        ("1-", Less, "1a", false),
        ("rev-12", Less, "unknown", false),
        ("1.0", Less, "v0.9", false),
        // A prefix is smaller.
        ("", Equal, "", true),
        ("", Less, "0", false),
        ("", Less, "\0", false),
        ("a", Less, "a0", false),
        ("a", Less, "a\0", false),
        ("1.0", Less, "1.0.0", false),
        ("1.2.3", Less, "1.2.3-rc1", false),
        ("1", Less, "1 ", false),
        ("01", Less, "1a", false),
        // Whole runs of text: `a` against `a-`, not `0` against `-`.
        ("a0", Less, "a-", false),
        ("a-0", Greater, "a0", false),
        ("x10", Less, "x-1", false),
        ("a\u{663}", Less, "a/", false),
        ("1a2", Less, "1a-", false),
        ("x\u{663}", Less, "x\u{600}", false),
        // A number against text, which only the start can see, by the first code point.
        ("1", Less, "a", false),
        ("1", Greater, "!", false),
        ("1", Greater, "/", false),
        ("1", Less, ":", false),
        ("1", Greater, "\0", false),
        (" 1", Less, "1", false),
        ("-1", Less, "0", false),
        ("99", Less, "a1", false),
        ("\u{663}", Greater, "\u{e9}", false),
        ("\u{663}", Less, "\u{700}", false),
        ("\u{1d7d9}", Greater, "\u{ffff}", false),
    ];

    #[test]
    fn orders_versions_naturally() {
        for &(a, expected, b, alike) in PAIRS {
            assert_eq!(compare(a, b), expected, "{a:?} {b:?}");
            assert_eq!(compare(b, a), expected.reverse(), "{b:?} {a:?}");
            assert_eq!(compare_alike(a, b), alike.then_some(expected), "{a:?} {b:?}");
            assert_eq!(compare_alike(b, a), alike.then_some(expected.reverse()), "{b:?} {a:?}");
        }
    }

    #[test]
    fn numbers_may_have_any_length() {
        let long = "9".repeat(100_000);
        assert_eq!(compare(&long, &format!("{}{long}", "0".repeat(100_000))), Equal);
        assert_eq!(compare(&long, &format!("1{}", "0".repeat(100_000))), Less);
        assert_eq!(compare(&long, &long[1..]), Greater);
    }

    #[test]
    fn zeros_are_in_order_and_ten_apart() {
        assert!(ZEROS.windows(2).all(|pair| u32::from(pair[1]) - u32::from(pair[0]) >= 10));
        assert_eq!((0..=0x0010_ffff).filter_map(char::from_u32).filter(|&c| digit(c).is_some()).count(), 660);
        for zero in ZEROS {
            for value in 0..10 {
                let c = char::from_u32(u32::from(zero) + value).unwrap();
                assert_eq!(digit(c), Some(value));
                assert!(c.is_numeric(), "{c:?}");
            }
        }
    }

    /// A version as its runs, numbers without leading zeros in ASCII: equal exactly if the versions are.
    fn normal_form(version: &str) -> Vec<String> {
        let mut runs: Vec<(bool, String)> = Vec::new();
        for c in version.chars() {
            let (is_number, c) =
                digit(c).map_or((false, c), |value| (true, char::from_digit(value, 10).unwrap()));
            match runs.last_mut() {
                Some((kind, run)) if *kind == is_number => run.push(c),
                _ => runs.push((is_number, c.to_string())),
            }
        }
        let plain = |run: String| match run.trim_start_matches('0') {
            "" => "0".to_owned(),
            digits => digits.to_owned(),
        };
        runs.into_iter().map(|(is_number, run)| if is_number { plain(run) } else { run }).collect()
    }

    fn version() -> impl Strategy<Value = String> {
        prop_oneof![
            any::<String>(),
            "[0-2a.\u{660}-\u{662}\u{ff10}\u{b2}]{0,6}",
            "(v|rev-)?[0-9]{1,3}([.][0-9]{1,3}){0,3}"
        ]
    }

    fn version_of_one_script() -> impl Strategy<Value = String> {
        version().prop_filter("begins with a digit outside ASCII", |version| {
            version.starts_with(|c: char| c.is_ascii() || digit(c).is_none()) || version.is_empty()
        })
    }

    #[test]
    fn is_not_transitive_across_scripts() {
        assert_eq!(compare("3", "\u{663}"), Equal);
        assert_eq!(compare("3", "v3"), Less);
        assert_eq!(compare("\u{663}", "v3"), Greater);
    }

    proptest! {
        #[test]
        fn is_antisymmetric(a in version(), b in version()) {
            prop_assert_eq!(compare(&a, &b), compare(&b, &a).reverse());
        }

        #[test]
        fn is_transitive_unless_a_digit_outside_ascii_begins(
            a in version_of_one_script(),
            b in version_of_one_script(),
            c in version_of_one_script(),
        ) {
            let (ab, bc, ac) = (compare(&a, &b), compare(&b, &c), compare(&a, &c));
            if ab == bc || bc.is_eq() {
                prop_assert_eq!(ac, ab);
            } else if ab.is_eq() {
                prop_assert_eq!(ac, bc);
            }
        }

        #[test]
        fn equal_means_the_same_normal_form(a in version(), b in version()) {
            prop_assert_eq!(compare(&a, &b).is_eq(), normal_form(&a) == normal_form(&b));
            prop_assert!(compare_alike(&a, &b).is_none_or(|ordering| ordering == compare(&a, &b)));
        }

        #[test]
        fn spelling_a_number_differently_changes_nothing(number: u64, zeros in 0_usize..4, script in 0..ZEROS.len()) {
            let plain = format!("v{number}.x");
            let spelt: String = plain.chars().map(|c| match digit(c) {
                Some(value) => char::from_u32(u32::from(ZEROS[script]) + value).unwrap(),
                None => c,
            }).collect();
            let spelt = spelt.replacen('v', &format!("v{}", "0".repeat(zeros)), 1);
            prop_assert_eq!(compare(&plain, &spelt), Equal);
            prop_assert_eq!(compare_alike(&plain, &spelt), Some(Equal));
        }

        #[test]
        fn text_at_the_end_makes_a_version_greater(a in version(), b in "[a-z.]{1,4}") {
            prop_assert_eq!(compare(&a, &format!("{a}{b}")), Less);
        }
    }
}
