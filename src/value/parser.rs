//! From a text to its document: by the fast way where that can be gone, else by the exact one.

use bumpalo::Bump;

use super::node::Store;
use super::{Document, Layout, Syntax, Tokens, Value, exact, fast, grammar, nested};

/// Turns JSON texts into documents, one after the other, in buffers that it keeps.
#[derive(Default)]
pub struct Parser {
    /// A copy of the text, with the padding that the scan reads over.
    text: Vec<u8>,
    scanner: fast::Scanner,
    /// Where the tokens of a nested text begin.
    places: Vec<u32>,
    containers: grammar::Containers,
    /// What strings with escapes stand for, those that somebody asks for.
    arena: Bump,
    store: Store,
}

impl Parser {
    /// Returns the document of `text`, which holds exactly one JSON value.
    ///
    /// # Errors
    /// [`Syntax`] where `text` is not RFC 8259 JSON in UTF-8, or nests too deep.
    pub fn parse(&mut self, text: &[u8]) -> Result<Document<'_>, Syntax> {
        let Self { text: padded, scanner, containers, arena, store, .. } = self;
        padded.clear();
        padded.extend_from_slice(text);
        fast::pad(padded);
        arena.reset();
        let extent = scanner
            .scan(padded, text.len())
            .then(|| grammar::read::<false>(padded, text.len(), scanner.places(), containers))
            .flatten();
        let Some(extent) = extent else { return exact_document(text, padded, store) };
        let (places, closers) = (scanner.places(), &containers.closers);
        let escapes = extent.escapes;
        let tokens = Tokens { text: padded, places, closers, arena, is_nested: false, escapes };
        Ok(Document { layout: Layout::Tokens(tokens), extent })
    }

    /// Returns the document of the JSON text that a string, or a timestamp, is; read where it stands if that can be done.
    ///
    /// # Errors
    /// As [`Parser::parse`].
    pub fn parse_string<'p>(&'p mut self, string: Value<'p>) -> Result<Document<'p>, Syntax> {
        if let Layout::Tokens(outer @ Tokens { text, is_nested: false, .. }) = string.document.layout
            && outer.byte(string.at) == b'"'
        {
            let from = outer.place(string.at) + 1;
            let to = from + outer.raw(string.at).len();
            let Self { places, containers, arena, .. } = self;
            if let Some(count) = nested::scan(text, from, to, places)
                && let Some(found) = places.get(..count)
                && let Some(extent) = grammar::read::<true>(text, to, found, containers)
            {
                arena.reset();
                let places = self.places.get(..count).unwrap_or_default();
                let (closers, escapes) = (&self.containers.closers, extent.escapes);
                let tokens = Tokens { text, places, closers, arena: &self.arena, is_nested: true, escapes };
                return Ok(Document { layout: Layout::Tokens(tokens), extent });
            }
        }
        self.parse(string.document.str(string.at).as_bytes())
    }

    /// The same as [`Parser::parse`] by the exact parser alone: the fast one must never answer differently.
    ///
    /// # Errors
    /// As [`Parser::parse`].
    pub fn parse_exact(&mut self, text: &[u8]) -> Result<Document<'_>, Syntax> {
        self.text.clear();
        self.text.extend_from_slice(text);
        exact_document(text, &self.text, &mut self.store)
    }
}

/// Returns the document of `text`, of which `kept` begins with a copy.
fn exact_document<'p>(text: &[u8], kept: &'p [u8], store: &'p mut Store) -> Result<Document<'p>, Syntax> {
    store.clear();
    exact::parse(text, store)?;
    let text = kept.get(..text.len()).unwrap_or_default();
    let layout = Layout::Nodes { text, decoded: &store.decoded, nodes: &store.nodes };
    Ok(Document { layout, extent: store.extent })
}
