//! The same members read as a contract of version "2" reads them: every spelling of an error flag counts, text that
//! begins like JSON is JSON, and what is missing is never made up.

use bumpalo::Bump;

use super::{Reading, Source, Target, Transport, body_text, failure, http};
use crate::contract::strict::TextFormat;
use crate::finding::{Fact, Finding};
use crate::input::{Kind, Members, malformed};
use crate::value::{Builder, Kind as ValueKind, Value};

/// What a contract says about the reading.
#[derive(Debug, Clone, Copy, Default)]
pub struct Manner<'c> {
    /// How text is read.
    pub(crate) text_format: TextFormat,
    /// Exit codes that count as success beside 0.
    pub(crate) success_exit_codes: &'c [i64],
    /// Whether an input may come without a target.
    pub(crate) target_optional: bool,
}

/// What one kind reads out of its own members, under version "2".
#[derive(Debug, Clone, Copy)]
pub struct Strict<'t> {
    /// What version "1" reads as well.
    pub reading: Reading<'t>,
    /// JSON text beside the payload, which must say the same.
    pub beside: Option<Value<'t>>,
    /// Why the protocol says that the call failed.
    pub conflict: Option<Conflict>,
    /// The structured content of an MCP result.
    pub structured: Option<Value<'t>>,
    /// HTTP 202: taken, and no more.
    pub only_accepted: bool,
}

/// How a result contradicts its own success.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conflict {
    /// This member is an error flag that is set, or that is no flag at all.
    Flag(&'static str),
    /// The two spellings of the structured content differ.
    Spellings,
    /// Text and structured content are both JSON, and differ.
    Text,
}

impl<'t> Strict<'t> {
    fn of(reading: Reading<'t>) -> Self {
        Self { reading, beside: None, conflict: None, structured: None, only_accepted: false }
    }
}

/// Returns the kind, stated or inferred; the second spellings of MCP's members count as well.
///
/// # Errors
/// A `kind` that names none of the six.
pub fn kind<'t>(members: &Members<'t>) -> Result<Kind, Finding<'t>> {
    let stated = members.kind.is_some_and(|kind| !kind.is_null());
    let is_mcp = members.structured_content_alias.is_some() || members.is_error_alias.is_some();
    if is_mcp && !stated { Ok(Kind::Mcp) } else { members.kind() }
}

/// Returns where an input names its target: what was asked for, else what came back.
pub fn target<'t>(kind: Kind, members: &Members<'t>, manner: &Manner<'_>) -> Target<'t> {
    let there = |value: Option<Value<'t>>| value.filter(|value| !value.is_null());
    let (value, member) = match (there(members.target_ref), there(members.request_target)) {
        (None, Some(request)) if kind == Kind::HttpJson => (Some(request), "request_target"),
        (None, None) if kind == Kind::HttpJson && there(members.response_target).is_some() => {
            (there(members.response_target), "response_target")
        }
        (target, _) => (target, "target_ref"),
    };
    Target { value, member, optional: manner.target_optional }
}

/// Returns what a kind reads out of its own members. Texts of several content blocks are joined in `arena`.
///
/// # Errors
/// A member that the kind needs is of the wrong type.
pub fn read<'t>(
    kind: Kind,
    members: &Members<'t>,
    manner: &Manner<'_>,
    arena: &'t Bump,
) -> Result<Strict<'t>, Finding<'t>> {
    let mut strict = match kind {
        Kind::Mcp => mcp(members, manner, arena)?,
        Kind::Stdio => Strict::of(stdio(members, manner)?),
        Kind::HttpJson => {
            let reading = http::read(members)?;
            let status = members.status_code.map(Value::kind);
            let only_accepted =
                matches!(status, Some(ValueKind::Integer(status)) if status.as_i64() == Some(202));
            Strict { only_accepted, ..Strict::of(reading) }
        }
        Kind::Json | Kind::Yaml | Kind::ClaimOnly => Strict::of(super::read(kind, members)?),
    };
    let metadata = members.metadata.and_then(Value::as_object);
    if is_set(metadata.and_then(|metadata| metadata.get("protocol_conflict"))) {
        strict.conflict = strict.conflict.or(Some(Conflict::Flag("metadata")));
    }
    strict.reading.protocol_conflict = strict.conflict.is_some();
    Ok(strict)
}

/// Returns true for a flag that is there and not exactly false or null: what is no flag may be one all the same.
pub(crate) fn is_set(flag: Option<Value<'_>>) -> bool {
    flag.is_some_and(|flag| !flag.is_null() && flag.as_bool() != Some(false))
}

fn mcp<'t>(members: &Members<'t>, manner: &Manner<'_>, arena: &'t Bump) -> Result<Strict<'t>, Finding<'t>> {
    let there = |value: Option<Value<'t>>| value.filter(|value| !value.is_null());
    let (first, second) = (there(members.structured_content), there(members.structured_content_alias));
    let flag = if is_set(members.is_error) {
        Some(Conflict::Flag("isError"))
    } else {
        is_set(members.is_error_alias).then_some(Conflict::Flag("is_error"))
    };
    let differ = match (first, second) {
        (Some(first), Some(second)) => {
            crate::condition::alike(first, second) != crate::condition::Answer::Yes
        }
        _ => false,
    };
    let structured = first.or(second);
    let (text, text_value) = text(members, arena)?;
    let text_payload = match text {
        None => Source::Nothing,
        Some(text) if is_json(text, manner.text_format) => Source::Json(text),
        Some(text) => Source::Value(text),
    };
    let (payload, beside) = match (structured, text_payload) {
        (Some(structured), Source::Json(text)) => (Source::Value(structured), Some(text)),
        (Some(structured), _) => (Source::Value(structured), None),
        (None, payload) => (payload, None),
    };
    let hashed = structured.or(text_value);
    Ok(Strict {
        beside,
        conflict: flag.or(differ.then_some(Conflict::Spellings)),
        structured,
        ..Strict::of(Reading::transported(payload, hashed))
    })
}

/// Returns the text of an MCP result, a string, and the member it stands in: `text`, else the text blocks of `content`.
fn text<'t>(
    members: &Members<'t>,
    arena: &'t Bump,
) -> Result<(Option<Value<'t>>, Option<Value<'t>>), Finding<'t>> {
    const BLOCKS: &str = "an array of content blocks, each an object with `type`";
    if let Some(text) = members.text.filter(|text| !text.is_null()) {
        // As under version "1", text that is no string is hashed and no payload.
        return Ok((Some(text).filter(|text| text.is_string()), Some(text)));
    }
    let Some(content) = members.content.filter(|content| !content.is_null()) else { return Ok((None, None)) };
    let Some(blocks) = content.as_array() else {
        return Err(malformed("content", BLOCKS).actual(Fact::Words(content.type_name())));
    };
    let mut texts: smallvec::SmallVec<[Value<'t>; 4]> = smallvec::SmallVec::new();
    for block in blocks.iter() {
        let kind = block.as_object().and_then(|block| block.get("type")).and_then(Value::as_str);
        let text = block.as_object().and_then(|block| block.get("text"));
        match (kind, text.filter(|text| text.is_string())) {
            (None, _) => {
                return Err(malformed("content", BLOCKS).actual(Fact::Words("a block without a type")));
            }
            (Some("text"), None) => {
                return Err(malformed("content", BLOCKS).actual(Fact::Words("a text block without text")));
            }
            (Some("text"), Some(text)) => texts.push(text),
            (Some(_), _) => {}
        }
    }
    let joined = match texts.as_slice() {
        [] => None,
        [text] => Some(*text),
        texts => {
            let texts: Vec<&str> = texts.iter().filter_map(|text| text.as_str()).collect();
            Some(Builder::text(&texts.join("\n"), arena))
        }
    };
    Ok((joined, Some(content)))
}

fn is_json(text: Value<'_>, format: TextFormat) -> bool {
    match format {
        TextFormat::Json => true,
        TextFormat::Text => false,
        TextFormat::Stated => {
            matches!(text.first_written(), Some(b'{' | b'['))
                || text.as_str().is_some_and(|text| text.trim_start().starts_with(['{', '[']))
        }
    }
}

fn stdio<'t>(members: &Members<'t>, manner: &Manner<'_>) -> Result<Reading<'t>, Finding<'t>> {
    let code = members.exit_code.filter(|code| !code.is_null());
    let transport = if members.signal.is_some_and(|signal| !signal.is_null()) {
        Transport::Failed(Fact::Words("ended by a signal"))
    } else {
        match code.map(|code| (code, code.kind())) {
            None => Transport::Failed(Fact::Words("no exit code")),
            Some((_, ValueKind::Integer(code))) => match code.as_i64() {
                Some(code) if code == 0 || manner.success_exit_codes.contains(&code) => {
                    Transport::Transported
                }
                code => failure(code),
            },
            Some((code, _)) => {
                return Err(malformed("exit_code", "an integer").actual(Fact::Words(code.type_name())));
            }
        }
    };
    let payload = match transport {
        Transport::Transported => output(members, manner.text_format),
        _ => Source::Nothing,
    };
    Ok(Reading { transport, payload, hashed: members.stdout, protocol_conflict: false })
}

fn output<'t>(members: &Members<'t>, format: TextFormat) -> Source<'t> {
    match (format, members.stdout.filter(|stdout| stdout.is_string())) {
        (TextFormat::Json, Some(_)) => body_text(members.stdout),
        (TextFormat::Text, Some(text)) if text.is_str("") => Source::Nothing,
        (TextFormat::Text, Some(text)) => Source::Value(text),
        _ => super::stdio::output(members),
    }
}
