//! Where findings stand, as an editor counts: lines and columns from 1.

use super::Finding;

/// The place of a finding in its text; all zeros stand for no place in a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Location {
    /// The line it starts on, from 1.
    pub line: usize,
    /// The column of its first character, from 1, counted in characters; a byte that is no UTF-8
    /// counts as one.
    pub column: usize,
    /// The line it ends on.
    pub end_line: usize,
    /// The column after its last character.
    pub end_column: usize,
}

/// A place in a text that is walked from the front.
struct Walk<'c> {
    content: &'c [u8],
    at: usize,
    line: usize,
    column: usize,
}

impl Walk<'_> {
    fn to(&mut self, place: usize) -> (usize, usize) {
        let place = place.min(self.content.len());
        let part = self.content.get(self.at..place).unwrap_or_default();
        let mut line_start = 0;
        for end in memchr::memchr_iter(b'\n', part) {
            self.line += 1;
            self.column = 1;
            line_start = end + 1;
        }
        self.column += characters(&part[line_start..]);
        self.at = self.at.max(place);
        (self.line, self.column)
    }
}

/// How many characters bytes make; each byte that is part of none counts as one.
fn characters(bytes: &[u8]) -> usize {
    bytes.utf8_chunks().map(|chunk| chunk.valid().chars().count() + chunk.invalid().len()).sum()
}

/// The places of the findings of a scan of `content`, in the same order.
///
/// A line ends at its line feed. One walk over the text, whatever the number of findings.
pub fn locate(content: &[u8], findings: &[Finding]) -> Vec<Location> {
    let mut walk = Walk { content, at: 0, line: 1, column: 1 };
    let place = |finding: &Finding| {
        let (line, column) = walk.to(finding.span.start);
        let (end_line, end_column) = walk.to(finding.span.end);
        Location { line, column, end_line, end_column }
    };
    findings.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::super::RuleNumber;
    use super::*;

    fn places(content: &[u8], spans: &[std::ops::Range<usize>]) -> Vec<(usize, usize, usize, usize)> {
        let findings: Vec<_> =
            spans.iter().map(|span| Finding { rule: RuleNumber(0), span: span.clone() }).collect();
        let places = locate(content, &findings).into_iter();
        places.map(|at| (at.line, at.column, at.end_line, at.end_column)).collect()
    }

    fn at(start: usize, end: usize) -> std::ops::Range<usize> {
        start..end
    }

    #[test]
    fn lines_and_columns_count_from_one_in_characters() {
        let text = "鍵=abc\nx: def\r\n\n".as_bytes();
        let abc = 4..7;
        let def = 11..14;
        assert_eq!(places(text, &[abc, def]), [(1, 3, 1, 6), (2, 4, 2, 7)]);
    }

    #[test]
    fn a_finding_over_several_lines_ends_on_a_later_one() {
        assert_eq!(places(b"a\nbc\nde", &[at(2, 6)]), [(2, 1, 3, 2)]);
        assert_eq!(places(b"a\nbc\n", &[at(2, 5)]), [(2, 1, 3, 1)]);
    }

    #[test]
    fn a_byte_that_is_no_text_counts_as_one_character() {
        assert_eq!(places(b"\xff\xe3\x81abc", &[at(3, 6)]), [(1, 4, 1, 7)]);
    }
}
