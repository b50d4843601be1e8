//! Kind `stdio`: what a process printed. `exit_code` 0 is transported; it proves that the process ended, no more.

use super::{Reading, Source, Transport, body_text, failure, integer};
use crate::finding::Finding;
use crate::input::Members;
use crate::value::Kind;

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
    let is_json = members.output_format.and_then(super::super::value::Value::as_str) == Some("json");
    match stdout.kind() {
        Kind::String(_) if is_json => body_text(Some(stdout)),
        Kind::String("")
        | Kind::Null
        | Kind::Bool(_)
        | Kind::Integer(_)
        | Kind::Float(_)
        | Kind::Timestamp(_) => Source::Nothing,
        Kind::String(_) | Kind::Object(_) | Kind::Array(_) => Source::Value(stdout),
    }
}

/// Returns the metadata members that this kind adds.
pub(super) fn added(members: &Members<'_>) -> Option<&'static str> {
    members.command.and_then(super::super::value::Value::as_str).map(|_| "command")
}
