//! What is said about one version, as one line of JSON.

use std::borrow::Cow;

use versiondiff_engine::delta::{self, Scope};
use versiondiff_engine::format::Format;
use versiondiff_engine::record;
use versiondiff_engine::secrets::Rules;
use versiondiff_engine::snapshot::{ContentId, Empty, ReadError, Snapshot};
use versiondiff_engine::version_diff;
use versiondiff_engine::wire::{write_lossy_string, write_string};

use crate::Error;
use crate::commit::{Commit, write_unreadable_json};
use crate::history::Parents;
use crate::repository::Handle;
use crate::revision::Range;
use crate::scan;
use crate::snapshot::GitSnapshot;

/// What to say about each version.
#[derive(Clone, Debug)]
pub enum Job {
    /// The version alone (`Version`).
    Versions {
        /// Versions that touch nothing of this are left out.
        scope: Scope,
    },
    /// What it changed (`VersionDelta`).
    Deltas {
        /// What to compare; versions that touch nothing of the scope are left out.
        options: delta::Options,
    },
    /// What is said of its changes (`VersionRecord`).
    Records {
        /// What paths mean.
        format: Format,
        /// Only this is looked at; versions that touch nothing of it are left out.
        scope: Scope,
    },
    /// The text of its changes (`HistoryDiff`).
    Diffs {
        /// What may be seen.
        format: Format,
        /// How the text is made; versions that touch nothing of its scope are left out.
        options: Box<version_diff::Options>,
    },
    /// Where the secrets are in the files that it brought or changed, and in its message
    /// (`VersionFindings`); versions without one are left out. What is said holds none of them.
    Scan {
        /// What recognises them.
        rules: Rules,
        /// Only files of this are looked at, and messages of all versions.
        scope: Scope,
        /// Where all parents are followed, of a merge only those files count that none of its
        /// parents holds as they are: the others are what their own versions brought.
        parents: Parents,
    },
}

/// What a worker keeps from one version for the next. What is said never depends on it.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    records: record::Memory,
    diffs: version_diff::Memory,
}

/// A version and what it is compared with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    pub(crate) id: ContentId,
    pub(crate) shallow: bool,
    pub(crate) commit: &'a Commit<'a>,
    /// The tree of the parent, where there is one.
    pub(crate) old_tree: Option<ContentId>,
}

impl Job {
    /// Append the line of a version, with its line feed; nothing where it is left out.
    pub(crate) fn write(
        &self,
        handle: &Handle,
        subject: &Subject<'_>,
        memory: &mut Memory,
        out: &mut Vec<u8>,
    ) {
        let start = out.len();
        if let Err(error) = self.try_write(handle, subject, memory, out) {
            out.truncate(start);
            self.write_error(&subject.id, subject.shallow, Some(subject.commit), &error, out);
        }
    }

    /// As [`write`](Self::write), with what goes wrong for the caller to say.
    pub(crate) fn try_write(
        &self,
        handle: &Handle,
        subject: &Subject<'_>,
        memory: &mut Memory,
        out: &mut Vec<u8>,
    ) -> Result<(), version_diff::Error> {
        let start = out.len();
        self.open(out);
        self.write_version(subject.commit, &subject.id, subject.shallow, out);
        let old = subject.old_tree.map(|tree| GitSnapshot::new(handle, tree));
        let old: &dyn Snapshot = old.as_ref().map_or(&Empty, |old| old);
        let new = GitSnapshot::new(handle, subject.commit.tree);
        if self.say(handle, subject, [old, &new], memory, out)? {
            self.close(out);
        } else {
            out.truncate(start);
        }
        Ok(())
    }

    /// Append the line of a version that can't be compared, with its line feed.
    ///
    /// `commit` is `None` where the commit itself can't be read.
    pub(crate) fn write_error(
        &self,
        id: &ContentId,
        shallow: bool,
        commit: Option<&Commit<'_>>,
        error: &version_diff::Error,
        out: &mut Vec<u8>,
    ) {
        self.open(out);
        match commit {
            Some(commit) => self.write_version(commit, id, shallow, out),
            None => write_unreadable_json(id, out),
        }
        self.close_with(error, out);
    }

    fn write_version(&self, commit: &Commit<'_>, id: &ContentId, shallow: bool, out: &mut Vec<u8>) {
        match self.rules() {
            // Nearly all hold none, and one look at the whole is cheaper than one at each part.
            Some(rules) if commit.is_plain(rules) => commit.write_json(id, shallow, out),
            Some(rules) => commit.write_json_shown(id, shallow, &|text| rules.hide(text), out),
            None => commit.write_json(id, shallow, out),
        }
    }

    fn open(&self, out: &mut Vec<u8>) {
        if !matches!(self, Self::Versions { .. }) {
            out.extend_from_slice(b"{\"version\":");
        }
    }

    fn close(&self, out: &mut Vec<u8>) {
        if !matches!(self, Self::Versions { .. }) {
            out.push(b'}');
        }
        out.push(b'\n');
    }

    fn close_with(&self, error: &version_diff::Error, out: &mut Vec<u8>) {
        // A list of versions has no place for an error: what can be said is said.
        if !matches!(self, Self::Versions { .. }) {
            out.extend_from_slice(b",\"error\":");
            write_failure(error, self.rules(), out);
        }
        self.close(out);
    }

    /// What counts as a secret, where nothing that is said may hold one: messages and names neither.
    fn rules(&self) -> Option<&Rules> {
        match self {
            Self::Scan { rules, .. } => Some(rules),
            Self::Diffs { options, .. } => Some(&options.rules),
            Self::Versions { .. } | Self::Deltas { .. } | Self::Records { .. } => None,
        }
    }

    /// Append what is said of the changes; false leaves the version out.
    fn say(
        &self,
        handle: &Handle,
        subject: &Subject<'_>,
        [old, new]: [&dyn Snapshot; 2],
        memory: &mut Memory,
        out: &mut Vec<u8>,
    ) -> Result<bool, version_diff::Error> {
        match self {
            Self::Versions { scope } => Ok(touches(old, new, scope)?),
            Self::Deltas { options } => {
                let delta = delta::between(old, new, options)?;
                if delta.changes.is_empty() && !options.scope.is_everything() {
                    return Ok(false);
                }
                out.extend_from_slice(b",\"delta\":");
                delta.write_json(out);
                Ok(true)
            }
            Self::Records { format, scope } => {
                if !touches(old, new, scope)? {
                    return Ok(false);
                }
                let record = record::between(old, new, format, scope, &mut memory.records)?;
                out.extend_from_slice(b",\"record\":");
                record.write_json(out);
                Ok(true)
            }
            Self::Diffs { format, options } => {
                if !touches(old, new, &options.scope)? {
                    return Ok(false);
                }
                let diff = version_diff::between(old, new, format, options, &mut memory.diffs)?;
                out.extend_from_slice(b",\"diff\":");
                diff.write_json(out);
                Ok(true)
            }
            Self::Scan { rules, scope, parents } => {
                let others = match parents {
                    Parents::First => Vec::new(),
                    Parents::All => scan::other_parents(handle, subject),
                };
                Ok(scan::write(rules, scope, subject.commit, [old, new], &others, out)?)
            }
        }
    }
}

fn touches(old: &dyn Snapshot, new: &dyn Snapshot, scope: &Scope) -> Result<bool, ReadError> {
    if scope.is_everything() {
        return Ok(true);
    }
    let options = delta::Options { scope: scope.clone(), rewrites: None };
    Ok(!delta::between(old, new, &options)?.changes.is_empty())
}

/// Append an error; with rules, a path in it shows no secret.
pub(crate) fn write_failure(error: &version_diff::Error, rules: Option<&Rules>, out: &mut Vec<u8>) {
    use version_diff::Error::{Read, Secret};
    out.extend_from_slice(match error {
        Read(ReadError::Missing { .. }) => b"{\"code\":\"missing\",\"message\":",
        Read(ReadError::Corrupt { .. }) => b"{\"code\":\"corrupt\",\"message\":".as_slice(),
        Read(ReadError::Limit { .. }) => b"{\"code\":\"limit\",\"message\":",
        Read(ReadError::Source { .. }) => b"{\"code\":\"source\",\"message\":",
        Secret(..) => b"{\"code\":\"secret\",\"message\":",
    });
    let message = error.to_string();
    match rules {
        Some(rules) => write_lossy_string(out, &rules.hide(Cow::Borrowed(message.as_bytes()))),
        None => write_string(out, &message),
    }
    out.push(b'}');
}

/// How many versions before the newest are looked at where that one has nothing to go by.
const EARLIER: usize = 64;

/// The built-in format that fits the newest version of a range, or else the last one before it that
/// any fits: what was deleted tells what the files were.
///
/// # Errors
/// [`Error::NoFormat`] where none does; [`Error::Read`] where the newest version can't be read.
pub fn detect_format(handle: &Handle, range: &Range) -> Result<Option<Format>, Error> {
    let Some(tip) = range.tips.first() else { return Ok(None) };
    let mut raw = Vec::new();
    let mut looked_at = None;
    let mut next = Some(*tip);
    for _ in 0..=EARLIER {
        let Some(id) = next else { break };
        match handle.commit(&id, &mut raw) {
            // Of a shallow clone; or an object is missing that nothing asked for.
            Err(_) if id != *tip => break,
            read => read?,
        }
        let commit = Commit::parse(&raw, &id)?;
        if looked_at != Some(commit.tree) {
            match Format::detect(&GitSnapshot::new(handle, commit.tree)) {
                Ok(Some(format)) => return Ok(Some(format)),
                Err(_) if id != *tip => break,
                found => found?,
            };
        }
        looked_at = Some(commit.tree);
        next = commit.parents().next();
    }
    Err(Error::NoFormat)
}
