//! A payload in words: its type, its size, the names of its members. Never a value of it.

use super::visible;
use crate::observe::Payload;
use crate::value::{Kind, Value};

/// Returns what a payload is, in a few words.
pub(super) fn shape(payload: &Payload<'_>) -> String {
    match payload {
        Payload::Nothing => "none".to_owned(),
        Payload::Unreadable(fact) => format!("text that is not JSON: {fact}"),
        Payload::Value(value) => value_shape(*value),
    }
}

fn value_shape(value: Value<'_>) -> String {
    let plural = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    match value.kind() {
        Kind::Null => "null".to_owned(),
        Kind::Bool(_) => "a boolean".to_owned(),
        Kind::Integer(_) => "an integer".to_owned(),
        Kind::Float(_) => "a number".to_owned(),
        Kind::Timestamp(_) => "a timestamp".to_owned(),
        Kind::String("") => "an empty string".to_owned(),
        Kind::String(text) => format!("a string of {}", plural(text.chars().count(), "character")),
        Kind::Array(array) if array.is_empty() => "an empty array".to_owned(),
        Kind::Array(array) => format!("an array of {}", plural(array.len(), "element")),
        Kind::Object(object) if object.is_empty() => "an empty object".to_owned(),
        Kind::Object(object) => format!("an object of {}", plural(object.len(), "member")),
    }
}

/// The most members that are listed one by one.
const MOST_MEMBERS: usize = 24;

/// Returns the members of a payload that is an object, each with what its value is.
pub(super) fn members(payload: &Payload<'_>) -> Vec<(String, String)> {
    let Some(object) = payload.value().and_then(Value::as_object) else { return Vec::new() };
    let mut members: Vec<(String, String)> = object
        .iter()
        .take(MOST_MEMBERS)
        .map(|(key, value)| {
            let name = key.as_str().map_or_else(|| format!("({} key)", key.type_name()), visible);
            (name, value_shape(value))
        })
        .collect();
    if object.len() > MOST_MEMBERS {
        members.push(("…".to_owned(), format!("and {} more", object.len() - MOST_MEMBERS)));
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Parser;

    #[test]
    fn shapes_tell_type_and_size_and_no_value() {
        for (text, expected) in [
            ("null", "null"),
            ("true", "a boolean"),
            ("41", "an integer"),
            ("4.1", "a number"),
            ("\"\"", "an empty string"),
            ("\"é\"", "a string of 1 character"),
            ("[]", "an empty array"),
            ("[[],2]", "an array of 2 elements"),
            ("{}", "an empty object"),
            ("{\"a\":1}", "an object of 1 member"),
        ] {
            let mut parser = Parser::default();
            let parsed = parser.parse(text.as_bytes()).unwrap();
            assert_eq!(shape(&Payload::Value(parsed.root())), expected, "{text}");
        }
        assert_eq!(shape(&Payload::Nothing), "none");
    }

    #[test]
    fn members_are_named_up_to_a_bound() {
        let text = format!(
            "{{{}}}",
            (0..30).map(|n| format!("\"n\\u001b{n}\":\"v\"")).collect::<Vec<_>>().join(",")
        );
        let mut parser = Parser::default();
        let parsed = parser.parse(text.as_bytes()).unwrap();
        let members = members(&Payload::Value(parsed.root()));
        assert_eq!(members.len(), 25);
        assert_eq!(members[0], ("n\\u{1b}0".to_owned(), "a string of 1 character".to_owned()));
        assert_eq!(members[24], ("…".to_owned(), "and 6 more".to_owned()));
    }
}
