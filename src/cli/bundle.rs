//! Bundle files: from paths to one bundle, with everything that is wrong in any of them.

use std::path::PathBuf;

use super::failure::quoted;
use super::{Failure, files};
use crate::contract::{Bundle, MOST_BUNDLE_BYTES, Problems};
use crate::document::Format;

/// Reads and merges bundle files.
pub(super) fn load(paths: &[PathBuf]) -> Result<Bundle, Failure> {
    let mut merged: Option<Bundle> = None;
    let mut problems = Problems::default();
    for path in paths {
        let text = files::read(path, MOST_BUNDLE_BYTES)?;
        let bundle = match files::format(path, &text) {
            Format::Json => Bundle::from_json(&text),
            Format::Yaml => Bundle::from_yaml(&text),
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
