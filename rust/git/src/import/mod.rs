//! A history file made into a plain git repository.
//!
//! The same file gives the same commit ids on every machine: nothing but the file goes into them.
//! Nothing is read from the user's configuration, no hook is run or installed. The repository is
//! built beside its place and moved there when it is whole, so a failure leaves nothing behind.

mod adopt;
mod checkout;
mod history;
mod runs;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use gix::objs::tree::EntryKind;
use gix::refs::transaction::{PreviousValue, RefEdit};
use gix::{ObjectId, Repository};

use crate::durable::{Durability, sync_path, sync_tree};

pub use adopt::{Adopted, Outcome, adopt};
pub use history::{Content, FILE_NAME, File, History, Mode, Person, Run, RunStatus, Tag, Version};

/// A repository was made.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Created {
    /// The branch that HEAD stands on.
    pub head: String,
    /// The commit id of each version, by key.
    pub versions: BTreeMap<String, String>,
    /// The id of each annotated tag, by name.
    pub tags: BTreeMap<String, String>,
}

/// Why no repository was made.
#[derive(Debug)]
#[non_exhaustive]
pub enum ImportError {
    /// The history file breaks a rule.
    Invalid {
        /// Where in the file.
        place: String,
        /// What is wrong there.
        rule: String,
    },
    /// There is something at the place of the repository already.
    Occupied {
        /// The place.
        path: PathBuf,
    },
    /// The history file can't be read.
    Read {
        /// The file.
        path: PathBuf,
        /// Why it failed.
        reason: String,
    },
    /// The files could not be written.
    Write {
        /// What was being written.
        path: PathBuf,
        /// Why it failed.
        reason: String,
    },
}

impl ImportError {
    fn invalid(place: impl Into<String>, rule: impl Into<String>) -> Self {
        Self::Invalid { place: place.into(), rule: rule.into() }
    }

    fn write(path: &Path, reason: &dyn fmt::Display) -> Self {
        Self::Write { path: path.into(), reason: reason.to_string() }
    }
}

impl fmt::Display for ImportError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid { place, rule } => write!(formatter, "history file: {place}: {rule}"),
            Self::Occupied { path } => {
                write!(formatter, "{} is not an empty folder", path.display())
            }
            Self::Read { path, reason } => {
                write!(formatter, "could not read {}: {reason}", path.display())
            }
            Self::Write { path, reason } => {
                write!(formatter, "could not write {}: {reason}", path.display())
            }
        }
    }
}

impl std::error::Error for ImportError {}

impl From<(PathBuf, std::io::Error)> for ImportError {
    fn from((path, error): (PathBuf, std::io::Error)) -> Self {
        Self::write(&path, &format!("can't be forced to the disk: {error}"))
    }
}

/// The files of a version: mode and blob by path.
type Files = BTreeMap<String, (EntryKind, ObjectId)>;

/// Make a repository at `path`, which must not exist or be an empty folder, and check out its head.
///
/// # Errors
/// [`ImportError`]; then nothing was made, but where what was made can't be forced to the disk.
pub fn create(path: &Path, history: &History, durability: Durability) -> Result<Created, ImportError> {
    let failed = |reason: std::io::Error| ImportError::write(path, &reason);
    let exists = match fs::read_dir(path) {
        Ok(mut entries) => {
            if entries.next().is_some() {
                return Err(ImportError::Occupied { path: path.into() });
            }
            true
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => false,
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {
            return Err(ImportError::Occupied { path: path.into() });
        }
        Err(error) => return Err(failed(error)),
    };
    // An absolute path, as `.` has no parent to build in.
    let place = if exists { fs::canonicalize(path) } else { std::path::absolute(path) }.map_err(failed)?;
    let parent = place.parent().unwrap_or(&place);
    let there_before = parent.ancestors().find(|above| above.is_dir()).unwrap_or(parent);
    fs::create_dir_all(parent).map_err(failed)?;
    // The folder itself is private to this user; the one inside is made like any other.
    let scaffold = tempfile::Builder::new().prefix(".versiondiff-").tempdir_in(parent).map_err(failed)?;
    let built = scaffold.path().join("repository");
    let built_history = build(&built, history)?;
    checkout::write_all(&built_history, &built)?;
    let is_durable = durability == Durability::Power;
    if is_durable {
        sync_tree(&built)?;
    }
    if exists { move_into(&built, &place) } else { fs::rename(&built, &place) }.map_err(failed)?;
    if is_durable {
        sync_path(&place)?;
        for above in parent.ancestors().take_while(|above| above.starts_with(there_before)) {
            sync_path(above)?;
        }
    }
    Ok(built_history.created)
}

/// A repository that was built, in whose working tree nothing is yet.
struct Built {
    repository: Repository,
    created: Created,
    /// The files of the head.
    files: Files,
}

/// Move what is in `from` into the empty folder `to`, which someone may stand in; all or nothing.
fn move_into(from: &Path, to: &Path) -> std::io::Result<()> {
    let mut moved = Vec::new();
    let mut outcome = Ok(());
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        outcome = fs::rename(entry.path(), &target);
        if outcome.is_err() {
            break;
        }
        moved.push((target, entry.path()));
    }
    if outcome.is_err() {
        for (target, origin) in moved {
            fs::rename(target, origin)?;
        }
    }
    outcome
}

/// Build the repository, of the working tree the folder alone.
fn build(path: &Path, history: &History) -> Result<Built, ImportError> {
    let failed = |reason: &dyn fmt::Display| ImportError::write(path, reason);
    let repository: Repository = gix::ThreadSafeRepository::init_opts(
        path,
        gix::create::Kind::WithWorktree,
        gix::create::Options::default(),
        gix::open::Options::isolated(),
    )
    .map_err(|error| failed(&error))?
    .into();
    // The samples that come with it say nothing about this project.
    fs::remove_dir_all(repository.git_dir().join("hooks")).map_err(|error| failed(&error))?;

    let order = history.order()?;
    let index = history.index();
    let mut files: Vec<Files> = history.versions.iter().map(|_| Files::new()).collect();
    let mut ids: Vec<ObjectId> = vec![ObjectId::null(gix::hash::Kind::Sha1); files.len()];
    for at in order {
        let version = &history.versions[at];
        let parents: Vec<usize> = version.parents.iter().map(|key| index[key.as_str()]).collect();
        let mut tree = parents.first().map_or_else(Files::new, |first| files[*first].clone());
        change_files(&repository, version, &mut tree)?;
        let tree_id = write_tree(&repository, &tree).map_err(|error| failed(&error))?;
        let author = signature(&version.author, version.time);
        let commit = gix::objs::Commit {
            tree: tree_id,
            parents: parents.iter().map(|parent| ids[*parent]).collect(),
            committer: author.clone(),
            author,
            encoding: None,
            message: with_line_end(&version.message).into(),
            extra_headers: Vec::new(),
        };
        ids[at] = repository.write_object(&commit).map_err(|error| failed(&error))?.detach();
        files[at] = tree;
    }

    let tags = write_refs(&repository, history, &|key| ids[index[key]]).map_err(|error| failed(&error))?;
    runs::write(path, history, &ids).map_err(|error| failed(&error))?;
    let head = index[history.branches[&history.head].as_str()];
    let versions = history.versions.iter().zip(&ids);
    let created = Created {
        head: history.head.clone(),
        versions: versions.map(|(version, id)| (version.key.clone(), id.to_string())).collect(),
        tags,
    };
    Ok(Built { repository, created, files: files.swap_remove(head) })
}

/// Apply what `version` changed to the files of its first parent.
fn change_files(repository: &Repository, version: &Version, files: &mut Files) -> Result<(), ImportError> {
    let place = |path: &str| format!("version {:?}: file {path:?}", version.key);
    let invalid = |path: &str, rule: &str| ImportError::invalid(place(path), rule);
    // What goes goes first: a file may give way to a folder of the same name.
    for (path, _) in version.files.iter().filter(|(_, file)| file.is_none()) {
        files.remove(path).ok_or_else(|| invalid(path, "is deleted but is not in the first parent"))?;
    }
    for (path, file) in &version.files {
        let Some(file) = file else { continue };
        check_path(path).map_err(|rule| invalid(path, rule))?;
        let (content, mode) = file.read().map_err(|rule| invalid(path, rule))?;
        let kind = match mode {
            Mode::Plain => EntryKind::Blob,
            Mode::Executable => EntryKind::BlobExecutable,
        };
        let id =
            repository.write_blob(&content).map_err(|error| ImportError::write(Path::new(path), &error))?;
        files.insert(path.clone(), (kind, id.detach()));
    }
    // Every folder of a path that is new must be no file. A file that came to stand where there
    // is a folder is found from the other side, so all paths are looked at.
    let mut folders = BTreeSet::new();
    for path in files.keys() {
        for (at, _) in path.match_indices('/') {
            folders.insert(&path[..at]);
        }
    }
    match folders.into_iter().find(|folder| files.contains_key(*folder)) {
        Some(path) => Err(invalid(path, "is a file and a folder")),
        None => Ok(()),
    }
}

fn check_path(path: &str) -> Result<(), &'static str> {
    if path.eq_ignore_ascii_case(FILE_NAME) {
        return Err("is the history file itself, which goes away");
    }
    // A history file is made to be passed on.
    crate::paths::check(path.as_bytes())
}

fn write_tree(repository: &Repository, files: &Files) -> gix::Result<ObjectId> {
    let mut editor = repository.edit_tree(ObjectId::empty_tree(gix::hash::Kind::Sha1))?;
    for (path, (kind, id)) in files {
        editor.upsert(path.as_str(), *kind, *id)?;
    }
    Ok(editor.write()?.detach())
}

/// Write tags, branches and HEAD; give the ids of the tags.
fn write_refs<'h>(
    repository: &Repository,
    history: &'h History,
    commit: &dyn Fn(&'h str) -> ObjectId,
) -> gix::Result<BTreeMap<String, String>> {
    let mut edits = Vec::new();
    let mut add = |name: String, target: gix::refs::Target, expected| -> gix::Result<()> {
        let name =
            gix::refs::FullName::try_from(name).map_err(|_| gix::error::message("invalid reference name"))?;
        edits.push(RefEdit::update(name, target, expected, "import of a history file"));
        Ok(())
    };
    let mut tags = BTreeMap::new();
    for (name, tag) in &history.tags {
        let object = gix::objs::Tag {
            target: commit(&tag.version),
            target_kind: gix::objs::Kind::Commit,
            name: name.as_str().into(),
            tagger: Some(signature(&tag.tagger, tag.time)),
            message: with_line_end(&tag.memo).into(),
            signature: None,
        };
        let id = repository.write_object(&object)?.detach();
        tags.insert(name.clone(), id.to_string());
        add(format!("refs/tags/{name}"), id.into(), PreviousValue::MustNotExist)?;
    }
    for (name, key) in &history.branches {
        add(format!("refs/heads/{name}"), commit(key).into(), PreviousValue::MustNotExist)?;
    }
    let head: gix::refs::FullName = format!("refs/heads/{}", history.head)
        .try_into()
        .map_err(|_| gix::error::message("invalid reference name"))?;
    add("HEAD".to_owned(), gix::refs::Target::Symbolic(head), PreviousValue::Any)?;
    // The log of the references says who and when: the author of the newest version on HEAD.
    let tip = history.index()[history.branches[&history.head].as_str()];
    let version = &history.versions[tip];
    let mut buffer = gix::date::parse::TimeBuf::default();
    let author = signature(&version.author, version.time);
    repository.edit_references_as(edits, Some(author.to_ref(&mut buffer)))?;
    Ok(tags)
}

fn signature(person: &Person, time: u64) -> gix::actor::Signature {
    gix::actor::Signature {
        name: person.name.as_str().into(),
        email: person.email.as_str().into(),
        // Times are checked to be below the year 10000.
        time: gix::date::Time { seconds: time.try_into().unwrap_or(i64::MAX), offset: 0 },
    }
}

fn with_line_end(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}
