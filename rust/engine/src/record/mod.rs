//! The change record: what changed between two versions of a workflow.
//!
//! A record names nodes, aspects, files, parameters, inputs and settings, and never holds a value
//! of a parameter, a prompt or a line of source. It holds everything that changed; only its
//! rendering, which is not done here, shortens.

mod comments;
mod context;
mod differences;
mod documents;
mod flow;
mod folder;
mod settings;
mod types;

use std::collections::BTreeMap;

use bstr::{BStr, ByteSlice};

use crate::delta::{self, Change, RewriteOptions, Scope, pair_rewrites};
use crate::format::{Family, Format, Role};
use crate::snapshot::{ReadError, Snapshot};
use context::Context;

pub use documents::Memory;
use flow::Folders;
pub(crate) use flow::flows_in;
pub use types::*;

/// The change record of two snapshots.
///
/// `scope` limits what is looked at. `memory` speeds up the comparisons of a history and never
/// changes what they say.
///
/// # Errors
/// [`ReadError`] where a tree or a file that is needed can't be read. A file that can be read and
/// is not what the format expects is a warning of the record.
pub fn between(
    old: &dyn Snapshot,
    new: &dyn Snapshot,
    format: &Format,
    scope: &Scope,
    memory: &mut Memory,
) -> Result<ChangeRecord, ReadError> {
    let options = delta::Options { scope: scope.clone(), rewrites: None };
    let delta = delta::between(old, new, &options)?;
    of_delta(old, new, delta.changes, format, memory)
}

/// The change record of a delta without rewrites that is known already.
///
/// # Errors
/// As [`between`].
pub fn of_delta(
    old: &dyn Snapshot,
    new: &dyn Snapshot,
    changes: Vec<Change>,
    format: &Format,
    memory: &mut Memory,
) -> Result<ChangeRecord, ReadError> {
    let compiled = format.compiled();
    let mut record = ChangeRecord { format: format.name().to_owned(), ..ChangeRecord::default() };
    let mut context = Context::new(old, new, memory);
    match &compiled.family {
        Family::Folder(folder) => {
            let mut nodes: BTreeMap<&BStr, Vec<(&BStr, &Change)>> = BTreeMap::new();
            for change in &changes {
                match compiled.role(change.path.as_bstr()) {
                    Role::Ignored => {}
                    Role::NodeFile(id, file) => nodes.entry(id).or_default().push((file, change)),
                    Role::SettingsFile => {
                        settings::record_file(&mut context, &compiled.settings, change, &mut record)?;
                    }
                    Role::FlowFile | Role::FlowPart(..) | Role::Other => {
                        settings::record_other(&compiled.settings, change, &mut record);
                    }
                }
            }
            folder::record(&mut context, folder, &nodes, &mut record)?;
        }
        Family::InFile(in_file) => {
            if let Some(assembly) = &in_file.assembled {
                let mut folders = Folders::new();
                for change in &changes {
                    match compiled.role(change.path.as_bstr()) {
                        Role::Ignored | Role::NodeFile(..) | Role::FlowFile => {}
                        Role::FlowPart(folder, file) => {
                            let pair = folders.entry(folder).or_default().entry(file).or_default();
                            // A file that gave way to a directory stands in the delta twice.
                            pair.0 = change.old().map(|(_, state)| state).or(pair.0);
                            pair.1 = change.new().map(|(_, state)| state).or(pair.1);
                        }
                        Role::SettingsFile => {
                            settings::record_file(&mut context, &compiled.settings, change, &mut record)?;
                        }
                        Role::Other => settings::record_other(&compiled.settings, change, &mut record),
                    }
                }
                flow::record_folders(&mut context, in_file, assembly, &folders, &mut record)?;
                record.warnings = context.warnings.into_iter().collect();
                record.sort();
                return Ok(record);
            }
            let mut files = Vec::new();
            for change in changes {
                match compiled.role(change.path.as_bstr()) {
                    Role::Ignored | Role::NodeFile(..) | Role::FlowPart(..) => {}
                    Role::FlowFile => files.push(change),
                    Role::SettingsFile => {
                        settings::record_file(&mut context, &compiled.settings, &change, &mut record)?;
                    }
                    Role::Other => settings::record_other(&compiled.settings, &change, &mut record),
                }
            }
            let rewrites = pair_rewrites(old, new, &RewriteOptions::default(), &mut files)?;
            if rewrites.not_compared > 0 {
                context.warnings.insert(Warning {
                    count: rewrites.not_compared,
                    reason: "too many files, or too large ones, came and went to look for moved ones"
                        .to_owned(),
                    ..Warning::about(WarningCode::Limit, String::new())
                });
            }
            for change in &files {
                flow::record(&mut context, in_file, change, &mut record)?;
            }
        }
    }
    record.warnings = context.warnings.into_iter().collect();
    record.sort();
    Ok(record)
}

impl ChangeRecord {
    /// The order that the type promises; the sorts are stable, so what is equal in these keys
    /// stays in the order of the file.
    fn sort(&mut self) {
        self.flows.sort_by(|a, b| (&a.name, &a.flow, a.kind).cmp(&(&b.name, &b.flow, b.kind)));
        self.nodes.sort_by(|a, b| (&a.name, &a.id, &a.flow, a.kind).cmp(&(&b.name, &b.id, &b.flow, b.kind)));
        self.settings.sort_by(|a, b| (&a.flow, &a.name, a.kind).cmp(&(&b.flow, &b.name, b.kind)));
    }
}
