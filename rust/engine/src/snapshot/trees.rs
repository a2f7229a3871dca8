//! Building git's tree objects from a list of files.

use std::collections::BTreeMap;
use std::rc::Rc;

use bstr::{BStr, ByteSlice};

use super::{ContentId, Mode, TreeEntry, write_tree};

/// The trees of a list of files: the very objects that git would write.
#[derive(Clone, Debug)]
pub struct Trees {
    root: ContentId,
    by_id: BTreeMap<ContentId, Rc<[u8]>>,
}

impl Trees {
    /// Build the trees of these files, given in any order: path, kind and content id.
    ///
    /// Paths are non-empty, have no empty component, stand once each, and none is both a file
    /// and a directory.
    pub fn build<'p>(files: impl IntoIterator<Item = (&'p BStr, Mode, ContentId)>) -> Self {
        let mut files: Vec<_> = files.into_iter().collect();
        // By components: every directory's paths stand together, which plain byte order does not
        // promise (`a/x`, `a.c`).
        files.sort_by(|a, b| a.0.split(|byte| *byte == b'/').cmp(b.0.split(|byte| *byte == b'/')));
        let mut by_id = BTreeMap::new();
        // Directories are finished from the deepest upwards: the stack holds the open ones.
        let mut open: Vec<(&[u8], Vec<TreeEntry<'_>>)> = vec![(b"", Vec::new())];
        for (path, mode, id) in files {
            let path: &[u8] = path;
            let directory = path.rfind_byte(b'/').map_or(&b""[..], |at| &path[..at]);
            while !is_within(directory, open.last().map_or(b"", |top| top.0)) {
                close(&mut open, &mut by_id);
            }
            while open.last().map_or(0, |top| top.0.len()) < directory.len() {
                let at = open.last().map_or(0, |top| if top.0.is_empty() { 0 } else { top.0.len() + 1 });
                let end = directory[at..].find_byte(b'/').map_or(directory.len(), |next| at + next);
                open.push((&directory[..end], Vec::new()));
            }
            if let Some((_, entries)) = open.last_mut() {
                let name = path[directory.len() + usize::from(!directory.is_empty())..].as_bstr();
                entries.push(TreeEntry { mode, name, id });
            }
        }
        while open.len() > 1 {
            close(&mut open, &mut by_id);
        }
        let raw = write_tree(&mut open.remove(0).1);
        let root = ContentId::of_tree(&raw);
        by_id.insert(root, raw.into());
        Self { root, by_id }
    }

    /// The id of the root tree.
    pub fn root(&self) -> ContentId {
        self.root
    }

    /// The raw tree of this id.
    pub fn get(&self, id: &ContentId) -> Option<Rc<[u8]>> {
        self.by_id.get(id).cloned()
    }
}

fn is_within(directory: &[u8], parent: &[u8]) -> bool {
    parent.is_empty() || directory.strip_prefix(parent).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
}

/// Finish the deepest open directory and enter it into the one above.
fn close<'p>(open: &mut Vec<(&'p [u8], Vec<TreeEntry<'p>>)>, by_id: &mut BTreeMap<ContentId, Rc<[u8]>>) {
    let Some((path, mut entries)) = open.pop() else { return };
    let raw = write_tree(&mut entries);
    let id = ContentId::of_tree(&raw);
    by_id.insert(id, raw.into());
    if let Some((_, parent)) = open.last_mut() {
        let name = path.rfind_byte(b'/').map_or(path, |at| &path[at + 1..]).as_bstr();
        parent.push(TreeEntry { mode: Mode::Tree, name, id });
    }
}
