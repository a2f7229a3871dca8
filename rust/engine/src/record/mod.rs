//! The change record: what changed between two versions of a workflow.

mod types;

pub use types::*;

use crate::format::Format;
use crate::snapshot::{ReadError, Snapshot};

/// What a comparison may keep for the next one of a history.
#[derive(Debug, Default)]
pub struct Memory {}

/// The change record of two snapshots.
///
/// # Errors
/// [`ReadError`] where a tree or a file that is needed can't be read.
pub fn between(
    _old: &dyn Snapshot,
    _new: &dyn Snapshot,
    format: &Format,
    _memory: &mut Memory,
) -> Result<ChangeRecord, ReadError> {
    Ok(ChangeRecord { format: format.name().to_owned(), ..ChangeRecord::default() })
}
