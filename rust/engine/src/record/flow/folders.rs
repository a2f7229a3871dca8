//! Flows that are folders of files: which folder of the old version is which of the new one.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use bstr::{BStr, BString, ByteSlice};

use super::super::context::{Context, File};
use super::super::documents::Unreadable;
use super::super::types::{ChangeRecord, EditKind, SettingChange, Side, WarningCode};
use super::assembled;
use super::graph::at;
use crate::delta::State;
use crate::format::{Assembly, InFile};
use crate::json::{Kind, Value};
use crate::snapshot::ReadError;

/// What stood, and stands, at a path that differs.
pub(super) type FilePair = (Option<State>, Option<State>);

/// The files that differ, by the folder of their flow and their path below it.
pub(in crate::record) type Folders<'c> = BTreeMap<&'c BStr, BTreeMap<&'c BStr, FilePair>>;

/// A flow's folder on one side, with the file that says which nodes there are.
pub(super) struct Place<'c, 'a> {
    pub(super) folder: &'c BStr,
    pub(super) head: File<'a>,
}

impl Place<'_, '_> {
    /// The flow's id; blank where it has none, or can't be read.
    fn id(&self, format: &InFile) -> String {
        let id = || at(self.head.root()?, format.flow_id.as_ref()?)?.string();
        id().map(Cow::into_owned).unwrap_or_default()
    }
}

/// Record the flows whose folders differ.
pub(in crate::record) fn record(
    context: &mut Context<'_, '_>,
    format: &InFile,
    assembly: &Assembly,
    folders: &Folders<'_>,
    record: &mut ChangeRecord,
) -> Result<(), ReadError> {
    let (mut olds, mut news) = (Vec::new(), Vec::new());
    for (&folder, files) in folders {
        let mut heads = [File::Absent, File::Absent];
        for (side, head) in [Side::Old, Side::New].into_iter().zip(&mut heads) {
            *head = read_head(context, assembly, side, folder)?;
        }
        if heads.iter().all(|head| matches!(head, File::Absent)) {
            // No flow was or is here.
            record.other_files += files.len();
            continue;
        }
        let [old, new] = heads;
        for (side, mut head, places) in [(Side::Old, old, &mut olds), (Side::New, new, &mut news)] {
            let on_side = |pair: &FilePair| if side == Side::Old { pair.0 } else { pair.1 };
            if matches!(head, File::Absent) {
                let has_files = files.values().any(|pair| on_side(pair).is_some());
                if !has_files && !context.snapshot(side).has_directory(folder)? {
                    continue;
                }
                context.warn(
                    WarningCode::MissingMarker,
                    below(folder, assembly.marker.as_bstr()).as_bstr(),
                    side,
                );
                head = File::Unreadable;
            }
            places.push(Place { folder, head });
        }
    }
    let mut used: BTreeMap<&BStr, BTreeSet<BString>> = BTreeMap::new();
    for (old, new) in match_folders(format, &olds, &news) {
        let (old, new) = (old.map(|index| &olds[index]), new.map(|index| &news[index]));
        let is_unreadable =
            |place: Option<&Place<'_, '_>>| place.is_some_and(|place| matches!(place.head, File::Unreadable));
        let in_folders = || old.iter().chain(&new).map(|place| place.folder);
        let files = if is_unreadable(old) || is_unreadable(new) {
            // What became of the flow can't be said; that it changed can.
            record.settings.extend(in_folders().next_back().map(|folder| whole(folder, (old, new))));
            in_folders().flat_map(|folder| folders[folder].keys().map(|file| (*file).to_owned())).collect()
        } else {
            assembled::compare(context, format, assembly, (old, new), folders, record)?
        };
        for folder in in_folders().collect::<BTreeSet<_>>() {
            used.entry(folder).or_default().extend(files.iter().cloned());
        }
    }
    for (folder, used) in used {
        record.other_files += folders[folder].keys().filter(|file| !used.contains(**file)).count();
    }
    Ok(())
}

/// A flow of which no more can be said than that it changed.
pub(super) fn whole(
    folder: &BStr,
    (old, new): (Option<&Place<'_, '_>>, Option<&Place<'_, '_>>),
) -> SettingChange {
    let folder = folder.to_str_lossy().into_owned();
    SettingChange {
        kind: EditKind::of(old.is_some(), new.is_some()),
        name: folder.clone(),
        flow: folder,
        flow_name: String::new(),
        pin: None,
    }
}

/// The path of a file of a flow.
pub(super) fn below(folder: &BStr, file: &BStr) -> BString {
    let mut path = folder.to_owned();
    path.push(b'/');
    path.extend_from_slice(file);
    path
}

/// Read the file that says which nodes there are, and hold it to what is known of its layout.
fn read_head<'a>(
    context: &mut Context<'a, '_>,
    assembly: &Assembly,
    side: Side,
    folder: &BStr,
) -> Result<File<'a>, ReadError> {
    let path = below(folder, assembly.marker.as_bstr());
    let entry = context.snapshot(side).find(path.as_bstr())?;
    let state = entry.map(|entry| State { mode: entry.mode, id: entry.id });
    let head = context.document(side, path.as_bstr(), state)?;
    let Some(broken) = head.root().and_then(|root| broken_rule(assembly, root)) else { return Ok(head) };
    context.warn_unreadable(path.as_bstr(), side, &Unreadable { line: 0, column: 0, rule: broken });
    Ok(File::Unreadable)
}

/// The rule that such a file breaks.
fn broken_rule(assembly: &Assembly, root: Value<'_>) -> Option<Cow<'static, str>> {
    if root.kind() != Kind::Object {
        return Some("is no JSON object".into());
    }
    if let Some((key, known)) = &assembly.version {
        let version = root.get(key);
        let text = version.map_or(&b""[..], |version| version.raw()).to_str_lossy();
        let is_number = version.is_some_and(|version| version.kind() == Kind::Number);
        if !is_number || text.parse() != Ok(f64::from(*known)) {
            let is_plain = is_number && text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit());
            let found = match version {
                None => "has no format version".to_owned(),
                Some(_) if is_plain => format!("has format version {text}"),
                Some(_) => "has another format version".to_owned(),
            };
            return Some(format!("{found}; version {known} is read").into());
        }
    }
    let is_list = root.get(&assembly.node_list).is_some_and(|list| list.kind() == Kind::Array);
    (!is_list).then(|| "has no list of nodes".into())
}

/// Indices of the folders that are one flow.
type Matched = (Option<usize>, Option<usize>);

/// Find which folders are one flow: by id, first in the same folder, then in any; a folder that
/// can't be read, or has no id, is the flow that is in the same folder.
fn match_folders(format: &InFile, olds: &[Place<'_, '_>], news: &[Place<'_, '_>]) -> Vec<Matched> {
    let ids = |places: &[Place<'_, '_>]| places.iter().map(|place| place.id(format)).collect::<Vec<_>>();
    let (old_ids, new_ids) = (ids(olds), ids(news));
    let mut matched: BTreeMap<usize, usize> = BTreeMap::new();
    let mut taken = BTreeSet::new();
    let by_folder: BTreeMap<&BStr, usize> =
        news.iter().enumerate().map(|(index, place)| (place.folder, index)).collect();
    let in_same_folder = |old: usize| by_folder.get(olds[old].folder).copied();
    for (old, id) in old_ids.iter().enumerate().filter(|(_, id)| !id.is_empty()) {
        if let Some(new) = in_same_folder(old).filter(|new| new_ids[*new] == *id) {
            matched.insert(old, new);
            taken.insert(new);
        }
    }
    let mut by_id: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (new, id) in new_ids.iter().enumerate().rev() {
        if !taken.contains(&new) && !id.is_empty() {
            by_id.entry(id).or_default().push(new);
        }
    }
    for (old, id) in old_ids.iter().enumerate() {
        if !matched.contains_key(&old)
            && let Some(new) = by_id.get_mut(id.as_str()).and_then(Vec::pop)
        {
            matched.insert(old, new);
            taken.insert(new);
        }
    }
    for (old, id) in old_ids.iter().enumerate() {
        if let Some(new) = in_same_folder(old)
            && !matched.contains_key(&old)
            && (id.is_empty() || new_ids[new].is_empty())
            && taken.insert(new)
        {
            matched.insert(old, new);
        }
    }
    let mut pairs: Vec<Matched> =
        (0..olds.len()).map(|old| (Some(old), matched.get(&old).copied())).collect();
    pairs.extend((0..news.len()).filter(|new| !taken.contains(new)).map(|new| (None, Some(new))));
    pairs
}
