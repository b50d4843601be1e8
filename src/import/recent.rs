//! A map that forgets: bounded memory of keys seen lately, without a clock and without a list to keep in order.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

/// Keeps at least the last `capacity` keys and at most twice as many.
#[derive(Debug)]
pub(super) struct Recent<V> {
    capacity: usize,
    young: HashMap<u128, V>,
    old: HashMap<u128, V>,
}

impl<V> Recent<V> {
    pub(super) fn new(capacity: usize) -> Self {
        Self { capacity: capacity.max(1), young: HashMap::new(), old: HashMap::new() }
    }

    pub(super) fn get(&self, key: u128) -> Option<&V> {
        self.young.get(&key).or_else(|| self.old.get(&key))
    }

    /// Remembers a value and returns the one that was remembered for the key.
    pub(super) fn insert(&mut self, key: u128, value: V) -> Option<V> {
        if self.young.len() >= self.capacity {
            // The old generation is forgotten; its memory serves the next.
            std::mem::swap(&mut self.young, &mut self.old);
            self.young.clear();
        }
        let aged = self.old.remove(&key);
        self.young.insert(key, value).or(aged)
    }

    pub(super) fn remove(&mut self, key: u128) {
        self.young.remove(&key);
        self.old.remove(&key);
    }
}

/// Makes 128-bit keys that no trace can aim at: two keyed hashes with keys of this process's own.
#[derive(Debug, Default)]
pub(super) struct Keys(RandomState, RandomState);

impl Keys {
    pub(super) fn of(&self, scope: u128, id: &[u8]) -> u128 {
        let (high, low) = (self.0.hash_one((scope, id)), self.1.hash_one((scope, id)));
        u128::from(high) << 64 | u128::from(low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_latest_and_never_more_than_twice_the_capacity() {
        let mut recent = Recent::new(4);
        for key in 0..100_u128 {
            assert_eq!(recent.insert(key, key), None);
            for kept in key.saturating_sub(3)..=key {
                assert_eq!(recent.get(kept), Some(&kept));
            }
            assert!(recent.young.len() + recent.old.len() <= 8);
        }
        assert_eq!(recent.insert(99, 7), Some(99));
        assert_eq!(recent.insert(97, 7), Some(97));
        recent.remove(97);
        assert_eq!(recent.get(97), None);
        assert_eq!(recent.get(1), None);
    }
}
