//! Writes members of a JSON object, and values in the order of their source; sorts nothing and hashes nothing.

use memchr::memchr2;

use crate::canon;
use crate::value::{Kind, Value};

/// Members of an object under construction, with commas between them and without the braces.
#[derive(Debug, Default)]
pub struct Fields {
    bytes: Vec<u8>,
}

impl Fields {
    /// Returns what was written.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Forgets everything and keeps the memory.
    pub fn clear(&mut self) -> &mut Self {
        self.bytes.clear();
        self
    }

    /// Returns true where no member was written.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Writes a string.
    pub fn str(&mut self, key: &str, text: &str) -> &mut Self {
        self.raw(key, |out| canon::write_string(text, out))
    }

    /// Writes a string where there is one.
    pub fn opt_str(&mut self, key: &str, text: Option<&str>) -> &mut Self {
        if let Some(text) = text {
            self.str(key, text);
        }
        self
    }

    /// Writes a boolean.
    pub fn bool(&mut self, key: &str, value: bool) -> &mut Self {
        self.raw(key, |out| out.extend_from_slice(if value { b"true" } else { b"false" }))
    }

    /// Writes a number.
    pub fn count(&mut self, key: &str, value: u64) -> &mut Self {
        self.raw(key, |out| out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes()))
    }

    /// Writes a value as it is.
    pub fn value(&mut self, key: &str, value: Value<'_>) -> &mut Self {
        self.raw(key, |out| write_value(value, out))
    }

    /// Writes a value as it is where there is one and it is a scalar other than null, as `metadata` keeps them.
    pub fn scalar(&mut self, key: &str, value: Option<Value<'_>>) -> &mut Self {
        match value.map(|value| (value, value.kind())) {
            None | Some((_, Kind::Null | Kind::Array(_) | Kind::Object(_))) => self,
            Some((value, _)) => self.value(key, value),
        }
    }

    /// Writes a member whose value `write` appends.
    pub fn raw(&mut self, key: &str, write: impl FnOnce(&mut Vec<u8>)) -> &mut Self {
        if !self.bytes.is_empty() {
            self.bytes.push(b',');
        }
        canon::write_string(key, &mut self.bytes);
        self.bytes.push(b':');
        write(&mut self.bytes);
        self
    }
}

/// Appends a value as JSON on one line: its own text where that has no line ends, so that order, repeated keys, digits
/// and escapes stay as they were recorded.
pub fn write_value(value: Value<'_>, out: &mut Vec<u8>) {
    let text = value.source().unwrap_or_default();
    if text.is_empty() || memchr2(b'\n', b'\r', text).is_some() {
        return write_anew(value, out);
    }
    out.extend_from_slice(text);
}

// No document is deeper than `value::MAX_DEPTH`, so the recursion ends.
fn write_anew(value: Value<'_>, out: &mut Vec<u8>) {
    match value.kind() {
        Kind::Null => out.extend_from_slice(b"null"),
        Kind::Bool(true) => out.extend_from_slice(b"true"),
        Kind::Bool(false) => out.extend_from_slice(b"false"),
        Kind::Integer(integer) => canon::write_integer(integer, out),
        Kind::Float(float) => match value.number_text() {
            Some(text) => out.extend_from_slice(text.as_bytes()),
            None if float.is_finite() => canon::write_float(float, out),
            None => out.extend_from_slice(b"null"),
        },
        Kind::String(text) | Kind::Timestamp(text) => canon::write_string(text, out),
        Kind::Array(array) => {
            out.push(b'[');
            for (index, element) in array.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_anew(element, out);
            }
            out.push(b']');
        }
        Kind::Object(object) => {
            out.push(b'{');
            for (index, (key, member)) in object.members().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                canon::write_string(key, out);
                out.push(b':');
                write_anew(member, out);
            }
            out.push(b'}');
        }
    }
}

/// Appends the inside of a JSON string: the text with its escapes, without the quotes.
pub fn write_inside(text: &str, out: &mut Vec<u8>) {
    let from = out.len();
    canon::write_string(text, out);
    out.pop();
    if from < out.len() {
        out.remove(from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Parser;

    #[test]
    fn writes_a_value_as_it_was_recorded_but_on_one_line() {
        let mut parser = Parser::default();
        for (text, expected) in [
            (r#"{"b": 1.50, "a": "\u00e9", "a": 123456789012345678901234567890}"#, None),
            ("1e400", None),
            (
                "{\"b\":\n[1.50,\r\n1e400,true,null],\"a\":\"\\n\"}",
                Some("{\"b\":[1.50,1e400,true,null],\"a\":\"\\n\"}"),
            ),
        ] {
            let mut out = Vec::new();
            write_value(parser.parse(text.as_bytes()).unwrap().root(), &mut out);
            assert_eq!(std::str::from_utf8(&out).unwrap(), expected.unwrap_or(text));
        }
    }

    #[test]
    fn writes_members_with_commas_between() {
        let mut fields = Fields::default();
        fields.str("a", "x\"").opt_str("b", None).bool("c", true).count("d", 7);
        assert_eq!(fields.as_bytes(), br#""a":"x\"","c":true,"d":7"#);
        let mut inside = b"pre".to_vec();
        write_inside("a\"b\n", &mut inside);
        assert_eq!(inside, br#"prea\"b\n"#);
    }
}
