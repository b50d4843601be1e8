//! Lines, limits and failures, however the bytes arrive.

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
                let kept = if text.len() > line_bytes { Err(text.len() as u64) } else { Ok(text.to_vec()) };
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
