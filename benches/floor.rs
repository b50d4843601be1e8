//! The floor of parsing: simd-json's tape of a line, in buffers that are kept.

use std::hint::black_box;

pub(crate) struct Tapes {
    buffers: simd_json::Buffers,
    padded: Vec<u8>,
    tape: simd_json::Tape<'static>,
}

impl Tapes {
    pub(crate) fn new() -> Self {
        let tape = simd_json::Tape(Vec::new());
        Self { buffers: simd_json::Buffers::new(4096), padded: Vec::new(), tape }
    }

    pub(crate) fn fill(&mut self, line: &[u8]) {
        let Self { buffers, padded, tape } = self;
        padded.clear();
        padded.extend_from_slice(line);
        padded.resize(line.len() + simd_json::INPUT_PADDING, 0);
        let mut filled = std::mem::replace(tape, simd_json::Tape(Vec::new())).reset();
        simd_json::fill_tape_padded(padded, line.len(), buffers, &mut filled).unwrap();
        black_box(&filled);
        *tape = filled.reset();
    }
}
