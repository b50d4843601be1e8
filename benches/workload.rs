//! A mixed workload of adapter inputs, made here so that the benches run anywhere: eight tools, five kinds, bodies from
//! a few bytes to some kilobytes, structured and as JSON text, non-ASCII text, about 60 % sealed. JSON texts are written
//! as Python's `json.dumps` does, with spaces and `\\u` escapes, which is what most tools send.

use std::io::{self, Write};

use serde::Serialize as _;
use serde_json::{Map, Value, json};

/// A small deterministic generator (SplitMix64): the same seed, the same workload.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Between 0 and 1.
    #[expect(clippy::cast_precision_loss, reason = "53 bits are enough")]
    pub(crate) fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[usize::try_from(self.below(from.len() as u64)).unwrap_or(0)]
    }
}

const WORDS: [&str; 24] = [
    "order",
    "shipment",
    "invoice",
    "región",
    "東京",
    "customer",
    "naïve",
    "balance",
    "ledger",
    "widget",
    "status",
    "«pending»",
    "review",
    "Zürich",
    "note",
    "\\",
    "path",
    "\"quoted\"",
    "line\nbreak",
    "tab\there",
    "emoji",
    "🙂",
    "total",
    "due",
];

/// Name, claim type, required fields, source, target and further members of each tool's contract.
const TOOLS: [(&str, &str, &[&str], &str, &str); 8] = [
    ("search_customer", "found", &["customer_id", "name"], "crm://customers", "customer:42"),
    ("lookup_absent", "not_found", &[], "crm://customers", "customer:42"),
    (
        "http_get_order",
        "read_complete",
        &["order_id", "lines", "total"],
        "https://orders.example.test/v1",
        "order:7",
    ),
    ("mcp_get_ticket", "read_complete", &["id", "title", "state"], "mcp://tracker", "ticket:9"),
    ("run_report", "read_complete", &["rows"], "stdio://report", "report:daily"),
    ("send_email", "effect_observed", &["message_id"], "smtp://relay", "mail:out"),
    ("read_config", "read_complete", &["region", "quota"], "cache://config", "config:main"),
    ("price_quote", "found", &["symbol", "price"], "feed://prices", "quote:ACME"),
];

/// Returns the bundle for the workload.
pub(crate) fn bundle() -> String {
    let mut contracts = Map::new();
    for (tool, claim, required, source, target) in TOOLS {
        let mut contract = json!({
            "schema_version": "1", "claim_type": claim, "required_fields": required, "source_ref": source,
            "target_ref": target, "freshness": {"mode": "not_required"},
        });
        match tool {
            "lookup_absent" => contract["not_found_sentinel"] = json!("NOT_FOUND"),
            "send_email" => contract["effect_evidence_required"] = json!(true),
            "read_config" => {
                contract["freshness"] = json!({"mode": "source_version"});
                contract["min_source_version"] = json!("revision-11");
            }
            "price_quote" => {
                contract["freshness"] = json!({"mode": "max_age_seconds", "max_age_seconds": 86_400});
            }
            _ => {}
        }
        contracts.insert(tool.to_owned(), contract);
    }
    json!({"bundle_version": 1, "contracts": contracts}).to_string()
}

fn text(random: &mut Random, words: u64) -> String {
    (0..words).map(|_| random.pick(&WORDS)).collect::<Vec<_>>().join(" ")
}

/// Returns an array of mostly few, sometimes many elements with some members each.
pub(crate) fn filler(random: &mut Random) -> Value {
    // Mostly few, sometimes many: the median body has some hundred bytes, the largest some kilobytes.
    let size = (2.0 / (random.share() + 0.03)).min(60.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 50")]
    let size = size as u64;
    (0..size)
        .map(|seq| {
            let words = 1 + random.below(12);
            let tags: Vec<&str> = (0..random.below(5)).map(|_| random.pick(&WORDS)).collect();
            json!({
                "seq": seq, "qty": 1 + random.below(900), "price": (random.share() * 500_000.0).round() / 100.0,
                "ok": random.below(2) == 0, "sku": format!("{:010x}", random.below(1 << 40)), "note": text(random, words),
                "tags": tags, "parent": null,
            })
        })
        .collect()
}

fn payload(random: &mut Random, tool: &str) -> Value {
    let full = match tool {
        "search_customer" => json!({"customer_id": "42", "name": text(random, 2), "history": filler(random)}),
        "lookup_absent" => json!({"status": "NOT_FOUND", "took_ms": random.below(90)}),
        "http_get_order" => json!({"order_id": 7, "lines": filler(random), "total": random.share() * 9e4}),
        "mcp_get_ticket" => {
            json!({"id": 9, "title": text(random, 6), "state": "open", "comments": filler(random)})
        }
        "run_report" => json!({"rows": filler(random), "generated": true}),
        "send_email" => {
            json!({"message_id": format!("<{:x}@example.test>", random.next()), "accepted": ["a@example.test"]})
        }
        "read_config" => {
            json!({"region": "eu-1", "quota": random.below(1_000_000_000_000), "limits": filler(random)})
        }
        _ => json!({"symbol": "ACME", "price": random.share() * 400.0, "depth": filler(random)}),
    };
    let mut full = full;
    match random.share() {
        ..0.08 => {
            return [json!([]), json!({}), json!(""), json!(null)]
                [usize::try_from(random.below(4)).unwrap_or(0)]
            .clone();
        }
        ..0.16 => {
            if let Some(members) = full.as_object_mut()
                && let Some(name) = members
                    .keys()
                    .nth(usize::try_from(random.below(members.len() as u64)).unwrap_or(0))
                    .cloned()
            {
                members.remove(&name);
            }
        }
        _ => {}
    }
    full
}

/// Writes JSON as `json.dumps` does.
struct Dumps;

impl serde_json::ser::Formatter for Dumps {
    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        out.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        out.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        let mut units = [0; 2];
        for character in fragment.chars() {
            if character.is_ascii() {
                write!(out, "{character}")?;
            } else {
                character
                    .encode_utf16(&mut units)
                    .iter()
                    .try_for_each(|unit| write!(out, "\\u{unit:04x}"))?;
            }
        }
        Ok(())
    }
}

fn dumps(value: &Value) -> Value {
    let mut out = Vec::new();
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut out, Dumps)).unwrap();
    json!(String::from_utf8(out).unwrap())
}

/// Returns `count` adapter inputs, each a line with its newline.
pub(crate) fn lines(count: u64, seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut out = Vec::new();
    for number in 0..count {
        let (tool, _, _, source, target) = TOOLS[usize::try_from(random.below(8)).unwrap_or(0)];
        let body = payload(&mut random, tool);
        // In the order in which a program would write them, not sorted.
        let mut members = vec![
            ("tool_name", json!(tool)),
            ("tool_call_id", json!(format!("call_{number:08}"))),
            ("source_ref", json!(if random.share() < 0.03 { "unknown://elsewhere" } else { source })),
            ("target_ref", json!(if random.share() < 0.04 { "elsewhere" } else { target })),
        ];
        let as_text = |random: &mut Random, body: &Value, share: f64| {
            if random.share() < share { dumps(body) } else { body.clone() }
        };
        match tool {
            "mcp_get_ticket" => {
                if random.share() < 0.7 {
                    members.push(("structuredContent", body));
                } else {
                    members.push(("text", json!(body.to_string())));
                }
                members.push(("isError", json!(random.share() < 0.06)));
                members
                    .push(("outputSchema", json!({"type": "object", "required": ["id", "title", "state"]})));
            }
            "run_report" => {
                members.push(("exit_code", json!(if random.share() < 0.07 { 2 } else { 0 })));
                members.push(("stdout", dumps(&body)));
                members.push(("output_format", json!("json")));
                members.push(("stderr", json!("")));
            }
            "http_get_order" => {
                members.push(("status_code", json!(if random.share() < 0.1 { 404 } else { 200 })));
                members.push(("body", as_text(&mut random, &body, 0.5)));
            }
            _ if random.share() < 0.02 => {
                members.push(("kind", json!("claim_only")));
                members.push(("claim", json!(text(&mut random, 8))));
            }
            _ => {
                members.push(("kind", json!("json")));
                let body = as_text(&mut random, &body, 0.2);
                members.push(("body", if random.share() < 0.02 { json!("{broken") } else { body }));
            }
        }
        match tool {
            "send_email" if random.share() > 0.25 => {
                members.push(("evidence_refs", json!([format!("smtp:250:{number:08x}")])));
            }
            "read_config" => {
                members.push(("source_version", json!(format!("revision-{}", 9 + random.below(6)))));
            }
            "price_quote" => {
                members.push(("observed_at", json!(format!("2026-11-02T{:02}:00:00Z", random.below(12)))));
            }
            _ => {}
        }
        if random.share() < 0.3 {
            let run = random.below(99);
            members.push(("metadata", json!({"run": run, "agent": "planner", "retry": false})));
        }
        out.push(b'{');
        for (index, (name, value)) in members.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            out.extend_from_slice(format!("{comma}\"{name}\":{}", shuffled(value)).as_bytes());
        }
        out.extend_from_slice(b"}\n");
    }
    out
}

/// Returns a value as JSON, the members of its objects not in the order of their names.
pub(crate) fn shuffled(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            // Names as people choose them come in no order: that of their last letters is none.
            members.sort_by_key(|(name, _)| name.bytes().rev().collect::<Vec<_>>());
            let members = members.iter().map(|(name, value)| format!("\"{name}\":{}", shuffled(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        Value::Array(elements) => {
            format!("[{}]", elements.iter().map(shuffled).collect::<Vec<_>>().join(","))
        }
        other => other.to_string(),
    }
}
