//! A directory on disk as a snapshot.
//!
//! A directory holds its files at any depth, but for everything named `.git`. A symbolic link is a
//! link and is not followed; the executable bit of the owner makes a file executable. Sockets,
//! devices and pipes are passed over, as git does, and so are empty directories.

#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt;
use std::fs::{self, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use bstr::{BStr, BString, ByteSlice, ByteVec};
use versiondiff_engine::snapshot::{ContentId, Entry, MAX_DEPTH, Mode, ReadError, Snapshot, Trees};

/// What is read of a directory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Files larger than this, in bytes, are refused.
    pub file_size: u64,
    /// Directories with more files than this are refused.
    pub files: usize,
}

impl Default for Options {
    /// Files of at most 256 MiB, and 10,000,000 of them.
    fn default() -> Self {
        Self { file_size: 256 << 20, files: 10_000_000 }
    }
}

/// Told of each file that is listed, and of each that is hashed: how many are done, and how many there
/// are, once they are listed. Its error ends the reading.
pub type Watch<'w> = &'w dyn Fn(usize, Option<usize>) -> Result<(), ReadError>;

/// A directory as it was listed when it was opened; its files are read when they are asked for.
///
/// Content is hashed once, when a tree is asked for. What is read later has to have that hash: a
/// file that changed in between is an error, never a mixture of two states.
pub struct Directory<'w> {
    root: PathBuf,
    options: Options,
    /// Sorted by path.
    files: Vec<(BString, Mode)>,
    /// The state of each file when its content was hashed.
    hashed: OnceCell<Vec<Option<FileState>>>,
    trees: OnceCell<Result<Trees, ReadError>>,
    watch: Watch<'w>,
}

impl Directory<'static> {
    /// List the files of the directory at `root`.
    ///
    /// # Errors
    /// [`ReadError::Source`] where it, or a directory in it, can't be listed;
    /// [`ReadError::Limit`] where there are too many files or directories nest too deep.
    pub fn open(root: &Path, options: &Options) -> Result<Self, ReadError> {
        Self::open_watched(root, options, &|_, _| Ok(()))
    }

    /// The files at these paths and no others: nothing else of the directory is looked at. A path where
    /// there is no file, or that leads through a link, is passed over.
    pub fn of_paths<'p>(root: &Path, paths: impl IntoIterator<Item = &'p BStr>, options: &Options) -> Self {
        let mut files: Vec<_> =
            paths.into_iter().filter_map(|path| Some((path.to_owned(), mode_at(root, path)?))).collect();
        files.sort_unstable();
        files.dedup();
        Self {
            root: root.to_owned(),
            options: *options,
            files,
            hashed: OnceCell::new(),
            trees: OnceCell::new(),
            watch: &|_, _| Ok(()),
        }
    }
}

impl<'w> Directory<'w> {
    /// As [`open`](Directory::open), watched: now, and when the files are hashed.
    ///
    /// # Errors
    /// As for [`open`](Directory::open), and what `watch` gives.
    pub fn open_watched(root: &Path, options: &Options, watch: Watch<'w>) -> Result<Self, ReadError> {
        let mut files = Vec::new();
        let mut waiting = vec![(root.to_owned(), BString::default(), 0)];
        while let Some((directory, prefix, depth)) = waiting.pop() {
            let failed = |error: &std::io::Error| source_error(shown(root, prefix.as_bstr()), error);
            if depth > MAX_DEPTH {
                let rule = format!("directories nest deeper than {MAX_DEPTH}");
                return Err(ReadError::Limit { path: prefix, rule });
            }
            for entry in fs::read_dir(&directory).map_err(|error| failed(&error))? {
                let entry = entry.map_err(|error| failed(&error))?;
                let name = entry.file_name();
                if name == ".git" {
                    continue;
                }
                let mut path = prefix.clone();
                if !path.is_empty() {
                    path.push(b'/');
                }
                let Some(name) = <[u8]>::from_os_str(&name) else {
                    let reason = "a name in it is not valid Unicode".to_owned();
                    return Err(ReadError::Source { path: shown(root, prefix.as_bstr()), reason });
                };
                path.push_str(name);
                // Of the entry itself, not of what a link points to.
                let metadata = entry.metadata().map_err(|error| source_error(path.clone(), &error))?;
                if metadata.is_dir() {
                    waiting.push((entry.path(), path, depth + 1));
                } else if let Some(mode) = mode(&metadata) {
                    files.push((path, mode));
                    watch(files.len(), None)?;
                    if files.len() > options.files {
                        let rule = format!("more than {} files", options.files);
                        return Err(ReadError::Limit { path: shown(root, BStr::new("")), rule });
                    }
                }
            }
        }
        files.sort_unstable();
        Ok(Self {
            root: root.to_owned(),
            options: *options,
            files,
            hashed: OnceCell::new(),
            trees: OnceCell::new(),
            watch,
        })
    }

    fn trees(&self) -> Result<&Trees, ReadError> {
        let built = self.trees.get_or_init(|| {
            let mut hashed = Vec::with_capacity(self.files.len());
            let mut states = Vec::with_capacity(self.files.len());
            for (path, mode) in &self.files {
                let (content, state) = self.read(path.as_bstr(), *mode)?;
                hashed.push((path.as_bstr(), *mode, ContentId::of_blob(&content)));
                states.push(state);
                (self.watch)(hashed.len(), Some(self.files.len()))?;
            }
            // Nothing but this sets it, and it was not set before.
            let _ = self.hashed.set(states);
            Ok(Trees::build(hashed))
        });
        built.as_ref().map_err(Clone::clone)
    }

    /// The place of a file in the list.
    fn place(&self, path: &BStr) -> Option<usize> {
        self.files.binary_search_by(|(listed, _)| listed.as_bstr().cmp(path)).ok()
    }

    /// The bytes of a file, or the target of a link, as they are now; and the state of the file before it
    /// was read, where it tells whether that is still so later.
    fn read(&self, path: &BStr, mode: Mode) -> Result<(Vec<u8>, Option<FileState>), ReadError> {
        let failed = |error: &std::io::Error| source_error(path.into(), error);
        let on_disk = self.root.join(path.to_path().map_err(|_| self.changed(path))?);
        let metadata = fs::symlink_metadata(&on_disk).map_err(|error| failed(&error))?;
        if self::mode(&metadata) != Some(mode) {
            return Err(self.changed(path));
        }
        if mode == Mode::Link {
            let target = fs::read_link(&on_disk).map_err(|error| failed(&error))?;
            let target = Vec::from_path_buf(target).map_err(|_| self.changed(path))?;
            return Ok((target, None));
        }
        let limit = self.options.file_size;
        let mut content = Vec::with_capacity(usize::try_from(metadata.len().min(limit)).unwrap_or(0));
        let file = fs::File::open(&on_disk).map_err(|error| failed(&error))?;
        // One byte more than the limit tells a file that grew from one that fits.
        file.take(limit.saturating_add(1)).read_to_end(&mut content).map_err(|error| failed(&error))?;
        if content.len() as u64 > limit {
            let rule = format!("larger than {limit} bytes");
            return Err(ReadError::Limit { path: path.into(), rule });
        }
        Ok((content, FileState::of(&metadata)))
    }

    #[expect(clippy::unused_self, reason = "reads as what happened to the directory")]
    fn changed(&self, path: &BStr) -> ReadError {
        ReadError::Source { path: path.into(), reason: "changed while it was being read".to_owned() }
    }
}

/// What of a file changes whenever its content does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct FileState {
    device: u64,
    inode: u64,
    size: u64,
    /// When the file was last changed, in seconds and nanoseconds. No one can set it.
    changed: (i64, i64),
}

impl FileState {
    /// `None` for a file that changed so shortly ago that it could change again within the same tick of
    /// the clock, and where there is no such state.
    #[cfg(unix)]
    fn of(metadata: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        use std::time::{SystemTime, UNIX_EPOCH};
        /// Coarser clocks than any file system of today has.
        const TICK: i64 = 2;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs();
        let is_settled = metadata.ctime().saturating_add(TICK) < i64::try_from(now).ok()?;
        is_settled.then(|| Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        })
    }

    #[cfg(not(unix))]
    fn of(_metadata: &Metadata) -> Option<Self> {
        None
    }
}

/// What is said of a directory in a message: its place below the root, or the root itself.
fn shown(root: &Path, prefix: &BStr) -> BString {
    if prefix.is_empty() { Vec::from_path_lossy(root).into_owned().into() } else { prefix.into() }
}

fn source_error(path: BString, error: &std::io::Error) -> ReadError {
    ReadError::Source { path, reason: error.kind().to_string() }
}

/// The kind of the file at a path below the root; `None` where a listing would have none.
fn mode_at(root: &Path, path: &BStr) -> Option<Mode> {
    let mut place = root.to_owned();
    let mut components = path.split_str("/").peekable();
    while let Some(name) = components.next() {
        if matches!(name, b"" | b"." | b".." | b".git") || name.contains(&0) {
            return None;
        }
        place.push(name.to_os_str().ok()?);
        let metadata = fs::symlink_metadata(&place).ok()?;
        if components.peek().is_none() {
            return mode(&metadata);
        }
        if !metadata.is_dir() {
            return None;
        }
    }
    None
}

/// The kind of a file; `None` for what is passed over.
fn mode(metadata: &Metadata) -> Option<Mode> {
    let kind = metadata.file_type();
    if kind.is_symlink() {
        Some(Mode::Link)
    } else if kind.is_file() {
        Some(if is_executable(metadata) { Mode::Executable } else { Mode::File })
    } else {
        None
    }
}

#[cfg(unix)]
fn is_executable(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_metadata: &Metadata) -> bool {
    false
}

impl fmt::Debug for Directory<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Directory").field("root", &self.root).finish_non_exhaustive()
    }
}

impl Snapshot for Directory<'_> {
    fn root(&self) -> Result<Option<ContentId>, ReadError> {
        Ok(Some(self.trees()?.root()))
    }

    fn tree(&self, path: &BStr, id: &ContentId) -> Result<Rc<[u8]>, ReadError> {
        let missing = || ReadError::Missing { path: path.into(), id: *id };
        self.trees()?.get(id).ok_or_else(missing)
    }

    fn blob(&self, path: &BStr, id: &ContentId) -> Result<Cow<'_, [u8]>, ReadError> {
        let missing = || ReadError::Missing { path: path.into(), id: *id };
        let place = self.place(path).ok_or_else(missing)?;
        let (path, mode) = &self.files[place];
        let (content, _) = self.read(path.as_bstr(), *mode)?;
        // The state after this reading is that before the first one: the content is the same.
        let is_as_hashed = self.hashed.get().and_then(|hashed| hashed[place]).is_some_and(|hashed| {
            let on_disk = path.to_path().map(|path| self.root.join(path));
            let metadata = on_disk.ok().and_then(|on_disk| fs::symlink_metadata(on_disk).ok());
            metadata.and_then(|metadata| FileState::of(&metadata)) == Some(hashed)
        });
        if !is_as_hashed && ContentId::of_blob(&content) != *id {
            return Err(self.changed(path.as_bstr()));
        }
        Ok(Cow::Owned(content))
    }

    fn find(&self, path: &BStr) -> Result<Option<Entry>, ReadError> {
        let Some(place) = self.place(path) else { return Ok(None) };
        let (path, mode) = &self.files[place];
        let id = ContentId::of_blob(&self.read(path.as_bstr(), *mode)?.0);
        Ok(Some(Entry { path: path.clone(), mode: *mode, id }))
    }

    fn has_directory(&self, path: &BStr) -> Result<bool, ReadError> {
        if path.is_empty() {
            return Ok(true);
        }
        let mut below = path.to_owned();
        below.push(b'/');
        let at = self.files.partition_point(|(listed, _)| *listed < below);
        Ok(self.files.get(at).is_some_and(|(listed, _)| listed.starts_with(&below)))
    }
}

#[cfg(all(test, unix))]
mod tests;
