//! Text looked at once more, as it is shown.
//!
//! One secret can keep another from being seen: what stands right behind it begins no word, and the
//! lines of a key with something else in them are no key. Once the first is hidden, the other one is
//! there for everyone. So what a scan found is hidden and the text scanned again, until nothing comes.

use std::ops::Range;

use super::redact::{Piece, in_pieces};
use super::{Finding, merge};

/// How often text is looked at again. Each time finds what only the time before laid open, so that
/// more than two are for texts that were made for it.
const MOST: usize = 4;

/// The findings of `content`, and those of the text that is left once they are hidden.
pub(super) fn scan(
    content: &[u8],
    mut found: Vec<Finding>,
    scan: impl Fn(&[u8]) -> Vec<Finding>,
) -> Vec<Finding> {
    for _ in 0..MOST {
        if found.is_empty() {
            break;
        }
        let (mut shown, mut pieces) = (Vec::with_capacity(content.len()), Vec::new());
        in_pieces(content, &found, &mut shown, &mut |piece| pieces.push(piece));
        let more: Vec<Finding> = scan(&shown)
            .into_iter()
            .map(|finding| Finding { span: taken_back(&pieces, &finding.span), ..finding })
            .filter(|finding| !is_known(&found, &finding.span))
            .collect();
        if more.is_empty() {
            break;
        }
        found.extend(more);
        found = merge(found);
    }
    found
}

/// Where in the content a span of the shown text is: of a mark all that it hides.
fn taken_back(pieces: &[Piece], span: &Range<usize>) -> Range<usize> {
    let piece_at = |at: usize| pieces.get(pieces.partition_point(|piece| piece.shown.end <= at));
    let start = piece_at(span.start).map_or(span.start, |piece| {
        let within = if piece.is_mark { 0 } else { span.start - piece.shown.start };
        piece.content.start + within
    });
    let last = span.end.saturating_sub(1);
    let end = piece_at(last).map_or(start, |piece| {
        let after = if piece.is_mark { 0 } else { piece.shown.end - span.end };
        piece.content.end - after
    });
    start..end.max(start)
}

/// Whether all of a span is hidden already; findings are sorted, none overlapping.
fn is_known(found: &[Finding], span: &Range<usize>) -> bool {
    let next = found.partition_point(|finding| finding.span.end < span.end);
    found.get(next).is_some_and(|finding| finding.span.start <= span.start)
}

#[cfg(test)]
mod tests {
    use crate::secrets::sample::{ALPHANUMERIC, BASE64, random};
    use crate::secrets::{Rules, redact};

    fn token() -> String {
        format!("{}{}", concat!("gh", "p_"), random(ALPHANUMERIC, 36))
    }

    /// The text with nothing left in it.
    fn hidden(text: &str) -> String {
        let rules = Rules::builtin();
        let hidden = redact(text.as_bytes(), &rules.scan(text.as_bytes(), None)).into_owned();
        assert_eq!(rules.scan(&hidden, None), [], "{text}");
        String::from_utf8(hidden).expect("marks are ASCII")
    }

    #[test]
    fn a_secret_right_behind_another_one_is_hidden() {
        let body = random(BASE64, 64);
        let key = format!("{}\n{body}\n{body}\n", concat!("-----BEG", "IN PRIVATE KEY-----"));
        let text = format!("{key}{}{}\nnext", concat!("-----E", "ND PRIV"), token());
        assert!(!hidden(&text).contains(&token()[4..]));
        assert!(hidden(&text).ends_with("\nnext"));
    }

    #[test]
    fn the_lines_of_a_key_that_another_secret_stands_in_are_hidden() {
        let body = random(BASE64, 64);
        let header = concat!("-----BEG", "IN PRIVATE KEY-----");
        let text = format!("{header}\n{} {}\n{body}\n{body}\n", &body[..16], token());
        let hidden = hidden(&text);
        assert!(!hidden.contains(&body[..16]), "{hidden}");
        assert_eq!(hidden.lines().count(), text.lines().count());
    }

    #[test]
    fn what_is_shown_of_a_secret_is_no_finding_of_its_own() {
        let text = format!("key = \"{}\" and {}", token(), token());
        let rules = Rules::builtin();
        assert_eq!(rules.scan(text.as_bytes(), None).len(), 2);
    }
}
