//! Decisions that own what they say, and the two functions for one result and one contract.

use std::fmt;

use super::Engine;
use crate::canon::Writer;
use crate::contract::Contract;
use crate::decision::{Outcome, Place, Redaction, Ruling, TruthState};
use crate::reason::Reason;
use crate::time::Timestamp;

/// The decision about one result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    outcome: Outcome,
    truth_state: Option<TruthState>,
    reasons: Vec<Reason>,
    core: String,
    full: String,
    payload: Option<String>,
}

impl Decision {
    pub(super) fn of(
        ruling: &Ruling<'_>,
        place: &Place<'_>,
        redaction: &Redaction,
        writer: &mut Writer,
    ) -> Self {
        let text = |write: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = Vec::new();
            write(&mut bytes);
            String::from_utf8(bytes).unwrap_or_default()
        };
        let mut payload = Vec::new();
        let has_payload =
            ruling.outcome == Outcome::Sealed && ruling.write_payload(writer, &mut payload).is_ok();
        Self {
            outcome: ruling.outcome,
            truth_state: ruling.truth_state,
            reasons: ruling.reasons().collect(),
            core: text(&|out| ruling.write_core(place, redaction, out)),
            full: text(&|out| ruling.write_full(place, redaction, out)),
            payload: has_payload.then(|| String::from_utf8(payload).unwrap_or_default()),
        }
    }

    /// Returns what was decided.
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// Returns true where the result may back the claim.
    pub fn is_sealed(&self) -> bool {
        self.outcome == Outcome::Sealed
    }

    /// Returns what is known of the thing; `None` where the result was rejected.
    pub fn truth_state(&self) -> Option<TruthState> {
        self.truth_state
    }

    /// Returns the reason codes, each once.
    pub fn reasons(&self) -> &[Reason] {
        &self.reasons
    }

    /// Returns the core record: canonical JSON, without a newline.
    pub fn core_record(&self) -> &str {
        &self.core
    }

    /// Returns the full record, with findings: canonical JSON, without a newline.
    pub fn full_record(&self) -> &str {
        &self.full
    }

    /// Returns the payload as JSON, where the result is sealed.
    pub fn payload(&self) -> Option<&str> {
        self.payload.as_deref()
    }
}

/// What `seal` gives where the result must not be passed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocked(Box<Decision>);

impl Blocked {
    /// Returns the decision, which is blocked or rejected.
    pub fn decision(&self) -> &Decision {
        &self.0
    }
}

impl fmt::Display for Blocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.truth_state {
            Some(state) => write!(f, "observation blocked as {state}:")?,
            None => f.write_str("observation rejected:")?,
        }
        self.0.reasons.iter().try_for_each(|reason| write!(f, " {reason}"))
    }
}

impl std::error::Error for Blocked {}

/// Decides about one adapter input, given as JSON text, by one contract.
///
/// ```
/// use sealpipe::{Contract, Timestamp, check};
///
/// let contract = Contract::from_json(br#"{
///     "schema_version": "1", "claim_type": "found", "required_fields": ["customer_id", "name"],
///     "freshness": {"mode": "not_required"}, "source_ref": "crm://customers", "target_ref": "customer:42"
/// }"#)?;
/// let now = Timestamp::parse("2026-11-02T12:00:00Z")?;
/// let empty = br#"{"source_ref": "crm://customers", "target_ref": "customer:42", "body": []}"#;
/// let decision = check(empty, &contract, now);
/// assert!(!decision.is_sealed());
/// assert_eq!(decision.reasons()[0].code(), "EMPTY_WITHOUT_NOT_FOUND_SENTINEL");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check(input: &[u8], contract: &Contract, now: Timestamp) -> Decision {
    Engine::of_contract(contract.clone()).check(input, now)
}

/// Returns the payload of a result that may back the contract's claim, as JSON.
///
/// ```
/// use sealpipe::{Contract, Timestamp, seal};
///
/// let contract = Contract::from_json(br#"{
///     "schema_version": "1", "claim_type": "found", "required_fields": ["customer_id", "name"],
///     "freshness": {"mode": "not_required"}, "source_ref": "crm://customers", "target_ref": "customer:42"
/// }"#)?;
/// let now = Timestamp::parse("2026-11-02T12:00:00Z")?;
/// let input = |body: &str| format!(r#"{{"source_ref": "crm://customers", "target_ref": "customer:42", "body": {body}}}"#);
///
/// let sealed = seal(input(r#"{"name": "Ada", "customer_id": "42"}"#).as_bytes(), &contract, now)?;
/// assert_eq!(sealed, r#"{"customer_id":"42","name":"Ada"}"#);
///
/// let blocked = seal(input("[]").as_bytes(), &contract, now).unwrap_err();
/// assert_eq!(blocked.to_string(), "observation blocked as empty: EMPTY_WITHOUT_NOT_FOUND_SENTINEL");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Blocked`], with the decision, where the result is blocked or rejected, or where JSON cannot say the payload.
pub fn seal(input: &[u8], contract: &Contract, now: Timestamp) -> Result<String, Blocked> {
    let decision = check(input, contract, now);
    match decision.payload {
        Some(payload) => Ok(payload),
        None => Err(Blocked(Box::new(decision))),
    }
}
