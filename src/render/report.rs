//! The report of one decision, for people: Markdown that also reads well on a terminal. No values of the payload.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};

use super::{payload, unless_hidden, visible};
use crate::contract::ClaimType;
use crate::decision::{Member, Outcome, Redaction, Ruling, TruthState};
use crate::observe::{Observation, Transport};
use crate::reason::Reason;

/// Returns the style that an outcome has everywhere.
pub(super) const fn style(outcome: Outcome) -> Style {
    let color = match outcome {
        Outcome::Sealed => AnsiColor::Green,
        Outcome::Blocked => AnsiColor::Yellow,
        Outcome::Rejected => AnsiColor::Red,
    };
    color.on_default().bold()
}

/// Returns the report of a ruling, with styles where a terminal may show them.
pub fn report(ruling: &Ruling<'_>, redaction: &Redaction) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write_report(ruling, redaction, &mut out);
    out
}

fn write_report(ruling: &Ruling<'_>, redaction: &Redaction, out: &mut String) -> std::fmt::Result {
    let style = style(ruling.outcome);
    let state = ruling.truth_state.map_or("unknown", TruthState::name);
    let decision = unless_hidden(Member::Decision, redaction, ruling.outcome.name());
    writeln!(out, "# {style}{decision}{style:#}\n")?;
    if let Some(observation) = ruling.observation {
        write_input(observation, redaction, out)?;
    }
    let claim = ruling.claim_type.map_or("none", ClaimType::name);
    writeln!(out, "- claim: {}", unless_hidden(Member::ClaimType, redaction, claim))?;
    writeln!(
        out,
        "- decision: {decision}, truth state {}",
        unless_hidden(Member::TruthState, redaction, state)
    )?;
    out.write_str("- reasons:\n")?;
    for reason in ruling.reasons() {
        if redaction.covers(Member::ReasonCodes) {
            out.write_str("  - [REDACTED]\n")?;
            continue;
        }
        write_reason(ruling, reason, redaction, out)?;
    }
    if let Some(observation) = ruling.observation {
        let references = observation.evidence_refs.iter().flat_map(crate::value::Array::iter);
        let references: Vec<_> = references.filter_map(crate::value::Value::as_str).collect();
        match references.as_slice() {
            [] => out.write_str("- evidence: none\n")?,
            references => {
                out.write_str("- evidence:\n")?;
                for reference in references {
                    writeln!(out, "  - {}", unless_hidden(Member::EvidenceRefs, redaction, reference))?;
                }
            }
        }
    }
    if let Some(now) = ruling.now {
        writeln!(out, "- reference clock: {now}")?;
    }
    if let Some(fingerprint) = ruling.fingerprint(redaction) {
        writeln!(out, "- fingerprint: {fingerprint}")?;
    }
    Ok(())
}

fn write_input(observation: &Observation<'_>, redaction: &Redaction, out: &mut String) -> std::fmt::Result {
    writeln!(
        out,
        "- input: {}, of kind {}, from {} about {}",
        unless_hidden(Member::ToolName, redaction, observation.tool_name),
        observation.kind,
        unless_hidden(Member::SourceRef, redaction, observation.source_ref),
        unless_hidden(Member::TargetRef, redaction, observation.target_ref.unwrap_or("(no target)")),
    )?;
    if let Some(observed_at) = observation.observed_at {
        writeln!(out, "- observed at: {}", visible(observed_at))?;
    }
    if let Some(version) = observation.source_version {
        writeln!(out, "- source version: {}", visible(version))?;
    }
    writeln!(
        out,
        "- state: {}; payload: {}{}",
        transport(&observation.transport),
        payload::shape(&observation.payload),
        if observation.protocol_conflict { "; its protocol says that the call failed" } else { "" }
    )
}

/// Returns how far a call got, in words.
pub(super) fn transport(transport: &Transport<'_>) -> String {
    match transport {
        Transport::Transported => "transported".to_owned(),
        Transport::Attempted => "nothing says that a tool was called".to_owned(),
        Transport::Failed(fact) => format!("failed with {fact}"),
    }
}

fn write_reason(
    ruling: &Ruling<'_>,
    reason: Reason,
    redaction: &Redaction,
    out: &mut String,
) -> std::fmt::Result {
    writeln!(out, "  - {reason}: {}", reason.summary())?;
    for finding in ruling.findings.iter().filter(|finding| finding.reason == reason) {
        let path = finding.path.to_string();
        let place = if path.is_empty() { String::new() } else { format!("{path}: ") };
        let hidden = redaction.hides(finding.path) || redaction.covers(Member::Findings);
        let text = if hidden { "[REDACTED]".to_owned() } else { visible(&finding.to_string()) };
        if !text.is_empty() {
            writeln!(out, "    - {place}{text}")?;
        }
    }
    if ruling.outcome != Outcome::Sealed {
        writeln!(out, "    - {}", reason.advice())?;
    }
    Ok(())
}
