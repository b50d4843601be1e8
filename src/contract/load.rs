//! From text to a document, for the files that people write: contracts, bundles, fixtures. Repeated keys are refused.

use bumpalo::Bump;

use super::problem::{Problem, Problems};
use crate::reason::Reason;
use crate::value::{Document, Limits, Parser, Syntax};
use crate::yaml;

/// The most bytes of one contract, in a file of its own or in a bundle.
pub(super) const MOST_BYTES: usize = Limits::DEFAULT.bytes;

/// The most bytes of a bundle's file.
pub(crate) const MOST_BUNDLE_BYTES: usize = 64 << 20;

/// The bounds of a contract in a file of its own.
pub(super) const CONTRACT_LIMITS: Limits = Limits::DEFAULT;

/// The bounds of a bundle as a whole; each contract in it has its own.
pub(super) const BUNDLE_LIMITS: Limits =
    Limits { bytes: MOST_BUNDLE_BYTES, depth: 40, nodes: usize::MAX, characters: Limits::DEFAULT.characters };

/// Reads JSON text and hands the document on.
pub(super) fn json<T>(
    text: &[u8],
    most_bytes: usize,
    then: impl FnOnce(&Document<'_>) -> Result<T, Problems>,
) -> Result<T, Problems> {
    if text.len() > most_bytes {
        return Err(problem(Reason::LimitExceeded, format!("more than {most_bytes} bytes")));
    }
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut parser = Parser::default();
    let parsed = parser.parse(text).map_err(|error| match error {
        Syntax::TooDeep => problem(Reason::LimitExceeded, error.to_string()),
        error => problem(Reason::ParseFailed, format!("not valid JSON: {error}")),
    })?;
    if parsed.has_duplicate_keys() {
        return Err(problem(Reason::ContractInvalid, "the same key twice in one object".to_owned()));
    }
    then(&parsed)
}

/// Reads YAML text and hands the document on.
pub(super) fn yaml<T>(
    text: &[u8],
    limits: &Limits,
    then: impl FnOnce(&Document<'_>) -> Result<T, Problems>,
) -> Result<T, Problems> {
    let text = std::str::from_utf8(text).map_err(|error| {
        problem(Reason::ParseFailed, format!("invalid UTF-8 at byte {}", error.valid_up_to()))
    })?;
    let arena = Bump::new();
    let document = yaml::load_unique(text, &arena, limits)
        .map_err(|refusal| problem(refusal.reason, refusal.to_string()))?;
    then(&document)
}

fn problem(reason: Reason, message: String) -> Problems {
    Problems(vec![Problem { reason, file: None, place: String::new(), message }])
}
