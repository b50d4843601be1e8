//! The typed, borrowed view of one adapter input: which members it has and what kind of result it is.
//!
//! It checks the members that every kind shares. What a kind does with its own is in `observe`.

use std::fmt;

use crate::finding::{Fact, Finding};
use crate::reason::Reason;
use crate::value::{Array, Kind as ValueKind, Object, Value};

/// How a tool result was carried, which says how to read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A value, or JSON text, from anywhere.
    Json,
    /// An HTTP response with a JSON body.
    HttpJson,
    /// A result of the Model Context Protocol's `tools/call`.
    Mcp,
    /// What a process printed, and how it ended.
    Stdio,
    /// YAML text.
    Yaml,
    /// Somebody's words, without a call.
    ClaimOnly,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 6] =
        [Self::Json, Self::HttpJson, Self::Mcp, Self::Stdio, Self::Yaml, Self::ClaimOnly];

    /// Returns the name that the member `kind` gives it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::HttpJson => "http_json",
            Self::Mcp => "mcp",
            Self::Stdio => "stdio",
            Self::Yaml => "yaml",
            Self::ClaimOnly => "claim_only",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The members of one adapter input that anything here reads; the last one where a key is repeated.
#[derive(Debug, Clone, Copy, Default)]
#[expect(missing_docs, reason = "each is the member of that name")]
pub struct Members<'t> {
    pub kind: Option<Value<'t>>,
    pub source_ref: Option<Value<'t>>,
    pub target_ref: Option<Value<'t>>,
    pub response_target: Option<Value<'t>>,
    pub request_target: Option<Value<'t>>,
    pub tool_name: Option<Value<'t>>,
    pub observation_id: Option<Value<'t>>,
    pub tool_call_id: Option<Value<'t>>,
    pub observed_at: Option<Value<'t>>,
    pub source_version: Option<Value<'t>>,
    pub evidence_refs: Option<Value<'t>>,
    pub metadata: Option<Value<'t>>,
    pub claim_type: Option<Value<'t>>,
    pub body: Option<Value<'t>>,
    pub status_code: Option<Value<'t>>,
    pub structured_content: Option<Value<'t>>,
    pub text: Option<Value<'t>>,
    pub is_error: Option<Value<'t>>,
    pub output_schema: Option<Value<'t>>,
    pub exit_code: Option<Value<'t>>,
    pub stdout: Option<Value<'t>>,
    pub stderr: Option<Value<'t>>,
    pub output_format: Option<Value<'t>>,
    pub command: Option<Value<'t>>,
    pub value: Option<Value<'t>>,
    pub claim: Option<Value<'t>>,
    pub claims: Option<Value<'t>>,
    pub origin: Option<Value<'t>>,
    pub content: Option<Value<'t>>,
    pub signal: Option<Value<'t>>,
    pub truncated: Option<Value<'t>>,
    pub stale: Option<Value<'t>>,
    pub corrupted: Option<Value<'t>>,
    pub redacted: Option<Value<'t>>,
    /// `structured_content`, as the SDK's objects spell it; only version "2" looks at it.
    pub structured_content_alias: Option<Value<'t>>,
    /// `is_error`, likewise.
    pub is_error_alias: Option<Value<'t>>,
}

impl<'t> Members<'t> {
    /// Finds the members in one pass over an input.
    pub fn of(object: Object<'t>) -> Self {
        let mut members = Self::default();
        // Names are bytes here: most are none of these, and need not be checked to be text.
        object.each_member(|name, value| {
            let slot = match name {
                b"kind" => &mut members.kind,
                b"source_ref" => &mut members.source_ref,
                b"target_ref" => &mut members.target_ref,
                b"response_target" => &mut members.response_target,
                b"request_target" => &mut members.request_target,
                b"tool_name" => &mut members.tool_name,
                b"observation_id" => &mut members.observation_id,
                b"tool_call_id" => &mut members.tool_call_id,
                b"observed_at" => &mut members.observed_at,
                b"source_version" => &mut members.source_version,
                b"evidence_refs" => &mut members.evidence_refs,
                b"metadata" => &mut members.metadata,
                b"claim_type" => &mut members.claim_type,
                b"body" => &mut members.body,
                b"status_code" => &mut members.status_code,
                b"structuredContent" => &mut members.structured_content,
                b"text" => &mut members.text,
                b"isError" => &mut members.is_error,
                b"outputSchema" => &mut members.output_schema,
                b"exit_code" => &mut members.exit_code,
                b"stdout" => &mut members.stdout,
                b"stderr" => &mut members.stderr,
                b"output_format" => &mut members.output_format,
                b"command" => &mut members.command,
                b"value" => &mut members.value,
                b"claim" => &mut members.claim,
                b"claims" => &mut members.claims,
                b"origin" => &mut members.origin,
                b"content" => &mut members.content,
                b"signal" => &mut members.signal,
                b"truncated" => &mut members.truncated,
                b"stale" => &mut members.stale,
                b"corrupted" => &mut members.corrupted,
                b"redacted" => &mut members.redacted,
                b"structured_content" => &mut members.structured_content_alias,
                b"is_error" => &mut members.is_error_alias,
                _ => return,
            };
            *slot = Some(value);
        });
        members
    }

    /// Returns the kind, stated or inferred from the members that are there.
    ///
    /// # Errors
    /// A `kind` that names none of the six.
    pub fn kind(&self) -> Result<Kind, Finding<'t>> {
        if let Some(value) = self.kind.filter(|value| !value.is_null()) {
            let named = Kind::ALL.into_iter().find(|kind| value.is_str(kind.name()));
            return named.ok_or_else(|| {
                malformed("kind", "one of json, http_json, mcp, stdio, yaml, claim_only").actual(match value
                    .as_str()
                {
                    Some(_) => Fact::Words("another string"),
                    None => Fact::Words(value.type_name()),
                })
            });
        }
        Ok(self.telling_member().map_or(Kind::Json, |(_, kind)| kind))
    }

    /// Returns the member that tells the kind where `kind` does not: the first that is there, null or not. Where none
    /// is, the kind is `json`.
    pub fn telling_member(&self) -> Option<(&'static str, Kind)> {
        [
            ("structuredContent", self.structured_content, Kind::Mcp),
            ("isError", self.is_error, Kind::Mcp),
            ("outputSchema", self.output_schema, Kind::Mcp),
            ("exit_code", self.exit_code, Kind::Stdio),
            ("stdout", self.stdout, Kind::Stdio),
            ("stderr", self.stderr, Kind::Stdio),
            ("status_code", self.status_code, Kind::HttpJson),
        ]
        .into_iter()
        .find_map(|(name, value, kind)| value.map(|_| (name, kind)))
    }
}

/// Starts the finding that a member of the input is not what it must be.
pub(crate) const fn malformed<'t>(member: &'static str, expected: &'static str) -> Finding<'t> {
    Finding::new(Reason::SchemaInvalid, "input").member(member).expected(Fact::Words(expected))
}

/// Returns the string that a member is, within 1 to `most` characters; `None` where it is absent or null.
pub(crate) fn text<'t>(
    value: Option<Value<'t>>,
    member: &'static str,
    most: usize,
    expected: &'static str,
) -> Result<Option<&'t str>, Finding<'t>> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(None) };
    let Some(text) = value.as_str() else {
        return Err(malformed(member, expected).actual(Fact::Words(value.type_name())));
    };
    if text.is_empty() || !fits(text, most) {
        return Err(malformed(member, expected).actual(Fact::Count(text.chars().count(), "characters")));
    }
    Ok(Some(text))
}

/// Returns true where `text` has at most `most` characters.
pub(crate) fn fits(text: &str, most: usize) -> bool {
    // A character takes a byte or more: a short text needs no counting.
    text.len() <= most || text.chars().count() <= most
}

/// Returns the evidence references of an input, still as the array that holds them.
pub(crate) fn evidence_refs(value: Option<Value<'_>>) -> Result<Option<Array<'_>>, Finding<'_>> {
    const MEMBER: &str = "evidence_refs";
    const EXPECTED: &str = "an array of at most 64 strings of 1 to 2048 characters";
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(None) };
    let Some(array) = value.as_array() else {
        return Err(malformed(MEMBER, EXPECTED).actual(Fact::Words(value.type_name())));
    };
    if array.len() > 64 {
        return Err(malformed(MEMBER, EXPECTED).actual(Fact::Count(array.len(), "elements")));
    }
    for element in array.iter() {
        let Some(text) = element.as_str() else {
            return Err(malformed(MEMBER, EXPECTED).actual(match element.kind() {
                ValueKind::Null => Fact::Words("an element that is null"),
                _ => Fact::Words("an element that is no string"),
            }));
        };
        if text.is_empty() || !fits(text, 2048) {
            return Err(malformed(MEMBER, EXPECTED)
                .actual(Fact::Count(text.chars().count(), "characters in an element")));
        }
    }
    Ok(Some(array))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Path;
    use crate::value::Parser;

    #[test]
    fn infers_the_kind_from_the_members_that_are_there() {
        for (text, expected) in [
            ("{}", Kind::Json),
            (r#"{"value":"a: 1","claim":"x"}"#, Kind::Json),
            (r#"{"status_code":null}"#, Kind::HttpJson),
            (r#"{"status_code":200,"stderr":null}"#, Kind::Stdio),
            (r#"{"exit_code":null}"#, Kind::Stdio),
            (r#"{"stdout":""}"#, Kind::Stdio),
            (r#"{"stdout":"","isError":null}"#, Kind::Mcp),
            (r#"{"structuredContent":null}"#, Kind::Mcp),
            (r#"{"outputSchema":{}}"#, Kind::Mcp),
            (r#"{"text":"x"}"#, Kind::Json),
            (r#"{"kind":null,"exit_code":0}"#, Kind::Stdio),
            (r#"{"kind":"json","exit_code":0}"#, Kind::Json),
            (r#"{"kind":"yaml","kind":"claim_only"}"#, Kind::ClaimOnly),
        ] {
            let mut parser = Parser::default();
            let parsed = parser.parse(text.as_bytes()).unwrap();
            assert_eq!(Members::of(parsed.root().as_object().unwrap()).kind(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn refuses_a_kind_that_is_none() {
        for text in [
            r#"{"kind":""}"#,
            r#"{"kind":"JSON"}"#,
            r#"{"kind":[]}"#,
            r#"{"kind":false}"#,
            r#"{"kind":"http"}"#,
        ] {
            let mut parser = Parser::default();
            let parsed = parser.parse(text.as_bytes()).unwrap();
            let finding = Members::of(parsed.root().as_object().unwrap()).kind().unwrap_err();
            assert_eq!(
                (finding.reason, finding.path),
                (Reason::SchemaInvalid, Path::Member("kind")),
                "{text}"
            );
        }
    }
}
