//! Where records go, and what happens when they cannot: readers that are slow or gone, full disks, wrong descriptors.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use rustix::fs::{OFlags, fcntl_setfl};
use rustix::pipe::{PipeFlags, pipe_with};

use super::program::{
    Lines, PATIENCE, blocked, end_of, filter, line_numbers, most_memory, run, sealed, wait_until_full,
    with_redirections,
};

/// Returns a log in which every third line is blocked.
fn log(lines: usize) -> String {
    (1..=lines)
        .map(|number| if number % 3 == 0 { blocked(number) + "\n" } else { sealed(number) + "\n" })
        .collect()
}

fn numbers(lines: usize, are_blocked: bool) -> Vec<usize> {
    (1..=lines).filter(|number| (number % 3 == 0) == are_blocked).collect()
}

/// Reads to the end with a pause now and then.
fn read_slowly(mut stream: impl Read, at_once: usize, pause: Duration) -> String {
    let (mut all, mut buffer) = (Vec::new(), vec![0; at_once]);
    loop {
        match stream.read(&mut buffer).unwrap() {
            0 => return String::from_utf8(all).unwrap(),
            read => all.extend_from_slice(&buffer[..read]),
        }
        thread::sleep(pause);
    }
}

#[test]
fn a_reader_that_closes_after_one_line_ends_the_run_quietly() {
    // One that has more to write, and one that waits for more to read.
    for lines in [200_000, 1] {
        let mut child = filter(&["-j2"]).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let text = log(lines);
        let (closed, wait_for_it) = std::sync::mpsc::channel();
        let feeder = thread::spawn(move || {
            let _ = stdin.write_all(text.as_bytes());
            wait_for_it.recv().unwrap();
            let _ = writeln!(stdin, "{}", sealed(0));
            // Its end comes no earlier than that of the program.
            stdin
        });
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        assert_eq!(line_numbers(&line), [1]);
        drop(stdout);
        closed.send(()).unwrap();
        let ran = end_of(child);
        assert_eq!((ran.code(), ran.stderr.as_str()), (Some(141), ""), "{lines}");
        drop(feeder.join().unwrap());
    }
}

#[test]
fn a_reader_of_blocked_records_that_goes_away_ends_the_run_as_well() {
    let directory = tempfile::tempdir().unwrap();
    let messages = directory.path().join("messages");
    let redirections = format!("9>&2 2>{}", messages.display());
    let mut child = with_redirections(&filter(&["--blocked-fd", "9"]), &redirections).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut other = BufReader::new(child.stderr.take().unwrap());
    let feeder = thread::spawn(move || stdin.write_all(log(100_000).as_bytes()));
    let mut line = String::new();
    other.read_line(&mut line).unwrap();
    assert_eq!(line_numbers(&line), [3]);
    drop(other);
    assert_eq!(end_of(child).code(), Some(141));
    assert_eq!(std::fs::read_to_string(messages).unwrap(), "");
    let _ = feeder.join().unwrap();
}

#[test]
fn a_slow_reader_of_either_sink_slows_the_run_and_loses_nothing() {
    const LINES: usize = 30_000;
    let quick = (1 << 16, Duration::ZERO);
    let slow = (1 << 14, Duration::from_millis(2));
    for (of_stdout, of_blocked) in [(quick, slow), (slow, quick)] {
        let command = filter(&["-j8", "--blocked-fd", "9"]);
        let mut child = with_redirections(&command, "9>&2 2>/dev/null").spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let (stdout, other) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        thread::scope(|threads| {
            threads.spawn(move || stdin.write_all(log(LINES).as_bytes()).unwrap());
            let sealed = threads.spawn(move || read_slowly(stdout, of_stdout.0, of_stdout.1));
            let blocked = threads.spawn(move || read_slowly(other, of_blocked.0, of_blocked.1));
            assert!(line_numbers(&sealed.join().unwrap()) == numbers(LINES, false));
            assert!(line_numbers(&blocked.join().unwrap()) == numbers(LINES, true));
        });
        assert_eq!(end_of(child).code(), Some(1));
    }
}

#[test]
fn a_reader_that_stands_still_holds_up_the_feeder_and_no_memory_grows() {
    let mut child = filter(&["-j8"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // Far more than what pipes and blocks hold.
    let text = log(400_000);
    let feeder = thread::spawn(move || stdin.write_all(text.as_bytes()));
    wait_until_full(child.stdout.as_ref().unwrap());
    assert!(!feeder.is_finished(), "the feeder has to wait");
    let most = most_memory(&child);
    assert!(most < 64 * 1024, "{most} KiB");
    drop(child.stdout.take());
    assert_eq!(end_of(child).code(), Some(141));
    let _ = feeder.join().unwrap();
}

#[test]
fn a_pipe_that_does_not_block_gets_everything() {
    const LINES: usize = 20_000;
    let (read, write) = pipe_with(PipeFlags::CLOEXEC).unwrap();
    fcntl_setfl(&write, OFlags::NONBLOCK).unwrap();
    let mut command = filter(&["-j8"]);
    let mut child = command.stdout(write).spawn().unwrap();
    // The command holds the writing end until it is dropped.
    drop(command);
    let mut stdin = child.stdin.take().unwrap();
    let text = thread::scope(|threads| {
        threads.spawn(move || stdin.write_all(log(LINES).as_bytes()).unwrap());
        read_slowly(File::from(read), 1 << 14, Duration::from_millis(1))
    });
    assert!(line_numbers(&text) == (1..=LINES).collect::<Vec<_>>());
    let ran = end_of(child);
    assert_eq!((ran.code(), ran.stderr.as_str()), (Some(1), ""));
}

#[test]
fn input_that_does_not_block_is_waited_for() {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC).unwrap();
    fcntl_setfl(&read, OFlags::NONBLOCK).unwrap();
    let mut command = filter(&[]);
    let mut child = command.stdin(read).spawn().unwrap();
    drop(command);
    let answers = Lines::of(child.stdout.take().unwrap());
    let mut write = File::from(write);
    for number in 1..4 {
        thread::sleep(Duration::from_millis(20));
        writeln!(write, "{}", sealed(number)).unwrap();
        assert_eq!(line_numbers(&answers.next_within(PATIENCE)), [number]);
    }
    drop(write);
    assert_eq!(end_of(child).code(), Some(0));
}

#[test]
fn a_full_disk_is_told_and_fails_the_run() {
    let full = || File::options().write(true).open("/dev/full").unwrap();
    let ran = run(filter(&[]).stdout(full()), log(9));
    assert_eq!(ran.code(), Some(4));
    let message = "sealpipe: cannot write to standard output: No space left on device (os error 28)\n";
    assert_eq!(ran.stderr, message);
    // Whatever the outcome may not show in the exit status, this has to.
    assert_eq!(run(filter(&["--exit-zero"]).stdout(full()), log(9)).code(), Some(4));

    let ran = run(&mut filter(&["--blocked", "/dev/full"]), log(9));
    assert_eq!(ran.code(), Some(4));
    assert!(ran.stderr.starts_with("sealpipe: cannot write to `/dev/full`: "), "{}", ran.stderr);

    let ran = run(&mut with_redirections(&filter(&["--blocked-fd", "9"]), "9>/dev/full"), log(9));
    assert_eq!(ran.code(), Some(4));
    assert!(ran.stderr.starts_with("sealpipe: cannot write to descriptor 9: "), "{}", ran.stderr);

    // Nothing to write is nothing that fails.
    assert_eq!(run(filter(&[]).stdout(full()), "").code(), Some(0));
}

#[test]
fn a_descriptor_must_be_open_for_writing() {
    let refusals = [
        ("", "9", "descriptor 9 is not open"),
        ("9</dev/null", "9", "descriptor 9 is open for reading only"),
        ("9>&-", "9", "descriptor 9 is not open"),
        ("", "0", "descriptor 0 is open for reading only"),
        ("", "4000000", "descriptor 4000000 is not open"),
    ];
    for (redirections, number, message) in refusals {
        let ran = run(&mut with_redirections(&filter(&["--blocked-fd", number]), redirections), log(9));
        assert_eq!((ran.code(), ran.stdout.as_str()), (Some(2), ""), "{redirections} {number}");
        assert_eq!(ran.stderr, format!("sealpipe: INVALID_ARGUMENT: --blocked-fd: {message}\n"));
    }
    for number in ["x", "", "1.0", "99999999999999"] {
        let ran = run(&mut filter(&["--blocked-fd", number]), log(9));
        assert_eq!((ran.code(), ran.stdout.as_str()), (Some(2), ""), "{number}");
        assert!(ran.stderr.starts_with("sealpipe: INVALID_ARGUMENT: "), "{}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    }
    // Numbers that the program's own descriptors get: none of them was inherited.
    for number in 3..12 {
        let ran = run(&mut filter(&[&format!("--blocked-fd={number}")]), log(9));
        assert_eq!((ran.code(), ran.stdout.as_str()), (Some(2), ""), "{number}: {}", ran.stderr);
    }
}

#[test]
fn standard_error_and_output_are_descriptors_like_others() {
    let ran = run(&mut filter(&["--blocked-fd", "2"]), log(9));
    assert_eq!(ran.code(), Some(1));
    assert_eq!(line_numbers(&ran.stdout), numbers(9, false));
    assert_eq!(line_numbers(&ran.stderr), numbers(9, true));
    let ran = run(&mut filter(&["--blocked-fd", "1"]), log(9));
    assert_eq!(line_numbers(&ran.stdout), (1..=9).collect::<Vec<_>>());
}

#[test]
fn a_file_for_blocked_records_is_made_or_emptied_and_is_no_input() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("blocked");
    let name = path.to_str().unwrap();
    for before in [None, Some("something much longer than what comes\n".repeat(100))] {
        if let Some(before) = before {
            std::fs::write(&path, before).unwrap();
        }
        let ran = run(&mut filter(&["--blocked", name]), log(9));
        assert_eq!((ran.code(), ran.stderr.as_str()), (Some(1), ""));
        assert_eq!(line_numbers(&ran.stdout), numbers(9, false));
        assert_eq!(line_numbers(&std::fs::read_to_string(&path).unwrap()), numbers(9, true));
    }
    let input = directory.path().join("log");
    std::fs::write(&input, log(9)).unwrap();
    let input_name = input.to_str().unwrap();
    let ran = run(&mut filter(&["--blocked", input_name, input_name]), "");
    assert_eq!((ran.code(), ran.stdout.as_str()), (Some(4), ""));
    assert!(ran.stderr.contains("the file is in use by this run already"), "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(&input).unwrap(), log(9), "the log is still there");
    let nowhere = directory.path().join("no/such/place");
    let ran = run(&mut filter(&["--blocked", nowhere.to_str().unwrap()]), log(9));
    assert_eq!((ran.code(), ran.stdout.as_str()), (Some(4), ""));
    assert_eq!(ran.stderr.lines().count(), 1);
    // A command line that is refused leaves the file alone.
    let ran = run(&mut filter(&["--blocked", name, "--redact", "nothing"]), log(9));
    assert_eq!(ran.code(), Some(2));
    assert_eq!(line_numbers(&std::fs::read_to_string(&path).unwrap()), numbers(9, true));
    for pair in [["--blocked-fd", "1"], ["--blocked-fd", "2"]] {
        assert_eq!(run(filter(&["--blocked", name]).args(pair), "").code(), Some(2));
    }
}

#[test]
fn a_tee_needs_a_second_sink() {
    let ran = run(&mut filter(&["--tee"]), log(9));
    assert_eq!((ran.code(), ran.stdout.as_str()), (Some(2), ""));
    assert!(ran.stderr.starts_with("sealpipe: INVALID_ARGUMENT: --tee: "), "{}", ran.stderr);
}

#[test]
fn a_socket_is_a_sink() {
    let (ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
    let mut command = filter(&[]);
    let mut child = command.stdout(std::os::fd::OwnedFd::from(theirs)).spawn().unwrap();
    drop(command);
    let mut stdin = child.stdin.take().unwrap();
    let text = thread::scope(|threads| {
        threads.spawn(move || stdin.write_all(log(3000).as_bytes()).unwrap());
        read_slowly(ours, 10_000, Duration::from_micros(100))
    });
    assert!(line_numbers(&text) == (1..=3000).collect::<Vec<_>>());
    assert_eq!(end_of(child).code(), Some(1));
}

#[test]
fn standard_output_that_is_not_open_takes_nothing_and_breaks_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("blocked");
    let command = filter(&["--blocked", path.to_str().unwrap()]);
    let mut command = with_redirections(&command, ">&-");
    let ran = run(command.stdout(Stdio::null()), log(9));
    assert_eq!(line_numbers(&std::fs::read_to_string(&path).unwrap()), numbers(9, true));
    assert_eq!(ran.stderr, "");
}
