//! The escapes of a JSON string (RFC 8259, section 7): checked, found and decoded. It takes the text between the quotes as
//! it is scanned already: without control characters, and with every quote escaped.

use super::lanes::{BLOCK, Lanes, Portable, Task, run};

/// As many may be read from its beginning, past the end of the string.
pub(super) const WINDOW: usize = 2 * BLOCK;
/// As many may be written for them, most of them to be written over: so much more room than for the text is needed.
pub(super) const ROOM: usize = 3 * BLOCK;

/// Writes what `text[from..to]` stands for to `out`; behind it, the text goes on for [`WINDOW`] bytes or more. Returns how
/// much was written, or nothing where there is an escape that JSON does not have.
pub(super) fn decode(text: &[u8], from: usize, to: usize, out: &mut [u8]) -> Option<usize> {
    let (mut at, mut written) = (from, 0);
    while at < to {
        let window: &[u8; WINDOW] = text.get(at..)?.first_chunk()?;
        let place: &mut [u8; ROOM] = out.get_mut(written..)?.first_chunk_mut()?;
        let end = BLOCK.min(to - at);
        let mut found = backslashes(window) & (u64::MAX >> (BLOCK - end));
        // So much of the window is decoded, and so much written.
        let (mut done, mut put) = (0, 0);
        while found != 0 {
            let next = found.trailing_zeros() as usize;
            let plain = next - done;
            copy::<16>(window, done, place, put);
            if plain > 16 {
                copy::<BLOCK>(window, done, place, put);
            }
            put += plain;
            let code = window[(next + 1) % WINDOW];
            let simple = SIMPLE[usize::from(code)];
            done = next;
            if simple == 0 {
                break;
            }
            place[put % (2 * BLOCK)] = simple;
            put += 1;
            done = next + 2;
            // What the escape took is no beginning of another one.
            found &= !(3 << next);
        }
        if found == 0 {
            // What is left of the block, unless its last escape took a byte of the next one.
            copy::<BLOCK>(window, done, place, put);
            written += put + end.saturating_sub(done);
            at += end.max(done);
            continue;
        }
        let (character, length) = unicode(text.get(at + done..to)?)?;
        written += put;
        let mut utf8 = [0; 4];
        let utf8 = character.encode_utf8(&mut utf8).as_bytes();
        out.get_mut(written..written + utf8.len())?.copy_from_slice(utf8);
        written += utf8.len();
        at += done + length;
    }
    // A backslash at the very end would have taken a byte that is not its own.
    (at == to).then_some(written)
}

/// Copies `N` bytes, at most a block, however few of them count; none do where `from` is past the block.
#[inline]
fn copy<const N: usize>(window: &[u8; WINDOW], from: usize, place: &mut [u8; ROOM], to: usize) {
    let (from, to) = (from % BLOCK, to % (2 * BLOCK));
    let (Some(source), Some(place)) = (window.get(from..from + N), place.get_mut(to..to + N)) else { return };
    place.copy_from_slice(source);
}

/// Returns a bit for each byte of the block that a window begins with, set where it is a backslash.
fn backslashes(window: &[u8; WINDOW]) -> u64 {
    window.first_chunk().map_or(0, |block| Portable.any(Portable.load(block), [b'\\']))
}

/// Returns where the first backslash of `text[from..to]` is, `usize::MAX` where there is none; the text goes on for a block
/// behind it.
pub(super) fn next_backslash(text: &[u8], from: usize, to: usize) -> usize {
    struct Search<'s>(&'s [u8], usize, usize);
    impl Task for Search<'_> {
        type Output = usize;

        #[inline(always)]
        fn run<L: Lanes>(self, lanes: L) -> usize {
            search(lanes, self.0, self.1, self.2)
        }
    }
    run(Search(text, from, to))
}

#[inline(always)]
fn search<L: Lanes>(lanes: L, text: &[u8], from: usize, to: usize) -> usize {
    for at in (from..to).step_by(BLOCK) {
        let Some(block) = text.get(at..).and_then(|rest| rest.first_chunk()) else { return at };
        let found = lanes.any(lanes.load(block), [b'\\']);
        if found != 0 {
            let place = at + found.trailing_zeros() as usize;
            return if place < to { place } else { usize::MAX };
        }
    }
    usize::MAX
}

/// Checks the escapes of the string `text[from..to]`. Returns whether every one is the one that canonical JSON has, or
/// nothing where there is one that JSON does not have; and where the next backslash is behind it. The text goes on to
/// `end`, and for a block behind that.
pub(super) fn check(text: &[u8], from: usize, to: usize, end: usize) -> Option<(bool, usize)> {
    run(Check { text, from, to, end })
}

struct Check<'s> {
    text: &'s [u8],
    from: usize,
    to: usize,
    end: usize,
}

impl Task for Check<'_> {
    type Output = Option<(bool, usize)>;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Option<(bool, usize)> {
        let Self { text, from, to, end } = self;
        // Up to here a surrogate pair goes; 1 where a block's first byte is escaped.
        let (mut is_canonical, mut taken, mut carried) = (true, from, 0);
        for at in (from..to).step_by(BLOCK) {
            let block = lanes.load(text.get(at..)?.first_chunk()?);
            let inside = u64::MAX >> (BLOCK - BLOCK.min(to - at));
            let backslashes = lanes.any(block, [b'\\']) & inside;
            let (codes, next) = escaped(backslashes, carried);
            carried = next;
            if codes & !inside != 0 {
                return None;
            }
            let mut others = codes & !lanes.any(block, *b"\"n") & !backslashes;
            while others != 0 {
                let place = at + others.trailing_zeros() as usize;
                others &= others - 1;
                match text.get(place)? {
                    b'r' | b't' | b'b' | b'f' => {}
                    b'/' => is_canonical = false,
                    b'u' if place < taken => {}
                    b'u' => {
                        let (_, length) = unicode(text.get(place - 1..to)?)?;
                        // Canonical text has `\u` for some control characters only; that is rare enough to count as
                        // not so.
                        (is_canonical, taken) = (false, place - 1 + length);
                    }
                    _ => return None,
                }
            }
        }
        (carried == 0).then(|| (is_canonical, search(lanes, text, to, end)))
    }
}

/// What the text of a string stands for, byte by byte, where every escape is known to be good: for a few bytes, and for
/// comparisons, which need no memory.
pub(super) struct Decoded<I> {
    text: I,
    /// What is left of a character that has more bytes than one.
    rest: [u8; 3],
    left: usize,
}

impl<I: Iterator<Item = u8>> Decoded<I> {
    pub(super) fn of(text: I) -> Self {
        Self { text, rest: [0; 3], left: 0 }
    }

    /// Reads the four digits of `\uXXXX`.
    fn digits(&mut self) -> Option<u32> {
        let text = &mut self.text;
        four_digits(&[text.next()?, text.next()?, text.next()?, text.next()?])
    }

    /// Reads what follows on `\u`; returns the first byte of the character.
    fn unicode(&mut self) -> Option<u8> {
        let first = self.digits()?;
        let code = if (0xd800..0xdc00).contains(&first) {
            self.text.nth(1)?;
            0x10000 + ((first - 0xd800) << 10) + self.digits()?.checked_sub(0xdc00)?
        } else {
            first
        };
        let mut utf8 = [0; 4];
        self.left = char::from_u32(code)?.encode_utf8(&mut utf8).len() - 1;
        let [first, rest @ ..] = utf8;
        // The bytes that come next are the last ones.
        self.rest = rest;
        self.rest.rotate_right(3 - self.left);
        Some(first)
    }
}

impl<I: Iterator<Item = u8>> Iterator for Decoded<I> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        if self.left > 0 {
            self.left -= 1;
            return self.rest.get(2 - self.left).copied();
        }
        match self.text.next()? {
            b'\\' => match self.text.next()? {
                b'u' => self.unicode(),
                code => Some(SIMPLE[usize::from(code)]),
            },
            byte => Some(byte),
        }
    }
}

/// Of the backslashes of a block, and whether its first byte is escaped by one before it: returns what in the block is
/// escaped, and the same for the block behind it.
///
/// As simdjson's `json_escape_scanner` does it.
#[inline]
pub(super) fn escaped(backslashes: u64, first: u64) -> (u64, u64) {
    if backslashes == 0 {
        return (first, 0);
    }
    const ODD: u64 = 0xaaaa_aaaa_aaaa_aaaa;
    // Runs of backslashes that begin at an odd place borrow from what is behind them, the others do not.
    let starts = backslashes & !first;
    let ends = ((starts << 1) | ODD).wrapping_sub(starts) ^ ODD;
    (ends ^ (backslashes | first), (ends & backslashes) >> 63)
}

/// What stands for each byte after a backslash; 0 where it is `u`, or no escape.
const SIMPLE: [u8; 256] = {
    let mut simple = [0; 256];
    simple[b'"' as usize] = b'"';
    simple[b'\\' as usize] = b'\\';
    simple[b'/' as usize] = b'/';
    simple[b'b' as usize] = 0x08;
    simple[b'f' as usize] = 0x0c;
    simple[b'n' as usize] = b'\n';
    simple[b'r' as usize] = b'\r';
    simple[b't' as usize] = b'\t';
    simple
};

/// Reads `\uXXXX`, or the two of a surrogate pair; returns the character and how many bytes it took.
#[cold]
pub(super) fn unicode(raw: &[u8]) -> Option<(char, usize)> {
    if raw.get(1) != Some(&b'u') {
        return None;
    }
    let first = four_digits(raw.get(2..6)?)?;
    if let Some(character) = char::from_u32(first) {
        return Some((character, 6));
    }
    if !(0xd800..0xdc00).contains(&first) || raw.get(6..8)? != b"\\u" {
        return None;
    }
    let second = four_digits(raw.get(8..12)?)?;
    if !(0xdc00..0xe000).contains(&second) {
        return None;
    }
    let character = char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))?;
    Some((character, 12))
}

/// Returns what four hexadecimal digits say.
pub(super) fn four_digits(digits: &[u8]) -> Option<u32> {
    let digits: &[u8; 4] = digits.first_chunk()?;
    let [first, second, third, fourth] = digits.map(|digit| HEXADECIMAL[usize::from(digit)]);
    let code = first << 12 | second << 8 | third << 4 | fourth;
    (code <= 0xffff).then_some(code)
}

/// What each hexadecimal digit says; for other bytes more than four of them can.
const HEXADECIMAL: [u32; 256] = {
    let mut values = [1 << 16; 256];
    let mut value: u8 = 0;
    while value < 16 {
        let digit = if value < 10 { b'0' + value } else { b'a' + value - 10 };
        values[digit as usize] = value as u32;
        values[digit.to_ascii_uppercase() as usize] = value as u32;
        value += 1;
    }
    values
};
