//! Contracts: what a result must contain before it may back a claim. Valid by construction; `read` makes them.

use std::fmt;
use std::sync::Arc;

use crate::value::Value;

mod bundle;
mod load;
mod problem;
pub(crate) mod read;
pub(crate) mod strict;

pub use bundle::{Bundle, Entry, Lookup};
pub(crate) use load::MOST_BUNDLE_BYTES;
pub(crate) use problem::Collector;
pub use problem::{Problem, Problems, Warning};
pub(crate) use strict::Strict;

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

    /// Returns true for the claims that something was changed or finished.
    pub const fn is_effect(self) -> bool {
        matches!(self, Self::EffectObserved | Self::TaskComplete)
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

/// How new an observation must be, under version "1".
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

/// One contract, of either version.
#[derive(Debug, Clone, PartialEq)]
pub struct Contract(pub(crate) Terms);

/// What a contract asks for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Terms {
    /// Version "1": what ResultSeal 0.2.0 asks for, gaps included.
    Portable(Portable),
    /// Version "2".
    Strict(Arc<Strict>),
}

/// What a contract of version "1" asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Portable {
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
        match &self.0 {
            Terms::Portable(terms) => terms.claim_type,
            Terms::Strict(terms) => terms.claim_type,
        }
    }

    /// Returns the version that `schema_version` names: 1 or 2.
    pub fn schema_version(&self) -> u8 {
        match &self.0 {
            Terms::Portable(_) => 1,
            Terms::Strict(_) => 2,
        }
    }

    /// Returns the terms of a contract of version "1".
    pub(crate) fn portable(&self) -> Option<&Portable> {
        match &self.0 {
            Terms::Portable(terms) => Some(terms),
            Terms::Strict(_) => None,
        }
    }

    /// Returns true where the contract is of version "2".
    pub(crate) fn is_strict(&self) -> bool {
        matches!(self.0, Terms::Strict(_))
    }
}

#[cfg(test)]
mod tests;
