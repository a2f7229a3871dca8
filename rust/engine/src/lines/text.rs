//! A text as lines.

use std::ops::Range;

/// A text and where its lines start. A line ends after its line feed, the last one maybe without.
#[derive(Clone)]
pub struct Text<'a> {
    bytes: &'a [u8],
    /// The start of each line, and the end of the last.
    starts: Vec<u32>,
}

impl<'a> Text<'a> {
    /// Find the lines of a text of less than 4 GiB.
    pub fn new(bytes: &'a [u8]) -> Self {
        // Lines of source text are some 32 bytes long; a wrong guess costs a copy.
        let mut starts = Vec::with_capacity(bytes.len() / 32 + 2);
        starts.push(0);
        starts.extend(memchr::memchr_iter(b'\n', bytes).map(|at| at as u32 + 1));
        if starts.last().copied() != Some(bytes.len() as u32) {
            starts.push(bytes.len() as u32);
        }
        Self { bytes, starts }
    }

    /// The whole text.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is no line.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A line, counted from 0, with its line feed where it has one.
    pub fn line(&self, number: usize) -> &'a [u8] {
        &self.bytes[self.range(number)]
    }

    /// Some lines, one after the other.
    pub(super) fn lines(&self, numbers: Range<usize>) -> impl ExactSizeIterator<Item = &'a [u8]> {
        let bytes = self.bytes;
        self.starts[numbers.start..=numbers.end]
            .windows(2)
            .map(|edge| &bytes[edge[0] as usize..edge[1] as usize])
    }

    /// Where a line stands in the text.
    pub fn range(&self, number: usize) -> Range<usize> {
        self.starts[number] as usize..self.starts[number + 1] as usize
    }

    /// Where a line starts; for the number of lines, where the text ends.
    pub fn start(&self, number: usize) -> usize {
        self.starts[number] as usize
    }

    /// The line that holds the byte at `offset`; past the end, the number of lines.
    pub fn line_at(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start as usize <= offset) - 1
    }
}
