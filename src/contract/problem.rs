//! What is wrong with a contract, bundle or fixture: all of it at once, each with its place.

use std::fmt;

use crate::reason::Reason;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The code that it is reported under.
    pub reason: Reason,
    /// The file, where there is one.
    pub file: Option<String>,
    /// The members that lead to it, joined by `.`; empty for the whole document.
    pub place: String,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.reason, self.message)?;
        match (self.place.is_empty(), &self.file) {
            (true, None) => Ok(()),
            (true, Some(file)) => write!(f, " ({file})"),
            (false, None) => write!(f, " ({})", self.place),
            (false, Some(file)) => write!(f, " ({file}, {})", self.place),
        }
    }
}

/// Everything that is wrong; never empty as an error.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Problems(pub Vec<Problem>);

/// Something in a contract that is allowed and surely not meant: a rule that can never hold, or never fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The members that lead to it, joined by `.`; empty for the whole document.
    pub place: String,
    /// What is doubtful, and why.
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if self.place.is_empty() { Ok(()) } else { write!(f, " ({})", self.place) }
    }
}

impl Problems {
    /// Returns the exit status of a program that ends because of them: the worst of all.
    pub fn exit_status(&self) -> u8 {
        self.0.iter().map(|problem| problem.reason.exit_status()).max().unwrap_or(0)
    }

    /// Returns the problems with the name of the file they are in.
    #[must_use]
    pub fn in_file(mut self, name: &str) -> Self {
        for problem in &mut self.0 {
            problem.file.get_or_insert_with(|| name.to_owned());
        }
        self
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// Collects problems while a document is walked.
pub(crate) struct Collector<'c> {
    problems: &'c mut Problems,
    warnings: Option<&'c mut Vec<Warning>>,
    place: String,
}

impl<'c> Collector<'c> {
    pub(crate) fn new(problems: &'c mut Problems) -> Self {
        Self { problems, warnings: None, place: String::new() }
    }

    /// Returns the collector that keeps warnings too.
    pub(crate) fn with_warnings(problems: &'c mut Problems, warnings: &'c mut Vec<Warning>) -> Self {
        Self { problems, warnings: Some(warnings), place: String::new() }
    }

    /// Returns the collector for a member of where this one is.
    pub(crate) fn at(&mut self, member: &str) -> Collector<'_> {
        let separator = if self.place.is_empty() { "" } else { "." };
        let place = format!("{}{separator}{}", self.place, member.escape_debug());
        Collector { problems: self.problems, warnings: self.warnings.as_deref_mut(), place }
    }

    /// Returns how many problems were found so far, anywhere.
    pub(crate) fn count(&self) -> usize {
        self.problems.0.len()
    }

    pub(crate) fn warn(&mut self, message: impl Into<String>) {
        let place = &self.place;
        if let Some(warnings) = &mut self.warnings {
            warnings.push(Warning { place: place.clone(), message: message.into() });
        }
    }

    pub(crate) fn invalid(&mut self, message: impl Into<String>) {
        self.report(Reason::ContractInvalid, message);
    }

    pub(crate) fn report(&mut self, reason: Reason, message: impl Into<String>) {
        let (place, message) = (self.place.clone(), message.into());
        self.problems.0.push(Problem { reason, file: None, place, message });
    }
}
