//! What holds for every text.

use std::fmt::Write;

use bumpalo::Bump;
use proptest::prelude::*;

use super::{loaded, reason, show};
use crate::reason::Reason::UnsafeInput;
use crate::value::{Kind, Limits, Value};
use crate::yaml::{DuplicateKeys, load, load_bytes, load_unique};

/// Text made of what YAML is made of.
fn nearly_yaml() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            " ", "  ", "\n", "\n ", "\n  ", ": ", ":", "- ", "-", "? ", "?", "[", "]", "{", "}", ",", "#", " #", "&", "*",
            "!", "!!", "|", ">", "'", "\"", "%", "@", "`", "\\", "---\n", "...\n", "!!str ", "!!int ", "!<", "~", "<<: ",
            "|-\n", ">2\n", "\r", "\t", "\u{feff}", "\u{2028}", "\u{85}", "%TAG !a! b\n", "%YAML 1.1\n", "\\x", "\\u00",
        ]).prop_map(String::from),
        2 => prop::sample::select(vec![
            "a", "1", "yes", "0x", "0b1", "1:30", ".5", "1.5e+", "2026-11-02", " 10:00:00", "Z", "+1", "_", "é", "=", "<<",
        ]).prop_map(String::from),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Writes a value in flow style with every string in double quotes.
fn written(value: Value<'_>, out: &mut String) {
    match value.kind() {
        Kind::String(text) => {
            out.push('"');
            text.chars().for_each(|c| write!(out, "\\U{:08x}", u32::from(c)).unwrap());
            out.push('"');
        }
        Kind::Integer(_) | Kind::Null | Kind::Bool(_) | Kind::Timestamp(_) => show(value, out),
        Kind::Float(float) if float.is_nan() => out.push_str(".nan"),
        Kind::Float(float) if float.is_infinite() => out.push_str(if float > 0.0 { ".inf" } else { "-.inf" }),
        Kind::Float(float) => write!(out, "!!float {float:e}").unwrap(),
        Kind::Array(array) => {
            out.push('[');
            for item in array.iter() {
                written(item, out);
                out.push_str(", ");
            }
            out.push(']');
        }
        Kind::Object(object) => {
            out.push('{');
            for (key, value) in object.iter() {
                out.push_str("? ");
                written(key, out);
                out.push_str(" : ");
                written(value, out);
                out.push_str(", ");
            }
            out.push('}');
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn never_panics(text in nearly_yaml()) {
        let _ = loaded(&text);
        let _ = load_unique(&text, &Bump::new(), &Limits { depth: 3, ..Limits::DEFAULT });
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let _ = load_bytes(&bytes, &Bump::new(), &Limits::DEFAULT, DuplicateKeys::Refuse);
    }

    /// What was loaded loads again from a plainer text.
    #[test]
    fn written_anew_it_is_the_same(text in nearly_yaml()) {
        let arena = Bump::new();
        if let Ok(document) = load(&text, &arena, &Limits::DEFAULT) {
            let mut once = String::new();
            show(document.root(), &mut once);
            let mut again = String::new();
            written(document.root(), &mut again);
            prop_assert_eq!(loaded(&again), Ok(once));
        }
    }

    /// A refusal stays one whatever is nested around it.
    #[test]
    fn nesting_hides_nothing(text in nearly_yaml(), depth in 0_usize..8) {
        let anchored = format!("{}&a x{}\n", "[".repeat(depth), "]".repeat(depth));
        prop_assert_eq!(reason(&anchored), Some(UnsafeInput));
        // Behind a document that loads, too.
        if !text.contains('%') && loaded(&format!("{text}\n")).is_ok() {
            let refused = reason(&format!("{text}\n---\n{anchored}"));
            prop_assert!(matches!(refused, Some(UnsafeInput)), "{:?}", refused);
        }
    }
}
