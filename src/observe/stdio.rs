//! Kind `stdio`: what a process printed. `exit_code` 0 is transported; it proves that the process ended, no more.

use super::{Reading, Source, Transport, body_text, failure, integer};
use crate::finding::Finding;
use crate::input::Members;
use crate::value::Value;

pub(super) fn read<'t>(members: &Members<'t>) -> Result<Reading<'t>, Finding<'t>> {
    let code = integer(members.exit_code, "exit_code")?;
    let (transport, payload) = match code {
        Some(0) => (Transport::Transported, output(members)),
        other => (failure(other), Source::Nothing),
    };
    Ok(Reading { transport, payload, hashed: members.stdout, protocol_conflict: false })
}

pub(super) fn output<'t>(members: &Members<'t>) -> Source<'t> {
    let Some(stdout) = members.stdout else { return Source::Nothing };
    let is_json = members.output_format.is_some_and(|format| format.is_str("json"));
    let has_something = match stdout.is_string() {
        true if is_json => return body_text(Some(stdout)),
        true => !stdout.is_str(""),
        false => stdout.as_object().is_some() || stdout.as_array().is_some(),
    };
    if has_something { Source::Value(stdout) } else { Source::Nothing }
}

/// Returns the metadata members that this kind adds.
pub(super) fn added(members: &Members<'_>) -> Option<&'static str> {
    members.command.and_then(Value::as_str).map(|_| "command")
}
