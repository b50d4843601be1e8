//! simd-json finds where every token of a text begins and checks its UTF-8; what the tokens make, `grammar` reads.
//!
//! It is simd-json's first stage that is used. Its second one copies strings and converts numbers, which nothing here
//! needs: an input is asked for a few of its strings, and its canonical text is mostly its own text. A parser that may go
//! no level deep stops between the two stages, and the places of the tokens stay in its buffers.

use simd_json::{Buffers, ErrorType, INPUT_PADDING, Tape};

use super::escape::WINDOW;

/// The buffers of simd-json's first stage, kept from one text to the next.
pub(super) struct Scanner {
    buffers: Buffers,
    /// Never holds anything: the second stage ends before it begins.
    tape: Tape<'static>,
}

impl Default for Scanner {
    fn default() -> Self {
        Self { buffers: Buffers::with_max_depth(4096, 0), tape: Tape(Vec::new()) }
    }
}

impl Scanner {
    /// Finds where each token of `padded[..len]` begins; returns false where the text is not UTF-8, a string has no end or
    /// a control character in it, or the text does not begin with `{` or `[`.
    pub(super) fn scan(&mut self, padded: &mut [u8], len: usize) -> bool {
        // Places have 32 bits.
        if u32::try_from(padded.len()).is_err() {
            return false;
        }
        let mut tape = Tape(std::mem::take(&mut self.tape.0)).reset();
        let outcome = simd_json::fill_tape_padded(padded, len, &mut self.buffers, &mut tape);
        self.tape = tape.reset();
        matches!(outcome, Err(error) if matches!(error.error(), ErrorType::DepthLimitExceeded))
    }

    /// Returns the places of the tokens that were found last.
    pub(super) fn places(&self) -> &[u32] {
        self.buffers.structural_indexes()
    }
}

/// Makes a text ready to be scanned: it must be followed by bytes that may be read over.
pub(super) fn pad(text: &mut Vec<u8>) {
    text.resize(text.len() + INPUT_PADDING.max(WINDOW), 0);
}
