//! The request to stop reading: made by a signal or by a failed drain, seen as a flag and waited for as a
//! descriptor; what is done about it is not decided here.

use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::FORBIDDEN;
use signal_hook::{flag, low_level};

/// No one asked to stop.
const RUNNING: usize = 0;
/// Stopped by [`Stop::request`]; every other value that is not [`RUNNING`] is a signal number.
const REQUESTED: usize = usize::MAX;

/// A request to stop reading, shared by whoever makes it and whoever waits.
///
/// Once made it stays: the descriptor is readable from then on and is never read from, so any number of waiters see
/// it, however late they look.
#[derive(Clone, Debug)]
pub struct Stop(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    cause: Arc<AtomicUsize>,
    waited_on: UnixStream,
    written_to: UnixStream,
}

impl Stop {
    /// Returns a stop that nobody has asked for yet.
    ///
    /// # Errors
    /// When the process may open no more descriptors (it takes two).
    pub fn new() -> io::Result<Self> {
        let (waited_on, written_to) = UnixStream::pair()?;
        // A signal handler must not block, and neither must a request: one byte is enough to wake.
        written_to.set_nonblocking(true)?;
        Ok(Self(Arc::new(Shared { cause: Arc::new(AtomicUsize::new(RUNNING)), waited_on, written_to })))
    }

    /// Makes each of `signals` ask for this stop, for the rest of the process.
    ///
    /// The first signal of any of them is the request; the next one of any of them does what it would have done
    /// without this call (for `SIGINT` and `SIGTERM`: kills the process), so that a run that waits for a slow reader
    /// can always be ended. A signal that the parent had set to be ignored is caught all the same.
    ///
    /// # Errors
    /// When a signal does not exist or may not be caught (`SIGKILL`, `SIGSTOP`, `SIGSEGV` and its like).
    pub fn on_signals(&self, signals: &[i32]) -> io::Result<()> {
        let seen_one = Arc::new(AtomicBool::new(false));
        if signals.iter().any(|signal| FORBIDDEN.contains(signal)) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        for &signal in signals {
            let number = usize::try_from(signal).map_err(|_| io::ErrorKind::InvalidInput)?;
            // The actions of a signal run in the order of their registration: die if it is the second, then say
            // which it was before waking anyone.
            flag::register_conditional_default(signal, Arc::clone(&seen_one))?;
            flag::register_usize(signal, Arc::clone(&self.0.cause), number)?;
            flag::register(signal, Arc::clone(&seen_one))?;
            low_level::pipe::register(signal, self.0.written_to.try_clone()?)?;
        }
        Ok(())
    }

    /// Asks to stop, for a reason other than a signal; a signal that came earlier stays the cause.
    pub fn request(&self) {
        let before = self
            .0
            .cause
            .compare_exchange(RUNNING, REQUESTED, Ordering::SeqCst, Ordering::SeqCst)
            .unwrap_or_else(|c| c);
        if before == RUNNING {
            // A full buffer means that the waiters are awake already; there is no other failure with both ends ours.
            let _ = (&self.0.written_to).write(b"x");
        }
    }

    /// Whether anyone asked to stop.
    pub fn is_requested(&self) -> bool {
        self.0.cause.load(Ordering::SeqCst) != RUNNING
    }

    /// The number of the signal that asked to stop, if it was one.
    pub fn signal(&self) -> Option<i32> {
        match self.0.cause.load(Ordering::SeqCst) {
            RUNNING | REQUESTED => None,
            number => i32::try_from(number).ok(),
        }
    }
}

impl AsFd for Stop {
    /// The descriptor that becomes readable, and stays so, when a stop is requested. Never read from it.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.waited_on.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::time::{Duration, Instant};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use signal_hook::consts::{SIGUSR1, SIGUSR2};

    use super::*;

    fn is_readable(stop: &Stop) -> bool {
        let timeout = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut [PollFd::new(stop, PollFlags::IN)], Some(&timeout)).unwrap() == 1
    }

    #[test]
    fn a_request_is_seen_by_every_clone_and_stays() {
        let stop = Stop::new().unwrap();
        let other = stop.clone();
        assert!(!other.is_requested() && !is_readable(&other));
        stop.request();
        stop.request();
        for _ in 0..2 {
            assert!(other.is_requested() && is_readable(&other));
            assert_eq!(other.signal(), None);
        }
    }

    #[test]
    fn a_signal_is_the_cause_and_a_later_request_does_not_hide_it() {
        let stop = Stop::new().unwrap();
        stop.on_signals(&[SIGUSR1]).unwrap();
        low_level::raise(SIGUSR1).unwrap();
        stop.request();
        assert!(is_readable(&stop));
        assert_eq!(stop.signal(), Some(SIGUSR1));
    }

    #[test]
    fn a_signal_that_cannot_be_caught_is_an_error() {
        for signal in [-1, 9999, signal_hook::consts::SIGKILL] {
            assert!(Stop::new().unwrap().on_signals(&[signal]).is_err(), "{signal}");
        }
    }

    /// The child of the next test: one signal must leave it alive, the second must kill it.
    #[test]
    #[ignore = "run by `the_second_signal_kills`"]
    fn second_signal_child() {
        let stop = Stop::new().unwrap();
        stop.on_signals(&[SIGUSR1, SIGUSR2]).unwrap();
        low_level::raise(SIGUSR1).unwrap();
        assert!(stop.is_requested());
        low_level::raise(SIGUSR2).unwrap();
        std::process::exit(77);
    }

    #[test]
    fn the_second_signal_kills() {
        use std::os::unix::process::ExitStatusExt;
        let begun = Instant::now();
        let status = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "pipe::stop::tests::second_signal_child", "--ignored", "--test-threads=1"])
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .status()
            .unwrap();
        assert_eq!(status.signal(), Some(SIGUSR2), "{status:?}");
        assert!(begun.elapsed() < Duration::from_secs(20));
    }
}
