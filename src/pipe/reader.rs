//! Reads whole lines into blocks, as many as are ready; bounds the longest line and ends early when asked to stop.
//!
//! A block is handed over as soon as it is full or nothing more is ready to read. That rule, not a timer, answers a
//! lone line at once and cuts a flood into big blocks. A line that is not complete yet waits for its end without
//! holding up complete lines before it.

use std::fmt;
use std::io;

use memchr::{memchr, memchr_iter, memrchr};

use super::block::{AROUND_TEXT, Block, Passed};
use super::input::{Readiness, Source, readiness};
use super::ordered::More;
use super::stop::Stop;

/// How much a [`BlockReader`] holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The size in bytes at which a block is full. A single line may make it larger, up to `line_bytes`.
    pub block_bytes: usize,
    /// The longest line that is held, in bytes of its text (see [`Line`](super::Line)).
    pub line_bytes: usize,
}

impl Default for Limits {
    /// Blocks of 256 KiB, lines of 128 KiB.
    fn default() -> Self {
        Self { block_bytes: 256 << 10, line_bytes: 128 << 10 }
    }
}

/// An input could not be opened or read.
#[derive(Debug)]
pub struct ReadError {
    /// The input, counted from 0.
    pub source: usize,
    /// What the system said.
    pub error: io::Error,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "input {}: {}", self.source + 1, self.error)
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// Reads blocks from inputs, one input after the other.
///
/// An input is opened when its turn comes and closed after it. No line goes from one input into the next.
///
/// # Stopping
/// Once the [`Stop`] is requested nothing more is read, even if it is there. Whole lines that were read before are
/// still handed over. The start of a line whose end was not read is dropped: half a line is not a line, and what a
/// reader made of it could be false; [`BlockReader::dropped`] tells its length.
#[derive(Debug)]
pub struct BlockReader<S, I> {
    inputs: I,
    opened: usize,
    current: Option<Reading<S>>,
    limits: Limits,
    stop: Stop,
    dropped: u64,
}

impl<S: Source, I: Iterator<Item = io::Result<S>>> BlockReader<S, I> {
    /// Returns a reader over `inputs`, each opened by the call of `next` that returns it.
    pub fn new(inputs: I, limits: Limits, stop: Stop) -> Self {
        let limits = Limits { block_bytes: limits.block_bytes.max(1), ..limits };
        Self { inputs, opened: 0, current: None, limits, stop, dropped: 0 }
    }

    /// Fills `block` with what comes next, waiting for one line at least; `More::End` at the end of the last input
    /// or when the stop was requested.
    ///
    /// # Errors
    /// When an input cannot be opened or read. Whole lines read before the failure have been handed over by then, and
    /// the line it broke off is dropped. The failed input is done with: the next call goes on with the next one.
    pub fn fill(&mut self, block: &mut Block) -> Result<More, ReadError> {
        loop {
            let mut reading = match self.current.take() {
                Some(reading) => reading,
                None if self.stop.is_requested() => return Ok(More::End),
                None => match self.inputs.next() {
                    None => return Ok(More::End),
                    Some(input) => {
                        let index = self.opened;
                        self.opened += 1;
                        Reading::new(index, input.map_err(|error| ReadError { source: index, error })?)
                    }
                },
            };
            match reading.fill(block, self.limits, &self.stop) {
                Ok(Filled::Block) => {
                    self.current = Some(reading);
                    return Ok(More::Job);
                }
                Ok(Filled::Nothing) => self.current = Some(reading),
                Ok(Filled::Ended) => {}
                Ok(Filled::Stopped { dropped }) => {
                    self.dropped = dropped;
                    return Ok(More::End);
                }
                Err(error) => return Err(ReadError { source: reading.index, error }),
            }
        }
    }

    /// How many bytes of an incomplete line were read and dropped because of the stop.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }
}

/// What a call of [`Reading::fill`] came to.
enum Filled {
    /// There is something in the block.
    Block,
    /// There is not, and there is more to read: a blank line without end was passed.
    Nothing,
    /// The input is at its end and all of it is handed over.
    Ended,
    /// A stop was requested; the start of a line may have been dropped.
    Stopped { dropped: u64 },
}

/// Where an input is.
#[derive(Debug)]
enum State {
    Open,
    Ended,
    /// To be reported after the lines read before it.
    Failed(io::Error),
}

/// One input on its way.
#[derive(Debug)]
struct Reading<S> {
    index: usize,
    source: S,
    state: State,
    /// The number of the next line to hand over.
    line: u64,
    /// What was read and not yet handed over: the start of a line, or what came behind a line that was passed.
    carry: Vec<u8>,
}

impl<S: Source> Reading<S> {
    fn new(index: usize, source: S) -> Self {
        Self { index, source, state: State::Open, line: 1, carry: Vec::new() }
    }

    fn fill(&mut self, block: &mut Block, limits: Limits, stop: &Stop) -> io::Result<Filled> {
        let longest = limits.line_bytes.saturating_add(AROUND_TEXT);
        // Short of the limit by an eighth, so as not to end a block with a small read.
        let full = limits.block_bytes - limits.block_bytes / 8;
        self.begin(block, limits);
        let mut whole = end_of_lines(block.bytes());
        loop {
            match std::mem::replace(&mut self.state, State::Open) {
                State::Open => {}
                State::Ended => {
                    self.state = State::Ended;
                    // The last line may lack its newline.
                    return Ok(if block.filled == 0 {
                        Filled::Ended
                    } else {
                        self.hand_over(block, block.filled)
                    });
                }
                State::Failed(error) if whole == 0 => return Err(error),
                failed @ State::Failed(_) => {
                    self.state = failed;
                    return Ok(self.hand_over(block, whole));
                }
            }
            if whole == 0 && block.filled > longest {
                return Ok(self.pass(block, stop));
            }
            if whole > 0 && block.filled >= full {
                return Ok(self.hand_over(block, whole));
            }
            match self.readiness(stop, whole == 0) {
                Readiness::Ready => {}
                Readiness::NotNow | Readiness::Stopped if whole > 0 => {
                    return Ok(self.hand_over(block, whole));
                }
                Readiness::NotNow => continue,
                Readiness::Stopped => return Ok(Filled::Stopped { dropped: block.filled as u64 }),
            }
            let room = make_room(block, limits.block_bytes, longest);
            let before = block.filled;
            let read = self.read(&mut block.buffer[before..room]);
            block.filled += read;
            match end_of_lines(&block.buffer[before..block.filled]) {
                0 => {}
                end => whole = before + end,
            }
            if read == 0 && whole > 0 && matches!(self.state, State::Open) {
                return Ok(self.hand_over(block, whole));
            }
        }
    }

    /// Reads on to the end of a line whose start in `block` is over the limit, without holding it.
    fn pass(&mut self, block: &mut Block, stop: &Stop) -> Filled {
        let mut passed = Passed::begin(block.bytes());
        let mut dropped = block.filled as u64;
        block.filled = 0;
        while matches!(self.state, State::Open) {
            match self.readiness(stop, true) {
                Readiness::Ready => {}
                Readiness::NotNow => continue,
                Readiness::Stopped => return Filled::Stopped { dropped },
            }
            let read = self.read(&mut block.buffer);
            let read = &block.buffer[..read];
            dropped += read.len() as u64;
            if let Some(end) = memchr(b'\n', read) {
                passed.add(&read[..end]);
                self.carry.extend_from_slice(&read[end + 1..]);
                break;
            }
            passed.add(read);
        }
        if let State::Failed(_) = self.state {
            return Filled::Nothing;
        }
        block.overlong = passed.text_length();
        self.line += 1;
        if block.overlong.is_some() { Filled::Block } else { Filled::Nothing }
    }

    /// Empties `block` but for what was carried over.
    fn begin(&mut self, block: &mut Block, limits: Limits) {
        if block.buffer.len() / 4 > limits.block_bytes.max(self.carry.len()) {
            // Left from a line much longer than a block: not kept, so that rare ones do not add up.
            block.buffer.truncate(limits.block_bytes);
            block.buffer.shrink_to_fit();
        }
        if block.buffer.len() < self.carry.len() {
            block.buffer.resize(self.carry.len(), 0);
        }
        block.buffer[..self.carry.len()].copy_from_slice(&self.carry);
        block.filled = self.carry.len();
        block.source = self.index;
        block.first_line = self.line;
        block.line_limit = limits.line_bytes;
        block.overlong = None;
        self.carry.clear();
    }

    /// Leaves the first `whole` bytes in `block` and carries the rest over.
    fn hand_over(&mut self, block: &mut Block, whole: usize) -> Filled {
        self.carry.extend_from_slice(&block.buffer[whole..block.filled]);
        block.filled = whole;
        self.line += memchr_iter(b'\n', block.bytes()).count() as u64;
        Filled::Block
    }

    /// As [`readiness`]; with `wait`, not now means that the wait failed and the state says why.
    fn readiness(&mut self, stop: &Stop, wait: bool) -> Readiness {
        readiness(&self.source, stop, wait).unwrap_or_else(|error| {
            self.state = State::Failed(error);
            Readiness::NotNow
        })
    }

    /// Reads once into a buffer that is not empty. Nothing read means: the state says why, or try again.
    fn read(&mut self, into: &mut [u8]) -> usize {
        match self.source.read(into) {
            Ok(0) => self.state = State::Ended,
            Ok(read) => return read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // Someone else took what was ready, or made the descriptor non-blocking: wait for more.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && self.source.waits_on().is_some() => {}
            Err(error) => self.state = State::Failed(error),
        }
        0
    }
}

/// The length of the whole lines at the start of `bytes`.
fn end_of_lines(bytes: &[u8]) -> usize {
    memrchr(b'\n', bytes).map_or(0, |newline| newline + 1)
}

/// Returns where to end a read into the buffer, at least a byte behind what is in it: at the size of a block, and
/// beyond it for one line.
fn make_room(block: &mut Block, block_bytes: usize, longest: usize) -> usize {
    let size = if block.filled < block_bytes {
        block_bytes
    } else {
        block.filled.saturating_mul(2).min(longest.saturating_add(1)).max(block.filled + 1)
    };
    if block.buffer.len() < size {
        block.buffer.reserve_exact(size - block.buffer.len());
        block.buffer.resize(size, 0);
    }
    size
}

#[cfg(test)]
mod tests;
