//! Package diffs of two sources of files as text, handed over while it is made.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use versiondiff_engine::delta::Rewrites;
use versiondiff_engine::package_diff::{FileChange, Options, between};
use versiondiff_engine::snapshot::{ReadError, Snapshot};

use crate::compare::compare;
use crate::door::{Error, enter};
use crate::memory::give_back;
use crate::package_diff::{Told, options};
use crate::source::Source;

/// Write the package diff of two sources as text, without holding it.
///
/// `list` is given the JSON of each file without its hunks (`PackageFile`), that of the findings, and how
/// many comparisons a limit kept from being made, and gives what stands before the first file's hunks;
/// `begin` is given the number of a file that has hunks, and gives what stands before them; `write` is
/// given the text in parts, as UTF-8. Gives whether any file differs.
#[pyfunction]
#[pyo3(signature = (old, new, *, context, rewrites, paths, no_line_feed, list, begin, write, progress = None))]
#[expect(clippy::needless_pass_by_value, reason = "what is extracted from Python is owned")]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub(crate) fn write_package(
    py: Python<'_>,
    old: Source,
    new: Source,
    context: usize,
    rewrites: &str,
    paths: Vec<String>,
    no_line_feed: &str,
    list: Py<PyAny>,
    begin: Py<PyAny>,
    write: Py<PyAny>,
    progress: Option<Py<PyAny>>,
) -> PyResult<()> {
    enter(py, || {
        let options = options(context, rewrites, &paths, true)?;
        compare(&old, &new, |old, new| {
            let (files, findings, not_compared) = compared(old, new, &options, progress.as_ref())?;
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

/// All files that differ, the JSON of the findings, and how many comparisons a limit kept from being made.
fn compared<'a>(
    old: &'a dyn Snapshot,
    new: &'a dyn Snapshot,
    options: &Options,
    progress: Option<&Py<PyAny>>,
) -> Result<(Vec<FileChange<'a>>, Vec<u8>, usize), ReadError> {
    let (mut files, mut findings) = (Vec::new(), vec![b'[']);
    let mut told = Told::new(progress);
    let mut take = |file: FileChange<'a>, count| {
        told.tell(files.len(), count)?;
        give_back(file.hunks.size());
        file.write_findings(&mut findings);
        files.push(file);
        Ok(())
    };
    let rewrites = between(old, new, options, &mut take)?;
    findings.push(b']');
    Ok((files, findings, rewrites.map_or(0, |Rewrites { not_compared, .. }| not_compared)))
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
