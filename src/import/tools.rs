//! An account of every tool in a trace, for people who are about to write contracts.

use std::collections::BTreeMap;

use super::event::{Form, Reading};
use crate::time::Timestamp;

/// What was seen of one tool.
#[derive(Debug, Clone, Default)]
pub struct Tool {
    /// Calls that were announced.
    pub calls: u64,
    /// Results.
    pub results: u64,
    /// Calls without result, those included that were given up.
    pub unanswered: u64,
    /// Results that are recorded as failures.
    pub errors: u64,
    /// How many results had their payload in which form.
    pub forms: BTreeMap<Form, u64>,
    /// The earliest time of a result.
    pub first: Option<Timestamp>,
    /// The latest time of a result.
    pub last: Option<Timestamp>,
}

/// The account of all tools.
#[derive(Debug, Clone, Default)]
pub struct Tools {
    /// By the tool's name as the inside of a JSON string; empty where none is known.
    tools: BTreeMap<Vec<u8>, Tool>,
}

impl Tools {
    /// Walks the tools by name; the name is the inside of a JSON string, empty where none is known.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Tool)> {
        self.tools.iter().map(|(name, tool)| (std::str::from_utf8(name).unwrap_or_default(), tool))
    }

    fn tool(&mut self, name: &[u8]) -> &mut Tool {
        if !self.tools.contains_key(name) {
            self.tools.insert(name.to_vec(), Tool::default());
        }
        self.tools.entry(name.to_vec()).or_default()
    }

    pub(super) fn called(&mut self, name: &[u8]) {
        self.tool(name).calls += 1;
    }

    pub(super) fn unanswered(&mut self, name: &[u8]) {
        self.tool(name).unanswered += 1;
    }

    pub(super) fn answered(&mut self, name: &[u8], reading: &Reading, observed_at: &[u8]) {
        let tool = self.tool(name);
        tool.results += 1;
        tool.errors += u64::from(reading.failed);
        *tool.forms.entry(reading.form).or_default() += 1;
        let at = std::str::from_utf8(observed_at).ok().and_then(|text| Timestamp::parse(text).ok());
        if let Some(at) = at {
            tool.first = Some(tool.first.map_or(at, |first| first.min(at)));
            tool.last = Some(tool.last.map_or(at, |last| last.max(at)));
        }
    }
}
