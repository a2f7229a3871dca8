//! The text of a flow as one document, put together from values of several files.

use std::borrow::Cow;

use bstr::{BStr, BString, ByteSlice};

use super::super::super::documents::DOCUMENT_BYTES;
use crate::format::Markers;
use crate::json::{Kind, Value};

/// A document while it is written. What goes beyond the longest document that is read is dropped,
/// and [`finish`](Self::finish) says so.
#[derive(Default)]
pub(super) struct Joined {
    text: Vec<u8>,
    is_too_long: bool,
}

impl Joined {
    pub(super) fn push(&mut self, text: &[u8]) {
        self.is_too_long |= self.text.len() + text.len() > DOCUMENT_BYTES;
        if !self.is_too_long {
            self.text.extend_from_slice(text);
        }
    }

    /// A string, or the name of a member.
    pub(super) fn push_string(&mut self, text: &str) {
        if !self.is_too_long {
            self.push(&serde_json::to_vec(text).unwrap_or_default());
        }
    }

    /// Write a list, or the members of an object: a comma before each but the first.
    pub(super) fn separate(&mut self) {
        if !matches!(self.text.last(), Some(b'{' | b'[')) {
            self.push(b",");
        }
    }

    /// The name of a member, after what stands before it.
    pub(super) fn push_name(&mut self, name: &str) {
        self.separate();
        self.push_string(name);
        self.push(b":");
    }

    /// The members of an object whose names `which` takes, each value as `write` writes it.
    pub(super) fn push_members<'v>(
        &mut self,
        object: Value<'v>,
        which: impl Fn(Value<'v>) -> bool,
        mut write: impl FnMut(&mut Self, Value<'v>),
    ) {
        for (name, value) in object.members().filter(|(name, _)| which(*name)) {
            self.separate();
            self.push(name.source());
            self.push(b":");
            write(self, value);
        }
    }

    /// The members of an object as they are written.
    pub(super) fn push_all_members(&mut self, object: Option<Value<'_>>) {
        if let Some(object) = object {
            self.push_members(object, |_| true, |out, value| out.push(value.source()));
        }
    }

    /// The text; `None` where it is too long.
    pub(super) fn finish(self) -> Option<Vec<u8>> {
        (!self.is_too_long).then_some(self.text)
    }
}

/// What an object stands for.
enum Meant<'d> {
    Text(Cow<'d, str>),
    Json(Value<'d>),
    Literal(Value<'d>),
}

fn meant<'d>(value: Value<'d>, markers: &Markers) -> Option<Meant<'d>> {
    let mut members = value.members();
    let (Some((name, content)), None) = (members.next(), members.next()) else { return None };
    let is = |marker: &Option<String>| marker.as_ref().is_some_and(|key| name.is_text(key.as_bytes()));
    if is(&markers.text) {
        content.string().map(Meant::Text)
    } else if is(&markers.json) {
        Some(Meant::Json(content))
    } else if is(&markers.literal) {
        Some(Meant::Literal(content))
    } else {
        None
    }
}

/// Whether an object looks like the marker of a credential.
fn is_credential(value: Value<'_>, markers: &Markers) -> bool {
    let mut members = value.members();
    let only = members.next().filter(|_| members.next().is_none());
    matches!((&markers.credential, only), (Some(marker), Some((name, _))) if name.is_text(marker.key.as_bytes()))
}

/// Below this depth values are not searched for markers as a whole first: each level that tries
/// may read all that is below it again.
const WHOLE_TEXT_DEPTH: usize = 16;

/// Whether a value may hold a marker; most hold none, and are copied as they are.
fn may_hold_marker(value: Value<'_>, markers: &Markers, depth: usize) -> bool {
    let text = value.raw();
    matches!(value.kind(), Kind::Object | Kind::Array)
        && (depth >= WHOLE_TEXT_DEPTH
            || text.find(b"\\u").is_some()
            || [&markers.text, &markers.json, &markers.literal]
                .into_iter()
                .flatten()
                .any(|marker| text.find(marker.as_bytes()).is_some()))
}

/// The paths of the files whose text a value stands for. As deep as a document may nest.
pub(super) fn texts_of(value: Value<'_>, markers: &Markers, paths: &mut Vec<BString>) {
    add_texts_of(value, markers, paths, 0);
}

fn add_texts_of(value: Value<'_>, markers: &Markers, paths: &mut Vec<BString>, depth: usize) {
    if !may_hold_marker(value, markers, depth) {
        return;
    }
    match meant(value, markers) {
        Some(Meant::Text(path)) => paths.push(path.into_owned().into()),
        Some(Meant::Json(value)) => add_texts_of(value, markers, paths, depth + 1),
        Some(Meant::Literal(value)) => {
            value.members().for_each(|(_, member)| add_texts_of(member, markers, paths, depth + 2));
        }
        None => {
            value.elements().for_each(|element| add_texts_of(element, markers, paths, depth + 1));
            value.members().for_each(|(_, member)| add_texts_of(member, markers, paths, depth + 1));
        }
    }
}

/// Write a value with what its markers stand for; a text that is not there stays a marker. Text of
/// a file is text, whatever it looks like, so nothing can stand for itself.
pub(super) fn push_resolved<'t>(
    out: &mut Joined,
    value: Value<'_>,
    markers: &Markers,
    text: &dyn Fn(&BStr) -> Option<&'t str>,
    depth: usize,
) {
    if !may_hold_marker(value, markers, depth) {
        return out.push(value.source());
    }
    match meant(value, markers) {
        Some(Meant::Text(path)) => match text(path.as_bytes().as_bstr()) {
            Some(text) => out.push_string(text),
            None => out.push(value.source()),
        },
        Some(Meant::Json(content)) => push_resolved(out, content, markers, text, depth + 1),
        // What a record takes from a marker of a credential it may not take from a user's value.
        Some(Meant::Literal(content)) if is_credential(content, markers) => out.push(value.source()),
        Some(Meant::Literal(content)) if content.kind() == Kind::Object => {
            // Only the object itself is no marker; what it holds is written like anything else.
            out.push(b"{");
            let resolve = |out: &mut Joined, member| push_resolved(out, member, markers, text, depth + 2);
            out.push_members(content, |_| true, resolve);
            out.push(b"}");
        }
        Some(Meant::Literal(content)) => out.push(content.source()),
        None if value.kind() == Kind::Array => {
            out.push(b"[");
            for element in value.elements() {
                out.separate();
                push_resolved(out, element, markers, text, depth + 1);
            }
            out.push(b"]");
        }
        None => {
            out.push(b"{");
            out.push_members(
                value,
                |_| true,
                |out, member| push_resolved(out, member, markers, text, depth + 1),
            );
            out.push(b"}");
        }
    }
}
