//! The three ways to write a scalar: plain, in quotes, as a block. What the text means is not decided here.

use std::borrow::Cow;

use super::scan::{Scanner, TokenKind};
use super::text::{END, Fault, is_blank_or_end, is_break, is_break_or_end, is_space_or_end};

/// A scalar's text: a piece of the document as long as that is possible.
#[derive(Default)]
struct Text<'t>(Cow<'t, str>);

impl<'t> Text<'t> {
    fn push_str(&mut self, piece: &'t str) {
        if self.0.is_empty() {
            self.0 = Cow::Borrowed(piece);
        } else if !piece.is_empty() {
            self.0.to_mut().push_str(piece);
        }
    }

    fn push(&mut self, c: char) {
        self.0.to_mut().push(c);
    }

    /// Appends what a line break and the empty lines behind it fold to.
    fn fold(&mut self, line_break: char, empty_lines: &str) {
        if line_break != '\n' {
            self.push(line_break);
        } else if empty_lines.is_empty() {
            self.push(' ');
        }
        self.0.to_mut().push_str(empty_lines);
    }

    fn into_scalar(self, plain: bool) -> TokenKind<'t> {
        TokenKind::Scalar { text: self.0, plain }
    }
}

/// What lies between two pieces of a plain scalar.
enum Gap<'t> {
    /// Nothing that could be inside a scalar.
    None,
    Spaces(&'t str),
    Lines(char, String),
}

/// What happens to the line breaks at the end of a block scalar.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomp {
    Strip,
    Clip,
    Keep,
}

impl<'t> Scanner<'t> {
    // Plain.

    pub(super) fn scan_plain(&mut self) -> TokenKind<'t> {
        let margin = self.margin;
        let mut text = Text::default();
        let mut gap = Gap::None;
        while self.cursor.peek() != '#' {
            let piece = self.take_plain_piece();
            if piece.is_empty() {
                break;
            }
            self.key_allowed = false;
            match gap {
                Gap::None => {}
                Gap::Spaces(spaces) => text.push_str(spaces),
                Gap::Lines(line_break, empty_lines) => text.fold(line_break, &empty_lines),
            }
            text.push_str(piece);
            gap = self.take_plain_gap();
            if matches!(gap, Gap::None) || (self.flow_level == 0 && self.cursor.column() < margin) {
                break;
            }
        }
        text.into_scalar(true)
    }

    /// Takes characters up to white space or what ends a plain scalar.
    fn take_plain_piece(&mut self) -> &'t str {
        let in_flow = self.flow_level > 0;
        let rest = self.cursor.rest();
        let mut characters = rest.char_indices().peekable();
        while let Some((at, c)) = characters.next() {
            let next = characters.peek().map_or(END, |&(_, c)| c);
            let ends = match c {
                ':' => is_blank_or_end(next) || (in_flow && ",[]{}".contains(next)),
                ',' | '?' | '[' | ']' | '{' | '}' => in_flow,
                c => is_blank_or_end(c),
            };
            if ends {
                return self.cursor.take(at);
            }
        }
        self.cursor.take(rest.len())
    }

    fn take_plain_gap(&mut self) -> Gap<'t> {
        let spaces = self.cursor.take_while(|c| c == ' ');
        let Some(line_break) = self.cursor.take_break() else {
            return if spaces.is_empty() { Gap::None } else { Gap::Spaces(spaces) };
        };
        self.key_allowed = true;
        let mut empty_lines = String::new();
        loop {
            if self.cursor.at_document_marker() {
                return Gap::None;
            }
            self.cursor.skip_spaces();
            match self.cursor.take_break() {
                Some(c) => empty_lines.push(c),
                None => return Gap::Lines(line_break, empty_lines),
            }
        }
    }

    // In quotes.

    pub(super) fn scan_quoted(&mut self, quote: char) -> Result<TokenKind<'t>, Fault> {
        self.cursor.advance();
        let mut text = Text::default();
        loop {
            self.take_quoted_piece(quote, &mut text)?;
            if self.cursor.eat(quote) {
                return Ok(text.into_scalar(false));
            }
            let spaces = self.cursor.take_while(|c| matches!(c, ' ' | '\t'));
            if self.cursor.peek() == END {
                return Err(self.cursor.fault("the text ends inside quotes"));
            }
            match self.cursor.take_break() {
                Some(line_break) => {
                    let empty_lines = self.take_quoted_breaks()?;
                    text.fold(line_break, &empty_lines);
                }
                None => text.push_str(spaces),
            }
        }
    }

    /// Takes everything up to white space or the closing quote.
    fn take_quoted_piece(&mut self, quote: char, text: &mut Text<'t>) -> Result<(), Fault> {
        loop {
            text.push_str(self.cursor.take_while(|c| !matches!(c, '\'' | '"' | '\\') && !is_blank_or_end(c)));
            match (quote, self.cursor.peek()) {
                ('\'', '\'') if self.cursor.peek_at(1) == '\'' => {
                    text.push_str(self.cursor.take(1));
                    self.cursor.advance();
                }
                ('"', '\'') | ('\'', '"' | '\\') => text.push_str(self.cursor.take(1)),
                ('"', '\\') => {
                    self.cursor.advance();
                    self.take_escape(text)?;
                }
                _ => return Ok(()),
            }
        }
    }

    fn take_escape(&mut self, text: &mut Text<'t>) -> Result<(), Fault> {
        let c = self.cursor.peek();
        let plain = match c {
            '0' => '\0',
            'a' => '\x07',
            'b' => '\x08',
            't' | '\t' => '\t',
            'n' => '\n',
            'v' => '\x0b',
            'f' => '\x0c',
            'r' => '\r',
            'e' => '\x1b',
            ' ' | '"' | '/' | '\\' => c,
            'N' => '\u{85}',
            '_' => '\u{a0}',
            'L' => '\u{2028}',
            'P' => '\u{2029}',
            'x' => return self.take_code_point(2, text),
            'u' => return self.take_code_point(4, text),
            'U' => return self.take_code_point(8, text),
            c if is_break(c) => {
                self.cursor.take_break();
                let empty_lines = self.take_quoted_breaks()?;
                text.0.to_mut().push_str(&empty_lines);
                return Ok(());
            }
            _ => return Err(self.cursor.fault("an escape that YAML does not know")),
        };
        self.cursor.advance();
        text.push(plain);
        Ok(())
    }

    fn take_code_point(&mut self, digits: usize, text: &mut Text<'t>) -> Result<(), Fault> {
        self.cursor.advance();
        let hex = self.cursor.rest().get(..digits).unwrap_or_default();
        if hex.is_empty() || !hex.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(self.cursor.fault("an escape with too few hexadecimal digits"));
        }
        // A surrogate is no character, alone or in a pair.
        let c = u32::from_str_radix(hex, 16).ok().and_then(char::from_u32);
        text.push(c.ok_or(self.cursor.fault("an escape of something that is no Unicode character"))?);
        self.cursor.take(digits);
        Ok(())
    }

    /// Takes the empty lines behind a line break in quotes, and the indentation of the next.
    fn take_quoted_breaks(&mut self) -> Result<String, Fault> {
        let mut breaks = String::new();
        loop {
            if self.cursor.at_document_marker() {
                return Err(self.cursor.fault("the document ends inside quotes"));
            }
            self.cursor.take_while(|c| matches!(c, ' ' | '\t'));
            match self.cursor.take_break() {
                Some(c) => breaks.push(c),
                None => return Ok(breaks),
            }
        }
    }

    // As a block.

    pub(super) fn scan_block(&mut self, folded: bool) -> Result<TokenKind<'t>, Fault> {
        self.cursor.advance();
        let (chomp, increment) = self.take_block_header()?;
        self.skip_rest_of_line()?;
        let least = self.margin.max(1);
        let (mut breaks, column) = match increment {
            Some(increment) => {
                let column = least + increment - 1;
                (self.take_block_breaks(column), column)
            }
            None => self.find_block_column(least),
        };
        let mut text = Text::default();
        let mut line_break = None;
        while self.cursor.column() == column && self.cursor.peek() != END {
            text.0.to_mut().push_str(&breaks);
            let starts_with_space = matches!(self.cursor.peek(), ' ' | '\t');
            text.push_str(self.cursor.take_while(|c| !is_break_or_end(c)));
            line_break = self.cursor.take_break();
            breaks = self.take_block_breaks(column);
            if self.cursor.column() != column || self.cursor.peek() == END {
                break;
            }
            let Some(c) = line_break else { break };
            if !folded || c != '\n' || starts_with_space || matches!(self.cursor.peek(), ' ' | '\t') {
                text.push(c);
            } else if breaks.is_empty() {
                text.push(' ');
            }
        }
        if chomp != Chomp::Strip
            && let Some(c) = line_break
        {
            text.push(c);
        }
        if chomp == Chomp::Keep {
            text.0.to_mut().push_str(&breaks);
        }
        Ok(text.into_scalar(false))
    }

    /// `+` or `-` and the indentation, in either order.
    fn take_block_header(&mut self) -> Result<(Chomp, Option<usize>), Fault> {
        let mut chomp = self.take_chomp();
        let increment = self.take_increment()?;
        if chomp.is_none() {
            chomp = self.take_chomp();
        }
        if !is_space_or_end(self.cursor.peek()) {
            return Err(self.cursor.fault("expected `+`, `-` or an indentation of 1 to 9 behind `|` or `>`"));
        }
        Ok((chomp.unwrap_or(Chomp::Clip), increment))
    }

    fn take_chomp(&mut self) -> Option<Chomp> {
        if self.cursor.eat('+') {
            Some(Chomp::Keep)
        } else if self.cursor.eat('-') {
            Some(Chomp::Strip)
        } else {
            None
        }
    }

    fn take_increment(&mut self) -> Result<Option<usize>, Fault> {
        match self.cursor.peek().to_digit(10) {
            None => Ok(None),
            Some(0) => Err(self.cursor.fault("an indentation of 0")),
            Some(digit) => {
                self.cursor.advance();
                Ok(usize::try_from(digit).ok())
            }
        }
    }

    /// Takes the empty lines at the start of a block and finds the column of its text.
    fn find_block_column(&mut self, least: usize) -> (String, usize) {
        let mut breaks = String::new();
        let mut column = least;
        loop {
            self.cursor.skip_spaces();
            column = column.max(self.cursor.column());
            match self.cursor.take_break() {
                Some(c) => breaks.push(c),
                None => return (breaks, column),
            }
        }
    }

    fn take_block_breaks(&mut self, column: usize) -> String {
        let mut breaks = String::new();
        loop {
            while self.cursor.column() < column && self.cursor.eat(' ') {}
            match self.cursor.take_break() {
                Some(c) => breaks.push(c),
                None => return breaks,
            }
        }
    }
}
