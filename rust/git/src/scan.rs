//! The secrets in what a version brought.

use versiondiff_engine::delta::{self, Scope};
use versiondiff_engine::secrets::{self, Rules};
use versiondiff_engine::snapshot::{Mode, ReadError, Snapshot};

use crate::commit::Commit;
use crate::job::{Subject, write_failure};
use crate::repository::Handle;
use crate::snapshot::GitSnapshot;

/// Append the findings in a version's message and in the files that it brought or changed; false
/// where there are none.
///
/// A file that can't be read is said, and the others are scanned.
pub(crate) fn write(
    rules: &Rules,
    scope: &Scope,
    commit: &Commit<'_>,
    [old, new]: [&dyn Snapshot; 2],
    others: &[GitSnapshot<'_>],
    out: &mut Vec<u8>,
) -> Result<bool, ReadError> {
    let options = delta::Options { scope: scope.clone(), rewrites: None };
    let delta = delta::between(old, new, &options)?;
    let start = out.len();
    out.extend_from_slice(b",\"findings\":[");
    let mut is_found = secrets::write_findings(rules, &commit.message(), None, out);
    let mut failure = None;
    for change in &delta.changes {
        let Some((path, state)) = change.new() else { continue };
        let is_same = change.old().is_some_and(|(_, old)| old.id == state.id && holds_content(old.mode));
        if is_same || !holds_content(state.mode) {
            continue;
        }
        let is_there = |other: &GitSnapshot<'_>| {
            other.find(path).ok().flatten().is_some_and(|entry| entry.id == state.id)
        };
        if others.iter().any(is_there) {
            continue;
        }
        match new.blob(path, &state.id) {
            Ok(content) => is_found |= secrets::write_findings(rules, &content, Some(path), out),
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    if is_found {
        out.push(b']');
    } else {
        out.truncate(start);
    }
    let is_failed = failure.is_some();
    if let Some(error) = failure {
        out.extend_from_slice(b",\"error\":");
        write_failure(&error.into(), Some(rules), out);
    }
    Ok(is_found || is_failed)
}

/// The files of all parents but the first. One that can't be read is left out: what it brought is
/// then said of the merge.
pub(crate) fn other_parents<'h>(handle: &'h Handle, subject: &Subject<'_>) -> Vec<GitSnapshot<'h>> {
    let parents = subject.commit.parents().skip(1).filter(|_| !subject.shallow);
    parents.filter_map(|parent| GitSnapshot::of_commit(handle, &parent).ok()).collect()
}

/// Whether what stands at a path is a file, or a link, whose content is its target.
fn holds_content(mode: Mode) -> bool {
    mode.is_file() || mode == Mode::Link
}
