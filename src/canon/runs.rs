//! Canonical text out of the text that a value was read from: what is canonical there already is copied in runs as long
//! as they get, and not at all where one run is everything. Not for values without a text.

use super::{Member, NotCanonical, Overflow, sorted, write_scalar, write_string};
use crate::value::{Object, Value};

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
    fn take(&mut self, from: usize, to: usize) {
        if from == self.to {
            self.to = to;
        } else {
            self.flush();
            (self.from, self.to) = (from, to);
        }
    }

    /// Takes a byte of punctuation: from the text where it stands at this place, so that the run goes on.
    fn take_byte(&mut self, byte: u8, place: usize) {
        if self.text.get(place) == Some(&byte) {
            self.take(place, place + 1);
        } else {
            self.flush();
            self.out.push(byte);
        }
    }

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
pub(super) fn write(
    value: Value<'_>,
    members: &mut Vec<Member>,
    runs: &mut Runs<'_>,
) -> Result<(), NotCanonical> {
    let (start, end) = value.place();
    if value.is_canonical_text() {
        runs.take(start, end);
        return Ok(());
    }
    if let Some(array) = value.as_array() {
        runs.take(start, start + 1);
        for (index, element) in array.iter().enumerate() {
            if index > 0 {
                runs.take_byte(b',', element.place().0.wrapping_sub(1));
            }
            write(element, members, runs)?;
        }
        runs.take(end - 1, end);
        return Ok(());
    }
    if let Some(object) = value.as_object() {
        runs.take(start, start + 1);
        write_members(object, members, runs)?;
        runs.take(end - 1, end);
        return Ok(());
    }
    runs.flush();
    write_scalar(value, runs.out, Overflow::Refuse)
}

fn write_members(
    object: Object<'_>,
    members: &mut Vec<Member>,
    runs: &mut Runs<'_>,
) -> Result<(), NotCanonical> {
    let range = sorted(object, members)?;
    for index in range.clone() {
        let Some(&Member { at, .. }) = members.get(index) else { break };
        let key = object.key_value_at(at);
        let (start, end) = key.place();
        if index > range.start {
            runs.take_byte(b',', start.wrapping_sub(1));
        }
        if key.is_canonical_text() {
            runs.take(start, end);
        } else {
            runs.flush();
            write_string(object.key_at(at), runs.out);
        }
        runs.take_byte(b':', end);
        write(object.value_of_key_at(at), members, runs)?;
    }
    members.truncate(range.start);
    Ok(())
}
