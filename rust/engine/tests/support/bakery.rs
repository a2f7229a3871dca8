//! A flow as a folder of files: a model that feeds a chain with a prompt, and a note.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use versiondiff_engine::record::ChangeRecord;

use super::{lines, record};

pub(crate) const FOLDER: &str = "flows/bakery-helper--1f2e3d4c";

pub(crate) type Files = BTreeMap<String, String>;

pub(crate) fn text(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("JSON") + "\n"
}

/// The files of one node: its inputs, with those of several lines in files of their own.
pub(crate) fn node(files: &mut Files, folder: &str, id: &str, label: &str, version: u32, mut inputs: Value) {
    let component = id.split('_').next().unwrap_or(id);
    for (name, value) in inputs.as_object_mut().expect("an object") {
        if let Some(content) = value.as_str().filter(|content| content.contains('\n')) {
            let path = format!("prompts/{id}.{name}.md");
            files.insert(format!("{folder}/{path}"), content.to_owned());
            *value = json!({"$text": path});
        }
    }
    let data = json!({"id": id, "name": component, "label": label, "version": version, "inputs": inputs});
    files.insert(
        format!("{folder}/nodes/{id}.json"),
        text(&json!({"id": id, "type": "customNode", "data": data})),
    );
    let definition = json!({
        "inputParams": [
            {"name": "prompt", "type": "string", "rows": 4},
            {"name": "temperature", "type": "number", "default": 0.9},
        ],
        "outputAnchors": [{"name": component, "id": format!("{id}-output-{component}-{version}")}],
        "description": format!("release {version}"),
    });
    files.insert(format!("{folder}/nodes/{id}.definition.json"), text(&definition));
}

pub(crate) fn edge(source: &str, target: &str, input: &str) -> Value {
    json!({
        "id": format!("{source}-{target}"), "source": source, "target": target,
        "sourceHandle": format!("{source}-output-{source}-X"), "targetHandle": format!("{target}-input-{input}-X"),
    })
}

pub(crate) fn flow_file(name: &str, nodes: &[&str]) -> String {
    let nodes: Vec<_> =
        nodes.iter().map(|id| json!({"id": id, "file": format!("nodes/{id}.json")})).collect();
    text(&json!({
        "formatVersion": 1, "id": "1f2e3d4c-0000", "name": name, "type": "CHATFLOW", "nodes": nodes,
        "credentials": [{"name": "OpenAI main", "credentialName": "openAIApi"}],
    }))
}

/// A model that feeds a chain with a prompt, and a note.
pub(crate) fn bakery_in(folder: &str) -> Files {
    let mut files = Files::new();
    let flow = flow_file("Bakery helper", &["chatModel_0", "chain_0", "note_0"]);
    files.insert(format!("{folder}/flow.json"), flow);
    files.insert(format!("{folder}/edges.json"), text(&json!([edge("chatModel_0", "chain_0", "model")])));
    let position = |x| json!({"position": {"x": x, "y": 1}, "width": 300});
    let layout = json!({
        "nodes": {"chatModel_0": position(1), "chain_0": position(2), "note_0": position(3)},
        "viewport": {"zoom": 1},
    });
    files.insert(format!("{folder}/layout.json"), text(&layout));
    let credential = json!({"$credential": {"name": "OpenAI main", "credentialName": "openAIApi"}});
    let inputs = json!({"temperature": 0.9, "FLOWISE_CREDENTIAL_ID": credential});
    node(&mut files, folder, "chatModel_0", "Chat Model", 5, inputs);
    let inputs = json!({"model": "{{chatModel_0.data.instance}}", "prompt": "You bake.\nBe kind.\n"});
    node(&mut files, folder, "chain_0", "Cook", 1, inputs);
    node(&mut files, folder, "note_0", "Note", 1, json!({"prompt": "Do\nnot\nforget"}));
    files.insert("README.md".to_owned(), "Versions\n".to_owned());
    files
}

pub(crate) fn bakery() -> Files {
    bakery_in(FOLDER)
}

pub(crate) fn pairs(files: &Files) -> Vec<(&str, &str)> {
    files.iter().map(|(path, content)| (path.as_str(), content.as_str())).collect()
}

pub(crate) fn compared(old: &Files, new: &Files) -> ChangeRecord {
    record("flow", &pairs(old), &pairs(new))
}

pub(crate) fn compare(old: &Files, new: &Files) -> Vec<String> {
    lines(&compared(old, new))
}

pub(crate) fn path(file: &str) -> String {
    format!("{FOLDER}/{file}")
}

pub(crate) fn with(change: impl FnOnce(&mut Files)) -> Files {
    let mut files = bakery();
    change(&mut files);
    files
}

/// The bakery with one file edited as text.
pub(crate) fn replaced(file: &str, from: &str, to: &str) -> Files {
    with(|files| {
        let content = files.get_mut(&path(file)).expect("a file");
        assert!(content.contains(from), "{file} has no {from}");
        *content = content.replace(from, to);
    })
}

pub(crate) fn after(new: &Files) -> Vec<String> {
    compare(&bakery(), new)
}
