//! What every command that reads a stream starts with: worker threads, and a stop that signals ask for.

use std::num::NonZeroUsize;

use signal_hook::consts::{SIGINT, SIGTERM};

use super::Failure;
use crate::pipe::{Ordered, Stop};

/// Starts as many workers as are asked for, else one a processor; SIGINT and SIGTERM stop the reading.
pub(super) fn start(threads: Option<NonZeroUsize>) -> Result<(Ordered, Stop), Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::Io(error.to_string());
    let threads = threads.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    let stop = Stop::new().map_err(|error| failed(&error))?;
    stop.on_signals(&[SIGINT, SIGTERM]).map_err(|error| failed(&error))?;
    let ordered = Ordered::new(threads).map_err(|error| failed(&error))?;
    Ok((ordered, stop))
}
