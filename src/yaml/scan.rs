//! Cuts a YAML text into tokens, as YAML 1.1 has them; which tokens may follow each other is the grammar's business.
//!
//! The hard part is the *simple key*: whether `a` begins a mapping shows only at the `:` behind it, so tokens wait
//! in a queue as long as one of them may still turn out to be a key. A key must end on its line and within
//! [`KEY_LENGTH`] characters, which bounds the queue and makes the whole linear.

use std::borrow::Cow;
use std::collections::VecDeque;

use super::tag::is_word;
use super::text::{Cursor, Fault, Mark, is_blank_or_end, is_break_or_end, is_space_or_end};

/// How many characters may lie between the start of a simple key and its `:`.
const KEY_LENGTH: usize = 1024;

/// A token and where it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token<'t> {
    pub(super) kind: TokenKind<'t>,
    pub(super) mark: Mark,
}

/// The tokens of YAML 1.1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TokenKind<'t> {
    StreamEnd,
    /// `%YAML`; whether its major version is 1.
    Version {
        supported: bool,
    },
    /// `%TAG`
    TagPrefix {
        handle: &'t str,
        prefix: Cow<'t, str>,
    },
    /// Any other `%` line: without meaning.
    OtherDirective,
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowMappingStart,
    FlowSequenceEnd,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias,
    Anchor,
    /// Without a handle the suffix is the whole tag.
    Tag {
        handle: Option<&'t str>,
        suffix: Cow<'t, str>,
    },
    /// `plain` where it stands without quotes and is no block.
    Scalar {
        text: Cow<'t, str>,
        plain: bool,
    },
}

/// A token that turns out to be a key if a `:` follows in time.
#[derive(Debug, Clone, Copy)]
struct SimpleKey {
    /// How many tokens of the stream come before it.
    number: usize,
    /// Nothing else could stand here: without a `:` it is an error.
    required: bool,
    mark: Mark,
}

/// The tokens of one text, in order.
pub(super) struct Scanner<'t> {
    pub(super) cursor: Cursor<'t>,
    tokens: VecDeque<Token<'t>>,
    taken: usize,
    done: bool,
    /// The open `[` and `{`.
    pub(super) flow_level: usize,
    /// The first column that belongs to the innermost block collection's entries: its own column and one more,
    /// 0 outside of all.
    pub(super) margin: usize,
    margins: Vec<usize>,
    pub(super) key_allowed: bool,
    /// By flow level.
    keys: Vec<Option<SimpleKey>>,
}

impl<'t> Scanner<'t> {
    /// # Errors
    /// A character that no YAML text may hold, wherever it is.
    pub(super) fn new(text: &'t str) -> Result<Self, Fault> {
        Ok(Self {
            cursor: Cursor::new(text)?,
            tokens: VecDeque::new(),
            taken: 0,
            done: false,
            flow_level: 0,
            margin: 0,
            margins: Vec::new(),
            key_allowed: true,
            keys: vec![None],
        })
    }

    /// Returns the next token without taking it.
    pub(super) fn peek(&mut self) -> Result<&Token<'t>, Fault> {
        while self.needs_more()? {
            self.fetch()?;
        }
        self.tokens.front().ok_or(self.cursor.fault("nothing more to read"))
    }

    /// Takes the next token.
    pub(super) fn next(&mut self) -> Result<Token<'t>, Fault> {
        self.peek()?;
        self.taken += 1;
        self.tokens.pop_front().ok_or(self.cursor.fault("nothing more to read"))
    }

    fn needs_more(&mut self) -> Result<bool, Fault> {
        if self.done {
            return Ok(false);
        }
        if self.tokens.is_empty() {
            return Ok(true);
        }
        self.drop_stale_keys()?;
        // Deeper keys came later: the first is the oldest.
        Ok(self.keys.iter().flatten().next().is_some_and(|key| key.number == self.taken))
    }

    fn fetch(&mut self) -> Result<(), Fault> {
        self.skip_to_token();
        self.drop_stale_keys()?;
        self.unwind(self.cursor.column() + 1);
        let first_column = self.cursor.column() == 0;
        let in_flow = self.flow_level > 0;
        match self.cursor.peek() {
            super::text::END => self.fetch_stream_end(),
            '%' if first_column => self.fetch_directive(),
            '-' if first_column && self.cursor.at_document_marker() => {
                self.fetch_document_marker(TokenKind::DocumentStart)
            }
            '.' if first_column && self.cursor.at_document_marker() => {
                self.fetch_document_marker(TokenKind::DocumentEnd)
            }
            '[' => self.fetch_flow_start(TokenKind::FlowSequenceStart),
            '{' => self.fetch_flow_start(TokenKind::FlowMappingStart),
            ']' => self.fetch_flow_end(TokenKind::FlowSequenceEnd),
            '}' => self.fetch_flow_end(TokenKind::FlowMappingEnd),
            ',' => {
                self.key_allowed = true;
                self.forget_key()?;
                self.push_indicator(TokenKind::FlowEntry);
                Ok(())
            }
            '-' if is_blank_or_end(self.cursor.peek_at(1)) => self.fetch_block_entry(),
            '?' if in_flow || is_blank_or_end(self.cursor.peek_at(1)) => self.fetch_key(),
            ':' if in_flow || is_blank_or_end(self.cursor.peek_at(1)) => self.fetch_value(),
            '*' => self.fetch_node_part(|scanner| scanner.scan_anchor(TokenKind::Alias)),
            '&' => self.fetch_node_part(|scanner| scanner.scan_anchor(TokenKind::Anchor)),
            '!' => self.fetch_node_part(Self::scan_tag),
            '|' if !in_flow => self.fetch_block_scalar(false),
            '>' if !in_flow => self.fetch_block_scalar(true),
            '\'' => self.fetch_node_part(|scanner| scanner.scan_quoted('\'')),
            '"' => self.fetch_node_part(|scanner| scanner.scan_quoted('"')),
            c if self.starts_plain(c) => self.fetch_node_part(|scanner| Ok(scanner.scan_plain())),
            _ => Err(self.cursor.fault("a character that cannot start a value")),
        }
    }

    fn starts_plain(&self, c: char) -> bool {
        if c == '-' || (self.flow_level == 0 && matches!(c, '?' | ':')) {
            return !is_blank_or_end(self.cursor.peek_at(1));
        }
        !is_blank_or_end(c) && !"?:,[]{}#&*!|>'\"%@`".contains(c)
    }

    /// Skips spaces, comments and line breaks, but no tab: in YAML 1.1 as `PyYAML` reads it a tab separates nothing.
    fn skip_to_token(&mut self) {
        loop {
            self.cursor.skip_spaces();
            self.skip_comment();
            if self.cursor.take_break().is_none() {
                return;
            }
            if self.flow_level == 0 {
                self.key_allowed = true;
            }
        }
    }

    fn skip_comment(&mut self) {
        if self.cursor.peek() == '#' {
            self.cursor.take_while(|c| !is_break_or_end(c));
        }
    }

    /// Skips to the end of a line on which nothing but a comment may follow, and over its line break.
    pub(super) fn skip_rest_of_line(&mut self) -> Result<(), Fault> {
        self.cursor.skip_spaces();
        self.skip_comment();
        if !is_break_or_end(self.cursor.peek()) {
            return Err(self.cursor.fault("expected a comment or the end of the line"));
        }
        self.cursor.take_break();
        Ok(())
    }

    // Simple keys.

    fn drop_stale_keys(&mut self) -> Result<(), Fault> {
        let now = self.cursor.mark();
        for slot in &mut self.keys {
            if let Some(key) = *slot
                && (key.mark.line != now.line || now.index - key.mark.index > KEY_LENGTH)
            {
                if key.required {
                    return Err(Fault { what: "expected `:` behind a mapping key", mark: now });
                }
                *slot = None;
            }
        }
        Ok(())
    }

    /// Remembers that the token to come may be a key.
    fn note_key(&mut self) -> Result<(), Fault> {
        if !self.key_allowed {
            return Ok(());
        }
        self.forget_key()?;
        let mark = self.cursor.mark();
        let required = self.flow_level == 0 && self.margin == mark.column + 1;
        let key = SimpleKey { number: self.taken + self.tokens.len(), required, mark };
        if let Some(slot) = self.keys.last_mut() {
            *slot = Some(key);
        }
        Ok(())
    }

    fn forget_key(&mut self) -> Result<(), Fault> {
        match self.keys.last_mut().and_then(Option::take) {
            Some(key) if key.required => Err(self.cursor.fault("expected `:` behind a mapping key")),
            _ => Ok(()),
        }
    }

    // Block collections.

    /// Ends the block collections whose entries start right of `margin`.
    fn unwind(&mut self, margin: usize) {
        if self.flow_level > 0 {
            return;
        }
        while self.margin > margin {
            self.margin = self.margins.pop().unwrap_or_default();
            self.push(TokenKind::BlockEnd);
        }
    }

    /// Starts a block collection at `column` where that is further in than the innermost, and tells.
    fn indent(&mut self, column: usize) -> bool {
        let deeper = self.margin <= column;
        if deeper {
            self.margins.push(self.margin);
            self.margin = column + 1;
        }
        deeper
    }

    fn push(&mut self, kind: TokenKind<'t>) {
        self.tokens.push_back(Token { kind, mark: self.cursor.mark() });
    }

    fn push_indicator(&mut self, kind: TokenKind<'t>) {
        self.push(kind);
        self.cursor.advance();
    }

    // One kind of token each.

    fn fetch_stream_end(&mut self) -> Result<(), Fault> {
        self.unwind(0);
        self.forget_key()?;
        self.key_allowed = false;
        self.keys.fill(None);
        self.push(TokenKind::StreamEnd);
        self.done = true;
        Ok(())
    }

    fn fetch_document_marker(&mut self, kind: TokenKind<'t>) -> Result<(), Fault> {
        self.unwind(0);
        self.forget_key()?;
        self.key_allowed = false;
        self.push(kind);
        self.cursor.take(3);
        Ok(())
    }

    fn fetch_flow_start(&mut self, kind: TokenKind<'t>) -> Result<(), Fault> {
        self.note_key()?;
        self.flow_level += 1;
        self.keys.push(None);
        self.key_allowed = true;
        self.push_indicator(kind);
        Ok(())
    }

    fn fetch_flow_end(&mut self, kind: TokenKind<'t>) -> Result<(), Fault> {
        self.forget_key()?;
        if self.flow_level > 0 {
            self.flow_level -= 1;
            self.keys.pop();
        }
        self.key_allowed = false;
        self.push_indicator(kind);
        Ok(())
    }

    fn fetch_block_entry(&mut self) -> Result<(), Fault> {
        // In a flow collection the grammar refuses it, with a better message.
        if self.flow_level == 0 {
            if !self.key_allowed {
                return Err(self.cursor.fault("a `-` entry cannot start here"));
            }
            if self.indent(self.cursor.column()) {
                self.push(TokenKind::BlockSequenceStart);
            }
        }
        self.key_allowed = true;
        self.forget_key()?;
        self.push_indicator(TokenKind::BlockEntry);
        Ok(())
    }

    fn fetch_key(&mut self) -> Result<(), Fault> {
        if self.flow_level == 0 {
            if !self.key_allowed {
                return Err(self.cursor.fault("a mapping key cannot start here"));
            }
            if self.indent(self.cursor.column()) {
                self.push(TokenKind::BlockMappingStart);
            }
        }
        self.key_allowed = self.flow_level == 0;
        self.forget_key()?;
        self.push_indicator(TokenKind::Key);
        Ok(())
    }

    fn fetch_value(&mut self) -> Result<(), Fault> {
        if let Some(key) = self.keys.last_mut().and_then(Option::take) {
            let at = key.number.saturating_sub(self.taken).min(self.tokens.len());
            self.tokens.insert(at, Token { kind: TokenKind::Key, mark: key.mark });
            if self.flow_level == 0 && self.indent(key.mark.column) {
                self.tokens.insert(at, Token { kind: TokenKind::BlockMappingStart, mark: key.mark });
            }
            self.key_allowed = false;
        } else {
            if self.flow_level == 0 {
                if !self.key_allowed {
                    return Err(self.cursor.fault("a mapping value cannot start here"));
                }
                if self.indent(self.cursor.column()) {
                    self.push(TokenKind::BlockMappingStart);
                }
            }
            self.key_allowed = self.flow_level == 0;
            self.forget_key()?;
        }
        self.push_indicator(TokenKind::Value);
        Ok(())
    }

    /// Scans a token that may be the start of a simple key.
    fn fetch_node_part(
        &mut self,
        scan: impl FnOnce(&mut Self) -> Result<TokenKind<'t>, Fault>,
    ) -> Result<(), Fault> {
        self.note_key()?;
        self.key_allowed = false;
        let mark = self.cursor.mark();
        let kind = scan(self)?;
        self.tokens.push_back(Token { kind, mark });
        Ok(())
    }

    fn fetch_block_scalar(&mut self, folded: bool) -> Result<(), Fault> {
        self.key_allowed = true;
        self.forget_key()?;
        let mark = self.cursor.mark();
        let kind = self.scan_block(folded)?;
        self.tokens.push_back(Token { kind, mark });
        Ok(())
    }

    fn fetch_directive(&mut self) -> Result<(), Fault> {
        self.unwind(0);
        self.forget_key()?;
        self.key_allowed = false;
        let mark = self.cursor.mark();
        self.cursor.advance();
        let name = self.cursor.take_while(is_word);
        if name.is_empty() || !is_space_or_end(self.cursor.peek()) {
            return Err(self.cursor.fault("expected the name of a directive"));
        }
        let kind = match name {
            "YAML" => self.scan_version()?,
            "TAG" => self.scan_tag_prefix()?,
            _ => {
                self.cursor.take_while(|c| !is_break_or_end(c));
                TokenKind::OtherDirective
            }
        };
        self.skip_rest_of_line()?;
        self.tokens.push_back(Token { kind, mark });
        Ok(())
    }
}
