//! A job over a history, as Python iterates over it.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use versiondiff_git::walk::{Poll, Walk};

use crate::door::enter;
use crate::memory;
use crate::watch::LOOK_INTERVAL;

/// How often the next lines are waited for before an empty chunk is handed out.
const POLLS: usize = 4;

/// How many versions a walk has whose memory is worth giving back at its end.
const LONG_WALK: usize = 1_000;

/// The lines of a job over a history, in chunks of whole lines; safe to share between threads,
/// each of which gets some of the chunks.
#[pyclass(frozen, module = "versiondiff._core")]
pub(crate) struct HistoryStream {
    /// `None` where there is nothing to go through, or no longer.
    walk: Mutex<Option<Walk>>,
    /// How far it was at its end.
    end: Mutex<(usize, Option<usize>)>,
}

impl HistoryStream {
    pub(crate) fn new(walk: Option<Walk>) -> Self {
        Self { walk: Mutex::new(walk), end: Mutex::new((0, Some(0))) }
    }

    /// Waiting for a lock or a thread is for those who hold no interpreter.
    fn with_walk<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Option<Walk>) -> Result<T, crate::door::Error> + Send,
    ) -> PyResult<T> {
        enter(py, || work(&mut self.walk.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

#[pymethods]
impl HistoryStream {
    /// The next lines, each with its line feed; `None` at the end. Where the next ones take long,
    /// an empty chunk comes first, so that how far it is can be said.
    fn next_chunk<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        for _ in 0..POLLS {
            let poll = self.with_walk(py, |walk| match walk {
                Some(running) => match running.poll(LOOK_INTERVAL) {
                    Ok(Poll::End) => {
                        *self.end.lock().unwrap_or_else(PoisonError::into_inner) = running.progress();
                        end(walk);
                        Ok(Poll::End)
                    }
                    Ok(other) => Ok(other),
                    Err(error) => {
                        *walk = None;
                        Err(error.into())
                    }
                },
                None => Ok(Poll::End),
            })?;
            match poll {
                Poll::Lines(lines) => {
                    let chunk = PyBytes::new(py, &lines);
                    self.with_walk(py, |walk| {
                        if let Some(walk) = walk {
                            walk.recycle(lines);
                        }
                        Ok(())
                    })?;
                    return Ok(Some(chunk));
                }
                Poll::End => return Ok(None),
                Poll::Pending => {}
            }
            if let Err(interrupt) = py.check_signals() {
                self.close(py)?;
                return Err(interrupt);
            }
        }
        Ok(Some(PyBytes::new(py, b"")))
    }

    /// How many versions have been gone through, and how many there are in all once that is known.
    fn progress(&self, py: Python<'_>) -> PyResult<(usize, Option<usize>)> {
        self.with_walk(py, |walk| {
            let end = || *self.end.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(walk.as_ref().map_or_else(end, Walk::progress))
        })
    }

    /// End the walk: its threads are told, and waited for.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.with_walk(py, |walk| {
            end(walk);
            Ok(())
        })
    }
}

impl Drop for HistoryStream {
    fn drop(&mut self) {
        let walk = self.walk.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(walk) = walk {
            // Where the interpreter is gone, or going, nobody is kept waiting.
            Python::try_attach(move |py| py.detach(move || drop(walk)));
        }
    }
}

/// End a walk, if there is one. What its threads kept from version to version, they leave behind.
fn end(walk: &mut Option<Walk>) {
    let done = walk.take().map_or(0, |walk| walk.progress().0);
    if done >= LONG_WALK {
        memory::give_back(usize::MAX);
    }
}
