//! The one door through which every call goes: it releases the interpreter, catches what must not
//! cross, and turns errors into exceptions.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use versiondiff_engine::format::FormatError;
use versiondiff_engine::secrets::UnknownRule;
use versiondiff_engine::secrets::custom::RuleFileError;
use versiondiff_engine::snapshot::{InvalidPath, ReadError};
use versiondiff_git::import::ImportError;
use versiondiff_git::wait::Wait;

use crate::watch::LOOK_INTERVAL;

mod exceptions {
    pyo3::import_exception!(versiondiff.errors, Conflict);
    pyo3::import_exception!(versiondiff.errors, InternalError);
    pyo3::import_exception!(versiondiff.errors, InvalidInput);
    pyo3::import_exception!(versiondiff.errors, LimitExceeded);
    pyo3::import_exception!(versiondiff.errors, NotFound);
    pyo3::import_exception!(versiondiff.errors, SecretFound);
    pyo3::import_exception!(versiondiff.errors, UnsupportedFormat);
    pyo3::import_exception!(versiondiff.errors, VersionDiffError);
}

/// Everything that can go wrong behind the door.
#[derive(Debug)]
pub(crate) enum Error {
    Archive(versiondiff_archive::Error),
    Git(versiondiff_git::Error),
    Read(ReadError),
    Format(FormatError),
    Import(ImportError),
    Path(InvalidPath),
    Rules(RuleFileError),
    Rule(UnknownRule),
    /// An argument breaks a rule.
    Argument(String),
    /// A Python exception, such as `KeyboardInterrupt`.
    Python(PyErr),
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Archive(error) => error.fmt(formatter),
            Self::Git(error) => error.fmt(formatter),
            Self::Read(error) => error.fmt(formatter),
            Self::Format(error) => error.fmt(formatter),
            Self::Import(error) => error.fmt(formatter),
            Self::Path(error) => error.fmt(formatter),
            Self::Rules(error) => error.fmt(formatter),
            Self::Rule(error) => error.fmt(formatter),
            Self::Argument(rule) => formatter.write_str(rule),
            Self::Python(error) => error.fmt(formatter),
        }
    }
}

macro_rules! error_from {
    ($($source:ty => $variant:ident),* $(,)?) => {
        $(impl From<$source> for Error {
            fn from(error: $source) -> Self {
                Self::$variant(error)
            }
        })*
    };
}

error_from! {
    versiondiff_archive::Error => Archive,
    versiondiff_git::Error => Git,
    ReadError => Read,
    FormatError => Format,
    ImportError => Import,
    InvalidPath => Path,
    RuleFileError => Rules,
    UnknownRule => Rule,
    PyErr => Python,
}

impl From<Error> for PyErr {
    fn from(error: Error) -> Self {
        use exceptions::{
            Conflict, InternalError, InvalidInput, LimitExceeded, NotFound, SecretFound, UnsupportedFormat,
            VersionDiffError,
        };
        use versiondiff_git::Error as Git;
        let text = error.to_string();
        match error {
            Error::Python(error) => error,
            Error::Archive(error) => match error {
                versiondiff_archive::Error::UnknownKind { .. } => UnsupportedFormat::new_err(text),
                versiondiff_archive::Error::Damaged { .. } => InvalidInput::new_err(text),
                versiondiff_archive::Error::Limit { .. } => LimitExceeded::new_err(text),
                versiondiff_archive::Error::Interrupted => VersionDiffError::new_err(text),
            },
            Error::Read(error) | Error::Git(Git::Read(error)) => match error {
                ReadError::Missing { .. } => NotFound::new_err(text),
                ReadError::Corrupt { .. } => InvalidInput::new_err(text),
                ReadError::Limit { .. } => LimitExceeded::new_err(text),
                ReadError::Source { .. } => VersionDiffError::new_err(text),
            },
            Error::Git(Git::NoRepository { .. } | Git::NoRevision { .. }) => NotFound::new_err(text),
            Error::Git(Git::Unsupported { .. } | Git::NoFormat) => UnsupportedFormat::new_err(text),
            Error::Git(Git::Secret(_)) => SecretFound::new_err(text),
            Error::Git(Git::Conflict { .. }) => Conflict::new_err(text),
            Error::Git(Git::Internal(_)) => InternalError::new_err(text),
            Error::Git(Git::Open { .. } | Git::Write { .. } | Git::Interrupted)
            | Error::Import(ImportError::Read { .. } | ImportError::Write { .. }) => {
                VersionDiffError::new_err(text)
            }
            Error::Rules(RuleFileError::Limit { .. }) => LimitExceeded::new_err(text),
            Error::Git(
                Git::NotOwned { .. }
                | Git::InvalidRange { .. }
                | Git::Reference { .. }
                | Git::Invalid { .. }
                | Git::Path { .. },
            )
            | Error::Import(_)
            | Error::Format(_)
            | Error::Path(_)
            | Error::Rules(RuleFileError::Invalid { .. })
            | Error::Rule(_)
            | Error::Argument(_) => InvalidInput::new_err(text),
        }
    }
}

thread_local! {
    /// Where the last panic of this thread was.
    static PANIC_PLACE: RefCell<String> = const { RefCell::new(String::new()) };
    /// What ended a call of Python below the work that this thread does.
    static INTERRUPT: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Keep the text of panics to ourselves: it may quote what was being read. Only the place is kept.
pub(crate) fn keep_panics_quiet() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map_or_else(String::new, |place| {
            let file = place.file().rsplit(['/', '\\']).next().unwrap_or_default();
            format!("{file}:{}", place.line())
        });
        PANIC_PLACE.set(place);
    }));
}

/// Keep an interrupt, such as `KeyboardInterrupt`, that came up where only errors of reading can
/// be told: the door raises it once the work has ended.
pub(crate) fn keep_interrupt(interrupt: PyErr) {
    INTERRUPT.set(Some(interrupt));
}

/// Run `work` with the interpreter released.
pub(crate) fn enter<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T, Error> + Send) -> PyResult<T> {
    let done = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    if let Some(interrupt) = INTERRUPT.take() {
        return Err(interrupt);
    }
    let Ok(result) = done else {
        let place = PANIC_PLACE.take();
        return Err(exceptions::InternalError::new_err(format!("a defect in versiondiff, at {place}")));
    };
    Ok(result?)
}

/// As [`enter`], with the interpreter held: for work on Python's own values.
pub(crate) fn enter_attached<T>(work: impl FnOnce() -> Result<T, Error>) -> PyResult<T> {
    let Ok(result) = catch_unwind(AssertUnwindSafe(work)) else {
        let place = PANIC_PLACE.take();
        return Err(exceptions::InternalError::new_err(format!("a defect in versiondiff, at {place}")));
    };
    Ok(result?)
}

/// A defect, on purpose: what one does to whoever calls is tested with it, and nothing else calls it.
#[pyfunction]
#[pyo3(signature = (text, *, attached))]
#[expect(clippy::panic, reason = "it is what this is for")]
pub(crate) fn defect(py: Python<'_>, text: String, attached: bool) -> PyResult<()> {
    let panics = move || -> Result<(), Error> { panic!("{text}") };
    if attached { enter_attached(panics) } else { enter(py, panics) }
}

/// Do `work` that waits for others by the pauses it is handed, which Ctrl-C ends.
pub(crate) fn waiting<T>(
    timeout: f64,
    work: impl FnOnce(&mut Wait<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let timeout = Duration::try_from_secs_f64(timeout)
        .map_err(|_| Error::Argument("a timeout is a number of seconds, not below zero".to_owned()))?;
    let looked = Cell::new(Instant::now());
    let interrupt = RefCell::new(None);
    let pause = |length: Duration| {
        std::thread::sleep(length);
        if looked.get().elapsed() < LOOK_INTERVAL {
            return Ok(());
        }
        looked.set(Instant::now());
        #[expect(clippy::redundant_closure_for_method_calls, reason = "the method is not general enough")]
        Python::attach(|py| py.check_signals()).map_err(|error| {
            *interrupt.borrow_mut() = Some(error);
            versiondiff_git::Error::Interrupted
        })
    };
    let result = work(&mut Wait::new(timeout, &pause));
    match interrupt.take() {
        Some(interrupt) => Err(Error::Python(interrupt)),
        None => result,
    }
}
