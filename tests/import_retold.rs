//! Calls that a trace tells many times give one input each: spans of several processes in any order, histories of
//! model calls, runs and observations that are exported twice, tasks of the Model Context Protocol.

#![expect(clippy::unwrap_used, reason = "these are tests, and their helpers")]

use proptest::prelude::*;
use sealpipe::import::{Bounds, Counts, Events, Format, Importer, Inputs, Pairing, Scratch};
use serde_json::{Value, json};

/// Imports records, one a line.
fn import(format: Format, records: &[Value]) -> (Vec<Value>, Counts) {
    import_lines(format, &records.iter().map(Value::to_string).collect::<Vec<_>>())
}

fn import_lines(format: Format, lines: &[String]) -> (Vec<Value>, Counts) {
    let importer = Importer::new(format);
    let mut pairing = Pairing::new(format, Bounds::default());
    let (mut scratch, mut events, mut inputs) = (Scratch::default(), Events::default(), Inputs::default());
    pairing.start_file(Some("t"));
    for (index, line) in lines.iter().enumerate() {
        events.clear();
        importer.read(line.as_bytes(), index as u64 + 1, &mut scratch, &mut events);
        pairing.feed(&events, &mut inputs);
    }
    pairing.end_file(&mut inputs);
    pairing.finish(&mut inputs);
    (inputs.iter().map(|(_, line)| serde_json::from_slice(line).unwrap()).collect(), pairing.counts())
}

/// A batch of one span in trace `t`.
fn span(id: &str, parent: &str, name: &str, kind: u8, attributes: &Value) -> Value {
    let attributes: Vec<Value> = (attributes.as_object().unwrap().iter())
        .map(|(key, value)| {
            let text = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
            json!({"key": key, "value": {"stringValue": text}})
        })
        .collect();
    json!({"resourceSpans": [{"scopeSpans": [{"spans": [{
        "traceId": "0af7651916cd43dd8448eb211c80319c", "spanId": id, "parentSpanId": parent, "name": name,
        "kind": kind, "endTimeUnixNano": "1765964260552000000", "attributes": attributes, "status": {},
    }]}]}]})
}

fn agent(id: &str, parent: &str, call: &str, result: Option<&str>) -> Value {
    let mut attributes = json!({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "find"});
    if !call.is_empty() {
        attributes["gen_ai.tool.call.id"] = json!(call);
    }
    if let Some(result) = result {
        attributes["gen_ai.tool.call.result"] = json!(result);
    }
    span(id, parent, "execute_tool find", 1, &attributes)
}

fn mcp(id: &str, parent: &str, kind: u8, result: Option<&str>) -> Value {
    let mut attributes = json!({"mcp.method.name": "tools/call", "gen_ai.tool.name": "find"});
    if let Some(result) = result {
        attributes["gen_ai.tool.call.result"] = json!(result);
    }
    span(id, parent, "tools/call find", kind, &attributes)
}

/// A model call with messages: `(true, id)` is a call of `find`, `(false, id)` a result.
fn chat(id: &str, input: &[(bool, &str)], output: &[(bool, &str)]) -> Value {
    let messages = |parts: &[(bool, &str)]| {
        let part = |(at, (call, id)): (usize, &(bool, &str))| {
            let part = if *call {
                json!({"type": "tool_call", "id": id, "name": "find", "arguments": {"n": at}})
            } else {
                json!({"type": "tool_call_response", "id": id, "response": format!("told {at}")})
            };
            json!({"role": "x", "parts": [part]})
        };
        Value::Array(parts.iter().enumerate().map(part).collect())
    };
    let attributes = json!({
        "gen_ai.operation.name": "chat", "gen_ai.input.messages": messages(input),
        "gen_ai.output.messages": messages(output),
    });
    span(id, "root", "chat", 3, &attributes)
}

fn text<'v>(input: &'v Value, pointer: &str) -> &'v str {
    input.pointer(pointer).and_then(Value::as_str).unwrap_or("-")
}

#[test]
fn three_spans_of_one_call_are_one_input_in_any_order() {
    let whole = r#"{"content":[{"type":"text","text":"x"}],"isError":false}"#;
    let spans =
        [mcp("c3", "b2", 2, Some(whole)), mcp("b2", "a1", 3, Some(whole)), agent("a1", "r", "k", Some("[]"))];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let (inputs, counts) = import(Format::Otel, &order.map(|at| spans[at].clone()));
        assert_eq!(inputs.len(), 1, "{order:?}");
        assert_eq!((counts.calls, counts.results, counts.duplicates), (1, 1, 2), "{order:?}");
        assert_eq!(inputs[0]["tool_call_id"], "k");
        // The agent's span settles the call: what comes after it is not waited for.
        let client_first = order.iter().position(|at| *at == 1) < order.iter().position(|at| *at == 2);
        assert_eq!(inputs[0]["kind"], if client_first { "mcp" } else { "json" }, "{order:?}");
    }
}

#[test]
fn spans_of_other_calls_stay_apart() {
    // Two calls with one id, as where the tool's name is the id; two attempts within one call.
    let (inputs, _) = import(
        Format::Otel,
        &[
            agent("a1", "r", "find", Some("1")),
            agent("a2", "r", "find", Some("1")),
            agent("a3", "r", "find", None),
        ],
    );
    assert_eq!(inputs.len(), 3, "siblings with one id are calls of their own, whatever they return");
    let (inputs, counts) =
        import(Format::Otel, &[agent("a1", "a2", "k", Some("1")), agent("a2", "r", "k", Some("2"))]);
    assert_eq!((inputs.len(), counts.duplicates), (1, 1), "two instruments of one call nest");
    let (inputs, _) = import(
        Format::Otel,
        &[mcp("b1", "a1", 3, None), mcp("b2", "a1", 3, None), agent("a1", "r", "", Some("1"))],
    );
    assert_eq!(inputs.len(), 1, "two attempts on the wire are one call of the agent");
    let again = agent("a1", "r", "k", Some("1"));
    let (inputs, counts) = import(Format::Otel, &[again.clone(), again]);
    assert_eq!((inputs.len(), counts.duplicates), (1, 1), "a batch that was sent twice");
}

#[test]
fn histories_are_read_once_and_only_where_nothing_better_tells() {
    // Announced, run, told again by two model calls.
    let history = [(true, "k"), (false, "k")];
    let (inputs, counts) = import(
        Format::Otel,
        &[
            chat("m1", &[], &[(true, "k")]),
            agent("a1", "r", "k", Some("span")),
            chat("m2", &history, &[]),
            chat("m3", &history, &[]),
        ],
    );
    assert_eq!((inputs.len(), counts.calls, counts.duplicates), (1, 1, 4));
    assert_eq!((text(&inputs[0], "/metadata/pairing"), text(&inputs[0], "/body")), ("id", "\"span\""));
    // The span comes after the history.
    let (inputs, _) = import(Format::Otel, &[chat("m2", &history, &[]), agent("a1", "r", "k", Some("span"))]);
    assert_eq!((inputs.len(), text(&inputs[0], "/body")), (1, "\"span\""));
    // The span has no content, the message has.
    let (inputs, _) = import(Format::Otel, &[agent("a1", "r", "k", None), chat("m2", &history, &[])]);
    assert_eq!((inputs.len(), text(&inputs[0], "/body")), (1, "\"told 1\""));
    // Nothing but messages, with an id that is used twice.
    let twice = [(true, "k"), (false, "k"), (true, "k"), (false, "k")];
    let (inputs, counts) =
        import(Format::Otel, &[chat("m2", &twice[..2], &[(true, "k")]), chat("m3", &twice, &[])]);
    let bodies: Vec<&str> = inputs.iter().map(|input| text(input, "/body")).collect();
    assert_eq!((bodies, counts.unanswered), (vec!["\"told 1\"", "\"told 3\""], 0));
    assert_eq!(
        (inputs[0]["arguments"]["n"].as_u64(), inputs[1]["arguments"]["n"].as_u64()),
        (Some(0), Some(0))
    );
}

#[test]
fn spans_without_id_answer_by_name_and_never_claim_an_id() {
    let tool = |id: &str, result: &str| agent(id, "r", "", Some(result));
    let (inputs, counts) = import(Format::Otel, &[chat("m1", &[], &[(true, "k")]), tool("a1", "x")]);
    assert_eq!((inputs.len(), counts.unanswered), (1, 0));
    assert_eq!(text(&inputs[0], "/metadata/pairing"), "positional", "the only open call of that tool");
    let (inputs, counts) = import(
        Format::Otel,
        &[chat("m1", &[], &[(true, "k"), (true, "l")]), tool("a1", "x"), tool("a2", "y")],
    );
    assert_eq!((inputs.len(), counts.unanswered), (2, 0));
    assert_eq!(text(&inputs[0], "/tool_call_id"), "-", "which of two it answers is not recorded");
    let history = [(true, "k"), (true, "l"), (false, "k"), (false, "l")];
    let (inputs, counts) = import(
        Format::Otel,
        &[tool("a1", "x"), tool("a2", "y"), chat("m2", &history, &[]), chat("m3", &history, &[])],
    );
    assert_eq!((inputs.len(), counts.unanswered), (2, 0), "history that comes after is the same two calls");
}

#[test]
fn vendors_name_things_their_own_way() {
    for (attributes, id, arguments, body) in [
        (
            json!({"traceloop.span.kind": "tool", "traceloop.entity.name": "find", "traceloop.entity.input": "{\"a\":1}",
                "traceloop.entity.output": "out"}),
            "-",
            json!({"a": 1}),
            json!("\"out\""),
        ),
        (
            json!({"ai.operationId": "ai.toolCall", "ai.toolCall.name": "find", "ai.toolCall.id": "k",
                "ai.toolCall.args": "{\"a\":1}", "ai.toolCall.result": "{\"b\":2}"}),
            "k",
            json!({"a": 1}),
            json!("{\"b\":2}"),
        ),
        (
            json!({"mlflow.spanType": "\"TOOL\"", "gen_ai.tool.name": "find", "mlflow.spanInputs": "{\"a\":1}",
                "mlflow.spanOutputs": "\"out\""}),
            "-",
            json!({"a": 1}),
            json!("\"out\""),
        ),
        (
            json!({"lk.function_tool.name": "find", "lk.function_tool.id": "k", "lk.function_tool.arguments": "{}",
                "lk.function_tool.output": "None"}),
            "k",
            json!({}),
            json!("null"),
        ),
        (
            json!({"langsmith.span.kind": "tool", "gen_ai.tool.name": "find", "output": "out", "input": "in"}),
            "-",
            json!("in"),
            json!("\"out\""),
        ),
        (
            json!({"genkit:metadata:subtype": "tool", "tool.name": "find", "genkit:input": "{}", "genkit:output": "7"}),
            "-",
            json!({}),
            json!("7"),
        ),
    ] {
        let (inputs, _) = import(Format::Otel, &[span("a1", "r", "x", 1, &attributes)]);
        assert_eq!(inputs.len(), 1, "{attributes}");
        assert_eq!(
            (text(&inputs[0], "/tool_name"), text(&inputs[0], "/tool_call_id")),
            ("find", id),
            "{attributes}"
        );
        assert_eq!((&inputs[0]["arguments"], &inputs[0]["body"]), (&arguments, &body), "{attributes}");
    }
}

#[test]
fn an_observation_or_run_that_ends_later_is_read_when_it_has_ended() {
    let observation = |end: Value, output: Value| {
        json!({"id": "o", "traceId": "t", "type": "TOOL", "name": "find", "startTime": "2026-01-05T09:00:00Z",
            "endTime": end, "input": {}, "output": output})
    };
    let ended = observation(json!("2026-01-05T09:00:01Z"), json!("x"));
    let (inputs, counts) =
        import(Format::Langfuse, &[observation(json!(null), json!(null)), ended.clone(), ended]);
    assert_eq!((inputs.len(), counts.results, counts.duplicates), (1, 1, 2));
    assert_eq!(text(&inputs[0], "/body"), "\"x\"");
    let quoted =
        observation(json!("2026-01-05T09:00:01Z"), json!(json!({"a": 1}).to_string()).to_string().into());
    let (inputs, _) = import(Format::Langfuse, &[quoted]);
    assert_eq!((text(&inputs[0], "/body"), &inputs[0]["metadata"]["json_levels"]), ("{\"a\":1}", &json!(2)));
    let run = |kind: &str, name: &str| json!({"id": "r", "trace_id": "t", "run_type": kind, "name": name, "inputs": {}});
    let end =
        json!({"id": "r", "trace_id": "t", "end_time": 1_767_603_601_120_u64, "outputs": {"output": "x"}});
    for (kind, results) in [("tool", 1), ("chain", 0)] {
        let (inputs, counts) = import(
            Format::LangSmith,
            &[json!({"post": [run(kind, "find")], "patch": []}), json!({"post": [], "patch": [end.clone()]})],
        );
        assert_eq!((inputs.len() as u64, counts.results), (results, results), "{kind}");
    }
    let (inputs, _) = import(Format::LangSmith, &[json!({"post": [run("tool", "find")], "patch": []})]);
    assert_eq!((text(&inputs[0], "/kind"), text(&inputs[0], "/metadata/reason")), ("claim_only", "pending"));
}

fn request(id: &Value, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn answer(id: &Value, text: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": text}]}})
}

#[test]
fn messages_of_the_protocol_pair_by_connection_direction_and_id() {
    let call = |id: Value| request(&id, "tools/call", &json!({"name": "find"}));
    // `1` and `"1"` are two; what answers neither a call nor anything known is skipped.
    let error = |id: Value| json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "m"}});
    let (inputs, counts) = import(
        Format::Mcp,
        &[
            call(json!(1)),
            call(json!("1")),
            error(json!(7)),
            answer(&json!("1"), "b"),
            answer(&json!(1), "a"),
        ],
    );
    let said: Vec<_> =
        inputs.iter().map(|input| (text(input, "/tool_call_id"), text(input, "/text"))).collect();
    assert_eq!((said, counts.skipped), (vec![("\"1\"", "b"), ("1", "a")], 1));
    // What the client answers to the server's own request of the same id is no result.
    let wrap = |dir: &str, message: Value| json!({"dir": dir, "server": "s", "ts": 1_767_603_601.5, "message": message});
    let (inputs, _) = import(
        Format::Mcp,
        &[
            wrap("client->server", call(json!(1))),
            wrap("server->client", request(&json!(1), "sampling/createMessage", &json!({}))),
            wrap("client->server", answer(&json!(1), "mine")),
            wrap("server->client", answer(&json!(1), "theirs")),
        ],
    );
    assert_eq!((inputs.len(), text(&inputs[0], "/text")), (1, "theirs"));
    assert_eq!(text(&inputs[0], "/observed_at"), "2026-01-05T09:00:01.500Z");
    // A result that comes after the cancellation is the result; a new connection knows no old ids.
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    let hello = request(&json!(0), "initialize", &json!({}));
    let (inputs, _) = import(
        Format::Mcp,
        &[
            call(json!(1)),
            cancelled.clone(),
            answer(&json!(1), "late"),
            call(json!(2)),
            hello,
            answer(&json!(2), "?"),
        ],
    );
    let seen: Vec<_> =
        inputs.iter().map(|input| (text(input, "/text"), text(input, "/metadata/pairing"))).collect();
    assert_eq!(seen, [("late", "id"), ("-", "unanswered"), ("?", "none")]);
    let (inputs, _) = import(Format::Mcp, &[call(json!(1)), cancelled]);
    assert_eq!(
        (text(&inputs[0], "/kind"), text(&inputs[0], "/metadata/reason")),
        ("claim_only", "cancelled")
    );
}

#[test]
fn a_task_has_one_result_however_it_is_fetched() {
    let call = request(&json!(1), "tools/call", &json!({"name": "find", "task": {}}));
    let receipt =
        json!({"jsonrpc": "2.0", "id": 1, "result": {"task": {"taskId": "k", "status": "working"}}});
    let fetch = request(&json!(2), "tasks/result", &json!({"taskId": "k"}));
    let mut related = answer(&json!(2), "done");
    related["result"]["_meta"] = json!({"io.modelcontextprotocol/related-task": {"taskId": "k"}});
    let polled = json!({"jsonrpc": "2.0", "id": 3, "result": {"taskId": "k", "status": "completed",
        "result": {"content": [{"type": "text", "text": "done"}]}}});
    for end in [vec![fetch.clone(), related], vec![fetch, answer(&json!(2), "done")], vec![polled]] {
        let records = [vec![call.clone(), receipt.clone()], end].concat();
        let (inputs, counts) = import(Format::Mcp, &records);
        assert_eq!(
            (inputs.len(), counts.unanswered, text(&inputs[0], "/text")),
            (1, 0, "done"),
            "{records:?}"
        );
        assert_eq!(text(&inputs[0], "/tool_name"), "find");
    }
    let (inputs, _) = import(Format::Mcp, &[call, receipt]);
    assert_eq!(
        (text(&inputs[0], "/kind"), text(&inputs[0], "/metadata/reason")),
        ("claim_only", "background_task")
    );
}

#[test]
fn event_streams_are_read_by_their_data() {
    let call = request(&json!(1), "tools/call", &json!({"name": "find"}));
    let lines = [
        "event: message".to_owned(),
        format!("data: {call}"),
        String::new(),
        "id: 4".to_owned(),
        format!("data:{}", answer(&json!(1), "x")),
        ": keep-alive".to_owned(),
    ];
    let (inputs, counts) = import_lines(Format::Mcp, &lines);
    assert_eq!((inputs.len(), counts.broken, text(&inputs[0], "/text")), (1, 0, "x"));
}

proptest! {
    /// However the records of calls are ordered, every call gives one input, and no result is read twice.
    #[test]
    fn every_call_gives_one_input(order in Just((0..24).collect::<Vec<usize>>()).prop_shuffle(), kept in 0_u32..1 << 24) {
        // Six calls, each told by four records: the server's, the client's, the agent's span, and a message.
        let records: Vec<(usize, Value)> = (0..6)
            .flat_map(|call| {
                let (a, b, c) = (format!("a{call}"), format!("b{call}"), format!("c{call}"));
                let id = format!("k{call}");
                let told = chat(&format!("m{call}"), &[(true, &*id), (false, &*id)], &[]);
                [mcp(&c, &b, 2, None), mcp(&b, &a, 3, None), agent(&a, "r", &id, Some("x")), told].map(|record| (call, record))
            })
            .collect();
        // Spans of the agent and of the client are there: without them nothing ties the others together.
        let chosen: Vec<&(usize, Value)> =
            order.iter().filter(|at| [1, 2].contains(&(*at % 4)) || kept >> *at & 1 == 1).map(|at| &records[*at]).collect();
        let lines: Vec<Value> = chosen.iter().map(|(_, record)| record.clone()).collect();
        let (inputs, counts) = import(Format::Otel, &lines);
        let mut ids: Vec<&str> = inputs.iter().map(|input| text(input, "/tool_call_id")).collect();
        ids.sort_unstable();
        prop_assert_eq!(ids, ["k0", "k1", "k2", "k3", "k4", "k5"]);
        prop_assert_eq!((counts.results, counts.unanswered), (6, 0));
    }
}
