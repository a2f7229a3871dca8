//! UTF-16, of either byte order, with or without a byte order mark, and wherever it stands: ASCII
//! characters with a NUL between each two.

use std::ops::Range;

use super::Finding;

/// Fewer characters than this in a row are not taken for UTF-16; no secret is as short.
const FEWEST: usize = 12;

/// Scan each run of ASCII that is written in UTF-16, with `scan` for its characters.
pub(super) fn scan(content: &[u8], found: &mut Vec<Finding>, scan: &mut dyn FnMut(&[u8], &mut Vec<Finding>)) {
    let mut at = 0;
    while let Some(nul) = memchr::memchr(0, &content[at..]).map(|nul| at + nul) {
        // Characters stand at the places `first`, `first + 2`, …, each followed by a NUL.
        let first = nul.saturating_sub(1);
        let count = if nul == 0 { 0 } else { characters(&content[first..]) };
        at = nul + 1;
        if count >= FEWEST {
            let text: Vec<u8> = content[first..].iter().step_by(2).take(count).copied().collect();
            let mut here = Vec::new();
            scan(&text, &mut here);
            for finding in here {
                let span = bytes_of(content, first, &finding.span);
                found.push(Finding { rule: finding.rule, span });
            }
            at = (first + 2 * count).min(content.len());
        }
    }
}

/// How many ASCII characters in a row are each followed by a NUL; after the last it may be missing,
/// as in big-endian text.
fn characters(content: &[u8]) -> usize {
    let is_ascii = |byte: u8| byte != 0 && byte < 0x80;
    let whole = content.chunks_exact(2).take_while(|unit| is_ascii(unit[0]) && unit[1] == 0).count();
    let last = content.get(2 * whole).is_some_and(|&byte| is_ascii(byte));
    whole + usize::from(last)
}

/// The bytes of characters: with the NUL after each in little-endian text, before each in
/// big-endian text. Which of both it is follows from where units start: at even places.
fn bytes_of(content: &[u8], first: usize, span: &Range<usize>) -> Range<usize> {
    let (start, end) = (first + 2 * span.start, first + 2 * span.end);
    let big_endian = first % 2 == 1 && content[start - 1] == 0;
    if big_endian { start - 1..end - 1 } else { start..end.min(content.len()) }
}
