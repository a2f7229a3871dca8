//! Kinds, levelled paths, and the snapshot of what is compared.

use bstr::ByteSlice;

use super::building::{gem, gzip, member, tar, zip};
use crate::{EntryKind, Error, Flag, Kind, Limit, Limits, Package, ReasonKind};

fn read(bytes: &[u8]) -> Package {
    Package::read(bytes, &Limits::default()).expect("it is an archive")
}

fn compared(package: &Package) -> Vec<(String, Vec<u8>)> {
    let mapping = package.mapping().expect("what is compared fits a tree");
    mapping.entries().iter().map(|entry| (entry.path.to_string(), entry.content.to_vec())).collect()
}

#[test]
fn kinds_are_told_by_content() {
    for (kind, file) in [
        (Kind::Sdist, "x-1.0/PKG-INFO"),
        (Kind::Crate, "x-1.0/Cargo.toml"),
        (Kind::Npm, "package/package.json"),
        (Kind::Tar, "x-1.0/README"),
    ] {
        let package = read(&gzip(&tar(&[(file, b""), ("README", b"")])));
        assert_eq!(package.kind, kind);
        let package = read(&gzip(&tar(&[(file, b"")])));
        assert_eq!(package.entries[0].path, file.rsplit('/').next().expect("it has a name"));
    }
    assert_eq!(read(&zip(&[("x-1.0.dist-info/WHEEL", b"")])).kind, Kind::Wheel);
    assert_eq!(read(&zip(&[("x-1.0/PKG-INFO", b"")])).kind, Kind::Sdist);
    assert_eq!(read(&zip(&[("a", b"")])).kind, Kind::Zip);
    assert_eq!(read(&gem(&[("a", b"")])).kind, Kind::Gem);
}

#[test]
fn the_same_files_are_compared_whatever_holds_them() {
    let files: [(&str, &[u8]); 3] = [("x-1/a", b"1"), ("x-1/b/c", b""), ("x-1/b/d", &[7; 10_000])];
    let expected: Vec<(String, Vec<u8>)> =
        files.iter().map(|(name, content)| (name[4..].to_owned(), content.to_vec())).collect();
    for bytes in [tar(&files), gzip(&tar(&files)), gzip(&gzip(&tar(&files))), zip(&files)] {
        assert_eq!(compared(&read(&bytes)), expected);
    }
}

#[test]
fn every_entry_is_listed_and_the_safe_ones_are_compared() {
    let mut bytes = Vec::new();
    for (name, content, kind) in [
        ("../up", "x", b'0'),
        ("/root", "x", b'0'),
        ("a", "first", b'0'),
        ("a", "last", b'0'),
        ("a/below", "x", b'0'),
        ("A", "x", b'0'),
        ("device", "", b'3'),
        ("folder/", "", b'5'),
    ] {
        bytes.extend(member(name.as_bytes(), content.as_bytes(), kind));
    }
    bytes.resize(bytes.len() + 1024, 0);
    let package = read(&bytes);
    assert_eq!(package.entries.len(), 8);
    assert_eq!(compared(&package), [("A".to_owned(), b"x".to_vec()), ("a".to_owned(), b"last".to_vec())]);
    let flags: Vec<&[Flag]> = package.entries.iter().map(|entry| &entry.flags[..]).collect();
    assert_eq!(
        flags,
        [
            &[Flag::LeavesRoot][..],
            &[Flag::AbsoluteName],
            &[Flag::Duplicate, Flag::CaseTwin],
            &[Flag::Duplicate, Flag::CaseTwin],
            &[Flag::BelowFile],
            &[Flag::CaseTwin],
            &[Flag::Device],
            &[],
        ]
    );
    assert_eq!(package.entries[7].kind, EntryKind::Directory);
}

#[test]
fn limits_say_which_they_are() {
    let bytes = gzip(&tar(&[("a", &[0; 5_000]), ("b", b"")]));
    for (limits, limit) in [
        (Limits { unpacked_bytes: 5_000, ..Limits::default() }, Limit::UnpackedBytes),
        (Limits { entries: 1, ..Limits::default() }, Limit::Entries),
        (Limits { file_bytes: 4_999, ..Limits::default() }, Limit::FileBytes),
        (Limits { nesting: 1, ..Limits::default() }, Limit::Nesting),
    ] {
        match Package::read(&bytes, &limits) {
            Err(Error::Limit { limit: met, .. }) => assert_eq!(met, limit),
            other => panic!("{limit} was not met: {other:?}"),
        }
    }
}

#[test]
fn a_watch_ends_the_reading() {
    let read = Package::read_watched(&gzip(&tar(&[("a", b"")])), &Limits::default(), &|_| false);
    assert_eq!(read.err(), Some(Error::Interrupted));
}

#[test]
fn what_follows_is_a_reason() {
    let mut bytes = gzip(&tar(&[("a", b"")]));
    bytes.extend_from_slice(b"after");
    let package = read(&bytes);
    assert_eq!(package.reasons.len(), 1);
    assert_eq!((package.reasons[0].kind, package.reasons[0].bytes), (ReasonKind::TrailingData, 5));
}

#[test]
fn the_listing_is_json_without_content() {
    let package = read(&member(b"caf\xe9", b"secret", b'0'));
    let mut json = Vec::new();
    package.write_json(&mut json);
    assert_eq!(
        json.as_bstr(),
        concat!(
            r#"{"kind":"tar","entries":[{"path":"caf"#,
            "\u{fffd}",
            r#"","raw_path":"Y2Fm6Q==","kind":"file","size":6,"compared":"100644","flags":["not_utf8"]}],"#,
            r#""reasons":[{"kind":"no_end","count":1}]}"#
        )
    );
}
