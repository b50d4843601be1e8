//! Inputs by name: several, missing ones, directories, standard input among them.

use std::path::Path;

use super::program::{blocked, filter, input, run, sealed};

fn write(directory: &Path, name: &str, text: &str) -> String {
    let path = directory.join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Returns input name, line number and decision of each record.
fn decided(arguments: &[&str], stdin: &str) -> (Option<i32>, Vec<(String, u64, String)>, String) {
    let ran = run(&mut filter(arguments), stdin);
    let records = ran.records();
    let of = |record: &serde_json::Value| {
        let text = |member: &str| record[member].as_str().unwrap_or("none").to_owned();
        (text("input"), record["line"].as_u64().unwrap(), text("decision"))
    };
    (ran.code(), records.iter().map(of).collect(), ran.stderr)
}

fn rows(expected: &[(&str, u64, &str)]) -> Vec<(String, u64, String)> {
    expected.iter().map(|(name, line, word)| ((*name).to_owned(), *line, (*word).to_owned())).collect()
}

#[test]
fn lines_are_counted_in_each_input_and_records_name_it() {
    let directory = tempfile::tempdir().unwrap();
    // The first has no final newline: no line goes on in the next input.
    let a = write(directory.path(), "a", &format!("{}\n\n{}", sealed(1), blocked(3)));
    let b = write(directory.path(), "b", "");
    let c = write(directory.path(), "c", &format!("\u{feff}{}\n{{\n", sealed(1)));
    let (code, records, messages) = decided(&[&a, &b, &c], "");
    assert_eq!((code, messages.as_str()), (Some(2), ""));
    let expected = [(a.as_str(), 1, "sealed"), (&a, 3, "blocked"), (&c, 1, "sealed"), (&c, 2, "rejected")];
    assert_eq!(records, rows(&expected));
    // Alone, an input needs no name.
    assert_eq!(decided(&[&a], "").1, rows(&[("none", 1, "sealed"), ("none", 3, "blocked")]));
    assert_eq!(decided(&["-"], &sealed(1)).1, rows(&[("none", 1, "sealed")]));
    // The same one twice is read twice.
    assert_eq!(decided(&[&c, &c], "").1.len(), 4);
}

#[test]
fn standard_input_has_its_place_among_files() {
    let directory = tempfile::tempdir().unwrap();
    let a = write(directory.path(), "a", &sealed(1));
    let text = format!("{}\n{}\n", blocked(1), sealed(2));
    let (code, records, messages) = decided(&[&a, "-", &a], &text);
    assert_eq!((code, messages.as_str()), (Some(1), ""));
    let expected = [(a.as_str(), 1, "sealed"), ("-", 1, "blocked"), ("-", 2, "sealed"), (&a, 1, "sealed")];
    assert_eq!(records, rows(&expected));
    // Named again it is at its end.
    let (code, records, messages) = decided(&["-", "-"], &text);
    assert_eq!((code, messages.as_str()), (Some(1), ""));
    assert_eq!(records, rows(&[("-", 1, "blocked"), ("-", 2, "sealed")]));
    // With files alone it is not read.
    assert_eq!(decided(&[&a], &text).1.len(), 1);
}

#[test]
fn an_input_that_cannot_be_read_is_told_and_the_others_are_decided() {
    let directory = tempfile::tempdir().unwrap();
    let a = write(directory.path(), "a", &format!("{}\n", sealed(1)));
    let missing = directory.path().join("missing");
    let missing = missing.to_str().unwrap();
    let folder = directory.path().to_str().unwrap();
    for (arguments, message) in [
        ([a.as_str(), missing, &a], format!("sealpipe: cannot read `{missing}`: No such file or directory")),
        ([missing, &a, &a], format!("sealpipe: cannot read `{missing}`: No such file or directory")),
        ([&a, &a, folder], format!("sealpipe: cannot read `{folder}`: ")),
    ] {
        let (code, records, messages) = decided(&arguments, "");
        assert_eq!(code, Some(4));
        assert_eq!(records, rows(&[(&a, 1, "sealed"), (&a, 1, "sealed")]));
        assert!(messages.starts_with(&message), "{messages}");
        assert_eq!(messages.lines().count(), 1, "{messages}");
    }
    let (code, _, messages) = decided(&["--exit-zero", &a, missing, folder], "");
    assert_eq!((code, messages.lines().count()), (Some(4), 2));
    for alone in [missing, folder] {
        let (code, records, messages) = decided(&[alone], "");
        assert_eq!((code, records.len(), messages.lines().count()), (Some(4), 0, 1), "{messages}");
    }
}

#[test]
fn a_name_may_hold_anything() {
    let directory = tempfile::tempdir().unwrap();
    let name = "a\u{1b}[31m \"x\"\n\u{fc}";
    let a = write(directory.path(), name, &sealed(1));
    let (_, records, _) = decided(&[&a, &a], "");
    assert_eq!(records[0].0, a, "whole and as JSON escapes it");
    let missing = format!("{a} missing");
    let (code, _, messages) = decided(&[&missing], "");
    assert_eq!(code, Some(4));
    assert_eq!(messages.lines().count(), 1, "{messages:?}");
    assert!(!messages.contains('\u{1b}'), "{messages:?}");
    // A name that begins like a flag goes behind two dashes.
    std::fs::write(directory.path().join("-j"), sealed(1)).unwrap();
    let ran = run(filter(&["--", "-j"]).current_dir(directory.path()), "");
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr);
}

#[test]
fn a_contract_and_the_log_cannot_both_come_from_standard_input() {
    // What is read of it as a bundle is no longer there as a log; nothing is taken for both.
    let mut command = super::program::bare();
    let ran = run(command.args(["-c", "-", "--now", super::program::NOW]), super::program::CONTRACT);
    assert_eq!(ran.stdout, "");
    let directory = tempfile::tempdir().unwrap();
    let a = write(directory.path(), "a", &input("1"));
    let mut command = super::program::bare();
    let ran = run(command.args(["-c", "-", "--now", super::program::NOW, &a]), super::program::CONTRACT);
    assert_eq!((ran.code(), ran.stderr.as_str()), (Some(0), ""));
}
