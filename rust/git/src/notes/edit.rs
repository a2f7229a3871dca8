//! Edits of notes, as one commit on their reference.

use bstr::{BStr, ByteSlice as _};
use versiondiff_engine::snapshot::ContentId;

use super::NAMESPACE;
use super::tree::NotesTree;
use crate::Error;
use crate::lock::WriteLock;
use crate::repository::{Handle, Repository};
use crate::store::{Kind, Swapped};
use crate::wait::Wait;
use crate::writing::{self, Message, Tip};

/// A change of the note about one object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// The object.
    pub target: ContentId,
    /// What becomes of its note.
    pub change: Change,
}

/// What becomes of a note.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// This comes after what is there, as `git notes append` puts it there.
    Append {
        /// What comes.
        content: Vec<u8>,
        /// What stands before it, where there is something already: this and, where it doesn't end
        /// in one, a line feed. `None` is nothing at all.
        separator: Option<Vec<u8>>,
    },
    /// This comes after what is there, on a line of its own: with a line feed before it only where
    /// there is something that doesn't end in one.
    AppendLine(Vec<u8>),
    /// This takes the place of what there may be.
    Set(Vec<u8>),
    /// There is none any more.
    Remove,
}

/// What came of edits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edited {
    /// The commit that the reference stands on now; `None` where it does not exist.
    pub tip: Option<ContentId>,
    /// Whether that commit was made here. It is not where nothing changed.
    pub made: bool,
}

/// Make edits, in the order given, in one commit on `reference`, a full name.
///
/// The objects are written before the reference, so that whatever ends the process leaves the
/// notes as they were or as they are to be. Where the reference moves meanwhile, the edits are made
/// anew on what it holds then.
///
/// # Errors
/// [`Error::Conflict`] where others stood in the way until time was up, [`Error::Invalid`] where a
/// signature, the message or a content is not allowed, [`Error::Reference`] where the reference
/// can't hold notes or can't be written, [`Error::Write`], [`Error::Read`], and what ended the
/// waiting.
pub fn edit(
    repository: &Repository,
    reference: &BStr,
    edits: &[Edit],
    message: &Message,
    wait: &mut Wait<'_>,
) -> Result<Edited, Error> {
    check(edits, message)?;
    let mut lock = WriteLock::hold(repository.common_dir(), &[], wait)?;
    let handle = repository.handle();
    loop {
        let tip = writing::tip(&handle, reference)?;
        if !tip.name.starts_with(NAMESPACE) {
            let rule = "leads out of refs/notes/, where no notes are written".to_owned();
            return Err(Error::Reference { name: reference.to_owned(), rule });
        }
        let Some(commit) = build(&handle, &tip, edits, message)? else {
            return Ok(Edited { tip: tip.id, made: false });
        };
        let log = format!("notes: {}", message.subject());
        let swapped = writing::swap(&handle, &tip, commit, &message.committer, &log, &mut lock, wait)?;
        if swapped == Swapped::Done {
            return Ok(Edited { tip: Some(commit), made: true });
        }
        let goes_on = if swapped == Swapped::Locked { wait.pause()? } else { !wait.is_over() };
        if !goes_on {
            return Err(writing::conflict(repository, tip.name.as_bstr(), swapped));
        }
    }
}

/// Write the notes as they are to be, and a commit; `None` where that is what there is.
fn build(handle: &Handle, tip: &Tip, edits: &[Edit], message: &Message) -> Result<Option<ContentId>, Error> {
    let name = tip.name.as_bstr();
    let old_tree = tip.id.map(|id| writing::tree_of_commit(handle, name, &id)).transpose()?;
    let mut notes = NotesTree::read(handle, name, old_tree)?;
    let mut changed = false;
    for Edit { target, change } in edits {
        changed |= match change {
            Change::Set(content) => notes.set(*target, content.clone())?,
            Change::Remove => notes.remove(target)?,
            Change::AppendLine(line) => {
                let mut joined = notes.get(target)?.unwrap_or_default();
                if joined.last().is_some_and(|last| *last != b'\n') {
                    joined.push(b'\n');
                }
                joined.extend_from_slice(line);
                notes.set(*target, joined)?
            }
            Change::Append { content, separator } => {
                let mut joined = notes.get(target)?.unwrap_or_default();
                if let Some(separator) = separator.as_deref().filter(|_| !joined.is_empty()) {
                    joined.extend_from_slice(separator);
                    if separator.last() != Some(&b'\n') {
                        joined.push(b'\n');
                    }
                }
                joined.extend_from_slice(content);
                notes.set(*target, joined)?
            }
        };
    }
    if !changed {
        return Ok(None);
    }
    let tree = notes.write()?;
    // Edits can undo each other.
    if old_tree.unwrap_or(ContentId::EMPTY_TREE) == tree {
        return Ok(None);
    }
    let raw = writing::raw_commit(&tree, tip.id.as_ref(), message);
    Ok(Some(handle.store.write(Kind::Commit, &raw)?))
}

/// Refuse what could not be read back.
fn check(edits: &[Edit], message: &Message) -> Result<(), Error> {
    message.check("the message of a notes commit")?;
    let is_empty = |edit: &Edit| match &edit.change {
        Change::Append { content, .. } | Change::AppendLine(content) | Change::Set(content) => {
            content.is_empty()
        }
        Change::Remove => false,
    };
    if edits.iter().any(is_empty) {
        let rule = "is empty: git takes an empty one for none, so remove it instead";
        return Err(Error::Invalid { what: "a note", rule });
    }
    Ok(())
}
