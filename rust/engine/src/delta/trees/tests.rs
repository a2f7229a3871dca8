use std::borrow::Cow;

use super::super::{Options, RewriteOptions, between};
use super::*;
use crate::snapshot::{Empty, Mapping, MappingEntry};

fn mapping(files: &[(&'static str, Mode, &'static str)]) -> Mapping<'static> {
    let entry = |&(path, mode, content): &(&'static str, Mode, &'static str)| MappingEntry {
        path: Cow::Borrowed(path.into()),
        mode,
        content: Cow::Borrowed(content.as_bytes()),
    };
    Mapping::new(files.iter().map(entry).collect()).expect("valid paths")
}

/// Keeps a mapping from being recognised as one, so that its trees are walked.
struct AsTrees<'a>(&'a Mapping<'a>);

impl Snapshot for AsTrees<'_> {
    fn root(&self) -> Result<Option<ContentId>, ReadError> {
        self.0.root()
    }
    fn tree(&self, path: &BStr, id: &ContentId) -> Result<Rc<[u8]>, ReadError> {
        self.0.tree(path, id)
    }
    fn blob(&self, path: &BStr, id: &ContentId) -> Result<Cow<'_, [u8]>, ReadError> {
        self.0.blob(path, id)
    }
}

fn describe(changes: &[Change]) -> Vec<String> {
    changes
        .iter()
        .map(|change| {
            let path = &change.path;
            match &change.kind {
                ChangeKind::Addition(_) => format!("A {path}"),
                ChangeKind::Deletion(_) => format!("D {path}"),
                ChangeKind::Modification { old, new } => {
                    format!("M {path} {} {}", old.mode.octal(), new.mode.octal())
                }
                ChangeKind::Rewrite { old_path, similarity, .. } => {
                    format!("R{similarity} {old_path} {path}")
                }
            }
        })
        .collect()
}

#[test]
fn trees_and_mappings_give_the_same_delta() {
    use Mode::{Executable, File, Link};
    let old = mapping(&[
        ("a", File, "file that becomes a directory"),
        ("a.c", File, "stays"),
        ("d/x", File, "directory that becomes a file"),
        ("deep/er/and/deeper", File, "1"),
        ("link", Link, "a"),
        ("mode.sh", File, "#!"),
    ]);
    let new = mapping(&[
        ("a.c", File, "stays"),
        ("a/b", File, "new"),
        ("d", File, "now a file"),
        ("deep/er/and/deeper", File, "2"),
        ("link", File, "a"),
        ("mode.sh", Executable, "#!"),
    ]);
    let expected = [
        "D a",
        "A a/b",
        "A d",
        "D d/x",
        "M deep/er/and/deeper 100644 100644",
        "M link 120000 100644",
        "M mode.sh 100644 100755",
    ];
    let options = Options::default();
    let delta = between(&old, &new, &options).expect("in memory");
    assert_eq!(describe(&delta.changes), expected);
    assert_eq!(between(&AsTrees(&old), &AsTrees(&new), &options), Ok(delta.clone()));
    assert_eq!(between(&AsTrees(&old), &new, &options), Ok(delta));
}

#[test]
fn a_delta_from_nothing_adds_everything() {
    let new = mapping(&[("a/b", Mode::File, "1"), ("c", Mode::File, "2")]);
    let delta = between(&Empty, &new, &Options::default()).expect("in memory");
    assert_eq!(describe(&delta.changes), ["A a/b", "A c"]);
    assert_eq!(between(&new, &Empty, &Options::default()).expect("in memory").changes.len(), 2);
    assert_eq!(between(&Empty, &Empty, &Options::default()).expect("in memory").changes.len(), 0);
}

#[test]
fn equal_subtrees_are_never_opened() {
    struct Refusing<'a>(&'a Mapping<'a>);
    impl Snapshot for Refusing<'_> {
        fn root(&self) -> Result<Option<ContentId>, ReadError> {
            self.0.root()
        }
        fn tree(&self, path: &BStr, id: &ContentId) -> Result<Rc<[u8]>, ReadError> {
            assert!(path.is_empty() || path == "changed", "opened {path}");
            self.0.tree(path, id)
        }
        fn blob(&self, _: &BStr, _: &ContentId) -> Result<Cow<'_, [u8]>, ReadError> {
            panic!("no file needs to be read")
        }
    }
    let old = mapping(&[("changed/x", Mode::File, "1"), ("same/x", Mode::File, "1")]);
    let new = mapping(&[("changed/x", Mode::File, "2"), ("same/x", Mode::File, "1")]);
    let delta = between(&Refusing(&old), &Refusing(&new), &Options::default()).expect("in memory");
    assert_eq!(describe(&delta.changes), ["M changed/x 100644 100644"]);
}

#[test]
fn a_scope_opens_only_what_it_reaches() {
    let old = mapping(&[]);
    let new = mapping(&[("a/b/c", Mode::File, "1"), ("a/d", Mode::File, "1"), ("b", Mode::File, "1")]);
    let options = Options { scope: Scope::new(["a/b"]), ..Options::default() };
    for delta in [between(&old, &new, &options), between(&AsTrees(&old), &AsTrees(&new), &options)] {
        assert_eq!(describe(&delta.expect("in memory").changes), ["A a/b/c"]);
    }
}

#[test]
fn rewrites_pair_same_content_then_same_name() {
    use Mode::File;
    let old = mapping(&[
        ("a/one", File, "1\n"),
        ("a/two", File, "1\n"),
        ("b/notes.txt", File, "first\nsecond\nthird\nfourth\n"),
        ("c/far.txt", File, "nothing in common"),
        ("e/empty", File, ""),
    ]);
    let new = mapping(&[
        ("x/two", File, "1\n"),
        ("y/other", File, "1\n"),
        ("z/notes.txt", File, "first\nsecond\nthird\nfifth\n"),
        ("z/far.txt", File, "quite another text"),
        ("z/empty", File, ""),
    ]);
    let options = Options { rewrites: Some(RewriteOptions::default()), ..Options::default() };
    let delta = between(&old, &new, &options).expect("in memory");
    assert_eq!(
        describe(&delta.changes),
        [
            "D c/far.txt",
            "D e/empty",
            "R100 a/two x/two",
            "R100 a/one y/other",
            "A z/empty",
            "A z/far.txt",
            "R73 b/notes.txt z/notes.txt",
        ]
    );
    let rewrites = delta.rewrites.expect("asked for");
    assert_eq!((rewrites.exact, rewrites.similar, rewrites.not_compared), (2, 1, 0));

    let limited = RewriteOptions { comparisons: 1, ..RewriteOptions::default() };
    let options = Options { rewrites: Some(limited), ..Options::default() };
    let delta = between(&old, &new, &options).expect("in memory");
    assert_eq!(delta.rewrites.expect("asked for").not_compared, 1);
}

#[test]
fn a_tree_without_bottom_is_refused() {
    struct Endless;
    impl Snapshot for Endless {
        fn root(&self) -> Result<Option<ContentId>, ReadError> {
            Ok(Some(ContentId([1; 20])))
        }
        fn tree(&self, _: &BStr, id: &ContentId) -> Result<Rc<[u8]>, ReadError> {
            let entry = TreeEntry { mode: Mode::Tree, name: "d".into(), id: *id };
            Ok(crate::snapshot::write_tree(&mut [entry]).into())
        }
        fn blob(&self, _: &BStr, _: &ContentId) -> Result<Cow<'_, [u8]>, ReadError> {
            panic!("there are no files")
        }
    }
    let error = between(&Empty, &Endless, &Options::default()).expect_err("too deep");
    assert!(matches!(error, ReadError::Limit { .. }));
}
