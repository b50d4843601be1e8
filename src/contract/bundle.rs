//! Bundles: contracts by tool name. From a document to a valid bundle, and from a name to its contracts.

use std::collections::HashMap;

use globset::{GlobBuilder, GlobMatcher};

use super::load;
use super::problem::{Collector, Problems, Warning};
use super::read::{self, unknown_member, with_article};
use super::{ClaimType, Contract};
use crate::value::{Kind, Value};

/// The contracts of one bundle key.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The key: a tool's name, a glob, or `default`.
    pub(crate) key: Box<str>,
    /// In the order of the bundle; at least one.
    pub(crate) contracts: Box<[Contract]>,
    /// Whether one of them is of version "2".
    has_strict: bool,
}

impl Entry {
    /// Returns the bundle key: a tool's name, a glob, or `default`.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the contracts, in the order of the bundle.
    pub fn contracts(&self) -> &[Contract] {
        &self.contracts
    }

    /// Returns true where one of the contracts is of version "2".
    pub(crate) fn has_strict(&self) -> bool {
        self.has_strict
    }

    /// Returns the contract for a claim type.
    pub fn of_claim(&self, claim: ClaimType) -> Option<&Contract> {
        self.contracts.iter().find(|contract| contract.claim_type() == claim)
    }
}

/// Contracts by tool name: exact names, globs, and a default.
#[derive(Debug, Clone, Default)]
pub struct Bundle {
    entries: Vec<Entry>,
    exact: HashMap<Box<str>, usize>,
    /// The longest literal prefix first.
    globs: Vec<(GlobMatcher, usize)>,
    default: Option<usize>,
    /// Allowed, and surely not meant.
    warnings: Vec<Warning>,
}

/// Which globs names have matched so far. A log names few tools, and a glob costs more than a look-up.
#[derive(Debug, Default)]
pub struct Lookup {
    seen: HashMap<Box<str>, Option<usize>>,
}

/// The most names that a [`Lookup`] remembers, so that a hostile log cannot make it grow.
const MOST_SEEN: usize = 4096;

impl Bundle {
    /// Returns the bundle that has one contract, for every tool.
    pub fn of_contract(contract: Contract) -> Self {
        let mut bundle = Self::default();
        bundle.default = Some(bundle.push("default", vec![contract]));
        bundle
    }

    /// Reads a bundle, or one contract, from JSON text. Repeated keys are refused.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn from_json(text: &[u8]) -> Result<Self, Problems> {
        load::json(text, load::MOST_BUNDLE_BYTES, |document| Self::from_value(document.root()))
    }

    /// Reads a bundle, or one contract, from YAML text. Repeated keys are refused.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn from_yaml(text: &[u8]) -> Result<Self, Problems> {
        load::yaml(text, &load::BUNDLE_LIMITS, |document| Self::from_value(document.root()))
    }

    /// Returns the bundle that a document is: `bundle_version`, `contracts`, `default`; or one contract for every tool.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with the member that leads there.
    pub fn from_value(document: Value<'_>) -> Result<Self, Problems> {
        let mut problems = Problems::default();
        let mut warnings = Vec::new();
        let bundle = Self::read(document, &mut Collector::with_warnings(&mut problems, &mut warnings));
        match bundle {
            Some(bundle) if problems.0.is_empty() => Ok(Self { warnings, ..bundle }),
            _ => Err(problems),
        }
    }

    fn read(document: Value<'_>, report: &mut Collector<'_>) -> Option<Self> {
        let Some(object) = document.as_object() else {
            report.invalid(format!("a bundle is an object, not {}", with_article(document)));
            return None;
        };
        if object.get("contracts").is_none() && object.get("bundle_version").is_none() {
            return read::bounded(document, report).map(Self::of_contract);
        }
        let mut bundle = Self::default();
        const MEMBERS: [&str; 3] = ["bundle_version", "contracts", "default"];
        for (key, _) in object.iter() {
            match key.as_str() {
                Some(name) if MEMBERS.contains(&name) => {}
                Some(name) => report.at(name).invalid(unknown_member(name, MEMBERS.into_iter())),
                None => report.invalid("a member's name must be a string"),
            }
        }
        match object.get("bundle_version").map(Value::kind) {
            Some(Kind::Integer(version)) if version.as_i64() == Some(1) => {}
            Some(_) => report.at("bundle_version").invalid("must be the integer 1"),
            None => report.at("bundle_version").invalid("is missing; it must be the integer 1"),
        }
        match object.get("contracts").map(|value| (value, value.as_object())) {
            Some((_, Some(contracts))) => {
                let mut report = report.at("contracts");
                for (key, value) in contracts.iter() {
                    let Some(name) = key.as_str() else {
                        report.invalid("a tool's name must be a string; put it in quotes");
                        continue;
                    };
                    bundle.add(name, value, &mut report.at(name));
                }
            }
            Some((value, None)) => report
                .at("contracts")
                .invalid(format!("must be an object of contracts by tool name, not {}", with_article(value))),
            None if object.get("default").is_some() => {}
            None => {
                report.at("contracts").invalid("is missing; it must be an object of contracts by tool name");
            }
        }
        if let Some(value) = object.get("default") {
            let contracts = contracts(value, &mut report.at("default"));
            if !contracts.is_empty() {
                bundle.default = Some(bundle.push("default", contracts));
            }
        }
        bundle.globs.sort_by_key(|(_, index)| {
            std::cmp::Reverse(bundle.entries.get(*index).map(|entry| rank(&entry.key)))
        });
        Some(bundle)
    }

    fn add(&mut self, name: &str, value: Value<'_>, report: &mut Collector<'_>) {
        if name.is_empty() {
            report.invalid("a tool's name is not empty");
        }
        let contracts = contracts(value, report);
        let index = self.entries.len();
        if name.contains(GLOB_CHARACTERS) {
            match GlobBuilder::new(name).literal_separator(false).backslash_escape(true).build() {
                Ok(glob) => self.globs.push((glob.compile_matcher(), index)),
                Err(error) => report.invalid(format!("is no glob: {}", error.kind())),
            }
        } else {
            self.exact.insert(name.into(), index);
        }
        self.push(name, contracts);
    }

    fn push(&mut self, key: &str, contracts: Vec<Contract>) -> usize {
        let has_strict = contracts.iter().any(Contract::is_strict);
        self.entries.push(Entry { key: key.into(), contracts: contracts.into(), has_strict });
        self.entries.len() - 1
    }

    /// Puts the contracts of another bundle beside those of this one.
    ///
    /// # Errors
    /// The tools, or the default, that both have.
    pub fn merge(&mut self, other: Self) -> Result<(), Problems> {
        let mut problems = Problems::default();
        let mut report = Collector::new(&mut problems);
        let known: std::collections::HashSet<&str> = self
            .entries
            .iter()
            .enumerate()
            .filter(|(index, _)| Some(*index) != self.default)
            .map(|(_, entry)| &*entry.key)
            .collect();
        for (index, entry) in other.entries.iter().enumerate() {
            let is_default = other.default == Some(index);
            if is_default && self.default.is_some() {
                report.at("default").invalid("is in an earlier file already");
            } else if !is_default && known.contains(&*entry.key) {
                report.at("contracts").at(&entry.key).invalid("is in an earlier file already");
            }
        }
        if !problems.0.is_empty() {
            return Err(problems);
        }
        let moved = self.entries.len();
        self.default = self.default.or(other.default.map(|index| index + moved));
        for (index, entry) in other.entries.iter().enumerate() {
            if other.exact.get(&entry.key) == Some(&index) {
                self.exact.insert(entry.key.clone(), index + moved);
            }
        }
        self.globs.extend(other.globs.into_iter().map(|(glob, index)| (glob, index + moved)));
        self.entries.extend(other.entries);
        self.warnings.extend(other.warnings);
        self.globs.sort_by_key(|(_, index)| {
            std::cmp::Reverse(self.entries.get(*index).map(|entry| rank(&entry.key)))
        });
        Ok(())
    }

    /// Returns the contracts of a tool: those of its exact name, else of the glob with the longest literal prefix,
    /// else the default.
    pub fn find(&self, tool_name: &str, lookup: &mut Lookup) -> Option<&Entry> {
        let index = match self.exact.get(tool_name) {
            Some(index) => Some(*index),
            None if self.globs.is_empty() => self.default,
            None => match lookup.seen.get(tool_name) {
                Some(found) => *found,
                None => {
                    let found = self.globs.iter().find(|(glob, _)| glob.is_match(tool_name));
                    let found = found.map(|(_, index)| *index).or(self.default);
                    if lookup.seen.len() >= MOST_SEEN {
                        lookup.seen.clear();
                    }
                    lookup.seen.insert(tool_name.into(), found);
                    found
                }
            },
        };
        self.entries.get(index?)
    }

    /// Returns what is allowed in the contracts and surely not meant: rules that can never hold, or never fail.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Returns true where this entry is the default.
    pub fn is_default(&self, entry: &Entry) -> bool {
        self.default
            .and_then(|index| self.entries.get(index))
            .is_some_and(|default| std::ptr::eq(default, entry))
    }

    /// Returns every entry, in the order of the files.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }
}

const GLOB_CHARACTERS: [char; 5] = ['*', '?', '[', '{', '\\'];

/// Orders globs: a longer literal prefix first, then a longer pattern, then the pattern itself.
fn rank(pattern: &str) -> (usize, usize, &str) {
    (pattern.find(GLOB_CHARACTERS).unwrap_or(pattern.len()), pattern.len(), pattern)
}

/// Returns the contracts of one bundle key: one, or an array of several with different claim types.
fn contracts(value: Value<'_>, report: &mut Collector<'_>) -> Vec<Contract> {
    let Some(array) = value.as_array() else {
        return read::bounded(value, report).into_iter().collect();
    };
    if array.is_empty() {
        report.invalid("must have at least one contract");
    }
    let mut contracts: Vec<Contract> = Vec::with_capacity(array.len());
    for (index, element) in array.iter().enumerate() {
        let mut report = report.at(&index.to_string());
        let Some(contract) = read::bounded(element, &mut report) else { continue };
        if contracts.iter().any(|other| other.claim_type() == contract.claim_type()) {
            report.at("claim_type").invalid("is that of an earlier contract of the same tool");
        }
        contracts.push(contract);
    }
    contracts
}
