//! Secrets in text: rules that recognise them, where they stand, and text without them.
//!
//! A finding holds a rule and a place, never text, nor a length or a hash of it.
//!
//! How it works: one packed search for a few dozen literals (`prefilter`) leads to hand-written
//! verifiers, one for each kind of secret (`builtin`), which look at the text around the literal
//! and hide the whole of what stands there: the run of token characters to its end, the whole URL,
//! the whole key block. Text that is written escaped (`escapes`) or in UTF-16 (`wide`) is decoded
//! only around what is written so, scanned like any other, and the findings are taken back to the
//! bytes as they stand. Where something was found, the text is looked at again as it is shown
//! (`again`).
//!
//! Every step is linear in the length of the text. The floor is stated, and measured, in
//! `tests/secrets_hostile.rs`.

use std::borrow::Cow;
use std::ops::Range;

use bstr::BStr;

mod again;
mod builtin;
pub mod custom;
mod escapes;
mod file;
mod locate;
mod prefilter;
mod redact;
mod rules;
#[cfg(test)]
mod sample;
mod shape;
mod text;
mod wide;

pub(crate) use file::write_finding;
pub use file::{write_findings, write_located};
pub use locate::{Location, locate};
pub use rules::{Builtin, Rules, UnknownRule};

/// What stands where a secret stood.
pub const MARK: &str = "[secret hidden]";

/// How many layers of encoding are taken off: JSON within JSON, in UTF-16.
const NESTING: usize = 4;

/// The number of a rule in its [`Rules`]; lower ones are the more specific.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RuleNumber(pub u16);

/// A secret in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The rule that found it.
    pub rule: RuleNumber,
    /// The bytes of the text to hide: of escaped or UTF-16 text the bytes as they stand there.
    pub span: Range<usize>,
}

impl Rules {
    /// Every secret in `content`, sorted, no two overlapping or touching in the same token.
    ///
    /// `path` matters to a user's rules that look at some paths only.
    pub fn scan(&self, content: &[u8], path: Option<&BStr>) -> Vec<Finding> {
        again::scan(content, self.scan_once(content, path), |shown| self.scan_once(shown, path))
    }

    /// Whether [`scan`](Self::scan) finds anything in `content`: told without looking again at what is left.
    pub fn finds_any(&self, content: &[u8]) -> bool {
        !self.scan_once(content, None).is_empty()
    }

    fn scan_once(&self, content: &[u8], path: Option<&BStr>) -> Vec<Finding> {
        let mut found = Vec::new();
        self.scan_text(content, path, NESTING, &mut found);
        self.drop_allowed(content, path, &mut found);
        merge(found)
    }

    /// Add what the rules find in text as it stands, and in what it holds escaped.
    fn scan_text(&self, content: &[u8], path: Option<&BStr>, nesting: usize, found: &mut Vec<Finding>) {
        if self.has_builtin() {
            builtin::scan(content, self.builtin_rules(), found);
        }
        self.scan_own(content, path, found);
        if nesting == 0 {
            return;
        }
        let mut deeper = |text: &[u8], found: &mut Vec<Finding>| {
            self.scan_text(text, path, nesting - 1, found);
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
