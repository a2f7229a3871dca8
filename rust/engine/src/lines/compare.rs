//! Which lines differ: equal beginnings and ends are cut away by bytes, the rest is compared with
//! Myers' algorithm, and groups of changed lines slide to where git puts them.

use std::ops::Range;

use gix_imara_diff::Interner;

use super::Text;
use super::window::{MARGIN, Window};
use crate::equal_ends::{common_prefix, common_suffix};

/// Lines that differ: `old` gave way to `new`; one of them may be empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineChange {
    /// Lines of the old text, counted from 0.
    pub old: Range<usize>,
    /// Lines of the new text, counted from 0.
    pub new: Range<usize>,
}

/// How much may be compared before a coarser answer is given. Equal lines at both ends are cheap
/// and not counted.
///
/// With the defaults the worst inputs known take about a second on one core of a small server:
/// 240,000 random lines of a hundred kinds 1.05 s, of two kinds 0.7 s; two million lines of two kinds
/// 0.4 s, every second of two million changed 0.6 s; a permutation of 200,000 lines 0.3 s; one line of
/// 20 MB 0.01 s.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of both texts together.
    pub bytes: usize,
    /// Lines of both texts together.
    pub lines: usize,
    /// Steps of the search, each some 5 to 10 ns. Only lines that stand in both texts need any: texts
    /// of up to 250,000 such lines, or with few enough changes, are always within the default.
    pub effort: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 128 << 20, lines: 3_000_000, effort: 128_000_000 }
    }
}

/// What differs between two texts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
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

impl LineDiff {
    fn new(changes: Vec<LineChange>, coarse: bool) -> Self {
        let removed = changes.iter().map(|change| change.old.len()).sum();
        let added = changes.iter().map(|change| change.new.len()).sum();
        Self { changes, removed, added, coarse }
    }
}

/// Compare two texts: Myers' algorithm and git's line slider.
pub fn compare(old: &Text<'_>, new: &Text<'_>, limits: &Limits) -> LineDiff {
    let middle = differing(old, new);
    if middle.old.is_empty() && middle.new.is_empty() {
        return LineDiff::default();
    }
    let lines = middle.old.len() + middle.new.len();
    let bytes = size(old, &middle.old) + size(new, &middle.new);
    if lines > limits.lines || bytes > limits.bytes {
        return LineDiff::new(vec![middle], true);
    }
    if (middle.old.is_empty() || middle.new.is_empty()) && stays(old, &middle.old) && stays(new, &middle.new)
    {
        return LineDiff::new(vec![middle], false);
    }
    if shares_nothing(old, new, &middle) && stays(old, &middle.old) && stays(new, &middle.new) {
        return LineDiff::new(vec![middle], false);
    }
    // Most groups slide a few lines, if at all. Where one might slide further, look at more.
    let mut interner = Interner::new(lines + 4 * MARGIN);
    let window = Window::new(old, new, &middle, MARGIN, &mut interner);
    if !window.within(limits.effort) {
        return LineDiff::new(vec![middle], true);
    }
    // Most groups slide a few lines, if at all. Where one might slide further, look at more.
    let changes = window.changes().unwrap_or_else(|| {
        let wider = Window::new(old, new, &middle, 16 * MARGIN, &mut interner).changes();
        wider.unwrap_or_else(|| Window::new(old, new, &middle, usize::MAX, &mut interner).all_changes())
    });
    LineDiff::new(changes, false)
}

/// What lies between the equal lines at both ends.
fn differing(old: &Text<'_>, new: &Text<'_>) -> LineChange {
    let (a, b) = (old.bytes(), new.bytes());
    let mut equal = common_prefix(a, b);
    if equal == a.len() && equal == b.len() {
        return LineChange { old: old.len()..old.len(), new: new.len()..new.len() };
    }
    // Only a line feed ends a line in both: a last line without one may go on in the other text.
    equal = memchr::memrchr(b'\n', &a[..equal]).map_or(0, |at| at + 1);
    let start = old.line_at(equal);

    let (rest_a, rest_b) = (&a[equal..], &b[equal..]);
    let equal_end = common_suffix(rest_a, rest_b);
    let (from_a, from_b) = (rest_a.len() - equal_end, rest_b.len() - equal_end);
    let starts_line = |rest: &[u8], at: usize| at == 0 || rest[at - 1] == b'\n';
    let skipped = if starts_line(rest_a, from_a) && starts_line(rest_b, from_b) {
        0
    } else {
        memchr::memchr(b'\n', &rest_a[from_a..]).map_or(equal_end, |at| at + 1)
    };
    // Past the end there is no line, and `line_at` gives the number of lines.
    let end = old.line_at(equal + from_a + skipped);
    let same_after = old.len() - end;
    LineChange { old: start..end, new: start..new.len() - same_after }
}

fn size(text: &Text<'_>, lines: &Range<usize>) -> usize {
    text.start(lines.end) - text.start(lines.start)
}

/// Whether no line stands in both middles: looked at where they are so short that finding out costs
/// less than a search would.
fn shares_nothing(old: &Text<'_>, new: &Text<'_>, middle: &LineChange) -> bool {
    const FEW_PAIRS: usize = 64;
    middle.old.len() * middle.new.len() <= FEW_PAIRS
        && old.lines(middle.old.clone()).all(|line| new.lines(middle.new.clone()).all(|other| line != other))
}

/// Whether a group of changed lines can't slide in either direction.
fn stays(text: &Text<'_>, group: &Range<usize>) -> bool {
    let up = || group.start > 0 && text.line(group.start - 1) == text.line(group.end - 1);
    let down = || group.end < text.len() && text.line(group.start) == text.line(group.end);
    group.is_empty() || !(up() || down())
}
