//! Raw git tree objects: reading them entry by entry, and writing them.

use std::cmp::Ordering;
use std::fmt;

use bstr::{BStr, ByteSlice};

use super::{ContentId, Mode, ReadError};

/// One entry of a raw tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TreeEntry<'a> {
    /// What kind of thing it is.
    pub mode: Mode,
    /// Its name, without a `/`.
    pub name: &'a BStr,
    /// The id of its content.
    pub id: ContentId,
}

impl TreeEntry<'_> {
    /// git's order of tree entries: by name, where a directory counts as ending in `/`.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        let common = self.name.len().min(other.name.len());
        self.name[..common].cmp(&other.name[..common]).then_with(|| {
            let next = |entry: &Self| match entry.name.get(common) {
                Some(byte) => Some(*byte),
                None if entry.mode == Mode::Tree => Some(b'/'),
                None => None,
            };
            next(self).cmp(&next(other))
        })
    }
}

/// A tree object that breaks git's own form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvalidTree {
    /// How many bytes into the object.
    pub offset: usize,
    /// What is wrong there.
    pub rule: &'static str,
}

impl InvalidTree {
    pub(crate) fn at(self, path: &BStr, id: ContentId) -> ReadError {
        ReadError::Corrupt { path: path.into(), id, rule: self.to_string() }
    }
}

impl fmt::Display for InvalidTree {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} at byte {} of the tree", self.rule, self.offset)
    }
}

/// The entries of a raw tree, in the order they stand.
///
/// Ends after the first error.
#[derive(Clone, Debug)]
pub struct TreeEntries<'a> {
    raw: &'a [u8],
    offset: usize,
}

impl<'a> TreeEntries<'a> {
    /// Read the entries of `raw`.
    pub fn new(raw: &'a [u8]) -> Self {
        Self { raw, offset: 0 }
    }

    /// Every tree of every version is read entry by entry, so one pass over the bytes has to do.
    fn entry(&mut self) -> Result<TreeEntry<'a>, &'static str> {
        let rest = &self.raw[self.offset..];
        // A mode is at most seven digits; looking no further keeps a tree of junk cheap.
        let (mut bits, mut space) = (0_u32, None);
        for (at, byte) in rest.iter().take(8).enumerate() {
            match byte {
                b'0'..=b'7' => bits = (bits << 3) | u32::from(byte - b'0'),
                b' ' if at > 0 => {
                    space = Some(at);
                    break;
                }
                _ => return Err("a mode that is not octal"),
            }
        }
        let name_start = space.ok_or("no mode")? + 1;
        let mut has_slash = false;
        let name_length = rest[name_start..]
            .iter()
            .position(|byte| {
                has_slash |= *byte == b'/';
                *byte == 0
            })
            .ok_or("a name without an end")?;
        if name_length == 0 || has_slash {
            return Err("an empty name or one with a slash");
        }
        let name = rest[name_start..name_start + name_length].as_bstr();
        let id_start = name_start + name_length + 1;
        let id = rest.get(id_start..id_start + 20).ok_or("a truncated id")?;
        let mut bytes = [0; 20];
        bytes.copy_from_slice(id);
        self.offset += id_start + 20;
        Ok(TreeEntry { mode: Mode::from_bits(bits), name, id: ContentId(bytes) })
    }
}

impl<'a> Iterator for TreeEntries<'a> {
    type Item = Result<TreeEntry<'a>, InvalidTree>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.offset >= self.raw.len() {
            return None;
        }
        let offset = self.offset;
        Some(self.entry().map_err(|rule| {
            self.offset = self.raw.len();
            InvalidTree { offset, rule }
        }))
    }
}

/// The entry of a raw tree with this name.
///
/// A search through the bytes, since the trees of wide directories are looked into over and over.
/// A match counts where one of the modes that git writes stands before it; ids are hashes, so none
/// holds such a text by design. Where the mode is another one, the entries are read in turn.
pub(super) fn find_entry(raw: &[u8], name: &BStr) -> Result<Option<(Mode, ContentId)>, InvalidTree> {
    const FILES: [&[u8]; 5] = [b"100644", b"100755", b"120000", b"160000", b"100664"];
    let mut wanted = Vec::with_capacity(name.len() + 2);
    wanted.push(b' ');
    wanted.extend_from_slice(name);
    wanted.push(0);
    let mut is_odd = false;
    for at in memchr::memmem::find_iter(raw, &wanted) {
        let before = &raw[..at];
        let digits = FILES.into_iter().find(|digits| before.ends_with(digits));
        let digits = digits.or_else(|| before.ends_with(b"40000").then_some(&b"40000"[..]));
        let id = raw.get(at + wanted.len()..).and_then(<[u8]>::first_chunk);
        match (digits.and_then(Mode::from_octal), id) {
            (Some(mode), Some(id)) => return Ok(Some((mode, ContentId(*id)))),
            _ => is_odd = true,
        }
    }
    if !is_odd {
        return Ok(None);
    }
    for entry in TreeEntries::new(raw) {
        let entry = entry?;
        if entry.name == name {
            return Ok(Some((entry.mode, entry.id)));
        }
    }
    Ok(None)
}

/// The raw tree of these entries, sorted as git sorts them.
pub fn write_tree(entries: &mut [TreeEntry<'_>]) -> Vec<u8> {
    entries.sort_by(TreeEntry::order);
    let mut raw = Vec::with_capacity(entries.iter().map(|entry| entry.name.len() + 28).sum());
    for entry in entries {
        // git writes a directory's mode without the leading zero.
        raw.extend_from_slice(entry.mode.octal().trim_start_matches('0').as_bytes());
        raw.push(b' ');
        raw.extend_from_slice(entry.name);
        raw.push(0);
        raw.extend_from_slice(&entry.id.0);
    }
    raw
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_empty_tree_has_the_id_git_gives_it() {
        assert_eq!(ContentId::of_tree(&write_tree(&mut [])), ContentId::EMPTY_TREE);
    }

    #[test]
    fn entries_come_back_in_gits_order() {
        let id = ContentId::of_blob(b"x");
        let entry = |mode, name: &'static str| TreeEntry { mode, name: name.into(), id };
        let raw = write_tree(&mut [
            entry(Mode::Tree, "a"),
            entry(Mode::File, "a.c"),
            entry(Mode::File, "a0"),
            entry(Mode::File, "b"),
        ]);
        let names: Vec<_> =
            TreeEntries::new(&raw).map(|entry| entry.expect("valid").name.to_string()).collect();
        assert_eq!(names, ["a.c", "a", "a0", "b"]);
    }

    #[test]
    fn modes_of_old_read_as_kinds() {
        for (digits, mode) in [
            ("100664", Mode::File),
            ("100644", Mode::File),
            ("100755", Mode::Executable),
            ("40000", Mode::Tree),
            ("040000", Mode::Tree),
            ("120000", Mode::Link),
            ("160000", Mode::Submodule),
        ] {
            assert_eq!(Mode::from_octal(digits.as_bytes()), Some(mode), "{digits}");
        }
        assert_eq!(Mode::from_octal(b"10o644"), None);
    }

    #[test]
    fn an_entry_is_found_whatever_its_neighbours_look_like() {
        // Ids that end in digits, or hold a name, stand before modes of all kinds.
        let ids = [ContentId(*b"0123456789 b\x005671012"), ContentId([b'1'; 20]), ContentId([b' '; 20])];
        let mut raw = Vec::new();
        let entries = [
            ("100644", "a", Mode::File),
            ("40000", "b", Mode::Tree),
            ("100640", "c", Mode::File),
            ("040000", "d", Mode::Tree),
            ("120000", "e", Mode::Link),
            ("160000", "f", Mode::Submodule),
            ("100755", "name with space", Mode::Executable),
            ("40000", "space", Mode::Tree),
        ];
        for (index, (digits, name, _)) in entries.iter().enumerate() {
            raw.extend_from_slice(format!("{digits} {name}\0").as_bytes());
            raw.extend_from_slice(&ids[index % 3].0);
        }
        for (index, (_, name, mode)) in entries.into_iter().enumerate() {
            assert_eq!(find_entry(&raw, name.into()), Ok(Some((mode, ids[index % 3]))), "{name}");
        }
        assert_eq!(find_entry(&raw, "g".into()), Ok(None));
        assert!(find_entry(b"100644 a\0short", "a".into()).is_err());
    }

    #[test]
    fn a_broken_tree_names_its_place_and_ends() {
        for (raw, rule) in [
            (&b"100644 a\0short"[..], "a truncated id"),
            (b"100644 a", "a name without an end"),
            (b"100644", "no mode"),
            (b" a\0", "a mode that is not octal"),
            (b"10x644 a\0", "a mode that is not octal"),
        ] {
            let mut entries = TreeEntries::new(raw);
            assert_eq!(entries.next(), Some(Err(InvalidTree { offset: 0, rule })));
            assert_eq!(entries.next(), None);
        }
    }
}
