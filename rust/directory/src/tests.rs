use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    let root = directory.path();
    for (path, content) in [("a/x", "a/x"), ("a.c", "a.c"), ("a/b/y", "a/b/y"), ("z", "z")] {
        fs::create_dir_all(root.join(path).parent().expect("below the root")).expect("created");
        fs::write(root.join(path), content).expect("written");
    }
    fs::create_dir_all(root.join("a/.git/objects")).expect("created");
    fs::write(root.join("a/.git/HEAD"), "x").expect("written");
    fs::write(root.join(".git"), "gitdir: elsewhere").expect("written");
    fs::create_dir(root.join("empty")).expect("created");
    directory
}

fn open(root: &Path) -> Directory<'static> {
    Directory::open(root, &Options::default()).expect("listed")
}

#[test]
fn trees_are_those_of_git() {
    let directory = directory();
    // As in the tests of mappings: the tree that git writes for these files.
    let root = open(directory.path()).root().expect("read").expect("there");
    assert_eq!(root.to_string(), "d226e81ca918ad8ffee4de5ad76cec3da49d68bf");
}

#[test]
fn links_are_not_followed_and_executables_are_told_apart() {
    let directory = directory();
    let root = directory.path();
    symlink("../outside", root.join("link")).expect("linked");
    symlink(".", root.join("a/loop")).expect("linked");
    fs::set_permissions(root.join("z"), fs::Permissions::from_mode(0o755)).expect("set");
    let snapshot = open(root);
    let found = |path: &str| snapshot.find(path.into()).expect("read").expect("there");
    assert_eq!(found("link").mode, Mode::Link);
    assert_eq!(found("link").id, ContentId::of_blob(b"../outside"));
    assert_eq!(found("a/loop").mode, Mode::Link);
    assert_eq!(found("z").mode, Mode::Executable);
    assert_eq!(snapshot.blob("link".into(), &found("link").id).expect("read"), &b"../outside"[..]);
    assert_eq!(snapshot.find("a/.git/HEAD".into()), Ok(None));
    assert_eq!(snapshot.find(".git".into()), Ok(None));
}

#[test]
fn a_socket_is_passed_over() {
    let directory = directory();
    let before = open(directory.path()).root();
    let _socket = std::os::unix::net::UnixListener::bind(directory.path().join("socket")).expect("bound");
    assert_eq!(open(directory.path()).root(), before);
}

#[test]
fn a_file_that_changed_since_it_was_hashed_is_an_error() {
    let directory = directory();
    let snapshot = open(directory.path());
    snapshot.root().expect("hashed");
    fs::write(directory.path().join("z"), "other").expect("written");
    let error = snapshot.blob("z".into(), &ContentId::of_blob(b"z")).expect_err("changed");
    assert_eq!(error.to_string(), "z: changed while it was being read");
    fs::remove_file(directory.path().join("z")).expect("removed");
    let error = snapshot.blob("z".into(), &ContentId::of_blob(b"z")).expect_err("gone");
    assert_eq!(error.to_string(), "z: entity not found");
}

#[test]
fn limits_and_what_is_no_directory_are_named() {
    let directory = directory();
    let small = Options { file_size: 4, ..Options::default() };
    let error = Directory::open(directory.path(), &small).expect("listed").root().expect_err("too large");
    assert_eq!(error.to_string(), "a/b/y: larger than 4 bytes");
    let few = Options { files: 2, ..Options::default() };
    assert!(matches!(Directory::open(directory.path(), &few), Err(ReadError::Limit { .. })));
    let error = Directory::open(&directory.path().join("none"), &few).expect_err("not there");
    assert!(matches!(error, ReadError::Source { .. }));
}

#[test]
fn single_paths_are_those_of_the_listing() {
    let directory = directory();
    let root = directory.path();
    symlink("a", root.join("to")).expect("linked");
    let whole = open(root);
    let paths = [
        "z",
        "a/x",
        "a/b/y",
        "to",
        "to/x",
        "a",
        "a/",
        "/z",
        "./z",
        "a/../z",
        "a/.git/HEAD",
        ".git",
        "",
        "no",
        "a/b/no",
        "z/x",
        "z",
        "a\0b",
    ];
    let some = Directory::of_paths(root, paths.map(BStr::new), &Options::default());
    for path in paths {
        let found = whole.find(path.into()).expect("read");
        assert_eq!(some.find(path.into()), Ok(found), "{path}");
    }
}

#[test]
fn a_file_that_was_settled_when_it_was_hashed_may_not_change_either() {
    let directory = directory();
    // Older than a tick of the clock, so that its state alone is looked at.
    std::thread::sleep(std::time::Duration::from_millis(3_100));
    let snapshot = open(directory.path());
    snapshot.root().expect("hashed");
    let id = ContentId::of_blob(b"z");
    assert_eq!(snapshot.blob("z".into(), &id).expect("read"), &b"z"[..]);
    let file = fs::File::options().write(true).open(directory.path().join("z")).expect("opened");
    let before = file.metadata().expect("there").modified().expect("known");
    fs::write(directory.path().join("z"), "y").expect("written");
    // Whoever sets the time back does not set the time of the change back.
    file.set_modified(before).expect("set");
    let error = snapshot.blob("z".into(), &id).expect_err("changed");
    assert_eq!(error.to_string(), "z: changed while it was being read");
}
