//! Pairing holds whatever order results come in, whichever are missing or come twice, and however sessions interleave.

#![expect(clippy::unwrap_used, reason = "these are tests, and their helpers")]

use std::collections::BTreeMap;

use proptest::prelude::*;
use sealpipe::import::{Bounds, Counts, Events, Format, Importer, Inputs, Pairing, Scratch};
use serde_json::{Value, json};

fn import(format: Format, lines: &[String], bounds: Bounds, together: bool) -> (Vec<Value>, Counts) {
    let importer = Importer::new(format);
    let mut pairing = Pairing::new(format, bounds);
    let (mut scratch, mut events, mut inputs) = (Scratch::default(), Events::default(), Inputs::default());
    pairing.start_file(Some("trace"));
    for (index, line) in lines.iter().enumerate() {
        importer.read(line.as_bytes(), index as u64 + 1, &mut scratch, &mut events);
        if !together {
            pairing.feed(&events, &mut inputs);
            events.clear();
        }
    }
    pairing.feed(&events, &mut inputs);
    pairing.end_file(&mut inputs);
    pairing.finish(&mut inputs);
    (inputs.iter().map(|(_, line)| serde_json::from_slice(line).unwrap()).collect(), pairing.counts())
}

/// A call of a batch, and what becomes of its result.
#[derive(Debug, Clone, Copy)]
struct Plan {
    /// Uses the id of an earlier, answered call of the session again.
    reuse: bool,
    answered: bool,
    repeats: Repeats,
    /// Where among the results of the batch it comes.
    turn: u8,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Repeats {
    No,
    /// The same record again, as exporters write that repeat a session.
    Record,
    /// Another record that says the same.
    Result,
}

fn plan() -> impl Strategy<Value = Plan> {
    let repeats = prop_oneof![4 => Just(Repeats::No), 1 => Just(Repeats::Record), 1 => Just(Repeats::Result)];
    (any::<bool>(), prop::bool::weighted(0.8), repeats, any::<u8>())
        .prop_map(|(reuse, answered, repeats, turn)| Plan { reuse, answered, repeats, turn })
}

/// Writes a session's records and returns what is expected of it: by token, whether the call was answered.
fn session(name: &str, batches: &[Vec<Plan>]) -> (Vec<String>, BTreeMap<String, bool>, u64) {
    let (mut lines, mut expected, mut duplicates) = (Vec::new(), BTreeMap::new(), 0);
    let mut free: Vec<String> = Vec::new();
    let mut number = 0_u32;
    let mut record = 0_u32;
    let mut line = |kind: &str, content: Value| {
        record += 1;
        json!({"type": kind, "sessionId": name, "uuid": format!("{name}-{record}"), "message": {"content": [content]}})
            .to_string()
    };
    for batch in batches {
        let mut results = Vec::new();
        let mut used = Vec::new();
        for plan in batch {
            number += 1;
            // Sessions number their ids alike, so that an id alone would cross them.
            let id = match free.pop().filter(|_| plan.reuse) {
                Some(id) => id,
                None => format!("call-{number}"),
            };
            let token = format!("{name}:{number}");
            lines.push(line(
                "assistant",
                json!({"type": "tool_use", "id": id, "name": format!("tool-{}", number % 3), "input": {"token": token}}),
            ));
            if plan.answered {
                let content = json!({"type": "tool_result", "tool_use_id": id, "content": token});
                results.push((plan.turn, line("user", content.clone())));
                match plan.repeats {
                    Repeats::No => {}
                    Repeats::Record => results.push((plan.turn, results.last().unwrap().1.clone())),
                    Repeats::Result => results.push((plan.turn, line("user", content))),
                }
                duplicates += u64::from(plan.repeats != Repeats::No);
                used.push(id);
            }
            expected.insert(token, plan.answered);
        }
        // Equal turns keep their order: what repeats a result comes after it.
        results.sort_by_key(|(turn, _)| *turn);
        lines.extend(results.into_iter().map(|(_, line)| line));
        free.extend(used);
    }
    (lines, expected, duplicates)
}

/// Takes lines of several sessions in turns, each in its own order.
fn interleave(mut sessions: Vec<Vec<String>>, choices: &[u8]) -> Vec<String> {
    for lines in &mut sessions {
        lines.reverse();
    }
    let mut lines = Vec::new();
    let mut choices = choices.iter().cycle();
    while sessions.iter().any(|session| !session.is_empty()) {
        let at = choices.next().map_or(0, |choice| usize::from(*choice) % sessions.len());
        let at = (at..sessions.len()).chain(0..at).find(|at| !sessions[*at].is_empty()).unwrap();
        lines.extend(sessions[at].pop());
    }
    lines
}

fn batches() -> impl Strategy<Value = Vec<Vec<Plan>>> {
    prop::collection::vec(prop::collection::vec(plan(), 1..5), 0..8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn sessions_pair_within_themselves(
        first in batches(),
        second in batches(),
        choices in prop::collection::vec(any::<u8>(), 1..20),
        together in any::<bool>(),
    ) {
        let (first, mut expected, repeated) = session("one", &first);
        let (second, others, more) = session("two", &second);
        expected.extend(others);
        let lines = interleave(vec![first, second], &choices);
        let (inputs, counts) = import(Format::ClaudeCode, &lines, Bounds::default(), together);
        prop_assert_eq!(inputs.len(), expected.len());
        for input in &inputs {
            let token = input["arguments"]["token"].as_str().unwrap();
            let answered = expected.remove(token);
            prop_assert_eq!(answered, Some(input["kind"] != "claim_only"), "{}", token);
            if answered == Some(true) {
                prop_assert_eq!(input["body"].as_str().unwrap(), format!("\"{token}\""));
                prop_assert_eq!(&input["metadata"]["pairing"], "id");
            } else {
                prop_assert_eq!(&input["metadata"]["pairing"], "unanswered");
            }
            let session = token.split(':').next().unwrap();
            prop_assert_eq!(&input["metadata"]["session"], session);
        }
        prop_assert!(expected.is_empty());
        prop_assert_eq!(counts.duplicates, repeated + more);
        prop_assert_eq!(counts.results + counts.unanswered, counts.calls);
        prop_assert_eq!((counts.without_call, counts.evicted, counts.broken), (0, 0, 0));
    }

    /// Without ids, results answer the calls of the message before them in their order, and never another message's.
    #[test]
    fn results_without_id_pair_by_place(
        batches in prop::collection::vec((1_usize..5, 0_usize..5, prop::option::of(Just("")), any::<bool>()), 0..8),
    ) {
        let (mut messages, mut expected, mut number) = (Vec::new(), BTreeMap::new(), 0);
        for (calls, answers, id, talk) in batches {
            let tokens: Vec<String> = (0..calls).map(|at| format!("t{}", number + at)).collect();
            number += calls;
            let calls: Vec<Value> = tokens.iter()
                .map(|token| json!({"id": id, "function": {"name": "tool", "arguments": json!({"token": token}).to_string()}}))
                .collect();
            messages.push(json!({"role": "assistant", "content": null, "tool_calls": calls}));
            for (at, token) in tokens.iter().enumerate() {
                expected.insert(token.clone(), at < answers);
                if at < answers {
                    messages.push(json!({"role": "tool", "tool_call_id": id, "content": token}));
                }
            }
            if talk {
                messages.push(json!({"role": "assistant", "content": "so"}));
                // Answers no call that is still open: a message without calls lies between.
                messages.push(json!({"role": "tool", "tool_call_id": null, "content": "stray"}));
            }
        }
        let lines = [json!({"messages": messages}).to_string()];
        let (inputs, counts) = import(Format::OpenAi, &lines, Bounds::default(), true);
        let strays = inputs.iter().filter(|input| input["body"] == "\"stray\"").count() as u64;
        prop_assert_eq!(counts.without_call, strays);
        for input in inputs.iter().filter(|input| input["body"] != "\"stray\"") {
            let token = input["arguments"]["token"].as_str().unwrap();
            let answered = expected.remove(token);
            prop_assert_eq!(answered, Some(input["kind"] != "claim_only"), "{}", token);
            if answered == Some(true) {
                prop_assert_eq!(input["body"].as_str().unwrap(), format!("\"{token}\""));
                prop_assert_eq!(&input["metadata"]["pairing"], "positional");
            }
        }
        prop_assert!(expected.is_empty());
    }

    /// However small the memory, every call and every result gives an input, and no result another call's name.
    #[test]
    fn bounds_give_up_the_oldest_and_lose_nothing(
        calls in 1_usize..40,
        order in prop::collection::vec(any::<u8>(), 40),
        open in 1_usize..8,
        in_scope in 1_usize..8,
        sessions in 1_usize..4,
    ) {
        let mut lines = Vec::new();
        let mut results: Vec<(u8, String)> = Vec::new();
        for (number, turn) in order.iter().copied().enumerate().take(calls) {
            let session = format!("s{}", number % sessions);
            let (id, token) = (format!("c{number}"), format!("t{number}"));
            lines.push(json!({"type": "assistant", "sessionId": session, "uuid": format!("a{number}"), "message": {"content": [
                {"type": "tool_use", "id": id, "name": token, "input": {"token": token}}]}}).to_string());
            results.push((turn, json!({"type": "user", "sessionId": session, "uuid": format!("r{number}"), "message": {"content": [
                {"type": "tool_result", "tool_use_id": id, "content": token}]}}).to_string()));
        }
        results.sort();
        lines.extend(results.into_iter().map(|(_, line)| line));
        let bounds = Bounds { open, open_in_scope: in_scope, scopes: 2, ..Bounds::default() };
        let (inputs, counts) = import(Format::ClaudeCode, &lines, bounds, true);
        prop_assert_eq!(counts.results, calls as u64);
        prop_assert_eq!(counts.calls, calls as u64);
        prop_assert_eq!(counts.without_call, 0);
        prop_assert_eq!(inputs.len() as u64, counts.results + counts.unanswered + counts.evicted);
        for input in &inputs {
            let claimed = input["kind"] == "claim_only";
            let name = input["tool_name"].as_str().unwrap();
            if !claimed {
                prop_assert_eq!(input["body"].as_str().unwrap(), format!("\"{name}\""));
            }
            if input["metadata"]["pairing"] == "evicted" && !claimed {
                prop_assert!(input.get("arguments").is_none());
            }
        }
    }
}
