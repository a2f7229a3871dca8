//! A user's own rules, from a file in the gitleaks TOML form.
//!
//! Each rule is one compiled expression that is run only on files in which one of the rule's
//! keywords stands. One expression of all rules together would run at a thousandth of the speed.

mod allowlist;
mod entropy;
mod error;
mod file;
mod pattern;
mod table;

use std::ops::Range;
use std::sync::Arc;

use aho_corasick::AhoCorasick;
use bstr::BStr;
use regex_automata::{Anchored, Input, meta};

use allowlist::{Allowlist, Match};

pub use error::{RuleFileError, RulePlace, Warning};
pub use file::{FILE_BYTES, RULES};

/// The rules of a file.
#[derive(Debug)]
pub struct CustomRules {
    rules: Vec<Rule>,
    /// Every keyword of any rule, whatever its case; `None` where there is none.
    keywords: Option<AhoCorasick>,
    /// The rules of each keyword.
    rules_of_keyword: Vec<Vec<u16>>,
    /// What is allowed for all rules.
    allowlists: Vec<Arc<Allowlist>>,
    extend: Extend,
    /// What is allowed for built-in rules, by their name.
    builtin_allowlists: Vec<(String, Arc<Allowlist>)>,
}

/// What a file says of the rules that it extends.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Extend {
    /// Whether the built-in rules are kept beside those of the file, where it says so.
    pub use_default: Option<bool>,
    /// The names of built-in rules that are switched off.
    pub disabled: Vec<String>,
}

#[derive(Debug)]
struct Rule {
    id: String,
    description: String,
    regex: Option<meta::Regex>,
    /// The group that is the secret; `None` takes the first one that is not empty, or all of the
    /// match.
    secret_group: Option<usize>,
    path: Option<meta::Regex>,
    /// A secret has more entropy than this.
    entropy: Option<f64>,
    has_keywords: bool,
    allowlists: Vec<Arc<Allowlist>>,
}

impl CustomRules {
    /// The number of rules.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether there is no rule.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The id of a rule.
    pub fn name(&self, rule: u16) -> &str {
        self.rules.get(usize::from(rule)).map_or("", |rule| &rule.id)
    }

    /// What a rule finds, in its author's words; they may say nothing.
    pub fn description(&self, rule: u16) -> &str {
        self.rules.get(usize::from(rule)).map_or("", |rule| &rule.description)
    }

    /// What the file says of the rules that it extends.
    pub fn extend(&self) -> &Extend {
        &self.extend
    }

    /// Append the number of the rule and the span of the secret for everything that is found.
    pub fn scan(&self, content: &[u8], path: Option<&BStr>, found: &mut Vec<(u16, Range<usize>)>) {
        self.scan_with(&|_| true, content, path, found);
    }

    /// As [`scan`](Self::scan), with those rules alone that are on.
    pub(super) fn scan_with(
        &self,
        is_on: &dyn Fn(u16) -> bool,
        content: &[u8],
        path: Option<&BStr>,
        found: &mut Vec<(u16, Range<usize>)>,
    ) {
        if content.is_empty() || self.allowlists.iter().any(|list| list.allows_path(path)) {
            return;
        }
        for (number, is_wanted) in (0_u16..).zip(self.wanted(content)) {
            if is_wanted
                && is_on(number)
                && let Some(rule) = self.rules.get(usize::from(number))
            {
                rule.scan(content, path, &self.allowlists, &mut |span| found.push((number, span)));
            }
        }
    }

    /// Whether the file switches off the built-in rule of this name.
    pub(super) fn disables(&self, name: &str) -> bool {
        self.extend.disabled.iter().any(|disabled| disabled == name)
    }

    /// Warnings of built-in rules that the file names and that there are not, as it was written
    /// for other ones.
    pub(super) fn unknown_builtin(&self, is_known: impl Fn(&str) -> bool) -> Vec<Warning> {
        let added_to = self.builtin_allowlists.iter().map(|(name, _)| (name, "allowlists"));
        let disabled = self.extend.disabled.iter().map(|name| (name, "disabledRules"));
        added_to
            .chain(disabled)
            .filter(|(name, _)| !is_known(name))
            .map(|(name, field)| Warning {
                place: RulePlace { rule: Some(name.clone()), field: Some(field), line: 0 },
                what: "no built-in rule has this name",
            })
            .collect()
    }

    /// Whether the file allows what a built-in rule of this name found.
    pub(super) fn allows_builtin(
        &self,
        name: &str,
        content: &[u8],
        path: Option<&BStr>,
        span: &Range<usize>,
    ) -> bool {
        let (start, end) = (span.start, span.end);
        let found = Match { content, path, start, end, secret: &content[start..end] };
        let own = self.builtin_allowlists.iter().filter(|(rule, _)| rule == name).map(|(_, list)| list);
        self.allowlists.iter().chain(own).any(|list| list.allows_path(path) || list.allows(&found))
    }

    /// For each rule whether it is to be run: one of its keywords is there, or it has none.
    fn wanted(&self, content: &[u8]) -> Vec<bool> {
        let mut wanted: Vec<bool> = self.rules.iter().map(|rule| !rule.has_keywords).collect();
        let Some(keywords) = &self.keywords else { return wanted };
        let mut unseen = vec![true; keywords.patterns_len()];
        let mut left = unseen.len();
        for hit in keywords.find_overlapping_iter(content) {
            let keyword = hit.pattern().as_usize();
            if std::mem::take(&mut unseen[keyword]) {
                for rule in &self.rules_of_keyword[keyword] {
                    wanted[usize::from(*rule)] = true;
                }
                left -= 1;
                if left == 0 {
                    break;
                }
            }
        }
        wanted
    }
}

/// How far beyond its start a match is looked for, in bytes: a longer one is found too, where it
/// can be shorter as well.
const REACH: usize = 64 << 10;
/// The same after so many matches in one content that an expression that looks far ahead each
/// time would take minutes.
const SHORT_REACH: usize = 4 << 10;
const MANY_MATCHES: usize = 4_096;
/// How far a search goes at most before it starts anew.
const LONGEST_STEP: usize = 1 << 20;

impl Rule {
    fn scan(
        &self,
        content: &[u8],
        path: Option<&BStr>,
        global: &[Arc<Allowlist>],
        found: &mut dyn FnMut(Range<usize>),
    ) {
        if let Some(wanted) = &self.path
            && !path.is_some_and(|path| wanted.is_match(path.as_ref() as &[u8]))
        {
            return;
        }
        if self.allowlists.iter().any(|list| list.allows_path(path)) {
            return;
        }
        let Some(regex) = &self.regex else {
            // A rule of paths alone: the file itself is the secret.
            found(0..content.len());
            return;
        };
        let mut captures = (regex.captures_len() > 1).then(|| regex.create_captures());
        each_match(regex, content, |matched| {
            let secret = match &mut captures {
                Some(captures) => {
                    let input = Input::new(content).range(matched.clone()).anchored(Anchored::Yes);
                    regex.search_captures(&input, captures);
                    let group = match self.secret_group {
                        Some(group) => captures.get_group(group),
                        None => (1..captures.group_len())
                            .find_map(|group| captures.get_group(group).filter(|span| !span.is_empty())),
                    };
                    group.map_or(matched.clone(), |span| span.range())
                }
                None => trimmed(content, matched.clone()),
            };
            if secret.is_empty() {
                return;
            }
            let (start, end) = (matched.start, matched.end);
            let hit = Match { content, path, start, end, secret: &content[secret.clone()] };
            let is_weak = self.entropy.is_some_and(|least| entropy::shannon(hit.secret) <= least);
            if !is_weak && !self.allowlists.iter().chain(global).any(|list| list.allows(&hit)) {
                found(secret);
            }
        });
    }
}

/// Every match, from left to right, none overlapping.
///
/// A search ends at most [`REACH`] after the last place at which it may begin a match, so that
/// what is looked at for one match is bounded: an expression such as `a.*b|a` would otherwise look
/// at all of the rest for each `a`.
fn each_match(regex: &meta::Regex, content: &[u8], mut each: impl FnMut(Range<usize>)) {
    let (mut at, mut count, mut step) = (0, 0_usize, REACH);
    while at < content.len() {
        let reach = if count < MANY_MATCHES { REACH } else { SHORT_REACH };
        let decided = content.len().min(at.saturating_add(step.min(LONGEST_STEP)));
        let mut end = content.len().min(decided + reach);
        let decided = if end == content.len() { end } else { decided };
        let found = regex.search(&Input::new(content).range(at..end));
        let Some(mut found) = found.filter(|found| found.start() < decided) else {
            at = decided;
            step = step.saturating_mul(2);
            continue;
        };
        // One that goes on where the search ended may be longer.
        while found.end() == end && end < content.len() {
            end = content.len().min(end + 2 * (end - found.start()));
            let input = Input::new(content).range(found.start()..end).anchored(Anchored::Yes);
            match regex.search(&input) {
                Some(longer) => found = longer,
                None => break,
            }
        }
        at = found.end().max(found.start() + 1);
        count += 1;
        step = reach;
        each(found.range());
    }
}

/// A match without the line feeds around it, which expressions take to see a border.
fn trimmed(content: &[u8], mut span: Range<usize>) -> Range<usize> {
    while span.start < span.end && content[span.start] == b'\n' {
        span.start += 1;
    }
    while span.start < span.end && content[span.end - 1] == b'\n' {
        span.end -= 1;
    }
    span
}

#[cfg(test)]
mod tests;
