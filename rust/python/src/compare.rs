//! Comparing two sources of files.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use versiondiff_engine::delta::{self, RewriteOptions, Scope};
use versiondiff_engine::record::{self, Memory};
use versiondiff_engine::snapshot::Snapshot;
use versiondiff_engine::unseen::characters;
use versiondiff_engine::{display, format};

use crate::door::{Error, enter, enter_attached};
use crate::format::Format;
use crate::source::{FilePath, Source};
use crate::watch::{Clock, Interruptible, Phase, Told};

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
    compare_watched(old, new, &Clock::new(Told::default()), |_, _| Ok(()), work)
}

/// As [`compare`], watched by this clock, which is told of each directory that is read. `opened` is handed
/// each of the two before anything else is done.
pub(crate) fn compare_watched<T>(
    old: &Source,
    new: &Source,
    clock: &Clock<'_>,
    opened: impl Fn(&Source, &dyn Snapshot) -> Result<(), Error>,
    work: impl FnOnce(&dyn Snapshot, &dyn Snapshot) -> Result<T, Error>,
) -> Result<T, Error> {
    let reading_old = |done, total| clock.reach(Phase::ReadingOld, done, total);
    let reading_new = |done, total| clock.reach(Phase::ReadingNew, done, total);
    let result = old.with(&reading_old, |old_files| {
        let old_files = Interruptible::new(old_files, clock);
        opened(old, &old_files)?;
        new.with(&reading_new, |new_files| {
            let new_files = Interruptible::new(new_files, clock);
            opened(new, &new_files)?;
            work(&old_files, &new_files)
        })
    });
    clock.settle(result)
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

/// The parts of a text that no one sees, each from where to where in characters, as Python counts them.
#[pyfunction]
pub(crate) fn unseen_parts(text: &Bound<'_, PyString>) -> PyResult<Vec<(usize, usize)>> {
    if let Ok(text) = text.to_str() {
        return enter_attached(|| Ok(parts(text)));
    }
    // Surrogates stand for bytes that are no UTF-8, which no one sees either.
    let bytes = text.call_method1("encode", ("utf-32-le", "surrogatepass"))?.cast_into::<PyBytes>()?;
    let (letters, _) = bytes.as_bytes().as_chunks::<4>();
    let letter = |bytes: &[u8; 4]| char::from_u32(u32::from_le_bytes(*bytes)).unwrap_or('\u{ffff}');
    enter_attached(|| Ok(parts(&letters.iter().map(letter).collect::<String>())))
}

fn parts(text: &str) -> Vec<(usize, usize)> {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for (at, _) in characters(text).enumerate().filter(|(_, character)| character.is_unseen) {
        match parts.last_mut() {
            Some((_, end)) if *end == at => *end += 1,
            _ => parts.push((at, at + 1)),
        }
    }
    parts
}

/// Lines of text with every other character made visible that could deceive who reads them.
#[pyfunction]
pub(crate) fn visible_lines(text: &Bound<'_, PyString>) -> PyResult<String> {
    enter_attached(|| Ok(display::visible_lines(text.to_string_lossy()).into_owned()))
}
