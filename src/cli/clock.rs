//! The reference clock: pinned by an argument, each record's own, or the machine's.

use std::time::{SystemTime, UNIX_EPOCH};

use super::Failure;
use crate::engine::Clock;
use crate::time::Timestamp;
use crate::value::Pointer;

/// What a command takes for now.
#[derive(Debug)]
pub(super) enum Source {
    /// The same throughout.
    Fixed(Clock),
    /// The machine's clock, at the moment it is asked.
    Machine,
}

impl Source {
    /// Resolves `--now` and `--now-from`.
    pub(super) fn of(now: Option<&str>, now_from: Option<&str>) -> Result<Self, Failure> {
        if let Some(text) = now {
            return Ok(Self::Fixed(Clock::At(timestamp(text)?)));
        }
        let Some(text) = now_from else { return Ok(Self::Machine) };
        let pointer = Pointer::parse(text)
            .map_err(|error| Failure::argument(format!("--now-from: {error}, as in `/observed_at`")))?;
        Ok(Self::Fixed(Clock::FromInput(pointer)))
    }

    /// Returns the clock at this moment.
    pub(super) fn read(&self) -> Clock {
        match self {
            Self::Fixed(clock) => clock.clone(),
            Self::Machine => Clock::At(machine()),
        }
    }
}

/// Reads a timestamp given as an argument; without an offset it is UTC.
pub(super) fn timestamp(text: &str) -> Result<Timestamp, Failure> {
    // White space around it is passed over, as Python's `str.strip` does.
    let text = text
        .trim_matches(|character: char| character.is_whitespace() || ('\x1c'..='\x1f').contains(&character));
    Timestamp::parse_assuming_utc(text).map_err(|_| {
        Failure::argument("--now: not an ISO 8601 timestamp; write it like `2026-11-02T12:00:00Z`")
    })
}

fn machine() -> Timestamp {
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => {
            Timestamp::from_unix(i64::try_from(since.as_secs()).unwrap_or(i64::MAX), since.subsec_nanos())
        }
        // Before 1970 the clock is not set; the start of its count is the nearest thing to say.
        Err(_) => Timestamp::from_unix(0, 0),
    }
}
