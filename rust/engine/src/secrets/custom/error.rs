//! What can be wrong, or odd, about a rule file.

use std::fmt;

use crate::display;

/// Where in a rule file something is; it never holds text of the file but for a rule's id.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RulePlace {
    /// The id of the rule, where it is in one.
    pub rule: Option<String>,
    /// The field.
    pub field: Option<&'static str>,
    /// The line, from 1; 0 where it is about the file as a whole.
    pub line: usize,
}

impl fmt::Display for RulePlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = (self.line > 0).then(|| format!("line {}", self.line));
        let rule = self.rule.as_ref().map(|rule| format!("rule {}", display::name(rule.as_bytes())));
        let parts = [line, rule, self.field.map(str::to_owned)];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        formatter.write_str(&parts.join(", "))
    }
}

/// Why a rule file is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RuleFileError {
    /// It breaks a rule of such files.
    Invalid {
        /// Where.
        place: RulePlace,
        /// The rule it breaks.
        rule: String,
    },
    /// It, or something in it, is larger than a stated limit.
    Limit {
        /// Where.
        place: RulePlace,
        /// The limit, with its number.
        limit: String,
    },
}

impl fmt::Display for RuleFileError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid { place, rule } => write!(formatter, "{place}: {rule}"),
            Self::Limit { place, limit } => write!(formatter, "{place}: {limit}"),
        }
    }
}

impl std::error::Error for RuleFileError {}

/// Something in a rule file that is odd and harms nothing: at worst more is found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning {
    /// Where.
    pub place: RulePlace,
    /// What.
    pub what: &'static str,
}

impl fmt::Display for Warning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.place, self.what)
    }
}
