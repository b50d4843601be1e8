//! What comes out of some inputs: the sink that each record belongs on, and what is counted.

use std::convert::Infallible;

use super::{Emit, Form, Plan};
use crate::canon::Writer;
use crate::cli::failure::Failure;
use crate::decision::{Outcome, Place, Ruling};
use crate::engine::Scratch;
use crate::finding::{Fact, Finding};
use crate::pipe::{Fault, Sink, SinkError, write_pair};
use crate::reason::Reason;
use crate::render::Summary;

/// Inputs on their way, with the memory of whoever works on them.
#[derive(Default)]
pub(super) struct Job<I> {
    pub(super) input: I,
    scratch: Scratch,
    out: Vec<u8>,
    blocked: Vec<u8>,
    summary: Summary,
}

/// Where records go.
#[derive(Clone, Copy)]
pub(super) struct Sinks<'s> {
    pub(super) stdout: &'s Sink,
    /// Blocked and rejected ones, where they go elsewhere.
    pub(super) blocked: Option<&'s Sink>,
}

impl<I> Job<I> {
    /// Takes the job apart to decide about its inputs, with nothing written and counted yet but their `bytes`.
    pub(super) fn start<'j>(
        &'j mut self,
        plan: &'j Plan,
        bytes: impl FnOnce(&I) -> &[u8],
    ) -> (&'j I, &'j mut Scratch, Outputs<'j>) {
        let Self { input, scratch, out, blocked, summary } = self;
        out.clear();
        blocked.clear();
        summary.start(plan.by_tool);
        summary.count_bytes(bytes(input).len());
        (input, scratch, Outputs { plan, out, blocked, summary })
    }

    /// Writes what was decided, and adds what was counted to `total`.
    pub(super) fn write(&mut self, sinks: Sinks<'_>, total: &mut Summary) -> Result<(), SinkError> {
        match sinks.blocked {
            Some(blocked) => write_pair(sinks.stdout, &self.out, blocked, &self.blocked)?,
            None => sinks.stdout.write_all(&self.out)?,
        }
        total.add(&mut self.summary);
        Ok(())
    }
}

/// Returns how a run ended whose reading cannot fail.
pub(super) fn ended(run: Result<(), Fault<Infallible, SinkError>>) -> Result<(), Failure> {
    match run {
        Ok(()) => Ok(()),
        Err(Fault::Drain(error)) => Err(Failure::from(error)),
        Err(Fault::Fill(never)) => match never {},
        Err(other) => Err(Failure::Io(other.to_string())),
    }
}

/// Where the lines of a block go, and what is counted of them.
pub(super) struct Outputs<'j> {
    plan: &'j Plan,
    out: &'j mut Vec<u8>,
    blocked: &'j mut Vec<u8>,
    summary: &'j mut Summary,
}

impl Outputs<'_> {
    /// Writes what a line gives to the sinks that it belongs on. `raw` is the line, where it was held.
    pub(super) fn put(
        &mut self,
        ruling: &Ruling<'_>,
        raw: Option<&[u8]>,
        place: &Place<'_>,
        writer: &mut Writer,
    ) {
        if ruling.outcome != Outcome::Sealed {
            return self.put_unsealed(ruling, raw, place);
        }
        match (self.plan.emit, raw) {
            (Emit::Payload, _) => {
                let before = self.out.len();
                if ruling.write_payload(writer, self.out).is_err() {
                    self.out.truncate(before);
                    let finding = Finding::new(Reason::SchemaInvalid, "payload")
                        .expected(Fact::Words("a payload that JSON can say"))
                        .actual(Fact::Words(
                            "YAML with a key that is no string, or a number that is not finite",
                        ));
                    return self.put_unsealed(&Ruling::rejected(finding, ruling.tool_name), raw, place);
                }
            }
            (Emit::Input, Some(raw)) => self.out.extend_from_slice(raw),
            (Emit::Record | Emit::Input, _) => self.plan.write_record(ruling, place, self.out),
        }
        self.out.push(b'\n');
        self.summary.count(ruling);
    }

    fn put_unsealed(&mut self, ruling: &Ruling<'_>, raw: Option<&[u8]>, place: &Place<'_>) {
        self.summary.count(ruling);
        let plan = self.plan;
        let (first, second) = match (plan.split, plan.tee) {
            (true, true) => (&mut *self.blocked, Some(&mut *self.out)),
            (true, false) => (&mut *self.blocked, None),
            // What is asked for are sealed lines or payloads: nothing else may pass for one.
            (false, _) if plan.emit != Emit::Record && !plan.one_place => return,
            (false, _) => (&mut *self.out, None),
        };
        let from = first.len();
        match (plan.emit, raw) {
            (Emit::Input, Some(raw)) => first.extend_from_slice(raw),
            _ => plan.write_record(ruling, place, first),
        }
        first.push(b'\n');
        if let (Some(second), Some(written)) = (second, first.get(from..)) {
            second.extend_from_slice(written);
        }
    }
}

impl Plan {
    fn write_record(&self, ruling: &Ruling<'_>, place: &Place<'_>, out: &mut Vec<u8>) {
        match self.form {
            Form::Full => ruling.write_full(place, self.engine.redaction(), out),
            Form::Core => ruling.write_core(place, self.engine.redaction(), out),
        }
    }
}
