//! What every part of a comparison needs: both versions, the documents, and the warnings.

use std::collections::{BTreeMap, BTreeSet};

use bstr::{BStr, BString, ByteSlice};

use super::documents::{Loaded, Memory, Unreadable};
use super::types::{Side, Warning, WarningCode};
use crate::delta::State;
use crate::format::Folder;
use crate::json::Value;
use crate::snapshot::{ReadError, Snapshot};

pub(super) struct Context<'a, 'm> {
    pub(super) old: &'a dyn Snapshot,
    pub(super) new: &'a dyn Snapshot,
    pub(super) memory: &'m mut Memory,
    /// A set: a file may be met for several reasons and is warned of once.
    pub(super) warnings: BTreeSet<Warning>,
    /// Names of folder nodes that were looked up.
    names: BTreeMap<(Side, BString), String>,
}

/// A file that should be a document.
pub(super) enum File<'a> {
    /// It is not there.
    Absent,
    /// It is there and is no document; that was warned of.
    Unreadable,
    /// It is there.
    Document(Loaded<'a>),
}

impl File<'_> {
    pub(super) fn root(&self) -> Option<Value<'_>> {
        match self {
            Self::Document(document) => Some(document.root()),
            Self::Absent | Self::Unreadable => None,
        }
    }
}

impl<'a, 'm> Context<'a, 'm> {
    pub(super) fn new(old: &'a dyn Snapshot, new: &'a dyn Snapshot, memory: &'m mut Memory) -> Self {
        Self { old, new, memory, warnings: BTreeSet::new(), names: BTreeMap::new() }
    }

    pub(super) fn snapshot(&self, side: Side) -> &'a dyn Snapshot {
        match side {
            Side::Old => self.old,
            Side::New => self.new,
        }
    }

    pub(super) fn warn(&mut self, code: WarningCode, path: &BStr, side: Side) {
        self.warnings.insert(Warning { side: Some(side), ..Warning::about(code, path.to_str_lossy()) });
    }

    pub(super) fn warn_unreadable(&mut self, path: &BStr, side: Side, why: &Unreadable) {
        self.warnings.insert(Warning {
            side: Some(side),
            line: why.line,
            column: why.column,
            reason: why.rule.clone().into_owned(),
            ..Warning::about(WarningCode::UnreadableFile, path.to_str_lossy())
        });
    }

    /// The file of a known state as a document.
    pub(super) fn document(
        &mut self,
        side: Side,
        path: &BStr,
        state: Option<State>,
    ) -> Result<File<'a>, ReadError> {
        let Some(state) = state else { return Ok(File::Absent) };
        if !state.mode.is_file() {
            let why = Unreadable { line: 0, column: 0, rule: "is a link or a submodule, not a file".into() };
            self.warn_unreadable(path, side, &why);
            return Ok(File::Unreadable);
        }
        match self.memory.load(self.snapshot(side), path, &state.id)? {
            Ok(document) => Ok(File::Document(document)),
            Err(why) => {
                self.warn_unreadable(path, side, &why);
                Ok(File::Unreadable)
            }
        }
    }

    /// The name of a folder node that a record only mentions: what its marker says, or its id.
    /// Whether that marker is in order is none of the record's business.
    pub(super) fn mentioned_name(
        &mut self,
        folder: &Folder,
        side: Side,
        id: &BStr,
    ) -> Result<String, ReadError> {
        if let Some(name) = self.names.get(&(side, id.to_owned())) {
            return Ok(name.clone());
        }
        let warnings = std::mem::take(&mut self.warnings);
        let marker = self.marker(folder, side, id)?;
        let name = self.folder_name(folder, side, id, marker);
        self.warnings = warnings;
        name
    }

    /// What stands at the place of a folder node's marker.
    pub(super) fn marker(&self, folder: &Folder, side: Side, id: &BStr) -> Result<Option<State>, ReadError> {
        let path = folder.path(id, folder.marker.as_bstr());
        let entry = self.snapshot(side).find(path.as_bstr())?;
        Ok(entry.map(|entry| State { mode: entry.mode, id: entry.id }))
    }

    /// The name of a folder node that is part of the record, by its marker; warns where that is
    /// missing or unreadable, and the id has to do.
    pub(super) fn folder_name(
        &mut self,
        folder: &Folder,
        side: Side,
        id: &BStr,
        marker: Option<State>,
    ) -> Result<String, ReadError> {
        let path = folder.path(id, folder.marker.as_bstr());
        if marker.is_none() {
            self.warn(WarningCode::MissingMarker, path.as_bstr(), side);
        }
        let file = self.document(side, path.as_bstr(), marker)?;
        let name = folder
            .name
            .as_ref()
            .and_then(|place| file.root()?.at_place(place.iter().map(String::as_str))?.string())
            .filter(|name| !name.trim().is_empty())
            .map_or_else(|| id.to_str_lossy().into_owned(), std::borrow::Cow::into_owned);
        self.names.insert((side, id.to_owned()), name.clone());
        Ok(name)
    }
}
