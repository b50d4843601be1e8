//! The rules on observations made by hand: what each says alone, which of two goes first, and where each begins.

use super::*;
use crate::contract::{ClaimType, Freshness, Portable};
use crate::finding::{Fact, Path};
use crate::input::Kind;
use crate::observe::{Id, Payload, Transport};
use crate::reason::Reason;
use crate::value::Parser;

/// A case before it is borrowed: a result that seals, until something is changed.
#[derive(Debug, Clone)]
struct Given {
    transport: Transport<'static>,
    payload: What,
    protocol_conflict: bool,
    source_ref: &'static str,
    target_ref: &'static str,
    observed_at: Option<&'static str>,
    source_version: Option<&'static str>,
    /// JSON text, where there are any.
    evidence_refs: Option<&'static str>,
    now: &'static str,
    contract: Portable,
}

#[derive(Debug, Clone, Copy)]
enum What {
    Nothing,
    Unreadable,
    Json(&'static str),
}

impl Given {
    fn new() -> Self {
        Self {
            transport: Transport::Transported,
            payload: What::Json(r#"{"id":1,"name":"x"}"#),
            protocol_conflict: false,
            source_ref: "s",
            target_ref: "t",
            observed_at: Some("2026-11-02T12:00:00Z"),
            source_version: Some("rev-12"),
            evidence_refs: None,
            now: "2026-11-02T12:00:00Z",
            contract: Portable {
                claim_type: ClaimType::Found,
                required_fields: Box::new(["id".into()]),
                freshness: Freshness::NotRequired,
                source_ref: "s".into(),
                target_ref: "t".into(),
                not_found_sentinel: None,
                effect_evidence_required: false,
            },
        }
    }

    fn with(change: impl FnOnce(&mut Self)) -> Self {
        let mut given = Self::new();
        change(&mut given);
        given
    }

    /// Hands the failure on, as it cannot outlive the observation.
    fn failure<R>(&self, then: impl FnOnce(Option<Failure<'_>>) -> R) -> R {
        let (mut payloads, mut references) = (Parser::default(), Parser::default());
        let (parsed, refs);
        let payload = match self.payload {
            What::Nothing => Payload::Nothing,
            What::Unreadable => Payload::Unreadable(Fact::Words("broken")),
            What::Json(text) => {
                parsed = payloads.parse(text.as_bytes()).unwrap();
                Payload::Value(parsed.root())
            }
        };
        let evidence_refs = match self.evidence_refs {
            None => None,
            Some(text) => {
                refs = references.parse(text.as_bytes()).unwrap();
                refs.root().as_array()
            }
        };
        let observation = Observation {
            kind: Kind::Json,
            transport: self.transport,
            payload,
            protocol_conflict: self.protocol_conflict,
            source_ref: self.source_ref,
            target_ref: Some(self.target_ref),
            tool_name: "tool",
            observation_id: Id::Given("o"),
            tool_call_id: Id::Given("c"),
            observed_at: self.observed_at,
            source_version: self.source_version,
            evidence_refs,
            origin: None,
            content_hash: None,
        };
        let now = Timestamp::parse(self.now).unwrap();
        then(first_failure(&Case { observation: &observation, contract: &self.contract, now }))
    }

    /// Returns the truth state and the codes; nothing where every rule holds.
    fn outcome(&self) -> Option<(TruthState, Vec<Reason>)> {
        self.failure(|failure| {
            failure.map(|failure| (failure.truth_state, failure.findings.iter().map(|f| f.reason).collect()))
        })
    }
}

type Change = fn(&mut Given);

/// Every way to fail, in the order of the rules: what makes it, and what it says.
const FAILURES: [(&str, Change, TruthState, &[Reason]); 14] = [
    ("1", |g| g.transport = Transport::Attempted, TruthState::Unknown, &[Reason::NoDispatch]),
    (
        "2",
        |g| g.transport = Transport::Failed(Fact::Number(500)),
        TruthState::Unknown,
        &[Reason::TransportFailed],
    ),
    ("3", |g| g.payload = What::Unreadable, TruthState::ParseError, &[Reason::ParseFailed]),
    ("4", |g| g.protocol_conflict = true, TruthState::Unknown, &[Reason::ProtocolConflict]),
    (
        "5a, something",
        |g| {
            g.contract.claim_type = ClaimType::NotFound;
            g.contract.not_found_sentinel = Some("NONE".into());
            g.payload = What::Json(r#"{"id":1}"#);
        },
        TruthState::Observed,
        &[Reason::EmptyWithoutNotFoundSentinel],
    ),
    (
        "5a, nothing",
        |g| {
            g.contract.claim_type = ClaimType::NotFound;
            g.contract.not_found_sentinel = Some("NONE".into());
            g.payload = What::Json("[]");
        },
        TruthState::Empty,
        &[Reason::EmptyWithoutNotFoundSentinel],
    ),
    ("5b", |g| g.payload = What::Nothing, TruthState::Empty, &[Reason::EmptyWithoutNotFoundSentinel]),
    (
        "6",
        |g| (g.source_ref, g.target_ref) = ("other", "another"),
        TruthState::SourceMismatch,
        &[Reason::SourceMismatch, Reason::TargetMismatch],
    ),
    (
        "7a",
        |g| {
            g.contract.freshness = Freshness::SourceVersion { minimum: "rev-9".into() };
            g.source_version = None;
        },
        TruthState::Unknown,
        &[Reason::MissingRequiredField, Reason::StaleObservation],
    ),
    (
        "7b",
        |g| {
            g.contract.freshness = Freshness::SourceVersion { minimum: "rev-13".into() };
            g.source_version = Some("rev-12");
        },
        TruthState::Stale,
        &[Reason::StaleObservation],
    ),
    (
        "7c",
        |g| {
            g.contract.freshness = Freshness::MaxAge { seconds: 60 };
            g.observed_at = Some("2026-11-02T12:00:00");
        },
        TruthState::Unknown,
        &[Reason::SchemaInvalid],
    ),
    (
        "7d",
        |g| {
            g.contract.freshness = Freshness::MaxAge { seconds: 60 };
            g.observed_at = Some("2026-11-02T11:00:00Z");
        },
        TruthState::Stale,
        &[Reason::StaleObservation],
    ),
    (
        "8",
        |g| g.contract.required_fields = Box::new(["absent".into()]),
        TruthState::Partial,
        &[Reason::MissingRequiredField],
    ),
    (
        "9",
        |g| {
            g.contract.claim_type = ClaimType::EffectObserved;
            g.contract.effect_evidence_required = true;
        },
        TruthState::UnverifiedEffect,
        &[Reason::UnverifiedEffect],
    ),
];

#[test]
fn each_failure_alone() {
    assert_eq!(Given::new().outcome(), None);
    for (name, change, state, reasons) in FAILURES {
        assert_eq!(Given::with(change).outcome(), Some((state, reasons.to_vec())), "{name}");
    }
}

#[test]
fn of_two_failures_the_earlier_one_decides() {
    for (at, (name, change, state, reasons)) in FAILURES.iter().enumerate() {
        for (later, also, ..) in &FAILURES[at + 1..] {
            // What both change is as the earlier one needs it.
            let given = Given::with(|given| {
                also(given);
                change(given);
            });
            assert_eq!(given.outcome(), Some((*state, reasons.to_vec())), "{name} and {later}");
        }
    }
}

#[test]
fn all_failures_at_once_are_the_first() {
    let given = Given::with(|given| FAILURES.iter().rev().for_each(|(_, change, ..)| change(given)));
    assert_eq!(given.outcome(), Some((TruthState::Unknown, vec![Reason::NoDispatch])));
}

#[test]
fn the_rules_have_names_that_findings_carry() {
    let names: Vec<_> = RULES.iter().map(|rule| rule.name).collect();
    let expected = [
        "dispatch",
        "transport",
        "parse",
        "protocol",
        "absence",
        "reference",
        "freshness",
        "required_fields",
        "effect",
    ];
    assert_eq!(names, expected);
    assert!(RULES.iter().all(|rule| rule.explanation.ends_with('.') && !rule.explanation.contains("  ")));
    for (name, change, ..) in FAILURES {
        Given::with(change).failure(|failure| {
            for finding in &failure.unwrap().findings {
                assert!(names.contains(&finding.rule), "{name}: {}", finding.rule);
            }
        });
    }
}

#[test]
fn what_is_usable() {
    let found = |payload| {
        Given::with(|given| {
            given.payload = payload;
            given.contract.required_fields = Box::default();
        })
    };
    for text in ["null", r#""""#, "{}", "[]", " [ ] ", "{\n}"] {
        let expected = Some((TruthState::Empty, vec![Reason::EmptyWithoutNotFoundSentinel]));
        assert_eq!(found(What::Json(text)).outcome(), expected, "{text}");
    }
    for text in
        ["0", "-0", "0.0", "false", "true", r#"" ""#, "[[]]", "[null]", "[0]", r#"{"":null}"#, "1e400"]
    {
        assert_eq!(found(What::Json(text)).outcome(), None, "{text}");
    }
}

#[test]
fn what_says_absence() {
    let given = |text, claim, sentinel: Option<&str>| {
        Given::with(|given| {
            given.payload = What::Json(text);
            given.contract.claim_type = claim;
            given.contract.not_found_sentinel = sentinel.map(Into::into);
            given.contract.required_fields = Box::default();
        })
    };
    for text in [
        r#""NONE""#,
        r#"{"status":"NONE"}"#,
        r#"{"status":"found","x":"NONE"}"#,
        r#"{"":"NONE"}"#,
        r#"{"a":"x","a":"NONE"}"#,
        r#""\u004e\u004f\u004e\u0045""#,
    ] {
        assert_eq!(given(text, ClaimType::NotFound, Some("NONE")).outcome(), None, "{text}");
    }
    for (text, state) in [
        (r#""none""#, TruthState::Observed),
        (r#""NONE ""#, TruthState::Observed),
        (r#"{"NONE":1}"#, TruthState::Observed),
        (r#"{"status":["NONE"]}"#, TruthState::Observed),
        (r#"{"error":{"status":"NONE"}}"#, TruthState::Observed),
        (r#"["NONE"]"#, TruthState::Observed),
        // The last of two equal keys is the one that is there.
        (r#"{"a":"NONE","a":"x"}"#, TruthState::Observed),
        ("404", TruthState::Observed),
        ("[]", TruthState::Empty),
        ("{}", TruthState::Empty),
        ("null", TruthState::Empty),
        (r#""""#, TruthState::Empty),
    ] {
        let expected = Some((state, vec![Reason::EmptyWithoutNotFoundSentinel]));
        assert_eq!(given(text, ClaimType::NotFound, Some("NONE")).outcome(), expected, "{text}");
        assert_eq!(given(text, ClaimType::NotFound, None).outcome(), expected, "{text}, no sentinel");
    }
    // A sentinel that matches is something, whatever the claim.
    for claim in ClaimType::ALL {
        assert_eq!(given(r#""NONE""#, claim, Some("NONE")).outcome(), None, "{claim}");
        let text = r#"{"status":"NONE"}"#;
        assert_eq!(given(text, claim, Some("NONE")).outcome(), None, "{claim}");
    }
    // An absence is subject to the later rules as anything is.
    let mut other = given(r#""NONE""#, ClaimType::NotFound, Some("NONE"));
    other.contract.required_fields = Box::new(["id".into()]);
    assert_eq!(other.outcome(), Some((TruthState::Partial, vec![Reason::MissingRequiredField])));
}

#[test]
fn references_are_compared_as_they_stand() {
    for (source, target, reasons) in [
        ("s", "t", &[][..]),
        ("S", "t", &[Reason::SourceMismatch]),
        ("s ", "t", &[Reason::SourceMismatch]),
        ("s/", "t", &[Reason::SourceMismatch]),
        ("s", "T", &[Reason::TargetMismatch]),
        ("t", "s", &[Reason::SourceMismatch, Reason::TargetMismatch]),
    ] {
        let given = Given::with(|given| (given.source_ref, given.target_ref) = (source, target));
        let expected = (!reasons.is_empty()).then(|| (TruthState::SourceMismatch, reasons.to_vec()));
        assert_eq!(given.outcome(), expected, "{source:?} {target:?}");
    }
    // One letter, two ways to write it: not the same text.
    let given = Given::with(|given| {
        given.source_ref = "caf\u{e9}";
        given.contract.source_ref = "cafe\u{301}".into();
    });
    assert_eq!(given.outcome(), Some((TruthState::SourceMismatch, vec![Reason::SourceMismatch])));
}

#[test]
fn versions_are_compared_in_natural_order() {
    for (minimum, version, is_new) in [
        ("rev-12", "rev-12", true),
        ("rev-12", "rev-012", true),
        ("rev-12", "rev-13", true),
        ("rev-12", "rev-100", true),
        ("rev-12", "rev-9", false),
        ("rev-12", "rev-", false),
        ("rev-12", "rev", false),
        ("rev-12", "rev-12.1", true),
        ("2", "10", true),
        ("10", "9", false),
        ("99999999999999999999998", "99999999999999999999999", true),
        ("99999999999999999999999", "99999999999999999999998", false),
        ("b", "a", false),
        ("a", "b", true),
        ("B", "a", true),
    ] {
        let given = Given::with(|given| {
            given.contract.freshness = Freshness::SourceVersion { minimum: minimum.into() };
            given.source_version = Some(version);
        });
        let expected = (!is_new).then(|| (TruthState::Stale, vec![Reason::StaleObservation]));
        assert_eq!(given.outcome(), expected, "{version} for {minimum}");
    }
}

#[test]
fn an_age_is_counted_to_the_microsecond() {
    let aged = |observed_at, now, seconds| {
        Given::with(|given| {
            given.contract.freshness = Freshness::MaxAge { seconds };
            (given.observed_at, given.now) = (observed_at, now);
        })
    };
    let noon = Some("2026-11-02T12:00:00Z");
    for (observed_at, now, seconds, is_fresh) in [
        (noon, "2026-11-02T12:00:00Z", 0, true),
        (noon, "2026-11-02T12:00:00.000001Z", 0, false),
        (noon, "2026-11-02T11:59:59.999999Z", 0, false),
        (noon, "2026-11-02T12:01:00Z", 60, true),
        (noon, "2026-11-02T12:00:59.999999Z", 60, true),
        (noon, "2026-11-02T12:01:00.000001Z", 60, false),
        (noon, "2026-11-02T11:59:59.999999Z", 60, false),
        // Less than a microsecond is cut off on both sides.
        (noon, "2026-11-02T12:01:00.0000009Z", 60, true),
        (Some("2026-11-02T13:59:30+02:00"), "2026-11-02T12:00:00Z", 60, true),
        (Some("2026-11-02T12:00:00+02:00"), "2026-11-02T12:00:00Z", 60, false),
        (Some("20261102T120000Z"), "2026-11-02T12:00:00Z", 0, true),
        (Some("2025-11-02T12:00:00Z"), "2026-11-02T12:00:00Z", 31_536_000, true),
        (Some("2025-11-02T11:59:59Z"), "2026-11-02T12:00:00Z", 31_536_000, false),
        (Some("0001-01-01T00:00:00Z"), "9999-12-31T23:59:59Z", 31_536_000, false),
        (Some("9999-12-31T23:59:59Z"), "0001-01-01T00:00:00Z", 31_536_000, false),
        // Without a time of its own it was observed at the clock, cut to seconds.
        (None, "2026-11-02T12:00:00Z", 0, true),
        (None, "2026-11-02T12:00:00.000001Z", 0, false),
        (None, "2026-11-02T12:00:00.999999Z", 1, true),
    ] {
        let expected = (!is_fresh).then(|| (TruthState::Stale, vec![Reason::StaleObservation]));
        assert_eq!(aged(observed_at, now, seconds).outcome(), expected, "{observed_at:?} at {now}");
    }
    for text in ["2026-11-02T12:00:00", "2026-11-02", "noon", " ", "1762084800", "2026-11-02T12:00:00z"] {
        let expected = Some((TruthState::Unknown, vec![Reason::SchemaInvalid]));
        assert_eq!(aged(Some(text), "2026-11-02T12:00:00Z", 60).outcome(), expected, "{text}");
        // Nobody who does not ask for an age looks at it.
        assert_eq!(Given::with(|given| given.observed_at = Some(text)).outcome(), None, "{text}");
    }
}

#[test]
fn required_fields_are_top_level_keys_of_an_object() {
    let with = |payload, required: &[&str]| {
        Given::with(|given| {
            given.payload = What::Json(payload);
            given.contract.required_fields = required.iter().map(|name| (*name).into()).collect();
        })
    };
    let missing = |payload, required: &[&str]| {
        with(payload, required).failure(|failure| {
            let failure = failure?;
            assert_eq!(failure.truth_state, TruthState::Partial);
            let paths = failure.findings.iter().map(|finding| match finding.path {
                Path::Field(name) => name.to_owned(),
                other => panic!("{other:?}"),
            });
            Some(paths.collect::<Vec<_>>())
        })
    };
    for (payload, required, expected) in [
        (r#"{"a":1}"#, &["a"][..], None),
        (r#"{"a":null}"#, &["a"], None),
        (r#"{"a":[],"b":""}"#, &["b", "a"], None),
        (r#"{"a":1,"a":2}"#, &["a", "a"], None),
        (r#"{"\u0061":1}"#, &["a"], None),
        (r#"{"a":1}"#, &[], None),
        (r#"{"A":1}"#, &["a"], Some(&["a"][..])),
        (r#"{"x":{"a":1}}"#, &["a"], Some(&["a"])),
        (r#"{"a.b":1}"#, &["a"], Some(&["a"])),
        (r#"{"x":"a"}"#, &["a"], Some(&["a"])),
        // All of them are told, in the order of the contract.
        (r#"{"b":1}"#, &["c", "b", "a"], Some(&["c", "a"])),
        (r#"[{"a":1}]"#, &["a"], Some(&["a"])),
        (r#"["a"]"#, &["a"], Some(&["a"])),
        (r#""a""#, &["a"], Some(&["a"])),
        ("1", &["a", "b"], Some(&["a", "b"])),
        ("[1]", &[], None),
        ("0", &[], None),
    ] {
        let expected = expected.map(|names| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(missing(payload, required), expected, "{payload} {required:?}");
    }
}

#[test]
fn evidence_is_asked_for_effects_and_finished_tasks_alone() {
    for claim in ClaimType::ALL {
        for required in [false, true] {
            for (refs, has_evidence) in
                [(None, false), (Some("[]"), false), (Some(r#"["x"]"#), true), (Some(r#"["x","x"]"#), true)]
            {
                let given = Given::with(|given| {
                    given.contract.claim_type = claim;
                    given.contract.effect_evidence_required = required;
                    given.evidence_refs = refs;
                    given.payload = What::Json(r#"{"id":"NONE"}"#);
                    given.contract.not_found_sentinel = Some("NONE".into());
                });
                let asked = matches!(claim, ClaimType::EffectObserved | ClaimType::TaskComplete) && required;
                let expected = (asked && !has_evidence)
                    .then(|| (TruthState::UnverifiedEffect, vec![Reason::UnverifiedEffect]));
                assert_eq!(given.outcome(), expected, "{claim} {required} {refs:?}");
            }
        }
    }
}

#[test]
fn findings_say_what_was_expected_and_what_is_there() {
    for (change, path, expected, actual) in [
        (FAILURES[0].1, Path::None, "a record of a tool call", "a claim only"),
        (FAILURES[2].1, Path::None, "JSON text", "broken"),
        (FAILURES[5].1, Path::None, "NONE", "an empty array"),
        (FAILURES[4].1, Path::None, "NONE", "1 member without the sentinel"),
        (FAILURES[6].1, Path::None, "a payload that is not empty", "no payload"),
        (FAILURES[7].1, Path::Member("source_ref"), "s", "other"),
        (FAILURES[8].1, Path::Member("source_version"), "at least rev-9", "absent"),
        (FAILURES[9].1, Path::Member("source_version"), "at least rev-13", "rev-12"),
        (
            FAILURES[10].1,
            Path::Member("observed_at"),
            "an ISO 8601 timestamp with an offset",
            "a timestamp without an offset",
        ),
        (FAILURES[11].1, Path::Member("observed_at"), "at most 60 seconds", "3600 seconds"),
        (FAILURES[12].1, Path::Field("absent"), "present", "absent"),
        (FAILURES[13].1, Path::Member("evidence_refs"), "at least one reference", "none"),
    ] {
        Given::with(change).failure(|failure| {
            let finding = failure.unwrap().findings[0];
            let text = |fact: Option<Fact<'_>>| fact.unwrap().to_string();
            assert_eq!(finding.path, path);
            assert_eq!((text(finding.expected).as_str(), text(finding.actual).as_str()), (expected, actual));
        });
    }
}
