//! Text that Python hands over and that must be Unicode: names of versions, of references, ranges.

use std::ops::Deref;
use std::path::{Path, PathBuf};

use pyo3::exceptions::PyUnicodeEncodeError;
use pyo3::prelude::*;

use crate::door::Error;

/// A text; one that is no Unicode, as Python's can be, breaks a rule.
#[derive(Clone, Copy)]
pub(crate) struct Text<'a>(&'a str);

impl<'a, 'py> FromPyObject<'a, 'py> for Text<'a> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        object.extract().map(Self).map_err(|error| or_not_unicode(error, object.py()))
    }
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        self.0
    }
}

/// The path of a file or a directory on the disk; a text that can be none breaks a rule.
pub(crate) struct Place(PathBuf);

impl<'py> FromPyObject<'_, 'py> for Place {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        object.extract().map(Self).map_err(|error| or_not_unicode(error, object.py()))
    }
}

impl Deref for Place {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

fn or_not_unicode(error: PyErr, py: Python<'_>) -> PyErr {
    if error.is_instance_of::<PyUnicodeEncodeError>(py) { not_unicode().into() } else { error }
}

/// What is wrong with text that holds half of a pair of surrogates.
pub(crate) fn not_unicode() -> Error {
    Error::Argument("a name or a path is no Unicode text: it holds a surrogate that stands alone".to_owned())
}
