//! What one line costs, by stage, on one thread; and the floor: simd-json's tape of every line and SHA-256 of the same
//! bytes, with the same crates.
//!
//! `cargo bench --bench stages`

#![expect(clippy::unwrap_used, reason = "a bench ends at the first surprise")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use sealpipe::canon::Writer;
use sealpipe::decision::Place;
use sealpipe::fingerprint::Fingerprint;
use sealpipe::input::Members;
use sealpipe::observe;
use sealpipe::value::{Limits, Parser};
use sealpipe::{Bundle, Clock, Engine, Scratch, Timestamp};
use sha2::{Digest, Sha256};

mod floor;
mod workload;

fn throughputs(text: &[u8], lines: &[&[u8]]) -> [(&'static str, Throughput); 2] {
    [("bytes", Throughput::Bytes(text.len() as u64)), ("records", Throughput::Elements(lines.len() as u64))]
}

fn stages(criterion: &mut Criterion) {
    let text = workload::lines(4_000, 1);
    let lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    let bundle = workload::bundle();
    let engine = Engine::new(Bundle::from_json(bundle.as_bytes()).unwrap());
    let clock = Clock::At(Timestamp::parse("2026-11-02T12:00:00Z").unwrap());
    for (unit, throughput) in throughputs(&text, &lines) {
        let mut group = criterion.benchmark_group(format!("line/{unit}"));
        group.throughput(throughput);

        let mut parser = Parser::default();
        group.bench_function("parse", |bencher| {
            bencher.iter(|| lines.iter().filter(|line| parser.parse(line).is_ok()).count());
        });
        group.bench_function("parse, bounds", |bencher| {
            bencher.iter(|| {
                let holds =
                    |line: &&&[u8]| parser.parse(line).unwrap().check_bounds(&Limits::DEFAULT).is_ok();
                lines.iter().filter(holds).count()
            });
        });
        group.bench_function("parse, members", |bencher| {
            bencher.iter(|| {
                for line in &lines {
                    let document = parser.parse(line).unwrap();
                    black_box(Members::of(document.root().as_object().unwrap()));
                }
            });
        });
        let (mut writer, mut canonical) = (Writer::default(), Vec::new());
        group.bench_function("parse, canonical", |bencher| {
            bencher.iter(|| {
                for line in &lines {
                    let document = parser.parse(line).unwrap();
                    black_box(writer.text(document.root(), &mut canonical).unwrap());
                }
            });
        });
        group.bench_function("parse, canonical, hash", |bencher| {
            bencher.iter(|| {
                for line in &lines {
                    let document = parser.parse(line).unwrap();
                    black_box(Fingerprint::of(writer.text(document.root(), &mut canonical).unwrap()));
                }
            });
        });
        group.bench_function("parse, members, observe", |bencher| {
            bencher.iter(|| {
                for line in &lines {
                    let document = parser.parse(line).unwrap();
                    let members = Members::of(document.root().as_object().unwrap());
                    let kind = members.kind().unwrap();
                    black_box(observe::read(kind, &members).is_ok());
                    black_box(observe::envelope(kind, &members, observe::target(kind, &members)).is_ok());
                }
            });
        });
        let mut scratch = Scratch::default();
        group.bench_function("decide", |bencher| {
            bencher.iter(|| {
                for line in &lines {
                    engine.judge(line, &clock, &mut scratch, |ruling, _| black_box(ruling.outcome));
                }
            });
        });
        let mut out = Vec::new();
        for form in ["core", "full"] {
            let engine = engine.clone().with_content_hash(form == "full");
            group.bench_function(BenchmarkId::new("decide, record", form), |bencher| {
                bencher.iter(|| {
                    for line in &lines {
                        out.clear();
                        engine.judge(line, &clock, &mut scratch, |ruling, _| match form {
                            "core" => ruling.write_core(&Place::default(), engine.redaction(), &mut out),
                            _ => ruling.write_full(&Place::default(), engine.redaction(), &mut out),
                        });
                        black_box(&out);
                    }
                });
            });
        }
        group.finish();
    }
}

fn floor_of_a_line(criterion: &mut Criterion) {
    let text = workload::lines(4_000, 1);
    let lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    for (unit, throughput) in throughputs(&text, &lines) {
        let mut group = criterion.benchmark_group(format!("floor/{unit}"));
        group.throughput(throughput);
        let mut tapes = floor::Tapes::new();
        group.bench_function("simd-json tape", |bencher| {
            bencher.iter(|| lines.iter().for_each(|line| tapes.fill(line)));
        });
        group.bench_function("sha-256", |bencher| {
            bencher.iter(|| {
                lines.iter().map(|line| black_box(Sha256::digest(line))[0]).fold(0_u8, u8::wrapping_add)
            });
        });
        group.finish();
    }
}

/// The dearest of hostile texts, as long as an input may be.
fn hostile_yaml(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("hostile yaml");
    for piece in ["[", "? ", "- - \n", "a: ", "&a ", "''", "1:59", "|\n"] {
        let text = piece.repeat(131_072 / piece.len());
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(format!("{piece:?}"), |bencher| {
            let mut arena = bumpalo::Bump::new();
            bencher.iter(|| {
                arena.reset();
                sealpipe::yaml::load(&text, &arena, &Limits::DEFAULT).is_ok()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, stages, floor_of_a_line, hostile_yaml);
criterion_main!(benches);
