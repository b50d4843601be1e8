//! The main job: adapter inputs in, decisions out, in order and in parallel.

use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args as ClapArgs, ValueEnum};

use super::bundle;
use super::clock::Source as ClockSource;
use super::exit::Exit;
use super::failure::{Failure, quoted, tell};
use super::import::{Trace, TraceArgs};
use super::limits::LimitArgs;
use super::progress::Progress;
use super::{source, stream};
use crate::canon::Writer;
use crate::decision::{Outcome, Place, Redaction, Ruling};
use crate::engine::{Engine, Scratch};
use crate::finding::{Fact, Finding};
use crate::pipe::{self, Block, BlockReader, Fault, Line, More, ReadError, Sink, write_pair};
use crate::reason::Reason;
use crate::render::Summary;
use crate::value::Limits;

mod traces;

#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    /// The contracts: a bundle, or one contract for every tool, in YAML or JSON; may be repeated
    #[arg(short = 'c', long = "bundle", value_name = "BUNDLE", required = true)]
    bundles: Vec<PathBuf>,

    /// Logs to read, one JSON record a line; standard input without one, or where it is `-`
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Write blocked and rejected records to this inherited descriptor instead of standard output
    #[arg(long, value_name = "N", conflicts_with = "blocked", help_heading = "Output")]
    blocked_fd: Option<i32>,

    /// Write blocked and rejected records to this file instead of standard output
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    blocked: Option<PathBuf>,

    /// Leave blocked and rejected records on standard output as well
    #[arg(long, help_heading = "Output")]
    tee: bool,

    /// What to write for a line
    #[arg(long, value_enum, default_value_t = Emit::Record, help_heading = "Output")]
    emit: Emit,

    /// How much a record says
    #[arg(long, value_enum, default_value_t = Form::Full, help_heading = "Output")]
    record: Form,

    /// Replace the value of this member of the records by `"[REDACTED]"`; may be repeated
    #[arg(long, value_name = "MEMBER", help_heading = "Output")]
    redact: Vec<String>,

    /// Replace credentials in references and ids by `[MASKED]`, before the fingerprint is taken
    #[arg(long, help_heading = "Output")]
    mask_secrets: bool,

    /// Print a table of what was decided to standard error at the end
    #[arg(long, help_heading = "Output")]
    summary: bool,

    /// Show no progress bar
    #[arg(long, help_heading = "Output")]
    no_progress: bool,

    /// The reference clock, as in 2026-11-02T12:00:00Z; without an offset it is UTC. Default: the machine's
    #[arg(long, value_name = "TIME", conflicts_with = "now_from", help_heading = "Decision")]
    now: Option<String>,

    /// Take each record's own clock from this member of it, a JSON Pointer such as `/observed_at`
    #[arg(long, value_name = "POINTER", help_heading = "Decision")]
    now_from: Option<String>,

    /// End with 0 where records are blocked or rejected; failures to read or write still show
    #[arg(long, help_heading = "Decision")]
    exit_zero: bool,

    /// Deciding threads; the decisions do not depend on it. Default: one a processor
    #[arg(short = 'j', long, value_name = "N", help_heading = "Decision")]
    threads: Option<NonZeroUsize>,

    #[command(flatten)]
    trace: TraceArgs,

    #[command(flatten)]
    limits: LimitArgs,
}

/// What is written for a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// The decision record
    Record,
    /// The input line itself, byte for byte; on standard output only where it is sealed
    Input,
    /// The sealed payload as JSON; a blocked one's record, on its own sink only
    Payload,
}

/// How much a record says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// With tool, contract, target, content hash and findings
    Full,
    /// The members that the fingerprint covers, byte-identical to ResultSeal's
    Core,
}

/// The arguments with everything looked up: what a run needs.
struct Plan {
    engine: Engine,
    clock: ClockSource,
    /// The name of each input, where there are several.
    names: Vec<String>,
    limits: Limits,
    emit: Emit,
    form: Form,
    split: bool,
    /// Blocked records were asked for on a sink of their own, which is standard output.
    one_place: bool,
    tee: bool,
    by_tool: bool,
    /// The inputs are in traces.
    trace: Option<Trace>,
}

/// A block on its way, with the memory of whoever works on it.
struct Job {
    block: Block,
    scratch: Scratch,
    out: Vec<u8>,
    blocked: Vec<u8>,
    summary: Summary,
}

/// Decides about every line of every input.
pub(super) fn run(args: Args) -> Result<Exit, Failure> {
    // Before anything else is opened: a number that nobody handed down could name it.
    let stdout = Sink::stdout().map_err(|error| Failure::Io(error.to_string()))?;
    let inherited = match args.blocked_fd {
        Some(number) => {
            Some(Sink::inherit(number).map_err(|error| Failure::argument(format!("--blocked-fd: {error}")))?)
        }
        None => None,
    };
    if args.tee && inherited.is_none() && args.blocked.is_none() {
        return Err(Failure::argument(
            "--tee: blocked records are on standard output anyway; add --blocked or --blocked-fd",
        ));
    }
    let redaction = Redaction::of(args.redact.iter().map(String::as_str))
        .map_err(|error| Failure::argument(format!("--redact: {error}")))?;
    let limits = args.limits.resolve()?;
    let clock = ClockSource::of(args.now.as_deref(), args.now_from.as_deref())?;
    let trace = args.trace.resolve()?;
    let files = source::named(args.files);
    source::check_readable(&files)?;
    let engine = Engine::new(bundle::load(&args.bundles)?)
        .with_limits(limits)
        .with_redaction(redaction)
        .with_masked_secrets(args.mask_secrets)
        .with_content_hash(args.emit != Emit::Input && args.record == Form::Full);
    let blocked = match (inherited, &args.blocked) {
        (None, Some(path)) => Some(create(path, &files)?),
        (inherited, _) => inherited,
    };
    // Two ways to the same place are one sink: its records stay in the order of their lines.
    let one_place = blocked.as_ref().is_some_and(|blocked| blocked.id() == stdout.id());
    let names = if files.len() > 1 {
        files.iter().map(|file| file.display().to_string()).collect()
    } else {
        Vec::new()
    };
    let plan = Plan {
        engine,
        clock,
        names,
        limits,
        emit: args.emit,
        form: args.record,
        split: blocked.is_some() && !one_place,
        one_place,
        tee: args.tee,
        by_tool: args.summary,
        trace,
    };
    let progress = Progress::over(&files, !args.no_progress);
    let started = Instant::now();
    let (summary, ended) = plan.stream(&files, args.threads, &stdout, blocked.as_ref(), &progress);
    progress.finish();
    if args.summary {
        summary.print(started.elapsed(), &mut anstream::stderr().lock());
    }
    let exit = ended?;
    let decided = if args.exit_zero { Exit::Sealed } else { Exit::of_status(summary.exit_status()) };
    Ok(exit.max(decided))
}

impl Plan {
    /// Runs the pipeline; returns what was written and how it ended.
    fn stream(
        &self,
        files: &[PathBuf],
        threads: Option<NonZeroUsize>,
        stdout: &Sink,
        blocked: Option<&Sink>,
        progress: &Progress,
    ) -> (Summary, Result<Exit, Failure>) {
        let mut total = Summary::default();
        let outcome = self.try_stream(files, threads, stdout, blocked, progress, &mut total);
        (total, outcome)
    }

    fn try_stream(
        &self,
        files: &[PathBuf],
        threads: Option<NonZeroUsize>,
        stdout: &Sink,
        blocked: Option<&Sink>,
        progress: &Progress,
        total: &mut Summary,
    ) -> Result<Exit, Failure> {
        let (ordered, stop) = stream::start(threads)?;
        if let Some(trace) = &self.trace {
            return self.stream_traces(trace, files, &ordered, &stop, stdout, blocked, progress, total);
        }
        let limits = pipe::Limits { line_bytes: self.limits.bytes, ..pipe::Limits::default() };
        let mut reader = BlockReader::new(files.iter().map(|file| source::open(file)), limits, stop.clone());
        let mut unreadable = false;
        let make = || Job {
            block: Block::new(),
            scratch: Scratch::default(),
            out: Vec::new(),
            blocked: Vec::new(),
            summary: Summary::default(),
        };
        let fill = |job: &mut Job| loop {
            match reader.fill(&mut job.block) {
                Ok(more) => return Ok::<More, std::convert::Infallible>(more),
                // One input that cannot be read does not take the others with it.
                Err(ReadError { source, error }) => {
                    unreadable = true;
                    let path = files.get(source).map_or(Path::new("-"), PathBuf::as_path);
                    tell(&format!("cannot read {}: {error}", quoted(path)));
                }
            }
        };
        let drain = |job: &mut Job| {
            match blocked {
                Some(blocked) => write_pair(stdout, &job.out, blocked, &job.blocked)?,
                None => stdout.write_all(&job.out)?,
            }
            progress.advance(job.block.bytes().len());
            total.add(&mut job.summary);
            Ok::<(), pipe::SinkError>(())
        };
        let ended = ordered.run(make, fill, |job| self.decide(job), drain, || stop.request());
        match ended {
            Ok(()) => {}
            Err(Fault::Drain(error)) => return Err(Failure::from(error)),
            Err(Fault::Fill(never)) => match never {},
            Err(other) => return Err(Failure::Io(other.to_string())),
        }
        Ok(match stop.signal() {
            Some(signal) => Exit::Signal(u8::try_from(signal).unwrap_or(0)),
            None if unreadable => Exit::Failed,
            None => Exit::Sealed,
        })
    }

    /// Decides about one block.
    fn decide(&self, job: &mut Job) {
        let Job { block, scratch, out, blocked, summary } = job;
        out.clear();
        blocked.clear();
        summary.start(self.by_tool);
        summary.count_bytes(block.bytes().len());
        let clock = self.clock.read();
        let input = self.names.get(block.source()).map(String::as_str);
        let mut outputs = Outputs { plan: self, out, blocked, summary };
        for line in block.lines() {
            let place = Place { line: Some(line.number()), input };
            match line {
                Line::Whole { raw, .. } => {
                    // A carriage return belongs to the line's end; a byte order mark is the engine's to pass over.
                    let text = raw.strip_suffix(b"\r").unwrap_or(raw);
                    self.engine.judge(text, &clock, scratch, |ruling, writer| {
                        outputs.put(ruling, Some(raw), &place, writer);
                    });
                }
                Line::Overlong { bytes, .. } => {
                    let finding = Finding::new(Reason::LimitExceeded, "limits")
                        .expected(Fact::AtMost(self.limits.bytes as u64, "bytes"))
                        .actual(Fact::Count(usize::try_from(bytes).unwrap_or(usize::MAX), "bytes"));
                    outputs.put(&Ruling::rejected(finding, None), None, &place, scratch.writer());
                }
            }
        }
    }
}

/// Where the lines of a block go, and what is counted of them.
struct Outputs<'j> {
    plan: &'j Plan,
    out: &'j mut Vec<u8>,
    blocked: &'j mut Vec<u8>,
    summary: &'j mut Summary,
}

impl Outputs<'_> {
    /// Writes what a line gives to the sinks that it belongs on. `raw` is the line, where it was held.
    fn put(&mut self, ruling: &Ruling<'_>, raw: Option<&[u8]>, place: &Place<'_>, writer: &mut Writer) {
        if ruling.outcome != Outcome::Sealed {
            return self.put_unsealed(ruling, raw, place);
        }
        match (self.plan.emit, raw) {
            (Emit::Payload, _) => {
                let before = self.out.len();
                if ruling.write_payload(writer, self.out).is_err() {
                    self.out.truncate(before);
                    let finding = Finding::new(Reason::SchemaInvalid, "payload")
                        .expected(Fact::Words("a payload that JSON can say"))
                        .actual(Fact::Words(
                            "YAML with a key that is no string, or a number that is not finite",
                        ));
                    return self.put_unsealed(&Ruling::rejected(finding, ruling.tool_name), raw, place);
                }
            }
            (Emit::Input, Some(raw)) => self.out.extend_from_slice(raw),
            (Emit::Record | Emit::Input, _) => self.plan.write_record(ruling, place, self.out),
        }
        self.out.push(b'\n');
        self.summary.count(ruling);
    }

    fn put_unsealed(&mut self, ruling: &Ruling<'_>, raw: Option<&[u8]>, place: &Place<'_>) {
        self.summary.count(ruling);
        let plan = self.plan;
        let (first, second) = match (plan.split, plan.tee) {
            (true, true) => (&mut *self.blocked, Some(&mut *self.out)),
            (true, false) => (&mut *self.blocked, None),
            // What is asked for are sealed lines or payloads: nothing else may pass for one.
            (false, _) if plan.emit != Emit::Record && !plan.one_place => return,
            (false, _) => (&mut *self.out, None),
        };
        let from = first.len();
        match (plan.emit, raw) {
            (Emit::Input, Some(raw)) => first.extend_from_slice(raw),
            _ => plan.write_record(ruling, place, first),
        }
        first.push(b'\n');
        if let (Some(second), Some(written)) = (second, first.get(from..)) {
            second.extend_from_slice(written);
        }
    }
}

impl Plan {
    fn write_record(&self, ruling: &Ruling<'_>, place: &Place<'_>, out: &mut Vec<u8>) {
        match self.form {
            Form::Full => ruling.write_full(place, self.engine.redaction(), out),
            Form::Core => ruling.write_core(place, self.engine.redaction(), out),
        }
    }
}

/// Opens the file for blocked records, which must be none of the inputs.
fn create(path: &Path, files: &[PathBuf]) -> Result<Sink, Failure> {
    let mut in_use: Vec<pipe::FileId> = files
        .iter()
        .filter(|file| file.as_os_str() != "-")
        .filter_map(|file| pipe::FileId::of_path(file).ok())
        .collect();
    in_use.extend(pipe::FileId::of(&io::stdin()).ok());
    Sink::create(path, &in_use)
        .map_err(|error| Failure::Io(format!("cannot write to {}: {error}", quoted(path))))
}
