//! Our values as jsonschema sees instances: read where they lie, not copied. What a schema cannot be held against exactly
//! has been refused before anything here is asked.

use std::borrow::Cow;

use jsonschema::JsonType;
use jsonschema::json::{Array, Json, JsonNumber, Node, NodeIdentity, Object};
use serde_json::{Number, Value as Serde};

use crate::value::{self, Integer, Kind, Value};

/// How this program holds JSON.
pub(super) struct Held;

/// A value, or the name of a member where a schema is held against names.
#[derive(Clone, Copy)]
pub(super) enum Instance<'a> {
    Value(Value<'a>),
    Name(&'a str),
}

impl Json for Held {
    type Node<'a> = Instance<'a>;
    type PreparedKey = Box<str>;
    type StringBuffer = ();

    /// A member is searched among all the others: going through them once answers for many.
    const KEYS_PER_LOOKUP: usize = 8;
    const ACYCLIC: bool = true;

    fn prepare_key(key: &str) -> Box<str> {
        key.into()
    }

    fn with_string_node<T>((): &mut (), string: &str, f: impl FnOnce(Instance<'_>) -> T) -> T {
        f(Instance::Name(string))
    }
}

impl<'a> Node<'a, Held> for Instance<'a> {
    type Object = value::Object<'a>;
    type Array = value::Array<'a>;
    type Number = HeldNumber;

    fn as_object(&self) -> Option<value::Object<'a>> {
        self.value()?.as_object()
    }

    fn as_array(&self) -> Option<value::Array<'a>> {
        self.value()?.as_array()
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        match self {
            Self::Value(value) => value.as_str().map(Cow::Borrowed),
            Self::Name(name) => Some(Cow::Borrowed(name)),
        }
    }

    fn as_number(&self) -> Option<HeldNumber> {
        match self.value()?.kind() {
            Kind::Integer(Integer::Signed(value)) => Some(HeldNumber::Signed(value)),
            Kind::Integer(Integer::Unsigned(value)) => Some(HeldNumber::Unsigned(value)),
            Kind::Float(value) => Some(HeldNumber::Float(value)),
            _ => None,
        }
    }

    fn as_boolean(&self) -> Option<bool> {
        self.value()?.as_bool()
    }

    fn is_null(&self) -> bool {
        self.value().is_some_and(Value::is_null)
    }

    fn json_type(&self) -> JsonType {
        let Self::Value(value) = self else { return JsonType::String };
        match value.kind() {
            Kind::Null => JsonType::Null,
            Kind::Bool(_) => JsonType::Boolean,
            Kind::Integer(_) | Kind::Float(_) => JsonType::Number,
            Kind::String(_) | Kind::Timestamp(_) => JsonType::String,
            Kind::Array(_) => JsonType::Array,
            Kind::Object(_) => JsonType::Object,
        }
    }

    fn to_value(&self) -> Cow<'a, Serde> {
        Cow::Owned(match self {
            Self::Value(value) => to_serde(*value),
            Self::Name(name) => Serde::from(*name),
        })
    }

    fn identity(&self) -> Option<NodeIdentity> {
        let (document, at) = self.value()?.identity();
        Some(NodeIdentity::tagged(document, u32::try_from(at).ok()?))
    }
}

impl<'a> Instance<'a> {
    fn value(self) -> Option<Value<'a>> {
        match self {
            Self::Value(value) => Some(value),
            Self::Name(_) => None,
        }
    }
}

impl<'a> Object<'a, Held> for value::Object<'a> {
    type Node = Instance<'a>;
    type MemberName = &'a str;
    type MembersIter = Members<'a>;

    fn len(&self) -> usize {
        value::Object::len(self)
    }

    fn get(&self, key: &Box<str>) -> Option<Instance<'a>> {
        value::Object::get(self, key).map(Instance::Value)
    }

    fn members(&self) -> Members<'a> {
        Members(self.iter())
    }
}

pub(super) struct Members<'a>(value::Members<'a>);

impl<'a> Iterator for Members<'a> {
    type Item = (&'a str, Instance<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (key, value) = self.0.next()?;
        Some((key.as_str().unwrap_or_default(), Instance::Value(value)))
    }
}

impl<'a> Array<'a, Held> for value::Array<'a> {
    type Node = Instance<'a>;
    type ElementsIter = Elements<'a>;

    fn len(&self) -> usize {
        value::Array::len(self)
    }

    fn elements(&self) -> Elements<'a> {
        Elements(self.iter())
    }
}

pub(super) struct Elements<'a>(value::Elements<'a>);

impl<'a> Iterator for Elements<'a> {
    type Item = Instance<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(Instance::Value)
    }
}

/// A number that fits 64 bits, or a finite double.
pub(super) enum HeldNumber {
    Signed(i64),
    Unsigned(u64),
    Float(f64),
}

impl JsonNumber for HeldNumber {
    fn as_u64(&self) -> Option<u64> {
        match *self {
            Self::Signed(value) => u64::try_from(value).ok(),
            Self::Unsigned(value) => Some(value),
            Self::Float(_) => None,
        }
    }

    fn as_i64(&self) -> Option<i64> {
        match *self {
            Self::Signed(value) => Some(value),
            Self::Unsigned(value) => i64::try_from(value).ok(),
            Self::Float(_) => None,
        }
    }

    fn as_f64(&self) -> Option<f64> {
        self.to_number().as_f64()
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Owned(self.to_number().to_string())
    }

    fn to_number(&self) -> Cow<'_, Number> {
        Cow::Owned(match *self {
            Self::Signed(value) => value.into(),
            Self::Unsigned(value) => value.into(),
            Self::Float(value) => Number::from_f64(value).unwrap_or_else(|| 0.into()),
        })
    }

    fn is_integer(&self) -> bool {
        match *self {
            Self::Signed(_) | Self::Unsigned(_) => true,
            Self::Float(value) => value.fract() == 0.0,
        }
    }

    fn is_written_as_integer(&self) -> bool {
        !matches!(self, Self::Float(_))
    }
}

/// Returns the value as serde's: a schema, or what a schema compares as a whole.
// The depth was checked.
pub(super) fn to_serde(value: Value<'_>) -> Serde {
    match value.kind() {
        Kind::Null => Serde::Null,
        Kind::Bool(value) => Serde::Bool(value),
        Kind::Integer(Integer::Signed(value)) => Serde::from(value),
        Kind::Integer(Integer::Unsigned(value)) => Serde::from(value),
        Kind::Integer(Integer::Big(digits)) => Serde::from(digits),
        Kind::Float(value) => Serde::from(value),
        Kind::String(text) | Kind::Timestamp(text) => Serde::from(text),
        Kind::Array(array) => array.iter().map(to_serde).collect(),
        Kind::Object(object) => {
            Serde::Object(object.members().map(|(name, value)| (name.to_owned(), to_serde(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use jsonschema::json::{SerdeJson, conformance};
    use proptest::prelude::*;

    use super::*;
    use crate::value::Parser;

    #[test]
    fn conforms_to_what_jsonschema_relies_on() {
        let text = conformance::document().to_string();
        let mut parser = Parser::default();
        let document = parser.parse(text.as_bytes()).unwrap();
        conformance::assert_conformance::<Held>(&Instance::Value(document.root()));
    }

    #[test]
    fn says_what_it_says_of_serde_s_values() {
        let schemas = [
            r#"{"type":"integer"}"#,
            r#"{"type":["number","null"],"minimum":0.5,"multipleOf":0.5}"#,
            r#"{"$schema":"http://json-schema.org/draft-04/schema#","type":"integer"}"#,
            r#"{"enum":["a",1,1.5,null,[1,{"a":2}],{"a":[]}]}"#,
            r#"{"const":{"a":1,"b":[true]}}"#,
            r#"{"uniqueItems":true,"minItems":1,"maxItems":3,"items":{"type":["integer","string","array"]}}"#,
            r#"{"contains":{"type":"string"},"prefixItems":[{"type":"integer"}]}"#,
            r#"{"required":["a"],"properties":{"a":{"type":"string","minLength":1,"maxLength":2}}}"#,
            r#"{"propertyNames":{"pattern":"^[ab]$"},"minProperties":1,"additionalProperties":{"type":"integer"}}"#,
            r#"{"patternProperties":{"^a":{"type":"array"}},"additionalProperties":false}"#,
            r#"{"unevaluatedProperties":false,"allOf":[{"properties":{"a":true}}]}"#,
            r#"{"dependentRequired":{"a":["b"]},"not":{"required":["c"]}}"#,
            r##"{"$ref":"#/$defs/list","$defs":{"list":{"type":["object","integer"],"properties":{"a":{"$ref":"#/$defs/list"}}}}}"##,
            r#"{"oneOf":[{"type":"string"},{"maxLength":1},{"type":"boolean"}]}"#,
        ];
        let values = [
            "1",
            "1.0",
            "1.5",
            "-0.0",
            "18446744073709551615",
            "1e300",
            "null",
            "true",
            r#""""#,
            r#""a""#,
            r#""é日🙂""#,
            "[]",
            "[1,1.0]",
            r#"[1,"a",[1]]"#,
            r#"["a"]"#,
            r#"[1,{"a":2}]"#,
            "{}",
            r#"{"a":"é"}"#,
            r#"{"a":[]}"#,
            r#"{"a":1,"b":[true]}"#,
            r#"{"b":[true],"a":1.0}"#,
            r#"{"a":{"a":{"a":7}}}"#,
            r#"{"a":{"a":"7"}}"#,
            r#"{"a":"abc","c":1}"#,
            r#"{"\u0061":"x"}"#,
            "[[1],[1.0]]",
            r#"[{"a":1,"b":2},{"b":2,"a":1}]"#,
        ];
        for schema in schemas {
            let schema: Serde = serde_json::from_str(schema).unwrap();
            let ours = jsonschema::options_for::<Held>().offline().build(&schema).unwrap();
            let theirs = jsonschema::options_for::<SerdeJson>().offline().build(&schema).unwrap();
            for value in values {
                let mut parser = Parser::default();
                let document = parser.parse(value.as_bytes()).unwrap();
                let serde: Serde = serde_json::from_str(value).unwrap();
                assert_eq!(to_serde(document.root()), serde);
                let instance = Instance::Value(document.root());
                if schema["$schema"].is_string() && value == "1e300" {
                    // To draft 4 no number with an exponent is an integer; serde's does not tell how it was written.
                    assert!(!ours.is_valid(instance));
                    continue;
                }
                assert_eq!(ours.is_valid(instance), theirs.is_valid(&serde), "{schema}: {value}");
                let mut found: Vec<_> =
                    ours.iter_errors(instance).map(|error| error.schema_path().to_string()).collect();
                let mut expected: Vec<_> =
                    theirs.iter_errors(&serde).map(|error| error.schema_path().to_string()).collect();
                // The order is that of the members, which serde sorts.
                found.sort_unstable();
                expected.sort_unstable();
                assert_eq!(found, expected, "{schema}: {value}");
            }
        }
    }

    proptest! {
        #[test]
        fn numbers_are_what_they_are_for_serde(value in any::<f64>().prop_filter("finite", |value| value.is_finite())) {
            let (ours, theirs) = (HeldNumber::Float(value), Number::from_f64(value).unwrap());
            prop_assert_eq!(ours.is_integer(), JsonNumber::is_integer(&&theirs));
            prop_assert_eq!(ours.as_f64(), theirs.as_f64());
        }
    }
}
