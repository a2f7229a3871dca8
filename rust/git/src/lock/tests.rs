use std::cell::Cell;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use versiondiff_engine::snapshot::ContentId;

use super::{FILE_NAME, WriteLock};
use crate::Error;
use crate::wait::{Wait, sleep};

const REF_LOCK: &str = "refs/notes/x.lock";

fn hold(directory: &Path, files: &[&str], milliseconds: u64) -> Result<WriteLock, Error> {
    let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
    WriteLock::hold(directory, &files, &mut Wait::new(Duration::from_millis(milliseconds), &sleep))
}

fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    fs::create_dir_all(directory.path().join("refs/notes")).expect("directories");
    directory
}

/// The record of a writer that died while it held the lock and these names.
fn leave_record(directory: &Path, value: Option<ContentId>, file: &str) {
    let mut lock = hold(directory, &[], 0).expect("free");
    lock.name(file, value, &mut Wait::new(Duration::ZERO, &sleep)).expect("named");
    let record = fs::read(directory.join(FILE_NAME)).expect("a record");
    assert!(record.ends_with(b"end\n"));
    drop(lock);
    assert_eq!(fs::read(directory.join(FILE_NAME)).expect("the file"), b"");
    fs::write(directory.join(FILE_NAME), record).expect("written");
}

#[test]
fn threads_exclude_each_other_and_one_holds_it_more_than_once() {
    let directory = directory();
    let outer = hold(directory.path(), &[], 0).expect("free");
    let inner = hold(directory.path(), &[REF_LOCK], 0).expect("this thread holds it");
    let other = || std::thread::scope(|scope| scope.spawn(|| hold(directory.path(), &[], 30).is_ok()).join());
    assert!(!other().expect("no panic"));
    drop(outer);
    assert!(!other().expect("no panic"), "the inner one still holds it");
    drop(inner);
    assert!(other().expect("no panic"));
}

#[test]
fn a_file_that_two_holders_name_stays_named_until_both_are_done() {
    let directory = directory();
    let record = || fs::read_to_string(directory.path().join(FILE_NAME)).expect("a record");
    let outer = hold(directory.path(), &[REF_LOCK], 0).expect("free");
    let mut inner = hold(directory.path(), &["index.lock"], 0).expect("this thread holds it");
    inner.name(REF_LOCK, None, &mut Wait::new(Duration::ZERO, &sleep)).expect("named");
    assert_eq!(record().matches(REF_LOCK).count(), 2);
    inner.forget(REF_LOCK).expect("forgotten");
    assert_eq!(record().matches(REF_LOCK).count(), 1);
    drop(inner);
    assert!(record().contains(REF_LOCK) && !record().contains("index.lock"));
    drop(outer);
    assert_eq!(record(), "");
}

#[test]
fn a_conflict_names_the_lock_file_and_waiting_can_be_ended() {
    let directory = directory();
    let _held = hold(directory.path(), &[], 0).expect("free");
    let path = directory.path();
    std::thread::scope(|scope| {
        let conflict = scope.spawn(|| hold(path, &[], 20).expect_err("held").to_string());
        assert!(conflict.join().expect("no panic").contains(FILE_NAME));
        let interrupted = scope.spawn(|| {
            let pauses = Cell::new(0);
            let pause = |_| {
                pauses.set(pauses.get() + 1);
                if pauses.get() == 3 { Err(Error::Interrupted) } else { Ok(()) }
            };
            matches!(
                WriteLock::hold(path, &[], &mut Wait::new(Duration::MAX, &pause)),
                Err(Error::Interrupted)
            )
        });
        assert!(interrupted.join().expect("no panic"));
    });
}

#[test]
fn what_a_killed_writer_left_goes_away() {
    let directory = directory();
    let path = directory.path();
    let new = ContentId::of_blob(b"new");
    for content in [format!("{new}\n"), new.to_string(), String::new()] {
        leave_record(path, Some(new), REF_LOCK);
        fs::write(path.join(REF_LOCK), content).expect("written");
        let begin = Instant::now();
        drop(hold(path, &[], 0).expect("free"));
        assert!(!path.join(REF_LOCK).exists());
        assert!(begin.elapsed() < Duration::from_secs(2));
    }
    leave_record(path, Some(new), REF_LOCK);
    let file = fs::File::create(path.join(REF_LOCK)).expect("created");
    std::io::Write::write_all(&mut &file, format!("{new}\n").as_bytes()).expect("written");
    file.set_modified(SystemTime::now() + Duration::from_secs(60)).expect("set");
    drop(hold(path, &[], 0).expect("free"));
    assert!(!path.join(REF_LOCK).exists(), "it holds what no other would write");
    leave_record(path, None, "index.lock");
    fs::write(path.join("index.lock"), "half an index").expect("written");
    drop(hold(path, &["index.lock"], 0).expect("free"));
    assert!(!path.join("index.lock").exists());
}

#[test]
fn what_is_not_known_to_be_left_by_one_stays() {
    let directory = directory();
    let path = directory.path();
    let lock = path.join(REF_LOCK);
    let new = ContentId::of_blob(b"new");
    let stays = |why: &str| {
        drop(hold(path, &[], 0).expect("free"));
        assert!(lock.exists(), "{why}");
        fs::remove_file(&lock).expect("removed");
    };
    leave_record(path, Some(new), REF_LOCK);
    fs::write(&lock, format!("{}\n", ContentId::of_blob(b"other"))).expect("written");
    stays("it holds what another writes");
    let held_at = |seconds: i64| {
        let file = fs::File::create(&lock).expect("created");
        let now = SystemTime::now();
        let offset = Duration::from_secs(seconds.unsigned_abs());
        let time = if seconds < 0 { now - offset } else { now + offset };
        file.set_modified(time).expect("set");
    };
    leave_record(path, Some(new), REF_LOCK);
    held_at(-5);
    stays("it is older than the record");
    leave_record(path, Some(new), REF_LOCK);
    held_at(5);
    stays("it is younger than the dead writer");
    fs::write(path.join(FILE_NAME), format!("versiondiff 1 0\n- {REF_LOCK}\n")).expect("written");
    held_at(0);
    stays("the record has no end");
    held_at(0);
    stays("there is no record");
    for name in ["../x.lock", "/x.lock", "HEAD", FILE_NAME, "a\\..\\x.lock", ""] {
        assert!(matches!(hold(path, &[name], 0), Err(Error::Invalid { .. })), "{name}");
    }
}

#[test]
fn lock_files_that_others_hold_are_waited_for() {
    let directory = directory();
    let path = directory.path();
    fs::write(path.join("index.lock"), "").expect("written");
    let error = hold(path, &["index.lock"], 20).expect_err("held").to_string();
    assert!(error.starts_with("index: ") && error.contains("index.lock"), "{error}");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(30));
            fs::remove_file(path.join("index.lock")).expect("removed");
        });
        drop(hold(path, &["index.lock"], 5_000).expect("free in the end"));
    });
    assert_eq!(fs::read(path.join(FILE_NAME)).expect("the file"), b"");
}

#[test]
fn a_directory_that_can_not_be_written_is_said() {
    let directory = directory();
    fs::create_dir(directory.path().join(FILE_NAME)).expect("made");
    let error = hold(directory.path(), &[], 0).expect_err("no file").to_string();
    assert!(error.contains("can't be written: versiondiff.lock"), "{error}");
}
