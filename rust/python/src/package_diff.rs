//! Package diffs of two sources of files.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};
use versiondiff_engine::delta::{RewriteOptions, Scope, Search};
use versiondiff_engine::package_diff::{
    Detail, FileChange, Numbering, Options, changes, compare, numbered_lines as numbered,
};
use versiondiff_engine::snapshot::Snapshot;

use crate::compare::compare_watched;
use crate::door::{Error, enter, enter_attached};
use crate::memory::give_back;
use crate::source::{FilePath, Source};
use crate::watch::{Clock, Phase, Told};

/// What was compared: the JSON of each file (`PackageFile`), of the findings (`tuple[PackageFinding,
/// ...]`), how many comparisons a limit kept from being made, and the bodies that stand empty in the JSON.
type Compared<'py> = (Bound<'py, PyList>, Bound<'py, PyBytes>, usize, Vec<Py<PyString>>);

/// The package diff of two sources.
///
/// With `beside`, large bodies of hunks are not in the JSON, where each would be there twice more while it
/// is decoded: they stand empty there, and follow in order.
///
/// `progress` is called now and then with how many files are done of the phase, and how many there are
/// once known; `phase` with the name of each phase as it begins.
#[pyfunction]
#[pyo3(signature = (old, new, *, context, rewrites, paths, hunks, beside, progress = None, phase = None))]
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
    beside: bool,
    progress: Option<Py<PyAny>>,
    phase: Option<Py<PyAny>>,
) -> PyResult<Compared<'py>> {
    let (files, findings, not_compared, bodies) = enter(py, || {
        let options = options(context, rewrites, &paths, hunks)?;
        let clock = Clock::new(Told { progress: progress.as_ref(), phase: phase.as_ref() });
        compare_watched(&old, &new, &clock, hash_directory, |old, new| {
            let (mut files, mut findings, mut bodies) = (Vec::new(), vec![b'['], Vec::new());
            let not_compared = compare_each(old, new, &options, &clock, |file| {
                let size = file.hunks.size();
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
            })?;
            findings.push(b']');
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

/// Hand over each file that differs, compared, and tell the clock of it; how many comparisons a limit kept
/// from being made.
pub(crate) fn compare_each<'a>(
    old: &'a dyn Snapshot,
    new: &'a dyn Snapshot,
    options: &Options,
    clock: &Clock<'_>,
    mut take: impl FnMut(FileChange<'a>) -> Result<(), Error>,
) -> Result<usize, Error> {
    clock.begin(Phase::FindingMoved, None)?;
    let delta = changes(old, new, options)?;
    clock.begin(Phase::Comparing, Some(delta.changes.len()))?;
    for (done, change) in delta.changes.iter().enumerate() {
        clock.done(done)?;
        let file = compare(change, old, new, options)?;
        // What comparing took, before as much is asked for again.
        give_back(file.hunks.size());
        take(file)?;
    }
    Ok(delta.rewrites.map_or(0, |rewrites| rewrites.not_compared))
}

/// How to compare.
pub(crate) fn options(
    context: usize,
    rewrites: &str,
    paths: &[FilePath],
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

/// A directory is hashed when it is asked for its root: at once, and not amid what follows.
pub(crate) fn hash_directory(source: &Source, files: &dyn Snapshot) -> Result<(), Error> {
    if matches!(source, Source::Directory(_)) {
        files.root()?;
    }
    Ok(())
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
