//! Rules that recognise secrets, as Python holds them; scanning and redacting with them.

use bstr::BStr;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyString};
use versiondiff_engine::secrets::{self, Builtin};

use crate::door::{Error, enter};

/// A set of rules, ready for use; safe to share between threads.
#[pyclass(frozen, module = "versiondiff._core")]
pub(crate) struct Rules {
    pub(crate) inner: secrets::Rules,
    /// What was odd about the file they came from.
    warnings: Vec<String>,
}

#[pymethods]
impl Rules {
    /// The built-in rules.
    #[staticmethod]
    fn builtin() -> Self {
        Self { inner: secrets::Rules::builtin(), warnings: Vec::new() }
    }

    /// The rules of a file in the gitleaks TOML form.
    ///
    /// The built-in ones are there too where the file asks for them, or, `with_builtin`, unless it
    /// refuses them.
    #[staticmethod]
    #[pyo3(signature = (text, *, with_builtin = false))]
    fn parse(py: Python<'_>, text: &[u8], with_builtin: bool) -> PyResult<Self> {
        let with = if with_builtin { Builtin::UnlessRefused } else { Builtin::WhereAsked };
        let (inner, warnings) = enter(py, || {
            let text = str::from_utf8(text).map_err(|_| Error::Argument("this is no UTF-8".to_owned()))?;
            Ok(secrets::Rules::parse(text, with)?)
        })?;
        Ok(Self { inner, warnings: warnings.iter().map(ToString::to_string).collect() })
    }

    /// This set without the rules of these names.
    #[expect(clippy::needless_pass_by_value, reason = "what is extracted from Python is owned")]
    fn without(&self, py: Python<'_>, names: Vec<Bound<'_, PyString>>) -> PyResult<Self> {
        let names: Vec<_> = names.iter().map(|name| name.to_string_lossy()).collect();
        let inner = enter(py, || Ok(self.inner.without(names.iter().map(|name| &**name))?))?;
        Ok(Self { inner, warnings: self.warnings.clone() })
    }

    /// The rules of both sets.
    fn joined(&self, py: Python<'_>, other: &Bound<'_, Self>) -> PyResult<Self> {
        let other = other.get();
        let inner = enter(py, || Ok(self.inner.joined(&other.inner)))?;
        Ok(Self { inner, warnings: [&self.warnings[..], &other.warnings].concat() })
    }

    /// The names of all rules, each once.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.inner.names().into_iter().map(str::to_owned).collect()
    }

    /// What was odd about the files that rules came from.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    fn __repr__(&self) -> String {
        format!("<Rules: {}>", self.inner.names().len())
    }
}

/// Where secrets are in `content`, and in its path, as JSON (a list of `Finding`).
#[pyfunction]
#[pyo3(signature = (content, rules, path = None))]
pub(crate) fn scan<'py>(
    py: Python<'py>,
    content: &[u8],
    rules: &Bound<'py, Rules>,
    path: Option<&[u8]>,
) -> PyResult<Bound<'py, PyBytes>> {
    let rules = &rules.get().inner;
    let json = enter(py, || {
        let mut json = b"[".to_vec();
        secrets::write_findings(rules, content, path.map(BStr::new), &mut json);
        json.push(b']');
        Ok(json)
    })?;
    Ok(PyBytes::new(py, &json))
}

/// Whether there is a secret in `content`.
#[pyfunction]
pub(crate) fn holds_secret(py: Python<'_>, content: &[u8], rules: &Bound<'_, Rules>) -> PyResult<bool> {
    let rules = &rules.get().inner;
    enter(py, || Ok(rules.finds_any(content)))
}

/// `content` with a mark in place of each secret, and where they were, as JSON.
#[pyfunction]
pub(crate) fn redact<'py>(
    py: Python<'py>,
    content: &[u8],
    rules: &Bound<'py, Rules>,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    let rules = &rules.get().inner;
    let (redacted, json) = enter(py, || {
        let findings = rules.scan(content, None);
        let mut json = b"[".to_vec();
        secrets::write_located(rules, content, &findings, None, &mut json);
        json.push(b']');
        Ok((secrets::redact(content, &findings), json))
    })?;
    Ok((PyBytes::new(py, &redacted), PyBytes::new(py, &json)))
}

/// Of many texts those that hold secrets: the index of each, and it with a mark in place of each.
///
/// The way into the core and back takes longer than the scan of a short text: so one call for all.
#[pyfunction]
pub(crate) fn redact_each<'py>(
    py: Python<'py>,
    texts: Vec<Bound<'py, PyString>>,
    rules: &Bound<'py, Rules>,
) -> PyResult<Vec<(usize, Bound<'py, PyBytes>)>> {
    let rules = &rules.get().inner;
    let texts = texts.into_iter().map(Text::of).collect::<PyResult<Vec<_>>>()?;
    let redacted = enter(py, || {
        let mut redacted = Vec::new();
        for (index, text) in texts.iter().enumerate() {
            let findings = rules.scan(text.bytes(), None);
            if !findings.is_empty() {
                redacted.push((index, secrets::redact(text.bytes(), &findings)));
            }
        }
        Ok(redacted)
    })?;
    Ok(redacted.iter().map(|(index, text)| (*index, PyBytes::new(py, text))).collect())
}

/// A string of Python's as bytes, which are not copied where it holds no surrogate.
enum Text {
    Utf8(PyBackedStr),
    WithSurrogates(PyBackedBytes),
}

impl Text {
    fn of(text: Bound<'_, PyString>) -> PyResult<Self> {
        if text.to_str().is_ok() {
            return Ok(Self::Utf8(text.try_into()?));
        }
        // The class's own way, whatever a subclass does.
        let string = text.py().get_type::<PyString>();
        let encoded = string.call_method1("encode", (text, "utf-8", "surrogatepass"))?;
        Ok(Self::WithSurrogates(encoded.cast_into::<PyBytes>()?.into()))
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Self::Utf8(text) => text.as_bytes(),
            Self::WithSurrogates(bytes) => bytes,
        }
    }
}
