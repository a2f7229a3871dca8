//! The files of the head in the working tree, and the index that says so.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use gix::bstr::ByteSlice as _;
use gix::index::entry::Stat;
use gix::objs::tree::EntryKind;
use gix::validate::path::component::Options as PathRules;

use super::{Built, ImportError, write_tree};

/// Write all files of the head below `root`, where none is yet, and the index.
pub(super) fn write_all(built: &Built, root: &Path) -> Result<(), ImportError> {
    for (path, (kind, id)) in &built.files {
        let failed = |reason: &dyn std::fmt::Display| ImportError::write(Path::new(path), reason);
        let blob = built.repository.find_blob(*id).map_err(|error| failed(&error))?;
        let target = root.join(path);
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder).map_err(|error| failed(&error))?;
        }
        write_file(&target, &blob.data, *kind).map_err(|error| failed(&error))?;
    }
    write_index(built, |path| stat(&root.join(path)))
}

/// Write the index of the head. `stat_of` gives what the file system says of a file that is as in
/// the head; git compares the content of those for which there is `None`, and is right as well.
pub(super) fn write_index(built: &Built, stat_of: impl Fn(&str) -> Option<Stat>) -> Result<(), ImportError> {
    let path = built.repository.index_path();
    let write = || -> gix::Result<()> {
        let tree = write_tree(&built.repository, &built.files)?;
        let objects = &built.repository.objects;
        let mut state = gix::index::State::from_tree(&tree, objects, PathRules::default())?;
        for (entry, path) in state.entries_mut_with_paths() {
            if let Some(stat) = stat_of(path.to_str_lossy().as_ref()) {
                entry.stat = stat;
            }
        }
        gix::index::File::from_state(state, &path).write(gix::index::write::Options::default())?;
        Ok(())
    };
    write().map_err(|error| ImportError::write(&path, &error))
}

/// What the file system says of a file, as the index keeps it.
pub(super) fn stat(path: &Path) -> Option<Stat> {
    let metadata = gix::index::fs::Metadata::from_path_no_follow(path).ok()?;
    Stat::from_fs(&metadata).ok()
}

/// Write a new file. That there is one already means that the file system takes two names for one.
pub(super) fn write_file(path: &Path, content: &[u8], kind: EntryKind) -> std::io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if kind == EntryKind::BlobExecutable {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o777);
    }
    #[cfg(not(unix))]
    let _ = kind;
    options.open(path)?.write_all(content)
}
