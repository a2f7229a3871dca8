//! A notes tree in memory: where each note is, and how deep the folders go in which it is kept.
//!
//! Git keeps the notes of a reference in a trie of 16 branches, by the hexadecimal digits of the
//! objects' ids, and reads a folder only when a note in it is looked for. How deep the folders are
//! that it writes follows from the form of that trie. So that the same edits give the same trees,
//! this is the same trie, with the same moments at which a folder is read.

use versiondiff_engine::snapshot::{ContentId, ReadError};

/// The most bytes of an id that can stand in names of folders: the last one is the file's name.
pub(super) const MOST_FOLDERS: usize = 19;

/// The level below all others: two different ids differ above it.
const LOWEST: usize = 40;

/// A note: the object it is about, and the blob that holds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Note {
    pub(super) target: ContentId,
    pub(super) blob: ContentId,
}

/// A folder that has not been read: it holds the notes of all objects whose ids start alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Folder {
    /// The first bytes of the ids; zero after them.
    pub(super) prefix: ContentId,
    /// How many bytes that is.
    pub(super) length: usize,
    pub(super) tree: ContentId,
}

impl Folder {
    fn holds(&self, target: &ContentId) -> bool {
        self.prefix.0[..self.length] == target.0[..self.length]
    }
}

/// What is found in a folder that is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Item {
    Note(Note),
    Folder(Folder),
}

/// What becomes of a note that there is already when another one for the same object comes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Meeting {
    /// The two are joined.
    Join,
    /// The new one takes its place.
    Replace,
}

/// Where folders are read from.
pub(super) trait Source {
    /// The notes and folders in a folder, in the order they stand.
    fn read(&mut self, folder: &Folder) -> Result<Vec<Item>, ReadError>;

    /// The blob that holds both of these.
    fn join(&mut self, first: &ContentId, second: &ContentId) -> Result<ContentId, ReadError>;
}

#[derive(Default, Debug)]
enum Slot {
    #[default]
    Empty,
    Node(Box<Node>),
    Note(Note),
    Folder(Folder),
}

/// A node of the trie; the digit at its level of the ids says in which of the slots they are.
#[derive(Default, Debug)]
pub(super) struct Node([Slot; 16]);

/// The digit of an id at a level.
fn digit(id: &ContentId, level: usize) -> usize {
    let byte = id.0[level / 2];
    usize::from(if level.is_multiple_of(2) { byte >> 4 } else { byte & 15 })
}

impl Node {
    /// The note about an object.
    pub(super) fn find(
        &mut self,
        target: &ContentId,
        source: &mut impl Source,
    ) -> Result<Option<ContentId>, ReadError> {
        let (place, level) = self.descend(0, target, LOWEST, source)?;
        Ok(match &place.0[digit(target, level)] {
            Slot::Note(note) if note.target == *target => Some(note.blob),
            _ => None,
        })
    }

    /// Put a note in place of the one that there may be.
    pub(super) fn set(&mut self, note: Note, source: &mut impl Source) -> Result<(), ReadError> {
        self.insert(0, Item::Note(note), Meeting::Replace, source)
    }

    /// Take away the note about an object, and say whether there was one.
    pub(super) fn remove(&mut self, target: &ContentId, source: &mut impl Source) -> Result<bool, ReadError> {
        self.descend(0, target, LOWEST, source)?;
        Ok(self.take(0, target).is_some())
    }

    /// Read a folder into this node.
    pub(super) fn unpack(
        &mut self,
        level: usize,
        folder: &Folder,
        source: &mut impl Source,
    ) -> Result<(), ReadError> {
        for item in source.read(folder)? {
            self.insert(level, item, Meeting::Join, source)?;
        }
        Ok(())
    }

    /// Hand every note, and with [`Unread::Kept`] each folder that can stay as it is, to `visit`,
    /// along with the number of folders that a note there is to be kept in.
    pub(super) fn visit<S: Source>(
        &mut self,
        folders: Unread,
        source: &mut S,
        visit: &mut impl FnMut(Item, usize) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        self.visit_below(0, 0, folders, source, visit)
    }

    fn visit_below<S: Source>(
        &mut self,
        level: usize,
        depth: usize,
        folders: Unread,
        source: &mut S,
        visit: &mut impl FnMut(Item, usize) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        let depth = self.depth(level, depth);
        for at in 0..16 {
            // Reading a folder can put another one in its place.
            while let Slot::Folder(folder) = &self.0[at]
                && (folders == Unread::Read || level >= 2 * depth || folder.length < depth)
            {
                let folder = *folder;
                self.0[at] = Slot::Empty;
                self.unpack(level, &folder, source)?;
            }
            match &mut self.0[at] {
                Slot::Empty => {}
                Slot::Node(node) => node.visit_below(level + 1, depth, folders, source, visit)?,
                Slot::Note(note) => visit(Item::Note(*note), depth)?,
                Slot::Folder(folder) => visit(Item::Folder(*folder), depth)?,
            }
        }
        Ok(())
    }

    /// In how many folders notes below this node are kept: one more than above it where all its
    /// slots hold more than one note, for then there are likely many. A folder takes two digits,
    /// so only every other level is looked at.
    fn depth(&self, level: usize, depth: usize) -> usize {
        let is_full = || self.0.iter().all(|slot| matches!(slot, Slot::Node(_) | Slot::Folder(_)));
        if level.is_multiple_of(2) && level <= 2 * depth && depth < MOST_FOLDERS && is_full() {
            depth + 1
        } else {
            depth
        }
    }

    /// The node in which the slot for an id is, and its level, which is not below `lowest`; folders
    /// on the way are read.
    fn descend(
        &mut self,
        level: usize,
        id: &ContentId,
        lowest: usize,
        source: &mut impl Source,
    ) -> Result<(&mut Self, usize), ReadError> {
        let (mut node, mut level) = (self, level);
        loop {
            node.open(level, id, source)?;
            let slot = digit(id, level);
            if level == lowest || !matches!(node.0[slot], Slot::Node(_)) {
                return Ok((node, level));
            }
            let Slot::Node(next) = &mut node.0[slot] else { unreachable!("it was just looked at") };
            (node, level) = (next, level + 1);
        }
    }

    /// Read the folders in this node that hold what is about `id`.
    ///
    /// One that begins below this level has a zero for its digit here, whatever `id` has.
    fn open(&mut self, level: usize, id: &ContentId, source: &mut impl Source) -> Result<(), ReadError> {
        let slots = [0, digit(id, level)];
        loop {
            let found = slots.into_iter().find_map(|at| match &self.0[at] {
                Slot::Folder(folder) if folder.holds(id) => Some((at, *folder)),
                _ => None,
            });
            let Some((at, folder)) = found else { return Ok(()) };
            self.0[at] = Slot::Empty;
            self.unpack(level, &folder, source)?;
        }
    }

    fn insert(
        &mut self,
        level: usize,
        item: Item,
        meeting: Meeting,
        source: &mut impl Source,
    ) -> Result<(), ReadError> {
        // A folder can't go below the level at which what is in it begins to differ; only one of two
        // whose names differ in case comes so far down.
        let (id, lowest) = match &item {
            Item::Note(note) => (note.target, LOWEST),
            Item::Folder(folder) => (folder.prefix, 2 * folder.length),
        };
        let (place, level) = self.descend(level, &id, lowest, source)?;
        let slot = &mut place.0[digit(&id, level)];
        let there = match (&mut *slot, item) {
            (Slot::Empty, item) => {
                *slot = item.into();
                return Ok(());
            }
            (Slot::Note(there), Item::Note(note)) if there.target == note.target => {
                if there.blob != note.blob {
                    there.blob = match meeting {
                        Meeting::Join => source.join(&there.blob, &note.blob)?,
                        Meeting::Replace => note.blob,
                    };
                }
                return Ok(());
            }
            (Slot::Note(there), Item::Folder(folder)) if folder.holds(&there.target) => {
                return place.unpack(level, &folder, source);
            }
            (Slot::Folder(there), item) if level >= 2 * there.length => {
                let there = *there;
                *slot = Slot::Empty;
                place.unpack(level, &there, source)?;
                return place.insert(level, item, meeting, source);
            }
            (_, Item::Folder(folder)) if level >= lowest => {
                return place.unpack(level, &folder, source);
            }
            (Slot::Node(_), _) => unreachable!("notes go down to a slot without a node"),
            (Slot::Note(there), _) => Item::Note(*there),
            (Slot::Folder(there), _) => Item::Folder(*there),
        };
        // Both go one level down, and on until their digits differ.
        let mut below = Box::new(Self::default());
        below.insert(level + 1, there, meeting, source)?;
        below.insert(level + 1, item, meeting, source)?;
        *slot = Slot::Node(below);
        Ok(())
    }

    /// Take away a note on a path without folders. `None` where there is none; else whether this
    /// node may have become too small to be one.
    fn take(&mut self, level: usize, target: &ContentId) -> Option<bool> {
        let slot = &mut self.0[digit(target, level)];
        match slot {
            Slot::Note(note) if note.target == *target => {
                *slot = Slot::Empty;
                Some(true)
            }
            Slot::Node(below) => {
                if !below.take(level + 1, target)? {
                    return Some(false);
                }
                let Some(left) = below.too_little() else { return Some(false) };
                *slot = left;
                Some(true)
            }
            _ => None,
        }
    }

    /// What takes the place of a node that holds nothing, or one note and nothing else; `None` where
    /// it holds more.
    fn too_little(&self) -> Option<Slot> {
        let mut filled = self.0.iter().filter(|slot| !matches!(slot, Slot::Empty));
        match (filled.next(), filled.next()) {
            (None, _) => Some(Slot::Empty),
            (Some(Slot::Note(note)), None) => Some(Slot::Note(*note)),
            _ => None,
        }
    }
}

impl From<Item> for Slot {
    fn from(item: Item) -> Self {
        match item {
            Item::Note(note) => Self::Note(note),
            Item::Folder(folder) => Self::Folder(folder),
        }
    }
}

/// What becomes of folders that nothing was looked for in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unread {
    /// They are visited as they are, where they can stay what they are.
    Kept,
    /// They are read.
    Read,
}
