//! Records of the built-in `tsugumi` format.

mod support;

use support::{lines, record};

const CARD: &str = r#"{"name": "bands", "kind": "process", "inputs": [{"name": "events", "type": "Events"}],
    "parameters": {"lo": {"type": "number", "value": 0.5}, "hi": {"type": "number", "value": 7}}}"#;
const META: &str = r#"{"title": "Bands", "comments": [
    {"id": "c1", "text": "why 0.5?", "author": "user", "state": "open"},
    {"id": "c2", "text": "done", "author": "agent", "state": "resolved", "resolvedBy": "user"}]}"#;
const LINK: &str = r#"{"links": [{"from": "load", "output": "events", "input": "events"}]}"#;

fn project() -> Vec<(&'static str, &'static str)> {
    vec![
        (
            "tsugumi.json",
            r#"{"formatVersion": 1, "name": "Cas A", "pkgsPath": "tsugumi:default", "trigger": "load"}"#,
        ),
        ("layout.json", "{}"),
        ("data/events.csv", "1"),
        ("definitions/load/_card.json", r#"{"name": "load", "parameters": {}}"#),
        ("definitions/bands/_card.json", CARD),
        ("definitions/bands/_meta.json", META),
        ("definitions/bands/_link.json", LINK),
        ("definitions/bands/default.nix", "{}"),
        ("definitions/bands/src/main.py", "print(1)\nprint(2)\nprint(3)\n"),
    ]
}

/// The project with one file replaced, added, or removed where `content` is `None`.
fn with(path: &'static str, content: Option<&'static str>) -> Vec<(&'static str, &'static str)> {
    let mut files: Vec<_> = project().into_iter().filter(|(other, _)| *other != path).collect();
    files.extend(content.map(|content| (path, content)));
    files
}

fn after(path: &'static str, content: Option<&'static str>) -> Vec<String> {
    lines(&record("tsugumi", &project(), &with(path, content)))
}

#[test]
fn every_place_has_its_aspect() {
    let leaked = |text: String| -> &'static str { text.leak() };
    for (path, content, expected) in [
        ("definitions/bands/src/main.py", Some("print(2)\n"), &["changed bands source:edited main.py"][..]),
        ("definitions/bands/src/deep/x.png", Some("x"), &["changed bands source:added deep/x.png"]),
        ("definitions/bands/src/main.py", None, &["changed bands source:removed main.py"]),
        (
            "definitions/bands/_card.json",
            Some(leaked(CARD.replace("0.5", "0.6").replace("\"hi\"", "\"high\""))),
            &["changed bands parameters:hi removed parameters:high added parameters:lo edited"],
        ),
        (
            "definitions/bands/_card.json",
            Some(leaked(CARD.replace("process", "plot"))),
            &["changed bands definition:_card.json#/kind"],
        ),
        (
            "definitions/bands/_card.json",
            Some(leaked(CARD.replace("bands", "stripes"))),
            &["changed stripes renamed:bands"],
        ),
        (
            "definitions/bands/_meta.json",
            Some(leaked(META.replace("Bands", "Stripes"))),
            &["changed bands definition:_meta.json#/title"],
        ),
        ("definitions/bands/_outputs.fbs", Some("table X {}"), &["changed bands definition:_outputs.fbs"]),
        ("definitions/bands/default.nix", Some("{ }"), &["changed bands definition:default.nix"]),
        ("definitions/bands/notes.txt", Some("x"), &["changed bands definition:notes.txt"]),
        (
            "definitions/bands/_link.json",
            Some(r#"{"links": [{"from": "load", "output": "events", "input": "image"}]}"#),
            &["changed bands wiring:added load.events>image wiring:removed load.events>events"],
        ),
        (
            "definitions/bands/_link.json",
            Some(r#"{"links": [{"from": "load", "output": "events", "input": "events"}], "note": 1}"#),
            &["changed bands definition:_link.json#/note"],
        ),
        ("definitions/grid/_card.json", Some(r#"{"name": "grid"}"#), &["added grid"]),
        ("layout.json", Some("{\"x\": 1}"), &[]),
        ("data/events.csv", Some("2"), &[]),
        (".tsugumi/state", Some("2"), &[]),
        ("README.md", Some("x"), &["setting README.md added"]),
        (
            "tsugumi.json",
            Some(
                r#"{"formatVersion": 1, "name": "Cas A", "pkgsPath": "github:NixOS/nixpkgs/1", "trigger": "bands"}"#,
            ),
            &["setting nixpkgs changed pinned", "setting trigger changed"],
        ),
    ] {
        assert_eq!(after(path, content), expected, "{path}");
    }
}

#[test]
fn pins_are_told_apart() {
    let settings = |value: &str| vec![("tsugumi.json", format!("{{\"pkgsPath\": {value}}}").leak() as &str)];
    for (old, new, expected) in [
        ("\"tsugumi:default\"", "\"a\"", &["setting nixpkgs changed pinned"][..]),
        ("\"a\"", "\"tsugumi:default\"", &["setting nixpkgs changed unpinned"]),
        ("\"a\"", "\"b\"", &["setting nixpkgs changed moved"]),
    ] {
        assert_eq!(lines(&record("tsugumi", &settings(old), &settings(new))), expected);
    }
    let absent = vec![("tsugumi.json", "{}")];
    assert!(lines(&record("tsugumi", &absent, &settings("\"tsugumi:default\""))).is_empty());
}

#[test]
fn the_same_json_in_another_spelling_is_no_change() {
    let spelled = r#"{"parameters":{"hi":{"value":7.0,"type":"number"},"lo":{"value":5e-1,"type":"n\u0075mber"}},
        "kind":"process","name":"bands","inputs":[{"type":"Events","name":"events"}]}"#;
    let record = record("tsugumi", &project(), &with("definitions/bands/_card.json", Some(spelled)));
    assert!(lines(&record).is_empty());
    assert_eq!(record.format_only, 1);
}

#[test]
fn comments_are_told_apart_by_id() {
    let meta = r#"{"title": "Bands", "comments": [
        {"id": "c1", "text": "why 0.5?", "author": "user", "state": "resolved", "resolvedBy": "agent",
         "resolvedCards": ["load", "bands"]},
        {"id": "c2", "text": "done?", "author": "agent", "state": "open"},
        {"id": "c3", "text": "new", "author": "agent", "state": "resolved", "resolvedBy": "user"},
        {"id": "c4", "text": "new", "author": "agent", "state": "open"}]}"#;
    let there = with("definitions/bands/_meta.json", Some(meta));
    assert_eq!(
        lines(&record("tsugumi", &project(), &there)),
        [
            "comment c1 resolved on bands by agent: load bands",
            "comment c2 reopened on bands by agent",
            "comment c3 resolved on bands by user",
            "comment c4 added on bands by agent",
        ]
    );
    assert_eq!(
        lines(&record("tsugumi", &there, &project())),
        [
            "comment c1 reopened on bands by user",
            "comment c2 resolved on bands by user",
            "comment c3 deleted on bands",
            "comment c4 deleted on bands",
        ]
    );
    let edited = META.replace("why 0.5?", "why?").leak();
    assert_eq!(after("definitions/bands/_meta.json", Some(edited)), ["comment c1 edited on bands by user"]);
}

#[test]
fn a_comment_that_moves_to_another_card_stays_the_same() {
    let mut moved = with("definitions/bands/_meta.json", Some(r#"{"title": "Bands", "comments": []}"#));
    moved.push((
        "definitions/load/_meta.json",
        r#"{"comments": [
        {"id": "c1", "text": "why 0.5?", "author": "user", "state": "open"},
        {"id": "c2", "text": "done", "author": "agent", "state": "resolved", "resolvedBy": "user"}]}"#,
    ));
    assert!(lines(&record("tsugumi", &project(), &moved)).iter().all(|line| !line.starts_with("comment")));
}

#[test]
fn a_card_under_another_id_is_the_same_card_and_so_are_its_wires() {
    let renumbered: Vec<_> = project()
        .into_iter()
        .map(|(path, content)| {
            let path: &'static str = path.replace("definitions/load/", "definitions/load2/").leak();
            let content: &'static str = content.replace(r#""from": "load""#, r#""from": "load2""#).leak();
            (path, content)
        })
        .collect();
    assert_eq!(lines(&record("tsugumi", &project(), &renumbered)), ["changed load id:load>load2 (Content)"]);
}

#[test]
fn a_card_without_its_marker_still_counts_and_is_warned_of() {
    let record = record("tsugumi", &project(), &with("definitions/bands/_card.json", Some("{\"name\": ")));
    assert_eq!(
        lines(&record),
        [
            "changed bands definition:_card.json",
            "warning UnreadableFile definitions/bands/_card.json New 1:10 the text ends where a value should be",
        ]
    );
    let missing = after("definitions/bands/_card.json", None);
    assert_eq!(missing[1], "warning MissingMarker definitions/bands/_card.json New 0:0 ");
}

#[test]
fn a_source_file_that_moves_within_a_card_is_renamed() {
    let mut files = with("definitions/bands/src/main.py", None);
    files.push(("definitions/bands/src/lib/main.py", "print(1)\nprint(2)\nprint(4)\n"));
    assert_eq!(
        lines(&record("tsugumi", &project(), &files)),
        ["changed bands source:renamed lib/main.py from main.py"]
    );
}

#[test]
fn a_first_version_adds_every_card_and_setting() {
    let record = record("tsugumi", &[], &project());
    assert_eq!(
        lines(&record),
        [
            "added bands",
            "added load",
            "setting formatVersion added",
            "setting name added",
            "setting trigger added",
            "comment c1 added on bands by user",
            "comment c2 resolved on bands by user",
        ]
    );
}
