//! The history file: a project's versions, branches and tags in one JSON document.
//!
//! `docs/history-file.md` describes the form. Reading it here checks everything that can be told
//! without replaying the changes of files: keys, parents, names of branches and tags, people, times.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::marker::PhantomData;

use base64::Engine as _;
use gix::bstr::{BStr, ByteSlice as _};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use versiondiff_engine::display;

use super::ImportError;

/// The name that the file has in the folder of a demo.
pub const FILE_NAME: &str = ".tsugumi-history.json";

/// The form that this code reads and writes.
const FORMAT_VERSION: u32 = 1;
/// 9999-12-31T23:59:59Z, the last second that the usual tools can show.
const LAST_SECOND: u64 = 253_402_300_799;
/// The most characters of a run's id.
const RUN_ID_LENGTH: usize = 100;

/// A history file.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct History {
    format_version: u32,
    /// The branch that HEAD stands on and whose files are written to the working tree.
    pub head: String,
    /// The version that each branch ends with.
    #[serde(deserialize_with = "unique_keys")]
    pub branches: BTreeMap<String, String>,
    /// The versions kept by name.
    #[serde(default, deserialize_with = "unique_keys")]
    pub tags: BTreeMap<String, Tag>,
    /// The versions, in any order.
    pub versions: Vec<Version>,
}

/// One version.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Version {
    /// What the other parts of the file call it.
    pub key: String,
    /// The keys of the versions it was made from; the first is the one its files are told against.
    #[serde(default)]
    pub parents: Vec<String>,
    /// The message; a line end is added where it has none.
    pub message: String,
    /// Who made it.
    pub author: Person,
    /// When, in seconds since 1970-01-01T00:00:00Z.
    pub time: u64,
    /// What differs from the first parent; null where a file is gone.
    #[serde(default, deserialize_with = "unique_keys")]
    pub files: BTreeMap<String, Option<File>>,
    /// The runs that stood on it, in the order in which they ended.
    #[serde(default)]
    pub runs: Vec<Run>,
}

/// One run that stood on a version.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// What tells it from others; one word.
    pub id: String,
    /// How it ended.
    pub status: RunStatus,
    /// When it ended, in seconds since 1970-01-01T00:00:00Z.
    pub ended: u64,
    /// How long it took.
    pub seconds: f64,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunStatus {
    /// All that was to be run ran.
    Succeeded,
    /// Something failed.
    Failed,
    /// Someone stopped it.
    Stopped,
}

/// Who made a version or a tag.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Person {
    /// The name.
    pub name: String,
    /// The address; may be empty.
    pub email: String,
}

/// A version kept by name: an annotated tag.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tag {
    /// The key of the version.
    pub version: String,
    /// What was noted when it was kept.
    #[serde(default)]
    pub memo: String,
    /// Who kept it.
    pub tagger: Person,
    /// When, in seconds since 1970-01-01T00:00:00Z.
    pub time: u64,
}

/// The content of a file.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected a text, an object with text or base64, or null")]
pub enum File {
    /// A plain file with this text.
    Text(String),
    /// A file with more to be said about it.
    Full(Content),
}

/// The content of a file, with its mode.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Content {
    text: Option<String>,
    base64: Option<String>,
    #[serde(default)]
    mode: Mode,
}

/// What kind of file it is, by git's octal digits.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
pub enum Mode {
    /// A plain file.
    #[default]
    #[serde(rename = "100644")]
    Plain,
    /// A file that may be executed.
    #[serde(rename = "100755")]
    Executable,
}

impl File {
    /// The bytes and the mode; or the rule that is broken.
    pub(super) fn read(&self) -> Result<(std::borrow::Cow<'_, [u8]>, Mode), &'static str> {
        match self {
            Self::Text(text) => Ok((text.as_bytes().into(), Mode::Plain)),
            Self::Full(Content { text: Some(text), base64: None, mode }) => {
                Ok((text.as_bytes().into(), *mode))
            }
            Self::Full(Content { text: None, base64: Some(encoded), mode }) => {
                let decoded = base64::engine::general_purpose::STANDARD.decode(encoded);
                decoded.map(|bytes| (bytes.into(), *mode)).map_err(|_| "is no valid base64")
            }
            Self::Full(_) => Err("needs one of text and base64"),
        }
    }
}

impl History {
    /// Read and check a history file.
    ///
    /// # Errors
    /// [`ImportError::Invalid`], naming the place and the rule.
    pub fn parse(json: &[u8]) -> Result<Self, ImportError> {
        let history: Self = serde_json::from_slice(json).map_err(|error| {
            // serde_json's other messages may quote values of the file.
            let text = error.to_string();
            let quotes_names_only =
                ["unknown field", "missing field", "duplicate field", "the key", "expected a text"];
            let rule = if error.is_data() && quotes_names_only.iter().any(|start| text.starts_with(start)) {
                text.rsplit_once(" at line ").map_or(text.as_str(), |(rule, _)| rule).to_owned()
            } else if error.is_data() {
                "a value is not of the documented type".to_owned()
            } else {
                "is no valid JSON".to_owned()
            };
            ImportError::invalid(format!("line {} column {}", error.line(), error.column()), rule)
        })?;
        history.check()?;
        Ok(history)
    }

    fn check(&self) -> Result<(), ImportError> {
        if self.format_version != FORMAT_VERSION {
            return Err(ImportError::invalid(
                "formatVersion",
                format!("only version {FORMAT_VERSION} is known"),
            ));
        }
        let order = self.order()?;
        for version in &self.versions {
            let place = format!("version {:?}", version.key);
            check_person(&version.author, &format!("{place}: author"))?;
            check_time(version.time, &place)?;
            check_text(&version.message, &format!("{place}: message"))?;
        }
        self.check_runs()?;
        let index = self.index();
        for (what, folder, names) in [
            ("branch", "heads", self.branches.keys().collect::<Vec<_>>()),
            ("tag", "tags", self.tags.keys().collect()),
        ] {
            for name in &names {
                check_ref_name(what, folder, name)?;
                let below = format!("{name}/");
                if names.iter().any(|other| other.starts_with(&below)) {
                    return Err(ImportError::invalid(
                        format!("{what} {name:?}"),
                        "another name has it as a folder",
                    ));
                }
            }
        }
        for (name, tag) in &self.tags {
            let place = format!("tag {name:?}");
            check_person(&tag.tagger, &format!("{place}: tagger"))?;
            check_time(tag.time, &place)?;
            check_text(&tag.memo, &format!("{place}: memo"))?;
        }
        if !self.branches.contains_key(&self.head) {
            return Err(ImportError::invalid("head", "is none of the branches"));
        }
        // What no branch and no tag leads to would be lost.
        let mut kept = vec![false; self.versions.len()];
        let tips = self.branches.iter().map(|(name, key)| (format!("branch {name:?}"), key));
        let tags = self.tags.iter().map(|(name, tag)| (format!("tag {name:?}"), &tag.version));
        for (place, key) in tips.chain(tags) {
            let at = index
                .get(key.as_str())
                .ok_or_else(|| ImportError::invalid(place, "names an unknown version"))?;
            kept[*at] = true;
        }
        for at in order.into_iter().rev() {
            if !kept[at] {
                let place = format!("version {:?}", self.versions[at].key);
                return Err(ImportError::invalid(place, "is on no branch and under no tag"));
            }
            for parent in &self.versions[at].parents {
                kept[index[parent.as_str()]] = true;
            }
        }
        Ok(())
    }

    fn check_runs(&self) -> Result<(), ImportError> {
        let mut ids = BTreeSet::new();
        for version in &self.versions {
            for run in &version.runs {
                let place = format!("version {:?}: run {:?}", version.key, run.id);
                let invalid = |rule: &str| Err(ImportError::invalid(&place, rule));
                // What is not to be shown, and what is too long, is replaced: so it stands in a line.
                let shown = display::shortened(display::safe(run.id.as_str().into()), RUN_ID_LENGTH);
                let is_shown = shown == run.id;
                if run.id.is_empty() || run.id.contains(char::is_whitespace) || !is_shown {
                    return invalid("its id is not one word of at most 100 characters");
                }
                if !ids.insert(&run.id) {
                    return invalid("stands twice");
                }
                check_time(run.ended, &place)?;
                if !run.seconds.is_finite() || run.seconds < 0.0 {
                    return invalid("its seconds are not a number of at least 0");
                }
            }
        }
        Ok(())
    }

    /// Where each key stands in the list.
    pub(super) fn index(&self) -> BTreeMap<&str, usize> {
        self.versions.iter().enumerate().map(|(at, version)| (version.key.as_str(), at)).collect()
    }

    /// The versions, parents before children.
    ///
    /// # Errors
    /// [`ImportError::Invalid`] for blank and repeated keys, unknown and repeated parents, cycles.
    pub(super) fn order(&self) -> Result<Vec<usize>, ImportError> {
        let invalid =
            |version: &Version, rule| Err(ImportError::invalid(format!("version {:?}", version.key), rule));
        let index = self.index();
        for (at, version) in self.versions.iter().enumerate() {
            if version.key.is_empty() {
                return invalid(version, "has a blank key");
            }
            if index.get(version.key.as_str()) != Some(&at) {
                return invalid(version, "stands twice");
            }
        }
        let mut children = vec![Vec::new(); self.versions.len()];
        let mut waiting = vec![0_usize; self.versions.len()];
        for (at, version) in self.versions.iter().enumerate() {
            let mut seen = BTreeSet::new();
            for parent in &version.parents {
                let Some(&parent_at) = index.get(parent.as_str()) else {
                    return invalid(version, "has an unknown parent");
                };
                if !seen.insert(parent_at) {
                    return invalid(version, "names a parent twice");
                }
                children[parent_at].push(at);
            }
            waiting[at] = version.parents.len();
        }
        let mut ready: VecDeque<usize> = (0..waiting.len()).filter(|at| waiting[*at] == 0).collect();
        let mut order = Vec::with_capacity(waiting.len());
        while let Some(at) = ready.pop_front() {
            order.push(at);
            for &child in &children[at] {
                waiting[child] -= 1;
                if waiting[child] == 0 {
                    ready.push_back(child);
                }
            }
        }
        match waiting.iter().position(|count| *count > 0) {
            Some(at) => invalid(&self.versions[at], "is, or comes after, its own ancestor"),
            None => Ok(order),
        }
    }
}

fn check_ref_name(what: &str, folder: &str, name: &str) -> Result<(), ImportError> {
    let broken = |rule: String| ImportError::invalid(format!("{what} {name:?}"), rule);
    // What `git branch` and `git tag` refuse beyond the rules of references.
    if name.starts_with('-') {
        return Err(broken("must not start with a dash".to_owned()));
    }
    let full = format!("refs/{folder}/{name}");
    let full: &BStr = full.as_bytes().as_bstr();
    gix::validate::reference::branch_name(full)
        .map_err(|_| broken("is not allowed as a name by git".to_owned()))?;
    Ok(())
}

fn check_person(person: &Person, place: &str) -> Result<(), ImportError> {
    let forbidden = ['<', '>', '\n', '\r', '\0'];
    if person.name.trim().is_empty() {
        return Err(ImportError::invalid(place, "has a blank name"));
    }
    for part in [&person.name, &person.email] {
        if part.contains(forbidden) {
            return Err(ImportError::invalid(place, "must not have <, >, line ends or NUL"));
        }
        if part.trim() != part {
            return Err(ImportError::invalid(place, "must not start or end with white space"));
        }
    }
    Ok(())
}

fn check_time(time: u64, place: &str) -> Result<(), ImportError> {
    if time > LAST_SECOND {
        return Err(ImportError::invalid(place, "has a time after the year 9999"));
    }
    Ok(())
}

fn check_text(text: &str, place: &str) -> Result<(), ImportError> {
    if text.contains('\0') {
        return Err(ImportError::invalid(place, "must not have NUL"));
    }
    Ok(())
}

/// A map in which no key stands twice: JSON allows it, and readers disagree on what it means.
fn unique_keys<'de, D, V>(deserializer: D) -> Result<BTreeMap<String, V>, D::Error>
where
    D: Deserializer<'de>,
    V: Deserialize<'de>,
{
    struct Unique<V>(PhantomData<V>);

    impl<'de, V: Deserialize<'de>> Visitor<'de> for Unique<V> {
        type Value = BTreeMap<String, V>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
            let mut map = BTreeMap::new();
            while let Some(key) = access.next_key::<String>()? {
                let value = access.next_value()?;
                if map.contains_key(&key) {
                    return Err(A::Error::custom(format!("the key {key:?} stands twice")));
                }
                map.insert(key, value);
            }
            Ok(map)
        }
    }

    deserializer.deserialize_map(Unique(PhantomData))
}
