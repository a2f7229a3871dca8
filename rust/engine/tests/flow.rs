//! Records of the built-in `flow` format: a flow that is a folder of files says what the flow in
//! one file says.

mod support;

use std::cell::RefCell;

use serde_json::{Value, json};
use support::bakery::*;
use support::lines;
use versiondiff_engine::delta::Scope;
use versiondiff_engine::format::Format;
use versiondiff_engine::record::{ChangeRecord, Memory, between};
use versiondiff_engine::snapshot::{ContentId, Entry, Mapping, ReadError, Snapshot};

#[test]
fn an_edited_prompt_is_an_edit_of_that_input_on_that_node() {
    let new = replaced("prompts/chain_0.prompt.md", "kind", "brief");
    assert_eq!(after(&new), ["changed Cook parameters:prompt edited"]);
    let record = compared(&bakery(), &new);
    assert_eq!((record.other_files, record.format_only, record.moved), (0, 0, 0));
    assert_eq!((&*record.nodes[0].flow, &*record.nodes[0].flow_name), (FOLDER, "Bakery helper"));
    // A text that fits on one line is in the node's own file.
    let inline = with(|files| {
        node(
            files,
            FOLDER,
            "chain_0",
            "Cook",
            1,
            json!({
                "model": "{{chatModel_0.data.instance}}", "prompt": "Be kind.",
            }),
        );
    });
    assert_eq!(after(&inline), ["changed Cook parameters:prompt edited"]);
}

#[test]
fn a_definition_is_one_line_for_its_node() {
    let new = with(|files| {
        let credential = json!({"$credential": {"name": "OpenAI main", "credentialName": "openAIApi"}});
        let inputs = json!({"temperature": 0.9, "FLOWISE_CREDENTIAL_ID": credential});
        node(files, FOLDER, "chatModel_0", "Chat Model", 6, inputs);
    });
    let parts = "/data/description,/data/outputAnchors,/data/version";
    assert_eq!(after(&new), [format!("changed Chat Model definition:{parts} 5>6")]);
}

#[test]
fn a_definition_stands_where_the_node_itself_says_nothing() {
    let with_version = |version: u32| {
        with(|files| {
            files.insert(path("nodes/note_0.json"), text(&json!({"id": "note_0"})));
            let definition = json!({"label": "Note", "version": version});
            files.insert(path("nodes/note_0.definition.json"), text(&definition));
        })
    };
    let said = compare(&with_version(1), &with_version(2));
    assert_eq!(said, ["changed Note definition:/data/version 1>2"]);
}

#[test]
fn a_credential_is_named_and_never_what_it_refers_to() {
    let new = replaced("nodes/chatModel_0.json", "OpenAI main", "OpenAI test");
    assert_eq!(after(&new), ["changed Chat Model credential:changed -OpenAI main +OpenAI test"]);
}

/// The model with these inputs.
fn model(inputs: Value) -> Files {
    with(|files| node(files, FOLDER, "chatModel_0", "Chat Model", 5, inputs))
}

fn credential(name: &str, kind: &str) -> Value {
    json!({"$credential": {"name": name, "credentialName": kind}})
}

#[test]
fn credentials_have_the_names_that_their_markers_give() {
    let own = |value: Value| model(json!({"FLOWISE_CREDENTIAL_ID": value}));
    let unknown = || json!({"$credential": null});
    let (main, test) = (|| credential("Main", "a"), || credential("Test", "a"));
    for (old, new, expected) in [
        (main(), test(), "changed -Main +Test"),
        (json!(""), test(), "added +Test"),
        (main(), json!(""), "removed -Main"),
        (main(), unknown(), "changed -Main"),
        (unknown(), test(), "changed +Test"),
        (json!(""), unknown(), "added"),
        // Of the same name and another type.
        (main(), credential("Main", "b"), "changed -Main +Main"),
    ] {
        let said = compare(&own(old), &own(new));
        assert_eq!(said, [format!("changed Chat Model credential:{expected}")]);
    }
    assert!(compare(&own(unknown()), &own(unknown())).is_empty());
    // A marker says what it is, whatever the input is called, and at any depth.
    let nested =
        |value: Value| model(json!({"key": value, "agentConfig": {"a": 1, "key": value}, "list": [value]}));
    assert_eq!(
        compare(&nested(main()), &nested(test())),
        ["changed Chat Model credential:changed (agentConfig) -Main +Test \
          credential:changed (key) -Main +Test credential:changed (list) -Main +Test"]
    );
}

#[test]
fn a_value_of_a_user_that_looks_like_a_marker_names_no_credential() {
    let own = |value: &str| json!({"$credential": {"name": value}});
    for wrap in [
        |value: Value| json!({"x": {"$literal": value}}),
        |value: Value| json!({"list": [{"$literal": value}]}),
        |value: Value| json!({"x": {"$json": {"credentialOf": {"$literal": value}}}}),
        |value: Value| json!({"x": {"$literal": {"$literal": {"$literal": value}}}}),
        |value: Value| json!({"x": value.to_string()}),
        |value: Value| json!({"aConfig": json!({"x": value, "credential": value}).to_string()}),
        |value: Value| json!({"credential": {"$literal": value}}),
    ] {
        let (old, new) = (wrap(own("typed one")), wrap(own("typed two")));
        let record = compared(&model(old.clone()), &model(new));
        assert!(!record.nodes.is_empty(), "{old}");
        let mut json = Vec::new();
        record.write_json(&mut json);
        let json = String::from_utf8(json).expect("JSON");
        assert!(!json.contains("typed"), "{json}");
    }
}

#[test]
fn wiring_is_said_by_names() {
    let new = with(|files| {
        let edges = json!([edge("note_0", "chain_0", "memory")]);
        files.insert(path("edges.json"), text(&edges));
    });
    assert_eq!(
        after(&new),
        // The input that repeated the wire repeats nothing now, and is still written.
        ["changed Cook wiring:added Note.note_0>memory wiring:removed Chat Model.chatModel_0>model"]
    );
}

#[test]
fn nodes_come_and_go_with_their_files_and_labels_are_names() {
    let new = with(|files| {
        files.insert(path("flow.json"), flow_file("Bakery helper", &["chatModel_0", "chain_0", "tool_0"]));
        for file in ["nodes/note_0.json", "nodes/note_0.definition.json", "prompts/note_0.prompt.md"] {
            files.remove(&path(file));
        }
        node(files, FOLDER, "tool_0", "Oven", 1, json!({}));
        let cook = files.get_mut(&path("nodes/chain_0.json")).expect("a file");
        *cook = cook.replace("\"Cook\"", "\"Head Cook\"");
    });
    assert_eq!(after(&new), ["changed Head Cook renamed:Cook", "removed Note", "added Oven"]);
    assert_eq!(compared(&bakery(), &new).other_files, 0);
}

#[test]
fn a_flow_comes_goes_and_keeps_its_history_where_its_folder_is_renamed() {
    let nodes = |kind: &str| ["Chat Model", "Cook", "Note"].map(|name| format!("{kind} {name}"));
    let of_flow =
        |kind: &str| [vec![format!("flow {kind} Bakery helper 3 nodes")], nodes(kind).to_vec()].concat();
    let nothing = Files::from([("README.md".to_owned(), String::new())]);
    assert_eq!(compare(&nothing, &bakery()), of_flow("added"));
    assert_eq!(compare(&bakery(), &nothing), of_flow("removed"));
    let mut renamed = bakery_in("flows/cake--1f2e3d4c");
    let flow = renamed.get_mut("flows/cake--1f2e3d4c/flow.json").expect("a file");
    *flow = flow.replace("Bakery helper", "Cake");
    let prompt = renamed.get_mut("flows/cake--1f2e3d4c/prompts/chain_0.prompt.md").expect("a file");
    prompt.push_str("Always.\n");
    assert_eq!(
        after(&renamed),
        [
            format!("flow renamed Cake from Bakery helper {FOLDER}"),
            "changed Cook parameters:prompt edited".to_owned()
        ]
    );
    assert_eq!(compared(&bakery(), &renamed).other_files, 0);
}

#[test]
fn another_flow_in_the_same_folder_is_another_flow() {
    let new = replaced("flow.json", "1f2e3d4c-0000", "1f2e3d4c-9999");
    let said = after(&new);
    assert_eq!(said[..2], ["flow added Bakery helper 3 nodes", "flow removed Bakery helper 3 nodes"]);
    // Folders that swapped names: each flow is found by its id.
    let two = |first: &str, second: &str| {
        let mut files = bakery_in(first);
        for (path, content) in bakery_in(second) {
            files.insert(path, content.replace("1f2e3d4c-0000", "2-0000").replace("Bakery helper", "Other"));
        }
        files
    };
    let swapped = compare(&two("flows/a", "flows/b"), &two("flows/b", "flows/a"));
    assert_eq!(swapped, ["flow renamed Bakery helper from - flows/a", "flow renamed Other from - flows/b"]);
}

#[test]
fn layout_counts_and_bookkeeping_is_nothing() {
    let moved = replaced("layout.json", "\"x\": 2", "\"x\": 90");
    let record = compared(&bakery(), &moved);
    assert_eq!((lines(&record), record.moved), (vec![], 1));
    let zoomed = replaced("layout.json", "\"zoom\": 1", "\"zoom\": 2");
    assert_eq!(compared(&bakery(), &zoomed).moved, 0);
    let hidden =
        replaced("flow.json", "\"nodes\":", "\"hidden\": [{\"count\": 1}], \"chatModels\": [], \"nodes\":");
    let record = compared(&bakery(), &hidden);
    assert_eq!((lines(&record), record.format_only, record.other_files), (vec![], 0, 0));
    let readme = with(|files| drop(files.insert("README.md".to_owned(), "New\n".to_owned())));
    assert_eq!(
        compared(&bakery(), &readme),
        ChangeRecord { format: "flow".to_owned(), ..Default::default() }
    );
    let stray = with(|files| {
        for file in ["elsewhere.json", "flows/loose.txt", "flows/drafts/a.md"] {
            files.insert(file.to_owned(), "x".to_owned());
        }
        files.insert(path("notes.txt"), "x".to_owned());
        files.insert(path("nodes/nobody_0.json"), "{}".to_owned());
        files.insert(path("prompts/nobody_0.prompt.md"), "x".to_owned());
    });
    let record = compared(&bakery(), &stray);
    assert_eq!((lines(&record), record.other_files), (vec![], 6));
}

#[test]
fn keys_of_the_flow_are_its_settings() {
    let new = replaced(
        "flow.json",
        "\"type\": \"CHATFLOW\"",
        "\"type\": \"AGENTFLOW\", \"extra\": {\"description\": \"x\"}",
    );
    assert_eq!(after(&new), ["setting description added", "setting type changed"]);
}

#[test]
fn json_that_means_the_same_is_format_only() {
    let new = with(|files| {
        for file in ["flow.json", "edges.json", "nodes/note_0.json", "nodes/note_0.definition.json"] {
            let content = files.get_mut(&path(file)).expect("a file");
            *content = serde_json::from_str::<Value>(content).expect("JSON").to_string();
        }
    });
    let record = compared(&bakery(), &new);
    assert_eq!((lines(&record), record.format_only), (vec![], 4));
}

#[test]
fn markers_stand_for_what_they_mean_and_texts_are_only_text() {
    let inputs = |value: Value| {
        with(|files| {
            node(files, FOLDER, "note_0", "Note", 1, json!({"headers": value}));
            files.insert(path("prompts/plain.md"), "Be\nkind".to_owned());
            files.insert(path("prompts/deep.md"), "{\"$text\": \"prompts/deep.md\"}".to_owned());
        })
    };
    let is_same = |old: Value, new: Value| compare(&inputs(old), &inputs(new)).is_empty();
    // JSON text, and the same with a marked secret in it.
    assert!(is_same(json!("{\"a\": [1, 2]}"), json!({"$json": {"a": [1, 2]}})));
    assert!(!is_same(json!("{\"a\": [1, 2]}"), json!({"$json": {"a": [1, 3]}})));
    // A text that looks like a marker stays one; here it even names itself.
    assert!(is_same(json!("{\"$text\": \"prompts/deep.md\"}"), json!({"$text": "prompts/deep.md"})));
    assert!(is_same(
        json!([{"x": "{\"$text\": \"prompts/deep.md\"}"}]),
        json!([{"x": {"$text": "prompts/deep.md"}}])
    ));
    // What only looks like a marker is a value; what it holds is written like anything else.
    assert!(!is_same(
        json!({"$literal": {"$text": "prompts/plain.md"}}),
        json!({"$text": "prompts/plain.md"})
    ));
    assert!(is_same(
        json!({"$literal": {"$json": {"$text": "prompts/deep.md"}}}),
        json!({"$literal": {"$json": {"$literal": "{\"$text\": \"prompts/deep.md\"}"}}})
    ));
    assert!(!is_same(json!({"$secret": true}), json!("x")));
    assert!(is_same(json!({"$secret": true}), json!({"$secret": true})));
}

/// A mapping that notes which files are read.
struct Watched<'m> {
    files: &'m Mapping<'m>,
    read: RefCell<Vec<String>>,
}

impl Snapshot for Watched<'_> {
    fn root(&self) -> Result<Option<ContentId>, ReadError> {
        self.files.root()
    }

    fn tree(&self, path: &bstr::BStr, id: &ContentId) -> Result<std::rc::Rc<[u8]>, ReadError> {
        self.files.tree(path, id)
    }

    fn blob(&self, path: &bstr::BStr, id: &ContentId) -> Result<std::borrow::Cow<'_, [u8]>, ReadError> {
        self.read.borrow_mut().push(path.to_string());
        self.files.blob(path, id)
    }

    fn find(&self, path: &bstr::BStr) -> Result<Option<Entry>, ReadError> {
        self.files.find(path)
    }
}

#[test]
fn only_what_a_change_asks_for_is_read() {
    let mut old = bakery();
    old.extend(
        bakery_in("flows/other--2").into_iter().map(|(path, text)| (path, text.replace("1f2e", "2222"))),
    );
    let mut new = old.clone();
    new.insert(path("prompts/chain_0.prompt.md"), "You cook.\n".to_owned());
    let (old_pairs, new_pairs) = (pairs(&old), pairs(&new));
    let (old, new) = (support::mapping(&old_pairs), support::mapping(&new_pairs));
    let watch = |files| Watched { files, read: RefCell::default() };
    let (old, new) = (watch(&old), watch(&new));
    let format = Format::builtin("flow").expect("built in");
    let record = between(&old, &new, &format, &Scope::default(), &mut Memory::default()).expect("in memory");
    assert_eq!(lines(&record), ["changed Cook parameters:prompt edited"]);
    let mut read = new.read.into_inner();
    read.sort();
    let wanted = [
        "edges.json",
        "flow.json",
        "nodes/chain_0.definition.json",
        "nodes/chain_0.json",
        "nodes/chatModel_0.json",
        "nodes/note_0.json",
        "prompts/chain_0.prompt.md",
    ];
    assert_eq!(read, wanted.map(path));
}

#[test]
fn detection_tells_folders_from_files() {
    let found = |files: &Files| {
        let pairs = pairs(files);
        Format::detect(&support::mapping(&pairs)).expect("in memory").map(|format| format.name().to_owned())
    };
    assert_eq!(found(&bakery()).as_deref(), Some("flow"));
    let other_version = replaced("flow.json", "\"formatVersion\": 1", "\"formatVersion\": 2");
    assert_eq!(found(&other_version).as_deref(), Some("flow"));
    let flow = text(&json!({"nodes": [], "edges": []}));
    let file = |path: &str, text: &str| Files::from([(path.to_owned(), text.to_owned())]);
    assert_eq!(found(&file("flows/helper.json", &flow)).as_deref(), Some("flowise"));
    assert_eq!(found(&file("flows/a/helper.json", &flow)).as_deref(), Some("flowise"));
    assert_eq!(found(&file("flows/a/flow.json", "{}")), None);
    assert_eq!(found(&file("other/a/flow.json", "{\"nodes\": []}")), None);
    let both = with(|files| drop(files.insert("tsugumi.json".to_owned(), "{}".to_owned())));
    assert_eq!(found(&both).as_deref(), Some("tsugumi"));
}

#[test]
fn what_a_model_may_see() {
    let format = Format::builtin("flow").expect("built in");
    for (file, visible) in [
        ("flow.json", true),
        ("edges.json", true),
        ("nodes/chain_0.json", true),
        ("nodes/chain_0.definition.json", false),
        ("prompts/chain_0.prompt.md", true),
        ("layout.json", false),
        ("prompts/x.txt", false),
        ("nodes/deep/x.json", false),
    ] {
        assert_eq!(format.is_visible(path(file).as_str().into()), visible, "{file}");
    }
    assert!(!format.is_visible("README.md".into()));
}
