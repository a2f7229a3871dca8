//! The extension module `versiondiff._core`: the border between Rust and Python.
//!
//! Thin on purpose. Results cross as JSON bytes, sources as they are, and every call goes through
//! the one door (`door.rs`).
//!
//! Two modules have unsafe code: `canonical/quick.rs` and `memory.rs`.

#![deny(unsafe_code)]

mod archive;
mod canonical;
mod compare;
mod door;
mod files;
mod foreign;
mod format;
mod history;
mod import;
mod memory;
mod notes;
mod package_diff;
mod package_text;
mod repository;
mod rules;
mod source;
mod text;
mod version_diff;
mod watch;

use pyo3::prelude::*;

/// Walks allocate and free a buffer for each object they read, in several threads at once: the
/// system's allocator spends a seventh of a walk's time on giving that memory back and forth.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The Rust core of versiondiff.
#[pymodule(gil_used = false)]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::archive::{PackageFiles, read_package, toml_as_json, yaml_as_json};
    #[pymodule_export]
    use super::canonical::{canonical_text, canonical_value, is_canonical};
    #[pymodule_export]
    use super::compare::{change_record, display_name, tree_delta, unseen_parts, visible_lines};
    #[pymodule_export]
    use super::door::defect;
    #[pymodule_export]
    use super::files::{commit_files, list_folder, read_each, read_files, write_commit};
    #[pymodule_export]
    use super::format::Format;
    #[pymodule_export]
    use super::history::HistoryStream;
    #[pymodule_export]
    use super::import::{adopt_history, create_repository};
    #[pymodule_export]
    use super::notes::{NoteStream, Notes, WriteLock};
    #[pymodule_export]
    use super::package_diff::{numbered_lines, package_diff};
    #[pymodule_export]
    use super::package_text::write_package;
    #[pymodule_export]
    use super::repository::{Repository, Snapshot, find_repository};
    #[pymodule_export]
    use super::rules::{Rules, holds_secret, redact, redact_each, scan};
    #[pymodule_export]
    use super::source::{contents, in_scope};
    #[pymodule_export]
    use super::version_diff::{DiffOptions, version_diff};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::door::keep_panics_quiet();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
