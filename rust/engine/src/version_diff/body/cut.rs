//! The hunks of a file where not all of them fit.
//!
//! Each run of removed, or added, lines gets the same room, so that no long one starves the others;
//! what is cut leaves a mark with its size, and what follows it starts with a `@@` of its own.

use std::ops::Range;

use super::{Body, RADII, Sign, Width};
use crate::secrets::MARK;
use crate::version_diff::marks::{Counts, Language};
use crate::version_diff::windows;

/// The least room that a run is worth being cut to, in bytes, and what it gets where there are so
/// many that only the first ones are shown.
const LEAST_RUN: usize = 80;
const FIRST_RUNS: usize = 160;

impl Body<'_> {
    /// How many bytes the hunks would have, without their `@@` lines, and how many lines changed.
    fn size(&self, sign: Sign, lines: &Range<usize>) -> usize {
        if lines.is_empty() {
            return 0;
        }
        let (content, text) = self.side(sign);
        let range = text.range(lines.start).start..text.range(lines.end - 1).end;
        let mut bytes = range.len() + lines.len();
        // What is hidden has no length.
        let first = content.hidden.partition_point(|hidden| hidden.end <= range.start);
        for hidden in content.hidden[first..].iter().take_while(|hidden| hidden.start < range.end) {
            let part = hidden.start.max(range.start)..hidden.end.min(range.end);
            let rows = content.text[part.clone()].lines().filter(|row| !row.is_empty()).count();
            let breaks = memchr::memchr_iter(b'\n', &content.text.as_bytes()[part.clone()]).count();
            bytes = bytes.saturating_sub(part.len()) + breaks + rows * MARK.len();
        }
        bytes
    }

    /// The mark that stands where everything is cut.
    fn cut_mark(&self) -> String {
        let mut cut = Cut::default();
        for run in self.runs() {
            self.cut_run(&run, 0, &mut cut);
        }
        let mut mark = String::new();
        cut.write(self.language, &mut mark);
        mark
    }

    /// Append as much as fits in `room` bytes, which must be enough for a mark that everything is cut.
    pub(in crate::version_diff) fn write_cut(&self, room: usize, out: &mut String) {
        let runs = self.runs();
        let attempt = |cap: usize, count: usize| self.cut_to(&runs, cap, count, room);
        // All runs with the same room, as much as there is.
        let even = (runs.len() * LEAST_RUN <= room * 2)
            .then(|| largest(LEAST_RUN, room, |cap| attempt(cap, runs.len())))
            .flatten();
        // Else the first runs.
        let first = || largest(1, runs.len().min(room / 16), |count| attempt(FIRST_RUNS.min(room), count));
        let tiny = || largest(24, LEAST_RUN, |cap| attempt(cap, 1));
        match even.or_else(first).or_else(tiny) {
            Some(text) => out.push_str(&text),
            None => out.push_str(&self.cut_mark()),
        }
    }

    fn runs(&self) -> Vec<Run> {
        let mut runs = Vec::new();
        for (hunk_number, hunk) in self.hunks.iter().enumerate() {
            let mut at = hunk.old.start;
            for number in hunk.changes.clone() {
                let change = &self.comparison.diff.changes[number];
                let after = if number + 1 == hunk.changes.end { change.old.end..hunk.old.end } else { 0..0 };
                let mut run = Run {
                    hunk: hunk_number,
                    change: number,
                    sign: Sign::Removed,
                    lines: change.old.clone(),
                    before: at..change.old.start,
                    after: 0..0,
                    old_at: change.old.start,
                    new_at: change.new.start,
                };
                at = change.old.end;
                if change.new.is_empty() {
                    run.after = after;
                    runs.push(run);
                    continue;
                }
                if !change.old.is_empty() {
                    runs.push(run.clone());
                    run.before = 0..0;
                }
                run.sign = Sign::Added;
                run.lines = change.new.clone();
                run.after = after;
                run.old_at = change.old.end;
                runs.push(run);
            }
        }
        runs
    }

    /// The hunks with at most `cap` bytes a run, of the first `count` runs; `None` where that is
    /// more than `room`.
    fn cut_to(&self, runs: &[Run], cap: usize, count: usize, room: usize) -> Option<String> {
        let radius = RADII[RADII.len() - 1];
        let context = Width::Windows { radius, room: windows::room(radius) };
        let mut out = String::new();
        let mut cut = Cut::default();
        let mut piece = Piece::default();
        let mut rows = String::new();
        for (index, run) in runs.iter().enumerate() {
            rows.clear();
            let shown = if index < count { self.write_run(run, radius, cap, &mut rows) } else { 0 };
            let starts_hunk = index == 0 || runs[index - 1].hunk != run.hunk;
            if starts_hunk {
                self.finish(&mut piece, &mut out);
            }
            if shown > 0 {
                if !cut.is_nothing() {
                    self.finish(&mut piece, &mut out);
                    cut.write(self.language, &mut out);
                    cut = Cut::default();
                }
                let before = run.before.len();
                if piece.is_empty() {
                    piece.old_start = run.old_at - before;
                    piece.new_start = run.new_at - before;
                    piece.hunk = starts_hunk.then_some(run.hunk);
                }
                for line in run.before.clone() {
                    self.write_row(Sign::Context, line, 0, context, usize::MAX, &mut piece.rows).ok()?;
                }
                piece.old_count += before;
                piece.new_count += before;
                piece.rows.push_str(&rows);
                match run.sign {
                    Sign::Added => piece.new_count += shown,
                    _ => piece.old_count += shown,
                }
                if shown == run.lines.len() {
                    for line in run.after.clone() {
                        self.write_row(Sign::Context, line, 0, context, usize::MAX, &mut piece.rows).ok()?;
                    }
                    piece.old_count += run.after.len();
                    piece.new_count += run.after.len();
                }
            }
            if shown < run.lines.len() {
                self.finish(&mut piece, &mut out);
                self.cut_run(run, shown, &mut cut);
            }
            if out.len() + piece.rows.len() > room {
                return None;
            }
        }
        self.finish(&mut piece, &mut out);
        if !cut.is_nothing() {
            cut.write(self.language, &mut out);
        }
        (out.len() <= room).then_some(out)
    }

    /// Append the first lines of a run, in at most `cap` bytes; how many there are.
    fn write_run(&self, run: &Run, radius: usize, cap: usize, out: &mut String) -> usize {
        for (shown, line) in run.lines.clone().enumerate() {
            let start = out.len();
            // A long line takes what there is, if that is worth it.
            let left = cap.saturating_sub(start + 2);
            if left < 16 {
                return shown;
            }
            let width = Width::Windows { radius, room: windows::room(radius).min(left) };
            if self.write_row(run.sign, line, run.change, width, cap, out).is_err() {
                out.truncate(start);
                return shown;
            }
        }
        run.lines.len()
    }

    fn cut_run(&self, run: &Run, shown: usize, cut: &mut Cut) {
        let lines = run.lines.start + shown..run.lines.end;
        cut.bytes += self.size(run.sign, &lines) + self.size(Sign::Context, &run.after);
        if shown == 0 {
            cut.bytes += self.size(Sign::Context, &run.before);
        }
        match run.sign {
            Sign::Added => cut.counts.added += lines.len(),
            _ => cut.counts.removed += lines.len(),
        }
    }

    fn finish(&self, piece: &mut Piece, out: &mut String) {
        if piece.is_empty() {
            return;
        }
        let Piece { hunk, old_start, old_count, new_start, new_count, .. } = *piece;
        self.write_start(hunk, old_start, old_count, new_start, new_count, out);
        out.push_str(&piece.rows);
        *piece = Piece::default();
    }
}

/// The largest of a range that gives something, and what it gives. What a larger one gives is
/// mostly longer, which is all that the search needs: it may miss a larger one, never be wrong.
fn largest(least: usize, most: usize, attempt: impl Fn(usize) -> Option<String>) -> Option<String> {
    let (mut low, mut high) = (least, most);
    if low > high {
        return None;
    }
    let mut best = attempt(low)?;
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        match attempt(middle) {
            Some(text) => {
                low = middle;
                best = text;
            }
            None => high = middle - 1,
        }
    }
    Some(best)
}

/// Neighbouring lines that went, or that came.
#[derive(Clone)]
struct Run {
    hunk: usize,
    change: usize,
    sign: Sign,
    lines: Range<usize>,
    /// Lines of context, of the old text, that stand right before and right after it.
    before: Range<usize>,
    after: Range<usize>,
    /// Where it stands in both texts.
    old_at: usize,
    new_at: usize,
}

/// Neighbouring lines that are shown.
#[derive(Default)]
struct Piece {
    rows: String,
    old_start: usize,
    new_start: usize,
    old_count: usize,
    new_count: usize,
    /// The hunk that it is the start of.
    hunk: Option<usize>,
}

impl Piece {
    fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// Lines that are not shown.
#[derive(Clone, Copy, Default)]
struct Cut {
    bytes: usize,
    counts: Counts,
}

impl Cut {
    fn is_nothing(self) -> bool {
        self.counts == Counts::default()
    }

    fn write(self, language: Language, out: &mut String) {
        language.write_cut(self.bytes, self.counts, out);
    }
}
