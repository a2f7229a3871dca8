//! From a format as it is written down to one that is ready for use.

mod assembly;

use bstr::BString;

use super::FormatError;
use super::compiled::{
    CommentPlaces, Compiled, CredentialPlaces, DeclaredPlaces, EdgePlaces, Family, FileMeaning, Folder,
    HandlePlace, InFile, LinkPlaces, OutputPlaces, PinPlace, SettingRules,
};
use super::patterns::Pattern;
use super::places::{self, Place, Places};
use super::value::{
    Around, Aspect, Comment, Credentials, Declared, Edge, Equivalence, FolderNodes, FormatValue, Handle,
    InFileNodes, Link, Nodes, Outputs,
};

fn refuse(field: impl Into<String>, rule: impl Into<String>) -> FormatError {
    FormatError { field: field.into(), rule: rule.into() }
}

fn place(field: &str, pointer: &str) -> Result<Place, FormatError> {
    let steps = places::parse(pointer).map_err(|rule| refuse(field, rule))?;
    if steps.iter().any(|step| step == "*") {
        return Err(refuse(field, "a step * has no meaning here"));
    }
    Ok(steps)
}

fn optional_place(field: &str, pointer: Option<&String>) -> Result<Option<Place>, FormatError> {
    pointer.map(|pointer| place(field, pointer)).transpose()
}

fn patterns(field: &str, texts: &[String]) -> Result<Vec<Pattern>, FormatError> {
    texts
        .iter()
        .enumerate()
        .map(|(index, text)| Pattern::parse(text).map_err(|rule| refuse(format!("{field}[{index}]"), rule)))
        .collect()
}

fn file_path(field: &str, path: &str) -> Result<BString, FormatError> {
    let broken = path.is_empty() || path.split('/').any(|step| matches!(step, "" | "." | ".."));
    if broken {
        return Err(refuse(field, "is no path relative to the root, without . and .."));
    }
    Ok(path.into())
}

pub(super) fn compile(value: FormatValue) -> Result<Compiled, FormatError> {
    if value.name.is_empty() || value.name.chars().any(char::is_control) {
        return Err(refuse("name", "is empty or has control characters"));
    }
    let family = match &value.nodes {
        Nodes::Folder(nodes) => Family::Folder(Box::new(folder(nodes)?)),
        Nodes::InFile(nodes) => Family::InFile(Box::new(in_file(nodes)?)),
    };
    let settings = SettingRules {
        file: value.settings.file.as_ref().map(|path| file_path("settings.file", path)).transpose()?,
        pins: value
            .settings
            .pins
            .iter()
            .enumerate()
            .map(|(index, pin)| {
                let field = format!("settings.pins[{index}].place");
                match &place(&field, &pin.place)?[..] {
                    [key] => {
                        Ok(PinPlace { key: key.clone(), name: pin.name.clone(), free: pin.free.clone() })
                    }
                    _ => Err(refuse(field, "is not one step long: a pin is a key of the settings file")),
                }
            })
            .collect::<Result<_, _>>()?,
        other_files: value.settings.other_files,
    };
    if settings.file.is_none() && !settings.pins.is_empty() {
        return Err(refuse("settings.pins", "has entries, but there is no settings.file to hold them"));
    }
    Ok(Compiled {
        ignored: patterns("ignored", &value.ignored)?,
        visible: patterns("visible", &value.visible)?,
        withheld: patterns("withheld", &value.withheld)?,
        family,
        settings,
        value,
    })
}

fn folder(nodes: &FolderNodes) -> Result<Folder, FormatError> {
    let parent = nodes
        .folder
        .strip_suffix("{id}")
        .filter(|parent| parent.is_empty() || parent.ends_with('/') && !parent.contains(['{', '}']))
        .ok_or_else(|| {
            refuse("nodes.folder", "its last component has to be {id}, and no other may hold braces")
        })?;
    if !parent.is_empty() {
        file_path("nodes.folder", parent.trim_end_matches('/'))?;
    }
    let mut files: Vec<(&str, FileMeaning)> = Vec::new();
    for (index, rule) in nodes.rules.iter().enumerate() {
        let at = files.iter().position(|(file, _)| *file == rule.file).unwrap_or_else(|| {
            files.push((&rule.file, FileMeaning::default()));
            files.len() - 1
        });
        let meaning = &mut files[at].1;
        match &rule.place {
            None => {
                if matches!(rule.aspect, Aspect::Parameters | Aspect::Wiring | Aspect::Comments) {
                    let rule = "a whole file is no parameter, wire or comment: a place is missing";
                    return Err(refuse(format!("nodes.rules[{index}].aspect"), rule));
                }
                meaning.aspect.get_or_insert(rule.aspect);
            }
            Some(pointer) => {
                let field = format!("nodes.rules[{index}].place");
                let steps = places::parse(pointer).map_err(|rule| refuse(&field, rule))?;
                if rule.aspect == Aspect::Wiring && nodes.link.is_none() {
                    return Err(refuse(&field, "is wiring, but nodes.link does not say what a link is"));
                }
                if rule.aspect == Aspect::Comments && nodes.comment.is_none() {
                    return Err(refuse(&field, "is comments, but nodes.comment does not say what one is"));
                }
                meaning.places.insert(&steps, rule.aspect);
            }
        }
    }
    Ok(Folder {
        parent: parent.into(),
        marker: file_path("nodes.marker", &nodes.marker)?,
        name: optional_place("nodes.name", nodes.name.as_ref())?,
        files: files
            .into_iter()
            .map(|(file, meaning)| {
                let pattern = Pattern::parse(file)
                    .map_err(|rule| refuse(format!("nodes.rules, file {file:?}"), rule))?;
                Ok((pattern, meaning))
            })
            .collect::<Result<_, FormatError>>()?,
        unnamed_files: FileMeaning::default(),
        link: nodes.link.as_ref().map(link).transpose()?,
        comment: nodes.comment.as_ref().map(comment).transpose()?,
    })
}

fn link(link: &Link) -> Result<LinkPlaces, FormatError> {
    Ok(LinkPlaces {
        source: place("nodes.link.source", &link.source)?,
        output: optional_place("nodes.link.output", link.output.as_ref())?,
        input: optional_place("nodes.link.input", link.input.as_ref())?,
    })
}

fn comment(comment: &Comment) -> Result<CommentPlaces, FormatError> {
    Ok(CommentPlaces {
        id: place("nodes.comment.id", &comment.id)?,
        author: place("nodes.comment.author", &comment.author)?,
        state: place("nodes.comment.state", &comment.state)?,
        resolved: comment.resolved.clone(),
        resolved_by: place("nodes.comment.resolved_by", &comment.resolved_by)?,
        changed_nodes: place("nodes.comment.changed_nodes", &comment.changed_nodes)?,
    })
}

fn in_file(nodes: &InFileNodes) -> Result<InFile, FormatError> {
    if nodes.files.is_empty() {
        return Err(refuse("nodes.files", "is empty: no file could hold a flow"));
    }
    if nodes.flows.is_empty() {
        return Err(refuse("nodes.flows", "is empty: no place could hold a flow"));
    }
    let assembled =
        nodes.assembled.as_ref().map(|assembled| assembly::compile(nodes, assembled)).transpose()?;
    let mut places_of_nodes = Places::default();
    for (index, rule) in nodes.rules.iter().enumerate() {
        let field = format!("nodes.rules[{index}]");
        if matches!(rule.aspect, Aspect::Source | Aspect::Wiring | Aspect::Comments) {
            return Err(refuse(
                format!("{field}.aspect"),
                "is not one that a place of an in-file node can be: edges say the wiring",
            ));
        }
        let steps = places::parse(&rule.place).map_err(|rule| refuse(format!("{field}.place"), rule))?;
        places_of_nodes.insert(&steps, rule.aspect);
    }
    let (node_list, edge_list) = (place("nodes.nodes", &nodes.nodes)?, place("nodes.edges", &nodes.edges)?);
    let mut flows = Vec::new();
    let (mut holder_places, mut graph_places) = (Places::default(), Places::default());
    graph_places.insert(&node_list, Aspect::Ignored);
    graph_places.insert(&edge_list, Aspect::Ignored);
    for (index, flow) in nodes.flows.iter().enumerate() {
        let field = format!("nodes.flows[{index}]");
        let holder = places::parse(&flow.holder).map_err(|rule| refuse(format!("{field}.holder"), rule))?;
        let graph = place(&format!("{field}.graph"), &flow.graph)?;
        if graph.is_empty() {
            // Holder and graph are one object.
            holder_places.insert(&node_list, Aspect::Ignored);
            holder_places.insert(&edge_list, Aspect::Ignored);
        } else {
            holder_places.insert(&graph, Aspect::Ignored);
        }
        flows.push((holder, graph));
    }
    for (index, pointer) in nodes.ignored_settings.iter().enumerate() {
        let steps = places::parse(pointer)
            .map_err(|rule| refuse(format!("nodes.ignored_settings[{index}]"), rule))?;
        holder_places.insert(&steps, Aspect::Ignored);
        graph_places.insert(&steps, Aspect::Ignored);
    }
    let handle = |field: &str, handle: Option<&Handle>| {
        handle
            .map(|handle| {
                Ok::<_, FormatError>(HandlePlace {
                    place: place(&format!("{field}.place"), &handle.place)?,
                    after: handle.after.clone(),
                    until: handle.until.clone(),
                })
            })
            .transpose()
    };
    let Edge { source, target, output, input } = &nodes.edge;
    Ok(InFile {
        files: patterns("nodes.files", &nodes.files)?,
        assembled,
        flows,
        flow_id: optional_place("nodes.flow_id", nodes.flow_id.as_ref())?,
        flow_name: optional_place("nodes.flow_name", nodes.flow_name.as_ref())?,
        holder_places,
        graph_places,
        nodes: node_list,
        edges: edge_list,
        id: place("nodes.id", &nodes.id)?,
        name: place("nodes.name", &nodes.name)?,
        component: optional_place("nodes.component", nodes.component.as_ref())?,
        version: optional_place("nodes.version", nodes.version.as_ref())?,
        places: places_of_nodes,
        declared: nodes.declared.iter().enumerate().map(declared).collect::<Result<_, _>>()?,
        outputs: nodes.outputs.as_ref().map(outputs).transpose()?,
        aliases: nodes.aliases.clone(),
        nested: patterns("nodes.nested_parameters", &nodes.nested_parameters)?,
        nested_endings: nodes
            .nested_parameters
            .iter()
            .filter_map(|pattern| pattern.strip_prefix('*'))
            .filter(|ending| !ending.is_empty() && !ending.contains(['*', '?', '[', ']', '{', '}', '\\']))
            .map(str::to_owned)
            .collect(),
        credentials: nodes.credentials.as_ref().map(|value| credentials(nodes, value)).transpose()?,
        unset: nodes.unset.iter().map(ToString::to_string).collect(),
        json_text: nodes.equivalences.contains(&Equivalence::JsonText),
        paragraph_markup: nodes.equivalences.contains(&Equivalence::ParagraphMarkup),
        reference: around("nodes.reference", nodes.reference.as_ref())?,
        mention: around("nodes.mention", nodes.mention.as_ref())?,
        positional_outputs: nodes.positional_outputs.clone(),
        edge: EdgePlaces {
            source: place("nodes.edge.source", source)?,
            target: place("nodes.edge.target", target)?,
            output: handle("nodes.edge.output", output.as_ref())?,
            input: handle("nodes.edge.input", input.as_ref())?,
        },
    })
}

fn around(field: &str, around: Option<&Around>) -> Result<Option<Around>, FormatError> {
    match around {
        Some(Around { before, after }) if before.is_empty() || after.is_empty() => {
            Err(refuse(field, "before and after have to be text: an id alone is no reference"))
        }
        around => Ok(around.cloned()),
    }
}

fn declared((index, declared): (usize, &Declared)) -> Result<DeclaredPlaces, FormatError> {
    let field = |name| format!("nodes.declared[{index}].{name}");
    Ok(DeclaredPlaces {
        parameters: place(&field("parameters"), &declared.parameters)?,
        list: place(&field("list"), &declared.list)?,
        name: place(&field("name"), &declared.name)?,
        default: place(&field("default"), &declared.default)?,
        label: optional_place(&field("label"), declared.label.as_ref())?,
        items: optional_place(&field("items"), declared.items.as_ref())?,
        groups: optional_place(&field("groups"), declared.groups.as_ref())?,
    })
}

fn credentials(nodes: &InFileNodes, value: &Credentials) -> Result<CredentialPlaces, FormatError> {
    let field = |name| format!("nodes.credentials.{name}");
    if value.parameter.is_empty() {
        return Err(refuse(field("parameter"), "is empty"));
    }
    let aliases = nodes.aliases.iter().filter(|(_, name)| **name == value.parameter).map(|(alias, _)| alias);
    let names: Vec<&String> = aliases.chain([&value.parameter]).collect();
    let mut own = Vec::new();
    for rule in nodes.rules.iter().filter(|rule| rule.aspect == Aspect::Parameters) {
        let steps = places::parse(&rule.place).unwrap_or_default();
        match steps.split_last() {
            Some((last, holder)) if last == "*" && !holder.iter().any(|step| step == "*") => {
                own.extend(names.iter().map(|name| [holder, &[(*name).clone()]].concat()));
            }
            Some((last, _)) if names.contains(&last) => own.push(steps),
            _ => {}
        }
    }
    let markers = nodes.assembled.as_ref().map(|assembled| &assembled.markers);
    let marker = markers.and_then(|markers| markers.credential.as_ref());
    Ok(CredentialPlaces {
        parameter: value.parameter.clone(),
        own,
        declared: value
            .declared
            .as_ref()
            .map(|declared| Ok((place(&field("declared.place"), &declared.place)?, declared.value.clone())))
            .transpose()?,
        marker: marker.map(|marker| marker.key.clone()),
        marked_name: marker
            .map(|marker| place("nodes.assembled.markers.credential.name", &marker.name))
            .transpose()?,
        literal: markers.and_then(|markers| markers.literal.clone()),
    })
}

fn outputs(outputs: &Outputs) -> Result<OutputPlaces, FormatError> {
    Ok(OutputPlaces {
        list: place("nodes.outputs.list", &outputs.list)?,
        name: place("nodes.outputs.name", &outputs.name)?,
        options: optional_place("nodes.outputs.options", outputs.options.as_ref())?,
    })
}
