//! What comes out of an import: adapter inputs, where each comes from, and how many there were of what.

use std::ops::Range;

use super::event::Fault;

/// How many there were of what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Calls that were announced.
    pub calls: u64,
    /// Results, each of which gave one input.
    pub results: u64,
    /// Results whose call is not in the trace; they are among the results.
    pub without_call: u64,
    /// Calls without result, each of which gave one `claim_only`.
    pub unanswered: u64,
    /// Calls that were given up to keep memory bounded, each of which gave one `claim_only`.
    pub evicted: u64,
    /// Records of calls and results that were there before.
    pub duplicates: u64,
    /// Records that say nothing about tools.
    pub skipped: u64,
    /// Records that cannot be read, each of which gave one input that is rejected.
    pub broken: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.results += other.results;
        self.without_call += other.without_call;
        self.unanswered += other.unanswered;
        self.evicted += other.evicted;
        self.duplicates += other.duplicates;
        self.skipped += other.skipped;
        self.broken += other.broken;
    }
}

/// Adapter inputs, one a line, and where each comes from.
#[derive(Debug, Default)]
pub struct Inputs {
    bytes: Vec<u8>,
    list: Vec<Input>,
}

/// One adapter input among [`Inputs`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    range: Range<usize>,
    /// The number of the file among those that were started, from 0.
    pub file: usize,
    /// The trace line of the result, or of the call where there is none.
    pub line: u64,
    /// The record could not be read; the input is a stand-in that every contract rejects.
    pub fault: Option<Fault>,
}

impl Inputs {
    /// Forgets everything and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.list.clear();
    }

    /// Returns all lines, each with its newline.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Walks the inputs with their line, without its newline.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Input, &[u8])> {
        self.list.iter().map(|input| (input, self.bytes.get(input.range.clone()).unwrap_or_default()))
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns true where there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn push(
        &mut self,
        file: usize,
        line: u64,
        fault: Option<Fault>,
        write: impl FnOnce(&mut Vec<u8>),
    ) {
        let from = self.bytes.len();
        write(&mut self.bytes);
        let to = self.bytes.len().saturating_sub(1).max(from);
        self.list.push(Input { range: from..to, file, line, fault });
    }
}
