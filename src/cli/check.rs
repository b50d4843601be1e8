//! `check`: one result in a file of its own, judged by one contract.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

use super::clock::Source as ClockSource;
use super::exit::Exit;
use super::failure::{self, Failure, quoted, tell};
use super::files;
use crate::contract::{Contract, Problems};
use crate::decision::{Outcome, Place, Redaction};
use crate::document::{Format, Reader};
use crate::engine::{Engine, Scratch};
use crate::fixture;
use crate::render;
use crate::value::Limits;

#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    /// The adapter input, in JSON or YAML; standard input where it is `-`
    #[arg(value_name = "RESPONSE")]
    response: PathBuf,

    /// The contract, in JSON or YAML
    #[arg(short = 'c', long, value_name = "CONTRACT")]
    contract: PathBuf,

    /// How to write the decision
    #[arg(long, value_enum, default_value_t = ReportFormat::Json)]
    format: ReportFormat,

    /// The reference clock, as in 2026-11-02T12:00:00Z; without an offset it is UTC. Default: the machine's
    #[arg(long, value_name = "TIME")]
    now: Option<String>,

    /// Replace the value of this member of the record by `"[REDACTED]"`; may be repeated
    #[arg(long, value_name = "FIELD")]
    redact: Vec<String>,
}

/// How decisions are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ReportFormat {
    /// The core record, one line of canonical JSON
    Json,
    /// A report for people, in Markdown
    Md,
}

/// Decides about one result; prints nothing on standard output where it is rejected.
pub(super) fn run(args: &Args) -> Result<Exit, Failure> {
    let clock = ClockSource::of(args.now.as_deref(), None)?.read();
    let redaction = redaction(&args.redact);
    if files::is_stdin(&args.response) && files::is_stdin(&args.contract) {
        return Err(Failure::argument(
            "RESPONSE and --contract: both are `-`, and standard input is only one",
        ));
    }
    let text = files::read(&args.response, Limits::DEFAULT.bytes)?;
    let mut reader = Reader::default();
    let document = reader
        .read(&text, files::format(&args.response, &text), &Limits::DEFAULT)
        .map_err(|problems| Failure::Problems(problems.in_file(&quoted(&args.response))))?;
    let contract = contract(&args.contract)?;
    let engine = Engine::of_contract(contract).with_redaction(redaction);
    engine.judge_document(&document, &clock, &mut Scratch::default(), |ruling, _| {
        if ruling.outcome == Outcome::Rejected {
            let problems = Problems::from(fixture::rejection(ruling, ""));
            return Err(Failure::Problems(problems.in_file(&quoted(&args.response))));
        }
        match args.format {
            ReportFormat::Json => {
                let mut record = Vec::new();
                ruling.write_core(&Place::default(), &redaction, &mut record);
                record.push(b'\n');
                failure::print(record)?;
            }
            ReportFormat::Md => {
                failure::print_styled(&render::report(ruling, &redaction))?;
            }
        }
        Ok(Exit::of_status(ruling.exit_status()))
    })
}

fn contract(path: &std::path::Path) -> Result<Contract, Failure> {
    let text = files::read(path, Limits::DEFAULT.bytes)?;
    let contract = match files::format(path, &text) {
        Format::Json => Contract::from_json(&text),
        Format::Yaml => Contract::from_yaml(&text),
    };
    contract.map_err(|problems| Failure::Problems(problems.in_file(&quoted(path))))
}

/// Returns the redaction of the members that are named. A name that is no member hides nothing; ResultSeal says nothing
/// about that, and its command lines must go on working.
pub(super) fn redaction(names: &[String]) -> Redaction {
    let (redaction, unknown) = Redaction::of_known(names.iter().map(String::as_str));
    for name in unknown {
        tell(&format!(
            "warning: --redact: `{}` is no member of the record that can be redacted, so nothing is hidden by it",
            name.escape_debug()
        ));
    }
    redaction
}
