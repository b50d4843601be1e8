//! A document that is nothing but a JSON text and where its tokens begin: nothing is copied until somebody asks.

use bumpalo::Bump;
use memchr::memchr;
use smallvec::SmallVec;

use super::escape::{self, Decoded, ROOM, WINDOW};
use super::node::{Tag, prefix};
use super::number;

/// Texts of strings up to so many bytes are decoded byte by byte.
const FEW: usize = 128;

/// The tokens of a text that is known to be JSON.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tokens<'a> {
    /// The text, and bytes behind it.
    pub(super) text: &'a [u8],
    /// Where each token begins: brackets, colons, commas, opening quotes, and the first byte of whatever else. The first
    /// and the last are the brackets of the root.
    pub(super) places: &'a [u32],
    /// For a token that opens a container, the one that closes it.
    pub(super) closers: &'a [u32],
    /// Where decoded strings are put.
    pub(super) arena: &'a Bump,
    /// The text stands in a string of another JSON text, and is written as it stands there.
    pub(super) is_nested: bool,
    pub(super) escapes: Escapes,
}

/// Where the strings with escapes are.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Escapes {
    /// All of them end behind this place and begin before the other one.
    pub(super) from: usize,
    pub(super) to: usize,
    /// Some of them are keys.
    pub(super) in_keys: bool,
}

impl<'a> Tokens<'a> {
    /// Returns where a token begins.
    #[inline]
    pub(crate) fn place(&self, at: usize) -> usize {
        self.places.get(at).map_or(0, |place| *place as usize)
    }

    /// Returns where a token and the three behind it begin.
    #[inline]
    pub(crate) fn four(&self, at: usize) -> Option<[usize; 4]> {
        self.places.get(at..)?.first_chunk().map(|places: &[u32; 4]| places.map(|place| place as usize))
    }

    /// Returns the first byte of a token.
    #[inline]
    pub(crate) fn byte(&self, at: usize) -> u8 {
        self.text.get(self.place(at)).copied().unwrap_or(0)
    }

    /// Returns a piece of the text; nothing where it is none.
    #[inline]
    pub(crate) fn text(&self, from: usize, to: usize) -> &'a [u8] {
        self.text.get(from..to).unwrap_or_default()
    }

    /// Returns the text from a place on, and some bytes behind it.
    #[inline]
    pub(crate) fn text_from(&self, from: usize) -> &'a [u8] {
        self.text.get(from..).unwrap_or_default()
    }

    /// Returns the first eight bytes of the string at a place, its closing quote and what is behind it included, the first
    /// the lowest.
    #[inline]
    pub(crate) fn head(&self, place: usize) -> u64 {
        self.text
            .get(place + 1..)
            .and_then(|rest| rest.first_chunk())
            .map_or(0, |head| u64::from_le_bytes(*head))
    }

    /// Returns a byte of the text, 0 behind it.
    #[inline]
    pub(crate) fn text_byte(&self, place: usize) -> u8 {
        self.text.get(place).copied().unwrap_or(0)
    }

    /// Returns the token behind a value or a key.
    #[inline]
    pub(crate) fn behind(&self, at: usize) -> usize {
        match self.byte(at) {
            b'{' | b'[' => self.closer(at) + 1,
            _ => at + 1,
        }
    }

    /// Returns the token that closes a container.
    #[inline]
    pub(crate) fn closer(&self, at: usize) -> usize {
        self.closers.get(at).map_or(0, |closer| *closer as usize)
    }

    /// Returns where a value ends.
    #[inline]
    pub(crate) fn end(&self, at: usize) -> usize {
        match self.byte(at) {
            b'{' | b'[' => self.place(self.closer(at)) + 1,
            _ => trimmed(self.text, self.place(at + 1), self.is_nested),
        }
    }

    pub(super) fn tag(&self, at: usize) -> Tag {
        match self.byte(at) {
            b'"' => Tag::String,
            b'{' => Tag::Object,
            b'[' => Tag::Array,
            b't' => Tag::True,
            b'f' => Tag::False,
            b'n' => Tag::Null,
            _ if self.raw(at).iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')) => Tag::Float,
            _ => Tag::Integer,
        }
    }

    /// Returns the text of a scalar as it stands, that of a string without its quotes.
    #[inline]
    pub(super) fn raw(&self, at: usize) -> &'a [u8] {
        let (start, next) = (self.place(at), self.place(at + 1));
        if self.text_byte(start) != b'"' {
            return self.text.get(start..self.end(at)).unwrap_or_default();
        }
        let is_last = self.text_byte(next.wrapping_sub(1)) == b'"';
        let end = if is_last { next } else { trimmed(self.text, next, self.is_nested) };
        self.text.get(start + 1..end.wrapping_sub(if self.is_nested { 2 } else { 1 })).unwrap_or_default()
    }

    /// Returns what a string stands for; the text of any other scalar.
    #[inline]
    pub(crate) fn content(&self, at: usize) -> &'a [u8] {
        let raw = self.raw(at);
        if self.is_plain(at, raw) { raw } else { self.decoded(self.place(at) + 1, raw) }
    }

    /// The same for a key.
    #[inline]
    pub(super) fn key(&self, at: usize) -> &'a [u8] {
        let (start, colon) = (self.place(at) + 1, self.place(at + 1));
        if self.escapes.in_keys || self.text_byte(colon.wrapping_sub(1)) != b'"' {
            return self.content(at);
        }
        self.text.get(start..colon - 1).unwrap_or_default()
    }

    /// Returns true where it is clear without a look at it that a string has no escapes.
    #[inline]
    fn is_plain(&self, at: usize, raw: &[u8]) -> bool {
        let (start, Escapes { from, to, in_keys }) = (self.place(at), self.escapes);
        start + raw.len() < from || start >= to || (!in_keys && self.byte(at + 1) == b':')
    }

    /// Returns true where a string stands for these bytes.
    #[inline]
    pub(super) fn is_str(&self, at: usize, bytes: &[u8]) -> bool {
        let raw = self.raw(at);
        if raw.len() == bytes.len() {
            // A text with escapes is longer than what it stands for.
            return raw == bytes;
        }
        // By escapes a character becomes no more than six bytes, twice where the text is nested.
        raw.len() > bytes.len()
            && raw.len() <= bytes.len() * 36
            && !self.is_plain(at, raw)
            && self.stands_for(raw, bytes)
    }

    /// The same for the text of the string; allocates nothing, however often it is asked.
    #[inline(never)]
    fn stands_for(&self, raw: &[u8], bytes: &[u8]) -> bool {
        let once = Decoded::of(raw.iter().copied());
        let bytes = bytes.iter().copied();
        if self.is_nested { Decoded::of(once).eq(bytes) } else { once.eq(bytes) }
    }

    /// Returns what the text of a string stands for, which begins at `from`.
    #[inline(never)]
    fn decoded(&self, from: usize, raw: &'a [u8]) -> &'a [u8] {
        if memchr(b'\\', raw).is_none() {
            return raw;
        }
        if raw.len() <= FEW {
            // Not a byte more than needed: there may be very many of them.
            let once = Decoded::of(raw.iter().copied());
            let decoded: SmallVec<[u8; FEW]> =
                if self.is_nested { Decoded::of(once).collect() } else { once.collect() };
            return self.arena.alloc_slice_copy(&decoded);
        }
        let once = self.decode(self.text, from, raw.len());
        if !self.is_nested {
            return once;
        }
        match memchr(b'\\', once) {
            None => once,
            Some(_) => {
                let padded = self.arena.alloc_slice_fill_default(once.len() + WINDOW);
                if let Some((place, _)) = padded.split_at_mut_checked(once.len()) {
                    place.copy_from_slice(once);
                }
                self.decode(padded, 0, once.len())
            }
        }
    }

    fn decode(&self, text: &[u8], from: usize, len: usize) -> &'a [u8] {
        let out = self.arena.alloc_slice_fill_default(len + ROOM);
        let written = escape::decode(text, from, from + len, out).unwrap_or_default();
        out.get(..written).unwrap_or_default()
    }

    /// Returns the first eight bytes of a key, in front of zeros where it is shorter.
    pub(crate) fn prefix(&self, at: usize) -> u64 {
        let raw = self.raw(at);
        if self.is_plain(at, raw) {
            return self.plain_prefix(self.place(at) + 1, raw.len());
        }
        let once = Decoded::of(raw.iter().copied());
        let first: SmallVec<[u8; 8]> =
            if self.is_nested { Decoded::of(once).take(8).collect() } else { once.take(8).collect() };
        prefix(&first)
    }

    /// The same for a key in a text without escapes in keys, and without white space.
    #[inline]
    pub(crate) fn compact_prefix(&self, at: usize) -> u64 {
        let (start, colon) = (self.place(at) + 1, self.place(at + 1));
        self.plain_prefix(start, colon - 1 - start)
    }

    /// Returns the first eight of so many bytes, in front of zeros where they are fewer.
    #[inline]
    pub(super) fn plain_prefix(&self, from: usize, len: usize) -> u64 {
        // What is behind the key is masked out.
        let mask = MASKS.get(len.min(8)).copied().unwrap_or_default();
        match self.text.get(from..).and_then(|rest| rest.first_chunk()) {
            Some(first) => u64::from_be_bytes(*first) & mask,
            None => prefix(self.text(from, from + len)),
        }
    }

    /// Returns true where the text of a scalar is its canonical form.
    pub(crate) fn is_canonical(&self, at: usize) -> bool {
        match self.byte(at) {
            b'"' => {
                let start = self.place(at) + 1;
                let end = start + self.raw(at).len();
                escape::check(self.text, start, end, end).is_some_and(|(is_canonical, _)| is_canonical)
            }
            b'-' | b'0'..=b'9' => {
                let text = self.raw(at);
                number::read(text).is_some_and(|number| number.is_canonical(text))
            }
            _ => true,
        }
    }

    /// Returns how many of the tokens are values or keys.
    pub(super) fn nodes(&self) -> usize {
        (0..self.places.len()).filter(|at| !matches!(self.byte(*at), b',' | b':' | b'}' | b']')).count()
    }

    /// Returns whether the text of some string or key is longer than this.
    pub(super) fn has_string_past(&self, bytes: usize) -> bool {
        // No string is longer than what lies between it and the next token.
        self.places.windows(2).enumerate().any(|(at, pair)| {
            (pair[1] - pair[0]) as usize > bytes && self.byte(at) == b'"' && self.raw(at).len() > bytes
        })
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }
}

/// Returns where the token ends that is the last one before `next`: between them there is only white space.
#[inline]
pub(super) fn trimmed(text: &[u8], next: usize, is_nested: bool) -> usize {
    let byte = |at: usize| text.get(at).copied().unwrap_or(0);
    let mut end = next;
    loop {
        match byte(end.wrapping_sub(1)) {
            b' ' => end -= 1,
            b'\n' | b'\r' | b'\t' if !is_nested => end -= 1,
            // An escape of white space: no token ends in one of these letters.
            b'n' | b'r' | b't' if is_nested && byte(end.wrapping_sub(2)) == b'\\' => end -= 2,
            _ => return end,
        }
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
