//! The central directory, and the end records that lead to it.

use crate::bytes::{u16_at, u32_at, u64_at};
use crate::error::Error;
use crate::limits::Budget;
use crate::package::{ReasonKind, Reasons};

const END: &[u8; 4] = b"PK\x05\x06";
const END_BYTES: usize = 22;
const LOCATOR: &[u8; 4] = b"PK\x06\x07";
const LOCATOR_BYTES: usize = 20;
const END_64: &[u8; 4] = b"PK\x06\x06";
const END_64_BYTES: usize = 56;
const RECORD: &[u8; 4] = b"PK\x01\x02";
const RECORD_BYTES: usize = 46;

/// The central directory of a zip; all places count from the first byte.
pub(super) struct Directory<'a> {
    pub(super) start: u64,
    pub(super) end: u64,
    /// Where the end records begin.
    pub(super) next: u64,
    pub(super) records: Vec<Record<'a>>,
}

/// What the central directory says of an entry.
pub(super) struct Record<'a> {
    pub(super) name: &'a [u8],
    made_by: u8,
    pub(super) flags: u16,
    pub(super) method: u16,
    pub(super) checksum: u32,
    pub(super) compressed: u64,
    pub(super) size: u64,
    attributes: u32,
    /// Where the local header is.
    pub(super) start: u64,
    /// How long this record is.
    pub(super) length: u64,
    /// Whether it gives the name a second time, in Unicode, and another one.
    pub(super) has_other_name: bool,
    /// Where the central directory begins, which no entry may reach.
    pub(super) bound: u64,
}

impl Record<'_> {
    /// The mode, where the entry was made on Unix or macOS (4.4.2).
    pub(super) fn unix_mode(&self) -> Option<u32> {
        matches!(self.made_by, 3 | 19).then_some(self.attributes >> 16)
    }

    /// Whether the mode says that this is something else than the system that the entry was made on,
    /// or its name, has it: some readers look at the mode alone.
    pub(super) fn has_hidden_kind(&self, is_directory: bool) -> bool {
        let kind = self.attributes >> 16 & 0o170_000;
        let is_plain = matches!(kind, 0 | 0o100_000 | 0o040_000);
        !is_plain && (is_directory || self.unix_mode().is_none())
    }

    /// By its flag, or by the method of AES.
    pub(super) fn is_encrypted(&self) -> bool {
        self.flags & 1 != 0 || self.method == 99
    }
}

/// An end record that has what it says before it.
struct End {
    at: usize,
    /// Where its comment ends, which may be past the end of the bytes.
    past_comment: usize,
    /// Where the end records begin: this one, or those of zip64.
    next: usize,
    entries: u64,
    size: u64,
    offset: u64,
    contradicts: bool,
}

impl End {
    fn read(bytes: &[u8], at: usize) -> Option<Self> {
        let record = bytes.get(at..at + END_BYTES).filter(|record| record.starts_with(END))?;
        let mut end = Self {
            at,
            past_comment: at + END_BYTES + usize::from(u16_at(record, 20)),
            next: at,
            entries: u64::from(u16_at(record, 10)),
            size: u64::from(u32_at(record, 12)),
            offset: u64::from(u32_at(record, 16)),
            contradicts: u16_at(record, 8) != u16_at(record, 10) || u16_at(record, 4) != u16_at(record, 6),
        };
        end.read_zip64(bytes);
        let fits = end.size.checked_add(end.offset)? <= end.next as u64;
        let start = end.next.checked_sub(usize::try_from(end.size).ok()?)?;
        let has_records = bytes[start..].starts_with(RECORD);
        (fits && (has_records || (end.size == 0 && end.entries == 0))).then_some(end)
    }

    /// The larger numbers of zip64 (4.3.14), where its records are there.
    fn read_zip64(&mut self, bytes: &[u8]) {
        let Some(locator) = self.at.checked_sub(LOCATOR_BYTES).map(|at| &bytes[at..self.at]) else { return };
        if !locator.starts_with(LOCATOR) {
            return;
        }
        let right_before = self.at.checked_sub(LOCATOR_BYTES + END_64_BYTES);
        let places = [usize::try_from(u64_at(locator, 8)).ok(), right_before];
        let found = places
            .into_iter()
            .flatten()
            .find(|at| *at < self.at && bytes.get(*at..).is_some_and(|rest| rest.starts_with(END_64)));
        let Some(at) = found else { return };
        let record = &bytes[at..];
        let (entries, size, offset) = (u64_at(record, 32), u64_at(record, 40), u64_at(record, 48));
        let agrees = |small: u64, most: u64, large: u64| small == most || small == large;
        self.contradicts |= !agrees(self.entries, 0xffff, entries)
            || !agrees(self.size, 0xffff_ffff, size)
            || !agrees(self.offset, 0xffff_ffff, offset);
        (self.entries, self.size, self.offset, self.next) = (entries, size, offset, at);
    }
}

/// Places where an end record may be, from the last on: a comment has at most 65,535 bytes.
fn places(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let start = bytes.len().saturating_sub(END_BYTES + 0xffff);
    memchr::memmem::rfind_iter(&bytes[start..], END).map(move |at| start + at)
}

/// Whether an end record is there that has a central directory.
pub(super) fn has_end(bytes: &[u8]) -> bool {
    places(bytes).any(|at| End::read(bytes, at).is_some())
}

impl<'a> Directory<'a> {
    pub(super) fn find(bytes: &'a [u8], budget: &Budget<'_>, reasons: &Reasons) -> Result<Self, Error> {
        let mut ends = places(bytes).filter_map(|at| End::read(bytes, at));
        let end =
            ends.next().ok_or_else(|| Error::damaged("there is no end record", "zip", bytes.len() as u64))?;
        // One whose comment holds the last one: a reader that believes comments takes it.
        if ends.any(|other| other.past_comment > end.at) {
            reasons.add(ReasonKind::SeveralEnds, 0);
        }
        if end.past_comment > bytes.len() {
            return Err(Error::damaged("ends too early", "zip", bytes.len() as u64));
        }
        if end.past_comment < bytes.len() {
            reasons.add(ReasonKind::TrailingData, (bytes.len() - end.past_comment) as u64);
        }
        let comment = end.past_comment - end.at - END_BYTES;
        if comment > 0 {
            reasons.add(ReasonKind::Comment, comment as u64);
        }
        let start = end.next as u64 - end.size;
        let shift = start - end.offset;
        let mut directory = Self { start, end: start, next: end.next as u64, records: Vec::new() };
        directory.read_records(bytes, shift, budget)?;
        let (said, there) = (end.entries, directory.records.len() as u64);
        if end.contradicts || said != there {
            reasons.add(ReasonKind::CountMismatch, 0);
        }
        if said > there {
            return Err(Error::damaged("the central directory ends too early", "zip", directory.end));
        }
        Ok(directory)
    }

    fn read_records(&mut self, bytes: &'a [u8], shift: u64, budget: &Budget<'_>) -> Result<(), Error> {
        while self.end < self.next {
            let rest = &bytes[self.end as usize..self.next as usize];
            if !rest.starts_with(RECORD) {
                break;
            }
            budget.entry()?;
            let mut record = Record::read(rest).map_err(|what| Error::damaged(what, "zip", self.end))?;
            record.start = record
                .start
                .checked_add(shift)
                .filter(|start| *start < self.start)
                .ok_or_else(|| Error::damaged("a local header is out of place", "zip", self.end))?;
            record.bound = self.start;
            self.end += record.length;
            self.records.push(record);
        }
        Ok(())
    }
}

impl<'a> Record<'a> {
    /// Read the record that `bytes` begin with (4.3.12); the error is the rule that it breaks.
    fn read(bytes: &'a [u8]) -> Result<Self, &'static str> {
        let sizes = [u16_at(bytes, 28), u16_at(bytes, 30), u16_at(bytes, 32)].map(usize::from);
        let name_end = RECORD_BYTES + sizes[0];
        let length = name_end + sizes[1] + sizes[2];
        let record = bytes.get(..length).ok_or("a record ends too early")?;
        let name = &record[RECORD_BYTES..name_end];
        let extra = &record[name_end..name_end + sizes[1]];
        let mut read = Self {
            name,
            made_by: record[5],
            flags: u16_at(record, 8),
            method: u16_at(record, 10),
            checksum: u32_at(record, 16),
            compressed: u64::from(u32_at(record, 20)),
            size: u64::from(u32_at(record, 24)),
            attributes: u32_at(record, 38),
            start: u64::from(u32_at(record, 42)),
            length: length as u64,
            has_other_name: false,
            bound: 0,
        };
        if !matches!(u16_at(record, 34), 0 | 0xffff) {
            return Err("the archive is in several parts");
        }
        for (id, field) in extra_fields(extra) {
            match id {
                1 => read.widen(field)?,
                UNICODE_PATH => read.has_other_name |= is_other_name(field, name),
                _ => {}
            }
        }
        if read.size > i64::MAX.cast_unsigned() || read.compressed > i64::MAX.cast_unsigned() {
            return Err("a size is too large");
        }
        Ok(read)
    }

    /// The larger numbers of zip64, of which only those are there that don't fit (4.5.3).
    fn widen(&mut self, field: &[u8]) -> Result<(), &'static str> {
        let mut at = 0;
        for value in [&mut self.size, &mut self.compressed, &mut self.start] {
            if *value == 0xffff_ffff {
                if field.len() < at + 8 {
                    return Err("a zip64 field is too short");
                }
                *value = u64_at(field, at);
                at += 8;
            }
        }
        Ok(())
    }
}

/// Info-ZIP's Unicode path: version, checksum, name (4.6.9).
pub(super) const UNICODE_PATH: u16 = 0x7075;

/// Whether a Unicode path is another one than the name beside it.
pub(super) fn is_other_name(field: &[u8], name: &[u8]) -> bool {
    field.get(5..).is_some_and(|other| other != name)
}

/// The fields of an extra: id and content (4.5.1). What follows a wrong length is left out.
pub(super) fn extra_fields(mut extra: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let end = 4 + usize::from(u16_at(extra, 2));
        if extra.len() < end {
            return None;
        }
        let field = (u16_at(extra, 0), &extra[4..end]);
        extra = &extra[end..];
        Some(field)
    })
}
