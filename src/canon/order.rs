//! The order of an object's keys. Results of one tool are alike, so the orders of a few shapes are remembered.

use std::cmp::Ordering;

use super::compact;

/// Up to so many keys make a shape that can be remembered.
pub(super) const FEW: usize = 16;
/// So many shapes are remembered, each where its keys say; a power of two.
const SHAPES: usize = 32;
/// On so many levels the shape of the last object is remembered as it stands in the text.
pub(super) const RECENT: usize = 8;

/// Finds the order of keys; keeps its working memory from one object to the next.
#[derive(Default)]
pub(super) struct Orders {
    /// Both are empty until something has to be remembered: many writers write little.
    shapes: Vec<Shape>,
    pub(super) recent: Vec<compact::Shape>,
    /// The members of the objects that are being written, outermost object first.
    members: Vec<Member>,
}

/// The order of one object's keys, until [`Orders::done`].
pub(super) struct Order {
    from: usize,
    pub(super) len: usize,
    /// Which of the members comes first, second and so on; nothing where they lie in their order.
    pub(super) few: Option<[u8; FEW]>,
}

/// The prefixes of an object's keys, all different, and their order.
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

impl Orders {
    /// Forgets the objects that were being written.
    pub(super) fn clear(&mut self) {
        self.members.clear();
    }

    /// Begins an object; returns what [`Orders::sort`] needs.
    pub(super) fn begin(&self) -> usize {
        self.members.len()
    }

    /// Takes the first bytes of the object's next key, and where it lies.
    #[inline]
    pub(super) fn push(&mut self, prefix: u64, at: usize) {
        self.members.push(Member { prefix, at });
    }

    /// Makes room for what is to be remembered.
    #[cold]
    fn begin_to_remember(&mut self) {
        self.shapes = vec![Shape::default(); SHAPES];
        self.recent = vec![compact::Shape::default(); RECENT];
    }

    /// Returns the order of an object's keys: each key once, the last one of equal keys. `key` is the one that lies at a
    /// place.
    pub(super) fn sort<'t>(&mut self, from: usize, key: impl Fn(usize) -> &'t [u8]) -> Order {
        if self.shapes.is_empty() {
            self.begin_to_remember();
        }
        let members = self.members.get(from..).unwrap_or_default();
        if let [first, ..] = members
            && let [.., last] = members
            && members.len() <= FEW
            && let Some(known) = self.shapes.get_mut(slot(first.prefix, last.prefix, members.len()))
        {
            let is_known = known.len == members.len()
                && known.prefixes.iter().zip(members).all(|(prefix, member)| *prefix == member.prefix);
            if is_known || known.learn(members) {
                return Order { from, len: members.len(), few: Some(known.order) };
            }
        }
        self.sort_all(from, key)
    }

    fn sort_all<'t>(&mut self, from: usize, key: impl Fn(usize) -> &'t [u8]) -> Order {
        // Keys are compared by code point, which in UTF-8 is by byte; equal prefixes say no more.
        let compare = |a: &Member, b: &Member| a.prefix.cmp(&b.prefix).then_with(|| key(a.at).cmp(key(b.at)));
        let unsorted = self.members.get_mut(from..).unwrap_or_default();
        unsorted.sort_unstable_by(|a, b| compare(a, b).then(a.at.cmp(&b.at)));
        // Of equal keys, which are side by side now and in their order, the last stays.
        let mut kept = from;
        for index in from..self.members.len() {
            let (Some(&member), next) = (self.members.get(index), self.members.get(index + 1)) else { break };
            if next.is_some_and(|next| compare(&member, next) == Ordering::Equal) {
                continue;
            }
            if let Some(place) = self.members.get_mut(kept) {
                *place = member;
            }
            kept += 1;
        }
        self.members.truncate(kept);
        Order { from, len: kept - from, few: None }
    }

    /// Returns where the key lies that is this one in the order; nothing behind the last.
    #[inline]
    pub(super) fn place(&self, order: &Order, index: usize) -> Option<usize> {
        if index >= order.len {
            return None;
        }
        let index = order.few.map_or(index, |few| usize::from(few[index % FEW]));
        self.members.get(order.from + index).map(|member| member.at)
    }

    /// Lets go of an object and of those in it.
    pub(super) fn done(&mut self, order: &Order) {
        self.members.truncate(order.from);
    }
}

/// Returns where a shape is remembered.
fn slot(first: u64, last: u64, len: usize) -> usize {
    let mixed = first ^ last.rotate_left(21) ^ (len as u64).rotate_right(9);
    (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize % SHAPES
}

impl Shape {
    /// Becomes the shape of these members, at most [`FEW`]; returns false where two prefixes are equal, which say no
    /// more: one key may go on, or end in NUL characters. Then it is no shape at all.
    fn learn(&mut self, members: &[Member]) -> bool {
        let mut by_prefix = [(0, 0); FEW];
        for ((slot, member), index) in by_prefix.iter_mut().zip(members).zip(0..) {
            *slot = (member.prefix, index);
        }
        let sorted = by_prefix.get_mut(..members.len()).unwrap_or_default();
        sorted.sort_unstable();
        for (slot, (_, index)) in self.order.iter_mut().zip(&*sorted) {
            *slot = *index;
        }
        for (slot, member) in self.prefixes.iter_mut().zip(members) {
            *slot = member.prefix;
        }
        let differ = sorted.windows(2).all(|pair| pair[0].0 != pair[1].0);
        self.len = if differ { members.len() } else { 0 };
        differ
    }
}
