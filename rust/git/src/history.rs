//! The versions of a range, one at a time, in the order of `git log`: by commit date, newest first.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::hash::BuildHasherDefault;

use versiondiff_engine::snapshot::{ContentId, ReadError};

use crate::commit::Commit;
use crate::repository::Handle;
use crate::revision::Range;
use versiondiff_engine::snapshot::IdHasher;

/// Which parents a listing follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Parents {
    /// The first parent of each merge: the line of versions that a branch saw.
    #[default]
    First,
    /// All of them: each commit stands once.
    All,
}

/// A version of a listing.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The commit.
    pub id: ContentId,
    /// What it is compared with; `None` is nothing at all.
    pub parent: Option<ContentId>,
    /// History is cut off here: the commit has parents, and they are not in this repository.
    pub shallow: bool,
    /// The commit's raw text, so that it isn't read twice.
    pub text: Text,
}

/// The raw text of a listed commit.
#[derive(Clone, Debug)]
pub enum Text {
    /// Read already.
    Kept(Box<[u8]>),
    /// Read, and let go of to save memory.
    NotKept,
    /// It can't be read: the listing ends here.
    Unreadable(Box<ReadError>),
}

/// A listing under way.
#[derive(Debug)]
pub struct History<'h> {
    handle: &'h Handle,
    follow: Parents,
    /// Sorted.
    shallow: Vec<ContentId>,
    queue: BinaryHeap<Queued>,
    queued: u64,
    seen: HashSet<ContentId, BuildHasherDefault<IdHasher>>,
    buffer: Vec<u8>,
    /// Where something is hidden: the whole listing, as the order of dates alone doesn't tell
    /// what is hidden before all of it has been walked.
    limited: Option<std::vec::IntoIter<Listed>>,
}

/// A commit that waits for its turn: ordered by date, then in the order in which they were met.
#[derive(Debug)]
struct Queued {
    time: i64,
    number: Reverse<u64>,
    listed: Listed,
}

impl PartialEq for Queued {
    fn eq(&self, other: &Self) -> bool {
        (self.time, self.number) == (other.time, other.number)
    }
}

impl Eq for Queued {}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Queued {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.time, self.number).cmp(&(other.time, other.number))
    }
}

impl<'h> History<'h> {
    /// List `range`; `go_on` is asked every now and then, and a listing that may not go on is
    /// empty.
    pub fn new(handle: &'h Handle, range: &Range, follow: Parents, go_on: &dyn Fn() -> bool) -> Self {
        let mut history = Self {
            handle,
            follow,
            shallow: handle.shallow_commits(),
            queue: BinaryHeap::new(),
            queued: 0,
            seen: HashSet::default(),
            buffer: Vec::new(),
            limited: None,
        };
        if range.hidden.is_empty() {
            for tip in &range.tips {
                history.enqueue(*tip, i64::MAX);
            }
        } else {
            history.limited = Some(history.limit(range, go_on).into_iter());
        }
        history
    }

    fn enqueue(&mut self, id: ContentId, met_at: i64) {
        if self.seen.insert(id) {
            let (listed, time) = self.read(id, met_at);
            self.push(listed, time);
        }
    }

    fn push(&mut self, listed: Listed, time: i64) {
        self.queue.push(Queued { time, number: Reverse(self.queued), listed });
        self.queued += 1;
    }

    /// Read a commit that is met from one of this date.
    fn read(&mut self, id: ContentId, met_at: i64) -> (Listed, i64) {
        let mut listed = Listed { id, parent: None, shallow: false, text: Text::NotKept };
        let read = self.handle.commit(&id, &mut self.buffer).and_then(|()| {
            let commit = Commit::parse(&self.buffer, &id)?;
            Ok((commit.parents().next(), commit.time()))
        });
        match read {
            Ok((parent, time)) => {
                listed.shallow = parent.is_some() && self.shallow.binary_search(&id).is_ok();
                listed.parent = parent.filter(|_| !listed.shallow);
                listed.text = Text::Kept(self.buffer.as_slice().into());
                (listed, time)
            }
            Err(error) => {
                listed.text = Text::Unreadable(Box::new(error));
                (listed, met_at)
            }
        }
    }

    /// The parents that a listing goes on to.
    fn parents(listed: &Listed, follow: Parents) -> Vec<ContentId> {
        match (&listed.text, follow) {
            _ if listed.shallow => Vec::new(),
            (Text::Kept(raw), Parents::All) => {
                Commit::parse(raw, &listed.id).map(|commit| commit.parents().collect()).unwrap_or_default()
            }
            _ => listed.parent.into_iter().collect(),
        }
    }

    /// The listing of a range with something hidden, the way git limits it: hidden and shown
    /// commits are walked by date together, and once only hidden ones are left, a few more of
    /// them are looked at, for dates that run backwards.
    fn limit(&mut self, range: &Range, go_on: &dyn Fn() -> bool) -> Vec<Listed> {
        /// How many commits git looks further; its own constant.
        const SLOP: usize = 5;
        let mut nodes = Nodes::default();
        let ends = range.hidden.iter().map(|id| (*id, true)).chain(range.tips.iter().map(|id| (*id, false)));
        for (id, hidden) in ends {
            if hidden {
                nodes.hide(id);
            }
            self.meet(id, i64::MAX, &mut nodes);
        }
        let mut list: Vec<Listed> = Vec::new();
        let mut kept_bytes = 0;
        let mut last_date = i64::MAX;
        let mut slop = SLOP;
        while let Some(Queued { time, mut listed, .. }) = self.queue.pop() {
            if !go_on() {
                return Vec::new();
            }
            let hidden = nodes.leave_queue(listed.id);
            // What is hidden hides all its parents; what is shown shows those that are followed.
            let parents = Self::parents(&listed, if hidden { Parents::All } else { self.follow });
            let all_parents = if hidden { parents.clone() } else { Self::parents(&listed, Parents::All) };
            nodes.set_parents(listed.id, all_parents);
            for parent in parents {
                if hidden {
                    nodes.hide(parent);
                }
                self.meet(parent, time, &mut nodes);
            }
            if hidden {
                let still_interesting =
                    nodes.shown_in_queue > 0 || self.queue.peek().is_some_and(|next| last_date <= next.time);
                slop = match (still_interesting, self.queue.is_empty()) {
                    (_, true) => 0,
                    (true, false) => SLOP,
                    (false, false) => slop - 1,
                };
                if slop == 0 {
                    break;
                }
            } else {
                last_date = time;
                if let Text::Kept(raw) = &listed.text {
                    kept_bytes += raw.len();
                    if kept_bytes > KEPT_BYTES {
                        listed.text = Text::NotKept;
                    }
                }
                list.push(listed);
            }
        }
        self.queue.clear();
        list.retain(|listed| !nodes.is_hidden(&listed.id));
        list
    }

    fn meet(&mut self, id: ContentId, met_at: i64, nodes: &mut Nodes) {
        if self.seen.insert(id) {
            let (listed, time) = self.read(id, met_at);
            self.push(listed, time);
            nodes.enter_queue(id);
        }
    }
}

/// How many bytes of commits a listing holds that has to be complete before it is used.
pub(crate) const KEPT_BYTES: usize = 32 << 20;

impl Iterator for History<'_> {
    type Item = Listed;

    fn next(&mut self) -> Option<Listed> {
        if let Some(limited) = &mut self.limited {
            return limited.next();
        }
        let Queued { time, listed, .. } = self.queue.pop()?;
        match self.follow {
            Parents::First => {
                if let Some(parent) = listed.parent {
                    self.enqueue(parent, time);
                }
            }
            Parents::All => {
                for parent in Self::parents(&listed, Parents::All) {
                    self.enqueue(parent, time);
                }
            }
        }
        Some(listed)
    }
}

/// What is known of the commits of a limited listing.
#[derive(Debug, Default)]
struct Nodes {
    by_id: HashMap<ContentId, Node, BuildHasherDefault<IdHasher>>,
    /// How many commits in the queue are not hidden.
    shown_in_queue: usize,
}

#[derive(Debug, Default)]
struct Node {
    hidden: bool,
    in_queue: bool,
    /// Of a commit that left the queue.
    parents: Vec<ContentId>,
}

impl Nodes {
    fn is_hidden(&self, id: &ContentId) -> bool {
        self.by_id.get(id).is_some_and(|node| node.hidden)
    }

    fn enter_queue(&mut self, id: ContentId) {
        let node = self.by_id.entry(id).or_default();
        node.in_queue = true;
        self.shown_in_queue += usize::from(!node.hidden);
    }

    /// Whether it is hidden.
    fn leave_queue(&mut self, id: ContentId) -> bool {
        let node = self.by_id.entry(id).or_default();
        node.in_queue = false;
        self.shown_in_queue -= usize::from(!node.hidden);
        node.hidden
    }

    fn set_parents(&mut self, id: ContentId, parents: Vec<ContentId>) {
        self.by_id.entry(id).or_default().parents = parents;
    }

    /// Hide a commit, and all that is known to be reachable from it.
    fn hide(&mut self, id: ContentId) {
        let mut waiting = vec![id];
        while let Some(id) = waiting.pop() {
            let node = self.by_id.entry(id).or_default();
            if !std::mem::replace(&mut node.hidden, true) {
                self.shown_in_queue -= usize::from(node.in_queue);
                waiting.extend_from_slice(&node.parents);
            }
        }
    }
}
