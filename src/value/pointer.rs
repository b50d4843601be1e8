//! JSON Pointer (RFC 6901): the path to one value in a document. No wildcards, no `-` for the end of an array.

use std::fmt;

use super::{Kind, Value};

/// A JSON Pointer, its escapes decoded.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pointer {
    text: Box<str>,
    tokens: Box<[Box<str>]>,
}

/// A text that is no JSON Pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadPointer {
    /// Neither empty nor with `/` in front.
    NoSlash,
    /// A `~` that is not `~0` or `~1`.
    BadEscape,
}

impl fmt::Display for BadPointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSlash => "a JSON Pointer begins with `/`",
            Self::BadEscape => "in a JSON Pointer `~` is written `~0` and `/` is written `~1`",
        })
    }
}

impl std::error::Error for BadPointer {}

impl Pointer {
    /// Reads a pointer; `""` is the whole document.
    ///
    /// # Errors
    /// [`BadPointer`] where RFC 6901 gives the text no meaning.
    pub fn parse(text: &str) -> Result<Self, BadPointer> {
        let mut tokens = Vec::new();
        if !text.is_empty() {
            let path = text.strip_prefix('/').ok_or(BadPointer::NoSlash)?;
            for token in path.split('/') {
                tokens.push(unescape(token)?);
            }
        }
        Ok(Self { text: text.into(), tokens: tokens.into() })
    }

    /// Returns the text that the pointer was read from.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the decoded reference tokens, outermost first.
    pub fn tokens(&self) -> impl ExactSizeIterator<Item = &str> {
        self.tokens.iter().map(|token| &**token)
    }

    /// Returns the value that the pointer names in `root`; the last one where a key is repeated.
    pub fn resolve<'t>(&self, root: Value<'t>) -> Option<Value<'t>> {
        self.tokens.iter().try_fold(root, |value, token| match value.kind() {
            Kind::Object(object) => object.get(token),
            Kind::Array(array) => array.iter().nth(index(token)?),
            _ => None,
        })
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn unescape(token: &str) -> Result<Box<str>, BadPointer> {
    let mut decoded = String::with_capacity(token.len());
    let mut characters = token.chars();
    while let Some(character) = characters.next() {
        decoded.push(match character {
            '~' => match characters.next() {
                Some('0') => '~',
                Some('1') => '/',
                _ => return Err(BadPointer::BadEscape),
            },
            other => other,
        });
    }
    Ok(decoded.into())
}

/// An array index is `0` or digits without a leading zero.
fn index(token: &str) -> Option<usize> {
    let canonical = token == "0" || !token.starts_with('0');
    (canonical && token.bytes().all(|byte| byte.is_ascii_digit())).then(|| token.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Parser;

    #[test]
    fn resolves_the_examples_of_rfc_6901() {
        let mut parser = Parser::default();
        let text =
            br#"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#;
        let document = parser.parse(text).unwrap();
        let integer =
            |pointer: &str| match Pointer::parse(pointer).unwrap().resolve(document.root()).unwrap().kind() {
                Kind::Integer(integer) => integer.as_i64().unwrap(),
                other => panic!("{other:?}"),
            };
        for (pointer, expected) in [
            ("/", 0),
            ("/a~1b", 1),
            ("/c%d", 2),
            ("/e^f", 3),
            ("/g|h", 4),
            ("/i\\j", 5),
            ("/k\"l", 6),
            ("/ ", 7),
            ("/m~0n", 8),
        ] {
            assert_eq!(integer(pointer), expected, "{pointer}");
        }
        let first = Pointer::parse("/foo/0").unwrap().resolve(document.root()).unwrap();
        assert_eq!(first.as_str(), Some("bar"));
        for absent in ["/foo/2", "/foo/-", "/foo/00", "/foo/01", "/foo/+1", "/foo/", "/nope", "/foo/0/x"] {
            assert!(Pointer::parse(absent).unwrap().resolve(document.root()).is_none(), "{absent}");
        }
        assert!(Pointer::parse("").unwrap().resolve(document.root()).unwrap().as_object().is_some());
    }

    #[test]
    fn refuses_what_is_no_pointer() {
        for (text, error) in [
            ("foo", BadPointer::NoSlash),
            (" /foo", BadPointer::NoSlash),
            ("/a~", BadPointer::BadEscape),
            ("/a~2", BadPointer::BadEscape),
            ("/~b/c", BadPointer::BadEscape),
        ] {
            assert_eq!(Pointer::parse(text), Err(error), "{text}");
        }
    }
}
