//! What the entries are together: the kind of the package, its levelled paths, and which entries
//! are compared.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use bstr::{BStr, BString, ByteSlice};
use unicode_normalization::UnicodeNormalization;

use crate::entry::{Entry, EntryKind, Flag};
use crate::gem;
use crate::names;
use crate::package::{Form, Kind};

/// Give every entry its path, its flags and its place in the comparison.
pub(crate) fn settle(entries: &mut [Entry], form: Form) -> (Kind, Option<BString>) {
    let mut paths: Vec<Option<BString>> = Vec::with_capacity(entries.len());
    for entry in &mut *entries {
        let judged = names::judge(entry.name.as_bstr());
        for flag in judged.flags {
            entry.flag(flag);
        }
        let is_root = judged.path.is_none() && entry.kind == EntryKind::Directory;
        if judged.path.is_none() && !is_root && is_empty_name(entry.name.as_bstr()) {
            entry.flag(Flag::EmptyName);
        }
        paths.push(judged.path);
    }
    let levels = Levels::find(entries, &paths, form);
    for (entry, path) in entries.iter_mut().zip(&mut paths) {
        if let Some(own) = path {
            levels.level(own, entry);
        }
        flag_link(entry, path.as_ref());
        if form == Form::Gem
            && let (Some(own), true) = (&mut *path, entry.within.as_ref().is_some_and(|_| is_data(entry)))
        {
            own.splice(0..0, gem::FOLDER.iter().copied());
        }
        entry.path = path.clone().unwrap_or_else(|| entry.name.clone());
    }
    choose(entries, &paths);
    (levels.kind, levels.folder)
}

/// Whether the entry is one of a gem's own files.
fn is_data(entry: &Entry) -> bool {
    entry.within.as_ref().is_some_and(|within| within.ends_with(b".tar.gz"))
}

fn is_empty_name(name: &BStr) -> bool {
    name.split(|byte| *byte == b'/').all(|component| matches!(component, b"" | b"."))
}

fn flag_link(entry: &mut Entry, path: Option<&BString>) {
    let from = path.unwrap_or(&entry.name).as_bstr();
    let is_outside = match &entry.kind {
        EntryKind::Link { target } => names::leads_outside(from, target.as_bstr()),
        // Named from the root, unlike the target of a symbolic link.
        EntryKind::HardLink { target } => names::leads_outside(BStr::new(""), target.as_bstr()),
        _ => false,
    };
    if is_outside {
        entry.flag(Flag::LinkOutside);
    }
}

/// What every path is without, or with another name.
struct Levels {
    kind: Kind,
    folder: Option<BString>,
}

impl Levels {
    fn find(entries: &[Entry], paths: &[Option<BString>], form: Form) -> Self {
        if form == Form::Gem {
            return Self { kind: Kind::Gem, folder: None };
        }
        let is_zip = form == Form::Zip;
        let mut found: [Option<&[u8]>; 4] = [None; 4];
        for (entry, path) in entries.iter().zip(paths) {
            let Some(path) = path.as_ref().filter(|_| entry.mode().is_some()) else { continue };
            let Some((folder, file)) = path.split_once_str("/") else { continue };
            let which = match file {
                b"WHEEL" if is_zip && folder.strip_suffix(b".dist-info").is_some_and(is_versioned) => 0,
                b"PKG-INFO" if is_versioned(folder) => 1,
                b"Cargo.toml" if !is_zip && is_versioned(folder) => 2,
                b"package.json" if !is_zip => 3,
                _ => continue,
            };
            found[which].get_or_insert(folder);
        }
        let common = common_folder(entries, paths);
        let [wheel, sdist, cargo, npm] = found;
        let npm = npm.filter(|folder| *folder == b"package" || common == Some(*folder));
        // npm takes away whatever folder there is, so that a file elsewhere makes it nothing else.
        let is_npm =
            npm == Some(b"package") && [sdist, cargo].iter().flatten().all(|other| common != Some(*other));
        let (sdist, cargo) = if is_npm { (None, None) } else { (sdist, cargo) };
        let (kind, folder) = if let Some(wheel) = wheel {
            (Kind::Wheel, Some(&wheel[..wheel.len() - b".dist-info".len()]))
        } else if sdist.is_some() {
            (Kind::Sdist, sdist)
        } else if cargo.is_some() {
            (Kind::Crate, cargo)
        } else if npm.is_some() {
            (Kind::Npm, npm)
        } else {
            (if is_zip { Kind::Zip } else { Kind::Tar }, common.filter(|folder| is_versioned(folder)))
        };
        Self { kind, folder: folder.map(BString::from) }
    }

    fn level(&self, path: &mut BString, entry: &mut Entry) {
        let Some(folder) = &self.folder else { return };
        let rest = path.strip_prefix(&folder[..]);
        if self.kind == Kind::Wheel {
            let is_own = |rest: &[u8]| {
                let suffix = rest.split_once_str("/").map_or(rest, |(suffix, _)| suffix);
                suffix == b".dist-info" || suffix == b".data"
            };
            if rest.is_some_and(is_own) {
                let name = folder.find_byte(b'-').unwrap_or(folder.len());
                path.drain(name..folder.len());
            }
            return;
        }
        match rest {
            Some([b'/', rest @ ..]) => *path = rest.into(),
            // The folder itself.
            Some([]) if entry.kind == EntryKind::Directory => {}
            _ => entry.flag(Flag::OutsideFolder),
        }
    }
}

/// `NAME-VERSION`: a hyphen, then a digit, with a `v` between them or not.
fn is_versioned(folder: &[u8]) -> bool {
    folder.find_iter(b"-").any(|at| {
        let version = folder[at + 1..].strip_prefix(b"v").unwrap_or(&folder[at + 1..]);
        at > 0 && version.first().is_some_and(u8::is_ascii_digit)
    })
}

/// The first component of all paths, where they have one.
fn common_folder<'a>(entries: &[Entry], paths: &'a [Option<BString>]) -> Option<&'a [u8]> {
    let mut common = None;
    for (entry, path) in entries.iter().zip(paths) {
        let Some(path) = path else { continue };
        let folder = match path.split_once_str("/") {
            Some((folder, _)) => folder,
            None if entry.kind == EntryKind::Directory => &path[..],
            None => return None,
        };
        if *common.get_or_insert(folder) != folder {
            return None;
        }
    }
    common
}

/// Flag what shares a path, and choose what is compared.
fn choose(entries: &mut [Entry], paths: &[Option<BString>]) {
    let mut order: Vec<(&BString, usize)> =
        paths.iter().enumerate().filter_map(|(at, path)| path.as_ref().map(|path| (path, at))).collect();
    order.sort_by(|(a, at), (b, bt)| by_components(a.as_bstr(), b.as_bstr()).then(at.cmp(bt)));

    // What is below a path follows right after it.
    let mut blocker: Option<(&BString, Flag)> = None;
    for same in order.chunk_by(|(a, _), (b, _)| a == b) {
        let path = same[0].0;
        let is_directory = |at: &usize| entries[*at].kind == EntryKind::Directory;
        let has_file = !same.iter().all(|(_, at)| is_directory(at));
        let has_link = same.iter().any(|(_, at)| {
            matches!(entries[*at].kind, EntryKind::Link { .. }) || entries[*at].has(Flag::HardLinkToLink)
        });
        if same.len() > 1 && has_file {
            for (_, at) in same {
                entries[*at].flag(Flag::Duplicate);
            }
        }
        if let Some((above, flag)) = blocker
            && path.strip_prefix(&above[..]).is_some_and(|rest| rest.first() == Some(&b'/'))
        {
            for (_, at) in same {
                entries[*at].flag(flag);
            }
            continue;
        }
        if has_file {
            blocker = Some((path, if has_link { Flag::ThroughLink } else { Flag::BelowFile }));
        }
        if let Some((at, mode)) = same.iter().rev().find_map(|(_, at)| Some((*at, entries[*at].mode()?))) {
            entries[at].compared = Some(mode);
        }
    }
    flag_case_twins(entries, &order);
}

fn flag_case_twins(entries: &mut [Entry], order: &[(&BString, usize)]) {
    let mut folded: Vec<(Vec<u8>, usize)> =
        order.iter().enumerate().map(|(place, (path, _))| (fold(path), place)).collect();
    folded.sort_unstable();
    for same in folded.chunk_by(|(a, _), (b, _)| a == b) {
        let first = order[same[0].1].0;
        if same.iter().any(|(_, place)| order[*place].0 != first) {
            for (_, place) in same {
                entries[order[*place].1].flag(Flag::CaseTwin);
            }
        }
    }
    flag_twins_of_folders(entries, order, &folded);
}

/// A component that the last path went through, and how it was spelled.
struct Component<'a> {
    /// Where it ends in the folded path.
    end: usize,
    spelling: &'a [u8],
    /// The entry that spelled it so first.
    first: usize,
    other_spellings: BTreeSet<&'a [u8]>,
}

/// Flag one entry for every spelling of a folder that has several, or of a folder and a file.
fn flag_twins_of_folders(entries: &mut [Entry], order: &[(&BString, usize)], folded: &[(Vec<u8>, usize)]) {
    let mut components: Vec<Component<'_>> = Vec::new();
    let mut last: &[u8] = &[];
    for (key, place) in folded {
        let (path, at) = order[*place];
        let common = last.iter().zip(key).take_while(|(a, b)| a == b).count();
        let shared = |end: usize| end <= common && matches!(key.get(end), None | Some(0));
        components.truncate(components.partition_point(|component| shared(component.end)));
        let mut end = components.last().map_or(0, |component| component.end + 1);
        for (level, spelling) in path.split(|byte| *byte == b'/').enumerate() {
            let Some(component) = components.get_mut(level) else {
                end += key[end..].find_byte(0).unwrap_or(key.len() - end);
                let other_spellings = BTreeSet::new();
                components.push(Component { end, spelling, first: at, other_spellings });
                end += 1;
                continue;
            };
            if component.spelling != spelling && component.other_spellings.insert(spelling) {
                entries[component.first].flag(Flag::CaseTwin);
                entries[at].flag(Flag::CaseTwin);
            }
        }
        last = key;
    }
}

/// A path as file systems compare it that take two spellings for one: without case, and with
/// accents apart from their letters. NUL, which no path has here, is between the components, so that
/// what is below a folder follows right after it.
fn fold(path: &[u8]) -> Vec<u8> {
    let mut folded = match std::str::from_utf8(path) {
        Ok(text) if !text.is_ascii() => {
            let cased = text.nfd().flat_map(char::to_uppercase).flat_map(char::to_lowercase);
            cased.nfd().collect::<String>().into_bytes()
        }
        _ => path.to_ascii_lowercase(),
    };
    for byte in &mut folded {
        if *byte == b'/' {
            *byte = 0;
        }
    }
    folded
}

/// By components: what is below a path comes right after it, before `path-` and `path.`.
fn by_components(a: &BStr, b: &BStr) -> Ordering {
    match a.iter().zip(b.iter()).find(|(a, b)| a != b) {
        Some((b'/', _)) => Ordering::Less,
        Some((_, b'/')) => Ordering::Greater,
        Some((a, b)) => a.cmp(b),
        None => a.len().cmp(&b.len()),
    }
}
