//! A place in a YAML text and the steps from there: characters, line breaks, columns. It knows no token.

use super::Place;

/// What [`Cursor::peek`] returns behind the last character; no YAML text holds one.
pub(super) const END: char = '\0';

/// A place in the text, counted from 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Mark {
    /// In bytes.
    pub(super) byte: usize,
    /// In characters.
    pub(super) index: usize,
    pub(super) line: usize,
    /// In characters; a byte order mark takes no column.
    pub(super) column: usize,
}

impl Mark {
    pub(super) fn place(self) -> Place {
        let narrow = |count| u32::try_from(count).unwrap_or(u32::MAX);
        Place {
            byte: narrow(self.byte),
            line: narrow(self.line.saturating_add(1)),
            column: narrow(self.column.saturating_add(1)),
        }
    }
}

/// Why a text is not YAML, and where that shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) what: &'static str,
    pub(super) mark: Mark,
}

/// Returns true for the line breaks of YAML 1.1.
pub(super) fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

pub(super) fn is_break_or_end(c: char) -> bool {
    c == END || is_break(c)
}

/// A space or what ends a line, but no tab.
pub(super) fn is_space_or_end(c: char) -> bool {
    c == ' ' || is_break_or_end(c)
}

/// White space of any kind, or the end.
pub(super) fn is_blank_or_end(c: char) -> bool {
    c == '\t' || is_space_or_end(c)
}

fn is_printable(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..)
}

/// Walks over a text of printable characters.
pub(super) struct Cursor<'t> {
    text: &'t str,
    mark: Mark,
}

impl<'t> Cursor<'t> {
    /// Starts at the beginning of `text`, past a byte order mark.
    ///
    /// # Errors
    /// The first character that YAML 1.1 does not allow.
    pub(super) fn new(text: &'t str) -> Result<Self, Fault> {
        let mut cursor = Self { text, mark: Mark::default() };
        if let Some(bad) = text.find(|c| !is_printable(c)) {
            while cursor.mark.byte < bad {
                cursor.advance();
            }
            return Err(cursor.fault("a character that YAML does not allow"));
        }
        if cursor.peek() == '\u{feff}' {
            cursor.advance();
        }
        Ok(cursor)
    }

    pub(super) fn mark(&self) -> Mark {
        self.mark
    }

    pub(super) fn column(&self) -> usize {
        self.mark.column
    }

    pub(super) fn fault(&self, what: &'static str) -> Fault {
        Fault { what, mark: self.mark }
    }

    /// Returns what is left of the text.
    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.mark.byte..).unwrap_or_default()
    }

    /// Returns the character here, [`END`] behind the last.
    pub(super) fn peek(&self) -> char {
        self.rest().chars().next().unwrap_or(END)
    }

    /// Returns the character `n` characters further on.
    pub(super) fn peek_at(&self, n: usize) -> char {
        self.rest().chars().nth(n).unwrap_or(END)
    }

    /// Steps over one character; stays at the end.
    pub(super) fn advance(&mut self) {
        let mut rest = self.rest().chars();
        let Some(c) = rest.next() else { return };
        self.mark.byte += c.len_utf8();
        self.mark.index += 1;
        if c == '\n' || (is_break(c) && !(c == '\r' && rest.next() == Some('\n'))) {
            self.mark.line += 1;
            self.mark.column = 0;
        } else if c != '\u{feff}' {
            self.mark.column += 1;
        }
    }

    /// Steps over one character where it is `c`, and tells.
    pub(super) fn eat(&mut self, c: char) -> bool {
        let there = self.peek() == c;
        if there {
            self.advance();
        }
        there
    }

    /// Takes the characters up to the first that `part_of` does not hold for; it holds for no line break.
    pub(super) fn take_while(&mut self, part_of: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let length = rest.find(|c| !part_of(c)).unwrap_or(rest.len());
        self.take(length)
    }

    /// Takes the next `length` bytes, which hold no line break.
    pub(super) fn take(&mut self, length: usize) -> &'t str {
        let taken = self.rest().get(..length).unwrap_or_default();
        self.mark.byte += taken.len();
        for c in taken.chars() {
            self.mark.index += 1;
            self.mark.column += usize::from(c != '\u{feff}');
        }
        taken
    }

    pub(super) fn skip_spaces(&mut self) {
        self.take_while(|c| c == ' ');
    }

    /// Takes a line break where there is one and returns what it counts as: Unicode's own separators stay
    /// themselves, any other is a line feed.
    pub(super) fn take_break(&mut self) -> Option<char> {
        let c = self.peek();
        if !is_break(c) {
            return None;
        }
        self.advance();
        if c == '\r' {
            self.eat('\n');
        }
        Some(if matches!(c, '\u{2028}' | '\u{2029}') { c } else { '\n' })
    }

    /// Returns true at `---` or `...` with white space or the end behind it.
    pub(super) fn at_document_marker(&self) -> bool {
        let rest = self.rest();
        (rest.starts_with("---") || rest.starts_with("...")) && is_blank_or_end(self.peek_at(3))
    }
}
