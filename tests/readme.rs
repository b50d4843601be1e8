//! What the README shows is run: every command in a `console` block, in its order, with the output that stands below it.
//!
//! In expected output a line `...` stands for any number of lines, and `[exit N]` for an exit status other than 0.

#![expect(clippy::print_stderr, reason = "a skipped test says so")]
#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]

use std::path::Path;
use std::process::Command;

use sealpipe::Reason;

const README: &str = include_str!("../README.md");

#[derive(Debug)]
struct Shown<'a> {
    command: &'a str,
    output: Vec<&'a str>,
    exit: i32,
}

fn shown() -> Vec<Shown<'static>> {
    let mut all = Vec::new();
    let mut in_block = false;
    for line in README.lines() {
        match line {
            "```console" => in_block = true,
            "```" => in_block = false,
            _ if !in_block => {}
            _ => match line.strip_prefix("$ ") {
                Some(command) => all.push(Shown { command, output: Vec::new(), exit: 0 }),
                None => {
                    let last: &mut Shown = all.last_mut().unwrap();
                    match line.strip_prefix("[exit ").and_then(|rest| rest.strip_suffix(']')) {
                        Some(status) => last.exit = status.parse().unwrap(),
                        None => last.output.push(line),
                    }
                }
            },
        }
    }
    all
}

/// Returns true where the lines are as shown; `...` stands for any number of them.
fn matches(shown: &[&str], actual: &[&str]) -> bool {
    match shown.split_first() {
        None => actual.is_empty(),
        Some((&"...", rest)) => (0..=actual.len()).any(|skipped| matches(rest, &actual[skipped..])),
        Some((first, rest)) => {
            actual.split_first().is_some_and(|(line, others)| line == first && matches(rest, others))
        }
    }
}

#[test]
fn every_command_gives_what_is_shown() {
    if Command::new("jq").arg("--version").output().is_err() {
        eprintln!("skipped: no jq here");
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(root.join("fixtures"), folder.path().join("fixtures")).unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_sealpipe"));
    let path = format!("{}:{}", binary.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let all = shown();
    assert!(all.len() >= 10, "{all:?}");
    for Shown { command, output, exit } in all {
        if command == "cargo test" {
            continue;
        }
        // The binary under test stands in for the one that cargo would build; what follows a file forever gets an end.
        let command =
            command.replace("cargo run -q --", "sealpipe").replace("tail -f", "timeout 1 tail -f -n 100");
        let ran = Command::new("sh")
            .args(["-c", &format!("{{ {command}\n}} 2>&1")])
            .env("PATH", &path)
            .env_remove("CLICOLOR_FORCE")
            .current_dir(folder.path())
            .output()
            .unwrap();
        let actual = String::from_utf8(ran.stdout).unwrap();
        let actual: Vec<&str> = actual.lines().collect();
        assert!(
            matches(&output, &actual),
            "{command}\nshown:\n{}\nactual:\n{}",
            output.join("\n"),
            actual.join("\n")
        );
        if exit != 0 || !command.contains('|') && !command.contains("--summary") {
            assert_eq!(ran.status.code(), Some(exit), "{command}");
        }
    }
}

#[test]
fn ci_runs_the_test_command() {
    let all = shown();
    assert_eq!(
        all.iter().filter(|shown| shown.command.starts_with("cargo ")).count(),
        2,
        "two set-up commands"
    );
    assert!(all.iter().any(|shown| shown.command == "cargo test"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert!(std::fs::read_to_string(root.join("scripts/check")).unwrap().contains("\ncargo test"));
    assert!(std::fs::read_to_string(root.join(".ci/run")).unwrap().contains("scripts/check"));
}

#[test]
fn the_reason_codes_are_those_of_the_program() {
    const START: &str = "<!-- reasons: written by `SEALPIPE_BLESS=1 cargo test --test readme` -->\n";
    const END: &str = "<!-- /reasons -->";
    let from = README.find(START).unwrap() + START.len();
    let to = README.find(END).unwrap();
    let mut table = String::from("| code | what it says | what to do |\n|---|---|---|\n");
    for reason in Reason::ALL {
        table.push_str(&format!("| `{}` | {} | {} |\n", reason.code(), reason.summary(), reason.advice()));
    }
    if std::env::var_os("SEALPIPE_BLESS").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
        std::fs::write(path, format!("{}{table}{}", &README[..from], &README[to..])).unwrap();
    } else {
        assert_eq!(&README[from..to], table, "run `SEALPIPE_BLESS=1 cargo test --test readme`");
    }
}
