//! Text with a mark in place of its secrets.

use std::borrow::Cow;

use super::{Finding, MARK};

/// See [`super::redact()`].
pub(super) fn redact<'c>(content: &'c [u8], findings: &[Finding]) -> Cow<'c, [u8]> {
    if findings.is_empty() {
        return Cow::Borrowed(content);
    }
    let mut out = Vec::with_capacity(content.len());
    let mut at = 0;
    for finding in findings {
        let start = finding.span.start.clamp(at, content.len());
        let end = finding.span.end.clamp(start, content.len());
        out.extend_from_slice(&content[at..start]);
        hide(&content[start..end], &mut out);
        at = end;
    }
    out.extend_from_slice(&content[at..]);
    Cow::Owned(out)
}

/// Marks for a hidden text, in UTF-16 where it was.
fn hide(hidden: &[u8], out: &mut Vec<u8>) {
    let zero_from =
        |first: usize| hidden.len() >= 8 && hidden.iter().skip(first).step_by(2).all(|&byte| byte == 0);
    let (width, low) = match (zero_from(1), zero_from(0)) {
        (true, false) => (2, 0),
        (false, true) => (2, 1),
        _ => (1, 0),
    };
    let mut marked = false;
    for unit in hidden.chunks(width) {
        match unit.get(low) {
            Some(b'\n' | b'\r') => {
                out.extend_from_slice(unit);
                marked = false;
            }
            _ if marked => {}
            _ => {
                for &byte in MARK.as_bytes() {
                    let mut unit = [0; 2];
                    unit[low] = byte;
                    out.extend_from_slice(&unit[..width]);
                }
                marked = true;
            }
        }
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
