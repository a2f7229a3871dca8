//! Secrets in text: rules that recognise them, where they stand, and text without them.
//!
//! A finding holds a rule and a place, never text, nor a length or a hash of it.
//!
//! How it works: one packed search for a few dozen literals (`prefilter`) leads to hand-written
//! verifiers, one for each kind of secret (`builtin`), which look at the text around the literal
//! and hide the whole of what stands there: the run of token characters to its end, the whole URL,
//! the whole key block. Text that is written escaped (`escapes`) or in UTF-16 (`wide`) is decoded
//! only around what is written so, scanned like any other, and the findings are taken back to the
//! bytes as they stand.
//!
//! Every step is linear in the length of the text. The floor is stated, and measured, in
//! `tests/secrets_hostile.rs`.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use bstr::BStr;

mod builtin;
mod escapes;
mod locate;
mod prefilter;
mod redact;
#[cfg(test)]
mod sample;
mod shape;
mod text;
mod wide;

pub use locate::{Location, locate};

/// What stands where a secret stood.
pub const MARK: &str = "[secret hidden]";

/// How many layers of encoding are taken off: JSON within JSON, in UTF-16.
const NESTING: usize = 4;

/// The number of a rule in its [`Rules`]; lower ones are the more specific.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RuleNumber(pub u16);

/// A set of rules, ready for use. Cloning is cheap; safe to share between threads.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Which of the built-in rules are on, by their number.
    builtin: Arc<[bool]>,
    own: Option<Arc<dyn OwnRules>>,
}

/// A user's own rules, beside the built-in ones. They are numbered from 0 among themselves.
pub trait OwnRules: fmt::Debug + Send + Sync {
    /// The names of the rules, by number.
    fn names(&self) -> Vec<&str>;

    /// What a rule finds, in a few words.
    fn description(&self, number: u16) -> &str;

    /// Add what the rules find in `content`: the rule's number and the bytes to hide, which are
    /// not empty and may overlap others.
    fn scan(&self, content: &[u8], path: Option<&BStr>, found: &mut Vec<(u16, Range<usize>)>);

    /// The same rules without one of them, or `None` when none has that name.
    fn without(&self, name: &str) -> Option<Arc<dyn OwnRules>>;
}

/// No rule has this name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownRule(pub String);

impl fmt::Display for UnknownRule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "no secret rule is named {:?}", self.0)
    }
}

impl std::error::Error for UnknownRule {}

/// A secret in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The rule that found it.
    pub rule: RuleNumber,
    /// The bytes of the text to hide: of escaped or UTF-16 text the bytes as they stand there.
    pub span: Range<usize>,
}

impl Rules {
    /// The built-in rules.
    pub fn builtin() -> Self {
        Self { builtin: vec![true; builtin::RULES.len()].into(), own: None }
    }

    /// No rule at all, to add own ones to.
    pub fn none() -> Self {
        Self { builtin: vec![false; builtin::RULES.len()].into(), own: None }
    }

    /// These rules and a user's own, which take the place of own rules added before.
    #[must_use]
    pub fn with_own(mut self, own: Arc<dyn OwnRules>) -> Self {
        self.own = Some(own);
        self
    }

    /// These rules without the named ones.
    ///
    /// # Errors
    ///
    /// [`UnknownRule`] when no rule that is on has one of the names.
    pub fn without<'n>(mut self, names: impl IntoIterator<Item = &'n str>) -> Result<Self, UnknownRule> {
        let mut on = self.builtin.to_vec();
        for name in names {
            let builtin = builtin::RULES.iter().position(|rule| rule.name == name);
            if let Some(number) = builtin.filter(|&number| on[number]) {
                on[number] = false;
            } else if let Some(own) = self.own.as_ref().and_then(|own| own.without(name)) {
                self.own = Some(own);
            } else {
                return Err(UnknownRule(name.to_owned()));
            }
        }
        self.builtin = on.into();
        Ok(self)
    }

    /// The names of the rules that are on, the more specific first.
    pub fn names(&self) -> Vec<&str> {
        let builtin = builtin::RULES.iter().zip(&*self.builtin);
        let builtin = builtin.filter_map(|(rule, &on)| on.then_some(rule.name));
        builtin.chain(self.own.iter().flat_map(|own| own.names())).collect()
    }

    /// The name of a rule, such as `github-token`.
    pub fn name(&self, rule: RuleNumber) -> &str {
        let number = usize::from(rule.0);
        if let Some(rule) = builtin::RULES.get(number) {
            return rule.name;
        }
        let names = self.own.as_ref().map(|own| own.names()).unwrap_or_default();
        names.get(number - builtin::RULES.len()).copied().unwrap_or_default()
    }

    /// What a rule finds, in a few words.
    pub fn description(&self, rule: RuleNumber) -> &str {
        match (builtin::RULES.get(usize::from(rule.0)), &self.own) {
            (Some(rule), _) => rule.description,
            (None, Some(own)) => own.description(rule.0 - builtin::RULES.len() as u16),
            (None, None) => "",
        }
    }

    /// Every secret in `content`, sorted, no two overlapping or touching in the same token.
    ///
    /// `path` matters to a user's rules that look at some paths only.
    pub fn scan(&self, content: &[u8], path: Option<&BStr>) -> Vec<Finding> {
        let mut found = Vec::new();
        if self.builtin.contains(&true) {
            self.scan_text(content, NESTING, &mut found);
        }
        if let Some(own) = &self.own {
            let mut theirs = Vec::new();
            own.scan(content, path, &mut theirs);
            let first = builtin::RULES.len() as u16;
            let theirs = theirs.into_iter().filter(|(_, span)| !span.is_empty());
            found.extend(theirs.map(|(rule, span)| Finding { rule: RuleNumber(first + rule), span }));
        }
        merge(found)
    }

    /// Add what the built-in rules find in text as it stands, and in what it holds escaped.
    fn scan_text(&self, content: &[u8], nesting: usize, found: &mut Vec<Finding>) {
        builtin::scan(content, &self.builtin, found);
        if nesting == 0 {
            return;
        }
        let mut deeper = |text: &[u8], found: &mut Vec<Finding>| {
            self.scan_text(text, nesting - 1, found);
        };
        if escapes::scan(content, found, &mut deeper) {
            wide::scan(content, found, &mut deeper);
        }
    }
}

/// One finding in place of several that overlap or touch: the most specific rule names it.
fn merge(mut found: Vec<Finding>) -> Vec<Finding> {
    found.sort_unstable_by_key(|finding| (finding.span.start, finding.span.end, finding.rule));
    found.dedup_by(|next, kept| {
        let one = next.span.start <= kept.span.end;
        if one {
            kept.span.end = kept.span.end.max(next.span.end);
            kept.rule = kept.rule.min(next.rule);
        }
        one
    });
    found
}

/// `content` with [`MARK`] in place of each finding; of one over several lines, in place of its
/// part of each line. Line breaks stay.
///
/// `findings` are those of a scan of the same content: sorted, none overlapping.
pub fn redact<'c>(content: &'c [u8], findings: &[Finding]) -> Cow<'c, [u8]> {
    redact::redact(content, findings)
}
