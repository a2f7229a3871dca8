//! The hunks of a file, in as much room as there is.
//!
//! First the whole of them is tried, then with long lines shown by what changed in them, in ever
//! smaller windows. What still does not fit is [`cut`].

mod cut;

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use super::compare::Comparison;
use super::content::Content;
use super::marks::{Language, write_number};
use super::shown::Written;
use super::windows;
use crate::lines::{self, ChangedWords, Headings, Hunk, Text};

/// Lines of context around a change.
const CONTEXT: usize = 3;

/// How much is shown around the changes in a long line, in bytes: the first that fits is taken.
const RADII: [usize; 3] = [320, 120, 40];

/// How long the line behind `@@` may be, in bytes, as in git.
const HEADING: usize = 80;

/// How many bytes of a change are compared word by word.
const WORDS_BYTES: usize = 4 << 20;

/// There is no room.
struct Full;

/// The hunks of a file.
pub(super) struct Body<'c> {
    comparison: &'c Comparison<'c>,
    old: Text<'c>,
    new: Text<'c>,
    hunks: Vec<Hunk>,
    /// By the number of the hunk, the line that names what it is in.
    headings: OnceCell<Vec<Option<usize>>>,
    /// What differs word by word, by the number of the change.
    words: RefCell<BTreeMap<usize, Rc<ChangedWords>>>,
    language: Language,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Context,
    Removed,
    Added,
}

impl Sign {
    fn letter(self) -> char {
        match self {
            Self::Context => ' ',
            Self::Removed => '-',
            Self::Added => '+',
        }
    }
}

/// How wide lines are shown.
#[derive(Clone, Copy)]
enum Width {
    Whole,
    Windows { radius: usize, room: usize },
}

impl<'c> Body<'c> {
    pub(super) fn new(comparison: &'c Comparison<'c>, language: Language) -> Self {
        let old = comparison.old.lines();
        let new = comparison.new.lines();
        let hunks = lines::hunks(&comparison.diff, old.len(), new.len(), CONTEXT);
        Self { comparison, old, new, hunks, headings: OnceCell::new(), words: RefCell::default(), language }
    }

    /// Append all hunks, in at most `room` bytes; nothing, and `None`, where they don't fit.
    pub(super) fn write_all(&self, room: usize, out: &mut String) -> Option<Written> {
        let start = out.len();
        let end = start + room;
        let widths =
            RADII.iter().map(|radius| Width::Windows { radius: *radius, room: windows::room(*radius) });
        for width in std::iter::once(Width::Whole).chain(widths) {
            if let Ok(written) = self.try_write_all(width, end, out) {
                return Some(written);
            }
            out.truncate(start);
        }
        None
    }

    fn try_write_all(&self, width: Width, end: usize, out: &mut String) -> Result<Written, Full> {
        let mut written = Written::Exact;
        for (number, hunk) in self.hunks.iter().enumerate() {
            let (old, new) = (&hunk.old, &hunk.new);
            written =
                written.and(self.write_start(Some(number), old.start, old.len(), new.start, new.len(), out));
            let mut at = old.start;
            for number in hunk.changes.clone() {
                let change = &self.comparison.diff.changes[number];
                for line in at..change.old.start {
                    written = written.and(self.write_row(Sign::Context, line, number, width, end, out)?);
                }
                for line in change.old.clone() {
                    written = written.and(self.write_row(Sign::Removed, line, number, width, end, out)?);
                }
                for line in change.new.clone() {
                    written = written.and(self.write_row(Sign::Added, line, number, width, end, out)?);
                }
                at = change.old.end;
            }
            for line in at..old.end {
                written = written.and(self.write_row(Sign::Context, line, 0, width, end, out)?);
            }
        }
        if out.len() > end { Err(Full) } else { Ok(written) }
    }

    /// Append a `@@` line; what it is in is named where it is the start of a hunk.
    fn write_start(
        &self,
        hunk: Option<usize>,
        old_start: usize,
        old_count: usize,
        new_start: usize,
        new_count: usize,
        out: &mut String,
    ) -> Written {
        // As git writes them: lines count from 1, and where there is none the one before stands.
        for (sign, start, count) in [("@@ -", old_start, old_count), (" +", new_start, new_count)] {
            out.push_str(sign);
            write_number(start + usize::from(count > 0), out);
            if count != 1 {
                out.push(',');
                write_number(count, out);
            }
        }
        out.push_str(" @@");
        if let Some(line) = hunk.and_then(|hunk| self.heading(hunk)) {
            let range = self.old.range(line);
            let text = self.comparison.old.text[range.clone()].trim_end();
            let at = out.len();
            out.push(' ');
            let written = self.comparison.old.write(range.start..range.start + text.len(), HEADING, out);
            if out.len() == at + 1 {
                out.truncate(at);
            }
            out.push('\n');
            // git cuts headings too.
            return if written == Written::Whole { Written::Whole } else { Written::Exact };
        }
        out.push('\n');
        Written::Exact
    }

    /// The line that names what a hunk is in.
    fn heading(&self, hunk: usize) -> Option<usize> {
        let headings = self.headings.get_or_init(|| {
            // JSON has no line that begins with a letter.
            if self.comparison.is_canonical() {
                return Vec::new();
            }
            let mut headings = Headings::new(&self.old);
            self.hunks.iter().map(|hunk| headings.before(hunk.old.start)).collect()
        });
        headings.get(hunk).copied().flatten()
    }

    fn side(&self, sign: Sign) -> (&Content<'c>, &Text<'c>) {
        match sign {
            Sign::Context | Sign::Removed => (&self.comparison.old, &self.old),
            Sign::Added => (&self.comparison.new, &self.new),
        }
    }

    /// Append a line of a file with its sign. Long lines keep to the room of their width; where the
    /// whole is longer than `end`, there is no room.
    fn write_row(
        &self,
        sign: Sign,
        line: usize,
        change: usize,
        width: Width,
        end: usize,
        out: &mut String,
    ) -> Result<Written, Full> {
        let (content, text) = self.side(sign);
        let range = text.range(line);
        let bytes = &content.text.as_bytes()[range.clone()];
        let has_end = bytes.ends_with(b"\n");
        // A carriage return before the end of the line stays what it is, as in git.
        let has_return = bytes[..bytes.len() - usize::from(has_end)].ends_with(b"\r");
        let row = range.start..range.end - usize::from(has_end) - usize::from(has_return);
        out.push(sign.letter());
        let written = match width {
            Width::Windows { radius, room }
                if windows::is_long(content.length_without_secrets(&row), radius) =>
            {
                let words = self.changed_words(sign, change);
                let changed = words.as_ref().and_then(|words| {
                    let change = &self.comparison.diff.changes[change];
                    match sign {
                        Sign::Context => None,
                        Sign::Removed => words.old.get(line - change.old.start),
                        Sign::Added => words.new.get(line - change.new.start),
                    }
                });
                let all = [0..row.len()];
                let changed = match (sign, changed) {
                    (Sign::Context, _) => &[][..],
                    (_, Some(changed)) => changed,
                    (_, None) => &all[..],
                };
                windows::write(content, &row, changed, radius, room, out);
                Written::Part
            }
            _ => {
                let room = end.saturating_sub(out.len());
                let written = content.write(row, room, out);
                if written == Written::Part {
                    return Err(Full);
                }
                if has_return {
                    out.push('\r');
                }
                written
            }
        };
        out.push('\n');
        if !has_end {
            out.push_str("\\ No newline at end of file\n");
        }
        if out.len() > end { Err(Full) } else { Ok(written) }
    }

    fn changed_words(&self, sign: Sign, number: usize) -> Option<Rc<ChangedWords>> {
        if sign == Sign::Context {
            return None;
        }
        let change = &self.comparison.diff.changes[number];
        let bytes = |text: &Text<'_>, lines: &Range<usize>| match lines.len() {
            0 => 0,
            _ => text.range(lines.end - 1).end - text.range(lines.start).start,
        };
        if bytes(&self.old, &change.old) + bytes(&self.new, &change.new) > WORDS_BYTES
            && change.old.len() + change.new.len() > 2
        {
            return None;
        }
        let mut known = self.words.borrow_mut();
        let words = known.entry(number).or_insert_with(|| {
            let lines = |text: &Text<'c>, lines: &Range<usize>| -> Vec<&'c [u8]> {
                lines.clone().map(|line| text.line(line)).collect()
            };
            Rc::new(lines::changed_words(&lines(&self.old, &change.old), &lines(&self.new, &change.new)))
        });
        Some(Rc::clone(words))
    }
}
