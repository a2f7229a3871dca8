//! The promises of the import: whole or nothing, clear refusals, and what git itself makes of it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::{History, ImportError, create};
use crate::durable::Durability;

/// A history with a branch, a merge, a tag, binary content, and a file that becomes a folder.
fn history() -> Value {
    let author = json!({"name": "Ada", "email": "ada@example.com"});
    let version = |key: &str, parents: &[&str], time: u64, files: Value| {
        json!({"key": key, "parents": parents, "message": format!("Run: {key}"), "author": author,
               "time": time, "files": files})
    };
    json!({
        "formatVersion": 1,
        "head": "main",
        "branches": {"main": "merged", "try-a/b": "side"},
        "tags": {"v1": {"version": "root", "memo": "kept", "tagger": author, "time": 5}},
        "versions": [
            version("merged", &["second", "side"], 4, json!({"only/in/side": "x\n"})),
            version("root", &[], 1, json!({"a": "a\n", "b/c": "c", "b.c": "", "run.sh": {"text": "#!\n", "mode": "100755"}})),
            version("second", &["root"], 2, json!({"a": null, "a/b": {"base64": "AAH/"}, "b/c": null})),
            version("side", &["root"], 3, json!({"only/in/side": "x\n", "名前": "日本\n"})),
        ],
    })
}

fn parse(history: &Value) -> Result<History, ImportError> {
    History::parse(history.to_string().as_bytes())
}

/// git, without anyone's configuration.
fn git(place: &Path, arguments: &[&str], input: &[u8]) -> String {
    use std::io::Write as _;
    let mut child = Command::new("git")
        .current_dir(place)
        .args(arguments)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env_remove("GIT_DIR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("git is there");
    child.stdin.take().expect("piped").write_all(input).expect("git reads");
    let output = child.wait_with_output().expect("git ends");
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The same history as a stream for `git fast-import`; `mark` numbers count from one.
fn fast_import_stream(history: &Value, order: &[&str]) -> Vec<u8> {
    use base64::Engine as _;
    let mut out = Vec::new();
    let mark = |key: &str| order.iter().position(|known| *known == key).expect("known") + 1;
    let person = |value: &Value, time: &Value| {
        format!(
            "{} <{}> {time} +0000",
            value["name"].as_str().expect("text"),
            value["email"].as_str().expect("text")
        )
    };
    for key in order {
        let version =
            history["versions"].as_array().expect("list").iter().find(|v| v["key"] == *key).expect("known");
        let who = person(&version["author"], &version["time"]);
        let message = format!("{}\n", version["message"].as_str().expect("text"));
        let mut head = format!(
            "commit refs/heads/import-{}\nmark :{}\nauthor {who}\ncommitter {who}\n",
            mark(key),
            mark(key)
        );
        write!(head, "data {}\n{message}", message.len()).expect("in memory");
        for (at, parent) in version["parents"].as_array().expect("list").iter().enumerate() {
            let word = if at == 0 { "from" } else { "merge" };
            writeln!(head, "{word} :{}", mark(parent.as_str().expect("text"))).expect("in memory");
        }
        out.extend(head.bytes());
        let files = version["files"].as_object().expect("object");
        for (path, _) in files.iter().filter(|(_, file)| file.is_null()) {
            out.extend(format!("D {path}\n").bytes());
        }
        for (path, file) in files.iter().filter(|(_, file)| !file.is_null()) {
            let content = match (file.as_str().or(file["text"].as_str()), file["base64"].as_str()) {
                (Some(text), _) => text.as_bytes().to_vec(),
                (None, Some(encoded)) => {
                    base64::engine::general_purpose::STANDARD.decode(encoded).expect("valid")
                }
                (None, None) => panic!("no content"),
            };
            let mode = file["mode"].as_str().unwrap_or("100644");
            out.extend(format!("M {mode} inline {path}\ndata {}\n", content.len()).bytes());
            out.extend(content);
            out.push(b'\n');
        }
    }
    out
}

#[test]
fn ids_equal_those_of_git_fast_import() {
    let folder = tempfile::tempdir().expect("a folder");
    let created =
        create(&folder.path().join("made"), &parse(&history()).expect("valid"), Durability::Process)
            .expect("made");

    let oracle = folder.path().join("oracle");
    fs::create_dir(&oracle).expect("a folder");
    git(&oracle, &["init", "-q", "--bare", "."], b"");
    let order = ["root", "second", "side", "merged"];
    let stream = fast_import_stream(&history(), &order);
    git(&oracle, &["fast-import", "--quiet", "--export-marks=marks"], &stream);
    let marks = fs::read_to_string(oracle.join("marks")).expect("written");
    let expected: BTreeMap<String, String> = marks
        .lines()
        .filter_map(|line| line.strip_prefix(':')?.split_once(' '))
        .map(|(mark, id)| (order[mark.parse::<usize>().expect("a number") - 1].to_owned(), id.to_owned()))
        .collect();
    assert_eq!(created.versions, expected);
}

#[test]
fn git_finds_a_whole_and_clean_repository() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("deep/er/made");
    let created = create(&place, &parse(&history()).expect("valid"), Durability::Process).expect("made");
    git(&place, &["fsck", "--strict", "--no-dangling"], b"");
    assert_eq!(git(&place, &["status", "--porcelain"], b""), "");
    assert_eq!(git(&place, &["symbolic-ref", "HEAD"], b""), "refs/heads/main\n");
    assert_eq!(git(&place, &["rev-parse", "HEAD"], b"").trim(), created.versions["merged"]);
    assert_eq!(git(&place, &["rev-parse", "refs/heads/try-a/b"], b"").trim(), created.versions["side"]);
    assert_eq!(git(&place, &["cat-file", "-t", "v1"], b""), "tag\n");
    assert_eq!(git(&place, &["rev-parse", "v1"], b"").trim(), created.tags["v1"]);
    assert_eq!(git(&place, &["rev-parse", "v1^{commit}"], b"").trim(), created.versions["root"]);
    assert_eq!(git(&place, &["tag", "-n", "-l"], b""), "v1              kept\n");
    let files =
        git(&place, &["-c", "core.quotePath=false", "ls-files", "--format=%(objectmode) %(path)"], b"");
    assert_eq!(files, "100644 a/b\n100644 b.c\n100644 only/in/side\n100755 run.sh\n");
    assert_eq!(fs::read(place.join("a/b")).expect("checked out"), [0, 1, 255]);
    assert!(!place.join(".git/hooks").exists());
    let beside = fs::read_dir(place.parent().expect("has one")).expect("readable").count();
    assert_eq!(beside, 1, "nothing is left beside the repository");
}

#[test]
fn only_an_empty_place_is_taken() {
    let folder = tempfile::tempdir().expect("a folder");
    let history = parse(&history()).expect("valid");
    create(folder.path(), &history, Durability::Process).expect("an empty folder is taken");
    let before = fs::read_dir(folder.path()).expect("readable").count();
    assert!(matches!(
        create(folder.path(), &history, Durability::Process),
        Err(ImportError::Occupied { .. })
    ));
    assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), before);
    let file = folder.path().join("run.sh");
    assert!(matches!(create(&file, &history, Durability::Process), Err(ImportError::Occupied { .. })));
}

#[test]
fn a_failure_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut broken = history();
    broken["versions"][0]["files"]["no/such/file"] = Value::Null;
    let place = folder.path().join("made");
    let error = create(&place, &parse(&broken).expect("told only when replayed"), Durability::Process)
        .expect_err("refused");
    assert_eq!(
        error.to_string(),
        r#"history file: version "merged": file "no/such/file": is deleted but is not in the first parent"#
    );
    assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 0);
}

/// Breaks one rule of a valid history.
type Change = fn(&mut Value);

#[test]
fn what_breaks_a_rule_is_refused_by_place_and_rule() {
    let set = |change: Change| {
        let mut value = history();
        change(&mut value);
        match parse(&value).and_then(|history| {
            let folder = tempfile::tempdir().expect("a folder");
            create(&folder.path().join("made"), &history, Durability::Process)
        }) {
            Ok(_) => "accepted".to_owned(),
            Err(error) => error.to_string().trim_start_matches("history file: ").to_owned(),
        }
    };
    let cases: &[(Change, &str)] = &[
        (|h| h["formatVersion"] = json!(2), "formatVersion: only version 1 is known"),
        (|h| h["head"] = json!("x"), "head: is none of the branches"),
        (|h| h["branches"]["x"] = json!("nope"), r#"branch "x": names an unknown version"#),
        (|h| h["branches"]["a..b"] = json!("root"), r#"branch "a..b": is not allowed as a name by git"#),
        (|h| h["branches"]["HEAD"] = json!("root"), r#"branch "HEAD": is not allowed as a name by git"#),
        (|h| h["branches"]["-x"] = json!("root"), r#"branch "-x": must not start with a dash"#),
        (|h| h["branches"]["try-a"] = json!("root"), r#"branch "try-a": another name has it as a folder"#),
        (|h| h["tags"]["v 1"] = h["tags"]["v1"].clone(), r#"tag "v 1": is not allowed as a name by git"#),
        (|h| h["versions"][0]["parents"][1] = json!("nope"), r#"version "merged": has an unknown parent"#),
        (|h| h["versions"][0]["parents"][1] = json!("second"), r#"version "merged": names a parent twice"#),
        (
            |h| h["versions"][1]["parents"] = json!(["merged"]),
            r#"version "merged": is, or comes after, its own ancestor"#,
        ),
        (|h| h["versions"][2]["key"] = json!("root"), r#"version "root": stands twice"#),
        (|h| h["versions"][2]["key"] = json!(""), r#"version "": has a blank key"#),
        (
            |h| {
                let mut lost = h["versions"][3].clone();
                lost["key"] = json!("lost");
                h["versions"].as_array_mut().expect("list").push(lost);
            },
            r#"version "lost": is on no branch and under no tag"#,
        ),
        (
            |h| h["versions"][0]["author"]["name"] = json!("a\nb"),
            r#"version "merged": author: must not have <, >, line ends or NUL"#,
        ),
        (
            |h| h["versions"][0]["author"]["name"] = json!(" "),
            r#"version "merged": author: has a blank name"#,
        ),
        (|h| h["versions"][0]["message"] = json!("a\0"), r#"version "merged": message: must not have NUL"#),
        (
            |h| h["versions"][0]["time"] = json!(1_u64 << 60),
            r#"version "merged": has a time after the year 9999"#,
        ),
        (
            |h| h["versions"][0]["files"]["x"] = json!({"base64": "?"}),
            r#"version "merged": file "x": is no valid base64"#,
        ),
        (
            |h| h["versions"][0]["files"]["x"] = json!({"text": "a", "base64": ""}),
            r#"version "merged": file "x": needs one of text and base64"#,
        ),
        (
            |h| h["versions"][0]["files"]["a"] = json!("a"),
            r#"version "merged": file "a": is a file and a folder"#,
        ),
        (
            |h| h["versions"][0]["files"]["b.c/d"] = json!("a"),
            r#"version "merged": file "b.c": is a file and a folder"#,
        ),
    ];
    for (change, expected) in cases {
        assert_eq!(set(*change), *expected);
    }
}

#[test]
fn paths_that_could_leave_the_project_or_enter_its_git_folder_are_refused() {
    for path in [
        "",
        "/a",
        "a//b",
        "a/",
        "a/../b",
        "./a",
        "a\0",
        ".git/config",
        ".GIT/config",
        "a/.git",
        "git~1/x",
        ".g\u{200c}it/x",
        "a\\b",
        "c:/x",
        "con",
        ".gitmodules",
    ] {
        let mut value = history();
        value["versions"][1]["files"][path] = json!("x");
        let folder = tempfile::tempdir().expect("a folder");
        let error = create(
            &folder.path().join("made"),
            &parse(&value).expect("told when replayed"),
            Durability::Process,
        );
        assert!(matches!(error, Err(ImportError::Invalid { .. })), "{path:?}");
    }
}

#[test]
fn unknown_fields_and_repeated_keys_are_refused_and_values_are_not_quoted() {
    let refused = |text: &str| parse_text(text).expect_err("refused").to_string();
    assert_eq!(refused("{"), "history file: line 1 column 1: is no valid JSON");
    assert_eq!(
        refused(r#"{"runs": 1}"#),
        "history file: line 1 column 7: unknown field `runs`, expected one of `formatVersion`, `head`, \
         `branches`, `tags`, `versions`"
    );
    assert_eq!(
        refused(r#"{"branches": {"a": "x", "a": "y"}}"#),
        "history file: line 1 column 33: the key \"a\" stands twice"
    );
    assert_eq!(
        refused(r#"{"formatVersion": "secret"}"#),
        "history file: line 1 column 26: a value is not of the documented type"
    );
}

fn parse_text(text: &str) -> Result<History, ImportError> {
    History::parse(text.as_bytes())
}
