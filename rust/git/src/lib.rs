//! Versions of a workflow in a git repository, read through gitoxide.
//!
//! Nothing but the repository is read: no configuration of the user or the system, no environment,
//! and of the repository's own configuration only what says how it is stored. Nothing is
//! written but by [`import`], [`notes`] and [`files`].
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`store`] | what a backend gives: objects and references |
//! | [`repository`] | opening a repository, and the handle that one thread reads it through |
//! | [`revision`] | a version by any name git knows, and a range of versions |
//! | [`history`] | the versions of a range, in order, one at a time |
//! | [`commit`] | a version: its header, and its JSON form |
//! | [`snapshot`] | the tree of a version as a snapshot of the engine |
//! | [`job`] | what is said about one version: a tree delta or a change record, as a line of JSON |
//! | [`walk`] | a job over a whole history, spread over threads, in order, in flat memory |
//! | [`references`] | references as readers want them: a list of them, and `HEAD` |
//! | [`loose`] | loose objects, for a backend that is not trusted with them |
//! | `names` | what names of revisions stand for, for all backends |
//! | [`import`] | a history file made into a repository |
//! | [`notes`] | bytes kept about objects: read, and written without losing any |
//! | [`files`] | files of a version: read, and changed in a commit without a working tree |
//! | [`paths`] | which paths may be written |
//! | [`writing`] | what all commits that are made here have in common |
//! | [`durable`] | what is written so that it outlives a power cut |
//! | [`lock`] | the lock that all writers hold |
//! | [`wait`] | waiting for others, with a limit |

#![forbid(unsafe_code)]

pub mod commit;
pub mod durable;
mod error;
pub mod files;
mod gitoxide;
pub mod history;
pub mod import;
pub mod job;
pub mod lock;
pub mod loose;
mod names;
pub mod notes;
pub mod paths;
pub mod references;
pub mod repository;
pub mod revision;
mod scan;
pub mod snapshot;
pub mod store;
pub mod wait;
pub mod walk;
pub mod writing;

pub use error::Error;
