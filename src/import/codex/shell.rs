//! What Codex writes around the output of its shells, in three generations: JSON text with `metadata.exit_code`, a
//! header with `Exit code: N`, a header with `Process exited with code N`. The streams are merged.

use super::super::Cx;
use super::super::event::{Form, Reading, Signal};
use super::SHELL;
use crate::input::Kind;
use crate::value::{Integer, Kind as ValueKind, Value};

/// Returns true for the text with which an aborted call is answered.
pub(super) fn is_aborted(text: &str) -> bool {
    let rest = match text.strip_prefix("Wall time: ") {
        Some(header) => header.split_once('\n').map_or("", |(_, rest)| rest),
        None => text,
    };
    rest.starts_with("aborted by user")
}

/// Returns true where Codex says that it left something out.
pub(super) fn is_truncated(text: &str) -> bool {
    text.starts_with("Total output lines: ")
        || text.starts_with("Warning: truncated output (original token count: ")
        || has_gap(text, " lines truncated…")
        || has_gap(text, " tokens truncated…")
        || has_gap(text, " chars truncated…")
}

/// Finds `…N` before `mark`.
fn has_gap(text: &str, mark: &str) -> bool {
    text.match_indices(mark).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let rest = before.trim_end_matches(|character: char| character.is_ascii_digit());
        rest.len() < before.len() && rest.ends_with('…')
    })
}

/// Returns the way to read an output of a shell, where it tells how the command ended or that it has not.
pub(super) fn reading(text: &str, cx: &mut Cx<'_>) -> Option<Reading> {
    if text.trim_ascii_start().starts_with('{') {
        return json(text, cx);
    }
    let header = Header::of(text)?;
    let mut reading = match header.end {
        End::Exited(code) => {
            cx.members.raw("exit_code", |out| out.extend_from_slice(code.as_bytes()));
            header.note(cx);
            printed(header.body, code != "0", cx)
        }
        End::Running(session) => {
            header.note(cx);
            cx.notes.str("process_session", session);
            cx.no_evidence(SHELL, "running", Signal::TextOnly)
        }
    };
    reading.truncated |= header.truncated || is_truncated(header.body);
    Some(reading)
}

/// The way to read a shell's output without such an envelope: what Codex answers when it did not run the command. It is
/// kept as it is, so that no contract takes it for something that a command printed.
pub(super) fn bare(output: Option<Value<'_>>, text: &str, cx: &mut Cx<'_>) -> Reading {
    cx.members.clear();
    cx.notes.clear().bool("exit_code_recorded", false);
    let form = match output {
        Some(output) if output.as_str().is_none() => cx.texts.any(Some(output), "", cx.members, cx.notes),
        Some(_) => {
            cx.members.str("body", text);
            cx.texts.form_of(text).form
        }
        None => Form::Absent,
    };
    let mut reading = cx.reading(SHELL, Kind::Json, form, Signal::TextOnly);
    reading.truncated = is_truncated(text);
    reading
}

/// JSON text with the output and its metadata.
fn json(text: &str, cx: &mut Cx<'_>) -> Option<Reading> {
    cx.within(text, |value, cx| {
        let object = value.as_object()?;
        let metadata = object.get("metadata")?.as_object()?;
        let code = metadata.get("exit_code")?;
        let ValueKind::Integer(number) = code.kind() else { return None };
        cx.members.value("exit_code", code);
        cx.notes.scalar("duration_seconds", metadata.get("duration_seconds"));
        let output = object.get("output").and_then(Value::as_str).unwrap_or_default();
        let mut reading = printed(output, number != Integer::Signed(0), cx);
        reading.truncated = is_truncated(output);
        Some(reading)
    })?
}

/// Takes `exit_code` from `cx.members` and adds what was printed.
fn printed(body: &str, failed: bool, cx: &mut Cx<'_>) -> Reading {
    let form: Form = cx.texts.stdout(body, cx.members);
    cx.notes.bool("streams_merged", true);
    if body.starts_with("command timed out after ") {
        cx.notes.bool("timed_out", true);
    }
    let mut reading = cx.reading(SHELL, Kind::Stdio, form, Signal::ExitCode);
    reading.failed = failed;
    reading
}

#[derive(Debug, PartialEq, Eq)]
enum End<'t> {
    Exited(&'t str),
    Running(&'t str),
}

/// The lines before `Output:`.
#[derive(Debug, PartialEq, Eq)]
struct Header<'t> {
    end: End<'t>,
    wall_time: Option<&'t str>,
    truncated: bool,
    body: &'t str,
}

impl<'t> Header<'t> {
    fn of(text: &'t str) -> Option<Self> {
        /// More lines than any generation writes.
        const LINES: usize = 8;
        let (mut end, mut wall_time, mut truncated) = (None, None, false);
        let mut rest = text;
        for _ in 0..LINES {
            let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
            if line == "Output:" {
                return Some(Self { end: end?, wall_time, truncated, body: after });
            }
            if let Some(code) =
                line.strip_prefix("Exit code: ").or_else(|| line.strip_prefix("Process exited with code "))
            {
                end = Some(End::Exited(integer(code)?));
            } else if let Some(session) = line.strip_prefix("Process running with session ID ") {
                end = Some(End::Running(session));
            } else if let Some(time) = line.strip_prefix("Wall time: ") {
                wall_time = time.strip_suffix(" seconds");
            } else if line.starts_with("Total output lines: ")
                || line.starts_with("Warning: truncated output")
            {
                truncated = true;
            } else if !line.starts_with("Chunk ID: ") && !line.starts_with("Original token count: ") {
                return None;
            }
            rest = after;
        }
        None
    }

    fn note(&self, cx: &mut Cx<'_>) {
        if let Some(time) = self.wall_time.filter(|time| is_decimal(time)) {
            cx.notes.raw("duration_seconds", |out| out.extend_from_slice(time.as_bytes()));
        }
    }
}

/// Returns the text if it is an integer as JSON writes one.
fn integer(text: &str) -> Option<&str> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let number = !digits.is_empty() && digits.len() <= 10 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let canonical = digits == "0" || !digits.starts_with('0');
    (number && canonical && text != "-0").then_some(text)
}

/// Returns true for digits with at most one point between them, as JSON writes a number.
fn is_decimal(text: &str) -> bool {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    integer(whole).is_some() && !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_headers_of_each_generation_and_nothing_like_them() {
        let exited = |code, wall_time, truncated, body| {
            Some(Header { end: End::Exited(code), wall_time, truncated, body })
        };
        for (text, expected) in [
            (
                "Exit code: 0\nWall time: 0 seconds\nOutput:\n M total.py",
                exited("0", Some("0"), false, " M total.py"),
            ),
            (
                "Exit code: 0\nWall time: 0.1 seconds\nTotal output lines: 9999\nOutput:\n1",
                exited("0", Some("0.1"), true, "1"),
            ),
            (
                "Chunk ID: 36c2f2\nWall time: 0.0512 seconds\nProcess exited with code 2\nOriginal token count: 12\nOutput:\nOutput:\nx",
                exited("2", Some("0.0512"), false, "Output:\nx"),
            ),
            (
                "Wall time: 10.0003 seconds\nProcess running with session ID 7\nOutput:\n",
                Some(Header {
                    end: End::Running("7"),
                    wall_time: Some("10.0003"),
                    truncated: false,
                    body: "",
                }),
            ),
            ("Exit code: 0\nWall time: 0 seconds\nOutput:", exited("0", Some("0"), false, "")),
            // No code, a code that is none, another line in between, no `Output:`.
            ("Wall time: 0 seconds\nOutput:\nx", None),
            ("Exit code: zero\nOutput:\nx", None),
            ("Exit code: 0\nhello\nOutput:\nx", None),
            ("Exit code: 0\n", None),
            ("hello\nExit code: 0\nOutput:\n", None),
            ("", None),
        ] {
            assert_eq!(Header::of(text), expected, "{text:?}");
        }
    }

    #[test]
    fn knows_what_was_aborted_or_cut() {
        for (text, aborted) in [
            ("aborted by user after 3.1s", true),
            ("Wall time: 3.1 seconds\naborted by user", true),
            ("not aborted by user", false),
            ("Wall time: 3.1 seconds\nOutput:\naborted by user", false),
        ] {
            assert_eq!(is_aborted(text), aborted, "{text:?}");
        }
        for (text, truncated) in [
            ("1\n…9996 lines truncated…\n9999", true),
            ("a…12 tokens truncated…b", true),
            ("Total output lines: 9999\n\n1", true),
            ("Warning: truncated output (original token count: 9)\nx", true),
            ("9996 lines truncated…", false),
            ("… lines truncated…", false),
            ("the log says Total output lines: 3", false),
        ] {
            assert_eq!(is_truncated(text), truncated, "{text:?}");
        }
    }
}
