//! Version diffs: their options, and comparing two sources of files.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use versiondiff_engine::delta::Scope;
use versiondiff_engine::snapshot::InvalidPath;
use versiondiff_engine::version_diff::{JsonForm, Language, Limits, Memory, OnSecret, Options, between};

use crate::compare::{compare, fitting_format, rewrites};
use crate::door::{Error, enter};
use crate::format::Format;
use crate::rules::Rules;
use crate::source::{FilePath, Source};

/// How a version diff is made.
#[pyclass(frozen, module = "versiondiff._core")]
pub(crate) struct DiffOptions {
    pub(crate) inner: Options,
}

#[pymethods]
impl DiffOptions {
    #[new]
    #[pyo3(signature = (*, rules, file_limit, total_limit, on_secret, json, language, paths, rewrites))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments")]
    #[expect(clippy::needless_pass_by_value, reason = "what is extracted from Python is owned")]
    fn new(
        rules: &Bound<'_, Rules>,
        file_limit: usize,
        total_limit: usize,
        on_secret: &str,
        json: &str,
        language: &str,
        paths: Vec<FilePath>,
        rewrites: &str,
    ) -> PyResult<Self> {
        let wrong = |rule: &str| Error::Argument(rule.to_owned());
        let inner = Options {
            limits: Limits { file: file_limit, total: total_limit },
            rules: rules.get().inner.clone(),
            on_secret: match on_secret {
                "redact" => OnSecret::Redact,
                "fail" => OnSecret::Fail,
                _ => return Err(wrong("on_secret is one of redact and fail").into()),
            },
            json: match json {
                "canonical" => JsonForm::Canonical,
                "as_written" => JsonForm::AsWritten,
                _ => return Err(wrong("json is one of canonical and as_written").into()),
            },
            language: match language {
                "en" => Language::English,
                "ja" => Language::Japanese,
                _ => return Err(wrong("language is one of en and ja").into()),
            },
            scope: Scope::new(&paths),
            rewrites: self::rewrites(rewrites)?,
            ..Options::default()
        };
        Ok(Self { inner })
    }

    fn __repr__(&self) -> String {
        let Limits { file, total } = self.inner.limits;
        format!("<DiffOptions: {file} bytes a file, {total} in all>")
    }
}

/// The version diff of two sources, as JSON (`VersionDiff`).
///
/// Without a format, the first built-in one that fits the new files, else the old ones.
#[pyfunction]
#[pyo3(signature = (old, new, options, format = None))]
#[expect(clippy::needless_pass_by_value, reason = "what is extracted from Python is owned")]
pub(crate) fn version_diff<'py>(
    py: Python<'py>,
    old: Source,
    new: Source,
    options: &Bound<'py, DiffOptions>,
    format: Option<&Bound<'py, Format>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (format, options) = (format.map(Bound::get), &options.get().inner);
    let json = enter(py, || {
        compare(&old, &new, |old, new| {
            let format = fitting_format(old, new, format)?;
            let mut json = Vec::new();
            between(old, new, &format, options, &mut Memory::default())
                .map_err(versiondiff_git::Error::from)?
                .write_json(&mut json);
            Ok(json)
        })
        .map_err(|error| without_secrets(error, options))
    })?;
    Ok(PyBytes::new(py, &json))
}

/// The error, with secrets hidden in a path that was refused before anything was compared.
fn without_secrets(mut error: Error, options: &Options) -> Error {
    if let Error::Path(InvalidPath { path, .. }) = &mut error {
        *path = options.rules.hide(Cow::Borrowed(path)).into_owned().into();
    }
    error
}
