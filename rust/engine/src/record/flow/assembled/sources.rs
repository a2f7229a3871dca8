//! The files of one flow, read as far as a comparison asks for them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use bstr::{BStr, BString};

use super::super::super::context::{Context, File};
use super::super::super::documents::Unreadable;
use super::super::super::types::Side;
use super::super::folders::{FilePair, Folders, below};
use crate::delta::State;
use crate::json::Kind;
use crate::snapshot::ReadError;

/// The folders of a flow on both sides, and what was read of them. Paths are those below.
pub(super) struct Sources<'p, 'a> {
    folders: [Option<&'p BStr>; 2],
    /// What differs below the folder, where it is the same one on both sides.
    differing: Option<&'p BTreeMap<&'p BStr, FilePair>>,
    states: BTreeMap<BString, FilePair>,
    documents: [BTreeMap<BString, File<'a>>; 2],
    texts: [BTreeMap<BString, Option<Cow<'a, [u8]>>>; 2],
    used: BTreeSet<BString>,
}

const fn index(side: Side) -> usize {
    match side {
        Side::Old => 0,
        Side::New => 1,
    }
}

/// What a file has to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// It has to be there.
    Required,
    /// It may be missing.
    Optional,
}

impl<'p, 'a> Sources<'p, 'a> {
    pub(super) fn new(folders: [Option<&'p BStr>; 2], changed: &'p Folders<'p>) -> Self {
        let same = folders[0].filter(|_| folders[0] == folders[1]);
        Self {
            folders,
            differing: same.and_then(|folder| changed.get(folder)),
            states: BTreeMap::new(),
            documents: [BTreeMap::new(), BTreeMap::new()],
            texts: [BTreeMap::new(), BTreeMap::new()],
            used: BTreeSet::new(),
        }
    }

    /// Note that a file has a meaning.
    pub(super) fn use_file(&mut self, file: &BStr) {
        self.used.insert(file.to_owned());
    }

    pub(super) fn into_used(self) -> BTreeSet<BString> {
        self.used
    }

    fn states(&mut self, context: &Context<'a, '_>, file: &BStr) -> Result<FilePair, ReadError> {
        if let Some(pair) = self.states.get(file) {
            return Ok(*pair);
        }
        let find = |side: Side| -> Result<Option<State>, ReadError> {
            let Some(folder) = self.folders[index(side)] else { return Ok(None) };
            let entry = context.snapshot(side).find(below(folder, file).as_ref())?;
            Ok(entry.map(|entry| State { mode: entry.mode, id: entry.id }))
        };
        let pair = match self.differing {
            Some(differing) => match differing.get(file) {
                Some(pair) => *pair,
                None => find(Side::New).map(|state| (state, state))?,
            },
            None => (find(Side::Old)?, find(Side::New)?),
        };
        self.states.insert(file.to_owned(), pair);
        Ok(pair)
    }

    fn state(
        &mut self,
        context: &Context<'a, '_>,
        side: Side,
        file: &BStr,
    ) -> Result<Option<State>, ReadError> {
        self.states(context, file).map(|(old, new)| if side == Side::Old { old } else { new })
    }

    /// Whether a file is another one on the new side.
    pub(super) fn differs(&mut self, context: &Context<'a, '_>, file: &BStr) -> Result<bool, ReadError> {
        self.states(context, file).map(|(old, new)| old != new)
    }

    fn warn(&self, context: &mut Context<'a, '_>, side: Side, file: &BStr, rule: Cow<'static, str>) {
        let path = below(self.folders[index(side)].unwrap_or_default(), file);
        context.warn_unreadable(path.as_ref(), side, &Unreadable { line: 0, column: 0, rule });
    }

    /// Read a JSON file of this kind; one that is not is warned of, once.
    pub(super) fn read(
        &mut self,
        context: &mut Context<'a, '_>,
        side: Side,
        file: &BStr,
        kind: Option<Kind>,
        need: Need,
    ) -> Result<(), ReadError> {
        if self.documents[index(side)].contains_key(file) {
            return Ok(());
        }
        let state = self.state(context, side, file)?;
        let path = below(self.folders[index(side)].unwrap_or_default(), file);
        let mut read = context.document(side, path.as_ref(), state)?;
        let broken = match (&read, kind) {
            (File::Absent, _) if need == Need::Required => Some("is missing"),
            (File::Document(document), Some(kind)) if document.root().kind() != kind => {
                Some(if kind == Kind::Array { "is no JSON list" } else { "is no JSON object" })
            }
            _ => None,
        };
        if let Some(rule) = broken {
            self.warn(context, side, file, rule.into());
            read = File::Unreadable;
        }
        self.documents[index(side)].insert(file.to_owned(), read);
        Ok(())
    }

    /// Read a file of text; one that is not is warned of, once.
    pub(super) fn read_text(
        &mut self,
        context: &mut Context<'a, '_>,
        side: Side,
        file: &BStr,
    ) -> Result<(), ReadError> {
        if self.texts[index(side)].contains_key(file) {
            return Ok(());
        }
        let path = below(self.folders[index(side)].unwrap_or_default(), file);
        let text = match self.state(context, side, file)? {
            None => Err("is missing".into()),
            Some(state) if !state.mode.is_file() => Err("is a link or a submodule, not a file".into()),
            Some(state) => match context.snapshot(side).blob(path.as_ref(), &state.id) {
                Ok(text) if std::str::from_utf8(&text).is_ok() => Ok(text),
                Ok(_) => Err("is no UTF-8".into()),
                Err(ReadError::Limit { rule, .. }) => Err(rule.into()),
                Err(error) => return Err(error),
            },
        };
        let text = text.map_err(|rule| self.warn(context, side, file, rule)).ok();
        self.texts[index(side)].insert(file.to_owned(), text);
        Ok(())
    }

    /// A JSON file that was read.
    pub(super) fn document(&self, side: Side, file: &BStr) -> &File<'a> {
        self.documents[index(side)].get(file).unwrap_or(&File::Absent)
    }

    /// A file of text that was read.
    pub(super) fn text(&self, side: Side, file: &BStr) -> Option<&str> {
        let text = self.texts[index(side)].get(file)?.as_ref()?;
        std::str::from_utf8(text).ok()
    }

    /// Whether a file can't be read on one of the sides, and is not the very same on the other.
    pub(super) fn is_unclear(&self, old: &BStr, new: &BStr) -> bool {
        let is_unreadable = |side, file| matches!(self.document(side, file), File::Unreadable);
        let state = |file: &BStr| self.states.get(file).copied().unwrap_or_default();
        (is_unreadable(Side::Old, old) || is_unreadable(Side::New, new)) && state(old).0 != state(new).1
    }

    /// Whether a file whose state was asked for differs.
    pub(super) fn has_changed(&self, file: &BStr) -> bool {
        self.states.get(file).is_some_and(|(old, new)| old != new)
    }

    /// How many JSON files are written differently and mean the same.
    pub(super) fn written_differently(&self) -> usize {
        let is_same = |file: &BString| {
            let roots = (self.document(Side::Old, file.as_ref()), self.document(Side::New, file.as_ref()));
            matches!((roots.0.root(), roots.1.root()), (Some(a), Some(b)) if a.same(&b))
        };
        self.states.iter().filter(|(file, (old, new))| old != new && is_same(file)).count()
    }
}
