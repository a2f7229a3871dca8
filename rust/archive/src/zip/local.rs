//! Local headers, and what follows the content of an entry.

use std::ops::Range;

use super::directory::{Record, UNICODE_PATH, extra_fields, is_other_name};
use crate::bytes::{u16_at, u32_at, u64_at};
use crate::error::Error;

const LOCAL: &[u8; 4] = b"PK\x03\x04";
const LOCAL_BYTES: usize = 30;
const DESCRIPTOR: &[u8; 4] = b"PK\x07\x08";

/// Sizes and checksum follow the content, and are zero before it (4.4.4).
const HAS_DESCRIPTOR: u16 = 1 << 3;

/// Bits that change what the bytes of an entry are: encryption, descriptor, the name's encoding.
const TELLING_FLAGS: u16 = 1 | HAS_DESCRIPTOR | 1 << 11;

/// An entry in its place.
pub(super) struct Local {
    pub(super) data: Range<usize>,
    /// Where the descriptor, or else the content, ends.
    pub(super) end: u64,
    /// Whether the headers of the entry say different things.
    pub(super) contradicts: bool,
    pub(super) runs_into_directory: bool,
}

impl Local {
    pub(super) fn read(bytes: &[u8], record: &Record<'_>) -> Result<Self, Error> {
        let damaged = |what| Error::damaged(what, "zip", record.start);
        let header = &bytes[record.start as usize..];
        if header.len() < LOCAL_BYTES || !header.starts_with(LOCAL) {
            return Err(damaged("there is no local header"));
        }
        let name_end = LOCAL_BYTES + usize::from(u16_at(header, 26));
        let start = name_end + usize::from(u16_at(header, 28));
        let name =
            header.get(LOCAL_BYTES..name_end).ok_or_else(|| damaged("a local header ends too early"))?;
        let extra = header.get(name_end..start).ok_or_else(|| damaged("a local header ends too early"))?;
        let data_start = record.start + start as u64;
        let data_end = data_start
            .checked_add(record.compressed)
            .filter(|end| *end <= bytes.len() as u64)
            .ok_or_else(|| damaged("the content of an entry ends too early"))?;
        let flags = u16_at(header, 6);
        let mut contradicts = name != record.name
            || record.has_other_name
            || extra_fields(extra).any(|(id, field)| id == UNICODE_PATH && is_other_name(field, name))
            || u16_at(header, 8) != record.method
            || (flags ^ record.flags) & TELLING_FLAGS != 0
            || !says_the_same(header, extra, flags & HAS_DESCRIPTOR != 0, record);
        let mut end = data_end;
        if record.flags & HAS_DESCRIPTOR != 0 {
            match descriptor(&bytes[data_end as usize..record.bound.max(data_end) as usize], record) {
                Some(length) => end += length,
                None => contradicts = true,
            }
        }
        Ok(Self {
            data: data_start as usize..data_end as usize,
            end,
            contradicts,
            runs_into_directory: data_end > record.bound,
        })
    }
}

/// Whether checksum and sizes are those of the central directory.
fn says_the_same(header: &[u8], extra: &[u8], has_descriptor: bool, record: &Record<'_>) -> bool {
    let checksum = u32_at(header, 14);
    let mut compressed = u64::from(u32_at(header, 18));
    let mut size = u64::from(u32_at(header, 22));
    // Both sizes are in the field, whichever of them needs it (4.5.3).
    if let Some((_, field)) = extra_fields(extra).find(|(id, _)| *id == 1)
        && field.len() >= 16
    {
        if size == 0xffff_ffff {
            size = u64_at(field, 0);
        }
        if compressed == 0xffff_ffff {
            compressed = u64_at(field, 8);
        }
    }
    // What is not known before the content is zero; some writers know the size.
    let agrees = |said: u64, there: u64| said == there || (has_descriptor && said == 0);
    agrees(checksum.into(), record.checksum.into())
        && agrees(compressed, record.compressed)
        && agrees(size, record.size)
}

/// How long the descriptor is that `rest` begins with: with a signature or without, with numbers of
/// four bytes or of eight (4.3.9).
fn descriptor(rest: &[u8], record: &Record<'_>) -> Option<u64> {
    let signature = if rest.starts_with(DESCRIPTOR) { 4 } else { 0 };
    [signature, 0].into_iter().find_map(|skip| {
        let fields = rest.get(skip..)?;
        if u32_at(fields, 0) != record.checksum {
            return None;
        }
        let small = (u64::from(u32_at(fields, 4)), u64::from(u32_at(fields, 8)));
        let large = (u64_at(fields, 4), u64_at(fields, 12));
        let said = (record.compressed, record.size);
        if fields.len() >= 20 && large == said {
            Some(skip as u64 + 20)
        } else if fields.len() >= 12 && small == said {
            Some(skip as u64 + 12)
        } else {
            None
        }
    })
}

/// The name in the local header that `bytes` begin with.
pub(super) fn listed_name(bytes: &[u8]) -> Option<&[u8]> {
    if !bytes.starts_with(LOCAL) {
        return None;
    }
    bytes.get(LOCAL_BYTES..LOCAL_BYTES + usize::from(u16_at(bytes, 26)))
}
