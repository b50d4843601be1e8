//! What is written around nodes and documents: tags, anchors, and the directives that explain them.

use std::borrow::Cow;

use super::scan::{Scanner, TokenKind};
use super::text::{Fault, is_blank_or_end, is_space_or_end};

impl<'t> Scanner<'t> {
    /// The version behind `%YAML`.
    pub(super) fn scan_version(&mut self) -> Result<TokenKind<'t>, Fault> {
        self.cursor.skip_spaces();
        let major = self.cursor.take_while(|c| c.is_ascii_digit());
        let dot = self.cursor.eat('.');
        let minor = self.cursor.take_while(|c| c.is_ascii_digit());
        if major.is_empty() || !dot || minor.is_empty() || !is_space_or_end(self.cursor.peek()) {
            return Err(self.cursor.fault("expected a version such as 1.1"));
        }
        Ok(TokenKind::Version { supported: major.trim_start_matches('0') == "1" })
    }

    /// The handle and the prefix behind `%TAG`.
    pub(super) fn scan_tag_prefix(&mut self) -> Result<TokenKind<'t>, Fault> {
        self.cursor.skip_spaces();
        let handle = self.scan_tag_handle()?;
        if self.cursor.peek() != ' ' {
            return Err(self.cursor.fault("expected a space behind the tag handle"));
        }
        self.cursor.skip_spaces();
        let prefix = self.scan_tag_uri()?;
        if !is_space_or_end(self.cursor.peek()) {
            return Err(self.cursor.fault("expected a space behind the tag prefix"));
        }
        Ok(TokenKind::TagPrefix { handle, prefix })
    }

    /// An anchor, or an alias of one.
    pub(super) fn scan_anchor(&mut self, kind: TokenKind<'t>) -> Result<TokenKind<'t>, Fault> {
        self.cursor.advance();
        let name = self.cursor.take_while(is_word);
        let next = self.cursor.peek();
        if name.is_empty() || !(is_blank_or_end(next) || "?:,]}%@`".contains(next)) {
            return Err(self.cursor.fault("expected the name of an anchor in letters and digits"));
        }
        Ok(kind)
    }

    pub(super) fn scan_tag(&mut self) -> Result<TokenKind<'t>, Fault> {
        let next = self.cursor.peek_at(1);
        let (handle, suffix) = if next == '<' {
            self.cursor.take(2);
            let suffix = self.scan_tag_uri()?;
            if !self.cursor.eat('>') {
                return Err(self.cursor.fault("expected `>` behind a tag"));
            }
            (None, suffix)
        } else if is_blank_or_end(next) {
            self.cursor.advance();
            (None, Cow::Borrowed("!"))
        } else {
            let mut word = self.cursor.rest().chars().skip(1).take_while(|&c| !is_space_or_end(c));
            let handle = if word.any(|c| c == '!') { self.scan_tag_handle()? } else { self.cursor.take(1) };
            (Some(handle), self.scan_tag_uri()?)
        };
        if !is_space_or_end(self.cursor.peek()) {
            return Err(self.cursor.fault("expected a space behind a tag"));
        }
        Ok(TokenKind::Tag { handle, suffix })
    }

    /// `!`, `!!` or `!word!`
    fn scan_tag_handle(&mut self) -> Result<&'t str, Fault> {
        let rest = self.cursor.rest();
        let word = rest.strip_prefix('!').ok_or(self.cursor.fault("expected `!`"))?;
        if word.starts_with(' ') {
            return Ok(self.cursor.take(1));
        }
        let length = word.find(|c| !is_word(c)).unwrap_or(word.len());
        if !word.get(length..).is_some_and(|behind| behind.starts_with('!')) {
            return Err(self.cursor.fault("expected `!` at the end of a tag handle"));
        }
        Ok(self.cursor.take(length + 2))
    }

    fn scan_tag_uri(&mut self) -> Result<Cow<'t, str>, Fault> {
        let plain = self.cursor.take_while(is_uri);
        if self.cursor.peek() != '%' {
            return if plain.is_empty() {
                Err(self.cursor.fault("expected a tag"))
            } else {
                Ok(Cow::Borrowed(plain))
            };
        }
        let mut bytes = plain.as_bytes().to_vec();
        loop {
            if self.cursor.eat('%') {
                let digits = self.cursor.rest().get(..2).unwrap_or_default();
                let hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
                let byte = u8::from_str_radix(digits, 16).ok().filter(|_| hex);
                bytes.push(byte.ok_or(self.cursor.fault("expected two hexadecimal digits"))?);
                self.cursor.take(2);
            } else {
                let more = self.cursor.take_while(is_uri);
                if more.is_empty() {
                    break;
                }
                bytes.extend_from_slice(more.as_bytes());
            }
        }
        String::from_utf8(bytes).map(Cow::Owned).map_err(|_| self.cursor.fault("a tag that is not UTF-8"))
    }
}

pub(super) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_')
}

fn is_uri(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-;/?:@&=+$,_.!~*'()[]".contains(c)
}
