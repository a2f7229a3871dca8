//! Edits of notes, as one commit on their reference.

use std::fmt::Write as _;

use bstr::{BStr, ByteSlice as _};
use versiondiff_engine::snapshot::{ContentId, ReadError};

use super::tree::NotesTree;
use super::{NAMESPACE, Tip};
use crate::Error;
use crate::commit::Commit;
use crate::lock::WriteLock;
use crate::repository::{Handle, Repository};
use crate::store::{Kind, Signature, Swap, Swapped, lock_path};
use crate::wait::Wait;

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

/// What a notes commit says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// Who made the edits, and when.
    pub author: Signature,
    /// Who made the commit, and when.
    pub committer: Signature,
    /// The message; a line feed is added where it lacks one at its end.
    pub text: String,
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
        let tip = super::tip(&handle, reference)?;
        if !tip.name.starts_with(NAMESPACE) {
            let rule = "leads out of refs/notes/, where no notes are written".to_owned();
            return Err(Error::Reference { name: reference.to_owned(), rule });
        }
        let Some(commit) = build(&handle, &tip, edits, message)? else {
            return Ok(Edited { tip: tip.id, made: false });
        };
        let swapped = swap(&handle, &tip, commit, message, &mut lock, wait)?;
        if swapped == Swapped::Done {
            return Ok(Edited { tip: Some(commit), made: true });
        }
        let goes_on = if swapped == Swapped::Locked { wait.pause()? } else { !wait.is_over() };
        if !goes_on {
            return Err(Error::Conflict {
                what: format!("reference {}", versiondiff_engine::display::name(&tip.name)),
                lock: lock_path(&repository.common_dir().join(tip.name.to_path_lossy())),
                rule: if swapped == Swapped::Locked {
                    "another program is writing it, or was killed while it did"
                } else {
                    "other programs changed it again and again"
                },
            });
        }
    }
}

/// Put the commit in place, if the reference still holds what it was built on.
fn swap(
    handle: &Handle,
    tip: &Tip,
    commit: ContentId,
    message: &Message,
    lock: &mut WriteLock,
    wait: &mut Wait<'_>,
) -> Result<Swapped, Error> {
    let subject = message.text.lines().next().unwrap_or_default();
    let swap = Swap {
        name: tip.name.as_bstr(),
        expected: tip.id,
        new: commit,
        who: &message.committer,
        log: &format!("notes: {subject}"),
    };
    // A name that is no UTF-8 can't stand in the lock's record; then what a killed writer leaves
    // has to be removed by hand.
    let lock_file = tip.name.to_str().ok().map(|name| format!("{name}.lock"));
    if let Some(file) = &lock_file {
        lock.name(file, Some(commit), wait)?;
    }
    let swapped = handle.store.swap(&swap);
    if let Some(file) = &lock_file {
        // Where that fails, the next holder looks for a file that is gone: nothing to report for.
        let _ = lock.forget(file);
    }
    swapped
}

/// Write the notes as they are to be, and a commit; `None` where that is what there is.
fn build(handle: &Handle, tip: &Tip, edits: &[Edit], message: &Message) -> Result<Option<ContentId>, Error> {
    let name = tip.name.as_bstr();
    let old_tree = tip.id.map(|id| tree_of_commit(handle, name, &id)).transpose()?;
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
    Ok(Some(handle.store.write(Kind::Commit, &commit(&tree, tip.id.as_ref(), message))?))
}

/// The tree of the commit that a reference holds; git writes notes on nothing else.
fn tree_of_commit(handle: &Handle, reference: &BStr, id: &ContentId) -> Result<ContentId, Error> {
    let mut raw = Vec::new();
    match handle.store.read(reference, id, &mut raw)? {
        Some(Kind::Commit) => Ok(Commit::parse(&raw, id)?.tree),
        Some(kind) => Err(Error::Reference {
            name: reference.to_owned(),
            rule: format!("holds a {kind}, and notes are written on commits only"),
        }),
        None => Err(ReadError::Missing { path: reference.into(), id: *id }.into()),
    }
}

/// The raw text of a commit.
fn commit(tree: &ContentId, parent: Option<&ContentId>, message: &Message) -> Vec<u8> {
    let mut raw = format!("tree {tree}\n");
    if let Some(parent) = parent {
        let _ = writeln!(raw, "parent {parent}");
    }
    let mut raw = raw.into_bytes();
    for (role, who) in [("author", &message.author), ("committer", &message.committer)] {
        let Signature { name, email, time, offset } = who;
        let sign = if *offset < 0 { '-' } else { '+' };
        let (hours, minutes) = (offset.abs() / 60, offset.abs() % 60);
        raw.extend_from_slice(role.as_bytes());
        raw.push(b' ');
        raw.extend_from_slice(name);
        raw.extend_from_slice(b" <");
        raw.extend_from_slice(email);
        raw.extend_from_slice(format!("> {time} {sign}{hours:02}{minutes:02}\n").as_bytes());
    }
    raw.push(b'\n');
    raw.extend_from_slice(message.text.as_bytes());
    if !message.text.ends_with('\n') {
        raw.push(b'\n');
    }
    raw
}

/// Refuse what could not be read back.
fn check(edits: &[Edit], message: &Message) -> Result<(), Error> {
    /// Minutes; git reads more as something else.
    const MOST_OFFSET: i32 = 99 * 60 + 59;
    let invalid = |what, rule| Err(Error::Invalid { what, rule });
    for who in [&message.author, &message.committer] {
        for part in [&who.name, &who.email] {
            if part.find_byteset("<>\n\r\0").is_some() {
                return invalid("a signature", "holds <, >, a line end or NUL");
            }
        }
        // Git can write a signature without an address, many tools can't read it.
        if who.name.trim().is_empty() || who.email.trim().is_empty() {
            return invalid("a signature", "has no name or no address");
        }
        if who.time < 0 || who.offset.abs() > MOST_OFFSET {
            return invalid("a signature", "has a time that git can't hold");
        }
    }
    if message.text.contains('\0') {
        return invalid("the message of a notes commit", "holds NUL");
    }
    let is_empty = |edit: &Edit| match &edit.change {
        Change::Append { content, .. } | Change::AppendLine(content) | Change::Set(content) => {
            content.is_empty()
        }
        Change::Remove => false,
    };
    if edits.iter().any(is_empty) {
        return invalid("a note", "is empty: git takes an empty one for none, so remove it instead");
    }
    Ok(())
}
