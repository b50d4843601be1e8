//! Why a command ends early, and how that is told: one line on standard error, with a code where there is one.

use std::fmt::{self, Display};
use std::io::{self, Write};
use std::path::Path;

use super::Exit;
use crate::contract::Problems;
use crate::pipe::{SinkError, SinkFault};
use crate::reason::Reason;

/// Why a command ends early.
#[derive(Debug)]
pub(super) enum Failure {
    /// An argument has no meaning.
    Argument(String),
    /// A document that people wrote is not valid: everything that is wrong.
    Problems(Problems),
    /// Reading or writing failed.
    Io(String),
    /// The reader of the output went away.
    ReaderGone,
}

impl Failure {
    pub(super) fn argument(message: impl Display) -> Self {
        Self::Argument(message.to_string())
    }

    pub(super) fn reading(path: &Path, error: &io::Error) -> Self {
        Self::Io(format!("cannot read {}: {error}", quoted(path)))
    }

    pub(super) fn writing(sink: &str, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::ReaderGone,
            _ => Self::Io(format!("cannot write to {sink}: {error}")),
        }
    }

    /// Tells what is wrong and returns what the process ends with.
    pub(super) fn report(self) -> Exit {
        match self {
            Self::Argument(message) => {
                tell(&format!("{}: {message}", Reason::InvalidArgument));
                Exit::Invalid
            }
            Self::Problems(problems) => {
                for problem in &problems.0 {
                    tell(&problem.to_string());
                }
                Exit::of_status(problems.exit_status())
            }
            Self::Io(message) => {
                tell(&message);
                Exit::Failed
            }
            Self::ReaderGone => Exit::ReaderGone,
        }
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Argument(message) | Self::Io(message) => f.write_str(message),
            Self::Problems(_) => f.write_str("a document that is not valid"),
            Self::ReaderGone => f.write_str("the reader went away"),
        }
    }
}

impl From<SinkError> for Failure {
    fn from(error: SinkError) -> Self {
        match error.fault {
            SinkFault::Closed => Self::ReaderGone,
            SinkFault::Io(_) => Self::Io(error.to_string()),
        }
    }
}

/// Writes one line to standard error. Where that is closed there is nobody to tell.
pub(super) fn tell(message: &str) {
    let _ = writeln!(io::stderr().lock(), "sealpipe: {message}");
}

/// Writes text to standard output, as it is, and ends well.
pub(super) fn print(text: impl AsRef<[u8]>) -> Result<Exit, Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_ref())
        .and_then(|()| out.flush())
        .map_err(|error| Failure::writing("standard output", &error))?;
    Ok(Exit::Sealed)
}

/// Writes text with styles to standard output and ends well; they go only to a terminal that wants them.
pub(super) fn print_styled(text: &str) -> Result<Exit, Failure> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| Failure::writing("standard output", &error))?;
    Ok(Exit::Sealed)
}

/// Returns a path in backticks, with what a terminal might take for a command made visible.
pub(super) fn quoted(path: &Path) -> String {
    format!("`{}`", path.display().to_string().escape_debug())
}
