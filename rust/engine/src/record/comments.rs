//! How the comments on nodes changed.
//!
//! Comments are told apart by id across all nodes, so neither a node's new name or id nor a move
//! to another node makes a comment another one.

use std::collections::BTreeMap;

use bstr::{BStr, BString, ByteSlice};

use super::context::Context;
use super::types::{Actor, CommentChange, CommentKind, NodeName, Side, Warning, WarningCode};
use crate::format::{CommentPlaces, Folder, Place};
use crate::json::Value;
use crate::snapshot::ReadError;

/// A comment as one version has it. Nothing is borrowed: the documents are let go of one by one.
#[derive(Debug)]
struct Comment {
    node: BString,
    author: Option<Actor>,
    resolved: bool,
    resolved_by: Option<Actor>,
    changed_nodes: Vec<String>,
    /// What else there is, by key, to tell an edit: never shown.
    rest: BTreeMap<String, Written>,
}

/// A value that is only ever compared.
#[derive(Debug)]
struct Written(crate::json::Document<'static>);

impl PartialEq for Written {
    fn eq(&self, other: &Self) -> bool {
        self.0.root().same(&other.0.root())
    }
}

/// The comments of the nodes that differ, on both sides.
#[derive(Debug, Default)]
pub(super) struct Comments {
    old: BTreeMap<String, Vec<Comment>>,
    new: BTreeMap<String, Vec<Comment>>,
}

impl Comments {
    /// Take note of a node's list of comments.
    pub(super) fn add(
        &mut self,
        side: Side,
        node: &BStr,
        list: Option<Value<'_>>,
        places: Option<&CommentPlaces>,
    ) {
        let Some(places) = places else { return };
        let comments = if side == Side::Old { &mut self.old } else { &mut self.new };
        for value in list.into_iter().flat_map(|list| list.elements()) {
            let id = text(value, &places.id).unwrap_or_default();
            comments.entry(id).or_default().push(read(node, value, places));
        }
    }

    pub(super) fn changes(
        mut self,
        context: &mut Context<'_, '_>,
        folder: &Folder,
        renumbered: &BTreeMap<&BStr, &BStr>,
    ) -> Result<Vec<CommentChange>, ReadError> {
        for (side, comments) in [(Side::Old, &self.old), (Side::New, &self.new)] {
            for (id, shared) in comments.iter().filter(|(_, shared)| shared.len() > 1) {
                context.warnings.insert(Warning {
                    side: Some(side),
                    id: id.clone(),
                    count: shared.len(),
                    reason: "comments share this id".to_owned(),
                    ..Warning::about(WarningCode::DuplicateId, folder.parent.to_str_lossy())
                });
            }
        }
        let mut ids: Vec<String> = self.old.keys().chain(self.new.keys()).cloned().collect();
        ids.sort();
        ids.dedup();
        let mut changes = Vec::new();
        for id in ids {
            let old = self.old.remove(&id).unwrap_or_default();
            let new = self.new.remove(&id).unwrap_or_default();
            // Comments that share an id are told apart by their node, then by their order.
            let mut left: Vec<Option<Comment>> = new.into_iter().map(Some).collect();
            for old in old {
                let node = renumbered.get(old.node.as_bstr()).map_or(old.node.as_bstr(), |node| node);
                let at = left
                    .iter()
                    .position(|new| new.as_ref().is_some_and(|new| new.node == node))
                    .or_else(|| left.iter().position(Option::is_some));
                let new = at.and_then(|at| left[at].take());
                changes.extend(compare(context, folder, &id, Some(&old), new.as_ref())?);
            }
            for new in left.into_iter().flatten() {
                changes.extend(compare(context, folder, &id, None, Some(&new))?);
            }
        }
        changes.sort_by(|a, b| {
            (&a.node_name, &a.node, &a.id, a.kind).cmp(&(&b.node_name, &b.node, &b.id, b.kind))
        });
        Ok(changes)
    }
}

fn compare(
    context: &mut Context<'_, '_>,
    folder: &Folder,
    id: &str,
    old: Option<&Comment>,
    new: Option<&Comment>,
) -> Result<Option<CommentChange>, ReadError> {
    let kind = match (old, new) {
        (_, None) => CommentKind::Deleted,
        // Written and resolved within one version counts as resolved.
        (None, Some(new)) if new.resolved => CommentKind::Resolved,
        (None, Some(_)) => CommentKind::Added,
        (Some(old), Some(new)) if !old.resolved && new.resolved => CommentKind::Resolved,
        (Some(old), Some(new)) if old.resolved && !new.resolved => CommentKind::Reopened,
        (Some(old), Some(new)) if old.rest != new.rest || old.author != new.author => CommentKind::Edited,
        (Some(_), Some(_)) => return Ok(None),
    };
    let (side, comment) = match (old, new) {
        (_, Some(new)) => (Side::New, new),
        (Some(old), None) => (Side::Old, old),
        (None, None) => return Ok(None),
    };
    let by = match (kind, new) {
        (CommentKind::Deleted, _) | (_, None) => None,
        (CommentKind::Resolved, Some(new)) => new.resolved_by,
        (_, Some(new)) => new.author,
    };
    let node_name = context.mentioned_name(folder, side, comment.node.as_bstr())?;
    let mut changed_nodes = Vec::new();
    if kind == CommentKind::Resolved {
        for id in &comment.changed_nodes {
            let name = context.mentioned_name(folder, side, id.as_str().into())?;
            changed_nodes.push(NodeName { id: id.clone(), name });
        }
    }
    let node = comment.node.to_str_lossy().into_owned();
    Ok(Some(CommentChange { kind, id: id.to_owned(), node, node_name, by, changed_nodes }))
}

fn read(node: &BStr, value: Value<'_>, places: &CommentPlaces) -> Comment {
    let resolved = text(value, &places.state).is_some_and(|state| state == places.resolved);
    let known = [&places.id, &places.author, &places.state, &places.resolved_by, &places.changed_nodes];
    let rest = value
        .members()
        .filter_map(|(name, value)| {
            let name = name.string()?.into_owned();
            let is_known = known.iter().any(|place| place.first() == Some(&name));
            let copy = || crate::json::Document::parse(value.source().to_vec()).ok();
            if is_known { None } else { Some((name, Written(copy()?))) }
        })
        .collect();
    Comment {
        node: node.to_owned(),
        author: actor(value, &places.author),
        resolved,
        resolved_by: actor(value, &places.resolved_by),
        changed_nodes: at(value, &places.changed_nodes)
            .into_iter()
            .flat_map(|list| list.elements())
            .filter_map(|id| id.string().map(std::borrow::Cow::into_owned))
            .collect(),
        rest,
    }
}

fn at<'d>(value: Value<'d>, place: &Place) -> Option<Value<'d>> {
    value.at_place(place.iter().map(String::as_str))
}

fn text(value: Value<'_>, place: &Place) -> Option<String> {
    at(value, place)?.string().map(std::borrow::Cow::into_owned)
}

fn actor(value: Value<'_>, place: &Place) -> Option<Actor> {
    match &*text(value, place)? {
        "agent" => Some(Actor::Agent),
        "user" => Some(Actor::User),
        _ => None,
    }
}
