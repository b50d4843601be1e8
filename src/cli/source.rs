//! Inputs as the command line names them: files, or standard input for `-`, decompressed where they are compressed.

use std::io;
use std::path::{Path, PathBuf};

use super::Failure;
use crate::pipe::{Decoded, Input};

/// Opens an input; `-` is standard input.
pub(super) fn open(path: &Path) -> io::Result<Decoded<Input>> {
    let input = if path.as_os_str() == "-" { Input::stdin() } else { Input::open(path) };
    input.map(Decoded::new)
}

/// Returns the inputs that are meant: standard input where none is named.
pub(super) fn named(files: Vec<PathBuf>) -> Vec<PathBuf> {
    if files.is_empty() { vec![PathBuf::from("-")] } else { files }
}

/// Fails at once where none of the inputs is there: a misspelt name should not look like an empty log.
pub(super) fn check_readable(files: &[PathBuf]) -> Result<(), Failure> {
    match files {
        [only] if only.as_os_str() != "-" => match std::fs::metadata(only) {
            Ok(_) => Ok(()),
            Err(error) => Err(Failure::reading(only, &error)),
        },
        _ => Ok(()),
    }
}
