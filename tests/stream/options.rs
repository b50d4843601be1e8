//! What the words on the command line change: records, output, redaction, clock, limits, exit status, summary.

use super::program::{NOW, Ran, blocked, contract, filter, input, line_numbers, records, run, sealed, word};

/// An input from another source; everything in it is its own.
const MISMATCH: &str = r#"{"source_ref":"other","target_ref":"t","tool_name":"search","tool_call_id":"call-1","observation_id":"obs-1","evidence_refs":["e1"],"body":{"n":1}}"#;

fn one(arguments: &[&str], text: &str) -> String {
    let ran = run(&mut filter(arguments), text);
    assert_eq!(ran.stderr, "", "{arguments:?}");
    ran.stdout
}

#[test]
fn records_core_and_full() {
    let core = r#"{"claim_type":"found","decision":"blocked","deterministic_fingerprint":"sha256:059c4668ab2e85a7e655d765a18df4363bf8da48f553ef952b28a541c5a04954","evidence_refs":["e1"],"observation_id":"obs-1","reason_codes":["SOURCE_MISMATCH"],"resultseal_version":"0.2.0","source_ref":"other","tool_call_id":"call-1","truth_state":"source_mismatch"}"#;
    assert_eq!(one(&["--record", "core"], MISMATCH), format!("{core}\n"));
    let full = r#"{"claim_type":"found","content_hash":"sha256:2bfd14f43d17fc7cea24e0917a8879b4b2f880b8baeec1b9d90fbaad655e71bd","contract":"default","decision":"blocked","deterministic_fingerprint":"sha256:059c4668ab2e85a7e655d765a18df4363bf8da48f553ef952b28a541c5a04954","evidence_refs":["e1"],"findings":[{"actual":"other","code":"SOURCE_MISMATCH","expected":"s","path":"source_ref","rule":"reference"}],"line":1,"observation_id":"obs-1","reason_codes":["SOURCE_MISMATCH"],"resultseal_version":"0.2.0","source_ref":"other","target_ref":"t","tool_call_id":"call-1","tool_name":"search","truth_state":"source_mismatch"}"#;
    assert_eq!(one(&["--record", "full"], MISMATCH), format!("{full}\n"));
    assert_eq!(one(&[], MISMATCH), format!("{full}\n"));
    let rejected = r#"{"tool_name":"search","source_ref":7}"#;
    assert_eq!(
        one(&["--record", "core"], rejected),
        "{\"decision\":\"rejected\",\"line\":1,\"reason_codes\":[\"SCHEMA_INVALID\"]}\n"
    );
    assert_eq!(
        one(&[], rejected),
        "{\"decision\":\"rejected\",\"findings\":[{\"actual\":\"integer\",\"code\":\"SCHEMA_INVALID\",\"expected\":\"a string of 1 to 1024 characters\",\"path\":\"source_ref\",\"rule\":\"input\"}],\"line\":1,\"reason_codes\":[\"SCHEMA_INVALID\"],\"tool_name\":\"search\"}\n"
    );
}

/// Sealed, blocked, rejected and blank lines, with ends of every sort.
fn mixed() -> (String, [String; 6]) {
    let lines = [
        format!("  {}\t", input(r#"{"b":1.50,"a":"\u00e9"}"#)),
        format!("{}\r", blocked(2)),
        "{broken\r".to_owned(),
        format!("{}\r", input(r#""[1, 2]""#)),
        String::new(),
        format!("\u{feff}{}", sealed(6)),
    ];
    (lines.join("\n"), lines)
}

#[test]
fn input_lines_come_out_byte_for_byte() {
    let (text, lines) = mixed();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("blocked");
    let name = path.to_str().unwrap();
    let [first, second, third, fourth, _, last] = &lines;
    let sealed = format!("{first}\n{fourth}\n{last}\n");
    let all = format!("{first}\n{second}\n{third}\n{fourth}\n{last}\n");

    // Without a sink for the others they go nowhere: what is on standard output is sealed.
    assert_eq!(one(&["--emit", "input"], &text), sealed);
    assert_eq!(one(&["--emit", "input", "--blocked", name], &text), sealed);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{second}\n{third}\n"));
    assert_eq!(one(&["--emit", "input", "--blocked", name, "--tee"], &text), all);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{second}\n{third}\n"));
    assert_eq!(one(&["--emit", "input", "--blocked-fd", "1"], &text), all);
    // Whatever a record would say, a line is a line.
    assert_eq!(one(&["--emit", "input", "--record", "core", "--redact", "source_ref"], &text), sealed);
    // A line that was too long to be held has no bytes: its record says so.
    let long = format!("{}\n{}", "x".repeat(300_000), super::program::sealed(2));
    assert_eq!(one(&["--emit", "input", "--blocked", name], &long), super::program::sealed(2) + "\n");
    let written = records(&std::fs::read_to_string(&path).unwrap());
    assert_eq!(word(&written[0]["reason_codes"][0]), "LIMIT_EXCEEDED");
    // What was filtered once passes through unchanged.
    assert_eq!(one(&["--emit", "input"], &sealed), sealed);
    let binary = [input("1").as_bytes(), b"\n\xff\xfe\n"].concat();
    let ran = run(&mut filter(&["--emit", "input", "--blocked", name]), binary);
    assert_eq!(ran.code(), Some(2));
    assert_eq!(std::fs::read(&path).unwrap(), b"\xff\xfe\n");
}

#[test]
fn payloads_come_out_as_json() {
    let (text, _) = mixed();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("blocked");
    let name = path.to_str().unwrap();
    let payloads = "{\"a\":\"é\",\"b\":1.5}\n[1,2]\n{\"n\":6}\n";
    assert_eq!(one(&["--emit", "payload"], &text), payloads);
    assert_eq!(one(&["--emit", "payload", "--blocked", name], &text), payloads);
    let written = std::fs::read_to_string(&path).unwrap();
    assert_eq!(line_numbers(&written), [2, 3]);
    let both = one(&["--emit", "payload", "--blocked", name, "--tee"], &text);
    assert_eq!(both.lines().count(), 5);
    // One line for each payload, whatever is in it; digits are kept.
    for (body, expected) in [
        (r#""text\nover\nlines""#, None),
        (r#"{"text":"over\nlines\u2028"}"#, Some("{\"text\":\"over\\nlines\u{2028}\"}")),
        ("123456789012345678901234567890", Some("123456789012345678901234567890")),
        (r#""[123456789012345678901234567890, 1e400]""#, Some("[123456789012345678901234567890,1e400]")),
        ("false", Some("false")),
        ("0", Some("0")),
    ] {
        let ran = run(&mut filter(&["--emit", "payload"]), input(body));
        assert_eq!(ran.stdout, expected.map(|line| format!("{line}\n")).unwrap_or_default(), "{body}");
    }
}

#[test]
fn a_yaml_payload_that_json_cannot_say_is_rejected_there() {
    let line = r#"{"kind":"yaml","source_ref":"s","target_ref":"t","value":"1: a\n"}"#;
    assert!(one(&[], line).contains(r#""decision":"sealed""#));
    let ran = run(&mut filter(&["--emit", "payload"]), line);
    assert_eq!((ran.code(), ran.stdout.as_str()), (Some(2), ""));
}

#[test]
fn what_is_redacted_is_nowhere_in_the_record() {
    // The fingerprints are those of the redacted core.
    for (arguments, fingerprint) in [
        (&["source_ref"][..], "a6912e9b37bc069b6f48c7fbc53784cc47e09aa3e184618a47d6a1582bcd76ed"),
        (&["evidence_refs"], "7a78b0c9aa10d2d32b99072b821072598173d4c8880a250b8bb92437d14f905f"),
        (&["claim_type"], "ad3b60d5d280fb651f0d95a1ddf7cb0dd7f5adfa7738a360fdc1b44513b967b1"),
        (&["decision"], "ff91f0f3d805c402c75f963d0910a7c43bcd4913ee957e6d4fa0f95242dd8beb"),
        (
            &["evidence_refs", "source_ref"],
            "98559ec5d4124abf1ebcd7ab2e3584bb1d3bd2b11c0d5b86172342a474adb6c3",
        ),
        (&["tool_name"], "059c4668ab2e85a7e655d765a18df4363bf8da48f553ef952b28a541c5a04954"),
    ] {
        let flags: Vec<&str> = arguments.iter().flat_map(|member| ["--redact", member]).collect();
        for form in ["core", "full"] {
            let record = one(&[&["--record", form], flags.as_slice()].concat(), MISMATCH);
            assert!(record.contains(fingerprint), "{arguments:?}: {record}");
        }
    }
    let canary = "canary-5d1";
    let with = |member: &str, value: &str| {
        MISMATCH.replace(r#""source_ref":"other","#, &format!(r#""source_ref":"other","{member}":{value},"#))
    };
    for (member, text) in [
        ("source_ref", MISMATCH.replace("other", canary)),
        ("target_ref", MISMATCH.replace(r#""t""#, &format!("\"{canary}\""))),
        ("tool_name", MISMATCH.replace("search", canary)),
        ("tool_call_id", MISMATCH.replace("call-1", canary)),
        ("observation_id", MISMATCH.replace("obs-1", canary)),
        ("evidence_refs", MISMATCH.replace("e1", canary)),
        // Rejected: what is known of it is hidden as well.
        ("tool_name", with("source_version", "7").replace("search", canary)),
        ("tool_name", with("status_code", "\"x\"").replace("search", canary)),
    ] {
        let shown = one(&[], &text);
        assert!(shown.contains(canary), "{member}: {shown}");
        let hidden = one(&["--redact", member], &text);
        assert!(!hidden.contains(canary), "{member}: {hidden}");
        assert!(hidden.contains(&format!(r#""{member}":"[REDACTED]""#)), "{member}: {hidden}");
    }
}

#[test]
fn every_member_can_be_redacted_in_every_record() {
    let directory = tempfile::tempdir().unwrap();
    let mut paths = Vec::new();
    for name in ["a", "b"] {
        let path = directory.path().join(name);
        std::fs::write(&path, format!("{MISMATCH}\n{}\n{{\"tool_name\":\"x\"}}\n", sealed(2))).unwrap();
        paths.push(path.to_str().unwrap().to_owned());
    }
    let files: Vec<&str> = paths.iter().map(String::as_str).collect();
    for (member, _) in sealpipe::decision::Member::ALL {
        let plain = run(&mut filter(&files), "").records();
        let arguments = [&["--redact", member], files.as_slice()].concat();
        let redacted = run(&mut filter(&arguments), "").records();
        for (plain, redacted) in plain.iter().zip(&redacted) {
            let members = plain.as_object().unwrap();
            assert_eq!(redacted.as_object().unwrap().len(), members.len());
            for (name, value) in members {
                match name.as_str() {
                    name if name == *member => assert_eq!(redacted[name], "[REDACTED]", "{member}"),
                    "findings" | "deterministic_fingerprint" => {}
                    name => assert_eq!(&redacted[name], value, "{member}"),
                }
            }
        }
    }
}

#[test]
fn a_name_that_is_no_member_is_refused() {
    for name in
        ["source", "SOURCE_REF", "", "body", "payload", "deterministic_fingerprint", "source_ref,line"]
    {
        let ran = run(&mut filter(&["--redact", name]), sealed(1));
        assert_eq!((ran.code(), ran.stdout.as_str()), (Some(2), ""), "{name}");
        assert!(ran.stderr.starts_with("sealpipe: INVALID_ARGUMENT: --redact: "), "{}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1);
    }
}

/// Runs with a contract that allows an age of 60 seconds.
fn aged(arguments: &[&str], text: &str) -> Ran {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("contract.yaml");
    let contract = "schema_version: '1'\nclaim_type: found\nrequired_fields: []\nsource_ref: s\ntarget_ref: t\n\
                    freshness: {mode: max_age_seconds, max_age_seconds: 60}\n";
    std::fs::write(&path, contract).unwrap();
    run(super::program::bare().arg("-c").arg(&path).args(arguments), text)
}

fn observed(at: &str) -> String {
    input("1").replace("\"source_ref\"", &format!("\"observed_at\":\"{at}\",\"source_ref\""))
}

#[test]
fn the_clock_is_pinned_with_an_offset_or_in_utc() {
    let line = observed("2026-11-02T12:00:00Z");
    for (now, decision) in [
        ("2026-11-02T12:00:00Z", "sealed"),
        ("2026-11-02T12:01:00Z", "sealed"),
        ("2026-11-02T12:01:00.000001Z", "blocked"),
        ("2026-11-02T11:59:59.999999Z", "blocked"),
        ("2026-11-02T14:00:30+02:00", "sealed"),
        ("2026-11-02T12:00:30+02:00", "blocked"),
        // Without an offset it is UTC.
        ("2026-11-02T12:00:30", "sealed"),
        ("20261102T120030", "sealed"),
        ("2026-11-02 12:00", "sealed"),
        ("2026-11-02", "blocked"),
    ] {
        let ran = aged(&["--now", now], &line);
        assert_eq!(ran.decisions()[0].0, decision, "{now}");
    }
    for now in ["", "now", "z", "2026-11-02T12:00:00z", "2026-13-01", "1762084800", "2026-11-02T25:00:00Z"] {
        let ran = aged(&[&format!("--now={now}")], &line);
        assert_eq!((ran.code(), ran.stdout.as_str()), (Some(2), ""), "{now}");
        let told = "sealpipe: INVALID_ARGUMENT: --now: not an ISO 8601 timestamp";
        assert!(ran.stderr.starts_with(told), "{}", ran.stderr);
    }
    // Without the flag it is the machine's: this was long ago, and that is far off.
    for at in ["2001-01-01T00:00:00Z", "9000-01-01T00:00:00Z"] {
        assert_eq!(aged(&[], &observed(at)).decisions()[0].1, "STALE_OBSERVATION");
    }
    assert_eq!(aged(&[], &input("1")).decisions()[0].0, "sealed", "observed now");
}

#[test]
fn each_record_may_have_a_clock_of_its_own() {
    let with =
        |clock: &str| format!("{}{clock}}}", observed("2026-11-02T12:00:00Z").strip_suffix('}').unwrap());
    for (pointer, clock, expected) in [
        ("/logged", r#","logged":"2026-11-02T12:00:10Z""#, "sealed"),
        ("/logged", r#","logged":"2026-11-02T12:02:00Z""#, "STALE_OBSERVATION"),
        ("/observed_at", "", "sealed"),
        ("/a~1b/1/~0", r#","a/b":[0,{"~":"2026-11-02T12:00:10Z"}]"#, "sealed"),
        ("/logged", r#","logged":"2026-11-02T12:00:10""#, "SCHEMA_INVALID"),
        ("/logged", r#","logged":1762084800"#, "SCHEMA_INVALID"),
        ("/logged", r#","logged":null"#, "SCHEMA_INVALID"),
        ("/logged", r#","logged":"yesterday""#, "SCHEMA_INVALID"),
        ("/logged", "", "SCHEMA_INVALID"),
        ("", "", "SCHEMA_INVALID"),
        ("/logged/0", r#","logged":"2026-11-02T12:00:10Z""#, "SCHEMA_INVALID"),
    ] {
        let ran = aged(&["--now-from", pointer], &with(clock));
        let (decision, code) = &ran.decisions()[0];
        let got = if decision == "sealed" { decision } else { code };
        assert_eq!(got, expected, "{pointer} {clock}");
        assert_eq!(decision == "rejected", expected == "SCHEMA_INVALID", "{pointer} {clock}");
    }
    for pointer in ["logged", "/a~2", "~", "/~"] {
        let ran = aged(&["--now-from", pointer], &with(""));
        assert_eq!((ran.code(), ran.stdout.as_str()), (Some(2), ""), "{pointer}");
        assert!(ran.stderr.starts_with("sealpipe: INVALID_ARGUMENT: --now-from: "), "{}", ran.stderr);
    }
    let both = aged(&["--now", NOW, "--now-from", "/observed_at"], "");
    assert_eq!(both.code(), Some(2));
}

#[test]
fn the_exit_status_is_the_worst_of_the_run() {
    let malformed = "{".to_owned();
    let too_long = input(&format!("\"{}\"", "x".repeat(20_000)));
    let of = [sealed(1), blocked(1), malformed, too_long];
    for worst in 0..4_usize {
        let mut lines: Vec<&str> = of[..=worst].iter().map(String::as_str).collect();
        for _ in 0..=worst {
            lines.rotate_left(1);
            let text = lines.join("\n");
            let expected = i32::try_from(worst).unwrap();
            assert_eq!(run(&mut filter(&[]), &text).code(), Some(expected), "{text:.200}");
            assert_eq!(run(&mut filter(&["--exit-zero"]), &text).code(), Some(0));
        }
    }
    for text in ["", "\n", "\n\r\n  \n"] {
        let ran = run(&mut filter(&[]), text);
        assert_eq!((ran.code(), ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", ""));
    }
    // What ends a run before its first line is no outcome of it.
    assert_eq!(run(&mut filter(&["--exit-zero", "--now", "x"]), "").code(), Some(2));
    assert_eq!(run(&mut filter(&["--exit-zero", "/no/such/file"]), "").code(), Some(4));
}

#[test]
fn each_limit_can_be_lowered_and_raised() {
    let deep = |levels: usize| input(&format!("{}{}", "[".repeat(levels - 1), "]".repeat(levels - 1)));
    // The object is one node, and so are its three keys and two references; the array is the seventh.
    let many = |nodes: usize| input(&format!("[{}]", vec!["0"; nodes - 7].join(",")));
    let long = |characters: usize| input(&format!("{{\"k\":\"{}\"}}", "é".repeat(characters)));
    let bytes = |bytes: usize| {
        let line = input("1");
        format!("{}{line}", " ".repeat(bytes - line.len()))
    };
    type Line<'f> = &'f dyn Fn(usize) -> String;
    let limits: [(&str, Line<'_>, usize); 4] = [
        ("--max-bytes", &bytes, 131_072),
        ("--max-depth", &deep, 32),
        ("--max-nodes", &many, 4096),
        ("--max-string", &long, 16_384),
    ];
    for (flag, line, default) in limits {
        for (arguments, limit) in [
            (vec![], default),
            (vec![format!("{flag}={}", default - 1)], default - 1),
            (vec![format!("{flag}={}", default + 7)], default + 7),
            (vec![format!("{flag}={}", default * 3)], default * 3),
        ] {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let ran = run(&mut filter(&arguments), format!("{}\n{}\n", line(limit), line(limit + 1)));
            let records = ran.records();
            assert_ne!(records[0]["decision"], "rejected", "{flag} {limit}: {}", records[0]["findings"]);
            assert_eq!(records[1]["reason_codes"][0], "LIMIT_EXCEEDED", "{flag} {limit}");
            let expected = records[1]["findings"][0]["expected"].as_str().unwrap();
            assert!(expected.contains(&limit.to_string()), "{flag} {limit}: {expected}");
            assert_eq!(ran.code(), Some(3));
        }
    }
    let ran = run(&mut filter(&["--max-bytes", "1K"]), format!("{}\n{}", bytes(1024), bytes(1025)));
    assert_eq!(
        ran.decisions().iter().map(|(decision, _)| decision.as_str()).collect::<Vec<_>>(),
        ["sealed", "rejected"]
    );
    let ran = run(&mut filter(&["--max-bytes", "4M", "--max-string", "4M"]), long(2_000_000));
    assert_eq!(ran.code(), Some(0));
    for (flag, values) in [
        ("--max-bytes", ["0", "2G", "x", "-1", "1.5K"]),
        ("--max-depth", ["0", "501", "x", "-1", "1K"]),
        ("--max-nodes", ["", "99999999999999999999999", "x", "-1", "1KK"]),
        ("--max-string", ["", "99999999999999999999999", "x", "-1", "K"]),
    ] {
        for value in values {
            let ran = run(&mut filter(&[&format!("{flag}={value}")]), "");
            assert_eq!(ran.code(), Some(2), "{flag}={value}");
            assert!(ran.stderr.contains(flag), "{}", ran.stderr);
            assert_eq!(ran.stderr.lines().count(), 1);
        }
    }
}

#[test]
fn a_summary_is_on_standard_error_and_counts_everything() {
    let text = format!("{}\n{}\n\n{}\n{{\n", sealed(1), MISMATCH, MISMATCH);
    let ran = run(&mut filter(&["--summary"]), &text);
    assert_eq!(ran.records().len(), 4);
    let rows: Vec<Vec<&str>> = ran.stderr.lines().map(|row| row.split_whitespace().collect()).collect();
    let has = |row: &[&str]| rows.iter().any(|found| found.starts_with(row));
    for row in [
        &["4", "records"][..],
        &["1", "sealed", "25.0", "%"],
        &["2", "blocked", "50.0", "%"],
        &["1", "rejected", "25.0", "%"],
        &["2", "SOURCE_MISMATCH"],
        &["1", "PARSE_FAILED"],
        &["0", "2", "0", "search"],
        &["1", "0", "0", "unspecified-tool"],
    ] {
        assert!(has(row), "{row:?}\n{}", ran.stderr);
    }
    assert!(ran.stderr.contains("records/s") && ran.stderr.contains("MB/s"), "{}", ran.stderr);
    assert!(!ran.stderr.contains('\u{1b}'), "no colour where nobody looks");
    // Nothing at all is counted as well.
    let ran = run(&mut filter(&["--summary"]), "");
    assert_eq!((ran.code(), ran.stdout.as_str()), (Some(0), ""));
    assert!(ran.stderr.contains("0 records"), "{}", ran.stderr);
}

#[test]
fn threads_are_a_number_from_one() {
    for threads in ["0", "-1", "x", ""] {
        let ran = run(&mut filter(&[&format!("-j{threads}")]), sealed(1));
        assert_eq!((ran.code(), ran.stdout.as_str()), (Some(2), ""), "{threads}");
    }
    assert_eq!(run(&mut filter(&["-j", "64"]), sealed(1)).code(), Some(0));
    assert_eq!(run(&mut filter(&["--threads", "3"]), sealed(1)).code(), Some(0));
}

#[test]
fn several_bundles_are_one() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("b.yaml");
    let of = |tool: &str| {
        format!(
            "bundle_version: 1\ncontracts:\n  {tool}: {}\n",
            super::program::CONTRACT.replace("\"s\"", "\"special\"")
        )
    };
    std::fs::write(&path, of("special")).unwrap();
    let line = MISMATCH.replace("other", "special");
    let with = format!("{}\n{}\n", line.replace("search", "special"), line);
    let ran = run(filter(&[]).arg("-c").arg(&path), with);
    assert_eq!(ran.records()[0]["contract"], "special");
    assert_eq!(ran.records()[1]["contract"], "default");
    // What two files both say is an error with its place.
    let ran = run(filter(&[]).arg("-c").arg(&path).arg("-c").arg(&path), "");
    assert_eq!(ran.code(), Some(2));
    let expected = format!(
        "sealpipe: CONTRACT_INVALID: is in an earlier file already (`{}`, contracts.special)\n",
        path.display()
    );
    assert_eq!(ran.stderr, expected);
    let ran = run(filter(&[]).arg("-c").arg(contract()), "");
    assert!(ran.stderr.contains(", default)"), "{}", ran.stderr);
}
