//! Repositories made from history files.

use std::path::PathBuf;

use pyo3::prelude::*;
use versiondiff_git::import::{self, History};

use crate::door::{self, Error};

/// Make a repository from the JSON of a history file; gives the JSON of what was made.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "what is extracted from Python is owned")]
pub(crate) fn create_repository<'py>(
    py: Python<'py>,
    path: PathBuf,
    history: &[u8],
) -> PyResult<Bound<'py, pyo3::types::PyBytes>> {
    let json = door::enter(py, || {
        let created = import::create(&path, &History::parse(history)?)?;
        // Text and maps of text: there is nothing that JSON can't hold.
        serde_json::to_vec(&created).map_err(|error| Error::Argument(error.to_string()))
    })?;
    Ok(pyo3::types::PyBytes::new(py, &json))
}

/// Make a folder the repository that its history file describes; gives the JSON of what was done,
/// or None where there is no such file.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "what is extracted from Python is owned")]
pub(crate) fn adopt_history(
    py: Python<'_>,
    folder: PathBuf,
) -> PyResult<Option<Bound<'_, pyo3::types::PyBytes>>> {
    let json = door::enter(py, || {
        let adopted = import::adopt(&folder)?;
        let json = adopted.map(|adopted| serde_json::to_vec(&adopted)).transpose();
        json.map_err(|error| Error::Argument(error.to_string()))
    })?;
    Ok(json.map(|json| pyo3::types::PyBytes::new(py, &json)))
}
