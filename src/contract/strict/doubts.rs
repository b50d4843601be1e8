//! Warnings about a version "2" contract that is well-formed and surely not meant: parts that can never hold, or that
//! are never asked.

use super::Strict;
use crate::contract::ClaimType;
use crate::contract::problem::Collector;
use crate::value::{Object, Pointer};

/// The members of an input that the payload is read from.
const PAYLOAD_MEMBERS: [&str; 8] =
    ["body", "structuredContent", "structured_content", "text", "content", "stdout", "value", "claim"];

pub(super) fn warn(terms: &Strict, contract: Object<'_>, report: &mut Collector<'_>) {
    let has = |member: &str| contract.get(member).is_some();
    if terms.claim_type == ClaimType::NotFound {
        if terms.not_found_sentinel.is_none() && terms.not_found_when.is_empty() {
            report.warn(
                "a `not_found` contract without `not_found_sentinel` and `not_found_when` can never seal anything",
            );
        }
        let content = [
            "required_fields",
            "allow_empty",
            "fields",
            "payload_schema",
            "outputSchema",
            "empty_when",
            "partial_when",
        ];
        for member in content {
            // An empty list of required fields is how version "1" says that there are none.
            if has(member) && !(member == "required_fields" && terms.required_fields.is_empty()) {
                report
                    .at(member)
                    .warn("is never asked of an absence: a `not_found` claim has no content to check");
            }
        }
    }
    if !terms.claim_type.is_effect() {
        for member in ["effect_evidence", "allow_empty_payload"] {
            if has(member) {
                report
                    .at(member)
                    .warn("is for effect_observed and task_complete alone, and never asked here");
            }
        }
    } else if !terms.effect_evidence_required && !terms.effect_evidence.is_given() {
        report
            .at("effect_evidence_required")
            .warn("is false: any friendly answer seals an effect that nobody saw");
    }
    if terms.claims_required && terms.fields.is_empty() {
        report
            .at("claims")
            .warn("asks for claims, and no `fields` declare what they may be about: it can never hold");
    }
    if terms.success_exit_codes.iter().all(|code| *code == 0) && !terms.success_exit_codes.is_empty() {
        report.at("success_exit_codes").warn("names 0 alone, which always counts as success");
    }
    if let Some(target) = &terms.target_ref {
        let from_payload =
            |pointer: &Pointer| pointer.tokens().next().is_some_and(|first| PAYLOAD_MEMBERS.contains(&first));
        if target.pointers().any(from_payload) {
            report
                .at("target_ref")
                .warn("takes what was asked for from what came back: held against itself it can never fail");
        }
        if terms.observed_target.is_none()
            && target.pointers().any(|pointer| pointer.as_str() == "/target_ref")
        {
            report.at("target_ref").warn("is the input's own target held against itself: it can never fail");
        }
    }
    let contains_other = terms.partial_when.iter().find(|condition| terms.error_when.contains(condition));
    if contains_other.is_some() {
        report.at("partial_when").warn("repeats a condition of `error_when`, which comes first");
    }
}
