//! The command line: what the words mean, which command runs, and what the process ends with.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::{ContextKind, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

mod bundle;
mod check;
mod clock;
mod evidence;
mod exit;
mod explain;
mod failure;
mod files;
mod filter;
mod import;
mod limits;
mod manual;
mod progress;
mod replay;
mod schema;
mod source;
mod stream;
mod validate;

pub use exit::Exit;
use failure::Failure;

/// Decides whether tool results may back a claim.
///
/// Reads one JSON record of a tool result a line, looks up the contract of its tool in a bundle, and writes one
/// decision record a line, in order: sealed, blocked with the reason, or rejected.
#[derive(Debug, Parser)]
#[command(name = "sealpipe", version, max_term_width = 100)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, after_help = EXAMPLES)]
#[command(after_long_help = EXAMPLES)]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    filter: filter::Args,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Decide about one result in a file of its own, by one contract
    Check(check::Args),
    /// Replay fixtures and compare with the decisions that they expect
    Replay(replay::Args),
    /// Check contracts, fixtures and bundles without using them
    Validate(validate::Args),
    /// Read what agents' logs already say: one adapter input a line for every tool result in them
    Import(import::Args),
    /// Report on evidence documents: whether a result may be used, and whether it supports the claims about it
    Evidence(evidence::Args),
    /// Explain a reason code, or walk one record through the rules
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain(explain::Args),
    /// Print the JSON Schema of a document
    Schema(schema::Args),
    /// Print the man page
    Man(manual::ManArgs),
    /// Print a script that completes command lines in a shell
    Completions(manual::CompletionArgs),
    /// Print the program's version
    Version,
}

const EXAMPLES: &str = "\
Examples:
  sealpipe -c bundle.yaml log.jsonl                        every decision, in order
  sealpipe -c bundle.yaml --blocked blocked.jsonl log.jsonl
                                                           sealed ones on stdout, the others in a file
  jq -c .result trace.jsonl | sealpipe -c bundle.yaml | jq -r .reason_codes[]
  tail -f log.jsonl | sealpipe -c bundle.yaml --emit payload | next-step
  sealpipe -c bundle.yaml --now-from /observed_at --summary 2026-*.jsonl >decisions.jsonl

Exit status:
  0  all sealed        1  something blocked       2  something malformed
  3  something unsafe  4  reading or writing failed
  130, 143  stopped by SIGINT, SIGTERM            141  the reader went away";

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  sealpipe explain STALE_OBSERVATION
  sealpipe explain -c bundle.yaml --line 12 log.jsonl
  sealpipe explain -c contract.yaml response.json --show-values";

/// Runs the program with these words, the program's own name first, and returns what it ends with.
pub fn run(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    // A panic is a fault of this program, and its message may quote what was worked on: it ends as one clear line.
    std::panic::set_hook(Box::new(|_| {}));
    let arguments = match parse(words) {
        Ok(arguments) => arguments,
        Err(exit) => return exit.into(),
    };
    let ended = match arguments.command {
        None => filter::run(arguments.filter),
        Some(Command::Check(args)) => check::run(&args),
        Some(Command::Replay(args)) => replay::run(&args),
        Some(Command::Validate(args)) => validate::run(&args),
        Some(Command::Explain(args)) => explain::run(&args),
        Some(Command::Schema(args)) => schema::run(&args),
        Some(Command::Man(args)) => manual::man(&args),
        Some(Command::Completions(args)) => manual::completions(&args),
        Some(Command::Import(args)) => import::run(args),
        Some(Command::Evidence(args)) => evidence::run(args),
        Some(Command::Version) => failure::print(concat!(env!("CARGO_PKG_VERSION"), "\n")),
    };
    match ended {
        Ok(exit) => exit,
        Err(failure) => failure.report(),
    }
    .into()
}

/// Returns the whole command line, for help, man page and completions.
pub fn command() -> clap::Command {
    Arguments::command()
}

fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Arguments, Exit> {
    let parsed =
        command().try_get_matches_from(words).and_then(|matches| Arguments::from_arg_matches(&matches));
    parsed.map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => match error.print() {
            Ok(()) => Exit::Sealed,
            Err(error) => Failure::writing("standard output", &error).report(),
        },
        _ => Failure::argument(in_one_line(&error)).report(),
    })
}

/// Turns clap's paragraphs into one line: what is wrong, and what may have been meant.
fn in_one_line(error: &clap::Error) -> String {
    let rendered = error.render().to_string();
    let wrong = rendered.lines().next().unwrap_or_default().trim_start_matches("error: ");
    let listed: Vec<&str> =
        rendered.lines().skip(1).take_while(|line| line.starts_with("  ")).map(str::trim).collect();
    let mut line = format!("{wrong} {}", listed.join(" ")).trim().to_owned();
    let suggestion =
        [ContextKind::SuggestedArg, ContextKind::SuggestedValue, ContextKind::SuggestedSubcommand]
            .into_iter()
            .find_map(|kind| error.get(kind));
    if let Some(suggestion) = suggestion {
        line.push_str(&format!("; did you mean `{suggestion}`?"));
    }
    line.push_str(" (see `sealpipe --help`)");
    // What was typed is in it, and may be meant for the terminal.
    line.chars().fold(String::with_capacity(line.len()), |mut shown, c| {
        match c.is_control() {
            true => shown.extend(c.escape_debug()),
            false => shown.push(c),
        }
        shown
    })
}
