//! The bounds of an input, raised or lowered by flag.

use clap::Args;

use super::Failure;
use crate::value::{Limits, MAX_DEPTH};

#[derive(Debug, Args)]
#[expect(clippy::struct_field_names, reason = "each is the flag of that name")]
#[command(next_help_heading = "Limits")]
pub(super) struct LimitArgs {
    /// Longest line in bytes; K, M and G count in powers of 1024
    #[arg(long, value_name = "N", default_value = "128K", value_parser = size)]
    max_bytes: usize,
    /// Deepest nesting, at most 500
    #[arg(long, value_name = "N", default_value_t = Limits::DEFAULT.depth)]
    max_depth: usize,
    /// Most values and keys in a line
    #[arg(long, value_name = "N", default_value = "4096", value_parser = size)]
    max_nodes: usize,
    /// Longest string, in characters
    #[arg(long, value_name = "N", default_value = "16K", value_parser = size)]
    max_string: usize,
}

/// The longest line that can be asked for, in bytes.
const MOST_BYTES: usize = 1 << 30;

impl LimitArgs {
    pub(super) fn resolve(&self) -> Result<Limits, Failure> {
        if self.max_depth == 0 || self.max_depth > MAX_DEPTH {
            return Err(Failure::argument(format!("--max-depth: from 1 to {MAX_DEPTH}")));
        }
        if self.max_bytes == 0 || self.max_bytes > MOST_BYTES {
            return Err(Failure::argument("--max-bytes: from 1 to 1G"));
        }
        Ok(Limits {
            bytes: self.max_bytes,
            depth: self.max_depth,
            nodes: self.max_nodes,
            characters: self.max_string,
        })
    }
}

/// Reads a size: digits, and K, M or G behind them for powers of 1024.
pub(super) fn size(text: &str) -> Result<usize, String> {
    let (digits, shift) = match text.trim_end_matches(['k', 'K', 'm', 'M', 'g', 'G']) {
        digits if digits.len() == text.len() => (digits, 0),
        digits if digits.len() + 1 < text.len() => ("", 0),
        digits => match text.as_bytes().last() {
            Some(b'k' | b'K') => (digits, 10),
            Some(b'm' | b'M') => (digits, 20),
            _ => (digits, 30),
        },
    };
    let number: Option<usize> =
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten();
    number
        .and_then(|number| number.checked_mul(1 << shift))
        .ok_or_else(|| "not a size; write it like 131072, 128K or 64M".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_count_in_powers_of_1024() {
        for (text, expected) in [
            ("0", 0),
            ("131072", 131_072),
            ("128K", 131_072),
            ("128k", 131_072),
            ("64M", 64 << 20),
            ("1G", 1 << 30),
        ] {
            assert_eq!(size(text), Ok(expected), "{text}");
        }
        for text in [
            "",
            "K",
            "1KK",
            "1KB",
            "-1",
            "+1",
            "1.5M",
            " 1",
            "0x10",
            "99999999999999999999",
            "99999999999999G",
        ] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
