//! The JSON form: fields in the order of `versiondiff/packages/comparing.py`, defaults left out.

use bstr::{BStr, ByteSlice};

use super::{Content, FileChange, Finding, FindingKind, Generated, Hunk, Hunks, Status};
use crate::wire::{Object, write_base64_string, write_escaped, write_lossy_string, write_lossy_text};

/// How much the JSON of a file, or of a hunk, takes beside its lines, roughly.
const FILE_BYTES: usize = 256;
const HUNK_BYTES: usize = 128;
/// From how many bytes on a body is worth being handed over beside the JSON.
const LARGE_BODY: usize = 1 << 20;
/// What says that the last lines of both sides have no line feed.
const NO_LINE_FEEDS: usize = 64;

impl FileChange<'_> {
    /// Append the JSON form of the file without its findings, compact, without a newline.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        self.write(out, self.hunks.list(), &mut None);
    }

    /// As [`write_json`](Self::write_json), without the hunks.
    pub fn write_listed_json(&self, out: &mut Vec<u8>) {
        self.write(out, &[], &mut None);
    }

    /// As [`write_json`](Self::write_json), but that large bodies are handed over and stand empty: each is
    /// copied as seldom as can be.
    pub fn write_json_beside(&self, out: &mut Vec<u8>, take: &mut dyn FnMut(String)) {
        self.write(out, self.hunks.list(), &mut Some(take));
    }

    fn write(&self, out: &mut Vec<u8>, hunks: &[Hunk], beside: &mut Option<&mut dyn FnMut(String)>) {
        let is_beside = beside.is_some();
        // Room for bodies and their escapes: a large one is not to be copied while it grows.
        let sizes = hunks.iter().map(|hunk| self.hunks.body_size(hunk));
        let bodies: usize = sizes.filter(|size| !is_beside || *size < LARGE_BODY).sum();
        let bodies = bodies + hunks.len() * HUNK_BYTES;
        out.reserve(bodies + bodies / 8 + FILE_BYTES);
        let mut object = Object::start(out);
        object.text(
            "status",
            match self.status {
                Status::Added => "added",
                Status::Changed => "changed",
                Status::Deleted => "deleted",
                Status::Renamed => "renamed",
                Status::ModeChanged => "mode_changed",
                Status::TypeChanged => "type_changed",
            },
        );
        bytes(&mut object, "path", Some(&self.path));
        bytes(&mut object, "old_path", self.old_path.as_ref().map(|path| path.as_slice()));
        for (name, mode) in [("old_mode", self.old_mode), ("new_mode", self.new_mode)] {
            if let Some(mode) = mode {
                object.text(name, mode.octal());
            }
        }
        object.number("similarity", usize::from(self.similarity));
        if let Some(counts) = self.counts {
            object.number("added", counts.added);
            object.number("removed", counts.removed);
        } else {
            object.member("added").extend_from_slice(b"null");
            object.member("removed").extend_from_slice(b"null");
        }
        match self.content {
            Content::Text => {}
            Content::Coarse => object.text("content", "coarse"),
            Content::Binary => object.text("content", "binary"),
            Content::TooLarge => object.text("content", "too_large"),
        }
        match self.generated {
            None => {}
            Some(Generated::LockFile) => object.text("generated", "lock_file"),
            Some(Generated::Minified) => object.text("generated", "minified"),
            Some(Generated::Generated) => object.text("generated", "generated"),
        }
        object.list("hunks", hunks, |hunk, out| hunk.write_json(&self.hunks, out, beside));
        raw(&mut object, "raw_path", &self.path);
        if let Some(old_path) = &self.old_path {
            raw(&mut object, "raw_old_path", old_path);
        }
        object.end();
    }

    /// Append the JSON forms of the findings, with a comma before each where something stands before it.
    pub fn write_findings(&self, out: &mut Vec<u8>) {
        for finding in &self.findings {
            if out.last() == Some(&b'}') {
                out.push(b',');
            }
            finding.write_json(self.path.as_bstr(), out);
        }
    }
}

impl Hunk {
    fn write_json(&self, hunks: &Hunks<'_>, out: &mut Vec<u8>, beside: &mut Option<&mut dyn FnMut(String)>) {
        let mut object = Object::start(out);
        object.number("old_start", self.old_start());
        object.number("old_lines", self.old.len());
        object.number("new_start", self.new_start());
        object.number("new_lines", self.new.len());
        if !self.heading.is_empty() {
            bytes(&mut object, "heading", Some(&self.heading));
        }
        let out = object.member("body");
        out.push(b'"');
        let mut is_exact = true;
        let size = hunks.body_size(self);
        if let Some(take) = beside.as_mut().filter(|_| size >= LARGE_BODY) {
            let mut body = Vec::with_capacity(size + NO_LINE_FEEDS);
            hunks.write_body(self, &mut |piece| body.extend_from_slice(piece));
            take(String::from_utf8(body).unwrap_or_else(|error| {
                is_exact = false;
                String::from_utf8_lossy(error.as_bytes()).into_owned()
            }));
        } else if hunks.is_utf8() {
            hunks.write_body(self, &mut |piece| write_escaped(out, piece));
        } else {
            hunks.write_body(self, &mut |piece| {
                // A line feed ends each piece that may be broken, so that pieces read as the whole would.
                write_lossy_text(out, piece);
                is_exact &= piece.to_str().is_ok();
            });
        }
        out.push(b'"');
        if !is_exact {
            let mut body = Vec::new();
            hunks.write_body(self, &mut |piece| body.extend_from_slice(piece));
            raw(&mut object, "raw_body", &body);
        }
        object.end();
    }
}

impl Finding {
    fn write_json(&self, path: &BStr, out: &mut Vec<u8>) {
        let mut object = Object::start(out);
        object.text(
            "kind",
            match self.kind {
                FindingKind::NewExecutable => "new_executable",
                FindingKind::MadeExecutable => "made_executable",
                FindingKind::NotExecutable => "not_executable",
                FindingKind::NewBinary => "new_binary",
                FindingKind::NewLink => "new_link",
                FindingKind::LinkChanged => "link_changed",
                FindingKind::LinkOutside => "link_outside",
                FindingKind::NewFileForOther => "new_file_for_other",
                FindingKind::NewHook => "new_hook",
                FindingKind::HookChanged => "hook_changed",
                FindingKind::HiddenCharacters => "hidden_characters",
                FindingKind::HiddenInName => "hidden_in_name",
            },
        );
        bytes(&mut object, "path", Some(path));
        bytes(&mut object, "old", self.old.as_ref().map(|old| old.as_slice()));
        bytes(&mut object, "new", self.new.as_ref().map(|new| new.as_slice()));
        object.number("line", self.line);
        object.number("count", self.count);
        object.end();
    }
}

fn bytes(object: &mut Object<'_>, name: &str, bytes: Option<&[u8]>) {
    if let Some(bytes) = bytes {
        write_lossy_string(object.member(name), bytes);
    }
}

/// The exact bytes, where the text does not hold them.
fn raw(object: &mut Object<'_>, name: &str, bytes: &[u8]) {
    if bytes.to_str().is_err() {
        write_base64_string(object.member(name), bytes);
    }
}
