//! Notes, and the lock that writers hold.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use bstr::{BStr, BString, ByteSlice as _};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use versiondiff_git::lock;
use versiondiff_git::notes::{self, Change, Edit, Listing, Message};
use versiondiff_git::repository;
use versiondiff_git::store::Signature;

use crate::door::{Error, enter, waiting};
use crate::repository::Repository;
use crate::text::Text;

/// How many bytes of notes are handed over at once.
const CHUNK_BYTES: usize = 1 << 18;

/// Name, address, seconds since 1970, minutes ahead of UTC.
pub(crate) type PlainSignature = (String, String, i64, i32);

/// `append`, `append_line`, `set` or `remove`; the revision that it is about; the content; the separator.
type PlainEdit = (String, String, Option<Vec<u8>>, Option<Vec<u8>>);

/// The notes of one reference; safe to share between threads.
#[pyclass(frozen, module = "versiondiff._core")]
pub(crate) struct Notes {
    repository: Arc<repository::Repository>,
    reference: BString,
}

#[pymethods]
impl Notes {
    /// The notes of a reference, by its name as git expands it.
    #[new]
    fn new(repository: &Repository, name: Text<'_>) -> PyResult<Self> {
        let reference = notes::full_name(BStr::new(&*name)).map_err(Error::from)?;
        Ok(Self { repository: Arc::clone(&repository.inner), reference })
    }

    /// The full name of the reference.
    #[getter]
    fn reference(&self) -> String {
        self.reference.to_string()
    }

    /// The note about what `revision` names.
    fn get<'py>(&self, py: Python<'py>, revision: Text<'_>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let content = enter(py, || {
            let handle = self.repository.handle();
            let target = notes::target(&handle, &revision)?;
            Ok(notes::get(&handle, self.reference.as_bstr(), &target)?)
        })?;
        Ok(content.map(|content| PyBytes::new(py, &content)))
    }

    /// All notes.
    fn list(&self, py: Python<'_>) -> PyResult<NoteStream> {
        let listing = enter(py, || Ok(Listing::new(&self.repository.handle(), self.reference.as_bstr())?))?;
        Ok(NoteStream { repository: Arc::clone(&self.repository), listing: Mutex::new(listing) })
    }

    /// Make edits in one commit: the commit that the reference stands on then, and whether it was
    /// made here.
    fn edit(
        &self,
        py: Python<'_>,
        edits: Vec<PlainEdit>,
        author: PlainSignature,
        committer: PlainSignature,
        message: String,
        timeout: f64,
    ) -> PyResult<(Option<String>, bool)> {
        let message = Message { author: signature(author), committer: signature(committer), text: message };
        let edited = enter(py, || {
            let handle = self.repository.handle();
            let edits: Vec<Edit> = edits
                .into_iter()
                .map(|(kind, revision, content, separator)| {
                    let target = notes::target(&handle, &revision)?;
                    let change = match (kind.as_str(), content) {
                        ("append", Some(content)) => Change::Append { content, separator },
                        ("append_line", Some(line)) => Change::AppendLine(line),
                        ("set", Some(content)) => Change::Set(content),
                        ("remove", None) => Change::Remove,
                        _ => {
                            let rule = "an edit is append, append_line or set with a content, or remove";
                            return Err(Error::Argument(rule.to_owned()));
                        }
                    };
                    Ok(Edit { target, change })
                })
                .collect::<Result<_, Error>>()?;
            waiting(timeout, |wait| {
                Ok(notes::edit(&self.repository, self.reference.as_bstr(), &edits, &message, wait)?)
            })
        })?;
        Ok((edited.tip.map(|tip| tip.to_string()), edited.made))
    }

    fn __repr__(&self) -> String {
        format!("<Notes {} of {}>", self.reference, self.repository.git_dir().display())
    }
}

pub(crate) fn signature((name, email, time, offset): PlainSignature) -> Signature {
    Signature { name: name.into(), email: email.into(), time, offset }
}

/// The notes of a reference as they were when they were listed, sorted by object; safe to share
/// between threads, each of which gets some of the chunks.
#[pyclass(frozen, module = "versiondiff._core")]
pub(crate) struct NoteStream {
    repository: Arc<repository::Repository>,
    listing: Mutex<Listing>,
}

#[pymethods]
impl NoteStream {
    /// The next notes: object and content. None at the end.
    fn next_chunk<'py>(&self, py: Python<'py>) -> PyResult<Vec<(String, Bound<'py, PyBytes>)>> {
        let chunk = enter(py, || {
            let mut listing = self.listing.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(listing.next_chunk(&self.repository.handle(), CHUNK_BYTES)?)
        })?;
        let notes =
            chunk.into_iter().map(|(target, content)| (target.to_string(), PyBytes::new(py, &content)));
        Ok(notes.collect())
    }
}

/// The lock that all writers hold; a context manager.
#[pyclass(frozen, module = "versiondiff._core")]
pub(crate) struct WriteLock {
    common_dir: PathBuf,
    files: Vec<String>,
    timeout: f64,
    held: Mutex<Vec<lock::WriteLock>>,
}

#[pymethods]
impl WriteLock {
    /// The lock of the repository with this shared git directory; `files` are the lock files of git
    /// that the holder may make.
    #[new]
    fn new(common_dir: PathBuf, files: Vec<String>, timeout: f64) -> Self {
        Self { common_dir, files, timeout, held: Mutex::default() }
    }

    fn __enter__<'py>(slf: PyRef<'py, Self>, py: Python<'py>) -> PyResult<PyRef<'py, Self>> {
        let this: &Self = &slf;
        let (common_dir, files, timeout) = (&this.common_dir, &this.files, this.timeout);
        let held =
            enter(py, || waiting(timeout, |wait| Ok(lock::WriteLock::hold(common_dir, files, wait)?)))?;
        this.held.lock().unwrap_or_else(PoisonError::into_inner).push(held);
        Ok(slf)
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyAny>) -> PyResult<()> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner).pop();
        enter(py, || {
            drop(held);
            Ok(())
        })
    }
}
