//! `replay`: fixtures against what they expect, many at once, told in their order.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use rayon::prelude::*;

use super::check::{ReportFormat, redaction};
use super::clock::Source as ClockSource;
use super::exit::Exit;
use super::failure::{Failure, quoted, tell};
use super::files::{self, Found};
use crate::contract::{Problem, Problems};
use crate::decision::Redaction;
use crate::document::Reader;
use crate::engine::{Clock, Scratch};
use crate::fixture::{Fixture, Verdict};
use crate::render::{self, Layout};
use crate::value::Limits;

#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    /// Fixtures in JSON or YAML, and directories of them; standard input where it is `-`
    #[arg(value_name = "FIXTURE|DIR", required = true)]
    fixtures: Vec<PathBuf>,

    /// What to write for a fixture: `md` says whether it matches, `json` gives the record
    #[arg(long, value_enum, default_value_t = ReportFormat::Md)]
    format: ReportFormat,

    /// The reference clock, as in 2026-11-02T12:00:00Z; without an offset it is UTC. Default: the machine's
    #[arg(long, value_name = "TIME")]
    now: Option<String>,

    /// Replace the value of this member of the records by `"[REDACTED]"`; may be repeated
    #[arg(long, value_name = "FIELD")]
    redact: Vec<String>,
}

/// How many fixtures are worked before their lines are written: memory is bounded, and the first lines come early.
const AT_ONCE: usize = 512;

/// So few fixtures are done sooner than threads are started.
const FEW: usize = 8;

/// What one fixture gave.
#[derive(Default)]
struct Done {
    out: Vec<u8>,
    complaints: Vec<String>,
    exit: Exit,
    count: Count,
}

/// Counts of a run.
#[derive(Debug, Default, Clone, Copy)]
struct Count {
    matches: u64,
    mismatches: u64,
    unusable: u64,
}

/// Replays every fixture; one that cannot be used does not take the others with it.
pub(super) fn run(args: &Args) -> Result<Exit, Failure> {
    let plan = Plan {
        clock: ClockSource::of(args.now.as_deref(), None)?.read(),
        redaction: redaction(&args.redact),
        layout: match args.format {
            ReportFormat::Json => Layout::Json,
            ReportFormat::Md => Layout::Text,
        },
    };
    if args.fixtures.iter().filter(|path| files::is_stdin(path)).count() > 1 {
        return Err(Failure::argument("`-` twice, and standard input is only one"));
    }
    let found = files::expand(&args.fixtures);
    let mut exit = Exit::Sealed;
    let mut total = Count::default();
    for found in found.chunks(AT_ONCE) {
        let done: Vec<Done> = if found.len() <= FEW {
            let mut memory = Memory::default();
            found.iter().map(|found| plan.replay(found, &mut memory)).collect()
        } else {
            found.par_iter().map_init(Memory::default, |memory, found| plan.replay(found, memory)).collect()
        };
        write(&done)?;
        for done in &done {
            exit = exit.max(done.exit);
            total.add(done.count);
        }
    }
    let Count { matches, mismatches, unusable } = total;
    let all = matches + mismatches + unusable;
    let plural = if all == 1 { "" } else { "s" };
    tell(&format!("{all} fixture{plural}: {matches} match, {mismatches} differ, {unusable} not usable"));
    Ok(exit)
}

/// Writes the lines of fixtures and what is wrong with others, in their order.
fn write(done: &[Done]) -> Result<(), Failure> {
    let mut out = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let broken = |error: io::Error| Failure::writing("standard output", &error);
    for done in done {
        out.write_all(&done.out).map_err(broken)?;
        if !done.complaints.is_empty() {
            // On one terminal a complaint stands where its fixture does.
            out.flush().map_err(broken)?;
            done.complaints.iter().for_each(|complaint| tell(complaint));
        }
    }
    out.flush().map_err(broken)
}

/// The memory of one thread.
#[derive(Default)]
struct Memory {
    reader: Reader,
    scratch: Scratch,
}

struct Plan {
    clock: Clock,
    redaction: Redaction,
    layout: Layout,
}

impl Plan {
    fn replay(&self, found: &Found, memory: &mut Memory) -> Done {
        let (path, text) = match found {
            Ok(path) => match files::read_raw(path, Limits::DEFAULT.bytes) {
                Ok(text) => (path, text),
                Err(error) => return Done::unreadable(path, &error),
            },
            Err((path, error)) => return Done::unreadable(path, error),
        };
        let document = memory.reader.read(&text, files::format(path, &text), &Limits::DEFAULT);
        let mut done = Done::default();
        match document {
            Err(problems) => done.refuse(problems, path),
            Ok(document) => match Fixture::from_value(document.root()) {
                Err(problems) => done.refuse(problems, path),
                Ok(fixture) => self.compare(&fixture, path, &mut memory.scratch, &mut done),
            },
        }
        done
    }

    fn compare(&self, fixture: &Fixture<'_>, path: &Path, scratch: &mut Scratch, done: &mut Done) {
        fixture.replay(&self.clock, self.redaction, scratch, |verdict, ruling| {
            let matches = verdict == Verdict::Match;
            match (verdict, ruling) {
                (Verdict::Match | Verdict::Mismatch, Some(ruling)) => {
                    render::replayed(fixture, ruling, matches, self.layout, &self.redaction, &mut done.out);
                    if matches {
                        done.count.matches = 1;
                    } else {
                        done.count.mismatches = 1;
                        done.exit = Exit::Blocked;
                    }
                }
                (Verdict::Unusable(problem), _) => done.refuse(problem.into(), path),
                (Verdict::Match | Verdict::Mismatch, None) => {}
            }
        });
    }
}

impl Done {
    fn unreadable(path: &Path, error: &io::Error) -> Self {
        Self {
            complaints: vec![format!("cannot read {}: {error}", quoted(path))],
            exit: Exit::Failed,
            count: Count { unusable: 1, ..Count::default() },
            ..Self::default()
        }
    }

    fn refuse(&mut self, problems: Problems, path: &Path) {
        let problems = problems.in_file(&quoted(path));
        self.exit = Exit::of_status(problems.exit_status());
        self.complaints.extend(problems.0.iter().map(Problem::to_string));
        self.count.unusable = 1;
    }
}

impl Count {
    fn add(&mut self, other: Self) {
        self.matches += other.matches;
        self.mismatches += other.mismatches;
        self.unusable += other.unusable;
    }
}
