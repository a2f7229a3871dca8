//! Files of a version: read, and changed in a new commit of a branch.

use bstr::{BStr, BString, Finder};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use versiondiff_engine::snapshot::{ContentId, Mode};
use versiondiff_git::files::{self, Change, Committed, Edit, NewFile, Unchanged};
use versiondiff_git::revision;
use versiondiff_git::writing::Message;

use crate::door::{Error, enter, waiting};
use crate::notes::{PlainSignature, signature};
use crate::repository::Repository;
use crate::text::Text;

/// Path, git's six octal digits of the mode, content.
type PlainFile = (Vec<u8>, String, PyBackedBytes);

/// `write` with one file, whose own path is not looked at; `remove` with none; or `replace` with all
/// files of a folder, by their paths below it. Between them the path that it is about.
type PlainEdit = (String, Vec<u8>, Vec<PlainFile>);

/// Name, mode, id.
type ListedEntry<'py> = (Bound<'py, PyBytes>, &'static str, String);

/// Path, content.
type ReadFile<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>);

/// Make edits in one commit on a branch that stands on `expected`: `made`, `unchanged` or `moved`,
/// and the commit that was made.
#[pyfunction]
#[pyo3(signature = (repository, branch, expected, edits, author, committer, message, timeout, *,
                    even_unchanged = false))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub(crate) fn commit_files(
    py: Python<'_>,
    repository: &Repository,
    branch: Vec<u8>,
    expected: Option<&str>,
    edits: Vec<PlainEdit>,
    author: PlainSignature,
    committer: PlainSignature,
    message: String,
    timeout: f64,
    even_unchanged: bool,
) -> PyResult<(&'static str, Option<String>)> {
    let message = Message { author: signature(author), committer: signature(committer), text: message };
    let outcome = enter(py, || {
        let expected = expected.map(id).transpose()?;
        let edits = plain_edits(edits)?;
        let branch = BString::from(branch);
        waiting(timeout, |wait| {
            let (branch, unchanged) = (BStr::new(&branch), on_unchanged(even_unchanged));
            Ok(files::commit(&repository.inner, branch, expected, &edits, unchanged, &message, wait)?)
        })
    })?;
    Ok(match outcome {
        Committed::Made(commit) => ("made", Some(commit.to_string())),
        Committed::Unchanged => ("unchanged", None),
        Committed::Moved => ("moved", None),
    })
}

fn on_unchanged(even_unchanged: bool) -> Unchanged {
    if even_unchanged { Unchanged::Commit } else { Unchanged::LeaveOut }
}

/// Write a commit with edits made on `parent`, and move no branch: its id, or None where the files
/// are what they were.
#[pyfunction]
#[pyo3(signature = (repository, parent, edits, author, committer, message, *, even_unchanged = false))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub(crate) fn write_commit(
    py: Python<'_>,
    repository: &Repository,
    parent: Option<&str>,
    edits: Vec<PlainEdit>,
    author: PlainSignature,
    committer: PlainSignature,
    message: String,
    even_unchanged: bool,
) -> PyResult<Option<String>> {
    let message = Message { author: signature(author), committer: signature(committer), text: message };
    let commit = enter(py, || {
        let parent = parent.map(id).transpose()?;
        let unchanged = on_unchanged(even_unchanged);
        Ok(files::write(&repository.inner, parent, &plain_edits(edits)?, unchanged, &message)?)
    })?;
    Ok(commit.map(|commit| commit.to_string()))
}

/// What is in a folder (empty: the root) of a version: name, mode, id. None where there is none.
///
/// With `near`, a text in lower case and names, only what has the text in its name, or has one of the
/// names, whatever the case; and names of other letters than ASCII's, of which that isn't said.
#[pyfunction]
#[pyo3(signature = (repository, revision, path, *, near = None))]
#[expect(clippy::needless_pass_by_value, reason = "what is extracted from Python is owned")]
pub(crate) fn list_folder<'py>(
    py: Python<'py>,
    repository: &Repository,
    revision: Text<'_>,
    path: &[u8],
    near: Option<(Vec<u8>, Vec<Vec<u8>>)>,
) -> PyResult<Option<Vec<ListedEntry<'py>>>> {
    let (part, names) = near.as_ref().map_or((&[][..], &[][..]), |(part, names)| (&part[..], &names[..]));
    let part = Finder::new(part);
    let is_wanted = |name: &BStr| {
        near.is_none()
            || !name.is_ascii()
            || names.iter().any(|other| name.eq_ignore_ascii_case(other))
            || part.find(name.to_ascii_lowercase()).is_some()
    };
    let found = enter(py, || {
        let handle = repository.inner.handle();
        let commit = revision::resolve(&handle, &revision)?;
        Ok(files::list(&handle, &commit, BStr::new(path), is_wanted)?)
    })?;
    Ok(found.map(|entries| {
        let plain = entries
            .iter()
            .map(|entry| (PyBytes::new(py, &entry.path), entry.mode.octal(), entry.id.to_string()));
        plain.collect()
    }))
}

/// The content of the file at a path of each of these trees; None where there is no file.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "what is extracted from Python is owned")]
pub(crate) fn read_each<'py>(
    py: Python<'py>,
    repository: &Repository,
    trees: Vec<String>,
    path: &[u8],
) -> PyResult<Vec<Option<Bound<'py, PyBytes>>>> {
    let found = enter(py, || {
        let handle = repository.inner.handle();
        let read = |tree: &String| Ok(files::read(&handle, &id(tree)?, BStr::new(path))?);
        trees.iter().map(read).collect::<Result<Vec<_>, Error>>()
    })?;
    Ok(found.iter().map(|content| content.as_ref().map(|content| PyBytes::new(py, content))).collect())
}

/// All files in and below a tree: their paths and contents, sorted.
#[pyfunction]
pub(crate) fn read_files<'py>(
    py: Python<'py>,
    repository: &Repository,
    tree: &str,
) -> PyResult<Vec<ReadFile<'py>>> {
    let found = enter(py, || Ok(files::read_all(&repository.inner.handle(), &id(tree)?)?))?;
    let plain = found.iter().map(|(path, content)| (PyBytes::new(py, path), PyBytes::new(py, content)));
    Ok(plain.collect())
}

fn id(digits: &str) -> Result<ContentId, Error> {
    let id = versiondiff_git::commit::hex_id(digits.as_bytes()).filter(|_| digits.len() == 40);
    id.ok_or_else(|| Error::Argument("an object is named by its 40 hexadecimal digits".to_owned()))
}

fn plain_edits(edits: Vec<PlainEdit>) -> Result<Vec<Edit>, Error> {
    edits.into_iter().map(plain_edit).collect()
}

fn plain_edit((kind, path, files): PlainEdit) -> Result<Edit, Error> {
    let mut files: Vec<(BString, NewFile)> = files
        .into_iter()
        .map(|(below, mode, content)| {
            let mode = Mode::from_octal(mode.as_bytes())
                .ok_or_else(|| Error::Argument("a mode is written in octal digits".to_owned()))?;
            Ok((below.into(), NewFile { mode, content: content.to_vec() }))
        })
        .collect::<Result<_, Error>>()?;
    let change = match (kind.as_str(), files.len()) {
        ("write", 1) => Change::Write(files.remove(0).1),
        ("remove", 0) => Change::Remove,
        ("replace", _) => Change::Replace(files),
        _ => {
            let rule = "an edit is write with one file, remove with none, or replace with those of a folder";
            return Err(Error::Argument(rule.to_owned()));
        }
    };
    Ok(Edit { path: path.into(), change })
}
