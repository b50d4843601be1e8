//! Where ids and places count: a line, a file, a session; what is known of each, and how many are remembered.

use std::collections::BTreeSet;

use super::{End, Pairing};
use crate::import::event::{Event, Facts, Scope};
use crate::import::inputs::Inputs;
use crate::import::render::Known;

#[derive(Debug, Default)]
pub(super) struct ScopeState {
    pub(super) global: bool,
    pub(super) open: BTreeSet<u64>,
    pub(super) batch: u64,
    /// The first place in `open` that the latest message may have.
    pub(super) batch_from: u64,
    pub(super) known: Known,
    pub(super) used: u64,
}

impl Pairing {
    pub(super) fn scope_key(&self, scope: Scope, line: u64, text: &[u8]) -> u128 {
        let file = (self.file as u128) << 64;
        match scope {
            Scope::Line => self.keys.of(file | u128::from(line), b"line"),
            Scope::File => self.keys.of(file, b"file"),
            // Not the file: a session that is exported twice is one session.
            Scope::Named(name) => self.keys.of(u128::MAX, name.of(text)),
            Scope::Global(name) => self.keys.of(u128::MAX - 1, name.of(text)),
        }
    }

    pub(super) fn scope(
        &mut self,
        scope: Scope,
        line: u64,
        text: &[u8],
        out: &mut Inputs,
    ) -> (u128, &mut ScopeState) {
        let key = self.scope_key(scope, line, text);
        if self.scopes.len() >= self.bounds.scopes && !self.scopes.contains_key(&key) {
            self.forget_scopes(out);
        }
        let used = self.next;
        let state = self.scopes.entry(key).or_default();
        state.global = matches!(scope, Scope::Global(_));
        state.used = used;
        (key, state)
    }

    /// Gives up the half of the scopes that was not used for longest, so that the cost is spread over many.
    pub(super) fn forget_scopes(&mut self, out: &mut Inputs) {
        let mut ages: Vec<(u64, u128)> = self.scopes.iter().map(|(key, scope)| (scope.used, *key)).collect();
        ages.sort_unstable();
        ages.truncate(ages.len().div_ceil(2));
        for (_, key) in ages {
            self.end_scope(key, End::Bound, out);
        }
    }

    pub(super) fn end_scope(&mut self, key: u128, end: End, out: &mut Inputs) {
        self.settle_nameless_in(key, out);
        while let Some(&at) = self.scopes.get(&key).and_then(|scope| scope.open.first()) {
            self.give_up(at, end, out);
        }
        self.scopes.remove(&key);
    }

    pub(super) fn facts(&mut self, event: &Event, facts: &Facts, text: &[u8], out: &mut Inputs) {
        /// So many tools of one scope are known by their own members.
        const TOOLS: usize = 1024;
        let (_, state) = self.scope(event.scope, event.line, text, out);
        let known = &mut state.known;
        for (span, to) in [
            (facts.session, &mut known.session),
            (facts.source_ref, &mut known.source_ref),
            (facts.source_label, &mut known.source_label),
            (facts.source_version, &mut known.source_version),
            (facts.metadata, &mut known.metadata),
        ] {
            if !span.is_empty() {
                to.clear();
                to.extend_from_slice(span.of(text));
            }
        }
        let members = facts.members.of(text);
        if facts.tool.is_empty() {
            if !members.is_empty() {
                known.members = members.to_vec();
            }
            return;
        }
        let tool = facts.tool.of(text);
        match known.tools.iter().position(|(name, _)| name == tool) {
            Some(at) => known.tools[at].1 = members.to_vec(),
            None if known.tools.len() < TOOLS => known.tools.push((tool.to_vec(), members.to_vec())),
            None => {}
        }
    }
}
