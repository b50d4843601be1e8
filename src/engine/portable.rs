//! One input read once, as version "1" reads it, and judged by the contracts of version "1" that were found.

use super::{Found, Input, Memory, Wanted, clock_of, syntax};
use crate::canon::Writer;
use crate::contract::{ClaimType, Portable};
use crate::decision::{Outcome, Ruling, TruthState};
use crate::engine::Engine;
use crate::finding::{Fact, Finding, Findings};
use crate::observe::{self, Observation, Payload, Source};
use crate::reason::Reason;
use crate::rules::{self, Case};
use crate::time::Timestamp;
use crate::yaml;

impl Engine {
    pub(super) fn judge_portable<R>(
        &self,
        found: &Found<'_>,
        input: &Input<'_>,
        memory: &mut Memory<'_>,
        then: impl FnOnce(&Ruling<'_>, &mut Writer) -> R,
    ) -> R {
        let Memory { body, arena, writer, canonical, .. } = memory;
        let Input { root, members, clock, tool_name } = *input;
        let (parsed, loaded);
        let (kind, reading) = match members.kind().and_then(|kind| Ok((kind, observe::read(kind, members)?)))
        {
            Ok(read) => read,
            Err(finding) => return then(&Ruling::rejected(finding, tool_name), writer),
        };
        let payload = match reading.payload {
            Source::Nothing => Payload::Nothing,
            Source::Value(value) => Payload::Value(value),
            Source::Json(string) => match body.parse_string(string) {
                Ok(read) => {
                    parsed = read;
                    Payload::Value(parsed.root())
                }
                Err(error) => Payload::Unreadable(syntax(error)),
            },
            Source::Yaml(text) => match yaml::load(text, arena, &self.limits) {
                Ok(read) => {
                    loaded = read;
                    Payload::Value(loaded.root())
                }
                Err(refusal) => return then(&Ruling::rejected(refusal.finding(), tool_name), writer),
            },
        };
        let target = observe::target(kind, members).optional_if(found.key.is_none());
        let observed = observe::envelope(kind, members, target).and_then(|envelope| {
            let now = clock_of(root, clock)?;
            let content_hash = self.content_hash(&envelope, &reading, writer, canonical)?;
            Ok((Observation::of(&envelope, &reading, payload, content_hash), now))
        });
        let ruling = match &observed {
            Ok((observation, now)) => rule(found, observation, *now),
            Err(finding) => Ruling::rejected(*finding, tool_name),
        };
        then(&ruling, writer)
    }
}

/// Applies the rules of the contracts that were found: the first that seals decides, else the first of all.
fn rule<'t>(found: &Found<'t>, observation: &'t Observation<'t>, now: Timestamp) -> Ruling<'t> {
    let mut first = None;
    for contract in found.candidates().filter_map(crate::contract::Contract::portable) {
        let ruling = apply(contract, found.key, observation, now);
        if ruling.outcome == Outcome::Sealed {
            return ruling;
        }
        first.get_or_insert(ruling);
    }
    first.unwrap_or_else(|| without_contract(found, observation, now))
}

fn apply<'t>(
    contract: &'t Portable,
    key: Option<&'t str>,
    observation: &'t Observation<'t>,
    now: Timestamp,
) -> Ruling<'t> {
    let (outcome, truth_state, findings) = match rules::first_failure(&Case { observation, contract, now }) {
        Some(failure) => (Outcome::Blocked, failure.truth_state, failure.findings),
        None if contract.claim_type == ClaimType::NotFound => {
            (Outcome::Sealed, TruthState::NotFound, Findings::new())
        }
        None => (Outcome::Sealed, TruthState::Sealed, Findings::new()),
    };
    Ruling {
        outcome,
        truth_state: Some(truth_state),
        claim_type: Some(contract.claim_type),
        findings,
        observation: Some(observation),
        contract: key,
        tool_name: Some(observation.tool_name),
        now: Some(now),
    }
}

/// Returns the ruling where no contract is for this tool, or for the claim that the input names.
pub(super) fn without_contract<'t>(
    found: &Found<'t>,
    observation: &'t Observation<'t>,
    now: Timestamp,
) -> Ruling<'t> {
    let (claim_type, finding) = match (found.key, found.wanted) {
        (Some(_), Wanted::Claim(claim)) => {
            let finding = Finding::new(Reason::UnsupportedClaim, "bundle")
                .member("claim_type")
                .expected(Fact::Words("a claim type for which the tool has a contract"))
                .actual(Fact::Words(claim.map_or("none of the five claim types", ClaimType::name)));
            (claim, finding)
        }
        _ => {
            let finding = Finding::new(Reason::NoContract, "bundle")
                .member("tool_name")
                .expected(Fact::Words("a tool that the bundle names, or a default"))
                .actual(Fact::Text(observation.tool_name));
            (None, finding)
        }
    };
    Ruling {
        outcome: Outcome::Blocked,
        truth_state: Some(TruthState::Unknown),
        claim_type,
        findings: smallvec::smallvec![finding],
        observation: Some(observation),
        contract: found.key,
        tool_name: Some(observation.tool_name),
        now: Some(now),
    }
}
