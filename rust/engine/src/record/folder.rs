//! Records of formats whose nodes are folders.

use std::collections::{BTreeMap, BTreeSet};

use bstr::{BStr, ByteSlice};

use super::comments::Comments;
use super::context::{Context, File};
use super::differences;
use super::types::{
    ChangeRecord, DefinitionChange, EditKind, FileChange, FileChangeKind, MatchReason, NodeChange,
    ParameterChange, ParameterChangeKind, Side, Warning, WarningCode, WireChange,
};
use crate::delta::{Change, ChangeKind, RewriteOptions, State, pair_rewrites};
use crate::format::{Aspect, Folder, LinkPlaces};
use crate::json::Value;
use crate::snapshot::ReadError;

/// A file of a node that differs, by its path below the node's folder.
type FilePair = (Option<State>, Option<State>);

/// A node that differs.
struct Node<'c> {
    old_id: &'c BStr,
    new_id: &'c BStr,
    kind: EditKind,
    matched_by: Option<MatchReason>,
    files: BTreeMap<&'c BStr, FilePair>,
}

/// Old id → new id of the nodes whose id changed.
type Renumbered<'c> = BTreeMap<&'c BStr, &'c BStr>;

/// Record the nodes these changes belong to: by id, the path below the folder and the change.
pub(super) fn record<'c>(
    context: &mut Context<'_, '_>,
    folder: &Folder,
    changes: &BTreeMap<&'c BStr, Vec<(&'c BStr, &'c Change)>>,
    record: &mut ChangeRecord,
) -> Result<(), ReadError> {
    let mut nodes = Vec::with_capacity(changes.len());
    for (&id, changes) in changes {
        let mut files = BTreeMap::new();
        for (file, change) in changes {
            // A file that gave way to a directory stands in the delta twice, never under one path.
            let pair: &mut FilePair = files.entry(*file).or_default();
            pair.0 = change.old().map(|(_, state)| state).or(pair.0);
            pair.1 = change.new().map(|(_, state)| state).or(pair.1);
        }
        let directory = folder.path(id, "".into());
        let directory = directory.trim_end_with(|letter| letter == '/').as_bstr();
        let was = files.values().any(|(old, _)| old.is_some()) || context.old.has_directory(directory)?;
        let is = files.values().any(|(_, new)| new.is_some()) || context.new.has_directory(directory)?;
        let kind = EditKind::of(was, is);
        nodes.push(Node { old_id: id, new_id: id, kind, matched_by: None, files });
    }
    let renumbered = match_renumbered(context, folder, &mut nodes)?;
    let mut comments = Comments::default();
    for node in &nodes {
        if let Some(change) = describe(context, folder, node, &renumbered, &mut comments, record)? {
            record.nodes.push(change);
        }
    }
    record.comments = comments.changes(context, folder, &renumbered)?;
    Ok(())
}

/// How many pairs of removed and added nodes are looked at.
const COMPARISONS: usize = 10_000;

/// Find removed and added nodes that are the same node under another id, and make one of them.
fn match_renumbered<'c>(
    context: &mut Context<'_, '_>,
    folder: &Folder,
    nodes: &mut Vec<Node<'c>>,
) -> Result<Renumbered<'c>, ReadError> {
    let mut renumbered = Renumbered::new();
    let of_kind =
        |kind| nodes.iter().enumerate().filter(move |(_, node)| node.kind == kind).map(|(at, _)| at);
    let (removed, added): (Vec<_>, Vec<_>) =
        (of_kind(EditKind::Removed).collect(), of_kind(EditKind::Added).collect());
    if removed.is_empty() || added.is_empty() {
        return Ok(renumbered);
    }
    if removed.len() * added.len() > COMPARISONS {
        context.warnings.insert(Warning {
            count: removed.len() * added.len(),
            reason: "too many nodes came and went to look for renumbered ones".to_owned(),
            ..Warning::about(WarningCode::Limit, folder.parent.to_str_lossy())
        });
        return Ok(renumbered);
    }
    let mut pairs: Vec<(usize, usize, MatchReason)> = Vec::new();
    let is_free =
        |pairs: &[(usize, usize, MatchReason)], at| pairs.iter().all(|(a, b, _)| *a != at && *b != at);
    for &from in &removed {
        for &to in added.iter().filter(|to| is_free(&pairs, **to)) {
            let (old, new) = (&nodes[from], &nodes[to]);
            if old.files.keys().eq(new.files.keys())
                && shared_files(context, folder, old, new)? == old.files.len()
            {
                pairs.push((from, to, MatchReason::Content));
                break;
            }
        }
    }
    // The same name, alone on both sides, and at least one file that is the very same: content
    // was edited along with the id.
    let mut by_name: BTreeMap<String, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    for &at in removed.iter().filter(|at| is_free(&pairs, **at)) {
        let name = context.mentioned_name(folder, Side::Old, nodes[at].old_id)?;
        by_name.entry(name).or_default().0.push(at);
    }
    for &at in added.iter().filter(|at| is_free(&pairs, **at)) {
        let name = context.mentioned_name(folder, Side::New, nodes[at].new_id)?;
        by_name.entry(name).or_default().1.push(at);
    }
    for (from, to) in by_name.values() {
        if let ([from], [to]) = (&from[..], &to[..])
            && shared_files(context, folder, &nodes[*from], &nodes[*to])? > 0
        {
            pairs.push((*from, *to, MatchReason::Name));
        }
    }
    for (from, to, reason) in &pairs {
        let old_files = std::mem::take(&mut nodes[*from].files);
        let old_id = nodes[*from].old_id;
        let node = &mut nodes[*to];
        for (file, (old, _)) in old_files {
            node.files.entry(file).or_default().0 = old;
        }
        node.files.retain(|_, (old, new)| old != new);
        node.old_id = old_id;
        node.kind = EditKind::Changed;
        node.matched_by = Some(*reason);
        renumbered.insert(old_id, node.new_id);
    }
    let gone: BTreeSet<usize> = pairs.iter().map(|(from, _, _)| *from).collect();
    let mut at = 0;
    nodes.retain(|_| {
        at += 1;
        !gone.contains(&(at - 1))
    });
    Ok(renumbered)
}

/// How many files of a removed and an added node mean the same. All files of such nodes are in the
/// delta, so what they hold is known without a look at their trees.
fn shared_files(
    context: &mut Context<'_, '_>,
    folder: &Folder,
    old: &Node<'_>,
    new: &Node<'_>,
) -> Result<usize, ReadError> {
    let mut shared = 0;
    for (file, pair) in &old.files {
        let (Some(was), Some(is)) = (pair.0, new.files.get(file).and_then(|pair| pair.1)) else { continue };
        let is_document = file.ends_with(b".json") && folder.meaning(file).aspect != Some(Aspect::Source);
        let same = was.mode == is.mode
            && (was.id == is.id
                || is_document && {
                    let warnings = context.warnings.clone();
                    let (old_path, new_path) = (folder.path(old.old_id, file), folder.path(new.new_id, file));
                    let old = context.document(Side::Old, old_path.as_bstr(), Some(was))?;
                    let new = context.document(Side::New, new_path.as_bstr(), Some(is))?;
                    // A look is no reason to warn: what becomes part of the record is read again.
                    context.warnings = warnings;
                    matches!((old.root(), new.root()), (Some(a), Some(b)) if a.same(&b))
                });
        shared += usize::from(same);
    }
    Ok(shared)
}

/// What changed of one node; `None` where nothing that counts did.
fn describe<'c>(
    context: &mut Context<'_, '_>,
    folder: &Folder,
    node: &Node<'c>,
    renumbered: &Renumbered<'c>,
    comments: &mut Comments,
    record: &mut ChangeRecord,
) -> Result<Option<NodeChange>, ReadError> {
    let (old_name, new_name) = names(context, folder, node)?;
    let is_renamed = matches!((&old_name, &new_name), (Some(old), Some(new)) if old != new);
    let is_renumbered = node.old_id != node.new_id;
    let mut change = NodeChange {
        kind: node.kind,
        id: node.new_id.to_str_lossy().into_owned(),
        name: new_name.or_else(|| old_name.clone()).unwrap_or_default(),
        flow: String::new(),
        flow_name: String::new(),
        former_id: is_renumbered.then(|| node.old_id.to_str_lossy().into_owned()),
        former_name: old_name.filter(|_| is_renamed),
        matched_by: node.matched_by,
        replaces: None,
        replaced_by: None,
        definition: None,
        source: Vec::new(),
        parameters: Vec::new(),
        credentials: Vec::new(),
        wiring: Vec::new(),
        outputs_reordered: false,
    };
    let mut parts = BTreeSet::new();
    let mut source = Vec::new();
    for (file, pair) in &node.files {
        let meaning = folder.meaning(file);
        match meaning.aspect.unwrap_or(Aspect::Definition) {
            Aspect::Ignored | Aspect::Layout => {}
            Aspect::Source => source.push((*file, *pair)),
            _ if file.ends_with(b".json") => {
                compare_document(
                    context,
                    folder,
                    node,
                    file,
                    *pair,
                    renumbered,
                    comments,
                    &mut change,
                    &mut parts,
                    record,
                )?;
            }
            _ => {
                parts.insert(file.to_str_lossy().into_owned());
            }
        }
    }
    if node.kind != EditKind::Changed {
        change.parameters.clear();
        change.wiring.clear();
        return Ok(Some(change));
    }
    change.source = describe_source(context, folder, node, &source)?;
    change.parameters.sort();
    change.wiring.sort();
    if !parts.is_empty() {
        change.definition =
            Some(DefinitionChange { parts: parts.into_iter().collect(), ..DefinitionChange::default() });
    }
    let is_changed = is_renamed
        || is_renumbered
        || change.definition.is_some()
        || !change.source.is_empty()
        || !change.parameters.is_empty()
        || !change.wiring.is_empty();
    Ok(is_changed.then_some(change))
}

/// The names of a node before and after, by its marker.
fn names(
    context: &mut Context<'_, '_>,
    folder: &Folder,
    node: &Node<'_>,
) -> Result<(Option<String>, Option<String>), ReadError> {
    let (was, is) = (node.kind != EditKind::Added, node.kind != EditKind::Removed);
    let (old_marker, new_marker) = if let Some(pair) = node.files.get(folder.marker.as_bstr()) {
        *pair
    } else {
        // Not in the delta: it is the same on both sides, or missing on both.
        let (side, id) = if is { (Side::New, node.new_id) } else { (Side::Old, node.old_id) };
        let marker = context.marker(folder, side, id)?;
        (marker, marker)
    };
    let mut name = |wanted: bool, side, id, marker| {
        wanted.then(|| context.folder_name(folder, side, id, marker)).transpose()
    };
    Ok((name(was, Side::Old, node.old_id, old_marker)?, name(is, Side::New, node.new_id, new_marker)?))
}

#[expect(clippy::too_many_arguments, reason = "the body of the loop in `describe`, and of nothing else")]
fn compare_document<'c>(
    context: &mut Context<'_, '_>,
    folder: &Folder,
    node: &Node<'c>,
    file: &BStr,
    (old_state, new_state): FilePair,
    renumbered: &Renumbered<'c>,
    comments: &mut Comments,
    change: &mut NodeChange,
    parts: &mut BTreeSet<String>,
    record: &mut ChangeRecord,
) -> Result<(), ReadError> {
    let whole_file = || file.to_str_lossy().into_owned();
    let meaning = folder.meaning(file);
    if node.kind != EditKind::Changed && !meaning.places.gives(Aspect::Comments) {
        return Ok(());
    }
    if let (Some(old), Some(new)) = (old_state, new_state)
        && old.mode != new.mode
    {
        parts.insert(whole_file());
        if old.id == new.id {
            return Ok(());
        }
    }
    let old_path = folder.path(node.old_id, file);
    let new_path = folder.path(node.new_id, file);
    let old = context.document(Side::Old, old_path.as_bstr(), old_state)?;
    let new = context.document(Side::New, new_path.as_bstr(), new_state)?;
    if matches!(old, File::Unreadable) || matches!(new, File::Unreadable) {
        parts.insert(whole_file());
        return Ok(());
    }
    let mut any = false;
    let mut wires = (BTreeSet::new(), BTreeSet::new());
    let is_name = |place: &[std::borrow::Cow<'_, str>]| {
        *file == *folder.marker && folder.name.as_ref().is_some_and(|name| *place == **name)
    };
    differences::report(old.root(), new.root(), &meaning.places, Aspect::Definition, &mut |difference| {
        any = true;
        match difference.aspect {
            Aspect::Parameters => change.parameters.push(ParameterChange {
                name: difference.name().to_owned(),
                kind: match (difference.old, difference.new) {
                    (None, _) => ParameterChangeKind::Added,
                    (_, None) => ParameterChangeKind::Removed,
                    _ => ParameterChangeKind::Edited,
                },
                label: String::new(),
            }),
            Aspect::Comments => {
                comments.add(Side::Old, node.old_id, difference.old, folder.comment.as_ref());
                comments.add(Side::New, node.new_id, difference.new, folder.comment.as_ref());
            }
            Aspect::Wiring => {
                if let Some(places) = &folder.link {
                    wires.0.extend(links(difference.old, places));
                    wires.1.extend(links(difference.new, places));
                }
            }
            Aspect::Layout | Aspect::Ignored => {}
            // A name that came, went or changed is said as such.
            Aspect::Definition | Aspect::Source if is_name(difference.place) => {}
            Aspect::Definition | Aspect::Source => {
                parts.insert(format!("{}#{}", whole_file(), difference.pointer()));
            }
        }
    });
    describe_wiring(context, folder, wires, renumbered, change)?;
    match (old_state, new_state) {
        (Some(_), Some(_)) if !any && old_state != new_state => record.format_only += 1,
        (None, Some(_)) | (Some(_), None) if !any => {
            parts.insert(whole_file());
        }
        _ => {}
    }
    Ok(())
}

/// A link as it stands in a file: the feeding node's id, its output, the input.
type Wire = (String, String, String);

fn links(list: Option<Value<'_>>, places: &LinkPlaces) -> Vec<Wire> {
    let text = |link: &Value<'_>, place: Option<&crate::format::Place>| {
        place
            .and_then(|place| link.at_place(place.iter().map(String::as_str)))
            .and_then(|value| value.string())
            .map(std::borrow::Cow::into_owned)
            .unwrap_or_default()
    };
    list.into_iter()
        .flat_map(|list| list.elements())
        .map(|link| {
            (
                text(&link, Some(&places.source)),
                text(&link, places.output.as_ref()),
                text(&link, places.input.as_ref()),
            )
        })
        .collect()
}

fn describe_wiring(
    context: &mut Context<'_, '_>,
    folder: &Folder,
    (old, new): (BTreeSet<Wire>, BTreeSet<Wire>),
    renumbered: &Renumbered<'_>,
    change: &mut NodeChange,
) -> Result<(), ReadError> {
    let taken: BTreeSet<&BStr> = renumbered.values().copied().collect();
    // An id that passed to another node names nothing of the new version.
    let current = |(source, output, input): &Wire| -> Option<Wire> {
        let id = match renumbered.get(BStr::new(source)) {
            Some(new) => new.to_str_lossy().into_owned(),
            None if taken.contains(BStr::new(source)) => return None,
            None => source.clone(),
        };
        Some((id, output.clone(), input.clone()))
    };
    let stays: BTreeSet<Wire> = old.iter().filter_map(current).collect();
    let mut add = |kind, side, (node, output, input): Wire| {
        let node_name = context.mentioned_name(folder, side, node.as_str().into())?;
        change.wiring.push(WireChange { kind, node, node_name, output, input, label: String::new() });
        Ok::<_, ReadError>(())
    };
    for wire in &new {
        if !stays.contains(wire) {
            add(EditKind::Added, Side::New, wire.clone())?;
        }
    }
    for wire in old {
        if !current(&wire).is_some_and(|wire| new.contains(&wire)) {
            add(EditKind::Removed, Side::Old, wire)?;
        }
    }
    Ok(())
}

/// The source files of one node that differ, moves found.
fn describe_source(
    context: &Context<'_, '_>,
    folder: &Folder,
    node: &Node<'_>,
    files: &[(&BStr, FilePair)],
) -> Result<Vec<FileChange>, ReadError> {
    let mut changes: Vec<Change> = files
        .iter()
        .filter_map(|(file, pair)| {
            let (id, kind) = match *pair {
                (Some(old), Some(new)) => (node.new_id, ChangeKind::Modification { old, new }),
                (Some(old), None) => (node.old_id, ChangeKind::Deletion(old)),
                (None, Some(new)) => (node.new_id, ChangeKind::Addition(new)),
                (None, None) => return None,
            };
            Some(Change { path: folder.path(id, file), kind })
        })
        .collect();
    pair_rewrites(context.old, context.new, &RewriteOptions::default(), &mut changes)?;
    let shown = |path: &BStr| {
        let file = folder.split(path).map_or(path, |(_, file)| file);
        folder.below_rule(file).to_str_lossy().into_owned()
    };
    let mut described: Vec<FileChange> = changes
        .iter()
        .map(|change| {
            let kind = match &change.kind {
                ChangeKind::Addition(_) => FileChangeKind::Added,
                ChangeKind::Deletion(_) => FileChangeKind::Removed,
                ChangeKind::Modification { old, new } if old.id == new.id => FileChangeKind::Mode,
                ChangeKind::Modification { .. } => FileChangeKind::Edited,
                ChangeKind::Rewrite { .. } => FileChangeKind::Renamed,
            };
            let former = match &change.kind {
                ChangeKind::Rewrite { old_path, .. } => Some(shown(old_path.as_bstr())),
                _ => None,
            };
            FileChange { kind, path: shown(change.path.as_bstr()), former_path: former }
        })
        .collect();
    described.sort_by(|a, b| a.path.cmp(&b.path).then(a.kind.cmp(&b.kind)));
    Ok(described)
}
