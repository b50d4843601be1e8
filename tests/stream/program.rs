//! The program as a child process: how it is started, fed and read.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The reference clock of every run that does not ask for another one.
pub(crate) const NOW: &str = "2026-11-02T12:00:00Z";

/// How long an answer may take that is there at once on an idle machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// The contract of every tool: found, from `s`, about `t`, with whatever fields.
pub(crate) const CONTRACT: &str = r#"{"schema_version":"1","claim_type":"found","required_fields":[],
    "freshness":{"mode":"not_required"},"source_ref":"s","target_ref":"t"}"#;

/// Returns an input whose body is this JSON text.
pub(crate) fn input(body: &str) -> String {
    format!(r#"{{"source_ref":"s","target_ref":"t","body":{body}}}"#)
}

/// Returns an input that is sealed; its call has this number.
pub(crate) fn sealed(number: usize) -> String {
    format!(r#"{{"source_ref":"s","target_ref":"t","tool_call_id":"{number}","body":{{"n":{number}}}}}"#)
}

/// Returns an input that is blocked; its call has this number.
pub(crate) fn blocked(number: usize) -> String {
    format!(r#"{{"source_ref":"s","target_ref":"t","tool_call_id":"{number}","body":[]}}"#)
}

/// Returns the path of a file that holds [`CONTRACT`].
pub(crate) fn contract() -> PathBuf {
    static WRITTEN: OnceLock<PathBuf> = OnceLock::new();
    WRITTEN
        .get_or_init(|| {
            let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("stream-contract.json");
            // By a name of its own first: another test process may be reading it.
            let new = path.with_extension(std::process::id().to_string());
            std::fs::write(&new, CONTRACT).unwrap();
            std::fs::rename(&new, &path).unwrap();
            path
        })
        .clone()
}

/// Returns the program with the contract, the clock and these arguments.
pub(crate) fn filter(arguments: &[&str]) -> Command {
    let mut command = bare();
    command.arg("-c").arg(contract());
    if !arguments.iter().any(|argument| argument.starts_with("--now")) {
        command.args(["--now", NOW]);
    }
    command.args(arguments);
    command
}

/// Returns the program without any argument, all its streams piped.
pub(crate) fn bare() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sealpipe"));
    command.env_remove("RUST_BACKTRACE").env_remove("CLICOLOR_FORCE");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Returns the same program started by a shell, which moves descriptors as `redirections` say.
pub(crate) fn with_redirections(command: &Command, redirections: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("exec \"$@\" {redirections}")).arg("sh");
    shell.arg(command.get_program()).args(command.get_args());
    shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    shell
}

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// Returns the exit status; a program that was killed has none.
    pub(crate) fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// Returns the records on standard output.
    pub(crate) fn records(&self) -> Vec<serde_json::Value> {
        records(&self.stdout)
    }

    /// Returns decision and first reason code of each record on standard output.
    pub(crate) fn decisions(&self) -> Vec<(String, String)> {
        self.records()
            .iter()
            .map(|record| (word(&record["decision"]), word(&record["reason_codes"][0])))
            .collect()
    }
}

/// Returns the records of a text.
pub(crate) fn records(text: &str) -> Vec<serde_json::Value> {
    assert!(text.is_empty() || text.ends_with('\n'), "the last record has no end: {text:?}");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the string that a JSON value is.
pub(crate) fn word(value: &serde_json::Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// Returns the line numbers of records, which are looked for in their text.
pub(crate) fn line_numbers(records: &str) -> Vec<usize> {
    records
        .lines()
        .map(|record| {
            let (_, rest) = record.split_once(r#","line":"#).unwrap();
            rest.split_once(',').unwrap().0.parse().unwrap()
        })
        .collect()
}

/// Runs a program over a text.
pub(crate) fn run(command: &mut Command, text: impl AsRef<[u8]> + Send) -> Ran {
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let output = thread::scope(|threads| {
        threads.spawn(move || {
            // A program that ends early does not read all of it.
            let _ = stdin.write_all(text.as_ref());
        });
        child.wait_with_output().unwrap()
    });
    Ran {
        status: output.status,
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Waits for the end of a program, and ends it where that takes too long.
pub(crate) fn end_of(mut child: Child) -> Ran {
    let (stdout, stderr) = (child.stdout.take().map(all_of), child.stderr.take().map(all_of));
    let status = status_of(&mut child);
    let text =
        |reader: Option<thread::JoinHandle<String>>| reader.map_or_else(String::new, |r| r.join().unwrap());
    Ran { status, stdout: text(stdout), stderr: text(stderr) }
}

/// Waits for the exit status of a program, and ends it where that takes too long.
pub(crate) fn status_of(child: &mut Child) -> ExitStatus {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if begun.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("the program did not end");
        }
        thread::sleep(Duration::from_millis(2));
    }
}

fn all_of(mut stream: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    })
}

/// The lines of a stream, as they arrive.
pub(crate) struct Lines(Receiver<String>);

impl Lines {
    /// Starts to read a stream.
    pub(crate) fn of(stream: impl Read + Send + 'static) -> Self {
        let (send, receive) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stream).lines() {
                let Ok(line) = line else { break };
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        Self(receive)
    }

    /// Returns the next line, which comes within `patience`.
    pub(crate) fn next_within(&self, patience: Duration) -> String {
        self.0.recv_timeout(patience).unwrap()
    }

    /// Asserts that nothing comes for a moment.
    pub(crate) fn assert_quiet(&self) {
        assert_eq!(self.0.recv_timeout(Duration::from_millis(50)), Err(RecvTimeoutError::Timeout));
    }

    /// Returns what is left, to the end of the stream.
    pub(crate) fn rest(self) -> Vec<String> {
        self.0.iter().collect()
    }
}

/// Waits until a program that writes to a pipe waits for its reader: the pipe holds something, and no more comes.
pub(crate) fn wait_until_full(pipe: impl AsFd) {
    let (begun, mut before) = (Instant::now(), 0);
    loop {
        thread::sleep(Duration::from_millis(200));
        let now = rustix::io::ioctl_fionread(&pipe).unwrap();
        // The least that a pipe holds, less what is too little for a write.
        if now == before && now >= 32 << 10 {
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "{now} bytes");
        before = now;
    }
}

/// Returns the most memory that a running program has held so far, in KiB.
pub(crate) fn most_memory(child: &Child) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// A sequence of numbers that looks random and is the same in every run (`xorshift64*`).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns a number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(number).unwrap() % end
    }
}
