//! One side of a file, ready to be compared and shown.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{HashMap, VecDeque};
use std::fmt::Write as _;
use std::hash::BuildHasherDefault;
use std::ops::Range;
use std::rc::Rc;

use bstr::{BStr, BString};

use super::Options;
use super::header::ShownPath;
use crate::json::{Document, canonical};
use crate::lines::{self, Text};
use crate::secrets::{Finding, Location, RuleNumber, locate};
use crate::snapshot::{ContentId, IdHasher, ReadError, Snapshot};

/// How large a file may be, in bytes, to be compared.
const MAX_BYTES: usize = 64 << 20;

/// How many bytes of contents, and how many paths, are kept for the next comparison.
const KEPT_BYTES: usize = 5 << 20;
const KEPT_PATHS: usize = 4_096;

/// What a content is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Text, as it is written.
    Text,
    /// Text in which bytes that are no UTF-8 stand as `<E9>`.
    Mended,
    /// JSON in its canonical form.
    Canonical,
    /// No text; there are no lines.
    Binary,
    /// Too large to be read; there are no lines.
    TooLarge,
}

/// In which form a file is to be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// As it is written.
    Text,
    /// In the canonical form of JSON, if it is JSON.
    Json,
}

/// One side of a file. All its secrets are known before anything is cut.
pub(super) struct Content<'a> {
    pub(super) kind: Kind,
    /// What is compared line by line; empty where nothing is.
    pub(super) text: Cow<'a, str>,
    /// The parts of the text to hide: sorted, apart, at the borders of characters.
    pub(super) hidden: Vec<Range<usize>>,
    /// The secrets, by their places in the file as it is written.
    pub(super) found: Vec<(RuleNumber, Location)>,
    /// The start of each line, and the end of the last, once they were asked for.
    pub(super) starts: OnceCell<Box<[u32]>>,
}

impl<'a> Content<'a> {
    pub(super) fn nothing() -> Self {
        Self {
            kind: Kind::Text,
            text: Cow::Borrowed(""),
            hidden: Vec::new(),
            found: Vec::new(),
            starts: OnceCell::new(),
        }
    }

    fn too_large() -> Self {
        Self { kind: Kind::TooLarge, ..Self::nothing() }
    }

    fn read(raw: Cow<'a, [u8]>, path: &BStr, form: Form, options: &Options) -> Self {
        if raw.len() > MAX_BYTES {
            return Self::too_large();
        }
        let scan = |content: &[u8]| options.rules.scan(content, Some(path));
        if form == Form::Json
            && let Some(text) = canonical_text(&raw)
        {
            let findings = scan(text.as_bytes());
            // Nearly always there are none, and the file as it is written need not be read.
            let written = if findings.is_empty() { Vec::new() } else { scan(&raw) };
            let found = if written.is_empty() {
                located(text.as_bytes(), &findings)
            } else {
                located(&raw, &written)
            };
            return Self::shown(Kind::Canonical, Cow::Owned(text), &findings, found);
        }
        let findings = scan(&raw);
        let found = located(&raw, &findings);
        if lines::is_binary(&raw) {
            return Self { kind: Kind::Binary, found, ..Self::nothing() };
        }
        let text = match raw {
            Cow::Borrowed(raw) => {
                std::str::from_utf8(raw).map(Cow::Borrowed).map_err(|_| mended(raw, &findings))
            }
            Cow::Owned(raw) => {
                String::from_utf8(raw).map(Cow::Owned).map_err(|error| mended(error.as_bytes(), &findings))
            }
        };
        match text {
            Ok(text) => Self::shown(Kind::Text, text, &findings, found),
            Err((text, mut findings)) => {
                let more = scan(text.as_bytes());
                let found = if found.is_empty() { located(text.as_bytes(), &more) } else { found };
                findings.extend(more);
                findings.sort_unstable_by_key(|finding| finding.span.start);
                Self::shown(Kind::Mended, Cow::Owned(text), &findings, found)
            }
        }
    }

    fn shown(
        kind: Kind,
        text: Cow<'a, str>,
        findings: &[Finding],
        found: Vec<(RuleNumber, Location)>,
    ) -> Self {
        let mut hidden: Vec<Range<usize>> = Vec::with_capacity(findings.len());
        for Finding { span, .. } in findings {
            let (mut start, mut end) = (span.start, span.end.min(text.len()));
            while !text.is_char_boundary(start) {
                start -= 1;
            }
            while !text.is_char_boundary(end) {
                end += 1;
            }
            match hidden.last_mut() {
                Some(last) if last.end >= start => last.end = last.end.max(end),
                _ => hidden.push(start..end),
            }
        }
        Self { kind, text, hidden, found, starts: OnceCell::new() }
    }

    /// Whether there are lines to compare.
    pub(super) fn is_text(&self) -> bool {
        !matches!(self.kind, Kind::Binary | Kind::TooLarge)
    }

    /// The same with other parts hidden.
    pub(super) fn hiding(&self, hidden: Vec<Range<usize>>) -> Self {
        let Self { kind, text, found, .. } = self;
        Self { kind: *kind, text: text.clone(), hidden, found: found.clone(), starts: OnceCell::new() }
    }

    /// The text as lines.
    pub(super) fn lines(&self) -> Text<'_> {
        let bytes = self.text.as_bytes();
        Text::with_starts(bytes, self.starts.get_or_init(|| Text::new(bytes).into_starts()))
    }

    /// About how much memory it takes, in bytes; lines are taken to be 16 bytes long.
    fn size(&self) -> usize {
        self.text.len() + self.text.len() / 4 + self.hidden.len() * size_of::<Range<usize>>() + 256
    }
}

fn located(content: &[u8], findings: &[Finding]) -> Vec<(RuleNumber, Location)> {
    if findings.is_empty() {
        return Vec::new();
    }
    findings.iter().map(|finding| finding.rule).zip(locate(content, findings)).collect()
}

/// The canonical form, where the text is JSON that has one.
fn canonical_text(raw: &[u8]) -> Option<String> {
    let document = Document::parse(raw).ok()?;
    // Each value may start a line of its own, with some indentation; else there is nothing to add.
    let mut out = Vec::with_capacity(raw.len() + 12 * document.values());
    canonical::write(document.root(), &mut out).ok()?;
    String::from_utf8(out).ok()
}

/// Text that is UTF-8: what is none stands as `<E9>`, so that it can be seen, and be seen to change.
/// With what was found in the bytes as they are, at its place in the text: a password in another
/// encoding need not look like one any more.
fn mended(raw: &[u8], findings: &[Finding]) -> (String, Vec<Finding>) {
    let mut text = String::with_capacity(raw.len() + raw.len() / 4);
    let mut invalid = Vec::new();
    let mut at = 0;
    for chunk in raw.utf8_chunks() {
        text.push_str(chunk.valid());
        at += chunk.valid().len();
        for byte in chunk.invalid() {
            // Writing to a string never fails.
            let _ = write!(text, "<{byte:02X}>");
            if !findings.is_empty() {
                invalid.push(at);
            }
            at += 1;
        }
    }
    // Each of them is shown as four characters.
    let place = |at: usize| at + 3 * invalid.partition_point(|&byte| byte < at);
    let moved = |finding: &Finding| Finding {
        rule: finding.rule,
        span: place(finding.span.start)..place(finding.span.end),
    };
    let findings = findings.iter().map(moved).collect();
    (text, findings)
}

/// What a comparison may keep for the next one of a history, where the new side of one is the old
/// side of the next: files as they were read, with their secrets. Bounded; a version diff never
/// depends on what is in it. One memory is for one set of options.
#[derive(Default)]
pub struct Memory {
    /// Looked up, never walked: the order of a hash reaches no text.
    kept: HashMap<ContentId, Kept, BuildHasherDefault<IdHasher>>,
    /// The oldest first.
    order: VecDeque<ContentId>,
    bytes: usize,
    /// Paths as they may be shown: the same ones change over and over.
    paths: HashMap<BString, Rc<ShownPath>>,
}

struct Kept {
    path: BString,
    form: Form,
    content: Rc<Content<'static>>,
}

impl std::fmt::Debug for Memory {
    /// Only how much it holds.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Memory({} files, {} bytes)", self.kept.len(), self.bytes)
    }
}

impl Memory {
    /// Read one side of a file.
    pub(super) fn load<'a>(
        &mut self,
        snapshot: &'a dyn Snapshot,
        path: &BStr,
        id: &ContentId,
        form: Form,
        options: &Options,
    ) -> Result<Rc<Content<'a>>, ReadError> {
        if let Some(kept) = self.kept.get(id)
            && kept.form == form
            && kept.path == path
        {
            return Ok(Rc::clone(&kept.content) as Rc<Content<'a>>);
        }
        match snapshot.blob(path, id) {
            // What is borrowed costs nothing to have again.
            Ok(Cow::Borrowed(raw)) => Ok(Rc::new(Content::read(Cow::Borrowed(raw), path, form, options))),
            Ok(Cow::Owned(raw)) => {
                let content = Rc::new(Content::read(Cow::Owned(raw), path, form, options));
                self.keep(*id, Kept { path: path.into(), form, content: Rc::clone(&content) });
                Ok(content)
            }
            Err(ReadError::Limit { .. }) => Ok(Rc::new(Content::too_large())),
            Err(error) => Err(error),
        }
    }

    /// The path as it may be shown.
    pub(super) fn path(&mut self, path: &BStr, options: &Options) -> Rc<ShownPath> {
        if let Some(known) = self.paths.get(path) {
            return Rc::clone(known);
        }
        let shown = Rc::new(ShownPath::new(path, &options.rules));
        if self.paths.len() >= KEPT_PATHS {
            self.paths.clear();
        }
        self.paths.insert(path.into(), Rc::clone(&shown));
        shown
    }

    fn keep(&mut self, id: ContentId, kept: Kept) {
        self.bytes += kept.content.size();
        self.order.push_back(id);
        if let Some(same) = self.kept.insert(id, kept) {
            self.bytes -= same.content.size();
        }
        while self.bytes > KEPT_BYTES {
            let Some(oldest) = self.order.pop_front() else { break };
            self.bytes -= self.kept.remove(&oldest).map_or(0, |oldest| oldest.content.size());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_in_bytes_is_found_in_the_text_that_is_shown() {
        let raw = b"\xff a\xe9\xe8b \xfe";
        let found = |span: Range<usize>| vec![Finding { rule: RuleNumber(0), span }];
        for (span, expected) in [
            (2..6, "a<E9><E8>b"),
            (3..5, "<E9><E8>"),
            (0..8, "<FF> a<E9><E8>b <FE>"),
            (3..4, "<E9>"),
            (6..6, ""),
        ] {
            let (text, findings) = mended(raw, &found(span.clone()));
            assert_eq!(text, "<FF> a<E9><E8>b <FE>");
            assert_eq!(&text[findings[0].span.clone()], expected, "{span:?}");
        }
    }
}
