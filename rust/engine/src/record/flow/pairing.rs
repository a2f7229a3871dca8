//! Which node of the new flow is which node of the old one.
//!
//! Ids are `name_N` with the lowest free N, so deleting one node and adding another reuses an id,
//! and pasting a copy renumbers it. Hence content comes before ids:
//!
//! 1. the same id and the same content;
//! 2. the same content under another id, where one of the two ids is not on both sides;
//! 3. the same id, unless what stands there is evidently another node;
//! 4. under another id, round by round: the same content, set or not, where no other node is a
//!    candidate, and the same name with the same neighbours,
//!    or at least one of them.
//!
//! Each step takes what is unambiguous, in the order of the file, so the outcome does not depend
//! on anything but the two flows.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::super::differences;
use super::super::types::{MatchReason, ParameterChangeKind};
use super::graph::Parts;
use super::parameters::{self, Changes, Labels, Place};
use super::values::Meaning;
use crate::format::Aspect;

/// How many pairs of nodes steps 2 and 4 look at.
const COMPARISONS: usize = 10_000;

/// How many rounds step 4 has at the most: each may tell apart the neighbours of what the one
/// before it found.
const ROUNDS: usize = 8;

/// The outcome: indices of old and new nodes.
#[derive(Default)]
pub(super) struct Pairs {
    /// In the order of the old nodes.
    pub(super) same: BTreeMap<usize, (usize, Option<MatchReason>)>,
    /// Nodes that gave way to another one under the same id.
    pub(super) replaced: BTreeMap<usize, usize>,
    /// Pairs that a limit kept from being looked at.
    pub(super) not_compared: usize,
}

/// What nodes under different ids have in common, beside their component and name.
#[derive(Clone, Copy)]
enum Likeness {
    /// The same content, of which something is set.
    Content,
    /// The same content, even where nothing is set.
    NothingSet,
    /// The same neighbours.
    Neighbours,
    /// At least one neighbour.
    ANeighbour,
}

struct Pairing<'p, 'd, 'f> {
    old: &'p Parts<'d>,
    new: &'p Parts<'d>,
    meaning: &'p Meaning<'f>,
    pairs: Pairs,
    /// New nodes that are no other node's any more.
    taken: BTreeSet<usize>,
    /// Those of them that are an old node still, rather than what it gave way to.
    paired: BTreeSet<usize>,
}

pub(super) fn pair<'d>(old: &Parts<'d>, new: &Parts<'d>, meaning: &Meaning<'_>) -> Pairs {
    let (taken, paired) = Default::default();
    let mut pairing = Pairing { old, new, meaning, pairs: Pairs::default(), taken, paired };
    let is_simple = |parts: &Parts<'_>| parts.by_id.values().all(|nodes| nodes.len() == 1);
    if is_simple(old) && is_simple(new) && old.by_id.keys().eq(new.by_id.keys()) {
        // Nothing came, went or was renumbered: nearly every version of nearly every flow.
        pairing.by_id();
    } else {
        pairing.by_id_and_content();
        pairing.renumbered(Likeness::Content);
        pairing.by_id();
        for _ in 0..ROUNDS {
            let found = pairing.renumbered(Likeness::NothingSet);
            if pairing.renumbered(Likeness::Neighbours) + found == 0
                && pairing.renumbered(Likeness::ANeighbour) == 0
            {
                break;
            }
        }
    }
    pairing.pairs
}

impl<'d> Pairing<'_, 'd, '_> {
    fn take(&mut self, old: usize, new: usize, reason: Option<MatchReason>) {
        self.pairs.same.insert(old, (new, reason));
        self.taken.insert(new);
        self.paired.insert(new);
    }

    fn is_free(&self, old: usize) -> bool {
        !self.pairs.same.contains_key(&old) && !self.pairs.replaced.contains_key(&old)
    }

    fn by_id_and_content(&mut self) {
        for (id, olds) in &self.old.by_id {
            let Some(news) = self.new.by_id.get(id) else { continue };
            for &old in olds {
                let found =
                    news.iter().find(|new| !self.taken.contains(new) && self.same_content(old, **new));
                if let Some(&new) = found {
                    self.take(old, new, None);
                }
            }
        }
    }

    fn by_id(&mut self) {
        for (id, olds) in &self.old.by_id {
            let Some(news) = self.new.by_id.get(id) else { continue };
            for &old in olds {
                if !self.is_free(old) {
                    continue;
                }
                let Some(&new) = news.iter().find(|new| !self.taken.contains(new)) else { break };
                if self.is_replacement(old, new) {
                    self.pairs.replaced.insert(old, new);
                    self.taken.insert(new);
                } else {
                    self.take(old, new, None);
                }
            }
        }
    }

    /// Pair what is left under different ids, where old and new are each other's only candidate;
    /// how many pairs that made.
    fn renumbered(&mut self, likeness: Likeness) -> usize {
        let olds: Vec<usize> = (0..self.old.nodes.len()).filter(|old| self.is_free(*old)).collect();
        let news: Vec<usize> = (0..self.new.nodes.len()).filter(|new| !self.taken.contains(new)).collect();
        if olds.len() * news.len() > COMPARISONS {
            self.pairs.not_compared = self.pairs.not_compared.max(olds.len() * news.len());
            return 0;
        }
        let mut candidates: Vec<(usize, usize)> = Vec::new();
        for &old in &olds {
            for &new in &news {
                let (a, b) = (&self.old.nodes[old], &self.new.nodes[new]);
                let one_is_gone = !self.new.by_id.contains_key(&a.id) || !self.old.by_id.contains_key(&b.id);
                if a.component == b.component
                    && a.name == b.name
                    && one_is_gone
                    && self.fits(old, new, likeness)
                {
                    candidates.push((old, new));
                }
            }
        }
        let mut rivals: (BTreeMap<usize, usize>, BTreeMap<usize, usize>) = Default::default();
        for &(old, new) in &candidates {
            *rivals.0.entry(old).or_default() += 1;
            *rivals.1.entry(new).or_default() += 1;
        }
        let reason = match likeness {
            Likeness::Content | Likeness::NothingSet => MatchReason::Content,
            Likeness::Neighbours | Likeness::ANeighbour => MatchReason::Neighbours,
        };
        let mut found = 0;
        for (old, new) in candidates {
            if rivals.0[&old] == 1 && rivals.1[&new] == 1 {
                self.take(old, new, Some(reason));
                found += 1;
            }
        }
        found
    }

    fn fits(&self, old: usize, new: usize, likeness: Likeness) -> bool {
        match likeness {
            Likeness::Content => {
                let side = Place { node: &self.old.nodes[old], parts: self.old };
                parameters::has_content(self.meaning, side) && self.same_content(old, new)
            }
            Likeness::NothingSet => self.same_content(old, new),
            Likeness::Neighbours | Likeness::ANeighbour => {
                let (a, b) = self.neighbours_now(old, new);
                let all = matches!(likeness, Likeness::Neighbours);
                !a.is_empty() && if all { a == b } else { a.intersection(&b).next().is_some() }
            }
        }
    }

    /// Whether no parameter differs, defaults that came or went aside.
    fn same_content(&self, old: usize, new: usize) -> bool {
        let (a, b) = (&self.old.nodes[old], &self.new.nodes[new]);
        if a.component != b.component || a.name != b.name {
            return false;
        }
        if a.value.raw() == b.value.raw() {
            return true;
        }
        let (a, b) = (Place { node: a, parts: self.old }, Place { node: b, parts: self.new });
        let (changes, _) = self.parameter_changes(a, b);
        changes.credentials.len() == 0
            && changes.parameters.iter().all(|change| {
                matches!(
                    change.kind,
                    ParameterChangeKind::DefaultAdded
                        | ParameterChangeKind::DefaultRemoved
                        | ParameterChangeKind::DefaultChanged
                )
            })
    }

    /// How the parameters changed, and whether some that are written differently mean the same.
    fn parameter_changes(&self, a: Place<'_, 'd>, b: Place<'_, 'd>) -> (Changes, bool) {
        let (mut changes, mut differing) = (Changes::new(Labels::LeftOut), 0);
        let (old, new) = (Some(a.node.value), Some(b.node.value));
        let places = &self.meaning.format.places;
        differences::report(old, new, places, Aspect::Definition, &mut |difference| {
            if difference.aspect == Aspect::Parameters {
                differing += 1;
                parameters::describe(self.meaning, a, b, difference, &mut changes);
            }
        });
        let share = differing == 0 || changes.len() < differing;
        (changes, share)
    }

    /// The neighbours of both. What is paired is one neighbour, whatever its ids; what is not (it
    /// came, went, or a wire ends in nothing) goes by its id, and is never one with what is: an
    /// old wire into nothing is not held for one into a node that has that id now.
    fn neighbours_now(&self, old: usize, new: usize) -> (Neighbours<'d>, Neighbours<'d>) {
        let of_old = |id: &Cow<'d, str>| {
            let pair = self.old.by_id.get(id).and_then(|nodes| self.pairs.same.get(&nodes[0]));
            pair.map_or_else(|| Neighbour::Id(id.clone()), |(new, _)| Neighbour::Paired(*new))
        };
        let of_new = |id: &Cow<'d, str>| match self.new.by_id.get(id) {
            Some(nodes) if self.paired.contains(&nodes[0]) => Neighbour::Paired(nodes[0]),
            _ => Neighbour::Id(id.clone()),
        };
        (
            neighbours(self.old, &self.old.nodes[old].id, of_old),
            neighbours(self.new, &self.new.nodes[new].id, of_new),
        )
    }

    /// Whether an id evidently passed to another node: another component under another name, or
    /// nothing in common at all.
    fn is_replacement(&self, old: usize, new: usize) -> bool {
        let (a, b) = (&self.old.nodes[old], &self.new.nodes[new]);
        if a.name == b.name || a.id.is_empty() {
            return false;
        }
        if a.component != b.component {
            return true;
        }
        let (a, b) = (Place { node: a, parts: self.old }, Place { node: b, parts: self.new });
        let have_content =
            parameters::has_content(self.meaning, a) && parameters::has_content(self.meaning, b);
        let (_, share_content) = self.parameter_changes(a, b);
        have_content && !share_content && !self.share_a_neighbour(old, new)
    }

    fn share_a_neighbour(&self, old: usize, new: usize) -> bool {
        let by_id = |id: &Cow<'d, str>| Neighbour::Id(id.clone());
        let a = neighbours(self.old, &self.old.nodes[old].id, by_id);
        let b = neighbours(self.new, &self.new.nodes[new].id, by_id);
        (a.is_empty() && b.is_empty()) || a.intersection(&b).next().is_some()
    }
}

/// A node at the other end of a wire.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Neighbour<'d> {
    /// One of both flows, by its place in the new one.
    Paired(usize),
    Id(Cow<'d, str>),
}

/// The ends of a node's wires: whether it feeds, the other node, the input.
type Neighbours<'d> = BTreeSet<(bool, Neighbour<'d>, Cow<'d, str>)>;

fn neighbours<'s, 'd>(
    parts: &'s Parts<'d>,
    id: &'s str,
    neighbour: impl Fn(&Cow<'d, str>) -> Neighbour<'d>,
) -> Neighbours<'d> {
    let into = parts.wires_into(id).map(|wire| (false, neighbour(&wire.source), wire.input.clone()));
    let out = parts
        .wires
        .iter()
        .filter(|wire| wire.source == id)
        .map(|wire| (true, neighbour(&wire.target), wire.input.clone()));
    into.chain(out).collect()
}
