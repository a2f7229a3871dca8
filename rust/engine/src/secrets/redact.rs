//! Text with a mark in place of its secrets.

use std::borrow::Cow;
use std::ops::Range;

use super::{Finding, MARK};

/// See [`super::redact()`].
pub(super) fn redact<'c>(content: &'c [u8], findings: &[Finding]) -> Cow<'c, [u8]> {
    if findings.is_empty() {
        return Cow::Borrowed(content);
    }
    let mut out = Vec::with_capacity(content.len());
    in_pieces(content, findings, &mut out, &mut |_| ());
    Cow::Owned(out)
}

/// A part of the text that is shown.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Piece {
    /// Where it stands there.
    pub(super) shown: Range<usize>,
    /// What of the content it is, or hides.
    pub(super) content: Range<usize>,
    /// Whether it hides that.
    pub(super) is_mark: bool,
}

/// Write the text that is shown, and tell of each piece in its order.
pub(super) fn in_pieces(
    content: &[u8],
    findings: &[Finding],
    out: &mut Vec<u8>,
    tell: &mut impl FnMut(Piece),
) {
    let mut at = 0;
    for finding in findings {
        let start = finding.span.start.clamp(at, content.len());
        let end = finding.span.end.clamp(start, content.len());
        keep(content, at..start, out, tell);
        hide(content, start..end, out, tell);
        at = end;
    }
    keep(content, at..content.len(), out, tell);
}

fn keep(content: &[u8], part: Range<usize>, out: &mut Vec<u8>, tell: &mut impl FnMut(Piece)) {
    if part.is_empty() {
        return;
    }
    let start = out.len();
    out.extend_from_slice(&content[part.clone()]);
    tell(Piece { shown: start..out.len(), content: part, is_mark: false });
}

/// Marks for a hidden text, in UTF-16 where it was.
fn hide(content: &[u8], part: Range<usize>, out: &mut Vec<u8>, tell: &mut impl FnMut(Piece)) {
    let hidden = &content[part.clone()];
    let zero_from =
        |first: usize| hidden.len() >= 8 && hidden.iter().skip(first).step_by(2).all(|&byte| byte == 0);
    let (width, low) = match (zero_from(1), zero_from(0)) {
        (true, false) => (2, 0),
        (false, true) => (2, 1),
        _ => (1, 0),
    };
    let is_break = |at: usize| matches!(hidden.get(at + low), Some(b'\n' | b'\r'));
    let mut at = 0;
    while at < hidden.len() {
        let starts_with_break = is_break(at);
        let mut end = at + width;
        while end < hidden.len() && is_break(end) == starts_with_break {
            end += width;
        }
        let here = part.start + at..(part.start + end).min(part.end);
        at = end;
        if starts_with_break {
            keep(content, here, out, tell);
            continue;
        }
        let start = out.len();
        for &byte in MARK.as_bytes() {
            let mut unit = [0; 2];
            unit[low] = byte;
            out.extend_from_slice(&unit[..width]);
        }
        tell(Piece { shown: start..out.len(), content: here, is_mark: true });
    }
}

#[cfg(test)]
mod tests {
    use super::super::RuleNumber;
    use super::*;

    fn hidden(content: &[u8], span: std::ops::Range<usize>) -> Vec<u8> {
        redact(content, &[Finding { rule: RuleNumber(0), span }]).into_owned()
    }

    #[test]
    fn text_without_findings_is_not_copied() {
        assert!(matches!(redact(b"plain", &[]), Cow::Borrowed(b"plain")));
    }

    #[test]
    fn each_line_of_a_finding_is_hidden_by_itself() {
        let out = hidden(b"a: one\r\n\n two\nz", 3..13);
        assert_eq!(out, format!("a: {MARK}\r\n\n{MARK}\nz").as_bytes());
    }

    #[test]
    fn utf16_stays_utf16() {
        let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
        assert_eq!(hidden(&wide("k=secrets!"), 4..20), wide(&format!("k={MARK}")));
    }
}
