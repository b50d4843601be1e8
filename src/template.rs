//! References with placeholders, `customer:{/arguments/customer_id}`: filled from one document, then compared as text.
//!
//! What is filled in is data of somebody else, so it must not be able to reach over its place: where a template has
//! several placeholders, a value must hold none of the punctuation that stands between them. `tenant:{/t}/user:{/u}`
//! can then be taken apart in one way only.

use crate::canon;
use crate::contract::Collector;
use crate::fields::{is_blank, is_placeholder};
use crate::value::{Kind, Pointer, Value};

/// A reference with or without placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    text: Box<str>,
    parts: Box<[Part]>,
    /// The punctuation between placeholders, which no value may hold.
    separators: Box<str>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Literal(Box<str>),
    Value(Pointer),
}

/// A placeholder that names nothing that can stand in a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfilled {
    /// The path names nothing, or null.
    Absent,
    /// It names an array, an object, or a number that is not finite.
    NoScalar,
    /// It names a string that is blank or stands for a value that is not there.
    Blank,
    /// The value holds punctuation that separates it from the next one.
    Separator,
}

impl Unfilled {
    /// Returns what is wrong, in words that hold no value.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Absent => "a placeholder that names nothing",
            Self::NoScalar => "a placeholder that names no scalar",
            Self::Blank => "a placeholder that names a blank or redacted string",
            Self::Separator => "a placeholder whose value holds a separator of the template",
        }
    }
}

impl Template {
    /// Returns the text that the template was read from.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the reference, where there is no placeholder.
    pub fn constant(&self) -> Option<&str> {
        match &*self.parts {
            [Part::Literal(text)] => Some(text),
            _ => None,
        }
    }

    /// Returns the paths of the placeholders.
    pub fn pointers(&self) -> impl Iterator<Item = &Pointer> {
        self.parts.iter().filter_map(|part| match part {
            Part::Value(pointer) => Some(pointer),
            Part::Literal(_) => None,
        })
    }

    /// Appends the reference, its placeholders filled from `root`.
    ///
    /// # Errors
    /// The first placeholder that cannot be filled.
    pub fn fill(&self, root: Value<'_>, out: &mut Vec<u8>) -> Result<(), Unfilled> {
        for part in &self.parts {
            let from = out.len();
            match part {
                Part::Literal(text) => {
                    out.extend_from_slice(text.as_bytes());
                    continue;
                }
                Part::Value(pointer) => value_text(pointer.resolve(root), out)?,
            }
            let written = out.get(from..).unwrap_or_default();
            if !self.separators.is_empty()
                && std::str::from_utf8(written)
                    .is_ok_and(|text| text.contains(|c| self.separators.contains(c)))
            {
                return Err(Unfilled::Separator);
            }
        }
        Ok(())
    }

    /// Returns the template that a text of 1 to 1,024 characters is; reports what is wrong with it.
    pub(crate) fn read(text: &str, report: &mut Collector<'_>) -> Option<Self> {
        let mut parts: Vec<Part> = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let (before, from) = rest.split_at(at);
            literal.push_str(before);
            if let Some(after) = from.strip_prefix("{{").or_else(|| from.strip_prefix("}}")) {
                literal.push_str(from.get(..1).unwrap_or_default());
                rest = after;
                continue;
            }
            let Some((pointer, after)) = from.strip_prefix('{').and_then(|inner| inner.split_once('}'))
            else {
                report.invalid(
                    "has a brace alone; a placeholder is `{/pointer}`, and a brace itself is doubled",
                );
                return None;
            };
            let pointer = match Pointer::parse(pointer) {
                Ok(pointer) if pointer.tokens().len() > 0 => pointer,
                Ok(_) => {
                    report.invalid("has a placeholder that names nothing: `{}`; write `{/pointer}`");
                    return None;
                }
                Err(error) => {
                    report.invalid(format!("has a placeholder that is no JSON Pointer: {error}"));
                    return None;
                }
            };
            if !literal.is_empty() {
                parts.push(Part::Literal(std::mem::take(&mut literal).into()));
            }
            parts.push(Part::Value(pointer));
            rest = after;
        }
        literal.push_str(rest);
        if !literal.is_empty() || parts.is_empty() {
            parts.push(Part::Literal(literal.into()));
        }
        let separators = separators(&parts, report)?;
        Some(Self { text: text.into(), parts: parts.into(), separators })
    }
}

/// Returns the punctuation between placeholders; reports placeholders that nothing keeps apart.
fn separators(parts: &[Part], report: &mut Collector<'_>) -> Option<Box<str>> {
    let mut separators = String::new();
    let is_value = |index: usize| matches!(parts.get(index), Some(Part::Value(_)));
    for (index, part) in parts.iter().enumerate().skip(1) {
        let between = is_value(index - 1) && is_value(index + 1);
        match part {
            Part::Value(_) if is_value(index - 1) => {
                report.invalid("has two placeholders side by side; put punctuation between them");
                return None;
            }
            Part::Literal(text) if between => {
                let punctuation = || text.chars().filter(|c| !c.is_alphanumeric());
                if punctuation().next().is_none() {
                    report.invalid("has two placeholders with nothing but letters or digits between them");
                    return None;
                }
                separators.extend(punctuation());
            }
            _ => {}
        }
    }
    Some(separators.into())
}

fn value_text(value: Option<Value<'_>>, out: &mut Vec<u8>) -> Result<(), Unfilled> {
    match value.map(|value| (value, value.kind())) {
        None | Some((_, Kind::Null)) => Err(Unfilled::Absent),
        Some((_, Kind::String(text))) if is_blank(text) || is_placeholder(text) => Err(Unfilled::Blank),
        Some((_, Kind::String(text))) => {
            out.extend_from_slice(text.as_bytes());
            Ok(())
        }
        Some((_, Kind::Array(_) | Kind::Object(_) | Kind::Timestamp(_))) => Err(Unfilled::NoScalar),
        Some((value, Kind::Bool(_) | Kind::Integer(_) | Kind::Float(_))) => {
            canon::Writer::default().write(value, out).map_err(|_| Unfilled::NoScalar)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Problems;
    use crate::value::Parser;

    fn read(text: &str) -> Result<Template, Problems> {
        let mut problems = Problems::default();
        let template = Template::read(text, &mut Collector::new(&mut problems));
        template.ok_or(problems)
    }

    fn fill(template: &str, document: &str) -> Result<String, Unfilled> {
        let template = read(template).unwrap_or_else(|problems| panic!("{problems}"));
        let mut out = Vec::new();
        template.fill(Parser::default().parse(document.as_bytes()).unwrap().root(), &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn fills_placeholders() {
        let document = r#"{"id":"42","n":9007199254740993,"f":42.0,"b":true,"null":null,"e":"","s":" ","r":"[redacted]",
            "list":[{"id":7}],"inject":"a/user:b","slash":"a/b","inf":1e400,"big":123456789012345678901234567890}"#;
        for (template, expected) in [
            ("customer:42", Ok("customer:42")),
            ("customer:{/id}", Ok("customer:42")),
            ("customer:{/n}", Ok("customer:9007199254740993")),
            ("customer:{/big}", Ok("customer:123456789012345678901234567890")),
            ("{/f}", Ok("42.0")),
            ("{/b}", Ok("true")),
            ("x{/list/0/id}y", Ok("x7y")),
            ("{{{/id}}}", Ok("{42}")),
            ("file:{/slash}", Ok("file:a/b")),
            ("issue:{/slash}#{/id}", Ok("issue:a/b#42")),
            ("tenant:{/id}/user:{/id}", Ok("tenant:42/user:42")),
            ("tenant:{/inject}/user:{/id}", Err(Unfilled::Separator)),
            ("tenant:{/id}/user:{/slash}", Err(Unfilled::Separator)),
            ("{/none}", Err(Unfilled::Absent)),
            ("{/null}", Err(Unfilled::Absent)),
            ("{/list/00}", Err(Unfilled::Absent)),
            ("{/list}", Err(Unfilled::NoScalar)),
            ("{/inf}", Err(Unfilled::NoScalar)),
            ("{/e}", Err(Unfilled::Blank)),
            ("{/s}", Err(Unfilled::Blank)),
            ("{/r}", Err(Unfilled::Blank)),
        ] {
            assert_eq!(fill(template, document), expected.map(str::to_owned), "{template}");
        }
    }

    #[test]
    fn refuses_what_is_ambiguous() {
        for bad in ["{id}", "{}", "{/id", "id}", "{/a}{/b}", "{/a}x{/b}", "{/a~2}", "a{b"] {
            assert_eq!(read(bad).map_err(|problems| problems.0.len()), Err(1), "{bad}");
        }
    }
}
