//! Order and loss: a hundred thousand lines of random sizes, on both sinks, under many threads.

use std::fmt::Write as _;
use std::process::Stdio;
use std::sync::OnceLock;

use super::program::{Random, end_of, filter, line_numbers, run, with_redirections};

const LINES: usize = 100_000;

/// A log, and what each of its lines is: a blank line is neither.
struct Log {
    text: String,
    sealed: Vec<usize>,
    unsealed: Vec<usize>,
}

/// Returns a log of lines of very different sizes: mostly short, some long, a few over the limit, a few blank.
fn log() -> &'static Log {
    static LOG: OnceLock<Log> = OnceLock::new();
    LOG.get_or_init(|| {
        let mut random = Random::new(7);
        let mut log = Log { text: String::with_capacity(40 << 20), sealed: Vec::new(), unsealed: Vec::new() };
        for number in 1..=LINES {
            let padding = match random.below(1000) {
                0 => 15_000,
                1..20 => random.below(4000),
                _ => random.below(200),
            };
            let padding = " ".repeat(padding);
            match random.below(100) {
                0 => {
                    log.text.push_str(&padding[..padding.len().min(20)]);
                    log.text.push('\n');
                    continue;
                }
                1..40 => {
                    let body = if number.is_multiple_of(2) { "[]" } else { "null" };
                    writeln!(log.text, r#"{{"source_ref":"s",{padding}"target_ref":"t","body":{body}}}"#)
                        .unwrap();
                    log.unsealed.push(number);
                }
                40..45 => {
                    writeln!(log.text, "{{{padding}").unwrap();
                    log.unsealed.push(number);
                }
                _ => {
                    writeln!(
                        log.text,
                        r#"{{"source_ref":"s","target_ref":"t","body":{{"{padding}":{number}}}}}"#
                    )
                    .unwrap();
                    log.sealed.push(number);
                }
            }
            if number.is_multiple_of(25_000) {
                // Over the limit, and longer than a block.
                log.text.insert_str(log.text.len() - 1, &" ".repeat(700_000));
                for lines in [&mut log.sealed, &mut log.unsealed] {
                    lines.pop_if(|last| *last == number);
                }
                log.unsealed.push(number);
            }
        }
        log
    })
}

fn all_lines(log: &Log) -> Vec<usize> {
    let mut all = [log.sealed.as_slice(), log.unsealed.as_slice()].concat();
    all.sort_unstable();
    all
}

#[test]
fn to_one_sink() {
    let log = log();
    let ran = run(&mut filter(&["-j8"]), &log.text);
    assert_eq!((ran.code(), ran.stderr.as_str()), (Some(3), ""));
    assert!(line_numbers(&ran.stdout) == all_lines(log));
}

#[test]
fn to_a_file_and_a_pipe() {
    let log = log();
    let directory = tempfile::tempdir().unwrap();
    let (input, blocked) = (directory.path().join("log"), directory.path().join("blocked"));
    std::fs::write(&input, &log.text).unwrap();
    let mut command = filter(&["-j8", "--blocked"]);
    command.arg(&blocked).arg(&input).stdin(Stdio::null());
    let ran = end_of(command.spawn().unwrap());
    assert_eq!((ran.code(), ran.stderr.as_str()), (Some(3), ""));
    assert!(line_numbers(&ran.stdout) == log.sealed);
    assert!(line_numbers(&std::fs::read_to_string(&blocked).unwrap()) == log.unsealed);
}

#[test]
fn to_two_pipes() {
    let log = log();
    let mut command = with_redirections(&filter(&["-j8", "--blocked-fd", "9"]), "9>&2 2>/dev/null");
    let ran = run(&mut command, &log.text);
    assert_eq!(ran.code(), Some(3));
    assert!(line_numbers(&ran.stdout) == log.sealed);
    assert!(line_numbers(&ran.stderr) == log.unsealed);
}

#[test]
fn to_both_at_once() {
    let log = log();
    let mut command = with_redirections(&filter(&["-j8", "--blocked-fd", "9", "--tee"]), "9>&2 2>/dev/null");
    let ran = run(&mut command, &log.text);
    assert_eq!(ran.code(), Some(3));
    assert!(line_numbers(&ran.stdout) == all_lines(log));
    assert!(line_numbers(&ran.stderr) == log.unsealed);
}

#[test]
fn to_one_place_by_two_ways() {
    let log = log();
    // Descriptor 9 is standard output: the order of the lines holds there, whichever way a record takes.
    let ran = run(&mut with_redirections(&filter(&["-j8", "--blocked-fd", "9"]), "9>&1"), &log.text);
    assert_eq!((ran.code(), ran.stderr.as_str()), (Some(3), ""));
    assert!(line_numbers(&ran.stdout) == all_lines(log));
}
