//! The progress bar: on a terminal, for files whose size is known; never anywhere else.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar that counts bytes, or nothing.
pub(super) struct Progress(Option<ProgressBar>);

impl Progress {
    /// Starts a bar over the sizes of these files, where somebody is there to see it.
    pub(super) fn over(files: &[PathBuf], wanted: bool) -> Self {
        if !wanted || files.is_empty() || !std::io::stderr().is_terminal() {
            return Self(None);
        }
        // Decisions that scroll by on the same terminal and a bar would overwrite each other.
        if std::io::stdout().is_terminal() {
            return Self(None);
        }
        let sizes: Option<u64> = files
            .iter()
            .map(|file| {
                std::fs::metadata(file).ok().filter(std::fs::Metadata::is_file).map(|file| file.len())
            })
            .sum();
        let Some(total) = sizes else { return Self(None) };
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(5));
        let style = ProgressStyle::with_template(
            "{bar:32} {binary_bytes}/{binary_total_bytes} {binary_bytes_per_sec} {eta} left",
        );
        if let Ok(style) = style {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(250));
        Self(Some(bar))
    }

    /// Counts bytes that are decided and written.
    pub(super) fn advance(&self, bytes: usize) {
        if let Some(bar) = &self.0 {
            bar.inc(bytes as u64);
        }
    }

    /// Takes the bar away, so that messages have the line to themselves.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
