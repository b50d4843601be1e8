//! `man` and `completions`: what the argument definitions say, for `man` and for shells.

use clap::Args as ClapArgs;
use clap_complete::Shell;

use super::exit::Exit;
use super::failure::{self, Failure};

#[derive(Debug, ClapArgs)]
pub(super) struct ManArgs {
    /// The command to describe; without one, the filter and the list of commands
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(super) struct CompletionArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

/// Prints a man page, in the roff language.
pub(super) fn man(args: &ManArgs) -> Result<Exit, Failure> {
    let mut whole = super::command().disable_help_subcommand(true);
    whole.build();
    let page = match args.command.as_deref() {
        None => whole,
        Some(name) => {
            let command = whole.find_subcommand(name).ok_or_else(|| {
                let names: Vec<_> = whole.get_subcommands().map(clap::Command::get_name).collect();
                Failure::argument(format!(
                    "`{}` is no command; these are: {}",
                    name.escape_debug(),
                    names.join(", ")
                ))
            })?;
            command.clone()
        }
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page)
        .source(concat!("sealpipe ", env!("CARGO_PKG_VERSION")))
        .render(&mut text)
        .map_err(|error| Failure::writing("standard output", &error))?;
    failure::print(text)
}

/// Prints a script that completes the words of a command line.
pub(super) fn completions(args: &CompletionArgs) -> Result<Exit, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut super::command(), "sealpipe", &mut text);
    failure::print(text)
}
