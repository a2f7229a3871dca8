//! The JSON form of the values, held to files that Python's tests decode and encode again.
//!
//! `UPDATE_GOLDEN=1 cargo test --test wire` writes the files anew.

use std::path::Path;

use versiondiff_engine::delta::{Change, ChangeKind, Rewrites, State, TreeDelta};
use versiondiff_engine::record::{
    Actor, ChangeRecord, CommentChange, CommentKind, CredentialChange, DefinitionChange, EditKind,
    FileChange, FileChangeKind, FlowChange, FlowChangeKind, MatchReason, NodeChange, NodeName,
    ParameterChange, ParameterChangeKind, PinChange, SettingChange, Side, Warning, WarningCode, WireChange,
};
use versiondiff_engine::secrets::Location;
use versiondiff_engine::snapshot::{ContentId, Mode};
use versiondiff_engine::version_diff::{
    Compared, Extent, FileDiff, FoundSecret, LeftOut, Outcome, Side as DiffSide, Status, VersionDiff,
};

fn assert_golden(name: &str, json: &[u8]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/wire").join(name);
    let text = [json, b"\n"].concat();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &text).expect("the folder is there");
    }
    let golden = std::fs::read(&path).expect("the file is there");
    assert_eq!(String::from_utf8_lossy(&text), String::from_utf8_lossy(&golden));
}

/// A node with nothing in it but what every node has.
fn node(kind: EditKind, id: &str) -> NodeChange {
    NodeChange {
        kind,
        id: id.into(),
        name: "読み込み \"x\"\u{1f600}".into(),
        flow: String::new(),
        flow_name: String::new(),
        former_id: None,
        former_name: None,
        matched_by: None,
        replaces: None,
        replaced_by: None,
        definition: None,
        source: Vec::new(),
        parameters: Vec::new(),
        credentials: Vec::new(),
        wiring: Vec::new(),
        outputs_reordered: false,
    }
}

fn credential(kind: EditKind, input: &str, old: &str, new: &str) -> CredentialChange {
    let label = if input.is_empty() { "" } else { "Model" };
    CredentialChange {
        kind,
        input: input.into(),
        label: label.into(),
        old_name: old.into(),
        new_name: new.into(),
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "one value, spelled out in full")]
fn a_record_with_every_field_and_every_kind() {
    let files = [
        FileChangeKind::Added,
        FileChangeKind::Removed,
        FileChangeKind::Edited,
        FileChangeKind::Mode,
        FileChangeKind::Renamed,
    ];
    let parameters = [
        ParameterChangeKind::Added,
        ParameterChangeKind::Removed,
        ParameterChangeKind::Edited,
        ParameterChangeKind::DefaultAdded,
        ParameterChangeKind::DefaultRemoved,
        ParameterChangeKind::DefaultChanged,
    ];
    let comments = [
        CommentKind::Added,
        CommentKind::Edited,
        CommentKind::Resolved,
        CommentKind::Reopened,
        CommentKind::Deleted,
    ];
    let warnings = [
        WarningCode::UnreadableFile,
        WarningCode::MissingMarker,
        WarningCode::DuplicateId,
        WarningCode::BlankId,
        WarningCode::Limit,
    ];
    let changed = NodeChange {
        flow: "flows/a.json#/1".into(),
        flow_name: "Bakery".into(),
        former_id: Some("chain_0".into()),
        former_name: Some("Chain".into()),
        matched_by: Some(MatchReason::Content),
        definition: Some(DefinitionChange {
            old_version: "5".into(),
            new_version: "6".into(),
            parts: vec!["/data/inputParams".into()],
        }),
        source: files
            .into_iter()
            .map(|kind| FileChange {
                kind,
                path: "main.py".into(),
                former_path: (kind == FileChangeKind::Renamed).then(|| "old.py".into()),
            })
            .collect(),
        parameters: parameters
            .into_iter()
            .map(|kind| ParameterChange {
                name: "temperature".into(),
                kind,
                label: if kind == ParameterChangeKind::Added { String::new() } else { "Heat".into() },
            })
            .collect(),
        credentials: vec![
            credential(EditKind::Changed, "", "Main", "Test"),
            credential(EditKind::Added, "modelConfig", "", "Main"),
            credential(EditKind::Removed, "", "Main", ""),
        ],
        wiring: [EditKind::Added, EditKind::Removed]
            .into_iter()
            .map(|kind| WireChange {
                kind,
                node: "model_0".into(),
                node_name: "Model".into(),
                output: "model".into(),
                input: "model".into(),
                label: if kind == EditKind::Added { "Chat Model".into() } else { String::new() },
            })
            .collect(),
        outputs_reordered: true,
        ..node(EditKind::Changed, "chain_1")
    };
    let matched = |reason, id: &str| NodeChange { matched_by: Some(reason), ..node(EditKind::Changed, id) };
    let record = ChangeRecord {
        format: "flowise".into(),
        flows: [FlowChangeKind::Added, FlowChangeKind::Removed, FlowChangeKind::Renamed]
            .into_iter()
            .map(|kind| FlowChange {
                kind,
                flow: "flows/a.json".into(),
                name: "Bakery".into(),
                nodes: if kind == FlowChangeKind::Renamed { 0 } else { 3 },
                former_flow: (kind == FlowChangeKind::Renamed).then(|| "flows/b.json".into()),
                former_name: (kind == FlowChangeKind::Renamed).then(|| "b".into()),
            })
            .collect(),
        nodes: vec![
            changed,
            NodeChange { replaces: Some("Old".into()), ..node(EditKind::Added, "a") },
            NodeChange { replaced_by: Some("New".into()), ..node(EditKind::Removed, "b") },
            matched(MatchReason::Name, "c"),
            matched(MatchReason::Neighbours, "d"),
        ],
        settings: [None, Some(PinChange::Pinned), Some(PinChange::Unpinned), Some(PinChange::Moved)]
            .into_iter()
            .map(|pin| SettingChange {
                kind: EditKind::Changed,
                name: "nixpkgs".into(),
                flow: if pin.is_none() { "flows/a.json".into() } else { String::new() },
                flow_name: if pin.is_none() { "Bakery".into() } else { String::new() },
                pin,
            })
            .collect(),
        comments: comments
            .into_iter()
            .map(|kind| CommentChange {
                kind,
                id: "c1".into(),
                node: "bands".into(),
                node_name: "bands".into(),
                by: match kind {
                    CommentKind::Deleted => None,
                    CommentKind::Added => Some(Actor::User),
                    _ => Some(Actor::Agent),
                },
                changed_nodes: if kind == CommentKind::Resolved {
                    vec![NodeName { id: "rgb".into(), name: "rgb".into() }]
                } else {
                    Vec::new()
                },
            })
            .collect(),
        warnings: warnings
            .into_iter()
            .map(|code| Warning {
                code,
                path: "definitions/a/_card.json".into(),
                side: match code {
                    WarningCode::Limit => None,
                    WarningCode::MissingMarker => Some(Side::Old),
                    _ => Some(Side::New),
                },
                id: if code == WarningCode::DuplicateId { "a".into() } else { String::new() },
                count: if code == WarningCode::UnreadableFile { 0 } else { 2 },
                line: usize::from(code == WarningCode::UnreadableFile),
                column: usize::from(code == WarningCode::UnreadableFile),
                reason: if code == WarningCode::UnreadableFile {
                    "expected a value".into()
                } else {
                    String::new()
                },
            })
            .collect(),
        moved: 1,
        format_only: 2,
        other_files: 3,
    };
    let mut json = Vec::new();
    record.write_json(&mut json);
    assert_golden("change-record.json", &json);
}

#[test]
fn a_record_of_nothing() {
    let mut json = Vec::new();
    ChangeRecord { format: "tsugumi".into(), ..ChangeRecord::default() }.write_json(&mut json);
    assert_golden("no-change.json", &json);
}

#[test]
fn a_delta_with_every_field_and_every_kind() {
    let state = |mode, byte| State { mode, id: ContentId([byte; 20]) };
    let change = |path: &[u8], kind| Change { path: path.into(), kind };
    let delta = TreeDelta {
        changes: vec![
            change(b"added", ChangeKind::Addition(state(Mode::File, 1))),
            change(b"deleted", ChangeKind::Deletion(state(Mode::Submodule, 2))),
            change(
                b"not utf-8 \xff",
                ChangeKind::Modification { old: state(Mode::Link, 3), new: state(Mode::Executable, 4) },
            ),
            change(
                "wörk\nflow".as_bytes(),
                ChangeKind::Rewrite {
                    old_path: b"old \xfe".into(),
                    old: state(Mode::File, 5),
                    new: state(Mode::File, 6),
                    similarity: 73,
                },
            ),
        ],
        rewrites: Some(Rewrites { exact: 1, similar: 2, not_compared: 3 }),
    };
    let mut json = Vec::new();
    delta.write_json(&mut json);
    assert_golden("tree-delta.json", &json);
}

#[test]
fn a_version_diff_with_every_field_and_every_kind() {
    let statuses = [Status::Added, Status::Deleted, Status::Modified, Status::Renamed];
    let extents = [Extent::Exact, Extent::Whole, Extent::Cut, Extent::Header, Extent::Nothing];
    let compared = [
        Compared::Text,
        Compared::CanonicalJson,
        Compared::Coarsely,
        Compared::Binary,
        Compared::HiddenLink,
        Compared::TooLarge,
    ];
    let file = |number: usize, compared| {
        let status = statuses[number % statuses.len()];
        FileDiff {
            status,
            path: format!("definitions/読み込み/src/{number}.py"),
            old_path: (status == Status::Renamed).then(|| "wörk\nflow \"x\"".into()),
            old_mode: (status != Status::Added).then_some(Mode::File),
            new_mode: (status != Status::Deleted).then_some(Mode::Executable),
            added: number,
            removed: 5 - number,
            extent: extents[number % extents.len()],
            bytes: number * 100,
            compared,
        }
    };
    let found = |side, line| FoundSecret {
        rule: "github-token".into(),
        path: "definitions/a/src/[secret hidden].py".into(),
        side,
        location: Location { line, column: line, end_line: line, end_column: line * 2 },
    };
    let diff = VersionDiff {
        format: "tsugumi".into(),
        text: "[modified, +1 -0]\n+読み込み \"x\"\u{1f600}\t\n".into(),
        files: compared.into_iter().enumerate().map(|(number, compared)| file(number, compared)).collect(),
        findings: vec![found(DiffSide::Old, 0), found(DiffSide::New, 12)],
        outcome: Outcome {
            left_out: LeftOut { not_allowed: 1, submodules: 2, format_only: 3 },
            cut: 4,
            no_room: 5,
            secrets: [("github-token".into(), 1), ("private-key".into(), 2)].into(),
            taken_back: 6,
        },
    };
    let mut json = Vec::new();
    diff.write_json(&mut json);
    assert_golden("version-diff.json", &json);
    assert!(!format!("{diff:?}").contains("読み込み \\\"x"), "the text is for one reader");
}

#[test]
fn a_version_diff_of_nothing() {
    let diff = VersionDiff {
        format: "tsugumi".into(),
        text: String::new(),
        files: Vec::new(),
        findings: Vec::new(),
        outcome: Outcome::default(),
    };
    let mut json = Vec::new();
    diff.write_json(&mut json);
    assert_golden("no-version-diff.json", &json);
}
