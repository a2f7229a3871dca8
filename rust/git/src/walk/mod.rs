//! A job over a whole history: spread over threads, its lines in order, in flat memory.
//!
//! One thread lists the history and cuts it into chunks of neighbouring versions. Each worker
//! takes the next chunk and goes through it newest first, whatever order was asked for: packs store
//! old trees as deltas of newer ones, so what was read last is what the next one builds on. The
//! consumer gets the chunks' lines in order; workers run only so far ahead of it.

mod worker;

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use self::worker::{Chunk, Worker};
use crate::Error;
use crate::history::{History, KEPT_BYTES, Listed, Parents, Text};
use crate::job::Job;
use crate::repository::{Handle, Repository};
use crate::revision::Range;

pub use worker::single;

/// The order of the lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// As in `git log`: the way objects are stored makes it the cheaper one.
    #[default]
    NewestFirst,
    /// From the first version to the last.
    OldestFirst,
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

/// How many versions a chunk has at most: its first ones have to be read through long chains of
/// deltas, which the rest then builds on. In a short history, workers that wait for the last chunk
/// cost more than that.
const CHUNK_VERSIONS: usize = 512;
const SHORT_CHUNK_VERSIONS: usize = 128;
const SHORT_HISTORY: usize = 2_048;

/// The size of the chunk after one of `size`, in a history of at least `versions`.
fn next_size(size: usize, versions: usize) -> usize {
    (size * 2).min(if versions < SHORT_HISTORY { SHORT_CHUNK_VERSIONS } else { CHUNK_VERSIONS })
}

/// How many versions the first chunk has, each one after it twice as many: the first lines come
/// soon, later ones cheaply. Who asks for the oldest first wants all of them.
const FIRST_CHUNK_NEWEST: usize = 16;
const FIRST_CHUNK_OLDEST: usize = 64;

/// How many versions a chunk has at the end of a history.
const LAST_CHUNK: usize = 32;

/// How large the memory of lines may be to be used again.
const SPARE_BYTES: usize = 1 << 20;

/// How many bytes of lines may wait for the consumer before workers pause.
const WAITING_BYTES: usize = 16 << 20;

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
    /// Memory of lines that the consumer is done with.
    spare: Vec<Vec<u8>>,
    /// The chunk that the consumer needs.
    next: usize,
    failure: Option<&'static str>,
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

    /// Give back the memory of lines, for the next ones.
    pub fn recycle(&self, mut lines: Vec<u8>) {
        if lines.capacity() <= SPARE_BYTES {
            lines.clear();
            let mut state = self.shared.lock();
            if state.spare.len() < self.shared.lead {
                state.spare.push(lines);
            }
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
            let (mut size, mut versions) = (FIRST_CHUNK_NEWEST, 0);
            loop {
                let mut listed: Vec<Listed> = history.by_ref().take(size).collect();
                versions += listed.len();
                let is_last = listed.len() < size;
                while !listed.is_empty() {
                    // The last ones in small pieces, and the first version, which brings all that
                    // there was, in one of its own: so that no worker waits for the other.
                    let length = if !is_last {
                        listed.len()
                    } else if listed.len() > 1 {
                        LAST_CHUNK.min(listed.len() - 1)
                    } else {
                        1
                    };
                    let rest = listed.split_off(length);
                    if !hand_out(shared, Chunk::new(std::mem::replace(&mut listed, rest)), shared.lead) {
                        return;
                    }
                }
                if is_last {
                    break;
                }
                size = next_size(size, versions);
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
            let (mut size, versions) = (FIRST_CHUNK_OLDEST, steps.len());
            while !steps.is_empty() {
                let rest = steps.split_off(steps.len().saturating_sub(size));
                if !hand_out(shared, Chunk::new(rest), usize::MAX) {
                    return;
                }
                size = next_size(size, versions);
            }
        }
    }
    shared.lock().listing_done = true;
    shared.changed.notify_all();
}

/// Queue a chunk, once fewer than `most` wait; false where the walk has been cancelled.
fn hand_out(shared: &Shared, chunk: Chunk, most: usize) -> bool {
    let mut state = shared.lock();
    while state.waiting.len() >= most && !shared.is_cancelled() {
        state = shared.wait(state);
    }
    if shared.is_cancelled() {
        return false;
    }
    state.listed += chunk.steps.len();
    state.waiting.push_back(chunk);
    shared.changed.notify_all();
    true
}

fn work(shared: &Shared, handle: &Handle, job: &Job, order: Order) {
    let mut worker = Worker::new(handle, job);
    while let Some((number, chunk, memory)) = take(shared) {
        let Some(lines) = worker.lines(&chunk, order, &|| shared.is_cancelled(), memory) else { return };
        let mut state = shared.lock();
        state.finished_bytes += lines.len();
        state.finished.insert(number, (lines, chunk.steps.len()));
        shared.changed.notify_all();
    }
}

/// The next chunk for a worker and memory for its lines, once the consumer has come near enough;
/// `None` at the end.
fn take(shared: &Shared) -> Option<(usize, Chunk, Vec<u8>)> {
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
                let memory = state.spare.pop().unwrap_or_default();
                return Some((number, chunk, memory));
            }
            if state.listing_done {
                return None;
            }
        }
        state = shared.wait(state);
    }
}
