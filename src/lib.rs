#![doc = include_str!("../README.md")]

pub mod canon;
pub mod claims;
pub mod cli;
pub mod condition;
pub mod contract;
pub mod decision;
pub mod document;
pub mod engine;
pub mod evidence;
pub mod fields;
pub mod finding;
pub mod fingerprint;
pub mod fixture;
pub mod import;
pub mod input;
pub mod observe;
pub mod pattern;
pub mod pipe;
pub mod reason;
pub mod render;
pub mod rules;
pub mod scalar;
pub mod schema;
pub mod scheme;
pub mod secrets;
pub mod template;
pub mod time;
pub mod validator;
pub mod value;
pub mod version;
pub mod yaml;

pub use contract::{Bundle, Contract};
pub use decision::{Outcome, TruthState};
pub use engine::{Blocked, Clock, Decision, Engine, Scratch, check, seal};
pub use reason::Reason;
pub use time::Timestamp;
