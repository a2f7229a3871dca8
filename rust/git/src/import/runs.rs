//! The runs of a history as notes, one line a run, without a summary: a history has none.

use std::fmt::Write as _;
use std::path::Path;

use gix::ObjectId;
use gix::bstr::BStr;

use super::history::{History, Run, RunStatus};
use crate::gitoxide::content_id;
use crate::notes::{self, Change, Edit, Message};
use crate::repository::{OpenOptions, Repository};
use crate::store::Signature;
use crate::wait::{self, Wait};

/// Where the runs of versions are noted.
const NOTES: &str = "refs/notes/tsugumi";

/// Write the notes of all versions that have runs, in one commit; `ids` are the versions' commits.
///
/// It says that the author of the head made it when the last run ended, so that it is the same
/// everywhere, as all else is.
pub(super) fn write(path: &Path, history: &History, ids: &[ObjectId]) -> Result<(), crate::Error> {
    let runs = history.versions.iter().flat_map(|version| &version.runs);
    let Some(time) = runs.map(|run| run.ended).max() else { return Ok(()) };
    let edits: Vec<Edit> = history
        .versions
        .iter()
        .zip(ids)
        .filter(|(version, _)| !version.runs.is_empty())
        .map(|(version, id)| {
            let text: String = version.runs.iter().map(line).collect();
            Edit { target: content_id(id), change: Change::Set(text.into()) }
        })
        .collect();
    let tip = history.index()[history.branches[&history.head].as_str()];
    let author = &history.versions[tip].author;
    // Notes have to have an address, and a history's people need not.
    let email = if author.email.is_empty() { "localhost" } else { author.email.as_str() };
    let who = Signature {
        name: author.name.as_str().into(),
        email: email.into(),
        // Times are checked to be below the year 10000.
        time: time.try_into().unwrap_or(i64::MAX),
        offset: 0,
    };
    let message =
        Message { author: who.clone(), committer: who, text: "Runs of the history file".to_owned() };
    let repository = Repository::open(path, &OpenOptions::default())?;
    let mut wait = Wait::new(wait::DEFAULT_TIMEOUT, &wait::sleep);
    notes::edit(&repository, BStr::new(NOTES), &edits, &message, &mut wait)?;
    Ok(())
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
