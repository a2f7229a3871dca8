//! Long lines: what changed in them, with a little of what stands around.

use std::ops::Range;

use super::content::Content;
use super::shown::Written;

/// What stands for what is skipped.
const SKIPPED: &str = "…";

/// How much of its beginning a long line always shows, in bytes: the key of a JSON member, the
/// name that is assigned to.
const HEAD: usize = 40;

/// Parts closer than this, in bytes, are shown as one.
const GAP: usize = 16;

/// Whether a line of so many bytes is long, where so many are shown around a change.
pub(super) fn is_long(length: usize, radius: usize) -> bool {
    length > 2 * radius + 2 * HEAD
}

/// How many bytes a long line takes at most.
pub(super) fn room(radius: usize) -> usize {
    8 * radius + 2 * HEAD
}

/// Append the windows of a line, which stands at `line` of the text, with at most `room` bytes.
///
/// `changed` are the parts of the line that changed, from its start; a line without any shows how
/// it starts.
pub(super) fn write(
    content: &Content<'_>,
    line: &Range<usize>,
    changed: &[Range<usize>],
    radius: usize,
    room: usize,
    out: &mut String,
) {
    let end = out.len() + room.saturating_sub(SKIPPED.len());
    let mut at = line.start;
    // What is hidden changed as a whole: where in it the change is, no window tells.
    let changed: Vec<_> = changed.iter().map(|part| around_hidden(content, line, part)).collect();
    for window in windows(line.len(), &changed, radius) {
        let window = widened(content, line, &window);
        let start = window.start.max(at);
        if start >= window.end {
            continue;
        }
        if start > at {
            if out.len() + SKIPPED.len() > end {
                break;
            }
            out.push_str(SKIPPED);
        }
        if content.write(start..window.end, end.saturating_sub(out.len()), out) == Written::Part {
            at = line.start;
            break;
        }
        at = window.end;
    }
    if at < line.end && !out.ends_with(SKIPPED) {
        out.push_str(SKIPPED);
    }
}

/// The parts of a line to show, from its start: sorted and apart.
fn windows(length: usize, changed: &[Range<usize>], radius: usize) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut bytes = 0;
    let mut add = |start: usize, end: usize| {
        let end = end.min(length);
        match found.last_mut() {
            Some(last) if last.end + GAP >= start => {
                bytes += end.saturating_sub(last.end);
                last.end = last.end.max(end);
            }
            _ => {
                bytes += end - start;
                found.push(start..end);
            }
        }
        bytes < room(radius)
    };
    add(0, if changed.is_empty() { 2 * radius } else { HEAD });
    for part in changed {
        let goes_on = if part.len() > 4 * radius {
            add(part.start.saturating_sub(radius), part.start + 2 * radius)
                && add(part.end - radius, part.end + radius)
        } else {
            add(part.start.saturating_sub(radius), part.end + radius)
        };
        if !goes_on {
            break;
        }
    }
    found
}

/// The window in the text, so that it cuts through no grapheme and nothing hidden.
fn widened(content: &Content<'_>, line: &Range<usize>, window: &Range<usize>) -> Range<usize> {
    let border = |at: usize| {
        let mut at = line.start + at;
        while !content.text.is_char_boundary(at) {
            at -= 1;
        }
        let first = content.hidden.partition_point(|hidden| hidden.end <= at);
        match content.hidden.get(first) {
            Some(hidden) if hidden.start < at => hidden.start.max(line.start)..hidden.end.min(line.end),
            _ => content.grapheme_border(at, line.start, line.end),
        }
    };
    border(window.start).start..border(window.end).end
}

/// The part of a line, with the whole of what is hidden that it touches.
fn around_hidden(content: &Content<'_>, line: &Range<usize>, part: &Range<usize>) -> Range<usize> {
    let (start, end) = (line.start + part.start, line.start + part.end);
    let first = content.hidden.partition_point(|hidden| hidden.end <= start);
    let touched = content.hidden[first..].iter().take_while(|hidden| hidden.start < end);
    touched.fold(part.clone(), |part, hidden| {
        let (start, end) = (hidden.start.max(line.start), hidden.end.min(line.end));
        part.start.min(start - line.start)..part.end.max(end - line.start)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str, changed: &[Range<usize>], radius: usize, room: usize) -> String {
        let content = Content { text: text.into(), ..Content::nothing() };
        let mut out = String::new();
        write(&content, &(0..text.len()), changed, radius, room, &mut out);
        out
    }

    #[test]
    fn a_change_is_shown_with_what_stands_around() {
        let text = format!("  \"prompt\": \"{}RED{}\"", "x".repeat(500), "y".repeat(500));
        let at = text.find("RED").expect("there");
        let shown = written(&text, &[at..at + 3], 20, 1_000);
        assert_eq!(
            shown,
            format!("  \"prompt\": \"{}…{}RED{}…", "x".repeat(27), "x".repeat(20), "y".repeat(20))
        );
        assert!(written(&text, &[], 20, 1_000).starts_with("  \"prompt\""));
    }

    #[test]
    fn windows_that_meet_are_one_and_no_line_grows_without_bound() {
        let text = "word ".repeat(2_000);
        let near: Vec<_> = (0..10).map(|at| 1_000 + at * 30..1_004 + at * 30).collect();
        assert_eq!(written(&text, &near, 20, 1_000).matches('…').count(), 2);
        let far: Vec<_> = (0..90).map(|at| 1_000 + at * 90..1_004 + at * 90).collect();
        assert!(written(&text, &far, 20, 10_000).len() <= room(20) + 100);
        for room in 10..300 {
            assert!(written(&text, &far, 20, room).len() <= room, "{room}");
        }
    }

    #[test]
    fn graphemes_and_hidden_parts_stay_whole() {
        let family = "👩\u{200d}👩\u{200d}👧";
        let text = family.repeat(200);
        let start = family.len() * 100;
        let shown = written(&text, &[start..start + family.len()], 25, 1_000);
        for part in shown.split('…').filter(|part| !part.is_empty()) {
            assert_eq!(part.replace(family, ""), "");
        }
        let content =
            Content { text: "s".repeat(1_000).into(), hidden: vec![480..900], ..Content::nothing() };
        let mut out = String::new();
        write(&content, &(0..1_000), &[500..510], 30, 1_000, &mut out);
        let around = "s".repeat(30);
        assert_eq!(out, format!("{}…{around}[secret hidden]{around}…", "s".repeat(40)));
    }

    #[test]
    fn where_in_a_hidden_part_the_change_is_and_how_long_that_is_no_window_tells() {
        let shown = |length: usize, changed: Range<usize>| {
            let text = format!("{}{}{}", "a".repeat(400), "s".repeat(length), "b".repeat(400));
            let hidden = vec![400..400 + length];
            let content = Content { text: text.into(), hidden, ..Content::nothing() };
            let mut out = String::new();
            write(&content, &(0..800 + length), &[changed], 30, 1_000, &mut out);
            out
        };
        let expected = shown(20, 400..420);
        assert_eq!(shown(20, 410..412), expected);
        assert_eq!(shown(200, 400..401), expected);
        assert_eq!(shown(200, 599..600), expected);
    }
}
