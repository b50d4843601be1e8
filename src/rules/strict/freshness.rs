//! Is the observation new enough?

use std::cmp::Ordering;

use super::{Case, Failure, Rule, failure};
use crate::contract::strict::Freshness;
use crate::decision::TruthState;
use crate::finding::{Fact, Finding};
use crate::reason::Reason;
use crate::scheme::Scheme;
use crate::time::{Timestamp, TimestampError};
use crate::value::{Kind, Pointer, Value};

pub(super) const RULE: Rule = Rule {
    name: "freshness",
    explanation: "A cached answer was true once. Where the contract asks for a version or an age, an observation that \
                  cannot show it is not known to be new enough. A time that is missing is never now; versions that \
                  cannot be compared prove nothing; a few seconds in the future are two clocks, more is a wrong one.",
    for_absence: true,
    check,
};

fn check<'t>(case: &Case<'t>) -> Option<Failure<'t>> {
    match &case.terms.freshness {
        Freshness::NotRequired => None,
        Freshness::SourceVersion { minimum, scheme } => source_version(case, minimum, *scheme),
        Freshness::MaxAge { seconds, skew, observed_at } => age(case, *seconds, *skew, observed_at.as_ref()),
    }
}

fn source_version<'t>(case: &Case<'t>, minimum: &'t str, scheme: Scheme) -> Option<Failure<'t>> {
    let finding =
        |reason| Finding::new(reason, RULE.name).member("source_version").expected(Fact::AtLeast(minimum));
    let Some(version) = case.observation.source_version else {
        let absent = Fact::Words("absent");
        let findings = smallvec::smallvec![
            finding(Reason::MissingRequiredField).actual(absent),
            finding(Reason::StaleObservation).actual(absent),
        ];
        return failure(TruthState::Unknown, findings);
    };
    let state = match scheme.compare(version, minimum) {
        Some(Ordering::Less) => TruthState::Stale,
        Some(Ordering::Equal | Ordering::Greater) => return None,
        None => TruthState::Unknown,
    };
    failure(state, smallvec::smallvec![finding(Reason::StaleObservation).actual(Fact::Text(version))])
}

fn age<'t>(
    case: &Case<'t>,
    most_seconds: u32,
    skew_seconds: u32,
    place: Option<&'t Pointer>,
) -> Option<Failure<'t>> {
    let finding = |reason| {
        let finding = Finding::new(reason, RULE.name);
        match place {
            Some(pointer) => finding.pointer(pointer.as_str()),
            None => finding.member("observed_at"),
        }
    };
    let text = match place {
        Some(pointer) => match pointer.resolve(case.input).map(Value::kind) {
            Some(Kind::String(text) | Kind::Timestamp(text)) => Some(text),
            _ => None,
        },
        None => case.observation.observed_at,
    };
    let observed = match text.map(Timestamp::parse_lenient) {
        Some(Ok(observed)) => observed,
        unreadable => {
            let actual = match unreadable {
                Some(Err(TimestampError::NoOffset)) => "a timestamp without an offset",
                Some(_) => "no ISO 8601 timestamp",
                None => "absent, or no string",
            };
            let finding = finding(Reason::SchemaInvalid)
                .expected(Fact::Words("an ISO 8601 timestamp with an offset"))
                .actual(Fact::Words(actual));
            return failure(TruthState::Unknown, smallvec::smallvec![finding]);
        }
    };
    let age = case.now.micros_since(observed);
    let (most, skew) = (i64::from(most_seconds) * 1_000_000, i64::from(skew_seconds) * 1_000_000);
    if (-skew..=most).contains(&age) {
        return None;
    }
    let finding = finding(Reason::StaleObservation)
        .expected(Fact::AtMost(u64::from(most_seconds), "seconds"))
        .actual(Fact::Age(age));
    failure(TruthState::Stale, smallvec::smallvec![finding])
}

#[cfg(test)]
mod tests {
    use super::super::table::check_table;

    #[test]
    fn what_cannot_show_its_age_is_not_fresh() {
        check_table(&[
            (r#""freshness":{"mode":"max_age_seconds","max_age_seconds":60}"#, "", "unknown SCHEMA_INVALID"),
            (
                r#""freshness":{"mode":"max_age_seconds","max_age_seconds":60}"#,
                r#""observed_at":"2026-11-02T11:59:00Z""#,
                "sealed",
            ),
            (
                r#""freshness":{"mode":"max_age_seconds","max_age_seconds":60}"#,
                r#""observed_at":"2026-11-02t11:59:00z""#,
                "sealed",
            ),
            (
                r#""freshness":{"mode":"max_age_seconds","max_age_seconds":60}"#,
                r#""observed_at":"2026-11-02T11:58:59Z""#,
                "stale STALE_OBSERVATION",
            ),
            (
                r#""freshness":{"mode":"max_age_seconds","max_age_seconds":60}"#,
                r#""observed_at":"2026-11-02T12:00:05Z""#,
                "sealed",
            ),
            (
                r#""freshness":{"mode":"max_age_seconds","max_age_seconds":60}"#,
                r#""observed_at":"2026-11-02T12:00:05.000001Z""#,
                "stale STALE_OBSERVATION",
            ),
            (
                r#""freshness":{"mode":"max_age_seconds","max_age_seconds":60}"#,
                r#""observed_at":"2026-11-02T11:59:30""#,
                "unknown SCHEMA_INVALID",
            ),
            (
                r#""freshness":{"mode":"max_age_seconds","max_age_seconds":60,"max_skew_seconds":0}"#,
                r#""observed_at":"2026-11-02T12:00:01Z""#,
                "stale STALE_OBSERVATION",
            ),
            (
                r#""freshness":{"mode":"max_age_seconds","max_age_seconds":60,"observed_at":"/body/at"}"#,
                r#""observed_at":"2026-11-02T12:00:00Z","body":{"at":"2026-11-01T12:00:00Z"}"#,
                "stale STALE_OBSERVATION",
            ),
            (
                r#""freshness":{"mode":"max_age_seconds","max_age_seconds":60,"observed_at":"/body/at"}"#,
                r#""observed_at":"2026-11-02T12:00:00Z""#,
                "unknown SCHEMA_INVALID",
            ),
            (
                r#""freshness":{"mode":"max_age_seconds","max_age_seconds":60,"observed_at":"/body/at"}"#,
                r#""body":{"at":1793620800}"#,
                "unknown SCHEMA_INVALID",
            ),
            (
                r#""freshness":{"mode":"source_version"},"min_source_version":"rev-12""#,
                "",
                "unknown MISSING_REQUIRED_FIELD STALE_OBSERVATION",
            ),
            (
                r#""freshness":{"mode":"source_version"},"min_source_version":"rev-12""#,
                r#""source_version":"rev-9""#,
                "stale STALE_OBSERVATION",
            ),
            (
                r#""freshness":{"mode":"source_version"},"min_source_version":"rev-12""#,
                r#""source_version":"unknown""#,
                "unknown STALE_OBSERVATION",
            ),
            (
                r#""freshness":{"mode":"source_version","scheme":"semver"},"min_source_version":"3.4.0""#,
                r#""source_version":"3.4.0-beta.1""#,
                "stale STALE_OBSERVATION",
            ),
            (
                r#""freshness":{"mode":"source_version","scheme":"date"},"min_source_version":"2026-11-01""#,
                r#""source_version":"2026-11-02""#,
                "sealed",
            ),
        ]);
    }
}
