//! A mixed workload of adapter inputs, made here so that the benches run anywhere: eight tools, five kinds, bodies from
//! a few bytes to some kilobytes, structured and as JSON text, non-ASCII text, about 60 % sealed.

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
                contract["min_source_version"] = json!("revision-12");
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

fn filler(random: &mut Random) -> Value {
    // Mostly few, sometimes many: the median body has some hundred bytes, the largest some kilobytes.
    let size = (1.0 / (random.share() + 0.02)).min(50.0);
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
    if random.share() < 0.08 { json!([]) } else { full }
}

/// Returns `count` adapter inputs, each a line with its newline.
pub(crate) fn lines(count: u64, seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut out = Vec::new();
    for number in 0..count {
        let (tool, _, _, source, target) = TOOLS[usize::try_from(random.below(8)).unwrap_or(0)];
        let body = payload(&mut random, tool);
        let as_text = |random: &mut Random, body: &Value, share: f64| {
            if random.share() < share { json!(body.to_string()) } else { body.clone() }
        };
        let mut input = json!({
            "tool_name": tool, "tool_call_id": format!("call_{number:08}"), "source_ref": source,
            "target_ref": if random.share() < 0.04 { "elsewhere" } else { target },
        });
        match tool {
            "mcp_get_ticket" => {
                if random.share() < 0.7 {
                    input["structuredContent"] = body;
                } else {
                    input["text"] = json!(body.to_string());
                }
                input["isError"] = json!(random.share() < 0.06);
            }
            "run_report" => {
                input["exit_code"] = json!(if random.share() < 0.07 { 2 } else { 0 });
                input["stdout"] = json!(body.to_string());
                input["output_format"] = json!("json");
            }
            "http_get_order" => {
                input["status_code"] = json!(if random.share() < 0.1 { 404 } else { 200 });
                input["body"] = as_text(&mut random, &body, 0.5);
            }
            _ => {
                input["kind"] = json!("json");
                input["body"] = as_text(&mut random, &body, 0.2);
            }
        }
        match tool {
            "send_email" if random.share() > 0.25 => {
                input["evidence_refs"] = json!([format!("smtp:250:{number:08x}")]);
            }
            "read_config" => input["source_version"] = json!(format!("revision-{}", 9 + random.below(6))),
            "price_quote" => {
                input["observed_at"] = json!(format!("2026-11-02T{:02}:00:00Z", random.below(12)));
            }
            _ => {}
        }
        out.extend_from_slice(input.to_string().as_bytes());
        out.push(b'\n');
    }
    out
}
