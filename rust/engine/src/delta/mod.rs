//! Tree deltas: what came, went, changed or moved between two snapshots.
//!
//! Equal subtrees are never opened, so the cost follows what changed and not how large the tree
//! is. The outcome equals `git diff-tree -r --raw --no-renames` entry for entry, and with
//! [`RewriteOptions`] pairs deletions with additions.

mod chunks;
mod order;
mod renames_as_git;
mod rewrites;
mod scope;
mod trees;
mod wire;

use bstr::{BStr, BString};

use crate::snapshot::{ContentId, MappingEntry, Mode, ReadError, Snapshot};

pub use order::by_components;
pub(crate) use rewrites::find as pair_rewrites;
pub use rewrites::{RewriteOptions, Rewrites, Search};
pub use scope::Scope;

/// One side of a change: what stood, or stands, at a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State {
    /// What kind of thing it is.
    pub mode: Mode,
    /// The id of its content.
    pub id: ContentId,
}

/// What happened at a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ChangeKind {
    /// The path is new.
    Addition(State),
    /// The path is gone.
    Deletion(State),
    /// The path stayed; its content, its mode or both changed.
    Modification {
        /// What stood there.
        old: State,
        /// What stands there.
        new: State,
    },
    /// The path is new, and its content came from a path that is gone.
    Rewrite {
        /// The path that is gone.
        old_path: BString,
        /// What stood there.
        old: State,
        /// What stands at the new path.
        new: State,
        /// How much of the content stayed, in percent: 100 is the very same content.
        similarity: u8,
    },
}

/// One path that differs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The path; of a rewrite the new one.
    pub path: BString,
    /// What happened there.
    pub kind: ChangeKind,
}

impl Change {
    /// The path and state on the old side, where there is one.
    pub fn old(&self) -> Option<(&BStr, State)> {
        match &self.kind {
            ChangeKind::Addition(_) => None,
            ChangeKind::Deletion(state) | ChangeKind::Modification { old: state, .. } => {
                Some((self.path.as_ref(), *state))
            }
            ChangeKind::Rewrite { old_path, old, .. } => Some((old_path.as_ref(), *old)),
        }
    }

    /// The path and state on the new side, where there is one.
    #[expect(clippy::new_ret_no_self, reason = "the counterpart of `old`, and no constructor")]
    pub fn new(&self) -> Option<(&BStr, State)> {
        match &self.kind {
            ChangeKind::Deletion(_) => None,
            ChangeKind::Addition(state)
            | ChangeKind::Modification { new: state, .. }
            | ChangeKind::Rewrite { new: state, .. } => Some((self.path.as_ref(), *state)),
        }
    }
}

/// Everything that differs between two snapshots, sorted by the bytes of the path.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TreeDelta {
    /// The changes: a path stands at most once, but for a file that gave way to a directory.
    pub changes: Vec<Change>,
    /// What the search for rewrites did, where one was asked for.
    pub rewrites: Option<Rewrites>,
}

/// What to compare, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The paths to look at.
    pub scope: Scope,
    /// How to look for rewrites; `None` looks for none.
    pub rewrites: Option<RewriteOptions>,
}

/// Compare two snapshots.
///
/// # Errors
/// [`ReadError`] where a tree, or a file needed to recognise a rewrite, can't be read. An outcome
/// is never partial.
pub fn between(old: &dyn Snapshot, new: &dyn Snapshot, options: &Options) -> Result<TreeDelta, ReadError> {
    let mut changes = Vec::new();
    if let (Some(a), Some(b)) = (old.as_mapping(), new.as_mapping()) {
        a.differences(b, |a, b| {
            let path = a.or(b).map(|entry| &entry.path);
            if path.is_some_and(|path| options.scope.holds(path)) {
                let state = |entry: crate::snapshot::Entry| State { mode: entry.mode, id: entry.id };
                let (a, b) = (a.map(MappingEntry::entry), b.map(MappingEntry::entry));
                changes.extend(match (a, b) {
                    (Some(a), Some(b)) => {
                        let kind = ChangeKind::Modification { old: state(a), new: state(b.clone()) };
                        Some(Change { path: b.path, kind })
                    }
                    (Some(a), None) => {
                        Some(Change { path: a.path.clone(), kind: ChangeKind::Deletion(state(a)) })
                    }
                    (None, Some(b)) => {
                        Some(Change { path: b.path.clone(), kind: ChangeKind::Addition(state(b)) })
                    }
                    (None, None) => None,
                });
            }
        });
    } else {
        trees::compare(old, new, &options.scope, &mut changes)?;
    }
    let rewrites = match &options.rewrites {
        Some(rewrite_options) => Some(rewrites::find(old, new, rewrite_options, &mut changes)?),
        None => None,
    };
    Ok(TreeDelta { changes, rewrites })
}
