//! One input judged by contracts of which at least one is of version "2": each of them reads the input its own way.
//!
//! What success, payload and target are depends on the contract there, so the input is read anew for each. A tool has
//! few contracts, and all but one of them are asked only until one seals.

use smallvec::SmallVec;

use super::portable::without_contract;
use super::{Found, Input, Memory, Wanted, clock_of, syntax};
use crate::canon::Writer;
use crate::condition::{Answer, alike};
use crate::contract::{ClaimType, Contract, Strict, Terms};
use crate::decision::{Outcome, Ruling, TruthState};
use crate::engine::Engine;
use crate::finding::{Fact, Findings};
use crate::input::Kind;
use crate::observe::strict::{self, Conflict, Manner};
use crate::observe::{self, Observation, Payload, Source};
use crate::rules::strict::{Case, first_failure};
use crate::value::{Document, Parser, Value};
use crate::yaml;

/// What an object with the same key twice is: readers differ in which one they take.
const REPEATED: Fact<'static> = Fact::Words("the same key twice in one object");

impl Engine {
    /// Judges by each contract that was found: the first that seals decides, else the first that blocks.
    pub(super) fn judge_each<R>(
        &self,
        found: &Found<'_>,
        input: &Input<'_>,
        memory: &mut Memory<'_>,
        then: impl FnOnce(&Ruling<'_>, &mut Writer) -> R,
    ) -> R {
        let candidates: SmallVec<[&Contract; 4]> = found.candidates().collect();
        let [first, others @ ..] = candidates.as_slice() else {
            return self.judge_strict(None, found, input, memory, then);
        };
        let mut chosen = *first;
        if !others.is_empty() {
            let mut outcome_of = |contract: &Contract| {
                self.judge_by(contract, found, input, memory, |ruling, _| ruling.outcome)
            };
            let outcomes: SmallVec<[Outcome; 4]> =
                candidates.iter().map(|contract| outcome_of(contract)).collect();
            let place = |wanted| outcomes.iter().position(|outcome| *outcome == wanted);
            let place = place(Outcome::Sealed).or_else(|| place(Outcome::Blocked)).unwrap_or(0);
            chosen = candidates.get(place).copied().unwrap_or(chosen);
        }
        self.judge_by(chosen, found, input, memory, then)
    }

    fn judge_by<R>(
        &self,
        contract: &Contract,
        found: &Found<'_>,
        input: &Input<'_>,
        memory: &mut Memory<'_>,
        then: impl FnOnce(&Ruling<'_>, &mut Writer) -> R,
    ) -> R {
        match &contract.0 {
            Terms::Portable(_) => {
                let found =
                    Found { contracts: std::slice::from_ref(contract), wanted: Wanted::Any, ..*found };
                self.judge_portable(&found, input, memory, then)
            }
            Terms::Strict(terms) => self.judge_strict(Some(terms), found, input, memory, then),
        }
    }

    /// Judges by one contract of version "2"; without one, says that there is none.
    fn judge_strict<R>(
        &self,
        terms: Option<&Strict>,
        found: &Found<'_>,
        input: &Input<'_>,
        memory: &mut Memory<'_>,
        then: impl FnOnce(&Ruling<'_>, &mut Writer) -> R,
    ) -> R {
        let Memory { body, arena, writer, canonical, schemas, .. } = memory;
        let Input { root, members, clock, tool_name } = *input;
        let manner = terms.map_or(Manner { target_optional: true, ..Manner::default() }, manner_of);
        let read =
            strict::kind(members).and_then(|kind| Ok((kind, strict::read(kind, members, &manner, arena)?)));
        let (kind, mut reading) = match read {
            Ok(read) => read,
            Err(finding) => return then(&Ruling::rejected(finding, tool_name), writer),
        };
        let mut unreadable = root.document_has_duplicate_keys().then_some(REPEATED);
        if let (Some(text), Some(structured)) = (reading.beside, reading.structured) {
            match says_the_same(body, text, structured) {
                Ok(true) => {}
                Ok(false) => reading.conflict = reading.conflict.or(Some(Conflict::Text)),
                Err(fact) => unreadable = unreadable.or(Some(fact)),
            }
        }
        let (parsed, loaded);
        let mut payload = match reading.reading.payload {
            Source::Nothing => Payload::Nothing,
            Source::Value(value) => Payload::Value(value),
            Source::Json(text) => match parse_unique(body, text) {
                Ok(read) => {
                    parsed = read;
                    Payload::Value(parsed.root())
                }
                Err(fact) => Payload::Unreadable(fact),
            },
            Source::Yaml(text) => match yaml::load(text, arena, &self.limits) {
                Ok(read) if read.has_duplicate_keys() => Payload::Unreadable(REPEATED),
                Ok(read) => {
                    loaded = read;
                    Payload::Value(loaded.root())
                }
                Err(refusal) => return then(&Ruling::rejected(refusal.finding(), tool_name), writer),
            },
        };
        if let Some(fact) = unreadable {
            payload = Payload::Unreadable(fact);
        }
        let target = strict::target(kind, members, &manner);
        let observed = observe::envelope(kind, members, target).and_then(|envelope| {
            let now = clock_of(root, clock)?;
            let content_hash = self.content_hash(&envelope, &reading.reading, writer, canonical)?;
            Ok((Observation::of(&envelope, &reading.reading, payload, content_hash), now))
        });
        let (observation, now) = match &observed {
            Ok((observation, now)) => (observation, *now),
            Err(finding) => return then(&Ruling::rejected(*finding, tool_name), writer),
        };
        let Some(terms) = terms else { return then(&without_contract(found, observation, now), writer) };
        let own_schema = members.output_schema.filter(|schema| kind == Kind::Mcp && !schema.is_null());
        let output_schema = own_schema
            .map(|schema| schemas.get(schema, terms.assert_formats).as_ref().map_err(|words| *words));
        let case =
            Case { observation, terms, input: root, members, reading: &reading, output_schema, arena, now };
        then(&apply(&case, found.key), writer)
    }
}

fn manner_of(terms: &Strict) -> Manner<'_> {
    Manner {
        text_format: terms.text_format,
        success_exit_codes: &terms.success_exit_codes,
        target_optional: terms.target_ref.is_none() || terms.observed_target.is_some(),
    }
}

fn parse_unique<'p>(parser: &'p mut Parser, text: Value<'p>) -> Result<Document<'p>, Fact<'static>> {
    let parsed = parser.parse_string(text).map_err(syntax)?;
    if parsed.has_duplicate_keys() { Err(REPEATED) } else { Ok(parsed) }
}

/// Returns whether JSON text beside structured content says the same.
fn says_the_same<'p>(
    parser: &'p mut Parser,
    text: Value<'p>,
    structured: Value<'_>,
) -> Result<bool, Fact<'static>> {
    let document = parse_unique(parser, text)?;
    Ok(alike(document.root(), structured) == Answer::Yes)
}

fn apply<'t>(case: &Case<'t>, key: Option<&'t str>) -> Ruling<'t> {
    let (outcome, truth_state, findings) = match first_failure(case) {
        Some(failure) => (Outcome::Blocked, failure.truth_state, failure.findings),
        None if case.terms.claim_type == ClaimType::NotFound => {
            (Outcome::Sealed, TruthState::NotFound, Findings::new())
        }
        None => (Outcome::Sealed, TruthState::Sealed, Findings::new()),
    };
    Ruling {
        outcome,
        truth_state: Some(truth_state),
        claim_type: Some(case.terms.claim_type),
        findings,
        observation: Some(case.observation),
        contract: key,
        tool_name: Some(case.observation.tool_name),
        now: Some(case.now),
    }
}
