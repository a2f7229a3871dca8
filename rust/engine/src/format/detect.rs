//! Which built-in format a snapshot's files are in.

use bstr::{BStr, BString, ByteSlice};

use super::compiled::{Compiled, Family};
use super::{Format, Role};
use crate::json::Document;
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
    /// in-file nodes by one file that holds a flow, among the first 100 that could.
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
    let Some(root) = snapshot.find_directory("".into())? else { return Ok(false) };
    let (mut files, mut directories) = (0, 0);
    // Breadth first: flows lie near the root more often than deep in a vendored folder.
    let mut queue = std::collections::VecDeque::from([(BString::default(), root)]);
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
                Mode::Tree => queue.push_back((path, id)),
                mode if mode.is_file() && format.role(path.as_bstr()) == Role::FlowFile => {
                    files += 1;
                    if files > FILES {
                        return Ok(false);
                    }
                    let text = snapshot.blob(path.as_bstr(), &id)?;
                    if text.len() <= FILE_SIZE
                        && Document::parse(text)
                            .is_ok_and(|document| !flows_in(document.root(), in_file).is_empty())
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
