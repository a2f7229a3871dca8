//! How the parameters of a node in a flow changed.

use std::borrow::Cow;

use bstr::BStr;

use super::super::differences::{Difference, members};
use super::super::types::{ParameterChange, ParameterChangeKind};
use super::graph::{Node, Parts, at};
use super::values::Meaning;
use crate::format::{DeclaredPlaces, InFile};
use crate::json::{Document, Kind, Value};

/// One side of a comparison of nodes.
#[derive(Clone, Copy)]
pub(super) struct Place<'s, 'd> {
    pub(super) node: &'s Node<'d>,
    pub(super) parts: &'s Parts<'d>,
}

/// What a difference of a parameter amounts to; nothing where both sides mean the same.
pub(super) fn describe(
    meaning: &Meaning<'_>,
    old: Place<'_, '_>,
    new: Place<'_, '_>,
    difference: &Difference<'_, '_>,
    changes: &mut Vec<ParameterChange>,
) {
    let format = meaning.format;
    let name = difference.name();
    let shown = format.aliases.get(name).map_or(name, String::as_str);
    if format.nested.iter().any(|pattern| pattern.matches(BStr::new(name)))
        && describe_nested(meaning, shown, difference, changes)
    {
        return;
    }
    let set = |side: Place<'_, '_>, value: Option<Value<'_>>| {
        value.is_some_and(|value| !meaning.is_unset(value) && !repeats_edge(format, side, value))
    };
    let (was_set, is_set) = (set(old, difference.old), set(new, difference.new));
    let is_default = |value: Option<Value<'_>>| {
        let is = |side: Place<'_, '_>| {
            default_of(format, side.node, difference.place)
                .is_some_and(|default| value.is_some_and(|value| meaning.same(value, default)))
        };
        (is(old), is(new))
    };
    let kind = match (was_set, is_set) {
        (false, false) => return,
        (true, true) => {
            if let (Some(a), Some(b)) = (difference.old, difference.new)
                && meaning.same(a, b)
            {
                return;
            }
            if is_default(difference.old).0 && is_default(difference.new).1 {
                ParameterChangeKind::DefaultChanged
            } else {
                ParameterChangeKind::Edited
            }
        }
        (false, true) if is_default(difference.new) != (false, false) => ParameterChangeKind::DefaultAdded,
        (false, true) => ParameterChangeKind::Added,
        (true, false) if is_default(difference.old) != (false, false) => ParameterChangeKind::DefaultRemoved,
        (true, false) => ParameterChangeKind::Removed,
    };
    changes.push(ParameterChange { name: shown.to_owned(), kind });
}

/// A parameter that holds a set of its own is described by what differs in it.
fn describe_nested(
    meaning: &Meaning<'_>,
    name: &str,
    difference: &Difference<'_, '_>,
    changes: &mut Vec<ParameterChange>,
) -> bool {
    let text = |side: Option<Value<'_>>| {
        side.filter(|value| value.kind() == Kind::String && meaning.format.json_text)
            .and_then(|value| Document::parse(value.string_bytes()?.into_owned()).ok())
    };
    let (old_text, new_text) = (text(difference.old), text(difference.new));
    let old = old_text.as_ref().map(Document::root).or(difference.old);
    let new = new_text.as_ref().map(Document::root).or(difference.new);
    let is_object = |side: Option<Value<'_>>| side.is_some_and(|value| value.kind() == Kind::Object);
    if !is_object(old) || !is_object(new) {
        return false;
    }
    for (member, old, new) in members(old, new) {
        let set = |value: &Value<'_>| !meaning.is_unset(*value);
        let kind = match (old.filter(set), new.filter(set)) {
            (None, None) => continue,
            (None, Some(_)) => ParameterChangeKind::Added,
            (Some(_), None) => ParameterChangeKind::Removed,
            (Some(old), Some(new)) if meaning.same(old, new) => continue,
            (Some(_), Some(_)) => ParameterChangeKind::Edited,
        };
        let member = meaning.format.aliases.get(&*member).map_or(&*member, String::as_str);
        // Names that a component gives are identifiers; anything else may be what a user typed.
        let name = if is_identifier(member) { format!("{name}.{member}") } else { name.to_owned() };
        changes.push(ParameterChange { name, kind });
    }
    true
}

fn is_identifier(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// Whether a value only names nodes whose edges come in here: `{{chatOpenAI_0.data.instance}}`.
pub(super) fn repeats_edge(format: &InFile, side: Place<'_, '_>, value: Value<'_>) -> bool {
    let Some(reference) = &format.reference else { return false };
    let is_edge = |value: Value<'_>| {
        value.string().is_some_and(|text| {
            text.trim()
                .strip_prefix(&reference.before)
                .and_then(|text| text.strip_suffix(&reference.after))
                .is_some_and(|id| side.parts.has_wire(id.trim(), &side.node.id))
        })
    };
    match value.kind() {
        Kind::String => is_edge(value),
        Kind::Array => !value.is_empty() && value.elements().all(is_edge),
        _ => false,
    }
}

/// The default that a node's definition gives the parameter at a place.
fn default_of<'d>(format: &InFile, node: &Node<'d>, place: &[Cow<'_, str>]) -> Option<Value<'d>> {
    let (name, parent) = place.split_last()?;
    let is_about = |declared: &&DeclaredPlaces| parent == declared.parameters;
    format.declared.iter().filter(is_about).find_map(|declared| {
        let entry = at(node.value, &declared.list)?
            .elements()
            .find(|entry| at(*entry, &declared.name).is_some_and(|value| value.is_text(name.as_bytes())))?;
        at(entry, &declared.default)
    })
}

/// Whether a node has a parameter that someone set to something else than its default.
pub(super) fn has_content(meaning: &Meaning<'_>, side: Place<'_, '_>) -> bool {
    let format = meaning.format;
    format.declared.iter().any(|declared| {
        at(side.node.value, &declared.parameters).is_some_and(|parameters| {
            parameters.members().any(|(name, value)| {
                let mut place: Vec<Cow<'_, str>> =
                    declared.parameters.iter().map(|step| Cow::Borrowed(step.as_str())).collect();
                place.extend(name.string());
                !meaning.is_unset(value)
                    && !repeats_edge(format, side, value)
                    && !default_of(format, side.node, &place)
                        .is_some_and(|default| meaning.same(value, default))
            })
        })
    })
}

/// Whether the items of a list that positional outputs follow changed places.
pub(super) fn is_reordered(meaning: &Meaning<'_>, difference: &Difference<'_, '_>) -> bool {
    if !meaning.format.positional_outputs.iter().any(|name| name == difference.name()) {
        return false;
    }
    let text = |side: Option<Value<'_>>| {
        side.and_then(|value| Document::parse(value.string_bytes()?.into_owned()).ok())
    };
    let (old_text, new_text) = (text(difference.old), text(difference.new));
    let old = old_text.as_ref().map(Document::root).or(difference.old);
    let new = new_text.as_ref().map(Document::root).or(difference.new);
    let items = |side: Option<Value<'_>>| side.map_or(0, |list| list.elements().count());
    // Conditions are few; a list of thousands is none, and is not worth the square of its length.
    if items(old).max(items(new)) > 1_000 {
        return false;
    }
    let (Some(old), Some(new)) = (old, new) else { return false };
    let (old, new): (Vec<_>, Vec<_>) = (old.elements().collect(), new.elements().collect());
    // Seen from both sides, so that an item that stands twice is no move.
    let stays = |at: usize| matches!((old.get(at), new.get(at)), (Some(a), Some(b)) if meaning.same(*a, *b));
    let moves = |at: usize, is_elsewhere: &dyn Fn() -> bool| !stays(at) && is_elsewhere();
    (0..old.len()).any(|at| moves(at, &|| new.iter().any(|there| meaning.same(old[at], *there))))
        && (0..new.len()).any(|at| moves(at, &|| old.iter().any(|there| meaning.same(*there, new[at]))))
}
