//! Reads a version "2" contract out of a document, and reports everything that is wrong with it at once.

use super::{Evidence, Freshness, Required, Strict, TextFormat, doubts};
use crate::condition::{self, Condition};
use crate::contract::ClaimType;
use crate::contract::problem::Collector;
use crate::contract::read::{
    MOST_SECONDS, claim_type, optional_text, required_text, text, unknown_member, with_article,
};
use crate::fields::{self, Dialect, FieldRule, read_pointer};
use crate::pattern::Matcher;
use crate::scheme::Scheme;
use crate::template::Template;
use crate::validator::{Author, Schema};
use crate::value::{Kind, Object, Pointer, Value};

const MEMBERS: [&str; 24] = [
    "schema_version",
    "claim_type",
    "source_ref",
    "target_ref",
    "observed_target",
    "required_fields",
    "allow_empty",
    "fields",
    "payload_schema",
    "outputSchema",
    "assert_formats",
    "error_when",
    "empty_when",
    "not_found_sentinel",
    "not_found_when",
    "partial_when",
    "freshness",
    "min_source_version",
    "effect_evidence_required",
    "effect_evidence",
    "allow_empty_payload",
    "claims",
    "text_format",
    "success_exit_codes",
];

/// The default of `freshness.max_skew_seconds`.
const SKEW_SECONDS: u32 = 5;
/// The most that it may be: a day.
const MOST_SKEW_SECONDS: i64 = 86_400;

/// Returns the terms that an object is; reports what is wrong where it is none.
pub(in crate::contract) fn read(object: Object<'_>, report: &mut Collector<'_>) -> Option<Strict> {
    let before = report.count();
    known_members(object, &MEMBERS, report);
    let claim_type = claim_type(object, report);
    let minimum = optional_text(object, "min_source_version", 256, report);
    let freshness = freshness(object, minimum.ok().flatten(), report);
    let assert_formats = boolean(object, "assert_formats", report).map(|value| value.unwrap_or(false));
    let formats = assert_formats.unwrap_or(false);
    let is_effect = claim_type.is_some_and(ClaimType::is_effect);
    let strict = Strict {
        // Found stands in for one that was reported: such terms are never handed on.
        claim_type: claim_type.unwrap_or(ClaimType::Found),
        sources: sources(object, report).unwrap_or_default(),
        target_ref: template(object, "target_ref", report),
        observed_target: template(object, "observed_target", report),
        required_fields: required_fields(object, report),
        fields: rules(object, report),
        payload_schema: schema(object, "payload_schema", formats, report),
        output_schema: schema(object, "outputSchema", formats, report),
        assert_formats: formats,
        error_when: conditions(object, "error_when", report),
        empty_when: conditions(object, "empty_when", report),
        not_found_when: conditions(object, "not_found_when", report),
        partial_when: conditions(object, "partial_when", report),
        not_found_sentinel: optional_text(object, "not_found_sentinel", 256, report).ok().flatten(),
        freshness: freshness.unwrap_or(Freshness::NotRequired),
        effect_evidence_required: boolean(object, "effect_evidence_required", report)
            .flatten()
            .unwrap_or(is_effect),
        effect_evidence: effect_evidence(object, report),
        allow_empty_payload: boolean(object, "allow_empty_payload", report).flatten().unwrap_or(false),
        claims_required: claims_required(object, report),
        text_format: text_format(object, report),
        success_exit_codes: exit_codes(object, report),
    };
    // Whatever was read in spite of a problem is not handed on.
    if report.count() > before {
        return None;
    }
    doubts::warn(&strict, object, report);
    Some(strict)
}

fn known_members(object: Object<'_>, known: &[&str], report: &mut Collector<'_>) {
    for (key, _) in object.iter() {
        match key.as_str() {
            Some(name) if known.contains(&name) => {}
            Some(name) => report.at(name).invalid(unknown_member(name, known.iter().copied())),
            None => report.invalid("a member's name must be a string"),
        }
    }
}

/// Returns the boolean of a member: `None` where it is none, and was reported; `Some(None)` where it is absent.
#[expect(clippy::option_option, reason = "reported, absent, there")]
fn boolean(object: Object<'_>, member: &str, report: &mut Collector<'_>) -> Option<Option<bool>> {
    match object.get(member).map(|value| (value, value.as_bool())) {
        None => Some(None),
        Some((_, Some(value))) => Some(Some(value)),
        Some((value, None)) => {
            report.at(member).invalid(format!("must be true or false, not {}", with_article(value)));
            None
        }
    }
}

fn sources(object: Object<'_>, report: &mut Collector<'_>) -> Option<Box<[Matcher]>> {
    const MEMBER: &str = "source_ref";
    let Some(value) = object.get(MEMBER) else {
        required_text(object, MEMBER, 1024, report);
        return None;
    };
    let mut report = report.at(MEMBER);
    let Some(array) = value.as_array() else {
        return Matcher::read(value, &mut report).map(|matcher| [matcher].into());
    };
    if array.is_empty() || array.len() > 64 {
        report.invalid("must have 1 to 64 references");
        return None;
    }
    let mut sources: Vec<Matcher> = Vec::with_capacity(array.len());
    for (index, element) in array.iter().enumerate() {
        let mut report = report.at(&index.to_string());
        let Some(matcher) = Matcher::read(element, &mut report) else { continue };
        if sources.contains(&matcher) {
            report.warn("stands here twice");
        }
        sources.push(matcher);
    }
    Some(sources.into())
}

fn template(object: Object<'_>, member: &str, report: &mut Collector<'_>) -> Option<Template> {
    let value = object.get(member)?;
    let mut report = report.at(member);
    Template::read(&text(value, 1024, &mut report)?, &mut report)
}

fn required_fields(object: Object<'_>, report: &mut Collector<'_>) -> Box<[Required]> {
    let mut required: Vec<Required> = Vec::new();
    for (name, path) in paths(object, "required_fields", report) {
        if required.iter().any(|other| other.path == path) {
            report.at("required_fields").at(&name).warn("stands here twice");
            continue;
        }
        required.push(Required { path, may_be_empty: false });
    }
    let known: Vec<Box<str>> = required.iter().map(|required| required.path.as_str().into()).collect();
    for (name, path) in paths(object, "allow_empty", report) {
        match required.iter_mut().find(|required| required.path == path) {
            Some(required) => required.may_be_empty = true,
            None => {
                let nearest = unknown_member(path.as_str(), known.iter().map(|name| &**name));
                let nearest = nearest.replace("is not a member", "is none of `required_fields`");
                report.at("allow_empty").at(&name).invalid(nearest);
            }
        }
    }
    required.into()
}

/// Returns the names and pointers of an array, each with the pointer that it is.
fn paths(object: Object<'_>, member: &str, report: &mut Collector<'_>) -> Vec<(Box<str>, Pointer)> {
    let Some(value) = object.get(member) else { return Vec::new() };
    let mut report = report.at(member);
    let Some(array) = value.as_array().filter(|array| array.len() <= 64) else {
        report.invalid("must be an array of at most 64 names or JSON Pointers");
        return Vec::new();
    };
    let mut paths = Vec::with_capacity(array.len());
    for (index, element) in array.iter().enumerate() {
        let mut report = report.at(&index.to_string());
        let Some(name) = text(element, 256, &mut report) else { continue };
        let path = if name.starts_with('/') {
            Pointer::parse(&name)
        } else {
            Pointer::parse(&format!("/{}", name.replace('~', "~0").replace('/', "~1")))
        };
        match path {
            Ok(path) => paths.push((name, path)),
            Err(error) => report.invalid(format!("is no JSON Pointer: {error}")),
        }
    }
    paths
}

fn rules(object: Object<'_>, report: &mut Collector<'_>) -> Box<[FieldRule]> {
    let Some(value) = object.get("fields") else { return Box::default() };
    fields::read_all(value, Dialect::Contract, &mut report.at("fields")).unwrap_or_default()
}

fn schema(object: Object<'_>, member: &str, formats: bool, report: &mut Collector<'_>) -> Option<Schema> {
    let value = object.get(member)?;
    match Schema::compile(value, formats, Author::Contract) {
        Ok(schema) => {
            let says_nothing = value.as_bool() == Some(true)
                || value.as_object().is_some_and(|object| {
                    object
                        .members()
                        .all(|(name, _)| name.starts_with('$') || name == "title" || name == "description")
                        && object.get("$ref").is_none()
                });
            if says_nothing {
                report.at(member).warn("asks for nothing: it can never fail");
            } else if value.as_bool() == Some(false) {
                report.at(member).warn("lets nothing through: it can never hold");
            }
            Some(schema)
        }
        Err(unusable) => {
            let detail = unusable.detail.as_deref().map(|detail| format!(": {detail}")).unwrap_or_default();
            report.at(member).invalid(format!("is {}{detail}", unusable.words));
            None
        }
    }
}

fn conditions(object: Object<'_>, member: &str, report: &mut Collector<'_>) -> Box<[Condition]> {
    let Some(value) = object.get(member) else { return Box::default() };
    condition::read_list(value, &mut report.at(member)).unwrap_or_default()
}

fn effect_evidence(object: Object<'_>, report: &mut Collector<'_>) -> Evidence {
    const KNOWN: [&str; 2] = ["pointer", "refs"];
    let Some(value) = object.get("effect_evidence") else { return Evidence::default() };
    let mut report = report.at("effect_evidence");
    let Some(evidence) = value.as_object() else {
        report.invalid(format!("must be an object with `pointer` or `refs`, not {}", with_article(value)));
        return Evidence::default();
    };
    known_members(evidence, &KNOWN, &mut report);
    if KNOWN.iter().all(|name| evidence.get(name).is_none()) {
        report.invalid("names nothing; add `pointer`, a place in the payload, or `refs`, a glob");
    }
    Evidence {
        pointer: evidence.get("pointer").and_then(|value| read_pointer(value, &mut report.at("pointer"))),
        refs: evidence.get("refs").and_then(|value| Matcher::read(value, &mut report.at("refs"))),
    }
}

fn claims_required(object: Object<'_>, report: &mut Collector<'_>) -> bool {
    let Some(value) = object.get("claims") else { return false };
    let mut report = report.at("claims");
    let Some(claims) = value.as_object() else {
        report.invalid(format!("must be an object with `required`, not {}", with_article(value)));
        return false;
    };
    known_members(claims, &["required"], &mut report);
    boolean(claims, "required", &mut report).flatten().unwrap_or(false)
}

fn text_format(object: Object<'_>, report: &mut Collector<'_>) -> TextFormat {
    match object.get("text_format").map(Value::as_str) {
        None => TextFormat::Stated,
        Some(Some("json")) => TextFormat::Json,
        Some(Some("text")) => TextFormat::Text,
        Some(_) => {
            report.at("text_format").invalid("must be \"json\" or \"text\"");
            TextFormat::Stated
        }
    }
}

fn exit_codes(object: Object<'_>, report: &mut Collector<'_>) -> Box<[i64]> {
    let Some(value) = object.get("success_exit_codes") else { return Box::default() };
    let mut report = report.at("success_exit_codes");
    let Some(array) = value.as_array().filter(|array| !array.is_empty() && array.len() <= 64) else {
        report.invalid("must be an array of 1 to 64 exit codes");
        return Box::default();
    };
    let mut codes = Vec::with_capacity(array.len());
    for (index, element) in array.iter().enumerate() {
        match element.kind() {
            Kind::Integer(integer) if integer.as_i64().is_some() => codes.extend(integer.as_i64()),
            _ => report.at(&index.to_string()).invalid("must be an integer"),
        }
    }
    codes.into()
}

fn freshness(object: Object<'_>, minimum: Option<Box<str>>, report: &mut Collector<'_>) -> Option<Freshness> {
    const KNOWN: [&str; 5] = ["mode", "max_age_seconds", "max_skew_seconds", "observed_at", "scheme"];
    let Some(value) = object.get("freshness") else {
        report.at("freshness").invalid("is missing; `{\"mode\": \"not_required\"}` asks for nothing");
        return None;
    };
    let Some(freshness) = value.as_object() else {
        report.at("freshness").invalid(format!("must be an object with `mode`, not {}", with_article(value)));
        return None;
    };
    let mode = freshness.get("mode").and_then(Value::as_str);
    let own: &[&str] = match mode {
        Some("max_age_seconds") => &["max_age_seconds", "max_skew_seconds", "observed_at"],
        Some("source_version") => &["scheme"],
        _ => &[],
    };
    {
        let mut report = report.at("freshness");
        known_members(freshness, &KNOWN, &mut report);
        for name in KNOWN.iter().skip(1).filter(|name| !own.contains(name)) {
            // As under version "1" a null age is none.
            if freshness.get(name).is_some_and(|value| !value.is_null()) {
                let of = if *name == "scheme" { "source_version" } else { "max_age_seconds" };
                report.at(name).invalid(format!("is for the mode `{of}` alone"));
            }
        }
    }
    match mode {
        Some("not_required") => Some(Freshness::NotRequired),
        Some("source_version") => source_version(freshness, minimum, object, report),
        Some("max_age_seconds") => max_age(freshness, &mut report.at("freshness")),
        _ => {
            let mut report = report.at("freshness");
            report.at("mode").invalid("must be one of not_required, source_version, max_age_seconds");
            None
        }
    }
}

fn source_version(
    freshness: Object<'_>,
    minimum: Option<Box<str>>,
    contract: Object<'_>,
    report: &mut Collector<'_>,
) -> Option<Freshness> {
    let named = freshness.get("scheme").map(Value::as_str);
    let scheme = match named {
        None => Some(Scheme::Natural),
        Some(name) => {
            Scheme::ALL.into_iter().find(|(known, _)| Some(*known) == name).map(|(_, scheme)| scheme)
        }
    };
    if scheme.is_none() {
        report.at("freshness").at("scheme").invalid("must be one of natural, semver, integer, date");
    }
    let Some(minimum) = minimum else {
        if contract.get("min_source_version").is_none_or(Value::is_null) {
            report.at("min_source_version").invalid("is missing; the mode `source_version` needs it");
        }
        return None;
    };
    let scheme = scheme?;
    if !scheme.covers(&minimum) {
        report
            .at("min_source_version")
            .invalid("is no version of the scheme, so that nothing can hold against it");
        return None;
    }
    Some(Freshness::SourceVersion { minimum, scheme })
}

fn max_age(freshness: Object<'_>, report: &mut Collector<'_>) -> Option<Freshness> {
    let age = seconds(freshness, "max_age_seconds", MOST_SECONDS, None, report);
    let skew = seconds(freshness, "max_skew_seconds", MOST_SKEW_SECONDS, Some(SKEW_SECONDS), report);
    let observed_at =
        freshness.get("observed_at").and_then(|value| read_pointer(value, &mut report.at("observed_at")));
    Some(Freshness::MaxAge { seconds: age?, skew: skew?, observed_at })
}

/// Returns the whole number of seconds of a member, from 0 to `most`; reports what is wrong with it.
fn seconds(
    freshness: Object<'_>,
    member: &str,
    most: i64,
    default: Option<u32>,
    report: &mut Collector<'_>,
) -> Option<u32> {
    let value = freshness.get(member);
    if value.is_none() && default.is_some() {
        return default;
    }
    let seconds = match value.map(Value::kind) {
        Some(Kind::Integer(integer)) => integer.as_i64().filter(|seconds| (0..=most).contains(seconds)),
        _ => None,
    };
    let seconds = seconds.and_then(|seconds| u32::try_from(seconds).ok());
    if seconds.is_none() {
        let missing = if value.is_none() { "is missing; it " } else { "" };
        report.at(member).invalid(format!("{missing}must be an integer from 0 to {most}"));
    }
    seconds
}
