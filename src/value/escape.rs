//! Decodes the escapes of a JSON string (RFC 8259, section 7). It takes the text between the quotes as it is scanned
//! already: without control characters, and with every quote escaped.

/// Appends what `raw` stands for to `out`. Returns whether every escape is the one that canonical JSON has, or nothing
/// where there is one that JSON does not have.
pub(super) fn decode(raw: &[u8], out: &mut Vec<u8>) -> Option<bool> {
    let from = out.len();
    // What is decoded is never longer than its text; whole words are written, so there is room for one more.
    out.resize(from + raw.len() + WORD, 0);
    let (written, canonical) = decode_into(raw, out.get_mut(from..)?)?;
    out.truncate(from + written);
    Some(canonical)
}

fn decode_into(raw: &[u8], out: &mut [u8]) -> Option<(usize, bool)> {
    let mut canonical = true;
    let (mut at, mut to) = (0, 0);
    // Eight bytes a step, or those up to a backslash and the one that its escape stands for.
    while let Some(chunk) = raw.get(at..)?.first_chunk::<WORD>() {
        let place: &mut [u8; WORD] = out.get_mut(to..)?.first_chunk_mut()?;
        *place = *chunk;
        let found = backslashes(u64::from_le_bytes(*chunk));
        if found == 0 {
            (at, to) = (at + WORD, to + WORD);
            continue;
        }
        let before = (found.trailing_zeros() / 8) as usize;
        let code = chunk.get(before + 1).copied().unwrap_or(0);
        let simple = SIMPLE[usize::from(code)];
        if simple == 0 {
            // `\u`, or the escape goes on behind the eight bytes, or it is none.
            (at, to) = escape(raw, at + before, out, to + before, &mut canonical)?;
            continue;
        }
        place[before % WORD] = simple;
        canonical &= code != b'/';
        (at, to) = (at + before + 2, to + before + 1);
    }
    while let Some(byte) = raw.get(at) {
        if *byte == b'\\' {
            (at, to) = escape(raw, at, out, to, &mut canonical)?;
        } else {
            *out.get_mut(to)? = *byte;
            (at, to) = (at + 1, to + 1);
        }
    }
    Some((to, canonical))
}

/// Decodes any escape at `at` to `to`; returns both places behind it.
#[cold]
fn escape(raw: &[u8], at: usize, out: &mut [u8], to: usize, canonical: &mut bool) -> Option<(usize, usize)> {
    let code = *raw.get(at + 1)?;
    let simple = SIMPLE[usize::from(code)];
    if simple != 0 {
        *out.get_mut(to)? = simple;
        *canonical &= code != b'/';
        return Some((at + 2, to + 1));
    }
    if code != b'u' {
        return None;
    }
    // Canonical text has `\u` for some control characters only; that is rare enough to count as not so.
    *canonical = false;
    let (character, length) = unicode(raw.get(at..)?)?;
    let mut utf8 = [0; 4];
    let utf8 = character.encode_utf8(&mut utf8).as_bytes();
    out.get_mut(to..to + utf8.len())?.copy_from_slice(utf8);
    Some((at + length, to + utf8.len()))
}

/// What stands for each byte after a backslash; 0 where it is `u`, or no escape.
const SIMPLE: [u8; 256] = {
    let mut simple = [0; 256];
    simple[b'"' as usize] = b'"';
    simple[b'\\' as usize] = b'\\';
    simple[b'/' as usize] = b'/';
    simple[b'b' as usize] = 0x08;
    simple[b'f' as usize] = 0x0c;
    simple[b'n' as usize] = b'\n';
    simple[b'r' as usize] = b'\r';
    simple[b't' as usize] = b'\t';
    simple
};

const WORD: usize = 8;

/// Returns a word whose lowest set bit is in the first byte of `word` that is a backslash; 0 where none is.
fn backslashes(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const BACKSLASH: u64 = 0x5c;
    let zero_where_found = word ^ (ONES * BACKSLASH);
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
