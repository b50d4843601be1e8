//! OTLP's JSON encoding: attribute values, ids and times in the dialects of its writers. Knows no tools.
//!
//! The Collector and the SDKs write lowerCamelCase names, hex ids and 64-bit numbers as strings; protobuf's own JSON
//! printers write base64 ids and the names of enums, hand-made files `snake_case` names and bare numbers.

use std::borrow::Cow;

use super::fields::write_value;
use crate::canon;
use crate::time::Timestamp;
use crate::value::{Integer, Kind, Object, Value};

/// Nanoseconds in a second.
pub(super) const NANOS: u32 = 1_000_000_000;

/// The value of an attribute.
#[derive(Debug, Clone, Copy)]
pub(super) enum Attr<'t> {
    /// One of OTLP's one-member objects.
    Any(Value<'t>),
    /// A JSON value as it is.
    Json(Value<'t>),
}

/// The content of one of OTLP's one-member objects.
enum Any<'t> {
    Null,
    Json(Value<'t>),
    /// An integer in a string.
    Int(&'t str),
    List(Value<'t>),
    Map(Value<'t>),
}

fn any(value: Value<'_>) -> Any<'_> {
    let Some((name, content)) = value.as_object().and_then(|object| object.members().next()) else {
        return Any::Null;
    };
    match name {
        "intValue" | "int_value" => match content.as_str() {
            Some(text) if is_integer(text) => Any::Int(text),
            _ => Any::Json(content),
        },
        "arrayValue" | "array_value" => Any::List(content),
        "kvlistValue" | "kvlist_value" => Any::Map(content),
        _ => Any::Json(content),
    }
}

fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    (1..=20).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'))
}

fn values(list: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    list.as_object()
        .and_then(|object| object.get("values")?.as_array())
        .into_iter()
        .flat_map(|list| list.iter())
}

impl<'t> Attr<'t> {
    /// Returns the string that the value is.
    pub(super) fn as_str(self) -> Option<&'t str> {
        match self {
            Self::Json(value) => value.as_str(),
            Self::Any(value) => match any(value) {
                Any::Json(value) => value.as_str(),
                _ => None,
            },
        }
    }

    /// Returns the plain JSON value, where the value is written as one: always but for OTLP's numbers, lists and maps.
    pub(super) fn as_json(self) -> Option<Value<'t>> {
        match self {
            Self::Json(value) => Some(value),
            Self::Any(value) => match any(value) {
                Any::Json(value) => Some(value),
                _ => None,
            },
        }
    }

    /// Returns true for null, in OTLP an object without members.
    pub(super) fn is_null(self) -> bool {
        match self {
            Self::Json(value) => value.is_null(),
            Self::Any(value) => match any(value) {
                Any::Null => true,
                Any::Json(value) => value.is_null(),
                _ => false,
            },
        }
    }

    /// Appends the value as JSON.
    pub(super) fn write(self, out: &mut Vec<u8>) {
        match self {
            Self::Json(value) => write_value(value, out),
            Self::Any(value) => write_any(value, out),
        }
    }
}

// No document is deeper than `value::MAX_DEPTH`, so the recursion ends.
fn write_any(value: Value<'_>, out: &mut Vec<u8>) {
    match any(value) {
        Any::Null => out.extend_from_slice(b"null"),
        Any::Json(value) => write_value(value, out),
        Any::Int(digits) => out.extend_from_slice(if digits == "-0" { b"0" } else { digits.as_bytes() }),
        Any::List(list) => {
            out.push(b'[');
            for (index, value) in values(list).enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_any(value, out);
            }
            out.push(b']');
        }
        Any::Map(list) => {
            out.push(b'{');
            let mut first = true;
            for (key, value) in values(list).filter_map(pair) {
                if !std::mem::take(&mut first) {
                    out.push(b',');
                }
                canon::write_string(key, out);
                out.push(b':');
                match value {
                    Some(value) => write_any(value, out),
                    None => out.extend_from_slice(b"null"),
                }
            }
            out.push(b'}');
        }
    }
}

fn pair(entry: Value<'_>) -> Option<(&str, Option<Value<'_>>)> {
    let entry = entry.as_object()?;
    Some((entry.get("key")?.as_str()?, entry.get("value")))
}

/// Walks the attributes of a span, a resource or an event.
pub(super) fn attributes(of: Object<'_>) -> impl Iterator<Item = (&str, Attr<'_>)> {
    let list = of.get("attributes").and_then(Value::as_array);
    list.into_iter()
        .flat_map(|list| list.iter())
        .filter_map(pair)
        .filter_map(|(key, value)| Some((key, Attr::Any(value?))))
}

/// Returns a member by the name that current writers give it, or by the one in `snake_case`.
pub(super) fn member<'t>(of: Object<'t>, name: &str, snake: &str) -> Option<Value<'t>> {
    of.get(name).or_else(|| of.get(snake))
}

/// Returns the elements of a list.
pub(super) fn elements(list: Option<Value<'_>>) -> impl Iterator<Item = Object<'_>> {
    list.and_then(Value::as_array).into_iter().flat_map(|list| list.iter()).filter_map(Value::as_object)
}

/// Returns an id of `bytes` bytes as lower-case hex digits: as they are, folded, or decoded from base64. Text that is
/// neither is itself.
pub(super) fn id(value: Option<Value<'_>>, bytes: usize) -> Cow<'_, str> {
    let text = value.and_then(Value::as_str).unwrap_or_default();
    if text.len() == bytes * 2 && text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Cow::Owned(text.to_ascii_lowercase());
    }
    if text.len() == bytes.div_ceil(3) * 4
        && let Some(hex) = hex_of_base64(text).filter(|hex| hex.len() == bytes * 2)
    {
        return Cow::Owned(hex);
    }
    Cow::Borrowed(text)
}

fn hex_of_base64(text: &str) -> Option<String> {
    use std::fmt::Write;
    let digits = text.trim_end_matches('=');
    let (mut bits, mut held) = (0_u32, 0_u32);
    let mut hex = String::with_capacity(digits.len() * 2);
    for byte in digits.bytes() {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        (bits, held) = (bits << 6 | u32::from(six), held + 6);
        if held >= 8 {
            held -= 8;
            write!(hex, "{:02x}", bits >> held & 0xff).ok()?;
        }
    }
    Some(hex)
}

/// Returns a count of time units since 1970, in a decimal string or a number; none for zero, which means unset.
pub(super) fn units(value: Option<Value<'_>>) -> Option<i64> {
    let units = match value?.kind() {
        Kind::String(text) => text.parse().ok()?,
        Kind::Integer(Integer::Signed(number)) => number,
        // What pandas writes for a column that has holes.
        #[expect(clippy::cast_possible_truncation, reason = "checked to be a whole number below 2^53")]
        Kind::Float(number) if number.fract() == 0.0 && number.abs() < 9.0e15 => number as i64,
        _ => return None,
    };
    Some(units).filter(|units| *units != 0)
}

/// Writes a time so many `per_second` units after 1970-01-01T00:00:00Z; none outside the years 1 to 9999.
pub(super) fn stamp(units: i64, per_second: u32) -> Option<String> {
    let (seconds, rest) = (units.div_euclid(per_second.into()), units.rem_euclid(per_second.into()));
    let time = Timestamp::from_unix(seconds, 0);
    if time.as_micros() / 1_000_000 != seconds {
        return None;
    }
    let mut text = time.to_string();
    let digits = per_second.ilog10() as usize;
    let fraction = format!("{rest:0digits$}");
    let fraction = match fraction.trim_end_matches('0').len() {
        0 => return Some(text),
        1..=3 => &fraction[..3],
        4..=6 => &fraction[..6],
        _ => &fraction[..],
    };
    text.pop();
    Some(format!("{text}.{fraction}Z"))
}

/// Returns an ISO 8601 time, for formats that define what has no offset as UTC.
pub(super) fn utc(value: Option<Value<'_>>) -> Option<String> {
    let text = value?.as_str()?;
    if Timestamp::parse(text).is_ok() {
        return Some(text.to_owned());
    }
    Timestamp::parse_assuming_utc(text).ok()?;
    let (date, time) = text.split_once([' ', 'T'])?;
    Some(format!("{date}T{time}Z"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Parser;

    fn written(text: &str) -> String {
        let mut out = Vec::new();
        Attr::Any(Parser::default().parse(text.as_bytes()).unwrap().root()).write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn attribute_values_become_json() {
        for (any, json) in [
            (r#"{"stringValue":"a\"b"}"#, r#""a\"b""#),
            (r#"{"intValue":"9007199254740993"}"#, "9007199254740993"),
            (r#"{"intValue":42}"#, "42"),
            (r#"{"int_value":"-7"}"#, "-7"),
            // No JSON number; it stays what it is.
            (r#"{"intValue":"007"}"#, r#""007""#),
            (r#"{"doubleValue":41.5}"#, "41.5"),
            (r#"{"doubleValue":"NaN"}"#, r#""NaN""#),
            (r#"{"boolValue":false}"#, "false"),
            (r#"{"bytesValue":"AAE="}"#, r#""AAE=""#),
            ("{}", "null"),
            (r#"{"arrayValue":{}}"#, "[]"),
            (r#"{"arrayValue":{"values":[{"stringValue":"x"},{"intValue":"1"}]}}"#, r#"["x",1]"#),
            (
                r#"{"kvlistValue":{"values":[{"key":"a","value":{"kvlistValue":{}}},{"key":"b"}]}}"#,
                r#"{"a":{},"b":null}"#,
            ),
        ] {
            assert_eq!(written(any), json, "{any}");
        }
    }

    #[test]
    fn ids_are_hex_whatever_wrote_them() {
        let mut parser = Parser::default();
        for (text, bytes, hex) in [
            (r#""455DFF638C8AFB68""#, 8, "455dff638c8afb68"),
            (r#""7oWbJehN/LY=""#, 8, "ee859b25e84dfcb6"),
            (r#""klC5kS7pHWtG4jKZRZ7Nbg==""#, 16, "9250b9912ee91d6b46e23299459ecd6e"),
            (r#""not an id""#, 8, "not an id"),
            ("null", 8, ""),
        ] {
            assert_eq!(id(Some(parser.parse(text.as_bytes()).unwrap().root()), bytes), hex);
        }
    }

    #[test]
    fn times_keep_their_digits() {
        for (units, per_second, text) in [
            (1_765_964_260_551_000_000, 1_000_000_000, Some("2025-12-17T09:37:40.551Z")),
            (1_748_000_003_000_500_001, 1_000_000_000, Some("2025-05-23T11:33:23.000500001Z")),
            (1_767_603_601_120, 1_000, Some("2026-01-05T09:00:01.120Z")),
            (1_767_603_601_000, 1_000, Some("2026-01-05T09:00:01Z")),
            (-1, 1_000, Some("1969-12-31T23:59:59.999Z")),
            (i64::MAX, 1_000, None),
        ] {
            assert_eq!(stamp(units, per_second).as_deref(), text);
        }
    }
}
