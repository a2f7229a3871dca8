//! Notes: bytes that are kept about an object, beside it, as `git notes` keeps them.
//!
//! What git reads as notes is read: in folders of any depth, mixed, under names in either case,
//! several for one object. What is written is what git would write: the same edits in the same
//! order give the same trees, with all that is no note kept where it was. Only the path of a note
//! is read and written, so an edit costs the same however many notes there are.
//!
//! No edit is lost: a reference is changed only if it still holds what the edit was made from, and
//! the edit is made anew where it does not.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `trie` | notes in memory, and git's rule for how deep its folders go |
//! | `tree` | the notes of a tree: read, changed, written |
//! | `edit` | edits, as a commit on the reference |

mod edit;
#[cfg(test)]
mod tests;
mod tree;
mod trie;

use bstr::{BStr, BString, ByteSlice as _};
use versiondiff_engine::snapshot::{ContentId, ReadError};

use crate::Error;
use crate::commit::{Commit, hex_id};
use crate::repository::Handle;
use crate::revision;
use crate::store::{Kind, check_reference_name};
use crate::writing::tip;
use tree::{Held, NotesTree};

pub use crate::writing::Message;
pub use edit::{Change, Edit, Edited, edit};

/// Where all references are that hold notes.
const NAMESPACE: &[u8] = b"refs/notes/";

/// How many tags are followed, one to the next.
const MOST_TAGS: usize = 100;

/// The full name of a notes reference, by git's own rule: `refs/notes/x` is it already, `notes/x`
/// lacks its start, and anything else is below `refs/notes/`.
///
/// # Errors
/// [`Error::Reference`] where git doesn't allow the name.
pub fn full_name(name: &BStr) -> Result<BString, Error> {
    let mut full = BString::default();
    if !name.starts_with(NAMESPACE) {
        full.extend_from_slice(if name.starts_with(b"notes/") { b"refs/" } else { NAMESPACE });
    }
    full.extend_from_slice(name);
    check_reference_name(full.as_bstr())?;
    Ok(full)
}

/// The object that a note is about: a full id stands for itself, whether there is such an object
/// or not; any other name is that of a version.
///
/// # Errors
/// [`Error::NoRevision`] where nothing goes by that name, or it is no commit.
pub fn target(handle: &Handle, revision: &str) -> Result<ContentId, Error> {
    match hex_id(revision.as_bytes()) {
        Some(id) if revision.len() == 40 => Ok(id),
        _ => revision::resolve(handle, revision),
    }
}

/// The note about an object; `None` where there is none.
///
/// # Errors
/// [`Error::Reference`] where the reference holds no notes, and [`Error::Read`].
pub fn get(handle: &Handle, reference: &BStr, target: &ContentId) -> Result<Option<Vec<u8>>, Error> {
    let Some(tip) = tip(handle, reference)?.id else { return Ok(None) };
    let tree = tree_of(handle, reference, tip)?;
    Ok(NotesTree::read(handle, reference, Some(tree))?.get(target)?)
}

/// All notes of a reference, sorted by the ids of the objects they are about; as they were when
/// they were listed.
#[derive(Debug)]
pub struct Listing {
    reference: BString,
    notes: std::vec::IntoIter<(ContentId, Held)>,
}

impl Listing {
    /// List the notes.
    ///
    /// # Errors
    /// [`Error::Reference`] where the reference holds no notes, and [`Error::Read`].
    pub fn new(handle: &Handle, reference: &BStr) -> Result<Self, Error> {
        let notes = match tip(handle, reference)?.id {
            Some(tip) => {
                let tree = tree_of(handle, reference, tip)?;
                NotesTree::read(handle, reference, Some(tree))?.list()?
            }
            None => Vec::new(),
        };
        Ok(Self { reference: reference.to_owned(), notes: notes.into_iter() })
    }

    /// The next notes: about `bytes` of them, and at least one; none at the end.
    ///
    /// # Errors
    /// [`Error::Read`] where a note can't be read.
    pub fn next_chunk(&mut self, handle: &Handle, bytes: usize) -> Result<Vec<(ContentId, Vec<u8>)>, Error> {
        let mut chunk = Vec::new();
        let mut size = 0;
        while size < bytes
            && let Some((target, held)) = self.notes.next()
        {
            let content = match held {
                Held::Content(content) => content,
                Held::Blob(id) => {
                    let mut content = Vec::new();
                    handle.read_into(self.reference.as_bstr(), &id, Kind::Blob, &mut content)?;
                    content
                }
            };
            size += size_of::<ContentId>() + content.len();
            chunk.push((target, content));
        }
        Ok(chunk)
    }
}

/// The tree of notes that a reference leads to. Git writes commits; it reads trees as well, and
/// tags of either.
fn tree_of(handle: &Handle, reference: &BStr, tip: ContentId) -> Result<ContentId, Error> {
    let none = |rule: &str| Error::Reference { name: reference.to_owned(), rule: rule.to_owned() };
    let mut at = tip;
    let mut buffer = Vec::new();
    for _ in 0..MOST_TAGS {
        match handle.store.read(reference, &at, &mut buffer)? {
            Some(Kind::Tree) => return Ok(at),
            Some(Kind::Commit) => return Ok(Commit::parse(&buffer, &at)?.tree),
            Some(Kind::Tag) => {
                let target = buffer.strip_prefix(b"object ").and_then(hex_id);
                at = target.ok_or_else(|| none("holds a tag that names no object"))?;
            }
            Some(Kind::Blob) => return Err(none("holds a blob, which has no notes")),
            None => {
                let error = ReadError::Missing { path: reference.into(), id: at };
                return Err(error.into());
            }
        }
    }
    Err(none("holds a tag of a tag and so on"))
}
