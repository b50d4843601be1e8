//! Tells formats apart by one record; `--from auto` asks about the first one.
//!
//! A guess rests on members that only one format has. What fits none is described, never guessed.

use super::Format;
use crate::value::Value;

/// Returns the format that a record belongs to, where it says so beyond doubt.
pub fn detect(record: Value<'_>) -> Option<Format> {
    let record = record.as_object()?;
    let kind = record.get("type").and_then(Value::as_str).unwrap_or_default();
    let managed = ["agent.", "user.", "session."].iter().any(|prefix| kind.starts_with(prefix));
    if managed && record.has("processed_at") {
        return Some(Format::Anthropic);
    }
    None
}

/// Describes a record by its shape, for a message about what was seen: no values, only the names of members.
pub fn describe(record: Value<'_>) -> String {
    const NAMES: usize = 8;
    let Some(object) = record.as_object() else { return format!("a JSON {}", record.type_name()) };
    let names: Vec<String> = (object.members())
        .take(NAMES)
        .map(|(name, _)| {
            format!("`{}`", name.chars().take(40).filter(|c| !c.is_control()).collect::<String>())
        })
        .collect();
    let more = if object.len() > NAMES { ", …" } else { "" };
    if names.is_empty() {
        return "an object without members".to_owned();
    }
    format!("an object with {}{more}", names.join(", "))
}
