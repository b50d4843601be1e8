//! Gzip and zstd undone while reading, by the first bytes of the input, whatever its name is; anything else as it is.
//!
//! Several members or frames in a row are one text, as `gzip` and `zstd` themselves read them. What comes out may be
//! any number of times what comes in; it is read in pieces like everything else, so memory does not depend on it.

use std::io::{self, BufReader, Read};
use std::os::fd::BorrowedFd;

use flate2::bufread::MultiGzDecoder;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::input::Source;

/// The first bytes of a gzip member (RFC 1952).
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// The first bytes of a zstd frame (RFC 8878).
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Of a zstd skippable frame the first byte is one of sixteen, the others are these.
const ZSTD_SKIPPABLE: [u8; 3] = [0x2a, 0x4d, 0x18];
/// How much of a compressed input is held at a time, in bytes.
const HELD: usize = 64 << 10;

/// A source, decompressed where it is compressed.
#[derive(Debug)]
pub struct Decoded<S: Source> {
    state: State<S>,
    /// The decoder may have more although the source has nothing to read now.
    pending: bool,
}

#[derive(Debug)]
enum State<S: Source> {
    /// Too little was read to tell.
    Unknown(Peeked<S>),
    Plain(Peeked<S>),
    Gzip(Box<MultiGzDecoder<BufReader<Peeked<S>>>>),
    Zstd(Box<ZstdDecoder<S>>),
    /// Only while one state becomes another.
    Gone,
}

struct ZstdDecoder<S: Source>(zstd::Decoder<'static, BufReader<Peeked<S>>>);

impl<S: Source> std::fmt::Debug for ZstdDecoder<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ZstdDecoder")
    }
}

/// A source whose first bytes were read already. It never waits: what is not there now is an error of the kind
/// [`io::ErrorKind::WouldBlock`], which decoders pass on without losing their place.
#[derive(Debug)]
struct Peeked<S> {
    first: [u8; 4],
    /// The bytes of `first` that were read, and how many of them were given on.
    filled: usize,
    given: usize,
    ended: bool,
    source: S,
}

impl<S: Source> Peeked<S> {
    fn read_source(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if let Some(fd) = self.source.waits_on() {
            let mut fds = [PollFd::from_borrowed_fd(fd, PollFlags::IN)];
            if poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }))? == 0 {
                return Err(io::ErrorKind::WouldBlock.into());
            }
        }
        self.source.read(into)
    }

    /// Reads until the first bytes are there, or the end.
    fn peek(&mut self) -> io::Result<()> {
        while self.filled < self.first.len() && !self.ended && self.is_open_question() {
            let mut piece = [0; 4];
            let room = self.first.len() - self.filled;
            let read = self.read_source(piece.get_mut(..room).unwrap_or_default())?;
            self.ended = read == 0;
            for byte in piece.iter().take(read) {
                if let Some(slot) = self.first.get_mut(self.filled) {
                    *slot = *byte;
                    self.filled += 1;
                }
            }
        }
        Ok(())
    }

    fn first(&self) -> &[u8] {
        self.first.get(..self.filled).unwrap_or_default()
    }

    /// Returns true while more bytes could make it a compressed input.
    fn is_open_question(&self) -> bool {
        let first = self.first();
        let skippable = first.first().is_none_or(|byte| (0x50..0x60).contains(byte))
            && ZSTD_SKIPPABLE.starts_with(first.get(1..).unwrap_or_default());
        GZIP.starts_with(first) || ZSTD.starts_with(first) || skippable
    }
}

impl<S: Source> Read for Peeked<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.first.get(self.given..self.filled).unwrap_or_default();
        if !left.is_empty() {
            let count = left.len().min(buffer.len());
            if let (Some(to), Some(from)) = (buffer.get_mut(..count), left.get(..count)) {
                to.copy_from_slice(from);
            }
            self.given += count;
            return Ok(count);
        }
        if self.ended {
            return Ok(0);
        }
        self.read_source(buffer)
    }
}

impl<S: Source> Decoded<S> {
    /// Returns the source; nothing is read before it is asked for.
    pub fn new(source: S) -> Self {
        let peeked = Peeked { first: [0; 4], filled: 0, given: 0, ended: false, source };
        Self { state: State::Unknown(peeked), pending: false }
    }

    fn source(&self) -> Option<&S> {
        match &self.state {
            State::Unknown(peeked) | State::Plain(peeked) => Some(&peeked.source),
            State::Gzip(decoder) => Some(&decoder.get_ref().get_ref().source),
            State::Zstd(decoder) => Some(&decoder.0.get_ref().get_ref().source),
            State::Gone => None,
        }
    }

    /// Looks at the first bytes and chooses how to read on.
    fn decide(&mut self) -> io::Result<()> {
        if !matches!(self.state, State::Unknown(_)) {
            return Ok(());
        }
        let State::Unknown(mut peeked) = std::mem::replace(&mut self.state, State::Gone) else {
            return Ok(());
        };
        if let Err(error) = peeked.peek() {
            self.state = State::Unknown(peeked);
            return Err(error);
        }
        let first = peeked.first();
        let zstd = first == ZSTD
            || (first.len() == 4 && first.ends_with(&ZSTD_SKIPPABLE) && (0x50..0x60).contains(&first[0]));
        self.state = if first.starts_with(&GZIP) {
            State::Gzip(Box::new(MultiGzDecoder::new(BufReader::with_capacity(HELD, peeked))))
        } else if zstd {
            let decoder = zstd::Decoder::with_buffer(BufReader::with_capacity(HELD, peeked))?;
            State::Zstd(Box::new(ZstdDecoder(decoder)))
        } else {
            State::Plain(peeked)
        };
        Ok(())
    }
}

impl<S: Source> Read for Decoded<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.pending = false;
        self.decide()?;
        let read = match &mut self.state {
            State::Plain(peeked) => return peeked.read(buffer),
            State::Gzip(decoder) => decoder.read(buffer)?,
            State::Zstd(decoder) => decoder.0.read(buffer)?,
            State::Unknown(_) | State::Gone => 0,
        };
        self.pending = read > 0;
        Ok(read)
    }
}

impl<S: Source> Source for Decoded<S> {
    fn waits_on(&self) -> Option<BorrowedFd<'_>> {
        // After a read that gave something a decoder may have more in hand; the next read tells, without waiting.
        if self.pending { None } else { self.source()?.waits_on() }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::fd::AsFd;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;
    use rustix::pipe::pipe;

    use super::super::input::Input;
    use super::*;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(text: &[u8]) -> Vec<u8> {
        zstd::encode_all(text, 1).unwrap()
    }

    fn decode(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut decoded = Decoded::new(bytes);
        let mut text = Vec::new();
        decoded.read_to_end(&mut text)?;
        Ok(text)
    }

    #[test]
    fn tells_compressed_inputs_by_their_first_bytes() {
        let text = b"{\"kind\":\"json\"}\n";
        let twice = text.repeat(2);
        let skippable = [&[0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9][..], &zstd(text)].concat();
        for (name, bytes, expected) in [
            ("plain", text.to_vec(), text.to_vec()),
            ("empty", Vec::new(), Vec::new()),
            ("gzip", gzip(text), text.to_vec()),
            ("zstd", zstd(text), text.to_vec()),
            ("two gzip members", [gzip(text), gzip(text)].concat(), twice.clone()),
            ("two zstd frames", [zstd(text), zstd(text)].concat(), twice),
            ("a zstd skippable frame first", skippable, text.to_vec()),
            ("gzip of nothing", gzip(b""), Vec::new()),
            ("shorter than the first bytes", b"\x1f".to_vec(), b"\x1f".to_vec()),
            ("begins like zstd", b"\x28\xb5\x2f".to_vec(), b"\x28\xb5\x2f".to_vec()),
            ("begins with a parenthesis", b"(\n".to_vec(), b"(\n".to_vec()),
            ("begins with P", b"PKx\n".to_vec(), b"PKx\n".to_vec()),
        ] {
            assert_eq!(decode(&bytes).unwrap(), expected, "{name}");
        }
    }

    #[test]
    fn a_compressed_input_that_is_cut_or_damaged_is_an_error() {
        let text = b"{\"kind\":\"json\"}\n".repeat(100);
        // A zstd frame need not have a checksum: its damage may show or not. Gzip has one.
        for (name, whole, checked) in [("gzip", gzip(&text), true), ("zstd", zstd(&text), false)] {
            assert!(decode(&whole[..whole.len() - 6]).is_err(), "{name} cut");
            let mut damaged = whole.clone();
            let middle = damaged.len() / 2;
            damaged[middle] ^= 0xff;
            assert!(decode(&damaged).is_err() || !checked, "{name} damaged");
        }
    }

    #[test]
    fn gives_what_came_so_far_while_a_pipe_stays_open() {
        for compress in [gzip, zstd] {
            let (read, write) = pipe().unwrap();
            let mut writer = std::fs::File::from(write);
            let mut decoded = Decoded::new(Input::from_fd(read).unwrap());
            let whole = [compress(b"first\n"), compress(b"second\n")].concat();
            let first = compress(b"first\n").len();
            let mut text = Vec::new();
            let mut buffer = [0; 4];
            for piece in [&whole[..1], &whole[1..3], &whole[3..first], &whole[first..]] {
                writer.write_all(piece).unwrap();
                // A read where there is nothing never waits, and says so.
                loop {
                    match decoded.read(&mut buffer) {
                        Ok(read) => text.extend_from_slice(&buffer[..read]),
                        Err(error) => {
                            assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
                            assert!(decoded.waits_on().is_some());
                            break;
                        }
                    }
                }
                if piece.len() > 2 && text.len() < 8 {
                    assert_eq!(text, b"first\n");
                }
            }
            assert_eq!(text, b"first\nsecond\n");
            drop(writer);
            assert_eq!(decoded.read(&mut buffer).unwrap(), 0);
            assert!(decoded.source().unwrap().waits_on().unwrap().as_fd().try_clone_to_owned().is_ok());
        }
    }

    proptest! {
        #[test]
        fn any_bytes_come_back(text in prop::collection::vec(any::<u8>(), 0..5000), members in 1_usize..4) {
            let expected = text.repeat(members);
            prop_assert_eq!(&decode(&gzip(&text).repeat(members)).unwrap(), &expected);
            prop_assert_eq!(&decode(&zstd(&text).repeat(members)).unwrap(), &expected);
        }
    }
}
