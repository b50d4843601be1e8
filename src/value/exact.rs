//! The strict parser of RFC 8259: exact numbers of any length, the place of an error, no recursion. Not the fast one.

use super::node::{Form, Node, Store, Tag, offset};
use super::{MAX_DEPTH, Syntax};

/// Fills `store` with the document of `text`.
pub(super) fn parse(text: &[u8], store: &mut Store) -> Result<(), Syntax> {
    if u32::try_from(text.len()).is_err() {
        return Err(Syntax::Invalid { offset: 0, what: "a text of 4 GiB or more" });
    }
    let text = std::str::from_utf8(text).map_err(|error| Syntax::NotUtf8 { offset: error.valid_up_to() })?;
    Reader { text, bytes: text.as_bytes(), at: 0, store }.document()
}

struct Reader<'s> {
    text: &'s str,
    bytes: &'s [u8],
    at: usize,
    store: &'s mut Store,
}

impl Reader<'_> {
    fn document(&mut self) -> Result<(), Syntax> {
        'value: loop {
            self.skip_space();
            match self.peek() {
                Some(b'[') => {
                    self.enter(false)?;
                    self.skip_space();
                    if self.peek() != Some(b']') {
                        continue 'value;
                    }
                    self.leave();
                }
                Some(b'{') => {
                    self.enter(true)?;
                    self.skip_space();
                    if self.peek() != Some(b'}') {
                        self.key()?;
                        continue 'value;
                    }
                    self.leave();
                }
                Some(b'"') => self.string()?,
                Some(b'-' | b'0'..=b'9') => self.number()?,
                Some(b't') => self.word("true", Tag::True)?,
                Some(b'f') => self.word("false", Tag::False)?,
                Some(b'n') => self.word("null", Tag::Null)?,
                _ => return self.fail("expected a value"),
            }
            loop {
                self.skip_space();
                match (self.store.in_object(), self.peek()) {
                    (None, None) => return Ok(()),
                    (None, Some(_)) => return self.fail("text after the value"),
                    (Some(false), Some(b',')) => {
                        self.at += 1;
                        continue 'value;
                    }
                    (Some(true), Some(b',')) => {
                        self.at += 1;
                        self.skip_space();
                        self.key()?;
                        continue 'value;
                    }
                    (Some(false), Some(b']')) | (Some(true), Some(b'}')) => {
                        self.leave();
                    }
                    (Some(false), _) => return self.fail("expected `,` or `]`"),
                    (Some(true), _) => return self.fail("expected `,` or `}`"),
                }
            }
        }
    }

    fn enter(&mut self, is_object: bool) -> Result<(), Syntax> {
        if self.store.depth() >= MAX_DEPTH {
            return Err(Syntax::TooDeep);
        }
        self.store.enter(is_object, self.at);
        self.at += 1;
        Ok(())
    }

    fn leave(&mut self) {
        self.at += 1;
        self.store.leave(self.at);
    }

    fn key(&mut self) -> Result<(), Syntax> {
        if self.peek() != Some(b'"') {
            return self.fail("expected a key");
        }
        self.string()?;
        self.skip_space();
        if self.peek() != Some(b':') {
            return self.fail("expected `:`");
        }
        self.at += 1;
        Ok(())
    }

    fn string(&mut self) -> Result<(), Syntax> {
        let start = self.at;
        self.at += 1;
        let mut unescaped = String::new();
        let mut has_escapes = false;
        loop {
            match self.peek() {
                None => return self.fail("a string without its end"),
                Some(b'"') => break,
                Some(b'\\') => {
                    has_escapes = true;
                    self.at += 1;
                    let character = self.escape()?;
                    unescaped.push(character);
                }
                Some(0..0x20) => return self.fail("a control character in a string"),
                Some(_) => {
                    let from = self.at;
                    while !matches!(self.peek(), None | Some(b'"' | b'\\' | 0..0x20)) {
                        self.at += 1;
                    }
                    unescaped.push_str(self.text.get(from..self.at).unwrap_or_default());
                }
            }
        }
        self.at += 1;
        let (form, first, second) = if has_escapes {
            let from = self.store.decoded.len();
            self.store.decoded.extend_from_slice(unescaped.as_bytes());
            (Form::Decoded, offset(from), offset(unescaped.len()))
        } else {
            (Form::Plain, 0, 0)
        };
        self.store.extent.longest = self.store.extent.longest.max(self.at - start - 2);
        let (start, end) = (offset(start), offset(self.at));
        self.store.push(Node { tag: Tag::String, form, start, end, first, second });
        Ok(())
    }

    fn escape(&mut self) -> Result<char, Syntax> {
        let character = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.unicode_escape();
            }
            _ => return self.fail("an unknown escape"),
        };
        self.at += 1;
        Ok(character)
    }

    fn unicode_escape(&mut self) -> Result<char, Syntax> {
        let first = self.four_digits()?;
        if let Some(character) = char::from_u32(first) {
            return Ok(character);
        }
        if (0xd800..0xdc00).contains(&first) && self.bytes.get(self.at..self.at + 2) == Some(b"\\u") {
            self.at += 2;
            let second = self.four_digits()?;
            if (0xdc00..0xe000).contains(&second) {
                let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                if let Some(character) = char::from_u32(code) {
                    return Ok(character);
                }
            }
        }
        self.fail("an unpaired surrogate escape")
    }

    fn four_digits(&mut self) -> Result<u32, Syntax> {
        let mut code = 0;
        for _ in 0..4 {
            let Some(digit) = self.peek().and_then(|byte| char::from(byte).to_digit(16)) else {
                return self.fail("expected four hexadecimal digits");
            };
            code = code * 16 + digit;
            self.at += 1;
        }
        Ok(code)
    }

    fn number(&mut self) -> Result<(), Syntax> {
        let from = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        let mut tag = Tag::Integer;
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
            tag = Tag::Float;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
            tag = Tag::Float;
        }
        self.store.extent.may_overflow |= tag == Tag::Float;
        let (start, end) = (offset(from), offset(self.at));
        self.store.push(Node { tag, form: Form::Plain, start, end, first: 0, second: 0 });
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Syntax> {
        let from = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == from { self.fail("expected a digit") } else { Ok(()) }
    }

    fn word(&mut self, word: &str, tag: Tag) -> Result<(), Syntax> {
        let end = self.at + word.len();
        if self.bytes.get(self.at..end) != Some(word.as_bytes()) {
            return self.fail("expected a value");
        }
        self.store.push_word(tag, self.at, end);
        self.at = end;
        Ok(())
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn fail<T>(&self, what: &'static str) -> Result<T, Syntax> {
        Err(Syntax::Invalid { offset: self.at, what })
    }
}
