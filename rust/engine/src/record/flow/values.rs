//! Whether two values of a parameter mean the same, by the equivalences of a format.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::super::differences::members;
use super::credentials;
use crate::format::InFile;
use crate::json::{Document, Kind, Value};

/// How deep lists, objects and JSON text in text may nest to be compared by meaning; deeper ones
/// are compared by what they say.
const DEPTH: usize = 64;

/// What makes two values the same.
pub(super) struct Meaning<'f> {
    pub(super) format: &'f InFile,
    /// Old id → new id of the nodes whose id changed: text that names them follows.
    pub(super) renumbered: BTreeMap<String, String>,
}

/// Whether references to credentials count, where values are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum References {
    Count,
    SetAside,
    /// As before, in JSON text in text, where nothing is a marker.
    SetAsideInText,
}

impl References {
    fn in_text(self) -> Self {
        if self == Self::Count { self } else { Self::SetAsideInText }
    }
}

impl Meaning<'_> {
    /// Whether a value means that the parameter is not set.
    pub(super) fn is_unset(&self, value: Value<'_>) -> bool {
        self.format.unset.iter().any(|unset| unset.as_bytes() == value.source())
    }

    pub(super) fn same(&self, old: Value<'_>, new: Value<'_>) -> bool {
        self.equivalent(old, new, References::Count, 0)
    }

    /// Whether two values mean the same, whatever credentials they refer to.
    pub(super) fn same_but_for_credentials(&self, old: Value<'_>, new: Value<'_>) -> bool {
        self.equivalent(old, new, References::SetAside, 0)
    }

    fn equivalent(&self, old: Value<'_>, new: Value<'_>, references: References, depth: usize) -> bool {
        if old.same(&new) {
            return true;
        }
        if depth > DEPTH {
            return false;
        }
        let below = |old: Value<'_>, new: Value<'_>| self.equivalent(old, new, references, depth + 1);
        let in_text =
            |old: Value<'_>, new: Value<'_>| self.equivalent(old, new, references.in_text(), depth + 1);
        match (old.kind(), new.kind()) {
            (Kind::String, Kind::String) => {
                let (Some(a), Some(b)) = (old.string(), new.string()) else { return false };
                let a = self.renamed(a);
                a == b
                    || (self.format.paragraph_markup && same_without_paragraphs(&a, &b))
                    || (self.format.json_text && both_containers(&a, &b, in_text))
            }
            (Kind::String, _) => self.as_json_text(old, |old| in_text(old, new)),
            (_, Kind::String) => self.as_json_text(new, |new| in_text(old, new)),
            (Kind::Array, Kind::Array) => {
                let (mut a, mut b) = (old.elements(), new.elements());
                loop {
                    match (a.next(), b.next()) {
                        (None, None) => return true,
                        (Some(a), Some(b)) if below(a, b) => {}
                        _ => return false,
                    }
                }
            }
            (Kind::Object, Kind::Object) => {
                let aside = self.format.credentials.as_ref().filter(|_| references != References::Count);
                let marked = aside.filter(|_| references == References::SetAside);
                if let Some(places) = marked {
                    if credentials::is_literal(places, old) || credentials::is_literal(places, new) {
                        return self.same(old, new);
                    }
                    if credentials::is_marker(places, old) && credentials::is_marker(places, new) {
                        return true;
                    }
                }
                members(Some(old), Some(new)).into_iter().all(|(name, a, b)| {
                    let is_named = |places| credentials::is_name(self.format, places, &name);
                    let is_marker = |places| {
                        matches!((a, b), (Some(only), None) | (None, Some(only))
                            if credentials::is_marker(places, only))
                    };
                    match (a, b) {
                        (Some(a), Some(b)) if below(a, b) || (self.is_unset(a) && self.is_unset(b)) => true,
                        (Some(only), None) | (None, Some(only)) if self.is_unset(only) => true,
                        _ => aside.is_some_and(is_named) || marked.is_some_and(is_marker),
                    }
                })
            }
            _ => false,
        }
    }

    /// Whether a string holds JSON text of something else than a string, for which `test` holds.
    fn as_json_text(&self, value: Value<'_>, test: impl FnOnce(Value<'_>) -> bool) -> bool {
        self.format.json_text
            && value
                .string_bytes()
                .and_then(|text| Document::parse(text.trim_ascii().to_vec()).ok())
                .is_some_and(|document| document.root().kind() != Kind::String && test(document.root()))
    }

    /// Old text, with the nodes it names by the ids they have now.
    fn renamed<'t>(&self, text: Cow<'t, str>) -> Cow<'t, str> {
        let Some(mention) = self.format.mention.as_ref().filter(|_| !self.renumbered.is_empty()) else {
            return text;
        };
        let mut out = String::with_capacity(text.len());
        let mut rest = &*text;
        while let Some(at) = rest.find(&mention.before) {
            let inside = at + mention.before.len();
            let inside = inside + (rest[inside..].len() - rest[inside..].trim_start().len());
            out.push_str(&rest[..inside]);
            rest = &rest[inside..];
            let is_id = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-';
            let id = &rest[..rest.find(|letter| !is_id(letter)).unwrap_or(rest.len())];
            out.push_str(self.renumbered.get(id).map_or(id, String::as_str));
            rest = &rest[id.len()..];
        }
        out.push_str(rest);
        Cow::Owned(out)
    }
}

/// Whether two values are the same but for texts that start with a node's id, as those of its
/// anchors do: `chain_0-input-model-Model`.
pub(super) fn same_but_for_id(old: Value<'_>, new: Value<'_>, old_id: &str, new_id: &str) -> bool {
    match (old.kind(), new.kind()) {
        (Kind::String, Kind::String) => {
            let (Some(a), Some(b)) = (old.string(), new.string()) else { return false };
            a == b || a.strip_prefix(old_id).is_some_and(|rest| b.strip_prefix(new_id) == Some(rest))
        }
        (Kind::Array, Kind::Array) => {
            let (mut a, mut b) = (old.elements(), new.elements());
            loop {
                match (a.next(), b.next()) {
                    (None, None) => return true,
                    (Some(a), Some(b)) if same_but_for_id(a, b, old_id, new_id) => {}
                    _ => return false,
                }
            }
        }
        (Kind::Object, Kind::Object) => members(Some(old), Some(new))
            .into_iter()
            .all(|(_, a, b)| matches!((a, b), (Some(a), Some(b)) if same_but_for_id(a, b, old_id, new_id))),
        _ => old.same(&new),
    }
}

fn both_containers(a: &str, b: &str, test: impl FnOnce(Value<'_>, Value<'_>) -> bool) -> bool {
    let looks = |text: &str| text.trim_start().starts_with(['{', '[']);
    if !looks(a) || !looks(b) {
        return false;
    }
    match (Document::parse(a.trim().as_bytes()), Document::parse(b.trim().as_bytes())) {
        (Ok(a), Ok(b)) => test(a.root(), b.root()),
        _ => false,
    }
}

/// Whether two texts differ only in a rich-text editor's paragraphs.
fn same_without_paragraphs(a: &str, b: &str) -> bool {
    match (without_paragraphs(a), without_paragraphs(b)) {
        (None, None) => false,
        (a_plain, b_plain) => {
            lines(a_plain.as_deref().unwrap_or(a)).eq(lines(b_plain.as_deref().unwrap_or(b)))
        }
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

/// The text in an editor's paragraphs, a line each; `None` where the text is in none.
///
/// Only what editors write is undone: paragraphs, line breaks, the span around a variable and the
/// entities of escaped text. A tag such as `<instructions>` is content and stays.
fn without_paragraphs(text: &str) -> Option<String> {
    let inner = text.trim().strip_prefix("<p>")?.strip_suffix("</p>")?;
    let mut out = inner.replace("</p><p>", "\n").replace("</p>\n<p>", "\n");
    for line_break in ["<br>", "<br/>", "<br />"] {
        out = out.replace(line_break, "\n");
    }
    while let Some(start) = out.find("<span class=\"variable\"") {
        let end = start + out[start..].find('>')? + 1;
        out.replace_range(start..end, "");
        let close = start + out[start..].find("</span>")?;
        out.replace_range(close..close + "</span>".len(), "");
    }
    for (entity, letter) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&nbsp;", " "), ("&amp;", "&")]
    {
        out = out.replace(entity, letter);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_of_an_editor_are_no_content_and_tags_are() {
        for (a, b, same) in [
            ("<p>x</p>", "x", true),
            ("<p>one</p><p>two</p>", "one\n\ntwo", true),
            ("<p>a<br>b</p>", "a\nb", true),
            ("<p>a &lt; b</p>", "a < b", true),
            ("<p>Hi <span class=\"variable\" data-id=\"q\">{{ q }}</span>!</p>", "Hi {{ q }}!", true),
            ("<p>x</p>", "y", false),
            ("<instructions>x</instructions>", "x", false),
            ("<p><instructions>x</instructions></p>", "x", false),
            ("a", "a ", false),
        ] {
            assert_eq!(same_without_paragraphs(a, b), same, "{a} {b}");
            assert_eq!(same_without_paragraphs(b, a), same, "{b} {a}");
        }
    }
}
