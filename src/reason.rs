//! Every reason code once: its spelling, what it says, and what to do about it. Why a rule exists stands in its file.

use std::fmt;

macro_rules! reasons {
    ($($(#[$doc:meta])* $variant:ident = $code:literal, $summary:literal, $advice:literal;)*) => {
        /// Why a result is sealed, blocked or rejected: a stable code.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Reason {
            $(#[doc = $summary] $variant,)*
        }

        impl Reason {
            /// Every reason, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns the code as records spell it.
            pub const fn code(self) -> &'static str {
                match self { $(Self::$variant => $code,)* }
            }

            /// Returns what the code says, in one sentence.
            pub const fn summary(self) -> &'static str {
                match self { $(Self::$variant => $summary,)* }
            }

            /// Returns what to do about it, in one or two sentences.
            pub const fn advice(self) -> &'static str {
                match self { $(Self::$variant => $advice,)* }
            }
        }
    };
}

reasons! {
    SealedWithRequiredEvidence = "SEALED_WITH_REQUIRED_EVIDENCE",
        "Everything that the contract asks for is there.",
        "Nothing: the payload may back the claim.";
    NoDispatch = "NO_DISPATCH",
        "There is a claim, but no record that the tool ever ran.",
        "Run the tool and record its result; a model's own words are no observation.";
    TransportFailed = "TRANSPORT_FAILED",
        "The call failed: an HTTP status outside 200 to 399, or an exit code other than 0.",
        "Repeat the call or report the failure; a body that came with it proves nothing.";
    ParseFailed = "PARSE_FAILED",
        "Text that should be JSON or YAML is neither.",
        "Look for output that was cut short, an HTML page, or log lines mixed into the result.";
    ProtocolConflict = "PROTOCOL_CONFLICT",
        "The tool's protocol says that the call failed (`isError`), whatever the payload looks like.",
        "Read the error text as an error; do not pass it on as the answer.";
    EmptyWithoutNotFoundSentinel = "EMPTY_WITHOUT_NOT_FOUND_SENTINEL",
        "Nothing came back, and nothing says that this means absence.",
        "Do not conclude that the thing does not exist. Where the source can say so explicitly, name that value as `not_found_sentinel` in a `not_found` contract.";
    SourceMismatch = "SOURCE_MISMATCH",
        "The result comes from another source than the contract names.",
        "Ask the right source, or correct `source_ref` in the contract.";
    TargetMismatch = "TARGET_MISMATCH",
        "The result is about another target than the contract names.",
        "Ask again for the right target; an answer about another one supports nothing.";
    MissingRequiredField = "MISSING_REQUIRED_FIELD",
        "A field that the claim needs is not in the payload, or the version that freshness needs is not in the input.",
        "Ask for the missing field; do not fill it in.";
    StaleObservation = "STALE_OBSERVATION",
        "The observation is too old, from the future, or below the required version.",
        "Ask again past the cache, or check the clocks of both sides.";
    UnverifiedEffect = "UNVERIFIED_EFFECT",
        "An effect is claimed without evidence that it happened.",
        "Record what the effect left behind (a message id, a row version) under `evidence_refs`.";
    ToolError = "TOOL_ERROR",
        "The payload itself reports a failure, or leaves open whether it does.",
        "Read the answer as an error. Where a condition of `error_when` names a member that good answers lack, ask for it with `exists` first.";
    TruncatedResult = "TRUNCATED_RESULT",
        "This is not all of it: the result says that it was cut, or that there is more.",
        "Ask for the rest before saying anything about the whole.";
    StaleResult = "STALE_RESULT",
        "Whoever recorded the result says that it is stale.",
        "Ask again past the cache.";
    CorruptedResult = "CORRUPTED_RESULT",
        "Whoever recorded the result says that it is corrupted.",
        "Ask again; nothing in it can be relied on.";
    RedactedResult = "REDACTED_RESULT",
        "Whoever recorded the result says that parts of it were taken out.",
        "Judge the result before it is redacted, or ask for less.";
    ClaimContradicted = "CLAIM_CONTRADICTED",
        "The source says that the thing does not exist, and the claim says otherwise.",
        "Claim `not_found`, or ask for something else.";
    TypeMismatch = "TYPE_MISMATCH",
        "A value is of another type than the contract asks for.",
        "Correct the tool, or the rule's `type`; types are exact, and `\"1\"`, `1`, `1.0` and `true` are four values.";
    OutOfRange = "OUT_OF_RANGE",
        "A number is below the minimum or above the maximum of its rule, or overflows.",
        "Look for a unit or a default that is not the one the contract means.";
    ValueNotAllowed = "VALUE_NOT_ALLOWED",
        "A value is none of those that the contract names, or its pattern is not found in it.",
        "Ask the tool again, or add the value to the rule.";
    EmptyValue = "EMPTY_VALUE",
        "A string is nothing but white space.",
        "Ask for the missing value; do not fill it in.";
    UnusablePlaceholder = "UNUSABLE_PLACEHOLDER",
        "A string stands for a value that is not there: redacted, `n/a`, `null`, or with characters lost.",
        "Ask for the value itself.";
    PayloadSchemaMismatch = "PAYLOAD_SCHEMA_MISMATCH",
        "The payload is not valid against a schema, or the schema cannot be used.",
        "The finding names the place in the schema; correct the tool, or the schema.";
    InvalidClaims = "INVALID_CLAIMS",
        "The claims are no array of `{path, value}`, or the contract asks for one and there is none.",
        "Record what is said about the result as `claims: [{path, value}]`.";
    UndeclaredClaim = "UNDECLARED_CLAIM",
        "A claim is about a path that the contract's `fields` do not declare.",
        "Declare the path under `fields`, or drop the claim.";
    ClaimMismatch = "CLAIM_MISMATCH",
        "A claim says another value, or another type, than the payload holds.",
        "Correct the sentence; the payload is what was observed.";
    NoContract = "NO_CONTRACT",
        "The bundle has no contract for this tool, and no default.",
        "Write a contract for the tool, or a `default` for every tool without one.";
    UnsupportedClaim = "UNSUPPORTED_CLAIM",
        "The input names a `claim_type` for which its tool has no contract.",
        "Add a contract of that claim type for the tool, or correct the input.";
    SchemaInvalid = "SCHEMA_INVALID",
        "The input is not a well-formed adapter input, or its `observed_at` is no timestamp with an offset.",
        "Correct the member that the finding names.";
    UnsafeInput = "UNSAFE_INPUT",
        "YAML with an anchor, an alias, a tag or a key that is not allowed.",
        "Write the document with plain values only.";
    LimitExceeded = "LIMIT_EXCEEDED",
        "The document is past a bound: bytes, depth, nodes or the length of a string.",
        "Send less at once, or raise the bound that the finding names with its flag.";
    ContractInvalid = "CONTRACT_INVALID",
        "A contract, bundle or fixture is not well-formed.",
        "Correct the member that the message names; `sealpipe schema contract` describes them all.";
    InvalidArgument = "INVALID_ARGUMENT",
        "A command-line argument has no meaning.",
        "See `sealpipe --help`.";
}

impl Reason {
    /// Returns the reason that a code spells.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|reason| reason.code() == code)
    }

    /// Returns true where this is `other`, or a narrower case of it.
    pub fn specialises(self, other: Self) -> bool {
        self == other || (self == Self::LimitExceeded && other == Self::UnsafeInput)
    }

    /// Returns the exit status of a program that ends because of this reason for a rejection.
    pub const fn exit_status(self) -> u8 {
        match self {
            Self::SealedWithRequiredEvidence => 0,
            Self::UnsafeInput | Self::LimitExceeded => 3,
            _ => 2,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_read_back() {
        for (index, reason) in Reason::ALL.iter().enumerate() {
            assert_eq!(Reason::from_code(reason.code()), Some(*reason));
            assert!(Reason::ALL.iter().skip(index + 1).all(|other| other.code() != reason.code()));
            assert!(reason.summary().ends_with('.') && reason.advice().ends_with('.'), "{reason}");
        }
        assert_eq!(Reason::from_code("NOPE"), None);
    }

    #[test]
    fn only_a_limit_specialises_another_code() {
        for a in Reason::ALL {
            for b in Reason::ALL {
                assert_eq!(
                    a.specialises(*b),
                    a == b || (*a, *b) == (Reason::LimitExceeded, Reason::UnsafeInput)
                );
            }
        }
    }
}
