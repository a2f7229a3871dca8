//! Which built-in format a snapshot's files are in.

use bstr::{BStr, BString, ByteSlice};

use super::compiled::{Compiled, Family, InFile};
use super::{Format, Role};
use crate::json::{Document, Kind, Value};
use crate::record::flows_in;
use crate::snapshot::{ContentId, Mode, ReadError, Snapshot, TreeEntries};

/// How many files are opened to see whether they hold a flow.
const FILES: usize = 100;

/// How many directories are opened in search of them.
const DIRECTORIES: usize = 1_000;

/// Files larger than this, in bytes, are not opened.
const FILE_SIZE: usize = 4 << 20;

impl Format {
    /// The first built-in format whose files are in this snapshot.
    ///
    /// A format of folder nodes is recognised by its settings file or by one node; a format of
    /// in-file nodes by one file that holds a flow, or says which nodes one has, among the first
    /// 100 that could.
    ///
    /// # Errors
    /// [`ReadError`] where the snapshot can't be read.
    pub fn detect(snapshot: &dyn Snapshot) -> Result<Option<Self>, ReadError> {
        for name in Self::BUILTIN {
            let Some(format) = Self::builtin(name) else { continue };
            let found = match &format.compiled.family {
                Family::Folder(folder) => {
                    let settings = format.compiled.settings.file.as_ref();
                    let has_settings = match settings {
                        Some(file) => snapshot.find(file.as_bstr())?.is_some(),
                        None => false,
                    };
                    has_settings || has_node(snapshot, folder)?
                }
                Family::InFile(_) => has_flow(snapshot, &format.compiled)?,
            };
            if found {
                return Ok(Some(format));
            }
        }
        Ok(None)
    }
}

fn has_node(snapshot: &dyn Snapshot, folder: &super::Folder) -> Result<bool, ReadError> {
    let parent = folder.parent.strip_suffix(b"/").unwrap_or(&folder.parent).as_bstr();
    let Some(tree) = snapshot.find_directory(parent)? else { return Ok(false) };
    for (name, mode, _) in entries(snapshot, parent, tree)?.into_iter().take(DIRECTORIES) {
        if mode == Mode::Tree {
            let marker = folder.path(name.as_bstr(), folder.marker.as_bstr());
            if snapshot.find(marker.as_bstr())?.is_some() {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn has_flow(snapshot: &dyn Snapshot, format: &Compiled) -> Result<bool, ReadError> {
    let Family::InFile(in_file) = &format.family else { return Ok(false) };
    // Flows that are folders are looked for where such folders are.
    let (start, depth) = match &in_file.assembled {
        Some(assembly) => (assembly.root.as_bstr(), assembly.depth()),
        None => (BStr::new(""), usize::MAX),
    };
    let Some(root) = snapshot.find_directory(start)? else { return Ok(false) };
    let (mut files, mut directories) = (0, 0);
    // Breadth first: flows lie near the root more often than deep in a vendored folder.
    let mut queue = std::collections::VecDeque::from([(start.to_owned(), root)]);
    while let Some((directory, id)) = queue.pop_front() {
        directories += 1;
        if directories > DIRECTORIES {
            break;
        }
        for (name, mode, id) in entries(snapshot, directory.as_bstr(), id)? {
            let mut path = directory.clone();
            if !path.is_empty() {
                path.push(b'/');
            }
            path.extend_from_slice(&name);
            match mode {
                Mode::Tree if path.find_iter(b"/").count() < depth => queue.push_back((path, id)),
                mode if mode.is_file() && may_hold_flow(format, in_file, path.as_bstr()) => {
                    files += 1;
                    if files > FILES {
                        return Ok(false);
                    }
                    let text = snapshot.blob(path.as_bstr(), &id)?;
                    if text.len() <= FILE_SIZE
                        && Document::parse(text).is_ok_and(|document| holds_flow(document.root(), in_file))
                    {
                        return Ok(true);
                    }
                }
                _ => {}
            }
        }
    }
    Ok(false)
}

fn may_hold_flow(format: &Compiled, in_file: &InFile, path: &BStr) -> bool {
    match (format.role(path), &in_file.assembled) {
        (Role::FlowFile, None) => true,
        (Role::FlowPart(_, file), Some(assembly)) => file == assembly.marker,
        _ => false,
    }
}

/// Whether a document holds flows, or says which nodes one has; of whichever version of the layout.
fn holds_flow(root: Value<'_>, in_file: &InFile) -> bool {
    match &in_file.assembled {
        None => !flows_in(root, in_file).is_empty(),
        Some(assembly) => root.get(&assembly.node_list).is_some_and(|list| list.kind() == Kind::Array),
    }
}

fn entries(
    snapshot: &dyn Snapshot,
    path: &BStr,
    id: ContentId,
) -> Result<Vec<(BString, Mode, ContentId)>, ReadError> {
    let raw = snapshot.tree(path, &id)?;
    TreeEntries::new(&raw)
        .map(|entry| entry.map(|entry| (entry.name.to_owned(), entry.mode, entry.id)))
        .collect::<Result<_, _>>()
        .map_err(|error| error.at(path, id))
}
