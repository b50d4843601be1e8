//! Decides what form a recorded payload is in and writes it as the members of a kind; evaluates nothing.
//!
//! A `body` of kind `json` is read as JSON text downstream, so text that is none would only ever be a parse error,
//! and no contract could look at it. [`Texts::body`] therefore writes
//!
//! | the text | `body` | read downstream as |
//! |---|---|---|
//! | is JSON | as it is | its value |
//! | is empty | `""` | no payload |
//! | is `None` | `"null"` | no payload: what Python prints for nothing |
//! | begins with `{` or `[` and is no JSON (cut off, or a Python repr) | as it is | a parse error, never data |
//! | is only white space | as it is | a parse error |
//! | is anything else | quoted once more, a JSON string | that text, for sentinels and conditions to match |

use smallvec::SmallVec;

use super::event::Form;
use super::fields::Fields;
use crate::canon;
use crate::value::{Array, Kind, Parser, Value};

/// Reads texts inside records; keeps its working memory from one to the next.
#[derive(Default)]
pub struct Texts {
    parser: Parser,
    quoted: Vec<u8>,
    joined: String,
}

/// What a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextForm {
    /// The form to record.
    pub form: Form,
    /// The text as a whole is JSON.
    pub json: bool,
}

impl Texts {
    /// Tells what form a text is in.
    pub fn form_of(&mut self, text: &str) -> TextForm {
        let trimmed = text.trim_ascii();
        let json = |form| TextForm { form, json: true };
        let plain = |form| TextForm { form, json: false };
        match trimmed.as_bytes() {
            [] if text.is_empty() => plain(Form::Empty),
            b"None" => plain(Form::Empty),
            b"True" | b"False" => plain(Form::PythonRepr),
            [b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n', ..] => {
                match self.parser.parse(text.as_bytes()).ok().map(|document| match document.root().kind() {
                    Kind::Null => Form::Empty,
                    Kind::Array(array) if array.is_empty() => Form::Empty,
                    Kind::Array(_) | Kind::Object(_) => Form::JsonText,
                    Kind::String(_) => Form::JsonStringLiteral,
                    _ => Form::Text,
                }) {
                    Some(form) => json(form),
                    None if is_python_repr(trimmed) => plain(Form::PythonRepr),
                    None => plain(Form::Text),
                }
            }
            _ => plain(Form::Text),
        }
    }

    /// Writes a text as the member `body`, as the table above says, and returns its form.
    pub fn body(&mut self, text: &str, members: &mut Fields) -> Form {
        let TextForm { form, json } = self.form_of(text);
        let first = text.trim_ascii_start().bytes().next();
        if json || text.is_empty() || matches!(first, None | Some(b'{' | b'[')) {
            members.str("body", text);
        } else if form == Form::Empty {
            members.str("body", "null");
        } else {
            self.quoted.clear();
            canon::write_string(text, &mut self.quoted);
            members.str("body", std::str::from_utf8(&self.quoted).unwrap_or_default());
        }
        form
    }

    /// Writes a process's standard output, with `output_format` where it is one JSON object or array.
    pub fn stdout(&mut self, text: &str, members: &mut Fields) -> Form {
        members.str("stdout", text);
        let form = self.form_of(text).form;
        if form == Form::JsonText {
            members.str("output_format", "json");
        }
        form
    }

    /// Writes a recorded value as the member `body`: text as [`Texts::body`], blocks as [`Texts::blocks`] with
    /// `separator`, anything else as it is.
    pub fn any(
        &mut self,
        value: Option<Value<'_>>,
        separator: &str,
        members: &mut Fields,
        notes: &mut Fields,
    ) -> Form {
        let Some(value) = value else { return Form::Absent };
        match value.kind() {
            Kind::String(text) => self.body(text, members),
            Kind::Array(array) if is_blocks(array) => self.blocks(array, separator, members, notes),
            Kind::Null => {
                members.value("body", value);
                Form::Empty
            }
            Kind::Array(array) if array.is_empty() => {
                members.value("body", value);
                Form::Empty
            }
            _ => {
                members.value("body", value);
                Form::Structured
            }
        }
    }

    /// Writes content blocks as the member `body`.
    ///
    /// One block of text is that text. Several are joined by `separator`; what is beside them and holds only a picture
    /// or sound is left out and counted in `metadata.blocks`. Blocks that hold data of other types stay blocks.
    pub fn blocks(
        &mut self,
        blocks: Array<'_>,
        separator: &str,
        members: &mut Fields,
        notes: &mut Fields,
    ) -> Form {
        let counts = Counts::of(blocks);
        counts.note(notes);
        if counts.data > 0 {
            members.raw("body", |out| {
                out.push(b'[');
                let mut first = true;
                for block in blocks.iter().filter(|block| class_of(*block) != BlockClass::Media) {
                    if !std::mem::take(&mut first) {
                        out.push(b',');
                    }
                    super::fields::write_value(block, out);
                }
                out.push(b']');
            });
            return Form::Blocks;
        }
        if blocks.is_empty() {
            members.raw("body", |out| out.extend_from_slice(b"[]"));
            return Form::Empty;
        }
        if counts.text == 0 {
            members.raw("body", |out| out.extend_from_slice(b"null"));
            return Form::Blocks;
        }
        self.join(blocks, separator);
        let joined = std::mem::take(&mut self.joined);
        let form = self.body(&joined, members);
        self.joined = joined;
        match form {
            _ if counts.text == 1 && counts.media == 0 => form,
            Form::JsonText if counts.media == 0 => form,
            _ => Form::Blocks,
        }
    }

    /// Writes the content of a result of the Model Context Protocol: `structuredContent` where there is one, `text`
    /// where there are text blocks, which are joined by a newline.
    pub fn mcp(
        &mut self,
        content: Option<Value<'_>>,
        structured: Option<Value<'_>>,
        members: &mut Fields,
        notes: &mut Fields,
    ) -> Form {
        let structured = structured.filter(|value| !value.is_null());
        if let Some(structured) = structured {
            members.value("structuredContent", structured);
        }
        let form = match content.map(Value::kind) {
            Some(Kind::String(text)) => {
                members.str("text", text);
                self.form_of(text).form
            }
            Some(Kind::Array(blocks)) => {
                let counts = Counts::of(blocks);
                counts.note(notes);
                self.join(blocks, "\n");
                let joined = std::mem::take(&mut self.joined);
                let form = match (counts.text, counts.media + counts.data) {
                    (0, 0) => Form::Empty,
                    (0, _) => Form::Blocks,
                    (_, others) => {
                        members.str("text", &joined);
                        let form = self.form_of(&joined).form;
                        if others > 0 || (counts.text > 1 && form == Form::Text) {
                            Form::Blocks
                        } else {
                            form
                        }
                    }
                };
                self.joined = joined;
                form
            }
            Some(Kind::Null) => Form::Empty,
            None => Form::Absent,
            Some(_) => Form::Structured,
        };
        if structured.is_some() { Form::Structured } else { form }
    }

    /// Runs `then` on the document of a text that is JSON.
    pub fn parsed<R>(&mut self, text: &str, then: impl FnOnce(Value<'_>) -> R) -> Option<R> {
        self.parser.parse(text.as_bytes()).ok().map(|document| then(document.root()))
    }

    fn join(&mut self, blocks: Array<'_>, separator: &str) {
        self.joined.clear();
        for (index, text) in blocks.iter().filter_map(text_of).enumerate() {
            if index > 0 {
                self.joined.push_str(separator);
            }
            self.joined.push_str(text);
        }
    }
}

/// A container that Python printed: no JSON, closed, and with something of Python in it.
fn is_python_repr(trimmed: &str) -> bool {
    let closed = (trimmed.starts_with('{') && trimmed.ends_with('}'))
        || (trimmed.starts_with('[') && trimmed.ends_with(']'));
    closed && ["'", "None", "True", "False", "("].iter().any(|mark| trimmed.contains(mark))
}

/// Returns true for a list whose elements all say their `type`.
fn is_blocks(array: Array<'_>) -> bool {
    !array.is_empty() && array.iter().all(|block| type_of(block).is_some())
}

fn type_of(block: Value<'_>) -> Option<&str> {
    block.as_object()?.get("type")?.as_str()
}

/// Returns the text of a text block.
pub fn text_of(block: Value<'_>) -> Option<&str> {
    (class_of(block) == BlockClass::Text).then(|| block.as_object()?.get("text")?.as_str())?
}

/// Returns the first line of a text, shortened.
pub fn first_line(text: &str) -> &str {
    const LONGEST: usize = 200;
    let line = text.lines().next().unwrap_or_default();
    line.char_indices().nth(LONGEST).map_or(line, |(at, _)| line.get(..at).unwrap_or(line))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockClass {
    Text,
    Media,
    Data,
}

fn class_of(block: Value<'_>) -> BlockClass {
    match type_of(block) {
        Some("text" | "input_text" | "output_text") => BlockClass::Text,
        Some("image" | "input_image" | "image_url" | "audio" | "input_audio" | "input_file") => {
            BlockClass::Media
        }
        _ => BlockClass::Data,
    }
}

/// How many blocks there are of what.
struct Counts<'t> {
    types: SmallVec<[(&'t str, u64); 4]>,
    text: usize,
    media: usize,
    data: usize,
}

impl<'t> Counts<'t> {
    fn of(blocks: Array<'t>) -> Self {
        let mut counts = Self { types: SmallVec::new(), text: 0, media: 0, data: 0 };
        for block in blocks.iter() {
            match class_of(block) {
                BlockClass::Text => counts.text += 1,
                BlockClass::Media => counts.media += 1,
                BlockClass::Data => counts.data += 1,
            }
            let name = type_of(block).unwrap_or("untyped");
            match counts.types.iter().position(|(known, _)| *known == name) {
                Some(at) => counts.types[at].1 += 1,
                // The types of one result are few; past this many they are counted by class alone.
                None if counts.types.len() < 16 => counts.types.push((name, 1)),
                None => {}
            }
        }
        counts
    }

    /// Writes `metadata.blocks` (`text:2,image:1`) unless there is exactly one block of text.
    fn note(&self, notes: &mut Fields) {
        if (self.text, self.media, self.data) == (1, 0, 0) || self.types.is_empty() {
            return;
        }
        let listed: Vec<String> = self.types.iter().map(|(name, count)| format!("{name}:{count}")).collect();
        notes.str("blocks", &listed.join(","));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_the_form_of_a_text_and_writes_its_body() {
        let mut texts = Texts::default();
        for (text, form, body) in [
            ("", Form::Empty, r#""""#),
            ("None", Form::Empty, r#""null""#),
            ("null", Form::Empty, r#""null""#),
            ("[]", Form::Empty, r#""[]""#),
            (r#"{"a":1}"#, Form::JsonText, r#""{\"a\":1}""#),
            ("[1]\n", Form::JsonText, r#""[1]\n""#),
            (r#""It is 9 C""#, Form::JsonStringLiteral, r#""\"It is 9 C\"""#),
            ("{'a': None}", Form::PythonRepr, r#""{'a': None}""#),
            ("[(1,)]", Form::PythonRepr, r#""[(1,)]""#),
            ("True", Form::PythonRepr, r#""\"True\"""#),
            (r#"{"a":1,"b"#, Form::Text, r#""{\"a\":1,\"b""#),
            (" \n", Form::Text, r#"" \n""#),
            ("9", Form::Text, r#""9""#),
            ("It is 9 C", Form::Text, r#""\"It is 9 C\"""#),
            ("Note: all good", Form::Text, r#""\"Note: all good\"""#),
            ("9 C", Form::Text, r#""\"9 C\"""#),
            ("two\nlines", Form::Text, r#""\"two\\nlines\"""#),
        ] {
            let mut members = Fields::default();
            assert_eq!(texts.body(text, &mut members), form, "{text:?}");
            assert_eq!(
                std::str::from_utf8(members.as_bytes()).unwrap(),
                format!("\"body\":{body}"),
                "{text:?}"
            );
        }
    }

    #[test]
    fn joins_text_blocks_and_leaves_pictures_out() {
        let mut texts = Texts::default();
        for (blocks, form, members, notes) in [
            (r"[]", Form::Empty, r#""body":[]"#, ""),
            (r#"[{"type":"text","text":"{}"}]"#, Form::JsonText, r#""body":"{}""#, ""),
            (
                r#"[{"type":"text","text":"{\"a\":"},{"type":"text","text":"1}"}]"#,
                Form::JsonText,
                r#""body":"{\"a\":1}""#,
                r#""blocks":"text:2""#,
            ),
            (
                r#"[{"type":"text","text":"a"},{"type":"image","data":"AA=="}]"#,
                Form::Blocks,
                r#""body":"\"a\"""#,
                r#""blocks":"text:1,image:1""#,
            ),
            (r#"[{"type":"image","data":"AA=="}]"#, Form::Blocks, r#""body":null"#, r#""blocks":"image:1""#),
            (
                r#"[{"type":"image"},{"type":"document","title":"t"},{"type":"text","text":"x"}]"#,
                Form::Blocks,
                r#""body":[{"type":"document","title":"t"},{"type":"text","text":"x"}]"#,
                r#""blocks":"image:1,document:1,text:1""#,
            ),
        ] {
            let mut parser = Parser::default();
            let document = parser.parse(blocks.as_bytes()).unwrap();
            let (mut written, mut noted) = (Fields::default(), Fields::default());
            let array = document.root().as_array().unwrap();
            assert_eq!(texts.blocks(array, "", &mut written, &mut noted), form, "{blocks}");
            assert_eq!(std::str::from_utf8(written.as_bytes()).unwrap(), members, "{blocks}");
            assert_eq!(std::str::from_utf8(noted.as_bytes()).unwrap(), notes, "{blocks}");
        }
    }
}
