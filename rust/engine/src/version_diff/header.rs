//! What stands before the hunks of a file.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::rc::Rc;

use bstr::{BStr, ByteSlice};

use super::marks::{Counts, Language, Remark};
use super::outcome::Status;
use crate::display;
use crate::secrets::{Finding, Rules, redact};
use crate::snapshot::Mode;
use crate::unseen::{Character, characters};

/// A path as it may be shown.
#[derive(Clone, Debug)]
pub(super) struct ShownPath {
    /// The path, secrets in it hidden; what is no UTF-8 is U+FFFD.
    pub(super) text: String,
    /// The secrets in it.
    pub(super) found: Vec<Finding>,
    /// As git's headers have it: by itself, on the old and on the new side.
    quoted: [String; 3],
}

impl ShownPath {
    pub(super) fn new(path: &BStr, rules: &Rules) -> Self {
        let found = rules.scan(path, None);
        let shown = redact(path, &found);
        let quoted = ["", "a/", "b/"].map(|prefix| quoted(prefix, shown.as_bstr()));
        Self { text: shown.to_str_lossy().into_owned(), found, quoted }
    }
}

/// A path on one side, and what stands there.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) path: Rc<ShownPath>,
    pub(super) mode: Mode,
}

/// All that the header of a file says.
#[derive(Clone, Debug)]
pub(super) struct Header {
    pub(super) status: Status,
    pub(super) old: Option<Place>,
    pub(super) new: Option<Place>,
    /// Of a renamed file: how much stayed, in percent.
    pub(super) similarity: u8,
    pub(super) counts: Counts,
    pub(super) remark: Option<Remark>,
    /// The content differs, and can't be shown as lines.
    pub(super) binary: bool,
    /// There are hunks to follow.
    pub(super) has_lines: bool,
}

impl Header {
    /// The path that goes for the file.
    pub(super) fn path(&self) -> Option<&ShownPath> {
        self.new.as_ref().or(self.old.as_ref()).map(|place| &*place.path)
    }

    /// A secret in a path keeps git from finding the file.
    pub(super) fn is_exact(&self) -> bool {
        !self.binary
            && !matches!(self.remark, Some(Remark::TooLarge | Remark::HiddenLink))
            && [&self.old, &self.new].into_iter().flatten().all(|place| place.path.found.is_empty())
    }

    /// Append the whole header: the line with the counts, and the lines that git writes, but for
    /// the ids, which are hashes of what is hidden.
    pub(super) fn write(&self, language: Language, out: &mut String) {
        language.write_file(self.status, self.counts, self.remark, None, out);
        let line = |parts: &[&str], out: &mut String| {
            out.extend(parts.iter().copied());
            out.push('\n');
        };
        let (Some(before), Some(after)) =
            (self.old.as_ref().or(self.new.as_ref()), self.new.as_ref().or(self.old.as_ref()))
        else {
            return;
        };
        let [_, old, _] = &before.path.quoted;
        let [_, _, new] = &after.path.quoted;
        line(&["diff --git ", old, " ", new], out);
        match (&self.old, &self.new) {
            (None, _) => line(&["new file mode ", after.mode.octal()], out),
            (_, None) => line(&["deleted file mode ", before.mode.octal()], out),
            (Some(_), Some(_)) => {
                if before.mode != after.mode {
                    line(&["old mode ", before.mode.octal()], out);
                    line(&["new mode ", after.mode.octal()], out);
                }
                if self.status == Status::Renamed {
                    line(&["similarity index ", &self.similarity.to_string(), "%"], out);
                    line(&["rename from ", &before.path.quoted[0]], out);
                    line(&["rename to ", &after.path.quoted[0]], out);
                }
            }
        }
        let old = if self.old.is_some() { old } else { "/dev/null" };
        let new = if self.new.is_some() { new } else { "/dev/null" };
        if self.binary {
            line(&["Binary files ", old, " and ", new, " differ"], out);
        } else if self.has_lines {
            // As git does, for readers that take a name with a space to end there.
            let tab = |name: &str| if name.contains(' ') { "\t" } else { "" };
            line(&["--- ", old, tab(old)], out);
            line(&["+++ ", new, tab(new)], out);
        }
    }

    /// The header as one line of at most `room` bytes, its path shortened where it must be; nothing
    /// where even that does not fit.
    pub(super) fn compact(&self, language: Language, room: usize) -> Option<String> {
        const LEAST_CHARACTERS: usize = 16;
        let path = self.path()?;
        let name = display::safe(Cow::Borrowed(&path.text));
        let mut length = name.chars().count();
        loop {
            let mut line = String::new();
            let shown = shortened_around_marks(&name, length);
            language.write_file(self.status, self.counts, self.remark, Some(&shown), &mut line);
            if line.len() <= room {
                return Some(line);
            }
            if length <= LEAST_CHARACTERS {
                return None;
            }
            // A character has at most four bytes.
            length = (length - (line.len() - room).div_ceil(4)).max(LEAST_CHARACTERS).min(length - 1);
        }
    }
}

/// `text` with at most `length` characters, no mark cut.
fn shortened_around_marks(text: &str, length: usize) -> String {
    let shown = display::shortened(text.into(), length);
    let kept = shown.trim_end_matches('…').len();
    // A mark that the cut goes through starts before the cut and ends after it.
    let through =
        text.match_indices(crate::secrets::MARK).find(|(at, mark)| *at < kept && at + mark.len() > kept);
    match through {
        Some((at, _)) if kept < text.len() => format!("{}…", &text[..at]),
        _ => shown.into_owned(),
    }
}

/// A path as git writes it in a header (`core.quotePath` off): as it is, or in quotes where it
/// holds what could break the line, what is no UTF-8, or what no one can see.
fn quoted(prefix: &str, path: &BStr) -> String {
    let is_plain = |Character { letter, is_unseen }| !is_unseen && letter != '"' && letter != '\\';
    if let Ok(text) = path.to_str()
        && characters(text).all(is_plain)
    {
        return format!("{prefix}{text}");
    }
    let mut out = format!("\"{prefix}");
    for chunk in path.utf8_chunks() {
        for Character { letter, is_unseen } in characters(chunk.valid()) {
            match letter {
                '"' | '\\' => out.extend(['\\', letter]),
                '\x07' => out.push_str("\\a"),
                '\x08' => out.push_str("\\b"),
                '\t' => out.push_str("\\t"),
                '\n' => out.push_str("\\n"),
                '\x0b' => out.push_str("\\v"),
                '\x0c' => out.push_str("\\f"),
                '\r' => out.push_str("\\r"),
                _ if is_unseen => write_octal(letter.encode_utf8(&mut [0; 4]).as_bytes(), &mut out),
                _ => out.push(letter),
            }
        }
        write_octal(chunk.invalid(), &mut out);
    }
    out.push('"');
    out
}

fn write_octal(bytes: &[u8], out: &mut String) {
    for byte in bytes {
        let _ = write!(out, "\\{byte:03o}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_as_git_quotes_them() {
        for (path, expected) in [
            (&b"a/b.py"[..], "a/a/b.py"),
            ("読み.py".as_bytes(), "a/読み.py"),
            (b"a b", "a/a b"),
            (b"a\"b\\c\n\t", r#""a/a\"b\\c\n\t""#),
            (b"\xff\x01", r#""a/\377\001""#),
            ("\u{202e}x".as_bytes(), r#""a/\342\200\256x""#),
        ] {
            assert_eq!(quoted("a/", path.as_bstr()), expected);
        }
    }

    #[test]
    fn a_compact_header_shortens_its_path_and_no_mark() {
        let header = |path: &str| Header {
            status: Status::Modified,
            old: None,
            new: Some(Place {
                path: Rc::new(ShownPath::new(path.into(), &Rules::builtin())),
                mode: Mode::File,
            }),
            similarity: 0,
            counts: Counts { added: 1, removed: 2 },
            remark: None,
            binary: false,
            has_lines: true,
        };
        let compact = |path: &str, room| header(path).compact(Language::English, room);
        assert_eq!(compact("a/b.py", 100).as_deref(), Some("[modified, +1 -2: a/b.py]\n"));
        assert_eq!(compact("a/b.py", 10), None);
        let long = "definitions/".repeat(20);
        let line = compact(&long, 60).expect("fits");
        assert!(line.len() <= 60 && line.len() > 50 && line.ends_with("…]\n"), "{line}");
        let marked = format!("{}{}/x.py", "a/".repeat(12), crate::secrets::MARK);
        for room in 40..80 {
            if let Some(line) = compact(&marked, room) {
                assert!(!line.contains("[secret") || line.contains(crate::secrets::MARK), "{line}");
            }
        }
    }
}
