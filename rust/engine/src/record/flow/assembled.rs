//! A flow that is a folder of files, put together on both sides and then compared like any other.
//!
//! Only what the change asks for is read: where the list of nodes and the edges stayed, the
//! definitions and texts of nodes of which no file differs are left out on both sides. A file that
//! can't be read is taken as it is on the other side, and named as changed.

mod joined;
mod reading;
mod sources;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use bstr::{BStr, BString, ByteSlice};

use self::joined::{Joined, push_resolved};
use self::reading::{part_file, read, stem};
use self::sources::Sources;
use super::super::context::{Context, File};
use super::super::documents::{DOCUMENT_BYTES, Unreadable};
use super::super::types::{ChangeRecord, EditKind, SettingChange, Side};
use super::folders::{Folders, Place, below, whole};
use super::graph::{Node, Parts, at, flows_in};
use super::{Label, node_change};
use crate::format::{Assembly, InFile};
use crate::json::{Document, Kind, Value};
use crate::snapshot::ReadError;

/// An entry of the list of nodes.
struct Entry {
    id: String,
    file: BString,
}

/// One side of a flow.
struct Half<'p> {
    side: Side,
    folder: &'p BStr,
    root: Value<'p>,
    entries: Vec<Entry>,
    /// The first entry of each id.
    by_id: BTreeMap<String, usize>,
}

/// A flow on its one side or two, and what was read of it.
struct Flow<'p, 'a> {
    assembly: &'p Assembly,
    halves: Vec<Half<'p>>,
    sources: Sources<'p, 'a>,
    /// The files of the nodes that are put together with all that belongs to them.
    detailed: BTreeSet<BString>,
}

/// Compare a flow that is on both sides, or record one that came or went; the paths, below its
/// folder, of the files that have a meaning.
pub(super) fn compare<'p, 'a>(
    context: &mut Context<'a, '_>,
    format: &InFile,
    assembly: &'p Assembly,
    places: (Option<&'p Place<'p, 'a>>, Option<&'p Place<'p, 'a>>),
    folders: &'p Folders<'p>,
    record: &mut ChangeRecord,
) -> Result<BTreeSet<BString>, ReadError> {
    let mut halves = Vec::new();
    for (side, place) in [(Side::Old, places.0), (Side::New, places.1)] {
        halves.extend(place.and_then(|place| half(context, assembly, side, place)));
    }
    let mut sources =
        Sources::new([places.0, places.1].map(|place| place.map(|place| place.folder)), folders);
    let detailed = read(context, assembly, &halves, &mut sources)?;
    let flow = Flow { assembly, halves, sources, detailed };
    let mut documents = Vec::new();
    for half in &flow.halves {
        match flow.join(half) {
            Ok(document) => documents.push((half, document)),
            Err(why) => {
                let path = below(half.folder, assembly.marker.as_bstr());
                context.warn_unreadable(path.as_bstr(), half.side, &why);
            }
        }
    }
    if documents.len() < flow.halves.len() {
        record.settings.extend(flow.halves.last().map(|half| whole(half.folder, places)));
        return Ok(flow.sources.into_used());
    }
    let (mut old, mut new) = (None, None);
    for (half, document) in &documents {
        let found = flows_in(document.root(), format).into_iter().next();
        let side = if half.side == Side::Old { &mut old } else { &mut new };
        *side = found.map(|found| (found, label(format, document.root(), half.folder)));
    }
    let first = record.nodes.len();
    let old_side = old.as_ref().map(|(joined, label)| (joined, label.clone()));
    let new_side = new.as_ref().map(|(joined, label)| (joined, label.clone()));
    super::compare(context, format, old_side.as_ref(), new_side.as_ref(), record);
    if let (Some(_), Some((joined, label))) = (&old, &new) {
        flow.record_unclear(first, &Parts::read(joined.graph(), format), label, record);
        record.format_only += flow.written_differently();
    }
    Ok(flow.sources.into_used())
}

fn label(format: &InFile, root: Value<'_>, folder: &BStr) -> Label {
    let flow = folder.to_str_lossy().into_owned();
    let name = format.flow_name.as_ref().and_then(|place| at(root, place)?.string());
    let name = name
        .filter(|name| !name.trim().is_empty())
        .map_or_else(|| flow.rsplit('/').next().unwrap_or_default().to_owned(), Cow::into_owned);
    Label { flow, name }
}

fn half<'p>(
    context: &mut Context<'_, '_>,
    assembly: &Assembly,
    side: Side,
    place: &'p Place<'p, '_>,
) -> Option<Half<'p>> {
    let root = place.head.root()?;
    let (mut entries, mut by_id) = (Vec::new(), BTreeMap::new());
    let mut is_broken = false;
    for value in root.get(&assembly.node_list).into_iter().flat_map(|list| list.elements()) {
        let id = value.get(&assembly.node_id).and_then(|id| id.string()).unwrap_or_default().into_owned();
        match at(value, &assembly.node_file).and_then(|file| file.string_bytes()) {
            Some(file) => {
                by_id.entry(id.clone()).or_insert(entries.len());
                entries.push(Entry { id, file: file.into_owned().into() });
            }
            None => is_broken = true,
        }
    }
    if is_broken {
        let rule = "its list of nodes has an entry that names no file".into();
        let path = below(place.folder, assembly.marker.as_bstr());
        context.warn_unreadable(path.as_bstr(), side, &Unreadable { line: 0, column: 0, rule });
    }
    Some(Half { side, folder: place.folder, root, entries, by_id })
}

impl<'p> Flow<'p, '_> {
    /// A file of the flow on this side, or, where it can't be read, on the other.
    fn value(&self, half: &Half<'p>, file: &BStr) -> Option<Value<'_>> {
        match self.sources.document(half.side, file) {
            File::Unreadable => self.sources.document(self.other(half)?.side, file).root(),
            read => read.root(),
        }
    }

    fn other(&self, half: &Half<'p>) -> Option<&Half<'p>> {
        self.halves.iter().find(|other| other.side != half.side)
    }

    /// The entry of the same node on the other side.
    fn counterpart(&self, half: &Half<'p>, entry: &Entry) -> Option<(&Half<'p>, &Entry)> {
        let other = self.other(half)?;
        Some((other, &other.entries[*other.by_id.get(&entry.id)?]))
    }

    /// One side as a document of its own.
    fn join(&self, half: &Half<'p>) -> Result<Document<'static>, Unreadable> {
        let assembly = self.assembly;
        let mut out = Joined::default();
        out.push(b"{");
        for place in &assembly.spread {
            out.push_all_members(at(half.root, place));
        }
        let is_said_elsewhere = |name: Value<'_>| {
            let version = assembly.version.as_ref().map(|(key, _)| key);
            let spread = assembly.spread.iter().filter_map(|place| place.first());
            let keys = assembly.bookkeeping.iter().chain(spread).chain(version);
            keys.chain([&assembly.node_list]).any(|key| name.is_text(key.as_bytes()))
        };
        let own = |name| !is_said_elsewhere(name);
        out.push_members(half.root, own, |out, value| out.push(value.source()));
        for (file, key) in &assembly.parts {
            let value = self.value(half, file.as_bstr()).map(|value| value.source());
            if let Some(value) = value.or((*file == assembly.edges).then_some(b"[]")) {
                out.push_name(key);
                out.push(value);
            }
        }
        out.push_name(&assembly.node_list);
        out.push(b"[");
        // Looked up for each node, so by name.
        let by_node: Vec<BTreeMap<Cow<'_, str>, Value<'_>>> = assembly
            .by_node
            .iter()
            .filter_map(|(file, place)| at(self.value(half, file.as_bstr())?, place))
            .map(|object| {
                object.members().filter_map(|(name, value)| Some((name.string()?, value))).collect()
            })
            .collect();
        for entry in &half.entries {
            out.separate();
            out.push(b"{");
            for object in &by_node {
                let own = object.get(&stem(entry.file.as_bstr())).or_else(|| object.get(entry.id.as_str()));
                out.push_all_members(own.copied());
            }
            self.push_node(&mut out, half, entry);
            out.push(b"}");
        }
        out.push(b"]}");
        let text = out.finish().ok_or_else(|| Unreadable {
            line: 0,
            column: 0,
            rule: format!("with its files it is larger than {DOCUMENT_BYTES} bytes").into(),
        })?;
        // The place of a fault is one of no file.
        Document::parse(text).map_err(|error| Unreadable { line: 0, column: 0, rule: error.rule.into() })
    }

    /// The members of a node: the entry's id, parts in files of their own, and what its file says.
    fn push_node(&self, out: &mut Joined, half: &Half<'p>, entry: &Entry) {
        let assembly = self.assembly;
        let (half, entry) = match self.sources.document(half.side, entry.file.as_bstr()) {
            File::Document(_) => (half, entry),
            _ => self.counterpart(half, entry).unwrap_or((half, entry)),
        };
        out.push_name(&assembly.node_id);
        out.push_string(&entry.id);
        let mut parts = Vec::new();
        if self.detailed.contains(&entry.file) {
            for (ending, key) in &assembly.node_parts {
                parts.extend(self.part(half, entry, ending).map(|part| (key.as_deref(), part)));
            }
        }
        let parts_at = |key| parts.iter().filter(move |(at, _)| *at == key).map(|(_, part)| *part);
        parts_at(None).for_each(|part| out.push_all_members(Some(part)));
        let text = |path: &BStr| self.sources.text(half.side, path);
        let resolve = |out: &mut Joined, value| push_resolved(out, value, &assembly.markers, &text, 0);
        let root = self.sources.document(half.side, entry.file.as_bstr()).root();
        let mut is_open: BTreeSet<&str> = parts.iter().filter_map(|(key, _)| *key).collect();
        for (name, value) in root.into_iter().flat_map(|root| root.members()) {
            out.separate();
            out.push(name.source());
            out.push(b":");
            let key = is_open.iter().copied().find(|key| name.is_text(key.as_bytes()));
            match key {
                Some(key) if value.kind() == Kind::Object => {
                    is_open.remove(key);
                    out.push(b"{");
                    parts_at(Some(key)).for_each(|part| out.push_all_members(Some(part)));
                    out.push_members(value, |_| true, |out, value| resolve(out, value));
                    out.push(b"}");
                }
                _ => resolve(out, value),
            }
        }
        for key in is_open.into_iter().filter(|key| root.is_none_or(|root| root.get(key).is_none())) {
            out.push_name(key);
            out.push(b"{");
            parts_at(Some(key)).for_each(|part| out.push_all_members(Some(part)));
            out.push(b"}");
        }
    }

    /// The part of a node that is in a file of its own.
    fn part(&self, half: &Half<'p>, entry: &Entry, ending: &str) -> Option<Value<'_>> {
        let read = |half: &Half<'p>, entry: &Entry| {
            self.sources.document(half.side, part_file(entry.file.as_bstr(), ending).as_bstr())
        };
        match read(half, entry) {
            File::Unreadable => {
                self.counterpart(half, entry).and_then(|(half, entry)| read(half, entry).root())
            }
            part => part.root(),
        }
    }

    /// Name what can't be read and is not what it was.
    fn record_unclear(&self, first: usize, parts: &Parts<'_>, label: &Label, record: &mut ChangeRecord) {
        for (file, _) in &self.assembly.parts {
            if self.sources.is_unclear(file.as_bstr(), file.as_bstr()) {
                record.settings.push(SettingChange {
                    kind: EditKind::Changed,
                    name: file.to_str_lossy().into_owned(),
                    flow: label.flow.clone(),
                    flow_name: label.name.clone(),
                    pin: None,
                });
            }
        }
        let [old, new] = &self.halves[..] else { return };
        let mut described: BTreeMap<String, usize> = BTreeMap::new();
        for (index, node) in record.nodes.iter().enumerate().skip(first) {
            if node.kind == EditKind::Changed {
                described.extend(node.former_id.iter().chain([&node.id]).map(|id| (id.clone(), index)));
            }
        }
        for (id, &index) in &new.by_id {
            let Some(&old_index) = old.by_id.get(id) else { continue };
            let (was, is) = (&old.entries[old_index].file, &new.entries[index].file);
            let pairs = self
                .assembly
                .node_parts
                .iter()
                .map(|(ending, _)| (part_file(was.as_bstr(), ending), part_file(is.as_bstr(), ending)));
            let unclear: Vec<String> = std::iter::once((was.clone(), is.clone()))
                .chain(pairs)
                .filter(|(was, is)| self.sources.is_unclear(was.as_bstr(), is.as_bstr()))
                .map(|(_, is)| is.to_str_lossy().into_owned())
                .collect();
            if unclear.is_empty() {
                continue;
            }
            let index = described.get(id).copied().unwrap_or_else(|| {
                let name = parts.name_of(id).into();
                let node = Node { value: new.root, id: id.into(), name, component: "".into() };
                record.nodes.push(node_change(EditKind::Changed, &node, label));
                record.nodes.len() - 1
            });
            let definition = record.nodes[index].definition.get_or_insert_default();
            definition.parts.extend(unclear);
            definition.parts.sort();
        }
    }

    /// How many JSON files are written differently and mean the same.
    fn written_differently(&self) -> usize {
        let [old, new] = &self.halves[..] else { return 0 };
        let marker = self.assembly.marker.as_bstr();
        usize::from(self.sources.has_changed(marker) && old.root.same(&new.root))
            + self.sources.written_differently()
    }
}
