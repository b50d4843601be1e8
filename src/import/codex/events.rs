//! Events of an extended rollout, which hold what the item loses: exit codes, separate streams, `isError`. They come
//! before the item of the same call, or without one.

use super::super::Cx;
use super::super::event::{Class, Form, Outcome, Signal};
use super::{EVENT, Line, PATCH_EVENT, SCOPE, shell};
use crate::input::Kind;
use crate::value::{Integer, Kind as ValueKind, Object, Value};

pub(super) fn read(line: &Line<'_>, cx: &mut Cx<'_>) {
    match line.text("type") {
        Some("exec_command_end") => command(line, cx),
        Some("mcp_tool_call_end") => mcp(line, cx),
        Some("patch_apply_end") => patch(line, cx),
        _ => cx.skipped(),
    }
}

fn outcome(line: &Line<'_>, rank: u8, cx: &mut Cx<'_>) -> Outcome {
    cx.metadata.str("persistence", "extended").scalar("turn_id", line.payload.get("turn_id"));
    cx.metadata.scalar("status", line.payload.get("status"));
    duration(line.payload, cx);
    Outcome {
        id: cx.opt_string(line.payload.get("call_id")),
        own_call: true,
        record: line.record(cx),
        observed_at: cx.time(line.timestamp()),
        observation: line.locator(cx),
        metadata: cx.take_metadata(),
        rank,
        settles: false,
        ..Outcome::default()
    }
}

/// Notes the duration, which is recorded as whole seconds and nanoseconds.
fn duration(payload: Object<'_>, cx: &mut Cx<'_>) {
    let Some(duration) = payload.get("duration").and_then(Value::as_object) else { return };
    let part = |key| match duration.get(key)?.kind() {
        ValueKind::Integer(Integer::Signed(number)) if number >= 0 => Some(number),
        _ => None,
    };
    if let (Some(seconds), Some(nanos @ 0..1_000_000_000)) = (part("secs"), part("nanos")) {
        let text = format!("{seconds}.{nanos:09}");
        let text = text.trim_end_matches('0').trim_end_matches('.');
        cx.metadata.raw("duration_seconds", |out| out.extend_from_slice(text.as_bytes()));
    }
}

fn command(line: &Line<'_>, cx: &mut Cx<'_>) {
    let payload = line.payload;
    let mut outcome = outcome(line, EVENT, cx);
    outcome.arguments = match payload.get("command") {
        Some(command) => cx.object(&[("command", Some(command))]),
        None => super::Span::default(),
    };
    let text = |key| line.text(key).unwrap_or_default();
    let code = payload.get("exit_code").filter(|code| matches!(code.kind(), ValueKind::Integer(_)));
    let Some(code) = code else {
        let form = cx.texts.body(text("aggregated_output"), cx.members);
        outcome.readings.push(cx.reading(Class::ANY, Kind::Json, form, Signal::NoneRecorded));
        return cx.result(SCOPE, outcome);
    };
    cx.members.value("exit_code", code);
    let merged =
        text("stdout").is_empty() && text("stderr").is_empty() && !text("aggregated_output").is_empty();
    let form: Form =
        cx.texts.stdout(if merged { text("aggregated_output") } else { text("stdout") }, cx.members);
    if merged {
        cx.notes.bool("streams_merged", true);
    } else {
        cx.members.str("stderr", text("stderr"));
    }
    let mut reading = cx.reading(Class::ANY, Kind::Stdio, form, Signal::ExitCode);
    reading.failed = !matches!(code.kind(), ValueKind::Integer(Integer::Signed(0)));
    reading.truncated = ["stdout", "aggregated_output"].into_iter().any(|key| shell::is_truncated(text(key)));
    outcome.readings.push(reading);
    cx.result(SCOPE, outcome);
}

fn mcp(line: &Line<'_>, cx: &mut Cx<'_>) {
    let mut outcome = outcome(line, EVENT, cx);
    let invocation = line.payload.get("invocation").and_then(Value::as_object);
    let of = |key| invocation.and_then(|invocation| invocation.get(key));
    let server = of("server").and_then(Value::as_str).unwrap_or_default();
    let tool = of("tool").and_then(Value::as_str).unwrap_or_default();
    outcome.name = cx.joined(&["mcp__", server, "__", tool]);
    outcome.arguments = cx.arguments(of("arguments"));
    let result = line.payload.get("result").and_then(Value::as_object);
    let mut reading = match result.and_then(|result| result.get("Ok")).and_then(Value::as_object) {
        Some(result) => {
            let form =
                cx.texts.mcp(result.get("content"), result.get("structuredContent"), cx.members, cx.notes);
            let flag = result.get("isError").filter(|flag| !flag.is_null());
            if let Some(flag) = flag {
                cx.members.value("isError", flag);
            }
            let mut reading = cx.reading(Class::ANY, Kind::Mcp, form, Signal::Flag);
            reading.failed = flag.is_some_and(|flag| flag.as_bool() != Some(false));
            reading
        }
        // The call did not get as far as a result, for which the kind has no member.
        None => {
            let error = result.and_then(|result| result.get("Err")).and_then(Value::as_str);
            cx.notes.opt_str("error", error.map(super::super::payload::first_line));
            let mut reading = cx.reading(Class::ANY, Kind::Mcp, Form::Absent, Signal::Protocol);
            (reading.failed, reading.conflict) = (true, true);
            reading
        }
    };
    reading.source_ref = cx.joined(&["mcp:", server]);
    outcome.readings.push(reading);
    cx.result(SCOPE, outcome);
}

fn patch(line: &Line<'_>, cx: &mut Cx<'_>) {
    let mut outcome = outcome(line, PATCH_EVENT, cx);
    outcome.name = cx.string("apply_patch");
    let payload = line.payload;
    cx.members.raw("body", |out| {
        out.push(b'{');
        let mut first = true;
        for (name, value) in payload.members() {
            if ["success", "stdout", "stderr", "changes"].contains(&name) {
                if !std::mem::take(&mut first) {
                    out.push(b',');
                }
                crate::canon::write_string(name, out);
                out.push(b':');
                super::super::fields::write_value(value, out);
            }
        }
        out.push(b'}');
    });
    let success = payload.get("success").and_then(Value::as_bool);
    let signal = if success.is_some() { Signal::Flag } else { Signal::NoneRecorded };
    let mut reading = cx.reading(Class::ANY, Kind::Json, Form::Structured, signal);
    reading.failed = success == Some(false);
    outcome.readings.push(reading);
    cx.result(SCOPE, outcome);
}
