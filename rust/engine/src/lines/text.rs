//! A text as lines.

use std::borrow::Cow;
use std::ops::Range;

/// Whether a content is no text, as git tells without attributes: a NUL is among the first 8,000
/// bytes.
pub fn is_binary(content: &[u8]) -> bool {
    const LOOKED_AT: usize = 8_000;
    memchr::memchr(0, &content[..content.len().min(LOOKED_AT)]).is_some()
}

/// A text and where its lines start. A line ends after its line feed, the last one maybe without.
#[derive(Clone)]
pub struct Text<'a> {
    bytes: &'a [u8],
    /// The start of each line, and the end of the last.
    starts: Cow<'a, [u32]>,
}

impl<'a> Text<'a> {
    /// Find the lines of a text of less than 4 GiB.
    pub fn new(bytes: &'a [u8]) -> Self {
        let mut starts;
        if bytes.len() < SHORT {
            starts = Vec::with_capacity(memchr::memchr_iter(b'\n', bytes).count() + 2);
            starts.push(0);
            starts.extend(memchr::memchr_iter(b'\n', bytes).map(|at| at as u32 + 1));
        } else {
            // Lines of source text are some 32 bytes long; a wrong guess costs a copy.
            starts = Vec::with_capacity(bytes.len() / 32 + 2);
            starts.push(0);
            push_line_ends(bytes, &mut starts);
        }
        if starts.last().copied() != Some(bytes.len() as u32) {
            starts.push(bytes.len() as u32);
        }
        Self { bytes, starts: Cow::Owned(starts) }
    }

    /// The text whose lines were found before: the starts are those of a [`Text`] of these bytes.
    pub(crate) fn with_starts(bytes: &'a [u8], starts: &'a [u32]) -> Self {
        Self { bytes, starts: Cow::Borrowed(starts) }
    }

    /// The start of each line, and the end of the last.
    pub(crate) fn into_starts(self) -> Box<[u32]> {
        self.starts.into()
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

/// In a text of less than so many bytes, making room for what is found costs more than finding it.
const SHORT: usize = 2_048;

/// Push where lines end.
///
/// Lines are so short that a search for the next line feed spends most of its time starting and
/// stopping, and that a branch for each is often guessed wrongly. So 64 bytes are made a mask of
/// line feeds, and the first few places of it are written whether or not there are as many.
fn push_line_ends(bytes: &[u8], ends: &mut Vec<u32>) {
    const FEW: usize = 4;
    let (blocks, rest) = bytes.as_chunks::<64>();
    let mut len = ends.len();
    let mut at = 0_u32;
    for block in blocks {
        let mut feeds = line_feeds(block);
        if len + 64 > ends.len() {
            ends.resize((2 * len).max(len + 1024), 0);
        }
        let found = feeds.count_ones() as usize;
        let places = &mut ends[len..len + 64];
        for place in &mut places[..FEW] {
            *place = at.wrapping_add(feeds.trailing_zeros() + 1);
            feeds &= feeds.wrapping_sub(1);
        }
        for place in places[..found].iter_mut().skip(FEW) {
            *place = at.wrapping_add(feeds.trailing_zeros() + 1);
            feeds &= feeds.wrapping_sub(1);
        }
        len += found;
        at = at.wrapping_add(64);
    }
    ends.truncate(len);
    ends.extend((at..).zip(rest).filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1));
}

/// A bit for each byte, the lowest for the first: whether it is a line feed.
fn line_feeds(block: &[u8; 64]) -> u64 {
    const FEEDS: u64 = u64::from_ne_bytes([b'\n'; 8]);
    const LOW: u64 = u64::from_ne_bytes([0x7F; 8]);
    /// Brings the lowest bits of eight bytes together in the highest byte of the product.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let (words, _) = block.as_chunks::<8>();
    words.iter().rev().fold(0, |mask, word| {
        let other = u64::from_le_bytes(*word) ^ FEEDS;
        // The high bit of each byte that is a line feed, and no other bit.
        let feeds = !(((other & LOW) + LOW) | other | LOW);
        mask << 8 | (feeds >> 7).wrapping_mul(GATHER) >> 56
    })
}
