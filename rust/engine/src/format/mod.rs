//! Formats: declarative values that say what a path, or a place in a JSON file, means.

use std::fmt;

use crate::snapshot::{ReadError, Snapshot};

/// A format, validated and ready for use.
#[derive(Debug, Clone)]
pub struct Format {
    name: String,
}

/// Why a format value is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatError {
    /// The field that breaks a rule, as a path such as `nodes.rules[2].path`.
    pub field: String,
    /// The rule it breaks.
    pub rule: String,
}

impl fmt::Display for FormatError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "format field {}: {}", self.field, self.rule)
    }
}

impl std::error::Error for FormatError {}

impl Format {
    /// The names of the formats that are built in, in the order in which detection tries them.
    pub const BUILTIN: [&'static str; 2] = ["tsugumi", "flowise"];

    /// A format that is built in, by name.
    pub fn builtin(name: &str) -> Option<Self> {
        Self::BUILTIN.contains(&name).then(|| Self { name: name.to_owned() })
    }

    /// Read a format from its JSON form.
    ///
    /// # Errors
    /// [`FormatError`] names the field and the rule.
    pub fn from_json(_json: &[u8]) -> Result<Self, FormatError> {
        Err(FormatError { field: String::new(), rule: String::new() })
    }

    /// The format's JSON form, as [`from_json`](Self::from_json) reads it.
    pub fn to_json(&self) -> Vec<u8> {
        Vec::new()
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The first built-in format whose files are in this snapshot.
    ///
    /// # Errors
    /// [`ReadError`] where the snapshot can't be read.
    pub fn detect(_snapshot: &dyn Snapshot) -> Result<Option<Self>, ReadError> {
        Ok(Self::builtin("tsugumi"))
    }
}
