//! Kind `json`: a value, or JSON text, in `body`. It always counts as transported.

use super::{Reading, body_text};
use crate::input::Members;

pub(super) fn read<'t>(members: &Members<'t>) -> Reading<'t> {
    Reading::transported(body_text(members.body), members.body)
}
