//! The one table from outcome to exit status.

use std::process::ExitCode;

/// What the process ends with. Of several the greatest counts, as far as a run goes on after one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Exit {
    /// Everything sealed, every expectation matched, everything valid.
    #[default]
    Sealed,
    /// Something was blocked, or did not match.
    Blocked,
    /// Something was malformed: an input, a contract, an argument.
    Invalid,
    /// Something was unsafe to read, or past a limit.
    Unsafe,
    /// Reading or writing failed.
    Failed,
    /// The reader of the output went away.
    ReaderGone,
    /// A signal asked to stop; its number.
    Signal(u8),
}

impl Exit {
    /// Returns the exit status: 0 to 4, and by the shells' convention 128 and the number of a signal.
    pub fn status(self) -> u8 {
        match self {
            Self::Sealed => 0,
            Self::Blocked => 1,
            Self::Invalid => 2,
            Self::Unsafe => 3,
            Self::Failed => 4,
            Self::ReaderGone => 128 + 13,
            Self::Signal(number) => 128 + number,
        }
    }

    /// Returns the exit of a ruling's or a reason's status, 0 to 3.
    pub fn of_status(status: u8) -> Self {
        match status {
            0 => Self::Sealed,
            1 => Self::Blocked,
            2 => Self::Invalid,
            _ => Self::Unsafe,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.status())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_of_a_run_counts() {
        let in_order = [Exit::Sealed, Exit::Blocked, Exit::Invalid, Exit::Unsafe, Exit::Failed];
        for (status, exit) in (0..).zip(in_order) {
            assert_eq!(exit.status(), status);
        }
        assert!(in_order.is_sorted());
        assert_eq!(Exit::ReaderGone.status(), 141);
        assert_eq!([Exit::Signal(2).status(), Exit::Signal(15).status()], [130, 143]);
    }
}
