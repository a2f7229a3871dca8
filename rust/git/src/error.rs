//! Why a repository, a version or a history can't be read.

use std::fmt;
use std::path::PathBuf;

use bstr::BString;
use versiondiff_engine::display;
use versiondiff_engine::format::Format;
use versiondiff_engine::snapshot::ReadError;
use versiondiff_engine::version_diff;

/// Why a repository, a version or a history can't be read.
#[derive(Debug)]
pub enum Error {
    /// There is no repository at the path or above it.
    NoRepository {
        /// The path that was given.
        path: PathBuf,
    },
    /// The repository belongs to another user, and the caller asked for their own only.
    NotOwned {
        /// The git directory.
        path: PathBuf,
    },
    /// The repository is stored in a way that is not read here.
    Unsupported {
        /// The git directory.
        path: PathBuf,
        /// The property of the repository that is not supported.
        rule: String,
    },
    /// The repository can't be opened.
    Open {
        /// The git directory.
        path: PathBuf,
        /// What went wrong.
        reason: String,
    },
    /// No version goes by this name.
    NoRevision {
        /// The name that was given.
        revision: String,
        /// What stands in the way.
        rule: &'static str,
    },
    /// The range of versions is not one that can be listed.
    InvalidRange {
        /// The range that was given.
        range: String,
        /// The rule it breaks.
        rule: &'static str,
    },
    /// A reference is not allowed, or can't be read or written.
    Reference {
        /// Its full name.
        name: BString,
        /// What is wrong.
        rule: String,
    },
    /// Others stood in the way of a write for as long as was waited.
    Conflict {
        /// What was to be written, such as `reference refs/notes/commits`.
        what: String,
        /// The lock file that kept others out, or would have.
        lock: PathBuf,
        /// What stood in the way.
        rule: &'static str,
    },
    /// What is to be written breaks a rule.
    Invalid {
        /// What it is.
        what: &'static str,
        /// The rule.
        rule: &'static str,
    },
    /// A path breaks a rule, or can't be written beside what is there.
    Path {
        /// The path.
        path: BString,
        /// The rule.
        rule: &'static str,
    },
    /// The caller ended the waiting.
    Interrupted,
    /// Something can't be written.
    Write {
        /// Where.
        path: PathBuf,
        /// What went wrong.
        reason: String,
    },
    /// An object can't be read.
    Read(ReadError),
    /// There is no text of a change, as it may not hold secrets.
    Secret(version_diff::Error),
    /// No built-in format fits the files.
    NoFormat,
    /// A defect of this library: a worker ended without its result.
    Internal(&'static str),
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRepository { path } => {
                write!(formatter, "no git repository at {} or above it", path.display())
            }
            Self::NotOwned { path } => {
                write!(formatter, "git repository {} belongs to another user", path.display())
            }
            Self::Unsupported { path, rule } => {
                write!(formatter, "git repository {}: {rule} is not supported", path.display())
            }
            Self::Open { path, reason } => {
                write!(formatter, "git repository {} can't be opened: {reason}", path.display())
            }
            Self::NoRevision { revision, rule } => {
                write!(formatter, "revision {} {rule}", display::name(revision.as_bytes()))
            }
            Self::InvalidRange { range, rule } => {
                write!(formatter, "range {} {rule}", display::name(range.as_bytes()))
            }
            Self::Reference { name, rule } => {
                write!(formatter, "reference {} {rule}", display::name(name))
            }
            Self::Conflict { what, lock, rule } => {
                write!(formatter, "{what}: {rule} (lock file {})", lock.display())
            }
            Self::Invalid { what, rule } => write!(formatter, "{what} {rule}"),
            Self::Path { path, rule } => write!(formatter, "path {} {rule}", display::name(path)),
            Self::Interrupted => formatter.write_str("interrupted"),
            Self::Write { path, reason } => {
                write!(formatter, "git repository {} can't be written: {reason}", path.display())
            }
            Self::Read(error) => error.fmt(formatter),
            Self::Secret(error) => error.fmt(formatter),
            Self::NoFormat => write!(
                formatter,
                "no built-in format fits the files: name one of {} (format=…, or --format)",
                Format::BUILTIN.join(", ")
            ),
            Self::Internal(what) => formatter.write_str(what),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read(error) => Some(error),
            Self::Secret(error) => Some(error),
            _ => None,
        }
    }
}

impl From<version_diff::Error> for Error {
    fn from(error: version_diff::Error) -> Self {
        match error {
            version_diff::Error::Read(error) => Self::Read(error),
            error @ version_diff::Error::Secret(..) => Self::Secret(error),
        }
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Self {
        Self::Read(error)
    }
}
