//! Loose objects, for a backend that is not trusted with them.
//!
//! libgit2 1.9 waits for ever on a loose object that is cut short, as a full disk leaves it, and
//! Python waits with it. So what it reads is packs, and loose objects are read here.

use std::path::{Path, PathBuf};

use bstr::{BStr, ByteSlice as _};
use gix::odb::loose;
use versiondiff_engine::snapshot::{ContentId, ReadError};

use crate::gitoxide::{content_id, kind, object_id, read_error};
use crate::store::Kind;

/// The directories of objects of a repository, its own first, and the loose objects in them.
pub struct LooseObjects {
    stores: Vec<loose::Store>,
}

impl LooseObjects {
    /// Those of the repository in `common_dir`, and of all that it borrows from; reading one takes
    /// at most `object_memory` bytes.
    pub fn of(common_dir: &Path, object_memory: usize) -> Self {
        let options = loose::Options { alloc_limit_bytes: Some(object_memory), ..Default::default() };
        let directories = object_directories(&common_dir.join("objects"));
        let store = |path| loose::Store::at_opts(path, gix::hash::Kind::Sha1, options);
        Self { stores: directories.into_iter().map(store).collect() }
    }

    /// The directories of objects.
    pub fn directories(&self) -> impl Iterator<Item = &Path> {
        self.stores.iter().map(loose::Store::path)
    }

    /// Read an object into `buffer`; `None` where none of them holds it.
    ///
    /// # Errors
    /// [`ReadError`] where it can't be read.
    pub fn read(&self, path: &BStr, id: &ContentId, buffer: &mut Vec<u8>) -> Result<Option<Kind>, ReadError> {
        let object = object_id(id);
        for store in &self.stores {
            match store.try_find(&object, buffer) {
                Ok(Some(found)) => return Ok(Some(kind(found.kind))),
                Ok(None) => {}
                Err(error) => return Err(read_error(path, id, &error)),
            }
        }
        Ok(None)
    }

    /// The ids that start with these hexadecimal digits.
    pub fn ids(&self, digits: &str) -> Vec<ContentId> {
        let Ok(prefix) = gix::hash::Prefix::from_hex(digits) else { return Vec::new() };
        let mut found = std::collections::HashSet::new();
        for store in &self.stores {
            // What can't be listed holds nothing that could be read.
            let _ = store.lookup_prefix(prefix, Some(&mut found));
        }
        found.into_iter().map(content_id).collect()
    }
}

/// A directory of objects and those that it borrows from, each once, as git goes through them.
fn object_directories(objects: &Path) -> Vec<PathBuf> {
    /// How far borrowing goes in git.
    const DEEPEST: usize = 5;
    let mut found = vec![objects.to_owned()];
    let mut waiting = vec![(objects.to_owned(), 0)];
    while let Some((directory, depth)) = waiting.pop() {
        let listed = std::fs::read(directory.join("info").join("alternates")).unwrap_or_default();
        for line in listed.lines().filter(|line| !line.is_empty() && !line.starts_with(b"#")) {
            let line = gix::quote::ansi_c::undo(line.as_bstr())
                .map_or_else(|_| line.as_bstr().into(), |(text, _)| text);
            let Ok(path) = line.to_path() else { continue };
            // What is not there is left out, as git does with a warning.
            let Ok(path) = directory.join(path).canonicalize() else { continue };
            let is_known = |known: &PathBuf| known.canonicalize().is_ok_and(|known| known == path);
            if depth < DEEPEST && !found.iter().any(is_known) {
                found.push(path.clone());
                waiting.push((path, depth + 1));
            }
        }
    }
    found
}
