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
use crate::door::{Error, enter, keep_interrupt};
use crate::memory::give_back;
use crate::source::Source;

/// How often it is said how far a comparison is.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// What was compared: the JSON of each file (`PackageFile`), of the findings (`tuple[PackageFinding,
/// ...]`), how many comparisons a limit kept from being made, and the bodies that stand empty in the JSON.
type Compared<'py> = (Bound<'py, PyList>, Bound<'py, PyBytes>, usize, Vec<Py<PyString>>);

/// The package diff of two sources.
///
/// With `beside`, large bodies of hunks are not in the JSON, where each would be there twice more while it
/// is decoded: they stand empty there, and follow in order.
///
/// `progress` is told every tenth of a second how many files of how many are done.
#[pyfunction]
#[pyo3(signature = (old, new, *, context, rewrites, paths, hunks, beside, progress = None))]
#[expect(clippy::needless_pass_by_value, reason = "what is extracted from Python is owned")]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub(crate) fn package_diff<'py>(
    py: Python<'py>,
    old: Source,
    new: Source,
    context: usize,
    rewrites: &str,
    paths: Vec<String>,
    hunks: bool,
    beside: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Compared<'py>> {
    let (files, findings, not_compared, bodies) = enter(py, || {
        let options = options(context, rewrites, &paths, hunks)?;
        compare(&old, &new, |old, new| {
            let (mut files, mut findings, mut bodies) = (Vec::new(), vec![b'['], Vec::new());
            let mut told = Told::new(progress.as_ref());
            let mut take = |file: FileChange<'_>, count| {
                told.tell(files.len(), count)?;
                // What comparing took, before as much is asked for again; and then both sides.
                let size = file.hunks.size();
                give_back(size);
                let mut json = Vec::new();
                if beside {
                    file.write_json_beside(&mut json, &mut |body| {
                        bodies.push(Python::attach(|py| PyString::new(py, &body).unbind()));
                        let freed = body.len();
                        drop(body);
                        give_back(freed);
                    });
                } else {
                    file.write_json(&mut json);
                }
                files.push(json);
                file.write_findings(&mut findings);
                drop(file);
                give_back(size);
                Ok(())
            };
            let rewrites = between(old, new, &options, &mut take)?;
            findings.push(b']');
            let not_compared = rewrites.map_or(0, |Rewrites { not_compared, .. }| not_compared);
            Ok((files, findings, not_compared, bodies))
        })
    })?;
    let list = PyList::empty(py);
    // One after the other, so that each is there twice for a moment only.
    for json in files {
        list.append(PyBytes::new(py, &json))?;
        let freed = json.len();
        drop(json);
        give_back(freed);
    }
    Ok((list, PyBytes::new(py, &findings), not_compared, bodies))
}

/// How to compare.
pub(crate) fn options(
    context: usize,
    rewrites: &str,
    paths: &[String],
    hunks: bool,
) -> Result<Options, Error> {
    Ok(Options {
        context,
        detail: if hunks { Detail::Hunks } else { Detail::Listing },
        scope: Scope::new(paths),
        rewrites: self::rewrites(rewrites)?,
        ..Options::default()
    })
}

/// How to look for files that moved, by name: similar ones as git does.
fn rewrites(name: &str) -> Result<Option<RewriteOptions>, Error> {
    let options = crate::compare::rewrites(name)?;
    Ok(options.map(|options| match options.similarity {
        Some(_) => RewriteOptions::as_git(),
        None => RewriteOptions { search: Search::AsGit, ..options },
    }))
}

/// Who is told how far a comparison is, and when that was last.
pub(crate) struct Told<'p> {
    progress: Option<&'p Py<PyAny>>,
    last: Instant,
}

impl<'p> Told<'p> {
    pub(crate) fn new(progress: Option<&'p Py<PyAny>>) -> Self {
        Self { progress, last: Instant::now() }
    }

    /// So many files are done of so many; said if it is time to.
    pub(crate) fn tell(&mut self, done: usize, count: usize) -> Result<(), ReadError> {
        let Some(progress) = self.progress else { return Ok(()) };
        if self.last.elapsed() < PROGRESS_INTERVAL {
            return Ok(());
        }
        self.last = Instant::now();
        Python::attach(|py| progress.call1(py, (done, count))).map(drop).map_err(|error| {
            keep_interrupt(error);
            ReadError::Source { path: "".into(), reason: "interrupted".to_owned() }
        })
    }
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
) -> (String, usize, usize) {
    let numbering = Numbering { old, new, width: width.min(MOST_DIGITS), no_line_feed };
    numbered(&body.to_string_lossy(), numbering)
}

/// No number of lines has more.
const MOST_DIGITS: usize = 20;
