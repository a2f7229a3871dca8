//! What the tests of records share: files as snapshots, and records as short lines.

#![allow(dead_code, reason = "each test binary uses a part of it")]

pub(crate) mod bakery;

use std::borrow::Cow;
use std::fmt::Write as _;

use versiondiff_engine::delta::Scope;
use versiondiff_engine::format::Format;
use versiondiff_engine::record::{ChangeRecord, EditKind, FlowChangeKind, Memory, between};
use versiondiff_engine::snapshot::{Mapping, MappingEntry, Mode};

pub(crate) fn mapping<'a>(files: &[(&'a str, &'a str)]) -> Mapping<'a> {
    let entry = |&(path, content): &(&'a str, &'a str)| MappingEntry {
        path: Cow::Borrowed(path.into()),
        mode: Mode::File,
        content: Cow::Borrowed(content.as_bytes()),
    };
    Mapping::new(files.iter().map(entry).collect()).expect("valid paths")
}

pub(crate) fn record(format: &str, old: &[(&str, &str)], new: &[(&str, &str)]) -> ChangeRecord {
    let format = Format::builtin(format).expect("built in");
    between(&mapping(old), &mapping(new), &format, &Scope::default(), &mut Memory::default())
        .expect("in memory")
}

fn kind(kind: EditKind) -> &'static str {
    match kind {
        EditKind::Added => "added",
        EditKind::Removed => "removed",
        EditKind::Changed => "changed",
    }
}

/// A record as short lines, complete in what a test may ask for.
pub(crate) fn lines(record: &ChangeRecord) -> Vec<String> {
    let lower = |value: &dyn std::fmt::Debug| format!("{value:?}").to_lowercase();
    let mut lines = Vec::new();
    for flow in &record.flows {
        lines.push(match flow.kind {
            FlowChangeKind::Added => format!("flow added {} {} nodes", flow.name, flow.nodes),
            FlowChangeKind::Removed => format!("flow removed {} {} nodes", flow.name, flow.nodes),
            FlowChangeKind::Renamed => format!(
                "flow renamed {} from {} {}",
                flow.name,
                flow.former_name.as_deref().unwrap_or("-"),
                flow.former_flow.as_deref().unwrap_or("-")
            ),
        });
    }
    for node in &record.nodes {
        let mut line = format!("{} {}", kind(node.kind), node.name);
        if let Some(name) = &node.former_name {
            let _ = write!(line, " renamed:{name}");
        }
        if let (Some(id), Some(reason)) = (&node.former_id, node.matched_by) {
            let _ = write!(line, " id:{id}>{} ({reason:?})", node.id);
        }
        if let Some(name) = node.replaces.as_ref().or(node.replaced_by.as_ref()) {
            let _ = write!(line, " replaces:{name}");
        }
        if let Some(definition) = &node.definition {
            let _ = write!(line, " definition:{}", definition.parts.join(","));
            if !definition.new_version.is_empty() {
                let _ = write!(line, " {}>{}", definition.old_version, definition.new_version);
            }
        }
        for file in &node.source {
            let _ = write!(line, " source:{} {}", lower(&file.kind), file.path);
            if let Some(former) = &file.former_path {
                let _ = write!(line, " from {former}");
            }
        }
        for parameter in &node.parameters {
            let _ = write!(line, " parameters:{} {}", parameter.name, lower(&parameter.kind));
            if !parameter.label.is_empty() {
                let _ = write!(line, " ({})", parameter.label);
            }
        }
        for credential in &node.credentials {
            let _ = write!(line, " credential:{}", kind(credential.kind));
            for text in [&credential.input, &credential.label] {
                if !text.is_empty() {
                    let _ = write!(line, " ({text})");
                }
            }
            for (sign, name) in [("-", &credential.old_name), ("+", &credential.new_name)] {
                if !name.is_empty() {
                    let _ = write!(line, " {sign}{name}");
                }
            }
        }
        for wire in &node.wiring {
            let _ =
                write!(line, " wiring:{} {}.{}>{}", kind(wire.kind), wire.node_name, wire.output, wire.input);
            if !wire.label.is_empty() {
                let _ = write!(line, " ({})", wire.label);
            }
        }
        if node.outputs_reordered {
            line.push_str(" outputs reordered");
        }
        lines.push(line);
    }
    for setting in &record.settings {
        let mut line = format!("setting {} {}", setting.name, kind(setting.kind));
        if let Some(pin) = setting.pin {
            let _ = write!(line, " {}", lower(&pin));
        }
        lines.push(line);
    }
    for comment in &record.comments {
        let mut line = format!("comment {} {} on {}", comment.id, lower(&comment.kind), comment.node_name);
        if let Some(actor) = comment.by {
            let _ = write!(line, " by {}", lower(&actor));
        }
        if !comment.changed_nodes.is_empty() {
            let names: Vec<_> = comment.changed_nodes.iter().map(|node| node.name.as_str()).collect();
            let _ = write!(line, ": {}", names.join(" "));
        }
        lines.push(line);
    }
    for warning in &record.warnings {
        let side = warning.side.map_or(String::new(), |side| format!(" {side:?}"));
        lines.push(format!(
            "warning {:?} {}{side} {}:{} {}",
            warning.code, warning.path, warning.line, warning.column, warning.reason
        ));
    }
    lines
}
