//! Regular expressions and globs of contracts: linear in the text they look at, bounded in size, equal by their text.

use globset::{GlobBuilder, GlobMatcher};
use regex::{Regex, RegexBuilder};

use crate::contract::Collector;
use crate::contract::read::with_article;
use crate::input::fits;
use crate::value::Value;

/// The most characters of a pattern.
const MOST_CHARACTERS: usize = 1024;

/// The most bytes that a compiled pattern may take, and as many again for its cache.
pub(crate) const MOST_BYTES: usize = 1 << 18;

/// A regular expression that is searched for; `^` and `$` pin it to the ends of the text, not to its lines.
#[derive(Debug, Clone)]
pub struct Pattern(Regex);

impl Pattern {
    /// Returns true where the pattern is found anywhere in the text.
    pub fn is_found_in(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    /// Returns the text of the pattern.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Returns the pattern that a value holds; reports what is wrong with it.
    pub(crate) fn read(value: Value<'_>, report: &mut Collector<'_>) -> Option<Self> {
        let Some(text) = value.as_str().filter(|text| !text.is_empty() && fits(text, MOST_CHARACTERS)) else {
            report.invalid(format!("must be a regular expression of 1 to {MOST_CHARACTERS} characters"));
            return None;
        };
        match RegexBuilder::new(text).size_limit(MOST_BYTES).dfa_size_limit(MOST_BYTES).build() {
            Ok(regex) => {
                if regex.is_match("") && regex.is_match("\u{0}\u{10ffff}") && regex.is_match("a\n") {
                    report.warn("is found in every text, as far as three samples tell: it may never fail");
                }
                Some(Self(regex))
            }
            Err(regex::Error::CompiledTooBig(_)) => {
                report.invalid("is too large once compiled; use smaller repetitions");
                None
            }
            Err(error) => {
                report.invalid(format!("is no regular expression: {}", last_line(&error.to_string())));
                None
            }
        }
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Pattern {}

/// The parser of patterns draws a picture of the place; the last line of it says what is wrong.
fn last_line(message: &str) -> &str {
    message.lines().last().unwrap_or_default().trim_start_matches("error: ")
}

/// A reference that must be equal, or a glob that must match all of it.
#[derive(Debug, Clone)]
pub enum Matcher {
    /// This text, character by character.
    Exact(Box<str>),
    /// A glob: `*` and `?` stop at `/`; `**` between slashes does not.
    Glob(GlobMatcher),
}

impl Matcher {
    /// Returns true where the text is what the matcher asks for.
    pub fn matches(&self, text: &str) -> bool {
        match self {
            Self::Exact(exact) => **exact == *text,
            Self::Glob(glob) => glob.is_match(text),
        }
    }

    /// Returns the text of the matcher.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Exact(text) => text,
            Self::Glob(glob) => glob.glob().glob(),
        }
    }

    /// Returns the matcher that a value holds; reports what is wrong with it.
    ///
    /// A text is a glob only where it holds `*`, `[` or `{`: a `?` alone is that of a URL's query.
    pub(crate) fn read(value: Value<'_>, report: &mut Collector<'_>) -> Option<Self> {
        let Some(text) = value.as_str().filter(|text| !text.is_empty() && fits(text, 1024)) else {
            report.invalid(match value.as_str() {
                Some(_) => "must be a string of 1 to 1024 characters".to_owned(),
                None => format!("must be a string of 1 to 1024 characters, not {}", with_article(value)),
            });
            return None;
        };
        if !text.contains(['*', '[', '{']) {
            return Some(Self::Exact(text.into()));
        }
        match GlobBuilder::new(text).literal_separator(true).backslash_escape(true).build() {
            Ok(glob) => {
                if text.trim_matches('*').is_empty() {
                    report
                        .warn("matches every reference without `/`, or every one at all: it can hardly fail");
                }
                Some(Self::Glob(glob.compile_matcher()))
            }
            Err(error) => {
                report.invalid(format!("is no glob: {}", error.kind()));
                None
            }
        }
    }
}

impl PartialEq for Matcher {
    fn eq(&self, other: &Self) -> bool {
        matches!(self, Self::Exact(_)) == matches!(other, Self::Exact(_)) && self.as_str() == other.as_str()
    }
}

impl Eq for Matcher {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Problems;
    use crate::value::Parser;

    fn read<T>(
        text: &str,
        read: impl Fn(Value<'_>, &mut Collector<'_>) -> Option<T>,
    ) -> (Option<T>, Problems) {
        let mut problems = Problems::default();
        let json = serde_json::to_vec(text).unwrap();
        let read = read(Parser::default().parse(&json).unwrap().root(), &mut Collector::new(&mut problems));
        (read, problems)
    }

    #[test]
    fn globs_stop_at_slashes() {
        for (glob, text, expected) in [
            ("mcp://crm", "mcp://crm", true),
            ("mcp://crm", "mcp://CRM", false),
            ("mcp://crm-*", "mcp://crm-eu", true),
            ("mcp://crm-*", "mcp://crm-", true),
            ("mcp://crm-*", "mcp://crm-eu/../evil", false),
            ("mcp://crm/**", "mcp://crm/eu/x", true),
            ("https://api/x?id=1", "https://api/x?id=1", true),
            ("https://api/x?id=1", "https://api/xZid=1", false),
            ("{a,b}://x", "b://x", true),
            ("{a,b}://x", "{a,b}://x", false),
            ("mcp://\u{441}rm-*", "mcp://crm-eu", false),
        ] {
            let (matcher, problems) = read(glob, Matcher::read);
            assert_eq!(
                matcher.unwrap_or_else(|| panic!("{problems}")).matches(text),
                expected,
                "{glob} {text}"
            );
        }
        for bad in ["a[", "{a", ""] {
            assert!(read(bad, Matcher::read).0.is_none(), "{bad}");
        }
    }

    #[test]
    fn refuses_patterns_that_are_none_or_too_large() {
        for bad in ["(", "[z-a]", "(?=x)", r"(a)\1", "", "(?:[\\w]{200}){200}"] {
            let (pattern, problems) = read(bad, Pattern::read);
            assert!(pattern.is_none() && problems.0.len() == 1, "{bad}");
            assert!(!problems.to_string().contains('\n'), "{problems}");
        }
        assert!(read("^[A-Z]{2}-[0-9]{1,9}$", Pattern::read).0.is_some());
    }
}
