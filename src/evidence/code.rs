//! The reason codes of evidence reports, each once. They are a vocabulary of their own beside that of the records.

macro_rules! codes {
    ($($variant:ident = $name:literal, $summary:literal;)*) => {
        /// Why a result may not be used.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Code {
            $(#[doc = $summary] $variant,)*
        }

        impl Code {
            /// Every code, in the order in which they are looked for.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns the code as reports spell it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Returns what the code says, in one sentence.
            pub const fn summary(self) -> &'static str {
                match self { $(Self::$variant => $summary,)* }
            }
        }
    };
}

codes! {
    InputLimit = "INPUT_LIMIT", "The document is past a bound: 1 MiB, 64 levels of nesting, 10,000 nodes.";
    InvalidJson = "INVALID_JSON", "The document is not strict JSON, or an object has the same key twice.";
    InvalidDocument = "INVALID_DOCUMENT", "The document has a member other than `contract`, `result` and `claims`.";
    InvalidContract = "INVALID_CONTRACT", "The contract is not well-formed.";
    InvalidResult = "INVALID_RESULT", "The result is no object, or a flag of it is no boolean.";
    TruncatedResult = "TRUNCATED_RESULT", "The result says that it is truncated.";
    StaleResult = "STALE_RESULT", "The result says that it is stale, or it is older than the contract allows.";
    CorruptedResult = "CORRUPTED_RESULT", "The result says that it is corrupted.";
    RedactedResult = "REDACTED_RESULT", "The result says that parts of it are redacted.";
    ToolError = "TOOL_ERROR", "The result's status is not `ok`, or it has an error.";
    CallIdMismatch = "CALL_ID_MISMATCH", "The result answers another call.";
    InvalidTimestamp = "INVALID_TIMESTAMP", "When the result was observed is no timestamp with an offset.";
    FutureTimestamp = "FUTURE_TIMESTAMP", "The result was observed after the reference clock.";
    MissingField = "MISSING_FIELD", "There is no value at the path of a rule.";
    TypeMismatch = "TYPE_MISMATCH", "A value is of another type than its rule asks for.";
    NonfiniteValue = "NONFINITE_VALUE", "A number is not finite.";
    OutOfRange = "OUT_OF_RANGE", "A number is below the minimum or above the maximum of its rule.";
    EmptyValue = "EMPTY_VALUE", "A string is blank.";
    UnusablePlaceholder = "UNUSABLE_PLACEHOLDER", "A string stands for a value that is not there.";
    ValueNotAllowed = "VALUE_NOT_ALLOWED", "A value is none of those that its rule allows.";
    InvalidClaims = "INVALID_CLAIMS", "The claims are no array of `{path, value}`.";
    UndeclaredClaim = "UNDECLARED_CLAIM", "A claim is about a path that no rule declares.";
    ClaimMismatch = "CLAIM_MISMATCH", "A claim says another value than the result holds.";
}

impl Code {
    /// Returns true where the document could not be read at all.
    pub const fn is_unreadable(self) -> bool {
        matches!(self, Self::InputLimit | Self::InvalidJson)
    }
}
