//! What changed between two versions of a workflow, in words a person can read.
//!
//! Everything here is a pure function of its arguments: no clock, no environment, no global
//! state, no I/O. The same inputs give the same bytes, on every platform and in every thread.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`snapshot`] | an immutable tree of paths: the one trait behind mappings, directories and git versions |
//! | [`delta`] | what came, went, changed or moved between two snapshots |
//! | [`json`] | JSON text as a compact document that compares by meaning and never recurses without bound |
//! | [`mod@format`] | the declarative value that says what a path, or a place in a JSON file, means |
//! | [`lines`] | which lines came and went between two texts, and the hunks they make |
//! | [`secrets`] | rules that recognise secrets, and text without them |
//! | [`record`] | the change record: nodes, aspects, settings and comments, never a value or a line of source |
//! | [`package_diff`] | the listing and the hunks between two versions of a package, and what to look at twice |
//! | [`version_diff`] | the text of a change that may go to a model: allowed files, limits, no secrets |
//! | [`wire`] | writing the JSON of the wire format |
//! | [`display`] | names from files, made safe to show on one line |
//! | [`unseen`] | the characters that no one sees |

#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod delta;
pub mod display;
mod equal_ends;
pub mod format;
pub mod json;
pub mod lines;
mod links;
pub mod package_diff;
pub mod record;
pub mod secrets;
pub mod snapshot;
pub mod unseen;
pub mod version_diff;
pub mod wire;
