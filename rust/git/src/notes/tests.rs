//! The trie against folders in memory; git itself is asked in the Python tests.

use std::collections::BTreeMap;

use bstr::{BStr, ByteSlice as _};
use versiondiff_engine::snapshot::{ContentId, ReadError};

use super::full_name;
use super::trie::{Folder, Item, Node, Note, Source, Unread};

/// Folders in memory, and how often one was read.
#[derive(Default)]
struct Shelf {
    folders: BTreeMap<ContentId, Vec<Item>>,
    reads: usize,
}

impl Source for Shelf {
    fn read(&mut self, folder: &Folder) -> Result<Vec<Item>, ReadError> {
        self.reads += 1;
        Ok(self.folders[&folder.tree].clone())
    }

    fn join(&mut self, first: &ContentId, second: &ContentId) -> Result<ContentId, ReadError> {
        Ok(ContentId::of_blob(&[first.0, second.0].concat()))
    }
}

fn id(number: u32) -> ContentId {
    ContentId::of_blob(&number.to_le_bytes())
}

fn note(number: u32) -> Note {
    Note { target: id(number), blob: id(number + 1_000_000) }
}

/// The depth of every note.
fn depths(root: &mut Node, shelf: &mut Shelf, unread: Unread) -> BTreeMap<ContentId, usize> {
    let mut depths = BTreeMap::new();
    let visited = root.visit(unread, shelf, &mut |item, depth| {
        if let Item::Note(note) = item {
            depths.insert(note.target, depth);
        }
        Ok(())
    });
    visited.expect("nothing fails");
    depths
}

#[test]
fn few_notes_are_in_no_folder_and_many_in_one() {
    let (mut root, mut shelf) = (Node::default(), Shelf::default());
    for number in 0..16 {
        root.set(note(number), &mut shelf).expect("set");
    }
    assert!(depths(&mut root, &mut shelf, Unread::Kept).values().all(|depth| *depth == 0));
    for number in 16..2_000 {
        root.set(note(number), &mut shelf).expect("set");
    }
    let deep = depths(&mut root, &mut shelf, Unread::Kept);
    assert_eq!(deep.len(), 2_000);
    assert!(deep.values().all(|depth| *depth == 1));
}

#[test]
fn taking_notes_away_brings_back_the_form_without_them() {
    let (mut root, mut shelf) = (Node::default(), Shelf::default());
    for number in 0..500 {
        root.set(note(number), &mut shelf).expect("set");
    }
    for number in 10..500 {
        assert!(root.remove(&id(number), &mut shelf).expect("remove"));
        assert!(!root.remove(&id(number), &mut shelf).expect("remove"));
    }
    let (mut few, mut other) = (Node::default(), Shelf::default());
    for number in 0..10 {
        few.set(note(number), &mut other).expect("set");
    }
    assert_eq!(format!("{root:?}"), format!("{few:?}"));
    for number in 0..10 {
        assert!(root.remove(&id(number), &mut shelf).expect("remove"));
    }
    assert!(depths(&mut root, &mut shelf, Unread::Kept).is_empty());
}

/// 256 folders, each with some notes.
fn shelf_of_folders(notes: u32) -> (Shelf, Folder) {
    let mut shelf = Shelf::default();
    let mut by_byte: BTreeMap<u8, Vec<Item>> = BTreeMap::new();
    for number in 0..notes {
        by_byte.entry(id(number).0[0]).or_default().push(Item::Note(note(number)));
    }
    let mut all = Vec::new();
    for (byte, items) in by_byte {
        let mut prefix = ContentId([0; 20]);
        prefix.0[0] = byte;
        let folder = Folder { prefix, length: 1, tree: id(2_000_000 + u32::from(byte)) };
        shelf.folders.insert(folder.tree, items);
        all.push(Item::Folder(folder));
    }
    let root = Folder { prefix: ContentId([0; 20]), length: 0, tree: id(3_000_000) };
    shelf.folders.insert(root.tree, all);
    (shelf, root)
}

#[test]
fn an_edit_reads_the_folder_of_its_note_and_no_other() {
    let (mut shelf, folder) = shelf_of_folders(5_000);
    let mut root = Node::default();
    root.unpack(0, &folder, &mut shelf).expect("unpack");
    assert_eq!(shelf.reads, 1);
    assert_eq!(root.find(&id(77), &mut shelf).expect("find"), Some(note(77).blob));
    root.set(Note { target: id(77), blob: id(5) }, &mut shelf).expect("set");
    assert_eq!(root.find(&id(77), &mut shelf).expect("find"), Some(id(5)));
    let seen = depths(&mut root, &mut shelf, Unread::Kept);
    assert!(seen.contains_key(&id(77)) && seen.len() < 100);
    assert_eq!(shelf.reads, 2);
    assert_eq!(depths(&mut root, &mut shelf, Unread::Read).len(), 5_000);
    assert_eq!(shelf.reads, 257);
}

#[test]
fn a_note_beside_the_folder_that_holds_it_is_joined_with_it() {
    let (mut shelf, folder) = shelf_of_folders(1_000);
    let more = Note { target: id(3), blob: id(42) };
    let flat = shelf.folders.get_mut(&folder.tree).expect("the root");
    flat.push(Item::Note(more));
    let mut root = Node::default();
    root.unpack(0, &folder, &mut shelf).expect("unpack");
    let joined = shelf.join(&note(3).blob, &more.blob).expect("join");
    assert_eq!(root.find(&id(3), &mut shelf).expect("find"), Some(joined));
}

#[test]
fn two_folders_of_one_name_hold_one_set_of_notes() {
    // Git itself gives up on `ab` beside `AB`.
    let mut shelf = Shelf::default();
    let mut root = Node::default();
    let mut prefix = ContentId([0; 20]);
    prefix.0[0] = 0xab;
    let target = |number: u32| {
        let mut target = id(number);
        target.0[0] = 0xab;
        target.0[1] &= 0x0f;
        target
    };
    let mut all = Vec::new();
    for folder in 0..3 {
        let note = |number| Item::Note(Note { target: target(number), blob: id(number + 1_000) });
        let tree = id(2_000_000 + folder);
        shelf.folders.insert(tree, (folder * 30..folder * 30 + 40).map(note).collect());
        all.push(Item::Folder(Folder { prefix, length: 1, tree }));
    }
    let folder = Folder { prefix: ContentId([0; 20]), length: 0, tree: id(3_000_000) };
    shelf.folders.insert(folder.tree, all);
    root.unpack(0, &folder, &mut shelf).expect("unpack");
    for number in 0..100 {
        assert!(root.find(&target(number), &mut shelf).expect("find").is_some(), "{number}");
    }
    assert_eq!(depths(&mut root, &mut shelf, Unread::Read).len(), 100);
}

#[test]
fn names_are_completed_as_git_does_and_checked() {
    for (name, full) in [
        ("tsugumi", "refs/notes/tsugumi"),
        ("notes/tsugumi", "refs/notes/tsugumi"),
        ("refs/notes/tsugumi", "refs/notes/tsugumi"),
        ("refs/heads/main", "refs/notes/refs/heads/main"),
        ("a/b", "refs/notes/a/b"),
    ] {
        assert_eq!(full_name(BStr::new(name)).expect(name).to_str_lossy(), full);
    }
    for name in ["", "a b", "a..b", "a.lock", "/a", "a/", "refs/notes/", "a\n", "a\0", "@{", "a:b"] {
        assert!(full_name(BStr::new(name)).is_err(), "{name:?}");
    }
}
