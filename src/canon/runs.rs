//! Canonical text out of the text that a value was read from: what is canonical there already is copied in runs as long
//! as they get, and not at all where one run is everything. Not for values without a text.

use super::order::{Order, Orders};
use super::{NotCanonical, Overflow, write_scalar, write_string};
use crate::value::{Object, Span, Value};

/// Text on its way to `out`, the last run of it not copied yet.
pub(super) struct Runs<'o> {
    text: &'o [u8],
    out: &'o mut Vec<u8>,
    from: usize,
    to: usize,
}

impl<'o> Runs<'o> {
    pub(super) fn new(text: &'o [u8], out: &'o mut Vec<u8>) -> Self {
        Self { text, out, from: 0, to: 0 }
    }

    /// Returns everything that was taken: in `out`, or in the text where it is one run.
    pub(super) fn finish(mut self) -> &'o [u8] {
        if self.out.is_empty() {
            return self.text.get(self.from..self.to).unwrap_or_default();
        }
        self.flush();
        self.out
    }

    /// Takes a piece of the text.
    #[inline]
    fn take(&mut self, from: usize, to: usize) {
        if from == self.to {
            self.to = to;
        } else {
            self.flush();
            (self.from, self.to) = (from, to);
        }
    }

    /// Takes a byte of punctuation: from the text where it stands at this place, so that the run goes on.
    #[inline]
    fn take_byte(&mut self, byte: u8, place: usize) {
        if self.text.get(place) == Some(&byte) {
            self.take(place, place + 1);
        } else {
            self.flush();
            self.out.push(byte);
        }
    }

    /// Takes a piece of the text that stands for a member or the beginning of one, and before it a comma unless it is
    /// the first.
    #[inline]
    fn take_member(&mut self, from: usize, to: usize, is_first: bool) {
        if is_first {
            self.take(from, to);
        } else if self.text.get(from.wrapping_sub(1)) == Some(&b',') {
            self.take(from - 1, to);
        } else {
            self.flush();
            self.out.push(b',');
            self.take(from, to);
        }
    }

    #[inline]
    fn flush(&mut self) {
        const SHORT: usize = 32;
        let len = self.to - self.from;
        if len == 0 {
            return;
        }
        // Most runs are short: copying a fixed number of bytes costs less than finding out how to copy a few.
        match self.text.get(self.from..).and_then(|rest| rest.first_chunk::<SHORT>()) {
            Some(chunk) if len <= SHORT => {
                self.out.extend_from_slice(chunk);
                self.out.truncate(self.out.len() - SHORT + len);
            }
            _ => self.out.extend_from_slice(self.text.get(self.from..self.to).unwrap_or_default()),
        }
        self.from = self.to;
    }
}

// No document is deeper than `value::MAX_DEPTH`, so the recursion ends.
pub(super) fn write(value: Value<'_>, orders: &mut Orders, runs: &mut Runs<'_>) -> Result<(), NotCanonical> {
    let Span { start, end, is_canonical } = value.span();
    if is_canonical {
        runs.take(start, end);
        return Ok(());
    }
    if let Some(array) = value.as_array() {
        runs.take(start, start + 1);
        for (index, element) in array.iter().enumerate() {
            if index > 0 {
                runs.take_byte(b',', element.span().start.wrapping_sub(1));
            }
            write(element, orders, runs)?;
        }
        runs.take(end - 1, end);
        return Ok(());
    }
    if let Some(object) = value.as_object() {
        runs.take(start, start + 1);
        write_members(object, orders, runs)?;
        runs.take(end - 1, end);
        return Ok(());
    }
    runs.flush();
    write_scalar(value, runs.out, Overflow::Refuse)
}

fn write_members(object: Object<'_>, orders: &mut Orders, runs: &mut Runs<'_>) -> Result<(), NotCanonical> {
    match orders.of(object)? {
        Order::Few(few) => {
            for (index, at) in few.places().enumerate() {
                write_member(object, at, index == 0, orders, runs)?;
            }
        }
        Order::Many(many) => {
            for index in many.clone() {
                write_member(object, orders.place(index), index == many.start, orders, runs)?;
            }
            orders.done(many);
        }
    }
    Ok(())
}

#[inline]
fn write_member(
    object: Object<'_>,
    at: usize,
    is_first: bool,
    orders: &mut Orders,
    runs: &mut Runs<'_>,
) -> Result<(), NotCanonical> {
    let (key, value) = object.member_at(at);
    let (name, content) = (key.span(), value.span());
    // Between the two there is a colon at least.
    if name.is_canonical && content.is_canonical && name.end + 1 == content.start {
        runs.take_member(name.start, content.end, is_first);
        return Ok(());
    }
    if name.is_canonical {
        runs.take_member(name.start, name.end, is_first);
    } else {
        if !is_first {
            runs.take_byte(b',', name.start.wrapping_sub(1));
        }
        runs.flush();
        write_string(object.key_at(at), runs.out);
    }
    runs.take_byte(b':', name.end);
    write(value, orders, runs)
}
