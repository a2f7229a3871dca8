//! What holds of every record, whatever the files.

mod support;

use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use support::record;
use versiondiff_engine::json::Document;
use versiondiff_engine::record::{
    ChangeRecord, EditKind, FileChangeKind, FlowChangeKind, ParameterChangeKind, PinChange, Side,
};

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1_000_000_i32..1_000_000).prop_map(|n| json!(f64::from(n) / 64.0)),
        "[a-z\"\\\\/é\u{1f600}\n\u{7f} ]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[a-d\"é]{0,3}", inner, 0..5)
                .prop_map(|members| Value::from(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// The same value in another spelling, as `choices` decide.
fn respell(value: &Value, choices: &mut impl Iterator<Item = u8>) -> String {
    let space = |choice: u8| ["", " ", "\n\t", "\r\n        "][usize::from(choice % 4)];
    let mut next = || choices.next().unwrap_or_default();
    match value {
        Value::Number(number) => match (number.as_i64(), next() % 3) {
            (Some(number), 1) => format!("{number}.0"),
            (Some(0), 2) => "-0e7".to_owned(),
            (Some(number), 2) => format!("{number}00e-2"),
            _ => number.to_string(),
        },
        Value::String(text) => {
            let mut out = String::from("\"");
            for unit in text.encode_utf16() {
                match (char::from_u32(u32::from(unit)), next() % 2) {
                    (Some(letter), 0) if letter >= ' ' && !matches!(letter, '"' | '\\') => out.push(letter),
                    _ => write!(out, "\\u{unit:04X}").expect("a string takes all"),
                }
            }
            out + "\""
        }
        Value::Array(items) => {
            let inside: Vec<_> = items
                .iter()
                .map(|item| format!("{}{}", space(item.to_string().len() as u8), respell(item, choices)))
                .collect();
            format!("[{}]", inside.join(","))
        }
        Value::Object(members) => {
            let mut inside: Vec<_> = members
                .iter()
                .map(|(name, value)| {
                    let name = respell(&Value::from(name.as_str()), choices);
                    let (before, after) =
                        (space(choices.next().unwrap_or(0)), space(choices.next().unwrap_or(0)));
                    format!("{before}{name}{after}:{before}{}{after}", respell(value, choices))
                })
                .collect();
            let turn = usize::from(choices.next().unwrap_or_default()) % inside.len().max(1);
            inside.rotate_left(turn);
            format!("{{{}}}", inside.join(","))
        }
        other => other.to_string(),
    }
}

/// A small project of Cards, made of few enough names that two of them often meet.
fn project() -> impl Strategy<Value = Vec<(String, String)>> {
    let card = |id: &'static str| {
        let parameters = prop::collection::btree_map("[xy]", 0..3_i32, 0..3);
        let links = prop::collection::vec(("[abc]", "[io]"), 0..3);
        (prop::option::of(("[pq]", parameters, links, 0..3_u8, 0..2_u8))).prop_map(move |card| {
            let Some((name, parameters, links, source, kind)) = card else { return Vec::new() };
            let links: Vec<_> =
                links.iter().map(|(from, input)| json!({"from": from, "input": input})).collect();
            let mut files = vec![
                (
                    format!("definitions/{id}/_card.json"),
                    json!({"name": name, "kind": kind, "parameters": parameters}).to_string(),
                ),
                (format!("definitions/{id}/_link.json"), json!({"links": links}).to_string()),
            ];
            if source > 0 {
                files.push((
                    format!("definitions/{id}/src/{source}.py"),
                    format!("print({id:?})\nprint({kind})\n"),
                ));
            }
            files
        })
    };
    let settings = (0..3_u8, 0..2_u8).prop_map(|(pin, trigger)| {
        let pin = ["tsugumi:default", "one", "two"][usize::from(pin)];
        vec![("tsugumi.json".to_owned(), json!({"pkgsPath": pin, "trigger": trigger}).to_string())]
    });
    (card("a"), card("b"), card("c"), settings).prop_map(|(a, b, c, settings)| [a, b, c, settings].concat())
}

/// A small flow of up to four nodes, ids and contents few enough to meet.
fn flow() -> impl Strategy<Value = Value> {
    let node = ("[ab]_[01]", "[AB]", 0..3_u8, 0..2_u8, 0..2_u8);
    let edge = ("[ab]_[01]", "[ab]_[01]", "[mn]");
    (prop::collection::vec(node, 0..4), prop::collection::vec(edge, 0..4)).prop_map(|(nodes, edges)| {
        let nodes: Vec<_> = nodes
            .into_iter()
            .map(|(id, label, prompt, version, place)| {
                let inputs = match prompt {
                    0 => json!({}),
                    1 => json!({"prompt": "d"}),
                    _ => json!({"prompt": "own"}),
                };
                json!({"id": id, "position": {"x": place}, "data": {
                    "name": &id[..1], "label": label, "version": version, "inputs": inputs,
                    "inputParams": [{"name": "prompt", "default": "d"}]}})
            })
            .collect();
        let edges: Vec<_> = edges
            .into_iter()
            .map(|(source, target, input)| {
                json!({"source": source, "target": target,
                    "sourceHandle": format!("{source}-output-o-T"),
                    "targetHandle": format!("{target}-input-{input}-T")})
            })
            .collect();
        json!({"nodes": nodes, "edges": edges})
    })
}

fn mirrored_edit(kind: EditKind) -> EditKind {
    match kind {
        EditKind::Added => EditKind::Removed,
        EditKind::Removed => EditKind::Added,
        EditKind::Changed => EditKind::Changed,
    }
}

/// The record of the way back. Comments are left out: who deleted one is not known.
fn mirrored(mut record: ChangeRecord) -> ChangeRecord {
    use ParameterChangeKind as P;
    for flow in &mut record.flows {
        flow.kind = match flow.kind {
            FlowChangeKind::Added => FlowChangeKind::Removed,
            FlowChangeKind::Removed => FlowChangeKind::Added,
            FlowChangeKind::Renamed => FlowChangeKind::Renamed,
        };
    }
    for node in &mut record.nodes {
        node.kind = mirrored_edit(node.kind);
        std::mem::swap(&mut node.replaces, &mut node.replaced_by);
        if let Some(former) = &mut node.former_id {
            std::mem::swap(former, &mut node.id);
        }
        if let Some(former) = &mut node.former_name {
            std::mem::swap(former, &mut node.name);
        }
        if let Some(definition) = &mut node.definition {
            std::mem::swap(&mut definition.old_version, &mut definition.new_version);
        }
        for file in &mut node.source {
            file.kind = match file.kind {
                FileChangeKind::Added => FileChangeKind::Removed,
                FileChangeKind::Removed => FileChangeKind::Added,
                kind => kind,
            };
            if let Some(former) = &mut file.former_path {
                std::mem::swap(former, &mut file.path);
            }
        }
        for parameter in &mut node.parameters {
            parameter.kind = match parameter.kind {
                P::Added => P::Removed,
                P::Removed => P::Added,
                P::DefaultAdded => P::DefaultRemoved,
                P::DefaultRemoved => P::DefaultAdded,
                kind => kind,
            };
        }
        for wire in &mut node.wiring {
            wire.kind = mirrored_edit(wire.kind);
        }
        node.source.sort_by(|a, b| a.path.cmp(&b.path).then(a.kind.cmp(&b.kind)));
        node.parameters.sort();
        node.wiring.sort();
    }
    for setting in &mut record.settings {
        setting.kind = mirrored_edit(setting.kind);
        setting.pin = setting.pin.map(|pin| match pin {
            PinChange::Pinned => PinChange::Unpinned,
            PinChange::Unpinned => PinChange::Pinned,
            PinChange::Moved => PinChange::Moved,
        });
    }
    for warning in &mut record.warnings {
        warning.side = warning.side.map(|side| if side == Side::Old { Side::New } else { Side::Old });
    }
    record.warnings.sort();
    record.comments.clear();
    normal(record)
}

/// Nodes that share name, id and kind may come in the order of either file.
fn normal(mut record: ChangeRecord) -> ChangeRecord {
    record.nodes.sort_by_cached_key(|node| format!("{:?} {:?} {:?} {node:?}", node.name, node.id, node.kind));
    record
}

fn borrowed(files: &[(String, String)]) -> Vec<(&str, &str)> {
    files.iter().map(|(path, content)| (path.as_str(), content.as_str())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn spelling_never_changes_the_meaning(value in any_json(), choices in prop::collection::vec(any::<u8>(), 200)) {
        let (plain, other) = (value.to_string(), respell(&value, &mut choices.into_iter()));
        let plain = Document::parse(plain.as_bytes()).expect("JSON");
        let other = Document::parse(other.as_bytes()).expect("JSON");
        prop_assert!(plain.root().same(&other.root()));
    }

    #[test]
    fn values_are_the_same_when_serde_says_so(a in any_json(), b in any_json()) {
        let (left, right) = (a.to_string(), b.to_string());
        let left = Document::parse(left.as_bytes()).expect("JSON");
        let right = Document::parse(right.as_bytes()).expect("JSON");
        // Whole floats aside, which serde tells from integers.
        if a == b || !format!("{a}{b}").contains(".0") {
            prop_assert_eq!(left.root().same(&right.root()), a == b);
        }
    }

    #[test]
    fn any_text_parses_or_is_refused(text in prop::collection::vec(prop_oneof![
        Just(b'{'), Just(b'}'), Just(b'['), Just(b']'), Just(b'"'), Just(b'\\'), Just(b':'), Just(b','),
        Just(b'0'), Just(b'-'), Just(b'e'), Just(b'.'), Just(b'u'), Just(b' '), any::<u8>()], 0..40)) {
        let ours = Document::parse(&text[..]).is_ok();
        let theirs = serde_json::from_slice::<Value>(&text);
        // serde refuses lone surrogates and numbers beyond a float; what it takes, we take.
        prop_assert!(ours || theirs.is_err());
        if let Err(error) = theirs {
            let reason = error.to_string();
            prop_assert!(!ours || reason.contains("surrogate") || reason.contains("out of range")
                || reason.contains("hex escape"), "{reason}");
        }
    }

    #[test]
    fn the_spelling_of_a_project_never_changes_its_record(
        old in project(), new in project(), choices in prop::collection::vec(any::<u8>(), 400),
    ) {
        let mut choices = choices.into_iter();
        let respelled: Vec<_> = new.iter().map(|(path, content)| {
            let json = (!path.contains("/src/")).then(|| serde_json::from_str(content).expect("JSON"));
            (path.clone(), json.map_or(content.clone(), |json: Value| respell(&json, &mut choices)))
        }).collect();
        let plain = record("tsugumi", &borrowed(&old), &borrowed(&new));
        let mut other = record("tsugumi", &borrowed(&old), &borrowed(&respelled));
        other.format_only = plain.format_only;
        prop_assert_eq!(other, plain);
    }

    #[test]
    fn the_way_back_mirrors_the_way_there(old in project(), new in project()) {
        let there = record("tsugumi", &borrowed(&old), &borrowed(&new));
        let back = record("tsugumi", &borrowed(&new), &borrowed(&old));
        prop_assert_eq!(mirrored(back), normal(there));
    }

    #[test]
    fn a_version_against_itself_is_no_change(files in project(), flow in flow()) {
        let record_of_project = record("tsugumi", &borrowed(&files), &borrowed(&files));
        prop_assert_eq!(record_of_project, ChangeRecord { format: "tsugumi".into(), ..ChangeRecord::default() });
        let text = flow.to_string();
        let record = record("flowise", &[("a.json", &text)], &[("a.json", &text)]);
        prop_assert_eq!(record, ChangeRecord { format: "flowise".into(), ..ChangeRecord::default() });
    }

    #[test]
    fn the_way_back_of_a_flow_mirrors_the_way_there(old in flow(), new in flow()) {
        let (old, new) = (old.to_string(), new.to_string());
        let there = record("flowise", &[("a.json", &old)], &[("a.json", &new)]);
        let back = record("flowise", &[("a.json", &new)], &[("a.json", &old)]);
        prop_assert_eq!(mirrored(back), normal(there));
    }

    #[test]
    fn the_spelling_of_a_flow_never_changes_its_record(
        old in flow(), new in flow(), choices in prop::collection::vec(any::<u8>(), 400),
    ) {
        let respelled = respell(&new, &mut choices.into_iter());
        let plain = record("flowise", &[("a.json", &old.to_string())], &[("a.json", &new.to_string())]);
        let mut other = record("flowise", &[("a.json", &old.to_string())], &[("a.json", &respelled)]);
        other.format_only = plain.format_only;
        prop_assert_eq!(other, plain);
    }
}
