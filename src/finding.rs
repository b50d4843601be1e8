//! What failed and how, in enough detail to act on without the payload: types, counts, ages, versions and references,
//! never a payload's values.

use std::fmt;

use smallvec::SmallVec;

use crate::reason::Reason;

/// One failure: of a rule, or of reading the input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Finding<'t> {
    /// The code of the failure.
    pub reason: Reason,
    /// The rule, or the step of reading, that failed.
    pub rule: &'static str,
    /// Where, as far as there is a place.
    pub path: Path<'t>,
    /// What would have been right.
    pub expected: Option<Fact<'t>>,
    /// What is there instead.
    pub actual: Option<Fact<'t>>,
}

/// All failures of one rule. Two fit without an allocation.
pub type Findings<'t> = SmallVec<[Finding<'t>; 2]>;

/// Where something failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Path<'t> {
    /// Nowhere in particular.
    None,
    /// A member of the input, by its name.
    Member(&'t str),
    /// A top-level field of the payload, by its name; written as a JSON Pointer.
    Field(&'t str),
    /// A place in the payload, as the contract's JSON Pointer names it; `""` is the payload itself.
    Pointer(&'t str),
}

/// One side of a comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fact<'t> {
    /// Words of this program: a type's name, a condition.
    Words(&'static str),
    /// A reference, a version or a name, from the contract or from the input's own members.
    Text(&'t str),
    /// The text of a template, its placeholders not filled: what they are filled with may be the payload's.
    Template(&'t str),
    /// Not what these words say.
    Not(&'static str),
    /// A whole number.
    Number(i64),
    /// Several of something.
    Count(usize, &'static str),
    /// At most so many of something.
    AtMost(u64, &'static str),
    /// A version that is not below this one.
    AtLeast(&'t str),
    /// An age in microseconds; negative where it lies in the future.
    Age(i64),
    /// Text of this program about a place in a text.
    Place(&'static str, usize),
}

impl fmt::Display for Fact<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Words(words) => f.write_str(words),
            Self::Text(text) => f.write_str(text),
            Self::Template(text) => write!(f, "`{text}`, filled"),
            Self::Not(words) => match words.strip_prefix("not ") {
                Some(opposite) => f.write_str(opposite),
                None => write!(f, "not {words}"),
            },
            Self::Number(number) => write!(f, "{number}"),
            Self::Count(count, of) => several(count as u64, of, f),
            Self::AtMost(count, of) => {
                f.write_str("at most ")?;
                several(count, of, f)
            }
            Self::AtLeast(version) => write!(f, "at least {version}"),
            Self::Age(micros) => {
                let (whole, fraction) =
                    (micros.unsigned_abs() / 1_000_000, micros.unsigned_abs() % 1_000_000);
                match fraction {
                    0 => write!(f, "{whole}")?,
                    _ => f.write_str(format!("{whole}.{fraction:06}").trim_end_matches('0'))?,
                }
                f.write_str(if micros < 0 { " seconds in the future" } else { " seconds" })
            }
            Self::Place(what, at) => write!(f, "{what} at byte {at}"),
        }
    }
}

/// Writes a number of something, `of` its plural.
fn several(count: u64, of: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let (things, rest) = of.split_at(of.find(' ').unwrap_or(of.len()));
    match things.strip_suffix('s') {
        Some(thing) if count == 1 => write!(f, "1 {thing}{rest}"),
        _ => write!(f, "{count} {of}"),
    }
}

impl Fact<'_> {
    /// Appends the fact as a JSON string.
    pub fn write(&self, out: &mut Vec<u8>) {
        #[expect(clippy::match_same_arms, reason = "the two differ in their lifetimes")]
        match *self {
            Self::Words(text) => crate::canon::write_string(text, out),
            Self::Text(text) => crate::canon::write_string(text, out),
            other => crate::canon::write_string(&other.to_string(), out),
        }
    }
}

impl<'t> Finding<'t> {
    /// Starts a finding of `rule`; place and sides are added by the methods below.
    pub const fn new(reason: Reason, rule: &'static str) -> Self {
        Self { reason, rule, path: Path::None, expected: None, actual: None }
    }

    /// Adds the member of the input that it is about.
    #[must_use]
    pub const fn member(mut self, name: &'t str) -> Self {
        self.path = Path::Member(name);
        self
    }

    /// Adds the top-level field of the payload that it is about.
    #[must_use]
    pub const fn field(mut self, name: &'t str) -> Self {
        self.path = Path::Field(name);
        self
    }

    /// Adds the place in the payload that it is about, as the contract's JSON Pointer names it.
    #[must_use]
    pub const fn pointer(mut self, pointer: &'t str) -> Self {
        self.path = Path::Pointer(pointer);
        self
    }

    /// Adds what would have been right.
    #[must_use]
    pub const fn expected(mut self, fact: Fact<'t>) -> Self {
        self.expected = Some(fact);
        self
    }

    /// Adds what is there.
    #[must_use]
    pub const fn actual(mut self, fact: Fact<'t>) -> Self {
        self.actual = Some(fact);
        self
    }
}

impl fmt::Display for Finding<'_> {
    /// Writes what would have been right and what is there: one line, whatever the texts in it hold.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |f: &mut fmt::Formatter<'_>, fact: &Fact<'_>| match fact {
            Fact::Text(text) | Fact::Template(text) => write!(f, "`{}`", text.escape_debug()),
            Fact::AtLeast(version) => write!(f, "at least `{}`", version.escape_debug()),
            other => other.fmt(f),
        };
        if let Some(expected) = &self.expected {
            f.write_str("expected ")?;
            side(f, expected)?;
        }
        if let Some(actual) = &self.actual {
            f.write_str(match (&self.expected, actual) {
                // What stands at a place says itself what is wrong there.
                (Some(_), Fact::Place(..)) => ": ",
                (None, Fact::Place(..)) => "",
                (Some(_), _) => ", found ",
                (None, _) => "found ",
            })?;
            side(f, actual)?;
        }
        Ok(())
    }
}

impl fmt::Display for Path<'_> {
    /// Writes the member's name, or the field as a JSON Pointer; one line, whatever the name holds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => Ok(()),
            Self::Member(name) | Self::Pointer(name) => write!(f, "{}", name.escape_debug()),
            Self::Field(name) => {
                write!(f, "/{}", name.replace('~', "~0").replace('/', "~1").escape_debug())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_read_as_one_line() {
        let finding = Finding::new(Reason::SourceMismatch, "reference");
        for (finding, expected) in [
            (finding, ""),
            (finding.actual(Fact::Words("a claim only")), "found a claim only"),
            (finding.expected(Fact::Number(1)), "expected 1"),
            (finding.actual(Fact::Place("a tab", 7)), "a tab at byte 7"),
            (
                finding.expected(Fact::Words("JSON text")).actual(Fact::Place("a stray comma", 7)),
                "expected JSON text: a stray comma at byte 7",
            ),
            (
                finding.expected(Fact::Text("a")).actual(Fact::Text("b\n\u{1b}[31m")),
                "expected `a`, found `b\\n\\u{1b}[31m`",
            ),
            (finding.expected(Fact::AtLeast("12\n")), "expected at least `12\\n`"),
        ] {
            assert_eq!(finding.to_string(), expected);
        }
        assert_eq!(Path::Field("a/b~\n").to_string(), "/a~1b~0\\n");
        assert_eq!(Path::Member("kind").to_string(), "kind");
    }

    #[test]
    fn facts_read_as_words() {
        for (fact, expected) in [
            (Fact::Words("absent"), "absent"),
            (Fact::Text("crm://customers"), "crm://customers"),
            (Fact::Template("customer:{/id}"), "`customer:{/id}`, filled"),
            (Fact::Not("empty"), "not empty"),
            (Fact::Not("not empty"), "empty"),
            (Fact::Number(404), "404"),
            (Fact::Count(3, "members"), "3 members"),
            (Fact::Count(1, "members"), "1 member"),
            (Fact::Count(0, "members"), "0 members"),
            (Fact::AtMost(3600, "seconds"), "at most 3600 seconds"),
            (Fact::AtMost(1, "levels of nesting"), "at most 1 level of nesting"),
            (Fact::AtLeast("revision-12"), "at least revision-12"),
            (Fact::Age(7_200_000_000), "7200 seconds"),
            (Fact::Age(1_500_000), "1.5 seconds"),
            (Fact::Age(-1), "0.000001 seconds in the future"),
            (Fact::Age(i64::MIN), "9223372036854.775808 seconds in the future"),
            (Fact::Place("expected a value", 7), "expected a value at byte 7"),
        ] {
            assert_eq!(fact.to_string(), expected);
        }
    }
}
