//! Scalars and their styles, as tables of text and value; what is refused is in `documents`.

use std::fmt::Write;

use super::{Refusal, load};
use crate::reason::Reason::{self, LimitExceeded, ParseFailed, UnsafeInput};
use crate::value::{Integer, Kind, Limits, Value};
use bumpalo::Bump;

mod documents;
mod properties;

/// Writes a value so that its types show: floats with a fraction, strings in quotes.
fn show(value: Value<'_>, out: &mut String) {
    match value.kind() {
        Kind::Null => out.push_str("null"),
        Kind::Bool(value) => write!(out, "{value}").unwrap(),
        Kind::Integer(Integer::Signed(value)) => write!(out, "{value}").unwrap(),
        Kind::Integer(Integer::Unsigned(value)) => write!(out, "{value}").unwrap(),
        Kind::Integer(Integer::Big(digits)) => out.push_str(digits),
        Kind::Float(value) => write!(out, "{value:?}").unwrap(),
        Kind::String(text) => write!(out, "{text:?}").unwrap(),
        Kind::Timestamp(text) => out.push_str(text),
        Kind::Array(array) => {
            out.push('[');
            for (at, item) in array.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                show(item, out);
            }
            out.push(']');
        }
        Kind::Object(object) => {
            out.push('{');
            for (at, (key, value)) in object.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                show(key, out);
                out.push_str(": ");
                show(value, out);
            }
            out.push('}');
        }
    }
}

fn loaded(text: &str) -> Result<String, Refusal> {
    let arena = Bump::new();
    let document = load(text, &arena, &Limits::DEFAULT)?;
    let mut shown = String::new();
    show(document.root(), &mut shown);
    Ok(shown)
}

fn reason(text: &str) -> Option<Reason> {
    loaded(text).err().map(|refusal| refusal.reason)
}

#[track_caller]
fn loads(rows: &[(&str, &str)]) {
    for &(text, expected) in rows {
        assert_eq!(loaded(text).as_deref(), Ok(expected), "{text:?}");
    }
}

#[track_caller]
fn refuses(expected: Reason, texts: &[&str]) {
    for &text in texts {
        assert_eq!(reason(text), Some(expected), "{text:?}: {:?}", loaded(text));
    }
}

#[test]
fn plain_words_have_the_types_of_yaml_1_1() {
    loads(&[
        // Null.
        ("", "null"),
        ("~", "null"),
        ("null", "null"),
        ("Null", "null"),
        ("NULL", "null"),
        ("nUll", r#""nUll""#),
        ("nil", r#""nil""#),
        ("# only a comment", "null"),
        ("---", "null"),
        // Booleans.
        ("yes", "true"),
        ("Yes", "true"),
        ("YES", "true"),
        ("yEs", r#""yEs""#),
        ("no", "false"),
        ("No", "false"),
        ("NO", "false"),
        ("true", "true"),
        ("True", "true"),
        ("TRUE", "true"),
        ("tRue", r#""tRue""#),
        ("false", "false"),
        ("False", "false"),
        ("FALSE", "false"),
        ("on", "true"),
        ("On", "true"),
        ("ON", "true"),
        ("off", "false"),
        ("Off", "false"),
        ("OFF", "false"),
        ("y", r#""y""#),
        ("Y", r#""Y""#),
        ("n", r#""n""#),
        // Neither.
        ("a", r#""a""#),
        ("a b", r#""a b""#),
        ("a:b", r#""a:b""#),
        ("a#b", r#""a#b""#),
        ("a # b", r#""a""#),
        ("::", r#"{":": null}"#),
        ("::a", r#""::a""#),
        ("?a", r#""?a""#),
        ("-a", r#""-a""#),
        ("a\\", r#""a\\""#),
        ("<", r#""<""#),
        ("==", r#""==""#),
        ("日本", r#""日本""#),
    ]);
}

#[test]
fn plain_numbers_have_the_types_of_yaml_1_1() {
    loads(&[
        // Integers.
        ("0", "0"),
        ("-0", "0"),
        ("+0", "0"),
        ("12", "12"),
        ("-12", "-12"),
        ("+12", "12"),
        ("1_000", "1000"),
        ("1__0", "10"),
        ("1_", "1"),
        ("_1", r#""_1""#),
        ("010", "8"),
        ("-010", "-8"),
        ("01", "1"),
        ("00", "0"),
        ("0_", "0"),
        ("0_7", "7"),
        ("0o10", r#""0o10""#),
        ("08", r#""08""#),
        ("0x1F", "31"),
        ("0xff", "255"),
        ("0x_f", "15"),
        ("-0x10", "-16"),
        ("0X1f", r#""0X1f""#),
        ("0b101", "5"),
        ("+0b11", "3"),
        ("0b12", r#""0b12""#),
        ("0xg", r#""0xg""#),
        ("1:30", "90"),
        ("-1:30", "-90"),
        ("1:30:45", "5445"),
        ("190:20:30", "685230"),
        ("1:60", r#""1:60""#),
        ("60:1", "3601"),
        ("01:30", r#""01:30""#),
        ("0:0", r#""0:0""#),
        ("9223372036854775808", "9223372036854775808"),
        ("-9223372036854775809", "-9223372036854775809"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ("0xffffffffffffffffffff", "1208925819614629174706175"),
        ("1,000", r#""1,000""#),
        ("12e03", r#""12e03""#),
        ("-", "[null]"),
        ("--", r#""--""#),
        ("+", r#""+""#),
        // Floats.
        ("1.5", "1.5"),
        ("-1.5", "-1.5"),
        ("+1.5", "1.5"),
        ("1.", "1.0"),
        ("0.0", "0.0"),
        ("-0.0", "-0.0"),
        (".5", "0.5"),
        ("-.5", r#""-.5""#),
        ("+.5", r#""+.5""#),
        ("1_0.5", "10.5"),
        ("0.1_0", "0.1"),
        ("1._", "1.0"),
        ("._1", r#""._1""#),
        (".", r#"".""#),
        ("1e3", r#""1e3""#),
        ("1e+3", r#""1e+3""#),
        ("1.0e3", r#""1.0e3""#),
        ("1.0e+3", "1000.0"),
        ("1.5E-3", "0.0015"),
        (".5e+1", "5.0"),
        ("1.0e+400", "inf"),
        ("1:30.5", "90.5"),
        ("190:20:30.15", "685230.15"),
        ("0:30.", "30.0"),
        ("685_230.15", "685230.15"),
        (".inf", "inf"),
        (".Inf", "inf"),
        ("+.INF", "inf"),
        ("-.inf", "-inf"),
        (".iNf", r#"".iNf""#),
        (".nan", "NaN"),
        (".NaN", "NaN"),
        (".NAN", "NaN"),
        ("+.nan", r#""+.nan""#),
        ("1.2.3", r#""1.2.3""#),
    ]);
}

#[test]
fn timestamps_print_as_iso_8601() {
    loads(&[
        ("[2026-11-02]", "[2026-11-02]"),
        ("[2026-11-2]", r#"["2026-11-2"]"#),
        ("[!!timestamp 2026-1-2]", "[2026-01-02]"),
        ("[2026-11-02T10:00:00Z]", "[2026-11-02T10:00:00+00:00]"),
        ("[2026-11-02t10:00:00]", "[2026-11-02T10:00:00]"),
        ("[2026-11-02 1:00:00]", "[2026-11-02T01:00:00]"),
        ("[2026-1-2 10:00:00]", "[2026-01-02T10:00:00]"),
        ("[2026-11-02   10:00:00   Z]", "[2026-11-02T10:00:00+00:00]"),
        ("[2026-11-02 10:00:00 -5]", "[2026-11-02T10:00:00-05:00]"),
        ("[2026-11-02 10:00:00+05:30]", "[2026-11-02T10:00:00+05:30]"),
        ("[2026-11-02 10:00:00 -0:30]", "[2026-11-02T10:00:00-00:30]"),
        ("[2026-11-02T10:00:00.]", "[2026-11-02T10:00:00]"),
        ("[2026-11-02T10:00:00.5]", "[2026-11-02T10:00:00.500000]"),
        ("[2026-11-02T10:00:00.123456789Z]", "[2026-11-02T10:00:00.123456+00:00]"),
        ("[2024-02-29]", "[2024-02-29]"),
        ("[2000-02-29]", "[2000-02-29]"),
        ("[0001-01-01 00:00:00 +23:59]", "[0001-01-01T00:00:00+23:59]"),
        // Other forms are strings.
        ("[2026-11-02T10:00]", r#"["2026-11-02T10:00"]"#),
        ("[2026-11-02T10:00:00z]", r#"["2026-11-02T10:00:00z"]"#),
        ("[2026-11-02T10:00:00 +0100]", r#"["2026-11-02T10:00:00 +0100"]"#),
        ("['2026-11-02 10:00:00']", r#"["2026-11-02 10:00:00"]"#),
        ("[20261102]", "[20261102]"),
    ]);
    refuses(
        ParseFailed,
        &[
            "[2026-13-01]",
            "[2026-00-01]",
            "[2026-02-29]",
            "[1900-02-29]",
            "[2026-11-31]",
            "[0000-01-01]",
            "[2026-11-02T24:00:00Z]",
            "[2026-11-02T10:60:00Z]",
            "[2026-11-02T10:00:60Z]",
            "[2026-11-02 10:00:00 +24]",
            "[2026-11-02 10:00:00 +23:99]",
            "[!!timestamp soon]",
            "[!!timestamp '']",
        ],
    );
    // The document as a whole is none.
    refuses(LimitExceeded, &["2026-11-02", "2026-11-02 10:00:00", "!!timestamp 2026-1-2"]);
}

#[test]
fn a_timestamp_as_a_key_is_no_name() {
    loads(&[
        ("{2026-11-02: 1}", "{2026-11-02: 1}"),
        ("{2026-11-02: 1, '2026-11-02': 2}", r#"{2026-11-02: 1, "2026-11-02": 2}"#),
        ("{2026-11-02: 1, !!timestamp 2026-11-2: 2}", "{2026-11-02: 2}"),
        // The same instant.
        ("{2026-11-02 10:00:00Z: 1, 2026-11-02 12:00:00+02:00: 2}", "{2026-11-02T10:00:00+00:00: 2}"),
        ("{2026-12-31 23:30:00 -1: 1, 2027-01-01 00:30:00Z: 2}", "{2026-12-31T23:30:00-01:00: 2}"),
        ("{2024-02-29 23:30:00 -1: 1, 2024-03-01 00:30:00Z: 2}", "{2024-02-29T23:30:00-01:00: 2}"),
        // Without an offset it is none.
        (
            "{2026-11-02 10:00:00Z: 1, 2026-11-02 10:00:00: 2}",
            "{2026-11-02T10:00:00+00:00: 1, 2026-11-02T10:00:00: 2}",
        ),
    ]);
}

#[test]
fn written_tags() {
    loads(&[
        ("!!str 1", r#""1""#),
        ("!!str", r#""""#),
        ("!!str ~", r#""~""#),
        ("!!int '12'", "12"),
        ("!!int 1_0", "10"),
        ("!!int '1:30'", "90"),
        ("!!float 1", "1.0"),
        ("!!float 1e3", "1000.0"),
        ("!!float 1:30", "90.0"),
        ("!!float .inf", "inf"),
        ("!!float -.INF", "-inf"),
        ("!!float nan", "NaN"),
        ("!!bool YES", "true"),
        ("!!bool 'off'", "false"),
        ("!!null anything", "null"),
        ("!!seq [a]", r#"["a"]"#),
        ("!!map {a: 1}", r#"{"a": 1}"#),
        ("!<tag:yaml.org,2002:str> 1", r#""1""#),
        ("!!st%72 1", r#""1""#),
        ("%TAG !e! tag:yaml.org,2002:\n---\n!e!str 1", r#""1""#),
    ]);
    refuses(
        ParseFailed,
        &[
            "!!int x",
            "!!int ''",
            "!!int +",
            "!!int 1.5",
            "!!int 08",
            "!!int 0b2",
            "0x_",
            "!!float x",
            "!!float ''",
            "!!bool x",
            "!!bool ''",
        ],
    );
    refuses(
        UnsafeInput,
        &[
            "! x",
            "!local x",
            "!!binary aGk=",
            "!!set {a, b}",
            "!!omap [a: 1]",
            "!!python/object:os.system x",
            "!!merge <<",
            "!!value =",
            "!<!foo> x",
            "!<tag:example.test,2026:x> y",
            "[!!str, 1]",
            "%TAG !! tag:example.test,2026:\n---\n!!str x",
            // A tag that does not fit the kind of node.
            "!!str [a]",
            "!!null {a: b}",
            "!!timestamp [a]",
            "!!seq x",
            "!!seq {a: 1}",
            "!!map [a]",
            "!!map x",
        ],
    );
}

#[test]
fn styles() {
    loads(&[
        ("'it''s'", r#""it's""#),
        ("'a\n  b\n\n  c'", r#""a b\nc""#),
        (r#""\0\a\b\t\n\v\f\r\e\ \"\/\\""#, r#""\0\u{7}\u{8}\t\n\u{b}\u{c}\r\u{1b} \"/\\""#),
        (r#""\N\_\L\P""#, r#""\u{85}\u{a0}\u{2028}\u{2029}""#),
        (r#""\x41\u00e9\U0001F642""#, r#""Aé🙂""#),
        ("\"a\\\n   b\"", r#""ab""#),
        ("\"a \\\n   b\"", r#""a b""#),
        ("\"a\n\n\n b\"", r#""a\n\nb""#),
        ("a\n b\n\n c", r#""a b\nc""#),
        ("|\n a\n  b\n\n c", r#""a\n b\n\nc""#),
        ("|\n a\n", r#""a\n""#),
        ("|\n a", r#""a""#),
        ("|-\n a\n\n", r#""a""#),
        ("|+\n a\n\n", r#""a\n\n""#),
        ("|2\n   a\n", r#"" a\n""#),
        ("|1-\n  a\n", r#"" a""#),
        ("|+1 # c\n  a\n", r#"" a\n""#),
        (">\n a\n b\n\n c\n  d\n e\n", r#""a b\nc\n d\ne\n""#),
        ("- a\n- - b\n  - c", r#"["a", ["b", "c"]]"#),
        ("a:\n- b\n- c", r#"{"a": ["b", "c"]}"#),
        ("a: 1\nb:\n  c: 2", r#"{"a": 1, "b": {"c": 2}}"#),
        ("? a\n: b\n? c", r#"{"a": "b", "c": null}"#),
        ("[a, b: c, ? d, ? e : f]", r#"["a", {"b": "c"}, {"d": null}, {"e": "f"}]"#),
        ("{a, b: , c: 1,}", r#"{"a": null, "b": null, "c": 1}"#),
        ("{\"a\":1}", r#"{"a": 1}"#),
        ("{a:1}", r#"{"a:1": null}"#),
        ("%YAML 1.1\n---\na\n...\n", r#""a""#),
        ("%FOO bar\n---\na", r#""a""#),
        ("--- a", r#""a""#),
        ("a\r\nb", r#""a b""#),
        ("a\u{85}b", r#""a b""#),
        ("\u{feff}a", r#""a""#),
        ("a\u{feff}b", r#""a\u{feff}b""#),
    ]);
}
