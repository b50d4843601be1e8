//! The strict parser of RFC 8259: exact numbers of any length, the place of an error, no recursion. Not the fast one.

use bumpalo::Bump;

use super::builder::Builder;
use super::{Document, MAX_DEPTH, Syntax};

/// Returns the document of `text`, its strings and long numbers in `arena`.
pub(super) fn parse<'a>(text: &[u8], arena: &'a Bump) -> Result<Document<'a>, Syntax> {
    let text = std::str::from_utf8(text).map_err(|error| Syntax::NotUtf8 { offset: error.valid_up_to() })?;
    let mut reader =
        Reader { text, bytes: text.as_bytes(), at: 0, out: Builder::new(arena), unescaped: String::new() };
    reader.document()?;
    Ok(reader.out.finish())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Container {
    Array,
    Object,
}

struct Reader<'s, 'a> {
    text: &'s str,
    bytes: &'s [u8],
    at: usize,
    out: Builder<'a>,
    unescaped: String,
}

impl Reader<'_, '_> {
    fn document(&mut self) -> Result<(), Syntax> {
        let mut open: Vec<Container> = Vec::new();
        'value: loop {
            self.skip_space();
            match self.peek() {
                Some(b'[') => {
                    self.enter(&mut open, Container::Array)?;
                    self.skip_space();
                    if self.peek() != Some(b']') {
                        continue 'value;
                    }
                    self.leave(&mut open);
                }
                Some(b'{') => {
                    self.enter(&mut open, Container::Object)?;
                    self.skip_space();
                    if self.peek() != Some(b'}') {
                        self.key()?;
                        continue 'value;
                    }
                    self.leave(&mut open);
                }
                Some(b'"') => self.string()?,
                Some(b'-' | b'0'..=b'9') => self.number()?,
                Some(b't') => {
                    self.word("true")?;
                    self.out.bool(true);
                }
                Some(b'f') => {
                    self.word("false")?;
                    self.out.bool(false);
                }
                Some(b'n') => {
                    self.word("null")?;
                    self.out.null();
                }
                _ => return self.fail("expected a value"),
            }
            loop {
                self.skip_space();
                match (open.last(), self.peek()) {
                    (None, None) => return Ok(()),
                    (None, Some(_)) => return self.fail("text after the value"),
                    (Some(Container::Array), Some(b',')) => {
                        self.at += 1;
                        continue 'value;
                    }
                    (Some(Container::Object), Some(b',')) => {
                        self.at += 1;
                        self.skip_space();
                        self.key()?;
                        continue 'value;
                    }
                    (Some(Container::Array), Some(b']')) | (Some(Container::Object), Some(b'}')) => {
                        self.leave(&mut open);
                    }
                    (Some(Container::Array), _) => return self.fail("expected `,` or `]`"),
                    (Some(Container::Object), _) => return self.fail("expected `,` or `}`"),
                }
            }
        }
    }

    fn enter(&mut self, open: &mut Vec<Container>, container: Container) -> Result<(), Syntax> {
        if open.len() >= MAX_DEPTH {
            return Err(Syntax::TooDeep);
        }
        open.push(container);
        match container {
            Container::Array => self.out.open_array(),
            Container::Object => self.out.open_object(),
        }
        self.at += 1;
        Ok(())
    }

    fn leave(&mut self, open: &mut Vec<Container>) {
        open.pop();
        self.out.close();
        self.at += 1;
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
        self.at += 1;
        self.unescaped.clear();
        let mut plain_from = self.at;
        loop {
            match self.peek() {
                None => return self.fail("a string without its end"),
                Some(b'"') => {
                    self.unescaped.push_str(self.text.get(plain_from..self.at).unwrap_or_default());
                    self.at += 1;
                    self.out.string(&self.unescaped);
                    return Ok(());
                }
                Some(b'\\') => {
                    self.unescaped.push_str(self.text.get(plain_from..self.at).unwrap_or_default());
                    self.at += 1;
                    let character = self.escape()?;
                    self.unescaped.push(character);
                    plain_from = self.at;
                }
                Some(0..0x20) => return self.fail("a control character in a string"),
                Some(_) => self.at += 1,
            }
        }
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
        let mut integer = true;
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
            integer = false;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
            integer = false;
        }
        let text = self.text.get(from..self.at).unwrap_or_default();
        match text.parse::<f64>() {
            _ if integer => self.out.integer(text),
            Ok(value) if value.is_finite() => self.out.float(value),
            _ => self.out.number_text(text),
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Syntax> {
        let from = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == from { self.fail("expected a digit") } else { Ok(()) }
    }

    fn word(&mut self, word: &str) -> Result<(), Syntax> {
        if self.bytes.get(self.at..self.at + word.len()) != Some(word.as_bytes()) {
            return self.fail("expected a value");
        }
        self.at += word.len();
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
