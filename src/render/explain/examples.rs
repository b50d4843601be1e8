//! A smallest example of each reason code: an input and what it is judged by.

use crate::reason::Reason;

/// An example of a code.
pub(super) enum Example {
    /// An input, with a contract or bundle. The rule that fails says why, where `why` does not.
    Input { bundle: &'static str, input: &'static str, why: Option<&'static str> },
    /// A contract that is refused.
    Contract { contract: &'static str, why: &'static str },
    /// A command line that is refused.
    Command { command: &'static str, why: &'static str },
}

const FOUND: &str = r#"{"schema_version":"1","claim_type":"found","required_fields":["name"],"freshness":{"mode":"not_required"},"source_ref":"crm","target_ref":"customer:42"}"#;
const VERSIONED: &str = r#"{"schema_version":"1","claim_type":"found","required_fields":["name"],"freshness":{"mode":"source_version"},"min_source_version":"rev-12","source_ref":"crm","target_ref":"customer:42"}"#;
const EFFECT: &str = r#"{"schema_version":"1","claim_type":"effect_observed","required_fields":["status"],"freshness":{"mode":"not_required"},"source_ref":"smtp","target_ref":"mail:7","effect_evidence_required":true}"#;
const ONE_TOOL: &str = r#"{"bundle_version":1,"contracts":{"get_customer":{"schema_version":"1","claim_type":"found","required_fields":["name"],"freshness":{"mode":"not_required"},"source_ref":"crm","target_ref":"customer:42"}}}"#;

const fn judged(bundle: &'static str, input: &'static str) -> Example {
    Example::Input { bundle, input, why: None }
}

const fn explained(bundle: &'static str, input: &'static str, why: &'static str) -> Example {
    Example::Input { bundle, input, why: Some(why) }
}

/// Every code with its example.
pub(super) const EXAMPLES: &[(Reason, Example)] = &[
    (
        Reason::SealedWithRequiredEvidence,
        explained(
            FOUND,
            r#"{"source_ref":"crm","target_ref":"customer:42","body":{"name":"Ada"}}"#,
            "Every rule was asked and none had anything to say: the result arrived, could be read, is about the right \
             thing, is new enough, and has what the claim needs.",
        ),
    ),
    (
        Reason::NoDispatch,
        judged(
            FOUND,
            r#"{"kind":"claim_only","source_ref":"crm","target_ref":"customer:42","claim":"Customer 42 is Ada."}"#,
        ),
    ),
    (
        Reason::TransportFailed,
        judged(
            FOUND,
            r#"{"source_ref":"crm","target_ref":"customer:42","status_code":404,"body":{"error":"not_found"}}"#,
        ),
    ),
    (
        Reason::ParseFailed,
        judged(FOUND, r#"{"source_ref":"crm","target_ref":"customer:42","body":"{\"name\": \"Ad"}"#),
    ),
    (
        Reason::ProtocolConflict,
        judged(
            FOUND,
            r#"{"source_ref":"crm","target_ref":"customer:42","isError":true,"text":"no such customer"}"#,
        ),
    ),
    (
        Reason::EmptyWithoutNotFoundSentinel,
        judged(FOUND, r#"{"source_ref":"crm","target_ref":"customer:42","body":[]}"#),
    ),
    (
        Reason::SourceMismatch,
        judged(FOUND, r#"{"source_ref":"crm-test","target_ref":"customer:42","body":{"name":"Ada"}}"#),
    ),
    (
        Reason::TargetMismatch,
        judged(FOUND, r#"{"source_ref":"crm","target_ref":"customer:7","body":{"name":"Ada"}}"#),
    ),
    (
        Reason::MissingRequiredField,
        judged(FOUND, r#"{"source_ref":"crm","target_ref":"customer:42","body":{"id":42}}"#),
    ),
    (
        Reason::StaleObservation,
        judged(
            VERSIONED,
            r#"{"source_ref":"crm","target_ref":"customer:42","source_version":"rev-9","body":{"name":"Ada"}}"#,
        ),
    ),
    (
        Reason::UnverifiedEffect,
        judged(EFFECT, r#"{"source_ref":"smtp","target_ref":"mail:7","body":{"status":"sent"}}"#),
    ),
    (
        Reason::ToolError,
        judged(
            r#"{"schema_version":"2","claim_type":"found","freshness":{"mode":"not_required"},"source_ref":"crm","error_when":[{"path":"/ok","equals":false}]}"#,
            r#"{"source_ref":"crm","body":{"ok":false,"name":"Ada"}}"#,
        ),
    ),
    (
        Reason::TruncatedResult,
        judged(
            r#"{"schema_version":"2","claim_type":"found","freshness":{"mode":"not_required"},"source_ref":"crm","partial_when":[{"path":"/next_cursor","non_empty":true}]}"#,
            r#"{"source_ref":"crm","body":{"names":["Ada"],"next_cursor":"p2"}}"#,
        ),
    ),
    (
        Reason::StaleResult,
        judged(
            r#"{"schema_version":"2","claim_type":"found","freshness":{"mode":"not_required"},"source_ref":"crm","required_fields":["name"]}"#,
            r#"{"source_ref":"crm","stale":true,"body":{"name":"Ada"}}"#,
        ),
    ),
    (
        Reason::CorruptedResult,
        judged(
            r#"{"schema_version":"2","claim_type":"found","freshness":{"mode":"not_required"},"source_ref":"crm","required_fields":["name"]}"#,
            r#"{"source_ref":"crm","corrupted":true,"body":{"name":"Ada"}}"#,
        ),
    ),
    (
        Reason::RedactedResult,
        judged(
            r#"{"schema_version":"2","claim_type":"found","freshness":{"mode":"not_required"},"source_ref":"crm","required_fields":["name"]}"#,
            r#"{"source_ref":"crm","redacted":true,"body":{"name":"Ada"}}"#,
        ),
    ),
    (
        Reason::ClaimContradicted,
        judged(
            r#"{"schema_version":"2","claim_type":"found","freshness":{"mode":"not_required"},"source_ref":"crm","not_found_when":[{"path":"/found","equals":false}]}"#,
            r#"{"source_ref":"crm","body":{"found":false}}"#,
        ),
    ),
    (
        Reason::TypeMismatch,
        judged(
            r#"{"schema_version":"2","claim_type":"found","freshness":{"mode":"not_required"},"source_ref":"crm","fields":[{"path":"/age","type":"integer","minimum":0,"maximum":150}]}"#,
            r#"{"source_ref":"crm","body":{"age":"36"}}"#,
        ),
    ),
    (
        Reason::OutOfRange,
        judged(
            r#"{"schema_version":"2","claim_type":"found","freshness":{"mode":"not_required"},"source_ref":"crm","fields":[{"path":"/age","type":"integer","minimum":0,"maximum":150}]}"#,
            r#"{"source_ref":"crm","body":{"age":-1}}"#,
        ),
    ),
    (
        Reason::ValueNotAllowed,
        judged(
            r#"{"schema_version":"2","claim_type":"found","freshness":{"mode":"not_required"},"source_ref":"crm","fields":[{"path":"/tier","type":"string","enum":["gold","basic"]}]}"#,
            r#"{"source_ref":"crm","body":{"tier":"silver"}}"#,
        ),
    ),
    (
        Reason::EmptyValue,
        judged(
            r#"{"schema_version":"2","claim_type":"found","freshness":{"mode":"not_required"},"source_ref":"crm","fields":[{"path":"/name","type":"string"}]}"#,
            r#"{"source_ref":"crm","body":{"name":" "}}"#,
        ),
    ),
    (
        Reason::UnusablePlaceholder,
        judged(
            r#"{"schema_version":"2","claim_type":"found","freshness":{"mode":"not_required"},"source_ref":"crm","fields":[{"path":"/name","type":"string"}]}"#,
            r#"{"source_ref":"crm","body":{"name":"n/a"}}"#,
        ),
    ),
    (
        Reason::PayloadSchemaMismatch,
        judged(
            r#"{"schema_version":"2","claim_type":"found","freshness":{"mode":"not_required"},"source_ref":"crm","payload_schema":{"required":["name"]}}"#,
            r#"{"source_ref":"crm","body":{"id":42}}"#,
        ),
    ),
    (
        Reason::InvalidClaims,
        judged(
            r#"{"schema_version":"2","claim_type":"found","freshness":{"mode":"not_required"},"source_ref":"crm","fields":[{"path":"/name","type":"string"}],"claims":{"required":true}}"#,
            r#"{"source_ref":"crm","body":{"name":"Ada"}}"#,
        ),
    ),
    (
        Reason::UndeclaredClaim,
        judged(
            r#"{"schema_version":"2","claim_type":"found","freshness":{"mode":"not_required"},"source_ref":"crm","fields":[{"path":"/name","type":"string"}]}"#,
            r#"{"source_ref":"crm","body":{"name":"Ada","age":36},"claims":[{"path":"/age","value":36}]}"#,
        ),
    ),
    (
        Reason::ClaimMismatch,
        judged(
            r#"{"schema_version":"2","claim_type":"found","freshness":{"mode":"not_required"},"source_ref":"crm","fields":[{"path":"/name","type":"string"}]}"#,
            r#"{"source_ref":"crm","body":{"name":"Ada"},"claims":[{"path":"/name","value":"Bob"}]}"#,
        ),
    ),
    (
        Reason::NoContract,
        explained(
            ONE_TOOL,
            r#"{"tool_name":"get_order","source_ref":"shop","target_ref":"order:7","body":{"total":3}}"#,
            "What nobody wrote a contract for may back no claim. A tool that is forgotten in a bundle shows as blocked, \
             not as passed.",
        ),
    ),
    (
        Reason::UnsupportedClaim,
        explained(
            ONE_TOOL,
            r#"{"tool_name":"get_customer","claim_type":"not_found","source_ref":"crm","target_ref":"customer:42","body":[]}"#,
            "A contract for one claim says nothing about another: what proves that a customer exists cannot prove that \
             one does not.",
        ),
    ),
    (
        Reason::SchemaInvalid,
        explained(
            FOUND,
            r#"{"target_ref":"customer:42","body":{"name":"Ada"}}"#,
            "An input that does not say where its result comes from, or says it in the wrong type, cannot be judged. It \
             is rejected rather than read with guesses.",
        ),
    ),
    (
        Reason::UnsafeInput,
        explained(
            FOUND,
            r#"{"kind":"yaml","source_ref":"crm","target_ref":"customer:42","value":"a: &x [1]\nb: *x"}"#,
            "Anchors and aliases make a short text into a huge document, and tags make readers build things. Plain data \
             needs neither.",
        ),
    ),
    (
        Reason::LimitExceeded,
        explained(
            FOUND,
            r#"{"source_ref":"crm","target_ref":"customer:42","body":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}"#,
            "A document without bounds is a way to make its readers slow. What is past a bound is refused before \
             anything is made of it.",
        ),
    ),
    (
        Reason::ContractInvalid,
        Example::Contract {
            contract: r#"{"schema_version":"1","claim_type":"found","required_field":["name"],"required_fields":[],"freshness":{"mode":"not_required"},"source_ref":"crm","target_ref":"customer:42"}"#,
            why: "A misspelt member that is passed over is a check that nobody makes. A contract is right in all of its \
                  members, or it is refused with everything that is wrong.",
        },
    ),
    (
        Reason::InvalidArgument,
        Example::Command {
            command: "sealpipe check response.json --contract contract.json --now yesterday",
            why: "A command line that is half understood decides about something else than what was asked.",
        },
    ),
];
