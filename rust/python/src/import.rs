//! Repositories made from history files.

use pyo3::prelude::*;
use versiondiff_git::import::{self, History};

use crate::door::{self, Error};
use crate::repository::durability;
use crate::text::Place;

/// Make a repository from the JSON of a history file; gives the JSON of what was made.
#[pyfunction]
#[pyo3(signature = (path, history, *, durable = false))]
#[expect(clippy::needless_pass_by_value, reason = "what is extracted from Python is owned")]
pub(crate) fn create_repository<'py>(
    py: Python<'py>,
    path: Place,
    history: &[u8],
    durable: bool,
) -> PyResult<Bound<'py, pyo3::types::PyBytes>> {
    let json = door::enter(py, || {
        let created = import::create(&path, &History::parse(history)?, durability(durable))?;
        // Text and maps of text: there is nothing that JSON can't hold.
        serde_json::to_vec(&created).map_err(|error| Error::Argument(error.to_string()))
    })?;
    Ok(pyo3::types::PyBytes::new(py, &json))
}

/// Make a folder the repository that its history file describes; gives the JSON of what was done,
/// or None where there is no such file.
#[pyfunction]
#[pyo3(signature = (folder, *, durable = false))]
#[expect(clippy::needless_pass_by_value, reason = "what is extracted from Python is owned")]
pub(crate) fn adopt_history(
    py: Python<'_>,
    folder: Place,
    durable: bool,
) -> PyResult<Option<Bound<'_, pyo3::types::PyBytes>>> {
    let json = door::enter(py, || {
        let adopted = import::adopt(&folder, durability(durable))?;
        let json = adopted.map(|adopted| serde_json::to_vec(&adopted)).transpose();
        json.map_err(|error| Error::Argument(error.to_string()))
    })?;
    Ok(json.map(|json| pyo3::types::PyBytes::new(py, &json)))
}
