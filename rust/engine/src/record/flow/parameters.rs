//! How the parameters of a node in a flow changed.

use std::borrow::Cow;
use std::cell::OnceCell;

use bstr::BStr;

use super::super::differences::{Difference, members};
use super::super::types::{ParameterChange, ParameterChangeKind, Side};
use super::credentials::{self, Found};
use super::graph::{Node, Parts, at};
use super::labels::{self, label_of};
use super::values::Meaning;
use crate::format::{DeclaredPlaces, InFile};
use crate::json::{Document, Kind, Value};

/// One side of a comparison of nodes.
#[derive(Clone, Copy)]
pub(super) struct Place<'s, 'd> {
    pub(super) node: &'s Node<'d>,
    pub(super) parts: &'s Parts<'d>,
}

/// What changed of the parameters of a node, while it is collected.
pub(super) struct Changes {
    pub(super) parameters: Vec<ParameterChange>,
    pub(super) credentials: Found,
    /// Whether labels are looked up: there are none where nodes are only told apart.
    labels: Labels,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Labels {
    LookedUp,
    LeftOut,
}

impl Changes {
    pub(super) fn new(labels: Labels) -> Self {
        Self { parameters: Vec::new(), credentials: Found::default(), labels }
    }

    pub(super) fn len(&self) -> usize {
        self.parameters.len() + self.credentials.len()
    }
}

/// The entry of a definition, and how it is to be read.
type Entry<'p> = (Value<'p>, &'p DeclaredPlaces);

/// A parameter that differs, on both sides, and where it is.
struct Parameter<'p> {
    meaning: &'p Meaning<'p>,
    old: Place<'p, 'p>,
    new: Place<'p, 'p>,
    /// Where the parameters are.
    holder: &'p [Cow<'p, str>],
    name: &'p str,
    /// The name that it goes by.
    shown: &'p str,
    /// What the old and the new definition say of it. Lists of entries are long, and several
    /// questions are asked of one.
    entries: [OnceCell<Option<Entry<'p>>>; 2],
}

impl<'p> Parameter<'p> {
    fn entry(&self, side: Side) -> Option<Entry<'p>> {
        let of = |node| entry_of(self.meaning.format, node, self.holder, self.name);
        match side {
            Side::Old => *self.entries[0].get_or_init(|| of(self.old.node)),
            Side::New => *self.entries[1].get_or_init(|| {
                if self.has_same_definition() { self.entry(Side::Old) } else { of(self.new.node) }
            }),
        }
    }

    /// Whether both definitions are written alike, as they nearly always are.
    fn has_same_definition(&self) -> bool {
        let is_about = |declared: &&DeclaredPlaces| self.holder == declared.parameters;
        self.meaning.format.declared.iter().filter(is_about).all(|declared| {
            let list = |side: Place<'p, 'p>| at(side.node.value, &declared.list);
            match (list(self.old), list(self.new)) {
                (Some(old), Some(new)) => old.source() == new.source(),
                (old, new) => old.is_none() && new.is_none(),
            }
        })
    }

    fn default(&self, side: Side) -> Option<Value<'p>> {
        let (entry, declared) = self.entry(side)?;
        at(entry, &declared.default)
    }

    fn label(&self, inner: Option<&str>) -> String {
        let format = self.meaning.format;
        let of = |side| self.entry(side).and_then(|(entry, declared)| labels::label(declared, entry));
        match inner {
            Some(inner) => label_of(format, [self.new.node, self.old.node], self.holder, &[self.name, inner]),
            None => of(Side::New).map_or_else(
                || label_of(format, [self.new.node, self.old.node], self.holder, &[self.name]),
                Cow::into_owned,
            ),
        }
    }

    fn push(&self, changes: &mut Changes, name: String, kind: ParameterChangeKind, inner: Option<&str>) {
        let is_wanted = changes.labels == Labels::LookedUp;
        let label = if is_wanted { self.label(inner) } else { String::new() };
        changes.parameters.push(ParameterChange { name, kind, label });
    }
}

/// What a difference of a parameter amounts to; nothing where both sides mean the same.
pub(super) fn describe<'p>(
    meaning: &'p Meaning<'p>,
    old: Place<'p, 'p>,
    new: Place<'p, 'p>,
    difference: &Difference<'_, '_>,
    changes: &mut Changes,
) {
    let format = meaning.format;
    let Some((name, holder)) = difference.place.split_last() else { return };
    let shown = format.aliases.get(&**name).map_or(&**name, String::as_str);
    let parameter = Parameter { meaning, old, new, holder, name, shown, entries: Default::default() };
    if describe_credential(&parameter, difference, changes) {
        return;
    }
    if format.nested.iter().any(|pattern| pattern.matches(BStr::new(&**name)))
        && describe_nested(&parameter, difference, changes)
    {
        return;
    }
    let set = |side: Place<'_, '_>, value: Option<Value<'_>>| {
        value.is_some_and(|value| !meaning.is_unset(value) && !repeats_edge(format, side, value))
    };
    let (was_set, is_set) = (set(old, difference.old), set(new, difference.new));
    let is_default = |value: Option<Value<'_>>| {
        let is = |side| {
            parameter
                .default(side)
                .is_some_and(|default| value.is_some_and(|value| meaning.same(value, default)))
        };
        (is(Side::Old), is(Side::New))
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
    let refers = changes.credentials.collect(meaning, holder, &[name], difference.old, difference.new);
    if refers
        && let (Some(a), Some(b)) = (difference.old, difference.new)
        && meaning.same_but_for_credentials(a, b)
    {
        return;
    }
    parameter.push(changes, shown.to_owned(), kind, None);
}

/// A parameter that refers to a credential: by its name, by what stands there, or by the type that
/// the definition gives it.
fn describe_credential(
    parameter: &Parameter<'_>,
    difference: &Difference<'_, '_>,
    changes: &mut Changes,
) -> bool {
    let Parameter { meaning, holder, name, shown, .. } = parameter;
    let (meaning, shown) = (*meaning, *shown);
    let Some(places) = &meaning.format.credentials else { return false };
    let is_set = |value: &Value<'_>| !meaning.is_unset(*value);
    let (old, new) = (difference.old.filter(is_set), difference.new.filter(is_set));
    let is_own = shown == places.parameter;
    let is_marker =
        |value: Option<Value<'_>>| value.is_some_and(|value| credentials::is_marker(places, value));
    let is_declared = |side| {
        let Some((place, kind)) = &places.declared else { return false };
        parameter
            .entry(side)
            .is_some_and(|(entry, _)| at(entry, place).is_some_and(|value| value.is_text(kind.as_bytes())))
    };
    if !(is_own || is_marker(old) || is_marker(new) || is_declared(Side::New) || is_declared(Side::Old)) {
        return false;
    }
    let is_same = match (old, new) {
        (Some(old), Some(new)) => old.same(&new),
        (old, new) => old.is_none() && new.is_none(),
    };
    if is_same {
        return true;
    }
    if is_own {
        changes.credentials.note_own();
    } else {
        changes.credentials.collect_one(meaning, holder, &[name], old, new);
    }
    true
}

/// A parameter that holds a set of its own is described by what differs in it.
fn describe_nested(
    parameter: &Parameter<'_>,
    difference: &Difference<'_, '_>,
    changes: &mut Changes,
) -> bool {
    let Parameter { meaning, holder, name, shown, .. } = parameter;
    let (meaning, shown) = (*meaning, *shown);
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
    let refers = changes.credentials.collect(meaning, holder, &[name], difference.old, difference.new);
    let is_text = old_text.is_some() || new_text.is_some();
    for (member, old, new) in members(old, new) {
        let set = |value: &Value<'_>| !meaning.is_unset(*value);
        let (old, new) = (old.filter(set), new.filter(set));
        if let Some(places) = &meaning.format.credentials {
            let is_no_marker = |value: Value<'_>| is_text || !credentials::is_marker(places, value);
            let has_value = old.is_some_and(is_no_marker) || new.is_some_and(is_no_marker);
            if !has_value || credentials::is_name(meaning.format, places, &member) {
                continue;
            }
        }
        let kind = match (old, new) {
            (None, None) => continue,
            (None, Some(_)) => ParameterChangeKind::Added,
            (Some(_), None) => ParameterChangeKind::Removed,
            (Some(old), Some(new)) if meaning.same(old, new) => continue,
            (Some(old), Some(new)) if refers && meaning.same_but_for_credentials(old, new) => continue,
            (Some(_), Some(_)) => ParameterChangeKind::Edited,
        };
        let inner = meaning.format.aliases.get(&*member).map_or(&*member, String::as_str);
        // Names that a component gives are identifiers; anything else may be what a user typed.
        if is_identifier(inner) {
            parameter.push(changes, format!("{shown}.{inner}"), kind, Some(&member));
        } else {
            parameter.push(changes, shown.to_owned(), kind, None);
        }
    }
    true
}

pub(super) fn is_identifier(name: &str) -> bool {
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

/// The entry that a node's definition has for a parameter, and how it is to be read.
fn entry_of<'f, 'd>(
    format: &'f InFile,
    node: &Node<'d>,
    holder: &[Cow<'_, str>],
    name: &str,
) -> Option<(Value<'d>, &'f DeclaredPlaces)> {
    let is_about = |declared: &&DeclaredPlaces| holder == declared.parameters;
    format.declared.iter().filter(is_about).find_map(|declared| {
        let entry = at(node.value, &declared.list)?
            .elements()
            .find(|entry| at(*entry, &declared.name).is_some_and(|value| value.is_text(name.as_bytes())))?;
        Some((entry, declared))
    })
}

/// The default that a node's definition gives the parameter at a place.
fn default_of<'d>(format: &InFile, node: &Node<'d>, place: &[Cow<'_, str>]) -> Option<Value<'d>> {
    let (name, holder) = place.split_last()?;
    let (entry, declared) = entry_of(format, node, holder, name)?;
    at(entry, &declared.default)
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
