//! One input, every path, same bytes; and what holds of a decision whatever the input.

#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]

mod decisions;
mod inputs;
mod streams;
