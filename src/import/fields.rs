//! Writes members of a JSON object, and values in the order of their source; sorts nothing and hashes nothing.

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

/// Appends a value as JSON, in the order of its source and with its repeated keys; a number keeps its digits, a float
/// is written as the shortest text of the same double.
pub fn write_value(value: Value<'_>, out: &mut Vec<u8>) {
    // No document is deeper than `value::MAX_DEPTH`, so the recursion ends.
    match value.kind() {
        Kind::Null => out.extend_from_slice(b"null"),
        Kind::Bool(true) => out.extend_from_slice(b"true"),
        Kind::Bool(false) => out.extend_from_slice(b"false"),
        Kind::Integer(integer) => canon::write_integer(integer, out),
        Kind::Float(float) if float.is_finite() => canon::write_float(float, out),
        // What JSON can say but no double can hold.
        Kind::Float(_) => out.extend_from_slice(value.overflowing_text().unwrap_or("null").as_bytes()),
        Kind::String(text) | Kind::Timestamp(text) => canon::write_string(text, out),
        Kind::Array(array) => {
            out.push(b'[');
            for (index, element) in array.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_value(element, out);
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
                write_value(member, out);
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
