//! The whole program: throughput from a file, and how long a line that arrives alone waits for its record.
//!
//! `cargo bench --bench stream`

#![expect(clippy::unwrap_used, reason = "a bench ends at the first surprise")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

mod workload;

const SEALPIPE: &str = env!("CARGO_BIN_EXE_sealpipe");

fn files() -> (tempfile::TempDir, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let text = workload::lines(40_000, 1);
    std::fs::write(folder.path().join("log.jsonl"), &text).unwrap();
    std::fs::write(folder.path().join("bundle.json"), workload::bundle()).unwrap();
    (folder, text)
}

fn throughput(criterion: &mut Criterion) {
    let (folder, text) = files();
    let mut group = criterion.benchmark_group("file");
    group.throughput(Throughput::Bytes(text.len() as u64)).sample_size(20);
    for threads in ["1", "2"] {
        for form in ["core", "full"] {
            group.bench_function(BenchmarkId::new(form, format!("-j {threads}")), |bencher| {
                bencher.iter(|| {
                    let status = Command::new(SEALPIPE)
                        .current_dir(folder.path())
                        .args(["-c", "bundle.json", "--now", "2026-11-02T12:00:00Z", "--exit-zero"])
                        .args(["-j", threads, "--record", form, "log.jsonl"])
                        .stdout(Stdio::null())
                        .status();
                    assert!(status.unwrap().success());
                });
            });
        }
    }
    group.finish();
}

fn latency(criterion: &mut Criterion) {
    let (folder, text) = files();
    let mut child = Command::new(SEALPIPE)
        .current_dir(folder.path())
        .args(["-c", "bundle.json", "--exit-zero"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut lines = text.split_inclusive(|byte| *byte == b'\n').cycle();
    let mut record = String::new();
    criterion.bench_function("a line that arrives alone, to its record", |bencher| {
        bencher.iter(|| {
            input.write_all(lines.next().unwrap()).unwrap();
            record.clear();
            output.read_line(&mut record).unwrap();
        });
    });
    drop(input);
    child.wait().unwrap();
}

criterion_group!(benches, throughput, latency);
criterion_main!(benches);
