//! What a token looks like, and what only looks like one: placeholders and words.

use std::ops::Range;

use super::text::Text;

/// A body is judged by so many of its first characters, so that long ones cost no more.
const JUDGED: usize = 256;

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
    let span = token(text, start, body, super::text::is_token, minimum)?;
    is_random(text.part(body..span.end)).then_some(span)
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
    let has = |word: &[u8]| body.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word));
    [&b"example"[..], b"placeholder", b"changeme", b"redacted", b"your-", b"your_", b"-your", b"_your"]
        .into_iter()
        .any(has)
}

/// Whether a body was drawn and not written: letters of both cases or digits among them, or one
/// part too long for a word.
pub(super) fn is_random(body: &[u8]) -> bool {
    let body = &body[..body.len().min(JUDGED)];
    let count = |class: fn(&u8) -> bool| body.iter().filter(|byte| class(byte)).count();
    let upper = count(u8::is_ascii_uppercase);
    let lower = count(u8::is_ascii_lowercase);
    let digits = count(u8::is_ascii_digit);
    let longest = body.split(|byte| matches!(byte, b'-' | b'_')).map(<[u8]>::len).max();
    longest >= Some(20)
        || (upper >= 3 && lower >= 3)
        || (digits >= 3 && upper + lower >= 3 && (longest >= Some(8) || upper >= 1))
}
