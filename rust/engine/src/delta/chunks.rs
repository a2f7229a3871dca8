//! A content as a bag of chunks, by which git tells how much of it stands in another one.
//!
//! A chunk is a line, or 64 bytes of a longer one; a carriage return before a line feed is no part of
//! a text's chunk. Chunks are told apart by a hash of few values, and some differing ones are taken
//! for the same: that is part of git's answer, and so of this one.

use crate::lines::is_binary;

/// The number of hashes.
pub(super) const HASHES: usize = 107_927;
const LONGEST: u32 = 64;

/// A content as a bag of chunks.
#[derive(Debug)]
pub(super) struct Chunks {
    /// (hash, bytes in such chunks), each hash once, sorted.
    pub(super) bytes_by_hash: Vec<(u32, u32)>,
    /// Bytes of the content.
    pub(super) size: u64,
}

impl Chunks {
    pub(super) fn of(content: &[u8]) -> Self {
        let is_text = !is_binary(content);
        let mut found = Vec::with_capacity(content.len() / 24 + 1);
        let (mut state, mut length) = (0_u64, 0_u32);
        for (at, &byte) in content.iter().enumerate() {
            if is_text && byte == b'\r' && content.get(at + 1) == Some(&b'\n') {
                continue;
            }
            // Both halves move up by seven bits, each into the other; a byte is added to the lower.
            let moved = state.rotate_left(7);
            let lower = (moved as u32).wrapping_add(u32::from(byte));
            state = (moved & 0xFFFF_FFFF_0000_0000) | u64::from(lower);
            length += 1;
            if length == LONGEST || byte == b'\n' {
                found.push((hash(state), length));
                (state, length) = (0, 0);
            }
        }
        if length > 0 {
            found.push((hash(state), length));
        }
        found.sort_unstable_by_key(|(hash, _)| *hash);
        found.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same {
                kept.1 = kept.1.saturating_add(next.1);
            }
            is_same
        });
        found.shrink_to_fit();
        Self { bytes_by_hash: found, size: content.len() as u64 }
    }

    /// How many bytes both have in the same chunks.
    pub(super) fn common(&self, other: &Self) -> u64 {
        let mut others = other.bytes_by_hash.iter().peekable();
        let mut common = 0;
        for (hash, bytes) in &self.bytes_by_hash {
            while others.next_if(|(other, _)| other < hash).is_some() {}
            if let Some((_, there)) = others.next_if(|(other, _)| other == hash) {
                common += u64::from(*bytes.min(there));
            }
        }
        common
    }
}

fn hash(state: u64) -> u32 {
    let (lower, upper) = (state as u32, (state >> 32) as u32);
    lower.wrapping_add(upper.wrapping_mul(0x61)) % HASHES as u32
}
