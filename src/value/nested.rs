//! Finds the tokens of a JSON text that stands in a JSON string, where it stands: most results carry their JSON this way,
//! and to decode all of it only to scan it once more costs more than anything else that is done about a line.
//!
//! It is the first stage of simdjson (Langdale and Lemire, "Parsing Gigabytes of JSON per Second", 2019) on a text in
//! which quotes are `\"` and backslashes `\\`. What it does not see through, like quotes as `\u0022`, it gives up on, and
//! the text is decoded after all; what it finds is no JSON, likewise.

use super::escape::{escaped, four_digits, unicode};
use super::lanes::{BLOCK, Lanes, Task, run};

/// Puts the places of the tokens of `text[from..to]` into `places`; returns how many, or nothing where it gives up. The
/// text is between the quotes of a string whose escapes are known to be good, and goes on for a block behind it.
pub(super) fn scan(text: &[u8], from: usize, to: usize, places: &mut Vec<u32>) -> Option<usize> {
    run(Whole { text, from, to, places })
}

struct Whole<'s> {
    text: &'s [u8],
    from: usize,
    to: usize,
    places: &'s mut Vec<u32>,
}

impl Task for Whole<'_> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Option<usize> {
        let Self { text, from, to, places } = self;
        let mut state = Scan { text, to, escaped: 0, in_string: 0, in_scalar: 0, taken: 0, paired: 0 };
        let mut count = 0;
        // Places have 32 bits.
        let (first, _) = (u32::try_from(from).ok()?, u32::try_from(to).ok()?);
        for (at, short) in (from..to).step_by(BLOCK).zip((first..).step_by(BLOCK)) {
            let mut tokens = state.block(lanes, at)?;
            if places.len() < count + BLOCK {
                places.resize(2 * (count + BLOCK), 0);
            }
            let found = tokens.count_ones() as usize;
            let room = places.get_mut(count..)?;
            // Eight at a time, of which the last ones may be too many: that costs less than to stop at the right one.
            let (eights, _) = room.as_chunks_mut::<8>();
            for eight in eights.iter_mut().take(found.div_ceil(8)) {
                for place in eight {
                    *place = short.wrapping_add(tokens.trailing_zeros());
                    tokens &= tokens.wrapping_sub(1);
                }
            }
            count += found;
        }
        (state.in_string == 0 && state.escaped == 0).then_some(count)
    }
}

struct Scan<'s> {
    text: &'s [u8],
    to: usize,
    /// 1 where the first byte of the next block is what a backslash of the outer text escapes.
    escaped: u64,
    /// All ones where the next block begins in a string.
    in_string: u64,
    /// 1 where the block before ends in a number or a word.
    in_scalar: u64,
    /// Up to here an escape of the inner text goes that began earlier.
    taken: usize,
    /// Here the second half of a surrogate pair begins.
    paired: usize,
}

impl Scan<'_> {
    /// Returns a bit for each byte of the block at `at` that begins a token.
    #[inline(always)]
    fn block<L: Lanes>(&mut self, lanes: L, at: usize) -> Option<u64> {
        let block = lanes.load(self.text.get(at..)?.first_chunk()?);
        let inside = u64::MAX >> (BLOCK - BLOCK.min(self.to - at));
        let backslashes = lanes.any(block, [b'\\']) & inside;
        let quotes = lanes.any(block, [b'"']) & inside;
        // Letters, quotes and backslashes that an escape of the outer text stands for.
        let (codes, next_escaped) = escaped(backslashes, self.escaped);
        self.escaped = next_escaped;
        let special = codes & !backslashes & !quotes & inside;
        let open_quotes = self.without_inner_escapes(at, codes & backslashes, quotes)?;
        let strings = prefix_xor(open_quotes) ^ self.in_string;
        self.in_string = if strings >> 63 == 1 { u64::MAX } else { 0 };

        let mut white = lanes.any(block, [b' ']);
        // The backslashes of what is special here, and of quotes.
        let mut silent = open_quotes >> 1;
        if special != 0 {
            let spaces = self.special(at, special, strings)?;
            white |= spaces;
            silent |= spaces >> 1;
        }
        if next_escaped == 1 && matches!(self.byte(at + BLOCK), b'"' | b'n' | b'r' | b't') {
            silent |= 1 << 63;
        }
        // No control character is there that would be a colon or a comma too.
        let marks = lanes.any(lanes.fold(block), *b"{}:,");
        let marks = marks & !strings;
        let scalars = !(strings | open_quotes | silent | white | marks);
        let starts = scalars & !(scalars << 1 | self.in_scalar);
        self.in_scalar = scalars >> 63;
        Some((marks | (open_quotes & strings) | starts) & inside)
    }

    /// Checks the escapes of the inner text, each begun by one of the backslashes; returns the quotes that none of them
    /// takes.
    #[inline(always)]
    fn without_inner_escapes(&mut self, at: usize, mut backslashes: u64, mut quotes: u64) -> Option<u64> {
        if self.taken > at {
            let free = !(u64::MAX >> (BLOCK - BLOCK.min(self.taken - at)));
            (backslashes, quotes) = (backslashes & free, quotes & free);
        }
        while backslashes != 0 {
            let place = at + backslashes.trailing_zeros() as usize;
            backslashes &= backslashes - 1;
            match self.byte(place + 1) {
                b'n' | b't' | b'/' | b'r' | b'b' | b'f' => {}
                b'u' => self.unicode(place)?,
                // Two more bytes: a quote or another backslash, escaped twice.
                b'\\' if matches!(self.byte(place + 2), b'"' | b'\\') => {
                    self.taken = place + 3;
                    // Nothing of it is in this block where the shift leaves it.
                    let bit = u32::try_from(place + 2 - at).ok().and_then(|shift| 1_u64.checked_shl(shift));
                    let others = !bit.unwrap_or(0);
                    (backslashes, quotes) = (backslashes & others, quotes & others);
                }
                _ => return None,
            }
        }
        Some(quotes)
    }

    /// Checks `\uXXXX` of the inner text whose backslash, the second of two, is at `place`.
    fn unicode(&mut self, place: usize) -> Option<()> {
        if place == self.paired {
            return Some(());
        }
        let hexadecimal = |from: usize| four_digits(self.text.get(from..from + 4)?);
        match hexadecimal(place + 2)? {
            0xd800..0xdc00 => {
                let is_paired = self.text.get(place + 6..place + 9)? == b"\\\\u"
                    && (0xdc00..0xe000).contains(&hexadecimal(place + 9)?);
                self.paired = place + 7;
                is_paired.then_some(())
            }
            0xdc00..0xe000 => None,
            _ => Some(()),
        }
    }

    /// Looks at what escapes of the outer text stand for, but for quotes and backslashes; returns the white space of it.
    #[cold]
    fn special(&self, at: usize, mut special: u64, strings: u64) -> Option<u64> {
        let mut white = 0;
        while special != 0 {
            let bit = special & special.wrapping_neg();
            let place = at + special.trailing_zeros() as usize;
            special ^= bit;
            let is_in_string = strings & bit != 0;
            match self.byte(place) {
                b'n' | b'r' | b't' if !is_in_string => white |= bit,
                b'/' if is_in_string => {}
                b'u' if is_in_string => {
                    let (character, _) = unicode(self.text.get(place - 1..)?).unwrap_or(('\u{fffd}', 0));
                    // A control character has no place in a string; the others would have to be seen above.
                    if character < ' ' || matches!(character, '"' | '\\') {
                        return None;
                    }
                }
                _ => return None,
            }
        }
        Some(white)
    }

    #[inline]
    fn byte(&self, place: usize) -> u8 {
        self.text.get(place).copied().unwrap_or(0)
    }
}

/// Sets each bit for which an odd number of bits is set up to and with itself.
#[inline]
fn prefix_xor(bits: u64) -> u64 {
    let mut sums = bits;
    for step in [1, 2, 4, 8, 16, 32] {
        sums ^= sums << step;
    }
    sums
}
