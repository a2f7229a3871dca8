//! JSON documents of both versions, and what a history keeps of them.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasherDefault;
use std::rc::Rc;

use bstr::BStr;

use crate::json::{Document, SyntaxError};
use crate::snapshot::{ContentId, IdHasher, ReadError, Snapshot};

/// How many bytes of documents are kept for the next comparison.
const KEPT_BYTES: usize = 5 << 20;

/// How long a document may be, in bytes, to be read at all.
pub(super) const DOCUMENT_BYTES: usize = 64 << 20;

/// What a comparison may keep for the next one of a history, where the new side of one is the old
/// side of the next. Bounded; a record never depends on what is in it.
#[derive(Debug, Default)]
pub struct Memory {
    /// Looked up, never walked: the order of a hash never reaches a record.
    kept: HashMap<ContentId, Rc<Document<'static>>, BuildHasherDefault<IdHasher>>,
    /// The oldest first.
    order: VecDeque<ContentId>,
    bytes: usize,
}

impl Memory {
    fn keep(&mut self, id: ContentId, document: &Rc<Document<'static>>) {
        self.bytes += document.size();
        self.order.push_back(id);
        if let Some(same) = self.kept.insert(id, Rc::clone(document)) {
            self.bytes -= same.size();
        }
        while self.bytes > KEPT_BYTES {
            let Some(oldest) = self.order.pop_front() else { break };
            self.bytes -= self.kept.remove(&oldest).map_or(0, |oldest| oldest.size());
        }
    }
}

/// A document that was read: kept for later, or borrowed from a mapping.
#[derive(Debug)]
pub(super) enum Loaded<'a> {
    Kept(Rc<Document<'static>>),
    Borrowed(Document<'a>),
}

impl<'a> std::ops::Deref for Loaded<'a> {
    type Target = Document<'a>;

    fn deref(&self) -> &Document<'a> {
        match self {
            Self::Kept(document) => document,
            Self::Borrowed(document) => document,
        }
    }
}

/// Why a file is no document.
#[derive(Clone, Debug)]
pub(super) struct Unreadable {
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) rule: Cow<'static, str>,
}

impl From<SyntaxError> for Unreadable {
    fn from(error: SyntaxError) -> Self {
        Self { line: error.line, column: error.column, rule: Cow::Borrowed(error.rule) }
    }
}

impl Memory {
    /// Read the file as JSON.
    pub(super) fn load<'a>(
        &mut self,
        snapshot: &'a dyn Snapshot,
        path: &BStr,
        id: &ContentId,
    ) -> Result<Result<Loaded<'a>, Unreadable>, ReadError> {
        if let Some(document) = self.kept.get(id) {
            return Ok(Ok(Loaded::Kept(Rc::clone(document))));
        }
        let text = match snapshot.blob(path, id) {
            Ok(text) => text,
            Err(ReadError::Limit { rule, .. }) => return Ok(Err(too_large(rule))),
            Err(error) => return Err(error),
        };
        if text.len() > DOCUMENT_BYTES {
            return Ok(Err(too_large(format!("larger than {DOCUMENT_BYTES} bytes"))));
        }
        match text {
            Cow::Borrowed(_) => Ok(Document::parse(text).map(Loaded::Borrowed).map_err(Unreadable::from)),
            Cow::Owned(text) => Ok(match Document::parse(text) {
                Ok(document) => {
                    let document = Rc::new(document);
                    self.keep(*id, &document);
                    Ok(Loaded::Kept(document))
                }
                Err(error) => Err(error.into()),
            }),
        }
    }
}

fn too_large(rule: String) -> Unreadable {
    Unreadable { line: 0, column: 0, rule: Cow::Owned(rule) }
}
