//! Where in a text a span stands, as people count.

use std::ops::Range;

/// Where a span starts and ends: lines and columns from 1, columns in characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    /// The line of its first character.
    pub line: usize,
    /// The column of its first character.
    pub column: usize,
    /// The line of its last character.
    pub end_line: usize,
    /// The column after its last character.
    pub end_column: usize,
}

/// Counts lines and columns of a text, in one pass for spans that come sorted.
///
/// A line ends with a line feed. A character is a Unicode code point; of what is no UTF-8, each
/// byte is one.
#[derive(Clone, Debug)]
pub struct Places<'c> {
    content: &'c [u8],
    at: Position,
}

#[derive(Clone, Copy, Debug)]
struct Position {
    offset: usize,
    line: usize,
    column: usize,
}

const START: Position = Position { offset: 0, line: 1, column: 1 };

impl<'c> Places<'c> {
    /// Places in `content`.
    pub fn new(content: &'c [u8]) -> Self {
        Self { content, at: START }
    }

    /// Where `span` stands.
    pub fn of(&mut self, span: &Range<usize>) -> Place {
        let start = self.position(span.start);
        let end = self.position(span.end.max(span.start));
        // The next span may start before this one ends.
        self.at = start;
        Place { line: start.line, column: start.column, end_line: end.line, end_column: end.column }
    }

    fn position(&mut self, offset: usize) -> Position {
        let offset = offset.min(self.content.len());
        let mut at = if offset < self.at.offset { START } else { self.at };
        let passed = &self.content[at.offset..offset];
        let lines = memchr::memchr_iter(b'\n', passed).count();
        let last_line = match memchr::memrchr(b'\n', passed) {
            Some(feed) => {
                at.column = 1;
                &passed[feed + 1..]
            }
            None => passed,
        };
        at.line += lines;
        at.column += characters(last_line);
        at.offset = offset;
        self.at = at;
        at
    }
}

fn characters(bytes: &[u8]) -> usize {
    bytes.utf8_chunks().map(|chunk| chunk.valid().chars().count() + chunk.invalid().len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_are_counted_in_characters_from_one() {
        let text = "ab\n読み込み x\r\n\nend";
        let mut places = Places::new(text.as_bytes());
        let at = |word: &str| {
            let start = text.find(word).expect("in the text");
            start..start + word.len()
        };
        assert_eq!(places.of(&at("ab")), Place { line: 1, column: 1, end_line: 1, end_column: 3 });
        assert_eq!(places.of(&at("込み")), Place { line: 2, column: 3, end_line: 2, end_column: 5 });
        assert_eq!(places.of(&at("x\r\n\ne")), Place { line: 2, column: 6, end_line: 4, end_column: 2 });
        assert_eq!(places.of(&at("b")), Place { line: 1, column: 2, end_line: 1, end_column: 3 });
        assert_eq!(Places::new(b"\xff\xfea").of(&(2..3)).column, 3);
    }
}
