//! What a version diff is made of.

use std::collections::BTreeMap;
use std::fmt;

use crate::secrets::Location;
use crate::snapshot::Mode;

/// The text of a change, and what is to be known of it.
#[derive(Clone, PartialEq, Eq)]
pub struct VersionDiff {
    /// The name of the format that said what may be seen.
    pub format: String,
    /// The text: UTF-8, within both limits, without secrets. Empty where nothing that may be seen
    /// changed.
    pub text: String,
    /// Every changed file that may be seen, sorted by path, whether the text has room for it or not.
    pub files: Vec<FileDiff>,
    /// The secrets that were found in those files, in the order of the files.
    pub findings: Vec<FoundSecret>,
    /// What was cut and left out.
    pub outcome: Outcome,
}

impl fmt::Debug for VersionDiff {
    /// Without the text, which is long, and meant for one reader.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("VersionDiff")
            .field("format", &self.format)
            .field("text", &format_args!("{} bytes", self.text.len()))
            .field("files", &self.files)
            .field("findings", &self.findings)
            .field("outcome", &self.outcome)
            .finish()
    }
}

/// What happened to a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// It is new.
    Added,
    /// It is gone.
    Deleted,
    /// Its content, its mode or both changed.
    Modified,
    /// It has another path.
    Renamed,
}

/// How much of a file's change the text shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// All of it, every line as it is: `git apply` takes it.
    Exact,
    /// All of it, but for secrets, for characters that are not shown as they are, and for what a
    /// format compares in another form than it is written in.
    Whole,
    /// A part: long lines show what changed in them, or lines are missing, with marks where.
    Cut,
    /// The header alone.
    Header,
    /// Nothing: there was no room. It is counted in the closing line.
    Nothing,
}

/// As what a file is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compared {
    /// Lines of text, as they are written.
    Text,
    /// Lines of the canonical form of JSON.
    CanonicalJson,
    /// Text with too many lines for that: what lies between the lines that are equal at both ends
    /// counts as one change.
    Coarsely,
    /// A NUL is among the first 8,000 bytes, as git tells binary files; nothing of it is shown.
    Binary,
    /// A link to something that may not be seen; its target is not shown.
    HiddenLink,
    /// Larger than 64 MiB, or than its source reads; there are no counts.
    TooLarge,
}

/// A changed file that may be seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileDiff {
    /// What happened.
    pub status: Status,
    /// The path, of a deleted file the old one; secrets in it are hidden.
    pub path: String,
    /// Of a renamed file where it was.
    pub old_path: Option<String>,
    /// What stood there.
    pub old_mode: Option<Mode>,
    /// What stands there.
    pub new_mode: Option<Mode>,
    /// How many lines came, in all, whatever is shown.
    pub added: usize,
    /// How many lines went, in all, whatever is shown.
    pub removed: usize,
    /// How much is shown.
    pub extent: Extent,
    /// How many bytes of the text are about it.
    pub bytes: usize,
    /// As what it was compared.
    pub compared: Compared,
}

/// The side of a change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Side {
    /// The old version.
    Old,
    /// The new version.
    New,
}

/// A secret that was found: the rule and the place, never text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundSecret {
    /// The name of the rule.
    pub rule: String,
    /// The path of the file; secrets in it are hidden.
    pub path: String,
    /// The side on which it stands.
    pub side: Side,
    /// Where in the file, as it is written; line 0 is the path itself.
    pub location: Location,
}

/// Changed files that are no part of the text, by reason. They are counted, never named.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LeftOut {
    /// Their path is not one that the format allows.
    pub not_allowed: usize,
    /// They are commits of other repositories.
    pub submodules: usize,
    /// They are written differently and mean the same.
    pub format_only: usize,
}

/// What was cut, left out and found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// Changed files that are no part of the text.
    pub left_out: LeftOut,
    /// Files of which a part, or the header alone, is shown for want of room.
    pub cut: usize,
    /// Files for which there was no room at all.
    pub no_room: usize,
    /// Secrets found, by the name of the rule.
    pub secrets: BTreeMap<String, usize>,
    /// Files whose text was taken back since the finished text, read as a whole, looked as if it
    /// held a secret.
    pub taken_back: usize,
}
