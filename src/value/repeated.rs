//! Objects with the same key twice.

use memchr::memchr;
use smallvec::SmallVec;

use super::node::Tag;
use super::tokens::Tokens;
use super::{Document, Layout, Object, Value};

/// Up to so many keys are compared pair by pair, which is faster than sorting them.
const FEW: usize = 24;

impl Document<'_> {
    /// Returns true where some object of the document has the same key twice, or had it where it comes from.
    pub fn has_duplicate_keys(&self) -> bool {
        let has_equal = |at| Object { value: Value { document: self, at } }.has_equal_keys();
        self.extent.had_repeated_keys
            || match &self.layout {
                Layout::Nodes { nodes, .. } => {
                    (0..nodes.len()).any(|at| self.is_container(at, Tag::Object) && has_equal(at))
                }
                Layout::Tokens(tokens) => {
                    Search { tokens, is_compact: self.extent.is_compact, open: SmallVec::new() }
                        .finds(has_equal)
                }
            }
    }
}

/// Goes through all objects, most of which cannot have equal keys: that is seen without a comparison of keys.
struct Search<'s> {
    tokens: &'s Tokens<'s>,
    /// There is no white space between the tokens.
    is_compact: bool,
    /// Containers that are still to be looked into.
    open: SmallVec<[usize; 64]>,
}

impl Search<'_> {
    /// Returns true where `has_equal` says so of an object.
    fn finds(mut self, has_equal: impl Fn(usize) -> bool) -> bool {
        self.open.push(0);
        while let Some(at) = self.open.pop() {
            let is_array = self.tokens.byte(at) == b'[';
            let all_differ = self.goes_through(at, if is_array { 0 } else { 2 });
            if !all_differ && has_equal(at) {
                return true;
            }
        }
        false
    }

    /// Has the containers in one looked into later. Returns true where its keys are surely all different: each has a bit of
    /// its own. From an element or key to its value it is `step` tokens: 0 in an array, 2 in an object.
    fn goes_through(&mut self, at: usize, step: usize) -> bool {
        let tokens = self.tokens;
        let closer = tokens.closer(at);
        let (mut bits, mut all_differ) = ([0_u64; 8], true);
        let mut next = at + 1;
        while next < closer {
            if step > 0 {
                match self.mark_of_key(next) {
                    Some(mark) => {
                        let (word, bit) = (&mut bits[(mark >> 61) as usize], 1 << (mark >> 55 & 63));
                        all_differ &= *word & bit == 0;
                        *word |= bit;
                    }
                    None => all_differ = false,
                }
            }
            let value = next + step;
            next = value + 2;
            if matches!(tokens.byte(value), b'{' | b'[') {
                self.open.push(value);
                next = tokens.closer(value) + 2;
            }
        }
        all_differ
    }

    /// Returns a number that is the same for equal keys, of their first bytes and how many there are; nothing for a key
    /// that may have escapes, or white space behind it.
    #[inline]
    fn mark_of_key(&self, key: usize) -> Option<u64> {
        let Tokens { is_nested, escapes, .. } = *self.tokens;
        let (from, colon) = (self.tokens.place(key) + 1, self.tokens.place(key + 1));
        let length = colon.checked_sub(from + if is_nested { 2 } else { 1 })?;
        if !self.is_compact && self.tokens.text_byte(colon - 1) != b'"' {
            return None;
        }
        let head = self.tokens.plain_prefix(from, length);
        // In other texts it is known whether keys have any.
        let has_escapes = || {
            has_backslash(head)
                || (length > 8 && memchr(b'\\', self.tokens.text(from, from + length)).is_some())
        };
        if escapes.in_keys && (!is_nested || has_escapes()) {
            return None;
        }
        Some((head ^ length as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }
}

/// Returns true where one of eight bytes is a backslash.
#[inline]
fn has_backslash(word: u64) -> bool {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    let zeros = word ^ (ONES * u64::from(b'\\'));
    zeros.wrapping_sub(ONES) & !zeros & (ONES * 0x80) != 0
}

impl<'t> Object<'t> {
    fn has_equal_keys(self) -> bool {
        let mut keys: Vec<Key<'t>> =
            self.keys().filter_map(|key| Some((key.key_prefix()?, key.string_bytes()?))).collect();
        has_equal(&mut keys)
    }
}

/// A key's first bytes, and the key.
type Key<'a> = (u64, &'a [u8]);

fn has_equal(keys: &mut [Key<'_>]) -> bool {
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
            (r#"{"a key of more than sixteen bytes":1,"a key of more than sixteen bits":1}"#, false),
            (r#"{"a key of more than sixteen bytes":1,"a key of more than sixteen bytes" :1}"#, true),
            (r#"{"exactly8":1,"exactly9_":1,"exactly8":1}"#, true),
        ] {
            assert_eq!(is_repeated(text), expected, "{text}");
        }
    }

    #[test]
    fn finds_one_of_many_keys_that_repeats() {
        let many = |last: &str| {
            let keys = (0..30).map(|index| format!("\"key{index}\":0")).chain([format!("\"{last}\":0")]);
            format!("{{{}}}", keys.collect::<Vec<_>>().join(","))
        };
        assert!(!is_repeated(&many("other")));
        assert!(is_repeated(&many("key7")));
        assert!(!is_repeated(&many("key\\u00e9")));
        assert!(is_repeated(&many("key\\u0037")));
    }

    /// Objects of keys that begin alike, some written with escapes, one after the other in one array.
    fn objects(keys: &[Vec<String>]) -> String {
        let object = |keys: &Vec<String>| {
            let members: Vec<String> = keys.iter().map(|key| format!("\"{key}\":[{{\"k\":0}}]")).collect();
            format!("{{{}}}", members.join(","))
        };
        format!("[{}]", keys.iter().map(object).collect::<Vec<_>>().join(","))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn agrees_with_a_set(
            keys in prop::collection::vec(
                prop::collection::vec(
                    "[ab]{0,2}|long_prefix_[a-d]{1,2}|abcdef[gh]?(A|\\\\u0041)?|abcdefgh(A|\\\\u0041)?|[a-z]", 0..6,
                ),
                1..4,
            ),
            repeated in 1..4_usize,
        ) {
            let keys: Vec<Vec<String>> = keys.into_iter().flat_map(|keys| vec![keys; repeated]).collect();
            let is_double = |keys: &Vec<String>| {
                let plain = keys.iter().map(|key| key.replace("\\u0041", "A"));
                plain.collect::<std::collections::BTreeSet<_>>().len() < keys.len()
            };
            let (text, expected) = (objects(&keys), keys.iter().any(is_double));
            prop_assert_eq!(is_repeated(&text), expected);
            // The same in a string, where it is read where it stands.
            let line = format!("[{}]", serde_json::to_string(&text).unwrap());
            let (mut outer, mut inner) = (Parser::default(), Parser::default());
            let outer = outer.parse(line.as_bytes()).unwrap();
            let string = outer.root().as_array().unwrap().iter().next().unwrap();
            prop_assert_eq!(inner.parse_string(string).unwrap().has_duplicate_keys(), expected);
        }
    }
}
