//! Flows in folders of which files are missing, broken or made to hurt.

mod support;

use serde_json::{Value, json};
use support::bakery::{FOLDER, after, bakery, compare, path, text, with};

/// What a record says of a file that is broken on one side, there and back.
fn broken(file: &str, content: Option<&str>) -> (Vec<String>, Vec<String>) {
    let new = with(|files| match content {
        Some(content) => drop(files.insert(path(file), content.to_owned())),
        None => drop(files.remove(&path(file))),
    });
    (compare(&bakery(), &new), compare(&new, &bakery()))
}

#[test]
fn what_cannot_be_read_is_taken_as_it_was_and_named() {
    let warning = |file: &str, side: &str, place: &str, rule: &str| {
        format!("warning UnreadableFile {} {side} {place} {rule}", path(file))
    };
    for (file, content, said, place, rule) in [
        (
            "nodes/chain_0.json",
            Some("{\"id\":"),
            "changed Cook definition:nodes/chain_0.json",
            "1:7",
            "the text ends where a value should be",
        ),
        (
            "nodes/chain_0.json",
            Some("[]"),
            "changed Cook definition:nodes/chain_0.json",
            "0:0",
            "is no JSON object",
        ),
        ("nodes/chain_0.json", None, "changed Cook definition:nodes/chain_0.json", "0:0", "is missing"),
        (
            "nodes/note_0.definition.json",
            Some("3"),
            "changed Note definition:nodes/note_0.definition.json",
            "0:0",
            "is no JSON object",
        ),
        ("edges.json", Some("{}"), "setting edges.json changed", "0:0", "is no JSON list"),
        ("edges.json", None, "setting edges.json changed", "0:0", "is missing"),
        ("prompts/chain_0.prompt.md", None, "changed Cook parameters:prompt edited", "0:0", "is missing"),
    ] {
        let (there, back) = broken(file, content);
        assert_eq!(there, [said.to_owned(), warning(file, "New", place, rule)], "{file} {content:?}");
        assert_eq!(back, [said.to_owned(), warning(file, "Old", place, rule)], "{file} {content:?}");
    }
    // Positions are nothing, so that they can't be read is only a warning.
    let (there, _) = broken("layout.json", Some("x"));
    assert_eq!(there, [warning("layout.json", "New", "1:1", "expected a value")]);
}

#[test]
fn a_flow_whose_own_file_cannot_be_read_only_changed() {
    let changed = format!("setting {FOLDER} changed");
    let flow = bakery()[&path("flow.json")].clone();
    for (content, rule) in [
        (
            flow.replace("\"formatVersion\": 1", "\"formatVersion\": 2"),
            "has format version 2; version 1 is read",
        ),
        (
            flow.replace("\"formatVersion\": 1", "\"formatVersion\": \"x\""),
            "has another format version; version 1 is read",
        ),
        (flow.replace("\"formatVersion\": 1,", ""), "has no format version; version 1 is read"),
        (flow.replace("\"nodes\"", "\"nods\""), "has no list of nodes"),
        ("[1]".to_owned(), "is no JSON object"),
    ] {
        let (there, back) = broken("flow.json", Some(&content));
        let warning = |side: &str| format!("warning UnreadableFile {} {side} 0:0 {rule}", path("flow.json"));
        assert_eq!(there, [changed.clone(), warning("New")]);
        assert_eq!(back, [changed.clone(), warning("Old")]);
    }
    let (there, back) = broken("flow.json", None);
    let warning = |side: &str| format!("warning MissingMarker {} {side} 0:0 ", path("flow.json"));
    assert_eq!((there, back), (vec![changed.clone(), warning("New")], vec![changed, warning("Old")]));
    let one = flow.replace("\"formatVersion\": 1", "\"formatVersion\": 1.0");
    assert_eq!(broken("flow.json", Some(&one)).0, [""; 0]);
}

#[test]
fn hostile_files_are_no_more_than_unreadable() {
    let list = |entries: Value| {
        text(
            &json!({"formatVersion": 1, "id": "1f2e3d4c-0000", "name": "Bakery helper", "type": "CHATFLOW", "nodes": entries}),
        )
    };
    for entries in [
        json!([null, 1, [], {"id": 1}, {"file": "nodes/chain_0.json"}]),
        json!([{"id": "a", "file": ""}, {"id": "b", "file": "/"}, {"id": "c", "file": "../../README.md"}]),
        json!([{"id": "a", "file": "edges.json"}, {"id": "a", "file": "edges.json"}]),
        json!(vec![json!({"id": "x", "file": "nodes/chain_0.json"}); 300]),
        json!([{"id": {}, "file": "flow.json"}, {"id": "\u{0}", "file": "nodes"}]),
    ] {
        let new = with(|files| drop(files.insert(path("flow.json"), list(entries.clone()))));
        assert!(!compare(&bakery(), &new).is_empty());
        assert!(!compare(&new, &bakery()).is_empty());
        compare(&new, &with(|files| drop(files.insert(path("flow.json"), list(json!([]))))));
    }
    for value in [
        "{\"data\": 1}",
        "{\"data\": {\"inputs\": [{\"$text\": 1}, {\"$json\": []}, {\"$literal\": 0}]}}",
        "{}",
    ] {
        let (there, back) = broken("nodes/chain_0.json", Some(value));
        assert!(!there.is_empty() && !back.is_empty());
    }
    // As deep as a file may nest is too deep for the whole.
    let deep = format!("{{\"data\":{}{}}}", "[".repeat(998), "]".repeat(998));
    let (there, _) = broken("nodes/chain_0.json", Some(&deep));
    assert_eq!(there[0], format!("setting {FOLDER} changed"));
    // A text that is named so often that the whole would be larger than any document.
    let new = with(|files| {
        files.insert(path("prompts/chain_0.prompt.md"), "x".repeat(1 << 20));
        let marker = json!({"$text": "prompts/chain_0.prompt.md"});
        let data = json!({"inputs": {"prompt": vec![marker; 100]}});
        files.insert(path("nodes/chain_0.json"), text(&json!({"id": "chain_0", "data": data})));
    });
    assert_eq!(after(&new)[0], format!("setting {FOLDER} changed"));
}
