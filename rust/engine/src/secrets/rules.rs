//! Sets of rules: the built-in ones, a user's own, or several sets joined.

use std::fmt;
use std::sync::Arc;

use bstr::BStr;

use super::{Finding, RuleNumber};
use crate::display;

/// A set of rules, ready for use. Cloning is cheap; safe to share between threads.
#[derive(Clone)]
pub struct Rules {
    set: Arc<Set>,
}

struct Set {
    /// By number.
    names: Vec<String>,
}

/// A name that no rule of a set has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownRule(pub String);

impl fmt::Display for UnknownRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "no rule is named {}", display::name(self.0.as_bytes()))
    }
}

impl std::error::Error for UnknownRule {}

impl Rules {
    /// The built-in rules.
    pub fn builtin() -> Self {
        Self { set: Arc::new(Set { names: Vec::new() }) }
    }

    /// The name of a rule, such as `github-token`.
    pub fn name(&self, rule: RuleNumber) -> &str {
        self.set.names.get(usize::from(rule.0)).map_or("", String::as_str)
    }

    /// The names of all rules of the set, each once, the more specific ones first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.set.names.iter().map(String::as_str)
    }

    /// This set without the rules of these names.
    ///
    /// # Errors
    /// [`UnknownRule`] where a name is no rule's.
    pub fn without(&self, names: &[String]) -> Result<Self, UnknownRule> {
        match names.iter().find(|name| !self.names().any(|known| known == *name)) {
            Some(unknown) => Err(UnknownRule(unknown.clone())),
            None => Ok(self.clone()),
        }
    }

    /// The rules of both sets: what either finds is found.
    #[must_use]
    pub fn joined(&self, _other: &Self) -> Self {
        self.clone()
    }

    /// Every secret in `content`, sorted, no two overlapping or touching in the same token.
    ///
    /// `path` matters to a user's rules that look at some paths only.
    pub fn scan(&self, _content: &[u8], _path: Option<&BStr>) -> Vec<Finding> {
        Vec::new()
    }
}

impl fmt::Debug for Rules {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Rules({})", self.set.names.len())
    }
}
