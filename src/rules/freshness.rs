//! Is the observation new enough?

use std::cmp::Ordering;

use super::{Case, Failure, Rule, failure};
use crate::contract::Freshness;
use crate::decision::TruthState;
use crate::finding::{Fact, Finding};
use crate::reason::Reason;
use crate::time::{Timestamp, TimestampError};
use crate::version;

pub(super) const RULE: Rule = Rule {
    name: "freshness",
    explanation: "A cached answer was true once. Where the contract asks for a version or an age, an observation that \
                  cannot show it is not known to be new enough; one from the future has a clock that cannot be trusted.",
    check,
};

fn check<'t>(case: &Case<'t>) -> Option<Failure<'t>> {
    match &case.contract.freshness {
        Freshness::NotRequired => None,
        Freshness::SourceVersion { minimum } => source_version(case, minimum),
        Freshness::MaxAge { seconds } => age(case, *seconds),
    }
}

fn source_version<'t>(case: &Case<'t>, minimum: &'t str) -> Option<Failure<'t>> {
    const MEMBER: &str = "source_version";
    let finding = |reason| Finding::new(reason, RULE.name).member(MEMBER).expected(Fact::AtLeast(minimum));
    let Some(version) = case.observation.source_version else {
        let absent = Fact::Words("absent");
        return Some(Failure {
            truth_state: TruthState::Unknown,
            findings: smallvec::smallvec![
                finding(Reason::MissingRequiredField).actual(absent),
                finding(Reason::StaleObservation).actual(absent),
            ],
        });
    };
    (version::compare(version, minimum) == Ordering::Less)
        .then(|| failure(TruthState::Stale, finding(Reason::StaleObservation).actual(Fact::Text(version))))
}

fn age<'t>(case: &Case<'t>, most_seconds: u32) -> Option<Failure<'t>> {
    let finding = |reason| Finding::new(reason, RULE.name).member("observed_at");
    let observed = match case.observation.observed_at {
        Some(text) => Timestamp::parse(text),
        None => case.now.stamp().ok_or(TimestampError::NotATimestamp),
    };
    let observed = match observed {
        Ok(observed) => observed,
        Err(error) => {
            let actual = match error {
                TimestampError::NotATimestamp => "no ISO 8601 timestamp",
                TimestampError::NoOffset => "a timestamp without an offset",
            };
            let finding = finding(Reason::SchemaInvalid)
                .expected(Fact::Words("an ISO 8601 timestamp with an offset"))
                .actual(Fact::Words(actual));
            return Some(failure(TruthState::Unknown, finding));
        }
    };
    let age = case.now.micros_since(observed);
    (age < 0 || age > i64::from(most_seconds) * 1_000_000).then(|| {
        let finding = finding(Reason::StaleObservation)
            .expected(Fact::AtMost(u64::from(most_seconds), "seconds"))
            .actual(Fact::Age(age));
        failure(TruthState::Stale, finding)
    })
}
