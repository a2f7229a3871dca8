//! Which changes may be seen, and which are counted only.

use bstr::{BStr, ByteSlice};

use super::Options;
use super::outcome::LeftOut;
use crate::delta::{self, Change, ChangeKind, State};
use crate::format::Format;
use crate::links;
use crate::snapshot::{Mode, ReadError, Snapshot};

/// The changes that may be seen, sorted by path, and how many may not.
pub(super) fn visible_changes(
    old: &dyn Snapshot,
    new: &dyn Snapshot,
    format: &Format,
    options: &Options,
) -> Result<(Vec<Change>, LeftOut), ReadError> {
    let delta_options = delta::Options { scope: options.scope.clone(), rewrites: None };
    let delta = delta::between(old, new, &delta_options)?;
    let mut left_out = LeftOut::default();
    let mut changes = Vec::with_capacity(delta.changes.len());
    for change in delta.changes {
        if !format.is_visible(change.path.as_bstr()) {
            left_out.not_allowed += 1;
            continue;
        }
        let Change { path, kind } = change;
        let is_submodule = |state: &State| state.mode == Mode::Submodule;
        match kind {
            ChangeKind::Addition(state) | ChangeKind::Deletion(state) if is_submodule(&state) => {
                left_out.submodules += 1;
            }
            ChangeKind::Modification { old, new } if kind_of(old.mode) != kind_of(new.mode) => {
                // As git has it: one thing went and another one came.
                left_out.submodules += usize::from(is_submodule(&old)) + usize::from(is_submodule(&new));
                if !is_submodule(&old) {
                    changes.push(Change { path: path.clone(), kind: ChangeKind::Deletion(old) });
                }
                if !is_submodule(&new) {
                    changes.push(Change { path, kind: ChangeKind::Addition(new) });
                }
            }
            ChangeKind::Modification { old, .. } if is_submodule(&old) => left_out.submodules += 1,
            kind => changes.push(Change { path, kind }),
        }
    }
    // Only now, so that a file that came from where no one may look does not tell from where.
    if let Some(rewrites) = &options.rewrites {
        delta::pair_rewrites(old, new, rewrites, &mut changes)?;
    }
    Ok((changes, left_out))
}

fn kind_of(mode: Mode) -> u8 {
    match mode {
        Mode::File | Mode::Executable => 0,
        Mode::Link => 1,
        Mode::Submodule => 2,
        Mode::Tree => 3,
    }
}

/// Whether a link at `path` leads to a path that may be seen.
pub(super) fn leads_to_visible(format: &Format, path: &BStr, target: &[u8]) -> bool {
    links::place(path, target).is_some_and(|place| format.is_visible(place.as_bstr()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_where_their_target_says() {
        let format = Format::builtin("tsugumi").expect("built in");
        let path = "definitions/a/src/link.py".into();
        for (target, visible) in [
            ("other.py", true),
            ("../../b/src/x.py", true),
            ("./deep/../other.py", true),
            ("../../../tsugumi.json", true),
            ("../../../layout.json", false),
            ("../../../../tsugumi.json", false),
            ("/etc/passwd", false),
            ("/tsugumi.json", false),
            ("../data.bin", false),
            ("", false),
        ] {
            assert_eq!(leads_to_visible(&format, path, target.as_bytes()), visible, "{target}");
        }
    }
}
