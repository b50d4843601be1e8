//! Signals: reading stops, what was read is decided and written, and the exit status tells which signal it was.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::Child;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::program::{Lines, PATIENCE, end_of, filter, line_numbers, sealed, status_of, wait_until_full};

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

const STOPS: [(Signal, i32); 2] = [(Signal::TERM, 143), (Signal::INT, 130)];

#[test]
fn a_signal_ends_a_run_that_waits_for_input() {
    for (signal, code) in STOPS {
        for threads in ["-j1", "-j8"] {
            let mut child = filter(&[threads]).spawn().unwrap();
            let mut stdin = child.stdin.take().unwrap();
            let answers = Lines::of(child.stdout.take().unwrap());
            for number in 1..=5 {
                writeln!(stdin, "{}", sealed(number)).unwrap();
            }
            write!(stdin, "{}", &sealed(6)[..30]).unwrap();
            for number in 1..=5 {
                assert_eq!(line_numbers(&answers.next_within(PATIENCE)), [number]);
            }
            send(&child, signal);
            // The input stays open: nothing but the signal ends the run. Half a line is no line.
            let ran = end_of(child);
            assert_eq!((ran.code(), ran.stderr.as_str()), (Some(code), ""), "{threads}");
            assert_eq!(answers.rest(), [""; 0]);
            drop(stdin);
        }
    }
}

#[test]
fn a_signal_before_anything_came_ends_the_run_as_well() {
    for (signal, code) in STOPS {
        let mut child = filter(&[]).spawn().unwrap();
        let stdin = child.stdin.take();
        // A program that has not set up its signals yet is killed by them, which says the same.
        thread::sleep(Duration::from_millis(300));
        send(&child, signal);
        let ran = end_of(child);
        assert_eq!((ran.code(), ran.stdout.as_str(), ran.stderr.as_str()), (Some(code), "", ""));
        drop(stdin);
    }
}

#[test]
fn what_was_read_is_written_even_where_the_reader_is_slow() {
    for (signal, code) in STOPS {
        let mut child = filter(&["-j8"]).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let feeder = thread::spawn(move || {
            let text: String = (1..=400_000).map(|number| sealed(number) + "\n").collect();
            stdin.write_all(text.as_bytes())
        });
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut text = String::new();
        stdout.read_line(&mut text).unwrap();
        // Every block is on its way and nobody reads on.
        wait_until_full(stdout.get_ref());
        send(&child, signal);
        thread::sleep(Duration::from_millis(100));
        stdout.read_to_string(&mut text).unwrap();
        assert_eq!(status_of(&mut child).code(), Some(code));
        assert!(text.ends_with("}\n"));
        let numbers = line_numbers(&text);
        assert!(numbers == (1..=numbers.len()).collect::<Vec<_>>());
        assert!((10..400_000).contains(&numbers.len()), "{} lines", numbers.len());
        assert!(feeder.join().unwrap().is_err(), "reading has stopped");
    }
}

#[test]
fn exit_zero_does_not_hide_a_signal() {
    let mut child = filter(&["--exit-zero", "--summary"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let answers = Lines::of(child.stdout.take().unwrap());
    writeln!(stdin, "{}", sealed(1)).unwrap();
    answers.next_within(PATIENCE);
    send(&child, Signal::TERM);
    let ran = end_of(child);
    assert_eq!(ran.code(), Some(143));
    assert!(ran.stderr.contains('1'), "the summary is there all the same: {}", ran.stderr);
    drop(stdin);
}

#[test]
fn a_second_signal_kills_a_run_that_cannot_write() {
    let mut child = filter(&["-j2"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let feeder = thread::spawn(move || {
        let text: String = (1..=200_000).map(|number| sealed(number) + "\n").collect();
        stdin.write_all(text.as_bytes())
    });
    wait_until_full(child.stdout.as_ref().unwrap());
    send(&child, Signal::TERM);
    thread::sleep(Duration::from_millis(300));
    assert_eq!(child.try_wait().unwrap(), None, "it waits for its reader");
    send(&child, Signal::TERM);
    assert_eq!(status_of(&mut child).signal(), Some(Signal::TERM.as_raw()));
    let _ = feeder.join().unwrap();
}

#[test]
fn a_run_that_is_suspended_goes_on_where_it_was() {
    // Waiting for input.
    let mut child = filter(&[]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let answers = Lines::of(child.stdout.take().unwrap());
    for number in 1..=3 {
        writeln!(stdin, "{}", sealed(number)).unwrap();
        assert_eq!(line_numbers(&answers.next_within(PATIENCE)), [number]);
        for signal in [Signal::STOP, Signal::CONT] {
            send(&child, signal);
            thread::sleep(Duration::from_millis(20));
        }
    }
    drop(stdin);
    assert_eq!(end_of(child).code(), Some(0));

    // Waiting for room.
    let mut child = filter(&["-j2"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let feeder = thread::spawn(move || {
        let text: String = (1..=20_000).map(|number| sealed(number) + "\n").collect();
        stdin.write_all(text.as_bytes()).unwrap();
    });
    wait_until_full(child.stdout.as_ref().unwrap());
    for signal in [Signal::STOP, Signal::CONT] {
        send(&child, signal);
        thread::sleep(Duration::from_millis(20));
    }
    let ran = end_of(child);
    assert_eq!((ran.code(), ran.stderr.as_str()), (Some(0), ""));
    assert!(line_numbers(&ran.stdout) == (1..=20_000).collect::<Vec<_>>());
    feeder.join().unwrap();
}
