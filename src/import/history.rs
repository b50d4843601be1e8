//! Calls and results in the messages of model calls, where each model call tells the whole conversation again. Numbers
//! them, so that pairing can tell history from news; reads no format's messages.

use std::collections::{HashMap, VecDeque};

use super::Cx;
use super::event::{Call, Outcome, Scope, Way};

/// The rank of what only a message tells: below every record of the call itself that has its result.
pub(super) const RANK: u8 = 2;

/// The messages of one model call.
pub(super) struct History {
    scope: Scope,
    /// Each message has a number within the scope.
    batch: u64,
    /// By id, or by name where there is no id.
    told: HashMap<(bool, String), Told>,
    /// The names of calls without id that no result answered yet.
    nameless: VecDeque<String>,
}

#[derive(Default)]
struct Told {
    name: String,
    calls: u32,
    results: u32,
}

impl History {
    /// Starts the history of a model call, the `nth` on its line.
    pub(super) fn new(scope: Scope, nth: usize, cx: &Cx<'_>) -> Self {
        let batch = cx.line() << 32 | (nth as u64 & 0xffff) << 16;
        Self { scope, batch, told: HashMap::new(), nameless: VecDeque::new() }
    }

    /// Starts the next message.
    pub(super) fn message(&mut self) {
        self.batch += 1;
    }

    /// Pushes a call of which everything else is filled in.
    pub(super) fn call(&mut self, id: &str, name: &str, mut call: Call, cx: &mut Cx<'_>) {
        if id.is_empty() {
            self.nameless.push_back(name.to_owned());
        }
        let told = self.told.entry(key(id, name)).or_default();
        told.calls += 1;
        if told.name.is_empty() {
            name.clone_into(&mut told.name);
        }
        let way = Way::History(told.calls);
        (call.id, call.name) = (cx.string(id), cx.string(name));
        (call.batch, call.way) = (self.batch, way);
        cx.call(self.scope, call);
    }

    /// Pushes a result of which everything else is filled in; `name` is empty where it tells none.
    pub(super) fn result(&mut self, id: &str, name: &str, outcome: Outcome, cx: &mut Cx<'_>) {
        let answered = match id {
            "" => self.nameless.pop_front().unwrap_or_default(),
            _ => String::new(),
        };
        let name = if name.is_empty() { &answered[..] } else { name };
        let told = self.told.entry(key(id, name)).or_default();
        told.results += 1;
        let way = Way::History(told.results);
        let name = cx.string(if name.is_empty() { &told.name } else { name });
        let id = cx.string(id);
        cx.result(
            self.scope,
            Outcome { id, name, way, positional: true, settles: false, rank: RANK, ..outcome },
        );
    }
}

fn key(id: &str, name: &str) -> (bool, String) {
    if id.is_empty() { (true, name.to_owned()) } else { (false, id.to_owned()) }
}
