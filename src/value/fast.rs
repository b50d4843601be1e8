//! The fast parser: simd-json finds where every token begins and checks UTF-8; what the tokens make is read here. It
//! says no more than yes or no; why not, the exact parser tells.
//!
//! Of simd-json it is the first stage that is used. Its second one copies strings and converts numbers, which nothing
//! here needs: an input is asked for a few of its strings, and its canonical text is mostly its own text. A parser
//! that may go no level deep stops between the two stages, and the places of the tokens stay in its buffers.

use memchr::memchr;
use simd_json::{Buffers, ErrorType, INPUT_PADDING, Tape};

use super::MAX_DEPTH;
use super::escape::decode;
use super::node::{Form, Node, Store, Tag, offset};

/// The buffers of simd-json's first stage, kept from one text to the next.
pub(super) struct Scanner {
    buffers: Buffers,
    /// Never holds anything: the second stage ends before it begins.
    tape: Tape<'static>,
}

impl Default for Scanner {
    fn default() -> Self {
        Self { buffers: Buffers::with_max_depth(4096, 0), tape: Tape(Vec::new()) }
    }
}

impl Scanner {
    /// Returns where each token of `padded[..len]` begins; nothing where the text is not UTF-8, a string has no end or a
    /// control character in it, or the text does not begin with `{` or `[`.
    fn tokens(&mut self, padded: &mut [u8], len: usize) -> Option<&[u32]> {
        let mut tape = Tape(std::mem::take(&mut self.tape.0)).reset();
        let outcome = simd_json::fill_tape_padded(padded, len, &mut self.buffers, &mut tape);
        self.tape = tape.reset();
        match outcome {
            Err(error) if *error.error() == ErrorType::DepthLimitExceeded => {
                Some(self.buffers.structural_indexes())
            }
            _ => None,
        }
    }
}

/// Makes the text ready for [`parse`]: it must be followed by bytes that may be read over.
pub(super) fn pad(text: &mut Vec<u8>) {
    text.resize(text.len() + INPUT_PADDING, 0);
}

/// Fills `store` with the document of `padded[..len]`; returns false where it is no JSON, is a scalar or nests too deep.
pub(super) fn parse(padded: &mut [u8], len: usize, scanner: &mut Scanner, store: &mut Store) -> bool {
    let Some(tokens) = scanner.tokens(padded, len) else { return false };
    let text = padded.get(..len).unwrap_or_default();
    store.nodes.reserve(tokens.len());
    let backslash = memchr(b'\\', text).unwrap_or(usize::MAX);
    Reader { text, tokens, at: 0, backslash, store }.document().is_some()
}

struct Reader<'r> {
    text: &'r [u8],
    /// Where tokens begin: brackets, colons, commas, opening quotes, and the first byte of whatever else.
    tokens: &'r [u32],
    /// The next token.
    at: usize,
    /// The first backslash that no string has claimed yet.
    backslash: usize,
    store: &'r mut Store,
}

impl Reader<'_> {
    fn document(&mut self) -> Option<()> {
        'value: loop {
            let start = self.next_place();
            match self.byte(start) {
                b'"' => self.string(start)?,
                opening @ (b'{' | b'[') => {
                    if self.store.depth() >= MAX_DEPTH {
                        return None;
                    }
                    self.at += 1;
                    let is_object = opening == b'{';
                    self.store.enter(is_object, start);
                    let next = self.next_place();
                    match (is_object, self.byte(next)) {
                        (true, b'}') | (false, b']') => self.leave(next),
                        (true, _) => {
                            self.key()?;
                            continue 'value;
                        }
                        (false, _) => continue 'value,
                    }
                }
                b'-' | b'0'..=b'9' => self.number(start)?,
                b't' => self.word(start, b"true", Tag::True)?,
                b'f' => self.word(start, b"false", Tag::False)?,
                b'n' => self.word(start, b"null", Tag::Null)?,
                _ => return None,
            }
            loop {
                let Some(in_object) = self.store.in_object() else {
                    return (self.at == self.tokens.len()).then_some(());
                };
                let next = self.next_place();
                match (in_object, self.byte(next)) {
                    (false, b',') => {
                        self.at += 1;
                        continue 'value;
                    }
                    (true, b',') => {
                        self.at += 1;
                        self.key()?;
                        continue 'value;
                    }
                    (false, b']') | (true, b'}') => self.leave(next),
                    _ => return None,
                }
            }
        }
    }

    fn leave(&mut self, place: usize) {
        self.at += 1;
        self.store.leave(place + 1);
    }

    fn key(&mut self) -> Option<()> {
        let start = self.next_place();
        if self.byte(start) != b'"' {
            return None;
        }
        self.string(start)?;
        if self.byte(self.next_place()) != b':' {
            return None;
        }
        self.at += 1;
        Some(())
    }

    fn string(&mut self, start: usize) -> Option<()> {
        self.at += 1;
        // Between a string and the next token there is only white space: anything else would be a token.
        let mut end = self.next_place();
        while end > start + 2 && is_space(self.byte(end - 1)) {
            end -= 1;
        }
        if end < start + 2 || self.byte(end - 1) != b'"' {
            return None;
        }
        let (mut form, mut first, mut second) = (Form::Canonical, 0, 0);
        if self.backslash < end {
            first = self.store.decoded.len();
            let raw = self.text.get(start + 1..end - 1)?;
            form = if decode(raw, &mut self.store.decoded)? { Form::DecodedCanonical } else { Form::Decoded };
            second = self.store.decoded.len() - first;
            let rest = self.text.get(end..).unwrap_or_default();
            self.backslash = memchr(b'\\', rest).map_or(usize::MAX, |found| end + found);
        }
        self.store.extent.longest = self.store.extent.longest.max(end - start - 2);
        let (start, end, first, second) = (offset(start), offset(end), offset(first), offset(second));
        self.store.push(Node { tag: Tag::String, form, start, end, first, second });
        Some(())
    }

    fn number(&mut self, start: usize) -> Option<()> {
        self.at += 1;
        let Number { length, is_float, is_canonical, may_overflow } = number(self.text.get(start..)?)?;
        let end = start + length;
        self.delimited(end)?;
        self.store.extent.may_overflow |= may_overflow;
        self.store.push(Node {
            tag: if is_float { Tag::Float } else { Tag::Integer },
            form: if is_canonical { Form::Canonical } else { Form::Plain },
            start: offset(start),
            end: offset(end),
            first: 0,
            second: 0,
        });
        Some(())
    }

    fn word(&mut self, start: usize, word: &[u8], tag: Tag) -> Option<()> {
        self.at += 1;
        let end = start + word.len();
        if self.text.get(start..end)? != word {
            return None;
        }
        self.delimited(end)?;
        self.store.push_word(tag, start, end);
        Some(())
    }

    /// Checks that a token ends here: with white space, or where the next one begins.
    fn delimited(&self, end: usize) -> Option<()> {
        (end == self.next_place() || is_space(self.byte(end))).then_some(())
    }

    /// Returns where the next token begins; the end of the text where there is none.
    fn next_place(&self) -> usize {
        self.tokens.get(self.at).map_or(self.text.len(), |place| *place as usize)
    }

    fn byte(&self, place: usize) -> u8 {
        self.text.get(place).copied().unwrap_or(0)
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// What the text of a number shows.
pub(super) struct Number {
    pub(super) length: usize,
    pub(super) is_float: bool,
    /// The text is the canonical form of what it stands for.
    pub(super) is_canonical: bool,
    pub(super) may_overflow: bool,
}

/// Reads a number at the start of `text`; nothing where there is none that RFC 8259 knows.
pub(super) fn number(text: &[u8]) -> Option<Number> {
    let byte = |at: usize| text.get(at).copied().unwrap_or(0);
    let digits_from = |mut at: usize| {
        while byte(at).is_ascii_digit() {
            at += 1;
        }
        at
    };
    let whole_from = usize::from(byte(0) == b'-');
    let whole_to = match byte(whole_from) {
        b'0' => whole_from + 1,
        b'1'..=b'9' => digits_from(whole_from + 1),
        _ => return None,
    };
    let is_zero_whole = byte(whole_from) == b'0';
    let is_negative = whole_from == 1;
    if !matches!(byte(whole_to), b'.' | b'e' | b'E') {
        let is_canonical = !(is_negative && is_zero_whole);
        return Some(Number { length: whole_to, is_float: false, is_canonical, may_overflow: false });
    }
    let mut end = whole_to;
    let mut is_canonical = false;
    if byte(whole_to) == b'.' {
        let fraction_from = whole_to + 1;
        end = digits_from(fraction_from);
        if end == fraction_from {
            return None;
        }
        is_canonical =
            is_shortest(text.get(fraction_from..end)?, whole_to - whole_from, is_zero_whole, is_negative);
    }
    let mut may_overflow = whole_to > 300;
    if matches!(byte(end), b'e' | b'E') {
        let sign = usize::from(matches!(byte(end + 1), b'+' | b'-'));
        let from = end + 1 + sign;
        end = digits_from(from);
        if end == from {
            return None;
        }
        (is_canonical, may_overflow) = (false, true);
    }
    Some(Number { length: end, is_float: true, is_canonical, may_overflow })
}

/// Returns true where a number in fixed notation is certain to be written the same way again. A decimal of at most 15
/// significant digits is the shortest that reads back to its double (IEEE 754 binary64 has a precision of 15.95).
fn is_shortest(fraction: &[u8], whole_digits: usize, is_zero_whole: bool, is_negative: bool) -> bool {
    if let [b'0'] = fraction {
        return whole_digits <= 15 && !(is_zero_whole && is_negative);
    }
    if fraction.last() == Some(&b'0') {
        return false;
    }
    if !is_zero_whole {
        return whole_digits + fraction.len() <= 15;
    }
    let zeros = fraction.iter().take_while(|digit| **digit == b'0').count();
    zeros <= 3 && fraction.len() - zeros <= 15
}
