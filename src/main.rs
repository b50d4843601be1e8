//! The `sealpipe` program: everything it does is in the library's `cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    sealpipe::cli::run(std::env::args_os())
}
