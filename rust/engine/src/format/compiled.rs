//! A format that is ready for use: what [`compile`](super::compile) makes of one.

use std::collections::BTreeMap;

use bstr::{BStr, BString, ByteSlice};

use super::patterns::Pattern;
use super::places::{Place, Places};
use super::value::{Around, Aspect, FormatValue, Markers, OtherFiles};

/// The two families of formats, ready for use.
#[derive(Debug)]
pub(crate) enum Family {
    Folder(Box<Folder>),
    InFile(Box<InFile>),
}

/// A format whose nodes are folders.
#[derive(Debug)]
pub(crate) struct Folder {
    /// The folder that holds the nodes' folders, with a trailing slash, or nothing for the root.
    pub(crate) parent: BString,
    pub(crate) marker: BString,
    pub(crate) name: Option<Place>,
    pub(super) files: Vec<(Pattern, FileMeaning)>,
    pub(super) unnamed_files: FileMeaning,
    pub(crate) link: Option<LinkPlaces>,
    pub(crate) comment: Option<CommentPlaces>,
}

/// What a file of a node means.
#[derive(Debug, Default)]
pub(crate) struct FileMeaning {
    pub(crate) aspect: Option<Aspect>,
    pub(crate) places: Places,
}

impl Folder {
    /// The id of the node a path belongs to, and the path below its folder.
    pub(crate) fn split<'p>(&self, path: &'p BStr) -> Option<(&'p BStr, &'p BStr)> {
        let below = path.strip_prefix(&**self.parent)?;
        let slash = below.find_byte(b'/')?;
        Some((below[..slash].as_bstr(), below[slash + 1..].as_bstr()))
    }

    pub(crate) fn meaning(&self, file: &BStr) -> &FileMeaning {
        self.files
            .iter()
            .find(|(pattern, _)| pattern.matches(file))
            .map_or(&self.unnamed_files, |(_, meaning)| meaning)
    }

    /// The path of a file below the folder that its rule names: `main.py` by a rule `src/**`.
    pub(crate) fn below_rule<'p>(&self, file: &'p BStr) -> &'p BStr {
        match self.files.iter().find(|(pattern, _)| pattern.matches(file)) {
            Some((Pattern::Below(directory), _)) => {
                file.strip_prefix(&***directory).map_or(file, ByteSlice::as_bstr)
            }
            _ => file,
        }
    }

    /// The path of a file of a node.
    pub(crate) fn path(&self, id: &BStr, file: &BStr) -> BString {
        let mut path = self.parent.clone();
        path.extend_from_slice(id);
        path.push(b'/');
        path.extend_from_slice(file);
        path
    }
}

#[derive(Debug)]
pub(crate) struct LinkPlaces {
    pub(crate) source: Place,
    pub(crate) output: Option<Place>,
    pub(crate) input: Option<Place>,
}

#[derive(Debug)]
pub(crate) struct CommentPlaces {
    pub(crate) id: Place,
    pub(crate) author: Place,
    pub(crate) state: Place,
    pub(crate) resolved: String,
    pub(crate) resolved_by: Place,
    pub(crate) changed_nodes: Place,
}

/// A format whose nodes are in JSON files.
#[derive(Debug)]
pub(crate) struct InFile {
    pub(crate) files: Vec<Pattern>,
    /// How a flow is put together where it is in several files.
    pub(crate) assembled: Option<Assembly>,
    /// Holder, with `*` steps, and graph.
    pub(crate) flows: Vec<(Place, Place)>,
    pub(crate) flow_id: Option<Place>,
    pub(crate) flow_name: Option<Place>,
    /// What the keys of a holder mean: its graph and what is no setting are ignored, the rest are
    /// settings.
    pub(crate) holder_places: Places,
    /// What the keys of a graph mean, likewise.
    pub(crate) graph_places: Places,
    pub(crate) nodes: Place,
    pub(crate) edges: Place,
    pub(crate) id: Place,
    pub(crate) name: Place,
    pub(crate) component: Option<Place>,
    pub(crate) version: Option<Place>,
    pub(crate) places: Places,
    pub(crate) declared: Vec<DeclaredPlaces>,
    pub(crate) outputs: Option<OutputPlaces>,
    pub(crate) aliases: BTreeMap<String, String>,
    pub(crate) nested: Vec<Pattern>,
    /// What the names of those end in whose pattern is `*` and that.
    pub(crate) nested_endings: Vec<String>,
    pub(crate) credentials: Option<CredentialPlaces>,
    /// As JSON text.
    pub(crate) unset: Vec<String>,
    pub(crate) json_text: bool,
    pub(crate) paragraph_markup: bool,
    pub(crate) reference: Option<Around>,
    pub(crate) mention: Option<Around>,
    pub(crate) positional_outputs: Vec<String>,
    pub(crate) edge: EdgePlaces,
}

/// How the files of a folder are put together to one flow. Places in it are single keys.
#[derive(Debug)]
pub(crate) struct Assembly {
    /// Which folders are flows, with the number of their path's components.
    pub(super) folders: Vec<(Pattern, usize)>,
    /// Where such folders are: the part of all patterns that is a plain path.
    pub(crate) root: BString,
    /// The name of the file that says which nodes there are.
    pub(crate) marker: BString,
    pub(crate) version: Option<(String, u32)>,
    pub(crate) bookkeeping: Vec<String>,
    pub(crate) spread: Vec<Place>,
    pub(crate) node_list: String,
    pub(crate) node_id: String,
    pub(crate) node_file: Place,
    /// What the name ends in, and the key of the node.
    pub(crate) node_parts: Vec<(String, Option<String>)>,
    pub(crate) by_node: Vec<(BString, Place)>,
    /// File and key of the flow.
    pub(crate) parts: Vec<(BString, String)>,
    /// The one of `parts` that holds the edges.
    pub(crate) edges: BString,
    pub(crate) markers: Markers,
}

impl Assembly {
    /// The folder of the flow a path belongs to, and the path below it.
    pub(crate) fn split<'p>(&self, path: &'p BStr) -> Option<(&'p BStr, &'p BStr)> {
        self.folders.iter().find_map(|(pattern, components)| {
            let slash = path.find_iter(b"/").nth(components.checked_sub(1)?)?;
            let folder = path[..slash].as_bstr();
            pattern.matches(folder).then(|| (folder, path[slash + 1..].as_bstr()))
        })
    }

    /// How many components the longest path of a flow's folder has.
    pub(crate) fn depth(&self) -> usize {
        self.folders.iter().map(|(_, components)| *components).max().unwrap_or_default()
    }
}

#[derive(Debug)]
pub(crate) struct DeclaredPlaces {
    pub(crate) parameters: Place,
    pub(crate) list: Place,
    pub(crate) name: Place,
    pub(crate) default: Place,
    pub(crate) label: Option<Place>,
    pub(crate) items: Option<Place>,
    pub(crate) groups: Option<Place>,
}

/// How parameters refer to credentials.
#[derive(Clone, Debug)]
pub(crate) struct CredentialPlaces {
    pub(crate) parameter: String,
    /// Where in a node its own references may be.
    pub(crate) own: Vec<Place>,
    pub(crate) declared: Option<(Place, String)>,
    /// The key of a marker, and where in its value the name is.
    pub(crate) marker: Option<String>,
    pub(crate) marked_name: Option<Place>,
    /// The key of an object that stands for its value, which only looks like a marker.
    pub(crate) literal: Option<String>,
}

#[derive(Debug)]
pub(crate) struct OutputPlaces {
    pub(crate) list: Place,
    pub(crate) name: Place,
    pub(crate) options: Option<Place>,
}

#[derive(Debug)]
pub(crate) struct EdgePlaces {
    pub(crate) source: Place,
    pub(crate) target: Place,
    pub(crate) output: Option<HandlePlace>,
    pub(crate) input: Option<HandlePlace>,
}

#[derive(Debug)]
pub(crate) struct HandlePlace {
    pub(crate) place: Place,
    pub(crate) after: String,
    pub(crate) until: String,
}

/// The workflow's settings, ready for use.
#[derive(Debug)]
pub(crate) struct SettingRules {
    pub(crate) file: Option<BString>,
    pub(crate) pins: Vec<PinPlace>,
    pub(crate) other_files: OtherFiles,
}

#[derive(Debug)]
pub(crate) struct PinPlace {
    pub(crate) key: String,
    pub(crate) name: String,
    pub(crate) free: String,
}

/// What a path is to a format.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Role<'p> {
    /// Nothing that counts.
    Ignored,
    /// A file of a node: its id and the path below its folder.
    NodeFile(&'p BStr, &'p BStr),
    /// A file of a flow that is put together from files: its folder and the path below it.
    FlowPart(&'p BStr, &'p BStr),
    /// A file that may hold flows.
    FlowFile,
    /// The file whose keys are settings.
    SettingsFile,
    /// Anything else.
    Other,
}

/// A format, ready for use.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) value: FormatValue,
    pub(super) ignored: Vec<Pattern>,
    pub(super) visible: Vec<Pattern>,
    pub(super) withheld: Vec<Pattern>,
    pub(crate) family: Family,
    pub(crate) settings: SettingRules,
}

impl Compiled {
    pub(crate) fn role<'p>(&self, path: &'p BStr) -> Role<'p> {
        if self.ignored.iter().any(|pattern| pattern.matches(path)) {
            return Role::Ignored;
        }
        if self.settings.file.as_ref().is_some_and(|file| file == path) {
            return Role::SettingsFile;
        }
        match &self.family {
            Family::Folder(folder) => {
                folder.split(path).map_or(Role::Other, |(id, file)| Role::NodeFile(id, file))
            }
            Family::InFile(in_file) if in_file.assembled.is_some() => in_file
                .assembled
                .as_ref()
                .and_then(|assembly| assembly.split(path))
                .map_or(Role::Other, |(folder, file)| Role::FlowPart(folder, file)),
            Family::InFile(in_file) if in_file.files.iter().any(|pattern| pattern.matches(path)) => {
                Role::FlowFile
            }
            Family::InFile(_) => Role::Other,
        }
    }

    pub(crate) fn is_visible(&self, path: &BStr) -> bool {
        let matches = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.matches(path));
        matches(&self.visible) && !matches(&self.withheld)
    }
}
