//! Kind `claim_only`: somebody's words, and no record that a tool ever ran.

use super::{Reading, Source, Transport};
use crate::input::Members;

/// Where a claim comes from that names no source.
pub(super) const SOURCE: &str = "local://claim";
/// What a claim is about that names no target.
pub(super) const TARGET: &str = "unknown-target";

pub(super) fn read<'t>(members: &Members<'t>) -> Reading<'t> {
    Reading {
        transport: Transport::Attempted,
        payload: Source::Nothing,
        hashed: members.claim,
        protocol_conflict: false,
    }
}

/// Returns the metadata members that this kind adds.
pub(super) fn added(members: &Members<'_>) -> Option<&'static str> {
    members.claim.and_then(super::super::value::Value::as_str).map(|_| "claimed_text")
}
