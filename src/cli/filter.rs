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
use crate::decision::{Place, Redaction, Ruling};
use crate::engine::Engine;
use crate::finding::{Fact, Finding};
use crate::pipe::{self, Block, BlockReader, Line, More, ReadError, Sink};
use crate::reason::Reason;
use crate::render::Summary;
use crate::value::Limits;

mod outputs;
mod traces;

use outputs::{Job, Sinks};

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
    let (summary, ended) =
        plan.stream(&files, args.threads, Sinks { stdout: &stdout, blocked: blocked.as_ref() }, &progress);
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
        sinks: Sinks<'_>,
        progress: &Progress,
    ) -> (Summary, Result<Exit, Failure>) {
        let mut total = Summary::default();
        let outcome = self.try_stream(files, threads, sinks, progress, &mut total);
        (total, outcome)
    }

    fn try_stream(
        &self,
        files: &[PathBuf],
        threads: Option<NonZeroUsize>,
        sinks: Sinks<'_>,
        progress: &Progress,
        total: &mut Summary,
    ) -> Result<Exit, Failure> {
        let (ordered, stop) = stream::start(threads)?;
        if let Some(trace) = &self.trace {
            return self.stream_traces(trace, files, &ordered, &stop, sinks, progress, total);
        }
        let limits = pipe::Limits { line_bytes: self.limits.bytes, ..pipe::Limits::default() };
        let mut reader = BlockReader::new(files.iter().map(|file| source::open(file)), limits, stop.clone());
        let mut unreadable = false;
        let fill = |job: &mut Job<Block>| loop {
            match reader.fill(&mut job.input) {
                Ok(more) => return Ok::<More, std::convert::Infallible>(more),
                // One input that cannot be read does not take the others with it.
                Err(ReadError { source, error }) => {
                    unreadable = true;
                    let path = files.get(source).map_or(Path::new("-"), PathBuf::as_path);
                    tell(&format!("cannot read {}: {error}", quoted(path)));
                }
            }
        };
        let drain = |job: &mut Job<Block>| {
            job.write(sinks, total)?;
            progress.advance(job.input.bytes().len());
            Ok(())
        };
        outputs::ended(ordered.run(Job::default, fill, |job| self.decide(job), drain, || stop.request()))?;
        Ok(match stop.signal() {
            Some(signal) => Exit::Signal(u8::try_from(signal).unwrap_or(0)),
            None if unreadable => Exit::Failed,
            None => Exit::Sealed,
        })
    }

    /// Decides about one block.
    fn decide(&self, job: &mut Job<Block>) {
        let clock = self.clock.read();
        let (block, scratch, mut outputs) = job.start(self, Block::bytes);
        let input = self.names.get(block.source()).map(String::as_str);
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
