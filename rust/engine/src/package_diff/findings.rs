//! What makes a reviewer look twice, as far as the files alone tell.

use bstr::{BStr, BString, ByteSlice};

use super::Content;
use super::file::Side;
use crate::delta::{Change, State};
use crate::display::all_in;
use crate::lines::{LineChange, LineDiff, Text, is_binary};
use crate::links;
use crate::snapshot::Mode;
use crate::unseen::{characters, has_unseen};

/// Why to look twice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FindingKind {
    /// A file that may be executed is new.
    NewExecutable,
    /// A file that was there may be executed now.
    MadeExecutable,
    /// A file may no longer be executed.
    NotExecutable,
    /// A file that can't be read as text is new, or took the place of text.
    NewBinary,
    /// A symbolic link is new, or took the place of something else: `new` is its target.
    NewLink,
    /// A symbolic link leads elsewhere: from `old` to `new`.
    LinkChanged,
    /// A new or changed symbolic link is absolute or leaves the root: `new` is its target.
    LinkOutside,
    /// A file took the place of a link, or of another repository.
    NewFileForOther,
    /// A file that is run when the package is installed or loaded, by its name, is new.
    NewHook,
    /// Such a file changed.
    HookChanged,
    /// Lines that came hold [unseen](crate::unseen) characters: `line` is the first of them, `count` how
    /// many lines do.
    HiddenCharacters,
    /// A new path holds such characters, or is no UTF-8.
    HiddenInName,
}

/// One reason to look twice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Why.
    pub kind: FindingKind,
    /// What there was.
    pub old: Option<BString>,
    /// What there is.
    pub new: Option<BString>,
    /// The number of a line of the new side, from 1; 0 where it is about no line.
    pub line: usize,
    /// How many lines it is about.
    pub count: usize,
}

impl From<FindingKind> for Finding {
    fn from(kind: FindingKind) -> Self {
        Self { kind, old: None, new: None, line: 0, count: 0 }
    }
}

/// What is known of a changed file.
pub(super) struct Seen<'a, 'c> {
    pub(super) old: &'a Side<'c>,
    pub(super) new: &'a Side<'c>,
    pub(super) content: Content,
    pub(super) diff: &'a LineDiff,
    /// Where the lines of the new side start.
    pub(super) new_starts: &'a [u32],
}

/// What to look at twice in a changed file; nothing of one that is gone.
pub(super) fn of(change: &Change, seen: &Seen<'_, '_>) -> Vec<Finding> {
    let Some((path, new)) = change.new() else { return Vec::new() };
    let old = change.old();
    let mut found = Vec::new();
    if old.is_none_or(|(old_path, _)| old_path != path) && is_hidden_name(path) {
        found.push(FindingKind::HiddenInName.into());
    }
    if runs_by_itself(path) {
        let was_hook = old.is_some_and(|(old_path, _)| runs_by_itself(old_path));
        found.push(if was_hook { FindingKind::HookChanged } else { FindingKind::NewHook }.into());
    }
    let old = old.map(|(_, state)| state);
    of_mode(old, new, &mut found);
    if new.mode == Mode::Link {
        of_link(path, old, seen, &mut found);
    } else if new.mode.is_file() && seen.content == Content::Binary {
        let was_binary = old.is_some_and(|old| old.id == new.id || is_binary(seen.old.bytes()));
        if !was_binary && is_binary(seen.new.bytes()) {
            found.push(FindingKind::NewBinary.into());
        }
    }
    if seen.counts_lines() && new.mode.is_file() {
        found.extend(hidden_characters(seen));
    }
    found
}

impl Seen<'_, '_> {
    fn counts_lines(&self) -> bool {
        matches!(self.content, Content::Text | Content::Coarse)
    }
}

fn of_mode(old: Option<State>, new: State, found: &mut Vec<Finding>) {
    let kind = match (old.map(|old| old.mode), new.mode) {
        (None, Mode::Executable) => Some(FindingKind::NewExecutable),
        (Some(Mode::File), Mode::Executable) => Some(FindingKind::MadeExecutable),
        (Some(Mode::Executable), Mode::File) => Some(FindingKind::NotExecutable),
        (Some(Mode::Link | Mode::Submodule), Mode::File | Mode::Executable) => {
            Some(FindingKind::NewFileForOther)
        }
        _ => None,
    };
    found.extend(kind.map(Finding::from));
    if new.mode == Mode::Executable && matches!(old, Some(old) if !old.mode.is_file()) {
        found.push(FindingKind::NewExecutable.into());
    }
}

fn of_link(path: &BStr, old: Option<State>, seen: &Seen<'_, '_>, found: &mut Vec<Finding>) {
    let target = || Some(BString::from(seen.new.bytes()));
    match old {
        Some(State { mode: Mode::Link, id }) => {
            let is_same = id == crate::snapshot::ContentId::of_blob(seen.new.bytes());
            if !is_same {
                let old = Some(BString::from(seen.old.bytes()));
                found.push(Finding { old, new: target(), ..FindingKind::LinkChanged.into() });
            }
        }
        _ => found.push(Finding { new: target(), ..FindingKind::NewLink.into() }),
    }
    if links::place(path, seen.new.bytes()).is_none() {
        found.push(Finding { new: target(), ..FindingKind::LinkOutside.into() });
    }
}

fn is_hidden_name(path: &BStr) -> bool {
    path.to_str().map_or(true, has_unseen)
}

/// Whether a file is run when a package is built, installed or loaded because of its name alone.
fn runs_by_itself(path: &BStr) -> bool {
    const NAMES: [&[u8]; 8] = [
        // Python: building an sdist; every start of an interpreter.
        b"setup.py",
        b"sitecustomize.py",
        b"usercustomize.py",
        // Rust: building a crate.
        b"build.rs",
        // Ruby: building a gem; every run of `gem`.
        b"extconf.rb",
        b"rubygems_plugin.rb",
        b"mkrf_conf.rb",
        // npm: installing where no other script says how.
        b"binding.gyp",
    ];
    const STEMS: [&[u8]; 3] = [b"preinstall", b"install", b"postinstall"];
    const SCRIPTS: [&[u8]; 8] = [b"js", b"cjs", b"mjs", b"ts", b"sh", b"py", b"rb", b"ps1"];
    let name = path.rfind_byte(b'/').map_or(path, |at| path[at + 1..].as_bstr());
    if NAMES.contains(&name.as_ref()) || name.ends_with(b".pth") {
        return true;
    }
    name.as_bytes()
        .rsplit_once_str(".")
        .is_some_and(|(stem, ending)| STEMS.contains(&stem) && SCRIPTS.contains(&ending))
}

/// Hidden characters in lines that came, but for a byte order mark at the beginning of a file.
fn hidden_characters(seen: &Seen<'_, '_>) -> Option<Finding> {
    if seen.diff.added == 0 {
        return None;
    }
    let text = Text::with_starts(seen.new.bytes(), seen.new_starts);
    let plain = |change: &&LineChange| {
        !may_hide(&text.bytes()[text.start(change.new.start)..text.start(change.new.end)])
    };
    if seen.diff.changes.iter().all(|change| plain(&change)) {
        return None;
    }
    let numbers = seen.diff.changes.iter().flat_map(|change| change.new.clone());
    let mut hiding = numbers.filter(|number| {
        let line = text.line(*number);
        hides(if *number == 0 { line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line) } else { line })
    });
    let line = hiding.next()? + 1;
    Some(Finding { line, count: 1 + hiding.count(), ..FindingKind::HiddenCharacters.into() })
}

/// Told quickly: nearly all lines hold nothing of the kind.
fn may_hide(line: &[u8]) -> bool {
    !all_in(line, &PLAIN)
}

const PLAIN: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0x20;
    while byte < 0x7F {
        table[byte] = true;
        byte += 1;
    }
    table[b'\t' as usize] = true;
    table[b'\n' as usize] = true;
    table[0x0C] = true;
    table
};

fn hides(line: &[u8]) -> bool {
    // Form feeds have divided pages of source since before there were screens.
    let is_plain = |letter: char| matches!(letter, '\t' | '\x0C');
    // A carriage return anywhere else lets a terminal write over the line.
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    may_hide(line)
        && line
            .utf8_chunks()
            .any(|chunk| characters(chunk.valid()).any(|one| one.is_unseen && !is_plain(one.letter)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_are_known_by_their_names() {
        for path in ["setup.py", "a/build.rs", "ext/x/extconf.rb", "x.pth", "scripts/postinstall.cjs"] {
            assert!(runs_by_itself(path.into()), "{path}");
        }
        for path in ["setup.pyi", "a/rebuild.rs", "install.md", "pth", "installer.py", "setup.py/x"] {
            assert!(!runs_by_itself(path.into()), "{path}");
        }
    }

    #[test]
    fn hidden_characters_are_those_that_no_one_sees() {
        for line in ["a\rb\n", "a\u{202e}b\n", "\x1b[31m", "a\u{200b}", "x\u{feff}", "a\x08b"] {
            assert!(hides(line.as_bytes()), "{line:?}");
        }
        for line in ["a\tb\r\n", "読み\n", "\x0c\n", "👩\u{200d}👧", "caf\u{e9}"] {
            assert!(!hides(line.as_bytes()), "{line:?}");
        }
        assert!(!hides(b"caf\xe9\x85"));
    }
}
