//! How much pairing may remember.

/// Bounds of what is kept while results are awaited; past one of them the oldest is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Open calls within one scope.
    pub open_in_scope: usize,
    /// Open calls in all.
    pub open: usize,
    /// Bytes of open calls in all.
    pub bytes: usize,
    /// Scopes that something is known of.
    pub scopes: usize,
    /// Answered calls that are remembered, to tell a repeated result from a new one; twice as many at most.
    pub answered: usize,
    /// Records that are remembered, to tell a repeated record from a new one; twice as many at most.
    pub records: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            open_in_scope: 4096,
            open: 65_536,
            bytes: 48 << 20,
            scopes: 16_384,
            answered: 1 << 15,
            records: 1 << 18,
        }
    }
}
