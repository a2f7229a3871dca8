//! A job over a whole history: spread over threads, its lines in order, in flat memory.
//!
//! One thread lists the history and cuts it into chunks of neighbouring versions. Each worker
//! takes the next chunk and goes through it newest first, whatever order was asked for: packs store
//! old trees as deltas of newer ones, so what was read last is what the next one builds on. The
//! consumer gets the chunks' lines in order; workers run only so far ahead of it.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use versiondiff_engine::record::Memory;
use versiondiff_engine::snapshot::{ContentId, ReadError};

use crate::Error;
use crate::commit::Commit;
use crate::history::{History, KEPT_BYTES, Listed, Parents, Text};
use crate::job::{Job, Subject};
use crate::repository::{Handle, Repository};
use crate::revision::Range;

/// The order of the lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// From the first version to the last.
    #[default]
    OldestFirst,
    /// As in `git log`.
    NewestFirst,
}

/// How to go through a history.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// The order of the lines.
    pub order: Order,
    /// Which parents to follow.
    pub parents: Parents,
    /// How many workers; `None` is one for each core. The lines are the same for any number.
    pub threads: Option<usize>,
}

/// What a walk has for its consumer.
#[derive(Debug)]
pub enum Poll {
    /// The next lines: whole ones, each with its line feed.
    Lines(Vec<u8>),
    /// Nothing yet.
    Pending,
    /// There is no more.
    End,
}

/// A job under way. Dropping it ends it: the threads are told, and waited for.
#[derive(Debug)]
pub struct Walk {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

/// How many versions a chunk has at most, and at first: the first lines come soon, later ones
/// cheaply.
const CHUNK_VERSIONS: usize = 128;
const FIRST_CHUNK_VERSIONS: usize = 16;

/// How many bytes of lines may wait for the consumer before workers pause.
const WAITING_BYTES: usize = 32 << 20;

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    cancelled: AtomicBool,
    /// How many chunks workers may be ahead of the consumer.
    lead: usize,
}

#[derive(Debug, Default)]
struct State {
    /// Chunks that no worker has taken.
    waiting: VecDeque<Chunk>,
    /// The number of the first of them.
    first_waiting: usize,
    listing_done: bool,
    /// How many versions have been listed.
    listed: usize,
    /// How many versions the consumer has had, or has seen left out.
    delivered: usize,
    /// Lines of finished chunks, by number, and how many versions they are of.
    finished: BTreeMap<usize, (Vec<u8>, usize)>,
    finished_bytes: usize,
    /// The chunk that the consumer needs.
    next: usize,
    failure: Option<&'static str>,
}

#[derive(Debug)]
struct Chunk {
    /// Newest first.
    steps: Vec<Listed>,
}

impl Walk {
    /// Start `job` over `range`.
    pub fn start(repository: &Arc<Repository>, range: Range, job: Job, options: Options) -> Self {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let workers = options.threads.unwrap_or_else(cores).clamp(1, 256);
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            changed: Condvar::new(),
            cancelled: AtomicBool::new(false),
            lead: workers * 3,
        });
        let job = Arc::new(job);
        let mut walk = Self { shared, threads: Vec::with_capacity(workers + 1) };
        let lister = Arc::clone(repository);
        walk.spawn(move |shared| list(shared, &lister.handle(), &range, options));
        for _ in 0..workers {
            let (repository, job) = (Arc::clone(repository), Arc::clone(&job));
            walk.spawn(move |shared| work(shared, &repository.handle(), &job, options.order));
        }
        walk
    }

    fn spawn(&mut self, body: impl FnOnce(&Shared) + Send + 'static) {
        let shared = Arc::clone(&self.shared);
        let run = move || {
            // A defect must not leave the consumer waiting for ever.
            if catch_unwind(AssertUnwindSafe(|| body(&shared))).is_err() {
                shared.lock().failure = Some("a worker ended without its result");
                shared.cancel();
            }
        };
        if let Ok(thread) = std::thread::Builder::new().name("versiondiff".to_owned()).spawn(run) {
            self.threads.push(thread);
        } else {
            self.shared.lock().failure = Some("a thread could not be started");
            self.shared.cancel();
        }
    }

    /// The next lines, waited for at most this long.
    ///
    /// # Errors
    /// [`Error::Internal`] where a worker failed. What is wrong with one version is said in its
    /// line.
    pub fn poll(&self, timeout: Duration) -> Result<Poll, Error> {
        let deadline = Instant::now() + timeout;
        let mut state = self.shared.lock();
        loop {
            if let Some(failure) = state.failure {
                return Err(Error::Internal(failure));
            }
            let next = state.next;
            if let Some((lines, versions)) = state.finished.remove(&next) {
                state.finished_bytes -= lines.len();
                state.next += 1;
                state.delivered += versions;
                self.shared.changed.notify_all();
                if !lines.is_empty() {
                    return Ok(Poll::Lines(lines));
                }
                continue;
            }
            let all_taken = state.listing_done && state.waiting.is_empty();
            if self.shared.is_cancelled() || (all_taken && next == state.first_waiting) {
                return Ok(Poll::End);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(Poll::Pending);
            }
            state = self.shared.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// How many versions have been delivered (or left out), and how many there are in all, once
    /// that is known.
    pub fn progress(&self) -> (usize, Option<usize>) {
        let state = self.shared.lock();
        (state.delivered, state.listing_done.then_some(state.listed))
    }

    /// End the walk: every thread is told and waited for.
    pub fn cancel(&mut self) {
        self.shared.cancel();
        for thread in self.threads.drain(..) {
            // A panic has been noted by the thread itself.
            let _ = thread.join();
        }
    }
}

impl Drop for Walk {
    fn drop(&mut self) {
        self.cancel();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    fn cancel(&self) {
        // Under the lock, so that no thread goes to wait between looking and being woken.
        let _state = self.lock();
        self.cancelled.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }
}

/// List the history and cut it into chunks.
fn list(shared: &Shared, handle: &Handle, range: &Range, options: Options) {
    let mut history = History::new(handle, range, options.parents, &|| !shared.is_cancelled());
    match options.order {
        Order::NewestFirst => {
            let mut size = FIRST_CHUNK_VERSIONS;
            loop {
                let steps: Vec<_> = history.by_ref().take(size).collect();
                if steps.is_empty() || !hand_out(shared, steps, shared.lead) {
                    break;
                }
                size = (size * 2).min(CHUNK_VERSIONS);
            }
        }
        Order::OldestFirst => {
            let mut steps = Vec::new();
            let mut kept_bytes = 0;
            for mut listed in history {
                if shared.is_cancelled() {
                    return;
                }
                if let Text::Kept(raw) = &listed.text {
                    kept_bytes += raw.len();
                    if kept_bytes > KEPT_BYTES {
                        listed.text = Text::NotKept;
                    }
                }
                steps.push(listed);
            }
            let mut size = FIRST_CHUNK_VERSIONS;
            while !steps.is_empty() {
                let rest = steps.split_off(steps.len().saturating_sub(size));
                if !hand_out(shared, rest, usize::MAX) {
                    return;
                }
                size = (size * 2).min(CHUNK_VERSIONS);
            }
        }
    }
    shared.lock().listing_done = true;
    shared.changed.notify_all();
}

/// Queue a chunk, once fewer than `most` wait; false where the walk has been cancelled.
fn hand_out(shared: &Shared, steps: Vec<Listed>, most: usize) -> bool {
    let mut state = shared.lock();
    while state.waiting.len() >= most && !shared.is_cancelled() {
        state = shared.wait(state);
    }
    if shared.is_cancelled() {
        return false;
    }
    state.listed += steps.len();
    state.waiting.push_back(Chunk { steps });
    shared.changed.notify_all();
    true
}

fn work(shared: &Shared, handle: &Handle, job: &Job, order: Order) {
    let mut worker = Worker { handle, job, memory: Memory::default(), text: Vec::new(), parent: None };
    while let Some((number, chunk)) = take(shared) {
        let Some(lines) = worker.lines(&chunk, order, shared) else { return };
        let mut state = shared.lock();
        state.finished_bytes += lines.len();
        state.finished.insert(number, (lines, chunk.steps.len()));
        shared.changed.notify_all();
    }
}

/// The next chunk for a worker, once the consumer has come near enough; `None` at the end.
fn take(shared: &Shared) -> Option<(usize, Chunk)> {
    let mut state = shared.lock();
    loop {
        if shared.is_cancelled() {
            return None;
        }
        let number = state.first_waiting;
        let near = number < state.next + shared.lead && state.finished_bytes < WAITING_BYTES;
        // The chunk that the consumer waits for is always free to take.
        if near || number == state.next {
            if let Some(chunk) = state.waiting.pop_front() {
                state.first_waiting += 1;
                shared.changed.notify_all();
                return Some((number, chunk));
            }
            if state.listing_done {
                return None;
            }
        }
        state = shared.wait(state);
    }
}

struct Worker<'a> {
    handle: &'a Handle,
    job: &'a Job,
    memory: Memory,
    /// The text of the commit at hand, where the listing didn't keep it.
    text: Vec<u8>,
    /// The parent that was read last, with its text: it is often the next commit at hand.
    parent: Option<(ContentId, Vec<u8>)>,
}

impl Worker<'_> {
    /// The lines of a chunk; `None` where the walk has been cancelled.
    fn lines(&mut self, chunk: &Chunk, order: Order, shared: &Shared) -> Option<Vec<u8>> {
        let mut lines = Vec::new();
        let mut ends = Vec::with_capacity(chunk.steps.len());
        for (index, step) in chunk.steps.iter().enumerate() {
            if shared.is_cancelled() {
                return None;
            }
            self.line(step, chunk.steps.get(index + 1), &mut lines);
            ends.push(lines.len());
        }
        if order == Order::NewestFirst {
            return Some(lines);
        }
        let mut reversed = Vec::with_capacity(lines.len());
        let mut end = lines.len();
        for start in ends.iter().rev().skip(1).copied().chain([0]) {
            reversed.extend_from_slice(&lines[start..end]);
            end = start;
        }
        Some(reversed)
    }

    fn line(&mut self, step: &Listed, next: Option<&Listed>, out: &mut Vec<u8>) {
        let mut text = std::mem::take(&mut self.text);
        match self.text_of(step, &mut text).and_then(|raw| Commit::parse(raw, &step.id)) {
            Err(error) => self.job.write_error(&step.id, step.shallow, None, &error, out),
            Ok(commit) => match self.old_tree(step, next) {
                Err(error) => self.job.write_error(&step.id, step.shallow, Some(&commit), &error, out),
                Ok(old_tree) => {
                    let subject = Subject { id: step.id, shallow: step.shallow, commit: &commit, old_tree };
                    self.job.write(self.handle, &subject, &mut self.memory, out);
                }
            },
        }
        self.text = text;
    }

    fn text_of<'t>(&mut self, step: &'t Listed, buffer: &'t mut Vec<u8>) -> Result<&'t [u8], ReadError> {
        match &step.text {
            Text::Kept(raw) => Ok(raw),
            Text::Unreadable(error) => Err((**error).clone()),
            Text::NotKept => {
                match &mut self.parent {
                    Some((id, text)) if *id == step.id => std::mem::swap(text, buffer),
                    _ => self.handle.commit(&step.id, buffer)?,
                }
                if let Some((id, _)) = &self.parent
                    && *id == step.id
                {
                    self.parent = None;
                }
                Ok(buffer)
            }
        }
    }

    /// The tree that a version is compared with.
    fn old_tree(&mut self, step: &Listed, next: Option<&Listed>) -> Result<Option<ContentId>, ReadError> {
        let Some(parent) = step.parent else { return Ok(None) };
        if let Some(Listed { id, text: Text::Kept(raw), .. }) = next
            && *id == parent
        {
            return Ok(Some(Commit::parse(raw, id)?.tree));
        }
        let mut text = self.parent.take().map(|(_, text)| text).unwrap_or_default();
        self.handle.commit(&parent, &mut text)?;
        let tree = Commit::parse(&text, &parent)?.tree;
        self.parent = Some((parent, text));
        Ok(Some(tree))
    }
}

/// The line of one version, without its line feed; the parent is the first one.
///
/// # Errors
/// [`Error::Read`] where the version can't be read or compared.
pub fn single(handle: &Handle, id: &ContentId, job: &Job) -> Result<Vec<u8>, Error> {
    let range = Range { tips: vec![*id], hidden: Vec::new() };
    let listed = History::new(handle, &range, Parents::First, &|| true).next();
    let Some(listed) = listed else { return Err(Error::Internal("a commit was not listed")) };
    let mut worker = Worker { handle, job, memory: Memory::default(), text: Vec::new(), parent: None };
    let mut text = Vec::new();
    let raw = worker.text_of(&listed, &mut text)?;
    let commit = Commit::parse(raw, id)?;
    let old_tree = worker.old_tree(&listed, None)?;
    let mut line = Vec::new();
    let subject = Subject { id: *id, shallow: listed.shallow, commit: &commit, old_tree };
    job.try_write(handle, &subject, &mut worker.memory, &mut line)?;
    line.pop();
    Ok(line)
}
