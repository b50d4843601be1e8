//! Real runs: every tool message gives exactly one input, paired with the call that it answers.
//!
//! The folder that `SEALPIPE_CORPORA` names holds them; without it there is nothing to do.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "these are tests, and they report counts"
)]

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use sealpipe::import::{Bounds, Counts, Events, Format, Importer, Inputs, Pairing, Scratch};
use sealpipe::value::Pointer;
use serde_json::Value;

fn corpus(name: &str) -> Option<Vec<u8>> {
    let Some(folder) = std::env::var_os("SEALPIPE_CORPORA") else {
        eprintln!("skipped: SEALPIPE_CORPORA names no folder of real runs");
        return None;
    };
    Some(fs::read(PathBuf::from(folder).join(name)).unwrap())
}

fn import(text: &[u8], messages: &str) -> (Vec<Value>, Counts) {
    let importer = Importer::new(Format::OpenAi).messages(Pointer::parse(messages).unwrap());
    let mut pairing = Pairing::new(Format::OpenAi, Bounds::default());
    let (mut scratch, mut events, mut inputs) = (Scratch::default(), Events::default(), Inputs::default());
    for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
        importer.read(line, index as u64 + 1, &mut scratch, &mut events);
    }
    pairing.feed(&events, &mut inputs);
    pairing.finish(&mut inputs);
    let read = inputs.iter().map(|(_, line)| serde_json::from_slice(line).unwrap()).collect();
    (read, pairing.counts())
}

/// A tool message as the file has it: the line, its place, and the tool and arguments that it says it answers.
struct Message {
    line: u64,
    place: usize,
    tool: String,
    arguments: Option<Value>,
}

/// The same runs with nothing in a tool message that repeats the call, so that pairing has to find it.
fn without_repetition(text: &[u8], member: &str) -> Vec<u8> {
    let mut bare = Vec::new();
    for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let mut record: Value = serde_json::from_slice(line).unwrap();
        for message in record[member].as_array_mut().unwrap() {
            let message = message.as_object_mut().unwrap();
            message.remove("name");
            message.remove("tool_call");
        }
        serde_json::to_writer(&mut bare, &record).unwrap();
        bare.push(b'\n');
    }
    bare
}

/// Compares what was imported with the messages that serde finds.
fn compare(name: &str, text: &[u8], member: &str, repeated: impl Fn(&Value) -> (String, Option<Value>)) {
    let pointer = format!("/{member}");
    let (inputs, counts) = import(text, &pointer);
    let (unaided, _) = import(&without_repetition(text, member), &pointer);
    assert_eq!(inputs.len(), unaided.len());
    for (input, unaided) in inputs.iter().zip(&unaided) {
        for key in ["tool_name", "arguments", "tool_call_id", "observation_id"] {
            assert_eq!(input.get(key), unaided.get(key), "{name}: the same call is found without its name");
        }
    }
    let mut messages = Vec::new();
    let mut calls = 0_u64;
    for (index, line) in text.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty()) {
        let record: Value = serde_json::from_slice(line).unwrap();
        for (place, message) in record[member].as_array().unwrap().iter().enumerate() {
            calls += message["tool_calls"].as_array().map_or(0, |calls| calls.len() as u64);
            if message["role"] == "tool" {
                let (tool, arguments) = repeated(message);
                messages.push(Message { line: index as u64 + 1, place, tool, arguments });
            }
        }
    }
    let results: Vec<&Value> = inputs.iter().filter(|input| input["kind"] != "claim_only").collect();
    let unanswered = inputs.len() - results.len();
    assert_eq!(results.len(), messages.len(), "{name}: one input for each tool message");
    let mut pairings: HashMap<String, u64> = HashMap::new();
    for (input, message) in results.iter().zip(&messages) {
        let at = format!("#L{}.{}", message.line, message.place);
        assert_eq!(input["observation_id"], at.as_str(), "{name}: in the order of the results");
        assert_eq!(input["tool_name"], message.tool.as_str(), "{name}{at}");
        let pairing = input["metadata"]["pairing"].as_str().unwrap();
        *pairings.entry(pairing.to_owned()).or_default() += 1;
        assert!(input["origin"]["call_line"].is_u64(), "{name}{at}: {pairing}");
        if let Some(arguments) = &message.arguments {
            assert_eq!(&input["arguments"], arguments, "{name}{at}: the arguments of the call it answers");
        }
    }
    assert_eq!(counts.calls, calls, "{name}");
    assert_eq!(counts.results, messages.len() as u64, "{name}");
    assert_eq!(counts.unanswered, unanswered as u64, "{name}");
    assert_eq!(counts.unanswered, calls - messages.len() as u64, "{name}");
    assert_eq!(
        (counts.without_call, counts.duplicates, counts.broken, counts.evicted),
        (0, 0, 0, 0),
        "{name}"
    );
    let mut pairings: Vec<_> = pairings.into_iter().collect();
    pairings.sort();
    println!(
        "{name}: {calls} calls, {} results {pairings:?}, {unanswered} unanswered, {} records skipped",
        results.len(),
        counts.skipped
    );
}

#[test]
fn agentdojo_runs_pair_every_tool_message() {
    let Some(text) = corpus("agentdojo-runs.jsonl") else { return };
    compare("agentdojo-runs.jsonl", &text, "messages", |message| {
        let call = &message["tool_call"];
        (call["function"].as_str().unwrap().to_owned(), Some(call["args"].clone()))
    });
}

#[test]
fn tau_bench_trajectories_pair_every_tool_message() {
    let Some(text) = corpus("tau-bench-airline.jsonl") else { return };
    compare("tau-bench-airline.jsonl", &text, "traj", |message| {
        (message["name"].as_str().unwrap().to_owned(), None)
    });
}
