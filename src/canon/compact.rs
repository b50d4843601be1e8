//! Canonical text out of a text in which only the order of keys may have to change: all scalars are canonical and nothing
//! stands between the tokens, as most programs write JSON. Each piece is copied as it stands.

use super::order::{FEW, Order, Orders, RECENT};
use crate::value::Tokens;

/// Writes one value.
pub(super) struct Compact<'t, 'w> {
    tokens: Tokens<'t>,
    orders: &'w mut Orders,
    /// Large enough for the whole text and a short piece more; what of it is written.
    out: &'t mut Vec<u8>,
    written: usize,
    /// The piece of the text that comes next, which may still grow.
    from: usize,
    to: usize,
    depth: usize,
}

/// Most pieces are no longer: copying a fixed number of bytes costs less than finding out how to copy a few.
const SHORT: usize = 32;

/// The shape of an object as it stands in the text.
#[derive(Clone, Copy, Default)]
pub(super) struct Shape {
    len: usize,
    /// The first eight bytes of each key with its closing quote, and which of them count: those up to the quote.
    heads: [u64; FEW],
    masks: [u64; FEW],
    /// Which of the members comes first, second and so on.
    order: [u8; FEW],
    is_sorted: bool,
}

impl<'t, 'w> Compact<'t, 'w> {
    pub(super) fn new(tokens: Tokens<'t>, orders: &'w mut Orders, out: &'t mut Vec<u8>) -> Self {
        Self { tokens, orders, out, written: 0, from: 0, to: 0, depth: 0 }
    }

    /// Returns the canonical text of the value that begins at a token: where it stands, or in `out`.
    pub(super) fn write(mut self, at: usize) -> &'t [u8] {
        let (start, end) = (self.tokens.place(at), self.tokens.end(at));
        let room = end - start + SHORT;
        if self.out.len() < room {
            self.out.resize(room, 0);
        }
        (self.from, self.to) = (start, end);
        self.element(at);
        if self.written == 0 {
            return self.tokens.text(self.from, self.to);
        }
        self.flush();
        self.out.get(..self.written).unwrap_or_default()
    }

    /// Goes on to a value, to which the next piece reaches, and through it; at its end the piece reaches to its last
    /// bracket or further.
    // No document is deeper than `value::MAX_DEPTH`, so the recursion ends.
    fn element(&mut self, at: usize) {
        match self.tokens.byte(at) {
            b'{' => self.object(at),
            b'[' => self.elements(at, 1),
            _ => {}
        }
    }

    /// Goes through the elements of an array, or the values of an object whose keys are in order; to the next one it is
    /// so many tokens.
    fn elements(&mut self, at: usize, step: usize) {
        self.depth += 1;
        let closer = self.tokens.closer(at);
        let mut next = at + step;
        while next < closer {
            if is_container(self.tokens.byte(next)) {
                // What lies before it is as it stands.
                self.to = self.tokens.place(next);
                self.element(next);
                next = self.tokens.closer(next);
            }
            next += step + 1;
        }
        self.to = self.tokens.place(closer) + 1;
        self.depth -= 1;
    }

    fn object(&mut self, at: usize) {
        let closer = self.tokens.closer(at);
        let mut keys = [0; FEW];
        let (mut count, mut next) = (0, at + 1);
        while next < closer {
            if let Some(key) = keys.get_mut(count) {
                *key = next;
            }
            count += 1;
            next = self.tokens.behind(next + 2) + 1;
        }
        if count == 0 {
            self.to = self.tokens.place(closer) + 1;
            return;
        }
        let known = self.orders.recent.get(self.depth % RECENT);
        if let (Some(keys), Some(shape)) = (keys.get(..count), known)
            && shape.fits(keys, &self.tokens)
        {
            let (order, is_sorted) = (shape.order, shape.is_sorted);
            return if is_sorted { self.elements(at, 3) } else { self.few(at, keys, order) };
        }
        self.others(at, keys);
    }

    /// Goes through an object of another shape than the one before on its level.
    #[inline(never)]
    fn others(&mut self, at: usize, keys: [usize; FEW]) {
        let tokens = self.tokens;
        let closer = tokens.closer(at);
        let from = self.orders.begin();
        let mut next = at + 1;
        while next < closer {
            self.orders.push(tokens.compact_prefix(next), next);
            next = tokens.behind(next + 2) + 1;
        }
        let order = self.orders.sort(from, |at| tokens.content(at));
        if let Order { few: Some(few), len, .. } = order {
            self.orders.done(&order);
            let keys = keys.get(..len).unwrap_or_default();
            let shape = Shape::of(keys, few, &tokens);
            let is_sorted = shape.is_sorted;
            if let Some(recent) = self.orders.recent.get_mut(self.depth % RECENT) {
                *recent = shape;
            }
            return if is_sorted { self.elements(at, 3) } else { self.few(at, keys, few) };
        }
        self.begin(at);
        let mut index = 0;
        while let Some(key) = self.orders.place(&order, index) {
            self.member(key);
            index += 1;
        }
        self.orders.done(&order);
        self.end(at);
    }

    /// Goes through the members of an object in this order.
    fn few(&mut self, at: usize, keys: &[usize], order: [u8; FEW]) {
        self.begin(at);
        for index in order.iter().take(keys.len()) {
            self.member(keys.get(usize::from(*index)).copied().unwrap_or_default());
        }
        self.end(at);
    }

    fn begin(&mut self, at: usize) {
        self.to = self.tokens.place(at) + 1;
        self.flush();
        self.depth += 1;
    }

    /// Ends an object that has a member, behind whose last one is a comma.
    fn end(&mut self, at: usize) {
        self.depth -= 1;
        let last = self.tokens.place(self.tokens.closer(at));
        self.written -= 1;
        (self.from, self.to) = (last, last + 1);
    }

    /// Appends a member and a comma.
    #[inline]
    fn member(&mut self, key: usize) {
        let (start, value) = (self.tokens.place(key), key + 2);
        if is_container(self.tokens.byte(value)) {
            let content = self.tokens.place(value);
            (self.from, self.to) = (start, content);
            self.element(value);
            // What is behind it makes room for the comma.
            self.to += 1;
            self.flush();
        } else {
            self.put(start, self.tokens.place(value + 1) + 1);
        }
        if let Some(place) = self.out.get_mut(self.written.wrapping_sub(1)) {
            *place = b',';
        }
    }

    fn flush(&mut self) {
        self.put(self.from, self.to);
    }

    /// Appends a piece of the text.
    #[inline]
    fn put(&mut self, from: usize, to: usize) {
        let len = to - from;
        if len <= SHORT
            && let Some(piece) = self.tokens.text_from(from).first_chunk::<SHORT>()
            && let Some(place) = self.out.get_mut(self.written..).and_then(|rest| rest.first_chunk_mut())
        {
            *place = *piece;
        } else if let Some(place) = self.out.get_mut(self.written..self.written + len) {
            place.copy_from_slice(self.tokens.text(from, to));
        }
        self.written += len;
    }
}

impl Shape {
    fn of(keys: &[usize], order: [u8; FEW], tokens: &Tokens<'_>) -> Self {
        let mut shape = Self { len: keys.len(), order, ..Self::default() };
        for ((key, head), mask) in keys.iter().zip(&mut shape.heads).zip(&mut shape.masks) {
            let length = tokens.place(key + 1) - tokens.place(*key) - 1;
            *mask = u64::MAX >> (64 - 8 * length.min(8));
            *head = tokens.head(*key) & *mask;
        }
        shape.is_sorted = order.iter().zip(0..).take(keys.len()).all(|(place, index)| *place == index);
        shape
    }

    /// Returns whether these keys are in the same order.
    #[inline]
    fn fits(&self, keys: &[usize], tokens: &Tokens<'_>) -> bool {
        self.len == keys.len()
            && keys
                .iter()
                .zip(self.heads.iter().zip(&self.masks))
                .all(|(key, (head, mask))| tokens.head(*key) & mask == *head)
    }
}

#[inline]
fn is_container(byte: u8) -> bool {
    matches!(byte, b'{' | b'[')
}
