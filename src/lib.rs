//! Decides whether tool results may back a claim.
pub mod time;
pub mod value;
pub mod version;
