//! How long the search for what differs may take, told before it starts.

use gix_imara_diff::Token;

/// Whether comparing two sequences takes no more steps than this, each some 5 to 10 ns.
pub(super) fn suffices(effort: usize, old: &[Token], new: &[Token]) -> bool {
    /// The part of the effort that is spent on finding out.
    const PART: usize = 4;
    search_steps(old.len() + new.len()) <= effort || few_edits(old, new, effort / PART)
}

/// At most how many steps Myers' algorithm takes for so many lines, roughly: it gives up a better
/// answer after a number of rounds that grows with the root of the lines, and has then dealt with
/// about as many lines as there were rounds.
pub(super) fn search_steps(lines: usize) -> usize {
    const LEAST: usize = 256;
    lines.saturating_mul((1 << (lines.checked_ilog2().map_or(0, |log| log + 1)).div_ceil(2)).max(LEAST))
}

/// Whether two sequences are so alike that the plain greedy search comes to their ends in so many steps.
fn few_edits(old: &[Token], new: &[Token], effort: usize) -> bool {
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
