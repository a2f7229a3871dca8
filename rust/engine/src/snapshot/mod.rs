//! Snapshots: an immutable tree of paths, each with a mode, a content id and bytes on demand.
//!
//! One trait, [`Snapshot`], stands in front of every source of files. It is shaped after git's
//! object model, because git's tree ids are what lets a comparison skip equal subtrees without
//! opening them; a [`Mapping`] builds the same trees in memory when it has to.

mod mapping;
mod tree;
mod trees;

use std::borrow::Cow;
use std::fmt;
use std::hash::Hasher;
use std::rc::Rc;

use bstr::{BStr, BString, ByteSlice};

pub use mapping::{InvalidPath, Mapping, MappingEntry};
pub use tree::{InvalidTree, TreeEntries, TreeEntry, write_tree};
pub use trees::Trees;

/// How deep directories may nest. git's own default, `core.maxTreeDepth`, is 2,048.
pub const MAX_DEPTH: usize = 4_096;

/// The SHA-1 that git gives to an object: 20 bytes, shown as 40 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentId(pub [u8; 20]);

impl ContentId {
    /// The id of the tree without entries.
    pub const EMPTY_TREE: Self = Self([
        0x4b, 0x82, 0x5d, 0xc6, 0x42, 0xcb, 0x6e, 0xb9, 0xa0, 0x60, 0xe5, 0x4b, 0xf8, 0xd6, 0x92, 0x88, 0xfb,
        0xee, 0x49, 0x04,
    ]);

    /// The id of the file without content.
    pub const EMPTY_BLOB: Self = Self([
        0xe6, 0x9d, 0xe2, 0x9b, 0xb2, 0xd1, 0xd6, 0x43, 0x4b, 0x8b, 0x29, 0xae, 0x77, 0x5a, 0xd8, 0xc2, 0xe4,
        0x8c, 0x53, 0x91,
    ]);

    /// The id git gives to a file with this content (`git hash-object`).
    pub fn of_blob(content: &[u8]) -> Self {
        Self::of_object("blob", content)
    }

    /// The id git gives to a tree with this raw content.
    pub fn of_tree(raw: &[u8]) -> Self {
        Self::of_object("tree", raw)
    }

    fn of_object(kind: &str, content: &[u8]) -> Self {
        use sha1::{Digest, Sha1};
        let mut hasher = Sha1::new();
        hasher.update(format!("{kind} {}\0", content.len()));
        hasher.update(content);
        Self(hasher.finalize().into())
    }

    /// Append the 40 hexadecimal digits to `out`.
    pub fn write_hex(&self, out: &mut Vec<u8>) {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut hex = [0_u8; 40];
        for (pair, byte) in hex.chunks_exact_mut(2).zip(self.0) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 15)];
        }
        out.extend_from_slice(&hex);
    }
}

/// A hasher for ids: they are hashes already, and eight bytes of one are as good a hash as any.
#[derive(Clone, Copy, Debug, Default)]
pub struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        if let Some(first) = bytes.first_chunk::<8>() {
            self.0 ^= u64::from_ne_bytes(*first);
        }
    }

    fn write_usize(&mut self, _length: usize) {}
}

impl fmt::Display for ContentId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.0 {
            write!(formatter, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for ContentId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ContentId({self})")
    }
}

/// What kind of thing a path is.
///
/// Kinds, not raw modes: git of old wrote files as `100664` and git of today reads them as
/// `100644`, so the two must never look like a change.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Mode {
    /// A directory.
    Tree,
    /// A plain file.
    File,
    /// A file that may be executed.
    Executable,
    /// A symbolic link; its content is the target.
    Link,
    /// A commit of another repository.
    Submodule,
}

impl Mode {
    /// Read git's octal digits, the way git does: the kind is kept, stray permission bits are not.
    pub fn from_octal(digits: &[u8]) -> Option<Self> {
        if digits.is_empty() || digits.len() > 7 {
            return None;
        }
        let mut bits = 0_u32;
        for digit in digits {
            if !(b'0'..=b'7').contains(digit) {
                return None;
            }
            bits = (bits << 3) | u32::from(digit - b'0');
        }
        Some(Self::from_bits(bits))
    }

    /// As git's `canon_mode`: whatever is no file, link or directory is a submodule.
    pub(crate) const fn from_bits(bits: u32) -> Self {
        match bits & 0o170_000 {
            0o100_000 if bits & 0o100 != 0 => Self::Executable,
            0o100_000 => Self::File,
            0o120_000 => Self::Link,
            0o040_000 => Self::Tree,
            _ => Self::Submodule,
        }
    }

    /// The six octal digits git prints for this kind.
    pub const fn octal(self) -> &'static str {
        match self {
            Self::Tree => "040000",
            Self::File => "100644",
            Self::Executable => "100755",
            Self::Link => "120000",
            Self::Submodule => "160000",
        }
    }

    /// A plain or an executable file.
    pub const fn is_file(self) -> bool {
        matches!(self, Self::File | Self::Executable)
    }
}

/// A path of a snapshot that is not a directory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Bytes with `/` between the components, as git stores them; not always UTF-8.
    pub path: BString,
    /// What kind of thing it is.
    pub mode: Mode,
    /// The id of its content.
    pub id: ContentId,
}

/// Why something of a snapshot could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReadError {
    /// The object is not there: a partial clone, or a repository that lost it.
    Missing {
        /// Where the object was looked for.
        path: BString,
        /// The object.
        id: ContentId,
    },
    /// The object is there and is not what it should be.
    Corrupt {
        /// Where the object was met.
        path: BString,
        /// The object.
        id: ContentId,
        /// The rule it breaks; never content.
        rule: String,
    },
    /// A stated limit was met.
    Limit {
        /// Where it was met.
        path: BString,
        /// The limit, with its number.
        rule: String,
    },
    /// The source itself failed, as when a file of a directory can't be opened.
    Source {
        /// What was being read.
        path: BString,
        /// What the source said.
        reason: String,
    },
}

impl fmt::Display for ReadError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |path: &BString| {
            if path.is_empty() { "the root".to_owned() } else { crate::display::name(path).into_owned() }
        };
        match self {
            Self::Missing { path, id } => write!(formatter, "object {id} of {} is missing", place(path)),
            Self::Corrupt { path, id, rule } => {
                write!(formatter, "object {id} of {} is corrupt: {rule}", place(path))
            }
            Self::Limit { path, rule } => write!(formatter, "{}: {rule}", place(path)),
            Self::Source { path, reason } => write!(formatter, "{}: {reason}", place(path)),
        }
    }
}

impl std::error::Error for ReadError {}

/// An immutable tree of paths.
///
/// Paths handed to the methods are where an object was found; sources that store content by id
/// may ignore them, sources that store it by path may ignore the id.
pub trait Snapshot {
    /// The id of the root tree, or `None` where there is nothing at all.
    ///
    /// # Errors
    /// [`ReadError`] where the source fails.
    fn root(&self) -> Result<Option<ContentId>, ReadError>;

    /// The raw tree object of a directory: shared, so that a source may keep it.
    ///
    /// # Errors
    /// [`ReadError`] where the object is missing or no tree, or the source fails.
    fn tree(&self, path: &BStr, id: &ContentId) -> Result<Rc<[u8]>, ReadError>;

    /// The bytes of a file, or the target of a link.
    ///
    /// # Errors
    /// [`ReadError`] where the object is missing or no blob, or the source fails.
    fn blob(&self, path: &BStr, id: &ContentId) -> Result<Cow<'_, [u8]>, ReadError>;

    /// The entry at `path`, where there is one that is not a directory.
    ///
    /// # Errors
    /// [`ReadError`] where a tree on the way can't be read.
    fn find(&self, path: &BStr) -> Result<Option<Entry>, ReadError> {
        let Some(root) = self.root()? else { return Ok(None) };
        let found = locate(self, root, path)?.filter(|(mode, _)| *mode != Mode::Tree);
        Ok(found.map(|(mode, id)| Entry { path: path.into(), mode, id }))
    }

    /// The id of the directory at `path`, where there is one; `""` is the root.
    ///
    /// # Errors
    /// [`ReadError`] where a tree on the way can't be read.
    fn find_directory(&self, path: &BStr) -> Result<Option<ContentId>, ReadError> {
        let Some(root) = self.root()? else { return Ok(None) };
        if path.is_empty() {
            return Ok(Some(root));
        }
        Ok(locate(self, root, path)?.filter(|(mode, _)| *mode == Mode::Tree).map(|(_, id)| id))
    }

    /// Whether there is a directory at `path`.
    ///
    /// # Errors
    /// [`ReadError`] where a tree on the way can't be read.
    fn has_directory(&self, path: &BStr) -> Result<bool, ReadError> {
        self.find_directory(path).map(|found| found.is_some())
    }

    /// The mapping behind this snapshot, where it is one: two mappings are compared by content,
    /// without a hash of everything that is equal.
    fn as_mapping(&self) -> Option<&Mapping<'_>> {
        None
    }
}

/// Walk down to `path`.
fn locate<S: Snapshot + ?Sized>(
    snapshot: &S,
    root: ContentId,
    path: &BStr,
) -> Result<Option<(Mode, ContentId)>, ReadError> {
    let (mut tree_id, mut start) = (root, 0);
    loop {
        let directory = path[..start.max(1) - 1].as_bstr();
        let end = path[start..].find_byte(b'/').map_or(path.len(), |at| start + at);
        let raw = snapshot.tree(directory, &tree_id)?;
        let found = tree::find_entry(&raw, path[start..end].as_bstr())
            .map_err(|error| error.at(directory, tree_id))?;
        match found {
            Some((Mode::Tree, id)) if end < path.len() => {
                tree_id = id;
                start = end + 1;
            }
            found => return Ok(found.filter(|_| end == path.len())),
        }
    }
}

/// The snapshot without any path: what a root commit is compared with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Empty;

impl Snapshot for Empty {
    fn root(&self) -> Result<Option<ContentId>, ReadError> {
        Ok(None)
    }

    fn tree(&self, path: &BStr, id: &ContentId) -> Result<Rc<[u8]>, ReadError> {
        Err(ReadError::Missing { path: path.into(), id: *id })
    }

    fn blob(&self, path: &BStr, id: &ContentId) -> Result<Cow<'_, [u8]>, ReadError> {
        Err(ReadError::Missing { path: path.into(), id: *id })
    }
}
