//! Objects with the same key twice.

use smallvec::SmallVec;

use super::node::Tag;
use super::{Document, Layout, Object, Value};

/// Up to so many keys are compared pair by pair, which is faster than sorting them.
const FEW: usize = 24;

impl Document<'_> {
    /// Returns true where some object of the document has the same key twice, or had it where it comes from.
    pub fn has_duplicate_keys(&self) -> bool {
        let places = match &self.layout {
            Layout::Nodes { nodes, .. } => nodes.len(),
            Layout::Tokens(tokens) => tokens.len(),
        };
        let mut keys = SmallVec::new();
        self.extent.had_repeated_keys
            || (0..places)
                .filter(|at| self.is_container(*at, Tag::Object))
                .any(|at| Object { value: Value { document: self, at } }.has_equal_keys(&mut keys))
    }
}

impl<'t> Object<'t> {
    fn has_equal_keys(self, keys: &mut SmallVec<[Key<'t>; FEW]>) -> bool {
        keys.clear();
        keys.extend(self.keys().filter_map(|key| Some((key.key_prefix()?, key.string_bytes()?))));
        has_equal(keys)
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
