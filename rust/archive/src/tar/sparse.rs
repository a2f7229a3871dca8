//! Files with holes: where what is stored belongs in the file (GNU tar manual, "Storing Sparse Files").
//!
//! A map is in the header and in blocks after it, in extended headers, or before the content, with the
//! version of the format. Without it two files that differ would look the same.

use bstr::ByteSlice;

use super::header::{BLOCK, number};

const WRONG_MAP: &str = "the map of a file with holes is wrong";

/// Where the map of the old format stands in a header, and in each block after it.
const IN_HEADER: usize = 386;
const CHUNK_BYTES: usize = 24;

/// The pieces of a file that are stored, and how long the file is.
#[derive(Default, PartialEq)]
pub(crate) struct Map {
    /// Where each begins in the file, and its length.
    chunks: Vec<(u64, u64)>,
    size: u64,
}

impl Map {
    /// The map in a header of GNU's old format, and whether further blocks follow.
    pub(crate) fn of_header(block: &[u8; BLOCK]) -> Result<(Self, bool), &'static str> {
        let size = number(&block[483..495]).ok_or(WRONG_MAP)?;
        let mut map = Self { chunks: Vec::new(), size };
        map.add(&block[IN_HEADER..482])?;
        Ok((map, block[482] != 0))
    }

    /// Go on with a further block; whether another follows.
    pub(crate) fn go_on(&mut self, block: &[u8; BLOCK]) -> Result<bool, &'static str> {
        self.add(&block[..504])?;
        Ok(block[504] != 0)
    }

    fn add(&mut self, chunks: &[u8]) -> Result<(), &'static str> {
        for chunk in chunks.chunks_exact(CHUNK_BYTES).take_while(|chunk| chunk[12] != 0) {
            let place = number(&chunk[..12]).ok_or(WRONG_MAP)?;
            let length = number(&chunk[12..]).ok_or(WRONG_MAP)?;
            self.chunks.push((place, length));
        }
        Ok(())
    }

    /// The map that stands before the content, and what is after it: how many pieces there are, then two
    /// numbers for each, one a line, up to the end of a block.
    pub(crate) fn of_content(content: &[u8], size: u64) -> Result<(Self, &[u8]), &'static str> {
        let mut at = 0;
        let mut next = || {
            let line = &content[at..at + content[at..].find_byte(b'\n')?];
            at += line.len() + 1;
            decimal(line)
        };
        let count = next().ok_or(WRONG_MAP)?;
        let mut map = Self { chunks: Vec::new(), size };
        for _ in 0..count {
            map.chunks.push((next().ok_or(WRONG_MAP)?, next().ok_or(WRONG_MAP)?));
        }
        let rest = content.get(at.next_multiple_of(BLOCK)..).ok_or(WRONG_MAP)?;
        Ok((map, rest))
    }

    /// The map in extended headers: numbers with commas, or one record for each.
    pub(crate) fn of_numbers(numbers: &[u64], size: u64) -> Result<Self, &'static str> {
        let (pairs, rest) = numbers.as_chunks::<2>();
        if !rest.is_empty() {
            return Err(WRONG_MAP);
        }
        Ok(Self { chunks: pairs.iter().map(|[place, length]| (*place, *length)).collect(), size })
    }

    /// How long the file is with its holes.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// The file: what is stored in its places, zeros between. `file` has room for it.
    pub(crate) fn fill(&self, mut stored: &[u8], file: &mut Vec<u8>) -> Result<(), &'static str> {
        for (place, length) in &self.chunks {
            let end = place.checked_add(*length).filter(|end| *end <= self.size).ok_or(WRONG_MAP)?;
            let (place, length) = (as_index(*place)?, as_index(*length)?);
            if place < file.len() || length > stored.len() || as_index(end)? != place + length {
                return Err(WRONG_MAP);
            }
            file.resize(place, 0);
            let (piece, rest) = stored.split_at(length);
            file.extend_from_slice(piece);
            stored = rest;
        }
        if !stored.is_empty() {
            return Err(WRONG_MAP);
        }
        file.resize(as_index(self.size)?, 0);
        Ok(())
    }
}

fn as_index(number: u64) -> Result<usize, &'static str> {
    usize::try_from(number).map_err(|_| WRONG_MAP)
}

/// A number without a sign.
pub(super) fn decimal(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || digits.len() > 19 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(digits.iter().fold(0, |value, digit| value * 10 + u64::from(digit - b'0')))
}
