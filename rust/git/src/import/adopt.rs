//! A folder that holds a history file made into a repository, in place.
//!
//! The repository is built in a folder of its own inside, so that it is on the same file system.
//! Files of the head that are missing are written, each whole or not at all; what is there stays as
//! it is. Then `.git` is moved to its place, in one step, and the history file is removed. What is
//! left by a process that was killed is therefore one of: a folder as it was, with files of the
//! head added; or a repository in which the history file still lies. The next call goes on from
//! either.

use std::collections::BTreeSet;
use std::fs;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use gix::objs::tree::EntryKind;

use super::{Built, Created, FILE_NAME, History, ImportError, build, checkout};
use crate::durable::{Durability, sync_path, sync_tree};
use crate::gitoxide::content_id;
use crate::repository::{OpenOptions, Repository};

/// Where the repository is built. One name, as the history file is locked meanwhile: what goes by
/// it was left by a process that was killed.
const SCAFFOLD: &str = ".versiondiff-adopting";

/// What became of a history file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The folder was made a repository, and the file is gone.
    Made,
    /// The folder was a repository that holds this history, as one is that was made by a process
    /// that was killed: the file is gone.
    Finished,
    /// The folder is a repository that does not hold this history: the file is still there.
    Left,
}

/// What [`adopt`] did.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Adopted {
    /// What became of the file.
    pub outcome: Outcome,
    /// What the repository holds of it; what it would hold, where the file was left.
    pub created: Created,
}

/// Make `folder` the repository that its history file describes; `None` where it has no such file.
///
/// # Errors
/// [`ImportError`]; then the folder is as it was, but where what was made can't be forced to the
/// disk: then the history file is still there, and the next call goes on.
pub fn adopt(folder: &Path, durability: Durability) -> Result<Option<Adopted>, ImportError> {
    let folder = std::path::absolute(folder).map_err(|error| ImportError::write(folder, &error))?;
    let file_path = folder.join(FILE_NAME);
    let unreadable =
        |reason: std::io::Error| ImportError::Read { path: file_path.clone(), reason: reason.to_string() };
    let mut file = match fs::File::open(&file_path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    // Two at once would build in one place. Where a file system has no locks, there is none.
    match file.lock() {
        Err(error) if error.kind() != ErrorKind::Unsupported => return Err(unreadable(error)),
        _ => {}
    }
    if !file_path.exists() {
        // Another one did it while this one waited.
        return Ok(None);
    }
    let mut json = Vec::new();
    file.read_to_end(&mut json).map_err(unreadable)?;
    let history = History::parse(&json)?;
    let scaffold = Scaffold::make(&folder)?;
    let mut built = build(&scaffold.repository(), &history)?;
    let git_dir = folder.join(".git");
    let outcome = match fs::symlink_metadata(&git_dir) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            make(&mut built, &scaffold, &folder, &file_path, durability)?;
            Outcome::Made
        }
        Err(error) => return Err(ImportError::write(&git_dir, &error)),
        Ok(_) if holds(&git_dir, &built.created) => {
            if durability == Durability::Power {
                // Whoever made it may not have.
                sync_tree(&git_dir)?;
                sync_path(&folder)?;
            }
            fs::remove_file(&file_path).map_err(|error| ImportError::write(&file_path, &error))?;
            Outcome::Finished
        }
        Ok(_) => Outcome::Left,
    };
    Ok(Some(Adopted { outcome, created: built.created }))
}

/// Whether the repository whose git directory is `git_dir` has every version of the history.
fn holds(git_dir: &Path, history: &Created) -> bool {
    // What was moved here is a directory; a file would stand for a repository elsewhere.
    let Ok(real) = fs::canonicalize(git_dir).and_then(|path| {
        if fs::symlink_metadata(git_dir)?.is_dir() { Ok(path) } else { Err(ErrorKind::NotADirectory.into()) }
    }) else {
        return false;
    };
    let Ok(repository) = Repository::open(git_dir, &OpenOptions::default()) else { return false };
    // Where it is none, one further up was found.
    if fs::canonicalize(repository.git_dir()).ok() != Some(real) {
        return false;
    }
    let handle = repository.handle();
    let mut buffer = Vec::new();
    history.versions.values().all(|id| {
        let id = gix::ObjectId::from_hex(id.as_bytes()).ok();
        id.is_some_and(|id| handle.commit(&content_id(id), &mut buffer).is_ok())
    })
}

/// Write the files that are missing, move the repository to its place, remove the history file.
fn make(
    built: &mut Built,
    scaffold: &Scaffold,
    folder: &Path,
    history_file: &Path,
    durability: Durability,
) -> Result<(), ImportError> {
    let is_durable = durability == Durability::Power;
    let mut added = Added::default();
    write_missing(built, scaffold, folder, &mut added, is_durable)?;
    checkout::write_index(built, |path| {
        let (kind, id) = built.files.get(path)?;
        is_as_in_head(built, &folder.join(path), *kind, *id)
            .then(|| checkout::stat(&folder.join(path)))
            .flatten()
    })?;
    let (from, to) = (scaffold.repository().join(".git"), folder.join(".git"));
    if is_durable {
        added.sync(folder)?;
        sync_tree(&from)?;
    }
    fs::rename(&from, &to).map_err(|error| ImportError::write(&to, &error))?;
    if is_durable && let Err(failure) = sync_path(folder) {
        // The repository is there: its files are to stay.
        added.keep();
        return Err(failure.into());
    }
    if let Err(error) = fs::remove_file(history_file) {
        return match fs::rename(&to, &from) {
            Ok(()) => Err(ImportError::write(history_file, &error)),
            Err(also) => {
                // The repository is there: its files are to stay.
                added.keep();
                Err(ImportError::write(history_file, &format!("{error}; and {} stays: {also}", to.display())))
            }
        };
    }
    added.keep();
    Ok(())
}

fn write_missing(
    built: &Built,
    scaffold: &Scaffold,
    folder: &Path,
    added: &mut Added,
    is_durable: bool,
) -> Result<(), ImportError> {
    for (path, (kind, id)) in &built.files {
        let failed = |reason: &dyn std::fmt::Display| ImportError::write(Path::new(path), reason);
        let target = folder.join(path);
        match fs::symlink_metadata(&target) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound) => {}
            // Something stands there, or stands where a folder of it would: that stays.
            _ => continue,
        }
        if !added.make_folders(folder, path).map_err(|error| failed(&error))? {
            continue;
        }
        let blob = built.repository.find_blob(*id).map_err(|error| failed(&error))?;
        let whole = scaffold.path.join("file");
        checkout::write_file(&whole, &blob.data, *kind).map_err(|error| failed(&error))?;
        if is_durable {
            sync_path(&whole)?;
        }
        fs::rename(&whole, &target).map_err(|error| failed(&error))?;
        added.files.push(target);
    }
    Ok(())
}

/// Whether a file has the content and the mode that the head gives it.
fn is_as_in_head(built: &Built, path: &Path, kind: EntryKind, id: gix::ObjectId) -> bool {
    let Ok(metadata) = fs::symlink_metadata(path) else { return false };
    let Ok(blob) = built.repository.find_blob(id) else { return false };
    #[cfg(unix)]
    let has_mode = {
        use std::os::unix::fs::PermissionsExt as _;
        (metadata.permissions().mode() & 0o100 != 0) == (kind == EntryKind::BlobExecutable)
    };
    #[cfg(not(unix))]
    let has_mode = matches!(kind, EntryKind::Blob | EntryKind::BlobExecutable);
    metadata.is_file()
        && has_mode
        && metadata.len() == blob.data.len() as u64
        && fs::read(path).is_ok_and(|content| content == blob.data)
}

/// What was added to the folder; taken away again unless it is kept.
#[derive(Default)]
struct Added {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

impl Added {
    /// Make the folders of `path`; false where something else, or a link, stands in the way.
    fn make_folders(&mut self, root: &Path, path: &str) -> std::io::Result<bool> {
        for (at, _) in path.match_indices('/') {
            let folder = root.join(&path[..at]);
            match fs::symlink_metadata(&folder) {
                Ok(found) if found.is_dir() => {}
                Ok(_) => return Ok(false),
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    fs::create_dir(&folder)?;
                    self.folders.push(folder);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    /// Force the names of all of it to the disk, those in `root` too.
    fn sync(&self, root: &Path) -> Result<(), ImportError> {
        let above: BTreeSet<&Path> = self.files.iter().filter_map(|file| file.parent()).collect();
        for folder in above.into_iter().chain(self.folders.iter().map(PathBuf::as_path)) {
            sync_path(folder)?;
        }
        for folder in self.folders.iter().filter_map(|folder| folder.parent()) {
            sync_path(folder)?;
        }
        Ok(sync_path(root)?)
    }

    fn keep(&mut self) {
        self.files.clear();
        self.folders.clear();
    }
}

impl Drop for Added {
    fn drop(&mut self) {
        for file in &self.files {
            let _ = fs::remove_file(file);
        }
        // A folder that someone put something into meanwhile stays.
        for folder in self.folders.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// The folder in which the repository is built; gone when this is.
struct Scaffold {
    path: PathBuf,
}

impl Scaffold {
    fn make(folder: &Path) -> Result<Self, ImportError> {
        let path = folder.join(SCAFFOLD);
        let failed = |error: &std::io::Error| ImportError::write(&path, error);
        match fs::remove_dir_all(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(&error)),
            _ => {}
        }
        fs::create_dir(&path).map_err(|error| failed(&error))?;
        Ok(Self { path })
    }

    fn repository(&self) -> PathBuf {
        self.path.join("repository")
    }
}

impl Drop for Scaffold {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}
