//! Decides whether tool results may back a claim.

pub mod pipe;
