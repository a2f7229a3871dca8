//! Records of formats whose flows, with their nodes and edges, are in JSON files.

mod assembled;
mod credentials;
mod folders;
mod graph;
mod labels;
mod pairing;
mod parameters;
mod values;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use bstr::{BStr, ByteSlice};

use super::context::{Context, File};
use super::differences;
use super::types::{
    ChangeRecord, DefinitionChange, EditKind, FlowChange, FlowChangeKind, NodeChange, SettingChange, Side,
    Warning, WarningCode, WireChange,
};
use crate::delta::Change;
use crate::format::{Aspect, InFile, Places};
use crate::json::{Kind, Value};
use crate::snapshot::ReadError;
use graph::{Flow, Node, Parts, at};
use pairing::Pairs;
use values::Meaning;

pub(super) use folders::{Folders, record as record_folders};
pub(crate) use graph::flows_in;

/// Where a flow is and what it is called, in one version.
#[derive(Clone, PartialEq, Eq)]
struct Label {
    flow: String,
    name: String,
}

/// Record the flows of a file that changed.
pub(super) fn record(
    context: &mut Context<'_, '_>,
    format: &InFile,
    change: &Change,
    record: &mut ChangeRecord,
) -> Result<(), ReadError> {
    let (old_side, new_side) = (change.old(), change.new());
    let before = context.warnings.clone();
    let old = load(context, Side::Old, old_side)?;
    let new = load(context, Side::New, new_side)?;
    let flows = |file| match file {
        Some(root) => flows_in(root, format),
        None => Vec::new(),
    };
    let (old_flows, new_flows) = (flows(old.root()), flows(new.root()));
    if old_flows.is_empty() && new_flows.is_empty() {
        let was_meant = matches!(old, File::Unreadable) && looks_like_a_flow(context.old, format, old_side)?
            || matches!(new, File::Unreadable) && looks_like_a_flow(context.new, format, new_side)?;
        if !was_meant {
            // Whatever the file is, its faults are not this record's.
            context.warnings = before;
        }
        record.other_files += 1;
        return Ok(());
    }
    if matches!(old, File::Unreadable) || matches!(new, File::Unreadable) {
        // What became of the flow can't be said; that the file changed can.
        let path = change.path.to_str_lossy().into_owned();
        record.settings.push(SettingChange {
            kind: EditKind::Changed,
            name: path.clone(),
            flow: path,
            flow_name: String::new(),
            pin: None,
        });
        return Ok(());
    }
    if let (Some(old), Some(new)) = (old.root(), new.root())
        && old.same(&new)
        && old_side.map(|(path, _)| path) == new_side.map(|(path, _)| path)
    {
        record.format_only += 1;
        return Ok(());
    }
    let label = |flow: &Flow<'_>, side: FileSide<'_>, alone: bool| {
        label(format, flow, side.map_or(BStr::new(""), |(path, _)| path), alone)
    };
    let (old_alone, new_alone) = (old_flows.len() == 1, new_flows.len() == 1);
    for (old, new) in match_flows(format, &old_flows, &new_flows) {
        let old = old.map(|flow| (flow, label(flow, old_side, old_alone)));
        let new = new.map(|flow| (flow, label(flow, new_side, new_alone)));
        compare(context, format, old.as_ref(), new.as_ref(), record);
    }
    Ok(())
}

/// A path and what stands there.
type FileSide<'c> = Option<(&'c BStr, crate::delta::State)>;

fn load<'a>(context: &mut Context<'a, '_>, side: Side, file: FileSide<'_>) -> Result<File<'a>, ReadError> {
    match file {
        Some((path, state)) if state.mode.is_file() => context.document(side, path, Some(state)),
        _ => Ok(File::Absent),
    }
}

/// Whether a file that is no JSON speaks of nodes and edges all the same.
fn looks_like_a_flow(
    snapshot: &dyn crate::snapshot::Snapshot,
    format: &InFile,
    file: FileSide<'_>,
) -> Result<bool, ReadError> {
    let Some((path, state)) = file else { return Ok(false) };
    let text = match snapshot.blob(path, &state.id) {
        Ok(text) => text,
        Err(ReadError::Limit { .. }) => return Ok(false),
        Err(error) => return Err(error),
    };
    let speaks_of = |place: &crate::format::Place| {
        place.last().is_some_and(|name| text.find(format!("\"{name}\"")).is_some())
    };
    Ok(speaks_of(&format.nodes) && speaks_of(&format.edges))
}

fn label(format: &InFile, flow: &Flow<'_>, path: &BStr, alone: bool) -> Label {
    let path_text = path.to_str_lossy();
    let name = format
        .flow_name
        .as_ref()
        .and_then(|place| at(flow.holder, place)?.string())
        .map(Cow::into_owned)
        .filter(|name| !name.trim().is_empty());
    let stem = || {
        let file = path_text.rsplit('/').next().unwrap_or(&path_text);
        file.rsplit_once('.').map_or(file, |(stem, _)| stem).to_owned()
    };
    Label {
        name: name.unwrap_or_else(stem),
        flow: if alone { path_text.into_owned() } else { format!("{path_text}#{}", flow.pointer) },
    }
}

type FlowPair<'f, 'd> = (Option<&'f Flow<'d>>, Option<&'f Flow<'d>>);

/// The flows of a file's two versions: one with one, several by their ids, else by their places.
fn match_flows<'f, 'd>(format: &InFile, old: &'f [Flow<'d>], new: &'f [Flow<'d>]) -> Vec<FlowPair<'f, 'd>> {
    if let ([old], [new]) = (old, new) {
        return vec![(Some(old), Some(new))];
    }
    let key = |flow: &Flow<'_>| {
        let id = format.flow_id.as_ref().and_then(|place| at(flow.holder, place)?.string());
        match id.filter(|id| !id.is_empty()) {
            Some(id) => (0, id.into_owned()),
            None => (1, flow.pointer.clone()),
        }
    };
    // Ids that stand twice are told apart by their order.
    let keyed = |flows: &'f [Flow<'d>]| {
        let mut seen: BTreeMap<(u8, String), usize> = BTreeMap::new();
        flows
            .iter()
            .map(|flow| {
                let key = key(flow);
                let count = seen.entry(key.clone()).or_default();
                *count += 1;
                ((key, *count), flow)
            })
            .collect::<BTreeMap<_, _>>()
    };
    let (old, mut new) = (keyed(old), keyed(new));
    let mut pairs: Vec<FlowPair<'f, 'd>> =
        old.into_iter().map(|(key, flow)| (Some(flow), new.remove(&key))).collect();
    pairs.extend(new.into_values().map(|flow| (None, Some(flow))));
    pairs
}

fn compare(
    context: &mut Context<'_, '_>,
    format: &InFile,
    old: Option<&(&Flow<'_>, Label)>,
    new: Option<&(&Flow<'_>, Label)>,
    record: &mut ChangeRecord,
) {
    let (kind, side) = match (old, new) {
        (Some((old_flow, old_label)), Some((new_flow, new_label))) => {
            if old_label.name != new_label.name || file_of(old_label) != file_of(new_label) {
                let renamed = FlowChange {
                    kind: FlowChangeKind::Renamed,
                    flow: new_label.flow.clone(),
                    name: new_label.name.clone(),
                    nodes: 0,
                    former_flow: Some(old_label.flow.clone()).filter(|flow| *flow != new_label.flow),
                    former_name: Some(old_label.name.clone()).filter(|name| *name != new_label.name),
                };
                record.flows.push(renamed);
            }
            compare_settings(format, old_flow, new_flow, new_label, record);
            compare_nodes(context, format, (old_flow, old_label), (new_flow, new_label), record);
            return;
        }
        (None, Some(new)) => (FlowChangeKind::Added, new),
        (Some(old), None) => (FlowChangeKind::Removed, old),
        (None, None) => return,
    };
    let (flow, label) = side;
    let parts = Parts::read(flow.graph(), format);
    warn_of_ids(context, &parts, label, if kind == FlowChangeKind::Added { Side::New } else { Side::Old });
    record.flows.push(FlowChange {
        kind,
        flow: label.flow.clone(),
        name: label.name.clone(),
        nodes: parts.nodes.len(),
        former_flow: None,
        former_name: None,
    });
    let kind = if kind == FlowChangeKind::Added { EditKind::Added } else { EditKind::Removed };
    record.nodes.extend(parts.nodes.iter().map(|node| node_change(kind, node, label)));
}

fn file_of(label: &Label) -> &str {
    label.flow.split('#').next().unwrap_or_default()
}

fn compare_settings(
    format: &InFile,
    old: &Flow<'_>,
    new: &Flow<'_>,
    label: &Label,
    record: &mut ChangeRecord,
) {
    let name_place = format.flow_name.as_deref().unwrap_or_default();
    let mut compare = |old: Value<'_>, new: Value<'_>, places: &Places| {
        differences::report(Some(old), Some(new), places, Aspect::Definition, &mut |difference| {
            // A flow's name that changed is said as a rename.
            let is_name = !name_place.is_empty() && difference.place == name_place;
            if difference.aspect != Aspect::Ignored && !is_name {
                record.settings.push(SettingChange {
                    kind: EditKind::of(difference.old.is_some(), difference.new.is_some()),
                    name: difference.name().to_owned(),
                    flow: label.flow.clone(),
                    flow_name: label.name.clone(),
                    pin: None,
                });
            }
        });
    };
    compare(old.holder, new.holder, &format.holder_places);
    if old.holder.kind() == Kind::Object && !old.is_export() && !new.is_export() {
        compare(old.graph(), new.graph(), &format.graph_places);
    }
}

fn warn_of_ids(context: &mut Context<'_, '_>, parts: &Parts<'_>, label: &Label, side: Side) {
    for (id, nodes) in &parts.by_id {
        let code = match (id.trim().is_empty(), nodes.len()) {
            (true, _) => WarningCode::BlankId,
            (false, 2..) => WarningCode::DuplicateId,
            (false, _) => continue,
        };
        context.warnings.insert(Warning {
            side: Some(side),
            id: id.clone().into_owned(),
            count: nodes.len(),
            ..Warning::about(code, label.flow.clone())
        });
    }
}

fn node_change(kind: EditKind, node: &Node<'_>, label: &Label) -> NodeChange {
    NodeChange {
        kind,
        id: node.id.clone().into_owned(),
        name: node.name.clone().into_owned(),
        flow: label.flow.clone(),
        flow_name: label.name.clone(),
        former_id: None,
        former_name: None,
        matched_by: None,
        replaces: None,
        replaced_by: None,
        definition: None,
        source: Vec::new(),
        parameters: Vec::new(),
        credentials: Vec::new(),
        wiring: Vec::new(),
        outputs_reordered: false,
    }
}

fn compare_nodes(
    context: &mut Context<'_, '_>,
    format: &InFile,
    (old_flow, old_label): (&Flow<'_>, &Label),
    (new_flow, new_label): (&Flow<'_>, &Label),
    record: &mut ChangeRecord,
) {
    let old = Parts::read(old_flow.graph(), format);
    let new = Parts::read(new_flow.graph(), format);
    warn_of_ids(context, &old, old_label, Side::Old);
    warn_of_ids(context, &new, new_label, Side::New);
    let mut meaning = Meaning { format, renumbered: BTreeMap::new() };
    let pairs = pairing::pair(&old, &new, &meaning);
    if pairs.not_compared > 0 {
        context.warnings.insert(Warning {
            count: pairs.not_compared,
            reason: "too many nodes came and went to look for renumbered ones".to_owned(),
            ..Warning::about(WarningCode::Limit, new_label.flow.clone())
        });
    }
    meaning.renumbered = pairs
        .same
        .iter()
        .map(|(old_index, (new_index, _))| (&old.nodes[*old_index].id, &new.nodes[*new_index].id))
        .filter(|(old, new)| old != new)
        .map(|(old, new)| (old.clone().into_owned(), new.clone().into_owned()))
        .collect();
    let taken = meaning.renumbered.values().map(String::as_str).collect();
    let comparison = Comparison { format, old: &old, new: &new, meaning: &meaning, taken, label: new_label };
    for (&old_index, &(new_index, reason)) in &pairs.same {
        if let Some(mut change) = comparison.node(old_index, new_index, record) {
            change.matched_by = reason;
            record.nodes.push(change);
        }
    }
    comparison.came_and_went(&pairs, old_label, record);
}

struct Comparison<'c, 'd> {
    format: &'c InFile,
    old: &'c Parts<'d>,
    new: &'c Parts<'d>,
    meaning: &'c Meaning<'c>,
    /// New ids that nodes of another id have now.
    taken: BTreeSet<&'c str>,
    label: &'c Label,
}

impl Comparison<'_, '_> {
    /// What changed of a node that is on both sides; `None` where nothing that counts did.
    fn node(&self, old_index: usize, new_index: usize, record: &mut ChangeRecord) -> Option<NodeChange> {
        let (old, new) = (&self.old.nodes[old_index], &self.new.nodes[new_index]);
        let mut change = node_change(EditKind::Changed, new, self.label);
        let mut parts = BTreeSet::new();
        let (mut moved, mut differs) = (false, false);
        let mut changes = parameters::Changes::new(parameters::Labels::LookedUp);
        let sides = (
            parameters::Place { node: old, parts: self.old },
            parameters::Place { node: new, parts: self.new },
        );
        let places = &self.format.places;
        differences::report(
            Some(old.value),
            Some(new.value),
            places,
            Aspect::Definition,
            &mut |difference| match difference.aspect {
                Aspect::Parameters => {
                    differs = true;
                    parameters::describe(self.meaning, sides.0, sides.1, difference, &mut changes);
                    change.outputs_reordered |= self.has_positional_wires(old, new)
                        && parameters::is_reordered(self.meaning, difference);
                }
                Aspect::Layout => moved = true,
                Aspect::Ignored => {}
                _ if difference.place == self.format.name || difference.place == self.format.id => {}
                _ if old.id != new.id
                    && matches!((difference.old, difference.new),
                        (Some(a), Some(b)) if values::same_but_for_id(a, b, &old.id, &new.id)) => {}
                _ => {
                    parts.insert(difference.pointer());
                }
            },
        );
        // Of nodes that share an id, the first has its wires.
        let first = |parts: &Parts<'_>, node: &Node<'_>, index| {
            parts.by_id.get(&node.id).is_some_and(|nodes| nodes[0] == index)
        };
        let old_id = first(self.old, old, old_index).then_some(&*old.id);
        let new_id = first(self.new, new, new_index).then_some(&*new.id);
        self.wiring(old_id, new_id, [new, old], &mut change);
        change.parameters = changes.parameters;
        change.credentials = changes.credentials.changes(self.meaning, old, new);
        change.parameters.sort();
        change.parameters.dedup();
        change.former_id = (old.id != new.id).then(|| old.id.clone().into_owned());
        change.former_name = (old.name != new.name).then(|| old.name.clone().into_owned());
        if !parts.is_empty() {
            let (old_version, new_version) = (self.version(old), self.version(new));
            let is_same = old_version == new_version;
            let keep = |version: String| if is_same { String::new() } else { version };
            change.definition = Some(DefinitionChange {
                old_version: keep(old_version),
                new_version: keep(new_version),
                parts: parts.into_iter().collect(),
            });
        }
        let is_changed = change.former_id.is_some()
            || change.former_name.is_some()
            || change.definition.is_some()
            || !change.parameters.is_empty()
            || !change.credentials.is_empty()
            || !change.wiring.is_empty()
            || change.outputs_reordered;
        if is_changed {
            return Some(change);
        }
        record.moved += usize::from(moved);
        record.format_only += usize::from(differs && !moved);
        None
    }

    /// The version of a node's definition, where it is a plain version number: in a number's
    /// shortest spelling, so that `1.0` reads as `1`.
    fn version(&self, node: &Node<'_>) -> String {
        let value = self.format.version.as_ref().and_then(|place| at(node.value, place));
        let text = value.map_or(&b""[..], |value| value.raw()).to_str_lossy();
        let is_number = value.is_some_and(|value| value.kind() == Kind::Number);
        match text.parse::<f64>() {
            // Adding zero takes the sign from `-0`.
            Ok(number) if is_number && number.abs() < 1e9 => (number + 0.0).to_string(),
            _ if text.len() <= 16 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') => {
                text.into_owned()
            }
            _ => String::new(),
        }
    }

    /// Whether outputs that are named by their position feed something, before and after.
    fn has_positional_wires(&self, old: &Node<'_>, new: &Node<'_>) -> bool {
        let feeds = |parts: &Parts<'_>, id: &str| {
            parts.wires.iter().any(|wire| {
                wire.source == id
                    && !wire.output.is_empty()
                    && wire.output.bytes().all(|byte| byte.is_ascii_digit())
            })
        };
        feeds(self.old, &old.id) && feeds(self.new, &new.id)
    }

    /// The wires into a node that came or went; inputs have the labels of its newer definition, or
    /// of its older one.
    fn wiring(
        &self,
        old_id: Option<&str>,
        new_id: Option<&str>,
        definitions: [&Node<'_>; 2],
        change: &mut NodeChange,
    ) {
        // Keyed by the ends as they are named now. An id that passed to another node names nothing
        // of the new version, so a wire from there stays apart, under its old id.
        let mut old: BTreeMap<(bool, &str, &str, &str), &str> = BTreeMap::new();
        for wire in old_id.into_iter().flat_map(|id| self.old.wires_into(id)) {
            let new = self.meaning.renumbered.get(&*wire.source).map(String::as_str);
            let has_passed = new.is_none() && self.taken.contains(&*wire.source);
            old.insert((has_passed, new.unwrap_or(&wire.source), &wire.output, &wire.input), &wire.source);
        }
        let wire = |kind, parts: &Parts<'_>, source: &str, output: &str, input: &str| WireChange {
            kind,
            node: source.to_owned(),
            node_name: parts.name_of(source),
            output: output.to_owned(),
            input: input.to_owned(),
            label: labels::label_of_input(self.format, definitions, input),
        };
        let mut added = Vec::new();
        for new in new_id.into_iter().flat_map(|id| self.new.wires_into(id)) {
            if old.remove(&(false, &new.source, &new.output, &new.input)).is_none() {
                added.push(new);
            }
        }
        for new in added {
            // An output that its definition renamed feeds as it did.
            let renamed = old.iter().find_map(|(key, old_source)| {
                let (has_passed, source, old_output, input) = *key;
                let same_ends = !has_passed && source == new.source && input == new.input;
                let is_renamed = || {
                    !self.new.has_output(&new.source, old_output, self.format)
                        && !self.old.has_output(old_source, &new.output, self.format)
                };
                (same_ends && self.format.outputs.is_some() && is_renamed()).then_some(*key)
            });
            if renamed.and_then(|key| old.remove(&key)).is_none() {
                change.wiring.push(wire(EditKind::Added, self.new, &new.source, &new.output, &new.input));
            }
        }
        for ((_, _, output, input), source) in old {
            change.wiring.push(wire(EditKind::Removed, self.old, source, output, input));
        }
        change.wiring.sort();
    }

    fn came_and_went(&self, pairs: &Pairs, old_label: &Label, record: &mut ChangeRecord) {
        let name = |node: &Node<'_>| node.name.clone().into_owned();
        let by_new: BTreeMap<usize, usize> = pairs.replaced.iter().map(|(old, new)| (*new, *old)).collect();
        let paired: BTreeSet<usize> = pairs.same.values().map(|(new, _)| *new).collect();
        for (index, node) in self.old.nodes.iter().enumerate() {
            if !pairs.same.contains_key(&index) {
                let mut change = node_change(EditKind::Removed, node, old_label);
                // One flow has one place in a record: where it is now.
                change.flow.clone_from(&self.label.flow);
                change.flow_name.clone_from(&self.label.name);
                change.replaced_by = pairs.replaced.get(&index).map(|new| name(&self.new.nodes[*new]));
                record.nodes.push(change);
            }
        }
        for (index, node) in self.new.nodes.iter().enumerate() {
            if !paired.contains(&index) {
                let mut change = node_change(EditKind::Added, node, self.label);
                change.replaces = by_new.get(&index).map(|old| name(&self.old.nodes[*old]));
                record.nodes.push(change);
            }
        }
    }
}
