//! The runs of a history as notes, one line a run, without a summary: a history has none.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use gix::objs::tree::{Entry, EntryKind};
use gix::refs::transaction::{PreviousValue, RefEdit};
use gix::{ObjectId, Repository};

use super::history::{History, Run, RunStatus};
use super::signature;

/// Where the runs of versions are noted.
const NOTES: &str = "refs/notes/tsugumi";

/// Write the notes of all versions that have runs, in one commit; `ids` are the versions' commits.
///
/// It says that the author of the head made it when the last run ended, so that it is the same
/// everywhere, as all else is.
pub(super) fn write(repository: &Repository, history: &History, ids: &[ObjectId]) -> gix::Result<()> {
    let mut notes = BTreeMap::new();
    for (version, id) in history.versions.iter().zip(ids) {
        if !version.runs.is_empty() {
            let text: String = version.runs.iter().map(line).collect();
            notes.insert(id.to_string(), repository.write_blob(text)?.detach());
        }
    }
    let Some(time) = history.versions.iter().flat_map(|version| &version.runs).map(|run| run.ended).max()
    else {
        return Ok(());
    };
    let notes: Vec<(String, ObjectId)> = notes.into_iter().collect();
    let tip = history.index()[history.branches[&history.head].as_str()];
    let who = signature(&history.versions[tip].author, time);
    let commit = gix::objs::Commit {
        tree: write_tree(repository, &notes, 0)?,
        parents: Vec::new().into(),
        author: who.clone(),
        committer: who.clone(),
        encoding: None,
        message: "Runs of the history file\n".into(),
        extra_headers: Vec::new(),
    };
    let commit = repository.write_object(&commit)?.detach();
    let name =
        gix::refs::FullName::try_from(NOTES).map_err(|_| gix::error::message("invalid reference name"))?;
    let edit = RefEdit::update(name, commit, PreviousValue::MustNotExist, "import of a history file");
    let mut buffer = gix::date::parse::TimeBuf::default();
    repository.edit_references_as([edit], Some(who.to_ref(&mut buffer)))?;
    Ok(())
}

/// The tree of notes that are sorted and share the first `depth` digits of their targets.
///
/// Git's rule (notes.c, `determine_fanout`): where each next digit has several notes below it, two
/// digits become a directory.
fn write_tree(repository: &Repository, notes: &[(String, ObjectId)], depth: usize) -> gix::Result<ObjectId> {
    let mut below = [0_usize; 16];
    for (target, _) in notes {
        let digit = target.as_bytes().get(depth).and_then(|digit| char::from(*digit).to_digit(16));
        below[digit.unwrap_or_default() as usize] += 1;
    }
    let entry = |mode: EntryKind, name: &str, oid| Entry { mode: mode.into(), filename: name.into(), oid };
    let mut tree = gix::objs::Tree::empty();
    if below.iter().all(|count| *count > 1) {
        for folder in notes.chunk_by(|a, b| a.0[..depth + 2] == b.0[..depth + 2]) {
            let id = write_tree(repository, folder, depth + 2)?;
            tree.entries.push(entry(EntryKind::Tree, &folder[0].0[depth..depth + 2], id));
        }
    } else {
        let entries = notes.iter().map(|(target, blob)| entry(EntryKind::Blob, &target[depth..], *blob));
        tree.entries.extend(entries);
    }
    Ok(repository.write_object(&tree)?.detach())
}

/// `run <id> <status> <ended> <seconds>s`, and a line feed.
fn line(run: &Run) -> String {
    let status = match run.status {
        RunStatus::Succeeded => "succeeded",
        RunStatus::Failed => "failed",
        RunStatus::Stopped => "stopped",
    };
    let mut line = String::new();
    // Adding zero takes the sign off a negative zero. Writing to a string does not fail.
    let _ = writeln!(line, "run {} {status} {} {:.1}s", run.id, date(run.ended), run.seconds + 0.0);
    line
}

/// A time as `2026-11-04T10:12:00Z`.
fn date(seconds: u64) -> String {
    const DAY: u64 = 24 * 60 * 60;
    // Years that begin in March have the day that may be missing at their end; four hundred of
    // them have always as many days.
    let day = seconds / DAY + 719_468;
    let (cycle, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) =
        if month < 10 { (cycle * 400 + year, month + 3) } else { (cycle * 400 + year + 1, month - 9) };
    let second = seconds % DAY;
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}
