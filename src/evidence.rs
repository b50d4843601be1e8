//! Evidence documents: `{contract, result, claims?}` in one, judged without an adapter input and without a bundle.
//!
//! A report holds codes and a count, never a value. It is the text that Python's `json.dumps` writes.

use crate::claims::{self, Flaw};
use crate::contract::{Collector, Problems};
use crate::fields::{self, Dialect, FieldRule, Violation};
use crate::scalar::{self, Scalar};
use crate::time::Timestamp;
use crate::value::{Kind, Limits, Object, Parser, Syntax, Value};

mod code;

pub use code::Code;

/// The bounds of an evidence document.
pub const LIMITS: Limits = Limits { bytes: 1 << 20, depth: 64, nodes: 10_000, characters: 1 << 20 };

/// What a report says, as a program's exit status does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// The result may be used, and supports every claim.
    Ok,
    /// It may not, or it does not.
    Failed,
    /// The document could not be read.
    Unreadable,
}

impl Status {
    /// Returns the exit status of a program that ends with this report: 0, 1 or 2.
    pub const fn exit_status(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Failed => 1,
            Self::Unreadable => 2,
        }
    }
}

/// The working memory of one thread that reports; kept from document to document.
#[derive(Default)]
pub struct Scratch {
    parser: Parser,
    codes: Vec<Code>,
}

/// Appends the report of one document to `out`, without a newline.
pub fn report(document: &[u8], now: Timestamp, scratch: &mut Scratch, out: &mut Vec<u8>) -> Status {
    let Scratch { parser, codes } = scratch;
    codes.clear();
    let mut reasons = Reasons(codes);
    let supported = judge(document, now, parser, &mut reasons);
    write(codes, supported, out);
    match codes.as_slice() {
        [] => Status::Ok,
        [code] if code.is_unreadable() => Status::Unreadable,
        _ => Status::Failed,
    }
}

/// Appends the report of a document that is over the limit and was never held.
pub fn report_over_limit(out: &mut Vec<u8>) -> Status {
    write(&[Code::InputLimit], 0, out);
    Status::Unreadable
}

/// The codes found so far, each once.
struct Reasons<'r>(&'r mut Vec<Code>);

impl Reasons<'_> {
    fn add(&mut self, code: Code) {
        if !self.0.contains(&code) {
            self.0.push(code);
        }
    }
}

/// Collects the reasons; returns how many claims the result supports.
fn judge(document: &[u8], now: Timestamp, parser: &mut Parser, reasons: &mut Reasons<'_>) -> usize {
    if document.len() > LIMITS.bytes {
        reasons.add(Code::InputLimit);
        return 0;
    }
    let text = document.strip_prefix(b"\xef\xbb\xbf").unwrap_or(document);
    let parsed = match parser.parse(text) {
        Ok(parsed) => parsed,
        Err(error) => {
            reasons.add(if error == Syntax::TooDeep { Code::InputLimit } else { Code::InvalidJson });
            return 0;
        }
    };
    if parsed.has_duplicate_keys() {
        reasons.add(Code::InvalidJson);
        return 0;
    }
    if parsed.check_bounds(&LIMITS).is_err() {
        reasons.add(Code::InputLimit);
        return 0;
    }
    let Some(root) = parsed.root().as_object() else {
        reasons.add(Code::InvalidContract);
        return 0;
    };
    if root.members().any(|(name, _)| !["contract", "result", "claims"].contains(&name)) {
        reasons.add(Code::InvalidDocument);
        return 0;
    }
    let Some(contract) = root.get("contract").and_then(Contract::read) else {
        reasons.add(Code::InvalidContract);
        return 0;
    };
    let Some(result) = root.get("result") else {
        reasons.add(Code::InvalidResult);
        return 0;
    };
    let Some(members) = result.as_object() else {
        reasons.add(Code::InvalidResult);
        return 0;
    };
    check_flags(members, reasons);
    let is_ok = members.get("status").and_then(Value::as_str) == Some("ok");
    if !is_ok || members.get("error").is_some() {
        reasons.add(Code::ToolError);
    }
    if members.get("call_id").and_then(Value::as_str) != Some(contract.call_id) {
        reasons.add(Code::CallIdMismatch);
    }
    check_time(members, &contract, now, reasons);
    for rule in &contract.rules {
        rule.check(result, |violation| reasons.add(code_of(violation)));
    }
    let Some(claims) = root.get("claims") else { return 0 };
    claims::check(claims, &contract.rules, result, |flaw, _| {
        reasons.add(match flaw {
            Flaw::Malformed => Code::InvalidClaims,
            Flaw::Undeclared => Code::UndeclaredClaim,
            Flaw::Mismatch => Code::ClaimMismatch,
        });
    })
}

fn check_flags(result: Object<'_>, reasons: &mut Reasons<'_>) {
    for (name, code) in [
        ("truncated", Code::TruncatedResult),
        ("stale", Code::StaleResult),
        ("corrupted", Code::CorruptedResult),
        ("redacted", Code::RedactedResult),
    ] {
        match result.get(name).map(Value::as_bool) {
            None | Some(Some(false)) => {}
            Some(Some(true)) => reasons.add(code),
            Some(None) => reasons.add(Code::InvalidResult),
        }
    }
}

fn check_time(result: Object<'_>, contract: &Contract<'_>, now: Timestamp, reasons: &mut Reasons<'_>) {
    let observed = result.get("observed_at");
    if observed.is_none() && contract.max_age.is_none() {
        return;
    }
    let Some(observed) = observed.and_then(Value::as_str).and_then(|text| Timestamp::parse(text).ok()) else {
        return reasons.add(Code::InvalidTimestamp);
    };
    let age = now.micros_since(observed);
    if age < 0 {
        reasons.add(Code::FutureTimestamp);
    }
    if contract.max_age.as_ref().is_some_and(|most| is_older(age, most)) {
        reasons.add(Code::StaleResult);
    }
}

/// Returns true where an age in microseconds is above a number of seconds.
fn is_older(age: i64, most_seconds: &Scalar) -> bool {
    #[expect(
        clippy::cast_precision_loss,
        reason = "the age as a double of seconds is what the limit is held against"
    )]
    let seconds = age as f64 / 1e6;
    scalar::compare(Kind::Float(seconds), most_seconds.kind()).is_none_or(std::cmp::Ordering::is_gt)
}

fn code_of(violation: Violation) -> Code {
    match violation {
        Violation::Missing => Code::MissingField,
        Violation::WrongType => Code::TypeMismatch,
        Violation::NotFinite => Code::NonfiniteValue,
        Violation::OutOfRange => Code::OutOfRange,
        Violation::Blank => Code::EmptyValue,
        Violation::Placeholder => Code::UnusablePlaceholder,
        Violation::NotAllowed | Violation::Unmatched => Code::ValueNotAllowed,
    }
}

/// What an evidence document asks of its result.
struct Contract<'t> {
    call_id: &'t str,
    rules: Box<[FieldRule]>,
    /// In seconds; positive and finite.
    max_age: Option<Scalar>,
}

impl<'t> Contract<'t> {
    /// Returns the contract, if it is exactly `{call_id, fields, max_age_seconds?}`.
    fn read(value: Value<'t>) -> Option<Self> {
        let object = value.as_object()?;
        if object.members().any(|(name, _)| !["call_id", "fields", "max_age_seconds"].contains(&name)) {
            return None;
        }
        let call_id = object.get("call_id")?.as_str().filter(|text| !fields::is_blank(text))?;
        let max_age = match object.get("max_age_seconds") {
            None => None,
            Some(value) => Some(Scalar::of(value).filter(|scalar| {
                let zero = Scalar::Integer(0);
                scalar::compare(scalar.kind(), zero.kind()).is_some_and(std::cmp::Ordering::is_gt)
            })?),
        };
        // Why a rule is none is not reported: a report holds codes only.
        let mut problems = Problems::default();
        let rules =
            fields::read_all(object.get("fields")?, Dialect::Evidence, &mut Collector::new(&mut problems))?;
        problems.0.is_empty().then_some(Self { call_id, rules, max_age })
    }
}

/// Appends the report: a space after each comma and colon, and the members in this order.
fn write(codes: &[Code], supported: usize, out: &mut Vec<u8>) {
    let failed = !codes.is_empty();
    let status: &[u8] = if failed { b"FAILED" } else { b"OK" };
    out.extend_from_slice(b"{\"retrieval_status\": \"");
    out.extend_from_slice(status);
    out.extend_from_slice(b"\", \"reasons\": [");
    for (index, code) in codes.iter().enumerate() {
        if index > 0 {
            out.extend_from_slice(b", ");
        }
        out.push(b'"');
        out.extend_from_slice(code.name().as_bytes());
        out.push(b'"');
    }
    out.extend_from_slice(b"], \"supported_claims\": ");
    let supported = if failed { 0 } else { supported };
    out.extend_from_slice(itoa::Buffer::new().format(supported).as_bytes());
    out.push(b'}');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report_of(document: &str) -> (Status, String) {
        let mut out = Vec::new();
        let now = Timestamp::parse("2026-11-02T12:00:00Z").unwrap();
        let status = report(document.as_bytes(), now, &mut Scratch::default(), &mut out);
        (status, String::from_utf8(out).unwrap())
    }

    fn codes_of(document: &str) -> Vec<String> {
        let report: serde_json::Value = serde_json::from_str(&report_of(document).1).unwrap();
        report["reasons"].as_array().unwrap().iter().map(|code| code.as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn a_report_is_one_line_of_codes() {
        let document = r#"{"contract":{"call_id":"c","fields":[{"path":"/data/a","type":"integer"}]},
            "result":{"call_id":"c","status":"ok","data":{"a":0}},"claims":[{"path":"/data/a","value":0}]}"#;
        let ok = r#"{"retrieval_status": "OK", "reasons": [], "supported_claims": 1}"#;
        assert_eq!(report_of(document), (Status::Ok, ok.to_owned()));
        let failed = r#"{"retrieval_status": "FAILED", "reasons": ["INVALID_JSON"], "supported_claims": 0}"#;
        assert_eq!(report_of("{"), (Status::Unreadable, failed.to_owned()));
    }

    #[test]
    fn bounds_come_after_syntax_and_before_meaning() {
        let nested = |depth: usize, end: &str| format!("{}{}{end}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(codes_of(&nested(64, "")), ["INVALID_CONTRACT"]);
        assert_eq!(codes_of(&nested(65, "")), ["INPUT_LIMIT"]);
        assert_eq!(codes_of(&nested(65, "x")), ["INVALID_JSON"]);
        assert_eq!(codes_of(&nested(501, "")), ["INPUT_LIMIT"]);
        let array = |nodes: usize| format!("[{}0]", "0,".repeat(nodes - 2));
        assert_eq!(codes_of(&array(10_000)), ["INVALID_CONTRACT"]);
        assert_eq!(codes_of(&array(10_001)), ["INPUT_LIMIT"]);
        assert_eq!(codes_of(&format!("\"{}\"", "a".repeat((1 << 20) - 2))), ["INVALID_CONTRACT"]);
        assert_eq!(codes_of(&format!("\"{}\"", "a".repeat((1 << 20) - 1))), ["INPUT_LIMIT"]);
        assert_eq!(codes_of(r#"{"contract":1,"contract":2}"#), ["INVALID_JSON"]);
    }

    #[test]
    fn a_repeated_key_is_no_json_however_deep() {
        let document = r#"{"contract":{},"result":{"data":{"a":[{"b":1,"b":1}]}}}"#;
        assert_eq!(codes_of(document), ["INVALID_JSON"]);
    }
}
