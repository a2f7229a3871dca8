use std::borrow::Cow;

use super::*;
use crate::snapshot::{Mapping, MappingEntry};

fn package<'a>(files: &'a [(&'a str, Mode, &'a str)]) -> Mapping<'a> {
    let entry = |&(path, mode, content): &(&'a str, Mode, &'a str)| MappingEntry {
        path: Cow::Borrowed(path.into()),
        mode,
        content: Cow::Borrowed(content.as_bytes()),
    };
    Mapping::new(files.iter().map(entry).collect()).expect("valid paths")
}

fn compared<'a>(old: &'a Mapping<'_>, new: &'a Mapping<'_>) -> Vec<FileChange<'a>> {
    let options = Options::default();
    let delta = changes(old, new, &options).expect("can be read");
    delta.changes.iter().map(|change| compare(change, old, new, &options).expect("can be read")).collect()
}

#[test]
fn what_is_gone_comes_last_and_directories_stand_where_their_names_do() {
    let old = [("a.rb", Mode::File, "1\n"), ("b/gone", Mode::File, "2\n"), ("z", Mode::File, "3\n")];
    let new = [("a.rb", Mode::File, "1\n2\n"), ("a/x.rb", Mode::File, "4\n"), ("z", Mode::Executable, "3\n")];
    let (old, new) = (package(&old), package(&new));
    let files = compared(&old, &new);
    let rows: Vec<_> = files.iter().map(|file| (file.path.to_string(), file.status)).collect();
    assert_eq!(
        rows,
        [
            ("a/x.rb".to_owned(), Status::Added),
            ("a.rb".to_owned(), Status::Changed),
            ("z".to_owned(), Status::ModeChanged),
            ("b/gone".to_owned(), Status::Deleted),
        ]
    );
    assert_eq!(files[2].findings, [Finding::from(FindingKind::MadeExecutable)]);
}

#[test]
fn a_hunk_has_signs_and_says_where_no_line_feed_is() {
    let (old, new) = ([("a", Mode::File, "def x\n 1\n2")], [("a", Mode::File, "def x\n 1\n2\n3")]);
    let (old, new) = (package(&old), package(&new));
    let files = compared(&old, &new);
    let hunk = &files[0].hunks.list()[0];
    let mut body = Vec::new();
    files[0].hunks.write_body(hunk, &mut |piece| body.extend_from_slice(piece));
    assert_eq!(
        String::from_utf8_lossy(&body),
        " def x\n  1\n-2\n\\ No newline at end of file\n+2\n+3\n\\ No newline at end of file\n"
    );
    assert_eq!((hunk.old_start(), hunk.old.len(), hunk.new_start(), hunk.new.len()), (1, 3, 1, 4));
}

#[test]
fn links_that_leave_the_root_are_found() {
    let new = [("a/inside", Mode::Link, "../b"), ("a/outside", Mode::Link, "../../etc/passwd")];
    let kinds = |file: &FileChange<'_>| file.findings.iter().map(|finding| finding.kind).collect::<Vec<_>>();
    let (old, new) = (package(&[]), package(&new));
    let files = compared(&old, &new);
    assert_eq!(kinds(&files[0]), [FindingKind::NewLink]);
    assert_eq!(kinds(&files[1]), [FindingKind::NewLink, FindingKind::LinkOutside]);
}
