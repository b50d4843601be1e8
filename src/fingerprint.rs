//! SHA-256 digests in the form that records carry. Not a signature: it tells that bytes are the same, not whose.

use std::fmt;

use sha2::{Digest, Sha256};

/// The SHA-256 digest of some canonical JSON.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// Length of the text form in bytes: `sha256:` and 64 hexadecimal digits.
    pub const TEXT_LEN: usize = 71;

    /// Returns the digest of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Returns `sha256:` and the digest in lower-case hexadecimal digits.
    pub fn text(&self) -> [u8; Self::TEXT_LEN] {
        let mut text = *b"sha256:0000000000000000000000000000000000000000000000000000000000000000";
        for (byte, digits) in self.0.iter().zip(text[7..].chunks_exact_mut(2)) {
            digits.copy_from_slice(&hex(*byte));
        }
        text
    }

    /// Returns the first 12 hexadecimal digits, which stand in for an id where an input has none.
    pub fn short(&self) -> [u8; 12] {
        let mut digits = [0; 12];
        for (byte, pair) in self.0.iter().zip(digits.chunks_exact_mut(2)) {
            pair.copy_from_slice(&hex(*byte));
        }
        digits
    }
}

impl From<Sha256> for Fingerprint {
    /// Returns the digest of everything that the hasher took.
    fn from(hasher: Sha256) -> Self {
        Self(hasher.finalize().into())
    }
}

fn hex(byte: u8) -> [u8; 2] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.text()).unwrap_or_default())
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_digest_of_fips_180_4() {
        let abc = Fingerprint::of(b"abc");
        assert_eq!(
            abc.to_string(),
            "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(&abc.short(), b"ba7816bf8f01");
    }
}
