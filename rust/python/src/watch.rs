//! Long calls, watched: Ctrl-C ends them, and who asked is told how far they are.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};

use bstr::BStr;
use pyo3::prelude::*;
use versiondiff_engine::snapshot::{ContentId, Entry, Mapping, ReadError, Snapshot};

use crate::door::Error;

/// How often a long call looks whether it has been interrupted, and says how far it is.
pub(crate) const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// What a long call is at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    ReadingOld,
    ReadingNew,
    FindingMoved,
    Comparing,
}

impl Phase {
    /// The name that Python knows it by (`PackagePhase`).
    const fn name(self) -> &'static str {
        match self {
            Self::ReadingOld => "reading_old",
            Self::ReadingNew => "reading_new",
            Self::FindingMoved => "finding_moved",
            Self::Comparing => "comparing",
        }
    }
}

/// Who is told how far a call is; what these raise ends it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Told<'p> {
    /// Called now and then with how many are done of the phase, and how many there are once known.
    pub(crate) progress: Option<&'p Py<PyAny>>,
    /// Called with the name of each phase as it begins.
    pub(crate) phase: Option<&'p Py<PyAny>>,
}

/// Looked at often, it looks at signals now and then.
pub(crate) struct Clock<'p> {
    looked: Cell<Instant>,
    interrupt: RefCell<Option<PyErr>>,
    told: Told<'p>,
    phase: Cell<Option<Phase>>,
    done: Cell<usize>,
    total: Cell<Option<usize>>,
}

impl<'p> Clock<'p> {
    pub(crate) fn new(told: Told<'p>) -> Self {
        Self {
            // Short calls never look: that would cost them the interpreter's lock.
            looked: Cell::new(Instant::now()),
            interrupt: RefCell::default(),
            told,
            phase: Cell::new(None),
            done: Cell::new(0),
            total: Cell::new(None),
        }
    }

    /// Begin a phase, of so many where that is known.
    pub(crate) fn begin(&self, phase: Phase, total: Option<usize>) -> Result<(), ReadError> {
        self.phase.set(Some(phase));
        self.done.set(0);
        self.total.set(total);
        match self.told.phase {
            Some(told) => self.call(|py| told.call1(py, (phase.name(),)).map(drop)),
            None => Ok(()),
        }
    }

    /// So many are done of a phase, which begins where it has not.
    pub(crate) fn reach(&self, phase: Phase, done: usize, total: Option<usize>) -> Result<(), ReadError> {
        if self.phase.get() != Some(phase) {
            self.begin(phase, total)?;
        }
        self.total.set(total);
        self.done(done)
    }

    /// So many are done.
    pub(crate) fn done(&self, done: usize) -> Result<(), ReadError> {
        self.done.set(done);
        self.look()
    }

    fn look(&self) -> Result<(), ReadError> {
        let now = Instant::now();
        if now.duration_since(self.looked.get()) < LOOK_INTERVAL {
            return Ok(());
        }
        self.looked.set(now);
        self.call(|py| {
            py.check_signals()?;
            if let Some(progress) = self.told.progress {
                progress.call1(py, (self.done.get(), self.total.get()))?;
            }
            Ok(())
        })
    }

    /// Call Python; what it raises is kept, as only errors of reading can be told here.
    fn call(&self, work: impl FnOnce(Python<'_>) -> PyResult<()>) -> Result<(), ReadError> {
        Python::attach(work).map_err(|interrupt| {
            *self.interrupt.borrow_mut() = Some(interrupt);
            ReadError::Source { path: "".into(), reason: "interrupted".to_owned() }
        })
    }

    /// What the work came to, or the interrupt that ended it.
    pub(crate) fn settle<T>(&self, result: Result<T, impl Into<Error>>) -> Result<T, Error> {
        match self.interrupt.take() {
            Some(interrupt) => Err(Error::Python(interrupt)),
            None => result.map_err(Into::into),
        }
    }
}

/// A snapshot whose reading Ctrl-C ends.
///
/// Looking is cheap enough to do on every read, and a comparison does nothing but read.
pub(crate) struct Interruptible<'a> {
    inner: &'a dyn Snapshot,
    clock: &'a Clock<'a>,
}

impl<'a> Interruptible<'a> {
    pub(crate) fn new(inner: &'a dyn Snapshot, clock: &'a Clock<'a>) -> Self {
        Self { inner, clock }
    }
}

impl Snapshot for Interruptible<'_> {
    fn root(&self) -> Result<Option<ContentId>, ReadError> {
        self.clock.look()?;
        self.inner.root()
    }

    fn tree(&self, path: &BStr, id: &ContentId) -> Result<Rc<[u8]>, ReadError> {
        self.clock.look()?;
        self.inner.tree(path, id)
    }

    fn blob(&self, path: &BStr, id: &ContentId) -> Result<Cow<'_, [u8]>, ReadError> {
        self.clock.look()?;
        self.inner.blob(path, id)
    }

    fn find(&self, path: &BStr) -> Result<Option<Entry>, ReadError> {
        self.clock.look()?;
        self.inner.find(path)
    }

    fn find_directory(&self, path: &BStr) -> Result<Option<ContentId>, ReadError> {
        self.clock.look()?;
        self.inner.find_directory(path)
    }

    fn has_directory(&self, path: &BStr) -> Result<bool, ReadError> {
        self.clock.look()?;
        self.inner.has_directory(path)
    }

    fn as_mapping(&self) -> Option<&Mapping<'_>> {
        self.inner.as_mapping()
    }
}
