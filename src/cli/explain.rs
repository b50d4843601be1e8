//! `explain`: what a code means, and how one record came to its decision.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;

use super::clock::Source as ClockSource;
use super::exit::Exit;
use super::failure::{self, Failure, quoted};
use super::limits::LimitArgs;
use super::{bundle, files};
use crate::document::{Format, Reader};
use crate::engine::{Engine, Scratch};
use crate::reason::Reason;
use crate::render::{self, Told};
use crate::value::Limits;

#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    /// A reason code; with --bundle the log or document to take the record from. Without either, every code is listed
    #[arg(value_name = "CODE|FILE")]
    subject: Option<PathBuf>,

    /// Walk one record through: the contracts that it is judged by; may be repeated
    #[arg(short = 'c', long = "bundle", value_name = "BUNDLE")]
    bundles: Vec<PathBuf>,

    /// The line of the record, counted from 1. Default: the first that is not blank
    #[arg(long, value_name = "N", requires = "bundles", value_parser = clap::value_parser!(u64).range(1..))]
    line: Option<u64>,

    /// Show the payload itself, not only its shape
    #[arg(long, requires = "bundles")]
    show_values: bool,

    /// The reference clock, as in 2026-11-02T12:00:00Z; without an offset it is UTC. Default: the machine's
    #[arg(long, value_name = "TIME", conflicts_with = "now_from", requires = "bundles")]
    now: Option<String>,

    /// Take the record's own clock from this member of it, a JSON Pointer such as `/observed_at`
    #[arg(long, value_name = "POINTER", requires = "bundles")]
    now_from: Option<String>,

    #[command(flatten)]
    limits: LimitArgs,
}

/// Explains a code, or a record.
pub(super) fn run(args: &Args) -> Result<Exit, Failure> {
    if !args.bundles.is_empty() {
        return walk(args);
    }
    let Some(subject) = &args.subject else { return failure::print(render::codes()) };
    let code = subject.to_string_lossy();
    if let Some(reason) = Reason::from_code(&code.to_ascii_uppercase()) {
        return failure::print(render::code(reason));
    }
    let nearest = Reason::ALL
        .iter()
        .map(|reason| (strsim::damerau_levenshtein(&code.to_ascii_uppercase(), reason.code()), reason.code()))
        .filter(|(distance, code)| *distance <= code.len() / 3)
        .min();
    Err(Failure::argument(match nearest {
        _ if subject.exists() => {
            format!("{} is a file; to walk one of its records through, add -c BUNDLE", quoted(subject))
        }
        Some((_, nearest)) => {
            format!("`{}` is no reason code; did you mean `{nearest}`?", code.escape_debug())
        }
        None => format!("`{}` is no reason code; `sealpipe explain` lists them", code.escape_debug()),
    }))
}

/// A record, and where it was found.
struct Record {
    text: Vec<u8>,
    format: Format,
    place: String,
}

fn walk(args: &Args) -> Result<Exit, Failure> {
    let limits = args.limits.resolve()?;
    let clock = ClockSource::of(args.now.as_deref(), args.now_from.as_deref())?.read();
    let engine = Engine::new(bundle::load(&args.bundles)?).with_limits(limits).with_content_hash(true);
    let path = args.subject.clone().unwrap_or_else(|| PathBuf::from("-"));
    let record = find(&path, args.line, &limits)?;
    let mut reader = Reader::default();
    let document = reader
        .read(&record.text, record.format, &limits)
        .map_err(|problems| Failure::Problems(problems.in_file(&record.place)))?;
    let told = engine.judge_document(&document, &clock, &mut Scratch::default(), |ruling, _| {
        let (bundle, input) = (engine.bundle(), document.root());
        render::walk(&Told { bundle, input, limits, ruling, show_values: args.show_values })
    });
    failure::print_styled(&format!("record       {}\n{told}", record.place))
}

/// Finds the record: a line of a log, or a document that is one input.
fn find(path: &Path, line: Option<u64>, limits: &Limits) -> Result<Record, Failure> {
    let unreadable = |error: io::Error| Failure::reading(path, &error);
    let mut source: Box<dyn BufRead> = if files::is_stdin(path) {
        Box::new(io::stdin().lock())
    } else {
        Box::new(BufReader::with_capacity(1 << 16, File::open(path).map_err(unreadable)?))
    };
    let name = quoted(path);
    if files::format(path, b"{") == Format::Yaml {
        if line.is_some() {
            return Err(Failure::argument(format!("--line: {name} is one YAML document, not a log")));
        }
        return Ok(Record { text: files::read(path, limits.bytes)?, format: Format::Yaml, place: name });
    }
    let mut number = 0;
    loop {
        let Some(mut text) = next_line(&mut source, limits.bytes).map_err(unreadable)? else {
            return Err(Failure::argument(match line {
                Some(line) => format!("--line: {name} has {number} lines, and {line} is not among them"),
                None => format!("{name} holds no record"),
            }));
        };
        number += 1;
        match line {
            Some(wanted) if wanted != number => continue,
            Some(_) => {}
            None if text.trim_ascii().is_empty() => continue,
            None => {
                // A document over several lines is no log.
                let mut reader = Reader::default();
                if reader.read(&text, Format::Json, limits).is_err() {
                    let mut whole = text.clone();
                    let rest = u64::try_from(limits.bytes).unwrap_or(u64::MAX).saturating_add(1);
                    source.by_ref().take(rest).read_to_end(&mut whole).map_err(unreadable)?;
                    if whole.len() > text.len() && reader.read(&whole, Format::Json, limits).is_ok() {
                        return Ok(Record { text: whole, format: Format::Json, place: name });
                    }
                }
            }
        }
        while text.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
            text.pop();
        }
        return Ok(Record { text, format: Format::Json, place: format!("line {number} of {name}") });
    }
}

/// Returns the next line with its end, or what of it shows that it is too long; `None` after the last one.
fn next_line(source: &mut dyn BufRead, most: usize) -> io::Result<Option<Vec<u8>>> {
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(3);
    let mut line = Vec::new();
    if source.take(limit).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.last() != Some(&b'\n') {
        // The rest of a line that is too long, or nothing at the end of the input.
        loop {
            let held = source.fill_buf()?;
            let (used, ended) = match memchr::memchr(b'\n', held) {
                Some(at) => (at + 1, true),
                None => (held.len(), held.is_empty()),
            };
            source.consume(used);
            if ended {
                break;
            }
        }
    }
    Ok(Some(line))
}
