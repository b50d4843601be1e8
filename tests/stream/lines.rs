//! What a line is: its end, its start, its bytes, its length.

use std::io::Write;

use super::program::{
    CONTRACT, Lines, PATIENCE, blocked, end_of, filter, input, line_numbers, most_memory, run, sealed,
};

/// Returns line number, decision and first code of each record.
fn decided(text: impl AsRef<[u8]> + Send) -> Vec<(u64, String, String)> {
    let ran = run(&mut filter(&[]), text);
    assert_eq!(ran.stderr, "");
    let lines = ran.records().into_iter().map(|record| record["line"].as_u64().unwrap());
    lines.zip(ran.decisions()).map(|(line, (decision, code))| (line, decision, code)).collect()
}

fn assert_decided(text: impl AsRef<[u8]>, expected: &[(u64, &str)]) {
    let text = text.as_ref();
    let shown = String::from_utf8_lossy(&text[..text.len().min(200)]).into_owned();
    let got = decided(text);
    let got: Vec<(u64, &str)> = got
        .iter()
        .map(|(line, decision, code)| {
            (*line, if decision == "rejected" { code.as_str() } else { decision.as_str() })
        })
        .collect();
    assert_eq!(got, expected, "{shown:?}");
}

#[test]
fn ends_of_lines() {
    let (a, b) = (sealed(1), blocked(2));
    let both = [(1, "sealed"), (2, "blocked")];
    assert_decided(format!("{a}\n{b}\n"), &both);
    assert_decided(format!("{a}\r\n{b}\r\n"), &both);
    assert_decided(format!("{a}\n{b}"), &both);
    assert_decided(format!("{a}\r\n{b}\r"), &both);
    // A carriage return inside a line is white space of JSON, not an end.
    assert_decided(format!("{{\r{}\n", &a[1..]), &[(1, "sealed")]);
    assert_decided(format!("{a}\r{b}\n"), &[(1, "PARSE_FAILED")]);
    // What other places call a line break is none here.
    for no_break in ["\u{b}", "\u{c}", "\u{85}", "\u{2028}", "\u{2029}", "\u{a0}"] {
        assert_decided(format!("{a}{no_break}\n"), &[(1, "PARSE_FAILED")]);
    }
    assert_decided(input("{\"k\":\"\u{2028}\u{85}\"}"), &[(1, "sealed")]);
}

#[test]
fn blank_lines_are_counted_and_give_nothing() {
    assert_decided("", &[]);
    assert_decided("\n", &[]);
    assert_decided("\n\r\n \t \n\n", &[]);
    let text = format!("\n{}\n\n \t\r\n\u{feff}\n{}\n\n", sealed(1), sealed(2));
    assert_decided(text, &[(2, "sealed"), (6, "sealed")]);
    // A form feed or a NUL is not blank.
    assert_decided("\u{c}\n\0\n\0\0\0", &[(1, "PARSE_FAILED"), (2, "PARSE_FAILED"), (3, "PARSE_FAILED")]);
}

#[test]
fn a_byte_order_mark_is_passed_over_at_the_start_of_any_line_and_only_there() {
    let line = sealed(1);
    assert_decided(format!("\u{feff}{line}\n\u{feff}{line}\r\n"), &[(1, "sealed"), (2, "sealed")]);
    assert_decided(format!("\u{feff}\u{feff}{line}\n"), &[(1, "PARSE_FAILED")]);
    assert_decided(format!(" \u{feff}{line}\n"), &[(1, "PARSE_FAILED")]);
    assert_decided(format!("{line}\u{feff}\n"), &[(1, "PARSE_FAILED")]);
    // UTF-16 is not UTF-8.
    assert_decided(b"\xff\xfe{\0}\0", &[(1, "PARSE_FAILED")]);
}

#[test]
fn bytes_that_are_no_text_reject_their_line_alone() {
    let good = sealed(1);
    let bad: [&[u8]; 12] = [
        b"\xff",
        b"{\"source_ref\":\"s\",\"target_ref\":\"t\",\"body\":\"\xff\"}",
        b"{\"source_ref\":\"s\",\"target_ref\":\"t\",\"body\":\"\xed\xa0\x80\"}",
        b"{\"source_ref\":\"s\",\"target_ref\":\"t\",\"body\":\"\xc0\xaf\"}",
        b"{\"source_ref\":\"s\",\"target_ref\":\"t\",\"x\":\"\xf4\x90\x80\x80\"}",
        b"{\"source_ref\":\"s\",\"target_ref\":\"t\",\"body\":\"\0\"}",
        b"{\"source_ref\":\"s\",\0\"target_ref\":\"t\",\"body\":1}",
        b"{\"source_ref\":\"s\",\"target_ref\":\"t\",\"body\":1}\0",
        b"{\"source_ref\":\"s\",\"target_ref\":\"t\",\"body\":\"\xe2\x82",
        b"{\"source_ref\":\"s\",\"target_ref\":\"t\",\"body\":\"\\ud800\"}",
        b"{\"source_ref\":\"s\",\"target_ref\":\"t\",\"body\":NaN}",
        b"not JSON at all",
    ];
    for line in bad {
        let text = [good.as_bytes(), b"\n", line, b"\n", good.as_bytes(), b"\n"].concat();
        assert_decided(text, &[(1, "sealed"), (2, "PARSE_FAILED"), (3, "sealed")]);
    }
}

#[test]
fn a_line_is_one_object() {
    let (a, b) = (sealed(1), sealed(2));
    for two in [format!("{a}{b}"), format!("{a} {b}"), format!("{a},{b}"), format!("{a}x")] {
        assert_decided(format!("{two}\n{b}\n"), &[(1, "PARSE_FAILED"), (2, "sealed")]);
    }
    for other in ["[]", "null", "1", "\"{}\"", "true", "[{\"source_ref\":\"s\"}]"] {
        assert_decided(format!("{other}\n"), &[(1, "SCHEMA_INVALID")]);
    }
    // An object over two lines is two broken ones.
    assert_decided(format!("{{\n{}\n", &a[1..]), &[(1, "PARSE_FAILED"), (2, "PARSE_FAILED")]);
}

#[test]
fn a_line_is_as_long_as_its_bytes() {
    let of = |bytes: usize| {
        // No string may have more than 16,384 characters, whatever the line may have.
        let strings: Vec<String> = (0..8).map(|_| format!("\"{}\"", "x".repeat(16_000))).collect();
        let line = input(&format!("[{}]", strings.join(",")));
        let padding = " ".repeat(bytes - line.len());
        format!("{padding}{line}")
    };
    assert_decided(of(131_072) + "\n", &[(1, "sealed")]);
    assert_decided(of(131_072) + "\r\n", &[(1, "sealed")]);
    assert_decided(of(131_072), &[(1, "sealed")]);
    assert_decided(of(131_073) + "\n", &[(1, "LIMIT_EXCEEDED")]);
    assert_decided(of(131_073), &[(1, "LIMIT_EXCEEDED")]);
    // The mark counts.
    assert_decided(format!("\u{feff}{}", of(131_069)), &[(1, "sealed")]);
    assert_decided(format!("\u{feff}{}", of(131_070)), &[(1, "LIMIT_EXCEEDED")]);
    for longer in [131_074, 131_080, 262_143, 262_144, 262_145, 400_000, 3_000_000] {
        let text = format!("{}\n{}\n{}", sealed(1), of(longer), sealed(3));
        assert_decided(text, &[(1, "sealed"), (2, "LIMIT_EXCEEDED"), (3, "sealed")]);
    }
    // Blank is blank at any length.
    let text = format!("{}\n{}\n", " ".repeat(1_000_000), sealed(2));
    assert_decided(text, &[(2, "sealed")]);
}

#[test]
fn a_line_without_an_end_costs_no_memory() {
    const MIB: usize = 1 << 20;
    let mut child = filter(&["-j8"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let answers = Lines::of(child.stdout.take().unwrap());
    let piece = vec![b'a'; MIB];
    writeln!(stdin, "{}", sealed(1)).unwrap();
    for _ in 0..2048 {
        stdin.write_all(&piece).unwrap();
    }
    writeln!(stdin, "\n{}", sealed(3)).unwrap();
    let answers: Vec<String> = (0..3).map(|_| answers.next_within(PATIENCE)).collect();
    // Its input is still open, so that it is still there.
    let most = most_memory(&child);
    drop(stdin);
    let ran = end_of(child);
    assert_eq!((ran.code(), ran.stderr.as_str()), (Some(3), ""));
    assert_eq!(line_numbers(&answers.join("\n")), [1, 2, 3]);
    assert!(answers[0].contains(r#""decision":"sealed""#) && answers[2].contains(r#""decision":"sealed""#));
    assert_eq!(
        answers[1],
        r#"{"decision":"rejected","findings":[{"actual":"2147483648 bytes","code":"LIMIT_EXCEEDED","expected":"at most 131072 bytes","rule":"limits"}],"line":2,"reason_codes":["LIMIT_EXCEEDED"]}"#
    );
    assert!(most < 64 * 1024, "{most} KiB");
}

#[test]
fn half_a_line_waits_for_its_end_and_holds_up_nothing_before_it() {
    let mut child = filter(&[]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let answers = Lines::of(child.stdout.take().unwrap());
    let (first, second) = (sealed(1), blocked(2));
    let (start, end) = second.split_at(40);
    write!(stdin, "{first}\n{start}").unwrap();
    assert_eq!(line_numbers(&answers.next_within(PATIENCE)), [1]);
    answers.assert_quiet();
    for byte in end.as_bytes() {
        stdin.write_all(&[*byte]).unwrap();
    }
    answers.assert_quiet();
    stdin.write_all(b"\n").unwrap();
    let answer = answers.next_within(PATIENCE);
    assert_eq!(line_numbers(&answer), [2]);
    assert!(answer.contains(r#""decision":"blocked""#));
    // The last one has no end at all.
    write!(stdin, "{}", sealed(3)).unwrap();
    answers.assert_quiet();
    drop(stdin);
    assert_eq!(line_numbers(&answers.next_within(PATIENCE)), [3]);
    assert_eq!(end_of(child).code(), Some(1));
}

#[test]
fn a_contract_may_have_a_mark_and_carriage_returns_as_well() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("contract.json");
    std::fs::write(&path, format!("\u{feff}{}", CONTRACT.replace('\n', "\r\n"))).unwrap();
    let mut command = super::program::bare();
    command.arg("-c").arg(&path).args(["--now", super::program::NOW]);
    assert_eq!(run(&mut command, sealed(1)).code(), Some(0));
}
