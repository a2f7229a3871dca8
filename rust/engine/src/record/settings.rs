//! How a workflow's own settings changed.

use bstr::{BStr, ByteSlice};

use super::context::{Context, File};
use super::differences;
use super::types::{ChangeRecord, EditKind, PinChange, SettingChange, Side};
use crate::delta::{Change, ChangeKind};
use crate::format::{Aspect, OtherFiles, Places, SettingRules};
use crate::json::Value;
use crate::snapshot::ReadError;

fn setting(kind: EditKind, name: String, pin: Option<PinChange>) -> SettingChange {
    SettingChange { kind, name, flow: String::new(), flow_name: String::new(), pin }
}

fn kind_of(change: &Change) -> EditKind {
    match change.kind {
        ChangeKind::Addition(_) => EditKind::Added,
        ChangeKind::Deletion(_) => EditKind::Removed,
        ChangeKind::Modification { .. } | ChangeKind::Rewrite { .. } => EditKind::Changed,
    }
}

/// A file that the format gives no meaning to.
pub(super) fn record_other(rules: &SettingRules, change: &Change, record: &mut ChangeRecord) {
    match rules.other_files {
        OtherFiles::Ignored => record.other_files += 1,
        OtherFiles::Settings => {
            let name = change.path.to_str_lossy().into_owned();
            record.settings.push(setting(kind_of(change), name, None));
        }
    }
}

/// The file whose keys are settings.
pub(super) fn record_file(
    context: &mut Context<'_, '_>,
    rules: &SettingRules,
    change: &Change,
    record: &mut ChangeRecord,
) -> Result<(), ReadError> {
    let path: &BStr = change.path.as_ref();
    let state = |side: Option<(&BStr, crate::delta::State)>| side.map(|(_, state)| state);
    let old = context.document(Side::Old, path, state(change.old()))?;
    let new = context.document(Side::New, path, state(change.new()))?;
    let whole_file = || setting(kind_of(change), path.to_str_lossy().into_owned(), None);
    if matches!(old, File::Unreadable) || matches!(new, File::Unreadable) {
        record.settings.push(whole_file());
        return Ok(());
    }
    let before = record.settings.len();
    differences::report(old.root(), new.root(), &Places::default(), Aspect::Definition, &mut |difference| {
        let pin = match difference.place {
            [key] => rules.pins.iter().find(|pin| *key == *pin.key),
            _ => None,
        };
        let kind = EditKind::of(difference.old.is_some(), difference.new.is_some());
        let changed = match pin {
            None if difference.place.is_empty() => Some(whole_file()),
            None => Some(setting(kind, difference.name().to_owned(), None)),
            Some(pin) => {
                let is_free =
                    |side: Option<Value<'_>>| side.is_none_or(|value| value.is_text(pin.free.as_bytes()));
                match (is_free(difference.old), is_free(difference.new)) {
                    // Absent and free say the same.
                    (true, true) => None,
                    (true, false) => Some(PinChange::Pinned),
                    (false, true) => Some(PinChange::Unpinned),
                    (false, false) => Some(PinChange::Moved),
                }
                .map(|change| setting(kind, pin.name.clone(), Some(change)))
            }
        };
        record.settings.extend(changed);
    });
    match (change.old(), change.new()) {
        (Some((_, old)), Some((_, new))) if old.mode != new.mode => record.settings.push(whole_file()),
        (Some((_, old)), Some((_, new))) if old.id != new.id && record.settings.len() == before => {
            record.format_only += 1;
        }
        _ => {}
    }
    Ok(())
}
