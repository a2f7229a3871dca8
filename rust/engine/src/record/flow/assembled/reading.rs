//! What of a flow's files a comparison reads.

use std::borrow::Cow;
use std::collections::BTreeSet;

use bstr::{BStr, BString, ByteSlice};

use super::super::super::context::Context;
use super::super::super::types::Side;
use super::joined::texts_of;
use super::sources::{Need, Sources};
use super::{Entry, Half};
use crate::format::Assembly;
use crate::json::Kind;
use crate::snapshot::ReadError;

/// The file of a part of a node: beside the node's own.
pub(super) fn part_file(file: &BStr, ending: &str) -> BString {
    let mut path = BString::from(file.strip_suffix(b".json").unwrap_or(file));
    path.extend_from_slice(ending.as_bytes());
    path
}

/// The name of a node's file, without folder and ending.
pub(super) fn stem(file: &BStr) -> Cow<'_, str> {
    let name = file.rfind_byte(b'/').map_or(file, |slash| file[slash + 1..].as_bstr());
    name.strip_suffix(b".json").map_or(name, ByteSlice::as_bstr).to_str_lossy()
}

/// The files whose text a node holds.
fn texts(assembly: &Assembly, sources: &Sources<'_, '_>, side: Side, file: &BStr) -> Vec<BString> {
    let mut paths = Vec::new();
    if let Some(root) = sources.document(side, file).root() {
        texts_of(root, &assembly.markers, &mut paths);
    }
    paths
}

/// Read what a comparison needs; the files of the nodes that were read with all that belongs to
/// them.
pub(super) fn read<'a>(
    context: &mut Context<'a, '_>,
    assembly: &Assembly,
    halves: &[Half<'_>],
    sources: &mut Sources<'_, 'a>,
) -> Result<BTreeSet<BString>, ReadError> {
    let sides = [Side::Old, Side::New];
    sources.use_file(assembly.marker.as_bstr());
    let by_node = assembly.by_node.iter().map(|(file, _)| file.as_bstr());
    for file in assembly.parts.iter().map(|(file, _)| file.as_bstr()).chain(by_node.clone()) {
        sources.use_file(file);
    }
    let mut touched = BTreeSet::new();
    for half in halves {
        for Entry { file, .. } in &half.entries {
            sources.read(context, half.side, file.as_bstr(), Some(Kind::Object), Need::Required)?;
            let mut files = texts(assembly, sources, half.side, file.as_bstr());
            files.extend(assembly.node_parts.iter().map(|(ending, _)| part_file(file.as_bstr(), ending)));
            files.push(file.clone());
            for belonging in files {
                sources.use_file(belonging.as_bstr());
                if halves.len() == 2 && sources.differs(context, belonging.as_bstr())? {
                    touched.insert(file.clone());
                }
            }
        }
    }
    let [old, new] = halves else {
        // Of a flow that came or went, only the nodes are named.
        return Ok(touched);
    };
    let lists = (old.root.get(&assembly.node_list), new.root.get(&assembly.node_list));
    let is_simple = halves.iter().all(|half| half.by_id.len() == half.entries.len());
    let mut is_whole = !is_simple || !matches!(lists, (Some(a), Some(b)) if a.same(&b));
    for (file, _) in &assembly.parts {
        let (kind, need) = if *file == assembly.edges {
            is_whole |= sources.differs(context, file.as_bstr())?;
            (Some(Kind::Array), Need::Required)
        } else {
            (None, Need::Optional)
        };
        for side in sides {
            sources.read(context, side, file.as_bstr(), kind, need)?;
        }
    }
    for file in by_node {
        if sources.differs(context, file)? {
            for side in sides {
                sources.read(context, side, file, Some(Kind::Object), Need::Optional)?;
            }
        }
    }
    sources.differs(context, assembly.marker.as_bstr())?;
    if is_whole {
        touched.extend(halves.iter().flat_map(|half| &half.entries).map(|entry| entry.file.clone()));
    }
    for half in halves {
        for Entry { file, .. } in half.entries.iter().filter(|entry| touched.contains(&entry.file)) {
            for (ending, _) in &assembly.node_parts {
                let part = part_file(file.as_bstr(), ending);
                sources.read(context, half.side, part.as_bstr(), Some(Kind::Object), Need::Optional)?;
            }
            for text in texts(assembly, sources, half.side, file.as_bstr()) {
                sources.read_text(context, half.side, text.as_bstr())?;
            }
        }
    }
    Ok(touched)
}
