//! Package diffs: the listing and the hunks between two versions of a package, and what makes a
//! reviewer look twice.
//!
//! Complete: every path that differs is listed, and every file is compared, whatever it is called. The
//! counts are those of `git diff -M --numstat`, the hunks those of `git diff`. What is handed over is
//! what stands in the files; who shows it makes it safe first.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `file.rs` | one changed file, compared |
//! | `body.rs` | its hunks, as text with signs |
//! | `generated.rs` | text that no one wrote, or that is not meant to be read |
//! | `findings.rs` | what to look at twice, as far as the files tell |
//! | `numbered.rs` | hunks as lines to read, with both line numbers |
//! | `wire.rs` | the JSON form |

mod body;
mod file;
mod findings;
mod generated;
mod numbered;
mod wire;

use bstr::BString;

use crate::delta::{self, Change, ChangeKind, RewriteOptions, Scope, by_components};
use crate::lines;
use crate::snapshot::{Mode, ReadError, Snapshot};

pub use body::{Hunk, Hunks};
pub use file::compare;
pub use findings::{Finding, FindingKind};
pub use generated::Generated;
pub use numbered::{Numbering, numbered_lines};

/// How much is told of each file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Detail {
    /// Its place in the listing, with counts.
    Listing,
    /// Its hunks too.
    #[default]
    Hunks,
}

/// Steps of a search for differing lines: enough for two texts of 20 MB, so that their counts are git's
/// too. Of so many lines that are all of a few kinds the search takes some 20 seconds, as git's does.
const EFFORT: usize = 3 << 30;

/// How to make a package diff.
#[derive(Clone, Debug)]
pub struct Options {
    /// Lines of context around changes.
    pub context: usize,
    /// How much is told.
    pub detail: Detail,
    /// Only this is looked at.
    pub scope: Scope,
    /// How to look for files that moved; `None` looks for none.
    pub rewrites: Option<RewriteOptions>,
    /// How much is compared line by line.
    pub effort: lines::Limits,
}

impl Default for Options {
    /// Three lines of context, and renames as git finds them.
    fn default() -> Self {
        Self {
            context: 3,
            detail: Detail::default(),
            scope: Scope::default(),
            rewrites: Some(RewriteOptions::as_git()),
            effort: lines::Limits { effort: EFFORT, ..lines::Limits::default() },
        }
    }
}

/// What happened to a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// It is new.
    Added,
    /// Its content changed; its mode may have changed too.
    Changed,
    /// It is gone.
    Deleted,
    /// It has another path; content and mode may have changed too.
    Renamed,
    /// Nothing but its mode changed.
    ModeChanged,
    /// It became another kind of thing, as a link that was a file.
    TypeChanged,
}

/// As what a file was compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Content {
    /// Lines of text, or the target of a link.
    #[default]
    Text,
    /// Text with too many lines: what lies between the lines that are equal at both ends counts as one
    /// change.
    Coarse,
    /// A NUL is among the first 8,000 bytes of a side; there are no lines.
    Binary,
    /// Larger than its source reads; there are no lines.
    TooLarge,
}

/// Lines that came and went.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// How many lines came.
    pub added: usize,
    /// How many lines went.
    pub removed: usize,
}

/// A changed file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileChange<'a> {
    /// What happened.
    pub status: Status,
    /// The path, of a deleted file the old one.
    pub path: BString,
    /// Of a renamed file where it was.
    pub old_path: Option<BString>,
    /// What stood there.
    pub old_mode: Option<Mode>,
    /// What stands there.
    pub new_mode: Option<Mode>,
    /// Of a renamed file how much of it stayed, in percent.
    pub similarity: u8,
    /// Lines that came and went; `None` where there are no lines.
    pub counts: Option<Counts>,
    /// As what it was compared.
    pub content: Content,
    /// Whether its text is one that no one wrote.
    pub generated: Option<Generated>,
    /// Its hunks, where they were asked for.
    pub hunks: Hunks<'a>,
    /// What to look at twice.
    pub findings: Vec<Finding>,
}

/// Which files differ between two versions of a package, in the order of the listing: by the components
/// of the paths, what is gone last.
///
/// # Errors
/// [`ReadError`] where a tree, or a file needed to recognise a rename, can't be read.
pub fn changes(
    old: &dyn Snapshot,
    new: &dyn Snapshot,
    options: &Options,
) -> Result<delta::TreeDelta, ReadError> {
    let delta_options = delta::Options { scope: options.scope.clone(), rewrites: options.rewrites };
    let mut delta = delta::between(old, new, &delta_options)?;
    delta.changes.sort_by(|a, b| {
        let is_gone = |change: &Change| matches!(change.kind, ChangeKind::Deletion(_));
        is_gone(a).cmp(&is_gone(b)).then_with(|| by_components(a.path.as_ref(), b.path.as_ref()))
    });
    Ok(delta)
}

#[cfg(test)]
mod tests;
