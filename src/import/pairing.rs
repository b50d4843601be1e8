//! Stage 2: finds the call of each result, in the order of the trace, within bounded memory. Knows no format.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use smallvec::SmallVec;

use super::event::{Call, Class, Event, Events, Outcome, Span, Way, What};
use super::inputs::{Counts, Inputs};
use super::recent::{Keys, Recent};
use super::render::{CallPart, Pairing as Paired, Parts, Place, ResultPart, write_broken};
use super::tools::Tools;
use super::{Bounds, Format, fields};

mod retold;
mod scopes;
mod waiting;

use retold::Retold;
use scopes::ScopeState;
use waiting::Open;

/// Pairs calls with results: feed it the events of all lines in their order.
///
/// The order of calls: [`Pairing::start_file`], any number of [`Pairing::feed`], [`Pairing::end_file`], again for each
/// file, and [`Pairing::finish`]. Without any file started, the input has no name.
#[derive(Debug)]
pub struct Pairing {
    format: Format,
    bounds: Bounds,
    keys: Keys,
    /// The number of the file, and the rendered names of all that were started.
    file: usize,
    files: Vec<Box<[u8]>>,
    /// What awaits a result, by age.
    open: BTreeMap<u64, Open>,
    next: u64,
    bytes: usize,
    /// What is open under an id within a scope, oldest first.
    ids: HashMap<u128, SmallVec<[u64; 2]>>,
    scopes: HashMap<u128, ScopeState>,
    answered: Recent<Answered>,
    records: Recent<()>,
    retold: Retold,
    spare: Vec<Vec<u8>>,
    counts: Counts,
    tools: Option<Tools>,
}

/// A call that had its result.
#[derive(Debug)]
struct Answered {
    name: Box<[u8]>,
    class: Class,
    /// What the result said; none where the call was given up before it came.
    said: Option<u64>,
    line: u64,
}

/// How a call without result ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Scope,
    Bound,
}

impl Pairing {
    /// Starts pairing a format's events.
    pub fn new(format: Format, bounds: Bounds) -> Self {
        Self {
            format,
            bounds,
            keys: Keys::default(),
            file: 0,
            files: Vec::new(),
            open: BTreeMap::new(),
            next: 0,
            bytes: 0,
            ids: HashMap::new(),
            scopes: HashMap::new(),
            answered: Recent::new(bounds.answered),
            records: Recent::new(bounds.records),
            retold: Retold::new(bounds.answered),
            spare: Vec::new(),
            counts: Counts::default(),
            tools: None,
        }
    }

    /// Keeps an account of every tool, for [`Pairing::tools`].
    #[must_use]
    pub fn account(mut self) -> Self {
        self.tools = Some(Tools::default());
        self
    }

    /// Returns the account of every tool, where one is kept.
    pub fn tools(&self) -> Option<&Tools> {
        self.tools.as_ref()
    }

    /// Returns how many there were of what, so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Says that what follows is from another file; `None` where it has no name.
    pub fn start_file(&mut self, name: Option<&str>) {
        let mut rendered = Vec::new();
        fields::write_inside(name.unwrap_or_default(), &mut rendered);
        self.file = self.files.len();
        self.files.push(rendered.into());
    }

    /// Takes the events of some lines and appends the inputs that they complete.
    pub fn feed(&mut self, events: &Events, out: &mut Inputs) {
        let text = events.text();
        for event in events.iter() {
            match &event.what {
                What::Call(call) => self.call(event, call, text, out),
                What::Result(outcome) if outcome.way == Way::Once => self.result(event, outcome, text, out),
                What::Result(outcome) => self.retold_result(event, outcome, text, out),
                What::Settled => {
                    let scope = self.scope_key(event.scope, event.line, text);
                    self.settle_scope(scope, out);
                }
                What::Turn => {
                    let next = self.next;
                    let (_, scope) = self.scope(event.scope, event.line, text, out);
                    scope.batch_from = next;
                }
                What::Facts(facts) => self.facts(event, facts, text, out),
                What::Reclass { id, class } => self.reclass(event, *id, *class, text),
                What::End => {
                    let scope = self.scope_key(event.scope, event.line, text);
                    self.end_scope(scope, End::Scope, out);
                }
                What::Skipped => self.counts.skipped += 1,
                What::Broken(fault) => {
                    self.counts.broken += 1;
                    let place = place(self.format, &self.files, self.file, event.line);
                    let fault = *fault;
                    out.push(self.file, event.line, Some(fault), |out| write_broken(place, fault, out));
                }
            }
        }
    }

    /// Says that the file is at its end: calls that wait in a scope that ends with it are unanswered.
    pub fn end_file(&mut self, out: &mut Inputs) {
        self.settle_nameless(
            |pairing, open| pairing.scopes.get(&open.scope).is_none_or(|scope| !scope.global),
            out,
        );
        let ends: Vec<u64> = (self.open.iter())
            .filter(|(_, open)| self.scopes.get(&open.scope).is_none_or(|scope| !scope.global))
            .map(|(at, _)| *at)
            .collect();
        for at in ends {
            self.give_up(at, End::Scope, out);
        }
        self.scopes.retain(|_, scope| scope.global);
    }

    /// Says that nothing follows.
    pub fn finish(&mut self, out: &mut Inputs) {
        self.settle_nameless(|_, _| true, out);
        while let Some((&at, _)) = self.open.first_key_value() {
            self.give_up(at, End::Scope, out);
        }
        self.scopes.clear();
    }

    fn seen(&mut self, record: Span, text: &[u8]) -> bool {
        !record.is_empty() && self.records.insert(self.keys.of(0, record.of(text)), ()).is_some()
    }

    fn call(&mut self, event: &Event, call: &Call, text: &[u8], out: &mut Inputs) {
        if self.seen(call.record, text) {
            self.counts.duplicates += 1;
            return;
        }
        if call.way != Way::Once && self.retold_call(event, call, text, out) {
            return;
        }
        self.counts.calls += 1;
        if let Some(tools) = &mut self.tools {
            tools.called(call.name.of(text));
        }
        let next = self.next;
        let (scope, state) = self.scope(event.scope, event.line, text, out);
        if state.batch != call.batch {
            (state.batch, state.batch_from) = (call.batch, next);
        }
        let id = (!call.id.is_empty()).then(|| self.keys.of(scope, call.id.of(text)));
        if let Some(id) = id {
            self.answered.remove(id);
            // A result that came first awaits its call.
            let waiting = self.ids.get(&id).and_then(|ats| ats.iter().copied().find(|at| self.is_bare(*at)));
            if let Some(open) = waiting.and_then(|at| self.open.get_mut(&at)) {
                self.bytes -= open.size();
                open.call = Some((call.kept(text, &mut open.call_text), event.line));
                open.batch = call.batch;
                self.bytes += open.size();
                return;
            }
        }
        let mut call_text = self.spare.pop().unwrap_or_default();
        let kept = call.kept(text, &mut call_text);
        self.insert(Open {
            scope,
            id,
            batch: call.batch,
            file: self.file,
            call: Some((kept, event.line)),
            held: None,
            duplicates: SmallVec::new(),
            call_text,
            held_text: Vec::new(),
            retold: self.ties(scope, call.way, text),
        });
        self.keep_bounds(scope, out);
    }

    fn reclass(&mut self, event: &Event, id: Span, class: Class, text: &[u8]) {
        let scope = self.scope_key(event.scope, event.line, text);
        let at = self.by_id(self.keys.of(scope, id.of(text)), b"");
        if let Some((call, _)) = at.and_then(|at| self.open.get_mut(&at)).and_then(|open| open.call.as_mut())
        {
            call.class = class;
        }
    }

    fn result(&mut self, event: &Event, outcome: &Outcome, text: &[u8], out: &mut Inputs) {
        if self.seen(outcome.record, text) {
            self.counts.duplicates += 1;
            return;
        }
        let (scope, _) = self.scope(event.scope, event.line, text, out);
        let answers = if outcome.answers.is_empty() { outcome.id } else { outcome.answers };
        let id = (!answers.is_empty()).then(|| self.keys.of(scope, answers.of(text)));
        let name = outcome.name.of(text);
        let found = match id {
            Some(id) => self.by_id(id, name),
            None if outcome.positional => self.by_place(scope, name),
            None => None,
        };
        let Some(at) = found else {
            return self.unmatched(event, scope, id, outcome, text, out);
        };
        if !outcome.settles {
            self.hold(at, event.line, outcome, text);
            return self.keep_bounds(scope, out);
        }
        let pairing = if id.is_some() { Paired::ById } else { Paired::ByPlace };
        if outcome.more {
            // The call stays open, so its parts are lent for one input.
            let Some(open) = self.open.remove(&at) else { return };
            let open = self.complete(open, Some((outcome, event.line, text)), pairing, out);
            self.open.insert(at, open);
            return;
        }
        let Some(open) = self.remove(at) else { return };
        let open = self.complete(open, Some((outcome, event.line, text)), pairing, out);
        self.recycle(open.call_text);
        self.recycle(open.held_text);
    }

    /// Takes a result for which no call is open.
    fn unmatched(
        &mut self,
        event: &Event,
        scope: u128,
        id: Option<u128>,
        outcome: &Outcome,
        text: &[u8],
        out: &mut Inputs,
    ) {
        let name = outcome.name.of(text);
        let answered = id
            .and_then(|id| self.answered.get(id))
            .filter(|answered| name.is_empty() || answered.name.is_empty() || *answered.name == *name);
        if answered.is_none() && outcome.needs_call {
            self.counts.skipped += 1;
            return;
        }
        let class = answered.map_or(Class::ANY, |answered| answered.class);
        let Some(reading) = outcome.reading_for(class) else { return };
        let said = said(reading, text);
        if let Some(answered) = answered
            && answered.said.is_some()
            && (!outcome.settles || answered.said == Some(said))
        {
            self.counts.duplicates += 1;
            return;
        }
        if !outcome.settles {
            let mut held_text = self.spare.pop().unwrap_or_default();
            let held = outcome.kept(text, &mut held_text);
            let held = Some((held, event.line));
            self.insert(Open { held, held_text, ..Open::bare(scope, id, self.file) });
            return self.keep_bounds(scope, out);
        }
        let (pairing, known_name, contradicts) = match answered {
            Some(Answered { said: Some(_), name, line, .. }) => (Paired::ById, &name[..], Some(*line)),
            Some(Answered { said: None, name, .. }) => (Paired::Evicted, &name[..], None),
            None if outcome.own_call => (Paired::OneRecord, &[][..], None),
            None => (Paired::NoCall, &[][..], None),
        };
        let parts = Parts {
            place: place(self.format, &self.files, self.file, event.line),
            pairing,
            call: None,
            result: Some(ResultPart { outcome, reading, text }),
            known: self.scopes.get(&scope).map(|state| &state.known),
            name: known_name,
            id: &[],
            arguments: &[],
            duplicates: &[],
            contradicts,
        };
        self.counts.results += 1;
        self.counts.calls += u64::from(pairing == Paired::OneRecord);
        self.counts.without_call += u64::from(pairing == Paired::NoCall);
        if let Some(tools) = &mut self.tools {
            if pairing == Paired::OneRecord {
                tools.called(parts.tool());
            }
            tools.answered(parts.tool(), reading, outcome.observed_at.of(text));
        }
        out.push(self.file, event.line, None, |out| parts.write(out));
        if let Some(id) = id.filter(|_| !outcome.more) {
            let name = parts.tool().into();
            self.answered.insert(id, Answered { name, class, said: Some(said), line: event.line });
        }
    }

    /// Writes the input of an open call with its result: the one that settles it, or the one that is held.
    fn complete(
        &mut self,
        mut open: Open,
        settled: Option<(&Outcome, u64, &[u8])>,
        pairing: Paired,
        out: &mut Inputs,
    ) -> Open {
        self.adopt(&mut open, settled);
        let held = open.held.take();
        let (outcome, line, text) = match (&held, settled) {
            (Some((held, held_line)), Some((outcome, line, text))) => {
                if held.rank >= outcome.rank {
                    open.duplicates.push(line);
                    (held, *held_line, &open.held_text[..])
                } else {
                    open.duplicates.push(*held_line);
                    (outcome, line, text)
                }
            }
            (None, Some(settled)) => settled,
            (Some((held, line)), None) => (held, *line, &open.held_text[..]),
            (None, None) => return open,
        };
        let call =
            (open.call.as_ref()).map(|(call, line)| CallPart { call, text: &open.call_text, line: *line });
        let class = call.map_or(Class::ANY, |part| part.call.class);
        let Some(reading) = outcome.reading_for(class) else { return open };
        let pairing = match call {
            Some(_) if open.retold.by_place => Paired::ByPlace,
            Some(_) => pairing,
            None if outcome.own_call => Paired::OneRecord,
            None => Paired::NoCall,
        };
        let parts = Parts {
            place: place(self.format, &self.files, open.file, line),
            pairing,
            call,
            result: Some(ResultPart { outcome, reading, text }),
            known: self.scopes.get(&open.scope).map(|state| &state.known),
            name: &[],
            id: &open.retold.id,
            arguments: &open.retold.arguments,
            duplicates: &open.duplicates,
            contradicts: None,
        };
        self.counts.results += 1;
        self.counts.calls += u64::from(pairing == Paired::OneRecord);
        self.counts.without_call += u64::from(pairing == Paired::NoCall);
        self.counts.duplicates += open.duplicates.len() as u64;
        if let Some(tools) = &mut self.tools {
            if pairing == Paired::OneRecord {
                tools.called(parts.tool());
            }
            tools.answered(parts.tool(), reading, outcome.observed_at.of(text));
        }
        out.push(open.file, line, None, |out| parts.write(out));
        let said = said(reading, text);
        for id in open.id.iter().chain(&open.retold.keys).filter(|_| !outcome.more) {
            let name = parts.tool().into();
            self.answered.insert(*id, Answered { name, class, said: Some(said), line });
        }
        open
    }

    /// Ends the wait for a result.
    fn give_up(&mut self, at: u64, end: End, out: &mut Inputs) {
        let Some(open) = self.remove(at) else { return };
        if open.held.is_some() {
            let open = self.complete(open, None, Paired::ById, out);
            self.recycle(open.call_text);
            return self.recycle(open.held_text);
        }
        let Some((call, line)) = &open.call else { return };
        let pairing = match end {
            End::Scope => Paired::Unanswered,
            End::Bound => Paired::Evicted,
        };
        let parts = Parts {
            place: place(self.format, &self.files, open.file, *line),
            pairing,
            call: Some(CallPart { call, text: &open.call_text, line: *line }),
            result: None,
            known: self.scopes.get(&open.scope).map(|state| &state.known),
            name: &[],
            id: &[],
            arguments: &[],
            duplicates: &[],
            contradicts: None,
        };
        match end {
            End::Scope => self.counts.unanswered += 1,
            End::Bound => self.counts.evicted += 1,
        }
        if let Some(tools) = &mut self.tools {
            tools.unanswered(parts.tool());
        }
        out.push(open.file, *line, None, |out| parts.write(out));
        if let (Some(id), End::Bound) = (open.id, end) {
            let name = parts.tool().into();
            self.answered.insert(id, Answered { name, class: call.class, said: None, line: *line });
        }
        self.recycle(open.call_text);
    }
}

/// Names a line of a file.
fn place(format: Format, files: &[Box<[u8]>], file: usize, line: u64) -> Place<'_> {
    Place { format, file: files.get(file).map(|name| &**name).unwrap_or_default(), line }
}

/// A digest of what a reading says, to tell a repeated result from another one.
fn said(reading: &super::event::Reading, text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    reading.kind.hash(&mut hasher);
    reading.members.of(text).hash(&mut hasher);
    hasher.finish()
}
