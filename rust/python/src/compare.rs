//! Comparing two sources of files.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use versiondiff_engine::delta::{self, RewriteOptions, Scope};
use versiondiff_engine::record::{self, Memory};
use versiondiff_engine::snapshot::Snapshot;
use versiondiff_engine::{display, format};

use crate::door::{Clock, Error, Interruptible, enter, enter_attached};
use crate::format::Format;
use crate::source::{FilePath, Source};

/// How to look for rewrites, by name.
pub(crate) fn rewrites(name: &str) -> Result<Option<RewriteOptions>, Error> {
    match name {
        "none" => Ok(None),
        "exact" => Ok(Some(RewriteOptions { similarity: None, ..RewriteOptions::default() })),
        "similar" => Ok(Some(RewriteOptions::default())),
        _ => Err(Error::Argument("rewrites is one of none, exact and similar".to_owned())),
    }
}

/// Hand both snapshots to `work`; Ctrl-C ends it.
pub(crate) fn compare<T>(
    old: &Source,
    new: &Source,
    work: impl FnOnce(&dyn Snapshot, &dyn Snapshot) -> Result<T, Error>,
) -> Result<T, Error> {
    old.with(|old| {
        new.with(|new| {
            let clock = Clock::new();
            let result = work(&Interruptible::new(old, &clock), &Interruptible::new(new, &clock));
            match result {
                Err(Error::Read(error) | Error::Git(versiondiff_git::Error::Read(error))) => {
                    clock.settle(Err(error))
                }
                other => other,
            }
        })
    })
}

/// The tree delta of two sources, as JSON (`TreeDelta`).
#[pyfunction]
#[pyo3(signature = (old, new, *, paths = Vec::new(), rewrites = "none"))]
#[expect(clippy::needless_pass_by_value, reason = "what is extracted from Python is owned")]
pub(crate) fn tree_delta<'py>(
    py: Python<'py>,
    old: Source,
    new: Source,
    paths: Vec<FilePath>,
    rewrites: &str,
) -> PyResult<Bound<'py, PyBytes>> {
    let json = enter(py, || {
        let options = delta::Options { scope: Scope::new(&paths), rewrites: self::rewrites(rewrites)? };
        compare(&old, &new, |old, new| {
            let mut json = Vec::new();
            delta::between(old, new, &options)?.write_json(&mut json);
            Ok(json)
        })
    })?;
    Ok(PyBytes::new(py, &json))
}

/// The change record of two sources, as JSON (`ChangeRecord`).
///
/// Without a format, the first built-in one that fits the new files, else the old ones.
#[pyfunction]
#[pyo3(signature = (old, new, format = None))]
#[expect(clippy::needless_pass_by_value, reason = "what is extracted from Python is owned")]
pub(crate) fn change_record<'py>(
    py: Python<'py>,
    old: Source,
    new: Source,
    format: Option<&Bound<'py, Format>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let format = format.map(Bound::get);
    let json = enter(py, || {
        compare(&old, &new, |old, new| {
            let format = fitting_format(old, new, format)?;
            let mut json = Vec::new();
            record::between(old, new, &format, &Scope::default(), &mut Memory::default())?
                .write_json(&mut json);
            Ok(json)
        })
    })?;
    Ok(PyBytes::new(py, &json))
}

/// The format that was given, or the first built-in one that fits the new files, else the old ones.
pub(crate) fn fitting_format<'f>(
    old: &dyn Snapshot,
    new: &dyn Snapshot,
    given: Option<&'f Format>,
) -> Result<Cow<'f, format::Format>, Error> {
    Ok(match given {
        Some(format) => Cow::Borrowed(&format.inner),
        None => Cow::Owned(
            detect(new)?
                .map_or_else(|| detect(old), |found| Ok(Some(found)))?
                .ok_or(versiondiff_git::Error::NoFormat)?,
        ),
    })
}

fn detect(snapshot: &dyn Snapshot) -> Result<Option<format::Format>, Error> {
    // Nothing at all fits no format.
    if snapshot.as_mapping().is_none() && snapshot.root()?.is_none() {
        return Ok(None);
    }
    Ok(format::Format::detect(snapshot)?)
}

/// `text` made safe to show on one line, with at most `length` characters.
#[pyfunction]
pub(crate) fn display_name(text: &Bound<'_, PyString>, length: usize) -> PyResult<String> {
    enter_attached(|| Ok(display::shortened(display::safe(text.to_string_lossy()), length).into_owned()))
}

/// Lines of text with every other character made visible that could deceive who reads them.
#[pyfunction]
pub(crate) fn visible_lines(text: &Bound<'_, PyString>) -> PyResult<String> {
    enter_attached(|| Ok(display::visible_lines(text.to_string_lossy()).into_owned()))
}
