//! Which credentials a node refers to, and what changed of that.
//!
//! A reference often stands at several places: that of a node in its data and among its inputs.
//! The names of such parameters are aliases of one, so what stands under them, in one set of
//! parameters, is one fact. A record has at most the name of a credential, where a file gives it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use bstr::{BStr, ByteSlice};

use super::super::differences::members;
use super::super::types::{CredentialChange, EditKind};
use super::graph::{Node, at};
use super::labels;
use super::parameters::is_identifier;
use super::values::Meaning;
use crate::format::{CredentialPlaces, InFile};
use crate::json::{Document, Kind, Value};

/// How deep in a parameter references are looked for.
const DEPTH: usize = 64;

/// What a reference says of a credential.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Reference {
    /// Empty where it is not known.
    name: String,
    /// What tells it from others; never shown.
    identity: Vec<u8>,
}

/// The references of one set of parameters: in a flow that is as it should be, just one.
type Fact = BTreeSet<Reference>;

/// The places in the parameters of a node, by names, with the facts there: several in a list.
type Facts = BTreeMap<Vec<String>, Vec<Fact>>;

/// The references of a node that were met on both sides, as far as something differs there.
#[derive(Default)]
pub(super) struct Found {
    /// Those of the node itself are yet to be collected.
    own: bool,
    old: Facts,
    new: Facts,
    /// The place of the parameters that something was found in.
    holder: Vec<String>,
}

impl Found {
    /// How many places differ; for one to be told from none.
    pub(super) fn len(&self) -> usize {
        usize::from(self.own) + self.old.len() + self.new.len()
    }

    /// Note that a reference of the node itself differs.
    pub(super) fn note_own(&mut self) {
        self.own = true;
    }

    /// Collect what the values of a parameter refer to; whether that differs.
    pub(super) fn collect(
        &mut self,
        meaning: &Meaning<'_>,
        holder: &[Cow<'_, str>],
        names: &[&str],
        old: Option<Value<'_>>,
        new: Option<Value<'_>>,
    ) -> bool {
        let Some(places) = &meaning.format.credentials else { return false };
        let mut sides = (Facts::new(), Facts::new());
        for (value, facts) in [(old, &mut sides.0), (new, &mut sides.1)] {
            if let Some(value) = value.filter(|value| may_refer(meaning.format, places, *value)) {
                let mut names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
                collect(meaning, places, value, &mut names, facts, 0);
            }
        }
        let (old, new) = sides;
        // The same ones in another order are another list, and no other credentials.
        if in_any_order(&old) == in_any_order(&new) {
            return false;
        }
        self.holder = holder.iter().map(|step| step.clone().into_owned()).collect();
        self.old.extend(old);
        self.new.extend(new);
        true
    }

    /// Collect what is one reference, whatever it is named.
    pub(super) fn collect_one(
        &mut self,
        meaning: &Meaning<'_>,
        holder: &[Cow<'_, str>],
        names: &[&str],
        old: Option<Value<'_>>,
        new: Option<Value<'_>>,
    ) {
        let Some(places) = &meaning.format.credentials else { return };
        self.holder = holder.iter().map(|step| step.clone().into_owned()).collect();
        for (value, facts) in [(old, &mut self.old), (new, &mut self.new)] {
            if let Some(value) = value.filter(|value| !meaning.is_unset(*value)) {
                let names = names.iter().map(|name| (*name).to_owned()).collect();
                facts.entry(names).or_default().push(Fact::from([reference(places, value)]));
            }
        }
    }

    /// What changed, sorted by place; labels are those of the newer definition, or of the older.
    pub(super) fn changes(
        self,
        meaning: &Meaning<'_>,
        old: &Node<'_>,
        new: &Node<'_>,
    ) -> Vec<CredentialChange> {
        let Self { own, old: mut before, new: mut after, holder } = self;
        if let Some(places) = meaning.format.credentials.as_ref().filter(|_| own) {
            for (node, facts) in [(old, &mut before), (new, &mut after)] {
                let values = places.own.iter().filter_map(|place| at(node.value, place));
                let set = values.filter(|value| !meaning.is_unset(*value));
                let fact: Fact = set.map(|value| reference(places, value)).collect();
                if !fact.is_empty() {
                    facts.entry(Vec::new()).or_default().push(fact);
                }
            }
        }
        let holder: Vec<Cow<'_, str>> = holder.into_iter().map(Cow::Owned).collect();
        let places: BTreeSet<&Vec<String>> = before.keys().chain(after.keys()).collect();
        let mut changes = Vec::new();
        for place in places {
            let facts = |side: &Facts| side.get(place).cloned().unwrap_or_default();
            let (mut gone, mut came) = (facts(&before), facts(&after));
            gone.retain(|fact| match came.iter().position(|other| other == fact) {
                Some(at) => {
                    came.remove(at);
                    false
                }
                None => true,
            });
            if gone.is_empty() && came.is_empty() {
                continue;
            }
            let names: Vec<&str> = place.iter().map(String::as_str).collect();
            let label = labels::label_of(meaning.format, [new, old], &holder, &names);
            for index in 0..gone.len().max(came.len()) {
                let (was, is) = (gone.get(index), came.get(index));
                changes.push(CredentialChange {
                    kind: EditKind::of(was.is_some(), is.is_some()),
                    input: names.join("."),
                    label: label.clone(),
                    old_name: name_of(was, is),
                    new_name: name_of(is, was),
                });
            }
        }
        changes
    }
}

fn in_any_order(facts: &Facts) -> Facts {
    let mut facts = facts.clone();
    for facts in facts.values_mut() {
        facts.sort();
    }
    facts
}

/// The name of what a fact refers to, and the other one does not.
fn name_of(fact: Option<&Fact>, other: Option<&Fact>) -> String {
    let Some(fact) = fact else { return String::new() };
    let own = fact.iter().find(|reference| !other.is_some_and(|other| other.contains(*reference)));
    own.or_else(|| fact.first()).map(|reference| reference.name.clone()).unwrap_or_default()
}

/// Whether a parameter of this name refers to a credential, by its name alone.
pub(super) fn is_name(format: &InFile, places: &CredentialPlaces, name: &str) -> bool {
    format.aliases.get(name).map_or(name, String::as_str) == places.parameter
}

/// What a marker of a credential says of it.
fn marked<'d>(places: &CredentialPlaces, value: Value<'d>) -> Option<Value<'d>> {
    let key = places.marker.as_ref().filter(|_| value.kind() == Kind::Object)?;
    let mut members = value.members();
    match (members.next(), members.next()) {
        (Some((name, content)), None) if name.is_text(key.as_bytes()) => Some(content),
        _ => None,
    }
}

pub(super) fn is_marker(places: &CredentialPlaces, value: Value<'_>) -> bool {
    marked(places, value).is_some()
}

/// Whether an object is a user's own that only looks like a marker.
pub(super) fn is_literal(places: &CredentialPlaces, value: Value<'_>) -> bool {
    let mut members = value.members();
    let only = members.next().filter(|_| members.next().is_none());
    matches!((&places.literal, only), (Some(key), Some((name, _))) if name.is_text(key.as_bytes()))
}

fn reference(places: &CredentialPlaces, value: Value<'_>) -> Reference {
    let Some(content) = marked(places, value) else {
        return Reference {
            name: String::new(),
            identity: value.string_bytes().unwrap_or(Cow::Borrowed(value.source())).into_owned(),
        };
    };
    let name = places.marked_name.as_ref().and_then(|place| at(content, place)?.string());
    let mut identity = Vec::new();
    if content.kind() != Kind::Object {
        identity.extend_from_slice(content.source());
    }
    for (name, _, value) in members(None, Some(content)) {
        identity.extend_from_slice(name.as_bytes());
        identity.push(0);
        identity.extend_from_slice(value.map_or(&b""[..], |value| value.source()));
        identity.push(0);
    }
    Reference { name: name.map(Cow::into_owned).unwrap_or_default(), identity }
}

/// Whether the text of a string, as it is written, may be that of an object or a list.
fn looks_like_json(text: &[u8]) -> bool {
    matches!(text.trim_ascii_start().first(), Some(b'{' | b'[' | b'\\'))
}

/// Whether a value may hold a reference; most hold none.
fn may_refer(format: &InFile, places: &CredentialPlaces, value: Value<'_>) -> bool {
    let text = value.raw();
    let may_hold_any = match value.kind() {
        Kind::Object | Kind::Array => true,
        Kind::String => format.json_text && looks_like_json(text),
        _ => false,
    };
    let aliases =
        format.aliases.iter().filter(|(_, name)| **name == places.parameter).map(|(alias, _)| alias);
    let is_there = |name: &String| text.find(name.as_bytes()).is_some();
    may_hold_any
        && (text.find(b"\\u").is_some()
            || aliases.chain([&places.parameter]).chain(&places.marker).any(is_there))
}

/// Add the references in a value, at any depth; what is a reference itself is for the caller.
fn collect(
    meaning: &Meaning<'_>,
    places: &CredentialPlaces,
    value: Value<'_>,
    names: &mut Vec<String>,
    facts: &mut Facts,
    depth: usize,
) {
    if depth > DEPTH {
        return;
    }
    match value.kind() {
        Kind::String if meaning.format.json_text => {
            let parsed = value.string_bytes().filter(|text| {
                text.trim_ascii_start().starts_with(b"{") || text.trim_ascii_start().starts_with(b"[")
            });
            if let Some(document) = parsed.and_then(|text| Document::parse(text.into_owned()).ok()) {
                // What a user typed is no marker.
                let unmarked = CredentialPlaces { marker: None, literal: None, ..places.clone() };
                collect(meaning, &unmarked, document.root(), names, facts, depth + 1);
            }
        }
        Kind::Array => {
            for element in value.elements() {
                if is_marker(places, element) {
                    facts.entry(names.clone()).or_default().push(Fact::from([reference(places, element)]));
                } else {
                    collect(meaning, places, element, names, facts, depth + 1);
                }
            }
        }
        Kind::Object if !is_literal(places, value) => {
            let mut fact = Fact::new();
            for (name, _, member) in members(None, Some(value)) {
                let Some(member) = member.filter(|member| !meaning.is_unset(*member)) else { continue };
                if is_name(meaning.format, places, &name) {
                    fact.insert(reference(places, member));
                    continue;
                }
                // Other keys may be what someone typed.
                let is_told = is_identifier(&name)
                    && meaning.format.nested.iter().any(|pattern| pattern.matches(BStr::new(&*name)));
                if is_told {
                    names.push(name.into_owned());
                }
                if is_marker(places, member) {
                    facts.entry(names.clone()).or_default().push(Fact::from([reference(places, member)]));
                } else {
                    collect(meaning, places, member, names, facts, depth + 1);
                }
                if is_told {
                    names.pop();
                }
            }
            if !fact.is_empty() {
                facts.entry(names.clone()).or_default().push(fact);
            }
        }
        _ => {}
    }
}
