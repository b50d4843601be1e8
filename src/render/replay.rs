//! The lines of a replay: whether each fixture gave what it expects, in the layouts that ResultSeal 0.2.0 prints.

use std::fmt::Write;

use crate::canon::write_string;
use crate::decision::{Outcome, Place, Redaction, Ruling, TruthState};
use crate::fixture::{Fixture, rejection};
use crate::reason::Reason;

use super::visible;

/// How the lines are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// A line a fixture, and two more where it does not match.
    Text,
    /// A record a fixture, whether it matches or not.
    Json,
}

/// Appends the lines of one fixture that could be replayed.
pub fn replayed(
    fixture: &Fixture<'_>,
    ruling: &Ruling<'_>,
    matches: bool,
    layout: Layout,
    redaction: &Redaction,
    out: &mut Vec<u8>,
) {
    match (layout, ruling.outcome) {
        (Layout::Text, _) => out.extend_from_slice(lines(fixture, ruling, matches).as_bytes()),
        (Layout::Json, Outcome::Rejected) => {
            out.extend_from_slice(b"{\"decision\":\"rejected\",\"fixture\":");
            write_string(fixture.name, out);
            out.extend_from_slice(b",\"reason_codes\":[");
            write_string(code(ruling), out);
            out.extend_from_slice(b"]}\n");
        }
        (Layout::Json, _) => {
            ruling.write_core(&Place::default(), redaction, out);
            out.push(b'\n');
        }
    }
}

fn lines(fixture: &Fixture<'_>, ruling: &Ruling<'_>, matches: bool) -> String {
    let word = if matches { "MATCH" } else { "MISMATCH" };
    let name = visible(fixture.name);
    let expected = &fixture.expected;
    let expected_codes = python_list(expected.reason_codes.iter().copied());
    if ruling.outcome == Outcome::Rejected {
        let code = code(ruling);
        let head = format!("{word}: {name} -> rejected ({code})\n");
        if matches {
            return head;
        }
        let problem = rejection(ruling, "");
        let place = if problem.place.is_empty() { String::new() } else { format!("{}: ", problem.place) };
        let what = visible(&problem.message);
        return format!("{head}  expected codes={expected_codes}\n  actual:   {code}: {place}{what}\n");
    }
    let outcome = ruling.outcome;
    let state = ruling.truth_state.map_or("unknown", TruthState::name);
    let head = format!("{word}: {name} -> {state}/{outcome}\n");
    if matches {
        return head;
    }
    let expected_state = expected.truth_state.map_or("*", TruthState::name);
    let codes = python_list(ruling.reasons().map(Reason::code));
    format!(
        "{head}  expected: {expected_state}/{} codes={expected_codes}\n  actual:   {state}/{outcome} codes={codes}\n",
        expected.outcome
    )
}

fn code(ruling: &Ruling<'_>) -> &'static str {
    ruling.reasons().next().unwrap_or(Reason::SchemaInvalid).code()
}

/// Returns strings as Python prints a list of them.
fn python_list<'s>(items: impl Iterator<Item = &'s str>) -> String {
    let items: Vec<String> = items.map(python_string).collect();
    format!("[{}]", items.join(", "))
}

/// Returns a string as Python's `repr` writes it.
fn python_string(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for character in text.chars() {
        match character {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if character == quote => out.extend(['\\', quote]),
            _ if is_printable(character) => out.push(character),
            _ => {
                // Writing to a string does not fail.
                let _ = match u32::from(character) {
                    code @ 0..=0xff => write!(out, "\\x{code:02x}"),
                    code @ 0x100..=0xffff => write!(out, "\\u{code:04x}"),
                    code => write!(out, "\\U{code:08x}"),
                };
            }
        }
    }
    out.push(quote);
    out
}

/// Returns true for what Python and Rust print as it is. A combining mark is escaped by Rust only at the start.
fn is_printable(character: char) -> bool {
    let mut text = [b'a', 0, 0, 0, 0];
    let length = character.encode_utf8(&mut text[1..]).len();
    let text = std::str::from_utf8(&text[..=length]).unwrap_or_default();
    matches!(character, '"' | '\'') || text.escape_debug().count() == 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_quoted_as_python_quotes_them() {
        for (text, expected) in [
            ("NO_DISPATCH", "'NO_DISPATCH'"),
            ("", "''"),
            ("it's", "\"it's\""),
            ("\"", "'\"'"),
            ("'\"", "'\\'\"'"),
            ("a\\b\n\r\t\u{0}\u{7f}\u{1b}", "'a\\\\b\\n\\r\\t\\x00\\x7f\\x1b'"),
            ("é\u{ad}\u{a0}\u{2028}\u{feff}", "'é\\xad\\xa0\\u2028\\ufeff'"),
            ("e\u{301}漢😀", "'e\u{301}漢😀'"),
            ("\u{e0001}", "'\\U000e0001'"),
        ] {
            assert_eq!(python_string(text), expected);
        }
        assert_eq!(python_list([].into_iter()), "[]");
        assert_eq!(python_list(["A", "B"].into_iter()), "['A', 'B']");
    }
}
