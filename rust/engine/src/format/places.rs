//! Places in JSON: RFC 6901 pointers, in rules with `*` for any member.

use std::collections::BTreeMap;

use super::value::Aspect;

/// A place without wildcards, as its steps.
pub(crate) type Place = Vec<String>;

/// The steps of a pointer.
pub(super) fn parse(pointer: &str) -> Result<Place, &'static str> {
    if pointer.is_empty() {
        return Ok(Vec::new());
    }
    let steps = pointer.strip_prefix('/').ok_or("a place is empty or starts with a slash")?;
    steps
        .split('/')
        .map(|step| {
            let tildes = step.matches('~').count();
            if tildes != step.matches("~0").count() + step.matches("~1").count() {
                return Err("in a place, ~ is written ~0 and / is written ~1");
            }
            Ok(step.replace("~1", "/").replace("~0", "~"))
        })
        .collect()
}

/// What places mean, as a tree of steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    /// What the value here is, with all below it that no deeper rule claims.
    pub(crate) aspect: Option<Aspect>,
    steps: BTreeMap<String, Places>,
    any: Option<Box<Places>>,
}

impl Places {
    /// Add a rule; one that is there already stays, so that the first of two counts.
    pub(super) fn insert(&mut self, place: &[String], aspect: Aspect) {
        let mut here = self;
        for step in place {
            here = if step == "*" {
                here.any.get_or_insert_default()
            } else {
                here.steps.entry(step.clone()).or_default()
            };
        }
        here.aspect.get_or_insert(aspect);
    }

    /// What is known of the member `name`.
    pub(crate) fn step(&self, name: &str) -> Option<&Self> {
        self.steps.get(name).or(self.any.as_deref())
    }

    /// Whether nothing deeper has a rule of its own.
    pub(crate) fn is_leaf(&self) -> bool {
        self.steps.is_empty() && self.any.is_none()
    }

    /// Whether a rule here or deeper gives this aspect.
    pub(crate) fn gives(&self, aspect: Aspect) -> bool {
        self.aspect == Some(aspect)
            || self.steps.values().any(|below| below.gives(aspect))
            || self.any.as_ref().is_some_and(|below| below.gives(aspect))
    }
}
