//! Which token may follow which (RFC 8259, sections 2 to 7), and where each container ends.

use super::node::Extent;
use super::tokens::{Escapes, trimmed};
use super::{MAX_DEPTH, escape, number};

/// Buffers that are kept from one text to the next.
#[derive(Default, Debug)]
pub(super) struct Containers {
    /// For each token that opens a container, the one that closes it; for others, whatever is left from earlier.
    pub(super) closers: Vec<u32>,
    /// The tokens that open what is not closed yet, outermost first.
    open: Vec<Open>,
}

/// Reads the tokens of a text: `places` are where they begin. The text goes on for some bytes behind `len`. `NESTED` says
/// that it is written as it stands in a string of another text, with escapes that are known to be good.
///
/// Returns nothing where it is no JSON, is a scalar or nests too deep.
pub(super) fn read<const NESTED: bool>(
    text: &[u8],
    len: usize,
    places: &[u32],
    containers: &mut Containers,
) -> Option<Extent> {
    let Containers { closers, open } = containers;
    if closers.len() < places.len() {
        closers.resize(places.len(), 0);
    }
    open.clear();
    let reader = Reader::<NESTED> { text, len };
    let mut extent = Extent { depth: 1, longest: len, is_plain: true, is_compact: true, ..Extent::default() };
    let &[root, first] = places.first_chunk()?;
    let is_object = reader.byte(root) == b'{';
    if !is_object && reader.byte(root) != b'[' {
        return None;
    }
    if reader.byte(first) == closing(is_object) {
        *closers.first_mut()? = 1;
        extent.is_compact = gap(root, first) == 0;
        return (places.len() == 2).then_some(extent);
    }
    open.push(Open::new(0, is_object)?);
    extent.depth = 2;
    inside(reader, places, closers, open, extent)
}

/// Reads what is in the root, which is open and has something in it.
#[inline]
fn inside<const NESTED: bool>(
    reader: Reader<'_, NESTED>,
    places: &[u32],
    closers: &mut [u32],
    open: &mut Vec<Open>,
    mut extent: Extent,
) -> Option<Extent> {
    let mut is_object = open.last()?.is_object();
    // The first backslash that no string has claimed yet.
    let mut backslash = if NESTED { usize::MAX } else { escape::next_backslash(reader.text, 0, reader.len) };
    // In a nested text nobody looks for them.
    let to = if NESTED { usize::MAX } else { 0 };
    extent.escapes = Escapes { from: if NESTED { 0 } else { backslash }, to, in_keys: NESTED };
    // Not 0 where a token does not follow at once on a bracket, a comma or a colon.
    let mut gaps = 0;
    // What is to be read, from the bracket or comma before it on.
    let mut rest = places;
    loop {
        // One member or element, and the containers that end behind it.
        let (value, next);
        if is_object {
            let &[before, name, colon, first, second] = rest.first_chunk()?;
            (value, next) = (first, second);
            gaps |= gap(before, name) | gap(colon, value);
            let mut end = colon as usize;
            if reader.byte(name) != b'"' || reader.byte(colon) != b':' {
                return None;
            }
            if reader.before(colon) != b'"' {
                (end, gaps) = (reader.end_of_string(colon)?, 1);
            }
            if backslash < end {
                extent.escapes.in_keys = true;
                let (is_canonical, next) = reader.check(name, end)?;
                extent.is_plain &= is_canonical;
                (backslash, extent.escapes.to) = (next, end);
            }
            rest = rest.get(2..)?;
        } else {
            let &[before, first, second] = rest.first_chunk()?;
            (value, next) = (first, second);
            gaps |= gap(before, value);
        }
        // What follows on the value.
        let mut byte;
        match reader.byte(value) {
            b'"' => {
                let mut end = next as usize;
                byte = reader.byte(next);
                if reader.before(next) != b'"' {
                    (end, gaps) = (reader.end_of_string(next)?, 1);
                }
                if backslash < end {
                    let (is_canonical, next) = reader.check(value, end)?;
                    extent.is_plain &= is_canonical;
                    (backslash, extent.escapes.to) = (next, end);
                }
            }
            opening @ (b'{' | b'[') => {
                if open.len() >= MAX_DEPTH {
                    return None;
                }
                is_object = opening == b'{';
                open.push(Open::new(places.len() - rest.len() + 1, is_object)?);
                byte = reader.byte(next);
                if byte != closing(is_object) {
                    // What is in an empty container would lie one level further in.
                    extent.depth = extent.depth.max(open.len() + 1);
                    rest = rest.get(1..)?;
                    continue;
                }
                gaps |= gap(value, next);
            }
            first => {
                byte = reader.byte(next);
                let is_known = match first {
                    b't' => reader.is_word(value, next, *b"true"),
                    b'f' => reader.is_word(value.wrapping_add(1), next, *b"alse"),
                    b'n' => reader.is_word(value, next, *b"null"),
                    _ => reader.is_simple_number(value, next),
                };
                if !is_known {
                    let number = reader.other(value, next)?;
                    gaps |= u32::from(number.is_spaced);
                    extent.is_plain &= number.is_canonical;
                    extent.may_overflow |= number.may_overflow;
                }
            }
        }
        rest = rest.get(2..)?;
        while byte != b',' {
            if byte != closing(is_object) {
                return None;
            }
            let closer = places.len() - rest.len();
            *closers.get_mut(open.pop()?.at())? = u32::try_from(closer).ok()?;
            let Some(parent) = open.last() else {
                extent.is_compact = gaps == 0;
                return (rest.len() == 1).then_some(extent);
            };
            is_object = parent.is_object();
            let &[bracket, next] = rest.first_chunk()?;
            gaps |= gap(bracket, next);
            byte = reader.byte(next);
            rest = rest.get(1..)?;
        }
    }
}

/// A container that is not closed yet.
#[derive(Clone, Copy, Debug)]
struct Open(u32);

impl Open {
    #[inline]
    fn new(at: usize, is_object: bool) -> Option<Self> {
        Some(Self(u32::try_from(at).ok()?.checked_mul(2)? | u32::from(is_object)))
    }

    /// Returns the token that opens it.
    #[inline]
    fn at(self) -> usize {
        (self.0 / 2) as usize
    }

    #[inline]
    fn is_object(self) -> bool {
        self.0 % 2 == 1
    }
}

/// What a number or a word shows that is not as simple as most.
struct Other {
    is_canonical: bool,
    may_overflow: bool,
    /// There is white space behind it.
    is_spaced: bool,
}

#[derive(Clone, Copy)]
struct Reader<'r, const NESTED: bool> {
    text: &'r [u8],
    len: usize,
}

impl<const NESTED: bool> Reader<'_, NESTED> {
    #[inline(always)]
    fn byte(self, place: u32) -> u8 {
        self.text.get(place as usize).copied().unwrap_or(0)
    }

    /// Returns the byte before a place.
    #[inline(always)]
    fn before(self, place: u32) -> u8 {
        self.text.get((place as usize).wrapping_sub(1)).copied().unwrap_or(0)
    }

    /// Returns where the string ends that is followed by white space, then by `next`; nothing where it is no string.
    #[cold]
    #[inline(never)]
    fn end_of_string(self, next: u32) -> Option<usize> {
        let end = trimmed(self.text, next as usize, NESTED);
        (self.text.get(end.wrapping_sub(1)) == Some(&b'"')).then_some(end)
    }

    /// Checks the escapes of a string; returns whether every one is canonical, and where the next backslash is.
    #[inline(never)]
    fn check(self, start: u32, end: usize) -> Option<(bool, usize)> {
        escape::check(self.text, start as usize + 1, end.wrapping_sub(1), self.len)
    }

    #[inline(always)]
    fn is_simple_number(self, start: u32, next: u32) -> bool {
        self.text
            .get(start as usize..)
            .and_then(|rest| rest.first_chunk())
            .is_some_and(|word| number::is_simple(*word, next.wrapping_sub(start) as usize))
    }

    /// Returns true where a word, or its last four letters, is what stands before `next`, with nothing between them.
    #[inline(always)]
    fn is_word(self, start: u32, next: u32, word: [u8; 4]) -> bool {
        let found = self.text.get(start as usize..).and_then(|rest| rest.first_chunk());
        found == Some(&word) && next == start.wrapping_add(4)
    }

    /// Reads a number or a word that is the last token before `next`.
    #[inline(never)]
    fn other(self, start: u32, next: u32) -> Option<Other> {
        let end = trimmed(self.text, next as usize, NESTED);
        let is_spaced = end != next as usize;
        let text = self.text.get(start as usize..end)?;
        if let b"true" | b"false" | b"null" = text {
            return Some(Other { is_canonical: true, may_overflow: false, is_spaced });
        }
        let number = number::read(text)?;
        // Nobody asks whether a nested text is canonical.
        let is_canonical = !NESTED && number.is_canonical(text);
        Some(Other { is_canonical, may_overflow: number.may_overflow, is_spaced })
    }
}

/// Returns how much lies between a token of one byte and the next one.
#[inline]
fn gap(place: u32, next: u32) -> u32 {
    next.wrapping_sub(place.wrapping_add(1))
}

#[inline]
fn closing(is_object: bool) -> u8 {
    if is_object { b'}' } else { b']' }
}
