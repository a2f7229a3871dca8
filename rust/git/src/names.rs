//! What names of revisions stand for, for a backend that has no such reader of its own.
//!
//! Git's `gitrevisions(7)`, without reading any object but those that the name leads over.

use bstr::BStr;
use versiondiff_engine::snapshot::ContentId;

use crate::commit::{Commit, hex_id};
use crate::store::{Kind, Revision, Store, Target};

/// What a backend knows of names beyond objects and references.
pub trait Names: Store {
    /// The ids of objects that start with these hexadecimal digits; each may come more than once.
    fn ids(&self, digits: &str) -> Vec<ContentId>;

    /// What the backend's own library makes of a name; used for reflogs and searches of messages.
    fn ask(&self, name: &str) -> Option<ContentId>;
}

/// What `text` stands for; `None` where nothing goes by it.
pub fn parse(names: &dyn Names, text: &str) -> Option<Revision> {
    if text.starts_with(":/") {
        return one(names, text).map(Revision::One);
    }
    if let Some(hidden) = text.strip_prefix('^') {
        return one(names, hidden).map(|_| Revision::Other);
    }
    // What follows a colon is a path, whatever it holds.
    let dots = outside_braces(text, |rest| rest.starts_with([':', '.']) && !is_one_dot(rest));
    if let Some(at) = dots.filter(|at| text[*at..].starts_with("..")) {
        let (from, rest) = (&text[..at], &text[at + 2..]);
        let symmetric = rest.starts_with('.');
        let to = rest.strip_prefix('.').unwrap_or(rest);
        let end = |name: &str| one(names, if name.is_empty() { "HEAD" } else { name });
        let (from, to) = (end(from)?, end(to)?);
        return Some(if symmetric { Revision::Other } else { Revision::Range { from, to } });
    }
    if let Some(name) = text.strip_suffix("^!") {
        return one(names, name).map(Revision::Alone);
    }
    if let Some(name) = text.strip_suffix("^@") {
        return one(names, name).map(|_| Revision::Other);
    }
    if let Some((name, number)) = text.rsplit_once("^-")
        && number.bytes().all(|digit| digit.is_ascii_digit())
    {
        let to = commit(names, one(names, name)?)?;
        let number = if number.is_empty() { 1 } else { number.parse().ok()? };
        return parent(names, &to, number).map(|from| Revision::Range { from, to });
    }
    one(names, text).map(Revision::One)
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
fn one(names: &dyn Names, text: &str) -> Option<ContentId> {
    if text.starts_with(":/") {
        return names.ask(text);
    }
    let end = outside_braces(text, |rest| rest.starts_with(['~', '^', ':'])).unwrap_or(text.len());
    let (base, mut rest) = text.split_at(end);
    let mut at = base_object(names, base)?;
    while !rest.is_empty() {
        if let Some(path) = rest.strip_prefix(':') {
            return at_path(names, at, path);
        }
        let after = rest.strip_prefix(['~', '^'])?;
        let step = &rest[..1];
        if step == "^" && after.starts_with('{') {
            let close = after.rfind('}').filter(|_| after.starts_with("{/")).or_else(|| after.find('}'))?;
            at = peeled(names, at, &after[1..close])?;
            rest = &after[close + 1..];
            continue;
        }
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        let number = if digits == 0 { 1 } else { after[..digits].parse::<usize>().ok()? };
        rest = &after[digits..];
        at = commit(names, at)?;
        if step == "~" {
            for _ in 0..number {
                at = parent(names, &at, 1)?;
            }
        } else if number > 0 {
            at = parent(names, &at, number)?;
        }
    }
    Some(at)
}

fn base_object(names: &dyn Names, base: &str) -> Option<ContentId> {
    if base.contains("@{") {
        return names.ask(base);
    }
    let base = if base == "@" { "HEAD" } else { base };
    if base.is_empty() {
        return None;
    }
    if let Some(id) = hex_id(base.as_bytes()) {
        return names.read(BStr::new(""), &id, &mut Vec::new()).ok()?.map(|_| id);
    }
    let rules = ["{}", "refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}", "refs/remotes/{}/HEAD"];
    for rule in rules {
        if let Some(id) = referred(names, &rule.replace("{}", base)) {
            return Some(id);
        }
    }
    let described = base.rsplit_once("-g").map_or(base, |(_, digits)| digits);
    [base, described].into_iter().find_map(|digits| by_prefix(names, digits))
}

/// The object that a reference leads to.
fn referred(names: &dyn Names, name: &str) -> Option<ContentId> {
    /// How many symbolic references git follows.
    const MOST_STEPS: usize = 5;
    let mut name: bstr::BString = name.into();
    for _ in 0..=MOST_STEPS {
        match names.reference(name.as_ref()).ok()??.target {
            Target::Object(id) => return Some(id),
            Target::Symbolic(next) => name = next,
        }
    }
    None
}

/// The one object whose id starts with these digits; where there are several, the one of them that
/// leads to a commit.
fn by_prefix(names: &dyn Names, digits: &str) -> Option<ContentId> {
    /// Git's shortest.
    const SHORTEST: usize = 4;
    let fits =
        (SHORTEST..40).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    if !fits {
        return None;
    }
    let mut ids = names.ids(&digits.to_ascii_lowercase());
    ids.sort_unstable();
    ids.dedup();
    if let [id] = ids[..] {
        return Some(id);
    }
    let mut commits = ids.into_iter().filter(|id| commit(names, *id).is_some());
    commits.next().filter(|_| commits.next().is_none())
}

/// The commit that an object is, or that a tag leads to.
fn commit(names: &dyn Names, id: ContentId) -> Option<ContentId> {
    peeled(names, id, "commit")
}

/// What `^{what}` of an object is.
fn peeled(names: &dyn Names, id: ContentId, what: &str) -> Option<ContentId> {
    /// Tags of tags are rare, and a cycle of them can't be.
    const MOST_TAGS: usize = 100;
    if what == "/" {
        return commit(names, id);
    }
    if what.starts_with('/') {
        return names.ask(&format!("{id}^{{{what}}}"));
    }
    let mut buffer = Vec::new();
    let mut at = id;
    for _ in 0..MOST_TAGS {
        let kind = names.read(BStr::new(""), &at, &mut buffer).ok()??;
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
fn parent(names: &dyn Names, id: &ContentId, number: usize) -> Option<ContentId> {
    let mut buffer = Vec::new();
    names.read(BStr::new(""), id, &mut buffer).ok()??;
    let parent = Commit::parse(&buffer, id).ok()?.parents().nth(number.checked_sub(1)?)?;
    commit(names, parent)
}

/// What stands at a path of a version or a tree.
fn at_path(names: &dyn Names, id: ContentId, path: &str) -> Option<ContentId> {
    let mut at = peeled(names, id, "tree")?;
    let mut buffer = Vec::new();
    for name in path.split('/').filter(|name| !name.is_empty()) {
        if names.read(BStr::new(path), &at, &mut buffer).ok()?? != Kind::Tree {
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
