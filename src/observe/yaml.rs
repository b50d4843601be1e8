//! Kind `yaml`: YAML text in `value`, loaded through the one safe door; what that refuses rejects the input.

use super::{Reading, Source};
use crate::finding::{Fact, Finding};
use crate::input::{Members, malformed};

pub(super) fn read<'t>(members: &Members<'t>) -> Result<Reading<'t>, Finding<'t>> {
    match members.value.map(|value| (value, value.as_str())) {
        Some((value, Some(text))) => Ok(Reading::transported(Source::Yaml(text), Some(value))),
        Some((value, None)) => Err(malformed("value", "a string").actual(Fact::Words(value.type_name()))),
        None => Err(malformed("value", "a string").actual(Fact::Words("absent"))),
    }
}
