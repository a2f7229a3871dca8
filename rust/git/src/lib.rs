//! To come.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod import;
