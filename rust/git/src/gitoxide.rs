//! The backend on gitoxide.

use std::path::{Path, PathBuf};
use std::time::Duration;

use bstr::{BStr, ByteSlice as _};
use gix::lock::acquire::Fail;
use gix::prelude::Find as _;
use gix::refs::TargetRef;
use gix::refs::file::Store as References;
use gix::refs::store::WriteReflog;
use gix::refs::transaction::{Change, LogChange, PreviousValue, RefEdit, RefLog};
use versiondiff_engine::snapshot::{ContentId, ReadError};

use crate::Error;
use crate::durable::{Durability, DurableWriter};
use crate::repository::{OpenOptions, Ownership};
use crate::store::{Backend, Kind, Reference, Signature, Store, Swap, Swapped, Target};

/// A repository that gitoxide reads and writes.
pub(crate) struct Gitoxide {
    inner: gix::ThreadSafeRepository,
    common_dir: PathBuf,
    durability: Durability,
}

impl Gitoxide {
    /// Open the repository at `path` or above it: a work tree or a directory in one, a bare
    /// repository, a `.git` directory or file.
    ///
    /// # Errors
    /// [`Error::NoRepository`] where there is none; [`Error::Unsupported`] where it is stored in a
    /// way that is not read here (SHA-256, reftable, an extension that is not known), said before
    /// anything but its configuration is read; [`Error::NotOwned`] and [`Error::Open`].
    pub(crate) fn open(path: &Path, options: &OpenOptions) -> Result<Self, Error> {
        let git_dir = find(path, options.ownership)?;
        check_storage(&git_dir)?;
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
        let common_dir = inner.to_thread_local().common_dir().to_owned();
        Ok(Self { inner, common_dir, durability: options.durability })
    }
}

/// The git directory of the repository at `path` or above it, told from what is there alone.
///
/// # Errors
/// [`Error::NoRepository`] and [`Error::NotOwned`].
pub(crate) fn find(path: &Path, ownership: Ownership) -> Result<PathBuf, Error> {
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
    if ownership == Ownership::CurrentUser
        && !gix::sec::identity::is_path_owned_by_current_user(&git_dir).unwrap_or(false)
    {
        return Err(Error::NotOwned { path: git_dir });
    }
    Ok(git_dir)
}

/// The directory that holds objects and references, for all work trees of a repository.
pub(crate) fn common_dir_of(git_dir: &Path) -> PathBuf {
    match gix::discover::path::from_plain_file(&git_dir.join("commondir")) {
        Some(Ok(common)) => git_dir.join(common),
        _ => git_dir.to_owned(),
    }
}

impl Backend for Gitoxide {
    fn git_dir(&self) -> &Path {
        self.inner.git_dir()
    }

    fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    fn store(&self) -> Box<dyn Store> {
        let mut repository = self.inner.to_thread_local();
        repository.objects.ignore_replacements = true;
        repository.objects.unset_object_cache();
        repository.refs.write_reflog = write_reflog(self.git_dir(), &self.common_dir);
        repository.objects.set_pack_cache(|| Box::new(crate::snapshot::new_pack_cache()));
        let durable = match self.durability {
            Durability::Process => None,
            Durability::Power => Some(DurableWriter::open(self.git_dir(), &self.common_dir)),
        };
        Box::new(GitoxideStore { repository, durable })
    }
}

/// Extensions that change nothing about how objects and references are read.
const HARMLESS_EXTENSIONS: [&str; 5] =
    ["noop", "partialclone", "preciousobjects", "relativeworktrees", "worktreeconfig"];

/// Refuse what can't be read, before anything else is: git's own rule is that a repository of
/// format 1 with an extension that isn't known is not to be touched.
pub(crate) fn check_storage(git_dir: &Path) -> Result<(), Error> {
    let path = common_dir_of(git_dir).join("config");
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

/// A repository as one thread reads and writes it.
struct GitoxideStore {
    repository: gix::Repository,
    /// What writes where a power cut must not take anything.
    durable: Option<DurableWriter>,
}

impl Store for GitoxideStore {
    fn read(&self, path: &BStr, id: &ContentId, buffer: &mut Vec<u8>) -> Result<Option<Kind>, ReadError> {
        match self.repository.objects.try_find(&object_id(id), buffer) {
            Ok(found) => Ok(found.map(|object| kind(object.kind))),
            Err(error) => Err(read_error(path, id, &error)),
        }
    }

    fn write(&self, kind: Kind, content: &[u8]) -> Result<ContentId, Error> {
        use gix::prelude::Write as _;
        if let Some(durable) = &self.durable {
            let is_there = |id: &ContentId| self.repository.objects.exists_without_refresh(&object_id(id));
            return durable.write(kind, content, is_there);
        }
        let failed = |error: gix::Error| Error::Write {
            path: self.repository.git_dir().to_owned(),
            reason: reason(&error),
        };
        let kind = gix_kind(kind);
        let id = gix::objs::compute_hash(gix::hash::Kind::Sha1, kind, content).map_err(&failed)?;
        // Without looking for packs that came meanwhile: an object that is there twice does no harm.
        if !self.repository.objects.exists_without_refresh(&id) {
            self.repository.objects.write_buf_with_known_id(kind, content, id).map_err(failed)?;
        }
        Ok(content_id(id))
    }

    fn shallow_commits(&self) -> Vec<ContentId> {
        let listed = self.repository.shallow_commits().ok().flatten();
        listed.iter().flat_map(|list| list.iter()).map(content_id).collect()
    }

    fn reference(&self, name: &BStr) -> Result<Option<Reference>, Error> {
        find_reference(&self.repository.refs, name)
    }

    fn references(&self, prefix: &BStr) -> Result<Vec<Reference>, Error> {
        let failed = |error: gix::Error| reference_error(prefix, &error);
        let platform = self.repository.refs.iter().map_err(&failed)?;
        let directory = <&gix::path::RelativePath>::try_from(prefix);
        let all = match directory {
            // Only what is below it is opened, and of packed references only that part is read.
            Ok(directory) if prefix.ends_with(b"/") => platform.prefixed(directory),
            _ => platform.all(),
        };
        let mut references = Vec::new();
        for found in all.map_err(|error| failed(gix::Error::from_error(error)))? {
            // One that holds nothing that git can read is left out, as git does with a warning.
            if let Ok(found) = found
                && found.name.as_bstr().starts_with(prefix)
            {
                references.push(reference(found));
            }
        }
        Ok(references)
    }

    fn swap(&self, swap: &Swap<'_>) -> Result<Swapped, Error> {
        match &self.durable {
            Some(durable) => durable.swap(swap),
            None => self::swap(&self.repository.refs, self.repository.common_dir(), swap, || true),
        }
    }

    fn ids(&self, digits: &str) -> Vec<ContentId> {
        let Ok(prefix) = gix::hash::Prefix::from_hex(digits) else { return Vec::new() };
        let mut found = std::collections::HashSet::new();
        // What can't be listed holds nothing that could be read.
        let _ = self.repository.objects.lookup_prefix(prefix, Some(&mut found));
        found.into_iter().map(content_id).collect()
    }

    fn git_dir(&self) -> &Path {
        self.repository.git_dir()
    }

    fn common_dir(&self) -> &Path {
        self.repository.common_dir()
    }
}

/// As git does it where nobody says otherwise: a log where there is a work tree.
pub(crate) fn write_reflog(git_dir: &Path, common_dir: &Path) -> WriteReflog {
    if git_dir.ends_with(".git") || git_dir != common_dir {
        WriteReflog::Normal
    } else {
        WriteReflog::Disable
    }
}

fn find_reference(references: &References, name: &BStr) -> Result<Option<Reference>, Error> {
    let full = full_name(name)?;
    // The full name only: a short one could stand for another reference.
    let found = references.try_find(full.as_ref().as_partial_name());
    let found = found.map_err(|error| reference_error(name, &error))?;
    Ok(found.filter(|found| found.name == full).map(reference))
}

/// Change a reference, if it still holds what is expected, and if `is_ready` says so once git's lock
/// file of it holds the new value.
///
/// # Errors
/// [`Error::Write`] where the system does not let it be written, [`Error::Reference`] where it can't
/// be for another reason.
pub(crate) fn swap(
    references: &References,
    common_dir: &Path,
    swap: &Swap<'_>,
    is_ready: impl FnOnce() -> bool,
) -> Result<Swapped, Error> {
    /// As git waits for others where nobody says otherwise.
    const PATIENCE: Fail = Fail::AfterDurationWithBackoff(Duration::from_millis(100));
    const PATIENCE_WITH_PACKED: Fail = Fail::AfterDurationWithBackoff(Duration::from_secs(1));
    let edit = RefEdit {
        change: Change::Update {
            log: LogChange {
                mode: RefLog::AndReference,
                force_create_reflog: false,
                message: swap.log.into(),
            },
            expected: match &swap.expected {
                Some(id) => PreviousValue::MustExistAndMatch(object_id(id).into()),
                None => PreviousValue::MustNotExist,
            },
            new: object_id(&swap.new).into(),
        },
        name: full_name(swap.name)?,
        deref: false,
    };
    let mut buffer = gix::date::parse::TimeBuf::default();
    let who = signature(swap.who);
    let done = references.transaction().prepare(Some(edit), PATIENCE, PATIENCE_WITH_PACKED);
    let done = done.and_then(|prepared| {
        if !is_ready() {
            // Dropped, it takes the lock file with it.
            return Err(gix::error::message("the new value is not on the disk").into());
        }
        prepared.commit(who.to_ref(&mut buffer))
    });
    let Err(error) = done else { return Ok(Swapped::Done) };
    // What failed is told from what is there now: it is what the next attempt would meet.
    let now = find_reference(references, swap.name)?.map(|found| found.target);
    // A git that packs references at this moment can have them seen as they were before: that it
    // held something else is told by the error alone then.
    if now != swap.expected.map(Target::Object) || error.is_conflict() {
        return Ok(Swapped::Moved);
    }
    let lock = crate::store::lock_path(&common_dir.join(swap.name.to_path_lossy()));
    if lock.exists() || error.is_retryable() {
        return Ok(Swapped::Locked);
    }
    if error.downcast_any_ref::<std::io::Error>().is_some() {
        return Err(Error::Write { path: common_dir.to_owned(), reason: reason(&error) });
    }
    Err(reference_error(swap.name, &error))
}

fn reference(found: gix::refs::Reference) -> Reference {
    let target = match found.target.to_ref() {
        TargetRef::Object(id) => Target::Object(content_id(id)),
        TargetRef::Symbolic(name) => Target::Symbolic(name.as_bstr().to_owned()),
    };
    Reference { name: found.name.into_inner(), target }
}

pub(crate) fn full_name(name: &BStr) -> Result<gix::refs::FullName, Error> {
    gix::refs::FullName::try_from(name).map_err(|_| Error::Reference {
        name: name.to_owned(),
        rule: "is not allowed as a name by git".to_owned(),
    })
}

fn reference_error(name: &BStr, error: &gix::Error) -> Error {
    Error::Reference { name: name.to_owned(), rule: format!("can't be read or written: {}", reason(error)) }
}

/// What went wrong, and why as far as the system says, such as that no space is left.
fn reason(error: &gix::Error) -> String {
    let said = error.to_string();
    match error.downcast_any_ref::<std::io::Error>().map(ToString::to_string) {
        Some(cause) if !said.contains(&cause) => format!("{said}: {cause}"),
        _ => said,
    }
}

fn signature(who: &Signature) -> gix::actor::Signature {
    gix::actor::Signature {
        name: who.name.clone(),
        email: who.email.clone(),
        time: gix::date::Time { seconds: who.time, offset: who.offset * 60 },
    }
}

pub(crate) fn kind(kind: gix::objs::Kind) -> Kind {
    match kind {
        gix::objs::Kind::Blob => Kind::Blob,
        gix::objs::Kind::Tree => Kind::Tree,
        gix::objs::Kind::Commit => Kind::Commit,
        gix::objs::Kind::Tag => Kind::Tag,
    }
}

pub(crate) fn gix_kind(kind: Kind) -> gix::objs::Kind {
    match kind {
        Kind::Blob => gix::objs::Kind::Blob,
        Kind::Tree => gix::objs::Kind::Tree,
        Kind::Commit => gix::objs::Kind::Commit,
        Kind::Tag => gix::objs::Kind::Tag,
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

pub(crate) fn read_error(path: &BStr, id: &ContentId, error: &gix::Error) -> ReadError {
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
