//! Reads a contract out of a document, and reports everything that is wrong with it. Version "1" stands here, "2" in
//! `strict`; what both share is here too.

use super::load::MOST_BYTES;
use super::problem::Collector;
use super::{ClaimType, Contract, Freshness, Portable, Terms, strict};
use crate::canon::Writer;
use crate::input::fits;
use crate::reason::Reason;
use crate::value::{Kind, Limits, Object, Value};

const MEMBERS: [&str; 8] = [
    "schema_version",
    "claim_type",
    "required_fields",
    "freshness",
    "min_source_version",
    "source_ref",
    "target_ref",
    "not_found_sentinel",
];
const EFFECT_EVIDENCE: &str = "effect_evidence_required";

/// The longest age that a contract may allow, in seconds: a year.
pub(super) const MOST_SECONDS: i64 = 31_536_000;

/// Returns the contract that a value is, if it is within the bounds of a document of its own; reports what is wrong.
pub(super) fn bounded(value: Value<'_>, report: &mut Collector<'_>) -> Option<Contract> {
    if let Err(excess) = value.check_bounds(&Limits::DEFAULT) {
        report.report(Reason::LimitExceeded, format!("a contract has {excess}"));
        return None;
    }
    let mut text = Vec::new();
    // What has no canonical form is no contract either, and is reported as such.
    if Writer::default().write(value, &mut text).is_ok() && text.len() > MOST_BYTES {
        report.report(Reason::LimitExceeded, format!("a contract has more than {MOST_BYTES} bytes"));
        return None;
    }
    contract(value, report)
}

/// Returns the contract that a value is; reports what is wrong where it is none.
fn contract(value: Value<'_>, report: &mut Collector<'_>) -> Option<Contract> {
    let Some(object) = value.as_object() else {
        report.invalid(format!("a contract is an object, not {}", with_article(value)));
        return None;
    };
    if object.get("schema_version").and_then(Value::as_str) == Some("2") {
        return strict::read(object, report).map(|terms| Contract(Terms::Strict(terms.into())));
    }
    portable(object, report).map(|terms| Contract(Terms::Portable(terms)))
}

/// Returns the terms of a version "1" contract; reports what is wrong where there are none.
fn portable(object: Object<'_>, report: &mut Collector<'_>) -> Option<Portable> {
    for (key, _) in object.iter() {
        let Some(name) = key.as_str() else {
            report.invalid("a member's name must be a string");
            continue;
        };
        if !MEMBERS.contains(&name) && name != EFFECT_EVIDENCE {
            report.at(name).invalid(unknown_member(name, MEMBERS.iter().chain([&EFFECT_EVIDENCE]).copied()));
        }
    }
    schema_version(object, report);
    let claim_type = claim_type(object, report);
    let required_fields = required_fields(object, report);
    let minimum = optional_text(object, "min_source_version", 256, report);
    let freshness = freshness(object, minimum, report);
    let source_ref = required_text(object, "source_ref", 1024, report);
    let target_ref = required_text(object, "target_ref", 1024, report);
    let not_found_sentinel = optional_text(object, "not_found_sentinel", 256, report).ok();
    let effect_evidence_required = match object.get(EFFECT_EVIDENCE).map(|value| (value, value.as_bool())) {
        None => Some(false),
        Some((_, Some(required))) => Some(required),
        Some((value, None)) => {
            report.at(EFFECT_EVIDENCE).invalid(format!("must be true or false, not {}", with_article(value)));
            None
        }
    };
    Some(Portable {
        claim_type: claim_type?,
        required_fields: required_fields?,
        freshness: freshness?,
        source_ref: source_ref?,
        target_ref: target_ref?,
        not_found_sentinel: not_found_sentinel?,
        effect_evidence_required: effect_evidence_required?,
    })
}

fn schema_version(object: Object<'_>, report: &mut Collector<'_>) {
    match object.get("schema_version").map(|value| (value, value.as_str())) {
        Some((_, Some("1"))) => {}
        None => report.at("schema_version").invalid("is missing; it must be the string \"1\" or \"2\""),
        Some((_, Some(_))) => {
            report.at("schema_version").invalid("must be the string \"1\" or \"2\", not another one");
        }
        Some((value, None)) => {
            report
                .at("schema_version")
                .invalid(format!("must be the string \"1\" or \"2\", not {}", with_article(value)));
        }
    }
}

pub(super) fn claim_type(object: Object<'_>, report: &mut Collector<'_>) -> Option<ClaimType> {
    let value = object.get("claim_type");
    let claim = value.and_then(Value::as_str).and_then(ClaimType::from_name);
    if claim.is_none() {
        let names = ClaimType::ALL.map(ClaimType::name).join(", ");
        report.at("claim_type").invalid(match value {
            None => format!("is missing; it must be one of {names}"),
            Some(_) => format!("must be one of {names}"),
        });
    }
    claim
}

fn required_fields(object: Object<'_>, report: &mut Collector<'_>) -> Option<Box<[Box<str>]>> {
    const NAME: &str = "required_fields";
    let mut report = report.at(NAME);
    let Some(value) = object.get(NAME) else {
        report.invalid("is missing; it must be an array of names, which may be empty");
        return None;
    };
    let Some(array) = value.as_array() else {
        report.invalid(format!("must be an array of names, not {}", with_article(value)));
        return None;
    };
    if array.len() > 64 {
        report.invalid(format!("must have at most 64 names, not {}", array.len()));
        return None;
    }
    let mut names = Vec::with_capacity(array.len());
    for (index, element) in array.iter().enumerate() {
        if let Some(name) = text(element, 256, &mut report.at(&index.to_string())) {
            names.push(name);
        }
    }
    (names.len() == array.len()).then(|| names.into())
}

/// `minimum` is the contract's `min_source_version`; `Err` where it was reported already.
fn freshness(
    object: Object<'_>,
    minimum: Result<Option<Box<str>>, Reported>,
    report: &mut Collector<'_>,
) -> Option<Freshness> {
    let Some(value) = object.get("freshness") else {
        report.at("freshness").invalid("is missing; `{\"mode\": \"not_required\"}` asks for nothing");
        return None;
    };
    let Some(freshness) = value.as_object() else {
        report.at("freshness").invalid(format!("must be an object with `mode`, not {}", with_article(value)));
        return None;
    };
    let mut sound = true;
    for (key, _) in freshness.iter() {
        let name = key.as_str().unwrap_or_default();
        if name != "mode" && name != "max_age_seconds" {
            report
                .at("freshness")
                .at(name)
                .invalid(unknown_member(name, ["mode", "max_age_seconds"].into_iter()));
            sound = false;
        }
    }
    let age = freshness.get("max_age_seconds").filter(|value| !value.is_null());
    let mode = freshness.get("mode").and_then(Value::as_str);
    if mode != Some("max_age_seconds") && age.is_some() {
        report.at("freshness").at("max_age_seconds").invalid("is for the mode `max_age_seconds` alone");
        sound = false;
    }
    let read = match mode {
        Some("not_required") => minimum.ok().map(|_| Freshness::NotRequired),
        Some("source_version") => match minimum.ok()? {
            Some(minimum) => Some(Freshness::SourceVersion { minimum }),
            None => {
                report.at("min_source_version").invalid("is missing; the mode `source_version` needs it");
                None
            }
        },
        Some("max_age_seconds") => {
            let seconds = match age.map(Value::kind) {
                Some(Kind::Integer(integer)) => {
                    integer.as_i64().filter(|seconds| (0..=MOST_SECONDS).contains(seconds))
                }
                _ => None,
            };
            let seconds = seconds.and_then(|seconds| u32::try_from(seconds).ok());
            if seconds.is_none() {
                report.at("freshness").at("max_age_seconds").invalid(match age {
                    None => "is missing; it must be an integer from 0 to 31536000".to_owned(),
                    Some(_) => "must be an integer from 0 to 31536000".to_owned(),
                });
            }
            minimum.ok().and(seconds).map(|seconds| Freshness::MaxAge { seconds })
        }
        _ => {
            report
                .at("freshness")
                .at("mode")
                .invalid("must be one of not_required, source_version, max_age_seconds");
            None
        }
    };
    read.filter(|_| sound)
}

/// Says that the problem is in the report already.
pub(super) struct Reported;

pub(super) fn optional_text(
    object: Object<'_>,
    member: &str,
    most: usize,
    report: &mut Collector<'_>,
) -> Result<Option<Box<str>>, Reported> {
    match object.get(member).filter(|value| !value.is_null()) {
        None => Ok(None),
        Some(value) => text(value, most, &mut report.at(member)).map(Some).ok_or(Reported),
    }
}

pub(super) fn required_text(
    object: Object<'_>,
    member: &str,
    most: usize,
    report: &mut Collector<'_>,
) -> Option<Box<str>> {
    match object.get(member) {
        None => {
            report.at(member).invalid(format!("is missing; it must be a string of 1 to {most} characters"));
            None
        }
        Some(value) => text(value, most, &mut report.at(member)),
    }
}

pub(super) fn text(value: Value<'_>, most: usize, report: &mut Collector<'_>) -> Option<Box<str>> {
    match value.as_str() {
        Some(text) if !text.is_empty() && fits(text, most) => return Some(text.into()),
        Some("") => report.invalid(format!("must be a string of 1 to {most} characters, not an empty one")),
        Some(_) => report.invalid(format!("must be a string of 1 to {most} characters, not a longer one")),
        None => {
            report
                .invalid(format!("must be a string of 1 to {most} characters, not {}", with_article(value)));
        }
    }
    None
}

/// Says that a member is unknown, and which known one may be meant.
pub(crate) fn unknown_member<'n>(name: &str, known: impl Iterator<Item = &'n str> + Clone) -> String {
    let nearest = known
        .clone()
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= 2.max(candidate.len() / 4))
        .min();
    match nearest {
        Some((_, candidate)) => format!("is not a member; did you mean `{candidate}`?"),
        None => format!("is not a member; these are: {}", known.collect::<Vec<_>>().join(", ")),
    }
}

/// Returns the name of a value's type with its article.
pub(crate) fn with_article(value: Value<'_>) -> &'static str {
    match value.kind() {
        Kind::Null => "null",
        Kind::Bool(_) => "a boolean",
        Kind::Integer(_) => "an integer",
        Kind::Float(_) => "a float",
        Kind::String(_) => "a string",
        Kind::Timestamp(_) => "a timestamp; put it in quotes",
        Kind::Array(_) => "an array",
        Kind::Object(_) => "an object",
    }
}
