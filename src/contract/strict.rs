//! The terms of a contract of version "2": everything that version "1" asks for, and what it cannot say.

use super::ClaimType;
use crate::condition::Condition;
use crate::fields::FieldRule;
use crate::pattern::Matcher;
use crate::scheme::Scheme;
use crate::template::Template;
use crate::validator::Schema;
use crate::value::Pointer;

mod doubts;
mod read;

pub(super) use read::read;

/// What a contract of version "2" asks for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Strict {
    /// What it allows to say.
    pub(crate) claim_type: ClaimType,
    /// Where a result may come from; any that matches will do; not empty.
    pub(crate) sources: Box<[Matcher]>,
    /// What was asked for; filled from the input.
    pub(crate) target_ref: Option<Template>,
    /// What came back; filled from the payload.
    pub(crate) observed_target: Option<Template>,
    /// What the payload must have.
    pub(crate) required_fields: Box<[Required]>,
    /// Rules on single values of the payload.
    pub(crate) fields: Box<[FieldRule]>,
    /// What the payload as a whole must be.
    pub(crate) payload_schema: Option<Schema>,
    /// What the structured content of an MCP result must be.
    pub(crate) output_schema: Option<Schema>,
    /// Whether the `format` of a schema in the input is held against values.
    pub(crate) assert_formats: bool,
    /// Any of these means a failure inside a success.
    pub(crate) error_when: Box<[Condition]>,
    /// Any of these means that nothing came back.
    pub(crate) empty_when: Box<[Condition]>,
    /// All of these together are an explicit absence; none where empty.
    pub(crate) not_found_when: Box<[Condition]>,
    /// Any of these means that there is more.
    pub(crate) partial_when: Box<[Condition]>,
    /// The value that says absence; 1 to 256 characters.
    pub(crate) not_found_sentinel: Option<Box<str>>,
    /// How new the observation must be.
    pub(crate) freshness: Freshness,
    /// Whether an effect or a finished task needs evidence.
    pub(crate) effect_evidence_required: bool,
    /// What counts as evidence; any reference where neither is given.
    pub(crate) effect_evidence: Evidence,
    /// Whether an effect may come without a payload.
    pub(crate) allow_empty_payload: bool,
    /// Whether the input must carry at least one claim.
    pub(crate) claims_required: bool,
    /// How text is read.
    pub(crate) text_format: TextFormat,
    /// Exit codes that count as success beside 0.
    pub(crate) success_exit_codes: Box<[i64]>,
}

/// A part of the payload that must be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Required {
    /// Where; a name was made a pointer to a top-level member.
    pub(crate) path: Pointer,
    /// Whether it may be `""`, `[]` or `{}`.
    pub(crate) may_be_empty: bool,
}

/// What counts as evidence of an effect.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Evidence {
    /// Where the payload must hold a scalar that says something.
    pub(crate) pointer: Option<Pointer>,
    /// What one evidence reference must match.
    pub(crate) refs: Option<Matcher>,
}

impl Evidence {
    /// Returns true where the contract names something.
    pub(crate) fn is_given(&self) -> bool {
        self.pointer.is_some() || self.refs.is_some()
    }
}

/// How new an observation must be, under version "2".
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Freshness {
    /// Any age will do.
    NotRequired,
    /// Its `source_version` must be there and not below this one.
    SourceVersion {
        /// 1 to 256 characters; a version of the scheme.
        minimum: Box<str>,
        /// How both are compared.
        scheme: Scheme,
    },
    /// It must not be older than this, nor from the future.
    MaxAge {
        /// 0 to 31,536,000.
        seconds: u32,
        /// How far it may lie in the future, in seconds, and still have no age; 0 to 86,400.
        skew: u32,
        /// Where in the input the time stands; `observed_at` where `None`.
        observed_at: Option<Pointer>,
    },
}

/// How the text of an MCP result, or of a process, is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum TextFormat {
    /// MCP: as JSON where it begins like it. A process: as its `output_format` says.
    #[default]
    Stated,
    /// As JSON; anything else is a parse failure.
    Json,
    /// As it stands.
    Text,
}

#[cfg(test)]
mod tests;
