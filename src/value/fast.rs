//! The fast parser: simd-json finds where every token begins and checks UTF-8; what the tokens make is read here. It
//! says no more than yes or no; why not, the exact parser tells.
//!
//! Of simd-json it is the first stage that is used. Its second one copies strings and converts numbers, which nothing
//! here needs: an input is asked for a few of its strings, and its canonical text is mostly its own text. A parser
//! that may go no level deep stops between the two stages, and the places of the tokens stay in its buffers.

use memchr::memchr;
use simd_json::{Buffers, ErrorType, INPUT_PADDING, Tape};

use super::MAX_DEPTH;
use super::escape::{ROOM, WINDOW, decode};
use super::node::{Extent, Form, Node, Open, Store, Tag, halves};

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
    text.resize(text.len() + INPUT_PADDING.max(WINDOW), 0);
}

/// Fills `store` with the document of `padded[..len]`; returns false where it is no JSON, is a scalar or nests too deep.
pub(super) fn parse(padded: &mut [u8], len: usize, scanner: &mut Scanner, store: &mut Store) -> bool {
    // The scan and the nodes have places of 32 bits.
    if u32::try_from(padded.len()).is_err() {
        return false;
    }
    let Some(tokens) = scanner.tokens(padded, len) else { return false };
    let Store { nodes, count, decoded, extent, open: outer } = store;
    let backslash = memchr(b'\\', padded.get(..len).unwrap_or_default()).unwrap_or(usize::MAX);
    if backslash < len && decoded.len() < len + ROOM {
        decoded.resize(len + ROOM, 0);
    }
    let mut reader = Reader {
        text: padded,
        len,
        backslash,
        taken: 0,
        may_overflow: false,
        nodes,
        count: 0,
        decoded,
        written: 0,
    };
    let Some(found) = reader.document(tokens, outer) else { return false };
    (*extent, *count) = (found, reader.count);
    true
}

struct Reader<'r> {
    /// The text and its padding, in which no token begins.
    text: &'r [u8],
    len: usize,
    /// The first backslash that no string has claimed yet.
    backslash: usize,
    /// The bytes that scalars and keys take, but for the first of each.
    taken: usize,
    may_overflow: bool,
    /// The nodes so far, and maybe more that are left from earlier.
    nodes: &'r mut Vec<Node>,
    count: usize,
    /// Room for all that strings with escapes stand for, and what of it is written.
    decoded: &'r mut [u8],
    written: usize,
}

impl Reader<'_> {
    /// Reads everything. `tokens` are the places where tokens begin: brackets, colons, commas, opening quotes, and the
    /// first byte of whatever else. What is open further out than the innermost container is in `outer`.
    fn document(&mut self, tokens: &[u32], outer: &mut Vec<Open>) -> Option<Extent> {
        let mut depth = 1;
        let (&root, mut rest) = tokens.split_first()?;
        let root = root as usize;
        let mut open = self.enter(root)?;
        let mut next = *rest.first()? as usize;
        let mut is_inside = self.byte(next) != open.closing();
        loop {
            // Nothing, or one member or element, and the containers that end behind it. `rest` begins at `next`.
            if is_inside {
                open.pushed += 1;
                let value;
                if open.is_object {
                    let (&[name, colon, first, behind], _) = rest.split_first_chunk()?;
                    self.key(name as usize, colon as usize, &mut open)?;
                    (value, next) = (first as usize, behind as usize);
                    rest = rest.get(3..)?;
                } else {
                    let (&[first, behind], _) = rest.split_first_chunk()?;
                    (value, next) = (first as usize, behind as usize);
                    rest = rest.get(1..)?;
                }
                let is_canonical = match self.byte(value) {
                    b'"' => self.string(value, next)?,
                    b'{' | b'[' => {
                        outer.push(open);
                        if outer.len() >= MAX_DEPTH {
                            return None;
                        }
                        open = self.enter(value)?;
                        if self.byte(next) != open.closing() {
                            continue;
                        }
                        true
                    }
                    b't' => self.word(value, next, b"true", Tag::True)?,
                    b'f' => self.word(value, next, b"false", Tag::False)?,
                    b'n' => self.word(value, next, b"null", Tag::Null)?,
                    _ => self.number(value, next)?,
                };
                open.is_canonical &= is_canonical;
            }
            loop {
                let byte = self.byte(next);
                rest = rest.get(1..)?;
                if byte == b',' {
                    break;
                }
                if byte != open.closing() {
                    return None;
                }
                // What is in an empty container would lie one level further in.
                depth = depth.max(outer.len() + 1 + usize::from(open.pushed > 0));
                let end = next + 1;
                self.leave(open, end);
                let Some(parent) = outer.pop() else {
                    if self.taken + tokens.len() < end - root {
                        self.has_spaces();
                    }
                    let extent = Extent {
                        depth,
                        longest: self.len,
                        may_overflow: self.may_overflow,
                        had_repeated_keys: false,
                    };
                    return rest.is_empty().then_some(extent);
                };
                let is_canonical = parent.is_canonical && open.is_canonical;
                open = Open { is_canonical, ..parent };
                next = *rest.first()? as usize;
            }
            is_inside = true;
        }
    }

    fn enter(&mut self, start: usize) -> Option<Open> {
        let (is_object, tag) = match self.byte(start) {
            b'{' => (true, Tag::Object),
            b'[' => (false, Tag::Array),
            _ => return None,
        };
        let at = self.count;
        self.push(Node { tag, form: Form::Plain, start: place(start), end: 0, first: 0, second: 0 });
        Some(Open { at, pushed: 0, is_object, is_canonical: true, last_key: 0, keys: 0, may_repeat: false })
    }

    fn leave(&mut self, open: Open, end: usize) {
        let inside = self.count - open.at - 1;
        if let Some(node) = self.nodes.get_mut(open.at) {
            node.end = place(end);
            node.first = open.pushed;
            node.second = place(inside);
            node.form = match open {
                // Its keys are in order, each after the one before.
                Open { is_canonical: true, .. } => Form::Canonical,
                Open { may_repeat: true, .. } => Form::Unsure,
                _ => Form::Plain,
            };
        }
    }

    /// Unsays of each container that its text is canonical.
    fn has_spaces(&mut self) {
        for node in self.nodes.iter_mut().take(self.count) {
            if matches!(node.tag, Tag::Array | Tag::Object) && node.form == Form::Canonical {
                node.form = Form::Plain;
            }
        }
    }

    fn key(&mut self, start: usize, colon: usize, open: &mut Open) -> Option<()> {
        if self.byte(start) != b'"' || self.byte(colon) != b':' {
            return None;
        }
        let end = self.end_of_string(start, colon)?;
        if self.backslash < end {
            // Where it belongs, and whether it is another, is seen when it is compared.
            (open.is_canonical, open.may_repeat) = (false, true);
            return self.escaped(start, end).map(|_| ());
        }
        let name = self.text.get(start + 1..)?.first_chunk()?;
        // What is behind the name is masked out.
        let mask = MASKS.get((end - start - 2).min(8)).copied().unwrap_or_default();
        let prefix = u64::from_be_bytes(*name) & mask;
        open.is_canonical &= open.last_key < prefix;
        open.last_key = prefix;
        let bit = bit_of(prefix, end - start);
        open.may_repeat |= open.keys & bit != 0;
        open.keys |= bit;
        let (first, second) = halves(prefix);
        self.push_string(Form::Canonical, start, end, first, second);
        Some(())
    }

    /// Reads a string that is a value and the last token before `next`; returns whether its text is canonical.
    #[inline]
    fn string(&mut self, start: usize, next: usize) -> Option<bool> {
        let end = self.end_of_string(start, next)?;
        if self.backslash < end {
            return self.escaped(start, end);
        }
        self.push_string(Form::Canonical, start, end, 0, 0);
        Some(true)
    }

    /// Returns where the string at `start` ends that is the last token before `next`: there is only white space
    /// between, anything else would be a token.
    fn end_of_string(&self, start: usize, next: usize) -> Option<usize> {
        let mut end = next;
        while self.byte(end - 1) != b'"' {
            if !is_space(self.byte(end - 1)) {
                return None;
            }
            end -= 1;
        }
        (end >= start + 2).then_some(end)
    }

    /// Reads a string with escapes; returns whether its text is canonical.
    fn escaped(&mut self, start: usize, end: usize) -> Option<bool> {
        let first = self.written;
        let (written, is_canonical) = decode(self.text, start + 1, end - 1, self.decoded.get_mut(first..)?)?;
        self.written += written;
        let form = if is_canonical { Form::DecodedCanonical } else { Form::Decoded };
        let rest = self.text.get(end..self.len).unwrap_or_default();
        self.backslash = memchr(b'\\', rest).map_or(usize::MAX, |found| end + found);
        self.push_string(form, start, end, place(first), place(written));
        Some(is_canonical)
    }

    fn push_string(&mut self, form: Form, start: usize, end: usize, first: u32, second: u32) {
        self.taken += end - start - 1;
        self.push(Node { tag: Tag::String, form, start: place(start), end: place(end), first, second });
    }

    /// Reads a number that is the last token before `next`; returns whether its text is canonical.
    #[inline]
    fn number(&mut self, start: usize, next: usize) -> Option<bool> {
        let end = self.end_of_plain(start, next);
        let text = self.text.get(start..end)?;
        // Most are short and nothing but digits.
        if let [b'1'..=b'9', others @ ..] = text
            && others.iter().all(u8::is_ascii_digit)
        {
            self.push_plain(Tag::Integer, Form::Canonical, start, end);
            return Some(true);
        }
        let Number { is_float, is_canonical, may_overflow } = number(text)?;
        self.may_overflow |= may_overflow;
        let (tag, form) = (
            if is_float { Tag::Float } else { Tag::Integer },
            if is_canonical { Form::Canonical } else { Form::Plain },
        );
        self.push_plain(tag, form, start, end);
        Some(is_canonical)
    }

    /// Reads a word that is the last token before `next`; its text is canonical.
    #[inline]
    fn word<const N: usize>(&mut self, start: usize, next: usize, word: &[u8; N], tag: Tag) -> Option<bool> {
        let end = self.end_of_plain(start, next);
        if self.text.get(start..end)? != word {
            return None;
        }
        self.push_plain(tag, Form::Canonical, start, end);
        Some(true)
    }

    fn end_of_plain(&self, start: usize, next: usize) -> usize {
        let mut end = next;
        while end > start && is_space(self.byte(end - 1)) {
            end -= 1;
        }
        end
    }

    fn push_plain(&mut self, tag: Tag, form: Form, start: usize, end: usize) {
        self.taken += end - start - 1;
        self.push(Node { tag, form, start: place(start), end: place(end), first: 0, second: 0 });
    }

    fn push(&mut self, node: Node) {
        match self.nodes.get_mut(self.count) {
            Some(place) => *place = node,
            None => self.nodes.push(node),
        }
        self.count += 1;
    }

    fn byte(&self, place: usize) -> u8 {
        self.text.get(place).copied().unwrap_or(0)
    }
}

impl Open {
    fn closing(&self) -> u8 {
        if self.is_object { b'}' } else { b']' }
    }
}

/// What of eight bytes is left where only so many of them count.
const MASKS: [u64; 9] = {
    let mut masks = [u64::MAX; 9];
    let mut length = 0;
    while length < 8 {
        masks[length] = !(u64::MAX >> (8 * length));
        length += 1;
    }
    masks
};

/// Returns one of 64 bits, the same for equal keys.
fn bit_of(prefix: u64, length: usize) -> u64 {
    let mixed = prefix ^ (length as u64).rotate_right(13);
    1 << (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58)
}

/// Returns a place in a text of less than 4 GiB as nodes have it.
#[expect(clippy::cast_possible_truncation, reason = "`parse` takes no longer text")]
fn place(at: usize) -> u32 {
    at as u32
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// What the text of a number shows.
struct Number {
    is_float: bool,
    /// The text is the canonical form of what it stands for.
    is_canonical: bool,
    may_overflow: bool,
}

/// Reads a text that is a number; nothing where it is none that RFC 8259 knows.
fn number(text: &[u8]) -> Option<Number> {
    let (is_negative, unsigned) = match text {
        [b'-', unsigned @ ..] => (true, unsigned),
        unsigned => (false, unsigned),
    };
    let (whole, rest) = split_digits(unsigned);
    let is_zero_whole = *whole.first()? == b'0';
    if is_zero_whole && whole.len() > 1 {
        return None;
    }
    if rest.is_empty() {
        let is_canonical = !(is_negative && is_zero_whole);
        return Some(Number { is_float: false, is_canonical, may_overflow: false });
    }
    let (mut is_canonical, mut may_overflow, mut rest) = (false, whole.len() > 300, rest);
    if let [b'.', behind @ ..] = rest {
        let fraction;
        (fraction, rest) = split_digits(behind);
        if fraction.is_empty() {
            return None;
        }
        is_canonical = is_shortest(fraction, whole.len(), is_zero_whole, is_negative);
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let digits = exponent.strip_prefix(b"+").or_else(|| exponent.strip_prefix(b"-")).unwrap_or(exponent);
        let after;
        (_, after) = split_digits(digits);
        if after.len() == digits.len() {
            return None;
        }
        (is_canonical, may_overflow, rest) = (false, true, after);
    }
    rest.is_empty().then_some(Number { is_float: true, is_canonical, may_overflow })
}

/// Returns the decimal digits that a text begins with, and what comes after them.
fn split_digits(text: &[u8]) -> (&[u8], &[u8]) {
    text.split_at(text.iter().take_while(|byte| byte.is_ascii_digit()).count())
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
