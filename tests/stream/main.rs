//! The filter as a Unix program: what it does with lines, files, sinks, signals and words on its command line.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test ends at the first surprise")]

mod files;
mod lines;
mod messages;
mod options;
mod order;
mod program;
mod signals;
mod sinks;
mod terminal;
mod waiting;
