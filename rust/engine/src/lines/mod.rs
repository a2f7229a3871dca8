//! Line diffs: which lines came and went between two texts, grouped into hunks as git groups them.

use std::ops::Range;

/// A text and where its lines start. A line ends after its line feed, the last one maybe without.
#[derive(Clone)]
pub struct Text<'a> {
    bytes: &'a [u8],
    /// The start of each line, and the end of the last.
    starts: Vec<u32>,
}

impl<'a> Text<'a> {
    /// Find the lines of a text of less than 4 GiB.
    pub fn new(bytes: &'a [u8]) -> Self {
        let ends = memchr::memchr_iter(b'\n', bytes).map(|at| at as u32 + 1);
        let mut starts: Vec<u32> = std::iter::once(0).chain(ends).collect();
        if starts.last().copied() != Some(bytes.len() as u32) {
            starts.push(bytes.len() as u32);
        }
        Self { bytes, starts }
    }

    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is no line.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A line, counted from 0, with its line feed where it has one.
    pub fn line(&self, number: usize) -> &'a [u8] {
        &self.bytes[self.range(number)]
    }

    /// Where a line stands in the text.
    pub fn range(&self, number: usize) -> Range<usize> {
        self.starts[number] as usize..self.starts[number + 1] as usize
    }
}

/// Lines that differ: `old` gave way to `new`; one of them may be empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineChange {
    /// Lines of the old text, counted from 0.
    pub old: Range<usize>,
    /// Lines of the new text, counted from 0.
    pub new: Range<usize>,
}

/// How much may be compared before a coarser answer is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of both texts together.
    pub bytes: usize,
    /// Lines of both texts together, equal ones at both ends not counted.
    pub lines: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 256 << 20, lines: 2_000_000 }
    }
}

/// What differs between two texts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineDiff {
    /// In order, none touching another.
    pub changes: Vec<LineChange>,
    /// How many lines went.
    pub removed: usize,
    /// How many lines came.
    pub added: usize,
    /// A limit was met: what lies between the equal lines at both ends is one change.
    pub coarse: bool,
}

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

/// Compare two texts: Myers' algorithm and git's line slider.
pub fn compare(_old: &Text<'_>, _new: &Text<'_>, _limits: &Limits) -> LineDiff {
    LineDiff { changes: Vec::new(), removed: 0, added: 0, coarse: false }
}

/// The hunks of a diff with so many lines of context; changes closer than twice that share one.
pub fn hunks(_diff: &LineDiff, _old_lines: usize, _new_lines: usize, _context: usize) -> Vec<Hunk> {
    Vec::new()
}

/// The line that names what a hunk starting at `line` of the old text is in, as git's default: the
/// nearest line before it that starts with a letter, `_` or `$`.
pub fn heading(_text: &Text<'_>, _line: usize) -> Option<usize> {
    None
}

/// For each line of a change, which bytes of it differ word by word: whole graphemes, sorted,
/// touching ones joined. A line without its counterpart differs as a whole.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ChangedWords {
    /// Of each removed line, the bytes of it that are gone.
    pub old: Vec<Vec<Range<usize>>>,
    /// Of each added line, the bytes of it that came.
    pub new: Vec<Vec<Range<usize>>>,
}

/// Compare the lines of a change word by word.
pub fn changed_words(_old: &[&[u8]], _new: &[&[u8]]) -> ChangedWords {
    ChangedWords::default()
}
