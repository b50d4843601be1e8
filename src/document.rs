//! One whole document, JSON or YAML, within the bounds: an adapter input or a fixture in a file of its own. It knows
//! syntax, not meaning, and no files.

use bumpalo::Bump;

use crate::contract::{Problem, Problems};
use crate::reason::Reason;
use crate::value::{Document, Excess, Limits, Parser, Syntax};
use crate::yaml::{self, DuplicateKeys};

/// How a document is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JSON, by RFC 8259.
    Json,
    /// YAML 1.1, through the one safe door.
    Yaml,
}

impl Format {
    /// Returns the format of a text: by the extension of the file's name, in either case; else by the text itself,
    /// which is JSON where it begins with a bracket.
    pub fn of(extension: Option<&str>, text: &[u8]) -> Self {
        let is = |known: &str| extension.is_some_and(|extension| extension.eq_ignore_ascii_case(known));
        if is("json") {
            return Self::Json;
        }
        if is("yaml") || is("yml") {
            return Self::Yaml;
        }
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        match text.trim_ascii_start().first() {
            Some(b'{' | b'[') => Self::Json,
            _ => Self::Yaml,
        }
    }
}

/// Reads documents, one after the other, in memory that it keeps.
#[derive(Default)]
pub struct Reader {
    parser: Parser,
    arena: Bump,
}

impl Reader {
    /// Returns the one document in `text`. Of equal keys the last one's value counts.
    ///
    /// # Errors
    /// The one problem that ends the reading: `PARSE_FAILED`, `UNSAFE_INPUT` or `LIMIT_EXCEEDED`.
    pub fn read(&mut self, text: &[u8], format: Format, limits: &Limits) -> Result<Document<'_>, Problems> {
        let Self { parser, arena } = self;
        if text.len() > limits.bytes {
            return Err(problem(Reason::LimitExceeded, Excess::Bytes(limits.bytes).to_string()));
        }
        match format {
            Format::Json => {
                let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
                let parsed = parser.parse(text).map_err(|error| match error {
                    Syntax::TooDeep => problem(Reason::LimitExceeded, error.to_string()),
                    error => problem(Reason::ParseFailed, format!("not valid JSON: {error}")),
                })?;
                parsed
                    .check_bounds(limits)
                    .map_err(|excess| problem(Reason::LimitExceeded, excess.to_string()))?;
                Ok(parsed)
            }
            Format::Yaml => {
                arena.reset();
                yaml::load_bytes(text, arena, limits, DuplicateKeys::LastWins)
                    .map_err(|refusal| problem(refusal.reason, refusal.to_string()))
            }
        }
    }
}

fn problem(reason: Reason, message: String) -> Problems {
    Problem { reason, file: None, place: String::new(), message }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_tells_the_format_and_else_the_text() {
        for (extension, text, expected) in [
            (Some("json"), "a: 1", Format::Json),
            (Some("JSON"), "a: 1", Format::Json),
            (Some("yaml"), "{}", Format::Yaml),
            (Some("YmL"), "{}", Format::Yaml),
            (Some("txt"), " \n{", Format::Json),
            (Some("txt"), "a: 1", Format::Yaml),
            (None, "\u{feff}[", Format::Json),
            (None, "", Format::Yaml),
            (None, "# {", Format::Yaml),
        ] {
            assert_eq!(Format::of(extension, text.as_bytes()), expected, "{extension:?} {text:?}");
        }
    }

    #[test]
    fn both_formats_have_the_same_bounds() {
        let limits = Limits { bytes: 40, depth: 3, nodes: 6, characters: 5 };
        let mut reader = Reader::default();
        for (text, expected) in [
            (r#"{"a": [1, 2]}"#, None),
            (r#"{"a": 1, "a": 2}"#, None),
            (r"[[[1]]]", Some(Reason::LimitExceeded)),
            (r"[1, 2, 3, 4, 5, 6]", Some(Reason::LimitExceeded)),
            (r#"["123456"]"#, Some(Reason::LimitExceeded)),
            (r#"["1234", "1234", "1234", "1234", "1234" ]"#, Some(Reason::LimitExceeded)),
            (r"[1", Some(Reason::ParseFailed)),
            (r"[1] 2", Some(Reason::ParseFailed)),
        ] {
            for format in [Format::Json, Format::Yaml] {
                let read = reader.read(text.as_bytes(), format, &limits);
                assert_eq!(read.err().map(|problems| problems.0[0].reason), expected, "{format:?} {text}");
            }
        }
        let anchor = reader.read(b"a: &x 1", Format::Yaml, &limits).err().unwrap();
        assert_eq!(anchor.0[0].reason, Reason::UnsafeInput);
        assert_eq!(anchor.exit_status(), 3);
    }
}
