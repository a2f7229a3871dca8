//! Opening a repository, and reading its objects.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use bstr::BStr;
use gix::objs::Kind;
use versiondiff_engine::snapshot::{ContentId, ReadError};

use crate::Error;
use crate::snapshot::TreeCache;

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
}

impl Default for OpenOptions {
    /// Anyone's repositories; 1 GiB for an object.
    fn default() -> Self {
        Self { ownership: Ownership::Any, object_memory: 1 << 30 }
    }
}

/// A git repository: safe to share between threads, each of which reads through its own
/// [`Handle`].
pub struct Repository {
    inner: gix::ThreadSafeRepository,
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
        let missing = || Error::NoRepository { path: path.to_owned() };
        let absolute = std::path::absolute(path).map_err(|_| missing())?;
        let start = match std::fs::metadata(&absolute) {
            Ok(found) if found.is_dir() => absolute.as_path(),
            // A `.git` file stands for the work tree it is in.
            Ok(_) if absolute.ends_with(".git") => absolute.parent().ok_or_else(missing)?,
            _ => return Err(missing()),
        };
        let discovery = gix::discover::upwards::Options {
            trust: gix::discover::upwards::TrustPolicy::Assume(gix::sec::Trust::Full),
            current_dir: Some(start),
            ..Default::default()
        };
        let (found, _) = gix::discover::upwards_opts(start, discovery).map_err(|_| missing())?;
        let (git_dir, _) = found.into_repository_and_work_tree_directories();
        check_storage(&git_dir)?;
        if options.ownership == Ownership::CurrentUser
            && !gix::sec::identity::is_path_owned_by_current_user(&git_dir).unwrap_or(false)
        {
            return Err(Error::NotOwned { path: git_dir });
        }
        let inner = gix::open::Options::isolated()
            .strict_config(true)
            .open_path_as_is(true)
            .with(gix::sec::Trust::Full)
            // Of the repository's own configuration nothing is followed but how it is stored.
            .filter_config_section(|section| section.source == gix::config::Source::Api)
            .config_overrides([
                format!("gitoxide.objects.allocLimit={}", options.object_memory),
                "core.useReplaceRefs=false".to_owned(),
            ])
            .open(&git_dir)
            .map_err(|error| Error::Open { path: git_dir, reason: error.to_string() })?;
        Ok(Self { inner })
    }

    /// The git directory: of a linked work tree its own, below the repository's.
    pub fn git_dir(&self) -> &Path {
        self.inner.git_dir()
    }

    /// A handle for the calling thread.
    pub fn handle(&self) -> Handle {
        let mut repository = self.inner.to_thread_local();
        repository.objects.ignore_replacements = true;
        repository.objects.unset_object_cache();
        repository.objects.set_pack_cache(|| Box::new(crate::snapshot::new_pack_cache()));
        Handle { repository, trees: RefCell::default(), buffer: RefCell::default() }
    }
}

impl std::fmt::Debug for Repository {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Repository").field("git_dir", &self.git_dir()).finish()
    }
}

/// Extensions that change nothing about how objects and references are read.
const HARMLESS_EXTENSIONS: [&str; 5] =
    ["noop", "partialclone", "preciousobjects", "relativeworktrees", "worktreeconfig"];

/// Refuse what can't be read, before anything else is: git's own rule is that a repository of
/// format 1 with an extension that isn't known is not to be touched.
fn check_storage(git_dir: &Path) -> Result<(), Error> {
    let common_dir = match gix::discover::path::from_plain_file(&git_dir.join("commondir")) {
        Some(Ok(common)) => git_dir.join(common),
        _ => git_dir.to_owned(),
    };
    let path = common_dir.join("config");
    if !path.is_file() {
        return Ok(());
    }
    let unsupported = |rule: String| Error::Unsupported { path: git_dir.to_owned(), rule };
    let config = gix::config::File::from_path_no_includes(path, gix::config::Source::Local)
        .map_err(|error| Error::Open { path: git_dir.to_owned(), reason: error.to_string() })?;
    let version = match config.integer("core.repositoryFormatVersion") {
        Ok(None) => 0,
        Ok(Some(version @ (0 | 1))) => version,
        _ => return Err(unsupported("core.repositoryFormatVersion other than 0 and 1".to_owned())),
    };
    for section in config.sections_by_name("extensions").into_iter().flatten() {
        for name in section.value_names() {
            let name = name.to_ascii_lowercase();
            let value = section.value(&name).map(|value| value.to_string().to_ascii_lowercase());
            let supported = match (name.as_str(), value.as_deref()) {
                ("objectformat", Some("sha1")) | ("refstorage", Some("files")) => true,
                // These two decide how everything is read, whatever the version says.
                ("objectformat" | "refstorage", _) => false,
                (name, _) => version == 0 || HARMLESS_EXTENSIONS.contains(&name),
            };
            if !supported {
                let value = match name.as_str() {
                    "objectformat" | "refstorage" => format!(" {}", value.unwrap_or_default()),
                    _ => String::new(),
                };
                return Err(unsupported(format!("extensions.{name}{value}")));
            }
        }
    }
    Ok(())
}

/// A repository as one thread reads it, with caches of its own.
pub struct Handle {
    pub(crate) repository: gix::Repository,
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
        use gix::prelude::Find;
        let found = self.repository.objects.try_find(&object_id(id), buffer);
        match found {
            Ok(Some(object)) if object.kind == kind => Ok(()),
            Ok(Some(object)) => {
                let rule = format!("it is a {} where a {kind} is expected", object.kind);
                Err(ReadError::Corrupt { path: path.into(), id: *id, rule })
            }
            Ok(None) => Err(ReadError::Missing { path: path.into(), id: *id }),
            Err(error) => Err(read_error(path, id, &error)),
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
        let listed = self.repository.shallow_commits().ok().flatten();
        let mut commits: Vec<_> = listed.iter().flat_map(|list| list.iter()).map(content_id).collect();
        commits.sort_unstable();
        commits
    }

    /// The directory the repository is in, for messages.
    pub(crate) fn path(&self) -> PathBuf {
        self.repository.git_dir().to_owned()
    }
}

impl std::fmt::Debug for Handle {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Handle").field("git_dir", &self.path()).finish_non_exhaustive()
    }
}

/// gitoxide's id of an object.
pub(crate) fn object_id(id: &ContentId) -> gix::ObjectId {
    gix::ObjectId::Sha1(id.0)
}

/// The engine's id of an object.
pub(crate) fn content_id(id: impl AsRef<gix::oid>) -> ContentId {
    let mut bytes = [0; 20];
    // Repositories of another hash are refused when they are opened.
    let given = id.as_ref().as_bytes();
    let length = given.len().min(20);
    bytes[..length].copy_from_slice(&given[..length]);
    ContentId(bytes)
}

fn read_error(path: &BStr, id: &ContentId, error: &gix::Error) -> ReadError {
    use gix::error::Class;
    let path = path.into();
    for classified in error.classify() {
        match classified.class() {
            Class::ResourceExhaustion(_) => {
                return ReadError::Limit {
                    path,
                    rule: format!("object {id} takes more memory than one object may"),
                };
            }
            Class::PermissionDenied => {
                return ReadError::Source { path, reason: format!("object {id} may not be read") };
            }
            _ => {}
        }
    }
    if error.is_not_found() {
        return ReadError::Missing { path, id: *id };
    }
    ReadError::Corrupt { path, id: *id, rule: "it can't be decoded".to_owned() }
}
