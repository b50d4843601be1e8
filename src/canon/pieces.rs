//! Canonical text out of the text that a value was read from: what is canonical there already is copied as it stands.
//! Only for values that have such a text; `compact` does it faster where only the order of keys may have to change.

use super::order::Orders;
use super::{NotCanonical, Overflow, write_scalar};
use crate::value::{Tokens, Value};

/// Writes one value.
pub(super) struct Pieces<'t, 'w> {
    value: Value<'t>,
    tokens: Tokens<'t>,
    /// All scalars and keys are canonical as they stand.
    is_plain: bool,
    orders: &'w mut Orders,
    out: &'t mut Vec<u8>,
    /// The piece of the text that comes next, which may still grow.
    from: usize,
    to: usize,
}

/// No place in a text.
const NOWHERE: usize = usize::MAX;

impl<'t, 'w> Pieces<'t, 'w> {
    pub(super) fn new(
        value: Value<'t>,
        tokens: Tokens<'t>,
        orders: &'w mut Orders,
        out: &'t mut Vec<u8>,
    ) -> Self {
        Self { value, tokens, is_plain: value.document_is_plain(), orders, out, from: NOWHERE, to: NOWHERE }
    }

    /// Returns the canonical text of the value that begins at a token: where it stands, or in `out`, which is empty.
    pub(super) fn write(mut self, at: usize) -> Result<&'t [u8], NotCanonical> {
        self.element(at)?;
        if self.out.is_empty() {
            return Ok(self.tokens.text(self.from, self.to));
        }
        self.flush();
        Ok(self.out)
    }

    // No document is deeper than `value::MAX_DEPTH`, so the recursion ends. Returns the token behind the value.
    fn element(&mut self, at: usize) -> Result<usize, NotCanonical> {
        match self.tokens.byte(at) {
            b'{' => self.object(at),
            b'[' => self.array(at),
            _ => self.scalar(at),
        }
    }

    fn array(&mut self, at: usize) -> Result<usize, NotCanonical> {
        self.mark(at);
        let closer = self.tokens.closer(at);
        let mut next = at + 1;
        while next < closer {
            next = self.element(next)?;
            if next < closer {
                self.byte(b',');
                next += 1;
            }
        }
        self.mark(closer);
        Ok(closer + 1)
    }

    fn object(&mut self, at: usize) -> Result<usize, NotCanonical> {
        self.mark(at);
        let tokens = self.tokens;
        let closer = tokens.closer(at);
        let from = self.orders.begin();
        let mut next = at + 1;
        while next < closer {
            self.orders.push(tokens.prefix(next), next);
            next = tokens.behind(next + 2) + 1;
        }
        let order = self.orders.sort(from, |at| tokens.content(at));
        let mut index = 0;
        while let Some(key) = self.orders.place(&order, index) {
            if index > 0 {
                self.byte(b',');
            }
            self.scalar(key)?;
            self.byte(b':');
            self.element(key + 2)?;
            index += 1;
        }
        self.orders.done(&order);
        self.mark(closer);
        Ok(closer + 1)
    }

    fn scalar(&mut self, at: usize) -> Result<usize, NotCanonical> {
        if self.is_plain || self.tokens.is_canonical(at) {
            self.piece(self.tokens.place(at), self.tokens.end(at));
        } else {
            self.flush();
            write_scalar(self.value.elsewhere(at), self.out, Overflow::Refuse)?;
        }
        Ok(at + 1)
    }

    /// Appends a bracket.
    #[inline]
    fn mark(&mut self, at: usize) {
        let place = self.tokens.place(at);
        self.piece(place, place + 1);
    }

    /// Appends a comma or a colon: the one that stands there, if it does.
    #[inline]
    fn byte(&mut self, byte: u8) {
        if self.tokens.text_byte(self.to) == byte {
            self.to += 1;
        } else {
            self.flush();
            self.out.push(byte);
        }
    }

    /// Appends a piece of the text.
    #[inline]
    fn piece(&mut self, from: usize, to: usize) {
        if from != self.to {
            self.flush();
            self.from = from;
        }
        self.to = to;
    }

    fn flush(&mut self) {
        if self.to != NOWHERE {
            self.out.extend_from_slice(self.tokens.text(self.from, self.to));
        }
        (self.from, self.to) = (NOWHERE, NOWHERE);
    }
}
