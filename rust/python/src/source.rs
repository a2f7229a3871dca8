//! Where files come from: what Python hands over, as a snapshot.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use bstr::{BStr, ByteSlice};
use pyo3::exceptions::{PyTypeError, PyUnicodeEncodeError};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyDict, PyString};
use versiondiff_archive::Package;
use versiondiff_directory::{Directory, Watch};
use versiondiff_engine::delta::Scope;
use versiondiff_engine::snapshot::{ContentId, Empty, Mapping, MappingEntry, Mode, Snapshot};
use versiondiff_git::repository::Repository;
use versiondiff_git::snapshot::GitSnapshot;

use crate::door::{Error, enter};
use crate::text::not_unicode;

/// A source of files, free of the interpreter.
pub(crate) enum Source {
    /// `None`: nothing at all.
    Nothing,
    /// A `dict`: its bytes are borrowed, not copied.
    Mapping(Vec<File>),
    /// A path.
    Directory(PathBuf),
    /// A version of a repository.
    Version(Arc<Repository>, ContentId),
    /// An archive that was read.
    Package(Arc<Package>),
}

/// One item of a mapping.
pub(crate) struct File {
    path: FilePath,
    mode: Mode,
    content: PyBackedBytes,
}

/// The path of a file: text, or bytes where it is no UTF-8.
pub(crate) enum FilePath {
    Text(PyBackedStr),
    Bytes(PyBackedBytes),
}

impl FilePath {
    fn as_bstr(&self) -> &BStr {
        match self {
            Self::Text(text) => text.as_str().into(),
            Self::Bytes(bytes) => bytes.as_bstr(),
        }
    }

    fn of(path: Bound<'_, PyAny>) -> PyResult<Self> {
        match path.cast_into::<PyString>() {
            Ok(text) if text.to_str().is_ok() => Ok(Self::Text(text.try_into()?)),
            Ok(text) => {
                // Surrogates stand for the bytes of a path that is no UTF-8, as in `os.fsdecode`.
                let bytes = text
                    .call_method1("encode", ("utf-8", "surrogateescape"))
                    .map_err(|_| PyErr::from(not_unicode()))?;
                Ok(Self::Bytes(bytes.cast_into::<PyBytes>()?.into()))
            }
            Err(other) => match other.into_inner().cast_into::<PyBytes>() {
                Ok(bytes) => Ok(Self::Bytes(bytes.into())),
                Err(_) => Err(PyTypeError::new_err("a path is str or bytes")),
            },
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for FilePath {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Self::of(object.to_owned())
    }
}

impl AsRef<[u8]> for FilePath {
    fn as_ref(&self) -> &[u8] {
        self.as_bstr()
    }
}

impl<'py> FromPyObject<'_, 'py> for Source {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if object.is_none() {
            return Ok(Self::Nothing);
        }
        if let Ok(mapping) = object.cast::<PyDict>() {
            let mut files = Vec::with_capacity(mapping.len());
            for (path, content) in mapping.iter() {
                files.push(file(path, content)?);
            }
            return Ok(Self::Mapping(files));
        }
        if let Ok(version) = object.cast::<crate::repository::Snapshot>() {
            let version = version.get();
            return Ok(Self::Version(Arc::clone(&version.repository), version.commit));
        }
        if let Ok(files) = object.cast::<crate::archive::PackageFiles>() {
            return Ok(Self::Package(Arc::clone(&files.get().package)));
        }
        let path = object.extract::<PathBuf>().map_err(|error| {
            if error.is_instance_of::<PyUnicodeEncodeError>(object.py()) {
                return not_unicode().into();
            }
            PyTypeError::new_err(
                "a source of files is a dict of paths and bytes, the path of a directory, a Snapshot, PackageFiles or None",
            )
        })?;
        Ok(Self::Directory(path))
    }
}

/// One item: the path as `str` or `bytes`; the content as `bytes` or as a `File`.
fn file(path: Bound<'_, PyAny>, content: Bound<'_, PyAny>) -> PyResult<File> {
    let path = FilePath::of(path)?;
    let content = match content.cast_into::<PyBytes>() {
        Ok(bytes) => return Ok(File { path, mode: Mode::File, content: bytes.into() }),
        Err(other) => other.into_inner(),
    };
    let wrong = |_| PyTypeError::new_err("the content of a file is bytes or a File");
    let bytes = content.getattr("content").map_err(wrong)?;
    let bytes = bytes.cast_into::<PyBytes>().map_err(|error| wrong(error.into()))?;
    let digits: PyBackedStr = content.getattr("mode")?.getattr("value")?.extract()?;
    let mode = Mode::from_octal(digits.as_bytes()).ok_or_else(|| {
        PyErr::from(Error::Argument("a mode is one of 100644, 100755 and 120000".to_owned()))
    })?;
    Ok(File { path, mode, content: bytes.into() })
}

impl Source {
    /// Hand the snapshot of this source to `work`; where it is a directory, `watch` is told of each file
    /// that is read beforehand.
    pub(crate) fn with<T>(
        &self,
        watch: Watch<'_>,
        work: impl FnOnce(&dyn Snapshot) -> Result<T, Error>,
    ) -> Result<T, Error> {
        match self {
            Self::Nothing => work(&Empty),
            Self::Mapping(files) => {
                let entries = files.iter().map(|file| MappingEntry {
                    path: Cow::Borrowed(file.path.as_bstr()),
                    mode: file.mode,
                    content: Cow::Borrowed(&*file.content),
                });
                work(&Mapping::new(entries.collect())?)
            }
            Self::Directory(path) => {
                let options = versiondiff_directory::Options::default();
                work(&Directory::open_watched(path, &options, watch)?)
            }
            Self::Version(repository, commit) => {
                let handle = repository.handle();
                work(&GitSnapshot::of_commit(&handle, commit)?)
            }
            Self::Package(package) => work(&package.mapping()?),
        }
    }
}

/// Of each path whether a comparison of this scope looks at it.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "what is extracted from Python is owned")]
pub(crate) fn in_scope(py: Python<'_>, paths: Vec<FilePath>, scope: Vec<FilePath>) -> PyResult<Vec<bool>> {
    enter(py, || {
        let scope = Scope::new(&scope);
        Ok(paths.iter().map(|path| scope.holds(path.as_bstr())).collect())
    })
}

/// What stands at each path: `None` where there is no file.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "what is extracted from Python is owned")]
pub(crate) fn contents(
    py: Python<'_>,
    source: Source,
    paths: Vec<FilePath>,
) -> PyResult<Vec<Option<Bound<'_, PyBytes>>>> {
    let read = |snapshot: &dyn Snapshot| {
        let mut found = Vec::with_capacity(paths.len());
        for path in &paths {
            let path = path.as_bstr();
            let file = snapshot.find(path)?.filter(|entry| entry.mode.is_file());
            let content = file.map(|file| snapshot.blob(path, &file.id).map(Cow::into_owned));
            found.push(content.transpose()?);
        }
        Ok(found)
    };
    let found = enter(py, || match &source {
        // A listing of all of it could take longer than all the rest.
        Source::Directory(root) => {
            let paths = paths.iter().map(FilePath::as_bstr);
            read(&Directory::of_paths(root, paths, &versiondiff_directory::Options::default()))
        }
        source => source.with(&|_, _| Ok(()), read),
    })?;
    Ok(found.into_iter().map(|content| content.map(|content| PyBytes::new(py, &content))).collect())
}
