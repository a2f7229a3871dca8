//! Archives of packages: read once, and handed to whatever compares files.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use versiondiff_archive::{Limits, Package, toml_to_json, yaml_to_json};

use crate::door::enter;
use crate::watch::{Clock, Told};

/// The files of a package, in memory.
#[pyclass(frozen, module = "versiondiff._core")]
pub(crate) struct PackageFiles {
    pub(crate) package: Arc<Package>,
}

#[pymethods]
impl PackageFiles {
    /// The content of the entry at this place of the listing, or the target of a link; None where
    /// there is none.
    fn content<'py>(&self, py: Python<'py>, entry: usize) -> Option<Bound<'py, PyBytes>> {
        let bytes = self.package.entries.get(entry)?.bytes()?;
        Some(PyBytes::new(py, bytes))
    }

    fn __repr__(&self) -> String {
        format!("<PackageFiles: {} of {} entries>", self.package.kind.name(), self.package.entries.len())
    }
}

/// Read an archive: its files, and the listing as JSON.
///
/// `progress` is called now and then with how many entries there are so far, and None.
#[pyfunction]
#[pyo3(signature = (data, *, unpacked_bytes, entries, file_bytes, ratio, nesting, progress = None))]
#[expect(clippy::needless_pass_by_value, reason = "what is extracted from Python is owned")]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub(crate) fn read_package(
    py: Python<'_>,
    data: PyBackedBytes,
    unpacked_bytes: u64,
    entries: u64,
    file_bytes: u64,
    ratio: u64,
    nesting: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<(PackageFiles, Bound<'_, PyBytes>)> {
    let limits = Limits { unpacked_bytes, entries, file_bytes, ratio, nesting };
    let (package, json) = enter(py, || {
        let clock = Clock::new(Told { progress: progress.as_ref(), ..Told::default() });
        let go_on = |entries| clock.done(usize::try_from(entries).unwrap_or(usize::MAX)).is_ok();
        let package = clock.settle(Package::read_watched(&data, &limits, &go_on))?;
        let mut json = Vec::new();
        package.write_json(&mut json);
        Ok((package, json))
    })?;
    Ok((PackageFiles { package: Arc::new(package) }, PyBytes::new(py, &json)))
}

/// The first document of a YAML text as JSON, in which every scalar is text, or null.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "what is extracted from Python is owned")]
pub(crate) fn yaml_as_json(py: Python<'_>, text: PyBackedBytes) -> PyResult<Bound<'_, PyBytes>> {
    let json = enter(py, || Ok(yaml_to_json(&text)?))?;
    Ok(PyBytes::new(py, &json))
}

/// A TOML text as JSON, in which numbers and times are text.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "what is extracted from Python is owned")]
pub(crate) fn toml_as_json(py: Python<'_>, text: PyBackedBytes) -> PyResult<Bound<'_, PyBytes>> {
    let json = enter(py, || Ok(toml_to_json(&text)?))?;
    Ok(PyBytes::new(py, &json))
}
