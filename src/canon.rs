//! Canonical JSON: one text for every value that is equal, to be hashed. Not a pretty printer, and no parser.
//!
//! UTF-8; keys sorted by code point at every level, the last of several equal keys kept; no spaces; strings escaped
//! only where JSON demands it; integers with all their digits; floats as the shortest digits that read back to the
//! same double, laid out as Python's `repr` does. These are the bytes of `json.dumps(value, sort_keys=True,
//! ensure_ascii=False, separators=(",", ":"), allow_nan=False)`.

use std::fmt;

use wide::u8x16;

use crate::value::{Integer, Kind, Object, Value, shortest};

mod compact;
mod order;
mod pieces;

use compact::Compact;
use order::Orders;
use pieces::Pieces;

/// A value that has no canonical form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotCanonical {
    /// A float that overflows a double, or is no number.
    NotFinite,
    /// An object key that is no string, as YAML allows.
    KeyNotString,
}

impl fmt::Display for NotCanonical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotFinite => "a number that is not finite",
            Self::KeyNotString => "an object key that is not a string",
        })
    }
}

impl std::error::Error for NotCanonical {}

/// What to do with numbers that have no canonical form.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Overflow {
    Refuse,
    Keep,
}

/// Writes canonical JSON; keeps its working memory from one value to the next.
#[derive(Default)]
pub struct Writer {
    orders: Orders,
}

impl Writer {
    /// Returns the canonical text of `value`: in `out`, or where the value was read, if it stands there already.
    ///
    /// # Errors
    /// [`NotCanonical`] where some part of `value` has no canonical form.
    pub fn text<'o>(&mut self, value: Value<'o>, out: &'o mut Vec<u8>) -> Result<&'o [u8], NotCanonical> {
        self.orders.clear();
        if let Some((at, tokens)) = value.tokens() {
            if value.document_is_compact() {
                return Ok(Compact::new(tokens, &mut self.orders, out).write(at));
            }
            out.clear();
            return Pieces::new(value, tokens, &mut self.orders, out).write(at);
        }
        out.clear();
        write_value(value, &mut self.orders, out, Overflow::Refuse)?;
        Ok(out)
    }

    /// Appends the canonical text of `value` to `out`.
    ///
    /// # Errors
    /// [`NotCanonical`] where some part of `value` has no canonical form; `out` then ends in the middle.
    pub fn write(&mut self, value: Value<'_>, out: &mut Vec<u8>) -> Result<(), NotCanonical> {
        self.orders.clear();
        write_value(value, &mut self.orders, out, Overflow::Refuse)
    }

    /// Appends the same, but with the text of a number that overflows as it was read: JSON, though not canonical.
    ///
    /// # Errors
    /// [`NotCanonical`] for what is no JSON at all: YAML's `.nan` and `.inf`, keys that are no strings.
    pub fn write_json(&mut self, value: Value<'_>, out: &mut Vec<u8>) -> Result<(), NotCanonical> {
        self.orders.clear();
        write_value(value, &mut self.orders, out, Overflow::Keep)
    }
}

// No document is deeper than `value::MAX_DEPTH`, so the recursion ends.
fn write_value(
    value: Value<'_>,
    orders: &mut Orders,
    out: &mut Vec<u8>,
    overflow: Overflow,
) -> Result<(), NotCanonical> {
    match value.kind() {
        Kind::Array(array) => {
            out.push(b'[');
            for (index, element) in array.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_value(element, orders, out, overflow)?;
            }
            out.push(b']');
        }
        Kind::Object(object) => {
            out.push(b'{');
            let from = orders.begin();
            for key in object.keys() {
                orders.push(key.key_prefix().ok_or(NotCanonical::KeyNotString)?, key.position());
            }
            let order = orders.sort(from, |at| object.key_bytes_at(at));
            let mut index = 0;
            while let Some(at) = orders.place(&order, index) {
                write_member(object, at, orders, out, overflow)?;
                index += 1;
            }
            orders.done(&order);
            out.push(b'}');
        }
        _ => write_scalar(value, out, overflow)?,
    }
    Ok(())
}

/// Appends the member whose key lies at this position of the document, behind a comma where it is not the first one.
fn write_member(
    object: Object<'_>,
    at: usize,
    orders: &mut Orders,
    out: &mut Vec<u8>,
    overflow: Overflow,
) -> Result<(), NotCanonical> {
    if out.last() != Some(&b'{') {
        out.push(b',');
    }
    write_string(object.key_at(at), out);
    out.push(b':');
    write_value(object.member_at(at).1, orders, out, overflow)
}

/// Appends the canonical text of a value that is no container.
fn write_scalar(value: Value<'_>, out: &mut Vec<u8>, overflow: Overflow) -> Result<(), NotCanonical> {
    match value.kind() {
        Kind::Bool(true) => out.extend_from_slice(b"true"),
        Kind::Bool(false) => out.extend_from_slice(b"false"),
        Kind::Integer(integer) => write_integer(integer, out),
        Kind::Float(float) if float.is_finite() => write_float(float, out),
        Kind::Float(_) => match value.number_text() {
            Some(text) if overflow == Overflow::Keep => out.extend_from_slice(text.as_bytes()),
            _ => return Err(NotCanonical::NotFinite),
        },
        Kind::String(text) | Kind::Timestamp(text) => write_string(text, out),
        Kind::Null | Kind::Array(_) | Kind::Object(_) => out.extend_from_slice(b"null"),
    }
    Ok(())
}

/// Appends a JSON string in its canonical form, quotes included.
pub fn write_string(text: &str, out: &mut Vec<u8>) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    let mut rest = text.as_bytes();
    while let Some(at) = first_to_escape(rest) {
        let (plain, escaped) = rest.split_at(at);
        out.extend_from_slice(plain);
        let Some((&byte, after)) = escaped.split_first() else { break };
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x0c => out.extend_from_slice(b"\\f"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            control => {
                out.extend_from_slice(b"\\u00");
                out.push(HEX_DIGITS[usize::from(control >> 4)]);
                out.push(HEX_DIGITS[usize::from(control & 15)]);
            }
        }
        rest = after;
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

const HEX_DIGITS: &[u8; 16] = b"0123456789abcdef";

fn needs_escape(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// Returns where the first byte is that a JSON string must escape. Many bytes are passed in one step, and the last ones
/// together with some that are passed already.
fn first_to_escape(bytes: &[u8]) -> Option<usize> {
    const CHUNK: usize = 16;
    let (chunks, _) = bytes.as_chunks::<CHUNK>();
    let passed = chunks.iter().take_while(|chunk| is_plain_chunk(chunk)).count();
    let is_plain = match (bytes.last_chunk::<CHUNK>(), bytes.first_chunk(), bytes.last_chunk()) {
        (Some(last), ..) => passed == chunks.len() && is_plain_chunk(last),
        (None, Some(first), Some(last)) => is_plain_word(*first) && is_plain_word(*last),
        _ => false,
    };
    if is_plain {
        return None;
    }
    let passed = passed * CHUNK;
    bytes.iter().skip(passed).position(|byte| needs_escape(*byte)).map(|at| passed + at)
}

fn is_plain_chunk(chunk: &[u8; 16]) -> bool {
    let bytes = u8x16::new(*chunk);
    let control = bytes.min(u8x16::splat(0x1f)).simd_eq(bytes);
    let special = bytes.simd_eq(u8x16::splat(b'"')) | bytes.simd_eq(u8x16::splat(b'\\'));
    (control | special).none()
}

fn is_plain_word(word: [u8; 8]) -> bool {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    let word = u64::from_ne_bytes(word);
    // The highest bit is set in the lowest byte that is below `bound`, at most 0x80, and in none where there is none.
    let below = |bytes: u64, bound: u64| bytes.wrapping_sub(ONES * bound) & !bytes;
    let equal = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    (below(word, 0x20) | equal(b'"') | equal(b'\\')) & (ONES * 0x80) == 0
}

/// Appends an integer with all its digits.
pub fn write_integer(integer: Integer<'_>, out: &mut Vec<u8>) {
    match integer {
        Integer::Signed(value) => out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes()),
        Integer::Unsigned(value) => out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes()),
        Integer::Big(digits) => out.extend_from_slice(digits.as_bytes()),
    }
}

/// Appends a finite float: the shortest digits that read back to it, fixed notation for a decimal exponent of -4 to 15,
/// else `d.ddde+XX` with at least two digits in the exponent; zero of either sign is `0.0`.
pub fn write_float(value: f64, out: &mut Vec<u8>) {
    out.extend_from_slice(&shortest(value));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::value::Parser;

    fn canonical(text: &str) -> Result<String, NotCanonical> {
        let mut parser = Parser::default();
        let parsed = parser.parse(text.as_bytes()).unwrap();
        let (mut out, mut other) = (Vec::new(), Vec::new());
        let (mut writer, mut pieces) = (Writer::default(), Writer::default());
        let written = writer.write(parsed.root(), &mut out);
        let text = pieces.text(parsed.root(), &mut other);
        assert_eq!(text, written.map(|()| out.as_slice()), "{text:?}");
        Ok(String::from_utf8(text?.to_vec()).unwrap())
    }

    #[test]
    fn writes_one_text_for_equal_values() {
        for (text, expected) in [
            (" { \"b\" : 1 , \"a\" : [ ] } ", r#"{"a":[],"b":1}"#),
            (r#"{"b":{"d":1,"c":2},"a":0}"#, r#"{"a":0,"b":{"c":2,"d":1}}"#),
            (r#"{"a":1,"b":2,"a":3}"#, r#"{"a":3,"b":2}"#),
            (r#"{"a":1,"a":2}"#, r#"{"a":2}"#),
            (r#"{"z":1,"\u007a":{"y":1,"y":[]}}"#, r#"{"z":{"y":[]}}"#),
            (r#"{"":1,"\u0000":2}"#, r#"{"":1,"\u0000":2}"#),
            (r#"{"\ud83d\ude42":1,"\uffff":2,"é":3,"z":4}"#, "{\"z\":4,\"é\":3,\"\u{ffff}\":2,\"🙂\":1}"),
            ("-0", "0"),
            ("-0.0", "0.0"),
            ("0e7", "0.0"),
            ("18446744073709551616", "18446744073709551616"),
            ("-12345678901234567890123", "-12345678901234567890123"),
            (r#""\/\u0041\u00E9\u007f\u001f\b\f\n\r\t\"\\""#, "\"/Aé\u{7f}\\u001f\\b\\f\\n\\r\\t\\\"\\\\\""),
            (
                r#""sixteen bytes 16\nand more than sixteen\u0001""#,
                r#""sixteen bytes 16\nand more than sixteen\u0001""#,
            ),
        ] {
            assert_eq!(canonical(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn lays_floats_out_as_python_does() {
        for (text, expected) in [
            ("1.0", "1.0"),
            ("1e0", "1.0"),
            ("1.50", "1.5"),
            ("-1.5", "-1.5"),
            ("100.0", "100.0"),
            ("1e15", "1000000000000000.0"),
            ("9999999999999998.0", "9999999999999998.0"),
            ("1e16", "1e+16"),
            ("1.5e16", "1.5e+16"),
            ("12345678901234567890.0", "1.2345678901234567e+19"),
            ("1e22", "1e+22"),
            ("1e23", "1e+23"),
            ("0.1", "0.1"),
            ("0.001", "0.001"),
            ("0.0001", "0.0001"),
            ("0.00012", "0.00012"),
            ("0.00001", "1e-05"),
            ("0.000015", "1.5e-05"),
            ("1.5e-7", "1.5e-07"),
            ("5e-324", "5e-324"),
            ("1.7976931348623157e308", "1.7976931348623157e+308"),
            ("2.2250738585072014e-308", "2.2250738585072014e-308"),
            ("1e-400", "0.0"),
            ("0.30000000000000004", "0.30000000000000004"),
            ("123456.789", "123456.789"),
            ("1e100", "1e+100"),
        ] {
            assert_eq!(canonical(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn has_no_form_for_what_is_not_finite() {
        for text in ["1e400", "-1e400", "[1,{\"a\":1e999}]"] {
            assert_eq!(canonical(text), Err(NotCanonical::NotFinite), "{text}");
        }
        let mut parser = Parser::default();
        let parsed = parser.parse(b"[1e400, 2]").unwrap();
        let mut out = Vec::new();
        Writer::default().write_json(parsed.root(), &mut out).unwrap();
        assert_eq!(out, b"[1e400,2]");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn a_float_reads_back_to_itself(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            let mut out = Vec::new();
            write_float(value, &mut out);
            let text = String::from_utf8(out).unwrap();
            prop_assert_eq!(text.parse::<f64>().unwrap().abs().to_bits(), value.abs().to_bits());
            prop_assert!(text.contains('.') || text.contains('e'));
        }

        #[test]
        fn a_string_reads_back_to_itself(text in any::<String>()) {
            let mut out = Vec::new();
            write_string(&text, &mut out);
            prop_assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
        }

        #[test]
        fn pieces_of_the_text_give_what_is_written_anew(text in crate::value::tests::json_text()) {
            // `canonical` compares the two.
            if let Ok(once) = canonical(&text) {
                prop_assert_eq!(canonical(&once), Ok(once));
            }
        }

        #[test]
        fn members_are_in_order_whatever_was_written_before(
            objects in prop::collection::vec(
                (prop::collection::vec("[ab]{0,3}|long_prefix_[a-d]{1,2}|[a-z]", 0..24), any::<bool>()), 1..4,
            )
        ) {
            // One parser and one writer, as a stream has them.
            let (mut parser, mut writer, mut out) = (Parser::default(), Writer::default(), Vec::new());
            for (keys, is_compact) in objects.iter().chain(&objects) {
                let members = keys.iter().enumerate().map(|(index, key)| format!("\"{key}\":[{index},{{}}]"));
                let text = members.collect::<Vec<_>>().join(if *is_compact { "," } else { " , " });
                let last: std::collections::BTreeMap<_, _> = keys.iter().zip(0..).collect();
                let expected = last.iter().map(|(key, index)| format!("\"{key}\":[{index},{{}}]"));
                let expected = format!("{{{}}}", expected.collect::<Vec<_>>().join(","));
                let text = format!("{{{text}}}");
                let parsed = parser.parse(text.as_bytes()).unwrap();
                prop_assert_eq!(writer.text(parsed.root(), &mut out).unwrap(), expected.as_bytes());
                let mut written = Vec::new();
                writer.write(parsed.root(), &mut written).unwrap();
                prop_assert_eq!(written, expected.into_bytes());
            }
        }

        #[test]
        fn canonical_text_is_its_own_canonical_form(members in prop::collection::vec(("[a-d]{0,2}", -5..5_i32), 0..12)) {
            let text = members.iter().map(|(key, value)| format!("\"{key}\":[{value},{{}}]")).collect::<Vec<_>>().join(",");
            let once = canonical(&format!("{{{text}}}")).unwrap();
            prop_assert_eq!(&canonical(&once).unwrap(), &once);
            let map: std::collections::BTreeMap<_, _> = members.iter().cloned().collect();
            let expected: Vec<_> = map.iter().map(|(key, value)| format!("\"{key}\":[{value},{{}}]")).collect();
            prop_assert_eq!(once, format!("{{{}}}", expected.join(",")));
        }
    }
}
