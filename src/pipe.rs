//! Moves whole lines from inputs through worker threads to sinks, in input order; knows bytes and blocks of lines,
//! not what a line means.
//!
//! ```text
//! Source → BlockReader → Ordered (fill │ work, work, … │ drain) → Sink
//!            ↑ Stop: a signal, or a drain that failed, wakes a reader that waits
//! ```
//!
//! * [`Stop`]: the one request to stop reading, as a flag and as a descriptor to poll.
//! * [`Source`], [`Input`]: something to read bytes from, and how to wait for it.
//! * [`BlockReader`], [`Block`], [`Line`]: whole lines, as many as are ready to read, the longest one bounded.
//! * [`Ordered`]: fan out and in; order holds by construction, memory is bounded by the number of jobs.
//! * [`Sink`], [`write_pair`]: descriptors to write to, short writes and slow readers included.
//! * [`descriptor`]: inherited descriptor numbers, and which file a descriptor is.
//!
//! # Order of setting up
//!
//! Descriptor numbers named by the user have to be adopted ([`Sink::inherit`]) before the process opens anything of
//! its own (files, the pair inside [`Stop`]): a number that was not inherited would otherwise name one of those.
//!
//! A descriptor 0, 1 or 2 that is closed when the program starts is opened on `/dev/null` by Rust's runtime before
//! `main`, so `program >&-` cannot be told from `program <>/dev/null >&0`: what is written goes nowhere, and it does
//! not land in some file that happened to get number 1.

pub mod block;
pub mod decoded;
pub mod descriptor;
pub mod input;
pub mod ordered;
pub mod reader;
pub mod sink;
pub mod stop;

pub use block::{Block, Line, Lines};
pub use decoded::Decoded;
pub use descriptor::{DescriptorError, FileId};
pub use input::{Input, Source};
pub use ordered::{Fault, More, Ordered};
pub use reader::{BlockReader, Limits, ReadError};
pub use sink::{Sink, SinkError, SinkFault, write_pair};
pub use stop::Stop;
