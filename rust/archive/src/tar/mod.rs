//! Tar: POSIX ustar and PAX, and GNU's long names.
//!
//! Where readers disagree, GNU tar's way is taken, and the entry or the archive is flagged.

mod header;
mod pax;
mod sparse;

use std::collections::HashMap;
use std::io::{self, BufRead, Read};
use std::sync::Arc;

use bstr::{BString, ByteSlice};

use crate::entry::{Entry, EntryKind, Flag};
use crate::error::{Error, Place};
use crate::limits::Budget;
use crate::names::{self, MOST_NAME_BYTES};
use crate::package::{ReasonKind, Reasons};
use header::{BLOCK, Header};
use pax::Extended;
use sparse::Map;

pub(crate) use header::{WRONG_CHECKSUM, claims_to_be_tar, is_tar};

/// The most that an extended header may hold: names of 64 KiB, with all that goes with them.
const MOST_EXTENDED_BYTES: u64 = 1 << 20;

/// The largest size that eleven octal digits can say.
const MOST_OCTAL_SIZE: u64 = (1 << 33) - 1;

/// Read all entries of a tar.
pub(crate) fn read(
    source: &mut dyn BufRead,
    budget: &Budget<'_>,
    reasons: &Reasons,
) -> Result<Vec<Entry>, Error> {
    Reader { source, budget, reasons, offset: 0, entries: Vec::new(), by_path: HashMap::new() }.read_all()
}

struct Reader<'a> {
    source: &'a mut dyn BufRead,
    budget: &'a Budget<'a>,
    reasons: &'a Reasons,
    offset: u64,
    entries: Vec<Entry>,
    /// The last entry of each path: what a hard link may name.
    by_path: HashMap<BString, usize>,
}

impl Reader<'_> {
    fn read_all(mut self) -> Result<Vec<Entry>, Error> {
        let mut pending = Extended::default();
        loop {
            let place = self.offset;
            let Some(block) = self.block()? else {
                self.reasons.add(ReasonKind::NoEnd, 0);
                break;
            };
            if block.iter().all(|byte| *byte == 0) {
                // GNU tar wants two, and stops after one as well.
                self.drain()?;
                break;
            }
            let header = Header::parse(&block).map_err(|what| Error::damaged(what, "tar", place))?;
            match header.kind {
                b'x' | b'X' => {
                    let text = self.extended(header.size)?;
                    let mut more = Extended::default();
                    more.read_pax(&text).map_err(|what| Error::damaged(what, "tar", place))?;
                    pending.follow_with(more);
                }
                b'g' => {
                    let text = self.extended(header.size)?;
                    let mut global = Extended::default();
                    global.read_pax(&text).map_err(|what| Error::damaged(what, "tar", place))?;
                    if global.says_something() || global.is_sparse {
                        // Readers disagree on whether a name or a size may be said for all files.
                        self.reasons.add(ReasonKind::GlobalNames, 0);
                    }
                }
                b'L' => {
                    let name = cut_at_nul(self.extended(header.size)?);
                    pending.say_gnu_name(name);
                }
                b'K' => {
                    let target = cut_at_nul(self.extended(header.size)?);
                    pending.say_gnu_target(target);
                }
                _ => {
                    let pending = std::mem::take(&mut pending);
                    self.entry(&header, &block, &pending, place)?;
                }
            }
        }
        if pending.says_something() {
            self.reasons.add(ReasonKind::LooseHeader, 0);
        }
        Ok(self.entries)
    }

    /// The entry of a header; `pending` is what the extended headers right before it said.
    fn entry(
        &mut self,
        header: &Header,
        block: &[u8; BLOCK],
        pending: &Extended,
        place: u64,
    ) -> Result<(), Error> {
        self.budget.entry()?;
        let size = pending.size.unwrap_or(header.size);
        let contradicts = pending.contradicts
            || (pending.path.is_some() && pending.gnu_name.is_some() && pending.path != pending.gnu_name)
            // A size that its field has room for is said twice; readers that know no extended headers
            // go on at another place.
            || (size != header.size && size <= MOST_OCTAL_SIZE);
        let said = [&pending.sparse_name, &pending.path, &pending.gnu_name];
        let name = said.into_iter().flatten().next().unwrap_or(&header.name).clone();
        let said = [&pending.target, &pending.gnu_target];
        let target = said.into_iter().flatten().next().unwrap_or(&header.target).clone();
        if name.len() > MOST_NAME_BYTES || target.len() > MOST_NAME_BYTES {
            return Err(Error::damaged("a name is longer than 65535 bytes", "tar", place));
        }
        self.budget.name(&name)?;
        self.budget.name(&target)?;
        let is_executable = header.mode & 0o100 != 0;
        let file = if is_executable { EntryKind::Executable } else { EntryKind::File };
        let kind = match header.kind {
            b'1' => EntryKind::HardLink { target },
            b'2' => EntryKind::Link { target },
            b'3' => EntryKind::CharacterDevice { major: header.major, minor: header.minor },
            b'4' => EntryKind::BlockDevice { major: header.major, minor: header.minor },
            b'5' => EntryKind::Directory,
            b'6' => EntryKind::Fifo,
            // Before POSIX a directory was a file whose name ends so.
            0 | b'0' if name.ends_with(b"/") && size == 0 => EntryKind::Directory,
            0 | b'0' | b'7' | b'S' => file,
            code => EntryKind::Other { code },
        };
        let is_named_as_directory = matches!(header.kind, 0 | b'0') && name.ends_with(b"/");
        let mut entry = Entry::new(name, kind);
        if contradicts {
            entry.flag(Flag::HeaderMismatch);
        }
        if is_named_as_directory && size > 0 {
            entry.flag(Flag::ContentOnNonFile);
        }
        if header.mode & 0o6000 != 0 {
            entry.flag(Flag::SetId);
        }
        if pending.is_sparse || header.kind == b'S' {
            entry.flag(Flag::Sparse);
        }
        let map = if header.kind == b'S' { Some(self.sparse_map(block, place)?) } else { None };
        match &entry.kind {
            // Most readers make a file of what they don't know, as POSIX has it.
            EntryKind::File | EntryKind::Executable | EntryKind::Other { .. } => {
                self.budget.file(size)?;
                let stored = self.content(size)?;
                let content = self.with_holes(stored, map, pending, place)?;
                entry.content = Some(Arc::new(content));
            }
            // The size of a hard link is that of its file, and nothing follows.
            EntryKind::HardLink { .. } => {
                if size > 0 {
                    entry.flag(Flag::ContentOnNonFile);
                }
            }
            _ => {
                if size > 0 {
                    entry.flag(Flag::ContentOnNonFile);
                }
                self.skip(padded(size).ok_or_else(|| Error::damaged("a size is too large", "tar", place))?)?;
            }
        }
        match entry.kind {
            EntryKind::CharacterDevice { .. } | EntryKind::BlockDevice { .. } | EntryKind::Fifo => {
                entry.flag(Flag::Device);
            }
            EntryKind::Other { .. } => entry.flag(Flag::UnknownType),
            _ => {}
        }
        self.follow_hard_link(&mut entry)?;
        if let Some(path) = names::judge(entry.name.as_bstr()).path {
            self.by_path.insert(path, self.entries.len());
        }
        self.entries.push(entry);
        Ok(())
    }

    /// Give a hard link the content of what it names.
    fn follow_hard_link(&self, entry: &mut Entry) -> Result<(), Error> {
        let EntryKind::HardLink { target } = &entry.kind else { return Ok(()) };
        let named = names::judge(target.as_bstr()).path.and_then(|path| self.by_path.get(&path));
        let Some(named) = named.map(|at| &self.entries[*at]) else {
            entry.flag(Flag::BrokenHardLink);
            return Ok(());
        };
        if matches!(named.kind, EntryKind::Link { .. }) || named.has(Flag::HardLinkToLink) {
            entry.flag(Flag::HardLinkToLink);
            return Ok(());
        }
        match &named.content {
            // What is compared is read again for every name, so every name is charged.
            Some(content) => {
                self.budget.charge(content.len() as u64)?;
                entry.content = Some(Arc::clone(content));
                entry.hard_mode = named.mode();
            }
            None => entry.flag(Flag::BrokenHardLink),
        }
        Ok(())
    }

    fn block(&mut self) -> Result<Option<[u8; BLOCK]>, Error> {
        let mut block = [0; BLOCK];
        let mut filled = 0;
        while filled < BLOCK {
            match self.source.read(&mut block[filled..]) {
                Ok(0) if filled == 0 => return Ok(None),
                Ok(0) => return Err(self.too_early()),
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.error(&error)),
            }
        }
        self.offset += BLOCK as u64;
        Ok(Some(block))
    }

    /// `size` bytes, and the padding after them.
    fn content(&mut self, size: u64) -> Result<Vec<u8>, Error> {
        let padded = padded(size).ok_or_else(|| Error::damaged("a size is too large", "tar", self.offset))?;
        self.budget.foresee(size)?;
        let mut content = Vec::new();
        self.budget.reserve(&mut content, size)?;
        let read = self.source.take(size).read_to_end(&mut content).map_err(|error| self.error(&error))?;
        if (read as u64) < size {
            return Err(self.too_early());
        }
        self.offset += size;
        self.skip(padded - size)?;
        Ok(content)
    }

    fn extended(&mut self, size: u64) -> Result<BString, Error> {
        if size > MOST_EXTENDED_BYTES {
            return Err(Error::damaged("an extended header is larger than 1 MiB", "tar", self.offset));
        }
        self.content(size).map(BString::from)
    }

    fn skip(&mut self, bytes: u64) -> Result<(), Error> {
        self.budget.foresee(bytes)?;
        let mut left = bytes;
        while left > 0 {
            let rest = match self.source.fill_buf() {
                Ok([]) => return Err(self.too_early()),
                Ok(rest) => rest.len() as u64,
                Err(error) => return Err(Error::of_reading(&error, self.budget, self.place())),
            };
            let step = rest.min(left);
            self.source.consume(step as usize);
            left -= step;
        }
        self.offset += bytes;
        Ok(())
    }

    /// The map of a file with holes, in the header and in the blocks after it.
    fn sparse_map(&mut self, block: &[u8; BLOCK], place: u64) -> Result<Map, Error> {
        let damaged = |what| Error::damaged(what, "tar", place);
        let (mut map, mut more) = Map::of_header(block).map_err(damaged)?;
        while more {
            let block = self.block()?.ok_or_else(|| self.too_early())?;
            more = map.go_on(&block).map_err(damaged)?;
        }
        Ok(map)
    }

    /// A file as it is unpacked: what is `stored` of it, and the holes between.
    fn with_holes(
        &self,
        stored: Vec<u8>,
        map: Option<Map>,
        pending: &Extended,
        place: u64,
    ) -> Result<Vec<u8>, Error> {
        let damaged = |what| Error::damaged(what, "tar", place);
        let (map, pieces) = match map {
            Some(map) => (map, &stored[..]),
            None => match pending.map(&stored).map_err(damaged)? {
                Some(found) => found,
                None => return Ok(stored),
            },
        };
        self.budget.file(map.size())?;
        self.budget.charge(map.size())?;
        let mut file = Vec::new();
        self.budget.reserve(&mut file, map.size())?;
        map.fill(pieces, &mut file).map_err(damaged)?;
        Ok(file)
    }

    /// Read on after the end: a reader that ignores zeros would find more there.
    fn drain(&mut self) -> Result<(), Error> {
        let (mut past, mut last) = (0_u64, 0_u64);
        loop {
            let rest = self.source.fill_buf().map_err(|error| {
                Error::of_reading(&error, self.budget, Place { layer: "tar", offset: self.offset })
            })?;
            if rest.is_empty() {
                break;
            }
            if let Some(at) = rest.iter().rposition(|byte| *byte != 0) {
                last = past + at as u64 + 1;
            }
            let length = rest.len();
            past += length as u64;
            self.source.consume(length);
        }
        if last > 0 {
            self.reasons.add(ReasonKind::TrailingData, last);
        }
        Ok(())
    }

    fn place(&self) -> Place {
        Place { layer: "tar", offset: self.offset }
    }

    fn error(&self, error: &io::Error) -> Error {
        Error::of_reading(error, self.budget, self.place())
    }

    fn too_early(&self) -> Error {
        self.budget.met().unwrap_or_else(|| Error::damaged("ends too early", "tar", self.offset))
    }
}

fn padded(size: u64) -> Option<u64> {
    size.checked_next_multiple_of(BLOCK as u64)
}

fn cut_at_nul(mut text: BString) -> BString {
    if let Some(end) = text.find_byte(0) {
        text.truncate(end);
    }
    text
}
