//! One changed file, compared.

use std::borrow::Cow;

use bstr::{BStr, ByteSlice};

use super::{Content, Counts, Detail, FileChange, Hunks, Options, Status, findings, generated};
use crate::delta::{Change, ChangeKind, State};
use crate::lines::{self, LineDiff, Text, is_binary};
use crate::snapshot::{Mode, ReadError, Snapshot};

/// One side of a file, as it was read.
pub(super) enum Side<'a> {
    /// There is nothing.
    Nothing,
    /// The bytes, or the target of a link.
    Bytes(Cow<'a, [u8]>),
    TooLarge,
}

impl<'a> Side<'a> {
    fn read(snapshot: &'a dyn Snapshot, side: Option<(&BStr, State)>) -> Result<Self, ReadError> {
        let Some((path, state)) = side else { return Ok(Self::Nothing) };
        if state.mode == Mode::Submodule {
            // As git shows it: the commit is in another repository.
            return Ok(Self::Bytes(Cow::Owned(format!("Subproject commit {}\n", state.id).into_bytes())));
        }
        match snapshot.blob(path, &state.id) {
            Ok(bytes) => Ok(Self::Bytes(bytes)),
            Err(ReadError::Limit { .. }) => Ok(Self::TooLarge),
            Err(error) => Err(error),
        }
    }

    fn into_bytes(self) -> Cow<'a, [u8]> {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Nothing | Self::TooLarge => Cow::Borrowed(b""),
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Nothing | Self::TooLarge => b"",
        }
    }
}

/// Compare a file that differs.
///
/// # Errors
/// [`ReadError`] where it can't be read.
pub fn compare<'a>(
    change: &Change,
    old: &'a dyn Snapshot,
    new: &'a dyn Snapshot,
    options: &Options,
) -> Result<FileChange<'a>, ReadError> {
    let (before, after) = (change.old(), change.new());
    let (old_state, new_state) = (before.map(|(_, state)| state), after.map(|(_, state)| state));
    let same_content = matches!((old_state, new_state), (Some(old), Some(new)) if old.id == new.id);
    let new_side = Side::read(new, after)?;
    let old_side = if same_content { Side::Nothing } else { Side::read(old, before)? };

    let sides = [&old_side, &new_side];
    let (mut starts, mut diff) = ([Box::default(), Box::default()], LineDiff::default());
    let (content, counts) = if sides.iter().any(|side| matches!(side, Side::TooLarge)) {
        (Content::TooLarge, None)
    } else if sides.iter().any(|side| is_binary(side.bytes())) {
        (Content::Binary, None)
    } else if same_content {
        (Content::Text, Some(Counts::default()))
    } else {
        let (old_text, new_text) = (Text::new(old_side.bytes()), Text::new(new_side.bytes()));
        diff = lines::compare(&old_text, &new_text, &options.effort);
        starts = [old_text.into_starts(), new_text.into_starts()];
        let counts = Counts { added: diff.added, removed: diff.removed };
        (if diff.coarse { Content::Coarse } else { Content::Text }, Some(counts))
    };
    let shown = if after.is_some() { &new_side } else { &old_side };
    let is_link = |state: Option<State>| state.is_some_and(|state| !state.mode.is_file());
    let generated = if counts.is_none() || is_link(new_state.or(old_state)) {
        None
    } else {
        generated::label(change.path.as_bstr(), shown.bytes())
    };
    let (status, similarity) = match change.kind {
        ChangeKind::Addition(_) => (Status::Added, 0),
        ChangeKind::Deletion(_) => (Status::Deleted, 0),
        ChangeKind::Rewrite { similarity, .. } => (Status::Renamed, similarity),
        ChangeKind::Modification { old, new } if kind(old.mode) != kind(new.mode) => (Status::TypeChanged, 0),
        ChangeKind::Modification { .. } if same_content => (Status::ModeChanged, 0),
        ChangeKind::Modification { .. } => (Status::Changed, 0),
    };
    let old_path = match &change.kind {
        ChangeKind::Rewrite { old_path, .. } => Some(old_path.clone()),
        _ => None,
    };
    let findings = findings::of(
        change,
        &findings::Seen { old: &old_side, new: &new_side, content, diff: &diff, new_starts: &starts[1] },
    );
    let [old_starts, new_starts] = starts;
    let hunks = if options.detail == Detail::Listing || diff.changes.is_empty() {
        Hunks::default()
    } else {
        let (old, new) = (old_side.into_bytes(), new_side.into_bytes());
        Hunks::new((old, old_starts), (new, new_starts), diff, options.context)
    };
    Ok(FileChange {
        status,
        path: change.path.clone(),
        old_path,
        old_mode: old_state.map(|state| state.mode),
        new_mode: new_state.map(|state| state.mode),
        similarity,
        counts,
        content,
        generated,
        hunks,
        findings,
    })
}

/// Plain and executable files are one kind of thing.
fn kind(mode: Mode) -> Mode {
    if mode.is_file() { Mode::File } else { mode }
}
