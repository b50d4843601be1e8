//! Objects with the same key twice: found in one pass over the nodes, by a word that stands for each key.

use smallvec::SmallVec;

use super::Document;
use super::node::{Node, Tag};

/// Up to so many keys are compared pair by pair, which is faster than sorting them.
const FEW: usize = 24;

type Keys<'a> = SmallVec<[(u64, &'a [u8]); FEW]>;

impl<'a> Document<'a> {
    /// Returns true where some object of the document has the same key twice.
    pub fn has_duplicate_keys(&self) -> bool {
        let mut keys: Keys<'a> = SmallVec::new();
        self.nodes.iter().enumerate().any(|(at, node)| {
            if node.tag != Tag::Object || node.first < 2 || !self.may_repeat(at, *node) {
                return false;
            }
            self.collect(at, *node, &mut keys);
            has_equal(&mut keys)
        })
    }

    /// Returns false where it is certain that no key of an object is there twice: each falls on a bit of its own.
    fn may_repeat(&self, at: usize, object: Node) -> bool {
        let mut seen = 0_u64;
        let mut next = at + 1;
        for _ in 0..object.first {
            let bit = 1 << bit_of(self.content(self.node(next)));
            if seen & bit != 0 {
                return true;
            }
            seen |= bit;
            next += 1;
            next += self.span(next);
        }
        false
    }

    fn collect(&self, at: usize, object: Node, keys: &mut Keys<'a>) {
        keys.clear();
        let mut next = at + 1;
        for _ in 0..object.first {
            let key = self.node(next);
            if key.tag == Tag::String {
                let content = self.content(key);
                keys.push((word(content), content));
            }
            next += 1;
            next += self.span(next);
        }
    }
}

/// Returns a number below 64 that is the same for equal keys, and mostly another for others.
fn bit_of(key: &[u8]) -> u32 {
    let byte = |at: usize| key.get(at).copied().map_or(0, u32::from);
    let (middle, last) = (byte(key.len() / 2), byte(key.len().saturating_sub(1)));
    let mixed = byte(0) | byte(1) << 8 | middle << 16 | last << 24;
    #[expect(clippy::cast_possible_truncation, reason = "a hash")]
    let length = key.len() as u32;
    (mixed ^ length.rotate_right(5)).wrapping_mul(0x9e37_79b1) >> 26
}

/// Returns a word that is the same for equal keys, and seldom for others: the first bytes, the last one, the length.
fn word(key: &[u8]) -> u64 {
    let mut head = [0_u8; 8];
    let short = key.len().min(head.len());
    if let (Some(to), Some(from)) = (head.get_mut(..short), key.get(..short)) {
        to.copy_from_slice(from);
    }
    let last = u64::from(key.last().copied().unwrap_or_default());
    u64::from_le_bytes(head) ^ (key.len() as u64).rotate_right(8) ^ last.rotate_right(20)
}

fn has_equal(keys: &mut Keys<'_>) -> bool {
    if keys.len() > FEW {
        keys.sort_unstable();
        return keys.windows(2).any(|pair| pair[0] == pair[1]);
    }
    keys.iter()
        .enumerate()
        .any(|(index, key)| keys[..index].iter().any(|other| other.0 == key.0 && other.1 == key.1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::value::Parser;

    fn is_repeated(text: &str) -> bool {
        Parser::default().parse(text.as_bytes()).unwrap().has_duplicate_keys()
    }

    #[test]
    fn finds_keys_that_repeat() {
        for (text, expected) in [
            ("{}", false),
            (r#"{"a":1}"#, false),
            (r#"{"a":1,"a":1}"#, true),
            (r#"{"a":1,"b":{"a":1}}"#, false),
            (r#"[{"a":1},{"a":1}]"#, false),
            (r#"{"x":[{"b":[1,{"c":2}],"c":3,"b":4}]}"#, true),
            (r#"{"a":1,"\u0061":2}"#, true),
            (r#"{"é":1,"e\u0301":2}"#, false),
            (r#"{"customer_id":1,"customer_ip":2}"#, false),
            (r#"{"":1,"":2}"#, true),
            (r#"{"true":1,"a":true}"#, false),
        ] {
            assert_eq!(is_repeated(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn agrees_with_a_set(keys in prop::collection::vec("[ab]{0,3}|long_prefix_[a-d]{1,2}", 0..40)) {
            let members: Vec<String> = keys.iter().map(|key| format!("\"{key}\":[0]")).collect();
            let distinct: std::collections::BTreeSet<&String> = keys.iter().collect();
            prop_assert_eq!(is_repeated(&format!("{{{}}}", members.join(","))), distinct.len() < keys.len());
        }
    }
}
