//! Canonical text out of the text that a value was read from: what is canonical there already is copied as it stands.
//! Not for values without a text.

use super::order::{Order, Orders};
use super::{NotCanonical, Overflow, write_scalar, write_string};
use crate::value::{Object, Span, Value};

// No document is deeper than `value::MAX_DEPTH`, so the recursion ends.
pub(super) fn write(value: Value<'_>, orders: &mut Orders, out: &mut Vec<u8>) -> Result<(), NotCanonical> {
    let span = value.span();
    if span.is_canonical {
        copy(value.whole_text(), span.start, span.end, out);
        return Ok(());
    }
    if let Some(array) = value.as_array() {
        out.push(b'[');
        for (index, element) in array.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            write(element, orders, out)?;
        }
        out.push(b']');
        return Ok(());
    }
    if let Some(object) = value.as_object() {
        out.push(b'{');
        match orders.of(object)? {
            Order::Few(few) => {
                for (index, at) in few.places().enumerate() {
                    write_member(object, at, index == 0, orders, out)?;
                }
            }
            Order::Many(many) => {
                for index in many.clone() {
                    write_member(object, orders.place(index), index == many.start, orders, out)?;
                }
                orders.done(many);
            }
        }
        out.push(b'}');
        return Ok(());
    }
    write_scalar(value, out, Overflow::Refuse)
}

#[inline]
fn write_member(
    object: Object<'_>,
    at: usize,
    is_first: bool,
    orders: &mut Orders,
    out: &mut Vec<u8>,
) -> Result<(), NotCanonical> {
    let (key, value) = object.member_at(at);
    let text = key.whole_text();
    let (Span { mut start, end, is_canonical }, content) = (key.span(), value.span());
    if !is_first {
        // A comma that stands before the key is copied with it.
        if is_canonical && text.get(start.wrapping_sub(1)) == Some(&b',') {
            start -= 1;
        } else {
            out.push(b',');
        }
    }
    if !is_canonical {
        write_string(object.key_at(at), out);
        out.push(b':');
        return write(value, orders, out);
    }
    // Between the key and its value there is a colon at least.
    if end + 1 != content.start {
        copy(text, start, end, out);
        out.push(b':');
    } else if content.is_canonical {
        copy(text, start, content.end, out);
        return Ok(());
    } else {
        copy(text, start, content.start, out);
    }
    write(value, orders, out)
}

/// Appends a piece of `text`.
#[inline]
fn copy(text: &[u8], from: usize, to: usize, out: &mut Vec<u8>) {
    const SHORT: usize = 32;
    // Most pieces are short: copying a fixed number of bytes costs less than finding out how to copy a few.
    match text.get(from..).and_then(|rest| rest.first_chunk::<SHORT>()) {
        Some(chunk) if to - from <= SHORT => {
            let len = out.len() + (to - from);
            out.extend_from_slice(chunk);
            out.truncate(len);
        }
        _ => out.extend_from_slice(text.get(from..to).unwrap_or_default()),
    }
}
