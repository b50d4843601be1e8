//! Is there evidence that the effect happened?

use super::{Case, Failure, Rule, failure};
use crate::contract::ClaimType;
use crate::decision::TruthState;
use crate::finding::{Fact, Finding};
use crate::reason::Reason;

pub(super) const RULE: Rule = Rule {
    name: "effect",
    explanation: "A tool call is not an effect. \"Sent\" in a response says that somebody took the request; a message \
                  id, a row version or a receipt says that something happened.",
    check,
};

fn check<'t>(case: &Case<'t>) -> Option<Failure<'t>> {
    let claims_an_effect =
        matches!(case.contract.claim_type, ClaimType::EffectObserved | ClaimType::TaskComplete);
    let has_evidence = case.observation.evidence_refs.is_some_and(|refs| !refs.is_empty());
    (claims_an_effect && case.contract.effect_evidence_required && !has_evidence).then(|| {
        failure(
            TruthState::UnverifiedEffect,
            Finding::new(Reason::UnverifiedEffect, RULE.name)
                .member("evidence_refs")
                .expected(Fact::Words("at least one reference"))
                .actual(Fact::Words("none")),
        )
    })
}
