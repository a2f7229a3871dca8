//! A snapshot that shows only what a scope looks at.

use std::borrow::Cow;
use std::rc::Rc;

use bstr::{BStr, BString, ByteSlice};

use super::{ContentId, Entry, Mode, ReadError, Snapshot, TreeEntries};
use crate::delta::Scope;

/// Another snapshot, seen through a [`Scope`]: paths outside of it are not there.
///
/// Trees keep the id they have in full, so two scoped snapshots of the same scope may be compared
/// with each other, and with nothing else.
pub struct Scoped<'a> {
    inner: &'a dyn Snapshot,
    scope: &'a Scope,
}

impl<'a> Scoped<'a> {
    /// See `inner` through `scope`.
    pub fn new(inner: &'a dyn Snapshot, scope: &'a Scope) -> Self {
        Self { inner, scope }
    }
}

impl Snapshot for Scoped<'_> {
    fn root(&self) -> Result<Option<ContentId>, ReadError> {
        self.inner.root()
    }

    fn tree(&self, path: &BStr, id: &ContentId) -> Result<Rc<[u8]>, ReadError> {
        let raw = self.inner.tree(path, id)?;
        // All of a directory inside the scope is looked at.
        if self.scope.holds(path) && !path.is_empty() || self.scope.is_everything() {
            return Ok(raw);
        }
        let mut kept = Vec::new();
        let mut entries = TreeEntries::new(&raw);
        let mut name = BString::default();
        loop {
            let start = entries.offset();
            let Some(entry) = entries.next() else { break };
            // A broken tree is for the reader to refuse, who says where it broke.
            let Ok(entry) = entry else { return Ok(raw) };
            name.clear();
            if !path.is_empty() {
                name.extend_from_slice(path);
                name.push(b'/');
            }
            name.extend_from_slice(entry.name);
            let looked_at = match entry.mode {
                Mode::Tree => self.scope.reaches(name.as_bstr()),
                _ => self.scope.holds(name.as_bstr()),
            };
            if looked_at {
                kept.extend_from_slice(&raw[start..entries.offset()]);
            }
        }
        Ok(kept.into())
    }

    fn blob(&self, path: &BStr, id: &ContentId) -> Result<Cow<'_, [u8]>, ReadError> {
        self.inner.blob(path, id)
    }

    fn find(&self, path: &BStr) -> Result<Option<Entry>, ReadError> {
        if self.scope.holds(path) { self.inner.find(path) } else { Ok(None) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::{Mapping, MappingEntry};

    #[test]
    fn what_is_outside_is_not_there() {
        let mapping = Mapping::new(
            ["a/b/c", "a/b/d", "a/e", "f"]
                .map(|path| MappingEntry {
                    path: Cow::Borrowed(path.into()),
                    mode: Mode::File,
                    content: Cow::Borrowed(path.as_bytes()),
                })
                .into(),
        )
        .expect("valid");
        let scope = Scope::new(["a/b/c", "f"]);
        let scoped = Scoped::new(&mapping, &scope);
        let delta = crate::delta::between(&super::super::Empty, &scoped, &crate::delta::Options::default());
        let paths: Vec<_> = delta.expect("in memory").changes.into_iter().map(|change| change.path).collect();
        assert_eq!(paths, ["a/b/c", "f"]);
        assert_eq!(scoped.find("a/e".into()), Ok(None));
        assert!(scoped.find("a/b/c".into()).expect("in memory").is_some());
    }
}
