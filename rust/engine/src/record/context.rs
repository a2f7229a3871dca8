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
        self.warnings.insert(Warning {
            code,
            path: path.to_str_lossy().into_owned(),
            side: Some(side),
            id: String::new(),
            count: 0,
            line: 0,
            column: 0,
            reason: String::new(),
        });
    }

    pub(super) fn warn_unreadable(&mut self, path: &BStr, side: Side, why: &Unreadable) {
        self.warnings.insert(Warning {
            code: WarningCode::UnreadableFile,
            path: path.to_str_lossy().into_owned(),
            side: Some(side),
            id: String::new(),
            count: 0,
            line: why.line,
            column: why.column,
            reason: why.rule.clone().into_owned(),
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

    /// The name of a folder node: what its marker says, or its id.
    ///
    /// Warns where `is_part` says that the node is part of the record and its marker is missing or
    /// unreadable; a node that is only mentioned is none of the record's business.
    pub(super) fn folder_name(
        &mut self,
        folder: &Folder,
        side: Side,
        id: &BStr,
        is_part: bool,
    ) -> Result<String, ReadError> {
        if let Some(name) = self.names.get(&(side, id.to_owned())).filter(|_| !is_part) {
            return Ok(name.clone());
        }
        let path = folder.path(id, folder.marker.as_bstr());
        let entry = self.snapshot(side).find(path.as_bstr())?;
        let mut name = None;
        if let Some(entry) = entry {
            let state = State { mode: entry.mode, id: entry.id };
            let before = self.warnings.len();
            let file = self.document(side, path.as_bstr(), Some(state))?;
            if !is_part && self.warnings.len() > before {
                self.warnings.retain(|warning| path != *warning.path || warning.side != Some(side));
            }
            let steps = folder.name.iter().flatten().map(String::as_str);
            name = file
                .root()
                .filter(|_| folder.name.is_some())
                .and_then(|root| root.at_place(steps))
                .and_then(|value| value.string())
                .map(std::borrow::Cow::into_owned)
                .filter(|name| !name.trim().is_empty());
        } else if is_part {
            self.warn(WarningCode::MissingMarker, path.as_bstr(), side);
        }
        let name = name.unwrap_or_else(|| id.to_str_lossy().into_owned());
        self.names.insert((side, id.to_owned()), name.clone());
        Ok(name)
    }
}
