//! What a rule file allows: findings that are none.

use std::ops::Range;

use aho_corasick::AhoCorasick;
use bstr::BStr;
use regex_automata::meta;

/// How far the line of a finding is looked at on either side of it, in bytes.
///
/// A line is as long as its author likes, and one with many findings would be gone through for
/// each of them.
const LINE_REACH: usize = 4 << 10;

/// What the expressions of an allowlist look at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Target {
    #[default]
    Secret,
    Match,
    Line,
}

/// Whether one check of an allowlist is enough.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Condition {
    #[default]
    Any,
    All,
}

#[derive(Debug, Default)]
pub(super) struct Allowlist {
    pub(super) condition: Condition,
    pub(super) target: Target,
    pub(super) paths: Option<meta::Regex>,
    pub(super) regexes: Option<meta::Regex>,
    pub(super) stopwords: Option<AhoCorasick>,
    /// It names commits, which are not known here: that check never holds.
    pub(super) has_commits: bool,
}

/// A match of a rule, and the part of it that is the secret.
#[derive(Clone, Copy, Debug)]
pub(super) struct Match<'c> {
    pub(super) content: &'c [u8],
    pub(super) path: Option<&'c BStr>,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) secret: &'c [u8],
}

impl Match<'_> {
    fn target(&self, target: Target) -> &[u8] {
        match target {
            Target::Secret => self.secret,
            Target::Match => &self.content[self.start..self.end],
            Target::Line => &self.content[self.line()],
        }
    }

    fn line(&self) -> Range<usize> {
        let first = self.start.saturating_sub(LINE_REACH);
        let last = self.content.len().min(self.end + LINE_REACH);
        let before = memchr::memrchr(b'\n', &self.content[first..self.start]);
        let after = memchr::memchr(b'\n', &self.content[self.end..last]);
        before.map_or(first, |feed| first + feed + 1)..after.map_or(last, |feed| self.end + feed)
    }
}

impl Allowlist {
    /// Whether everything in the file at `path` is allowed.
    pub(super) fn allows_path(&self, path: Option<&BStr>) -> bool {
        let needs_more = self.regexes.is_some() || self.stopwords.is_some() || self.has_commits;
        self.has_path(path) && (self.condition == Condition::Any || !needs_more)
    }

    fn has_path(&self, path: Option<&BStr>) -> bool {
        path.zip(self.paths.as_ref()).is_some_and(|(path, paths)| paths.is_match(path.as_ref() as &[u8]))
    }

    /// Whether this match is allowed.
    pub(super) fn allows(&self, found: &Match<'_>) -> bool {
        let regex = || {
            let target = found.target(self.target);
            self.regexes.as_ref().map(|regexes| !target.is_empty() && regexes.is_match(target))
        };
        let stopword = || self.stopwords.as_ref().map(|words| words.is_match(found.secret));
        match self.condition {
            Condition::Any => regex() == Some(true) || stopword() == Some(true),
            Condition::All => {
                !self.has_commits
                    && (self.paths.is_none() || self.has_path(found.path))
                    && regex().unwrap_or(true)
                    && stopword().unwrap_or(true)
            }
        }
    }
}
