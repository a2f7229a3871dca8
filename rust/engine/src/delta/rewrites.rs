//! Pairing deletions with additions: the same content, or much of it, at another path.
//!
//! [`Search::AsGit`] is in `renames_as_git.rs`. [`Search::SameName`] has two passes, each independent
//! of the order in which paths came in:
//!
//! 1. *The same content.* Among paths of one content, those with the same name pair first, then
//!    in the order of their paths.
//! 2. *The same name and similar content*, where that is asked for: each deleted file is compared
//!    with the added ones of its name, and the most similar pairs are taken first. Both the
//!    number of comparisons and the size of a file are limited; what a limit cut is reported.

use std::collections::{BTreeMap, BTreeSet};

use bstr::{BStr, ByteSlice};

use super::renames_as_git;
use super::{Change, ChangeKind, State};
use crate::snapshot::{ContentId, Mode, ReadError, Snapshot};

/// Which files may be one file under another path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Search {
    /// Of similar files those with the same name.
    #[default]
    SameName,
    /// All that `git diff -M` pairs, and no other.
    AsGit,
}

/// How to look for rewrites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RewriteOptions {
    /// Which files may pair.
    pub search: Search,
    /// The least similarity, in percent, of a rewrite whose content changed; `None` takes only
    /// the very same content.
    pub similarity: Option<u8>,
    /// How many pairs of files may be compared.
    pub comparisons: usize,
    /// Files larger than this, in bytes, are not compared.
    pub file_size: usize,
}

impl Default for RewriteOptions {
    /// Half of the content has to stay, as in git; 1,000 comparisons of at most 1 MiB.
    fn default() -> Self {
        Self { search: Search::SameName, similarity: Some(50), comparisons: 1_000, file_size: 1 << 20 }
    }
}

impl RewriteOptions {
    /// As `git diff -M` without a configuration: 1,000 deleted files are compared with as many added
    /// ones, of any size.
    pub fn as_git() -> Self {
        Self { search: Search::AsGit, similarity: Some(50), comparisons: 1_000_000, file_size: usize::MAX }
    }
}

/// What the search for rewrites did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Rewrites {
    /// Pairs of the very same content.
    pub exact: usize,
    /// Pairs of similar content.
    pub similar: usize,
    /// Comparisons that a limit kept from being made: some rewrites may read as a deletion and
    /// an addition.
    pub not_compared: usize,
}

/// A change that may be half of a rewrite.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub(super) index: usize,
    pub(super) state: State,
}

/// Turn deletions and additions that belong together into rewrites.
pub(crate) fn find(
    old: &dyn Snapshot,
    new: &dyn Snapshot,
    options: &RewriteOptions,
    changes: &mut Vec<Change>,
) -> Result<Rewrites, ReadError> {
    if options.search == Search::AsGit {
        return renames_as_git::find(old, new, options, changes);
    }
    let mut outcome = Rewrites::default();
    let mut deleted = Vec::new();
    let mut added = Vec::new();
    for (index, change) in changes.iter().enumerate() {
        match change.kind {
            // A submodule's content is not here, and all empty files are alike.
            ChangeKind::Deletion(state) if may_move(state) => deleted.push(Candidate { index, state }),
            ChangeKind::Addition(state) if may_move(state) => added.push(Candidate { index, state }),
            _ => {}
        }
    }
    if deleted.is_empty() || added.is_empty() {
        return Ok(outcome);
    }
    // deletion -> (addition, similarity)
    let mut pairs: BTreeMap<usize, (usize, u8)> = BTreeMap::new();
    let mut taken = BTreeSet::new();

    let mut by_content: BTreeMap<(ContentId, bool), (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    for candidate in &deleted {
        by_content.entry(content_key(candidate)).or_default().0.push(candidate.index);
    }
    for candidate in &added {
        by_content.entry(content_key(candidate)).or_default().1.push(candidate.index);
    }
    for (from, to) in by_content.values() {
        for same_name_only in [true, false] {
            for &source in from {
                if pairs.contains_key(&source) {
                    continue;
                }
                let target = to.iter().copied().find(|target| {
                    !taken.contains(target)
                        && (!same_name_only
                            || name(changes[*target].path.as_bstr()) == name(changes[source].path.as_bstr()))
                });
                if let Some(target) = target {
                    taken.insert(target);
                    pairs.insert(source, (target, 100));
                    outcome.exact += 1;
                }
            }
        }
    }

    if let Some(least) = options.similarity {
        let scored =
            similar_pairs(old, new, options, changes, &deleted, &added, &pairs, &taken, &mut outcome)?;
        for (similarity, source, target) in scored {
            if similarity >= least && !pairs.contains_key(&source) && taken.insert(target) {
                pairs.insert(source, (target, similarity));
                outcome.similar += 1;
            }
        }
    }
    apply(changes, &pairs);
    Ok(outcome)
}

fn may_move(state: State) -> bool {
    state.mode != Mode::Submodule && state.id != ContentId::EMPTY_BLOB
}

/// Links pair with links only.
fn content_key(candidate: &Candidate) -> (ContentId, bool) {
    (candidate.state.id, candidate.state.mode.is_file())
}

/// The last component of a path.
#[inline]
pub(super) fn name(path: &BStr) -> &[u8] {
    path.rfind_byte(b'/').map_or(path, |at| path[at + 1..].as_bstr())
}

/// The pairs of one name, the most similar first; ties in the order of their paths.
#[expect(clippy::too_many_arguments, reason = "the second half of `find`, and of nothing else")]
fn similar_pairs(
    old: &dyn Snapshot,
    new: &dyn Snapshot,
    options: &RewriteOptions,
    changes: &[Change],
    deleted: &[Candidate],
    added: &[Candidate],
    pairs: &BTreeMap<usize, (usize, u8)>,
    taken: &BTreeSet<usize>,
    outcome: &mut Rewrites,
) -> Result<Vec<(u8, usize, usize)>, ReadError> {
    let mut by_name: BTreeMap<&[u8], Vec<Candidate>> = BTreeMap::new();
    for candidate in added.iter().filter(|candidate| !taken.contains(&candidate.index)) {
        if candidate.state.mode.is_file() {
            by_name.entry(name(changes[candidate.index].path.as_ref())).or_default().push(*candidate);
        }
    }
    let mut scored = Vec::new();
    let mut left = options.comparisons;
    // The lines of the added files, read once however many deleted ones are held against them.
    let mut read: BTreeMap<usize, Option<Lines>> = BTreeMap::new();
    for source in deleted.iter().filter(|candidate| !pairs.contains_key(&candidate.index)) {
        let source_path = changes[source.index].path.as_bstr();
        let Some(targets) = by_name.get(name(source_path)).filter(|_| source.state.mode.is_file()) else {
            continue;
        };
        let allowed = targets.len().min(left);
        outcome.not_compared += targets.len() - allowed;
        left -= allowed;
        if allowed == 0 {
            continue;
        }
        let Some(source_lines) = Lines::read(old, source_path, &source.state.id, options)? else {
            outcome.not_compared += allowed;
            continue;
        };
        for target in &targets[..allowed] {
            if let std::collections::btree_map::Entry::Vacant(slot) = read.entry(target.index) {
                let path = changes[target.index].path.as_bstr();
                slot.insert(Lines::read(new, path, &target.state.id, options)?);
            }
            match &read[&target.index] {
                Some(lines) => scored.push((source_lines.similarity(lines), source.index, target.index)),
                None => outcome.not_compared += 1,
            }
        }
    }
    scored.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
    Ok(scored)
}

/// A file as a bag of lines: hash of a line → bytes in such lines.
struct Lines {
    bytes_by_line: BTreeMap<u64, usize>,
    total: usize,
}

impl Lines {
    fn read(
        snapshot: &dyn Snapshot,
        path: &BStr,
        id: &ContentId,
        options: &RewriteOptions,
    ) -> Result<Option<Self>, ReadError> {
        let content = snapshot.blob(path, id)?;
        if content.len() > options.file_size {
            return Ok(None);
        }
        let mut bytes_by_line = BTreeMap::new();
        for line in content.split_inclusive(|byte| *byte == b'\n') {
            *bytes_by_line.entry(fnv1a(line)).or_insert(0) += line.len();
        }
        Ok(Some(Self { bytes_by_line, total: content.len() }))
    }

    /// The bytes in common as a share of the larger file, in percent, rounded down.
    fn similarity(&self, other: &Self) -> u8 {
        let common: usize = self
            .bytes_by_line
            .iter()
            .filter_map(|(line, bytes)| other.bytes_by_line.get(line).map(|there| (*bytes).min(*there)))
            .sum();
        u8::try_from(common * 100 / self.total.max(other.total).max(1)).unwrap_or(100).min(99)
    }
}

/// The 64-bit FNV-1a hash: fixed for all time, so that a record never depends on a seed.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Make a rewrite of each pair: deletion → (addition, similarity).
pub(super) fn apply(changes: &mut Vec<Change>, pairs: &BTreeMap<usize, (usize, u8)>) {
    for (&source, &(target, similarity)) in pairs {
        let (ChangeKind::Deletion(old), ChangeKind::Addition(new)) =
            (&changes[source].kind, &changes[target].kind)
        else {
            continue;
        };
        let old_path = changes[source].path.clone();
        changes[target].kind = ChangeKind::Rewrite { old_path, old: *old, new: *new, similarity };
    }
    let mut index = 0;
    changes.retain(|_| {
        index += 1;
        !pairs.contains_key(&(index - 1))
    });
}
