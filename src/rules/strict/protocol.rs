//! Does the tool's own protocol say that the call failed, or say two things at once?

use super::{Case, Failure, Rule, failure};
use crate::decision::TruthState;
use crate::finding::{Fact, Finding};
use crate::observe::strict::Conflict;
use crate::reason::Reason;

pub(super) const RULE: Rule = Rule {
    name: "protocol",
    explanation: "The Model Context Protocol reports a failed tool inside a successful response, as `isError: true` \
                  with text about the error. SDK objects spell the flag `is_error`, loggers write it as a string or as \
                  1: whatever is not exactly false counts as set. Text and structured content that are both JSON and \
                  differ are two answers, and nobody knows which one was read.",
    for_absence: true,
    check,
};

fn check<'t>(case: &Case<'t>) -> Option<Failure<'t>> {
    let finding = Finding::new(Reason::ProtocolConflict, RULE.name);
    let finding = match case.reading.conflict? {
        Conflict::Flag(member) => finding
            .member(member)
            .expected(Fact::Words("no error flag"))
            .actual(Fact::Words("an error flag that is not false")),
        Conflict::Spellings => finding
            .member("structured_content")
            .expected(Fact::Words("the same as `structuredContent`"))
            .actual(Fact::Words("another value")),
        Conflict::Text => finding
            .member("text")
            .expected(Fact::Words("the same JSON as the structured content"))
            .actual(Fact::Words("other JSON")),
    };
    failure(TruthState::Unknown, smallvec::smallvec![finding])
}

#[cfg(test)]
mod tests {
    use super::super::table::check_table;

    #[test]
    fn a_flag_counts_unless_it_is_false() {
        check_table(&[
            ("", r#""kind":"mcp","structuredContent":{"id":"CANARY"},"isError":false"#, "sealed"),
            ("", r#""kind":"mcp","structuredContent":{"id":"CANARY"},"isError":null"#, "sealed"),
            (
                "",
                r#""kind":"mcp","structuredContent":{"id":"CANARY"},"isError":"true""#,
                "unknown PROTOCOL_CONFLICT",
            ),
            (
                "",
                r#""kind":"mcp","structuredContent":{"id":"CANARY"},"isError":"CANARY""#,
                "unknown PROTOCOL_CONFLICT",
            ),
            ("", r#""kind":"mcp","structuredContent":{"id":1},"isError":1"#, "unknown PROTOCOL_CONFLICT"),
            (
                "",
                r#""kind":"mcp","structuredContent":{"id":1},"isError":false,"is_error":true"#,
                "unknown PROTOCOL_CONFLICT",
            ),
            ("", r#""kind":null,"structured_content":{"id":1},"is_error":[]"#, "unknown PROTOCOL_CONFLICT"),
            ("", r#""kind":null,"structured_content":{"id":1}"#, "sealed"),
            (
                "",
                r#""kind":"mcp","structuredContent":{"id":1},"structured_content":{"id":2}"#,
                "unknown PROTOCOL_CONFLICT",
            ),
            ("", r#""kind":"mcp","structuredContent":{"id":1},"text":"{\"id\": 1}""#, "sealed"),
            (
                "",
                r#""kind":"mcp","structuredContent":{"id":1},"text":"{\"id\": \"CANARY\"}""#,
                "unknown PROTOCOL_CONFLICT",
            ),
            (
                "",
                r#""kind":"mcp","structuredContent":{"id":1},"text":"{\"id\": 1.0}""#,
                "unknown PROTOCOL_CONFLICT",
            ),
            ("", r#""kind":"mcp","structuredContent":{"id":1},"text":"[CANARY""#, "parse_error PARSE_FAILED"),
            (
                r#""text_format":"text""#,
                r#""kind":"mcp","structuredContent":{"id":1},"text":"[CANARY""#,
                "sealed",
            ),
            (
                "",
                r#""kind":"mcp","content":[{"type":"text","text":"{\"id\":"},{"type":"image"},{"type":"text","text":"1}"}]"#,
                "sealed",
            ),
            (
                r#""required_fields":["id"]"#,
                r#""kind":"mcp","content":[{"type":"text","text":"{\"id\":1,\"id\":1}"}]"#,
                "parse_error PARSE_FAILED",
            ),
            (
                "",
                r#""kind":"mcp","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]"#,
                "sealed",
            ),
            (
                r#""text_format":"json""#,
                r#""kind":"mcp","content":[{"type":"text","text":"CANARY"}]"#,
                "parse_error PARSE_FAILED",
            ),
            ("", r#""kind":"mcp","content":[{"type":"image"}]"#, "empty EMPTY_WITHOUT_NOT_FOUND_SENTINEL"),
            ("", r#""kind":"mcp","content":"CANARY""#, "rejected SCHEMA_INVALID"),
            ("", r#""metadata":{"protocol_conflict":"yes"}"#, "unknown PROTOCOL_CONFLICT"),
        ]);
    }
}
