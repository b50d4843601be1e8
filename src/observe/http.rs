//! Kind `http_json`: `status_code` 200 to 399 is transported, any other a failure whatever the body says (RFC 9110, 15).

use super::{Reading, Source, Transport, body_text, failure, integer};
use crate::finding::Finding;
use crate::input::Members;
use crate::value::Value;

pub(super) fn read<'t>(members: &Members<'t>) -> Result<Reading<'t>, Finding<'t>> {
    let status = integer(members.status_code, "status_code")?;
    let (transport, payload) = match status {
        Some(200..=399) => (Transport::Transported, body_text(members.body)),
        other => (failure(other), Source::Nothing),
    };
    Ok(Reading { transport, payload, hashed: members.body, protocol_conflict: false })
}

/// Returns the member that names the target: without `target_ref`, what came back, else what was asked for.
pub(super) fn target<'t>(members: &Members<'t>) -> (Option<Value<'t>>, &'static str) {
    match (members.target_ref, members.response_target) {
        (Some(target), _) => (Some(target), "target_ref"),
        (None, Some(target)) => (Some(target), "response_target"),
        (None, None) if members.request_target.is_some() => (members.request_target, "request_target"),
        (None, None) => (None, "target_ref"),
    }
}
