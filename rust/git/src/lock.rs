//! The lock that all writers of this library hold while they write to a repository.
//!
//! It is an operating system's lock on a file of our own, `versiondiff.lock` in the git directory:
//! our own writers queue up there instead of colliding on git's lock files, and the system lets go
//! of it when a process ends, however it ends. Where a file system has no such locks, writers go on
//! without, and only git's lock files keep them apart.
//!
//! # Lock files of writers that were killed
//!
//! Git keeps others from writing a file `x` by a file `x.lock`, which stays behind when its maker
//! is killed and stops every writer after it. A writer of ours therefore names in
//! `versiondiff.lock`, while it writes, the lock files that it may make; a writer that ends takes
//! the names out again. Who gets the lock and finds names in it knows that a writer of ours was
//! killed. It removes a lock file that the dead writer left, and must not remove one that a live
//! process, such as a git that waits for its editor, holds. It removes one only where all of this
//! is so:
//!
//! - We hold the system's lock. So no writer of ours is alive that could have made the file, and
//!   none removes it at the same time.
//! - The dead writer named it, and saw before it did that there was none: it was made afterwards.
//! - Where the dead writer said what it was going to write (a reference's new value), the file
//!   holds just that. A reference's value is the id of a new commit, and no one else can be writing
//!   the same: that is certain, and the file is removed at once. A file that holds anything else is
//!   another's.
//! - Where the file is empty, as the writer may have been killed between making and filling it, or
//!   where nothing was said, it was made while the dead writer lived: not before the record's
//!   beginning, and not more than a second after the writer's last sign of life, which the time of
//!   the record's file is. Both times come from the clock of the one file system, so clocks that
//!   differ do no harm. What git makes later is never touched. And it stays unchanged for a moment
//!   more.
//!
//! What is left is a git process that took the very lock within the second in which a writer of
//! ours was killed before it had taken it itself, and that then held it, empty, for longer than git
//! does. Where one of the conditions fails the file stays, and the next writer reports a
//! [`Error::Conflict`] that names it.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak, mpsc};
use std::time::{Duration, UNIX_EPOCH};

use versiondiff_engine::snapshot::ContentId;

use crate::Error;
use crate::wait::Wait;

/// The name of the lock's file, in the directory that all work trees of a repository share.
pub const FILE_NAME: &str = "versiondiff.lock";

/// How often a writer that names lock files from the start gives a sign of life.
const SIGN_OF_LIFE: Duration = Duration::from_millis(100);

/// How long after its last sign of life a writer may still have made a file.
const SLACK: Duration = Duration::from_secs(1);

/// How coarse the times of a file system may be.
const GRAIN: Duration = Duration::from_millis(20);

/// How long a lock file has to stay unchanged where it does not say whose it is.
const GRACE: Duration = Duration::from_millis(60);

/// The lock, held until it is dropped.
///
/// A thread that holds it gets it again at once, and holds it until the last of them is dropped.
#[derive(Debug)]
pub struct WriteLock {
    held: Arc<Held>,
    /// The names that this one put into the record.
    named: Vec<String>,
}

thread_local! {
    /// What this thread holds.
    static HELD: RefCell<Vec<Weak<Held>>> = const { RefCell::new(Vec::new()) };
}

impl WriteLock {
    /// Wait for the lock of the repository with this shared git directory, and take it.
    ///
    /// `files` are the lock files of git that the holder may make, relative to the directory, such
    /// as `index.lock`; it is also waited for that no one else holds them.
    ///
    /// # Errors
    /// [`Error::Conflict`] where time was up, [`Error::Write`] where the directory can't be
    /// written, [`Error::Invalid`] where a file is none in the directory, and what ended the
    /// waiting.
    pub fn hold(common_dir: &Path, files: &[String], wait: &mut Wait<'_>) -> Result<Self, Error> {
        if !files.iter().all(|file| is_lock_file(file)) {
            let rule = "is to be a path in the git directory that ends in .lock";
            return Err(Error::Invalid { what: "a lock file", rule });
        }
        let common_dir = fs::canonicalize(common_dir).unwrap_or_else(|_| common_dir.to_owned());
        let held = HELD.with_borrow_mut(|all| {
            all.retain(|held| held.strong_count() > 0);
            let mut alive = all.iter().filter_map(Weak::upgrade);
            // A process that forks takes what its parent holds for its own.
            alive.find(|held| held.common_dir == common_dir && held.process == std::process::id())
        });
        let held = if let Some(held) = held {
            held
        } else {
            let held = Arc::new(Held::take(common_dir, wait)?);
            HELD.with_borrow_mut(|all| all.push(Arc::downgrade(&held)));
            held
        };
        let mut lock = Self { held, named: Vec::new() };
        for file in files {
            lock.name(file, None, wait)?;
        }
        if !files.is_empty() {
            lock.held.give_signs_of_life();
        }
        Ok(lock)
    }

    /// Say that the holder is about to make one of git's lock files, once no one else holds it, and
    /// what it will write there where that is an object's id.
    ///
    /// # Errors
    /// [`Error::Conflict`] where someone else held it until time was up, [`Error::Write`], and what
    /// ended the waiting.
    pub(crate) fn name(
        &mut self,
        file: &str,
        value: Option<ContentId>,
        wait: &mut Wait<'_>,
    ) -> Result<(), Error> {
        let path = self.held.common_dir.join(file);
        while path.symlink_metadata().is_ok() {
            if !wait.pause()? {
                return Err(Error::Conflict {
                    what: file.strip_suffix(".lock").unwrap_or(file).to_owned(),
                    lock: path,
                    rule: "another program is writing it, or was killed while it did",
                });
            }
        }
        self.named.push(file.to_owned());
        self.held.change_record(|files| files.push(Named { value, file: file.to_owned() }))
    }

    /// Take back what was said about a file: the holder has made it and removed it, or never will.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub(crate) fn forget(&mut self, file: &str) -> Result<(), Error> {
        if let Some(at) = self.named.iter().position(|named| named == file) {
            self.named.swap_remove(at);
        }
        self.held.change_record(|files| take_out(files, file))
    }
}

impl Drop for WriteLock {
    fn drop(&mut self) {
        if !self.named.is_empty() {
            // A record that can't be changed makes the next holder look at files that are gone.
            let _ = self.held.change_record(|files| self.named.iter().for_each(|file| take_out(files, file)));
        }
    }
}

/// Take out one of the times that a file is named: others who share the lock may have named it too.
fn take_out(files: &mut Vec<Named>, file: &str) {
    if let Some(at) = files.iter().rposition(|named| named.file == file) {
        files.remove(at);
    }
}

/// The lock, as all holders in one thread share it; let go of when it is dropped.
#[derive(Debug)]
struct Held {
    common_dir: PathBuf,
    /// The process that took it.
    process: u32,
    record: Mutex<Record>,
    /// Ends the thread that gives signs of life when it is dropped.
    life: Mutex<Option<mpsc::Sender<()>>>,
}

#[derive(Debug)]
struct Record {
    /// The locked file; `None` where the file system has no locks.
    file: Option<File>,
    files: Vec<Named>,
}

/// A lock file of git that a writer may make.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Named {
    /// What it will hold.
    value: Option<ContentId>,
    /// Relative to the git directory.
    file: String,
}

impl Held {
    fn take(common_dir: PathBuf, wait: &mut Wait<'_>) -> Result<Self, Error> {
        let path = common_dir.join(FILE_NAME);
        let failed = |error: &io::Error| Error::Write {
            path: common_dir.clone(),
            reason: format!("{FILE_NAME}: {error}"),
        };
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = opened.map_err(|error| failed(&error))?;
        let file = loop {
            match file.try_lock() {
                Ok(()) => {
                    remove_stale(&mut file, &common_dir).map_err(|error| failed(&error))?;
                    break Some(file);
                }
                Err(TryLockError::WouldBlock) => {
                    if !wait.pause()? {
                        return Err(Error::Conflict {
                            what: format!("git repository {}", common_dir.display()),
                            lock: path,
                            rule: "another writer of versiondiff is at work",
                        });
                    }
                }
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                // A file system without locks.
                Err(TryLockError::Error(_)) => break None,
            }
        };
        wait.start_over();
        let record = Mutex::new(Record { file, files: Vec::new() });
        Ok(Self { common_dir, process: std::process::id(), record, life: Mutex::default() })
    }

    fn change_record(&self, change: impl FnOnce(&mut Vec<Named>)) -> Result<(), Error> {
        let mut record = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut record.files);
        record.write().map_err(|error| Error::Write {
            path: self.common_dir.clone(),
            reason: format!("{FILE_NAME}: {error}"),
        })
    }

    /// Touch the record every so often, until the lock is let go of.
    fn give_signs_of_life(self: &Arc<Self>) {
        let mut life = self.life.lock().unwrap_or_else(PoisonError::into_inner);
        if life.is_some() {
            return;
        }
        let (sender, ended) = mpsc::channel::<()>();
        let held = Arc::downgrade(self);
        let thread = std::thread::Builder::new().name("versiondiff-lock".to_owned());
        let started = thread.spawn(move || {
            while ended.recv_timeout(SIGN_OF_LIFE) == Err(mpsc::RecvTimeoutError::Timeout) {
                let Some(held) = held.upgrade() else { return };
                let mut record = held.record.lock().unwrap_or_else(PoisonError::into_inner);
                // Without a sign less of what is left is known to be ours; nothing else goes wrong.
                let _ = record.touch();
            }
        });
        if started.is_ok() {
            *life = Some(sender);
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            return;
        }
        let record = self.record.get_mut().unwrap_or_else(PoisonError::into_inner);
        record.files.clear();
        let _ = record.write();
        // Closing the file would do, but that a process that was forked meanwhile has it open too.
        if let Some(file) = &record.file {
            let _ = file.unlock();
        }
    }
}

/// How a record starts and ends; one that does not end was being written when its writer died, and
/// so before it made a file.
const RECORD_START: &str = "versiondiff 1 ";
const RECORD_END: &str = "end\n";

impl Record {
    fn write(&mut self) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        if self.files.is_empty() {
            return file.set_len(0);
        }
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(b"\n")?;
        // When it begins, by the clock of the file system.
        let since = time(&file.metadata()?)?.as_nanos();
        let mut text = format!("{RECORD_START}{since}\n");
        for Named { value, file } in &self.files {
            let value = value.map_or_else(|| "-".to_owned(), |id| id.to_string());
            let _ = writeln!(text, "{value} {file}");
        }
        text.push_str(RECORD_END);
        file.rewind()?;
        file.write_all(text.as_bytes())
    }

    fn touch(&mut self) -> io::Result<()> {
        match &mut self.file {
            Some(file) if !self.files.is_empty() => {
                file.rewind()?;
                file.write_all(&RECORD_START.as_bytes()[..1])
            }
            _ => Ok(()),
        }
    }
}

/// When the holder of a record began, and which files it named.
fn parse(text: &str) -> Option<(Duration, Vec<Named>)> {
    let (since, rest) = text.strip_prefix(RECORD_START)?.strip_suffix(RECORD_END)?.split_once('\n')?;
    let since = Duration::from_nanos(since.parse().ok()?);
    let named = rest.lines().map(|line| {
        let (value, file) = line.split_once(' ')?;
        let value = match value {
            "-" => None,
            value => Some(crate::commit::hex_id(value.as_bytes())?),
        };
        is_lock_file(file).then(|| Named { value, file: file.to_owned() })
    });
    Some((since, named.collect::<Option<_>>()?))
}

/// How the name of every lock file ends.
const LOCK_SUFFIX: &str = ".lock";

/// Whether this is a path below a directory that names a lock file on every system.
fn is_lock_file(file: &str) -> bool {
    file.strip_suffix(LOCK_SUFFIX).is_some()
        && file != FILE_NAME
        && !file.contains(['\n', '\r', '\0', '\\'])
        && Path::new(file).components().all(|part| matches!(part, Component::Normal(_)))
}

fn time(metadata: &fs::Metadata) -> io::Result<Duration> {
    metadata.modified()?.duration_since(UNIX_EPOCH).map_err(io::Error::other)
}

/// Remove what a killed holder left, as its record in `file` tells, and the record.
fn remove_stale(file: &mut File, common_dir: &Path) -> io::Result<()> {
    let metadata = file.metadata()?;
    if metadata.len() == 0 {
        return Ok(());
    }
    let mut text = String::new();
    file.rewind()?;
    // What is no text is none of ours, and goes.
    if file.read_to_string(&mut text).is_ok()
        && let Some((since, named)) = parse(&text)
    {
        let lived = since.saturating_sub(GRAIN)..=time(&metadata)? + SLACK;
        let is_left = |named: &Named| {
            let left = Left::look(&common_dir.join(&named.file), named.value)?;
            (left.whose == Whose::Ours || lived.contains(&left.modified)).then_some(left)
        };
        let left: Vec<Left> = named.iter().filter_map(is_left).collect();
        if left.iter().any(|left| left.whose == Whose::Unsaid) {
            std::thread::sleep(GRACE);
        }
        for left in left {
            if left.whose == Whose::Ours || Left::look(&left.path, left.value).as_ref() == Some(&left) {
                // One that can't be removed is met by the writer, who says so.
                let _ = fs::remove_file(&left.path);
            }
        }
    }
    file.set_len(0)
}

/// A lock file that may be one that a killed writer left.
#[derive(PartialEq, Eq, Debug)]
struct Left {
    path: PathBuf,
    value: Option<ContentId>,
    modified: Duration,
    length: u64,
    whose: Whose,
}

#[derive(PartialEq, Eq, Debug)]
enum Whose {
    /// It holds what our writer was about to write.
    Ours,
    /// It does not say.
    Unsaid,
}

impl Left {
    /// `None` where there is none, or it is someone else's.
    fn look(path: &Path, value: Option<ContentId>) -> Option<Self> {
        let metadata = path.symlink_metadata().ok().filter(fs::Metadata::is_file)?;
        let length = metadata.len();
        let whose = match value {
            Some(id) if length > 0 => {
                // A reference's lock file holds an id and a line feed.
                let held = if length <= 64 { fs::read(path).ok()? } else { return None };
                if held.trim_ascii() != id.to_string().as_bytes() {
                    return None;
                }
                Whose::Ours
            }
            _ => Whose::Unsaid,
        };
        Some(Self { path: path.to_owned(), value, modified: time(&metadata).ok()?, length, whose })
    }
}

#[cfg(test)]
mod tests;
