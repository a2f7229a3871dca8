//! Hunks: changes with the lines around them, and the heading that says what they are in.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation as _;

use super::{LineDiff, Text};

/// Changes with the lines around them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hunk {
    /// Lines of the old text, context included.
    pub old: Range<usize>,
    /// Lines of the new text, context included.
    pub new: Range<usize>,
    /// Which changes of the diff it shows.
    pub changes: Range<usize>,
}

/// The hunks of a diff with so many lines of context; changes closer than twice that share one.
pub fn hunks(diff: &LineDiff, old_lines: usize, new_lines: usize, context: usize) -> Vec<Hunk> {
    let mut hunks: Vec<Hunk> = Vec::new();
    for (number, change) in diff.changes.iter().enumerate() {
        let before = change.old.start.min(change.new.start).min(context);
        let after = (old_lines - change.old.end).min(new_lines - change.new.end).min(context);
        let (old_end, new_end) = (change.old.end + after, change.new.end + after);
        match hunks.last_mut() {
            Some(last) if change.old.start - before <= last.old.end => {
                last.old.end = old_end;
                last.new.end = new_end;
                last.changes.end = number + 1;
            }
            _ => hunks.push(Hunk {
                old: change.old.start - before..old_end,
                new: change.new.start - before..new_end,
                changes: number..number + 1,
            }),
        }
    }
    hunks
}

/// The line that names what a hunk starting at `line` of the old text is in, as git's default: the
/// nearest line before it that starts with a letter, `_` or `$`.
///
/// Time is linear in how far that line is; for several hunks of a text, see [`Headings`].
pub fn heading(text: &Text<'_>, line: usize) -> Option<usize> {
    Headings::new(text).before(line)
}

/// The [`heading`]s of the hunks of a text, in order: no line is looked at twice.
pub struct Headings<'t, 'a> {
    text: &'t Text<'a>,
    /// Lines before this one have been looked at.
    seen: usize,
    found: Option<usize>,
}

impl<'t, 'a> Headings<'t, 'a> {
    /// The headings of this text's hunks.
    pub fn new(text: &'t Text<'a>) -> Self {
        Self { text, seen: 0, found: None }
    }

    /// The heading of a hunk that starts at `line`, which is none before that of the last call.
    pub fn before(&mut self, line: usize) -> Option<usize> {
        let names = |number: &usize| {
            let first = self.text.line(*number).first();
            first.is_some_and(|&byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$'))
        };
        self.found = (self.seen..line).rev().find(names).or(self.found);
        self.seen = self.seen.max(line);
        self.found
    }
}

/// What git shows of a heading's line: at most 80 bytes, white space at the end left out; and here
/// no grapheme cut in two.
pub fn heading_text(line: &[u8]) -> &[u8] {
    const SHOWN: usize = 80;
    let mut shown = &line[..line.len().min(SHOWN)];
    // One character more tells whether the last grapheme is whole.
    let valid = line[..line.len().min(SHOWN + 4)].utf8_chunks().next().map_or("", |chunk| chunk.valid());
    if valid.len() > SHOWN {
        let borders = valid.grapheme_indices(true).map(|(at, _)| at);
        shown = &line[..borders.take_while(|&at| at <= SHOWN).last().unwrap_or(0)];
    }
    shown.trim_ascii_end()
}
