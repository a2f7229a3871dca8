//! The JSON form of a tree delta: fields in the order of `versiondiff/records.py`, defaults left
//! out. Written by hand because a history has one of these for each version.

use bstr::{BStr, ByteSlice};

use super::{Change, ChangeKind, Rewrites, State, TreeDelta};
use crate::snapshot::{ContentId, Mode};
use crate::wire::{write_base64_string, write_integer, write_lossy_string, write_string};

impl TreeDelta {
    /// Append the delta's JSON form, compact, without a newline.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        out.push(b'{');
        if !self.changes.is_empty() {
            out.extend_from_slice(b"\"changes\":[");
            for (index, change) in self.changes.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                change.write_json(out);
            }
            out.push(b']');
        }
        if let Some(rewrites) = &self.rewrites {
            if !self.changes.is_empty() {
                out.push(b',');
            }
            out.extend_from_slice(b"\"rewrites\":");
            rewrites.write_json(out);
        }
        out.push(b'}');
    }
}

impl Change {
    fn write_json(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(match self.kind {
            ChangeKind::Addition(_) => b"{\"kind\":\"addition\",\"path\":",
            ChangeKind::Deletion(_) => b"{\"kind\":\"deletion\",\"path\":",
            ChangeKind::Modification { .. } => b"{\"kind\":\"modification\",\"path\":".as_slice(),
            ChangeKind::Rewrite { .. } => b"{\"kind\":\"rewrite\",\"path\":",
        });
        write_lossy_string(out, &self.path);
        let (old, new) = (self.old().map(|(_, state)| state), self.new().map(|(_, state)| state));
        if let Some(State { mode, .. }) = old {
            write_mode(out, b",\"old_mode\":\"", mode);
        }
        if let Some(State { mode, .. }) = new {
            write_mode(out, b",\"new_mode\":\"", mode);
        }
        if let Some(State { id, .. }) = old {
            write_id(out, b",\"old_id\":\"", id);
        }
        if let Some(State { id, .. }) = new {
            write_id(out, b",\"new_id\":\"", id);
        }
        if let ChangeKind::Rewrite { old_path, similarity, .. } = &self.kind {
            out.extend_from_slice(b",\"old_path\":");
            write_lossy_string(out, old_path);
            out.extend_from_slice(b",\"similarity\":");
            write_integer(out, i64::from(*similarity));
        }
        write_raw_path(out, "raw_path", self.path.as_bstr());
        if let ChangeKind::Rewrite { old_path, .. } = &self.kind {
            write_raw_path(out, "raw_old_path", old_path.as_bstr());
        }
        out.push(b'}');
    }
}

impl Rewrites {
    fn write_json(self, out: &mut Vec<u8>) {
        let counts = [("exact", self.exact), ("similar", self.similar), ("not_compared", self.not_compared)];
        let mut separator = b'{';
        for (name, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
            out.push(separator);
            separator = b',';
            write_string(out, name);
            out.push(b':');
            write_integer(out, i64::try_from(count).unwrap_or(i64::MAX));
        }
        if separator == b'{' {
            out.push(b'{');
        }
        out.push(b'}');
    }
}

fn write_mode(out: &mut Vec<u8>, key: &[u8], mode: Mode) {
    out.extend_from_slice(key);
    out.extend_from_slice(mode.octal().as_bytes());
    out.push(b'"');
}

fn write_id(out: &mut Vec<u8>, key: &[u8], id: ContentId) {
    out.extend_from_slice(key);
    id.write_hex(out);
    out.push(b'"');
}

/// The exact bytes of a path, where its text does not hold them.
fn write_raw_path(out: &mut Vec<u8>, key: &str, path: &BStr) {
    if path.to_str().is_err() {
        out.push(b',');
        write_string(out, key);
        out.push(b':');
        write_base64_string(out, path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(mode: Mode, content: &[u8]) -> State {
        State { mode, id: ContentId::of_blob(content) }
    }

    #[test]
    fn fields_stand_in_order_and_defaults_are_left_out() {
        let delta = TreeDelta {
            changes: vec![
                Change { path: "a\"b".into(), kind: ChangeKind::Addition(state(Mode::File, b"")) },
                Change { path: b"\xff".into(), kind: ChangeKind::Deletion(state(Mode::Link, b"x")) },
                Change {
                    path: "n".into(),
                    kind: ChangeKind::Rewrite {
                        old_path: b"o\xfe".into(),
                        old: state(Mode::File, b"x"),
                        new: state(Mode::Executable, b""),
                        similarity: 87,
                    },
                },
            ],
            rewrites: Some(Rewrites { exact: 0, similar: 1, not_compared: 2 }),
        };
        let mut out = Vec::new();
        delta.write_json(&mut out);
        let empty = ContentId::EMPTY_BLOB;
        let x = ContentId::of_blob(b"x");
        assert_eq!(
            String::from_utf8(out).expect("UTF-8"),
            format!(
                concat!(
                    r#"{{"changes":[{{"kind":"addition","path":"a\"b","new_mode":"100644","new_id":"{empty}"}},"#,
                    r#"{{"kind":"deletion","path":"{bad}","old_mode":"120000","old_id":"{x}","raw_path":"/w=="}},"#,
                    r#"{{"kind":"rewrite","path":"n","old_mode":"100644","new_mode":"100755","old_id":"{x}","#,
                    r#""new_id":"{empty}","old_path":"o{bad}","similarity":87,"raw_old_path":"b/4="}}],"#,
                    r#""rewrites":{{"similar":1,"not_compared":2}}}}"#,
                ),
                empty = empty,
                x = x,
                bad = '\u{fffd}',
            )
        );
    }

    #[test]
    fn nothing_is_an_empty_object() {
        let mut out = Vec::new();
        TreeDelta::default().write_json(&mut out);
        TreeDelta { rewrites: Some(Rewrites::default()), ..TreeDelta::default() }.write_json(&mut out);
        assert_eq!(out, br#"{}{"rewrites":{}}"#);
    }
}
