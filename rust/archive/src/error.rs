//! What can go wrong.

use std::fmt;
use std::io;

use crate::limits::{Budget, Limit};

/// Where in an archive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Of which layer the offset is: `tar`, `zip`, `gzip`, `bzip2`, `xz`, `zstd`.
    pub layer: &'static str,
    /// In bytes from the beginning of the layer.
    pub offset: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} at byte {}", self.layer, self.offset)
    }
}

/// Why an archive could not be read. It never holds a name or text of the archive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Error {
    /// The bytes are no archive of a kind that is read here.
    UnknownKind {
        /// What they are instead.
        what: &'static str,
    },
    /// The archive is cut off or breaks a rule of its format.
    Damaged {
        /// The rule.
        what: &'static str,
        /// Where.
        place: Place,
    },
    /// A limit was met.
    Limit {
        /// Which.
        limit: Limit,
        /// What it is set to.
        most: u64,
    },
    /// Whoever watches the reading ended it.
    Interrupted,
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownKind { what } => write!(formatter, "no archive of a known kind: {what}"),
            Self::Damaged { what, place } => write!(formatter, "damaged archive: {place}: {what}"),
            Self::Interrupted => formatter.write_str("interrupted"),
            Self::Limit { limit, most } => write!(formatter, "the archive exceeds {limit} = {most}"),
        }
    }
}

impl std::error::Error for Error {}

impl Error {
    pub(crate) const fn damaged(what: &'static str, layer: &'static str, offset: u64) -> Self {
        Self::Damaged { what, place: Place { layer, offset } }
    }

    /// What an error of a decoder means: a limit that was met behind it, or damage.
    pub(crate) fn of_reading(error: &io::Error, budget: &Budget<'_>, place: Place) -> Self {
        if let Some(limit) = budget.met() {
            return limit;
        }
        if let Some(inner) = error.get_ref().and_then(|inner| inner.downcast_ref::<Self>()) {
            return inner.clone();
        }
        let what = match error.kind() {
            io::ErrorKind::UnexpectedEof => "ends too early",
            io::ErrorKind::OutOfMemory => "needs a larger window than 64 MiB",
            io::ErrorKind::QuotaExceeded => "holds more than 16384 streams",
            _ => "can't be decoded",
        };
        Self::Damaged { what, place }
    }
}
