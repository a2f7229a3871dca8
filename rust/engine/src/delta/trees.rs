//! Comparing two trees of tree objects.

use std::cmp::Ordering;
use std::rc::Rc;

use bstr::{BStr, BString, ByteSlice};

use super::{Change, ChangeKind, Scope, State};
use crate::equal_ends::common_prefix;
use crate::snapshot::{ContentId, MAX_DEPTH, Mode, ReadError, Snapshot, TreeEntries, TreeEntry};

/// A directory being compared: either side may be absent.
struct Level {
    old: Cursor,
    new: Cursor,
    /// How long the path of this directory is, with its trailing slash.
    path_length: usize,
}

/// A place in a raw tree. Offsets instead of a borrow, so that the tree may live beside it.
struct Cursor {
    raw: Option<Rc<[u8]>>,
    id: ContentId,
    offset: usize,
}

impl Cursor {
    fn open(source: &dyn Snapshot, path: &BStr, id: Option<ContentId>) -> Result<Self, ReadError> {
        match id {
            None => Ok(Self { raw: None, id: ContentId::EMPTY_TREE, offset: 0 }),
            Some(id) => Ok(Self { raw: Some(source.tree(path, &id)?), id, offset: 0 }),
        }
    }

    /// The entry at the cursor and the length of its text.
    fn peek(&self, path: &BStr) -> Result<Option<(TreeEntry<'_>, usize)>, ReadError> {
        let Some(raw) = &self.raw else { return Ok(None) };
        let rest = &raw[self.offset..];
        match TreeEntries::new(rest).next() {
            None => Ok(None),
            Some(Err(mut error)) => {
                error.offset += self.offset;
                Err(error.at(path, self.id))
            }
            Some(Ok(entry)) => {
                // mode, space, name, NUL, id: the name's place in the text gives the length.
                let name_start = entry.name.as_ptr().addr() - rest.as_ptr().addr();
                Ok(Some((entry, name_start + entry.name.len() + 21)))
            }
        }
    }
}

impl Level {
    /// Step over the entries that are the same on both sides, by their bytes alone: most are.
    fn skip_equal(&mut self) {
        let (Some(old), Some(new)) = (&self.old.raw, &self.new.raw) else { return };
        let (a, b) = (&old[self.old.offset..], &new[self.new.offset..]);
        if a == b {
            // As with trees of one id, what is equal is not looked at.
            (self.old.offset, self.new.offset) = (old.len(), new.len());
            return;
        }
        let equal = common_prefix(a, b);
        let mut skipped = 0;
        // Where an entry ends is seen from its start only: after the name, a NUL and the id.
        while let Some(name_end) = memchr::memchr(0, &a[skipped..equal]) {
            let end = skipped + name_end + 21;
            if end > equal {
                break;
            }
            skipped = end;
        }
        self.old.offset += skipped;
        self.new.offset += skipped;
    }
}

/// Append every difference to `changes`, sorted by path.
pub(super) fn compare(
    old: &dyn Snapshot,
    new: &dyn Snapshot,
    scope: &Scope,
    changes: &mut Vec<Change>,
) -> Result<(), ReadError> {
    let (old_root, new_root) = (old.root()?, new.root()?);
    if old_root == new_root {
        return Ok(());
    }
    let mut path = BString::default();
    let open = |path: &BStr, a: Option<ContentId>, b: Option<ContentId>| {
        Ok::<_, ReadError>((Cursor::open(old, path, a)?, Cursor::open(new, path, b)?))
    };
    let (a, b) = open(BStr::new(""), old_root, new_root)?;
    // A stack of its own: the depth of a hostile tree must not be the depth of the thread's stack.
    let mut levels = vec![Level { old: a, new: b, path_length: 0 }];
    while let Some(level) = levels.last_mut() {
        path.truncate(level.path_length);
        level.skip_equal();
        let directory = path.as_bstr();
        let (a, b) = (level.old.peek(directory)?, level.new.peek(directory)?);
        let order = match (&a, &b) {
            (None, None) => {
                levels.pop();
                continue;
            }
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((a, _)), Some((b, _))) => a.order(b),
        };
        let a = a.filter(|_| order.is_le());
        let b = b.filter(|_| order.is_ge());
        let length = |side: &Option<(TreeEntry<'_>, usize)>| side.as_ref().map_or(0, |(_, length)| *length);
        let (old_length, new_length) = (length(&a), length(&b));
        let state = |side: Option<(TreeEntry<'_>, usize)>| {
            side.map(|(entry, _)| State { mode: entry.mode, id: entry.id })
        };
        if let Some((entry, _)) = a.as_ref().or(b.as_ref()) {
            path.extend_from_slice(entry.name);
        }
        let (a, b) = (state(a), state(b));
        level.old.offset += old_length;
        level.new.offset += new_length;
        if a == b {
            continue;
        }
        let tree = |side: Option<State>| side.filter(|side| side.mode == Mode::Tree).map(|side| side.id);
        if tree(a).is_some() || tree(b).is_some() {
            if !scope.reaches(path.as_bstr()) {
                continue;
            }
            if levels.len() >= MAX_DEPTH {
                let rule = format!("directories nest deeper than {MAX_DEPTH}");
                return Err(ReadError::Limit { path, rule });
            }
            let (a, b) = open(path.as_bstr(), tree(a), tree(b))?;
            path.push(b'/');
            levels.push(Level { old: a, new: b, path_length: path.len() });
        } else if scope.holds(path.as_bstr()) {
            let kind = match (a, b) {
                (Some(old), Some(new)) => ChangeKind::Modification { old, new },
                (Some(old), None) => ChangeKind::Deletion(old),
                (None, Some(new)) => ChangeKind::Addition(new),
                (None, None) => continue,
            };
            changes.push(Change { path: path.clone(), kind });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
