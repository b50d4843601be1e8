//! Kind `mcp`: a result of the Model Context Protocol's `tools/call`. `structuredContent` comes before `text`, which is
//! taken as it stands; `isError: true` (exactly) is a protocol conflict.

use super::{Reading, Source};
use crate::input::Members;
use crate::value::Value;

pub(super) fn read<'t>(members: &Members<'t>) -> Reading<'t> {
    let structured = members.structured_content.filter(|value| !value.is_null());
    let text = members.text.filter(|value| value.is_string());
    Reading {
        protocol_conflict: is_error(members),
        ..Reading::transported(
            structured.or(text).map_or(Source::Nothing, Source::Value),
            structured.or(members.text),
        )
    }
}

fn is_error(members: &Members<'_>) -> bool {
    members.is_error.and_then(Value::as_bool) == Some(true)
}

/// Returns the metadata members that this kind adds.
pub(super) fn added(members: &Members<'_>) -> [Option<&'static str>; 2] {
    [
        is_error(members).then_some("protocol_conflict"),
        lacks_a_schema_field(members).then_some("missing_schema_fields"),
    ]
}

fn lacks_a_schema_field(members: &Members<'_>) -> bool {
    let required = members.output_schema.and_then(Value::as_object).and_then(|schema| schema.get("required"));
    let content = members.structured_content.and_then(Value::as_object);
    let (Some(required), Some(content)) = (required.and_then(Value::as_array), content) else { return false };
    required.iter().filter_map(Value::as_str).any(|name| content.get(name).is_none())
}
