//! The listing of a package as JSON.

use versiondiff_engine::snapshot::ContentId;
use versiondiff_engine::wire::{write_base64_string, write_integer, write_lossy_string, write_string};

use crate::entry::{Entry, EntryKind};
use crate::package::Package;

impl Package {
    /// Append the listing: `kind`, `folder`, `entries` and `reasons`, never content.
    ///
    /// A name that is no UTF-8 stands with U+FFFD, and exactly as `raw_…` in base 64. Entries that
    /// have content and are not compared carry its id.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"kind\":");
        write_string(out, self.kind.name());
        if let Some(folder) = &self.folder {
            text(out, "folder", folder);
        }
        out.extend_from_slice(b",\"entries\":[");
        for (at, entry) in self.entries.iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            write_entry(out, entry);
        }
        out.extend_from_slice(b"],\"reasons\":[");
        for (at, reason) in self.reasons.iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            out.extend_from_slice(b"{\"kind\":");
            write_string(out, reason.kind.name());
            number(out, "count", reason.count);
            if reason.bytes > 0 {
                number(out, "size", reason.bytes);
            }
            if let Some(name) = &reason.name {
                text(out, "name", name);
            }
            out.push(b'}');
        }
        out.extend_from_slice(b"]}");
    }
}

fn write_entry(out: &mut Vec<u8>, entry: &Entry) {
    out.extend_from_slice(b"{\"path\":");
    write_lossy_string(out, &entry.path);
    raw(out, "path", &entry.path);
    if entry.name != entry.path {
        text(out, "name", &entry.name);
    }
    if let Some(within) = &entry.within {
        text(out, "within", within);
    }
    let (kind, target, device) = match &entry.kind {
        EntryKind::File => ("file", None, None),
        EntryKind::Executable => ("executable", None, None),
        EntryKind::Link { target } => ("link", Some(target), None),
        EntryKind::HardLink { target } => ("hard_link", Some(target), None),
        EntryKind::Directory => ("directory", None, None),
        EntryKind::CharacterDevice { major, minor } => ("character_device", None, Some((*major, *minor))),
        EntryKind::BlockDevice { major, minor } => ("block_device", None, Some((*major, *minor))),
        EntryKind::Fifo => ("fifo", None, None),
        EntryKind::Other { .. } => ("other", None, None),
    };
    key(out, "kind");
    write_string(out, kind);
    if let Some(target) = target {
        text(out, "target", target);
    }
    if let Some((major, minor)) = device {
        number(out, "major", u64::from(major));
        number(out, "minor", u64::from(minor));
    }
    if let Some(content) = &entry.content {
        number(out, "size", content.len() as u64);
    }
    match entry.compared {
        Some(mode) => {
            key(out, "compared");
            write_string(out, mode.octal());
        }
        None => {
            if let Some(content) = &entry.content {
                key(out, "id");
                write_string(out, &ContentId::of_blob(content).to_string());
            }
        }
    }
    if !entry.flags.is_empty() {
        key(out, "flags");
        for (at, flag) in entry.flags.iter().enumerate() {
            out.push(if at == 0 { b'[' } else { b',' });
            write_string(out, flag.name());
        }
        out.push(b']');
    }
    out.push(b'}');
}

fn key(out: &mut Vec<u8>, name: &str) {
    out.push(b',');
    write_string(out, name);
    out.push(b':');
}

fn number(out: &mut Vec<u8>, name: &str, value: u64) {
    key(out, name);
    write_integer(out, i64::try_from(value).unwrap_or(i64::MAX));
}

fn text(out: &mut Vec<u8>, name: &str, bytes: &[u8]) {
    key(out, name);
    write_lossy_string(out, bytes);
    raw(out, name, bytes);
}

fn raw(out: &mut Vec<u8>, name: &str, bytes: &[u8]) {
    if std::str::from_utf8(bytes).is_err() {
        key(out, &format!("raw_{name}"));
        write_base64_string(out, bytes);
    }
}
