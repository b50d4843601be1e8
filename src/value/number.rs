//! The text of a JSON number (RFC 8259, section 6): whether it is one, and whether it is canonical as it stands.

/// What the text of a number shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number {
    /// The text is the canonical form of what it stands for.
    pub(super) is_canonical: bool,
    pub(super) may_overflow: bool,
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
        let is_canonical = !(is_negative && is_zero_whole);
        return Some(Number { is_canonical, may_overflow: false });
    }
    let (mut is_canonical, mut may_overflow, mut rest) = (false, whole.len() > 300, rest);
    if let [b'.', behind @ ..] = rest {
        let fraction;
        (fraction, rest) = split_digits(behind);
        if fraction.is_empty() {
            return None;
        }
        is_canonical = is_shortest(fraction, whole.len(), is_zero_whole, is_negative);
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let digits = exponent.strip_prefix(b"+").or_else(|| exponent.strip_prefix(b"-")).unwrap_or(exponent);
        let after;
        (_, after) = split_digits(digits);
        if after.len() == digits.len() {
            return None;
        }
        (is_canonical, may_overflow, rest) = (false, true, after);
    }
    rest.is_empty().then_some(Number { is_canonical, may_overflow })
}

/// Reads a number of at most eight bytes, the first of `word`, which is digits, maybe with a point between them; nothing
/// where it is not so simple.
#[inline]
pub(super) fn read_short(word: [u8; 8], len: usize) -> Option<Number> {
    const ZEROS: u64 = u64::from_ne_bytes([b'0'; 8]);
    if !(1..=8).contains(&len) {
        return None;
    }
    let behind = u64::MAX.checked_shl(8 * u32::try_from(len).ok()?).unwrap_or(0);
    let text = u64::from_le_bytes(word);
    // Each byte as a digit, those behind the number as 0; of what is no digit, the highest bit is set.
    let digits = (text ^ ZEROS) & !behind;
    let others = (((digits & LOW) + PAST_NINE) | digits) & !LOW;
    let first = text & 0xff;
    if others == 0 {
        let is_canonical = first != u64::from(b'0') || len == 1;
        return is_canonical.then_some(Number { is_canonical, may_overflow: false });
    }
    // The one that is no digit is the point, with digits on both sides.
    let point = others.trailing_zeros() / 8;
    let at_point = text >> (8 * point) & 0xff;
    let last = text >> (8 * (len - 1)) & 0xff;
    let is_simple = others.is_power_of_two()
        && at_point == u64::from(b'.')
        && first != u64::from(b'0')
        && last != u64::from(b'0')
        && point > 0
        && last != u64::from(b'.');
    // With so few digits it is the shortest for its double.
    is_simple.then_some(Number { is_canonical: true, may_overflow: false })
}

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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn short(text: &str) -> Option<Number> {
        let mut word = *b"\",:}]{[x";
        word[..text.len()].copy_from_slice(text.as_bytes());
        read_short(word, text.len())
    }

    #[test]
    fn a_short_number_is_read_in_one_step() {
        for text in ["0", "7", "10", "12345678", "1.5", "1275.35", "9.000001"] {
            assert_eq!(short(text), Some(Number { is_canonical: true, may_overflow: false }), "{text}");
        }
        for text in [
            "00", "01", ".5", "5.", ".", "1.50", "0.5", "-1", "1e5", "1..2", "1.2.3", "1 ", "1\u{e9}", "x",
            "/", ":",
        ] {
            assert_eq!(short(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_short_way_says_what_the_long_one_says(text in "[0-9.eE+\\-/: ]{1,8}|[1-9][0-9]{0,3}[.][0-9]{1,3}") {
            if let Some(number) = short(&text) {
                prop_assert_eq!(Some(number), read(text.as_bytes()));
            }
        }
    }
}
