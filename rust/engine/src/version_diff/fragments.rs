//! What is left of a secret where it is not whole.
//!
//! A key that someone mistyped, and then put right, is a secret on one side only: without its last
//! character the other side is a key by no rule, and all but all of it would be shown. So where a
//! secret was found, pieces of it are looked for on both sides, and what holds one is hidden too.

use std::collections::BTreeSet;
use std::ops::Range;

use aho_corasick::AhoCorasick;

use super::content::Content;

/// How long a piece is, in bytes.
const PIECE: usize = 8;

/// How many pieces are looked for; those of the first secrets count.
const MOST_PIECES: usize = 4_096;

/// The parts to hide on both sides, where they are more than those known.
pub(super) fn spread(old: &Content<'_>, new: &Content<'_>) -> Option<[Vec<Range<usize>>; 2]> {
    if old.hidden.is_empty() && new.hidden.is_empty() {
        return None;
    }
    let mut pieces = BTreeSet::new();
    for content in [old, new] {
        for hidden in &content.hidden {
            add_pieces(content.text[hidden.clone()].as_bytes(), &mut pieces);
        }
    }
    // More than there is memory for can't be: there are few, and short.
    let search = AhoCorasick::new(&pieces).ok()?;
    let sides = [old, new].map(|content| hidden_with(content, &search));
    (sides[0] != old.hidden || sides[1] != new.hidden).then_some(sides)
}

/// Every piece that looks random: letters and digits, at least two of each, so that no word of a
/// URL or of a header is one.
fn add_pieces<'t>(secret: &'t [u8], pieces: &mut BTreeSet<&'t [u8]>) {
    for piece in secret.windows(PIECE) {
        let digits = piece.iter().filter(|byte| byte.is_ascii_digit()).count();
        let letters = piece.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
        if digits >= 2 && letters >= 2 && digits + letters == PIECE && pieces.len() < MOST_PIECES {
            pieces.insert(piece);
        }
    }
}

/// What is hidden, and each run of token characters that holds a piece.
fn hidden_with(content: &Content<'_>, search: &AhoCorasick) -> Vec<Range<usize>> {
    let text = content.text.as_bytes();
    let belongs = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-+=".contains(byte);
    let mut hidden = content.hidden.clone();
    let mut end = 0;
    for found in search.find_iter(text) {
        let known = content.hidden.partition_point(|hidden| hidden.end <= found.start());
        let is_known = content.hidden.get(known).is_some_and(|hidden| hidden.start <= found.start());
        if is_known || found.start() < end {
            continue;
        }
        let start = text[..found.start()].iter().rposition(|byte| !belongs(byte)).map_or(0, |at| at + 1);
        end = text[found.end()..]
            .iter()
            .position(|byte| !belongs(byte))
            .map_or(text.len(), |at| found.end() + at);
        hidden.push(start..end);
    }
    hidden.sort_by_key(|hidden| hidden.start);
    hidden.dedup_by(|next, kept| {
        let touches = next.start <= kept.end;
        if touches {
            kept.end = kept.end.max(next.end);
        }
        touches
    });
    hidden
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(text: &str, hidden: Vec<Range<usize>>) -> Content<'_> {
        Content { text: text.into(), hidden, ..Content::nothing() }
    }

    #[test]
    fn what_is_left_of_a_secret_is_hidden_on_the_other_side() {
        let (old, new) = ("key = 'ab12cd34ef56'\n", "x = 1\nkey = 'ab12cd34ef5'\n");
        let sides = spread(&content(old, vec![7..19]), &content(new, Vec::new())).expect("more to hide");
        assert_eq!(sides, [vec![7..19], vec![13..24]]);
        let sides = spread(&content(new, Vec::new()), &content(old, vec![7..19])).expect("more to hide");
        assert_eq!(sides, [vec![13..24], vec![7..19]]);
    }

    #[test]
    fn words_are_no_pieces() {
        let url = concat!("postgres", "://someone:12345678@localhost:5432/database");
        let other = "database = 'localhost'  # postgres, port 12345678\n";
        assert_eq!(spread(&content(url, vec![0..url.len()]), &content(other, Vec::new())), None);
        assert_eq!(spread(&content(other, Vec::new()), &content(other, Vec::new())), None);
    }
}
