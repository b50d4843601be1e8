//! JSON Schema: the only module that names jsonschema. A schema in, a judge of values out; nothing is ever fetched.
//!
//! Schemas come from contracts, whose author is trusted, and from inputs (`outputSchema`), whose author is not. What
//! could make a check endless or empty is refused before anything is compiled:
//!
//! - references out of the document, dynamic references, and an `$id` inside the schema (it would change what `#` is);
//! - a reference that leads back to itself without a step into the value: it says nothing;
//! - in a schema from an input, every reference in a circle, and more than `MOST_UNFOLDED` parts once all references
//!   are written out: twenty lines can say "check this a billion times".
//!
//! Values reach the schema exactly or not at all: one with an integer beyond 64 bits, a number that overflows, the same
//! key twice, or more than `MOST_DEPTH` levels is not checked, and whoever asks must not take it for valid.

use std::collections::HashMap;
use std::sync::Arc;

use jsonschema::PatternOptions;
use serde_json::Value as Json;

use crate::canon::Writer;
use crate::pattern::MOST_BYTES;
use crate::value::{Integer, Kind, Value};

mod instance;

use instance::{Held, Instance, to_serde};

/// The deepest value that is checked, in levels.
const MOST_DEPTH: usize = 128;

/// The most parts of a schema from an input, once every reference is replaced by what it refers to.
const MOST_UNFOLDED: usize = 16_384;

/// The most failures of one value that are named.
const MOST_FAILURES: usize = 8;

/// Who wrote a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Author {
    /// The author of a contract.
    Contract,
    /// Whoever made the input.
    Input,
}

/// Why a schema cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unusable {
    /// What is wrong, without any of the schema's text.
    pub words: &'static str,
    /// The same with the schema's own words, for the author of a contract.
    pub detail: Option<Box<str>>,
}

impl From<&'static str> for Unusable {
    fn from(words: &'static str) -> Self {
        Self { words, detail: None }
    }
}

/// A compiled schema, equal by what it was compiled from.
#[derive(Debug, Clone)]
pub struct Schema {
    text: Arc<[u8]>,
    formats: bool,
    /// It is small, even with every reference written out.
    is_bounded: bool,
    validator: Arc<jsonschema::Validator<Held>>,
}

impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text && self.formats == other.formats
    }
}

impl Eq for Schema {}

impl Schema {
    /// Compiles a schema: draft 2020-12, or the draft that its `$schema` names.
    ///
    /// # Errors
    /// What makes it [`Unusable`].
    pub fn compile(schema: Value<'_>, formats: bool, author: Author) -> Result<Self, Unusable> {
        let mut text = Vec::new();
        Writer::default().write(schema, &mut text).map_err(|_| NOT_CANONICAL)?;
        if !is_exact(schema, MOST_DEPTH) {
            return Err("a schema with an integer beyond 64 bits, or too deep".into());
        }
        let json = to_serde(schema);
        let is_bounded = Survey::of(&json, author).check()?;
        let patterns = PatternOptions::regex().size_limit(MOST_BYTES).dfa_size_limit(MOST_BYTES);
        let validator = jsonschema::options_for::<Held>()
            .offline()
            .should_validate_formats(formats)
            .should_ignore_unknown_formats(!formats)
            .with_pattern_options(patterns)
            .build(&json)
            .map_err(|error| Unusable {
                words: "no valid JSON Schema",
                detail: Some(format!("{error} at `{}`", error.instance_path()).into()),
            })?;
        Ok(Self { text: text.into(), formats, is_bounded, validator: Arc::new(validator) })
    }

    /// Hands the places in the schema that a value fails to `report`, as JSON Pointers; none where it is valid. Of a
    /// schema that refers to itself only the root is named.
    ///
    /// # Errors
    /// What keeps the value from being checked at all.
    pub fn check(&self, value: Value<'_>, mut report: impl FnMut(&str)) -> Result<(), &'static str> {
        if !is_exact(value, MOST_DEPTH) {
            return Err("a value that no schema is held against: a number beyond 64 bits, or too deep");
        }
        if value.document_has_duplicate_keys() {
            return Err("a value that no schema is held against: the same key twice in one object");
        }
        if self.validator.is_valid(Instance::Value(value)) {
            return Ok(());
        }
        if !self.is_bounded {
            // Whether the value is valid is remembered for each part of both; the places where it is not are not, and
            // a schema that refers to itself twice makes them more than can be counted.
            report("");
            return Ok(());
        }
        let mut count = 0;
        for error in self.validator.iter_errors(Instance::Value(value)).take(MOST_FAILURES) {
            report(error.schema_path().as_str());
            count += 1;
        }
        if count == 0 {
            report("");
        }
        Ok(())
    }
}

/// Returns false where a schema cannot be held against a value: a number that serde's would change, a key that is no string
/// or is there twice, or too many levels.
fn is_exact(value: Value<'_>, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    // Whatever it says: it need not be looked at.
    if value.is_string() {
        return true;
    }
    match value.kind() {
        Kind::Integer(Integer::Big(_)) | Kind::Timestamp(_) => false,
        Kind::Float(value) => value.is_finite(),
        Kind::Array(array) => array.iter().all(|element| is_exact(element, depth)),
        Kind::Object(object) => object.iter().all(|(key, value)| key.is_string() && is_exact(value, depth)),
        Kind::Null | Kind::Bool(_) | Kind::Integer(_) | Kind::String(_) => true,
    }
}

/// How a schema's parts lead to one another.
struct Survey<'s> {
    root: &'s Json,
    author: Author,
    anchors: HashMap<&'s str, &'s Json>,
    /// By the address of a part: how many parts it has once unfolded.
    sizes: HashMap<*const Json, usize>,
    /// The parts on the way to the one that is looked at, and whether the step to it goes into the value.
    way: Vec<(*const Json, bool)>,
    /// Some reference leads back to where it stands.
    has_circle: bool,
}

/// Members that hold data or names, no schemas.
const DATA: [&str; 6] = ["enum", "const", "default", "examples", "required", "dependentRequired"];
/// Members that hold schemas for others to refer to.
const STORES: [&str; 2] = ["$defs", "definitions"];
/// Members whose own members are schemas, by whatever name.
const BY_NAME: [&str; 4] = ["properties", "patternProperties", "dependentSchemas", "dependencies"];
/// Members whose schemas are held against the same value.
const IN_PLACE: [&str; 9] =
    ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"];

impl<'s> Survey<'s> {
    fn of(root: &'s Json, author: Author) -> Self {
        Self {
            root,
            author,
            anchors: HashMap::new(),
            sizes: HashMap::new(),
            way: Vec::new(),
            has_circle: false,
        }
    }

    /// Refuses what cannot be used; returns whether the schema is small with every reference written out.
    fn check(mut self) -> Result<bool, Unusable> {
        self.collect(self.root, true)?;
        let size = self.visit(self.root, false)?;
        Ok(size <= MOST_UNFOLDED && !self.has_circle)
    }

    /// Finds the anchors, and what is refused wherever it stands.
    fn collect(&mut self, part: &'s Json, is_root: bool) -> Result<(), Unusable> {
        match part {
            Json::Array(array) => array.iter().try_for_each(|part| self.collect(part, false)),
            Json::Object(object) => {
                for (name, member) in object {
                    match (name.as_str(), member) {
                        ("$dynamicRef" | "$recursiveRef", Json::String(_)) => {
                            return Err("a schema with a dynamic reference".into());
                        }
                        ("$id" | "id", Json::String(_)) if !is_root => {
                            return Err("a schema with an `$id` inside".into());
                        }
                        ("$anchor", Json::String(anchor)) => {
                            if self.anchors.insert(anchor, part).is_some() {
                                return Err("a schema with the same `$anchor` twice".into());
                            }
                        }
                        (name, Json::Object(parts)) if BY_NAME.contains(&name) || STORES.contains(&name) => {
                            parts.values().try_for_each(|part| self.collect(part, false))?;
                        }
                        (name, _) if DATA.contains(&name) => {}
                        (_, member) => self.collect(member, false)?,
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Returns the number of parts, with references written out.
    // Recursion ends at a repeated part; no schema is deeper than `MOST_DEPTH` between two references, and the way
    // is bounded by the number of parts.
    fn visit(&mut self, part: &'s Json, into_value: bool) -> Result<usize, Unusable> {
        let address = std::ptr::from_ref(part);
        if let Some(from) = self.way.iter().position(|(on_way, _)| *on_way == address) {
            // The steps of the circle are those after the part's first visit, and the one that leads back to it.
            let steps_in = into_value || self.way.iter().skip(from + 1).any(|(_, into_value)| *into_value);
            if !steps_in {
                return Err("a reference that leads back to itself and says nothing".into());
            }
            return match self.author {
                Author::Contract => {
                    self.has_circle = true;
                    Ok(1)
                }
                Author::Input => Err("a schema from an input that refers to itself".into()),
            };
        }
        if let Some(size) = self.sizes.get(&address) {
            return Ok(*size);
        }
        if self.way.len() >= 512 {
            return Err("a schema that is too deep".into());
        }
        self.way.push((address, into_value));
        let mut size = 1_usize;
        if let Json::Object(object) = part {
            for (name, member) in object {
                size = size.saturating_add(self.member(name, member)?);
            }
        }
        self.way.pop();
        if self.author == Author::Input && size > MOST_UNFOLDED {
            return Err("a schema from an input that is too large once its references are written out".into());
        }
        // A part inside a circle has a size only once the circle is closed; no circle in an input's schema gets here.
        self.sizes.insert(address, size);
        Ok(size)
    }

    fn member(&mut self, name: &str, member: &'s Json) -> Result<usize, Unusable> {
        if name == "$ref"
            && let Json::String(reference) = member
        {
            let target = self.target(reference)?;
            return self.visit(target, false);
        }
        if DATA.contains(&name) || STORES.contains(&name) {
            return Ok(0);
        }
        let into_value = !IN_PLACE.contains(&name);
        let mut size = 0_usize;
        // A member holds a schema, an array of them, or an object of them by name; looking at more finds no less.
        match member {
            Json::Array(array) => {
                for part in array {
                    size = size.saturating_add(self.visit(part, into_value)?);
                }
            }
            Json::Object(object) => {
                if BY_NAME.contains(&name) {
                    for part in object.values() {
                        size = size.saturating_add(self.visit(part, into_value)?);
                    }
                } else {
                    size = self.visit(member, into_value)?;
                }
            }
            _ => size = 1,
        }
        Ok(size)
    }

    fn target(&self, reference: &str) -> Result<&'s Json, Unusable> {
        let Some(fragment) = reference.strip_prefix('#') else {
            return Err("a reference out of the schema; only `#…` is followed".into());
        };
        let target = if fragment.is_empty() || fragment.starts_with('/') {
            self.root.pointer(fragment)
        } else {
            self.anchors.get(fragment).copied()
        };
        target.ok_or_else(|| "a reference to nothing".into())
    }
}

/// The schemas of inputs that were compiled lately, so that a tool's schema is compiled once and not with each result.
#[derive(Default)]
pub struct Cache {
    known: HashMap<Box<[u8]>, Result<Schema, &'static str>>,
    key: Vec<u8>,
    writer: Writer,
    canonical: Vec<u8>,
}

/// What is said of a schema that has no canonical text.
const NOT_CANONICAL: &str = "a schema with a number that is not finite, or a key that is no string";

/// The same, where it is looked up.
static NO_SCHEMA: Result<Schema, &str> = Err(NOT_CANONICAL);

/// The most schemas that a [`Cache`] holds; past them it starts anew, so that a hostile log cannot make it grow.
const MOST_CACHED: usize = 64;

impl Cache {
    /// Returns the schema that a value of an input is; compiled now, or before.
    pub fn get(&mut self, schema: Value<'_>, formats: bool) -> &Result<Schema, &'static str> {
        // What has no canonical text is no schema.
        let Ok(text) = self.writer.text(schema, &mut self.canonical) else { return &NO_SCHEMA };
        self.key.clear();
        self.key.push(u8::from(formats));
        self.key.extend_from_slice(text);
        if !self.known.contains_key(self.key.as_slice()) {
            if self.known.len() >= MOST_CACHED {
                self.known.clear();
            }
            let compiled = Schema::compile(schema, formats, Author::Input).map_err(|unusable| unusable.words);
            self.known.insert(self.key.as_slice().into(), compiled);
        }
        self.known.get(self.key.as_slice()).unwrap_or(&NO_SCHEMA)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Parser;

    fn compile(schema: &str, author: Author) -> Result<Schema, Unusable> {
        Schema::compile(Parser::default().parse(schema.as_bytes()).unwrap().root(), false, author)
    }

    fn failures(schema: &Schema, value: &str) -> Result<Vec<String>, &'static str> {
        let mut found = Vec::new();
        schema.check(Parser::default().parse(value.as_bytes()).unwrap().root(), |path| {
            found.push(path.to_owned());
        })?;
        Ok(found)
    }

    #[test]
    fn checks_values() {
        let schema = r##"{"type":"object","required":["t"],"properties":{"t":{"type":"number","maximum":60},
            "u":{"$ref":"#/$defs/unit"}},"$defs":{"unit":{"enum":["C","F"]}}}"##;
        let schema = compile(schema, Author::Input).unwrap();
        assert_eq!(failures(&schema, r#"{"t":3.5,"u":"C"}"#), Ok(vec![]));
        assert_eq!(failures(&schema, r#"{"t":"3","u":"K"}"#).unwrap().len(), 2);
        assert_eq!(failures(&schema, "{}"), Ok(vec!["/required".to_owned()]));
        assert!(failures(&schema, r#"{"t":1e400}"#).is_err());
        assert!(failures(&schema, r#"{"t":123456789012345678901234567890}"#).is_err());
        assert!(failures(&schema, r#"{"t":18446744073709551615}"#).unwrap().len() == 1);
        assert!(
            failures(&schema, &format!(r#"{{"t":1,"x":{}{}}}"#, "[".repeat(200), "]".repeat(200))).is_err()
        );
    }

    #[test]
    fn refuses_what_leads_out_or_around() {
        let both = [
            r#"{"$ref":"http://x.test/a"}"#,
            r#"{"$ref":"file:///etc/passwd"}"#,
            r#"{"$ref":"other.json"}"#,
            r##"{"$ref":"#"}"##,
            r##"{"$ref":"#/$defs/none"}"##,
            r##"{"$ref":"#none"}"##,
            r##"{"allOf":[{"$ref":"#"}]}"##,
            r##"{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"not":{"$ref":"#/$defs/a"}}},"$ref":"#/$defs/a"}"##,
            r##"{"$dynamicRef":"#"}"##,
            r##"{"$defs":{"a":{"$id":"http://x.test/"}},"properties":{"a":{"$ref":"#/$defs/a"}}}"##,
            r##"{"properties":{"default":{"$dynamicRef":"#"}}}"##,
            r#"{"properties":{"const":{"$ref":"http://x.test/a"}}}"#,
            r#"{"type":"strin"}"#,
            r#"{"$schema":"http://x.test/schema"}"#,
            r#"{"pattern":"("}"#,
            r#"{"pattern":"(?:[\\w]{200}){200}"}"#,
            r#"{"maximum":1e400}"#,
            "3",
            "null",
            "[]",
        ];
        for schema in both {
            assert!(compile(schema, Author::Contract).is_err(), "{schema}");
            assert!(compile(schema, Author::Input).is_err(), "{schema}");
        }
        let tree = r##"{"type":"object","properties":{"next":{"$ref":"#"}}}"##;
        assert!(compile(tree, Author::Input).is_err());
        let tree = compile(tree, Author::Contract).unwrap();
        assert_eq!(failures(&tree, r#"{"next":{"next":{}}}"#), Ok(vec![]));
        assert_eq!(failures(&tree, r#"{"next":{"next":7}}"#), Ok(vec![String::new()]));
    }

    #[test]
    fn a_schema_that_refers_to_itself_twice_ends_all_the_same() {
        for word in ["anyOf", "allOf", "oneOf"] {
            let twice = format!(r##"{{"{word}":[{{"$ref":"#/$defs/a"}},{{"$ref":"#/$defs/b"}}]}}"##);
            let part =
                |z| format!(r#"{{"type":"object","properties":{{"next":{twice},"z":{{"type":"{z}"}}}}}}"#);
            let (a, b) = (part("integer"), part("number"));
            let schema = format!(r##"{{"$ref":"#/$defs/a","$defs":{{"a":{a},"b":{b}}}}}"##);
            let schema = compile(&schema, Author::Contract).unwrap();
            let value = format!(r#"{}{{"z":"none"}}{}"#, r#"{"next":"#.repeat(100), "}".repeat(100));
            assert_eq!(failures(&schema, &value), Ok(vec![String::new()]), "{word}");
            let valid = word != "oneOf";
            assert_eq!(
                failures(&schema, &value.replace(r#""none""#, "1")).unwrap().is_empty(),
                valid,
                "{word}"
            );
        }
    }

    #[test]
    fn refuses_a_schema_that_multiplies() {
        let mut parts: Vec<String> = (0..40)
            .map(|i| {
                format!(
                    r##""a{i}":{{"allOf":[{{"$ref":"#/$defs/a{n}"}},{{"$ref":"#/$defs/a{n}"}}]}}"##,
                    n = i + 1
                )
            })
            .collect();
        parts.push(r#""a40":true"#.to_owned());
        let schema = format!(r##"{{"$ref":"#/$defs/a0","$defs":{{{}}}}}"##, parts.join(","));
        assert!(compile(&schema, Author::Input).unwrap_err().words.contains("too large"));
    }

    #[test]
    fn formats_count_where_they_are_asked_for() {
        let parsed = |formats, text: &str| {
            let mut parser = Parser::default();
            let document = parser.parse(text.as_bytes()).unwrap();
            Schema::compile(document.root(), formats, Author::Contract)
        };
        let date = r#"{"format":"date"}"#;
        assert_eq!(failures(&parsed(false, date).unwrap(), "\"soon\""), Ok(vec![]));
        assert_eq!(failures(&parsed(true, date).unwrap(), "\"soon\"").unwrap().len(), 1);
        assert!(parsed(true, r#"{"format":"no-such-format"}"#).is_err());
    }

    #[test]
    fn a_cache_stays_small() {
        let mut cache = Cache::default();
        for maximum in 0..200 {
            let text = format!(r#"{{"maximum":{maximum}}}"#);
            let mut parser = Parser::default();
            let document = parser.parse(text.as_bytes()).unwrap();
            assert!(cache.get(document.root(), false).is_ok());
            assert!(cache.get(document.root(), false).is_ok());
            assert!(cache.known.len() <= MOST_CACHED);
        }
    }
}
