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
use versiondiff_engine::delta::{self, RewriteOptions};
use versiondiff_engine::snapshot::{ContentId, Entry, Mapping, MappingEntry, Mode, ReadError, Snapshot};

/// Prepares its input and gives the work; the work gives a number, so that nothing is left out.
type Kernel = fn() -> Box<dyn FnMut() -> usize>;

const KERNELS: &[(&str, Kernel)] = &[
    ("mapping_trees", mapping_trees),
    ("delta_mappings", delta_mappings),
    ("delta_trees", delta_trees),
    ("delta_rewrites", delta_rewrites),
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
