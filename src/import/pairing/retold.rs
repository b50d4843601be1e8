//! Pairing where a trace tells one call many times: as a span of the agent, of the client and of the server, as a run
//! and as a message, and in the history of every later model call. One of the records is read, the others are
//! duplicates. Knows no format.
//!
//! A record and a call are one where they have one id, where the record is the other's own start, or where one lies in
//! the other and both name the same tool. A record without any id is told apart from the announced calls of its tool
//! only by number: the single open one is its call (`positional`), one of several is answered but not named.

use smallvec::SmallVec;

use super::{Answered, Call, Class, End, Event, Inputs, Open, Outcome, Paired, Pairing, Recent, Way};

/// The rank of a record that has neither a result nor a failure.
const UNREAD: u8 = 1;

/// Beyond this many lines the other records of a result are counted only.
const LISTED: usize = 16;

/// What pairing remembers of calls that are told again.
#[derive(Debug)]
pub(super) struct Retold {
    /// How many calls and results there were of an id, or of a name among those without id.
    tallies: Recent<Tally>,
    /// How many results of a tool had no id, and no announced call to go with.
    unclaimed: Recent<u32>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    calls: u32,
    results: u32,
}

/// What ties an open call or result to other records of it.
#[derive(Debug, Default)]
pub(super) struct Ties {
    /// The keys of the records that tell of it, and of those that they lie in.
    pub(super) keys: SmallVec<[u128; 2]>,
    /// Who made the call has told its result.
    first_hand: bool,
    /// The tally of its id has counted its call, its result.
    called: bool,
    counted: bool,
    /// It has its call by place alone.
    pub(super) by_place: bool,
    /// The call's id and arguments, from whichever record tells them.
    pub(super) id: Vec<u8>,
    pub(super) arguments: Vec<u8>,
}

impl Retold {
    pub(super) fn new(capacity: usize) -> Self {
        Self { tallies: Recent::new(capacity), unclaimed: Recent::new(capacity) }
    }

    fn tally(&mut self, key: u128, count: impl FnOnce(&mut Tally)) {
        let mut tally = self.tallies.get(key).copied().unwrap_or_default();
        count(&mut tally);
        self.tallies.insert(key, tally);
    }
}

impl Ties {
    /// Keeps what the record that is read in the end may not tell.
    fn learn(&mut self, id: &[u8], arguments: &[u8]) {
        for (told, known) in [(id, &mut self.id), (arguments, &mut self.arguments)] {
            if known.is_empty() {
                known.extend_from_slice(told);
            }
        }
    }

    pub(super) fn size(&self) -> usize {
        self.id.capacity() + self.arguments.capacity()
    }
}

impl Open {
    fn name(&self) -> &[u8] {
        match (&self.call, &self.held) {
            (Some((call, _)), _) => call.name.of(&self.call_text),
            (None, Some((outcome, _))) => outcome.name.of(&self.held_text),
            (None, None) => &[],
        }
    }

    /// Returns true for a result that is recorded without any id of its call.
    fn is_nameless(&self) -> bool {
        self.call.is_none() && self.id.is_none() && !self.retold.keys.is_empty()
    }
}

impl Pairing {
    fn own_key(&self, scope: u128, own: &[u8]) -> u128 {
        self.keys.of(scope.wrapping_add(1), own)
    }

    fn child_key(&self, scope: u128, parent: &[u8]) -> u128 {
        self.keys.of(scope.wrapping_add(2), parent)
    }

    fn name_key(&self, scope: u128, name: &[u8]) -> u128 {
        self.keys.of(scope.wrapping_add(3), name)
    }

    /// Returns the ties of a call or result that is told in this way.
    pub(super) fn ties(&self, scope: u128, way: Way, text: &[u8]) -> Ties {
        let Way::Record { own, parent, .. } = way else { return Ties::default() };
        let mut keys = SmallVec::new();
        if !own.is_empty() {
            keys.push(self.own_key(scope, own.of(text)));
        }
        if !parent.is_empty() {
            keys.push(self.child_key(scope, parent.of(text)));
        }
        Ties { keys, ..Ties::default() }
    }

    /// Takes a call that was told before; returns false where it is news.
    pub(super) fn retold_call(&mut self, event: &Event, call: &Call, text: &[u8], out: &mut Inputs) -> bool {
        let (scope, _) = self.scope(event.scope, event.line, text, out);
        let name = call.name.of(text);
        let told = match call.way {
            Way::Once => false,
            Way::Record { own, .. } => {
                let own = self.own_key(scope, own.of(text));
                if let Some(at) = self.ids.get(&own).and_then(|ats| ats.first().copied()) {
                    // Another name of what is open.
                    let id = (!call.id.is_empty()).then(|| self.keys.of(scope, call.id.of(text)));
                    self.tie(at, None, id.as_slice(), false);
                    return true;
                }
                // A start that names no tool is about something else.
                self.answered.get(own).is_some() || name.is_empty()
            }
            Way::History(nth) => {
                let id = (!call.id.is_empty()).then(|| self.keys.of(scope, call.id.of(text)));
                let key = id.unwrap_or_else(|| self.name_key(scope, name));
                if self.retold.tallies.get(key).is_some_and(|tally| tally.calls >= nth) {
                    true
                } else {
                    self.retold.tally(key, |tally| tally.calls = nth);
                    id.is_some_and(|id| self.claim(scope, id, nth, name, event.line))
                }
            }
        };
        self.counts.duplicates += u64::from(told);
        told
    }

    /// Lets a call have a result that was told without id before.
    fn claim(&mut self, scope: u128, id: u128, nth: u32, name: &[u8], line: u64) -> bool {
        let by_name = self.name_key(scope, name);
        let Some(left) = self.retold.unclaimed.get(by_name).and_then(|count| count.checked_sub(1)) else {
            return false;
        };
        self.retold.unclaimed.insert(by_name, left);
        self.retold.tally(id, |tally| tally.results = tally.results.max(nth));
        self.answered.insert(id, Answered { name: name.into(), class: Class::ANY, said: Some(0), line });
        true
    }

    /// Takes a result that may be told in other records too.
    pub(super) fn retold_result(&mut self, event: &Event, outcome: &Outcome, text: &[u8], out: &mut Inputs) {
        if self.seen(outcome.record, text) {
            self.counts.duplicates += 1;
            return;
        }
        let (scope, _) = self.scope(event.scope, event.line, text, out);
        match outcome.way {
            Way::History(nth) => self.history_result(event, scope, nth, outcome, text),
            Way::Record { own, parent, first_hand } => {
                let (own, parent) = (own.of(text), parent.of(text));
                if let Some(at) = self.record_result(event, scope, (own, parent, first_hand), outcome, text)
                    && let Some(open) = outcome.settles.then(|| self.remove(at)).flatten()
                {
                    let open = self.complete(open, Some((outcome, event.line, text)), Paired::ById, out);
                    self.recycle(open.call_text);
                    return self.recycle(open.held_text);
                }
            }
            Way::Once => {}
        }
        self.keep_bounds(scope, out);
    }

    fn history_result(&mut self, event: &Event, scope: u128, nth: u32, outcome: &Outcome, text: &[u8]) {
        let name = outcome.name.of(text);
        let id = (!outcome.id.is_empty()).then(|| self.keys.of(scope, outcome.id.of(text)));
        let key = id.unwrap_or_else(|| self.name_key(scope, name));
        if self.retold.tallies.get(key).is_some_and(|tally| tally.results >= nth) {
            let held = id.and_then(|id| self.ids.get(&id)?.last().copied());
            return self.duplicate(held, event.line);
        }
        self.retold.tally(key, |tally| {
            (tally.calls, tally.results) = (tally.calls.max(nth), nth);
        });
        let by_place = id.is_none() && outcome.positional;
        let at = match id {
            Some(id) => self.by_id(id, name),
            None if by_place => self.by_place(scope, name),
            None => None,
        };
        let at = at.unwrap_or_else(|| self.insert_empty(scope, id));
        self.hold(at, event.line, outcome, text);
        if let Some(open) = self.open.get_mut(&at) {
            open.retold.counted = true;
            open.retold.by_place = by_place;
        }
    }

    /// Notes another record of a result: on the one that is held, or only in the count.
    fn duplicate(&mut self, held: Option<u64>, line: u64) {
        match held.and_then(|at| self.open.get_mut(&at)) {
            Some(open) if open.held.is_some() && open.duplicates.len() < LISTED => {
                if open.duplicates.contains(&line) {
                    self.counts.duplicates += 1;
                    return;
                }
                let size = open.size();
                open.duplicates.push(line);
                self.bytes += open.size() - size;
            }
            _ => self.counts.duplicates += 1,
        }
    }

    fn insert_empty(&mut self, scope: u128, id: Option<u128>) -> u64 {
        let at = self.next;
        let held_text = self.spare.pop().unwrap_or_default();
        self.insert(Open { held_text, ..Open::bare(scope, id, self.file) });
        at
    }

    /// Finds what a record belongs to and ties it to that; returns where its result is awaited, `None` where another
    /// record was read already. The result is held unless it settles.
    fn record_result(
        &mut self,
        event: &Event,
        scope: u128,
        (own, parent, first_hand): (&[u8], &[u8], bool),
        outcome: &Outcome,
        text: &[u8],
    ) -> Option<u64> {
        let name = outcome.name.of(text);
        let id = (!outcome.id.is_empty()).then(|| self.keys.of(scope, outcome.id.of(text)));
        let keys = self.ties(scope, outcome.way, text).keys;
        let own_key = (!own.is_empty()).then(|| self.own_key(scope, own));
        let within = (!own.is_empty()).then(|| self.child_key(scope, own));
        let around = (!parent.is_empty()).then(|| self.own_key(scope, parent));
        let near = || within.iter().chain(&around).filter(|_| !name.is_empty());
        let mut related: SmallVec<[u64; 4]> =
            own_key.iter().filter_map(|key| self.ids.get(key)).flatten().copied().collect();
        for at in near().filter_map(|key| self.ids.get(key)).flatten() {
            let same = self.open.get(at).is_some_and(|open| open.name() == name);
            if same && !related.contains(at) {
                related.push(*at);
            }
        }
        let by_id = id.and_then(|id| self.awaiting(id, name, first_hand));
        if by_id.is_none() {
            let named = |answered: &&Answered| !name.is_empty() && *answered.name == *name;
            let line = own_key
                .iter()
                .find_map(|key| self.answered.get(*key))
                .or_else(|| near().find_map(|key| self.answered.get(*key).filter(named)))
                .or_else(|| {
                    id.filter(|_| !first_hand && related.is_empty())
                        .and_then(|id| self.answered.get(id).filter(named))
                })
                .map(|answered| answered.line);
            if let Some(line) = line {
                self.read_before(&related, &keys, name, line);
                return None;
            }
            if related.is_empty() && outcome.needs_call {
                self.counts.skipped += 1;
                return None;
            }
        }
        let target = by_id.or_else(|| related.first().copied());
        let at = target.unwrap_or_else(|| self.insert_empty(scope, id));
        related.into_iter().filter(|other| *other != at).for_each(|other| self.absorb(other, at));
        self.tie(at, id, &keys, outcome.rank > UNREAD);
        if let Some(open) = self.open.get_mut(&at) {
            open.retold.first_hand |= first_hand;
            if !outcome.settles || open.held.is_some() {
                let size = open.size();
                open.retold.learn(outcome.id.of(text), outcome.arguments.of(text));
                self.bytes = self.bytes + open.size() - size;
            }
        }
        if !outcome.settles {
            self.hold(at, event.line, outcome, text);
        }
        Some(at)
    }

    /// The open call or held result with an id that a record may tell of: of the latest message the first.
    fn awaiting(&self, id: u128, name: &[u8], first_hand: bool) -> Option<u64> {
        let mut found: Option<(u64, u64)> = None;
        for &at in self.ids.get(&id)?.iter().rev() {
            let fits = |open: &&Open| open.may_be_called(name) && !(first_hand && open.retold.first_hand);
            let Some(open) = self.open.get(&at).filter(fits) else { continue };
            match found {
                Some((batch, _)) if batch != open.batch => break,
                _ => found = Some((open.batch, at)),
            }
        }
        found.map(|(_, at)| at)
    }

    /// Drops a record, and others that wait for it, of a call whose result was read.
    fn read_before(&mut self, related: &[u64], keys: &[u128], name: &[u8], line: u64) {
        self.counts.duplicates += 1;
        let mut keys: SmallVec<[u128; 4]> = keys.into();
        for at in related {
            let Some(open) = self.remove(*at) else { continue };
            self.counts.duplicates += u64::from(open.held.is_some()) + open.duplicates.len() as u64;
            keys.extend(open.retold.keys);
        }
        for key in keys {
            self.answered.insert(key, Answered { name: name.into(), class: Class::ANY, said: Some(0), line });
        }
    }

    /// Adds an id and keys to what is open; counts its call once, and its result once where one is `read`.
    fn tie(&mut self, at: u64, id: Option<u128>, keys: &[u128], read: bool) {
        let Some(open) = self.open.get_mut(&at) else { return };
        let size = open.size();
        if let (None, Some(id)) = (open.id, id) {
            open.id = Some(id);
            self.ids.entry(id).or_default().push(at);
        }
        for key in keys {
            if !open.retold.keys.contains(key) {
                open.retold.keys.push(*key);
                self.ids.entry(*key).or_default().push(at);
            }
        }
        self.bytes = self.bytes + open.size() - size;
        let Some(id) = open.id else { return };
        let call = !std::mem::replace(&mut open.retold.called, true) && open.call.is_none();
        let result = read && !std::mem::replace(&mut open.retold.counted, true);
        self.retold.tally(id, |tally| {
            tally.results += u32::from(result);
            tally.calls = tally.results.max(tally.calls + u32::from(call));
        });
    }

    /// Moves what is known under one entry to another: both are about one call.
    fn absorb(&mut self, other: u64, at: u64) {
        let Some(other) = self.remove(other) else { return };
        if let Some((outcome, line)) = &other.held {
            self.hold(at, *line, outcome, &other.held_text);
        }
        other.duplicates.iter().for_each(|line| self.duplicate(Some(at), *line));
        let read = other.held.as_ref().is_some_and(|(outcome, _)| outcome.rank > UNREAD);
        self.tie(at, other.id, &other.retold.keys, read);
        if let Some(open) = self.open.get_mut(&at) {
            let size = open.size();
            open.retold.first_hand |= other.retold.first_hand;
            open.retold.learn(&other.retold.id, &other.retold.arguments);
            self.bytes = self.bytes + open.size() - size;
        }
        self.recycle(other.call_text);
        self.recycle(other.held_text);
    }

    /// Finds the call of a result that was recorded without any id, now that it is read.
    pub(super) fn adopt(&mut self, open: &mut Open, settled: Option<(&Outcome, u64, &[u8])>) {
        if !open.is_nameless() {
            return;
        }
        let (name, rank) = match (settled, &open.held) {
            (Some((outcome, _, text)), _) => (outcome.name.of(text).to_vec(), outcome.rank),
            (None, Some((outcome, _))) => (outcome.name.of(&open.held_text).to_vec(), outcome.rank),
            (None, None) => return,
        };
        let name = &name[..];
        let by_name = self.name_key(open.scope, name);
        let fits = |at: &u64| {
            self.open.get(at).is_some_and(|other| {
                other.call.is_some()
                    && other.retold.keys.is_empty()
                    && other.held.as_ref().is_none_or(|(held, _)| held.rank < rank)
                    && other.name() == name
            })
        };
        let state = self.scopes.get(&open.scope).filter(|_| !name.is_empty());
        let mut announced = state.into_iter().flat_map(|state| state.open.iter().copied()).filter(fits);
        let (first, second) = (announced.next(), announced.next());
        drop(announced);
        let Some(call) = first.and_then(|at| self.remove(at)) else {
            self.retold.tally(by_name, |tally| {
                tally.calls += 1;
                tally.results += 1;
            });
            let unclaimed = self.retold.unclaimed.get(by_name).copied().unwrap_or_default();
            self.retold.unclaimed.insert(by_name, unclaimed.saturating_add(1));
            return;
        };
        if let Some(id) = call.id.filter(|_| !call.retold.counted) {
            self.retold.tally(id, |tally| tally.results += 1);
        }
        if second.is_none() {
            open.duplicates.extend(call.held.iter().map(|(_, line)| *line));
            open.duplicates.extend(call.duplicates.iter().copied());
            (open.id, open.call, open.call_text) = (call.id, call.call, call.call_text);
            open.retold.by_place = true;
        } else if let Some(id) = call.id {
            let line = call.call.map_or(0, |(_, line)| line);
            self.answered.insert(id, Answered { name: name.into(), class: Class::ANY, said: Some(0), line });
        }
    }

    /// Reads the results that are held in a scope. Records without a payload wait on: another process may tell it.
    pub(super) fn settle_scope(&mut self, scope: u128, out: &mut Inputs) {
        let Some(state) = self.scopes.get(&scope) else { return };
        let read = |(outcome, _): &(Outcome, u64)| outcome.rank > UNREAD;
        let held = |at: &u64| self.open.get(at).is_some_and(|open| open.held.as_ref().is_some_and(read));
        let ats: Vec<u64> = state.open.iter().copied().filter(held).collect();
        for at in ats {
            self.give_up(at, End::Scope, out);
        }
    }

    /// As [`Self::settle_nameless`], of one scope, that ends.
    pub(super) fn settle_nameless_in(&mut self, scope: u128, out: &mut Inputs) {
        let Some(state) = self.scopes.get(&scope) else { return };
        let nameless =
            |at: &u64| self.open.get(at).is_some_and(|open| open.held.is_some() && open.is_nameless());
        let ats: Vec<u64> = state.open.iter().copied().filter(nameless).collect();
        for at in ats {
            self.give_up(at, End::Scope, out);
        }
    }

    /// Reads results without id, so that none of the calls they answer is given up first.
    pub(super) fn settle_nameless(&mut self, of: impl Fn(&Self, &Open) -> bool, out: &mut Inputs) {
        let nameless =
            |(_, open): &(&u64, &Open)| open.held.is_some() && open.is_nameless() && of(self, open);
        let ats: Vec<u64> = self.open.iter().filter(nameless).map(|(at, _)| *at).collect();
        for at in ats {
            self.give_up(at, End::Scope, out);
        }
    }
}
