//! How much an archive may ask for.

use std::cell::Cell;
use std::fmt;
use std::io::{self, BufRead, Read};

use crate::error::Error;

/// The most that is read of an archive. Met, they end the reading with [`Error::Limit`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes that come out of all decoders together, with headers, padding and members that are
    /// skipped; a hard link counts as the file that it names, and a name of more than a hundred bytes
    /// eight times, as it is held so often.
    pub unpacked_bytes: u64,
    /// Entries of any kind, in all archives within one another.
    pub entries: u64,
    /// Bytes of one entry.
    pub file_bytes: u64,
    /// Unpacked bytes for one byte of the archive. It is looked at from
    /// [`RATIO_FLOOR`](Self::RATIO_FLOOR) on: a small file may well be one repeated line.
    pub ratio: u64,
    /// How many compressions and archives may be within one another; a gem has three.
    pub nesting: u64,
}

impl Limits {
    /// From how many unpacked bytes on the ratio counts: 16 MiB.
    pub const RATIO_FLOOR: u64 = 16 << 20;
}

impl Default for Limits {
    fn default() -> Self {
        Self { unpacked_bytes: 512 << 20, entries: 200_000, file_bytes: 256 << 20, ratio: 500, nesting: 4 }
    }
}

/// Which limit was met.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// [`Limits::unpacked_bytes`].
    UnpackedBytes,
    /// [`Limits::entries`].
    Entries,
    /// [`Limits::file_bytes`].
    FileBytes,
    /// [`Limits::ratio`].
    Ratio,
    /// [`Limits::nesting`].
    Nesting,
}

impl Limit {
    /// The name of the field of [`Limits`].
    pub const fn name(self) -> &'static str {
        match self {
            Self::UnpackedBytes => "unpacked_bytes",
            Self::Entries => "entries",
            Self::FileBytes => "file_bytes",
            Self::Ratio => "ratio",
            Self::Nesting => "nesting",
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// The longest name that counts as short: what a header of tar has room for.
const SHORT_NAME_BYTES: usize = 100;

/// How often memory holds a name: as it stands, as a path, as keys that find its twins and what a hard
/// link names, and in the listing, while that is written and read.
const NAME_COPIES: u64 = 8;

/// What has been used of the limits.
pub(crate) struct Budget<'w> {
    limits: Limits,
    input: u64,
    unpacked: Cell<u64>,
    /// What names take beside: memory, which no ratio is about.
    held: Cell<u64>,
    entries: Cell<u64>,
    /// Kept beside the error that goes through the decoders: some of them wrap it, some lose it.
    met: Cell<Option<Limit>>,
    watch: &'w dyn Fn(u64) -> bool,
    is_interrupted: Cell<bool>,
}

impl<'w> Budget<'w> {
    pub(crate) fn new(limits: Limits, input: usize, watch: &'w dyn Fn(u64) -> bool) -> Self {
        Self {
            limits,
            input: input as u64,
            unpacked: Cell::new(0),
            held: Cell::new(0),
            entries: Cell::new(0),
            met: Cell::new(None),
            watch,
            is_interrupted: Cell::new(false),
        }
    }

    fn error(&self, limit: Limit) -> Error {
        self.met.set(Some(limit));
        let most = match limit {
            Limit::UnpackedBytes => self.limits.unpacked_bytes,
            Limit::Entries => self.limits.entries,
            Limit::FileBytes => self.limits.file_bytes,
            Limit::Ratio => self.limits.ratio,
            Limit::Nesting => self.limits.nesting,
        };
        Error::Limit { limit, most }
    }

    /// The error of a limit that was met behind a decoder, or of an interrupt.
    pub(crate) fn met(&self) -> Option<Error> {
        if self.is_interrupted.get() {
            return Some(Error::Interrupted);
        }
        self.met.get().map(|limit| self.error(limit))
    }

    /// Whether `more` bytes may still come.
    pub(crate) fn foresee(&self, more: u64) -> Result<(), Error> {
        let unpacked = self.unpacked.get().saturating_add(more);
        if unpacked.saturating_add(self.held.get()) > self.limits.unpacked_bytes {
            return Err(self.error(Limit::UnpackedBytes));
        }
        if unpacked > Limits::RATIO_FLOOR && unpacked > self.limits.ratio.saturating_mul(self.input) {
            return Err(self.error(Limit::Ratio));
        }
        Ok(())
    }

    pub(crate) fn charge(&self, bytes: u64) -> Result<(), Error> {
        if !(self.watch)(self.entries.get()) {
            self.is_interrupted.set(true);
            return Err(Error::Interrupted);
        }
        self.foresee(bytes)?;
        self.unpacked.set(self.unpacked.get() + bytes);
        Ok(())
    }

    /// Make room for content whose size was held against the limits; limits that are larger than
    /// the memory are met there.
    pub(crate) fn reserve(&self, content: &mut Vec<u8>, size: u64) -> Result<(), Error> {
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        content.try_reserve_exact(size).map_err(|_| self.error(Limit::UnpackedBytes))
    }

    pub(crate) fn file(&self, bytes: u64) -> Result<(), Error> {
        if bytes > self.limits.file_bytes { Err(self.error(Limit::FileBytes)) } else { Ok(()) }
    }

    pub(crate) fn entry(&self) -> Result<(), Error> {
        self.more_entries(1)?;
        self.entries.set(self.entries.get() + 1);
        Ok(())
    }

    /// A name, or the target of a link. Short ones are part of what an entry costs anyway.
    pub(crate) fn name(&self, name: &[u8]) -> Result<(), Error> {
        if name.len() > SHORT_NAME_BYTES {
            self.held.set(self.held.get() + NAME_COPIES * name.len() as u64);
        }
        self.foresee(0)
    }

    pub(crate) fn more_entries(&self, more: u64) -> Result<(), Error> {
        if self.entries.get().saturating_add(more) > self.limits.entries {
            return Err(self.error(Limit::Entries));
        }
        Ok(())
    }

    /// Go into a compression or an archive at `depth`, the outermost of which is 1.
    pub(crate) fn nest(&self, depth: u64) -> Result<(), Error> {
        if depth > self.limits.nesting { Err(self.error(Limit::Nesting)) } else { Ok(()) }
    }
}

/// A reader whose every byte is charged.
pub(crate) struct Metered<'b, R> {
    inner: R,
    budget: &'b Budget<'b>,
}

impl<'b, R> Metered<'b, R> {
    pub(crate) fn new(inner: R, budget: &'b Budget<'b>) -> Self {
        Self { inner, budget }
    }
}

impl<R: Read> Read for Metered<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.budget.charge(read as u64).map_err(io::Error::other)?;
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Metered<'_, R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        // What was charged can't be told here without losing the buffer: `consume` does.
        match self.budget.met() {
            Some(error) => Err(io::Error::other(error)),
            None => self.inner.fill_buf(),
        }
    }

    fn consume(&mut self, amount: usize) {
        // The limit is kept in the budget, and the next look at the buffer tells of it.
        let _ = self.budget.charge(amount as u64);
        self.inner.consume(amount);
    }
}
