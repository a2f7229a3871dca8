//! Files of a version: read, and changed in a new commit of a branch, without a working tree.
//!
//! Only the trees on the way to what is changed are read and written, so a commit costs the same
//! however much else a version holds. Objects are written before the reference moves, and it moves
//! only from what the commit was built on: whatever ends the process leaves the branch as it was or
//! as it is to be, and no one else's commit is lost.

use std::collections::BTreeMap;

use bstr::{BStr, BString, ByteSlice as _};
use versiondiff_engine::snapshot::{
    ContentId, Entry, MAX_DEPTH, Mode, ReadError, Snapshot as _, TreeEntries, TreeEntry, write_tree,
};

use crate::Error;
use crate::lock::WriteLock;
use crate::repository::{Handle, Repository};
use crate::snapshot::GitSnapshot;
use crate::store::{Kind, Swapped};
use crate::wait::Wait;
use crate::writing::{self, Message};

/// Where all branches are.
const NAMESPACE: &[u8] = b"refs/heads/";

/// A file as it is to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewFile {
    /// [`Mode::File`] or [`Mode::Executable`].
    pub mode: Mode,
    /// What is in it.
    pub content: Vec<u8>,
}

/// A change at one path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// The path, with `/` between its components.
    pub path: BString,
    /// What becomes of it.
    pub change: Change,
}

/// What becomes of a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// This file takes the place of the one that there may be. A folder is in its way.
    Write(NewFile),
    /// There is nothing any more, be it a file or a folder with all that is in it. Where nothing
    /// was, nothing changes.
    Remove,
    /// These files, by their paths below it, are all that is in this folder. A file is in its way;
    /// without files there is no folder.
    Replace(Vec<(BString, NewFile)>),
}

/// What becomes of edits after which the files are what they were.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Unchanged {
    /// There is no commit.
    #[default]
    LeaveOut,
    /// There is a commit all the same: that something was done is what it says.
    Commit,
}

/// What came of [`commit`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Committed {
    /// The branch stands on this new commit.
    Made(ContentId),
    /// The files are what they were: no commit was made.
    Unchanged,
    /// The branch holds something else than was expected: nothing was done.
    Moved,
}

/// Make edits, in the order given, in one commit on `branch`, a full name that stands on `expected`
/// (`None`: it does not exist).
///
/// # Errors
/// [`Error::Conflict`] where another program held the reference until time was up,
/// [`Error::Path`] where a path is not allowed or something is in its way, [`Error::Invalid`] where
/// a signature or the message is not allowed, [`Error::Reference`] where it is no branch or can't be
/// written, [`Error::Write`], [`Error::Read`], and what ended the waiting.
pub fn commit(
    repository: &Repository,
    branch: &BStr,
    expected: Option<ContentId>,
    edits: &[Edit],
    unchanged: Unchanged,
    message: &Message,
    wait: &mut Wait<'_>,
) -> Result<Committed, Error> {
    check(edits, message)?;
    let mut lock = WriteLock::hold(repository.common_dir(), &[], wait)?;
    let handle = repository.handle();
    loop {
        let tip = writing::tip(&handle, branch)?;
        if !tip.name.starts_with(NAMESPACE) {
            let rule = "is no branch, or leads to what is none".to_owned();
            return Err(Error::Reference { name: branch.to_owned(), rule });
        }
        if tip.id != expected {
            return Ok(Committed::Moved);
        }
        let Some(commit) = build(&handle, expected, edits, unchanged, message)? else {
            return Ok(Committed::Unchanged);
        };
        let initial = if expected.is_none() { " (initial)" } else { "" };
        let log = format!("commit{initial}: {}", message.subject());
        match writing::swap(&handle, &tip, commit, &message.committer, &log, &mut lock, wait)? {
            Swapped::Done => return Ok(Committed::Made(commit)),
            Swapped::Moved => return Ok(Committed::Moved),
            Swapped::Locked if wait.pause()? => {}
            Swapped::Locked => {
                return Err(writing::conflict(repository, tip.name.as_bstr(), Swapped::Locked));
            }
        }
    }
}

/// Write a commit with these edits, made in the order given on `parent` (`None`: on nothing), for a
/// caller that moves the branch itself; `None` where there is none to be.
///
/// # Errors
/// As [`commit`], but for what has to do with the branch.
pub fn write(
    repository: &Repository,
    parent: Option<ContentId>,
    edits: &[Edit],
    unchanged: Unchanged,
    message: &Message,
) -> Result<Option<ContentId>, Error> {
    check(edits, message)?;
    build(&repository.handle(), parent, edits, unchanged, message)
}

/// What is in the folder at `path` (empty: the root) of the version, sorted as git sorts it, as far
/// as its name is wanted; `None` where there is no such folder.
///
/// # Errors
/// [`ReadError`].
pub fn list(
    handle: &Handle,
    commit: &ContentId,
    path: &BStr,
    is_wanted: impl Fn(&BStr) -> bool,
) -> Result<Option<Vec<Entry>>, ReadError> {
    let snapshot = GitSnapshot::of_commit(handle, commit)?;
    let tree = snapshot.find_directory(path)?;
    tree.map(|tree| entries(handle, path, &tree, is_wanted)).transpose()
}

/// The content of the file at `path` of a tree; `None` where there is no file.
///
/// # Errors
/// [`ReadError`].
pub fn read(handle: &Handle, tree: &ContentId, path: &BStr) -> Result<Option<Vec<u8>>, ReadError> {
    let snapshot = GitSnapshot::new(handle, *tree);
    match snapshot.find(path)? {
        Some(found) if found.mode.is_file() => Ok(Some(snapshot.blob(path, &found.id)?.into_owned())),
        _ => Ok(None),
    }
}

/// Paths and contents.
pub type Files = Vec<(BString, Vec<u8>)>;

/// All files in and below a tree, sorted by path. Links and submodules are left out.
///
/// # Errors
/// [`ReadError`].
pub fn read_all(handle: &Handle, tree: &ContentId) -> Result<Files, ReadError> {
    let snapshot = GitSnapshot::new(handle, *tree);
    let mut files = Vec::new();
    let mut levels = vec![(BString::default(), entries(handle, BStr::new(""), tree, |_| true)?)];
    while let Some((prefix, level)) = levels.pop() {
        for entry in level {
            let mut below = prefix.clone();
            below.extend_from_slice(&entry.path);
            if entry.mode.is_file() {
                let content = snapshot.blob(below.as_bstr(), &entry.id)?.into_owned();
                files.push((below, content));
            } else if entry.mode == Mode::Tree {
                let deeper = entries(handle, below.as_bstr(), &entry.id, |_| true)?;
                below.push(b'/');
                if below.find_iter("/").count() > MAX_DEPTH {
                    let rule = format!("directories nest deeper than {MAX_DEPTH}");
                    return Err(ReadError::Limit { path: below, rule });
                }
                levels.push((below, deeper));
            }
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// The entries of a tree whose names are wanted; their paths are their names.
fn entries(
    handle: &Handle,
    path: &BStr,
    tree: &ContentId,
    is_wanted: impl Fn(&BStr) -> bool,
) -> Result<Vec<Entry>, ReadError> {
    let raw = handle.tree(path, tree)?;
    let entry = |entry: Result<TreeEntry<'_>, _>| match entry {
        Ok(TreeEntry { name, .. }) if !is_wanted(name) => None,
        Ok(TreeEntry { mode, name, id }) => Some(Ok(Entry { path: name.to_owned(), mode, id })),
        Err(error) => {
            let rule = format!("{error}");
            Some(Err(ReadError::Corrupt { path: path.into(), id: *tree, rule }))
        }
    };
    TreeEntries::new(&raw).filter_map(entry).collect()
}

fn joined(path: &BStr, below: &BStr) -> BString {
    if path.is_empty() { below.to_owned() } else { [path.as_bytes(), below].join(&b'/').into() }
}

/// Refuse what could not be read back, or must not be written.
fn check(edits: &[Edit], message: &Message) -> Result<(), Error> {
    message.check("the message of a commit")?;
    let refuse = |path: BString, rule| Err(Error::Path { path, rule });
    for Edit { path, change } in edits {
        if let Err(rule) = crate::paths::check(path) {
            return refuse(path.clone(), rule);
        }
        let files = match change {
            Change::Write(file) => vec![(path.clone(), file)],
            Change::Remove => Vec::new(),
            Change::Replace(files) => {
                files.iter().map(|(below, file)| (joined(path.as_bstr(), below.as_bstr()), file)).collect()
            }
        };
        for (path, file) in files {
            if let Err(rule) = crate::paths::check(&path) {
                return refuse(path, rule);
            }
            if !file.mode.is_file() {
                return refuse(path, "is to be a plain or an executable file");
            }
        }
    }
    Ok(())
}

/// Write the files as they are to be, and a commit; `None` where that is what there is.
fn build(
    handle: &Handle,
    parent: Option<ContentId>,
    edits: &[Edit],
    unchanged: Unchanged,
    message: &Message,
) -> Result<Option<ContentId>, Error> {
    let old_tree = parent.map(|id| writing::tree_of_commit(handle, BStr::new("HEAD"), &id)).transpose()?;
    let editor = Editor { handle };
    let mut root = match old_tree {
        Some(tree) => editor.open(BStr::new(""), &tree)?,
        None => Directory::default(),
    };
    for Edit { path, change } in edits {
        let path = path.as_bstr();
        match change {
            Change::Write(file) => editor.put(&mut root, path, file)?,
            Change::Remove => editor.remove(&mut root, path)?,
            Change::Replace(files) => editor.replace(&mut root, path, files)?,
        }
    }
    let tree = match editor.write(&root)? {
        Some(tree) => tree,
        None => handle.store.write(Kind::Tree, b"")?,
    };
    let is_same = old_tree.unwrap_or(ContentId::EMPTY_TREE) == tree;
    if is_same && unchanged == Unchanged::LeaveOut {
        return Ok(None);
    }
    Ok(Some(handle.store.write(Kind::Commit, &writing::raw_commit(&tree, parent.as_ref(), message))?))
}

/// A folder that was looked into.
#[derive(Default)]
struct Directory(BTreeMap<BString, Place>);

enum Place {
    /// As it is in the repository; of a folder, nothing was read yet.
    Entry(Mode, ContentId),
    Open(Directory),
}

struct Editor<'h> {
    handle: &'h Handle,
}

impl Editor<'_> {
    fn open(&self, path: &BStr, tree: &ContentId) -> Result<Directory, Error> {
        let mut directory = Directory::default();
        for Entry { path: name, mode, id } in entries(self.handle, path, tree, |_| true)? {
            if directory.0.insert(name, Place::Entry(mode, id)).is_some() {
                let rule = "a name stands twice".to_owned();
                return Err(ReadError::Corrupt { path: path.into(), id: *tree, rule }.into());
            }
        }
        Ok(directory)
    }

    /// The folder that `path` is in, opened, and the name of `path` in it. Where it is not there,
    /// it is made, or with [`Absent::Left`] `None` comes.
    fn parent<'d, 'p>(
        &self,
        root: &'d mut Directory,
        path: &'p BStr,
        absent: Absent,
    ) -> Result<Option<(&'d mut Directory, &'p BStr)>, Error> {
        let mut directory = root;
        let mut start = 0;
        while let Some(length) = path[start..].find_byte(b'/') {
            let (name, above) = (path[start..start + length].as_bstr(), path[..start + length].as_bstr());
            if !directory.0.contains_key(name) && absent == Absent::Left {
                return Ok(None);
            }
            let place =
                directory.0.entry(name.to_owned()).or_insert_with(|| Place::Open(Directory::default()));
            if let Place::Entry(mode, id) = place {
                if *mode != Mode::Tree {
                    if absent == Absent::Left {
                        return Ok(None);
                    }
                    let rule = "is a file, and can't be a folder too";
                    return Err(Error::Path { path: above.to_owned(), rule });
                }
                *place = Place::Open(self.open(above, &{ *id })?);
            }
            let Place::Open(next) = place else { unreachable!("it was just opened") };
            directory = next;
            start += length + 1;
        }
        Ok(Some((directory, path[start..].as_bstr())))
    }

    fn put(&self, root: &mut Directory, path: &BStr, file: &NewFile) -> Result<(), Error> {
        let Some((directory, name)) = self.parent(root, path, Absent::Made)? else { return Ok(()) };
        let old = match directory.0.get(name) {
            Some(Place::Open(_) | Place::Entry(Mode::Tree, _)) => {
                let rule = "is a folder, and can't be a file too";
                return Err(Error::Path { path: path.to_owned(), rule });
            }
            Some(Place::Entry(_, id)) => Some(*id),
            None => None,
        };
        let mut id = ContentId::of_blob(&file.content);
        if old != Some(id) {
            id = self.handle.store.write(Kind::Blob, &file.content)?;
        }
        directory.0.insert(name.to_owned(), Place::Entry(file.mode, id));
        Ok(())
    }

    fn remove(&self, root: &mut Directory, path: &BStr) -> Result<(), Error> {
        if let Some((directory, name)) = self.parent(root, path, Absent::Left)? {
            directory.0.remove(name);
        }
        Ok(())
    }

    fn replace(&self, root: &mut Directory, path: &BStr, files: &[(BString, NewFile)]) -> Result<(), Error> {
        let absent = if files.is_empty() { Absent::Left } else { Absent::Made };
        let Some((parent, name)) = self.parent(root, path, absent)? else { return Ok(()) };
        if let Some(Place::Entry(mode, _)) = parent.0.get(name)
            && *mode != Mode::Tree
        {
            let rule = "is a file, and can't be a folder too";
            return Err(Error::Path { path: path.to_owned(), rule });
        }
        // What is there already need not be written again: the store looks that up by the id.
        let mut folder = Directory::default();
        for (below, file) in files {
            self.put(&mut folder, below.as_bstr(), file).map_err(|error| match error {
                Error::Path { path: below, rule } => {
                    Error::Path { path: joined(path, below.as_bstr()), rule }
                }
                other => other,
            })?;
        }
        parent.0.insert(name.to_owned(), Place::Open(folder));
        Ok(())
    }

    /// Write a folder; `None` where nothing is in it, as git has no empty ones.
    fn write(&self, directory: &Directory) -> Result<Option<ContentId>, Error> {
        let mut entries = Vec::with_capacity(directory.0.len());
        for (name, place) in &directory.0 {
            let (mode, id) = match place {
                Place::Entry(mode, id) => (*mode, *id),
                Place::Open(below) => match self.write(below)? {
                    Some(tree) => (Mode::Tree, tree),
                    None => continue,
                },
            };
            entries.push(TreeEntry { mode, name: name.as_bstr(), id });
        }
        if entries.is_empty() {
            return Ok(None);
        }
        Ok(Some(self.handle.store.write(Kind::Tree, &write_tree(&mut entries))?))
    }
}

/// What becomes of folders that are not there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Absent {
    Made,
    Left,
}
