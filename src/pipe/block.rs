//! A block: whole lines of one input in one buffer, with their line numbers; not where they come from.

use memchr::memchr;

/// UTF-8's byte order mark.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// What a line's text may have around it: the mark before it, the carriage return after it.
pub(super) const AROUND_TEXT: usize = BOM.len() + 1;

/// Whole lines of one input, or one line that was too long to be held.
///
/// Meant to be filled again and again by a [`BlockReader`](super::BlockReader): the buffer is kept.
#[derive(Debug, Default)]
pub struct Block {
    pub(super) source: usize,
    pub(super) first_line: u64,
    pub(super) line_limit: usize,
    /// The lines are in `buffer[..filled]`; what is behind them is left from earlier.
    pub(super) buffer: Vec<u8>,
    pub(super) filled: usize,
    /// The text length in bytes of the one line that this block stands for; then nothing is in the buffer.
    pub(super) overlong: Option<u64>,
}

impl Block {
    /// Returns an empty block that holds no memory yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a block of lines that are in memory already, numbered from `first_line`; a text of more than
    /// `line_limit` bytes is overlong.
    pub fn from_lines(source: usize, first_line: u64, lines: Vec<u8>, line_limit: usize) -> Self {
        Self { source, first_line, line_limit, filled: lines.len(), buffer: lines, overlong: None }
    }

    /// The input that the lines come from, counted from 0.
    pub fn source(&self) -> usize {
        self.source
    }

    /// The number of the first line, counted from 1 in each input; blank lines count.
    pub fn first_line(&self) -> u64 {
        self.first_line
    }

    /// The lines, each with its newline; only the last one of an input may lack it. Empty for a line that was too
    /// long to be held.
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[..self.filled]
    }

    /// Returns the lines that are not blank, in order.
    pub fn lines(&self) -> Lines<'_> {
        Lines {
            rest: self.bytes(),
            number: self.first_line,
            line_limit: self.line_limit,
            overlong: self.overlong,
        }
    }
}

/// One line that is not blank.
///
/// Its text is the line without the newline, without a byte order mark before it and one carriage return after it.
/// Which variant a line becomes depends on the length of its text alone, never on how the input was cut into blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// A line whose text is within the limit.
    Whole {
        /// Its number, counted from 1 in its input.
        number: u64,
        /// What there is to read.
        text: &'a [u8],
        /// The line byte for byte, without its newline.
        raw: &'a [u8],
    },
    /// A line whose text is over the limit.
    Overlong {
        /// Its number, counted from 1 in its input.
        number: u64,
        /// The length of its text in bytes.
        bytes: u64,
    },
}

impl Line<'_> {
    /// The line's number, counted from 1 in its input.
    pub fn number(&self) -> u64 {
        match *self {
            Self::Whole { number, .. } | Self::Overlong { number, .. } => number,
        }
    }
}

/// The lines of a [`Block`] that are not blank; the others count in the numbers.
#[derive(Clone, Debug)]
pub struct Lines<'a> {
    rest: &'a [u8],
    number: u64,
    line_limit: usize,
    overlong: Option<u64>,
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        if let Some(bytes) = self.overlong.take() {
            return Some(Line::Overlong { number: self.number, bytes });
        }
        while !self.rest.is_empty() {
            let (raw, rest) = match memchr(b'\n', self.rest) {
                Some(end) => (&self.rest[..end], &self.rest[end + 1..]),
                None => (self.rest, &[][..]),
            };
            let number = self.number;
            self.rest = rest;
            self.number += 1;
            let text = text_of(raw);
            if is_blank(text) {
                continue;
            }
            return Some(if text.len() > self.line_limit {
                Line::Overlong { number, bytes: text.len() as u64 }
            } else {
                Line::Whole { number, text, raw }
            });
        }
        None
    }
}

/// The line without a byte order mark before it and one carriage return after it.
fn text_of(raw: &[u8]) -> &[u8] {
    let text = raw.strip_prefix(BOM).unwrap_or(raw);
    text.strip_suffix(b"\r").unwrap_or(text)
}

/// Whether there is nothing on a line but spaces, tabs and carriage returns.
pub(super) fn is_blank(text: &[u8]) -> bool {
    text.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
}

/// A line that is read past and not held: what has to be known of it to say what [`Lines`] would say.
#[derive(Debug)]
pub(super) struct Passed {
    bytes: u64,
    blank: bool,
    last: u8,
}

impl Passed {
    /// Begins with the start of a line that has more than [`AROUND_TEXT`] bytes.
    pub(super) fn begin(start: &[u8]) -> Self {
        let mut passed = Self { bytes: 0, blank: true, last: 0 };
        passed.add(start.strip_prefix(BOM).unwrap_or(start));
        passed
    }

    /// Goes on with the next bytes of the line.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.blank = self.blank && is_blank(bytes);
        self.last = bytes.last().copied().unwrap_or(self.last);
    }

    /// The length of the line's text in bytes; none if it is blank.
    pub(super) fn text_length(&self) -> Option<u64> {
        (!self.blank).then(|| self.bytes - u64::from(self.last == b'\r'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole<'a>(number: u64, text: &'a str, raw: &'a str) -> Line<'a> {
        Line::Whole { number, text: text.as_bytes(), raw: raw.as_bytes() }
    }

    #[test]
    fn lines_are_numbered_trimmed_and_blank_ones_skipped() {
        let bom = "\u{feff}";
        let long = "0123456789";
        let with_bom = format!("{bom}a\r\n{bom}\r\n{bom}b");
        let cases: [(&str, Vec<Line<'_>>); 9] = [
            ("", vec![]),
            ("\n\n", vec![]),
            ("a", vec![whole(1, "a", "a")]),
            ("a\n\nb\n", vec![whole(1, "a", "a"), whole(3, "b", "b")]),
            (" \t\r\n\r\r\na\r\r\n", vec![whole(3, "a\r", "a\r\r")]),
            (" a \r\n", vec![whole(1, " a ", " a \r")]),
            (&with_bom, vec![whole(1, "a", &with_bom[..5]), whole(3, "b", &with_bom[11..])]),
            ("01234567\r\nx", vec![whole(1, "01234567", "01234567\r"), whole(2, "x", "x")]),
            (long, vec![Line::Overlong { number: 1, bytes: 10 }]),
        ];
        for (bytes, expected) in cases {
            let block = Block::from_lines(0, 1, bytes.into(), 8);
            assert_eq!(block.lines().collect::<Vec<_>>(), expected, "{bytes:?}");
        }
    }

    #[test]
    fn a_line_read_past_is_measured_as_one_held() {
        let bom = "\u{feff}";
        for line in ["0123456789", "0123456789\r", "          \r", "123456789\r\r", "\t         x"] {
            for line in [line.to_owned(), format!("{bom}{line}")] {
                for cut in 5..line.len() {
                    let mut passed = Passed::begin(&line.as_bytes()[..cut]);
                    passed.add(&line.as_bytes()[cut..]);
                    passed.add(b"");
                    let block = Block::from_lines(0, 1, line.clone().into(), 0);
                    let held = block.lines().next().map(|line| match line {
                        Line::Overlong { bytes, .. } => bytes,
                        Line::Whole { .. } => panic!("no text fits into nothing"),
                    });
                    assert_eq!(passed.text_length(), held, "{line:?} cut at {cut}");
                }
            }
        }
    }
}
