//! Opening a repository, and reading its objects.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use bstr::BStr;
use versiondiff_engine::snapshot::{ContentId, ReadError};

use crate::Error;
use crate::durable::Durability;
use crate::gitoxide::{self, Gitoxide};
use crate::snapshot::TreeCache;
use crate::store::{Backend, Kind, Store};

/// Whose repositories are opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Ownership {
    /// Anyone's: reading a repository here runs nothing and follows no configuration.
    #[default]
    Any,
    /// Only those of the user that this process runs as.
    CurrentUser,
}

/// How to open a repository.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenOptions {
    /// Whose repositories are opened.
    pub ownership: Ownership,
    /// The most memory, in bytes, that reading one object may take. A packed object takes up to
    /// about three times its size.
    pub object_memory: usize,
    /// What is promised of what is written.
    pub durability: Durability,
}

impl Default for OpenOptions {
    /// Anyone's repositories; 1 GiB for an object; what is written outlives the process.
    fn default() -> Self {
        Self { ownership: Ownership::Any, object_memory: 1 << 30, durability: Durability::Process }
    }
}

/// A git repository: safe to share between threads, each of which reads through its own
/// [`Handle`].
pub struct Repository {
    backend: Box<dyn Backend>,
}

impl Repository {
    /// Open the repository at `path` or above it: a work tree or a directory in one, a bare
    /// repository, a `.git` directory or file.
    ///
    /// # Errors
    /// [`Error::NoRepository`] where there is none; [`Error::Unsupported`] where it is stored in a
    /// way that is not read here (SHA-256, reftable, an extension that is not known), said before
    /// anything but its configuration is read; [`Error::NotOwned`] and [`Error::Open`].
    pub fn open(path: &Path, options: &OpenOptions) -> Result<Self, Error> {
        Ok(Self::over(Gitoxide::open(path, options)?))
    }

    /// The git directory of the repository at `path` or above it, for a backend to open; its common
    /// directory; and whether its configuration says that it is stored in a way that is read here:
    /// where that can't be read, it is for the backend to say what it means.
    ///
    /// # Errors
    /// [`Error::NoRepository`] where there is none; [`Error::Unsupported`] where it is stored in a
    /// way that is not read here; [`Error::NotOwned`].
    pub fn find(path: &Path, ownership: Ownership) -> Result<(PathBuf, PathBuf, bool), Error> {
        let git_dir = gitoxide::find(path, ownership)?;
        let common_dir = gitoxide::common_dir_of(&git_dir);
        match gitoxide::check_storage(&git_dir) {
            Err(unsupported @ Error::Unsupported { .. }) => Err(unsupported),
            checked => Ok((git_dir, common_dir, checked.is_ok())),
        }
    }

    /// A repository that another backend reads and writes.
    pub fn over(backend: impl Backend + 'static) -> Self {
        Self { backend: Box::new(backend) }
    }

    /// The git directory: of a linked work tree its own, below the repository's.
    pub fn git_dir(&self) -> &Path {
        self.backend.git_dir()
    }

    /// The directory that holds objects and references, for all work trees of the repository.
    pub fn common_dir(&self) -> &Path {
        self.backend.common_dir()
    }

    /// A handle for the calling thread.
    pub fn handle(&self) -> Handle {
        Handle {
            store: self.backend.store(),
            git_dir: self.backend.git_dir().to_owned(),
            trees: RefCell::default(),
            buffer: RefCell::default(),
        }
    }
}

impl std::fmt::Debug for Repository {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Repository").field("git_dir", &self.git_dir()).finish()
    }
}

/// A repository as one thread reads it, with caches of its own.
pub struct Handle {
    pub(crate) store: Box<dyn Store>,
    git_dir: PathBuf,
    pub(crate) trees: RefCell<TreeCache>,
    /// Reused for every object that is read and not kept.
    buffer: RefCell<Vec<u8>>,
}

impl Handle {
    /// Read an object of this kind and hand its bytes to `read`.
    ///
    /// `path` is where the object was met; it only names the place in an error.
    pub(crate) fn with_object<T>(
        &self,
        path: &BStr,
        id: &ContentId,
        kind: Kind,
        read: impl FnOnce(&[u8]) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        let mut buffer = self.buffer.borrow_mut();
        self.read_into(path, id, kind, &mut buffer)?;
        read(&buffer)
    }

    pub(crate) fn read_into(
        &self,
        path: &BStr,
        id: &ContentId,
        kind: Kind,
        buffer: &mut Vec<u8>,
    ) -> Result<(), ReadError> {
        match self.store.read(path, id, buffer)? {
            Some(found) if found == kind => Ok(()),
            Some(found) => {
                let rule = format!("it is a {found} where a {kind} is expected");
                Err(ReadError::Corrupt { path: path.into(), id: *id, rule })
            }
            None => Err(ReadError::Missing { path: path.into(), id: *id }),
        }
    }

    /// Read a commit's raw text into `buffer`.
    ///
    /// # Errors
    /// [`ReadError`] where it is missing, no commit, or can't be read.
    pub fn commit(&self, id: &ContentId, buffer: &mut Vec<u8>) -> Result<(), ReadError> {
        self.read_into(BStr::new(""), id, Kind::Commit, buffer)
    }

    /// Read a tree, or take it from the cache.
    pub(crate) fn tree(&self, path: &BStr, id: &ContentId) -> Result<Rc<[u8]>, ReadError> {
        if *id == ContentId::EMPTY_TREE {
            return Ok(Rc::default());
        }
        if let Some(tree) = self.trees.borrow_mut().get(id) {
            return Ok(tree);
        }
        let tree: Rc<[u8]> = self.with_object(path, id, Kind::Tree, |raw| Ok(raw.into()))?;
        self.trees.borrow_mut().insert(*id, Rc::clone(&tree));
        Ok(tree)
    }

    /// The commits at which history is cut off in a shallow repository; sorted.
    pub(crate) fn shallow_commits(&self) -> Vec<ContentId> {
        let mut commits = self.store.shallow_commits();
        commits.sort_unstable();
        commits
    }

    /// The directory the repository is in, for messages.
    pub(crate) fn path(&self) -> PathBuf {
        self.git_dir.clone()
    }
}

impl std::fmt::Debug for Handle {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Handle").field("git_dir", &self.path()).finish_non_exhaustive()
    }
}
