//! Deciding about traces: one run reads and pairs them, a second decides about the inputs that come out, in the same
//! pool. Between them lie a few blocks of inputs and no more.

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::mpsc::sync_channel;
use std::thread;

use super::Plan;
use super::outputs::{self, Job, Sinks};
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::import::{Ending, Trace, summarise};
use crate::cli::progress::Progress;
use crate::decision::{Place, Ruling};
use crate::finding::{Fact, Finding};
use crate::import::{Fault as Broken, Inputs};
use crate::pipe::{Fault, More, Ordered, Stop};
use crate::render::Summary;
use crate::value::Syntax;

/// Blocks of inputs that may wait to be decided about.
const BETWEEN: usize = 2;

/// Who decides has ended.
struct Gone;

impl Plan {
    /// Reads traces and decides about every tool result in them.
    #[expect(clippy::too_many_arguments, reason = "the parts of a run, each of another kind")]
    pub(super) fn stream_traces(
        &self,
        trace: &Trace,
        files: &[PathBuf],
        ordered: &Ordered,
        stop: &Stop,
        sinks: Sinks<'_>,
        progress: &Progress,
        total: &mut Summary,
    ) -> Result<Exit, Failure> {
        let (send, receive) = sync_channel::<Inputs>(BETWEEN);
        let mut ending = Ending::default();
        let (read, decided) = thread::scope(|threads| {
            let reading = thread::Builder::new().name("pairing".to_owned()).spawn_scoped(threads, || {
                trace.stream(files, ordered, stop, progress, &mut ending, move |inputs| {
                    if inputs.is_empty() {
                        return Ok(());
                    }
                    send.send(std::mem::take(inputs)).map_err(|_| Gone)
                })
            });
            let reading = reading.map_err(|error| Failure::Io(format!("cannot start a thread: {error}")))?;
            let fill = move |job: &mut Job<Inputs>| match receive.recv() {
                Ok(inputs) => {
                    job.input = inputs;
                    Ok::<More, Infallible>(More::Job)
                }
                Err(_) => Ok(More::End),
            };
            let drain = |job: &mut Job<Inputs>| job.write(sinks, total);
            let decided =
                ordered.run(Job::default, fill, |job| self.decide_inputs(job), drain, || stop.request());
            Ok::<_, Failure>((reading.join(), decided))
        })?;
        if self.by_tool || ending.counts.evicted > 0 {
            summarise(&ending.counts);
        }
        outputs::ended(decided)?;
        match read {
            Ok(Ok(()) | Err(Fault::Drain(Gone))) => {}
            Ok(Err(Fault::Fill(failure))) => return Err(failure),
            Ok(Err(Fault::Thread(error))) => {
                return Err(Failure::Io(format!("cannot start a thread: {error}")));
            }
            Ok(Err(Fault::Panicked(_))) | Err(_) => {
                return Err(Failure::Io(
                    "the reader of traces failed inside; what it read last is not written".to_owned(),
                ));
            }
        }
        trace.tell_if_bare(&ending.counts);
        Ok(match stop.signal() {
            Some(signal) => Exit::Signal(u8::try_from(signal).unwrap_or(0)),
            None if ending.unreadable => Exit::Failed,
            None => Exit::Sealed,
        })
    }

    /// Decides about some inputs.
    fn decide_inputs(&self, job: &mut Job<Inputs>) {
        let clock = self.clock.read();
        let (inputs, scratch, mut outputs) = job.start(self, Inputs::bytes);
        for (input, line) in inputs.iter() {
            let name = self.names.get(input.file).map(String::as_str);
            let place = Place { line: Some(input.line), input: name };
            match input.fault {
                Some(fault) => {
                    let ruling = Ruling::rejected(broken(fault), None);
                    outputs.put(&ruling, Some(line), &place, scratch.writer());
                }
                None => self.engine.judge(line, &clock, scratch, |ruling, writer| {
                    outputs.put(ruling, Some(line), &place, writer);
                }),
            }
        }
    }
}

/// Returns the finding about a record that cannot be read.
fn broken(fault: Broken) -> Finding<'static> {
    let finding = Finding::new(fault.reason(), "trace");
    match fault {
        Broken::Syntax(Syntax::Invalid { offset, what }) => {
            finding.expected(Fact::Words("JSON text")).actual(Fact::Place(what, offset))
        }
        Broken::Syntax(Syntax::NotUtf8 { offset }) => {
            finding.expected(Fact::Words("JSON text")).actual(Fact::Place("invalid UTF-8", offset))
        }
        Broken::Syntax(Syntax::TooDeep) => {
            finding.expected(Fact::AtMost(crate::value::MAX_DEPTH as u64, "levels of nesting"))
        }
        Broken::TooLong(limit) => finding.expected(Fact::AtMost(limit as u64, "bytes")),
        Broken::Shape(what) => {
            finding.expected(Fact::Words("a record as its format has it")).actual(Fact::Words(what))
        }
    }
}
