//! The JSON form of a version diff: fields in the order of `versiondiff/records.py`, defaults left
//! out.

use super::outcome::{Compared, Extent, FileDiff, FoundSecret, LeftOut, Outcome, Side, Status, VersionDiff};
use crate::secrets::write_finding;
use crate::snapshot::Mode;
use crate::wire::Object;

impl VersionDiff {
    /// Append the JSON form, compact, without a newline.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        let mut object = Object::start(out);
        object.text("format", &self.format);
        if !self.text.is_empty() {
            object.text("text", &self.text);
        }
        object.list("files", &self.files, FileDiff::write_json);
        object.list("findings", &self.findings, FoundSecret::write_json);
        if self.outcome != Outcome::default() {
            self.outcome.write_json(object.member("outcome"));
        }
        object.end();
    }
}

impl FileDiff {
    fn write_json(&self, out: &mut Vec<u8>) {
        let mut object = Object::start(out);
        object.text(
            "status",
            match self.status {
                Status::Added => "added",
                Status::Deleted => "deleted",
                Status::Modified => "modified",
                Status::Renamed => "renamed",
            },
        );
        object.text("path", &self.path);
        if let Some(old_path) = &self.old_path {
            object.text("old_path", old_path);
        }
        for (name, mode) in [("old_mode", self.old_mode), ("new_mode", self.new_mode)] {
            if let Some(mode) = mode {
                object.text(name, Mode::octal(mode));
            }
        }
        object.number("added", self.added);
        object.number("removed", self.removed);
        object.text(
            "extent",
            match self.extent {
                Extent::Exact => "exact",
                Extent::Whole => "whole",
                Extent::Cut => "cut",
                Extent::Header => "header",
                Extent::Nothing => "nothing",
            },
        );
        object.number("bytes", self.bytes);
        let compared = match self.compared {
            Compared::Text => "",
            Compared::CanonicalJson => "canonical_json",
            Compared::Coarsely => "coarsely",
            Compared::Binary => "binary",
            Compared::HiddenLink => "hidden_link",
            Compared::TooLarge => "too_large",
        };
        if !compared.is_empty() {
            object.text("compared", compared);
        }
        object.end();
    }
}

impl FoundSecret {
    /// Append the JSON form, compact.
    fn write_json(&self, out: &mut Vec<u8>) {
        let side = match self.side {
            Side::Old => "old",
            Side::New => "new",
        };
        write_finding(&self.rule, Some(self.path.as_bytes().into()), Some(side), &self.location, out);
    }
}

impl Outcome {
    fn write_json(&self, out: &mut Vec<u8>) {
        let mut object = Object::start(out);
        if self.left_out != LeftOut::default() {
            let mut inner = Object::start(object.member("left_out"));
            inner.number("not_allowed", self.left_out.not_allowed);
            inner.number("submodules", self.left_out.submodules);
            inner.number("format_only", self.left_out.format_only);
            inner.end();
        }
        object.number("cut", self.cut);
        object.number("no_room", self.no_room);
        if !self.secrets.is_empty() {
            let mut inner = Object::start(object.member("secrets"));
            for (rule, count) in &self.secrets {
                inner.number(rule, *count);
            }
            inner.end();
        }
        object.number("taken_back", self.taken_back);
        object.end();
    }
}
