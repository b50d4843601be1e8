//! What somebody sees who sits at a terminal: a bar and colours, and nothing of either where they are not wanted.
//! A terminal comes from `script`; without that program there is nothing to see.

use std::path::Path;
use std::process::{Command, Stdio};

use super::program::{contract, sealed};

/// Runs the program with standard error on a terminal and standard output in a file; returns what the terminal got.
fn seen(log: &Path, arguments: &str, environment: Option<(&str, &str)>) -> Option<String> {
    let directory = tempfile::tempdir().unwrap();
    let output = directory.path().join("output");
    let line = format!(
        "'{}' -c '{}' {arguments} '{}' >'{}'",
        env!("CARGO_BIN_EXE_sealpipe"),
        contract().display(),
        log.display(),
        output.display()
    );
    let mut script = Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).stdin(Stdio::null());
    script.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    script.env("TERM", "xterm-256color").envs(environment);
    let ran = script.output().ok()?;
    assert_eq!(ran.status.code(), Some(0));
    let written = std::fs::read_to_string(&output).unwrap();
    assert!(written.lines().count() == 1000 && !written.contains('\u{1b}'), "records are records");
    Some(String::from_utf8(ran.stdout).unwrap())
}

#[test]
fn a_bar_and_colours_where_somebody_looks_and_wants_them() {
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("log");
    std::fs::write(&log, (1..=1000).map(|number| sealed(number) + "\n").collect::<String>()).unwrap();
    let (bar, colour, erased) = ("KiB", "\u{1b}[32m", "\u{1b}[2K");
    let Some(plain) = seen(&log, "", None) else { return };
    assert!(plain.contains(bar), "{plain:?}");
    assert!(plain.trim_end().ends_with(erased), "the line is left empty: {plain:?}");
    assert_eq!(seen(&log, "--no-progress", None).unwrap(), "");
    let coloured = seen(&log, "--no-progress --summary", None).unwrap();
    assert!(coloured.contains(colour) && coloured.contains("1,000 records"), "{coloured:?}");
    for (arguments, environment) in
        [("--no-progress --summary", ("NO_COLOR", "1")), ("--no-progress --summary", ("TERM", "dumb"))]
    {
        let plain = seen(&log, arguments, Some(environment)).unwrap();
        assert!(plain.contains("1,000 records") && !plain.contains('\u{1b}'), "{environment:?}: {plain:?}");
    }
}
