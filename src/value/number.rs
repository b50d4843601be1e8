//! The text of a JSON number (RFC 8259, section 6): whether it is one, and whether it is canonical as it stands.

use super::float::shortest;

/// What the text of a number shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number {
    /// At a glance, the text is the canonical form of what it stands for.
    is_clearly_canonical: bool,
    pub(super) may_overflow: bool,
}

impl Number {
    /// Returns true where the text, the one that was read, is the canonical form of what it stands for.
    pub(super) fn is_canonical(self, text: &[u8]) -> bool {
        self.is_clearly_canonical || is_written_so(text)
    }
}

/// Reads a text that is a number; nothing where it is none that RFC 8259 knows.
pub(super) fn read(text: &[u8]) -> Option<Number> {
    let (is_negative, unsigned) = match text {
        [b'-', unsigned @ ..] => (true, unsigned),
        unsigned => (false, unsigned),
    };
    let (whole, rest) = split_digits(unsigned);
    let is_zero_whole = *whole.first()? == b'0';
    if is_zero_whole && whole.len() > 1 {
        return None;
    }
    if rest.is_empty() {
        let is_clearly_canonical = !(is_negative && is_zero_whole);
        return Some(Number { is_clearly_canonical, may_overflow: false });
    }
    let (mut is_clearly_canonical, mut may_overflow, mut rest) = (false, whole.len() > 300, rest);
    if let [b'.', behind @ ..] = rest {
        let fraction;
        (fraction, rest) = split_digits(behind);
        if fraction.is_empty() {
            return None;
        }
        is_clearly_canonical = is_shortest(fraction, whole.len(), is_zero_whole, is_negative);
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let digits = exponent.strip_prefix(b"+").or_else(|| exponent.strip_prefix(b"-")).unwrap_or(exponent);
        let after;
        (_, after) = split_digits(digits);
        if after.len() == digits.len() {
            return None;
        }
        (is_clearly_canonical, may_overflow, rest) = (false, true, after);
    }
    rest.is_empty().then_some(Number { is_clearly_canonical, may_overflow })
}

/// Returns true for a number of at most eight bytes, the first of `word`, that is digits, maybe with a point between them,
/// and canonical as it stands: most are. For others it says nothing.
#[inline(always)]
pub(super) fn is_simple(word: [u8; 8], len: usize) -> bool {
    const ZEROS: u64 = u64::from_ne_bytes([b'0'; 8]);
    let text = u64::from_le_bytes(word);
    let Some(behind) = len.checked_sub(1).and_then(|last| BEHIND.get(last)) else { return false };
    // Each byte as a digit, those behind the number as 0; of what is no digit, the highest bit is set.
    let digits = (text ^ ZEROS) & !behind;
    let others = (((digits & LOW) + PAST_NINE) | digits) & !LOW;
    let first = text & 0xff;
    if others == 0 {
        return first != u64::from(b'0') || len == 1;
    }
    // The one that is no digit is the point, with digits on both sides. With so few it is the shortest for its double.
    let point = others.trailing_zeros() / 8;
    let at_point = text >> (8 * point) & 0xff;
    let last = text >> (8 * (len - 1)) & 0xff;
    others.is_power_of_two()
        && at_point == u64::from(b'.')
        && first != u64::from(b'0')
        && last != u64::from(b'0')
        && point > 0
        && last != u64::from(b'.')
}

/// Which of eight bytes, the first the lowest, are behind so many and one.
const BEHIND: [u64; 8] = {
    let mut behind = [0; 8];
    let mut last = 0;
    while last < 7 {
        behind[last] = u64::MAX << (8 * (last + 1));
        last += 1;
    }
    behind
};

const LOW: u64 = u64::from_ne_bytes([0x7f; 8]);
/// Added to a byte of at most 9 it leaves the highest bit clear, added to a larger one it sets it.
const PAST_NINE: u64 = u64::from_ne_bytes([0x76; 8]);

/// Returns the decimal digits that a text begins with, and what comes after them.
fn split_digits(text: &[u8]) -> (&[u8], &[u8]) {
    text.split_at(text.iter().take_while(|byte| byte.is_ascii_digit()).count())
}

/// Returns true where a number in fixed notation is certain to be written the same way again. A decimal of at most 15
/// significant digits is the shortest that reads back to its double (IEEE 754 binary64 has a precision of 15.95).
fn is_shortest(fraction: &[u8], whole_digits: usize, is_zero_whole: bool, is_negative: bool) -> bool {
    if let [b'0'] = fraction {
        return whole_digits <= 15 && !(is_zero_whole && is_negative);
    }
    if fraction.last() == Some(&b'0') {
        return false;
    }
    if !is_zero_whole {
        return whole_digits + fraction.len() <= 15;
    }
    let zeros = fraction.iter().take_while(|digit| **digit == b'0').count();
    zeros <= 3 && fraction.len() - zeros <= 15
}

/// Returns true where the text of a float is what its double is written as.
fn is_written_so(text: &[u8]) -> bool {
    // No canonical text is longer.
    text.len() <= 24
        && std::str::from_utf8(text)
            .ok()
            .and_then(|text| text.parse::<f64>().ok())
            .is_some_and(|float| float.is_finite() && *shortest(float) == *text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_short(text: &str) -> bool {
        let mut word = *b"\",:}]{[x";
        word[..text.len()].copy_from_slice(text.as_bytes());
        is_simple(word, text.len())
    }

    #[test]
    fn a_short_number_is_read_in_one_step() {
        for text in ["0", "7", "10", "12345678", "1.5", "1275.35", "9.000001"] {
            assert!(is_short(text), "{text}");
        }
        for text in [
            "", "00", "01", ".5", "5.", ".", "1.50", "0.5", "-1", "1e5", "1..2", "1.2.3", "1 ", "1\u{e9}",
            "x", "/", ":",
        ] {
            assert!(!is_short(text), "{text}");
        }
        assert!(!is_simple(*b"12345678", 9));
    }

    #[test]
    fn only_what_is_written_the_same_way_is_canonical() {
        for text in [
            "0.1",
            "-1.5",
            "0.30000000000000004",
            "1137.7700000000002",
            "1e+16",
            "5e-324",
            "-0.00012",
            "100.0",
        ] {
            assert!(read(text.as_bytes()).unwrap().is_canonical(text.as_bytes()), "{text}");
        }
        for text in [
            "-0",
            "-0.0",
            "1.50",
            "1e5",
            "1E+16",
            "1e400",
            "0.30000000000000003",
            "0.00001",
            "1.0000000000000000000001",
        ] {
            assert!(!read(text.as_bytes()).unwrap().is_canonical(text.as_bytes()), "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_short_way_says_what_the_long_one_says(text in "[0-9.eE+\\-/: ]{1,8}|[1-9][0-9]{0,3}[.][0-9]{1,3}") {
            if is_short(&text) {
                let number = read(text.as_bytes()).unwrap();
                prop_assert!(number.is_clearly_canonical && !number.may_overflow);
            }
        }
    }
}
