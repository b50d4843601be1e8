//! What a run decided, counted; and the table of it.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

use crate::decision::{Outcome, Ruling};
use crate::reason::Reason;

/// Counts of a run, or of a part of one.
#[derive(Debug, Default, Clone)]
pub struct Summary {
    bytes: u64,
    outcomes: [u64; 3],
    reasons: Vec<u64>,
    exit_status: u8,
    by_tool: bool,
    tools: BTreeMap<Box<str>, [u64; 3]>,
    /// Of tools beyond the most that are told apart.
    other_tools: [u64; 3],
}

/// The most tools that are told apart, so that a hostile log cannot make the table grow.
const MOST_TOOLS: usize = 1000;

/// Where records stand whose tool is not known.
const NO_TOOL: &str = "(unknown)";

impl Summary {
    /// Starts over, keeping memory.
    pub fn start(&mut self, by_tool: bool) {
        self.bytes = 0;
        self.outcomes = [0; 3];
        self.reasons.clear();
        self.reasons.resize(Reason::ALL.len(), 0);
        self.exit_status = 0;
        self.by_tool = by_tool;
        self.tools.clear();
        self.other_tools = [0; 3];
    }

    /// Counts what was read.
    pub fn count_bytes(&mut self, bytes: usize) {
        self.bytes += bytes as u64;
    }

    /// Counts a ruling.
    pub fn count(&mut self, ruling: &Ruling<'_>) {
        let outcome = ruling.outcome as usize;
        if let Some(count) = self.outcomes.get_mut(outcome) {
            *count += 1;
        }
        self.exit_status = self.exit_status.max(ruling.exit_status());
        for reason in ruling.reasons() {
            if let Some(count) = self.reasons.get_mut(reason as usize) {
                *count += 1;
            }
        }
        if self.by_tool {
            let tool = ruling.tool_name.unwrap_or(NO_TOOL);
            if !self.tools.contains_key(tool) && self.tools.len() < MOST_TOOLS {
                self.tools.insert(tool.into(), [0; 3]);
            }
            if let Some(count) = self.tools.get_mut(tool).unwrap_or(&mut self.other_tools).get_mut(outcome) {
                *count += 1;
            }
        }
    }

    /// Adds the counts of a part, which is done with then.
    pub fn add(&mut self, part: &mut Self) {
        self.bytes += part.bytes;
        add(&mut self.outcomes, &part.outcomes);
        self.reasons.resize(Reason::ALL.len(), 0);
        for (count, more) in self.reasons.iter_mut().zip(&part.reasons) {
            *count += more;
        }
        self.exit_status = self.exit_status.max(part.exit_status);
        while let Some((tool, counts)) = part.tools.pop_first() {
            if !self.tools.contains_key(&tool) && self.tools.len() < MOST_TOOLS {
                self.tools.insert(tool, counts);
            } else {
                add(self.tools.get_mut(&tool).unwrap_or(&mut self.other_tools), &counts);
            }
        }
        add(&mut self.other_tools, &part.other_tools);
    }

    /// Returns the worst exit status of the records: 0 to 3.
    pub fn exit_status(&self) -> u8 {
        self.exit_status
    }

    /// Returns how many records there are.
    pub fn records(&self) -> u64 {
        self.outcomes.iter().sum()
    }

    /// Prints the table. Where nobody can be told, nothing is lost.
    pub fn print(&self, elapsed: Duration, out: &mut dyn Write) {
        let _ = self.try_print(elapsed, out);
    }

    fn try_print(&self, elapsed: Duration, out: &mut dyn Write) -> io::Result<()> {
        let records = self.records();
        let width = grouped(records).len().max(7);
        writeln!(out, "{BOLD}{:>width$} records{BOLD:#}", grouped(records))?;
        for (outcome, style) in
            [(Outcome::Sealed, GREEN), (Outcome::Blocked, YELLOW), (Outcome::Rejected, RED)]
        {
            let count = self.outcomes.get(outcome as usize).copied().unwrap_or(0);
            writeln!(
                out,
                "{:>width$} {style}{:<10}{style:#}{:>6}",
                grouped(count),
                outcome.name(),
                share(count, records)
            )?;
        }
        let mut reasons: Vec<(u64, Reason)> = Reason::ALL
            .iter()
            .map(|reason| (self.reasons.get(*reason as usize).copied().unwrap_or(0), *reason))
            .filter(|(count, reason)| *count > 0 && *reason != Reason::SealedWithRequiredEvidence)
            .collect();
        reasons.sort_by_key(|(count, reason)| (std::cmp::Reverse(*count), reason.code()));
        if !reasons.is_empty() {
            writeln!(out, "\n{BOLD}{:>width$} why{BOLD:#}", "")?;
        }
        for (count, reason) in reasons {
            writeln!(out, "{:>width$} {:<34}{}", grouped(count), reason.code(), reason.summary())?;
        }
        self.print_tools(width, out)?;
        let seconds = elapsed.as_secs_f64().max(1e-9);
        #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
        let (rate, megabytes) = (records as f64 / seconds, self.bytes as f64 / 1e6 / seconds);
        writeln!(out, "\n{:>width$} s   {rate:.0} records/s   {megabytes:.1} MB/s", format!("{seconds:.3}"))
    }

    fn print_tools(&self, width: usize, out: &mut dyn Write) -> io::Result<()> {
        /// The most lines of the table; the rest of the tools are summed up in one.
        const MOST_LINES: usize = 30;
        let mut tools: Vec<(String, [u64; 3])> =
            self.tools.iter().map(|(tool, counts)| (tool.escape_debug().to_string(), *counts)).collect();
        tools.sort_by(|(name, counts), (other_name, other_counts)| {
            let total = |counts: &[u64; 3]| counts.iter().sum::<u64>();
            total(other_counts).cmp(&total(counts)).then_with(|| name.cmp(other_name))
        });
        let mut others = self.other_tools;
        let rest = tools.split_off(tools.len().min(MOST_LINES));
        for (_, counts) in &rest {
            add(&mut others, counts);
        }
        if others.iter().any(|count| *count > 0) {
            tools.push(("(other tools)".to_owned(), others));
        }
        if tools.is_empty() {
            return Ok(());
        }
        let column = |index: usize| {
            tools
                .iter()
                .filter_map(|(_, counts)| counts.get(index))
                .map(|count| grouped(*count).len())
                .max()
                .unwrap_or(0)
                .max(8)
        };
        let (sealed, blocked, rejected) = (column(0).max(width), column(1), column(2));
        writeln!(
            out,
            "\n{BOLD}{:>sealed$} {:>blocked$} {:>rejected$}  tool{BOLD:#}",
            "sealed", "blocked", "rejected"
        )?;
        for (name, counts) in &tools {
            let [s, b, r] = counts.map(grouped);
            writeln!(out, "{s:>sealed$} {b:>blocked$} {r:>rejected$}  {name}")?;
        }
        Ok(())
    }
}

const BOLD: anstyle::Style = anstyle::Style::new().bold();
const GREEN: anstyle::Style = anstyle::AnsiColor::Green.on_default();
const YELLOW: anstyle::Style = anstyle::AnsiColor::Yellow.on_default();
const RED: anstyle::Style = anstyle::AnsiColor::Red.on_default();

fn add(counts: &mut [u64; 3], more: &[u64; 3]) {
    for (count, more) in counts.iter_mut().zip(more) {
        *count += more;
    }
}

/// Returns a number with its thousands apart.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns a share in percent.
fn share(count: u64, of: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "a share for people")]
    let percent = if of == 0 { 0.0 } else { count as f64 * 100.0 / of as f64 };
    format!("{percent:.1} %")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Finding;

    #[test]
    fn groups_thousands() {
        for (number, expected) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), expected);
        }
    }

    #[test]
    fn tells_at_most_a_thousand_tools_apart() {
        let mut part = Summary::default();
        part.start(true);
        let names: Vec<String> = (0..1500).map(|number| format!("tool-{number}")).collect();
        for name in &names {
            part.count(&Ruling::rejected(Finding::new(Reason::UnsafeInput, "yaml"), Some(name)));
        }
        let mut total = Summary::default();
        total.add(&mut part);
        assert_eq!((total.tools.len(), total.other_tools), (MOST_TOOLS, [0, 0, 500]));
        assert_eq!((total.records(), total.exit_status()), (1500, 3));
        let mut text = Vec::new();
        total.print(Duration::from_secs(1), &mut text);
        let text = String::from_utf8(text).unwrap();
        assert!(
            text.contains("1,500 records") && text.contains("UNSAFE_INPUT") && text.contains("(other tools)"),
            "{text}"
        );
        assert!(text.lines().count() < 60, "{text}");
    }
}
