//! Which lines differ: equal beginnings and ends are cut away by bytes, the rest is compared with
//! Myers' algorithm, and groups of changed lines slide to where git puts them.

use std::ops::Range;

use gix_imara_diff::{Algorithm, Diff, IndentHeuristic, IndentLevel, Interner, Token};

use super::Text;

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
/// With the defaults the worst inputs known take 1 to 2 seconds on one core of a small server.
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
        Self { bytes: 128 << 20, lines: 4_000_000, effort: 128_000_000 }
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

/// Whether a group of changed lines can't slide in either direction.
fn stays(text: &Text<'_>, group: &Range<usize>) -> bool {
    let up = || group.start > 0 && text.line(group.start - 1) == text.line(group.end - 1);
    let down = || group.end < text.len() && text.line(group.start) == text.line(group.end);
    group.is_empty() || !(up() || down())
}

const BLOCK: usize = 4096;

pub(super) fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let same_blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK)).take_while(|(a, b)| a == b).count();
    let at = same_blocks * BLOCK;
    at + a[at..].iter().zip(&b[at..]).take_while(|(a, b)| a == b).count()
}

pub(super) fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    let same_blocks = a.rchunks_exact(BLOCK).zip(b.rchunks_exact(BLOCK)).take_while(|(a, b)| a == b).count();
    let at = same_blocks * BLOCK;
    let (a, b) = (&a[..a.len() - at], &b[..b.len() - at]);
    at + a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}

/// How many equal lines around what differs are looked at first.
const MARGIN: usize = 64;
/// How far beyond a position the slider looks for indented lines, with one to spare.
const SIGHT: usize = 22;

/// The lines that differ with so many equal ones around them, as tokens.
struct Window<'a, 'i> {
    old: Vec<Token>,
    new: Vec<Token>,
    /// The line of both texts that the first token stands for.
    first: usize,
    /// Which tokens of `old` and `new` stand for equal lines of the margins before and after what differs.
    margins: [[Range<usize>; 2]; 2],
    /// Whether a margin reaches the start of the texts, or their end.
    reaches: [bool; 2],
    interner: &'i Interner<&'a [u8]>,
}

impl<'a, 'i> Window<'a, 'i> {
    fn new(
        old: &Text<'a>,
        new: &Text<'a>,
        middle: &LineChange,
        margin: usize,
        interner: &'i mut Interner<&'a [u8]>,
    ) -> Self {
        interner.clear();
        let before = middle.old.start - middle.old.start.min(margin)..middle.old.start;
        let after = middle.old.end..middle.old.end + (old.len() - middle.old.end).min(margin);

        let middle_old: Vec<Token> =
            old.lines(middle.old.clone()).map(|line| interner.intern(line)).collect();
        let only_old = interner.num_tokens();
        let middle_new = tokens_beside(old, new, middle, &middle_old, interner);
        let shares = middle_new.iter().any(|token| token.0 < only_old);

        // Which of the equally good answers is found hangs on how often a line stands in the whole
        // texts. Where none stands on both sides, there is but one answer.
        let mut outer_before = Vec::new();
        let mut outer_after = Vec::new();
        if shares {
            let mut seen = Seen::default();
            for line in old.lines(middle.old.clone()).chain(new.lines(middle.new.clone())) {
                seen.add(line);
            }
            // No line is empty; this one stands for all that are not in the middle.
            let other = interner.intern(&[]);
            let mut token = |line| if seen.may_hold(line) { interner.intern(line) } else { other };
            outer_before.extend(old.lines(0..before.start).map(&mut token));
            outer_after.extend(old.lines(after.end..old.len()).map(&mut token));
        }
        let first = before.start - outer_before.len();
        let margin_before: Vec<Token> = old.lines(before.clone()).map(|line| interner.intern(line)).collect();
        let margin_after: Vec<Token> = old.lines(after.clone()).map(|line| interner.intern(line)).collect();
        let margins = |middle: &[Token]| {
            let start = outer_before.len();
            let end = start + margin_before.len() + middle.len();
            [start..start + margin_before.len(), end..end + margin_after.len()]
        };
        let margins = [margins(&middle_old), margins(&middle_new)];
        let join =
            |middle: &[Token]| [&outer_before, &margin_before, middle, &margin_after, &outer_after].concat();
        Self {
            old: join(&middle_old),
            new: join(&middle_new),
            first,
            margins,
            reaches: [before.start == 0, after.end == old.len()],
            interner,
        }
    }

    /// Whether the search takes no more steps than this.
    fn within(&self, effort: usize) -> bool {
        let [old, new] = [&self.old, &self.new];
        if search_steps(old.len() + new.len()) <= effort {
            return true;
        }
        let holds = |tokens: &[Token]| {
            let mut holds = vec![false; self.interner.num_tokens() as usize];
            for token in tokens {
                holds[token.0 as usize] = true;
            }
            holds
        };
        let both: Vec<bool> = holds(old).into_iter().zip(holds(new)).map(|(old, new)| old && new).collect();
        let searched = |tokens: &[Token], [before, after]: &[Range<usize>; 2]| -> Vec<Token> {
            let middle = &tokens[before.end..after.start];
            middle.iter().copied().filter(|token| both[token.0 as usize]).collect()
        };
        let (old, new) = (searched(old, &self.margins[0]), searched(new, &self.margins[1]));
        search_steps(old.len() + new.len()) <= effort || few_edits(&old, &new, effort / GREEDY)
    }

    /// The changes, unless a group might have slid out of the window.
    fn changes(&self) -> Option<Vec<LineChange>> {
        self.holds_slides().then(|| self.all_changes())
    }

    /// The changes, groups sliding as far as the window reaches.
    fn all_changes(&self) -> Vec<LineChange> {
        let mut diff = Diff::default();
        diff.compute_with(Algorithm::Myers, &self.old, &self.new, self.interner.num_tokens());
        diff.postprocess_with(&self.old, &self.new, IndentHeuristic::new(|token| self.indent(token)));
        let lines = |tokens: Range<u32>| self.first + tokens.start as usize..self.first + tokens.end as usize;
        diff.hunks().map(|hunk| LineChange { old: lines(hunk.before), new: lines(hunk.after) }).collect()
    }

    fn indent(&self, token: Token) -> IndentLevel {
        /// Deeper than any indent that counts; a line of nothing but carriage returns may be long.
        const LOOKED_AT: usize = 1024;
        const TAB: u8 = 8;
        IndentLevel::for_ascii_line(self.interner[token].iter().copied().take(LOOKED_AT), TAB)
    }

    /// Whether no group can slide so far that it would meet, or see, a border of the window.
    ///
    /// To slide past a line, a group must hold an equal one: no group slides past a line that the
    /// window holds only once.
    fn holds_slides(&self) -> bool {
        if self.reaches == [true, true] {
            return true;
        }
        let once: [Vec<u8>; 2] = [(&self.old, &self.margins[0]), (&self.new, &self.margins[1])].map(
            |(tokens, [before, after])| {
                let mut times = vec![0_u8; self.interner.num_tokens() as usize];
                for token in &tokens[before.start..after.end] {
                    times[token.0 as usize] = times[token.0 as usize].saturating_add(1);
                }
                times
            },
        );
        let barrier = |token: &Token| once.iter().all(|times| times[token.0 as usize] == 1);
        let [before, after] = &self.margins[0];
        let stops_before = self.reaches[0] || self.old[before.clone()].iter().skip(SIGHT).any(barrier);
        let stops_after = self.reaches[1] || self.old[after.clone()].iter().rev().skip(SIGHT).any(barrier);
        stops_before && stops_after
    }
}

/// At most how many steps Myers' algorithm takes for so many lines, roughly: it gives up a better
/// answer after a number of rounds that grows with the root of the lines, and has then dealt with
/// about as many lines as there were rounds.
pub(super) fn search_steps(lines: usize) -> usize {
    const LEAST: usize = 256;
    lines.saturating_mul((1 << (lines.checked_ilog2().map_or(0, |log| log + 1)).div_ceil(2)).max(LEAST))
}

/// The part of an effort that is spent on finding out whether two sequences are alike.
pub(super) const GREEDY: usize = 4;

/// Whether two sequences are so alike that the plain greedy search comes to their ends in so many steps.
pub(super) fn few_edits(old: &[Token], new: &[Token], effort: usize) -> bool {
    // How far into `old` one comes with so many deletions and else insertions: `y` follows from it.
    let mut furthest: Vec<usize> = Vec::new();
    let mut steps = 0_usize;
    for edits in 0.. {
        furthest.push(0);
        // In place, so from most deletions down, as a deletion builds on the round before.
        for deletions in (0..=edits).rev() {
            let deleted = if deletions > 0 { furthest[deletions - 1] + 1 } else { 0 };
            let inserted = furthest[deletions];
            let mut x = deleted.max(inserted);
            let mut y = x + edits - 2 * deletions;
            let rest = old.get(x..).unwrap_or_default().iter().zip(new.get(y..).unwrap_or_default());
            let same = rest.take_while(|(old, new)| old == new).count();
            x += same;
            y += same;
            furthest[deletions] = x;
            steps += same + 1;
            if x >= old.len() && y >= new.len() {
                return true;
            }
            if steps > effort {
                return false;
            }
        }
    }
    false
}

/// The tokens of the new lines that differ. Most of them follow one another as in the old text, and
/// comparing a line with the one that should come is cheaper than hashing it.
fn tokens_beside<'a>(
    old: &Text<'a>,
    new: &Text<'a>,
    middle: &LineChange,
    old_tokens: &[Token],
    interner: &mut Interner<&'a [u8]>,
) -> Vec<Token> {
    // Where a token stands in the old text, the last place counts.
    let mut places = vec![0_u32; interner.num_tokens() as usize];
    for (place, token) in (1..).zip(old_tokens) {
        places[token.0 as usize] = place;
    }
    let mut next = 0_usize;
    let tokens = new.lines(middle.new.clone()).map(|line| {
        if let Some(&token) = old_tokens.get(next)
            && old.line(middle.old.start + next) == line
        {
            next += 1;
            return token;
        }
        let token = interner.intern(line);
        if let Some(&place) = places.get(token.0 as usize) {
            next = place as usize;
        }
        token
    });
    tokens.collect()
}

/// A set of lines that may say yes wrongly, but never no: most lines need no hash of their bytes.
struct Seen(Box<[u64; 1024]>);

impl Default for Seen {
    fn default() -> Self {
        Self(Box::new([0; 1024]))
    }
}

impl Seen {
    fn add(&mut self, line: &[u8]) {
        let (word, bit) = Self::place(line);
        self.0[word] |= bit;
    }

    fn may_hold(&self, line: &[u8]) -> bool {
        let (word, bit) = Self::place(line);
        self.0[word] & bit != 0
    }

    /// From a line's length and the bytes around its middle and at its end.
    fn place(line: &[u8]) -> (usize, u64) {
        let eight = |at: usize| {
            line.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u64::from_le_bytes(*bytes))
        };
        let few = line.iter().take(8).fold(0, |sum, &byte| (sum << 8) | u64::from(byte));
        let mixed = few
            ^ eight(line.len().saturating_sub(9)).rotate_left(17)
            ^ eight(line.len() / 2).rotate_left(41)
            ^ (line.len() as u64) << 23;
        // Fibonacci hashing: the high bits of the product hang on all bits of the key.
        let place = mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48;
        ((place >> 6) as usize, 1 << (place & 63))
    }
}
