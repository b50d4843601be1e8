//! Random inputs and contracts that are nearly always valid, as their members and the JSON text of each.

use proptest::prelude::*;
use proptest::sample::select;
use sealpipe::{Contract, Timestamp};

/// The reference clock of every decision here.
pub(crate) fn now() -> Timestamp {
    Timestamp::parse("2026-11-02T12:00:00Z").unwrap()
}

/// An adapter input: its members in order, each with the JSON text of its value.
#[derive(Debug, Clone)]
pub(crate) struct Input(pub(crate) Vec<(String, String)>);

impl Input {
    /// Returns the input as one line of JSON.
    pub(crate) fn line(&self) -> String {
        let members: Vec<String> =
            self.0.iter().map(|(name, value)| format!("{}:{value}", quoted(name))).collect();
        format!("{{{}}}", members.join(","))
    }

    /// Returns the input without some of its members.
    pub(crate) fn without(&self, names: &[&str]) -> Self {
        Self(self.0.iter().filter(|(name, _)| !names.contains(&name.as_str())).cloned().collect())
    }

    /// Returns the JSON text of a member.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(member, _)| member == name).map(|(_, value)| value.as_str())
    }

    /// Returns the input with another value of a member.
    pub(crate) fn with(&self, name: &str, value: &str) -> Self {
        let mut changed = self.clone();
        for (member, old) in &mut changed.0 {
            if member == name {
                value.clone_into(old);
            }
        }
        changed
    }
}

/// Returns a string as JSON text.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

fn texts(of: &'static [&'static str]) -> BoxedStrategy<String> {
    select(of).prop_map(str::to_owned).boxed()
}

fn string() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => texts(&[r#""NOT_FOUND""#, r#""x""#, r#""""#, r#""not_found""#]),
        1 => prop::collection::vec(any::<char>(), 0..6).prop_map(|text| quoted(&text.into_iter().collect::<String>())),
    ]
}

/// Any JSON value, as text.
pub(crate) fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        4 => texts(&["null", "true", "false", "0", "-0", "0.0", "-0.0", "1.5", "1E5", "1e-7", "1e400"]),
        2 => any::<i64>().prop_map(|number| number.to_string()),
        1 => Just("123456789012345678901234567890".to_owned()),
        4 => string(),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec((string(), inner), 0..4).prop_map(|members| {
                let members: Vec<String> =
                    members.iter().map(|(name, value)| format!("{name}:{value}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

/// A payload that a contract may ask for: an object of a few known keys, in any order, each once.
pub(crate) fn object() -> impl Strategy<Value = Vec<(String, String)>> {
    let names = prop::sample::subsequence(vec!["id", "name", "status", "other"], 0..=4).prop_shuffle();
    names.prop_flat_map(|names| {
        names
            .into_iter()
            .map(|name| (Just(name.to_owned()), prop_oneof![3 => string(), 2 => value()]))
            .collect::<Vec<_>>()
    })
}

fn object_text(members: &[(String, String)]) -> String {
    let members: Vec<String> =
        members.iter().map(|(name, value)| format!("{}:{value}", quoted(name))).collect();
    format!("{{{}}}", members.join(","))
}

/// A payload, as a value or as JSON text in a string.
fn body() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => object().prop_map(|members| object_text(&members)),
        3 => object().prop_map(|members| quoted(&object_text(&members))),
        2 => texts(&["[]", "{}", "null", r#""""#, "[1]", "0", r#""NOT_FOUND""#, r#""\"NOT_FOUND\"""#]),
        1 => texts(&[r#""{\"id\":1""#, r#""<html>""#, r#"" ""#, r#""null""#, r#""[1,2]""#]),
        1 => value(),
    ]
}

type Members = Vec<(&'static str, BoxedStrategy<String>, f64)>;

/// Returns a strategy of inputs with these members, each there with its probability.
fn of(members: Members) -> BoxedStrategy<Input> {
    members
        .into_iter()
        .map(|(name, value, probability)| {
            let there = value.prop_map(move |value| (name.to_owned(), value));
            if probability < 1.0 {
                prop::option::weighted(probability, there).boxed()
            } else {
                there.prop_map(Some).boxed()
            }
        })
        .collect::<Vec<_>>()
        .prop_map(|members| Input(members.into_iter().flatten().collect()))
        .boxed()
}

/// The members that every kind shares.
fn shared() -> Members {
    vec![
        ("source_ref", prop_oneof![12 => texts(&[r#""s""#]), 1 => texts(&[r#""other""#, "1"])].boxed(), 0.98),
        (
            "target_ref",
            prop_oneof![12 => texts(&[r#""t""#]), 1 => texts(&[r#""other""#, "null"])].boxed(),
            0.98,
        ),
        ("tool_name", texts(&[r#""search""#, r#""mcp__crm__get""#, r#""other""#, "null", r#""""#]), 0.5),
        ("observation_id", texts(&[r#""o-1""#, r#""é""#, "null", "7"]), 0.4),
        ("tool_call_id", texts(&[r#""c-1""#, "null", "[]"]), 0.4),
        (
            "observed_at",
            texts(&[
                r#""2026-11-02T12:00:00Z""#,
                r#""2026-11-02T11:59:30+00:00""#,
                r#""2026-11-02T11:00:00Z""#,
                r#""2026-11-02T12:00:00""#,
                r#""2027-01-01T00:00:00Z""#,
                "null",
            ]),
            0.5,
        ),
        ("source_version", texts(&[r#""rev-12""#, r#""rev-9""#, r#""rev-1""#, r#""x""#, "null"]), 0.7),
        ("evidence_refs", texts(&[r#"["e-1"]"#, r#"["e-1","e-2"]"#, "[]", "null", r#"[""]"#]), 0.6),
        ("metadata", texts(&["{}", r#"{"a":1,"b":[1]}"#, r#"{"protocol_conflict":true}"#, "[]"]), 0.2),
        ("claim_type", texts(&[r#""found""#, r#""not_found""#, r#""task_complete""#, r#""x""#, "null"]), 0.1),
        ("unknown", value().boxed(), 0.1),
    ]
}

fn with_kind(name: &'static str, stated: f64, own: Members) -> BoxedStrategy<Input> {
    let mut members = shared();
    members.push(("kind", Just(quoted(name)).boxed(), stated));
    members.extend(own);
    of(members)
}

/// Inputs of all kinds, with the members of their own kind alone, now and then one that is wrong.
pub(crate) fn input() -> impl Strategy<Value = Input> {
    let ok = |good: &'static [&'static str], bad: &'static [&'static str]| {
        prop_oneof![8 => texts(good), 1 => texts(bad)].boxed()
    };
    let kinds = prop_oneof![
        4 => with_kind("json", 0.5, vec![("body", body().boxed(), 0.95)]),
        2 => with_kind("http_json", 0.5, vec![
            ("status_code", ok(&["200", "204", "399"], &["199", "404", "500", "200.0", r#""200""#]), 1.0),
            ("body", body().boxed(), 0.95),
        ]),
        3 => with_kind("mcp", 1.0, vec![
            ("structuredContent", body().boxed(), 0.6),
            ("text", string().boxed(), 0.6),
            ("isError", ok(&["false", "null"], &["true", "1"]), 0.4),
            ("outputSchema", texts(&[r#"{"required":["id","zzz"]}"#, "{}", "[]"]), 0.3),
        ]),
        2 => with_kind("stdio", 0.5, vec![
            ("exit_code", ok(&["0"], &["1", "-1", "0.0", "null"]), 1.0),
            ("stdout", body().boxed(), 0.95),
            ("output_format", texts(&[r#""json""#, r#""text""#, "1"]), 0.6),
            ("command", texts(&[r#""ls""#, "[]"]), 0.3),
        ]),
        2 => with_kind("yaml", 1.0, vec![(
            "value",
            texts(&[
                r#""id: 1\nname: x\n""#,
                r#""status: NOT_FOUND""#,
                r#""NOT_FOUND""#,
                r#""{}""#,
                r#""a: &x 1""#,
                r#""a: [""#,
                r#""1: a""#,
                "7",
            ]),
            0.97,
        )]),
        1 => with_kind("claim_only", 1.0, vec![("claim", value().boxed(), 0.9)]),
    ];
    let spoilt = (any::<prop::sample::Index>(), value());
    (kinds, prop::option::weighted(0.05, spoilt)).prop_map(|(mut input, spoilt)| {
        if let Some((at, value)) = spoilt
            && !input.0.is_empty()
        {
            let at = at.index(input.0.len());
            input.0[at].1 = value;
        }
        input
    })
}

/// Contracts for these inputs, as JSON text.
pub(crate) fn contract_text() -> impl Strategy<Value = String> {
    let freshness = texts(&[
        r#"{"mode":"not_required"}"#,
        r#"{"mode":"source_version"}"#,
        r#"{"mode":"max_age_seconds","max_age_seconds":60}"#,
        r#"{"mode":"max_age_seconds","max_age_seconds":0}"#,
    ]);
    let freshness = prop_oneof![3 => texts(&[r#"{"mode":"not_required"}"#]), 2 => freshness];
    (
        select(&["found", "not_found", "read_complete", "effect_observed", "task_complete"][..]),
        prop::sample::subsequence(vec!["id", "name", "status"], 0..=2),
        freshness,
        select(&["null", r#""NOT_FOUND""#][..]),
        any::<bool>(),
    )
        .prop_map(|(claim, required, freshness, sentinel, evidence)| {
            format!(
                r#"{{"schema_version":"1","claim_type":"{claim}","required_fields":{},"freshness":{freshness},"min_source_version":"rev-9","source_ref":"s","target_ref":"t","not_found_sentinel":{sentinel},"effect_evidence_required":{evidence}}}"#,
                serde_json::to_string(&required).unwrap()
            )
        })
}

/// Contracts for these inputs.
pub(crate) fn contract() -> impl Strategy<Value = Contract> {
    contract_text().prop_map(|text| Contract::from_json(text.as_bytes()).unwrap())
}
