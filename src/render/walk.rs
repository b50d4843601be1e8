//! One record on its way through the rules, told step by step. It asks the rules themselves; it decides nothing.

use std::fmt::Write;

use super::report::{style, transport};
use super::{payload, visible, wrap};
use crate::canon::Writer;
use crate::contract::{Bundle, ClaimType, Contract, Entry, Lookup};
use crate::decision::{Outcome, Redaction, Ruling, TruthState};
use crate::engine::{Clock, Engine, Scratch};
use crate::input::{Kind, Members};
use crate::observe::{Id, Observation};
use crate::rules;
use crate::time::Timestamp;
use crate::value::{Limits, Value};

/// What is told, and how much.
pub struct Told<'t, 'r> {
    /// What the record was judged by.
    pub bundle: &'t Bundle,
    /// The adapter input.
    pub input: Value<'t>,
    /// The bounds that it was judged within.
    pub limits: Limits,
    /// What was decided.
    pub ruling: &'t Ruling<'r>,
    /// Whether the payload's values are shown.
    pub show_values: bool,
}

/// Returns the walk, with styles where a terminal may show them.
pub fn walk(told: &Told<'_, '_>) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = told.write(&mut out);
    out
}

impl Told<'_, '_> {
    fn write(&self, out: &mut String) -> std::fmt::Result {
        let ruling = self.ruling;
        if let Some(kind) = self.kind() {
            writeln!(out, "kind         {kind}")?;
        }
        if let (Some(observation), Some(now)) = (ruling.observation, ruling.now) {
            self.write_input(observation, now, out)?;
            self.write_contracts(observation, now, out)?;
        }
        let style = style(ruling.outcome);
        write!(out, "decision     {style}{}{style:#}", ruling.outcome)?;
        if let Some(state) = ruling.truth_state {
            write!(out, ", truth state {}", TruthState::name(state))?;
        }
        out.push('\n');
        for reason in ruling.reasons() {
            write!(out, "             {reason}: ")?;
            wrap(reason.summary(), 13, out);
            for finding in ruling.findings.iter().filter(|finding| finding.reason == reason) {
                let text = located(&finding.path.to_string(), &finding.to_string());
                // A rule's findings stand beside the rule.
                let is_of_a_rule = [false, true].map(|strict| rules::explanation(finding.rule, strict));
                if !text.is_empty() && is_of_a_rule == [None, None] {
                    writeln!(out, "             {text}")?;
                }
            }
            if ruling.outcome != Outcome::Sealed {
                out.push_str("             ");
                wrap(reason.advice(), 13, out);
            }
        }
        if let Some(observation) = ruling.observation {
            if let Some(hash) = observation.content_hash {
                writeln!(out, "hashes       content      {hash}")?;
            }
            if let Some(fingerprint) = ruling.fingerprint(&Redaction::none()) {
                writeln!(out, "             fingerprint  {fingerprint}")?;
            }
        }
        Ok(())
    }

    /// Returns the members of the input, where it is an object.
    fn members(&self) -> Option<Members<'_>> {
        self.input.as_object().map(Members::of)
    }

    /// Returns the kind and what tells it.
    fn kind(&self) -> Option<String> {
        let members = self.members()?;
        let kind = match self.ruling.observation {
            Some(observation) => observation.kind,
            None => members.kind().ok()?,
        };
        let stated = members.kind.is_some_and(|value| !value.is_null());
        // The second spellings of MCP's members tell the kind under version "2".
        let aliases =
            [("structured_content", members.structured_content_alias), ("is_error", members.is_error_alias)];
        let telling = members
            .telling_member()
            .into_iter()
            .chain(aliases.into_iter().filter_map(|(name, value)| value.map(|_| (name, Kind::Mcp))))
            .find(|(_, of)| *of == kind);
        Some(match (stated, telling) {
            (true, _) => format!("{kind}, as `kind` says"),
            (false, Some((member, _))) => format!("{kind}, for `{member}` is there and `kind` is not"),
            (false, None) => format!("{kind}, for no member tells of another kind"),
        })
    }

    fn write_input(
        &self,
        observation: &Observation<'_>,
        now: Timestamp,
        out: &mut String,
    ) -> std::fmt::Result {
        let id = |id: Id<'_>| match id {
            Id::Given(id) => visible(id),
            Id::Derived(_) => "made of the content hash".to_owned(),
        };
        writeln!(out, "input        tool           {}", visible(observation.tool_name))?;
        writeln!(out, "             source         {}", visible(observation.source_ref))?;
        writeln!(
            out,
            "             target         {}",
            observation.target_ref.map_or_else(|| "not said".to_owned(), visible)
        )?;
        writeln!(
            out,
            "             observed at    {}",
            match observation.observed_at {
                Some(text) => visible(text),
                None => "not said, so the reference clock".to_owned(),
            }
        )?;
        if let Some(version) = observation.source_version {
            writeln!(out, "             version        {}", visible(version))?;
        }
        let references = observation.evidence_refs.map_or(0, |references| references.len());
        writeln!(out, "             evidence refs  {references}")?;
        writeln!(out, "             observation id {}", id(observation.observation_id))?;
        writeln!(out, "             tool call id   {}", id(observation.tool_call_id))?;
        writeln!(out, "clock        {now}")?;
        writeln!(out, "transport    {}", transport(&observation.transport))?;
        if observation.protocol_conflict {
            writeln!(out, "             the protocol says that the call failed")?;
        }
        self.write_payload(observation, out)
    }

    fn write_payload(&self, observation: &Observation<'_>, out: &mut String) -> std::fmt::Result {
        write!(out, "payload      {}", payload::shape(&observation.payload))?;
        let mut json = Vec::new();
        let value = observation.payload.value();
        let has_json = value.is_some_and(|value| Writer::default().write_json(value, &mut json).is_ok());
        if has_json {
            write!(out, ", {} bytes as JSON", json.len())?;
        }
        out.push('\n');
        for (name, shape) in payload::members(&observation.payload) {
            writeln!(out, "             {name}: {shape}")?;
        }
        if self.show_values && has_json {
            writeln!(out, "             {}", visible(&String::from_utf8_lossy(&json)))?;
        }
        Ok(())
    }

    fn write_contracts(
        &self,
        observation: &Observation<'_>,
        now: Timestamp,
        out: &mut String,
    ) -> std::fmt::Result {
        let Some(entry) = self.bundle.find(observation.tool_name, &mut Lookup::default()) else {
            return writeln!(out, "contract     none: no entry matches the tool, and there is no default");
        };
        let how = if self.bundle.is_default(entry) {
            "the default, for no other entry matches the tool"
        } else if entry.key() == observation.tool_name {
            "the tool's own name"
        } else {
            "the glob with the longest literal prefix that matches the tool"
        };
        writeln!(out, "contract     `{}`: {how}", visible(entry.key()))?;
        let named = self.ruling_of_named_claim();
        let Some(decided) = self.ruling.claim_type.and_then(|claim| entry.of_claim(claim)) else {
            return writeln!(
                out,
                "             none of its contracts is for the claim type that the input names"
            );
        };
        writeln!(
            out,
            "             claim {}: {}",
            decided.claim_type(),
            why(entry, decided, named, self.ruling)
        )?;
        // The contracts that were asked, up to the one that sealed.
        for contract in entry.contracts() {
            let asked = match named {
                true => contract.claim_type() == decided.claim_type(),
                false => true,
            };
            if asked {
                let heading = match entry.contracts().len() {
                    1 => "rules".to_owned(),
                    _ => format!("rules of the contract for {}", contract.claim_type()),
                };
                writeln!(out, "{heading}")?;
                // Each contract on its own: the one that decided is among them.
                let engine = Engine::of_contract(contract.clone()).with_limits(self.limits);
                let clock = Clock::At(now);
                engine.judge_input(self.input, &clock, &mut Scratch::default(), |ruling, _| {
                    write_answers(contract, ruling, out)
                })?;
            }
            if !named
                && self.ruling.outcome == Outcome::Sealed
                && contract.claim_type() == decided.claim_type()
            {
                break;
            }
        }
        Ok(())
    }

    /// Returns true where the input itself names its claim type.
    fn ruling_of_named_claim(&self) -> bool {
        self.members().and_then(|members| members.claim_type).is_some_and(|claim| !claim.is_null())
    }
}

/// Returns why this contract of an entry decided.
fn why(entry: &Entry, decided: &Contract, named: bool, ruling: &Ruling<'_>) -> &'static str {
    let is_first =
        entry.contracts().first().map(Contract::claim_type) == Some(ClaimType::clone(&decided.claim_type()));
    match (named, entry.contracts().len(), ruling.outcome, is_first) {
        (true, ..) => "the input's `claim_type` names it",
        (false, 1, ..) => "the only one",
        (false, _, Outcome::Sealed, _) => "the first in order that seals",
        (false, ..) => "none seals, so the first listed decides",
    }
}

/// Writes every rule of a contract with its answer, in their order; after the first that fails none is asked. What a
/// ruling says is enough for that: the rule of its findings failed, and those before it hold.
fn write_answers(contract: &Contract, ruling: &Ruling<'_>, out: &mut String) -> std::fmt::Result {
    let failed = ruling.findings.first().map(|finding| finding.rule);
    if ruling.outcome == Outcome::Rejected {
        for finding in &ruling.findings {
            let text = located(&finding.path.to_string(), &finding.to_string());
            writeln!(out, "   cannot be asked: {}: {text}", finding.reason)?;
        }
        return Ok(());
    }
    let mut asked = true;
    for (number, (name, explanation)) in (1..).zip(rules::asked_by(contract)) {
        if !asked {
            writeln!(out, "  {number:>2} {name:<16} not asked")?;
        } else if failed == Some(name) {
            asked = false;
            let state = ruling.truth_state.map_or("unknown", TruthState::name);
            writeln!(out, "  {number:>2} {name:<16} FAILS, truth state {state}")?;
            for finding in &ruling.findings {
                let text = located(&finding.path.to_string(), &finding.to_string());
                writeln!(out, "{:22}{}: {text}", "", finding.reason)?;
            }
            out.push_str("                      ");
            wrap(explanation, 22, out);
        } else {
            writeln!(out, "  {number:>2} {name:<16} holds")?;
        }
    }
    Ok(())
}

fn located(path: &str, text: &str) -> String {
    if path.is_empty() { visible(text) } else { format!("{path}: {}", visible(text)) }
}
