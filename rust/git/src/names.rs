//! What names of revisions stand for, for all backends.
//!
//! Git's `gitrevisions(7)`, but for what the index holds (`:path`), and what depends on configuration
//! (`@{upstream}`). A message is searched for a text, not for a regular expression.
//!
//! gitoxide's own reader answers `HEAD^{/text}` with any version where `HEAD` has none, and panics
//! where a version on the way is missing.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use bstr::{BStr, BString, ByteSlice as _};
use versiondiff_engine::snapshot::ContentId;

use crate::commit::{Commit, hex_id};
use crate::store::{Kind, Revision, Store, Target};

/// What `text` stands for, such as `HEAD~3`, `v1^{commit}` or `A..B`; `None` where nothing goes by
/// it. `text` is not empty, holds no NUL, and starts with no dash.
pub(crate) fn parse(store: &dyn Store, text: &str) -> Option<Revision> {
    if text.starts_with(":/") {
        return one(store, text).map(Revision::One);
    }
    if let Some(hidden) = text.strip_prefix('^') {
        return one(store, hidden).map(|_| Revision::Other);
    }
    // What follows a colon is a path, whatever it holds.
    let dots = outside_braces(text, |rest| rest.starts_with([':', '.']) && !is_one_dot(rest));
    if let Some(at) = dots.filter(|at| text[*at..].starts_with("..")) {
        let (from, rest) = (&text[..at], &text[at + 2..]);
        let symmetric = rest.starts_with('.');
        let to = rest.strip_prefix('.').unwrap_or(rest);
        let end = |name: &str| one(store, if name.is_empty() { "HEAD" } else { name });
        let (from, to) = (end(from)?, end(to)?);
        return Some(if symmetric { Revision::Other } else { Revision::Range { from, to } });
    }
    if let Some(name) = text.strip_suffix("^!") {
        return one(store, name).map(Revision::Alone);
    }
    if let Some(name) = text.strip_suffix("^@") {
        return one(store, name).map(|_| Revision::Other);
    }
    if let Some((name, number)) = text.rsplit_once("^-")
        && number.bytes().all(|digit| digit.is_ascii_digit())
    {
        let to = commit(store, one(store, name)?)?;
        let number = if number.is_empty() { 1 } else { number.parse().ok()? };
        return parent(store, &to, number).map(|from| Revision::Range { from, to });
    }
    one(store, text).map(Revision::One)
}

fn is_one_dot(text: &str) -> bool {
    text.starts_with('.') && !text.starts_with("..")
}

/// Where `found` holds first, of what stands in no braces.
fn outside_braces(text: &str, found: impl Fn(&str) -> bool) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, character) in text.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ if depth == 0 && found(&text[at..]) => return Some(at),
            _ => {}
        }
    }
    None
}

/// One object by name.
fn one(store: &dyn Store, text: &str) -> Option<ContentId> {
    if let Some(wanted) = text.strip_prefix(":/") {
        let references = store.references(BStr::new("refs/")).ok()?;
        let mut tips: Vec<ContentId> = references
            .iter()
            .filter_map(|found| commit(store, referred(store, found.name.as_bstr())?))
            .collect();
        tips.extend(referred(store, BStr::new("HEAD")).and_then(|head| commit(store, head)));
        return search(store, &tips, wanted);
    }
    let end = outside_braces(text, |rest| rest.starts_with(['~', '^', ':'])).unwrap_or(text.len());
    let (base, mut rest) = text.split_at(end);
    let mut at = base_object(store, base)?;
    store.read(BStr::new(""), &at, &mut Vec::new()).ok()??;
    while !rest.is_empty() {
        if let Some(path) = rest.strip_prefix(':') {
            return at_path(store, at, path);
        }
        let after = rest.strip_prefix(['~', '^'])?;
        let step = &rest[..1];
        if step == "^" && after.starts_with('{') {
            let close = after.rfind('}').filter(|_| after.starts_with("{/")).or_else(|| after.find('}'))?;
            at = peeled(store, at, &after[1..close])?;
            rest = &after[close + 1..];
            continue;
        }
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        let number = if digits == 0 { 1 } else { after[..digits].parse::<usize>().ok()? };
        rest = &after[digits..];
        at = commit(store, at)?;
        if step == "~" {
            for _ in 0..number {
                at = parent(store, &at, 1)?;
            }
        } else if number > 0 {
            at = parent(store, &at, number)?;
        }
    }
    Some(at)
}

fn base_object(store: &dyn Store, base: &str) -> Option<ContentId> {
    if let Some((name, rest)) = base.split_once("@{") {
        return logged(store, name, rest.strip_suffix('}')?);
    }
    let base = if base == "@" { "HEAD" } else { base };
    if base.is_empty() {
        return None;
    }
    if let Some(id) = hex_id(base.as_bytes()) {
        return Some(id);
    }
    if let Some(name) = full_name(store, base) {
        return referred(store, name.as_bstr());
    }
    let described = base.rsplit_once("-g").map_or(base, |(_, digits)| digits);
    [base, described].into_iter().find_map(|digits| by_prefix(store, digits))
}

/// The full name of the reference that is meant by a short one: the first that there is, and that
/// leads somewhere.
fn full_name(store: &dyn Store, short: &str) -> Option<BString> {
    let rules = ["{}", "refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}", "refs/remotes/{}/HEAD"];
    let mut full = rules.iter().map(|rule| BString::from(rule.replace("{}", short)));
    full.find(|name| referred(store, name.as_bstr()).is_some())
}

/// The object that a reference leads to.
fn referred(store: &dyn Store, name: &BStr) -> Option<ContentId> {
    end_of(store, name).and_then(|(_, id)| id)
}

/// The last reference that this one leads to, and the object that it holds.
fn end_of(store: &dyn Store, name: &BStr) -> Option<(BString, Option<ContentId>)> {
    /// How many symbolic references git follows.
    const MOST_STEPS: usize = 5;
    let mut name = name.to_owned();
    for _ in 0..=MOST_STEPS {
        match store.reference(name.as_bstr()).ok()?.map(|found| found.target) {
            Some(Target::Object(id)) => return Some((name, Some(id))),
            Some(Target::Symbolic(next)) => name = next,
            None => return Some((name, None)),
        }
    }
    None
}

/// `NAME@{WHAT}`: what a reference was.
fn logged(store: &dyn Store, name: &str, what: &str) -> Option<ContentId> {
    if let Some(number) = what.strip_prefix('-') {
        let number: usize = number.parse().ok().filter(|_| name.is_empty())?;
        return checked_out(store, number);
    }
    let head = BStr::new("HEAD");
    let name = match name {
        // The branch that it is on.
        "" => end_of(store, head)?.0,
        "@" => head.to_owned(),
        _ => full_name(store, name)?,
    };
    let mut log = read_log(store, name.as_bstr());
    if log.is_empty() {
        log = read_log(store, end_of(store, name.as_bstr())?.0.as_bstr());
    }
    if !what.is_empty() && what.bytes().all(|digit| digit.is_ascii_digit()) {
        return log.get(what.parse::<usize>().ok()?).map(|line| line.new);
    }
    let date = gix::date::parse(what, Some(gix::date::Zoned::now())).ok()?;
    let then = log.iter().find(|line| line.time <= date.seconds).map(|line| line.new);
    let first = || log.last().map(|line| if line.old.0 == [0; 20] { line.new } else { line.old });
    then.or_else(first)
}

/// The branch, or version, that was checked out this many branches ago.
fn checked_out(store: &dyn Store, number: usize) -> Option<ContentId> {
    let log = read_log(store, BStr::new("HEAD"));
    let from = |line: &LogLine| {
        let moved = line.message.strip_prefix(b"checkout: moving from ")?;
        Some((moved[..moved.find(" to ")?].to_str().ok()?.to_owned(), line.old))
    };
    let (name, old) = log.iter().filter_map(from).nth(number.saturating_sub(1))?;
    match full_name(store, &name) {
        Some(full) => referred(store, full.as_bstr()),
        None => hex_id(name.as_bytes()).map(|_| old),
    }
}

/// A line of the log of a reference.
struct LogLine {
    old: ContentId,
    new: ContentId,
    time: i64,
    message: BString,
}

/// The log of a reference, newest first; empty where there is none.
fn read_log(store: &dyn Store, name: &BStr) -> Vec<LogLine> {
    let directory = if name.starts_with(b"refs/") { store.common_dir() } else { store.git_dir() };
    let Ok(path) = name.to_path() else { return Vec::new() };
    let text = std::fs::read(directory.join("logs").join(path)).unwrap_or_default();
    let line = |line: &[u8]| {
        let (old, new) = (hex_id(line.get(..40)?)?, hex_id(line.get(41..81)?)?);
        let (who, message) = line.split_once_str("\t").unwrap_or((line, b""));
        let (_, when) = who.rsplit_once_str("> ")?;
        let time = when.split(|byte| *byte == b' ').next()?.to_str().ok()?.parse().ok()?;
        Some(LogLine { old, new, time, message: message.into() })
    };
    let mut log: Vec<LogLine> = text.lines().filter_map(line).collect();
    log.reverse();
    log
}

/// The newest version, of these and all that they come from, whose message holds a text.
fn search(store: &dyn Store, tips: &[ContentId], wanted: &str) -> Option<ContentId> {
    let (wanted, holds) = match wanted.strip_prefix('!') {
        None => (wanted, true),
        Some(rest) if rest.starts_with('!') => (rest, true),
        Some(rest) => (rest.strip_prefix('-')?, false),
    };
    let shallow = store.shallow_commits();
    let mut waiting = BinaryHeap::new();
    let mut seen = HashSet::new();
    let mut raw = Vec::new();
    let mut met = tips.to_vec();
    loop {
        for id in met.drain(..) {
            let is_new = seen.insert(id);
            if is_new && matches!(store.read(BStr::new(""), &id, &mut raw), Ok(Some(Kind::Commit))) {
                let time = Commit::parse(&raw, &id).ok()?.time();
                waiting.push((time, Reverse(seen.len()), id.0));
            }
        }
        let id = ContentId(waiting.pop()?.2);
        store.read(BStr::new(""), &id, &mut raw).ok()??;
        let message = raw.split_once_str("\n\n").map_or(&b""[..], |(_, message)| message);
        if message.contains_str(wanted) == holds {
            return Some(id);
        }
        if !shallow.contains(&id) {
            met.extend(Commit::parse(&raw, &id).ok()?.parents());
        }
    }
}

/// The one object whose id starts with these digits; where there are several, the one of them that
/// leads to a commit.
fn by_prefix(store: &dyn Store, digits: &str) -> Option<ContentId> {
    /// Git's shortest.
    const SHORTEST: usize = 4;
    let fits =
        (SHORTEST..40).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    if !fits {
        return None;
    }
    let mut ids = store.ids(&digits.to_ascii_lowercase());
    ids.sort_unstable();
    ids.dedup();
    if let [id] = ids[..] {
        return Some(id);
    }
    let mut commits = ids.into_iter().filter(|id| commit(store, *id).is_some());
    commits.next().filter(|_| commits.next().is_none())
}

/// The commit that an object is, or that a tag leads to.
fn commit(store: &dyn Store, id: ContentId) -> Option<ContentId> {
    peeled(store, id, "commit")
}

/// What `^{what}` of an object is.
fn peeled(store: &dyn Store, id: ContentId, what: &str) -> Option<ContentId> {
    /// Tags of tags are rare, and a cycle of them can't be.
    const MOST_TAGS: usize = 100;
    if what == "/" {
        return commit(store, id);
    }
    if let Some(wanted) = what.strip_prefix('/') {
        return search(store, &[commit(store, id)?], wanted);
    }
    let mut buffer = Vec::new();
    let mut at = id;
    for _ in 0..MOST_TAGS {
        let kind = store.read(BStr::new(""), &at, &mut buffer).ok()??;
        let is_it = match what {
            "" => kind != Kind::Tag,
            "object" => true,
            _ => kind.name() == what,
        };
        if is_it {
            return Some(at);
        }
        at = match kind {
            Kind::Tag => hex_id(buffer.strip_prefix(b"object ")?)?,
            Kind::Commit if what == "tree" => Commit::parse(&buffer, &at).ok()?.tree,
            Kind::Commit | Kind::Tree | Kind::Blob => return None,
        };
    }
    None
}

/// The parent of this number, from 1, where it is there.
fn parent(store: &dyn Store, id: &ContentId, number: usize) -> Option<ContentId> {
    let mut buffer = Vec::new();
    store.read(BStr::new(""), id, &mut buffer).ok()??;
    let parent = Commit::parse(&buffer, id).ok()?.parents().nth(number.checked_sub(1)?)?;
    commit(store, parent)
}

/// What stands at a path of a version or a tree.
fn at_path(store: &dyn Store, id: ContentId, path: &str) -> Option<ContentId> {
    let mut at = peeled(store, id, "tree")?;
    let mut buffer = Vec::new();
    for name in path.split('/').filter(|name| !name.is_empty()) {
        if store.read(BStr::new(path), &at, &mut buffer).ok()?? != Kind::Tree {
            return None;
        }
        at = entry(&buffer, name.as_bytes())?;
    }
    Some(at)
}

/// The id at a name in the raw text of a tree.
fn entry(mut tree: &[u8], wanted: &[u8]) -> Option<ContentId> {
    while !tree.is_empty() {
        let name_at = tree.iter().position(|byte| *byte == b' ')? + 1;
        let name_end = tree.iter().position(|byte| *byte == 0)?;
        let id = tree.get(name_end + 1..name_end + 21)?;
        if tree.get(name_at..name_end)? == wanted {
            return Some(ContentId(id.try_into().ok()?));
        }
        tree = &tree[name_end + 21..];
    }
    None
}
