//! How a flow is put together from files, from how that is written down.

use bstr::BString;

use super::super::FormatError;
use super::super::compiled::Assembly;
use super::super::patterns::Pattern;
use super::super::value::{Assembled, InFileNodes};
use super::{file_path, place, refuse};

/// A place that is one key.
fn key(field: &str, pointer: &str) -> Result<String, FormatError> {
    match &place(field, pointer)?[..] {
        [key] => Ok(key.clone()),
        _ => Err(refuse(field, "is not one step long: files are put together by key")),
    }
}

pub(super) fn compile(nodes: &InFileNodes, value: &Assembled) -> Result<Assembly, FormatError> {
    if !matches!(&nodes.flows[..], [flow] if flow.holder.is_empty() && flow.graph.is_empty()) {
        return Err(refuse("nodes.flows", "has to be one entry with empty places: a folder is one flow"));
    }
    let (mut folders, mut marker, mut root) = (Vec::new(), None, None);
    for (index, pattern) in nodes.files.iter().enumerate() {
        let field = format!("nodes.files[{index}]");
        let (folder, name) = pattern
            .rsplit_once('/')
            .ok_or_else(|| refuse(&field, "has to name a folder and a file in it"))?;
        let is_plain = |text: &str| !text.contains(['*', '?', '[', ']', '{', '}', '\\']);
        if folder.contains("**") || !is_plain(name) {
            return Err(refuse(&field, "of a flow that is a folder has no ** and ends in a plain name"));
        }
        if marker.get_or_insert(name) != &name {
            return Err(refuse(&field, "has to end in the same name as those before it"));
        }
        let plain: Vec<&str> = folder.split('/').take_while(|step| is_plain(step)).collect();
        let plain = plain.join("/");
        if *root.get_or_insert(plain.clone()) != plain {
            root = Some(String::new());
        }
        let components = folder.split('/').count();
        folders.push((Pattern::parse(folder).map_err(|rule| refuse(&field, rule))?, components));
    }
    let parts: Vec<(BString, String)> = value
        .parts
        .iter()
        .enumerate()
        .map(|(index, part)| {
            let field = |name| format!("nodes.assembled.parts[{index}].{name}");
            Ok((file_path(&field("file"), &part.file)?, key(&field("place"), &part.place)?))
        })
        .collect::<Result<_, FormatError>>()?;
    let edge_key = key("nodes.edges", &nodes.edges)?;
    let edges = parts.iter().find(|(_, key)| *key == edge_key).map(|(file, _)| file.clone());
    Ok(Assembly {
        folders,
        root: root.unwrap_or_default().into(),
        marker: marker.unwrap_or_default().into(),
        version: value
            .version
            .as_ref()
            .map(|version| Ok((key("nodes.assembled.version.place", &version.place)?, version.known)))
            .transpose()?,
        bookkeeping: value
            .bookkeeping
            .iter()
            .enumerate()
            .map(|(index, pointer)| key(&format!("nodes.assembled.bookkeeping[{index}]"), pointer))
            .collect::<Result<_, _>>()?,
        spread: value
            .spread
            .iter()
            .enumerate()
            .map(|(index, pointer)| place(&format!("nodes.assembled.spread[{index}]"), pointer))
            .collect::<Result<_, _>>()?,
        node_list: key("nodes.nodes", &nodes.nodes)?,
        node_id: key("nodes.id", &nodes.id)?,
        node_file: place("nodes.assembled.node_file", &value.node_file)?,
        node_parts: value
            .node_parts
            .iter()
            .enumerate()
            .map(|(index, part)| {
                let field = |name| format!("nodes.assembled.node_parts[{index}].{name}");
                if part.ending.is_empty() || part.ending.contains('/') {
                    return Err(refuse(field("ending"), "is empty or has a slash"));
                }
                let at = if part.place.is_empty() { None } else { Some(key(&field("place"), &part.place)?) };
                Ok((part.ending.clone(), at))
            })
            .collect::<Result<_, FormatError>>()?,
        by_node: value
            .by_node
            .iter()
            .enumerate()
            .map(|(index, part)| {
                let field = |name| format!("nodes.assembled.by_node[{index}].{name}");
                Ok((file_path(&field("file"), &part.file)?, place(&field("place"), &part.place)?))
            })
            .collect::<Result<_, FormatError>>()?,
        edges: edges
            .ok_or_else(|| refuse("nodes.assembled.parts", "has no file at the place of the edges"))?,
        parts,
        markers: value.markers.clone(),
    })
}
