//! The work whose instructions `benches/gate.py` counts, on inputs that are the same every time.
//!
//! `kernels --list` names them; `kernels NAME TIMES` prepares one and runs it so often. What
//! preparing costs falls away when the counts of two numbers of times are subtracted.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::hint::black_box;
use std::io::Write as _;
use std::process::ExitCode;
use std::rc::Rc;

use bstr::{BStr, BString};
use serde_json::{Map, Value, json};
use versiondiff_engine::delta::{self, RewriteOptions, Scope};
use versiondiff_engine::format::Format;
use versiondiff_engine::json::Document;
use versiondiff_engine::json::canonical::{self, Canonical, Workspace};
use versiondiff_engine::lines::{self, Text};
use versiondiff_engine::package_diff;
use versiondiff_engine::record::{self, Memory};
use versiondiff_engine::secrets::Rules;
use versiondiff_engine::snapshot::{ContentId, Entry, Mapping, MappingEntry, Mode, ReadError, Snapshot};
use versiondiff_engine::version_diff;

/// Prepares its input and gives the work; the work gives a number, so that nothing is left out.
type Kernel = fn() -> Box<dyn FnMut() -> usize>;

const KERNELS: &[(&str, Kernel)] = &[
    ("mapping_trees", mapping_trees),
    ("delta_mappings", delta_mappings),
    ("delta_trees", delta_trees),
    ("delta_rewrites", delta_rewrites),
    ("json_parse", json_parse),
    ("json_same", json_same),
    ("record_tsugumi", record_tsugumi),
    ("record_flow", record_flow),
    ("record_flow_files", record_flow_files),
    ("json_canonical", json_canonical),
    ("json_canonical_text", json_canonical_text),
    ("json_canonical_measured", json_canonical_measured),
    ("json_is_canonical", json_is_canonical),
    ("lines_compare", lines_compare),
    ("lines_changed_words", lines_changed_words),
    ("secrets_clean", secrets_clean),
    ("secrets_found", secrets_found),
    ("version_diff_tsugumi", version_diff_tsugumi),
    ("version_diff_flow", version_diff_flow),
    ("version_diff_cut", version_diff_cut),
    ("package_diff_json", package_diff_json),
    ("package_diff_text", package_diff_text),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--list"] => {
            let mut out = std::io::stdout();
            let all = KERNELS.iter().try_for_each(|(name, _)| writeln!(out, "{name}"));
            if all.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        [name, times] => {
            let kernel = KERNELS.iter().find(|(known, _)| *known == name);
            let (Some((_, prepare)), Ok(times)) = (kernel, times.parse::<u32>()) else {
                return ExitCode::FAILURE;
            };
            let mut work = prepare();
            for _ in 0..times {
                black_box(work());
            }
            ExitCode::SUCCESS
        }
        _ => ExitCode::FAILURE,
    }
}

// ── Inputs ──────────────────────────────────────────────────────────────────────────────────────

/// A project of 200 Cards with six files each; every 40th Card has another source.
fn project(edition: u32) -> Mapping<'static> {
    let mut entries = Vec::new();
    for card in 0..200 {
        let folder = format!("definitions/card-{card:03}");
        for name in ["_card.json", "_meta.json", "_link.json", "_outputs.fbs", "default.nix", "src/main.py"] {
            let edition = if card % 40 == 0 && name == "src/main.py" { edition } else { 0 };
            entries.push(file(format!("{folder}/{name}"), text(card * 7 + edition, 30)));
        }
    }
    mapping(entries)
}

/// Lines of text that only `seed` decides.
fn text(seed: u32, lines: u32) -> String {
    let mut state = u64::from(seed) * 2 + 1;
    let mut out = String::new();
    for line in 0..lines {
        // A linear congruential generator (Knuth's MMIX), so that no line repeats.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Writing to a string never fails.
        let _ = writeln!(out, "line {line} of {state:016x}");
    }
    out
}

fn file(path: String, content: String) -> MappingEntry<'static> {
    MappingEntry {
        path: Cow::Owned(BString::from(path)),
        mode: Mode::File,
        content: Cow::Owned(content.into_bytes()),
    }
}

#[expect(clippy::expect_used, reason = "the inputs are made here, and valid")]
fn mapping(entries: Vec<MappingEntry<'static>>) -> Mapping<'static> {
    Mapping::new(entries).expect("valid paths")
}

/// A mapping seen as git's trees only, as a version in a repository is.
struct Trees(Mapping<'static>);

impl Snapshot for Trees {
    fn root(&self) -> Result<Option<ContentId>, ReadError> {
        self.0.root()
    }

    fn tree(&self, path: &BStr, id: &ContentId) -> Result<Rc<[u8]>, ReadError> {
        self.0.tree(path, id)
    }

    fn blob(&self, path: &BStr, id: &ContentId) -> Result<Cow<'_, [u8]>, ReadError> {
        self.0.blob(path, id)
    }

    fn find(&self, path: &BStr) -> Result<Option<Entry>, ReadError> {
        self.0.find(path)
    }
}

/// A Tsugumi project of 60 Cards whose parameters, wiring and comments differ by edition.
fn cards(edition: u32) -> Mapping<'static> {
    let mut entries = vec![file(
        "tsugumi.json".to_owned(),
        format!(r#"{{"formatVersion": 1, "pkgsPath": "pin-{edition}", "trigger": "card-00"}}"#),
    )];
    for card in 0..60 {
        let edition = if card % 3 == 0 { edition } else { 0 };
        let folder = format!("definitions/card-{card:02}");
        let parameters: Vec<String> = (0..12)
            .map(|at| format!(r#""p{at}": {{"type": "number", "value": {}}}"#, at * edition))
            .collect();
        let parameters = parameters.join(", ");
        let comments: Vec<String> = (0..=edition)
            .map(|at| format!(r#"{{"id": "c-{card}-{at}", "text": "x", "author": "user", "state": "open"}}"#))
            .collect();
        let comments = comments.join(", ");
        let from = (card + 59 - edition) % 60;
        for (name, content) in [
            ("_card.json", format!(r#"{{"name": "card {card}", "parameters": {{{parameters}}}}}"#)),
            ("_meta.json", format!(r#"{{"title": "Card", "comments": [{comments}]}}"#)),
            (
                "_link.json",
                format!(r#"{{"links": [{{"from": "card-{from:02}", "output": "o", "input": "i"}}]}}"#),
            ),
            ("src/main.py", text(card + edition, 20)),
        ] {
            entries.push(file(format!("{folder}/{name}"), content));
        }
    }
    mapping(entries)
}

/// A flow of 40 nodes, about as large as real ones, whose inputs differ by edition.
fn flow(edition: u32) -> String {
    let nodes: Vec<String> = (0..40).map(|at| flow_node(at, if at % 4 == 0 { edition } else { 0 })).collect();
    let edges: Vec<String> = (1..40)
        .map(|at| {
            format!(
                r#"{{"id": "e{at}", "source": "llm_{}", "target": "llm_{at}", "sourceHandle": "llm_{}-output-llm-A|B", "targetHandle": "llm_{at}-input-model-A"}}"#,
                at - 1,
                at - 1
            )
        })
        .collect();
    format!(r#"{{"nodes": [{}], "edges": [{}]}}"#, nodes.join(",\n"), edges.join(",\n"))
}

fn flow_node(at: u32, edition: u32) -> String {
    let declared: Vec<String> = (0..15)
        .map(|input| {
            format!(
                r#"{{"label": "Input {input}", "name": "in{input}", "type": "string", "rows": 4, "optional": true, "default": "d{input}", "id": "llm_{at}-input-in{input}-string"}}"#
            )
        })
        .collect();
    let inputs: Vec<String> = (0..15)
        .map(|input| format!(r#""in{input}": "a value \u00e9 with escapes\n {}""#, input * edition))
        .collect();
    format!(
        r#"{{"id": "llm_{at}", "position": {{"x": {edition}, "y": {at}}}, "type": "customNode", "data": {{"id": "llm_{at}", "label": "Model {at}", "version": {}, "name": "llm", "inputParams": [{}], "inputs": {{{}}}, "outputs": {{}}}}}}"#,
        edition + 1,
        declared.join(", "),
        inputs.join(", ")
    )
}

/// How many nodes a record holds; 0 where it can't be made, which no input here leads to.
fn recorded(old: &dyn Snapshot, new: &dyn Snapshot, format: &Format) -> usize {
    record::between(old, new, format, &Scope::default(), &mut Memory::default())
        .map_or(0, |record| record.nodes.len())
}

// ── Kernels ─────────────────────────────────────────────────────────────────────────────────────

/// How many changes there are; 0 where they can't be told, which no input here leads to.
fn changes(old: &dyn Snapshot, new: &dyn Snapshot, options: &delta::Options) -> usize {
    delta::between(old, new, options).map_or(0, |delta| delta.changes.len())
}

/// The trees and ids of a mapping.
fn mapping_trees() -> Box<dyn FnMut() -> usize> {
    let project = project(0);
    Box::new(move || {
        let fresh = mapping(project.entries().to_vec());
        fresh.root().map_or(0, |root| usize::from(root.is_some()))
    })
}

/// Five files of 1,200 differ, told from two mappings.
fn delta_mappings() -> Box<dyn FnMut() -> usize> {
    let (old, new) = (project(0), project(1));
    Box::new(move || changes(&old, &new, &delta::Options::default()))
}

/// Five files of 1,200 differ, told from trees.
fn delta_trees() -> Box<dyn FnMut() -> usize> {
    let (old, new) = (Trees(project(0)), Trees(project(1)));
    Box::new(move || changes(&old, &new, &delta::Options::default()))
}

/// Forty files moved; half of them were edited as well.
fn delta_rewrites() -> Box<dyn FnMut() -> usize> {
    let tree = |folder: &str, edited: u32| {
        let files = (0..40).map(|at| {
            let extra = if at % 2 == 0 { "" } else { &text(1_000 + edited, 2)[..] };
            file(format!("{folder}/{at}/main.py"), text(at, 60) + extra)
        });
        mapping(files.collect())
    };
    let (old, new) = (tree("before", 0), tree("after", 1));
    let options = delta::Options { rewrites: Some(RewriteOptions::default()), ..Default::default() };
    Box::new(move || changes(&old, &new, &options))
}

/// A flow is read.
fn json_parse() -> Box<dyn FnMut() -> usize> {
    let flow = flow(1);
    Box::new(move || Document::parse(flow.as_bytes()).map_or(0, |document| usize::from(document.size() > 0)))
}

/// A flow is compared with one that has the same meaning in another spelling.
fn json_same() -> Box<dyn FnMut() -> usize> {
    let (old, new) = (flow(1), flow(1).replace(": ", ":").replace("\\u00e9", "é"));
    Box::new(move || match (Document::parse(old.as_bytes()), Document::parse(new.as_bytes())) {
        (Ok(old), Ok(new)) => usize::from(old.root().same(&new.root())),
        _ => 0,
    })
}

/// Twenty Cards of 60 changed in several aspects.
fn record_tsugumi() -> Box<dyn FnMut() -> usize> {
    let (old, new) = (cards(1), cards(2));
    let format = Format::builtin("tsugumi");
    Box::new(move || format.as_ref().map_or(0, |format| recorded(&old, &new, format)))
}

/// Ten nodes of 40 changed: inputs, definitions and places.
fn record_flow() -> Box<dyn FnMut() -> usize> {
    let [old, new] = [1, 2].map(|edition| mapping(vec![file("flow.json".to_owned(), flow(edition))]));
    let format = Format::builtin("flowise");
    Box::new(move || format.as_ref().map_or(0, |format| recorded(&old, &new, format)))
}

/// The same flows as folders of files: a node and its definition each in one of their own.
fn record_flow_files() -> Box<dyn FnMut() -> usize> {
    let [old, new] = [1, 2].map(|edition| mapping(flow_files(&flow(edition)).unwrap_or_default()));
    let format = Format::builtin("flow");
    Box::new(move || format.as_ref().map_or(0, |format| recorded(&old, &new, format)))
}

fn flow_files(flow: &str) -> Option<Vec<MappingEntry<'static>>> {
    let mut flow: Value = serde_json::from_str(flow).ok()?;
    let (mut files, mut entries, mut places) = (Vec::new(), Vec::new(), Map::new());
    let mut add = |path: String, content: &Value| {
        files.push(file(format!("flows/a--1/{path}"), format!("{content:#}\n")));
    };
    for mut node in std::mem::take(flow["nodes"].as_array_mut()?) {
        let id = node["id"].as_str()?.to_owned();
        let fields = node.as_object_mut()?;
        let place = fields.remove("position").map(|position| json!({"position": position}));
        places.insert(id.clone(), place.unwrap_or_default());
        let is_kept = |key: &str| ["id", "name", "label", "version", "inputs", "outputs"].contains(&key);
        let data = node["data"].as_object_mut()?;
        let (kept, definition): (Map<_, _>, Map<_, _>) =
            std::mem::take(data).into_iter().partition(|(key, _)| is_kept(key));
        *data = kept;
        add(format!("nodes/{id}.json"), &node);
        add(format!("nodes/{id}.definition.json"), &Value::Object(definition));
        entries.push(json!({"id": id, "file": format!("nodes/{id}.json")}));
    }
    add("edges.json".to_owned(), &flow["edges"]);
    add("layout.json".to_owned(), &json!({"nodes": places}));
    add("flow.json".to_owned(), &json!({"formatVersion": 1, "id": "1", "name": "a", "nodes": entries}));
    Some(files)
}

/// A flow in its canonical form.
fn json_canonical() -> Box<dyn FnMut() -> usize> {
    let flow = flow(1);
    Box::new(move || {
        let mut out = Vec::with_capacity(2 * flow.len());
        let document = Document::parse(flow.as_bytes());
        usize::from(document.is_ok_and(|document| canonical::write(document.root(), &mut out).is_ok()))
    })
}

/// A flow in its canonical form, read and written at once.
fn json_canonical_text() -> Box<dyn FnMut() -> usize> {
    canonical_text(flow(1))
}

/// A flow so deep in a text that it is measured before it is written.
fn json_canonical_measured() -> Box<dyn FnMut() -> usize> {
    canonical_text(format!("{}{}{}", "[".repeat(80), flow(1), "]".repeat(80)))
}

fn canonical_text(text: String) -> Box<dyn FnMut() -> usize> {
    let options = canonical::Options::default();
    let mut workspace = Workspace::default();
    Box::new(move || {
        let form = Canonical::of(text.as_bytes(), options, &mut workspace);
        form.map_or(0, |form| usize::from(form.into_bytes().len() > text.len()))
    })
}

/// A flow that is in its canonical form.
fn json_is_canonical() -> Box<dyn FnMut() -> usize> {
    let options = canonical::Options::default();
    let (text, mut workspace) = (flow(1), Workspace::default());
    let form = Canonical::of(text.as_bytes(), options, &mut workspace);
    let text = form.map(Canonical::into_bytes).unwrap_or_default();
    Box::new(move || usize::from(canonical::is_canonical(&text, options)))
}

/// Text in which some lines are others: 60 of 6,000.
fn lines_compare() -> Box<dyn FnMut() -> usize> {
    let old = text(3, 6_000);
    let new: String = old
        .lines()
        .enumerate()
        .map(|(at, line)| if at % 100 == 50 { format!("changed {at}\n") } else { format!("{line}\n") })
        .collect();
    Box::new(move || {
        let (old, new) = (Text::new(old.as_bytes()), Text::new(new.as_bytes()));
        lines::compare(&old, &new, &lines::Limits::default()).changes.len()
    })
}

/// A prompt of 15 kB in one line, with two words changed.
fn lines_changed_words() -> Box<dyn FnMut() -> usize> {
    let old = text(4, 400).replace('\n', " ");
    let new = old.replace("line 100 of", "line hundred of").replace("line 300 of", "line 301 of");
    Box::new(move || {
        let words = lines::changed_words(&[old.as_bytes()], &[new.as_bytes()]);
        words.new.first().map_or(0, Vec::len)
    })
}

/// Nothing to be found in half a megabyte of flows and sources.
fn secrets_clean() -> Box<dyn FnMut() -> usize> {
    let (rules, text) = (Rules::builtin(), format!("{}{}", flow(1), text(5, 10_000)));
    Box::new(move || rules.scan(text.as_bytes(), None).len())
}

/// A hundred tokens in as many lines; they are put together here, so that no scanner finds one in
/// this file.
fn secrets_found() -> Box<dyn FnMut() -> usize> {
    let rules = Rules::builtin();
    let lines: Vec<String> = (0..100)
        .map(|at| {
            let body: String =
                (0..36_u8).map(|step| char::from(b'a' + (step * 7 % 26 + at % 26) % 26)).collect();
            format!("token = \"{}{}{body}\"\n{}", "gh", "p_", self::text(u32::from(at), 10))
        })
        .collect();
    let text = lines.concat();
    Box::new(move || rules.scan(text.as_bytes(), None).len())
}

/// How many files a version diff is about; 0 where it can't be made.
fn shown(old: &dyn Snapshot, new: &dyn Snapshot, format: &Format, options: &version_diff::Options) -> usize {
    version_diff::between(old, new, format, options, &mut version_diff::Memory::default())
        .map_or(0, |diff| if diff.text.is_empty() { 0 } else { diff.files.len() })
}

/// Twenty Cards of 60 changed in several files each.
fn version_diff_tsugumi() -> Box<dyn FnMut() -> usize> {
    let (old, new) = (cards(1), cards(2));
    let (format, options) = (Format::builtin("tsugumi"), version_diff::Options::default());
    Box::new(move || format.as_ref().map_or(0, |format| shown(&old, &new, format, &options)))
}

/// Ten nodes of 40 changed in one file.
fn version_diff_flow() -> Box<dyn FnMut() -> usize> {
    let [old, new] = [1, 2].map(|edition| mapping(vec![file("flow.json".to_owned(), flow(edition))]));
    let (format, options) = (Format::builtin("flowise"), version_diff::Options::default());
    Box::new(move || format.as_ref().map_or(0, |format| shown(&old, &new, format, &options)))
}

/// One file of 2 MB that is another, and nine small sources.
fn version_diff_cut() -> Box<dyn FnMut() -> usize> {
    let tree = |edition: u32| {
        let small = (0..9).map(|at| {
            let content = text(at, 30) + &text(100 + at + edition, 4) + &text(200 + at, 30);
            file(format!("definitions/a/src/{at}.py"), content)
        });
        let large = file("definitions/a/src/large.py".to_owned(), text(300 + edition, 60_000));
        mapping(small.chain([large]).collect())
    };
    let (old, new) = (tree(0), tree(1));
    let (format, options) = (Format::builtin("tsugumi"), version_diff::Options::default());
    Box::new(move || format.as_ref().map_or(0, |format| shown(&old, &new, format, &options)))
}

/// The work is what it says, so that no kernel counts an early end.
#[test]
fn kernels_do_their_work() {
    let done: Vec<(&str, usize)> = KERNELS.iter().map(|(name, prepare)| (*name, prepare()())).collect();
    assert_eq!(
        done,
        [
            ("mapping_trees", 1),
            ("delta_mappings", 5),
            ("delta_trees", 5),
            ("delta_rewrites", 40),
            ("json_parse", 1),
            ("json_same", 1),
            ("record_tsugumi", 20),
            ("record_flow", 10),
            ("record_flow_files", 10),
            ("json_canonical", 1),
            ("json_canonical_text", 1),
            ("json_canonical_measured", 1),
            ("json_is_canonical", 1),
            ("lines_compare", 60),
            ("lines_changed_words", 2),
            ("secrets_clean", 0),
            ("secrets_found", 100),
            ("version_diff_tsugumi", 81),
            ("version_diff_flow", 1),
            ("version_diff_cut", 10),
            ("package_diff_json", 61_892),
            ("package_diff_text", 45_962),
        ]
    );
}

/// A package of 300 files. Of every third some lines differ by edition, every tenth is elsewhere, and every
/// fiftieth is no text.
fn package(edition: u32) -> Mapping<'static> {
    let files = (0..300).map(|number| {
        let folder = if number % 10 == 0 { edition } else { number % 7 };
        let path = format!("src/part-{folder}/module-{number:03}.py");
        let same = text(number, 80);
        let other = if number % 3 == 0 { text(9_000 + number * 2 + edition, 3) } else { String::new() };
        let binary = if number % 50 == 49 { format!("\0{edition}") } else { String::new() };
        file(path, format!("{binary}{same}{other}{same}"))
    });
    mapping(files.collect())
}

#[expect(clippy::expect_used, reason = "the inputs are made here, and in memory")]
fn compare_packages(mut take: impl FnMut(package_diff::FileChange<'_>) -> usize) -> usize {
    thread_local! {
        static PACKAGES: [Mapping<'static>; 2] = [package(1), package(2)];
    }
    PACKAGES.with(|[old, new]| {
        let options = package_diff::Options::default();
        let delta = package_diff::changes(old, new, &options).expect("can be read");
        let files = delta.changes.iter().map(|change| package_diff::compare(change, old, new, &options));
        files.map(|file| take(file.expect("can be read"))).sum()
    })
}

fn package_diff_json() -> Box<dyn FnMut() -> usize> {
    compare_packages(|_| 1);
    Box::new(|| {
        compare_packages(|file| {
            let mut out = Vec::new();
            file.write_json(&mut out);
            file.write_findings(&mut out);
            out.len()
        })
    })
}

#[expect(clippy::expect_used, reason = "nothing is refused")]
fn package_diff_text() -> Box<dyn FnMut() -> usize> {
    compare_packages(|_| 1);
    Box::new(|| {
        compare_packages(|file| {
            let mut out = Vec::new();
            let full: &mut dyn FnMut(&mut Vec<u8>) -> Result<(), ReadError> = &mut |_| Ok(());
            file.hunks.write_numbered("no line feed", &mut out, full).expect("nothing is refused");
            out.len()
        })
    })
}
