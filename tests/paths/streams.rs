//! The same records by the library one line at a time, and by the stream in blocks of any size on any number of threads.

use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::sync::LazyLock;

use proptest::prelude::*;
use sealpipe::decision::{Place, Redaction, Ruling};
use sealpipe::engine::{Clock, Engine, Scratch};
use sealpipe::finding::{Fact, Finding};
use sealpipe::pipe::{self, Block, BlockReader, Line, Ordered, Source, Stop};
use sealpipe::value::Limits;
use sealpipe::{Bundle, Reason};

use super::inputs::{contract_text, input, now};

/// The longest line, so short that some are longer.
const LINE_BYTES: usize = 2000;

/// Bytes in memory that come in pieces of these sizes, again and again.
struct Pieces<'t> {
    rest: &'t [u8],
    sizes: &'t [usize],
    next: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.sizes[self.next % self.sizes.len()];
        self.next += 1;
        let piece = size.min(buffer.len()).min(self.rest.len());
        buffer[..piece].copy_from_slice(&self.rest[..piece]);
        self.rest = &self.rest[piece..];
        Ok(piece)
    }
}

impl Source for Pieces<'_> {}

struct Job {
    block: Block,
    scratch: Scratch,
    out: Vec<u8>,
}

static POOLS: LazyLock<[Ordered; 3]> =
    LazyLock::new(|| [1, 2, 8].map(|threads| Ordered::new(NonZeroUsize::new(threads).unwrap()).unwrap()));

fn overlong(bytes: u64) -> Finding<'static> {
    Finding::new(Reason::LimitExceeded, "limits")
        .expected(Fact::AtMost(LINE_BYTES as u64, "bytes"))
        .actual(Fact::Count(usize::try_from(bytes).unwrap(), "bytes"))
}

fn write(ruling: &Ruling<'_>, source: usize, line: u64, out: &mut Vec<u8>) {
    let name = format!("input {source}");
    ruling.write_full(&Place { line: Some(line), input: Some(&name) }, &Redaction::none(), out);
    out.push(b'\n');
}

/// Decides by the stream.
fn by_stream(
    engine: &Engine,
    texts: &[Vec<u8>],
    sizes: &[usize],
    block_bytes: usize,
    pool: &Ordered,
) -> Vec<u8> {
    let stop = Stop::new().unwrap();
    let limits = pipe::Limits { block_bytes, line_bytes: LINE_BYTES };
    let inputs = texts.iter().map(|text| Ok(Pieces { rest: text, sizes, next: 0 }));
    let mut reader = BlockReader::new(inputs, limits, stop.clone());
    let clock = Clock::At(now());
    let mut all = Vec::new();
    pool.run(
        || Job { block: Block::new(), scratch: Scratch::default(), out: Vec::new() },
        |job| reader.fill(&mut job.block),
        |job| {
            let Job { block, scratch, out } = job;
            out.clear();
            let source = block.source();
            for line in block.lines() {
                let number = line.number();
                match line {
                    Line::Whole { raw, .. } => {
                        let text = raw.strip_suffix(b"\r").unwrap_or(raw);
                        engine.judge(text, &clock, scratch, |ruling, _| write(ruling, source, number, out));
                    }
                    Line::Overlong { bytes, .. } => {
                        write(&Ruling::rejected(overlong(bytes), None), source, number, out);
                    }
                }
            }
        },
        |job| {
            all.extend_from_slice(&job.out);
            Ok::<(), io::Error>(())
        },
        || stop.request(),
    )
    .unwrap();
    all
}

/// Decides line by line, each in memory of its own; what a line is stands here once more, in the plainest words.
fn one_by_one(engine: &Engine, texts: &[Vec<u8>]) -> Vec<u8> {
    let mut all = Vec::new();
    for (source, text) in texts.iter().enumerate() {
        for (raw, number) in text.split(|byte| *byte == b'\n').zip(1..) {
            let text = raw.strip_suffix(b"\r").unwrap_or(raw);
            let inner = raw.strip_prefix(b"\xef\xbb\xbf").unwrap_or(raw);
            let inner = inner.strip_suffix(b"\r").unwrap_or(inner);
            if inner.iter().all(|byte| b" \t\r".contains(byte)) {
                continue;
            }
            if inner.len() > LINE_BYTES {
                write(&Ruling::rejected(overlong(inner.len() as u64), None), source, number, &mut all);
            } else {
                engine.judge(text, &Clock::At(now()), &mut Scratch::default(), |ruling, _| {
                    write(ruling, source, number, &mut all);
                });
                // The library's own way in says the same.
                let decision = engine.check(text, now());
                let core = engine.judge(text, &Clock::At(now()), &mut Scratch::default(), |ruling, _| {
                    let mut out = Vec::new();
                    ruling.write_core(&Place::default(), &Redaction::none(), &mut out);
                    out
                });
                assert_eq!(decision.core_record().as_bytes(), core);
            }
        }
    }
    all
}

fn line() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        12 => input().prop_map(|input| input.line().into_bytes()),
        1 => input().prop_map(|input| format!("\u{feff}{}", input.line()).into_bytes()),
        1 => (input(), 0..2100_usize).prop_map(|(input, more)| format!("{}{}", " ".repeat(more), input.line()).into_bytes()),
        1 => prop::collection::vec(prop::sample::select(&b" \t\r\xef\xbb\xbf{}[]\"a0\0"[..]), 0..8),
        1 => (LINE_BYTES - 5..LINE_BYTES + 6, prop::sample::select(&b" x\r"[..])).prop_map(|(length, byte)| vec![byte; length]),
        1 => (5000..9000_usize).prop_map(|length| vec![b'y'; length]),
    ]
}

/// A text of lines with ends of either sort, the last of them perhaps without one.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let end = prop::sample::select(&["\n", "\n", "\r\n", "\n\n"][..]);
    (prop::collection::vec((line(), end), 0..12), any::<bool>()).prop_map(|(lines, ends)| {
        let mut text: Vec<u8> =
            lines.into_iter().flat_map(|(line, end)| [line, end.as_bytes().to_vec()].concat()).collect();
        if !ends {
            text.pop_if(|byte| *byte == b'\n');
        }
        text
    })
}

fn bundle() -> impl Strategy<Value = Bundle> {
    (contract_text(), contract_text(), prop::option::of(contract_text())).prop_map(
        |(search, crm, default)| {
            let default = default.map(|terms| format!(",\"default\":{terms}")).unwrap_or_default();
            let text = format!(
                "{{\"bundle_version\":1,\"contracts\":{{\"search\":{search},\"mcp__*\":{crm}}}{default}}}"
            );
            Bundle::from_json(text.as_bytes()).unwrap()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn blocks_of_any_size_on_any_number_of_threads(
        texts in prop::collection::vec(text(), 1..4),
        bundle in bundle(),
        sizes in prop::collection::vec(1..4000_usize, 1..5),
        block_bytes in prop_oneof![1..100_usize, 100..20_000_usize],
    ) {
        let engine = Engine::new(bundle)
            .with_limits(Limits { bytes: LINE_BYTES, ..Limits::DEFAULT })
            .with_content_hash(true);
        let expected = one_by_one(&engine, &texts);
        for pool in &*POOLS {
            let records = by_stream(&engine, &texts, &sizes, block_bytes, pool);
            prop_assert!(
                records == expected,
                "{} threads:\n{}\nexpected\n{}",
                pool.threads(),
                String::from_utf8_lossy(&records),
                String::from_utf8_lossy(&expected)
            );
        }
    }

    #[test]
    fn bytes_that_come_one_at_a_time(texts in prop::collection::vec(text(), 1..3), bundle in bundle()) {
        let engine = Engine::new(bundle)
            .with_limits(Limits { bytes: LINE_BYTES, ..Limits::DEFAULT })
            .with_content_hash(true);
        let expected = one_by_one(&engine, &texts);
        prop_assert!(by_stream(&engine, &texts, &[1], 1 << 18, &POOLS[1]) == expected);
    }
}
