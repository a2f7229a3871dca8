//! Archives of packages: read once, and handed to whatever compares files.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Instant;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use versiondiff_archive::{Limits, Package, toml_to_json, yaml_to_json};

use crate::door::{SIGNAL_INTERVAL, enter, keep_interrupt};

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
#[pyfunction]
#[pyo3(signature = (data, *, unpacked_bytes, entries, file_bytes, ratio, nesting))]
#[expect(clippy::needless_pass_by_value, reason = "what is extracted from Python is owned")]
pub(crate) fn read_package(
    py: Python<'_>,
    data: PyBackedBytes,
    unpacked_bytes: u64,
    entries: u64,
    file_bytes: u64,
    ratio: u64,
    nesting: u64,
) -> PyResult<(PackageFiles, Bound<'_, PyBytes>)> {
    let limits = Limits { unpacked_bytes, entries, file_bytes, ratio, nesting };
    let (package, json) = enter(py, || {
        LOOKED.set(None);
        let package = Package::read_watched(&data, &limits, go_on)?;
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

thread_local! {
    /// When signals were looked at last.
    static LOOKED: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Whether no signal, such as Ctrl-C, ends the reading.
fn go_on() -> bool {
    let now = Instant::now();
    let looked = LOOKED.get();
    if looked.is_some_and(|looked| now.duration_since(looked) < SIGNAL_INTERVAL) {
        return true;
    }
    LOOKED.set(Some(now));
    // The first look of a call tells nothing yet, and would cost a short one the interpreter's lock.
    if looked.is_none() {
        return true;
    }
    #[expect(clippy::redundant_closure_for_method_calls, reason = "the method is not general enough")]
    match Python::attach(|py| py.check_signals()) {
        Ok(()) => true,
        Err(interrupt) => {
            keep_interrupt(interrupt);
            false
        }
    }
}

/// A TOML text as JSON, in which numbers and times are text.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "what is extracted from Python is owned")]
pub(crate) fn toml_as_json(py: Python<'_>, text: PyBackedBytes) -> PyResult<Bound<'_, PyBytes>> {
    let json = enter(py, || Ok(toml_to_json(&text)?))?;
    Ok(PyBytes::new(py, &json))
}
