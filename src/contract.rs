//! Contracts: what a result must contain before it may back a claim. Valid by construction; `read` makes them.

use std::fmt;

use crate::value::Value;

mod bundle;
mod load;
mod problem;
pub(crate) mod read;

pub use bundle::{Bundle, Entry, Lookup};
pub(crate) use load::MOST_BUNDLE_BYTES;
pub(crate) use problem::Collector;
pub use problem::{Problem, Problems, Warning};

/// What a sealed result entitles its reader to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClaimType {
    /// The thing exists.
    Found,
    /// The source says explicitly that the thing does not exist.
    NotFound,
    /// All of it was read.
    ReadComplete,
    /// Something was changed, and evidence of it was seen.
    EffectObserved,
    /// A task is finished, and evidence of it was seen.
    TaskComplete,
}

impl ClaimType {
    /// Every claim type.
    pub const ALL: [Self; 5] =
        [Self::Found, Self::NotFound, Self::ReadComplete, Self::EffectObserved, Self::TaskComplete];

    /// Returns the name that contracts and records spell.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::NotFound => "not_found",
            Self::ReadComplete => "read_complete",
            Self::EffectObserved => "effect_observed",
            Self::TaskComplete => "task_complete",
        }
    }

    /// Returns the claim type of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|claim| claim.name() == name)
    }
}

impl fmt::Display for ClaimType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How new an observation must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Freshness {
    /// Any age will do.
    NotRequired,
    /// Its `source_version` must be there and not below this one.
    SourceVersion {
        /// 1 to 256 characters.
        minimum: Box<str>,
    },
    /// It must not be older than this, nor from the future.
    MaxAge {
        /// 0 to 31,536,000.
        seconds: u32,
    },
}

/// One contract, version "1".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contract {
    /// What it allows to say.
    pub(crate) claim_type: ClaimType,
    /// Top-level keys that the payload must have; at most 64 of 1 to 256 characters.
    pub(crate) required_fields: Box<[Box<str>]>,
    /// How new the observation must be.
    pub(crate) freshness: Freshness,
    /// Where it must come from; 1 to 1,024 characters.
    pub(crate) source_ref: Box<str>,
    /// What it must be about; 1 to 1,024 characters.
    pub(crate) target_ref: Box<str>,
    /// The value that says absence; 1 to 256 characters.
    pub(crate) not_found_sentinel: Option<Box<str>>,
    /// Whether an effect or a finished task needs a reference to evidence.
    pub(crate) effect_evidence_required: bool,
}

impl Contract {
    /// Reads a contract from JSON text. Repeated keys are refused.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn from_json(text: &[u8]) -> Result<Self, Problems> {
        load::json(text, load::MOST_BYTES, |document| Self::from_value(document.root()))
    }

    /// Reads a contract from YAML text. Repeated keys are refused.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn from_yaml(text: &[u8]) -> Result<Self, Problems> {
        load::yaml(text, &load::CONTRACT_LIMITS, |document| Self::from_value(document.root()))
    }

    /// Returns the contract that a value is.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn from_value(value: Value<'_>) -> Result<Self, Problems> {
        let mut problems = Problems::default();
        let contract = read::bounded(value, &mut Collector::new(&mut problems));
        match contract {
            Some(contract) if problems.0.is_empty() => Ok(contract),
            _ => Err(problems),
        }
    }

    /// Returns what a sealed result entitles to say.
    pub fn claim_type(&self) -> ClaimType {
        self.claim_type
    }
}

#[cfg(test)]
mod tests;
