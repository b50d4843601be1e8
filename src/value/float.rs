//! The canonical text of a double.

use smallvec::SmallVec;

/// The text of a double, which is never longer.
pub(crate) type Text = SmallVec<[u8; 32]>;

/// Returns the shortest digits that read back to a finite double: in fixed notation for a decimal exponent of -4 to 15,
/// else `d.ddde+XX` with at least two digits in the exponent; `0.0` for zero of either sign.
pub(crate) fn shortest(value: f64) -> Text {
    if value == 0.0 {
        return Text::from_slice(b"0.0");
    }
    let mut out = Text::new();
    let mut buffer = zmij::Buffer::new();
    let shortest = buffer.format_finite(value);
    let unsigned = match shortest.strip_prefix('-') {
        Some(unsigned) => {
            out.push(b'-');
            unsigned
        }
        None => shortest,
    };
    let (mantissa, exponent) = unsigned.split_once('e').unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    // The significant digits, and the power of ten of the first of them.
    let digits: SmallVec<[u8; 32]> = whole.bytes().chain(fraction.bytes()).collect();
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let mut point = i32::try_from(whole.len()).unwrap_or(0) + exponent;
    let leading = digits.iter().take_while(|digit| **digit == b'0').count();
    point -= i32::try_from(leading).unwrap_or(0);
    let digits = digits.get(leading..).unwrap_or_default();
    let trailing = digits.iter().rev().take_while(|digit| **digit == b'0').count();
    lay_out(digits.get(..digits.len() - trailing).unwrap_or_default(), point, &mut out);
    out
}

/// Appends `0.digits × 10^point` as Python's `repr` lays it out.
fn lay_out(digits: &[u8], point: i32, out: &mut Text) {
    let exponent = point - 1;
    if (-4..16).contains(&exponent) {
        match usize::try_from(point) {
            Ok(point @ 1..) => {
                let (whole, fraction) = digits.split_at(point.min(digits.len()));
                out.extend_from_slice(whole);
                out.resize(out.len() + point.saturating_sub(digits.len()), b'0');
                out.push(b'.');
                out.extend_from_slice(if fraction.is_empty() { b"0" } else { fraction });
            }
            _ => {
                out.extend_from_slice(b"0.");
                out.resize(out.len() + usize::try_from(-point).unwrap_or(0), b'0');
                out.extend_from_slice(digits);
            }
        }
        return;
    }
    let (first, rest) = digits.split_at(digits.len().min(1));
    out.extend_from_slice(first);
    if !rest.is_empty() {
        out.push(b'.');
        out.extend_from_slice(rest);
    }
    out.extend_from_slice(if exponent < 0 { b"e-" } else { b"e+" });
    let magnitude = exponent.unsigned_abs();
    if magnitude < 10 {
        out.push(b'0');
    }
    out.extend_from_slice(itoa::Buffer::new().format(magnitude).as_bytes());
}
