//! Package diffs of two sources of files.

use std::time::{Duration, Instant};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};
use versiondiff_engine::delta::{RewriteOptions, Rewrites, Scope, Search};
use versiondiff_engine::package_diff::{
    Detail, FileChange, Numbering, Options, between, numbered_lines as numbered,
};
use versiondiff_engine::snapshot::ReadError;

use crate::compare::compare;
use crate::door::{Error, enter, enter_attached, keep_interrupt};
use crate::source::{FilePath, Source};

/// How often it is said how far a comparison is.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// What was compared: the JSON of each file (`PackageFile`), of the findings (`tuple[PackageFinding,
/// ...]`), and how many comparisons a limit kept from being made.
type Compared<'py> = (Bound<'py, PyList>, Bound<'py, PyBytes>, usize);

/// The package diff of two sources.
///
/// `progress` is told every tenth of a second how many files of how many are done.
#[pyfunction]
#[pyo3(signature = (old, new, *, context, rewrites, paths, hunks, progress = None))]
#[expect(clippy::needless_pass_by_value, reason = "what is extracted from Python is owned")]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub(crate) fn package_diff<'py>(
    py: Python<'py>,
    old: Source,
    new: Source,
    context: usize,
    rewrites: &str,
    paths: Vec<FilePath>,
    hunks: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Compared<'py>> {
    let (files, findings, not_compared) = enter(py, || {
        let options = Options {
            context,
            detail: if hunks { Detail::Hunks } else { Detail::Listing },
            scope: Scope::new(&paths),
            rewrites: self::rewrites(rewrites)?,
            ..Options::default()
        };
        compare(&old, &new, |old, new| {
            let (mut files, mut findings) = (Vec::new(), vec![b'[']);
            let mut told = Instant::now();
            let mut take = |file: FileChange<'_>, count| {
                if let Some(progress) = &progress
                    && told.elapsed() >= PROGRESS_INTERVAL
                {
                    told = Instant::now();
                    tell(progress, files.len(), count)?;
                }
                let mut json = Vec::new();
                file.write_json(&mut json);
                files.push(json);
                file.write_findings(&mut findings);
                Ok(())
            };
            let rewrites = between(old, new, &options, &mut take)?;
            findings.push(b']');
            Ok((files, findings, rewrites.map_or(0, |Rewrites { not_compared, .. }| not_compared)))
        })
    })?;
    let list = PyList::empty(py);
    // One after the other, so that each is there twice for a moment only.
    for json in files {
        list.append(PyBytes::new(py, &json))?;
    }
    Ok((list, PyBytes::new(py, &findings), not_compared))
}

/// How to look for files that moved, by name: similar ones as git does.
fn rewrites(name: &str) -> Result<Option<RewriteOptions>, Error> {
    let options = crate::compare::rewrites(name)?;
    Ok(options.map(|options| match options.similarity {
        Some(_) => RewriteOptions::as_git(),
        None => RewriteOptions { search: Search::AsGit, ..options },
    }))
}

fn tell(progress: &Py<PyAny>, done: usize, count: usize) -> Result<(), ReadError> {
    Python::attach(|py| progress.call1(py, (done, count))).map(drop).map_err(|error| {
        keep_interrupt(error);
        ReadError::Source { path: "".into(), reason: "interrupted".to_owned() }
    })
}

/// Lines of a hunk's body with both line numbers before each, made safe to show, and the numbers of the
/// lines that follow.
#[pyfunction]
pub(crate) fn numbered_lines(
    body: &Bound<'_, PyString>,
    old: usize,
    new: usize,
    width: usize,
    no_line_feed: &str,
) -> PyResult<(String, usize, usize)> {
    let numbering = Numbering { old, new, width: width.min(MOST_DIGITS), no_line_feed };
    enter_attached(|| Ok(numbered(&body.to_string_lossy(), numbering)))
}

/// No number of lines has more.
const MOST_DIGITS: usize = 20;
