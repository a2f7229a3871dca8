//! What all commits that are made here have in common: who and what they say, their raw text, and
//! how a reference comes to stand on one.

use std::fmt::Write as _;

use bstr::{BStr, BString, ByteSlice as _};
use versiondiff_engine::snapshot::{ContentId, ReadError};

use crate::Error;
use crate::commit::Commit;
use crate::lock::WriteLock;
use crate::repository::{Handle, Repository};
use crate::store::{Kind, Signature, Swap, Swapped, Target, lock_path};
use crate::wait::Wait;

/// How many symbolic references are followed, one to the next; git's own limit.
const MOST_SYMBOLIC: usize = 5;

/// What a commit says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// Who made what is in it, and when.
    pub author: Signature,
    /// Who made the commit, and when.
    pub committer: Signature,
    /// The message; a line feed is added where it lacks one at its end.
    pub text: String,
}

impl Message {
    /// Refuse what could not be read back. `what` names the message in an error.
    pub(crate) fn check(&self, what: &'static str) -> Result<(), Error> {
        /// Minutes; git reads more as something else.
        const MOST_OFFSET: i32 = 99 * 60 + 59;
        let invalid = |what, rule| Err(Error::Invalid { what, rule });
        for who in [&self.author, &self.committer] {
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
        if self.text.contains('\0') {
            return invalid(what, "holds NUL");
        }
        Ok(())
    }

    /// The first line.
    pub(crate) fn subject(&self) -> &str {
        self.text.lines().next().unwrap_or_default()
    }
}

/// The raw text of a commit.
pub(crate) fn raw_commit(tree: &ContentId, parent: Option<&ContentId>, message: &Message) -> Vec<u8> {
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

/// Where a reference stands.
pub(crate) struct Tip {
    /// The reference that is no symbolic one, at the end of those that are.
    pub(crate) name: BString,
    /// What it holds; `None` where it does not exist.
    pub(crate) id: Option<ContentId>,
}

/// Where the reference with this full name stands.
pub(crate) fn tip(handle: &Handle, reference: &BStr) -> Result<Tip, Error> {
    let mut name = reference.to_owned();
    for _ in 0..=MOST_SYMBOLIC {
        let mut found = handle.store.reference(name.as_bstr())?;
        if found.is_none() {
            // A git that packs references takes away its file between the moments at which those
            // that are packed, and then the file, are looked for. It is there the next time.
            found = handle.store.reference(name.as_bstr())?;
        }
        match found.map(|found| found.target) {
            Some(Target::Symbolic(next)) => name = next,
            Some(Target::Object(id)) => return Ok(Tip { name, id: Some(id) }),
            None => return Ok(Tip { name, id: None }),
        }
    }
    Err(Error::Reference { name: reference.to_owned(), rule: "leads on and on to others".to_owned() })
}

/// The tree of the commit that a reference holds.
pub(crate) fn tree_of_commit(handle: &Handle, reference: &BStr, id: &ContentId) -> Result<ContentId, Error> {
    let mut raw = Vec::new();
    match handle.store.read(reference, id, &mut raw)? {
        Some(Kind::Commit) => Ok(Commit::parse(&raw, id)?.tree),
        Some(kind) => Err(Error::Reference {
            name: reference.to_owned(),
            rule: format!("holds a {kind}, and is written on commits only"),
        }),
        None => Err(ReadError::Missing { path: reference.into(), id: *id }.into()),
    }
}

/// Put a commit in place, if the reference still holds what it was built on.
pub(crate) fn swap(
    handle: &Handle,
    tip: &Tip,
    commit: ContentId,
    who: &Signature,
    log: &str,
    lock: &mut WriteLock,
    wait: &mut Wait<'_>,
) -> Result<Swapped, Error> {
    let swap = Swap { name: tip.name.as_bstr(), expected: tip.id, new: commit, who, log };
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

/// That others stood in the way of a reference until time was up.
pub(crate) fn conflict(repository: &Repository, reference: &BStr, swapped: Swapped) -> Error {
    Error::Conflict {
        what: format!("reference {}", versiondiff_engine::display::name(reference)),
        lock: lock_path(&repository.common_dir().join(reference.to_path_lossy())),
        rule: if swapped == Swapped::Locked {
            "another program is writing it, or was killed while it did"
        } else {
            "other programs changed it again and again"
        },
    }
}
