//! Formats as Python holds them.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::door::{Error, enter};

/// A format, validated and ready for use; safe to share between threads.
#[pyclass(frozen, module = "versiondiff._core")]
pub(crate) struct Format {
    pub(crate) inner: versiondiff_engine::format::Format,
}

#[pymethods]
impl Format {
    /// The format that is built in under this name.
    #[staticmethod]
    fn builtin(name: &str) -> PyResult<Self> {
        let inner = versiondiff_engine::format::Format::builtin(name).ok_or_else(|| {
            let known = versiondiff_engine::format::Format::BUILTIN.join(", ");
            let name = versiondiff_engine::display::name(name.as_bytes());
            Error::Argument(format!("no format {name} is built in; there are {known}"))
        })?;
        Ok(Self { inner })
    }

    /// Read a format from its JSON form.
    #[staticmethod]
    fn from_json(py: Python<'_>, json: &[u8]) -> PyResult<Self> {
        let inner = enter(py, || Ok(versiondiff_engine::format::Format::from_json(json)?))?;
        Ok(Self { inner })
    }

    /// The format's JSON form.
    fn to_json<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.to_json())
    }

    /// The format's name.
    #[getter]
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn __repr__(&self) -> String {
        format!("<Format {}>", self.inner.name())
    }
}
