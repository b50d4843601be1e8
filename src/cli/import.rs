//! Trace exports in, adapter inputs out: parsed in parallel, paired in order.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use clap::Args as ClapArgs;

use super::Failure;
use super::exit::Exit;
use super::failure::{print, quoted, tell};
use super::limits::size;
use super::progress::Progress;
use super::{source, stream};
use crate::import::{Bounds, Counts, Events, Format, Importer, Inputs, Pairing, Scratch, Tools, detect};
use crate::pipe::{self, Block, BlockReader, Fault, Line, More, Ordered, ReadError, Sink, Stop};
use crate::value::{Parser, Pointer};

#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    #[command(flatten)]
    trace: TraceArgs,

    /// Logs to read, one record a line; standard input without one, or where it is `-`
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Print what tools there are instead: calls, results, failures, forms of payload, first and last seen
    #[arg(long)]
    list_tools: bool,

    /// Print to standard error at the end how many calls, results and other records there were
    #[arg(long)]
    summary: bool,

    /// Show no progress bar
    #[arg(long)]
    no_progress: bool,

    /// Reading threads; what is written does not depend on it. Default: one a processor
    #[arg(short = 'j', long, value_name = "N")]
    threads: Option<NonZeroUsize>,
}

/// How a trace is read, for every command that reads one.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Traces")]
pub(super) struct TraceArgs {
    /// Read tool results out of agents' logs in this format; `auto` tells it by the first record
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    from: Option<Choice>,

    /// Where in a record the messages of a run are, a JSON Pointer such as `/traj`
    #[arg(long, value_name = "POINTER", requires = "from")]
    messages_member: Option<String>,

    /// Longest line of a log in bytes; K, M and G count in powers of 1024
    #[arg(long, value_name = "N", default_value = "64M", value_parser = size)]
    max_trace_line: usize,
}

/// A format, or the wish to have it told by the first record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    Auto,
    Format(Format),
}

fn format(name: &str) -> Result<Choice, String> {
    match Format::from_name(name) {
        _ if name == "auto" => Ok(Choice::Auto),
        Some(format) => Ok(Choice::Format(format)),
        None => Err(format!("none of {}", names())),
    }
}

fn names() -> String {
    format!("auto, {}", formats())
}

fn formats() -> String {
    Format::ALL.map(Format::name).join(", ")
}

/// A trace about to be read: which format it is in is known from its first record on.
pub(super) struct Trace {
    choice: Choice,
    messages: Option<Pointer>,
    line_limit: usize,
    importer: OnceLock<Importer>,
}

impl TraceArgs {
    /// Returns how to read traces, where traces are to be read.
    pub(super) fn resolve(self) -> Result<Option<Trace>, Failure> {
        let Some(choice) = self.from else { return Ok(None) };
        let messages = match &self.messages_member {
            None => None,
            Some(text) => Some(
                Pointer::parse(text)
                    .map_err(|error| Failure::argument(format!("--messages-member: {error}")))?,
            ),
        };
        let trace = Trace { choice, messages, line_limit: self.max_trace_line, importer: OnceLock::new() };
        if trace.messages.is_some() && !matches!(trace.choice, Choice::Format(Format::OpenAi)) {
            return Err(Failure::argument("--messages-member: only with `--from openai`"));
        }
        Ok(Some(trace))
    }
}

impl Trace {
    /// Returns how the trace is to be cut into blocks.
    pub(super) fn limits(&self) -> pipe::Limits {
        pipe::Limits { line_bytes: self.line_limit, ..pipe::Limits::default() }
    }

    /// Looks at the first record of an input: it tells the format, or must not be of another one. A wrong guess would
    /// find nothing in a trace, or the wrong things, and nobody would see it.
    pub(super) fn look_at(&self, block: &Block, file: &Path) -> Result<(), Failure> {
        if self.messages.is_some() {
            self.importer.get_or_init(|| self.made(Format::OpenAi));
            return Ok(());
        }
        // Of several inputs the first tells, and the others are held to it.
        let expected = match self.choice {
            Choice::Format(format) => Some(format),
            Choice::Auto => self.importer.get().map(Importer::format),
        };
        let told = |what: String| {
            let hint = match self.choice {
                Choice::Auto if expected.is_none() => format!("; name its format with --from: {}", formats()),
                Choice::Auto => "; read the two in runs of their own".to_owned(),
                Choice::Format(_) => String::new(),
            };
            Failure::argument(format!("--from: the first record of {} is {what}{hint}", quoted(file)))
        };
        let first = block.lines().next();
        let (found, seen) = match first {
            None => return Ok(()),
            Some(Line::Overlong { .. }) => (None, format!("longer than {} bytes", self.line_limit)),
            Some(Line::Whole { text, .. }) => match Parser::default().parse(text) {
                Err(error) => (None, format!("no JSON ({error})")),
                Ok(document) => {
                    let mut seen = detect::describe(document.root());
                    if let Some(member) = detect::messages_in(document.root()) {
                        seen.push_str(&format!(
                            ", and chat messages in `{member}` (`--from openai --messages-member /{member}`)"
                        ));
                    }
                    (detect::detect(document.root()), seen)
                }
            },
        };
        match (expected, found) {
            (Some(expected), Some(found)) if expected != found => {
                return Err(told(format!("of format `{found}`, not `{expected}`")));
            }
            (Some(format), _) | (None, Some(format)) => {
                self.importer.get_or_init(|| self.made(format));
            }
            (None, None) => return Err(told(seen)),
        }
        Ok(())
    }

    fn made(&self, format: Format) -> Importer {
        let importer = Importer::new(format).line_limit(self.line_limit);
        match &self.messages {
            Some(pointer) => importer.messages(pointer.clone()),
            None => importer,
        }
    }

    /// Reads the lines of a block.
    pub(super) fn read(&self, block: &Block, scratch: &mut Scratch, events: &mut Events) {
        events.clear();
        let Some(importer) = self.importer.get() else { return };
        for line in block.lines() {
            match line {
                Line::Whole { number, text, .. } => importer.read(text, number, scratch, events),
                Line::Overlong { number, .. } => importer.too_long(number, events),
            }
        }
    }
}

/// A block on its way, with the memory of whoever works on it.
struct Job {
    block: Block,
    scratch: Scratch,
    events: Events,
}

/// Writes the adapter inputs of every trace.
pub(super) fn run(args: Args) -> Result<Exit, Failure> {
    let stdout = Sink::stdout().map_err(|error| Failure::Io(error.to_string()))?;
    let Some(trace) = args.trace.resolve()? else {
        return Err(Failure::argument(format!("--from: in which format are the logs? {}", names())));
    };
    let files = source::named(args.files);
    source::check_readable(&files)?;
    let (ordered, stop) = stream::start(args.threads)?;
    let progress = Progress::over(&files, !args.no_progress);
    let mut ending = Ending { account: args.list_tools, ..Ending::default() };
    let mut worst = Exit::Sealed;
    let ended = trace.stream(&files, &ordered, &stop, &progress, &mut ending, |inputs| {
        let faults = inputs.iter().filter_map(|(input, _)| input.fault);
        let exits = faults.map(|fault| Exit::of_status(fault.reason().exit_status()));
        worst = exits.max().unwrap_or_default().max(worst);
        if args.list_tools { Ok(()) } else { stdout.write_all(inputs.bytes()) }
    });
    progress.finish();
    if args.summary || ending.counts.evicted > 0 {
        summarise(&ending.counts);
    }
    match ended {
        Ok(()) => {}
        Err(Fault::Drain(error)) => return Err(Failure::from(error)),
        Err(Fault::Fill(failure)) => return Err(failure),
        Err(other) => return Err(Failure::Io(other.to_string())),
    }
    trace.tell_if_bare(&ending.counts);
    if args.list_tools {
        print(table(&ending.tools.unwrap_or_default()))?;
    }
    Ok(match stop.signal() {
        Some(signal) => Exit::Signal(u8::try_from(signal).unwrap_or(0)),
        None if ending.unreadable => Exit::Failed,
        None => worst,
    })
}

/// What reading traces came to.
#[derive(Default)]
pub(super) struct Ending {
    /// Keep an account of every tool.
    pub(super) account: bool,
    /// How many there were of what.
    pub(super) counts: Counts,
    /// Some input could not be read; that was told.
    pub(super) unreadable: bool,
    /// The account, where one was kept.
    pub(super) tools: Option<Tools>,
}

impl Trace {
    /// Reads all inputs: blocks are read in the pool, paired on the caller's thread, and what is complete is handed to
    /// `emit`, which may take the inputs away. To decide as well, `emit` hands them to the fill of a second run.
    pub(super) fn stream<E>(
        &self,
        files: &[PathBuf],
        ordered: &Ordered,
        stop: &Stop,
        progress: &Progress,
        ending: &mut Ending,
        mut emit: impl FnMut(&mut Inputs) -> Result<(), E>,
    ) -> Result<(), Fault<Failure, E>> {
        let path = |source: usize| files.get(source).map_or(Path::new("-"), PathBuf::as_path);
        let mut reader =
            BlockReader::new(files.iter().map(|file| source::open(file)), self.limits(), stop.clone());
        let Ending { account, counts, unreadable, tools } = ending;
        let mut looked_at = None;
        let make = || Job { block: Block::new(), scratch: Scratch::default(), events: Events::default() };
        let fill = |job: &mut Job| loop {
            match reader.fill(&mut job.block) {
                Ok(More::End) => return Ok(More::End),
                Ok(More::Job) => {
                    let source = job.block.source();
                    if looked_at != Some(source) && job.block.lines().next().is_some() {
                        self.look_at(&job.block, path(source))?;
                        looked_at = Some(source);
                    }
                    return Ok(More::Job);
                }
                // One input that cannot be read does not take the others with it.
                Err(ReadError { source, error }) => {
                    *unreadable = true;
                    tell(&format!("cannot read {}: {error}", quoted(path(source))));
                }
            }
        };
        let work = |job: &mut Job| self.read(&job.block, &mut job.scratch, &mut job.events);
        let mut pairing: Option<Pairing> = None;
        let mut inputs = Inputs::default();
        let mut current = None;
        let drain = |job: &mut Job| {
            let Some(importer) = self.importer.get() else { return Ok(()) };
            let pairing = pairing.get_or_insert_with(|| {
                let pairing = Pairing::new(importer.format(), Bounds::default());
                if *account { pairing.account() } else { pairing }
            });
            let source = job.block.source();
            if current != Some(source) {
                if current.is_some() {
                    pairing.end_file(&mut inputs);
                }
                // Those that gave no line are files too: so they have the numbers of the command line.
                for source in current.map_or(0, |current| current + 1)..=source {
                    let name = path(source);
                    let shown = name.display().to_string();
                    pairing.start_file(Some(&*shown).filter(|_| name.as_os_str() != "-"));
                }
                current = Some(source);
            }
            pairing.feed(&job.events, &mut inputs);
            progress.advance(job.block.bytes().len());
            let emitted = emit(&mut inputs);
            inputs.clear();
            emitted
        };
        let ended = ordered.run(make, fill, work, drain, || stop.request());
        let Some(mut pairing) = pairing else { return ended };
        let last = if ended.is_ok() {
            pairing.end_file(&mut inputs);
            pairing.finish(&mut inputs);
            emit(&mut inputs).map_err(Fault::Drain)
        } else {
            Ok(())
        };
        *counts = pairing.counts();
        *tools = pairing.tools().cloned();
        ended.and(last)
    }

    /// Tells where none of many records was about a tool: most likely it is another format.
    pub(super) fn tell_if_bare(&self, counts: &Counts) {
        let bare = counts.calls == 0 && counts.results == 0 && counts.broken == 0;
        if let Some(importer) = self.importer.get().filter(|_| bare && counts.skipped > 0) {
            let format = importer.format();
            tell(&format!("none of {} records is about a tool as `{format}` writes it", counts.skipped));
        }
    }
}

/// Tells how many there were of what.
pub(super) fn summarise(counts: &Counts) {
    let Counts { calls, results, without_call, unanswered, evicted, duplicates, skipped, broken } = counts;
    let mut out = std::io::stderr().lock();
    let _ = writeln!(
        out,
        "{calls} calls, {results} results ({without_call} without call), {unanswered} unanswered, \
         {evicted} given up, {duplicates} duplicates; records: {skipped} skipped, {broken} broken"
    );
}

/// Lays out the account of every tool.
fn table(tools: &Tools) -> String {
    let mut rows = vec![
        ["TOOL", "CALLS", "RESULTS", "UNANSWERED", "ERRORS", "FORMS", "FIRST", "LAST"].map(str::to_owned),
    ];
    for (name, tool) in tools.iter() {
        let name = if name.is_empty() { "-".to_owned() } else { shown(name) };
        let forms: Vec<String> =
            tool.forms.iter().map(|(form, count)| format!("{}:{count}", form.name())).collect();
        let time =
            |time: Option<crate::time::Timestamp>| time.map_or("-".to_owned(), |time| time.to_string());
        let forms = if forms.is_empty() { "-".to_owned() } else { forms.join(",") };
        rows.push([
            name,
            tool.calls.to_string(),
            tool.results.to_string(),
            tool.unanswered.to_string(),
            tool.errors.to_string(),
            forms,
            time(tool.first),
            time(tool.last),
        ]);
    }
    let mut widths = [0; 8];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for (at, (cell, width)) in row.iter().zip(widths).enumerate() {
            let pad = " ".repeat(width.saturating_sub(cell.chars().count()));
            // Numbers to the right.
            let (before, after) = if (1..5).contains(&at) { (&*pad, "") } else { ("", &*pad) };
            line.push_str(&format!("{before}{cell}{after}  "));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Makes visible what a terminal might take for a command; the name comes from outside.
fn shown(name: &str) -> String {
    name.chars().flat_map(|character| {
        let visible = !character.is_control() && !matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        let escaped = if visible { None } else { Some(character.escape_unicode()) };
        escaped.into_iter().flatten().chain(visible.then_some(character))
    }).collect()
}
