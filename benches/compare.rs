//! What `scripts/compare` needs: the workload in a file, and the floor on this machine.
//!
//! `cargo bench --bench compare -- write FOLDER COUNT` · `cargo bench --bench compare -- floor FILE`

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench ends at the first surprise"
)]

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

mod floor;
mod workload;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", folder, count] => write(Path::new(folder), count.parse().unwrap()),
        ["floor", file] => time_floor(Path::new(file)),
        _ => eprintln!("compare: `write FOLDER COUNT` or `floor FILE`; scripts/compare does both"),
    }
}

fn write(folder: &Path, count: u64) {
    std::fs::write(folder.join("log.jsonl"), workload::lines(count, 1)).unwrap();
    std::fs::write(folder.join("bundle.json"), workload::bundle()).unwrap();
    for length in [150, 1_000, 10_000, 100_000] {
        let lines = lines_of(length, 50_000_000 / length);
        std::fs::write(folder.join(format!("lines-{length}.jsonl")), lines).unwrap();
    }
}

/// Returns `count` adapter inputs of about `length` bytes each, at least 150, each a line with its newline.
fn lines_of(length: usize, count: usize) -> Vec<u8> {
    let mut random = workload::Random::new(1);
    let mut out = Vec::new();
    for number in 0..count {
        let from = out.len();
        let head = format!(
            r#"{{"tool_name":"price_quote","tool_call_id":"call_{number:08}","source_ref":"feed://prices","target_ref":"quote:ACME","body":{{"price":1,"depth":["#
        );
        out.extend_from_slice(head.as_bytes());
        let mut separator = "";
        while out.len() - from < length.saturating_sub(200) {
            for element in workload::filler(&mut random).as_array().unwrap() {
                if out.len() - from < length.saturating_sub(200) {
                    out.extend_from_slice(format!("{separator}{}", workload::shuffled(element)).as_bytes());
                    separator = ",";
                }
            }
        }
        out.extend_from_slice(b"]}}\n");
    }
    out
}

/// Prints the seconds that simd-json's tape of every line takes, and SHA-256 of the same bytes, each the best of three.
fn time_floor(file: &Path) {
    let text = std::fs::read(file).unwrap();
    let lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    let mut tapes = floor::Tapes::new();
    let parsing = best(|| lines.iter().for_each(|line| tapes.fill(line)));
    let hashing = best(|| {
        for line in &lines {
            black_box(Sha256::digest(line));
        }
    });
    println!("{} {}", parsing.as_secs_f64(), hashing.as_secs_f64());
}

fn best(mut work: impl FnMut()) -> Duration {
    let runs = (0..9).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed()
    });
    runs.min().unwrap()
}
