//! What a reader of one format works with while it reads one record.

use super::event::{
    Call, Class, Events, Facts, Fault, Form, Locator, Outcome, Reading, Scope, Signal, Span, What,
};
use super::fields::{self, Fields};
use super::payload::Texts;
use crate::input::Kind;
use crate::time::Timestamp;
use crate::value::{Parser, Value};

/// Fragments under construction; the memory of [`Cx`].
#[derive(Default)]
pub(super) struct Drafts {
    texts: Texts,
    inner: Option<Box<Parser>>,
    members: Fields,
    notes: Fields,
    metadata: Fields,
    origin: Fields,
}

/// One record being read: fragments to write into, and the events to push.
pub struct Cx<'a> {
    line: u64,
    events: &'a mut Events,
    /// Tells forms of text and writes payloads.
    pub texts: &'a mut Texts,
    /// The kind's members of the reading under construction.
    pub members: &'a mut Fields,
    /// The metadata of the reading under construction.
    pub notes: &'a mut Fields,
    /// The metadata of the call or result under construction.
    pub metadata: &'a mut Fields,
    /// The `origin` members of the call or result under construction.
    pub origin: &'a mut Fields,
    /// Reads documents inside of records; away while one is being read.
    inner: &'a mut Option<Box<Parser>>,
    pushed: usize,
    in_line: bool,
}

impl<'a> Cx<'a> {
    pub(super) fn new(line: u64, events: &'a mut Events, drafts: &'a mut Drafts) -> Self {
        let Drafts { texts, inner, members, notes, metadata, origin } = drafts;
        for fields in [&mut *members, &mut *notes, &mut *metadata, &mut *origin] {
            fields.clear();
        }
        let pushed = events.len();
        Self { line, events, texts, members, notes, metadata, origin, inner, pushed, in_line: false }
    }

    /// Ends the line's own scope, and counts a record that said nothing as skipped.
    pub(super) fn finish(self) {
        if self.in_line {
            self.events.push(self.line, Scope::Line, What::End);
        }
        if self.events.len() == self.pushed {
            self.events.push(self.line, Scope::Line, What::Skipped);
        }
    }

    /// Returns the number of the line in its file.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Keeps a string.
    pub fn string(&mut self, text: &str) -> Span {
        self.events.string(text)
    }

    /// Keeps a string where there is one: the value is a string and not empty.
    pub fn opt_string(&mut self, value: Option<Value<'_>>) -> Span {
        match value.and_then(Value::as_str) {
            Some(text) => self.string(text),
            None => Span::default(),
        }
    }

    /// Keeps several strings as one.
    pub fn joined(&mut self, parts: &[&str]) -> Span {
        self.events.written(|out| parts.iter().for_each(|part| fields::write_inside(part, out)))
    }

    /// Keeps a time where it is one: ISO 8601 with an offset. One without is none, since no zone is recorded.
    pub fn time(&mut self, value: Option<Value<'_>>) -> Span {
        match value.and_then(Value::as_str).filter(|text| Timestamp::parse(text).is_ok()) {
            Some(text) => self.string(text),
            None => Span::default(),
        }
    }

    /// Keeps an object of the members that there are.
    pub fn object(&mut self, members: &[(&str, Option<Value<'_>>)]) -> Span {
        self.events.written(|out| {
            out.push(b'{');
            for (name, value) in members.iter().filter_map(|(name, value)| Some((*name, (*value)?))) {
                if out.last() != Some(&b'{') {
                    out.push(b',');
                }
                crate::canon::write_string(name, out);
                out.push(b':');
                fields::write_value(value, out);
            }
            out.push(b'}');
        })
    }

    /// Keeps one JSON value that `write` writes; `write` only appends.
    pub fn written(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Span {
        self.events.written(write)
    }

    /// Keeps a value as JSON.
    pub fn json(&mut self, value: Value<'_>) -> Span {
        self.events.written(|out| fields::write_value(value, out))
    }

    /// Keeps arguments that are JSON text: their value, or the text itself as a string where it is no JSON.
    pub fn arguments_text(&mut self, text: &str) -> Span {
        let Self { texts, events, .. } = self;
        texts
            .parsed(text, |value| events.written(|out| fields::write_value(value, out)))
            .unwrap_or_else(|| events.written(|out| crate::canon::write_string(text, out)))
    }

    /// Keeps arguments as they are recorded: a string is JSON text or plain text, anything else is itself.
    pub fn arguments(&mut self, value: Option<Value<'_>>) -> Span {
        match value {
            None => Span::default(),
            Some(value) => match value.as_str() {
                Some(text) => self.arguments_text(text),
                None if value.is_null() => Span::default(),
                None => self.json(value),
            },
        }
    }

    /// Runs `then` on the document of a text that is JSON.
    pub fn within<R>(&mut self, text: &str, then: impl FnOnce(Value<'_>, &mut Self) -> R) -> Option<R> {
        let mut parser = self.inner.take().unwrap_or_default();
        let done = parser.parse(text.as_bytes()).ok().map(|document| then(document.root(), self));
        *self.inner = Some(parser);
        done
    }

    /// Takes `cx.metadata`.
    pub fn take_metadata(&mut self) -> Span {
        take(self.metadata, self.events)
    }

    /// Takes `cx.origin`.
    pub fn take_origin(&mut self) -> Span {
        take(self.origin, self.events)
    }

    /// Takes `cx.members` and `cx.notes` as a way to read a result that did not fail and is whole.
    pub fn reading(&mut self, class: Class, kind: Kind, form: Form, signal: Signal) -> Reading {
        Reading {
            class,
            kind,
            members: take(self.members, self.events),
            metadata: take(self.notes, self.events),
            source_ref: Span::default(),
            form,
            signal,
            failed: false,
            conflict: false,
            truncated: false,
        }
    }

    /// Makes a way to read that is no evidence, for a reason: the call was refused, has not ended, or the like.
    pub fn no_evidence(&mut self, class: Class, reason: &str, signal: Signal) -> Reading {
        self.members.clear();
        self.notes.str("reason", reason);
        self.reading(class, Kind::ClaimOnly, Form::Absent, signal)
    }

    /// Makes the observation id `#L<line><suffix>` within the session or file.
    pub fn at_line(&mut self, suffix: &str) -> Locator {
        let line = self.line;
        Locator::InSession(self.events.written(|out| {
            out.extend_from_slice(b"#L");
            out.extend_from_slice(itoa::Buffer::new().format(line).as_bytes());
            fields::write_inside(suffix, out);
        }))
    }

    /// Pushes a call.
    pub fn call(&mut self, scope: Scope, call: Call) {
        self.push(scope, What::Call(Box::new(call)));
    }

    /// Pushes a result.
    pub fn result(&mut self, scope: Scope, outcome: Outcome) {
        self.push(scope, What::Result(Box::new(outcome)));
    }

    /// Pushes a message without calls.
    pub fn turn(&mut self, scope: Scope) {
        self.push(scope, What::Turn);
    }

    /// Pushes what holds from here on.
    pub fn facts(&mut self, scope: Scope, facts: Facts) {
        self.push(scope, What::Facts(Box::new(facts)));
    }

    /// Says that the open call with this id is of another class.
    pub fn reclass(&mut self, scope: Scope, id: Span, class: Class) {
        self.push(scope, What::Reclass { id, class });
    }

    /// Ends a scope.
    pub fn end(&mut self, scope: Scope) {
        self.push(scope, What::End);
    }

    /// Says that no better record of the results in a scope is to be expected.
    pub fn settled(&mut self, scope: Scope) {
        self.push(scope, What::Settled);
    }

    /// Says that the record is none about tools.
    pub fn skipped(&mut self) {
        self.push(Scope::Line, What::Skipped);
    }

    /// Says that a result is recorded here which cannot be read; `what` says what was expected, without its content.
    pub fn broken(&mut self, what: &'static str) {
        self.push(Scope::Line, What::Broken(Fault::Shape(what)));
    }

    fn push(&mut self, scope: Scope, what: What) {
        self.in_line |=
            scope == Scope::Line && matches!(what, What::Call(_) | What::Result(_) | What::Facts(_));
        self.events.push(self.line, scope, what);
    }
}

fn take(fields: &mut Fields, events: &mut Events) -> Span {
    let span = events.rendered(fields.as_bytes());
    fields.clear();
    span
}
