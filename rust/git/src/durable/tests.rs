//! What is forced to the disk, and when, told by a disk that keeps a list.

use std::sync::{Arc, Mutex};

use super::*;
use crate::store::Signature;

/// A disk that keeps a list of what was forced to it, by its name below the git directory, and of
/// whether the object or the reference that is looked for had its own name at that time.
#[derive(Clone)]
struct Listing {
    root: PathBuf,
    watched: Arc<Mutex<PathBuf>>,
    seen: Arc<Mutex<Vec<(String, bool)>>>,
    /// What can't be forced to the disk, by the end of its name.
    broken: Option<&'static str>,
}

impl Listing {
    fn taken(&self) -> Vec<(String, bool)> {
        std::mem::take(&mut *self.seen.lock().expect("a list"))
    }

    fn watch(&self, path: PathBuf) {
        *self.watched.lock().expect("a path") = path;
    }
}

impl Disk for Listing {
    fn sync(&self, path: &Path) -> io::Result<()> {
        assert!(path.exists(), "{} is not there", path.display());
        if self.broken.is_some_and(|end| path.ends_with(end)) {
            return Err(io::Error::other("no power"));
        }
        let below = path.strip_prefix(&self.root).expect("in the repository").display().to_string();
        let is_there = self.watched.lock().expect("a path").exists();
        self.seen.lock().expect("a list").push((below, is_there));
        Ok(())
    }
}

struct Case {
    folder: tempfile::TempDir,
    disk: Listing,
    writer: DurableWriter,
}

fn case(broken: Option<&'static str>) -> Case {
    let folder = tempfile::tempdir().expect("a folder");
    gix::init_bare(folder.path()).expect("a repository");
    let root = folder.path().to_owned();
    let disk = Listing { root: root.clone(), watched: Arc::default(), seen: Arc::default(), broken };
    let options = Options { write_reflog: gix::refs::store::WriteReflog::Always, ..Options::default() };
    let references = References::at_opts(root.clone(), gix::hash::Kind::Sha1, options);
    let writer = DurableWriter::over(&root, references, Box::new(disk.clone()));
    Case { folder, disk, writer }
}

fn names(seen: &[(String, bool)]) -> Vec<&str> {
    seen.iter().map(|(name, _)| name.as_str()).collect()
}

fn object(id: &ContentId) -> (String, String) {
    let hex = id.to_string();
    (format!("objects/{}", &hex[..2]), format!("objects/{}/{}", &hex[..2], &hex[2..]))
}

fn swap(case: &Case, expected: Option<ContentId>, new: ContentId) -> Result<Swapped, Error> {
    let who = Signature { name: "Mika".into(), email: "mika@example.org".into(), time: 1, offset: 0 };
    let name = "refs/notes/deep/x".into();
    case.writer.swap(&Swap { name, expected, new, who: &who, log: "notes: x" })
}

#[test]
fn an_object_is_on_the_disk_before_it_has_its_name() {
    let case = case(None);
    let id = ContentId::of_blob(b"content");
    let (_, path) = object(&id);
    case.disk.watch(case.folder.path().join(&path));
    assert_eq!(case.writer.write(Kind::Blob, b"content", |_| false).expect("written"), id);
    let seen = case.disk.taken();
    assert_eq!(seen.len(), 1);
    assert!(seen[0].0.starts_with("objects/tmp_objdir-") && !seen[0].1, "{seen:?}");
    assert!(case.folder.path().join(&path).exists());
    // Again: who wrote it may not have forced it to the disk.
    case.writer.write(Kind::Blob, b"content", |_| true).expect("written");
    assert_eq!(names(&case.disk.taken()), [path.as_str()]);
}

#[test]
fn an_object_of_a_pack_is_not_written() {
    let case = case(None);
    let id = case.writer.write(Kind::Blob, b"content", |_| true).expect("there");
    assert_eq!(id, ContentId::of_blob(b"content"));
    assert!(case.disk.taken().is_empty());
    assert!(!case.folder.path().join(object(&id).1).exists());
}

#[test]
fn objects_come_before_the_reference_and_the_reference_before_the_end() {
    let case = case(None);
    fs::write(case.folder.path().join(crate::lock::FILE_NAME), b"").expect("a record");
    let id = case.writer.write(Kind::Blob, b"content", |_| false).expect("written");
    case.disk.taken();
    case.disk.watch(case.folder.path().join("refs/notes/deep/x"));
    assert_eq!(swap(&case, None, id).expect("changed"), Swapped::Done);
    let seen = case.disk.taken();
    let (directory, _) = object(&id);
    let expected = [
        (directory.as_str(), false),
        ("objects", false),
        ("versiondiff.lock", false),
        ("refs/notes/deep/x.lock", false),
        ("refs/notes/deep", true),
        ("refs/notes", true),
        ("refs", true),
        ("", true),
        ("logs/refs/notes/deep/x", true),
        ("logs/refs/notes/deep", true),
        ("logs/refs/notes", true),
        ("logs/refs", true),
        ("logs", true),
        ("", true),
    ];
    assert_eq!(seen.iter().map(|(name, there)| (name.as_str(), *there)).collect::<Vec<_>>(), expected);
    // Directories of objects are not forced to the disk again where nothing came into them.
    let other = ContentId::of_blob(b"other");
    assert_eq!(swap(&case, Some(id), other).expect("changed"), Swapped::Done);
    assert!(!names(&case.disk.taken()).contains(&"objects"));
}

#[test]
fn a_reference_that_holds_something_else_stays() {
    let case = case(None);
    let (one, other) = (ContentId::of_blob(b"one"), ContentId::of_blob(b"other"));
    assert_eq!(swap(&case, None, one).expect("changed"), Swapped::Done);
    assert_eq!(swap(&case, Some(other), other).expect("told"), Swapped::Moved);
    let held = fs::read_to_string(case.folder.path().join("refs/notes/deep/x")).expect("a reference");
    assert_eq!(held.trim(), one.to_string());
}

#[test]
fn what_can_not_be_forced_to_the_disk_changes_no_reference() {
    for broken in ["x.lock", "objects"] {
        let case = case(Some(broken));
        let id = case.writer.write(Kind::Blob, b"content", |_| false).expect("written");
        let error = swap(&case, None, id).expect_err("not on the disk").to_string();
        assert!(error.contains("can't be forced to the disk: no power"), "{error}");
        assert!(!case.folder.path().join("refs/notes/deep/x").exists());
        assert!(!case.folder.path().join("refs/notes/deep/x.lock").exists());
    }
}

#[test]
fn nothing_is_left_aside() {
    let case = case(None);
    case.writer.write(Kind::Blob, b"content", |_| false).expect("written");
    drop(case.writer);
    let left = fs::read_dir(case.folder.path().join("objects")).expect("objects");
    let left =
        left.filter_map(Result::ok).any(|entry| entry.file_name().to_string_lossy().starts_with("tmp_"));
    assert!(!left);
}

#[test]
fn the_real_disk_takes_files_and_directories() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("in")).expect("a directory");
    fs::write(folder.path().join("in/file"), b"x").expect("a file");
    sync_tree(folder.path()).expect("on the disk");
    let missing = folder.path().join("missing");
    assert_eq!(sync_path(&missing).expect_err("nothing is there").0, missing);
}
