//! What a token looks like, and what only looks like one: placeholders and words.

use std::ops::Range;

use super::text::Text;

/// A body is judged by so many of its first characters, so that long ones cost no more.
const JUDGED: usize = 96;

/// A token that starts at `start` and whose body, from `body` on, has at least `minimum` characters
/// of a class. It reaches to the end of the run of token characters, however long.
pub(super) fn token(
    text: &Text<'_>,
    start: usize,
    body: usize,
    class: fn(u8) -> bool,
    minimum: usize,
) -> Option<Range<usize>> {
    if !text.left_edge(start) || text.count(body, minimum, class) < minimum {
        return None;
    }
    let end = text.token_end(body);
    (!is_placeholder(text.part(body..end))).then_some(start..end)
}

/// Like [`token`], of a body that may hold `-` and `_` and so could be words: it has to look random.
pub(super) fn random_token(
    text: &Text<'_>,
    start: usize,
    body: usize,
    minimum: usize,
) -> Option<Range<usize>> {
    if !is_random(text.part(body..body + JUDGED)) {
        return None;
    }
    token(text, start, body, super::text::is_token, minimum)
}

/// Whether what should be random was written by hand to stand for it: all one character or nearly
/// so, `xxxx`, `your-key`, `EXAMPLE`.
pub(super) fn is_placeholder(body: &[u8]) -> bool {
    let body = &body[..body.len().min(JUDGED)];
    let mut seen = [0u16; 128];
    let mut total = 0u16;
    for &byte in body.iter().filter(|byte| byte.is_ascii_alphanumeric()) {
        seen[usize::from(byte)] += 1;
        total += 1;
    }
    let distinct = seen.iter().filter(|&&count| count > 0).count();
    let crosses = seen[usize::from(b'x')] + seen[usize::from(b'X')];
    if distinct < 5 || crosses * 4 >= total * 3 {
        return true;
    }
    let says = |at: usize, word: &[u8]| {
        body[at..].get(..word.len()).is_some_and(|part| part.eq_ignore_ascii_case(word))
    };
    // So short a word is met in what was drawn too: only as a person writes it, not `yOUR`.
    let says_your = |at: usize| matches!(body.get(at..at + 4), Some(b"your" | b"Your" | b"YOUR"));
    let parts = |byte: Option<&u8>| matches!(byte, Some(b'-' | b'_'));
    (0..body.len()).any(|at| match body[at] {
        b'e' | b'E' => says(at, b"example"),
        b'p' | b'P' => says(at, b"placeholder"),
        b'c' | b'C' => says(at, b"changeme"),
        b'r' | b'R' => says(at, b"redacted"),
        b'y' | b'Y' => says_your(at) && parts(body.get(at + 4)),
        b'-' | b'_' => says_your(at + 1),
        _ => false,
    })
}

/// Whether a body was drawn and not written: letters of both cases or digits among them, or one
/// part too long for a word. What stands after its token characters does not matter.
pub(super) fn is_random(body: &[u8]) -> bool {
    let (mut upper, mut lower, mut digits) = (0, 0, 0);
    let (mut part, mut longest) = (0, 0);
    for byte in body.iter().take(JUDGED) {
        part += 1;
        match byte {
            b'A'..=b'Z' => upper += 1,
            b'a'..=b'z' => lower += 1,
            b'0'..=b'9' => digits += 1,
            b'-' | b'_' => part = 0,
            _ => break,
        }
        longest = longest.max(part);
    }
    longest >= 20
        || (upper >= 3 && lower >= 3)
        || (digits >= 3 && upper + lower >= 3 && (longest >= 8 || upper >= 1))
}
