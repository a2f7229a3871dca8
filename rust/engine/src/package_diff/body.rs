//! The hunks of a file as text: each line with a sign before it, as in a patch.

use std::borrow::Cow;
use std::ops::Range;

use crate::lines::{self, Headings, LineDiff, Text, heading_text};

/// A hunk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hunk {
    /// The lines of the old side that it shows, from 0.
    pub old: Range<usize>,
    /// The lines of the new side that it shows, from 0.
    pub new: Range<usize>,
    /// What it is in, as git has it: the nearest line before it that starts with a letter, `_` or `$`, at
    /// most 80 bytes of it; empty where there is none.
    pub heading: Vec<u8>,
    /// Which changes it shows.
    changes: Range<usize>,
}

impl Hunk {
    /// The number of the first line of the old side, from 1; where no line of it is shown, of the line
    /// before.
    pub fn old_start(&self) -> usize {
        self.old.start + usize::from(!self.old.is_empty())
    }

    /// As [`Hunk::old_start`], on the new side.
    pub fn new_start(&self) -> usize {
        self.new.start + usize::from(!self.new.is_empty())
    }
}

/// The hunks of a file, and the lines that they show: those stay where they were read, and are written
/// one by one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Hunks<'a> {
    list: Vec<Hunk>,
    diff: LineDiff,
    old: Lines<'a>,
    new: Lines<'a>,
    /// Whether both sides are UTF-8 from end to end.
    is_utf8: bool,
}

/// A text, and the start of each of its lines.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Lines<'a> {
    bytes: Cow<'a, [u8]>,
    starts: Box<[u32]>,
}

impl Lines<'_> {
    fn text(&self) -> Text<'_> {
        Text::with_starts(&self.bytes, &self.starts)
    }
}

/// What follows a line without a line feed.
const NO_LINE_FEED: &[u8] = b"\n\\ No newline at end of file\n";

impl<'a> Hunks<'a> {
    /// The hunks of a comparison of two contents, whose lines start there.
    pub(super) fn new(
        (old, old_starts): (Cow<'a, [u8]>, Box<[u32]>),
        (new, new_starts): (Cow<'a, [u8]>, Box<[u32]>),
        diff: LineDiff,
        context: usize,
    ) -> Self {
        let old = Lines { bytes: old, starts: old_starts };
        let new = Lines { bytes: new, starts: new_starts };
        let text = old.text();
        let mut headings = Headings::new(&text);
        let list = lines::hunks(&diff, text.len(), new.text().len(), context)
            .into_iter()
            .map(|hunk| {
                let heading = headings.before(hunk.old.start).map(|line| heading_text(text.line(line)));
                let heading = heading.map(<[u8]>::to_vec).unwrap_or_default();
                Hunk { old: hunk.old, new: hunk.new, heading, changes: hunk.changes }
            })
            .collect();
        let is_utf8 = [&old, &new].iter().all(|side| simdutf8::basic::from_utf8(&side.bytes).is_ok());
        Self { list, diff, old, new, is_utf8 }
    }

    /// The hunks, in order.
    pub fn list(&self) -> &[Hunk] {
        &self.list
    }

    /// How many bytes both sides are.
    pub fn size(&self) -> usize {
        self.old.bytes.len() + self.new.bytes.len()
    }

    /// Whether every line is UTF-8, as far as can be told without looking at each.
    pub(super) fn is_utf8(&self) -> bool {
        self.is_utf8
    }

    /// Hand over the lines of a hunk, one by one: the sign, and the line with its line feed, if it has one.
    pub(super) fn each_line<E>(
        &self,
        hunk: &Hunk,
        mut take: impl FnMut(u8, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let (old, new) = (self.old.text(), self.new.text());
        let mut lines = |text: &Text<'_>, mut lines: Range<usize>, sign: u8| {
            lines.try_for_each(|number| take(sign, text.line(number)))
        };
        let mut at = hunk.old.start;
        for change in &self.diff.changes[hunk.changes.clone()] {
            lines(&old, at..change.old.start, b' ')?;
            lines(&old, change.old.clone(), b'-')?;
            lines(&new, change.new.clone(), b'+')?;
            at = change.old.end;
        }
        lines(&old, at..hunk.old.end, b' ')
    }

    /// Hand over the lines of a hunk, piece by piece: one of the signs ` `, `-` and `+` before each and a
    /// line feed after each; after a line that has no line feed itself comes
    /// `\ No newline at end of file`.
    pub fn write_body(&self, hunk: &Hunk, write: &mut dyn FnMut(&[u8])) {
        let take = |sign: u8, line: &[u8]| {
            write(&[sign]);
            write(line);
            if !line.ends_with(b"\n") {
                write(NO_LINE_FEED);
            }
            Ok::<_, std::convert::Infallible>(())
        };
        let Ok(()) = self.each_line(hunk, take);
    }

    /// How long the body of a hunk is, in bytes, or a little less.
    pub(super) fn body_size(&self, hunk: &Hunk) -> usize {
        let size = |text: Text<'_>, lines: &Range<usize>| {
            text.start(lines.end) - text.start(lines.start) + lines.len()
        };
        size(self.old.text(), &hunk.old) + size(self.new.text(), &hunk.new)
    }
}
