//! Bundle files: from paths to one bundle, with everything that is wrong in any of them.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::Failure;
use super::failure::quoted;
use crate::contract::{Bundle, MOST_BUNDLE_BYTES, Problems};

/// Reads and merges bundle files.
pub(super) fn load(paths: &[PathBuf]) -> Result<Bundle, Failure> {
    let mut merged: Option<Bundle> = None;
    let mut problems = Problems::default();
    for path in paths {
        let text = read(path, MOST_BUNDLE_BYTES)?;
        let bundle = match is_json(path, &text) {
            true => Bundle::from_json(&text),
            false => Bundle::from_yaml(&text),
        };
        let outcome = bundle.and_then(|bundle| match &mut merged {
            Some(merged) => merged.merge(bundle),
            None => {
                merged = Some(bundle);
                Ok(())
            }
        });
        if let Err(found) = outcome {
            problems.0.extend(found.in_file(&quoted(path)).0);
        }
    }
    match merged {
        Some(bundle) if problems.0.is_empty() => Ok(bundle),
        _ => Err(Failure::Problems(problems)),
    }
}

/// Returns true where a file holds JSON: by its name, else by its first character.
pub(super) fn is_json(path: &Path, text: &[u8]) -> bool {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("json") => true,
        Some("yaml" | "yml") => false,
        _ => {
            let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
            matches!(text.trim_ascii_start().first(), Some(b'{' | b'['))
        }
    }
}

/// Reads a whole file, or standard input for `-`; no more than `most` bytes and one, so that what is too large shows.
pub(super) fn read(path: &Path, most: usize) -> Result<Vec<u8>, Failure> {
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    let mut text = Vec::new();
    let outcome = if path.as_os_str() == "-" {
        std::io::stdin().lock().take(limit).read_to_end(&mut text)
    } else {
        File::open(path).and_then(|file| file.take(limit).read_to_end(&mut text))
    };
    match outcome {
        Ok(_) => Ok(text),
        Err(error) => Err(Failure::reading(path, &error)),
    }
}
