//! The change record as a value, and its JSON form.
//!
//! Field order and the leaving-out of defaults are the wire format; `versiondiff/records.py` holds
//! the same definitions and a golden file keeps the two from drifting.

use serde::Serialize;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_false(flag: &bool) -> bool {
    !*flag
}

/// Whether something came, went or stayed and differs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EditKind {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// It stayed and differs.
    Changed,
}

impl EditKind {
    /// What it is to have been there, and to be there.
    pub(super) fn of(was: bool, is: bool) -> Self {
        match (was, is) {
            (false, _) => Self::Added,
            (true, false) => Self::Removed,
            (true, true) => Self::Changed,
        }
    }
}

/// What happened to a flow as a whole.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FlowChangeKind {
    /// The flow is new.
    Added,
    /// The flow is gone.
    Removed,
    /// The flow's name or file is another one.
    Renamed,
}

/// A flow that came, went or got another name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FlowChange {
    /// What happened.
    pub kind: FlowChangeKind,
    /// The path of its file, with `#<JSON pointer>` where the file holds several, or of its folder.
    pub flow: String,
    /// Its name.
    pub name: String,
    /// How many nodes it has; of a removed flow, had.
    #[serde(skip_serializing_if = "is_zero")]
    pub nodes: usize,
    /// Of a renamed flow: where it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub former_flow: Option<String>,
    /// Of a renamed flow: its name before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub former_name: Option<String>,
}

/// Why two nodes with different ids are the same node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MatchReason {
    /// The content is the very same.
    Content,
    /// The name stayed, and so did some of the content.
    Name,
    /// The name stayed, and so did all, or some, of the wiring to its neighbours.
    Neighbours,
}

/// A change of what a node is, as against the values it is given.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct DefinitionChange {
    /// The definition's version before, where it differs.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub old_version: String,
    /// The definition's version now, where it differs.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub new_version: String,
    /// The files of the node, or the JSON keys, that differ; sorted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
}

/// What happened to a source file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FileChangeKind {
    /// The file is new.
    Added,
    /// The file is gone.
    Removed,
    /// The content differs.
    Edited,
    /// Only the mode differs.
    Mode,
    /// The file has another path; its content may differ too.
    Renamed,
}

/// A source file that changed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FileChange {
    /// What happened.
    pub kind: FileChangeKind,
    /// The path below the node's source folder.
    pub path: String,
    /// Of a renamed file: its path before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub former_path: Option<String>,
}

/// How a parameter changed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ParameterChangeKind {
    /// It was not set.
    Added,
    /// It is no longer set.
    Removed,
    /// It has another value.
    Edited,
    /// Not set before, now written with the value the definition gives anyway.
    DefaultAdded,
    /// Written with its default before, now not set.
    DefaultRemoved,
    /// Followed a default that the definition changed.
    DefaultChanged,
}

/// A parameter that changed: its name, never its value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct ParameterChange {
    /// The name.
    pub name: String,
    /// What happened.
    pub kind: ParameterChangeKind,
    /// What people see as its name; empty where its definition does not say.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub label: String,
}

/// A reference to a credential that came, went or is to another one; never its id.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct CredentialChange {
    /// What happened.
    pub kind: EditKind,
    /// The parameter in which the reference is; empty where it is the node's own.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub input: String,
    /// What people see as the name of that parameter.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// The name of the credential before, where it is known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub old_name: String,
    /// The name of the credential now, where it is known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub new_name: String,
}

/// A connection into a node that came or went.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct WireChange {
    /// Added or removed.
    pub kind: EditKind,
    /// The id of the node that feeds.
    pub node: String,
    /// Its name.
    pub node_name: String,
    /// The output it feeds from.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// The input it feeds into.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub input: String,
    /// What people see as the name of that input; empty where its definition does not say.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub label: String,
}

/// A node that came, went or changed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NodeChange {
    /// What happened.
    pub kind: EditKind,
    /// The id; of a removed node the one it had.
    pub id: String,
    /// The name; of a removed node the one it had.
    pub name: String,
    /// Where its flow is; empty where the whole tree is one workflow.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub flow: String,
    /// The name of its flow.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub flow_name: String,
    /// The id before, where it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub former_id: Option<String>,
    /// The name before, where it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub former_name: Option<String>,
    /// Where the id changed: why this is the same node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matched_by: Option<MatchReason>,
    /// Of an added node: the name of the removed one whose id it took over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces: Option<String>,
    /// Of a removed node: the name of the added one that took over its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<String>,
    /// What changed of its definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub definition: Option<DefinitionChange>,
    /// Its source files that changed, sorted by path.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub source: Vec<FileChange>,
    /// Its parameters that changed, sorted by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<ParameterChange>,
    /// Its references to credentials that changed, sorted by where they are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub credentials: Vec<CredentialChange>,
    /// The connections into it that came or went, sorted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub wiring: Vec<WireChange>,
    /// The order of positional outputs changed.
    #[serde(skip_serializing_if = "is_false")]
    pub outputs_reordered: bool,
}

/// What happened to a setting that pins something.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PinChange {
    /// It was free and is fixed.
    Pinned,
    /// It was fixed and is free.
    Unpinned,
    /// It was fixed and is fixed to something else.
    Moved,
}

/// A setting of a workflow that changed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SettingChange {
    /// What happened.
    pub kind: EditKind,
    /// The key, or the path of a file.
    pub name: String,
    /// Where its flow is; empty where the whole tree is one workflow.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub flow: String,
    /// The name of its flow.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub flow_name: String,
    /// Of a setting that pins something: what happened to the pin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pin: Option<PinChange>,
}

/// What happened to a comment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CommentKind {
    /// It is new and open.
    Added,
    /// Its text, or something else of it, changed.
    Edited,
    /// It is resolved now; also one that is new.
    Resolved,
    /// It was resolved and is open again.
    Reopened,
    /// It is gone.
    Deleted,
}

/// Who did something to a comment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Actor {
    /// The agent.
    Agent,
    /// The user.
    User,
}

/// A node, by id and by the name it has in that version.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NodeName {
    /// The id.
    pub id: String,
    /// The name.
    pub name: String,
}

/// A comment that changed; never its text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CommentChange {
    /// What happened.
    pub kind: CommentKind,
    /// The comment's id.
    pub id: String,
    /// The node it is on, or was.
    pub node: String,
    /// That node's name.
    pub node_name: String,
    /// Who did it, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Actor>,
    /// Of a resolved comment: the nodes that resolving it changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed_nodes: Vec<NodeName>,
}

/// The version a warning is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The old one.
    Old,
    /// The new one.
    New,
}

/// What a record could not say for sure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningCode {
    /// A file is not what the format expects.
    UnreadableFile,
    /// A folder holds files of a node, or a flow, but not the file that makes it one.
    MissingMarker,
    /// Several nodes of a flow, or comments, share an id.
    DuplicateId,
    /// Nodes of a flow have no id.
    BlankId,
    /// A limit was met.
    Limit,
}

/// What a record could not say for sure, and why.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct Warning {
    /// What it is about.
    pub code: WarningCode,
    /// The file.
    pub path: String,
    /// The version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    /// The node or comment.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// How many nodes, comments or comparisons.
    #[serde(skip_serializing_if = "is_zero")]
    pub count: usize,
    /// Where in the file, counted from 1; 0 where no place is known.
    #[serde(skip_serializing_if = "is_zero")]
    pub line: usize,
    /// Where in the line, in bytes, counted from 1.
    #[serde(skip_serializing_if = "is_zero")]
    pub column: usize,
    /// The rule that was broken; never text of the file.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

impl Warning {
    /// A warning about a file, or the place of a flow; the rest is for the caller to say.
    pub(super) fn about(code: WarningCode, path: impl Into<String>) -> Self {
        Self {
            code,
            path: path.into(),
            side: None,
            id: String::new(),
            count: 0,
            line: 0,
            column: 0,
            reason: String::new(),
        }
    }
}

/// Everything that changed between two versions of a workflow; never a value or a line of text.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct ChangeRecord {
    /// The name of the format that said what paths mean.
    pub format: String,
    /// Flows that came, went or were renamed, sorted by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flows: Vec<FlowChange>,
    /// Nodes that came, went or changed, sorted by name, then id.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodeChange>,
    /// Settings that changed, sorted by flow, then name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<SettingChange>,
    /// Comments that changed, sorted by node, then id.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<CommentChange>,
    /// What the record could not say for sure, sorted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// How many nodes changed nothing but their place on the canvas.
    #[serde(skip_serializing_if = "is_zero")]
    pub moved: usize,
    /// How many files, or nodes in a file, are written differently and mean the same.
    #[serde(skip_serializing_if = "is_zero")]
    pub format_only: usize,
    /// How many changed files the format gives no meaning to.
    #[serde(skip_serializing_if = "is_zero")]
    pub other_files: usize,
}

impl ChangeRecord {
    /// Append the record's JSON form, compact, without a newline.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        // Strings and counts always serialise, and a vector takes all.
        let _ = serde_json::to_writer(out, self);
    }
}
