//! Zip: PKWARE's APPNOTE.TXT 6.3.10, its section numbers in the comments.
//!
//! The central directory says what there is, as most readers have it. Each of its entries is held
//! against the local header that it points to, and all bytes of the archive are accounted for: what
//! belongs to nothing, or to two entries, is a reason.

mod content;
mod directory;
mod local;

use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};

use crate::entry::{Entry, EntryKind, Flag};
use crate::error::Error;
use crate::limits::Budget;
use crate::names::MOST_NAME_BYTES;
use crate::package::{ReasonKind, Reasons};
use directory::{Directory, Record};
use local::Local;

/// Whether a zip begins here, or ends here.
pub(crate) fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || directory::has_end(bytes)
}

/// Read all entries of a zip.
pub(crate) fn read(bytes: &[u8], budget: &Budget<'_>, reasons: &Reasons) -> Result<Vec<Entry>, Error> {
    let directory = Directory::find(bytes, budget, reasons)?;
    // A bomb says how large it is, or its entries turn out to be longer than they say.
    budget.foresee(directory.records.iter().fold(0, |sum: u64, record| sum.saturating_add(record.size)))?;
    let mut read = Vec::with_capacity(directory.records.len());
    let mut spans = Vec::with_capacity(directory.records.len());
    for (at, record) in directory.records.iter().enumerate() {
        let local = Local::read(bytes, record)?;
        spans.push(Span { start: record.start, end: local.end, entry: at });
        read.push(entry(record, &local, bytes, budget)?);
    }
    account_for(bytes, &directory, spans, &mut read, reasons);
    for (flag, kind) in
        [(Flag::HeaderMismatch, ReasonKind::HeaderMismatch), (Flag::Encrypted, ReasonKind::Encrypted)]
    {
        for entry in read.iter().filter(|entry| entry.has(flag)) {
            reasons.add_of(kind, entry.name.as_bstr());
        }
    }
    Ok(read)
}

fn entry(record: &Record<'_>, local: &Local, bytes: &[u8], budget: &Budget<'_>) -> Result<Entry, Error> {
    budget.charge(record.length)?;
    budget.name(record.name)?;
    let name = BString::from(record.name);
    let is_directory = name.ends_with(b"/");
    let unix_mode = record.unix_mode();
    let kind = match unix_mode {
        _ if is_directory => EntryKind::Directory,
        Some(mode) => match mode & 0o170_000 {
            0o040_000 if record.size == 0 => EntryKind::Directory,
            0o120_000 => EntryKind::Link { target: BString::default() },
            0o010_000 => EntryKind::Fifo,
            0 | 0o100_000 if mode & 0o100 != 0 => EntryKind::Executable,
            // A directory with content is a file for readers that go by the name alone.
            0 | 0o100_000 | 0o040_000 => EntryKind::File,
            other => EntryKind::Other { code: (other >> 12) as u8 },
        },
        None => EntryKind::File,
    };
    let mut entry = Entry::new(name, kind);
    if local.contradicts || record.has_hidden_kind(is_directory) {
        entry.flag(Flag::HeaderMismatch);
    }
    if local.runs_into_directory {
        entry.flag(Flag::Overlaps);
    }
    if unix_mode.is_some_and(|mode| mode & 0o6000 != 0) {
        entry.flag(Flag::SetId);
    }
    match entry.kind {
        EntryKind::Directory if record.size > 0 => entry.flag(Flag::ContentOnNonFile),
        EntryKind::File if unix_mode.is_some_and(|mode| mode & 0o170_000 == 0o040_000) => {
            entry.flag(Flag::ContentOnNonFile);
        }
        EntryKind::Fifo | EntryKind::Other { .. } => entry.flag(Flag::Device),
        _ => {}
    }
    // Of what is not read as well.
    budget.file(record.size)?;
    budget.charge(record.size)?;
    if record.is_encrypted() {
        entry.flag(Flag::Encrypted);
        return Ok(entry);
    }
    let Some(method) = content::Method::of(record.method) else {
        entry.flag(Flag::UnknownMethod);
        return Ok(entry);
    };
    let compressed = &bytes[local.data.clone()];
    let (content, slack) = content::read(method, compressed, record, budget)?;
    if slack {
        entry.flag(Flag::Slack);
    }
    match &mut entry.kind {
        EntryKind::Link { target } if content.len() <= MOST_NAME_BYTES => {
            budget.name(&content)?;
            *target = content.into();
        }
        EntryKind::Link { .. } => {
            return Err(Error::damaged(
                "the target of a link is longer than 65535 bytes",
                "zip",
                record.start,
            ));
        }
        EntryKind::File | EntryKind::Executable => entry.content = Some(Arc::new(content)),
        // Readers that know no modes make a file of it.
        EntryKind::Fifo | EntryKind::Other { .. } if !content.is_empty() => {
            entry.flag(Flag::ContentOnNonFile);
            entry.content = Some(Arc::new(content));
        }
        _ => {}
    }
    Ok(entry)
}

/// The bytes of an entry: its local header, its content and the descriptor after it.
struct Span {
    start: u64,
    end: u64,
    entry: usize,
}

/// Find bytes that belong to nothing, or to more than one entry.
fn account_for(
    bytes: &[u8],
    directory: &Directory<'_>,
    mut spans: Vec<Span>,
    entries: &mut [Entry],
    reasons: &Reasons,
) {
    spans.sort_by_key(|span| (span.start, span.end));
    let mut end = 0;
    let mut furthest: Option<usize> = None;
    for span in &spans {
        match furthest {
            None if span.start > 0 => note_gap(bytes, 0, span.start, ReasonKind::LeadingData, reasons),
            Some(other) if span.start < end => {
                entries[other].flag(Flag::Overlaps);
                entries[span.entry].flag(Flag::Overlaps);
            }
            _ => note_gap(bytes, end, span.start, ReasonKind::HiddenData, reasons),
        }
        if span.end >= end || furthest.is_none() {
            end = span.end;
            furthest = Some(span.entry);
        }
    }
    let before = if furthest.is_none() { ReasonKind::LeadingData } else { ReasonKind::HiddenData };
    note_gap(bytes, end, directory.start, before, reasons);
    note_gap(bytes, directory.end, directory.next, ReasonKind::HiddenData, reasons);
    for entry in entries.iter().filter(|entry| entry.has(Flag::Overlaps)) {
        reasons.add_of(ReasonKind::Overlaps, entry.name.as_bstr());
    }
}

/// Note bytes that belong to no entry: an entry that the directory doesn't list, or else `other`.
fn note_gap(bytes: &[u8], start: u64, end: u64, other: ReasonKind, reasons: &Reasons) {
    if start >= end {
        return;
    }
    let gap = &bytes[start as usize..end as usize];
    match local::listed_name(gap) {
        Some(name) => reasons.note(ReasonKind::UnlistedEntry, end - start, Some(BStr::new(name))),
        None => reasons.add(other, end - start),
    }
}
