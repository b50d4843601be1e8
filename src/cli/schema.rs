//! `schema`: the JSON Schema of each document, for editors.

use clap::{Args as ClapArgs, ValueEnum};

use super::exit::Exit;
use super::failure::{self, Failure};
use crate::schema::Schema;

#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    /// The document
    #[arg(value_enum, value_name = "DOCUMENT")]
    document: Schema,
}

impl ValueEnum for Schema {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.name()).help(self.about()))
    }
}

/// Prints the schema as it is kept.
pub(super) fn run(args: &Args) -> Result<Exit, Failure> {
    failure::print(args.document.text())
}
