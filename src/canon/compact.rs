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
    keys: [Head; FEW],
    /// Which of the members comes first, second and so on.
    order: [u8; FEW],
    is_sorted: bool,
}

/// The shape of no object.
static UNKNOWN: Shape =
    Shape { len: usize::MAX, keys: [Head { bytes: 0, mask: 0 }; FEW], order: [0; FEW], is_sorted: false };

/// The first eight bytes of a key with its closing quote, and which of them count: those up to the quote.
#[derive(Clone, Copy, Default)]
struct Head {
    bytes: u64,
    mask: u64,
}

/// A member as it stands in the text, up to the comma or bracket behind it.
#[derive(Clone, Copy, Default)]
struct Member {
    start: u32,
    end: u32,
    /// The token that its value begins at, where that is a container; else 0.
    container: u32,
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
        let tokens = self.tokens;
        let closer = tokens.closer(at);
        let mut members = [Member::default(); FEW];
        let (mut count, mut differences, mut next) = (0, 0, at + 1);
        let known = self.orders.recent.get(self.depth % RECENT).unwrap_or(&UNKNOWN);
        let mut slots = members.iter_mut().zip(&known.keys);
        while next < closer {
            let Some((member, behind)) = self.member(next) else { break };
            if let Some((slot, head)) = slots.next() {
                differences |= (tokens.head(member.start as usize) ^ head.bytes) & head.mask;
                *slot = member;
            }
            count += 1;
            next = behind + 1;
        }
        if count == 0 {
            self.to = tokens.place(closer) + 1;
        } else if count != known.len || differences != 0 {
            self.others(at, members.get(..count).unwrap_or_default());
        } else if known.is_sorted {
            self.elements(at, 3);
        } else {
            let order = known.order;
            self.few(at, members.get(..count).unwrap_or_default(), order);
        }
    }

    /// Returns the member whose key is at a token, and the token behind it.
    #[inline]
    fn member(&self, key: usize) -> Option<(Member, usize)> {
        let [start, _, value, next] = self.tokens.four(key)?;
        let (end, container, behind) = if is_container(self.tokens.text_byte(value)) {
            let behind = self.tokens.closer(key + 2) + 1;
            (self.tokens.place(behind), key + 2, behind)
        } else {
            (next, 0, key + 3)
        };
        // Neither places nor tokens are more than 32 bits tell.
        let short = |number| u32::try_from(number).unwrap_or_default();
        Some((Member { start: short(start), end: short(end), container: short(container) }, behind))
    }

    /// Goes through an object of another shape than the one before on its level; `members` are its members where they are
    /// few.
    #[inline(never)]
    fn others(&mut self, at: usize, members: &[Member]) {
        let tokens = self.tokens;
        let closer = tokens.closer(at);
        let from = self.orders.begin();
        let mut next = at + 1;
        let mut shape = Shape { len: members.len(), ..Shape::default() };
        let mut heads = shape.keys.iter_mut();
        while next < closer {
            self.orders.push(tokens.compact_prefix(next), next);
            if let Some(head) = heads.next() {
                let length = tokens.place(next + 1) - tokens.place(next) - 1;
                let mask = u64::MAX >> (64 - 8 * length.clamp(1, 8));
                *head = Head { bytes: tokens.head(tokens.place(next)), mask };
            }
            next = tokens.behind(next + 2) + 1;
        }
        let order = self.orders.sort(from, |at| tokens.content(at));
        if let Order { few: Some(few), .. } = order {
            self.orders.done(&order);
            shape.order = few;
            shape.is_sorted = few.iter().zip(0..).take(members.len()).all(|(place, index)| *place == index);
            if let Some(recent) = self.orders.recent.get_mut(self.depth % RECENT) {
                *recent = shape;
            }
            return if shape.is_sorted { self.elements(at, 3) } else { self.few(at, members, few) };
        }
        self.begin(at);
        let mut index = 0;
        while let Some(key) = self.orders.place(&order, index) {
            if let Some((member, _)) = self.member(key) {
                self.write_member(member);
            }
            index += 1;
        }
        self.orders.done(&order);
        self.end(at);
    }

    /// Goes through the members of an object in this order.
    fn few(&mut self, at: usize, members: &[Member], order: [u8; FEW]) {
        self.begin(at);
        for index in order.iter().take(members.len()) {
            self.write_member(members.get(usize::from(*index)).copied().unwrap_or_default());
        }
        self.end(at);
    }

    #[inline]
    fn begin(&mut self, at: usize) {
        self.to = self.tokens.place(at) + 1;
        self.flush();
        self.depth += 1;
    }

    /// Ends an object that has a member, behind whose last one is a comma.
    #[inline]
    fn end(&mut self, at: usize) {
        self.depth -= 1;
        let last = self.tokens.place(self.tokens.closer(at));
        self.written -= 1;
        (self.from, self.to) = (last, last + 1);
    }

    /// Appends a member and a comma.
    #[inline]
    fn write_member(&mut self, member: Member) {
        let (start, end) = (member.start as usize, member.end as usize);
        if member.container == 0 {
            // What is behind it makes room for the comma.
            self.put(start, end + 1);
        } else {
            self.write_container(start, member.container as usize);
        }
        if let Some(place) = self.out.get_mut(self.written.wrapping_sub(1)) {
            *place = b',';
        }
    }

    /// Appends a member whose value is a container, and one byte more.
    fn write_container(&mut self, start: usize, container: usize) {
        (self.from, self.to) = (start, self.tokens.place(container));
        self.element(container);
        self.to += 1;
        self.flush();
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

#[inline]
fn is_container(byte: u8) -> bool {
    matches!(byte, b'{' | b'[')
}
