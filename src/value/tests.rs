//! What both parsers take and refuse, and that they never differ.

use proptest::prelude::*;

use super::*;
use crate::canon::{Writer, write_string};

/// A document written out in full, to compare the two parsers by.
fn dump(document: &Document<'_>) -> String {
    format!("{:?}", document.root())
}

fn both(text: &[u8]) -> (Result<String, Syntax>, Result<String, Syntax>) {
    let (mut fast, mut exact) = (Parser::default(), Parser::default());
    let fast = fast.parse(text).map(|parsed| {
        assert_strings_agree(parsed.root());
        dump(&parsed)
    });
    let exact = exact.parse_exact(text).map(|parsed| dump(&parsed));
    (fast, exact)
}

#[test]
fn takes_what_rfc_8259_allows() {
    for text in [
        "null",
        " true ",
        "\t\r\n false",
        "0",
        "-0",
        "-0.0",
        "1e5",
        "1E+5",
        "1e-5",
        "0e0",
        "-1.5e-300",
        "\"\"",
        "[]",
        "{}",
        "[ ]",
        "{ }",
        "[1,[2,[3]]]",
        r#"{"a":{"b":[]}}"#,
        r#""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude42""#,
        r#""\u0000""#,
        "\"\u{7f}\"",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775808",
        "-9223372036854775809",
        "123456789012345678901234567890",
        "1e400",
        "-1e400",
        "5e-324",
        "1e-400",
        "1.7976931348623157e308",
        "0.1",
        "123456789.123456789012345678901234567890",
        r#"{"a":1,"a":2}"#,
    ] {
        let (fast, exact) = both(text.as_bytes());
        assert!(exact.is_ok(), "{text}: {exact:?}");
        assert_eq!(fast, exact, "{text}");
    }
}

#[test]
fn refuses_everything_else() {
    for text in [
        &b""[..],
        b" ",
        b"nul",
        b"nulll",
        b"True",
        b"NaN",
        b"Infinity",
        b"-Infinity",
        b"-",
        b"+1",
        b"01",
        b"-01",
        b"1.",
        b".5",
        b"1e",
        b"1e+",
        b"0x10",
        b"1_000",
        b"\"",
        b"\"a",
        b"'a'",
        b"\"\\x41\"",
        b"\"\\u12\"",
        b"\"\\u12g4\"",
        b"\"\\ud800\"",
        b"\"\\udc00\"",
        b"\"\\ud800\\u0041\"",
        b"\"\\ud800\\ud800\"",
        b"\"\\udc00\\ud800\"",
        b"\"\n\"",
        b"\"\x01\"",
        b"\"\xff\"",
        b"\"\xc0\x80\"",
        b"\"\xed\xa0\x80\"",
        b"[",
        b"]",
        b"[1",
        b"[1,",
        b"[1,]",
        b"[,1]",
        b"[1 2]",
        b"{",
        b"}",
        b"{\"a\"}",
        b"{\"a\":}",
        b"{\"a\":1,}",
        b"{a:1}",
        b"{1:1}",
        b"{\"a\" 1}",
        b"{\"a\":1 \"b\":2}",
        b"[1}",
        b"{\"a\":1]",
        b"1 2",
        b"{} {}",
        b"{}x",
        b"[]]",
        b"null,",
        b"\x0c1",
        b"\xc2\xa01",
        b"\x001",
        b"1\x00",
        b"// c\n1",
        b"/* */1",
        b"\xef\xbb\xbf1",
        b"\xef\xbb\xbf",
    ] {
        let (fast, exact) = both(text);
        assert!(exact.is_err(), "{:?}", String::from_utf8_lossy(text));
        assert_eq!(fast, exact, "{:?}", String::from_utf8_lossy(text));
    }
}

#[test]
fn keeps_every_digit_of_an_integer() {
    for text in ["18446744073709551616", "-9223372036854775809", "123456789012345678901234567890"] {
        let mut parser = Parser::default();
        let parsed = parser.parse(text.as_bytes()).unwrap();
        let Kind::Integer(Integer::Big(digits)) = parsed.root().kind() else { panic!("{text}") };
        assert_eq!(digits, text);
    }
}

#[test]
fn gives_the_nearest_double() {
    for text in [
        "0.1",
        "1e22",
        "1e23",
        "9007199254740993.0",
        "2.2250738585072011e-308",
        "4.9e-324",
        "2.4703282292062328e-324",
        "0.000001",
        "123456789.123456789012345678901234567890",
        "1.7976931348623158e308",
        "100000000000000000000.0",
        "3.14159265358979323846",
    ] {
        let mut parser = Parser::default();
        let parsed = parser.parse(text.as_bytes()).unwrap();
        let Kind::Float(value) = parsed.root().kind() else { panic!("{text}") };
        assert_eq!(value.to_bits(), text.parse::<f64>().unwrap().to_bits(), "{text}");
    }
}

#[test]
fn refuses_depth_past_the_maximum_without_recursing() {
    let nest = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let (fast, exact) = both(nest(MAX_DEPTH).as_bytes());
    assert!(exact.is_ok());
    assert_eq!(fast, exact);
    for depth in [MAX_DEPTH + 1, 100_000] {
        assert_eq!(both(nest(depth).as_bytes()), (Err(Syntax::TooDeep), Err(Syntax::TooDeep)));
    }
    assert_eq!(both("[".repeat(100_000).as_bytes()).0, Err(Syntax::TooDeep));
}

#[test]
fn the_last_of_several_equal_keys_wins() {
    let mut parser = Parser::default();
    let parsed = parser.parse(br#"{"a":1,"b":2,"\u0061":3}"#).unwrap();
    let Some(Kind::Integer(value)) = parsed.root().as_object().unwrap().get("a").map(Value::kind) else {
        panic!()
    };
    assert_eq!(value.as_i64(), Some(3));
    assert!(parsed.has_duplicate_keys());
    assert!(!parser.parse(br#"{"a":{"b":1},"b":[{"b":1},{"b":2}]}"#).unwrap().has_duplicate_keys());
    assert!(parser.parse(br#"[[{"x":{"b":1,"c":2,"b":1}}]]"#).unwrap().has_duplicate_keys());
}

#[test]
fn a_parser_serves_one_text_after_the_other() {
    let mut parser = Parser::default();
    for round in 0..3 {
        assert!(parser.parse(b"[1,2").is_err());
        assert!(parser.parse(br#"{"a":[1e400,"x"]}"#).is_ok());
        let parsed = parser.parse(format!("[{round},\"\\u00e9\"]").as_bytes()).unwrap();
        assert_eq!(dump(&parsed), format!("Array([Integer(Signed({round})), String(\"é\")])"));
    }
}

#[test]
fn bounds_count_what_is_left_once_repeated_keys_collapse() {
    let limits = Limits { bytes: 1000, depth: 3, nodes: 6, characters: 4 };
    for (text, expected) in [
        ("[[1]]", Ok(())),
        ("[[[]]]", Ok(())),
        ("[[[1]]]", Err(Excess::Depth(3))),
        (r#"{"a":{"b":1}}"#, Ok(())),
        (r#"{"a":{"b":[1]}}"#, Err(Excess::Depth(3))),
        (r#"{"a":[[[]]],"a":1}"#, Ok(())),
        (r#"{"a":1,"a":[[[]]]}"#, Err(Excess::Depth(3))),
        ("[1,2,3,4,5]", Ok(())),
        ("[1,2,3,4,5,6]", Err(Excess::Nodes(6))),
        (r#"{"a":1,"b":2}"#, Ok(())),
        (r#"{"a":1,"b":2,"c":3}"#, Err(Excess::Nodes(6))),
        (r#"{"a":1,"b":2,"b":3}"#, Ok(())),
        (r#"{"a":[1,2,3,4,5],"a":2}"#, Ok(())),
        (r#"["日本日本"]"#, Ok(())),
        (r#"["日本日本日"]"#, Err(Excess::Characters(4))),
        (r#"{"abcde":1}"#, Err(Excess::Characters(4))),
        (r#"{"abcd":1}"#, Ok(())),
        (r#"{"a":"abcde","a":"abcd"}"#, Ok(())),
    ] {
        let mut parser = Parser::default();
        assert_eq!(parser.parse(text.as_bytes()).unwrap().check_bounds(&limits), expected, "{text}");
        assert_eq!(parser.parse_exact(text.as_bytes()).unwrap().check_bounds(&limits), expected, "{text}");
    }
}

/// Texts that are JSON or nearly so.
fn nearly_json() -> impl Strategy<Value = Vec<u8>> {
    let token = prop_oneof![
        Just("{"),
        Just("}"),
        Just("["),
        Just("]"),
        Just(","),
        Just(":"),
        Just("\"a\""),
        Just("\"\\u00e9\\n\""),
        Just("\"\\ud83d\\ude42\""),
        Just("\"\\ud83d\""),
        Just("1"),
        Just("-0"),
        Just("1.5e3"),
        Just("1e400"),
        Just("18446744073709551616"),
        Just("true"),
        Just("null"),
        Just("nul"),
        Just(" "),
        Just("\n"),
        Just("\"日本\""),
        Just("\"\\\""),
        Just("\\"),
        Just("0"),
        Just("-"),
        Just("."),
        Just("e5"),
    ];
    let tokens = prop::collection::vec(token, 0..24).prop_map(|tokens| tokens.concat().into_bytes());
    let mutated = (json_text(), any::<prop::sample::Index>(), any::<u8>()).prop_map(|(text, at, byte)| {
        let mut bytes = text.into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        bytes
    });
    prop_oneof![tokens, mutated, json_text().prop_map(String::into_bytes)]
}

/// JSON texts, with escapes where they are allowed, and with spaces there or nowhere.
pub(crate) fn json_text() -> impl Strategy<Value = String> {
    // Where a space may be stands a character that is nowhere else in the text.
    let space = prop_oneof![Just(""), Just(" "), Just("\t\r\n")];
    (text_with_places(), space).prop_map(|(text, space)| text.replace(PLACE, space))
}

const PLACE: char = '\u{1}';

fn text_with_places() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|value| value.to_string()),
        any::<i64>().prop_map(|value| value.to_string()),
        any::<u64>().prop_map(|value| value.to_string()),
        any::<i128>().prop_map(|value| value.to_string()),
        any::<f64>().prop_filter("finite", |value| value.is_finite()).prop_map(|value| format!("{value:e}")),
        (any::<i32>(), "[0-9]{1,25}", -400..400)
            .prop_map(|(whole, fraction, exponent)| format!("{whole}.{fraction}e{exponent}")),
        (any::<i16>(), "[0-9]{1,18}").prop_map(|(whole, fraction)| format!("{whole}.{fraction}")),
        ".{0,12}".prop_map(|text| serde_json::to_string(&text).unwrap()),
        any::<char>().prop_map(|c| {
            let mut units = [0; 2];
            let escaped: String =
                c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04X}")).collect();
            format!("\"{escaped}\"")
        }),
    ];
    scalar.prop_recursive(5, 60, 6, |inner| {
        let key = "[a-c]{0,2}|customer_(id|name|\\\\u00e9)|[xyz]\\\\u0000";
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6)
                .prop_map(|items| format!("[{PLACE}{}{PLACE}]", items.join(&format!("{PLACE},{PLACE}")))),
            prop::collection::vec((key, inner), 0..6).prop_map(|members| {
                let members: Vec<_> = members
                    .into_iter()
                    .map(|(key, value)| format!("\"{key}\"{PLACE}:{value}{PLACE}"))
                    .collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

/// The text between the quotes of a string, mostly escapes, some of which JSON does not have.
fn nearly_string() -> impl Strategy<Value = String> {
    let good = prop_oneof![
        Just("\\\\"),
        Just("\\\""),
        Just("\\/"),
        Just("\\n"),
        Just("\\u0000"),
        Just("\\u00e9"),
        Just("\\uFFFF"),
        Just("\\ud83d\\ude42"),
        Just("a"),
        Just("é"),
        Just("日本"),
        Just("fifteen letters"),
        Just("more than thirty-two letters in all"),
        Just("and as many letters as do not fit into the largest of the steps, and some more"),
    ];
    let bad = prop_oneof![Just("\\x"), Just("\\u12"), Just("\\ud83d"), Just("\\ude42\\ud83d"), Just("\"")];
    let piece = prop_oneof![2_000 => good, 1 => bad];
    prop::collection::vec(piece, 0..120).prop_map(|pieces| pieces.concat())
}

/// Writes a text as a JSON string, each character as one of the ways to write it says, which are gone through in turn.
fn as_string(text: &str, ways: &[u8]) -> String {
    let mut ways = ways.iter().cycle();
    let mut out = String::from("\"");
    for character in text.chars() {
        match (character, ways.next()) {
            ('"' | '\\', Some(0..8)) => out.extend(['\\', character]),
            ('/', Some(0)) => out.push_str("\\/"),
            ('\n', Some(0..8)) => out.push_str("\\n"),
            ('\r', Some(0..8)) => out.push_str("\\r"),
            ('\t', Some(0..8)) => out.push_str("\\t"),
            (' '..='!' | '#'..='[' | ']'.., Some(0..8)) => out.push(character),
            _ => {
                let mut units = [0; 2];
                out.extend(character.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
            }
        }
    }
    out + "\""
}

/// Checks that all ways to ask for a string of a document give the same.
fn assert_strings_agree(value: Value<'_>) {
    if let Some(text) = value.as_str() {
        assert!(value.is_str(text));
        assert!(!value.is_str(&format!("{text}x")));
        let mut shorter = text.to_owned();
        assert!(shorter.pop().is_none() || !value.is_str(&shorter));
        assert_eq!(value.string_bytes(), Some(text.as_bytes()));
        assert_eq!(value.key_prefix(), Some(prefix(text.as_bytes())));
    }
    value.as_array().into_iter().flat_map(|array| array.iter()).for_each(assert_strings_agree);
    for (key, member) in value.as_object().into_iter().flat_map(|object| object.iter()) {
        assert_strings_agree(key);
        assert_strings_agree(member);
    }
}

/// Reads a JSON string, once where it stands and once decoded, and compares all that is known of the two documents.
/// Returns whether it was read where it stands.
fn assert_nested_agrees(string: &str) -> bool {
    let outer_text = format!("[{string},[]]");
    let (mut outer, mut nested, mut decoded) = (Parser::default(), Parser::default(), Parser::default());
    let outer = outer.parse(outer_text.as_bytes()).unwrap();
    let string = outer.root().as_array().unwrap().iter().next().unwrap();
    let (nested, decoded) =
        (nested.parse_string(string), decoded.parse_exact(string.as_str().unwrap().as_bytes()));
    let (nested, decoded) = match (nested, decoded) {
        (Ok(nested), Ok(decoded)) => (nested, decoded),
        (nested, decoded) => {
            assert_eq!(nested.map(|_| ()), decoded.map(|_| ()), "{outer_text}");
            return false;
        }
    };
    assert_eq!(dump(&nested), dump(&decoded), "{outer_text}");
    assert_strings_agree(nested.root());
    assert_eq!(nested.has_duplicate_keys(), decoded.has_duplicate_keys(), "{outer_text}");
    for limit in 0..8 {
        for limits in [
            Limits { depth: limit, ..Limits::DEFAULT },
            Limits { nodes: limit, ..Limits::DEFAULT },
            Limits { characters: limit, ..Limits::DEFAULT },
        ] {
            assert_eq!(
                nested.check_bounds(&limits),
                decoded.check_bounds(&limits),
                "{outer_text} {limits:?}"
            );
        }
    }
    let canonical = |document: &Document<'_>| {
        let mut out = Vec::new();
        let text = Writer::default().text(document.root(), &mut out).map(<[u8]>::to_vec);
        assert!(text.is_ok() || document.root().may_lack_canonical_form());
        text
    };
    assert_eq!(canonical(&nested), canonical(&decoded), "{outer_text}");
    matches!(nested.layout, Layout::Tokens(Tokens { is_nested: true, .. }))
}

#[test]
fn json_in_a_string_is_read_where_it_stands() {
    for string in [
        r#""[]""#,
        r#""{}""#,
        r#""{\"a\":1}""#,
        r#"" [ 1 , {\"a\" : \"b\"} ] ""#,
        r#""\n{\r\n\t\"a\":[true,\tfalse,null ],\n\"b\":-1.5e3\n}\n""#,
        r#""{\"a\":\"b\\nc\\\\d\\\"e\\/f\\u00e9\\ud83d\\ude42\"}""#,
        r#""{\"http:\/\/a\":\"\u00e9\ud83d\ude42\"}""#,
        r#""{\"a\":\"a text that is longer than one block by far, with \\\"quotes\\\", {brackets}: and commas, too\"}""#,
    ] {
        assert!(assert_nested_agrees(string), "{string}");
    }
}

#[test]
fn json_in_a_string_is_decoded_where_its_tokens_are_hidden() {
    for string in [
        r#""{\u0022a\u0022:1}""#,
        r#""\u005b1]""#,
        r#""{\"a\":\"\\\u0022\"}""#,
        r#""[1\/2]""#,
        r#""[1\f]""#,
        r#""[\"\n\"]""#,
        r#""[\"\u0001\"]""#,
        r#""[\"\\x\"]""#,
        r#""[\"\\ud800\"]""#,
        r#""[\"\\ud800\\u0041\"]""#,
        r#""[\"\\\"]""#,
        r#""[\"a]""#,
        r#""[1 2]""#,
        r#""1""#,
        "\"\"",
        "\" \"",
        r#""{\"a\":1}}""#,
        r#""\u005b]\u005b]""#,
    ] {
        assert!(!assert_nested_agrees(string), "{string}");
    }
}

/// The text between the quotes of a string that is nearly JSON, its tokens written in ways that few programs do.
fn nearly_nested() -> impl Strategy<Value = String> {
    let often =
        prop::sample::select(vec!["{", "}", "[", "]", ",", ":", "\\\"", "\\\"a\\\"", "\\\"a\\\":", "12"]);
    let less = prop::sample::select(vec![
        "true",
        "\\n",
        "\\t",
        " ",
        "n",
        "\\\\",
        "\\\\n",
        "\\\\\\\"",
        "\\\\\\\\",
        "\\\\u00e9",
        "\\\\/",
        "\\\\ud83d\\\\ude42",
    ]);
    let rarely = prop::sample::select(vec![
        "\\f",
        "\\/",
        "\\\\ud83d",
        "\\u0022",
        "\\u005c",
        "\\u005b",
        "\\u00e9",
        "\\ud83d\\ude42",
        "as many letters as nearly fill a block, or do so with others",
    ]);
    let tokens = prop::collection::vec(prop_oneof![6 => often, 3 => less, 1 => rarely], 0..40);
    tokens.prop_map(|tokens| tokens.concat()).prop_flat_map(|inside| {
        prop_oneof![Just(format!("[\\\"{inside}\\\"]")), Just(format!("[{inside}]")), Just(inside),]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn nested_texts_are_read_like_decoded_ones(
        text in nearly_json(),
        ways in prop_oneof![
            3 => prop::collection::vec(0..8_u8, 1..4),
            1 => prop::collection::vec(0..9_u8, 1..40),
        ],
    ) {
        assert_nested_agrees(&as_string(&String::from_utf8_lossy(&text), &ways));
    }

    #[test]
    fn texts_nested_by_hand_are_read_like_decoded_ones(raw in nearly_nested()) {
        let string = format!("\"{raw}\"");
        if Parser::default().parse(format!("[{string}]").as_bytes()).is_ok() {
            assert_nested_agrees(&string);
        }
    }

    #[test]
    fn escapes_are_checked_as_they_are_decoded(raw in nearly_string()) {
        let (mut text, mut out) = (raw.clone().into_bytes(), vec![0; raw.len() + escape::ROOM]);
        // What is behind a string is no part of its last escape.
        text.extend_from_slice(b"\"nnnn");
        fast::pad(&mut text);
        let checked = escape::check(&text, 0, raw.len(), raw.len()).map(|(is_canonical, _)| is_canonical);
        let written = escape::decode(&text, 0, raw.len(), &mut out);
        prop_assert_eq!(checked.is_some(), written.is_some());
        if let (Some(is_canonical), Some(written)) = (checked, written) {
            let mut canonical = Vec::new();
            write_string(std::str::from_utf8(&out[..written]).unwrap(), &mut canonical);
            let is_written_so = canonical == format!("\"{raw}\"").as_bytes();
            // Of `\u` it says that it is not canonical, even where it is.
            prop_assert_eq!(is_canonical, is_written_so && !raw.contains("\\u"));
        }
    }

    #[test]
    fn escapes_are_decoded_alike(raw in nearly_string(), behind in 0_usize..3) {
        let text = format!("[\"{raw}\",\"\\n\"{}]", ",1".repeat(behind));
        let (fast, exact) = both(text.as_bytes());
        prop_assert_eq!(&fast, &exact);
        match serde_json::from_str::<serde_json::Value>(&text) {
            Ok(value) => {
                let mut parser = Parser::default();
                let parsed = parser.parse(text.as_bytes()).unwrap();
                let first = parsed.root().as_array().unwrap().iter().next().unwrap();
                prop_assert_eq!(first.as_str(), value[0].as_str());
            }
            Err(_) => prop_assert!(exact.is_err()),
        }
    }

    #[test]
    fn the_two_parsers_never_differ(text in nearly_json()) {
        let (fast, exact) = both(&text);
        prop_assert_eq!(fast, exact);
    }

    #[test]
    fn agrees_with_serde_json_on_what_is_json(text in nearly_json()) {
        let ours = both(&text).1.is_ok();
        // serde_json refuses overflowing floats, which are JSON all the same.
        if let Err(error) = serde_json::from_slice::<serde_json::Value>(&text) {
            prop_assert!(!ours || error.to_string().contains("number out of range"), "{error}");
        } else {
            prop_assert!(ours);
        }
    }
}
