//! Sixty-four bytes of a text looked at in one step, with the widest instructions that the processor has.
//!
//! `archmage` proves at run time that the processor has them, which makes the intrinsics safe to call.

#[cfg(target_arch = "x86_64")]
use archmage::prelude::*;
use wide::u8x32;

/// As many bytes are looked at in one step.
pub(super) const BLOCK: usize = 64;

/// How a processor looks at the bytes of a block. What comes of it has a bit for each byte, the lowest for the first.
pub(super) trait Lanes: Copy {
    type Block: Copy;

    fn load(self, block: &[u8; BLOCK]) -> Self::Block;

    /// Returns the block with capital letters as small ones, and brackets as braces.
    fn fold(self, block: Self::Block) -> Self::Block;

    /// Returns which bytes are one of these.
    fn any<const N: usize>(self, block: Self::Block, of: [u8; N]) -> u64;
}

/// Something to be done with the bytes of a text; to be inlined where it is run.
pub(super) trait Task {
    type Output;

    fn run<L: Lanes>(self, lanes: L) -> Self::Output;
}

/// Does it with the widest lanes that there are.
#[inline]
pub(super) fn run<T: Task>(task: T) -> T::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(token) = X64V3Token::summon() {
        return run_with_avx2(token, task);
    }
    task.run(Portable)
}

#[cfg(target_arch = "x86_64")]
#[arcane]
fn run_with_avx2<T: Task>(token: X64V3Token, task: T) -> T::Output {
    task.run(token)
}

/// What every processor has, as far as the compiler knows it.
#[derive(Clone, Copy)]
pub(super) struct Portable;

impl Lanes for Portable {
    type Block = [u8x32; 2];

    #[inline(always)]
    fn load(self, block: &[u8; BLOCK]) -> Self::Block {
        let (halves, _) = block.as_chunks::<32>();
        [0, 1].map(|half| halves.get(half).map_or(u8x32::ZERO, |half| u8x32::new(*half)))
    }

    #[inline(always)]
    fn fold(self, block: Self::Block) -> Self::Block {
        block.map(|half| half | u8x32::splat(0x20))
    }

    #[inline(always)]
    fn any<const N: usize>(self, block: Self::Block, of: [u8; N]) -> u64 {
        let [low, high] = block.map(|half| {
            let found = of.iter().fold(u8x32::ZERO, |found, byte| found | half.simd_eq(u8x32::splat(*byte)));
            u64::from(found.to_bitmask())
        });
        low | high << 32
    }
}

#[cfg(target_arch = "x86_64")]
impl Lanes for X64V3Token {
    type Block = [__m256i; 2];

    #[inline(always)]
    fn load(self, block: &[u8; BLOCK]) -> Self::Block {
        avx2::load(self, block)
    }

    #[inline(always)]
    fn fold(self, block: Self::Block) -> Self::Block {
        avx2::fold(self, block)
    }

    #[inline(always)]
    fn any<const N: usize>(self, block: Self::Block, of: [u8; N]) -> u64 {
        avx2::any(self, block, of)
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use archmage::prelude::*;

    use super::BLOCK;

    // Without closures, which the compiler may leave as calls.
    #[arcane(import_intrinsics)]
    pub(super) fn load(_: X64V3Token, block: &[u8; BLOCK]) -> [__m256i; 2] {
        let (Some(low), Some(high)) = (block.first_chunk::<32>(), block.last_chunk::<32>()) else {
            return [_mm256_setzero_si256(); 2];
        };
        [_mm256_loadu_si256(low), _mm256_loadu_si256(high)]
    }

    #[arcane(import_intrinsics)]
    pub(super) fn fold(_: X64V3Token, [low, high]: [__m256i; 2]) -> [__m256i; 2] {
        let bit = _mm256_set1_epi8(0x20);
        [_mm256_or_si256(low, bit), _mm256_or_si256(high, bit)]
    }

    #[arcane(import_intrinsics)]
    pub(super) fn any<const N: usize>(_: X64V3Token, [low, high]: [__m256i; 2], of: [u8; N]) -> u64 {
        let mut found = [_mm256_setzero_si256(); 2];
        for byte in of {
            let byte = _mm256_set1_epi8(byte.cast_signed());
            found[0] = _mm256_or_si256(found[0], _mm256_cmpeq_epi8(low, byte));
            found[1] = _mm256_or_si256(found[1], _mm256_cmpeq_epi8(high, byte));
        }
        let low = u64::from(_mm256_movemask_epi8(found[0]).cast_unsigned());
        low | u64::from(_mm256_movemask_epi8(found[1]).cast_unsigned()) << 32
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    struct Marks<'b>(&'b [u8; BLOCK]);

    impl Task for Marks<'_> {
        type Output = [u64; 2];

        fn run<L: Lanes>(self, lanes: L) -> [u64; 2] {
            let block = lanes.load(self.0);
            [lanes.any(block, *b"{:\x80"), lanes.any(lanes.fold(block), *b"{}")]
        }
    }

    proptest! {
        #[test]
        fn all_lanes_see_the_same(bytes in prop::collection::vec(prop::sample::select(b"{}[]:;z\x80\0".to_vec()), BLOCK)) {
            let block = bytes.first_chunk().unwrap();
            let bits = |mark: &dyn Fn(u8) -> bool| {
                bytes.iter().rev().fold(0, |bits: u64, byte| bits << 1 | u64::from(mark(*byte)))
            };
            let expected =
                [bits(&|byte| b"{:\x80".contains(&byte)), bits(&|byte| b"{}[]".contains(&byte))];
            prop_assert_eq!(Marks(block).run(Portable), expected);
            prop_assert_eq!(run(Marks(block)), expected);
        }
    }
}
