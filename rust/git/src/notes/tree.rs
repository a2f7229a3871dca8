//! The notes of one reference at one moment: read from a tree of git, changed, and written as one.

use std::borrow::Cow;
use std::collections::BTreeMap;

use bstr::{BStr, BString, ByteSlice as _};
use versiondiff_engine::snapshot::{ContentId, Mode, ReadError, TreeEntries, TreeEntry, write_tree};

use super::trie::{Folder, Item, MOST_FOLDERS, Node, Note, Source, Unread};
use crate::Error;
use crate::repository::Handle;
use crate::store::Kind;

/// The mode of the files that hold notes.
const NOTE_MODE: Mode = Mode::File;

/// The notes of a reference, as they are read and changed.
pub(super) struct NotesTree<'a> {
    root: Node,
    shelf: Shelf<'a>,
}

impl<'a> NotesTree<'a> {
    /// The notes in `tree`; none where there is no tree. Folders are read when they are needed.
    ///
    /// `reference` only names the place in an error.
    pub(super) fn read(
        handle: &'a Handle,
        reference: &'a BStr,
        tree: Option<ContentId>,
    ) -> Result<Self, ReadError> {
        let shelf = Shelf { handle, reference, others: BTreeMap::new(), made: BTreeMap::new() };
        let mut notes = Self { root: Node::default(), shelf };
        if let Some(tree) = tree {
            let all = Folder { prefix: ContentId([0; 20]), length: 0, tree };
            notes.root.unpack(0, &all, &mut notes.shelf)?;
        }
        Ok(notes)
    }

    /// The note about an object.
    pub(super) fn get(&mut self, target: &ContentId) -> Result<Option<Vec<u8>>, ReadError> {
        let Some(blob) = self.root.find(target, &mut self.shelf)? else { return Ok(None) };
        Ok(Some(self.shelf.content(&blob)?.into_owned()))
    }

    /// Put a note in place of the one that there may be, and say whether that changes anything.
    pub(super) fn set(&mut self, target: ContentId, content: Vec<u8>) -> Result<bool, ReadError> {
        let blob = self.shelf.make(content);
        if self.root.find(&target, &mut self.shelf)? == Some(blob) {
            return Ok(false);
        }
        self.root.set(Note { target, blob }, &mut self.shelf)?;
        Ok(true)
    }

    /// Take away the note about an object, and say whether there was one.
    pub(super) fn remove(&mut self, target: &ContentId) -> Result<bool, ReadError> {
        self.root.remove(target, &mut self.shelf)
    }

    /// All notes, sorted by the object they are about: each with its blob, or with its content
    /// where no blob holds it.
    pub(super) fn list(mut self) -> Result<Vec<(ContentId, Held)>, ReadError> {
        let mut notes = Vec::new();
        self.root.visit(Unread::Read, &mut self.shelf, &mut |item, _| {
            if let Item::Note(note) = item {
                notes.push(note);
            }
            Ok(())
        })?;
        let held = |note: Note| match self.shelf.made.get(&note.blob) {
            Some(content) => (note.target, Held::Content(content.clone())),
            None => (note.target, Held::Blob(note.blob)),
        };
        let mut notes: Vec<_> = notes.into_iter().map(held).collect();
        notes.sort_unstable_by_key(|(target, _)| *target);
        Ok(notes)
    }

    /// Write the notes, and give the id of their tree.
    pub(super) fn write(mut self) -> Result<ContentId, Error> {
        let mut items = Vec::new();
        self.root.visit(Unread::Kept, &mut self.shelf, &mut |item, depth| {
            items.push((item, depth));
            Ok(())
        })?;
        let reference = self.shelf.reference;
        // Only where a folder's name is in upper case can there be a file of its name in lower case.
        let clash = || Error::Reference {
            name: reference.to_owned(),
            rule: "holds a file and a folder of notes that git gives the same name".to_owned(),
        };
        let mut root = Directory::default();
        for (path, (mode, id)) in &self.shelf.others {
            root.put_other(path.as_bstr(), *mode, *id).ok_or_else(clash)?;
        }
        for (item, depth) in items {
            match item {
                Item::Note(Note { target, blob }) => {
                    if let Some(content) = self.shelf.made.remove(&blob) {
                        self.shelf.handle.store.write(Kind::Blob, &content)?;
                    }
                    root.put_note(&target, depth, blob);
                }
                Item::Folder(folder) => root.put_folder(&folder).ok_or_else(clash)?,
            }
        }
        root.write(self.shelf.handle)
    }
}

/// Where the content of a note is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Held {
    /// In a blob of the repository.
    Blob(ContentId),
    /// Here: it is joined from several blobs.
    Content(Vec<u8>),
}

/// What a notes tree is read from, and what of it is no trie.
struct Shelf<'a> {
    handle: &'a Handle,
    reference: &'a BStr,
    /// What is no note in the folders that were read, by path.
    others: BTreeMap<BString, (Mode, ContentId)>,
    /// Blobs that are not written yet.
    made: BTreeMap<ContentId, Vec<u8>>,
}

impl Shelf<'_> {
    fn make(&mut self, content: Vec<u8>) -> ContentId {
        let id = ContentId::of_blob(&content);
        self.made.insert(id, content);
        id
    }

    /// The content of a blob.
    fn content(&self, id: &ContentId) -> Result<Cow<'_, [u8]>, ReadError> {
        if let Some(made) = self.made.get(id) {
            return Ok(Cow::Borrowed(made));
        }
        let mut content = Vec::new();
        self.handle.read_into(self.reference, id, Kind::Blob, &mut content)?;
        Ok(Cow::Owned(content))
    }
}

impl Source for Shelf<'_> {
    fn read(&mut self, folder: &Folder) -> Result<Vec<Item>, ReadError> {
        let raw = self.handle.tree(self.reference, &folder.tree)?;
        let mut items = Vec::new();
        for entry in TreeEntries::new(&raw) {
            let entry = entry.map_err(|error| ReadError::Corrupt {
                path: self.reference.into(),
                id: folder.tree,
                rule: error.to_string(),
            })?;
            match item(folder, &entry) {
                // Git passes over notes that point to nothing.
                Some(Item::Note(note)) if note.blob.0 == [0; 20] => {}
                Some(item) => items.push(item),
                None => {
                    let mut path = folder_path(&folder.prefix, folder.length);
                    path.extend_from_slice(entry.name);
                    self.others.insert(path, (entry.mode, entry.id));
                }
            }
        }
        Ok(items)
    }

    /// Git's way of reading a note that is there twice: the two with a blank line between them, and
    /// what is empty, or no blob, counts as no note.
    fn join(&mut self, first: &ContentId, second: &ContentId) -> Result<ContentId, ReadError> {
        let (start, end) = (self.blob_or_none(first)?, self.blob_or_none(second)?);
        let Some(end) = end.filter(|end| !end.is_empty()) else { return Ok(*first) };
        let Some(mut joined) = start.filter(|start| !start.is_empty()) else { return Ok(*second) };
        if joined.last() == Some(&b'\n') {
            joined.pop();
        }
        joined.extend_from_slice(b"\n\n");
        joined.extend_from_slice(&end);
        Ok(self.make(joined))
    }
}

impl Shelf<'_> {
    /// The content of a blob; `None` where the object is of another kind. One that is missing is an
    /// error: what it holds would be lost when the joined note is written.
    fn blob_or_none(&self, id: &ContentId) -> Result<Option<Vec<u8>>, ReadError> {
        if let Some(made) = self.made.get(id) {
            return Ok(Some(made.clone()));
        }
        let mut content = Vec::new();
        match self.handle.store.read(self.reference, id, &mut content)? {
            Some(Kind::Blob) => Ok(Some(content)),
            Some(_) => Ok(None),
            None => Err(ReadError::Missing { path: self.reference.into(), id: *id }),
        }
    }
}

/// What an entry of a folder is; `None` where it has nothing to do with notes: a file whose name
/// is not the rest of an id, or a directory whose name is not one more byte of it.
fn item(folder: &Folder, entry: &TreeEntry<'_>) -> Option<Item> {
    let mut id = folder.prefix;
    let rest = 20 - folder.length;
    let digits = entry.name;
    let is_note = digits.len() == 2 * rest;
    let is_folder = digits.len() == 2 && !is_note;
    if is_note && entry.mode.is_file() {
        bytes_of(digits, &mut id.0[folder.length..])?;
        Some(Item::Note(Note { target: id, blob: entry.id }))
    } else if is_folder && entry.mode == Mode::Tree && folder.length < MOST_FOLDERS {
        bytes_of(digits, &mut id.0[folder.length..=folder.length])?;
        Some(Item::Folder(Folder { prefix: id, length: folder.length + 1, tree: entry.id }))
    } else {
        None
    }
}

/// Read hexadecimal digits, in either case, into bytes.
fn bytes_of(digits: &[u8], bytes: &mut [u8]) -> Option<()> {
    let value = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = value(pair[0])? << 4 | value(pair[1])?;
    }
    Some(())
}

/// `ab/cd/` for an id that starts with these two bytes.
fn folder_path(prefix: &ContentId, length: usize) -> BString {
    let mut hex = Vec::with_capacity(40);
    prefix.write_hex(&mut hex);
    let mut path = BString::default();
    for pair in hex.chunks_exact(2).take(length) {
        path.extend_from_slice(pair);
        path.push(b'/');
    }
    path
}

/// A tree to be written.
#[derive(Default)]
struct Directory(BTreeMap<BString, Place>);

enum Place {
    Entry(Mode, ContentId),
    Directory(Directory),
}

impl Directory {
    fn put_other(&mut self, path: &BStr, mode: Mode, id: ContentId) -> Option<()> {
        let mut directory = self;
        let mut rest = path.as_bytes();
        while let Some((name, below)) = rest.split_once_str("/") {
            let place = directory.0.entry(name.into()).or_insert_with(|| Place::Directory(Self::default()));
            let Place::Directory(next) = place else { return None };
            (directory, rest) = (next, below);
        }
        directory.0.insert(rest.into(), Place::Entry(mode, id)).is_none().then_some(())
    }

    /// Put a note into `depth` folders; into fewer where a file that is no note has the name of one.
    fn put_note(&mut self, target: &ContentId, depth: usize, blob: ContentId) {
        let mut hex = Vec::with_capacity(40);
        target.write_hex(&mut hex);
        let (directory, depth) = self.below(&hex, depth);
        directory.0.insert(hex[2 * depth..].into(), Place::Entry(NOTE_MODE, blob));
    }

    fn put_folder(&mut self, folder: &Folder) -> Option<()> {
        let mut hex = Vec::with_capacity(40);
        folder.prefix.write_hex(&mut hex);
        let (directory, depth) = self.below(&hex, folder.length - 1);
        let name = hex[2 * depth..2 * folder.length].into();
        let replaced = directory.0.insert(name, Place::Entry(Mode::Tree, folder.tree));
        (replaced.is_none() && depth == folder.length - 1).then_some(())
    }

    /// The directory `depth` folders down, and how far down it is.
    fn below(&mut self, hex: &[u8], depth: usize) -> (&mut Self, usize) {
        let mut directory = self;
        for (at, name) in hex.chunks_exact(2).take(depth).enumerate() {
            if matches!(directory.0.get(name.as_bstr()), Some(Place::Entry(..))) {
                return (directory, at);
            }
            let place = directory.0.entry(name.into()).or_insert_with(|| Place::Directory(Self::default()));
            let Place::Directory(next) = place else { unreachable!("it was just looked at") };
            directory = next;
        }
        (directory, depth)
    }

    fn write(&self, handle: &Handle) -> Result<ContentId, Error> {
        let mut entries = Vec::with_capacity(self.0.len());
        for (name, place) in &self.0 {
            let (mode, id) = match place {
                Place::Entry(mode, id) => (*mode, *id),
                Place::Directory(below) => (Mode::Tree, below.write(handle)?),
            };
            entries.push(TreeEntry { mode, name: name.as_bstr(), id });
        }
        handle.store.write(Kind::Tree, &write_tree(&mut entries))
    }
}
