//! Numbers at a place of a slice.

/// The two bytes at `at`, least first; 0 where the slice ends before.
pub(crate) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    chunk_at(bytes, at).map_or(0, |chunk| u16::from_le_bytes(*chunk))
}

/// The four bytes at `at`, least first; 0 where the slice ends before.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    chunk_at(bytes, at).map_or(0, |chunk| u32::from_le_bytes(*chunk))
}

/// The eight bytes at `at`, least first; 0 where the slice ends before.
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    chunk_at(bytes, at).map_or(0, |chunk| u64::from_le_bytes(*chunk))
}

fn chunk_at<const LENGTH: usize>(bytes: &[u8], at: usize) -> Option<&[u8; LENGTH]> {
    bytes.get(at..).and_then(|rest| rest.first_chunk())
}
