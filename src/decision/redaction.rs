//! Which members of a record are hidden, before the fingerprint is taken.

use std::borrow::Cow;
use std::fmt;

use crate::finding::Path;
use crate::secrets;

/// The JSON text that stands where a value was.
pub(super) const MARK: &[u8] = b"\"[REDACTED]\"";

macro_rules! members {
    ($($variant:ident = $name:literal;)*) => {
        /// A member of a record that holds something of the input or of the decision.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[expect(missing_docs, reason = "each is the member of that name")]
        pub enum Member { $($variant,)* }

        impl Member {
            /// Every member, by its name in the record.
            pub const ALL: &'static [(&'static str, Self)] = &[$(($name, Self::$variant),)*];

            /// Returns the member's key as it stands in a record behind another member, with comma, quotes and colon.
            pub(super) const fn key(self) -> &'static str {
                match self { $(Self::$variant => concat!(",\"", $name, "\":"),)* }
            }
        }
    };
}

members! {
    ClaimType = "claim_type";
    ContentHash = "content_hash";
    Contract = "contract";
    Decision = "decision";
    EvidenceRefs = "evidence_refs";
    Findings = "findings";
    Input = "input";
    Line = "line";
    ObservationId = "observation_id";
    Origin = "origin";
    ReasonCodes = "reason_codes";
    ResultsealVersion = "resultseal_version";
    SourceRef = "source_ref";
    TargetRef = "target_ref";
    ToolCallId = "tool_call_id";
    ToolName = "tool_name";
    TruthState = "truth_state";
}

impl Member {
    /// Returns the member of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, member)| *member)
    }
}

/// The bit beside those of the members that stands for masked credentials.
const SECRETS: u32 = 1 << 31;

/// What is hidden: the members whose values are replaced by `"[REDACTED]"`, and credentials in those that stay.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Redaction(u32);

/// A name that is no member of a record, or one that cannot be hidden.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownMember(String);

impl fmt::Display for UnknownMember {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = Member::ALL.iter().map(|(name, _)| *name).collect();
        write!(
            f,
            "`{}` is no member of a record that can be redacted; these can: {}",
            self.0.escape_debug(),
            names.join(", ")
        )
    }
}

impl std::error::Error for UnknownMember {}

impl Redaction {
    /// Returns the redaction that hides nothing.
    pub const fn none() -> Self {
        Self(0)
    }

    /// Returns the redaction of the members with these names.
    ///
    /// # Errors
    /// A name that is no member: a misspelt one must not pass for hidden.
    pub fn of<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<Self, UnknownMember> {
        names.into_iter().try_fold(Self::none(), |redaction, name| match Member::from_name(name) {
            Some(member) => Ok(Self(redaction.0 | redaction.bit(member))),
            None => Err(UnknownMember(name.to_owned())),
        })
    }

    /// Returns the redaction of those names that are members, and the names that are none.
    pub fn of_known<'n>(names: impl IntoIterator<Item = &'n str>) -> (Self, Vec<&'n str>) {
        let mut unknown = Vec::new();
        let redaction =
            names.into_iter().fold(Self::none(), |redaction, name| match Member::from_name(name) {
                Some(member) => Self(redaction.0 | redaction.bit(member)),
                None => {
                    unknown.push(name);
                    redaction
                }
            });
        (redaction, unknown)
    }

    /// Returns true where what a finding says about this place would show what is hidden.
    pub fn hides(&self, path: Path<'_>) -> bool {
        match path {
            Path::Member(name) => Member::from_name(name).is_some_and(|member| self.covers(member)),
            Path::None | Path::Field(_) | Path::Pointer(_) => false,
        }
    }

    /// Returns true where a member is hidden.
    pub fn covers(&self, member: Member) -> bool {
        self.0 & self.bit(member) != 0
    }

    /// Sets whether credentials in references and ids are masked.
    #[must_use]
    pub const fn with_masked_secrets(self, masked: bool) -> Self {
        Self(if masked { self.0 | SECRETS } else { self.0 & !SECRETS })
    }

    /// Returns true where credentials in references and ids are masked.
    pub const fn masks_secrets(&self) -> bool {
        self.0 & SECRETS != 0
    }

    /// Returns a reference or an id as records show it.
    pub(crate) fn shown<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.masks_secrets() { secrets::mask(text) } else { Cow::Borrowed(text) }
    }

    #[expect(clippy::unused_self, reason = "reads as a question to the set")]
    const fn bit(&self, member: Member) -> u32 {
        1 << member as u32
    }
}
