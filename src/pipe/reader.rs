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
mod tests {
    use std::collections::VecDeque;
    use std::io::{Read, Write};
    use std::os::fd::{AsFd, BorrowedFd};
    use std::thread;
    use std::time::Duration;

    use proptest::prelude::*;
    use rustix::fs::{OFlags, fcntl_setfl};

    use super::super::block::Line;
    use super::super::input::Input;
    use super::*;
    use rustix::pipe::{PipeFlags, pipe_with};

    /// A source that gives its bytes in pieces, with an error in front of some.
    struct Script(VecDeque<Result<Vec<u8>, io::ErrorKind>>);

    impl Read for Script {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            assert!(!buffer.is_empty());
            match self.0.front_mut() {
                None => Ok(0),
                Some(Ok(piece)) => {
                    let read = piece.len().min(buffer.len());
                    buffer[..read].copy_from_slice(&piece[..read]);
                    piece.drain(..read);
                    if piece.is_empty() {
                        self.0.pop_front();
                    }
                    Ok(read)
                }
                Some(Err(kind)) => {
                    let kind = *kind;
                    self.0.pop_front();
                    Err(kind.into())
                }
            }
        }
    }

    impl Source for Script {}

    /// What is left of a line when blocks are forgotten: input, number, text or length.
    type Seen = (usize, u64, Result<Vec<u8>, u64>);

    fn see(block: &Block, seen: &mut Vec<Seen>) {
        seen.extend(block.lines().map(|line| match line {
            Line::Whole { number, text, .. } => (block.source(), number, Ok(text.to_vec())),
            Line::Overlong { number, bytes } => (block.source(), number, Err(bytes)),
        }));
    }

    fn read_all<S: Source>(inputs: Vec<S>, limits: Limits) -> Vec<Seen> {
        let mut reader = BlockReader::new(inputs.into_iter().map(Ok), limits, Stop::new().unwrap());
        let (mut block, mut seen) = (Block::new(), Vec::new());
        while reader.fill(&mut block).unwrap() == More::Job {
            assert!(block.overlong.is_some() || !block.bytes().is_empty());
            see(&block, &mut seen);
        }
        seen
    }

    /// The same by the definition, without blocks.
    fn by_definition(inputs: &[Vec<u8>], line_bytes: usize) -> Vec<Seen> {
        let mut seen = Vec::new();
        for (index, input) in inputs.iter().enumerate() {
            for (number, raw) in (1..).zip(input.split(|&byte| byte == b'\n')) {
                let text = raw.strip_prefix("\u{feff}".as_bytes()).unwrap_or(raw);
                let text = text.strip_suffix(b"\r").unwrap_or(text);
                if text.iter().any(|byte| !b" \t\r".contains(byte)) {
                    let kept =
                        if text.len() > line_bytes { Err(text.len() as u64) } else { Ok(text.to_vec()) };
                    seen.push((index, number, kept));
                }
            }
        }
        seen
    }

    fn line() -> impl Strategy<Value = Vec<u8>> {
        let text = prop_oneof![
            4 => prop::collection::vec(prop::sample::select(b"ab {}\r\t".to_vec()), 0..12),
            1 => prop::collection::vec(prop::sample::select(b" \r\t".to_vec()), 0..60),
            1 => prop::collection::vec(prop::sample::select(b"ab\r".to_vec()), 0..200),
            1 => prop::collection::vec(prop::sample::select(b"ab\r".to_vec()), 14..24),
        ];
        (any::<bool>(), text).prop_map(|(bom, text)| {
            let mut line = if bom { "\u{feff}".as_bytes().to_vec() } else { Vec::new() };
            line.extend(text);
            line
        })
    }

    fn input() -> impl Strategy<Value = Vec<u8>> {
        (prop::collection::vec(line(), 0..12), any::<bool>()).prop_map(|(lines, newline)| {
            let mut bytes = lines.join(&b'\n');
            if newline {
                bytes.push(b'\n');
            }
            bytes
        })
    }

    fn cut(bytes: &[u8], sizes: &[usize]) -> Script {
        let mut pieces = VecDeque::new();
        let (mut rest, mut sizes) = (bytes, sizes.iter().cycle());
        while !rest.is_empty() {
            let size = sizes.next().map_or(rest.len(), |&size| size.clamp(1, rest.len()));
            pieces.push_back(Ok(rest[..size].to_vec()));
            if size % 3 == 0 {
                pieces.push_back(Err(io::ErrorKind::Interrupted));
            }
            rest = &rest[size..];
        }
        Script(pieces)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]
        #[test]
        fn the_same_lines_however_they_are_cut(
            inputs in prop::collection::vec(input(), 0..4),
            sizes in prop::collection::vec(1usize..40, 0..6),
            block_bytes in prop_oneof![Just(0), 1usize..64, Just(1 << 16)],
            line_bytes in 0usize..32,
        ) {
            let scripts = inputs.iter().map(|bytes| cut(bytes, &sizes)).collect();
            let seen = read_all(scripts, Limits { block_bytes, line_bytes });
            prop_assert_eq!(seen, by_definition(&inputs, line_bytes));
        }
    }

    #[test]
    fn a_line_at_the_limit_is_held_and_one_over_it_is_not_wherever_it_stands() {
        let limits = Limits { block_bytes: 16, line_bytes: 10 };
        for length in [9, 10, 11, 12, 13, 14, 15, 16, 17, 40] {
            for around in ["", "\r", "\u{feff}"] {
                let long = match around {
                    "\r" => "x".repeat(length) + around,
                    _ => around.to_owned() + &"x".repeat(length),
                };
                for position in 0..3 {
                    for end in ["\n", ""] {
                        let mut lines = vec!["a", "b"];
                        lines.insert(position, &long);
                        let bytes = (lines.join("\n") + end).into_bytes();
                        for at_once in [1, 5, 100] {
                            let seen = read_all(vec![cut(&bytes, &[at_once])], limits);
                            assert_eq!(seen, by_definition(std::slice::from_ref(&bytes), 10), "{bytes:?}");
                            assert_eq!(seen[position].2.is_err(), length > 10);
                        }
                    }
                }
            }
        }
    }

    /// Endless `x`, and a newline after `left` of them.
    struct LongLine {
        left: u64,
        ended: bool,
    }

    impl Read for LongLine {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.left == 0 {
                let read = usize::from(!self.ended);
                buffer[..read].fill(b'\n');
                self.ended = true;
                return Ok(read);
            }
            let read = usize::try_from(self.left).unwrap().min(buffer.len());
            buffer[..read].fill(b'x');
            self.left -= read as u64;
            Ok(read)
        }
    }

    impl Source for LongLine {}

    #[test]
    fn a_line_of_many_megabytes_takes_a_block_of_memory() {
        let inputs = [Ok(LongLine { left: 300 << 20, ended: false })].into_iter();
        let mut reader = BlockReader::new(inputs, Limits::default(), Stop::new().unwrap());
        let mut block = Block::new();
        assert_eq!(reader.fill(&mut block).unwrap(), More::Job);
        assert_eq!(block.lines().collect::<Vec<_>>(), [Line::Overlong { number: 1, bytes: 300 << 20 }]);
        assert!(block.buffer.capacity() <= 1 << 20);
        assert_eq!(reader.fill(&mut block).unwrap(), More::End);
    }

    #[test]
    fn a_raised_limit_holds_the_line_and_gives_the_memory_back() {
        let limits = Limits { line_bytes: 9 << 20, ..Limits::default() };
        let mut bytes = vec![b'x'; 8 << 20];
        bytes.extend_from_slice(b"\nshort\n");
        bytes.resize(9 << 20, b'y');
        let mut reader = BlockReader::new([Ok(&bytes[..])].into_iter(), limits, Stop::new().unwrap());
        let (mut block, mut lengths) = (Block::new(), Vec::new());
        while reader.fill(&mut block).unwrap() == More::Job {
            assert!(block.buffer.capacity() <= (9 << 20) + 5);
            lengths.extend(block.lines().map(|line| match line {
                Line::Whole { text, .. } => text.len(),
                Line::Overlong { .. } => 0,
            }));
        }
        assert_eq!(lengths, [8 << 20, 5, (1 << 20) - 7]);
        let mut reader = BlockReader::new([Ok(&b"a\n"[..])].into_iter(), limits, Stop::new().unwrap());
        assert_eq!(reader.fill(&mut block).unwrap(), More::Job);
        assert!(block.buffer.capacity() <= 1 << 20);
    }

    #[test]
    fn a_failed_input_gives_its_lines_first_and_the_next_one_follows() {
        let inputs = vec![
            Ok(Script([Ok(b"a\nhal".to_vec()), Err(io::ErrorKind::ConnectionAborted)].into())),
            Err(io::ErrorKind::NotFound.into()),
            Ok(Script([Ok(vec![b'x'; 100]), Err(io::ErrorKind::ConnectionAborted)].into())),
            Ok(Script([Ok(b"b".to_vec())].into())),
        ];
        let limits = Limits { block_bytes: 8, line_bytes: 8 };
        let mut reader = BlockReader::new(inputs.into_iter(), limits, Stop::new().unwrap());
        let (mut block, mut seen, mut failed) = (Block::new(), Vec::new(), Vec::new());
        loop {
            match reader.fill(&mut block) {
                Ok(More::Job) => see(&block, &mut seen),
                Ok(More::End) => break,
                Err(error) => failed.push((seen.len(), error.source, error.error.kind())),
            }
        }
        assert_eq!(seen, [(0, 1, Ok(b"a".to_vec())), (3, 1, Ok(b"b".to_vec()))]);
        let expected = [
            (1, 0, io::ErrorKind::ConnectionAborted),
            (1, 1, io::ErrorKind::NotFound),
            (1, 2, io::ErrorKind::ConnectionAborted),
        ];
        assert_eq!(failed, expected);
    }

    fn piped() -> (std::fs::File, BlockReader<Input, impl Iterator<Item = io::Result<Input>>>, Stop) {
        let (read, write) = pipe_with(PipeFlags::CLOEXEC).unwrap();
        let stop = Stop::new().unwrap();
        let inputs = [Input::from_fd(read)].into_iter();
        (write.into(), BlockReader::new(inputs, Limits::default(), stop.clone()), stop)
    }

    #[test]
    fn what_is_ready_is_handed_over_and_a_partial_line_holds_up_nothing() {
        let (mut write, mut reader, _) = piped();
        let mut block = Block::new();
        for (written, expected) in
            [("a\nb\nc", "a\nb\n"), ("\n", "c\n"), ("d\n", "d\n"), ("\n\ne\nf", "\n\ne\n"), ("\ng", "f\n")]
        {
            write.write_all(written.as_bytes()).unwrap();
            assert_eq!(reader.fill(&mut block).unwrap(), More::Job);
            assert_eq!(block.bytes(), expected.as_bytes());
        }
        drop(write);
        assert_eq!(reader.fill(&mut block).unwrap(), More::Job);
        assert_eq!((block.first_line(), block.bytes()), (9, &b"g"[..]));
        assert_eq!(reader.fill(&mut block).unwrap(), More::End);
    }

    #[test]
    fn a_flood_makes_full_blocks() {
        let (mut write, mut reader, _) = piped();
        thread::scope(|threads| {
            threads.spawn(move || write.write_all(&b"0123456789\n".repeat(500_000)).unwrap());
            let (mut block, mut blocks, mut lines) = (Block::new(), 0, 0);
            while reader.fill(&mut block).unwrap() == More::Job {
                assert_eq!(block.first_line(), lines + 1);
                blocks += 1;
                lines += block.lines().count() as u64;
                // What a worker would take; the pipe fills up meanwhile.
                thread::sleep(Duration::from_micros(300));
            }
            assert_eq!(lines, 500_000);
            assert!(blocks < 1000, "{blocks}");
        });
    }

    #[test]
    fn a_stop_ends_a_wait_and_drops_half_a_line() {
        let (mut write, mut reader, stop) = piped();
        write.write_all(b"a\nhalf").unwrap();
        let mut block = Block::new();
        assert_eq!(reader.fill(&mut block).unwrap(), More::Job);
        assert_eq!(block.bytes(), b"a\n");
        thread::scope(|threads| {
            threads.spawn(|| {
                thread::sleep(Duration::from_millis(30));
                stop.request();
            });
            assert_eq!(reader.fill(&mut block).unwrap(), More::End);
        });
        assert_eq!(reader.dropped(), 4);
        assert_eq!(reader.fill(&mut block).unwrap(), More::End);
        assert!(write.write_all(b" line\n").is_err(), "the input is closed");
    }

    #[test]
    fn a_stop_ends_a_line_without_end_and_a_source_that_never_waits() {
        let stop = Stop::new().unwrap();
        let other = stop.clone();
        let inputs = [Ok(LongLine { left: u64::MAX, ended: false })].into_iter();
        let mut reader = BlockReader::new(inputs, Limits::default(), stop);
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(30));
            other.request();
        });
        assert_eq!(reader.fill(&mut Block::new()).unwrap(), More::End);
        assert!(reader.dropped() > 0);
    }

    #[test]
    fn a_nonblocking_input_is_waited_for_without_spinning() {
        /// Counts the reads of an input.
        struct Counted(Input, std::rc::Rc<std::cell::Cell<u32>>);
        impl Read for Counted {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                self.1.set(self.1.get() + 1);
                self.0.read(buffer)
            }
        }
        impl Source for Counted {
            fn waits_on(&self) -> Option<BorrowedFd<'_>> {
                self.0.waits_on()
            }
        }
        let (read, write) = pipe_with(PipeFlags::CLOEXEC).unwrap();
        fcntl_setfl(read.as_fd(), OFlags::NONBLOCK).unwrap();
        let reads = std::rc::Rc::new(std::cell::Cell::new(0));
        let inputs = [Input::from_fd(read).map(|input| Counted(input, reads.clone()))].into_iter();
        let mut reader = BlockReader::new(inputs, Limits::default(), Stop::new().unwrap());
        thread::scope(|threads| {
            threads.spawn(move || {
                for piece in ["a", "b", "\n", "c\nd"] {
                    thread::sleep(Duration::from_millis(20));
                    rustix::io::write(&write, piece.as_bytes()).unwrap();
                }
            });
            let (mut block, mut seen) = (Block::new(), Vec::new());
            while reader.fill(&mut block).unwrap() == More::Job {
                see(&block, &mut seen);
            }
            let expected = [b"ab", &b"c"[..], b"d"].into_iter().zip(1..);
            assert_eq!(seen, expected.map(|(text, n)| (0, n, Ok(text.to_vec()))).collect::<Vec<_>>());
        });
        assert!(reads.get() <= 8, "{} reads", reads.get());
    }

    #[test]
    fn a_lone_line_is_handed_over_at_once() {
        let (mut write, mut reader, _) = piped();
        let mut block = Block::new();
        for _ in 0..20 {
            write.write_all(b"a\n").unwrap();
            // The input stays open: a reader that waited for more would wait for ever.
            assert_eq!(reader.fill(&mut block).unwrap(), More::Job);
            assert_eq!(block.bytes(), b"a\n");
        }
    }
}
