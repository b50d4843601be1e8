//! Which token may follow which (RFC 8259, sections 2 to 7), and where each container ends.

use memchr::memchr;

use super::node::Extent;
use super::tokens::trimmed;
use super::{MAX_DEPTH, escape, number};

/// Buffers that are kept from one text to the next.
#[derive(Default, Debug)]
pub(super) struct Containers {
    /// For each token that opens a container, the one that closes it; for others, whatever is left from earlier.
    pub(super) closers: Vec<u32>,
    /// The tokens that open what is not closed yet, outermost first.
    open: Vec<u32>,
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
    let backslash = if NESTED { usize::MAX } else { next_backslash(text, 0, len) };
    let extent = Extent { longest: len, is_plain: true, is_compact: true, ..Extent::default() };
    Reader::<NESTED> { text, len, places, closers, open, backslash, gaps: 0, extent }.document()
}

struct Reader<'r, const NESTED: bool> {
    text: &'r [u8],
    len: usize,
    places: &'r [u32],
    closers: &'r mut [u32],
    open: &'r mut Vec<u32>,
    /// The first backslash that no string has claimed yet.
    backslash: usize,
    /// Not 0 where a token does not follow at once on a bracket, a comma or a colon.
    gaps: u32,
    extent: Extent,
}

impl<const NESTED: bool> Reader<'_, NESTED> {
    fn document(mut self) -> Option<Extent> {
        let &[root, first] = self.places.first_chunk()?;
        let mut is_object = self.byte(root) == b'{';
        if !is_object && self.byte(root) != b'[' {
            return None;
        }
        self.open.push(0);
        // The token to be read, and the bracket or comma before it.
        let (mut at, mut before) = (1, root);
        let mut is_inside = self.byte(first) != closing(is_object);
        self.extent.depth = 1 + usize::from(is_inside);
        if !is_inside {
            self.gaps = gap(root, first);
        }
        loop {
            // Nothing, or one member or element, and the containers that end behind it.
            if is_inside {
                let (value, next);
                if is_object {
                    let name;
                    let colon;
                    [name, colon, value, next] = *self.places.get(at..)?.first_chunk()?;
                    self.key(name, colon)?;
                    self.gaps |= gap(before, name) | gap(colon, value);
                    at += 2;
                } else {
                    [value, next] = *self.places.get(at..)?.first_chunk()?;
                    self.gaps |= gap(before, value);
                }
                match self.byte(value) {
                    b'"' => self.string(value, next)?,
                    opening @ (b'{' | b'[') => {
                        if self.open.len() >= MAX_DEPTH {
                            return None;
                        }
                        self.open.push(u32::try_from(at).ok()?);
                        is_object = opening == b'{';
                        if self.byte(next) != closing(is_object) {
                            // What is in an empty container would lie one level further in.
                            self.extent.depth = self.extent.depth.max(self.open.len() + 1);
                            (at, before) = (at + 1, value);
                            continue;
                        }
                        self.gaps |= gap(value, next);
                    }
                    b't' => self.word(value, next, *b"true")?,
                    b'f' => self.word(value + 1, next, *b"alse")?,
                    b'n' => self.word(value, next, *b"null")?,
                    _ => self.number(value, next)?,
                }
                at += 1;
            }
            loop {
                let place = *self.places.get(at)?;
                let byte = self.byte(place);
                at += 1;
                if byte == b',' {
                    before = place;
                    break;
                }
                if byte != closing(is_object) {
                    return None;
                }
                let opening = self.open.pop()? as usize;
                *self.closers.get_mut(opening)? = u32::try_from(at - 1).ok()?;
                let Some(&parent) = self.open.last() else {
                    self.extent.is_compact = self.gaps == 0;
                    return (at == self.places.len()).then_some(self.extent);
                };
                is_object = self.byte(*self.places.get(parent as usize)?) == b'{';
                self.gaps |= gap(place, *self.places.get(at)?);
            }
            is_inside = true;
        }
    }

    #[inline]
    fn key(&mut self, start: u32, colon: u32) -> Option<()> {
        if self.byte(start) != b'"' || self.byte(colon) != b':' {
            return None;
        }
        if self.string_has_escapes(start, colon)? {
            self.extent.has_escaped_keys = true;
            self.escapes(start, colon)?;
        }
        Some(())
    }

    /// Reads a string that is the last token before `next`.
    #[inline]
    fn string(&mut self, start: u32, next: u32) -> Option<()> {
        if self.string_has_escapes(start, next)? { self.escapes(start, next) } else { Some(()) }
    }

    #[inline]
    fn string_has_escapes(&mut self, start: u32, next: u32) -> Option<bool> {
        let mut end = next as usize;
        if self.text.get(end - 1) != Some(&b'"') {
            end = self.trimmed(next);
            if self.text.get(end - 1) != Some(&b'"') {
                return None;
            }
        }
        (end >= start as usize + 2).then_some(self.backslash < end)
    }

    /// Checks the escapes of the string at `start`, the last token before `next`.
    #[cold]
    #[inline(never)]
    fn escapes(&mut self, start: u32, next: u32) -> Option<()> {
        let end = self.trimmed(next);
        self.extent.is_plain &= escape::check(self.text, start as usize + 1, end - 1)?;
        self.backslash = next_backslash(self.text, end, self.len);
        Some(())
    }

    /// Reads a number that is the last token before `next`.
    #[inline]
    fn number(&mut self, start: u32, next: u32) -> Option<()> {
        let word: [u8; 8] = *self.text.get(start as usize..)?.first_chunk()?;
        if number::read_short(word, (next - start) as usize).is_some() {
            return Some(());
        }
        self.long_number(start, next)
    }

    #[inline(never)]
    fn long_number(&mut self, start: u32, next: u32) -> Option<()> {
        let end = self.trimmed(next);
        let number::Number { is_canonical, may_overflow } =
            number::read(self.text.get(start as usize..end)?)?;
        self.extent.is_plain &= is_canonical;
        self.extent.may_overflow |= may_overflow;
        Some(())
    }

    /// Reads a word, or its last four letters, that is the last token before `next`.
    #[inline]
    fn word(&mut self, start: u32, next: u32, word: [u8; 4]) -> Option<()> {
        let is_it = self.text.get(start as usize..)?.first_chunk() == Some(&word)
            && (next == start + 4 || self.trimmed(next) == start as usize + 4);
        is_it.then_some(())
    }

    /// Returns where the token ends that is the last one before `next`.
    #[inline]
    fn trimmed(&mut self, next: u32) -> usize {
        let end = trimmed(self.text, next as usize, NESTED);
        self.gaps |= u32::from(end != next as usize);
        end
    }

    #[inline]
    fn byte(&self, place: u32) -> u8 {
        self.text.get(place as usize).copied().unwrap_or(0)
    }
}

/// Returns how much lies between a token of one byte and the next one.
#[inline]
fn gap(place: u32, next: u32) -> u32 {
    next.wrapping_sub(place + 1)
}

#[inline]
fn closing(is_object: bool) -> u8 {
    if is_object { b'}' } else { b']' }
}

fn next_backslash(text: &[u8], from: usize, to: usize) -> usize {
    memchr(b'\\', text.get(from..to).unwrap_or_default()).map_or(usize::MAX, |found| from + found)
}
