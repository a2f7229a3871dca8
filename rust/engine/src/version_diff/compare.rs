//! One changed file, compared: its header and its lines.

use std::rc::Rc;

use bstr::BStr;

use super::content::{Content, Form, Kind, Memory};
use super::header::{Header, Place};
use super::marks::{Counts, Remark};
use super::outcome::{FoundSecret, Side, Status};
use super::select::leads_to_visible;
use super::{JsonForm, Options, fragments};
use crate::delta::{Change, ChangeKind, State};
use crate::format::Format;
use crate::lines::{self, LineDiff};
use crate::secrets::Location;
use crate::snapshot::{Mode, ReadError, Snapshot};

/// A changed file.
pub(super) struct Comparison<'a> {
    pub(super) header: Rc<Header>,
    pub(super) old: Rc<Content<'a>>,
    pub(super) new: Rc<Content<'a>>,
    pub(super) diff: LineDiff,
}

/// Compare a file that may be seen.
pub(super) fn compare<'a>(
    change: &Change,
    old: &'a dyn Snapshot,
    new: &'a dyn Snapshot,
    format: &Format,
    options: &Options,
    memory: &mut Memory,
) -> Result<Comparison<'a>, ReadError> {
    let (before, after) = (change.old(), change.new());
    let is_link = |side: Option<(&BStr, State)>| side.is_some_and(|(_, state)| state.mode == Mode::Link);
    let links = is_link(before) || is_link(after);
    let is_json = |side: Option<(&BStr, State)>| side.is_none_or(|(path, _)| path.ends_with(b".json"));
    let form = if options.json == JsonForm::Canonical && !links && is_json(before) && is_json(after) {
        Form::Json
    } else {
        Form::Text
    };
    let mut read = |snapshot: &'a dyn Snapshot, side: Option<(&BStr, State)>, form| match side {
        Some((path, state)) => memory.load(snapshot, path, &state.id, form, options),
        None => Ok(Rc::new(Content::nothing())),
    };
    let mut old_content = read(old, before, form)?;
    let mut new_content = read(new, after, form)?;
    // Two texts can be compared only in the same form.
    let is_written = |content: &Content<'_>| content.kind != Kind::Canonical;
    if form == Form::Json {
        if before.is_some() && is_written(&old_content) && !is_written(&new_content) {
            new_content = read(new, after, Form::Text)?;
        } else if after.is_some() && is_written(&new_content) && !is_written(&old_content) {
            old_content = read(old, before, Form::Text)?;
        }
    }
    if let Some([old_hidden, new_hidden]) = fragments::spread(&old_content, &new_content) {
        old_content = Rc::new(old_content.hiding(old_hidden));
        new_content = Rc::new(new_content.hiding(new_hidden));
    }
    let hides_link = links
        && [(before, &old_content), (after, &new_content)].into_iter().any(|(side, content)| {
            side.is_some_and(|(path, _)| !leads_to_visible(format, path, content.text.as_bytes()))
        });
    let same_id = matches!(change.kind, ChangeKind::Modification { old, new }
        | ChangeKind::Rewrite { old, new, .. } if old.id == new.id);

    let too_large = [&old_content, &new_content].into_iter().any(|content| content.kind == Kind::TooLarge);
    let has_text = old_content.is_text() && new_content.is_text() && !hides_link && !same_id;
    let diff = if has_text {
        lines::compare(&old_content.lines(), &new_content.lines(), &options.effort)
    } else {
        LineDiff { changes: Vec::new(), removed: 0, added: 0, coarse: false }
    };
    let remark = if hides_link {
        Some(Remark::HiddenLink)
    } else if too_large && !same_id {
        Some(Remark::TooLarge)
    } else if diff.coarse {
        Some(Remark::Coarse)
    } else {
        only_line_ends(&diff, &old_content, &new_content)
    };
    let mut place = |side: Option<(&BStr, State)>| {
        side.map(|(path, state)| Place { path: memory.path(path, options), mode: state.mode })
    };
    let (old_place, new_place) = (place(before), place(after));
    let (status, similarity) = match change.kind {
        ChangeKind::Addition(_) => (Status::Added, 0),
        ChangeKind::Deletion(_) => (Status::Deleted, 0),
        ChangeKind::Modification { .. } => (Status::Modified, 0),
        ChangeKind::Rewrite { similarity, .. } => (Status::Renamed, similarity),
    };
    let header = Header {
        status,
        old: old_place,
        new: new_place,
        similarity,
        counts: Counts { added: diff.added, removed: diff.removed },
        remark,
        binary: !has_text && !same_id && !hides_link && !too_large,
        has_lines: !diff.changes.is_empty(),
    };
    Ok(Comparison { header: Rc::new(header), old: old_content, new: new_content, diff })
}

impl Comparison<'_> {
    /// The file is written differently and means the same, so there is nothing to show.
    pub(super) fn is_format_only(&self) -> bool {
        let same_mode = match (&self.header.old, &self.header.new) {
            (Some(old), Some(new)) => old.mode == new.mode && self.header.status == Status::Modified,
            _ => false,
        };
        same_mode && self.is_canonical() && self.diff.changes.is_empty()
    }

    pub(super) fn is_canonical(&self) -> bool {
        self.old.kind == Kind::Canonical || self.new.kind == Kind::Canonical
    }

    /// Whether what is compared are the files' own bytes, with nothing of the header hidden.
    pub(super) fn is_exact(&self) -> bool {
        self.old.kind == Kind::Text && self.new.kind == Kind::Text && self.header.is_exact()
    }

    /// Append what was found in the file and its paths.
    pub(super) fn report(&self, options: &Options, found: &mut Vec<FoundSecret>) {
        let sides = [(Side::Old, &self.header.old, &self.old), (Side::New, &self.header.new, &self.new)];
        for (side, place, content) in sides {
            let Some(place) = place else { continue };
            let path = &place.path.text;
            let in_path = place.path.found.iter().map(|finding| (finding.rule, Location::default()));
            for (rule, location) in in_path.chain(content.found.iter().copied()) {
                let rule = options.rules.name(rule).to_owned();
                found.push(FoundSecret { rule, path: path.clone(), side, location });
            }
        }
    }
}

/// Whether the lines differ in nothing but how they end.
fn only_line_ends(diff: &LineDiff, old: &Content<'_>, new: &Content<'_>) -> Option<Remark> {
    let change = diff.changes.first()?;
    if diff.removed != diff.added {
        return None;
    }
    let (a, b) = (old.lines(), new.lines());
    let to_crlf = b.line(change.new.start.min(b.len() - 1)).ends_with(b"\r\n");
    let only = diff.changes.iter().all(|change| {
        change.old.len() == change.new.len()
            && change.old.clone().zip(change.new.clone()).all(|(before, after)| {
                let (before, after) = (a.line(before), b.line(after));
                let (short, long) = if to_crlf { (before, after) } else { (after, before) };
                short.strip_suffix(b"\n").is_some_and(|short| long.strip_suffix(b"\r\n") == Some(short))
            })
    });
    only.then_some(Remark::LineEnds { to_crlf })
}
