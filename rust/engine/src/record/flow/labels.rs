//! What people see as the name of an input: the label that the definition of its node gives it.

use std::borrow::Cow;

use super::graph::{Node, at};
use crate::format::{DeclaredPlaces, InFile};
use crate::json::Value;

/// How deep groups of entries may nest to be looked at.
const DEPTH: usize = 8;

/// Between the label of an input and that of one inside it.
const INSIDE: &str = " › ";

/// The label of the parameter at a place of a node: by the definition of the first node that has
/// one for it; empty where none says anything of it.
///
/// The place is that of the parameters, `holder`, and the names from there on. A name for which
/// there is no label stands for itself beside one for which there is.
pub(super) fn label_of(
    format: &InFile,
    nodes: [&Node<'_>; 2],
    holder: &[Cow<'_, str>],
    names: &[&str],
) -> String {
    for node in nodes {
        for declared in format.declared.iter().filter(|declared| declared.parameters == holder) {
            let labels = labels_at(format, declared, node.value, names);
            if labels.iter().any(Option::is_some) {
                let shown = labels.iter().zip(names).map(|(label, name)| label.as_deref().unwrap_or(name));
                return shown.collect::<Vec<_>>().join(INSIDE);
            }
        }
    }
    String::new()
}

/// The label of an input that a wire feeds, likewise.
pub(super) fn label_of_input(format: &InFile, nodes: [&Node<'_>; 2], input: &str) -> String {
    let places =
        nodes.into_iter().flat_map(|node| format.declared.iter().map(move |declared| (node, declared)));
    places
        .filter_map(|(node, declared)| labels_at(format, declared, node.value, &[input]).pop().flatten())
        .map(Cow::into_owned)
        .next()
        .unwrap_or_default()
}

/// The label that an entry of a definition gives.
pub(super) fn label<'d>(declared: &DeclaredPlaces, entry: Value<'d>) -> Option<Cow<'d, str>> {
    at(entry, declared.label.as_ref()?)?.string().filter(|label| !label.trim().is_empty())
}

/// The label of each name, as far as the definition goes.
fn labels_at<'d>(
    format: &InFile,
    declared: &DeclaredPlaces,
    node: Value<'d>,
    names: &[&str],
) -> Vec<Option<Cow<'d, str>>> {
    if declared.label.is_none() {
        return Vec::new();
    }
    let mut labels = Vec::new();
    let mut list = at(node, &declared.list);
    for &name in names {
        let find = |name: &str| list.and_then(|list| entry(declared, list, name, DEPTH));
        let found = find(name);
        // A set of parameters goes by the name of the one that it is about.
        let about = || format.nested_endings.iter().find_map(|ending| find(name.strip_suffix(ending)?));
        labels.push(found.or_else(about).and_then(|entry| label(declared, entry)));
        list = found.and_then(|entry| at(entry, declared.items.as_ref()?));
    }
    labels
}

/// The entry of a name in a list of entries, or in a group of them.
pub(super) fn entry<'d>(
    declared: &DeclaredPlaces,
    list: Value<'d>,
    name: &str,
    depth: usize,
) -> Option<Value<'d>> {
    let is_named =
        |entry: &Value<'d>| at(*entry, &declared.name).is_some_and(|value| value.is_text(name.as_bytes()));
    list.elements().find(is_named).or_else(|| {
        let groups = declared.groups.as_ref().filter(|_| depth > 0)?;
        list.elements().find_map(|group| entry(declared, at(group, groups)?, name, depth - 1))
    })
}
