//! What a backend gives: the objects and the references of one repository.
//!
//! All else (histories, snapshots, notes) is built on this, once for every backend.

use std::fmt;
use std::path::{Path, PathBuf};

use bstr::{BStr, BString};
use versiondiff_engine::snapshot::{ContentId, ReadError};

use crate::Error;

/// The kind of an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// The content of a file.
    Blob,
    /// A directory.
    Tree,
    /// A version.
    Commit,
    /// An annotated tag.
    Tag,
}

impl Kind {
    /// Git's name of the kind.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Blob => "blob",
            Self::Tree => "tree",
            Self::Commit => "commit",
            Self::Tag => "tag",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// What a reference holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// The id of an object.
    Object(ContentId),
    /// The full name of another reference, which need not exist.
    Symbolic(BString),
}

/// A reference: its full name and what it holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reference {
    /// The full name, such as `refs/heads/main`.
    pub name: BString,
    /// What it holds.
    pub target: Target,
}

/// What a name, or an expression, of revisions stands for; nothing is peeled yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Revision {
    /// One object.
    One(ContentId),
    /// `A..B`.
    Range {
        /// A.
        from: ContentId,
        /// B.
        to: ContentId,
    },
    /// `B^!`: B without its parents.
    Alone(ContentId),
    /// Another expression that git knows.
    Other,
}

/// Who does something, and when.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// The name.
    pub name: BString,
    /// The address.
    pub email: BString,
    /// Seconds since 1970-01-01T00:00:00Z.
    pub time: i64,
    /// Minutes ahead of UTC.
    pub offset: i32,
}

/// A change of one reference that happens only where it holds what is expected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Swap<'a> {
    /// The full name of a reference that is not symbolic.
    pub name: &'a BStr,
    /// What it has to hold; `None` is that it does not exist.
    pub expected: Option<ContentId>,
    /// What it is to hold.
    pub new: ContentId,
    /// Whom its log names.
    pub who: &'a Signature,
    /// What its log says.
    pub log: &'a str,
}

/// What came of a [`Swap`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Swapped {
    /// It was done.
    Done,
    /// The reference holds something else: nothing was done.
    Moved,
    /// Someone else is writing it: nothing was done.
    Locked,
}

/// One thread's access to a repository.
pub trait Store {
    /// Read an object into `buffer`, whose content is replaced; `None` where there is none.
    ///
    /// `path` is where the object was met; it only names the place in an error.
    ///
    /// # Errors
    /// [`ReadError`] where it can't be read.
    fn read(&self, path: &BStr, id: &ContentId, buffer: &mut Vec<u8>) -> Result<Option<Kind>, ReadError>;

    /// Write an object, where it isn't there already, and give its id.
    ///
    /// # Errors
    /// [`Error::Write`].
    fn write(&self, kind: Kind, content: &[u8]) -> Result<ContentId, Error>;

    /// The commits at which history is cut off in a shallow repository, in any order.
    fn shallow_commits(&self) -> Vec<ContentId>;

    /// The ids of objects that start with these hexadecimal digits; each may come more than once.
    fn ids(&self, digits: &str) -> Vec<ContentId>;

    /// The git directory, with the log of `HEAD`.
    fn git_dir(&self) -> &Path;

    /// The directory with the logs of all other references.
    fn common_dir(&self) -> &Path;

    /// A reference by its full name; `None` where it does not exist.
    ///
    /// # Errors
    /// [`Error::Reference`] where the name is none, or it can't be read.
    fn reference(&self, name: &BStr) -> Result<Option<Reference>, Error>;

    /// The references whose full names start with `prefix`, such as `refs/heads/`, in any order.
    ///
    /// # Errors
    /// [`Error::Reference`] where they can't be read.
    fn references(&self, prefix: &BStr) -> Result<Vec<Reference>, Error>;

    /// Change a reference, if it still holds what is expected.
    ///
    /// # Errors
    /// [`Error::Reference`] where it can't be written.
    fn swap(&self, swap: &Swap<'_>) -> Result<Swapped, Error>;
}

/// A repository as all threads share it.
pub trait Backend: Send + Sync {
    /// The git directory; of a linked work tree its own, below the repository's.
    fn git_dir(&self) -> &Path;

    /// The directory that holds objects and references, for all work trees of a repository.
    fn common_dir(&self) -> &Path;

    /// Access for the calling thread.
    fn store(&self) -> Box<dyn Store>;
}

/// The directory that holds objects and references of the repository with this git directory.
pub fn common_dir_of(git_dir: &Path) -> PathBuf {
    crate::gitoxide::common_dir_of(git_dir)
}

/// Refuse a full name of a reference that git allows none to have.
///
/// # Errors
/// [`Error::Reference`].
pub fn check_reference_name(name: &BStr) -> Result<(), Error> {
    crate::gitoxide::full_name(name).map(|_| ())
}

/// The commits at which history is cut off, as the file `shallow` lists them.
pub fn listed_shallow_commits(common_dir: &Path) -> Vec<ContentId> {
    let listed = std::fs::read(common_dir.join("shallow")).unwrap_or_default();
    listed.split(|byte| *byte == b'\n').filter_map(crate::commit::hex_id).collect()
}

/// The lock file with which git keeps others from writing `path`.
pub fn lock_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    name.into()
}
