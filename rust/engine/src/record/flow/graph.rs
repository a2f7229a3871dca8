//! Flows in a JSON document: where they are, their nodes and their edges.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::format::{EdgePlaces, HandlePlace, InFile, Place};
use crate::json::{Document, Kind, Value};

/// A flow in a document.
pub(crate) struct Flow<'d> {
    /// Where in the document its holder is, as a JSON pointer.
    pub(super) pointer: String,
    /// The object that has its id, name and settings.
    pub(super) holder: Value<'d>,
    graph: Graph<'d>,
}

enum Graph<'d> {
    Value(Value<'d>),
    /// The graph is JSON text in a string of the document.
    Text(Box<Document<'static>>),
}

impl Flow<'_> {
    /// Whether holder and graph are one object.
    pub(super) fn is_export(&self) -> bool {
        matches!(&self.graph, Graph::Value(value) if value.is(&self.holder))
    }

    pub(super) fn graph(&self) -> Value<'_> {
        match &self.graph {
            Graph::Value(value) => *value,
            Graph::Text(document) => document.root(),
        }
    }
}

pub(super) fn at<'d>(value: Value<'d>, place: &Place) -> Option<Value<'d>> {
    value.at_place(place.iter().map(String::as_str))
}

fn text_at<'d>(value: Value<'d>, place: &Place) -> Option<Cow<'d, str>> {
    at(value, place)?.string()
}

/// The flows of a document, in its order; none where it is something else.
pub(crate) fn flows_in<'d>(root: Value<'d>, format: &InFile) -> Vec<Flow<'d>> {
    for (holder, graph) in &format.flows {
        let mut found = Vec::new();
        walk(root, holder, &mut String::new(), &mut |pointer, holder| {
            let Some(value) = at(holder, graph) else { return };
            let graph = match value.string_bytes() {
                None => Graph::Value(value),
                Some(text) => match Document::parse(text.into_owned()) {
                    Ok(document) => Graph::Text(Box::new(document)),
                    Err(_) => return,
                },
            };
            let flow = Flow { pointer: pointer.to_owned(), holder, graph };
            let is_list = |place| at(flow.graph(), place).is_some_and(|list| list.kind() == Kind::Array);
            if is_list(&format.nodes) && is_list(&format.edges) {
                found.push(flow);
            }
        });
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

/// Visit every value at a place that may have `*` steps. As deep as the place is long.
fn walk<'d>(
    value: Value<'d>,
    place: &[String],
    pointer: &mut String,
    visit: &mut dyn FnMut(&str, Value<'d>),
) {
    let Some((step, rest)) = place.split_first() else {
        visit(pointer, value);
        return;
    };
    let length = pointer.len();
    let mut enter = |name: &str, value| {
        pointer.push('/');
        pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
        walk(value, rest, pointer, visit);
        pointer.truncate(length);
    };
    if step == "*" {
        for (index, element) in value.elements().enumerate() {
            enter(&index.to_string(), element);
        }
        for (name, member) in value.members() {
            enter(&name.string().unwrap_or_default(), member);
        }
    } else if let Some(member) = value.at_place([step.as_str()]) {
        enter(step, member);
    }
}

/// A node of one version.
pub(super) struct Node<'d> {
    pub(super) value: Value<'d>,
    pub(super) id: Cow<'d, str>,
    pub(super) name: Cow<'d, str>,
    pub(super) component: Cow<'d, str>,
}

/// An edge by its ends.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Wire<'d> {
    pub(super) target: Cow<'d, str>,
    pub(super) input: Cow<'d, str>,
    pub(super) source: Cow<'d, str>,
    pub(super) output: Cow<'d, str>,
}

/// A flow of one version, taken apart.
pub(super) struct Parts<'d> {
    pub(super) nodes: Vec<Node<'d>>,
    /// Sorted by target, each once.
    pub(super) wires: Vec<Wire<'d>>,
    /// The nodes of an id, in the order of the file.
    pub(super) by_id: BTreeMap<Cow<'d, str>, Vec<usize>>,
}

impl<'d> Parts<'d> {
    pub(super) fn read(graph: Value<'d>, format: &InFile) -> Self {
        let list = |place| at(graph, place).into_iter().flat_map(|list| list.elements());
        let mut nodes = Vec::new();
        let mut by_id: BTreeMap<Cow<'d, str>, Vec<usize>> = BTreeMap::new();
        for value in list(&format.nodes) {
            let id = text_at(value, &format.id).unwrap_or_default();
            let component = format.component.as_ref().and_then(|place| text_at(value, place));
            let component = component.unwrap_or_default();
            let name = text_at(value, &format.name)
                .filter(|name| !name.trim().is_empty())
                .or_else(|| Some(component.clone()).filter(|component| !component.is_empty()))
                .unwrap_or_else(|| id.clone());
            by_id.entry(id.clone()).or_default().push(nodes.len());
            nodes.push(Node { value, id, name, component });
        }
        let mut wires: Vec<_> = list(&format.edges).filter_map(|edge| wire(edge, &format.edge)).collect();
        wires.sort();
        wires.dedup();
        Self { nodes, wires, by_id }
    }

    /// The name of the node with this id, or the id.
    pub(super) fn name_of(&self, id: &str) -> String {
        self.by_id
            .get(id)
            .map_or_else(|| id.to_owned(), |nodes| self.nodes[nodes[0]].name.clone().into_owned())
    }

    /// The wires into a node. Of nodes that share an id, the first has them.
    pub(super) fn wires_into<'s>(&'s self, id: &'s str) -> impl Iterator<Item = &'s Wire<'d>> {
        let start = self.wires.partition_point(|wire| *wire.target < *id);
        self.wires[start..].iter().take_while(move |wire| wire.target == id)
    }

    /// Whether the definition of the node with this id has an output of this name.
    pub(super) fn has_output(&self, id: &str, output: &str, format: &InFile) -> bool {
        let (Some(places), Some(nodes)) = (&format.outputs, self.by_id.get(id)) else { return false };
        let list = |value, place| at(value, place).into_iter().flat_map(|list| list.elements());
        let is_named = |entry| at(entry, &places.name).is_some_and(|name| name.is_text(output.as_bytes()));
        list(self.nodes[nodes[0]].value, &places.list).any(|entry| {
            is_named(entry) || places.options.as_ref().is_some_and(|place| list(entry, place).any(is_named))
        })
    }

    pub(super) fn has_wire(&self, source: &str, target: &str) -> bool {
        self.wires_into(target).any(|wire| wire.source == source)
    }
}

fn wire<'d>(edge: Value<'d>, places: &EdgePlaces) -> Option<Wire<'d>> {
    let handle =
        |place: Option<&HandlePlace>| place.map_or(Cow::Borrowed(""), |place| handle_name(edge, place));
    Some(Wire {
        source: text_at(edge, &places.source)?,
        target: text_at(edge, &places.target)?,
        output: handle(places.output.as_ref()),
        input: handle(places.input.as_ref()),
    })
}

/// The name in a handle, which holds more: `chain_0-input-model-BaseChatModel` names `model`.
fn handle_name<'d>(edge: Value<'d>, place: &HandlePlace) -> Cow<'d, str> {
    let Some(text) = text_at(edge, &place.place) else { return Cow::Borrowed("") };
    let cut = |text: &str| -> Option<(usize, usize)> {
        let start = text.find(&place.after)? + place.after.len();
        let length = if place.until.is_empty() { None } else { text[start..].find(&place.until) };
        Some((start, length.map_or(text.len(), |length| start + length)))
    };
    match (cut(&text), text) {
        (None, _) => Cow::Borrowed(""),
        (Some((start, end)), Cow::Borrowed(text)) => Cow::Borrowed(&text[start..end]),
        (Some((start, end)), Cow::Owned(text)) => Cow::Owned(text[start..end].to_owned()),
    }
}
