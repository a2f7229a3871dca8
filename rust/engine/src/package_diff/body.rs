//! The hunks of a file as text: each line with a sign before it, as in a patch.

use crate::lines::{self, Headings, LineDiff, Text, heading_text};

/// A hunk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hunk {
    /// The number of the first line on the old side, from 1; where no line of it is shown, of the line
    /// before.
    pub old_start: usize,
    /// How many lines of the old side it shows.
    pub old_lines: usize,
    /// As `old_start`, on the new side.
    pub new_start: usize,
    /// How many lines of the new side it shows.
    pub new_lines: usize,
    /// What it is in, as git has it: the nearest line before it that starts with a letter, `_` or `$`, at
    /// most 80 bytes of it; empty where there is none.
    pub heading: Vec<u8>,
    /// The lines, with one of the signs ` `, `-` and `+` before each and a line feed after each; after a
    /// line that has no line feed itself comes `\ No newline at end of file`.
    pub body: Vec<u8>,
}

/// What follows a line without a line feed.
const NO_LINE_FEED: &[u8] = b"\n\\ No newline at end of file\n";

/// The hunks of a comparison.
pub(super) fn hunks(old: &Text<'_>, new: &Text<'_>, diff: &LineDiff, context: usize) -> Vec<Hunk> {
    let mut headings = Headings::new(old);
    lines::hunks(diff, old.len(), new.len(), context)
        .into_iter()
        .map(|hunk| {
            let mut body = Vec::new();
            let mut at = hunk.old.start;
            for change in &diff.changes[hunk.changes.clone()] {
                write(old, at..change.old.start, b' ', &mut body);
                write(old, change.old.clone(), b'-', &mut body);
                write(new, change.new.clone(), b'+', &mut body);
                at = change.old.end;
            }
            write(old, at..hunk.old.end, b' ', &mut body);
            let heading = headings.before(hunk.old.start).map(|line| heading_text(old.line(line)).to_vec());
            Hunk {
                old_start: hunk.old.start + usize::from(!hunk.old.is_empty()),
                old_lines: hunk.old.len(),
                new_start: hunk.new.start + usize::from(!hunk.new.is_empty()),
                new_lines: hunk.new.len(),
                heading: heading.unwrap_or_default(),
                body,
            }
        })
        .collect()
}

fn write(text: &Text<'_>, lines: std::ops::Range<usize>, sign: u8, body: &mut Vec<u8>) {
    body.reserve(text.start(lines.end) - text.start(lines.start) + lines.len());
    for number in lines {
        let line = text.line(number);
        body.push(sign);
        body.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            body.extend_from_slice(NO_LINE_FEED);
        }
    }
}
