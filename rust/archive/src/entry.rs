//! One entry of an archive.

use std::fmt;
use std::sync::Arc;

use bstr::BString;
use versiondiff_engine::snapshot::Mode;

/// What an entry is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EntryKind {
    /// A plain file.
    File,
    /// A file that its owner may execute.
    Executable,
    /// A symbolic link.
    Link {
        /// As it stands in the archive.
        target: BString,
    },
    /// Another name of an entry that came before.
    HardLink {
        /// As it stands in the archive.
        target: BString,
    },
    /// A directory.
    Directory,
    /// A character device.
    CharacterDevice {
        /// Which driver.
        major: u32,
        /// Which device of the driver.
        minor: u32,
    },
    /// A block device.
    BlockDevice {
        /// Which driver.
        major: u32,
        /// Which device of the driver.
        minor: u32,
    },
    /// A named pipe.
    Fifo,
    /// Something that only one system knows, such as a volume label of tar or a socket in a zip.
    Other {
        /// The type flag of a tar, or the upper four bits of a Unix mode.
        code: u8,
    },
}

/// What to know of an entry before anyone unpacks it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Flag {
    /// The name is absolute, on Unix or on Windows.
    AbsoluteName,
    /// The name leads out of the root.
    LeavesRoot,
    /// The name has a `..` that stays below the root.
    ParentStep,
    /// The name is empty where a file needs one.
    EmptyName,
    /// The name has a NUL byte, at which some readers cut it.
    NulInName,
    /// The name is no UTF-8.
    NotUtf8,
    /// The name has a backslash, which on Windows separates directories.
    Backslash,
    /// The name is that of something else on Windows: a device, a stream of a file, or the same name
    /// without the dots and spaces at its end.
    WindowsName,
    /// The name has a character that no one sees, as a control character.
    ControlCharacter,
    /// The name has too many components to be compared.
    TooDeep,
    /// Another entry has the same path; the last one is compared.
    Duplicate,
    /// Another path, or the path of another folder, differs in upper and lower case alone, or in
    /// how its accents are written.
    CaseTwin,
    /// The path goes through a file.
    BelowFile,
    /// The path goes through a link, so that its place is wherever the link leads.
    ThroughLink,
    /// The entry is outside of the folder that holds the rest of the package.
    OutsideFolder,
    /// The link leads out of the root.
    LinkOutside,
    /// The hard link names a symbolic link.
    HardLinkToLink,
    /// The hard link names nothing that came before, or nothing with content.
    BrokenHardLink,
    /// A device, a named pipe or another thing that a package has no use for.
    Device,
    /// A type that this reader doesn't know; most take it for a file.
    UnknownType,
    /// Runs as its owner or its group (set-user-id, set-group-id).
    SetId,
    /// The headers of the entry contradict one another.
    HeaderMismatch,
    /// A link, directory or device that claims to have content, which readers skip or don't.
    ContentOnNonFile,
    /// A file with holes, which are zeros as when it is unpacked; without a map of them the content is
    /// what is stored.
    Sparse,
    /// The content is encrypted, and is not read.
    Encrypted,
    /// The content is compressed in a way that is not read here.
    UnknownMethod,
    /// Its bytes in the archive are also those of another entry, or of the central directory.
    Overlaps,
    /// Bytes follow in the entry that its decoder never reads.
    Slack,
}

impl Flag {
    /// The name in the wire format.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AbsoluteName => "absolute_name",
            Self::LeavesRoot => "leaves_root",
            Self::ParentStep => "parent_step",
            Self::EmptyName => "empty_name",
            Self::NulInName => "nul_in_name",
            Self::NotUtf8 => "not_utf8",
            Self::Backslash => "backslash",
            Self::WindowsName => "windows_name",
            Self::ControlCharacter => "control_character",
            Self::TooDeep => "too_deep",
            Self::Duplicate => "duplicate",
            Self::CaseTwin => "case_twin",
            Self::BelowFile => "below_file",
            Self::ThroughLink => "through_link",
            Self::OutsideFolder => "outside_folder",
            Self::LinkOutside => "link_outside",
            Self::HardLinkToLink => "hard_link_to_link",
            Self::BrokenHardLink => "broken_hard_link",
            Self::Device => "device",
            Self::UnknownType => "unknown_type",
            Self::SetId => "set_id",
            Self::HeaderMismatch => "header_mismatch",
            Self::ContentOnNonFile => "content_on_non_file",
            Self::Sparse => "sparse",
            Self::Encrypted => "encrypted",
            Self::UnknownMethod => "unknown_method",
            Self::Overlaps => "overlaps",
            Self::Slack => "slack",
        }
    }
}

/// One entry of an archive, as it stands there.
#[derive(Clone)]
pub struct Entry {
    /// What is compared: the name without `./`, and without the folder that changes its name with
    /// every version. Of an entry that no tree can hold, the name.
    pub path: BString,
    /// The bytes of the name in the archive.
    pub name: BString,
    /// The member that the entry is within, such as a gem's `data.tar.gz`.
    pub within: Option<BString>,
    /// What the entry is.
    pub kind: EntryKind,
    /// The bytes of a file, or of the file that a hard link names; `None` where there are none or
    /// they can't be read.
    pub content: Option<Arc<Vec<u8>>>,
    /// As what the entry is compared; `None` where it is not, and only listed.
    pub compared: Option<Mode>,
    /// Sorted, each once.
    pub flags: Vec<Flag>,
    /// The mode of the file that a hard link names.
    pub(crate) hard_mode: Option<Mode>,
}

impl Entry {
    pub(crate) fn new(name: BString, kind: EntryKind) -> Self {
        Self {
            path: BString::default(),
            name,
            within: None,
            kind,
            content: None,
            compared: None,
            flags: Vec::new(),
            hard_mode: None,
        }
    }

    /// Whether the entry has this flag.
    pub fn has(&self, flag: Flag) -> bool {
        self.flags.contains(&flag)
    }

    pub(crate) fn flag(&mut self, flag: Flag) {
        if let Err(at) = self.flags.binary_search(&flag) {
            self.flags.insert(at, flag);
        }
    }

    /// As what a tree can hold the entry, were its path no hindrance.
    pub(crate) fn mode(&self) -> Option<Mode> {
        match &self.kind {
            EntryKind::File => self.content.as_ref().map(|_| Mode::File),
            EntryKind::Executable => self.content.as_ref().map(|_| Mode::Executable),
            // The target of a link in a zip is its content, which may be out of reach.
            EntryKind::Link { .. } if self.has(Flag::Encrypted) || self.has(Flag::UnknownMethod) => None,
            EntryKind::Link { .. } => Some(Mode::Link),
            EntryKind::HardLink { .. } => self.hard_mode,
            // What some readers make a file of.
            EntryKind::Fifo | EntryKind::Other { .. } => self.content.as_ref().map(|_| Mode::File),
            EntryKind::Directory | EntryKind::CharacterDevice { .. } | EntryKind::BlockDevice { .. } => None,
        }
    }

    /// What is compared: content, or the target of a link.
    pub fn bytes(&self) -> Option<&[u8]> {
        match (&self.kind, &self.content) {
            (EntryKind::Link { target }, _) => Some(target),
            (_, Some(content)) => Some(content),
            (_, None) => None,
        }
    }
}

impl fmt::Debug for Entry {
    /// Without the content, which must never reach a log by way of a debug print.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.bytes().map_or(0, <[u8]>::len);
        write!(formatter, "{:?} {:?} ({size} bytes) {:?}", self.kind, self.name, self.flags)
    }
}
