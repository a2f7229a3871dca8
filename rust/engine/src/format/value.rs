//! A format as it is written down: plain data, the same shape in JSON, in Rust and in Python.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A format.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FormatValue {
    /// The name that records carry.
    pub name: String,
    /// Where the nodes are and what their files, or places, mean.
    pub nodes: Nodes,
    /// What the workflow's own settings are.
    #[serde(default)]
    pub settings: Settings,
    /// Path patterns of files that never make a change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<String>,
    /// Path patterns of the files that a model may see.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub visible: Vec<String>,
    /// Path patterns of files that a model may not see, whatever `visible` says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withheld: Vec<String>,
}

/// The two families of formats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Nodes {
    /// A node is a folder of files.
    Folder(Box<FolderNodes>),
    /// A JSON file is a whole flow, or several, and holds nodes and edges.
    InFile(Box<InFileNodes>),
}

/// What something of a node is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aspect {
    /// What the node is.
    Definition,
    /// The code it runs.
    Source,
    /// The values it is given.
    Parameters,
    /// What feeds it.
    Wiring,
    /// What people and agents wrote about it.
    Comments,
    /// Where it stands on the canvas.
    Layout,
    /// Nothing that counts.
    Ignored,
}

/// Nodes that are folders.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FolderNodes {
    /// The folder of a node: a path whose last component is `{id}`.
    pub folder: String,
    /// The JSON file in it that makes it a node.
    pub marker: String,
    /// Where in the marker the node's name is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What files and places mean; the first rule that fits counts, and without one it is
    /// definition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<FileRule>,
    /// What a link is, in the lists whose aspect is wiring.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<Link>,
    /// What a comment is, in the lists whose aspect is comments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<Comment>,
}

/// What a file of a node, or a place in it, means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileRule {
    /// A path pattern below the node's folder.
    pub file: String,
    /// A place in the file, which is JSON; a step `*` is any member. Without it the whole file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// What it is.
    pub aspect: Aspect,
}

/// Places in a link: an entry of a node's list of what feeds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// The id of the node that feeds.
    pub source: String,
    /// The output it feeds from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// The input it feeds into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
}

/// Places in a comment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comment {
    /// What tells comments apart, across all nodes.
    pub id: String,
    /// Who wrote it: `agent` or `user`.
    pub author: String,
    /// Whether it is open.
    pub state: String,
    /// The state that means it is resolved.
    pub resolved: String,
    /// Who resolved it: `agent` or `user`.
    pub resolved_by: String,
    /// The ids of the nodes that resolving it changed.
    pub changed_nodes: String,
}

/// Nodes in a JSON file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InFileNodes {
    /// Path patterns of the files that may hold flows; those that hold none are other files.
    pub files: Vec<String>,
    /// What else of a flow is in files beside that one: the folder it is in is the flow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assembled: Option<Assembled>,
    /// Where in a file a flow may be; the first entry that finds one counts.
    pub flows: Vec<FlowPlace>,
    /// Where in the holder a flow's id is, which tells the flows of one file apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow_id: Option<String>,
    /// Where in the holder a flow's name is; without it the file's name is the flow's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow_name: Option<String>,
    /// Places of the holder, or the graph, that are no settings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored_settings: Vec<String>,
    /// Where in the graph the list of nodes is.
    pub nodes: String,
    /// Where in the graph the list of edges is.
    pub edges: String,
    /// Where in a node its id is.
    pub id: String,
    /// Where in a node its name is.
    pub name: String,
    /// Where in a node the name of its component, or type, is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component: Option<String>,
    /// Where in a node the version of its definition is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// What places of a node mean; a step `*` is any member; without a rule it is definition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<PlaceRule>,
    /// Where the definition says which parameters there are, and their defaults.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub declared: Vec<Declared>,
    /// Where the definition says which outputs there are: an output that it renamed leaves its
    /// edges the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outputs: Option<Outputs>,
    /// Parameters that go by another name in places.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub aliases: BTreeMap<String, String>,
    /// Patterns of the names of parameters that hold a set of parameters of their own. One of the
    /// form `*Config` goes by the label of the parameter whose name the `*` stands for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nested_parameters: Vec<String>,
    /// How parameters refer to credentials: what changes there is said as such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credentials: Option<Credentials>,
    /// Values that mean that a parameter is not set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unset: Vec<serde_json::Value>,
    /// Differences in how a value is written that are none in what it means.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub equivalences: Vec<Equivalence>,
    /// How a parameter that only repeats an edge names the node at its other end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<Around>,
    /// How text names a node: a node's new id there is no edit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mention: Option<Around>,
    /// Parameters whose list has an output for each item, named by its position.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub positional_outputs: Vec<String>,
    /// What an edge is. Edges with the same ends are the same edge.
    pub edge: Edge,
}

/// How the files of a folder are put together to one flow, as if it were in one file.
///
/// The file that [`InFileNodes::files`] matches says which nodes there are. Paths of other files
/// are those below its folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assembled {
    /// Which version of this layout is known; files of another one are not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<LayoutVersion>,
    /// Keys of the flow's file that say nothing of the flow itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bookkeeping: Vec<String>,
    /// Places in the flow's file of objects whose members are the flow's own; of the same name, the
    /// later one counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spread: Vec<String>,
    /// Where in an entry of the list of nodes the path of the node's file is.
    pub node_file: String,
    /// Files that hold more of one node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub node_parts: Vec<NodePart>,
    /// Files that hold something of each node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_node: Vec<ByNode>,
    /// Files that hold a value of the flow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<FlowPart>,
    /// Objects in the files of nodes that stand for something else.
    #[serde(default)]
    pub markers: Markers,
}

/// Which version of a layout is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayoutVersion {
    /// The key of the flow's file that has it.
    pub place: String,
    /// The version.
    pub known: u32,
}

/// A file that holds more of one node: an object whose members belong to the node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodePart {
    /// What its name ends in, in place of the `.json` of the node's file.
    pub ending: String,
    /// The key of the node whose members it holds; empty for the node's own.
    pub place: String,
}

/// A file that holds something of each node: in an object, by the name of the node's file without
/// folder and ending, or by the node's id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByNode {
    /// The file.
    pub file: String,
    /// Where in it the object is.
    pub place: String,
}

/// A file that holds a value of the flow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowPart {
    /// The file.
    pub file: String,
    /// The key of the flow whose value it is.
    pub place: String,
}

/// The only key of an object that stands for something else.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Markers {
    /// Of one that stands for the text of the file whose path is its value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Of one that stands for JSON text, of which its value is the content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json: Option<String>,
    /// Of one that stands for its value, which only looks like one of these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub literal: Option<String>,
    /// Of one that stands for a credential.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential: Option<CredentialMarker>,
}

/// Where in a file a flow may be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowPlace {
    /// The object that has the flow's id, name and settings; a step `*` is any member or element.
    pub holder: String,
    /// Where in the holder the graph is: an object, or a string that holds one as JSON text.
    pub graph: String,
}

/// What a place of a node means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlaceRule {
    /// The place; a step `*` is any member.
    pub place: String,
    /// What it is.
    pub aspect: Aspect,
}

/// Where a definition says which parameters there are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Declared {
    /// The place of the parameters it is about.
    pub parameters: String,
    /// The list with an entry for each.
    pub list: String,
    /// Where in an entry the parameter's name is.
    pub name: String,
    /// Where in an entry its default is.
    pub default: String,
    /// Where in an entry what people see as its name is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Where in an entry for a list the entries are for what an item of it holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<String>,
    /// Where in an entry that groups others these are, such as those of a tab.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<String>,
}

/// How parameters refer to credentials.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Credentials {
    /// The name of the parameter that does; what goes by other names for it is the same reference.
    pub parameter: String,
    /// What says in the definition of another parameter that it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared: Option<DeclaredAs>,
}

/// What a definition says of a parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeclaredAs {
    /// The place in the entry for the parameter.
    pub place: String,
    /// The text that stands there.
    pub value: String,
}

/// An object with one key that stands for a credential.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CredentialMarker {
    /// The key.
    pub key: String,
    /// Where in its value the name of the credential is.
    pub name: String,
}

/// Where a definition says which outputs there are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outputs {
    /// The list with an entry for each.
    pub list: String,
    /// Where in an entry the output's name is.
    pub name: String,
    /// Where in an entry a list of alternatives is, each with a name of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<String>,
}

/// A way to write a value differently that means the same.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Equivalence {
    /// A number, boolean, list or object, and a string that holds it as JSON text.
    JsonText,
    /// Text, and the same text in a rich-text editor's paragraphs: `<p>x</p>` and `x`.
    ParagraphMarkup,
}

/// What stands before and after a node's id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Around {
    /// The text before the id.
    pub before: String,
    /// The text after it.
    pub after: String,
}

/// Places in an edge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edge {
    /// The id of the node that feeds.
    pub source: String,
    /// The id of the node that is fed.
    pub target: String,
    /// The output it feeds from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Handle>,
    /// The input it feeds into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Handle>,
}

/// A name inside a text that holds more: what stands between two marks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Handle {
    /// Where the text is.
    pub place: String,
    /// The name starts after the first of these; a text without one names no input or output.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub after: String,
    /// The name ends before the next of these.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub until: String,
}

/// A workflow's own settings.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The JSON file whose keys are settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Settings that pin something.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<Pin>,
    /// What files are that nothing else gives a meaning to.
    #[serde(default)]
    pub other_files: OtherFiles,
}

/// A setting that pins something, such as the packages a workflow is built from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// Where in the settings file it is.
    pub place: String,
    /// What it pins.
    pub name: String,
    /// The value that means it is not pinned; so does its absence.
    pub free: String,
}

/// What files are that nothing else gives a meaning to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OtherFiles {
    /// Settings, named by their path.
    #[default]
    Settings,
    /// Only counted.
    Ignored,
}
