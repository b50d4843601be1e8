//! The fixtures of version "2": where version "1" has no way to say that an answer will not do, version "2" blocks it.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test ends at the first surprise")]

use std::collections::BTreeMap;

use bumpalo::Bump;
use sealpipe::decision::{Place, Redaction};
use sealpipe::engine::{Clock, Scratch};
use sealpipe::value::{Limits, Value};
use sealpipe::{Contract, Engine, Reason, Timestamp, TruthState, yaml};

fn member<'t>(value: Value<'t>, name: &str) -> Value<'t> {
    value.as_object().and_then(|object| object.get(name)).unwrap_or_else(|| panic!("no `{name}`"))
}

fn for_each(mut then: impl FnMut(&str, &str, Value<'_>)) {
    let folder = format!("{}/fixtures/catalogue", env!("CARGO_MANIFEST_DIR"));
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with("-v2.yaml"))
        .collect();
    names.sort();
    for name in names {
        let text = std::fs::read_to_string(format!("{folder}/{name}")).unwrap();
        let arena = Bump::new();
        let document = yaml::load_unique(&text, &arena, &Limits::DEFAULT).unwrap();
        then(name.trim_end_matches(".yaml"), &text, document.root());
    }
}

#[test]
fn each_is_decided_as_its_fixture_says() {
    let now = Clock::At(Timestamp::parse("2026-11-02T12:00:00Z").unwrap());
    let mut reached: BTreeMap<Reason, usize> = BTreeMap::new();
    let mut count = 0;
    for_each(|name, text, root| {
        count += 1;
        assert!(text.starts_with("# ") && text.lines().next().unwrap().ends_with('.'), "{name}: no sentence");
        assert_eq!(member(root, "name").as_str(), Some(name));
        let contract = Contract::from_value(member(root, "contract"))
            .unwrap_or_else(|problems| panic!("{name}: {problems}"));
        assert_eq!(contract.schema_version(), 2, "{name}");
        // The input as its own document: the rules must not see what stands around it.
        let mut input = Vec::new();
        sealpipe::canon::Writer::default().write(member(root, "input"), &mut input).unwrap();
        let expected = member(root, "expected");
        let codes: Vec<&str> =
            member(expected, "reason_codes").as_array().unwrap().iter().filter_map(Value::as_str).collect();
        Engine::of_contract(contract).judge(&input, &now, &mut Scratch::default(), |ruling, _| {
            let mut record = Vec::new();
            ruling.write_full(&Place::default(), &Redaction::default(), &mut record);
            let record = String::from_utf8(record).unwrap();
            assert_eq!(
                Some(ruling.outcome.name()),
                member(expected, "decision").as_str(),
                "{name}: {record}"
            );
            assert_eq!(
                ruling.truth_state.map(TruthState::name),
                member(expected, "truth_state").as_str(),
                "{name}: {record}"
            );
            assert_eq!(ruling.reasons().map(Reason::code).collect::<Vec<_>>(), codes, "{name}: {record}");
            for reason in ruling.reasons() {
                *reached.entry(reason).or_default() += 1;
            }
        });
    });
    assert!(count >= 60, "{count}");
    let own = Reason::ALL
        .iter()
        .skip_while(|reason| **reason != Reason::ToolError)
        .take_while(|reason| **reason != Reason::NoContract);
    for reason in own {
        assert!(
            reached.get(reason).is_some_and(|count| *count >= 2),
            "{reason} is reached by fewer than two fixtures"
        );
    }
}
