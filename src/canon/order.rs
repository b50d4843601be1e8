//! The order of an object's keys. Results of one tool are alike, so the orders of a few shapes are remembered.

use std::cmp::Ordering;
use std::ops::Range;

use super::NotCanonical;
use crate::value::Object;

/// Up to so many keys make a shape that can be remembered.
const FEW: usize = 16;
/// So many shapes are remembered, each where its keys say; a power of two.
const SHAPES: usize = 32;

/// Finds the order of keys; keeps its working memory from one object to the next.
pub(super) struct Orders {
    shapes: Vec<Shape>,
    /// The members of the objects with many keys that are being written, outermost object first.
    members: Vec<Member>,
}

/// Where the keys of one object are, in their order, each key once, the last one of equal keys.
pub(super) enum Order {
    Few(Few),
    /// A piece of [`Orders::place`]'s list, until [`Orders::done`].
    Many(Range<usize>),
}

/// The places of a few keys, and which of them comes first, second and so on.
#[derive(Clone, Copy)]
pub(super) struct Few {
    len: usize,
    places: [usize; FEW],
    order: [u8; FEW],
}

/// The prefixes of an object's keys, all different, with zeros behind them; and their order.
#[derive(Clone, Copy, Default)]
struct Shape {
    len: usize,
    prefixes: [u64; FEW],
    order: [u8; FEW],
}

/// A member on its way to its place.
#[derive(Clone, Copy)]
struct Member {
    /// The first bytes of the key, as a number that orders like them: most keys are told apart by it.
    prefix: u64,
    /// Where the key lies in its document.
    at: usize,
}

impl Default for Orders {
    fn default() -> Self {
        Self { shapes: vec![Shape::default(); SHAPES], members: Vec::new() }
    }
}

impl Orders {
    /// Forgets the objects that were being written.
    pub(super) fn clear(&mut self) {
        self.members.clear();
    }

    /// Returns the order of an object's keys.
    ///
    /// # Errors
    /// [`NotCanonical`] where a key is no string.
    pub(super) fn of(&mut self, object: Object<'_>) -> Result<Order, NotCanonical> {
        let mut shape = Shape { len: object.len(), ..Shape::default() };
        let mut few = Few { len: object.len(), places: [0; FEW], order: [0; FEW] };
        if shape.len > FEW {
            return self.many(object);
        }
        for ((prefix, place), key) in shape.prefixes.iter_mut().zip(&mut few.places).zip(object.keys()) {
            *prefix = key.key_prefix().ok_or(NotCanonical::KeyNotString)?;
            *place = key.position();
        }
        let Some(known) = self.shapes.get_mut(shape.slot()) else { return self.many(object) };
        if known.len != shape.len || known.prefixes != shape.prefixes {
            if !shape.sort() {
                return self.many(object);
            }
            *known = shape;
        }
        few.order = known.order;
        Ok(Order::Few(few))
    }

    fn many(&mut self, object: Object<'_>) -> Result<Order, NotCanonical> {
        let from = self.members.len();
        for key in object.keys() {
            let prefix = key.key_prefix().ok_or(NotCanonical::KeyNotString)?;
            self.members.push(Member { prefix, at: key.position() });
        }
        let unsorted = self.members.get_mut(from..).unwrap_or_default();
        unsorted.sort_unstable_by(|a, b| compare(object, a, b).then(a.at.cmp(&b.at)));
        // Of equal keys, which are side by side now and in their order, the last stays.
        let mut kept = from;
        for index in from..self.members.len() {
            let (Some(&member), next) = (self.members.get(index), self.members.get(index + 1)) else { break };
            if next.is_some_and(|next| compare(object, &member, next) == Ordering::Equal) {
                continue;
            }
            if let Some(place) = self.members.get_mut(kept) {
                *place = member;
            }
            kept += 1;
        }
        self.members.truncate(kept);
        Ok(Order::Many(from..kept))
    }

    /// Returns where a key of many lies in its document.
    pub(super) fn place(&self, index: usize) -> usize {
        self.members.get(index).map_or(0, |member| member.at)
    }

    /// Lets go of an object with many keys, and of those in it.
    pub(super) fn done(&mut self, many: Range<usize>) {
        self.members.truncate(many.start);
    }
}

impl Few {
    /// Returns where the keys lie in their document, in their order.
    pub(super) fn places(&self) -> impl Iterator<Item = usize> {
        let order = self.order.get(..self.len).unwrap_or_default();
        order.iter().map(|index| self.places[usize::from(*index) % FEW])
    }
}

impl Shape {
    /// Returns where a shape like this is remembered.
    fn slot(&self) -> usize {
        let last = self.prefixes.get(self.len.saturating_sub(1)).copied().unwrap_or(0);
        let mixed = self.prefixes[0] ^ last.rotate_left(21) ^ (self.len as u64).rotate_right(9);
        (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize % SHAPES
    }

    /// Finds the order; returns false where two prefixes are equal, which say no more: one key may go on, or end in NUL
    /// characters.
    fn sort(&mut self) -> bool {
        let mut by_prefix = [(0, 0); FEW];
        for ((slot, prefix), index) in by_prefix.iter_mut().zip(self.prefixes).zip(0..) {
            *slot = (prefix, index);
        }
        let sorted = by_prefix.get_mut(..self.len).unwrap_or_default();
        sorted.sort_unstable();
        for (slot, (_, index)) in self.order.iter_mut().zip(&*sorted) {
            *slot = *index;
        }
        sorted.windows(2).all(|pair| pair[0].0 != pair[1].0)
    }
}

/// Compares keys by code point, which in UTF-8 is by byte.
fn compare(object: Object<'_>, a: &Member, b: &Member) -> Ordering {
    // Equal prefixes say no more.
    a.prefix.cmp(&b.prefix).then_with(|| object.key_bytes_at(a.at).cmp(object.key_bytes_at(b.at)))
}
