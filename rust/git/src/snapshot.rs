//! The tree of a version as a snapshot.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::rc::Rc;

use bstr::BStr;
use versiondiff_engine::snapshot::{ContentId, IdHasher, ReadError, Snapshot};

use crate::repository::Handle;
use crate::store::Kind;

/// A tree of the repository, read through a thread's handle.
#[derive(Clone, Copy, Debug)]
pub struct GitSnapshot<'h> {
    handle: &'h Handle,
    tree: ContentId,
}

impl<'h> GitSnapshot<'h> {
    /// The snapshot of this tree.
    pub fn new(handle: &'h Handle, tree: ContentId) -> Self {
        Self { handle, tree }
    }

    /// The snapshot of this commit's tree.
    ///
    /// # Errors
    /// [`ReadError`] where the commit can't be read.
    pub fn of_commit(handle: &'h Handle, commit: &ContentId) -> Result<Self, ReadError> {
        let mut raw = Vec::new();
        handle.commit(commit, &mut raw)?;
        let header = crate::commit::Commit::parse(&raw, commit)?;
        Ok(Self { handle, tree: header.tree })
    }
}

impl Snapshot for GitSnapshot<'_> {
    fn root(&self) -> Result<Option<ContentId>, ReadError> {
        Ok(Some(self.tree))
    }

    fn tree(&self, path: &BStr, id: &ContentId) -> Result<Rc<[u8]>, ReadError> {
        self.handle.tree(path, id)
    }

    fn blob(&self, path: &BStr, id: &ContentId) -> Result<Cow<'_, [u8]>, ReadError> {
        let mut buffer = Vec::new();
        self.handle.read_into(path, id, Kind::Blob, &mut buffer)?;
        Ok(Cow::Owned(buffer))
    }
}

/// The cache of decoded pack entries that a thread's handle holds: the bases that the next objects
/// are deltas of.
pub(crate) fn new_pack_cache() -> gix::odb::pack::cache::lru::MemoryCappedHashmap {
    gix::odb::pack::cache::lru::MemoryCappedHashmap::new(PACK_CACHE_BYTES)
}

const PACK_CACHE_BYTES: usize = 4 << 20;

/// The trees that were read last: the new side of one version is the old side of the next.
///
/// Two generations: what is used moves into the young one, and when that is full the old one goes.
/// This keeps what was used lately, in bounded memory, without a list to maintain.
#[derive(Debug, Default)]
pub(crate) struct TreeCache {
    young: Generation,
    old: Generation,
    young_bytes: usize,
}

type Generation = HashMap<ContentId, Rc<[u8]>, BuildHasherDefault<IdHasher>>;

/// How many bytes of trees a generation holds.
const GENERATION_BYTES: usize = 4 << 20;

impl TreeCache {
    pub(crate) fn get(&mut self, id: &ContentId) -> Option<Rc<[u8]>> {
        if let Some(tree) = self.young.get(id) {
            return Some(Rc::clone(tree));
        }
        let tree = self.old.remove(id)?;
        self.insert(*id, Rc::clone(&tree));
        Some(tree)
    }

    pub(crate) fn insert(&mut self, id: ContentId, tree: Rc<[u8]>) {
        // The entry itself takes about as much as a small tree does.
        let bytes = tree.len() + 64;
        if bytes > GENERATION_BYTES {
            return;
        }
        if self.young_bytes + bytes > GENERATION_BYTES {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        self.young_bytes += bytes;
        self.young.insert(id, tree);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_forgets_what_was_not_used_lately() {
        let id = |number: usize| ContentId::of_blob(&number.to_ne_bytes());
        let tree: Rc<[u8]> = vec![0; GENERATION_BYTES / 4].into();
        let mut cache = TreeCache::default();
        for number in 0..20 {
            cache.insert(id(number), Rc::clone(&tree));
            assert!(cache.get(&id(0)).is_some(), "used after each of {number}");
        }
        assert!(cache.get(&id(1)).is_none());
        assert!(Rc::strong_count(&tree) <= 9, "two generations at most");
    }
}
