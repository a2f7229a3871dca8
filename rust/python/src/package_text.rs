//! Package diffs of two sources of files as text, handed over while it is made.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use versiondiff_engine::package_diff::FileChange;

use crate::compare::compare_watched;
use crate::door::{Error, enter};
use crate::memory::give_back;
use crate::package_diff::{compare_each, hash_directory, options};
use crate::source::{FilePath, Source};
use crate::watch::{Clock, Told};

/// Write the package diff of two sources as text, without holding it.
///
/// `list` is given the JSON of each file without its hunks (`PackageFile`), that of the findings, and how
/// many comparisons a limit kept from being made, and gives what stands before the first file's hunks;
/// `begin` is given the number of a file that has hunks, and gives what stands before them; `write` is
/// given the text in parts, as UTF-8. Gives whether any file differs.
#[pyfunction]
#[pyo3(signature = (old, new, *, context, rewrites, paths, no_line_feed, list, begin, write, progress = None, phase = None))]
#[expect(clippy::needless_pass_by_value, reason = "what is extracted from Python is owned")]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub(crate) fn write_package(
    py: Python<'_>,
    old: Source,
    new: Source,
    context: usize,
    rewrites: &str,
    paths: Vec<FilePath>,
    no_line_feed: &str,
    list: Py<PyAny>,
    begin: Py<PyAny>,
    write: Py<PyAny>,
    progress: Option<Py<PyAny>>,
    phase: Option<Py<PyAny>>,
) -> PyResult<()> {
    enter(py, || {
        let options = options(context, rewrites, &paths, true)?;
        let clock = Clock::new(Told { progress: progress.as_ref(), phase: phase.as_ref() });
        compare_watched(&old, &new, &clock, hash_directory, |old, new| {
            let (mut files, mut findings) = (Vec::new(), vec![b'[']);
            let not_compared = compare_each(old, new, &options, &clock, |file| {
                file.write_findings(&mut findings);
                files.push(file);
                Ok(())
            })?;
            findings.push(b']');

            let mut text = listed(&list, &files, &findings, not_compared)?;
            let mut full = |text: &mut Vec<u8>| {
                let written = Python::attach(|py| write.call1(py, (PyBytes::new(py, text),)).map(drop));
                text.clear();
                written.map_err(Error::Python)
            };
            for (number, file) in files.into_iter().enumerate() {
                if !file.hunks.list().is_empty() {
                    let heading = Python::attach(|py| begin.call1(py, (number,))?.extract::<String>(py));
                    text.extend_from_slice(heading?.as_bytes());
                    file.hunks.write_numbered(no_line_feed, &mut text, &mut full)?;
                    let size = file.hunks.size();
                    drop(file);
                    give_back(size);
                }
            }
            full(&mut text)
        })
    })
}

/// What stands before the hunks.
fn listed(
    list: &Py<PyAny>,
    files: &[FileChange<'_>],
    findings: &[u8],
    not_compared: usize,
) -> Result<Vec<u8>, Error> {
    let text = Python::attach(|py| {
        let listed = PyList::empty(py);
        let mut json = Vec::new();
        for file in files {
            json.clear();
            file.write_listed_json(&mut json);
            listed.append(PyBytes::new(py, &json))?;
        }
        list.call1(py, (listed, PyBytes::new(py, findings), not_compared))?.extract::<String>(py)
    });
    Ok(text?.into_bytes())
}
