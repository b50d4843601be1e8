//! Arrays and objects: walks through what is in them.

use std::fmt;

use super::{Document, Layout, Value};

/// An array in a document.
#[derive(Clone, Copy)]
pub struct Array<'t> {
    pub(super) value: Value<'t>,
}

impl<'t> Array<'t> {
    /// Counts the elements.
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Returns true where there is no element.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// Walks the elements in their order.
    pub fn iter(&self) -> Elements<'t> {
        let (next, end) = self.value.document.inside(self.value.at);
        Elements { document: self.value.document, next, end }
    }
}

impl<'t> IntoIterator for &Array<'t> {
    type Item = Value<'t>;
    type IntoIter = Elements<'t>;

    fn into_iter(self) -> Elements<'t> {
        self.iter()
    }
}

/// Walks the elements of an array.
#[derive(Clone)]
pub struct Elements<'t> {
    document: &'t Document<'t>,
    next: usize,
    end: usize,
}

impl<'t> Iterator for Elements<'t> {
    type Item = Value<'t>;

    fn next(&mut self) -> Option<Value<'t>> {
        if self.next >= self.end {
            return None;
        }
        let value = Value { document: self.document, at: self.next };
        self.next = self.document.behind(self.next);
        Some(value)
    }
}

impl fmt::Debug for Array<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// An object in a document. Keys are strings in JSON; in YAML any scalar.
#[derive(Clone, Copy)]
pub struct Object<'t> {
    pub(super) value: Value<'t>,
}

impl<'t> Object<'t> {
    /// Counts the members, each occurrence of a repeated key.
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Returns true where there is no member.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// Walks the members in their order, repeated keys included.
    pub fn iter(&self) -> Members<'t> {
        let (next, end) = self.value.document.inside(self.value.at);
        Members { document: self.value.document, next, end }
    }

    /// Shows each member whose key is a string, in their order: the bytes of the key, and the value.
    #[inline]
    pub(crate) fn each_member(&self, mut show: impl FnMut(&'t [u8], Value<'t>)) {
        let document = self.value.document;
        let Layout::Tokens(tokens) = &document.layout else {
            return self.iter().for_each(|(key, value)| {
                if let Some(key) = key.string_bytes() {
                    show(key, value);
                }
            });
        };
        let (mut next, end) = document.inside(self.value.at);
        while next < end {
            let value = next + 2;
            show(tokens.key(next), Value { document, at: value });
            next = tokens.behind(value) + 1;
        }
    }

    /// Walks the keys in their order, repeated ones included.
    pub(crate) fn keys(&self) -> impl Iterator<Item = Value<'t>> + use<'t> {
        self.iter().map(|(key, _)| key)
    }

    /// Walks the members whose key is a string, in their order.
    pub fn members(&self) -> impl Iterator<Item = (&'t str, Value<'t>)> + use<'t> {
        self.iter().filter_map(|(key, value)| Some((key.as_str()?, value)))
    }

    /// Returns true where a member has this key.
    pub fn has(&self, key: &str) -> bool {
        self.iter().any(|(name, _)| name.is_str(key))
    }

    /// Returns the key that lies at this position; empty where none does.
    pub(crate) fn key_at(&self, at: usize) -> &'t str {
        self.member_at(at).0.as_str().unwrap_or_default()
    }

    /// Returns the bytes of the key that lies at this position; none where none does.
    pub(crate) fn key_bytes_at(&self, at: usize) -> &'t [u8] {
        self.member_at(at).0.string_bytes().unwrap_or_default()
    }

    /// Returns the member whose key lies at this position.
    pub(crate) fn member_at(&self, at: usize) -> (Value<'t>, Value<'t>) {
        let document = self.value.document;
        (Value { document, at }, Value { document, at: document.behind(at) })
    }

    /// Returns the value of a member; the last one where the key is repeated.
    pub fn get(&self, key: &str) -> Option<Value<'t>> {
        self.iter().filter(|(name, _)| name.is_str(key)).last().map(|(_, value)| value)
    }
}

impl<'t> IntoIterator for &Object<'t> {
    type Item = (Value<'t>, Value<'t>);
    type IntoIter = Members<'t>;

    fn into_iter(self) -> Members<'t> {
        self.iter()
    }
}

/// Walks the members of an object, repeated keys included.
#[derive(Clone)]
pub struct Members<'t> {
    document: &'t Document<'t>,
    next: usize,
    end: usize,
}

impl<'t> Iterator for Members<'t> {
    type Item = (Value<'t>, Value<'t>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.end {
            return None;
        }
        let document = self.document;
        let (key, value) = (self.next, document.behind(self.next));
        self.next = document.behind(value);
        Some((Value { document, at: key }, Value { document, at: value }))
    }
}

impl fmt::Debug for Object<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
