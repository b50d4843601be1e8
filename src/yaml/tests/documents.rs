//! Refusals, the order in which they are found, keys, merges and bounds.

use bumpalo::Bump;

use super::{loaded, loads, reason, refuses};
use crate::reason::Reason::{ContractInvalid, LimitExceeded, ParseFailed, UnsafeInput};
use crate::value::Limits;
use crate::yaml::{DuplicateKeys, load, load_bytes, load_unique};

#[test]
fn not_yaml() {
    refuses(
        ParseFailed,
        &[
            "[1, 2",
            "{a: 1",
            "]",
            "}",
            "[a]]",
            "{a: 1]",
            "a: b: c",
            "a: - b",
            "- a\nb",
            "a\nb: c",
            "'open",
            "\"open",
            "\"a\\",
            "\"\\q\"",
            "\"\\x4\"",
            "\"\\uD83D\\uDE42\"",
            "\"\\U00110000\"",
            "@a",
            "`a`",
            "%a",
            "&",
            "*",
            "&a!",
            "|a",
            "|0\n a",
            "|++\n a",
            "a: >x",
            // A tab separates nothing.
            "a:\tb",
            "a: b\t",
            "-\ta",
            "\ta: b",
            "|\t\n a",
            "a: 'x\n---\ny'",
            "---\na\n---\nb",
            "a\n...\nb",
            "...",
            "%YAML 2.0\n---\na",
            "%YAML 1.1\n%YAML 1.1\n---\na",
            "%YAML 1.1\na",
            "%TAG !e! x\n%TAG !e! y\n---\na",
            "!e!x a",
            "!<a b",
            "a\u{7}",
            "a\0",
            "a\u{fffe}",
        ],
    );
    let long_key = format!("{}: 1", "k".repeat(1025));
    refuses(ParseFailed, &[&long_key]);
    assert_eq!(reason(&long_key[1..]), None);
}

#[test]
fn anchors_and_aliases() {
    refuses(
        UnsafeInput,
        &[
            "&a x",
            "*a",
            "a: &b 1",
            "[*a]",
            "{*a : 1}",
            "&a",
            "!!str &a x",
            "&a !!str x",
            "&a [",
            "---\n1\n---\n&a 1",
        ],
    );
}

#[test]
fn the_first_thing_wrong_decides() {
    let deep = "[".repeat(32);
    for (text, expected) in [
        // In the scan, the order of the text.
        ("[&a 1, }".to_owned(), UnsafeInput),
        ("[1, }, &a 1".to_owned(), ParseFailed),
        // A key may still follow, so the scan is ahead by a line.
        ("[*a, &".to_owned(), ParseFailed),
        (format!("[*a, {deep}"), UnsafeInput),
        (format!("{deep}&a 1"), UnsafeInput),
        (format!("{deep}&a [1]"), LimitExceeded),
        (format!("{deep}!x [1]"), LimitExceeded),
        (format!("{deep}[}}"), LimitExceeded),
        // What the scan refuses goes before what the values are.
        ("[!!int x, &a 1]".to_owned(), UnsafeInput),
        ("[!!int x, ".to_owned(), ParseFailed),
        // Several documents, before values.
        ("---\n{[a]: 1}\n---\nb".to_owned(), ParseFailed),
        // Values, level by level, each in the order of the text.
        ("{[a]: 1, b: !!int x}".to_owned(), UnsafeInput),
        ("{b: !!int x, [a]: 1}".to_owned(), ParseFailed),
        ("[{[a]: 1}, !!int x]".to_owned(), ParseFailed),
        ("[[[!!int x]], {[a]: 1}]".to_owned(), UnsafeInput),
        // The bounds of what was built come last.
        (format!("[{}!!int x]", "1,".repeat(5000)), ParseFailed),
    ] {
        assert_eq!(reason(&text), Some(expected), "{text:?}");
    }
}

#[test]
fn merges() {
    loads(&[
        ("{<<: {a: 1}, b: 2}", r#"{"a": 1, "b": 2}"#),
        ("a: 1\n<<: {a: 2, b: 3}", r#"{"a": 1, "b": 3}"#),
        ("<<: {a: 2, b: 3}\na: 1", r#"{"a": 1, "b": 3}"#),
        ("{<<: [{a: 1}, {b: 2}], c: 3}", r#"{"a": 1, "b": 2, "c": 3}"#),
        ("{<<: {<<: {a: 1}, b: 2}, c: 3}", r#"{"a": 1, "b": 2, "c": 3}"#),
        ("{<<: {a: 1}, <<: {b: 2}}", r#"{"a": 1, "b": 2}"#),
        ("{<<: {}}", "{}"),
        ("{<<: []}", "{}"),
        ("{<<: {1: a}, true: b}", r#"{1: "b"}"#),
        ("{'<<': 1}", r#"{"<<": 1}"#),
        ("{!!str <<: 1}", r#"{"<<": 1}"#),
        ("{=: 1}", r#"{"=": 1}"#),
        ("{=: 1, '=': 2}", r#"{"=": 2}"#),
        ("{<<: {=: 1}}", r#"{"=": 1}"#),
    ]);
    refuses(
        UnsafeInput,
        &[
            "{<<: 1}",
            "{<<: }",
            "{<<: [1]}",
            "{<<: [{a: 1}, [b]]}",
            "{<<: {<<: 1}}",
            "{a: {<<: 1}}",
            "<<",
            "[<<]",
            "=",
            "{a: =}",
            "{<<: {[a]: 1}}",
        ],
    );
}

#[test]
fn keys() {
    loads(&[
        ("{1: a, ~: b, yes: c}", r#"{1: "c", null: "b"}"#),
        ("{1: a, 1.0: b, true: c, '1': d}", r#"{1: "c", "1": "d"}"#),
        ("{0: a, -0.0: b, false: c}", r#"{0: "c"}"#),
        ("{1.5: a, 1.50: b}", r#"{1.5: "b"}"#),
        ("{10000000000000000: a, 1.0e+16: b}", r#"{10000000000000000: "b"}"#),
        (
            "{9007199254740993: a, 9007199254740992.0: b}",
            r#"{9007199254740993: "a", 9007199254740992.0: "b"}"#,
        ),
        ("{.inf: 1, .inf: 2, -.inf: 3}", "{inf: 2, -inf: 3}"),
        ("{.nan: 1, .nan: 2}", "{NaN: 2}"),
        ("{~: 1, null: 2, '': 3}", r#"{null: 2, "": 3}"#),
        ("{a: 1, b: 2, a: 3}", r#"{"a": 3, "b": 2}"#),
    ]);
    refuses(UnsafeInput, &["{[a]: 1}", "{{a: 1}: 1}", "? - a\n: 1", "{[]: 1}", "{!!seq x: 1}", "{{a}}"]);
}

#[test]
fn repeated_keys_where_they_are_refused() {
    let unique = |text| load_unique(text, &Bump::new(), &Limits::DEFAULT).err().map(|refusal| refusal.reason);
    for text in [
        "a: 1\na: 2",
        "a: 1\n'a': 1",
        "{x: {a: 1, a: 2}}",
        "{1: a, 1.0: b}",
        "{<<: {b: 1}, a: 1, a: 2}",
        "{<<: {a: 1}, <<: {b: 2}}",
        "{<<: {b: 1}, b: 2, b: 3}",
    ] {
        assert_eq!(unique(text), Some(ContractInvalid), "{text:?}");
        assert_eq!(reason(text), None, "{text:?}");
    }
    for text in ["a: 1\nb: 2", "[{a: 1}, {a: 1}]", "{<<: {a: 1}, a: 2}", "{1: a, '1': b}"] {
        assert_eq!(unique(text), None, "{text:?}");
    }
}

#[test]
fn bounds() {
    let limits = Limits { bytes: 60, depth: 3, nodes: 6, characters: 4 };
    for (text, expected) in [
        ("[[1]]", None),
        ("[[[]]]", None),
        ("[[[1]]]", Some("more than 3 levels of nesting")),
        ("[[[[]]]]", Some("more than 3 levels of nesting at line 1, column 4")),
        ("[[[[", Some("more than 3 levels of nesting at line 1, column 4")),
        ("a:\n  b:\n    c: d", Some("more than 3 levels of nesting")),
        ("[1, 2, 3, 4, 5]", None),
        ("[1, 2, 3, 4, 5, 6]", Some("more than 6 nodes")),
        ("{a: 1, b: 2}", None),
        ("{a: 1, b: 2, a: 3, a: 4}", None),
        ("{a: 1, b: 2, c: 3}", Some("more than 6 nodes")),
        ("éééé", None),
        ("ééééé", Some("a string of more than 4 characters")),
        ("{abcde: 1}", Some("a string of more than 4 characters")),
        ("# 3456789012345678901234567890123456789012345678901234567890", None),
        ("# 34567890123456789012345678901234567890123456789012345678901", Some("more than 60 bytes")),
    ] {
        let refusal = load(text, &Bump::new(), &limits).err();
        assert_eq!(refusal.map(|refusal| refusal.to_string()).as_deref(), expected, "{text:?}");
        if let Some(refusal) = refusal {
            assert_eq!(refusal.reason, LimitExceeded, "{text:?}");
        }
    }
}

#[test]
fn bytes() {
    let load = |bytes: &[u8]| {
        let arena = Bump::new();
        let document = load_bytes(bytes, &arena, &Limits::DEFAULT, DuplicateKeys::LastWins);
        document.map(|_| ()).map_err(|refusal| refusal.reason)
    };
    assert_eq!(load(b"\xef\xbb\xbfa: 1"), Ok(()));
    assert_eq!(load(b"a: \xff"), Err(ParseFailed));
    assert_eq!(load(b"\xff\xfea\x00"), Err(ParseFailed));
    assert_eq!(load(b"\xfe\xff\x00a"), Err(ParseFailed));
    assert_eq!(load(&vec![b' '; 131_073]), Err(LimitExceeded));
}

#[test]
fn refusals_say_where_and_nothing_of_the_text() {
    for (text, expected) in [
        ("a: 1\nb: [secret", "expected `,` or `]` at line 2, column 11"),
        ("a: 1\nb: &secret 2", "anchors and aliases are not accepted at line 2, column 4"),
        ("é: !secret 2", "a tag that is not accepted at line 1, column 4"),
        ("a: 1\nb: !!int secret", "not an integer at line 2, column 4"),
        ("a: 1\n secret: 2", "a mapping value cannot start here at line 2, column 8"),
        ("secret\u{7}", "a character that YAML does not allow at line 1, column 7"),
        ("---\nsecret\n---\nb", "more than one document"),
    ] {
        let refusal = loaded(text).unwrap_err();
        assert_eq!(refusal.to_string(), expected);
        assert!(!format!("{:?}", refusal.finding()).contains("secret"));
    }
}

/// Where `PyYAML` 6.0.4 reads a text that is refused here.
#[test]
fn stricter_than_pyyaml() {
    // Surrogates, alone or in pairs, which PyYAML keeps as halves of characters.
    refuses(ParseFailed, &[r#""\uD83D""#, r#""\uD83D\uDE42""#]);
    // What Python's `int` and `float` take beyond digits: white space, a second sign, `0o`, other scripts' digits.
    refuses(
        ParseFailed,
        &["!!int ' 12 '", "!!int --5", "!!int 0o10", "!!int ١", "!!float ' 1.5'", "!!float --5"],
    );
    refuses(ParseFailed, &["[!!timestamp \"2026-11-02\\n\"]"]);
    // Integers that Python cannot print in decimal, and floats of so many places of base 60 that they round.
    let hex = format!("0x{}", "f".repeat(4000));
    let sixties = format!("1{}.", ":59".repeat(13));
    refuses(ParseFailed, &[&hex, &sixties, &"9".repeat(4301)]);
    assert_eq!(reason(&"9".repeat(4300)), None);
    // A mapping that stands for the scalar under its key `=`.
    refuses(UnsafeInput, &["!!str {=: x}", "!!int {=: 5}"]);
    // Which value wins depends on the version, and in 6.0.4 on the length of the key.
    refuses(
        UnsafeInput,
        &[
            "{<<: [{a: 1}, {a: 2}]}",
            "{<<: {aa: 1}, <<: {aa: 2}}",
            "{<<: {a: 1, a: 2}}",
            "{<<: {<<: {a: 1}, a: 2}}",
        ],
    );
    refuses(UnsafeInput, &["{<<: {1: a, '1': b}}"]);
    // Keys count as nodes whatever their type.
    let pairs = (0..2048).fold(String::new(), |text, key| text + &format!("{key}: 1,"));
    refuses(LimitExceeded, &[&format!("{{{pairs}}}")]);
}
