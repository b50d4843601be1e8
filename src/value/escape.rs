//! Decodes the escapes of a JSON string (RFC 8259, section 7). It takes the text between the quotes as it is scanned
//! already: without control characters, and with every quote escaped.

/// Appends what `raw` stands for to `out`. Returns whether every escape is the one that canonical JSON has, or nothing
/// where there is one that JSON does not have.
pub(super) fn decode(raw: &[u8], out: &mut Vec<u8>) -> Option<bool> {
    let mut canonical = true;
    let mut at = 0;
    out.reserve(raw.len() + WORD);
    loop {
        // Eight bytes a step; of a step with a backslash in it, the bytes before that.
        while let Some(chunk) = raw.get(at..).and_then(|rest| rest.first_chunk::<WORD>()) {
            let found = backslashes(u64::from_le_bytes(*chunk));
            out.extend_from_slice(chunk);
            if found == 0 {
                at += WORD;
                continue;
            }
            let before = (found.trailing_zeros() / 8) as usize;
            out.truncate(out.len() - WORD + before);
            at += before;
            break;
        }
        match raw.get(at) {
            None => return Some(canonical),
            Some(b'\\') => {}
            Some(byte) => {
                out.push(*byte);
                at += 1;
                continue;
            }
        }
        let decoded = match raw.get(at + 1)? {
            b'"' => b'"',
            b'\\' => b'\\',
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'b' => 0x08,
            b'f' => 0x0c,
            b'/' => {
                canonical = false;
                b'/'
            }
            b'u' => {
                // Canonical text has `\u` for some control characters only; that is rare enough to count as not so.
                canonical = false;
                let (character, length) = unicode(raw.get(at..)?)?;
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                at += length;
                continue;
            }
            _ => return None,
        };
        out.push(decoded);
        at += 2;
    }
}

const WORD: usize = 8;

/// Returns a word whose lowest set bit is in the first byte of `word` that is a backslash; 0 where none is.
fn backslashes(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let zero_where_found = word ^ (ONES * b'\\' as u64);
    zero_where_found.wrapping_sub(ONES) & !zero_where_found & (ONES << 7)
}

/// Reads `\uXXXX`, or the two of a surrogate pair; returns the character and how many bytes it took.
fn unicode(raw: &[u8]) -> Option<(char, usize)> {
    let first = four_digits(raw.get(2..6)?)?;
    if let Some(character) = char::from_u32(first) {
        return Some((character, 6));
    }
    if !(0xd800..0xdc00).contains(&first) || raw.get(6..8)? != b"\\u" {
        return None;
    }
    let second = four_digits(raw.get(8..12)?)?;
    if !(0xdc00..0xe000).contains(&second) {
        return None;
    }
    let character = char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))?;
    Some((character, 12))
}

fn four_digits(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |code, digit| Some(code * 16 + char::from(*digit).to_digit(16)?))
}
