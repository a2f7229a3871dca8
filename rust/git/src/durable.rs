//! What is written so that it outlives a power cut.
//!
//! A system keeps what is written in memory for a while, and writes it to the disk in an order of
//! its own: a file can be renamed on the disk before its content is there. So each file is forced
//! to the disk (`fsync`) under a name that nobody reads, and gets its own name only then; and the
//! directory that holds the name is forced there too, with those above it. Objects are on the disk
//! before the reference that leads to them changes, and the reference is before the call ends.
//!
//! This writes loose objects and references itself, whatever backend reads the repository: a
//! backend tells neither the one moment nor the other.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use bstr::ByteSlice as _;
use gix::odb::loose;
use gix::prelude::Write as _;
use gix::refs::file::Store as References;
use gix::refs::store::init::Options;
use versiondiff_engine::snapshot::ContentId;

use crate::Error;
use crate::gitoxide::{self, content_id, gix_kind};
use crate::store::{Kind, Swap, Swapped, lock_path};

/// What is promised of what a call has written once it came back.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Durability {
    /// It stays when the process dies.
    #[default]
    Process,
    /// It stays when the machine loses power.
    Power,
}

/// How the directory is called in which objects are written; git removes what is left of one, after
/// a while, by the beginning of its name.
const ASIDE: &str = "tmp_objdir-versiondiff-";

/// What forces a file, or the names in a directory, to the disk.
trait Disk {
    fn sync(&self, path: &Path) -> io::Result<()>;
}

/// The disk that a path is on.
struct RealDisk;

impl Disk for RealDisk {
    fn sync(&self, path: &Path) -> io::Result<()> {
        // Elsewhere a directory is not opened, and its names are the file system's to keep.
        if cfg!(not(unix)) && path.is_dir() {
            return Ok(());
        }
        // Elsewhere only what may be written can be forced to the disk; here that is refused for
        // objects, which nobody may write again.
        let file = fs::OpenOptions::new().read(true).write(cfg!(not(unix))).open(path)?;
        match file.sync_all() {
            // A file system that has no way to do so for a directory says so.
            Err(error) if error.kind() == ErrorKind::InvalidInput && path.is_dir() => Ok(()),
            synced => synced,
        }
    }
}

/// One thread's way to write to a repository with [`Durability::Power`].
pub struct DurableWriter {
    common_dir: PathBuf,
    references: References,
    disk: Box<dyn Disk>,
    /// Where objects are written before they get their names, once there was one.
    aside: RefCell<Option<tempfile::TempDir>>,
    /// Directories into which objects came since a reference was changed.
    waiting: RefCell<BTreeSet<PathBuf>>,
}

impl DurableWriter {
    /// For the repository with these directories.
    pub fn open(git_dir: &Path, common_dir: &Path) -> Self {
        let options =
            Options { write_reflog: gitoxide::write_reflog(git_dir, common_dir), ..Options::default() };
        let (git_dir, shared, hash) = (git_dir.to_owned(), common_dir.to_owned(), gix::hash::Kind::Sha1);
        let references = if git_dir == shared {
            References::at_opts(git_dir, hash, options)
        } else {
            References::for_linked_worktree_opts(git_dir, shared, hash, options)
        };
        Self::over(common_dir, references, Box::new(RealDisk))
    }

    fn over(common_dir: &Path, references: References, disk: Box<dyn Disk>) -> Self {
        Self {
            common_dir: common_dir.to_owned(),
            references,
            disk,
            aside: RefCell::default(),
            waiting: RefCell::default(),
        }
    }

    /// Write an object and give its id.
    ///
    /// One that is loose already may not be on the disk yet, so it is forced there; `is_elsewhere`
    /// is whether one that is not need not be written, as a pack holds it.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn write(
        &self,
        kind: Kind,
        content: &[u8],
        is_elsewhere: impl FnOnce(&ContentId) -> bool,
    ) -> Result<ContentId, Error> {
        let kind = gix_kind(kind);
        let id = gix::objs::compute_hash(gix::hash::Kind::Sha1, kind, content)
            .map_err(|error| self.failed(&error))?;
        let objects = self.common_dir.join("objects");
        let target = loose::Store::at(objects.clone(), gix::hash::Kind::Sha1).object_path(&id);
        let found = content_id(id);
        if target.exists() {
            self.sync(&target)?;
        } else if is_elsewhere(&found) {
            return Ok(found);
        } else {
            let mut aside = self.aside.borrow_mut();
            if aside.is_none() {
                let made = tempfile::Builder::new().prefix(ASIDE).tempdir_in(&objects);
                *aside = Some(made.map_err(|error| self.failed(&error))?);
            }
            let Some(aside) = aside.as_ref() else { return Err(Error::Internal("no directory was made")) };
            let store = loose::Store::at(aside.path().to_owned(), gix::hash::Kind::Sha1);
            store.write_buf_with_known_id(kind, content, id).map_err(|error| self.failed(&error))?;
            let written = store.object_path(&id);
            self.sync(&written)?;
            put(&written, &target).map_err(|error| self.failed(&error))?;
        }
        let mut waiting = self.waiting.borrow_mut();
        waiting.extend(target.parent().map(Path::to_owned));
        waiting.insert(objects);
        Ok(found)
    }

    /// Change a reference, if it still holds what is expected, once the objects that were written
    /// are on the disk.
    ///
    /// # Errors
    /// [`Error::Reference`] where it can't be written, [`Error::Write`] where something can't be
    /// forced to the disk: the reference may be changed then, and not outlive a power cut.
    pub fn swap(&self, swap: &Swap<'_>) -> Result<Swapped, Error> {
        self.sync_waiting()?;
        // Who comes after a power cut is to know the lock file that this leaves for its own.
        let record = self.common_dir.join(crate::lock::FILE_NAME);
        if record.exists() {
            self.sync(&record)?;
        }
        let path = self.common_dir.join(swap.name.to_path_lossy());
        let mut failure = None;
        let swapped = gitoxide::swap(&self.references, &self.common_dir, swap, || {
            // It is renamed to the reference next.
            failure = self.sync(&lock_path(&path)).err();
            failure.is_none()
        });
        if let Some(failure) = failure {
            return Err(failure);
        }
        if swapped.as_ref().is_ok_and(|swapped| *swapped == Swapped::Done) {
            self.sync_above(&path)?;
            let log = self.common_dir.join("logs").join(swap.name.to_path_lossy());
            if log.exists() {
                self.sync(&log)?;
                self.sync_above(&log)?;
            }
        }
        swapped
    }

    /// The directories of objects, the inner ones first.
    fn sync_waiting(&self) -> Result<(), Error> {
        let waiting = std::mem::take(&mut *self.waiting.borrow_mut());
        waiting.iter().rev().try_for_each(|directory| self.sync(directory))
    }

    /// The directories above a path: each may have been made for it.
    fn sync_above(&self, path: &Path) -> Result<(), Error> {
        let above = path.ancestors().skip(1).take_while(|above| above.starts_with(&self.common_dir));
        for directory in above {
            self.sync(directory)?;
        }
        Ok(())
    }

    fn sync(&self, path: &Path) -> Result<(), Error> {
        self.disk.sync(path).map_err(|error| Error::Write {
            path: self.common_dir.clone(),
            reason: format!("{} can't be forced to the disk: {error}", path.display()),
        })
    }

    fn failed(&self, reason: &dyn std::fmt::Display) -> Error {
        Error::Write { path: self.common_dir.clone(), reason: reason.to_string() }
    }
}

impl std::fmt::Debug for DurableWriter {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("DurableWriter").field("common_dir", &self.common_dir).finish_non_exhaustive()
    }
}

/// Give an object its own name, and the directory for it where there is none.
fn put(written: &Path, target: &Path) -> io::Result<()> {
    match target.parent().map(fs::create_dir) {
        Some(Err(error)) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    fs::rename(written, target)
}

/// Force all files below a directory, and all directories there with itself, to the disk.
///
/// # Errors
/// What the system says; with the path.
pub(crate) fn sync_tree(directory: &Path) -> Result<(), (PathBuf, io::Error)> {
    let at = |error| (directory.to_owned(), error);
    for entry in fs::read_dir(directory).map_err(at)? {
        let entry = entry.map_err(at)?;
        let kind = entry.file_type().map_err(at)?;
        if kind.is_dir() {
            sync_tree(&entry.path())?;
        } else if kind.is_file() {
            sync_path(&entry.path())?;
        }
    }
    sync_path(directory)
}

/// Force a file, or the names in a directory, to the disk.
///
/// # Errors
/// What the system says; with the path.
pub(crate) fn sync_path(path: &Path) -> Result<(), (PathBuf, io::Error)> {
    RealDisk.sync(path).map_err(|error| (path.to_owned(), error))
}

#[cfg(test)]
mod tests;
