//! Files in memory as a snapshot.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt;
use std::rc::Rc;

use bstr::{BStr, BString};

use super::{ContentId, Entry, MAX_DEPTH, Mode, ReadError, Snapshot, Trees};

/// One file of a [`Mapping`].
#[derive(Clone)]
pub struct MappingEntry<'a> {
    /// Bytes with `/` between the components.
    pub path: Cow<'a, BStr>,
    /// A file, an executable file or a link.
    pub mode: Mode,
    /// The bytes of the file, or the target of the link.
    pub content: Cow<'a, [u8]>,
}

impl fmt::Debug for MappingEntry<'_> {
    /// Without the content, which must never reach a log by way of a debug print.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {} ({} bytes)", self.mode.octal(), self.path, self.content.len())
    }
}

impl MappingEntry<'_> {
    fn same(&self, other: &Self) -> bool {
        let (a, b): (&[u8], &[u8]) = (&self.content, &other.content);
        self.mode == other.mode && a.len() == b.len() && (std::ptr::eq(a, b) || a == b)
    }

    pub(crate) fn entry(&self) -> Entry {
        Entry { path: self.path.clone().into_owned(), mode: self.mode, id: ContentId::of_blob(&self.content) }
    }
}

/// A path that no tree can hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvalidPath {
    /// The path as it was given.
    pub path: BString,
    /// The rule it breaks.
    pub rule: &'static str,
}

impl fmt::Display for InvalidPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "path {}: {}", crate::display::name(&self.path), self.rule)
    }
}

impl std::error::Error for InvalidPath {}

/// Files in memory: a snapshot that costs nothing to make.
///
/// Two mappings are compared by content and only what differs is hashed; next to a snapshot of
/// another kind the mapping builds git's trees, once.
#[derive(Debug, Default)]
pub struct Mapping<'a> {
    /// Sorted by path.
    entries: Vec<MappingEntry<'a>>,
    trees: OnceCell<Trees>,
}

impl<'a> Mapping<'a> {
    /// Take these files, in any order.
    ///
    /// # Errors
    /// [`InvalidPath`] where a path is absolute, empty, has an empty, `.` or `..` component or a
    /// NUL byte, stands twice, is both a file and a directory, or nests deeper than
    /// [`MAX_DEPTH`]; and where an entry is a directory or a submodule.
    pub fn new(mut entries: Vec<MappingEntry<'a>>) -> Result<Self, InvalidPath> {
        let invalid =
            |entry: &MappingEntry<'_>, rule| InvalidPath { path: entry.path.clone().into_owned(), rule };
        for entry in &entries {
            if let Some(rule) = broken_rule(&entry.path) {
                return Err(invalid(entry, rule));
            }
            if matches!(entry.mode, Mode::Tree | Mode::Submodule) {
                return Err(invalid(entry, "is neither a file nor a link"));
            }
        }
        if !entries.is_sorted_by(|a, b| a.path < b.path) {
            entries.sort_by(|a, b| a.path.cmp(&b.path));
            let twice = entries.windows(2).position(|pair| pair[0].path == pair[1].path);
            if let Some(at) = twice {
                return Err(invalid(&entries[at], "stands twice"));
            }
        }
        let mapping = Self { entries, trees: OnceCell::new() };
        if let Some(entry) = mapping.file_that_is_a_directory() {
            return Err(invalid(entry, "is a file and a directory"));
        }
        Ok(mapping)
    }

    /// The files, sorted by path.
    pub fn entries(&self) -> &[MappingEntry<'a>] {
        &self.entries
    }

    /// A file `a` that stands beside a file `a/…`.
    ///
    /// All paths that begin with the text of a path follow it in the order, so a stack of those
    /// that begin the current one is all there is to look at; it rarely holds any.
    fn file_that_is_a_directory(&self) -> Option<&MappingEntry<'a>> {
        let mut beginnings: Vec<&MappingEntry<'a>> = Vec::new();
        for entry in &self.entries {
            while beginnings.last().is_some_and(|beginning| !entry.path.starts_with(&beginning.path)) {
                beginnings.pop();
            }
            let found = beginnings.iter().find(|beginning| entry.path[beginning.path.len()] == b'/');
            if let Some(found) = found {
                return Some(found);
            }
            beginnings.push(entry);
        }
        None
    }

    fn get(&self, path: &BStr) -> Option<&MappingEntry<'a>> {
        self.entries.binary_search_by(|entry| (*entry.path).cmp(path)).ok().map(|at| &self.entries[at])
    }

    /// Walk both mappings side by side and report each path that differs.
    pub(crate) fn differences<'m>(
        &'m self,
        other: &'m Self,
        mut report: impl FnMut(Option<&'m MappingEntry<'a>>, Option<&'m MappingEntry<'a>>),
    ) {
        let (mut old, mut new) = (self.entries.iter().peekable(), other.entries.iter().peekable());
        loop {
            let order = match (old.peek(), new.peek()) {
                // Paths that were never copied are the same bytes, not just equal ones.
                (Some(a), Some(b)) if std::ptr::eq(a.path.as_ref(), b.path.as_ref()) => {
                    std::cmp::Ordering::Equal
                }
                (Some(a), Some(b)) => a.path.cmp(&b.path),
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (None, None) => return,
            };
            let a = if order.is_le() { old.next() } else { None };
            let b = if order.is_ge() { new.next() } else { None };
            if !matches!((a, b), (Some(a), Some(b)) if a.same(b)) {
                report(a, b);
            }
        }
    }

    fn trees(&self) -> &Trees {
        self.trees.get_or_init(|| {
            Trees::build(
                self.entries
                    .iter()
                    .map(|entry| (&*entry.path, entry.mode, ContentId::of_blob(&entry.content))),
            )
        })
    }
}

fn broken_rule(path: &BStr) -> Option<&'static str> {
    if path.is_empty() {
        return Some("is empty");
    }
    if path[0] == b'/' {
        return Some("is absolute");
    }
    let (mut start, mut depth) = (0, 1);
    for (at, byte) in path.iter().enumerate() {
        match byte {
            0 => return Some("has a NUL byte"),
            b'/' => {
                if let Some(rule) = broken_rule_of_component(&path[start..at]) {
                    return Some(rule);
                }
                start = at + 1;
                depth += 1;
            }
            _ => {}
        }
    }
    if depth > MAX_DEPTH {
        return Some("nests too deep");
    }
    broken_rule_of_component(&path[start..])
}

fn broken_rule_of_component(component: &[u8]) -> Option<&'static str> {
    match component {
        b"" => Some("has an empty component"),
        b"." | b".." => Some("has a . or .. component"),
        _ => None,
    }
}

impl Snapshot for Mapping<'_> {
    fn root(&self) -> Result<Option<ContentId>, ReadError> {
        Ok(Some(self.trees().root()))
    }

    fn tree(&self, path: &BStr, id: &ContentId) -> Result<Rc<[u8]>, ReadError> {
        let missing = || ReadError::Missing { path: path.into(), id: *id };
        self.trees().get(id).ok_or_else(missing)
    }

    fn blob(&self, path: &BStr, id: &ContentId) -> Result<Cow<'_, [u8]>, ReadError> {
        let missing = || ReadError::Missing { path: path.into(), id: *id };
        self.get(path).map(|entry| Cow::Borrowed(&*entry.content)).ok_or_else(missing)
    }

    fn find(&self, path: &BStr) -> Result<Option<Entry>, ReadError> {
        Ok(self.get(path).map(MappingEntry::entry))
    }

    fn has_directory(&self, path: &BStr) -> Result<bool, ReadError> {
        if path.is_empty() {
            return Ok(true);
        }
        let mut below = path.to_owned();
        below.push(b'/');
        let at = self.entries.partition_point(|entry| *entry.path < *below);
        Ok(self.entries.get(at).is_some_and(|entry| entry.path.starts_with(&below)))
    }

    fn as_mapping(&self) -> Option<&Mapping<'_>> {
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapping(paths: &[&'static str]) -> Result<Mapping<'static>, InvalidPath> {
        Mapping::new(
            paths
                .iter()
                .map(|path| MappingEntry {
                    path: Cow::Borrowed((*path).into()),
                    mode: Mode::File,
                    content: Cow::Borrowed(path.as_bytes()),
                })
                .collect(),
        )
    }

    #[test]
    fn paths_that_no_tree_can_hold_are_refused() {
        for (paths, rule) in [
            (&[""][..], "is empty"),
            (&["/a"], "is absolute"),
            (&["a//b"], "has an empty component"),
            (&["a/"], "has an empty component"),
            (&["a/../b"], "has a . or .. component"),
            (&["a\0"], "has a NUL byte"),
            (&["a", "a"], "stands twice"),
            (&["a/b", "a.c", "a"], "is a file and a directory"),
            (&["a/b/c", "a.c", "a"], "is a file and a directory"),
        ] {
            assert_eq!(mapping(paths).expect_err("refused").rule, rule, "{paths:?}");
        }
    }

    #[test]
    fn trees_are_those_of_git() {
        // git init; for p in a.c a/x a/b/y z; do mkdir -p $(dirname $p); printf %s $p >$p; done
        // git add . ; git write-tree
        let mapping = mapping(&["a/x", "z", "a.c", "a/b/y"]).expect("valid");
        let root = mapping.root().expect("in memory").expect("not empty");
        assert_eq!(root.to_string(), "d226e81ca918ad8ffee4de5ad76cec3da49d68bf");
        let found = mapping.find("a/b/y".into()).expect("in memory").expect("there");
        assert_eq!(found.id, ContentId::of_blob(b"a/b/y"));
        assert_eq!(mapping.find("a/b".into()), Ok(None));
    }

    #[test]
    fn a_debug_print_shows_no_content() {
        let content = Cow::Borrowed(&b"{\"key\": \"hidden\"}"[..]);
        let entry = MappingEntry { path: Cow::Borrowed("a.json".into()), mode: Mode::File, content };
        let document = crate::json::Document::parse(entry.content.clone()).expect("JSON");
        let mapping = Mapping::new(vec![entry]).expect("valid");
        let shown = format!("{mapping:?} {document:?} {:?}", document.root());
        assert!(
            shown.contains("a.json") && !shown.contains("hidden") && !shown.contains("104, 105"),
            "{shown}"
        );
    }

    #[test]
    fn a_mapping_without_files_is_the_empty_tree() {
        assert_eq!(mapping(&[]).expect("valid").root(), Ok(Some(ContentId::EMPTY_TREE)));
    }
}
