//! Did something come back, or did the source say explicitly that there is nothing?

use super::{Case, Failure, Rule, failure};
use crate::contract::ClaimType;
use crate::decision::TruthState;
use crate::finding::{Fact, Finding};
use crate::observe::Payload;
use crate::reason::Reason;
use crate::value::{Kind, Object, Value};

pub(super) const RULE: Rule = Rule {
    name: "absence",
    explanation: "Empty is not not-found. An empty list comes from a wrong filter, an index that lags, a page past the \
                  end or a missing right as easily as from a thing that does not exist. Absence is a fact only where \
                  the source says so with the value that the contract names.",
    check,
};

fn check<'t>(case: &Case<'t>) -> Option<Failure<'t>> {
    let payload = &case.observation.payload;
    if says_absence(payload, case.contract.not_found_sentinel.as_deref()) {
        return None;
    }
    let usable = payload.is_usable();
    if usable && case.contract.claim_type != ClaimType::NotFound {
        return None;
    }
    let expected = match (case.contract.claim_type, &case.contract.not_found_sentinel) {
        (ClaimType::NotFound, Some(sentinel)) => Fact::Text(sentinel),
        (ClaimType::NotFound, None) => Fact::Words("a contract with `not_found_sentinel`"),
        _ => Fact::Words("a payload that is not empty"),
    };
    Some(failure(
        if usable { TruthState::Observed } else { TruthState::Empty },
        Finding::new(Reason::EmptyWithoutNotFoundSentinel, RULE.name)
            .expected(expected)
            .actual(shape(payload)),
    ))
}

/// Returns true where the payload is the sentinel, or has it as a top-level member.
pub(super) fn says_absence(payload: &Payload<'_>, sentinel: Option<&str>) -> bool {
    let (Some(sentinel), Some(value)) = (sentinel, payload.value()) else {
        return false;
    };
    match value.kind() {
        Kind::String(text) => text == sentinel,
        Kind::Object(object) => {
            // A repeated key's earlier value is not there; that is rare enough to ask only after a match.
            let is_sentinel = |value: Value<'_>| value.as_str() == Some(sentinel);
            object.iter().any(|(key, member)| {
                is_sentinel(member) && key.as_str().is_none_or(|key| object.get(key).is_some_and(is_sentinel))
            })
        }
        _ => false,
    }
}

pub(super) fn shape(payload: &Payload<'_>) -> Fact<'static> {
    let Some(value) = payload.value() else { return Fact::Words("no payload") };
    match value.kind() {
        Kind::Null => Fact::Words("null"),
        Kind::Bool(_) => Fact::Words("a boolean"),
        Kind::Integer(_) => Fact::Words("an integer"),
        Kind::Float(_) => Fact::Words("a number"),
        Kind::String("") => Fact::Words("an empty string"),
        Kind::String(_) => Fact::Words("another string"),
        Kind::Timestamp(_) => Fact::Words("a timestamp"),
        Kind::Array(array) if array.is_empty() => Fact::Words("an empty array"),
        Kind::Array(array) => Fact::Count(array.len(), "elements without the sentinel"),
        Kind::Object(object) if object.is_empty() => Fact::Words("an empty object"),
        Kind::Object(object) => Fact::Count(distinct(object), "members without the sentinel"),
    }
}

/// Returns how many members there are; of a repeated key only the last one is there.
fn distinct(object: Object<'_>) -> usize {
    let mut names: Vec<&str> = object.members().map(|(name, _)| name).collect();
    let nameless = object.len() - names.len();
    names.sort_unstable();
    names.dedup();
    names.len() + nameless
}
