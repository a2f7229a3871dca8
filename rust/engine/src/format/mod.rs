//! Formats: declarative values that say what a path, or a place in a JSON file, means.
//!
//! A format is data, never code: which node a path belongs to, which [`Aspect`] of the node it
//! is, what belongs to the workflow's settings, what is ignored and what a model may see. There
//! are two families, [folder nodes](FolderNodes) and [in-file nodes](InFileNodes); everything that
//! a record says of a workflow follows from its format, and no format's rule is written as code.

mod compile;
mod compiled;
mod detect;
mod patterns;
mod places;
mod value;

use std::fmt;
use std::sync::Arc;

use bstr::BStr;

pub use value::*;

pub(crate) use compiled::{
    Assembly, CommentPlaces, Compiled, CredentialPlaces, DeclaredPlaces, EdgePlaces, Family, Folder,
    HandlePlace, InFile, LinkPlaces, Role, SettingRules,
};
pub(crate) use places::{Place, Places};

/// A format, validated and ready for use. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct Format {
    compiled: Arc<Compiled>,
}

/// Why a format value is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatError {
    /// The field that breaks a rule, as a path such as `nodes.rules[2].place`.
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
    pub const BUILTIN: [&'static str; 3] = ["tsugumi", "flow", "flowise"];

    /// The JSON form of a built-in format, by name.
    pub fn builtin_json(name: &str) -> Option<&'static str> {
        match name {
            "tsugumi" => Some(include_str!("builtin/tsugumi.json")),
            "flow" => Some(include_str!("builtin/flow.json")),
            "flowise" => Some(include_str!("builtin/flowise.json")),
            _ => None,
        }
    }

    /// A format that is built in, by name.
    pub fn builtin(name: &str) -> Option<Self> {
        Self::from_json(Self::builtin_json(name)?.as_bytes()).ok()
    }

    /// Validate a format.
    ///
    /// # Errors
    /// [`FormatError`] names the field and the rule.
    pub fn new(value: FormatValue) -> Result<Self, FormatError> {
        compile::compile(value).map(|compiled| Self { compiled: Arc::new(compiled) })
    }

    /// Read a format from its JSON form.
    ///
    /// # Errors
    /// [`FormatError`] names the field and the rule.
    pub fn from_json(json: &[u8]) -> Result<Self, FormatError> {
        let value = serde_json::from_slice(json).map_err(|error| FormatError {
            field: format!("at line {}, column {}", error.line(), error.column()),
            rule: error.to_string(),
        })?;
        Self::new(value)
    }

    /// The format's JSON form, as [`from_json`](Self::from_json) reads it.
    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self.value()).unwrap_or_default()
    }

    /// The format as it is written down.
    pub fn value(&self) -> &FormatValue {
        &self.compiled.value
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.compiled.value.name
    }

    /// Whether a model may see the file at this path.
    pub fn is_visible(&self, path: &BStr) -> bool {
        self.compiled.is_visible(path)
    }

    pub(crate) fn compiled(&self) -> &Compiled {
        &self.compiled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_formats_are_valid_and_come_back_from_their_json() {
        for name in Format::BUILTIN {
            let json = Format::builtin_json(name).expect("built in");
            let format = Format::from_json(json.as_bytes()).expect("valid");
            assert_eq!(format.name(), name);
            let again = Format::from_json(&format.to_json()).expect("valid");
            assert_eq!(again.value(), format.value());
        }
    }

    #[test]
    fn a_refusal_names_the_field_and_the_rule() {
        let base = || Format::builtin("tsugumi").expect("built in").value().clone();
        let refused = |change: &dyn Fn(&mut FormatValue)| {
            let mut value = base();
            change(&mut value);
            Format::new(value).expect_err("refused").field
        };
        let folder = |value: &mut FormatValue, change: &dyn Fn(&mut FolderNodes)| match &mut value.nodes {
            Nodes::Folder(nodes) => change(nodes),
            Nodes::InFile(_) => unreachable!("tsugumi has folder nodes"),
        };
        assert_eq!(refused(&|value| value.name.clear()), "name");
        assert_eq!(refused(&|value| value.ignored.push("a{".into())), "ignored[3]");
        assert_eq!(refused(&|value| folder(value, &|nodes| nodes.folder = "cards".into())), "nodes.folder");
        assert_eq!(refused(&|value| folder(value, &|nodes| nodes.name = Some("name".into()))), "nodes.name");
        assert_eq!(refused(&|value| folder(value, &|nodes| nodes.link = None)), "nodes.rules[2].place");
        assert_eq!(
            refused(&|value| folder(value, &|nodes| nodes.rules[0].place = None)),
            "nodes.rules[0].aspect"
        );
        assert_eq!(refused(&|value| value.settings.file = None), "settings.pins");
        let error = Format::from_json(b"{\"name\": \"x\", \"nods\": {}}").expect_err("refused");
        assert!(error.to_string().contains("unknown field `nods`"), "{error}");
    }

    #[test]
    fn what_a_model_may_see_is_what_the_seed_allows() {
        let format = Format::builtin("tsugumi").expect("built in");
        for (path, visible) in [
            ("tsugumi.json", true),
            ("definitions/a/_card.json", true),
            ("definitions/a/default.nix", true),
            ("definitions/a/src/deep/er/x.py", true),
            ("definitions/a/src/x.png", false),
            ("definitions/a/other.json", false),
            ("layout.json", false),
            ("data/x.py", false),
        ] {
            assert_eq!(format.is_visible(path.into()), visible, "{path}");
        }
    }
}
