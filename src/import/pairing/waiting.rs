//! What awaits a result: found by id or by place, and given up where there is too much of it.

use std::collections::BTreeSet;

use smallvec::SmallVec;

use super::{End, Pairing, retold};
use crate::import::event::{Call, Outcome};
use crate::import::inputs::Inputs;

/// A call that awaits its result, or a result that awaits a better record of itself.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) scope: u128,
    /// The key under which `ids` knows it.
    pub(super) id: Option<u128>,
    pub(super) batch: u64,
    pub(super) file: usize,
    pub(super) call: Option<(Call, u64)>,
    pub(super) held: Option<(Outcome, u64)>,
    pub(super) duplicates: SmallVec<[u64; 2]>,
    pub(super) call_text: Vec<u8>,
    pub(super) held_text: Vec<u8>,
    pub(super) retold: retold::Ties,
}

impl Open {
    /// What waits without a call and without a result.
    pub(super) fn bare(scope: u128, id: Option<u128>, file: usize) -> Self {
        Self {
            scope,
            id,
            batch: 0,
            file,
            call: None,
            held: None,
            duplicates: SmallVec::new(),
            call_text: Vec::new(),
            held_text: Vec::new(),
            retold: retold::Ties::default(),
        }
    }

    pub(super) fn size(&self) -> usize {
        size_of::<Self>()
            + size_of::<Call>()
            + self.call_text.capacity()
            + self.held_text.capacity()
            + self.retold.size()
    }

    /// A result that repeats a tool's name answers only calls of that tool.
    pub(super) fn may_be_called(&self, name: &[u8]) -> bool {
        let own = match (&self.call, &self.held) {
            (Some((call, _)), _) => call.name.of(&self.call_text),
            (None, Some((outcome, _))) => outcome.name.of(&self.held_text),
            (None, None) => &[],
        };
        name.is_empty() || own.is_empty() || own == name
    }
}

impl Pairing {
    pub(super) fn is_bare(&self, at: u64) -> bool {
        self.open.get(&at).is_some_and(|open| open.call.is_none())
    }

    pub(super) fn insert(&mut self, open: Open) {
        let at = self.next;
        self.next += 1;
        self.bytes += open.size();
        for id in open.id.iter().chain(&open.retold.keys) {
            self.ids.entry(*id).or_default().push(at);
        }
        if let Some(state) = self.scopes.get_mut(&open.scope) {
            state.open.insert(at);
        }
        self.open.insert(at, open);
    }

    pub(super) fn remove(&mut self, at: u64) -> Option<Open> {
        let open = self.open.remove(&at)?;
        self.bytes -= open.size();
        for id in open.id.iter().chain(&open.retold.keys) {
            if let Some(ats) = self.ids.get_mut(id) {
                ats.retain(|other| *other != at);
                if ats.is_empty() {
                    self.ids.remove(id);
                }
            }
        }
        if let Some(state) = self.scopes.get_mut(&open.scope) {
            state.open.remove(&at);
        }
        Some(open)
    }

    pub(super) fn recycle(&mut self, mut text: Vec<u8>) {
        const SPARE: usize = 64;
        const SMALL: usize = 16 << 10;
        if self.spare.len() < SPARE && text.capacity() <= SMALL && text.capacity() > 0 {
            text.clear();
            self.spare.push(text);
        }
    }

    pub(super) fn keep_bounds(&mut self, scope: u128, out: &mut Inputs) {
        let in_scope = self.scopes.get(&scope).map(|state| &state.open);
        if let Some(oldest) =
            in_scope.filter(|open| open.len() > self.bounds.open_in_scope).and_then(BTreeSet::first)
        {
            self.give_up(*oldest, End::Bound, out);
        }
        while self.open.len() > self.bounds.open || self.bytes > self.bounds.bytes {
            let Some((&oldest, _)) = self.open.first_key_value() else { break };
            self.give_up(oldest, End::Bound, out);
        }
    }

    /// The open call with an id: of the latest message that has one, the first.
    pub(super) fn by_id(&self, id: u128, name: &[u8]) -> Option<u64> {
        let candidates = self.ids.get(&id)?;
        let mut found: Option<(u64, u64)> = None;
        for &at in candidates.iter().rev() {
            let Some(open) = self.open.get(&at).filter(|open| open.may_be_called(name)) else { continue };
            match found {
                Some((batch, _)) if batch != open.batch => break,
                _ => found = Some((open.batch, at)),
            }
        }
        found.map(|(_, at)| at)
    }

    /// The open call whose turn it is among those of the latest message.
    pub(super) fn by_place(&self, scope: u128, name: &[u8]) -> Option<u64> {
        let state = self.scopes.get(&scope)?;
        state.open.range(state.batch_from..).copied().find(|at| {
            self.open
                .get(at)
                .is_some_and(|open| open.call.is_some() && open.held.is_none() && open.may_be_called(name))
        })
    }

    /// Keeps a result until a record settles which one is to be read.
    pub(super) fn hold(&mut self, at: u64, line: u64, outcome: &Outcome, text: &[u8]) {
        let Some(open) = self.open.get_mut(&at) else { return };
        self.bytes -= open.size();
        match &open.held {
            Some((held, _)) if held.rank >= outcome.rank => open.duplicates.push(line),
            held => {
                open.duplicates.extend(held.as_ref().map(|(_, line)| *line));
                open.held_text.clear();
                open.held = Some((outcome.kept(text, &mut open.held_text), line));
            }
        }
        self.bytes += open.size();
    }
}
