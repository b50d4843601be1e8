//! Evidence documents in, reports out, in order: one a line, or a file that is one document.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;

use super::clock::Source as ClockSource;
use super::exit::Exit;
use super::failure::{quoted, tell};
use super::{Failure, source, stream};
use crate::engine::Clock;
use crate::evidence::{self, LIMITS, Scratch, Status};
use crate::pipe::{self, Block, BlockReader, Fault, Line, More, Ordered, ReadError, Sink, Stop};
use crate::time::Timestamp;
use crate::value::Parser;

#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    /// Documents to read, one a line, or one over a whole file; standard input without one, or where it is `-`
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Reference clock, ISO 8601; UTC where it names no offset. Default: the machine's clock
    #[arg(long, value_name = "TIME")]
    now: Option<String>,

    /// Working threads; what is written does not depend on it. Default: one a processor
    #[arg(short = 'j', long, value_name = "N")]
    threads: Option<NonZeroUsize>,
}

/// A block on its way, and what its documents gave.
struct Job {
    block: Block,
    scratch: Scratch,
    out: Vec<u8>,
    worst: Status,
}

/// Reports on every document of every input.
pub(super) fn run(args: Args) -> Result<Exit, Failure> {
    let stdout = Sink::stdout().map_err(|error| Failure::Io(error.to_string()))?;
    let clock = ClockSource::of(args.now.as_deref(), None)?;
    let files = source::named(args.files);
    source::check_readable(&files)?;
    let (ordered, stop) = stream::start(args.threads)?;
    let mut worst = Exit::Sealed;
    let mut rest = files.as_slice();
    while !rest.is_empty() && stop.signal().is_none() {
        // Files that are one document each stand between runs over lines, in the order in which they were named.
        let lines = rest.iter().take_while(|file| whole_document(file).is_none()).count();
        let (streamed, others) = rest.split_at(lines);
        if !streamed.is_empty() {
            worst = worst.max(stream(streamed, &ordered, &stop, &stdout, &clock)?);
        }
        rest = others;
        if let Some((file, others)) = others.split_first() {
            let mut out = Vec::new();
            let document = whole_document(file).unwrap_or_default();
            let status = evidence::report(&document, now(&clock), &mut Scratch::default(), &mut out);
            out.push(b'\n');
            stdout.write_all(&out)?;
            worst = worst.max(Exit::of_status(status.exit_status()));
            rest = others;
        }
    }
    Ok(match stop.signal() {
        Some(signal) => Exit::Signal(u8::try_from(signal).unwrap_or(0)),
        None => worst,
    })
}

/// Returns the text of a file that is one document over several lines.
fn whole_document(file: &Path) -> Option<Vec<u8>> {
    let metadata = std::fs::metadata(file).ok()?;
    if file.as_os_str() == "-" || !metadata.is_file() || metadata.len() > LIMITS.bytes as u64 {
        return None;
    }
    let text = std::fs::read(file).ok()?;
    let text = text.trim_ascii();
    let is_one = memchr::memchr(b'\n', text).is_some()
        && Parser::default().parse(text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)).is_ok();
    is_one.then(|| text.to_vec())
}

fn stream(
    files: &[PathBuf],
    ordered: &Ordered,
    stop: &Stop,
    stdout: &Sink,
    clock: &ClockSource,
) -> Result<Exit, Failure> {
    let limits = pipe::Limits { line_bytes: LIMITS.bytes, ..pipe::Limits::default() };
    let mut reader = BlockReader::new(files.iter().map(|file| source::open(file)), limits, stop.clone());
    let mut unreadable = false;
    let mut worst = Status::Ok;
    let make =
        || Job { block: Block::new(), scratch: Scratch::default(), out: Vec::new(), worst: Status::Ok };
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
        worst = worst.max(job.worst);
        stdout.write_all(&job.out)
    };
    match ordered.run(make, fill, |job| report(job, now(clock)), drain, || stop.request()) {
        Ok(()) => {}
        Err(Fault::Drain(error)) => return Err(Failure::from(error)),
        Err(Fault::Fill(never)) => match never {},
        Err(other) => return Err(Failure::Io(other.to_string())),
    }
    let exit = if unreadable { Exit::Failed } else { Exit::Sealed };
    Ok(exit.max(Exit::of_status(worst.exit_status())))
}

/// Reports on the documents of one block.
fn report(job: &mut Job, now: Timestamp) {
    let Job { block, scratch, out, worst } = job;
    out.clear();
    *worst = Status::Ok;
    for line in block.lines() {
        let status = match line {
            Line::Whole { raw, .. } => {
                let text = raw.strip_suffix(b"\r").unwrap_or(raw);
                evidence::report(text, now, scratch, out)
            }
            Line::Overlong { .. } => evidence::report_over_limit(out),
        };
        *worst = status.max(*worst);
        out.push(b'\n');
    }
}

fn now(clock: &ClockSource) -> Timestamp {
    match clock.read() {
        Clock::At(now) => now,
        // This command has no clock that stands in an input.
        Clock::FromInput(_) => Timestamp::from_unix(0, 0),
    }
}
