//! Latency: a line that arrives alone is answered while the input stays open.

use std::io::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::program::{Lines, bare, blocked, end_of, filter, line_numbers, sealed, with_redirections};

/// Far more than an answer takes, so that a loaded machine passes; a benchmark measures.
const AT_ONCE: Duration = Duration::from_secs(2);

#[test]
fn each_line_is_answered_at_once() {
    for threads in ["-j1", "-j2", "-j8"] {
        let mut child = filter(&[threads]).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let answers = Lines::of(child.stdout.take().unwrap());
        for number in 1..=100 {
            writeln!(stdin, "{}", sealed(number)).unwrap();
            let answer = answers.next_within(AT_ONCE);
            assert_eq!(line_numbers(&answer), [number]);
        }
        drop(stdin);
        assert_eq!(end_of(child).code(), Some(0));
    }
}

#[test]
fn each_line_is_answered_at_once_on_its_sink() {
    let command = filter(&["--blocked-fd", "9"]);
    let mut child = with_redirections(&command, "9>&2 2>/dev/null").spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let on_stdout = Lines::of(child.stdout.take().unwrap());
    let on_other = Lines::of(child.stderr.take().unwrap());
    for number in (1..100).step_by(2) {
        writeln!(stdin, "{}", sealed(number)).unwrap();
        assert_eq!(line_numbers(&on_stdout.next_within(AT_ONCE)), [number]);
        writeln!(stdin, "{}", blocked(number + 1)).unwrap();
        assert_eq!(line_numbers(&on_other.next_within(AT_ONCE)), [number + 1]);
    }
    drop(stdin);
    assert_eq!(end_of(child).code(), Some(1));
}

#[test]
fn an_answer_in_a_file_is_there_while_the_input_stays_open() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("blocked");
    let mut child = filter(&["--blocked", path.to_str().unwrap()]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let answers = Lines::of(child.stdout.take().unwrap());
    // The answer on standard output comes after the one in the file.
    write!(stdin, "{}\n{}\n", blocked(1), sealed(2)).unwrap();
    assert_eq!(line_numbers(&answers.next_within(AT_ONCE)), [2]);
    assert_eq!(line_numbers(&std::fs::read_to_string(&path).unwrap()), [1]);
    drop(stdin);
    assert_eq!(end_of(child).code(), Some(1));
}

#[test]
fn many_lines_at_once_are_answered_before_the_next_comes() {
    let mut child = filter(&["-j8"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let answers = Lines::of(child.stdout.take().unwrap());
    for round in 0..5 {
        let numbers = round * 2000 + 1..=(round + 1) * 2000;
        let text: String = numbers.clone().map(|number| sealed(number) + "\n").collect();
        stdin.write_all(text.as_bytes()).unwrap();
        for number in numbers {
            assert_eq!(line_numbers(&answers.next_within(AT_ONCE)), [number]);
        }
    }
    drop(stdin);
    assert_eq!(end_of(child).code(), Some(0));
}

#[test]
fn the_machine_s_clock_is_read_when_a_line_is_decided() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("contract.yaml");
    let contract = "schema_version: '1'\nclaim_type: found\nrequired_fields: []\nsource_ref: s\ntarget_ref: t\n\
                    freshness: {mode: max_age_seconds, max_age_seconds: 3600}\n";
    std::fs::write(&path, contract).unwrap();
    let mut child = bare().arg("-c").arg(&path).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let answers = Lines::of(child.stdout.take().unwrap());
    // Observed a little later than now, says the line, which is so only after a while.
    let later = SystemTime::now().duration_since(UNIX_EPOCH).unwrap() + Duration::from_secs(3);
    let observed_at = sealpipe::Timestamp::from_unix(i64::try_from(later.as_secs()).unwrap(), 0);
    let line = format!(r#"{{"source_ref":"s","target_ref":"t","observed_at":"{observed_at}","body":1}}"#);
    let mut answer = || {
        writeln!(stdin, "{line}").unwrap();
        answers.next_within(AT_ONCE)
    };
    assert!(answer().contains("seconds in the future"));
    while SystemTime::now().duration_since(UNIX_EPOCH).unwrap() < later {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(answer().contains(r#""decision":"sealed""#));
    drop(stdin);
    assert_eq!(end_of(child).code(), Some(1));
}
