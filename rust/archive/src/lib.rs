//! The archives that packages come in, read into memory: nothing is ever written to disk.
//!
//! An archive is made by anyone, so nothing it says is believed before it is counted: sizes are
//! checked against [`Limits`] before memory is asked for, names are judged before they become
//! paths, and where two readers could see two different things in the same bytes the entry carries
//! a [`Flag`] or the archive a [`Reason`]. Every entry is listed; those that a tree of files can
//! hold are in [`Package::mapping`].
//!
//! | module | what it holds |
//! | --- | --- |
//! | `compression` | gzip, bzip2, xz and zstd as readers; several streams one after another |
//! | `tar` | ustar, PAX and GNU headers |
//! | `zip` | central and local headers, and what lies between them |
//! | `gem` | the archives within a gem |
//! | `names` | what is wrong with a name or the target of a link |
//! | `settle` | the kind of a package, its levelled paths, and which entries are compared |
//! | `toml` | manifests as JSON |
//! | `wire` | the listing as JSON |
//! | `yaml` | a gem's metadata as JSON |
//!
//! The crate has its own readers of tar and zip headers. Those on crates.io make the best of an
//! archive: they merge extended headers, look for one of several end records and leave the local
//! headers unread. What they smooth over is what has to be shown here. The decoders are libraries.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod bytes;
mod compression;
mod entry;
mod error;
mod gem;
mod limits;
mod names;
mod package;
mod settle;
mod tar;
mod toml;
mod wire;
mod yaml;
mod zip;

pub use self::toml::toml_to_json;
pub use entry::{Entry, EntryKind, Flag};
pub use error::{Error, Place};
pub use limits::{Limit, Limits};
pub use package::{Kind, Package, Reason, ReasonKind};
pub use yaml::yaml_to_json;

#[cfg(test)]
mod tests;
