//! What is shown beside the records, for people: the summary of a run, reports, replays, explanations.

mod explain;
mod payload;
mod replay;
mod report;
mod summary;
mod walk;

pub use explain::{code, codes};
pub use replay::{Layout, replayed};
pub use report::report;
pub use summary::Summary;
pub use walk::{Told, walk};

use crate::decision::{Member, Redaction};

/// Returns text of outside as it may stand on a terminal: what a terminal could take for a command is made visible.
fn visible(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut shown, character| {
        match character.is_control() || matches!(character, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') {
            true => shown.extend(character.escape_default()),
            false => shown.push(character),
        }
        shown
    })
}

/// Returns a member's text, visible, or what stands where it is hidden.
fn unless_hidden(member: Member, redaction: &Redaction, text: &str) -> String {
    if redaction.covers(member) { "[REDACTED]".to_owned() } else { visible(&redaction.shown(text)) }
}

/// Appends a paragraph to `out`, broken between words at 92 columns; the first line goes on where `out` ends.
fn wrap(text: &str, indent: usize, out: &mut String) {
    let mut column = out.len() - out.rfind('\n').map_or(0, |at| at + 1);
    let mut first = true;
    for word in text.split_whitespace() {
        let width = word.chars().count();
        if !first && column + 1 + width > 92 {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent));
            column = indent;
        } else if !first {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += width;
        first = false;
    }
    out.push('\n');
}
