//! The renames that `git diff -M` finds: the same pairs, with the same similarity.
//!
//! Three passes over deleted and added files, both in the order of their paths' components:
//!
//! 1. *The same content.* Each added file takes a deleted one, of its own name where there is one.
//! 2. *A name that only one deleted and one added file has.* They pair if three quarters stayed.
//! 3. *All with all,* as long as these are not too many: of each added file the four most similar
//!    deleted ones are candidates, and the most similar of all candidates pair first.

use std::collections::{BTreeMap, VecDeque};

use bstr::{BStr, ByteSlice};

use super::chunks::{Chunks, HASHES};
use super::rewrites::{Candidate, apply, name};
use super::{Change, ChangeKind, RewriteOptions, Rewrites, by_components};
use crate::snapshot::{ContentId, Mode, ReadError, Snapshot};

/// The similarity of equal contents; git reckons in this unit.
const WHOLE: u64 = 60_000;

/// How many deleted files are remembered for each added one.
const CANDIDATES: usize = 4;

/// How many files of the same content are looked at for one of the same name.
const SAME_LOOKED_AT: usize = 100;

/// Turn deletions and additions that belong together into rewrites.
pub(super) fn find(
    old: &dyn Snapshot,
    new: &dyn Snapshot,
    options: &RewriteOptions,
    changes: &mut Vec<Change>,
) -> Result<Rewrites, ReadError> {
    let mut search = Search::new(changes);
    if !search.deleted.is_empty() && !search.added.is_empty() {
        search.pair_same_content();
        if let Some(percent) = options.similarity {
            let least = u64::from(percent) * WHOLE / 100;
            search.forget_paired();
            search.pair_unique_names(old, new, least + (WHOLE - least) / 2)?;
            search.forget_paired();
            search.pair_most_similar(old, new, least, options.comparisons)?;
        }
    }
    let Search { pairs, outcome, .. } = search;
    apply(changes, &pairs);
    Ok(outcome)
}

/// One half of a rewrite, maybe.
struct Half<'c> {
    candidate: Candidate,
    path: &'c BStr,
    is_paired: bool,
    chunks: Option<Chunks>,
}

impl Half<'_> {
    fn chunks(&mut self, snapshot: &dyn Snapshot) -> Result<&Chunks, ReadError> {
        if self.chunks.is_none() {
            let content = snapshot.blob(self.path, &self.candidate.state.id)?;
            self.chunks = Some(Chunks::of(&content));
        }
        Ok(self.chunks.get_or_insert_with(|| Chunks::of(b"")))
    }

    fn is_file(&self) -> bool {
        self.candidate.state.mode.is_file()
    }
}

struct Search<'c> {
    deleted: Vec<Half<'c>>,
    added: Vec<Half<'c>>,
    /// deletion → (addition, percent)
    pairs: BTreeMap<usize, (usize, u8)>,
    outcome: Rewrites,
}

impl<'c> Search<'c> {
    fn new(changes: &'c [Change]) -> Self {
        let halves = |of_kind: fn(&ChangeKind) -> Option<super::State>| {
            let mut halves: Vec<Half<'c>> = changes
                .iter()
                .enumerate()
                .filter_map(|(index, change)| {
                    let candidate = Candidate { index, state: of_kind(&change.kind)? };
                    Some(Half { candidate, path: change.path.as_bstr(), is_paired: false, chunks: None })
                })
                .collect();
            halves.sort_by(|a, b| by_components(a.path, b.path));
            halves
        };
        let deleted = halves(|kind| match kind {
            ChangeKind::Deletion(state) => Some(*state),
            _ => None,
        });
        let added = halves(|kind| match kind {
            ChangeKind::Addition(state) => Some(*state),
            _ => None,
        });
        Self { deleted, added, pairs: BTreeMap::new(), outcome: Rewrites::default() }
    }

    fn pair(&mut self, source: usize, target: usize, percent: u8) {
        let (source, target) = (&mut self.deleted[source], &mut self.added[target]);
        (source.is_paired, target.is_paired) = (true, true);
        self.pairs.insert(source.candidate.index, (target.candidate.index, percent));
    }

    fn forget_paired(&mut self) {
        self.deleted.retain(|half| !half.is_paired);
        self.added.retain(|half| !half.is_paired);
    }

    fn pair_same_content(&mut self) {
        let mut by_content: BTreeMap<ContentId, VecDeque<usize>> = BTreeMap::new();
        for (number, half) in self.deleted.iter().enumerate() {
            by_content.entry(half.candidate.state.id).or_default().push_back(number);
        }
        for target in 0..self.added.len() {
            let half = &self.added[target];
            let Some(sources) = by_content.get_mut(&half.candidate.state.id) else { continue };
            let may_pair =
                |number: &usize| fits(self.deleted[*number].candidate.state.mode, half.candidate.state.mode);
            let same_name = |number: &usize| name(self.deleted[*number].path) == name(half.path);
            let fitting = || {
                let fits = sources.iter().enumerate().filter(|(_, number)| may_pair(number));
                fits.take(SAME_LOOKED_AT)
            };
            let first = fitting().find(|(_, number)| same_name(number)).or_else(|| fitting().next());
            if let Some(source) = first.map(|(at, _)| at).and_then(|at| sources.remove(at)) {
                self.pair(source, target, 100);
                self.outcome.exact += 1;
            }
        }
    }

    fn pair_unique_names(
        &mut self,
        old: &dyn Snapshot,
        new: &dyn Snapshot,
        least: u64,
    ) -> Result<(), ReadError> {
        let (sources, targets) = (unique_names(&self.deleted), unique_names(&self.added));
        let mut found = Vec::new();
        for (source_name, source) in &sources {
            if let (Some(source), Some(Some(target))) = (source, targets.get(source_name)) {
                found.push((*source, *target));
            }
        }
        for (source, target) in found {
            let (from, to) = (&mut self.deleted[source], &mut self.added[target]);
            if !from.is_file() || !to.is_file() {
                continue;
            }
            let (from, to) = (from.chunks(old)?, to.chunks(new)?);
            let score = if may_be_similar(from, to, least) { score(from.common(to), from, to) } else { 0 };
            if score >= least {
                self.pair(source, target, percent(score));
                self.outcome.similar += 1;
            }
        }
        Ok(())
    }

    fn pair_most_similar(
        &mut self,
        old: &dyn Snapshot,
        new: &dyn Snapshot,
        least: u64,
        comparisons: usize,
    ) -> Result<(), ReadError> {
        let count = self.deleted.len().saturating_mul(self.added.len());
        if count > comparisons {
            self.outcome.not_compared += count;
            return Ok(());
        }
        if count == 0 {
            return Ok(());
        }
        for half in self.deleted.iter_mut().filter(|half| half.is_file()) {
            half.chunks(old)?;
        }
        let standing = Standing::new(&self.deleted);
        let mut candidates = Vec::new();
        let mut common = vec![0_u64; self.deleted.len()];
        for target in 0..self.added.len() {
            let is_file = self.added[target].is_file();
            let path = self.added[target].path;
            let mut best = Best::default();
            if is_file {
                let chunks = self.added[target].chunks(new)?;
                standing.common(chunks, &mut common);
                for (source, half) in self.deleted.iter().enumerate() {
                    let score = match &half.chunks {
                        Some(from) if half.is_file() && may_be_similar(from, chunks, least) => {
                            score(common[source], from, chunks)
                        }
                        _ => 0,
                    };
                    best.take_in(Pair { score, same_name: name(half.path) == name(path), source, target });
                }
            }
            self.added[target].chunks = None;
            candidates.extend(best.into_iter().filter(|pair| pair.score >= least));
        }
        // Stable: among equals those of the first added file.
        candidates.sort_by_key(|pair| std::cmp::Reverse(pair.rank()));
        for Pair { score, source, target, .. } in candidates {
            if !self.deleted[source].is_paired && !self.added[target].is_paired {
                self.pair(source, target, percent(score));
                self.outcome.similar += 1;
            }
        }
        Ok(())
    }
}

/// Of the same content, files pair with files, and what is none with its own kind.
fn fits(from: Mode, to: Mode) -> bool {
    (from.is_file() && to.is_file()) || from == to
}

/// Names, and the one half that has it; `None` where there are more.
fn unique_names<'c>(halves: &[Half<'c>]) -> BTreeMap<&'c [u8], Option<usize>> {
    let mut names = BTreeMap::new();
    for (number, half) in halves.iter().enumerate() {
        names.entry(name(half.path)).and_modify(|known| *known = None).or_insert(Some(number));
    }
    names
}

/// Whether the sizes alone leave that much in common.
fn may_be_similar(from: &Chunks, to: &Chunks, least: u64) -> bool {
    let (larger, smaller) = (from.size.max(to.size), from.size.min(to.size));
    larger * (WHOLE - least) >= (larger - smaller) * WHOLE
}

fn score(common: u64, from: &Chunks, to: &Chunks) -> u64 {
    common * WHOLE / from.size.max(to.size).max(1)
}

/// The very same content alone is 100.
fn percent(score: u64) -> u8 {
    u8::try_from(score * 100 / WHOLE).unwrap_or(100).min(99)
}

/// In which deleted files a chunk stands: for each hash the files and how many bytes of it they have.
struct Standing {
    /// Where the files of a hash start.
    starts: Vec<u32>,
    files: Vec<(u32, u32)>,
}

impl Standing {
    fn new(halves: &[Half<'_>]) -> Self {
        let chunks = || {
            halves.iter().enumerate().flat_map(|(number, half)| {
                let chunks = half.chunks.iter().flat_map(|chunks| &chunks.bytes_by_hash);
                chunks.map(move |&(hash, bytes)| (hash as usize, number as u32, bytes))
            })
        };
        let mut starts = vec![0_u32; HASHES + 1];
        for (hash, ..) in chunks() {
            starts[hash + 1] += 1;
        }
        for hash in 0..HASHES {
            starts[hash + 1] += starts[hash];
        }
        let mut next = starts.clone();
        let mut files = vec![(0, 0); starts[HASHES] as usize];
        for (hash, number, bytes) in chunks() {
            files[next[hash] as usize] = (number, bytes);
            next[hash] += 1;
        }
        Self { starts, files }
    }

    /// How many bytes a content has in common with each of the files.
    fn common(&self, chunks: &Chunks, common: &mut [u64]) {
        common.fill(0);
        for &(hash, bytes) in &chunks.bytes_by_hash {
            let (start, end) = (self.starts[hash as usize], self.starts[hash as usize + 1]);
            for &(number, there) in &self.files[start as usize..end as usize] {
                common[number as usize] += u64::from(bytes.min(there));
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Pair {
    score: u64,
    same_name: bool,
    source: usize,
    target: usize,
}

impl Pair {
    fn rank(&self) -> (u64, bool) {
        (self.score, self.same_name)
    }
}

/// The best sources of one target. A better one takes the place of the first of the worst.
#[derive(Default)]
struct Best {
    pairs: [Option<Pair>; CANDIDATES],
}

impl Best {
    fn take_in(&mut self, pair: Pair) {
        let rank = |pair: &Option<Pair>| pair.as_ref().map(Pair::rank);
        let mut worst = 0;
        for at in 1..CANDIDATES {
            if rank(&self.pairs[at]) < rank(&self.pairs[worst]) {
                worst = at;
            }
        }
        if rank(&self.pairs[worst]) < Some(pair.rank()) {
            self.pairs[worst] = Some(pair);
        }
    }

    fn into_iter(self) -> impl Iterator<Item = Pair> {
        self.pairs.into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::super::{Options, between};
    use super::*;
    use crate::snapshot::{Mapping, MappingEntry};

    fn lines(numbers: std::ops::Range<usize>) -> String {
        numbers.fold(String::new(), |text, number| text + &format!("line {number}\n"))
    }

    fn renames(
        old: &[(&str, String)],
        new: &[(&str, String)],
        comparisons: usize,
    ) -> (Vec<String>, Rewrites) {
        let mapping = |files: &[(&str, String)]| {
            let entries = files.iter().map(|(path, content)| MappingEntry {
                path: Cow::Owned((*path).into()),
                mode: Mode::File,
                content: Cow::Owned(content.clone().into_bytes()),
            });
            Mapping::new(entries.collect()).expect("valid paths")
        };
        let rewrites = Some(RewriteOptions { comparisons, ..RewriteOptions::as_git() });
        let options = Options { rewrites, ..Options::default() };
        let delta = between(&mapping(old), &mapping(new), &options).expect("can be read");
        let pairs = delta.changes.iter().filter_map(|change| match &change.kind {
            ChangeKind::Rewrite { old_path, similarity, .. } => {
                Some(format!("{old_path} {} {similarity}", change.path))
            }
            _ => None,
        });
        (pairs.collect(), delta.rewrites.unwrap_or_default())
    }

    #[test]
    fn names_count_only_where_contents_tie() {
        let old = [("a/x", lines(0..20)), ("b/y", lines(0..20)), ("c/z", lines(20..60))];
        let new = [("n/y", lines(0..20)), ("n/other", lines(20..55))];
        let (pairs, outcome) = renames(&old, &new, 1_000);
        assert_eq!(pairs, ["c/z n/other 87", "b/y n/y 100"]);
        assert_eq!(outcome, Rewrites { exact: 1, similar: 1, not_compared: 0 });
    }

    #[test]
    fn too_many_pairs_are_counted_and_not_compared() {
        let old = [("a/x", lines(0..20)), ("a/same", lines(30..50))];
        let new = [("b/y", lines(0..19)), ("b/same", lines(30..49))];
        let (pairs, outcome) = renames(&old, &new, 0);
        // A name that no other has is looked at all the same.
        assert_eq!(pairs, ["a/same b/same 95"]);
        assert_eq!(outcome.not_compared, 1);
    }

    #[test]
    fn all_empty_files_are_the_same() {
        let (pairs, _) = renames(&[("a", String::new())], &[("b", String::new())], 1_000);
        assert_eq!(pairs, ["a b 100"]);
    }
}
