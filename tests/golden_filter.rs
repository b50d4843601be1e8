//! The golden cases through the program: every record byte-identical, every refusal with its code, every exit status;
//! and the same bytes whatever the threads and the way the lines come in.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test ends at the first surprise")]

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;

use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Case {
    id: String,
    group: String,
    now: String,
    contract: Box<RawValue>,
    line: String,
    expect: Expect,
}

#[derive(Deserialize)]
struct Expect {
    record: Option<String>,
    error: Option<String>,
    exit: Option<u8>,
    contract: Option<ContractExpect>,
}

#[derive(Deserialize)]
struct ContractExpect {
    #[serde(default)]
    valid: bool,
    error: Option<String>,
    exit: Option<u8>,
}

impl Case {
    /// Returns the record that the program writes for the case as line `number`.
    fn record(&self, number: usize) -> String {
        match (&self.expect.record, &self.expect.error) {
            (Some(record), _) => record.clone(),
            (None, Some(code)) => {
                format!(r#"{{"decision":"rejected","line":{number},"reason_codes":["{code}"]}}"#)
            }
            (None, None) => panic!("{}: expects nothing", self.id),
        }
    }

    /// Returns the exit status of a run that decides this case alone.
    fn exit(&self) -> i32 {
        match &self.expect.record {
            Some(record) => i32::from(record.contains(r#""decision":"blocked""#)),
            None => self.expect.exit.unwrap().into(),
        }
    }

    /// Returns the code and the exit status with which the contract is refused, where it is.
    fn refusal(&self) -> Option<(&str, i32)> {
        if let Some(contract) = &self.expect.contract {
            return (!contract.valid)
                .then(|| (contract.error.as_deref().unwrap(), contract.exit.unwrap().into()));
        }
        // Nothing but a contract is ever invalid as a contract.
        (self.expect.error.as_deref() == Some("CONTRACT_INVALID")).then_some(("CONTRACT_INVALID", 2))
    }
}

fn cases() -> Vec<Case> {
    let path = format!("{}/fixtures/golden/inputs.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let cases: Vec<Case> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(cases.len(), 3000);
    cases
}

fn with_ends<'l>(lines: impl Iterator<Item = &'l str>) -> String {
    lines.flat_map(|line| [line, "\n"]).collect()
}

fn start(arguments: &[&str], bundle: &Path, now: &str, stdin: Stdio) -> Child {
    Command::new(env!("CARGO_BIN_EXE_sealpipe"))
        .arg("-c")
        .arg(bundle)
        .args(["--now", now, "--record", "core"])
        .args(arguments)
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Runs the program over a text that comes in pieces of `piece` bytes.
fn filter(arguments: &[&str], bundle: &Path, now: &str, text: &[u8], piece: usize) -> Output {
    let mut child = start(arguments, bundle, now, Stdio::piped());
    let mut stdin = child.stdin.take().unwrap();
    thread::scope(|threads| {
        threads.spawn(move || {
            for piece in text.chunks(piece) {
                // A program that refuses its contract reads nothing.
                if stdin.write_all(piece).is_err() {
                    break;
                }
            }
        });
        child.wait_with_output().unwrap()
    })
}

/// Runs the cases of one contract; returns what is wrong.
fn check_group(group: &[&Case], directory: &Path) -> Vec<String> {
    let mut wrong = Vec::new();
    let Some(first) = group.first() else { return wrong };
    let contract = directory.join("contract.json");
    std::fs::write(&contract, first.contract.get()).unwrap();
    let text = with_ends(group.iter().map(|case| case.line.as_str()));
    let output = filter(&["-j1"], &contract, &first.now, text.as_bytes(), usize::MAX);
    let records = String::from_utf8(output.stdout).unwrap();
    let messages = String::from_utf8(output.stderr).unwrap();
    if let Some((code, exit)) = group.iter().find_map(|case| case.refusal()) {
        let told = messages.lines().all(|line| line.starts_with("sealpipe: "))
            && messages.contains(&format!("sealpipe: {code}: "));
        if !told || output.status.code() != Some(exit) || !records.is_empty() {
            wrong.push(format!("{}: contract: {} {messages} {records}", first.id, output.status));
        }
        return wrong;
    }
    let written: Vec<&str> = records.lines().collect();
    if written.len() != group.len() || !messages.is_empty() {
        wrong.push(format!("{}: {} lines gave {records} {messages}", first.id, group.len()));
        return wrong;
    }
    for (index, (case, written)) in group.iter().zip(&written).enumerate() {
        let expected = case.record(index + 1);
        if *written != expected {
            wrong.push(format!("{}: expected {expected}\n got {written}", case.id));
        }
    }
    let worst = group.iter().map(|case| case.exit()).max();
    if output.status.code() != worst {
        wrong.push(format!("{}: expected exit status {worst:?}, got {}", first.id, output.status));
    }
    wrong
}

#[test]
fn every_case_by_its_contract() {
    let cases = cases();
    let mut groups: BTreeMap<(&str, &str), Vec<&Case>> = BTreeMap::new();
    for case in &cases {
        groups.entry((case.contract.get(), case.now.as_str())).or_default().push(case);
    }
    let groups: Vec<Vec<&Case>> = groups.into_values().collect();
    let alone = groups.iter().filter(|group| group.len() == 1).count();
    assert!(alone > 1000, "that many exit statuses are those of one case");
    let wrong: Vec<String> = thread::scope(|threads| {
        let workers: Vec<_> = groups
            .chunks(groups.len().div_ceil(2))
            .map(|groups| {
                threads.spawn(move || {
                    let directory = tempfile::tempdir().unwrap();
                    groups.iter().flat_map(|group| check_group(group, directory.path())).collect::<Vec<_>>()
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong[..wrong.len().min(8)].join("\n"));
}

/// Returns all cases as one log and the contracts of all of them as one bundle.
///
/// A tool's name is no part of a core record, so that each case can have a tool, and by it a contract, of its own.
/// Cases that have no record, or where another member would be one too many, keep their line, and have no contract.
fn in_one_run(cases: &[Case]) -> (String, String, Vec<Option<String>>) {
    let (mut contracts, mut log, mut expected) = (Vec::new(), String::new(), Vec::new());
    for case in cases {
        match &case.expect.record {
            Some(record) if case.group != "limits" => {
                let open = case.line.trim_end().strip_suffix('}').unwrap();
                let line = format!("{open},\"tool_name\":\"case {}\"}}\n", case.id);
                log.push_str(&line);
                contracts.push(format!("\"case {}\":{}", case.id, case.contract.get()));
                expected.push(Some(record.clone()));
            }
            _ => {
                log.push_str(&case.line);
                log.push('\n');
                expected.push(None);
            }
        }
    }
    let bundle = format!("{{\"bundle_version\":1,\"contracts\":{{{}}}}}", contracts.join(","));
    (bundle, log, expected)
}

#[test]
fn the_same_bytes_by_any_way_in_and_any_number_of_threads() {
    let cases = cases();
    let now = &cases[0].now;
    assert!(cases.iter().all(|case| case.now == *now), "one clock does for all");
    let directory = tempfile::tempdir().unwrap();
    let (bundle, log, expected) = in_one_run(&cases);
    let (bundle_path, log_path) = (directory.path().join("bundle.json"), directory.path().join("log.jsonl"));
    std::fs::write(&bundle_path, bundle).unwrap();
    std::fs::write(&log_path, &log).unwrap();

    let reference = filter(&["-j1"], &bundle_path, now, log.as_bytes(), usize::MAX);
    let records = String::from_utf8(reference.stdout.clone()).unwrap();
    assert_eq!(reference.status.code(), Some(3));
    assert_eq!(records.lines().count(), cases.len());
    for ((case, record), expected) in cases.iter().zip(records.lines()).zip(&expected) {
        match expected {
            Some(expected) => assert_eq!(record, expected, "{}", case.id),
            None => assert!(!record.contains(r#""sealed""#), "{}: {record}", case.id),
        }
    }

    let path = log_path.to_str().unwrap();
    for threads in ["-j1", "-j2", "-j8"] {
        let child = start(&[threads, path], &bundle_path, now, Stdio::null());
        assert!(child.wait_with_output().unwrap().stdout == reference.stdout, "{threads}, a file");
        let file = std::fs::File::open(&log_path).unwrap();
        let child = start(&[threads], &bundle_path, now, file.into());
        assert!(child.wait_with_output().unwrap().stdout == reference.stdout, "{threads}, a redirected file");
        for piece in [97, 4096, 1 << 20] {
            let output = filter(&[threads], &bundle_path, now, log.as_bytes(), piece);
            assert!(output.stdout == reference.stdout, "{threads}, a pipe in pieces of {piece}");
        }
    }
    // A byte a time takes long enough for a tenth of the log to do.
    let start_of_log = with_ends(log.lines().take(300));
    let start_of_records = with_ends(records.lines().take(300));
    for threads in ["-j1", "-j8"] {
        let output = filter(&[threads], &bundle_path, now, start_of_log.as_bytes(), 1);
        assert!(output.stdout == start_of_records.as_bytes(), "{threads}, a byte at a time");
    }
}

#[test]
fn a_named_pipe_is_an_input_as_well() {
    let cases = cases();
    let directory = tempfile::tempdir().unwrap();
    let (bundle, log, _) = in_one_run(&cases[..200]);
    let (bundle_path, fifo) = (directory.path().join("bundle.json"), directory.path().join("fifo"));
    std::fs::write(&bundle_path, bundle).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &fifo,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    let now = &cases[0].now;
    let reference = filter(&["-j1"], &bundle_path, now, log.as_bytes(), usize::MAX);
    let mut child = start(&[fifo.to_str().unwrap()], &bundle_path, now, Stdio::null());
    let mut stdout = child.stdout.take().unwrap();
    let mut records = Vec::new();
    thread::scope(|threads| {
        threads.spawn(|| {
            let mut writer = std::fs::OpenOptions::new().write(true).open(&fifo).unwrap();
            writer.write_all(log.as_bytes()).unwrap();
        });
        stdout.read_to_end(&mut records).unwrap();
    });
    assert_eq!(child.wait().unwrap().code(), reference.status.code());
    assert!(records == reference.stdout);
}
