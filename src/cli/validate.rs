//! `validate`: contracts, fixtures and bundles, read and not used; everything that is wrong in all of them at once.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;

use super::exit::Exit;
use super::failure::{self, Failure, quoted, tell};
use super::files;
use crate::contract::{Bundle, MOST_BUNDLE_BYTES, Problem, Problems, Warning};
use crate::document::{Format, Reader};
use crate::fixture::Fixture;
use crate::reason::Reason;
use crate::value::{Limits, Value};

#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    /// Contracts, fixtures and bundles in JSON or YAML, and directories of them; standard input where it is `-`
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
}

/// What a document is, by the members that it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Contract,
    Fixture,
    Bundle,
}

/// Tells of each file that it is valid, or what is wrong with it.
pub(super) fn run(args: &Args) -> Result<Exit, Failure> {
    let mut exit = Exit::Sealed;
    for found in files::expand(&args.paths) {
        let outcome = found.and_then(|path| match files::read_raw(&path, MOST_BUNDLE_BYTES) {
            Ok(text) => Ok((path, text)),
            Err(error) => Err((path, error)),
        });
        exit = exit.max(match outcome {
            Ok((path, text)) => tell_validity(&path, &text)?,
            Err((path, error)) => unreadable(&path, &error),
        });
    }
    Ok(exit)
}

fn unreadable(path: &Path, error: &io::Error) -> Exit {
    tell(&format!("cannot read {}: {error}", quoted(path)));
    Exit::Failed
}

fn tell_validity(path: &Path, text: &[u8]) -> Result<Exit, Failure> {
    match validate(text, files::format(path, text)) {
        Ok((sort, warnings)) => {
            for warning in warnings {
                tell(&format!("warning: {warning} in {}", quoted(path)));
            }
            let sort = match sort {
                Sort::Contract => "contract",
                Sort::Fixture => "fixture",
                Sort::Bundle => "bundle",
            };
            failure::print(format!("{}: valid ({sort})\n", path.display().to_string().escape_debug()))
        }
        Err(problems) => {
            let problems = problems.in_file(&quoted(path));
            problems.0.iter().for_each(|problem| tell(&problem.to_string()));
            Ok(Exit::of_status(problems.exit_status()))
        }
    }
}

/// Returns what a text is, if it is that and nothing is wrong with it, and what is allowed and surely not meant.
fn validate(text: &[u8], format: Format) -> Result<(Sort, Vec<Warning>), Problems> {
    let mut reader = Reader::default();
    let within_bounds = reader.read(text, format, &Limits::DEFAULT);
    let (sort, checked) = match within_bounds {
        Ok(document) => {
            let sort = sort(document.root())?;
            let fixture = (sort == Sort::Fixture).then(|| Fixture::from_value(document.root()).map(drop));
            (sort, fixture)
        }
        // Only a bundle as a whole may be past the bounds of a document.
        Err(problems) if problems.0.iter().any(|problem| problem.reason == Reason::LimitExceeded) => {
            let limits = Limits { bytes: MOST_BUNDLE_BYTES, depth: 40, nodes: usize::MAX, ..Limits::DEFAULT };
            let mut reader = Reader::default();
            match reader.read(text, format, &limits).map(|document| sort(document.root())) {
                Ok(Ok(Sort::Bundle)) => (Sort::Bundle, None),
                _ => return Err(problems),
            }
        }
        Err(problems) => return Err(problems),
    };
    let warnings = match (checked, format) {
        (Some(checked), _) => {
            checked?;
            Vec::new()
        }
        // A file that is one contract is a bundle with only a default.
        (None, Format::Json) => Bundle::from_json(text)?.warnings().to_vec(),
        (None, Format::Yaml) => Bundle::from_yaml(text)?.warnings().to_vec(),
    };
    Ok((sort, warnings))
}

fn sort(root: Value<'_>) -> Result<Sort, Problems> {
    let has = |member: &str| root.as_object().is_some_and(|object| object.has(member));
    if has("fixture_version") {
        Ok(Sort::Fixture)
    } else if has("bundle_version") || has("contracts") {
        Ok(Sort::Bundle)
    } else if has("schema_version") || has("claim_type") {
        Ok(Sort::Contract)
    } else {
        let message = "neither a contract (`schema_version`), nor a fixture (`fixture_version`), nor a bundle \
                       (`bundle_version`)";
        Err(Problem {
            reason: Reason::SchemaInvalid,
            file: None,
            place: String::new(),
            message: message.to_owned(),
        }
        .into())
    }
}
