//! Version diffs: the text of a change that may go to a model, a log or another house.
//!
//! What may be seen is what the format allows. Files are compared as they are and *shown* with
//! secrets hidden, so that a rotated key reads as a changed line on both sides with nothing in it.
//! Both limits hold for the rendered text, headers and marks included; what does not fit is
//! counted, and nothing is left out without a word.
//!
//! ```text
//! [modified, +1 -1]
//! diff --git a/definitions/bands/src/main.py b/definitions/bands/src/main.py
//! --- a/definitions/bands/src/main.py
//! +++ b/definitions/bands/src/main.py
//! @@ -1,3 +1,3 @@
//!  import client
//! -client.key = "[secret hidden]"
//! +client.key = "[secret hidden]"
//!  client.run()
//! ```
//!
//! Every line of a file has one of the signs ` `, `+`, `-` and `\` before it, and every `@@` counts
//! exactly the lines after it, in cut pieces too. So no line of a file can be taken for a header or
//! a mark, whatever stands in it.

mod body;
mod compare;
mod content;
mod fragments;
mod header;
mod marks;
mod outcome;
mod select;
mod share;
mod shown;
mod windows;
mod wire;

use std::borrow::Cow;
use std::fmt;

use bstr::BString;

use crate::delta::{RewriteOptions, Scope};
use crate::format::Format;
use crate::lines;
use crate::secrets::Rules;
use crate::snapshot::{ReadError, Snapshot};

pub use content::Memory;
pub use marks::Language;
pub use outcome::{Compared, Extent, FileDiff, FoundSecret, LeftOut, Outcome, Side, Status, VersionDiff};

/// How long the text may be, in bytes of UTF-8: headers, marks and line feeds are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Of one file.
    pub file: usize,
    /// Of the whole text.
    pub total: usize,
}

impl Default for Limits {
    /// 4,000 bytes a file, 12,000 in all.
    fn default() -> Self {
        Self { file: 4_000, total: 12_000 }
    }
}

/// In which form JSON files (`*.json`) are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum JsonForm {
    /// In their [canonical form](crate::json::canonical): key order and white space are no change.
    /// A file that is no JSON, or names a member twice, is compared as it is written.
    #[default]
    Canonical,
    /// As they are written.
    AsWritten,
}

/// What to do where a secret was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OnSecret {
    /// Hide it.
    #[default]
    Redact,
    /// Give no text at all: [`Error::Secret`].
    Fail,
}

/// How to make a version diff.
#[derive(Clone, Debug)]
pub struct Options {
    /// How long the text may be.
    pub limits: Limits,
    /// What counts as a secret.
    pub rules: Rules,
    /// What to do where one was found.
    pub on_secret: OnSecret,
    /// In which form JSON files are compared.
    pub json: JsonForm,
    /// The language of the marks.
    pub language: Language,
    /// Only this is looked at.
    pub scope: Scope,
    /// How to look for files that moved; `None` looks for none.
    pub rewrites: Option<RewriteOptions>,
    /// How much is compared line by line.
    pub effort: lines::Limits,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            rules: Rules::builtin(),
            on_secret: OnSecret::default(),
            json: JsonForm::default(),
            language: Language::default(),
            scope: Scope::default(),
            rewrites: Some(RewriteOptions::default()),
            effort: lines::Limits::default(),
        }
    }
}

/// Why there is no version diff.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Error {
    /// Something could not be read. Secrets in its path are hidden.
    Read(ReadError),
    /// Secrets were found, and [`OnSecret::Fail`] was asked for: the first of them, and how many.
    Secret(Box<FoundSecret>, usize),
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Self {
        Self::Read(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => error.fmt(formatter),
            Self::Secret(first, count) => {
                let path = crate::display::name(first.path.as_bytes());
                match first.location.line {
                    0 => write!(formatter, "the path {path} holds a secret ({})", first.rule)?,
                    line => write!(formatter, "{path}, line {line}, holds a secret ({})", first.rule)?,
                }
                if *count > 1 {
                    write!(formatter, "; {} more were found", count - 1)?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for Error {}

/// Compare two snapshots, and say in text what changed in the files that the format allows.
///
/// # Errors
/// [`Error::Read`] where a tree or a file can't be read; [`Error::Secret`] as asked for.
pub fn between(
    old: &dyn Snapshot,
    new: &dyn Snapshot,
    format: &Format,
    options: &Options,
    memory: &mut Memory,
) -> Result<VersionDiff, Error> {
    let diff = share::assemble(old, new, format, options, memory)
        .map_err(|error| Error::Read(without_secrets(error, options)))?;
    match (options.on_secret, diff.findings.first()) {
        (OnSecret::Fail, Some(first)) => Err(Error::Secret(Box::new(first.clone()), diff.findings.len())),
        _ => Ok(diff),
    }
}

/// The error, with secrets in its path hidden.
fn without_secrets(mut error: ReadError, options: &Options) -> ReadError {
    let (ReadError::Missing { path, .. }
    | ReadError::Corrupt { path, .. }
    | ReadError::Limit { path, .. }
    | ReadError::Source { path, .. }) = &mut error;
    *path = BString::from(options.rules.hide(Cow::Borrowed(path)).into_owned());
    error
}
