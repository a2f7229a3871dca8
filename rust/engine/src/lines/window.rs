//! What differs between two texts with some of the equal lines around it, as tokens.

use std::cell::Cell;
use std::ops::Range;

use gix_imara_diff::{Algorithm, Diff, IndentHeuristic, IndentLevel, Interner, Token};

use super::compare::LineChange;
use super::effort;
use super::text::Text;

/// How many equal lines around what differs are looked at first.
pub(super) const MARGIN: usize = 64;
/// How far beyond a position the slider looks for indented lines, with one to spare.
const SIGHT: usize = 22;

/// The lines that differ with so many equal ones around them, as tokens.
pub(super) struct Window<'a, 'i> {
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
    pub(super) fn new(
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
            let outer = before.start + old.len() - after.end;
            let seen = (4 * outer > middle_old.len() + middle_new.len())
                .then(|| Seen::of(old.lines(middle.old.clone()).chain(new.lines(middle.new.clone()))));
            // No line is empty; this one stands for all that are not in the middle.
            let other = interner.intern(&[]);
            let mut token = |line| {
                if seen.as_ref().is_none_or(|seen| seen.may_hold(line)) {
                    interner.intern(line)
                } else {
                    other
                }
            };
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
    pub(super) fn within(&self, effort: usize) -> bool {
        let [old, new] = [&self.old, &self.new];
        if effort::search_steps(old.len() + new.len()) <= effort {
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
        effort::suffices(effort, &old, &new)
    }

    /// The changes, unless a group might have slid out of the window.
    pub(super) fn changes(&self) -> Option<Vec<LineChange>> {
        self.holds_slides().then(|| self.all_changes())
    }

    /// The changes, groups sliding as far as the window reaches.
    pub(super) fn all_changes(&self) -> Vec<LineChange> {
        let mut diff = Diff::default();
        diff.compute_with(Algorithm::Myers, &self.old, &self.new, self.interner.num_tokens());
        // The slider asks for the same lines over and over, and a line may be long.
        let known = vec![Cell::new(None); self.interner.num_tokens() as usize];
        let indent = |token: Token| {
            const TAB: u8 = 8;
            let known: &Cell<Option<IndentLevel>> = &known[token.0 as usize];
            known.get().unwrap_or_else(|| {
                let found = IndentLevel::for_ascii_line(self.interner[token].iter().copied(), TAB);
                known.set(Some(found));
                found
            })
        };
        diff.postprocess_with(&self.old, &self.new, IndentHeuristic::new(indent));
        let lines = |tokens: Range<u32>| self.first + tokens.start as usize..self.first + tokens.end as usize;
        diff.hunks().map(|hunk| LineChange { old: lines(hunk.before), new: lines(hunk.after) }).collect()
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

impl Seen {
    fn of<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut seen = Box::new([0; 1024]);
        for line in lines {
            let (word, bit) = Self::place(line);
            seen[word] |= bit;
        }
        Self(seen)
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
