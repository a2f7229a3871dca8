//! The words of the text that are neither git's nor the files'.
//!
//! They are here, and not with the wording of records, because their bytes count towards the
//! limits. Each stands on a line of its own that begins with `[`, as no line of a file does.

use std::fmt::Write as _;

use super::outcome::Status;

/// The language of the marks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Japanese.
    Japanese,
}

/// What is said of a file besides its counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Remark {
    /// The lines differ in nothing but how they end.
    LineEnds { to_crlf: bool },
    /// The counts are those of the middle part.
    Coarse,
    /// There are no counts.
    TooLarge,
    /// The link's target is not shown.
    HiddenLink,
}

/// Lines that came and went.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Counts {
    pub(super) added: usize,
    pub(super) removed: usize,
}

impl Language {
    fn status(self, status: Status) -> &'static str {
        match (self, status) {
            (Self::English, Status::Added) => "added",
            (Self::English, Status::Deleted) => "deleted",
            (Self::English, Status::Modified) => "modified",
            (Self::English, Status::Renamed) => "renamed",
            (Self::Japanese, Status::Added) => "追加",
            (Self::Japanese, Status::Deleted) => "削除",
            (Self::Japanese, Status::Modified) => "変更",
            (Self::Japanese, Status::Renamed) => "移動",
        }
    }

    fn remark(self, remark: Remark) -> &'static str {
        match (self, remark) {
            (Self::English, Remark::LineEnds { to_crlf: true }) => "only line ends: LF → CRLF",
            (Self::English, Remark::LineEnds { to_crlf: false }) => "only line ends: CRLF → LF",
            (Self::English, Remark::Coarse) => "too large to compare line by line",
            (Self::English, Remark::TooLarge) => "too large to compare",
            (Self::English, Remark::HiddenLink) => "link target not shown",
            (Self::Japanese, Remark::LineEnds { to_crlf: true }) => "改行コードのみ: LF → CRLF",
            (Self::Japanese, Remark::LineEnds { to_crlf: false }) => "改行コードのみ: CRLF → LF",
            (Self::Japanese, Remark::Coarse) => "大きすぎて行単位では比較できません",
            (Self::Japanese, Remark::TooLarge) => "大きすぎて比較できません",
            (Self::Japanese, Remark::HiddenLink) => "リンク先は表示しません",
        }
    }

    /// The first line of a file: what happened, with the counts of the whole change; with a path
    /// where it is the only line.
    pub(super) fn write_file(
        self,
        status: Status,
        counts: Counts,
        remark: Option<Remark>,
        path: Option<&str>,
        out: &mut String,
    ) {
        // Writing to a string never fails; the same below.
        let _ = write!(out, "[{}", self.status(status));
        if remark != Some(Remark::TooLarge) {
            let _ = write!(out, ", +{} -{}", counts.added, counts.removed);
        }
        if let Some(remark) = remark {
            let _ = write!(out, ", {}", self.remark(remark));
        }
        if let Some(path) = path {
            let _ = write!(out, ": {path}");
        }
        out.push_str("]\n");
    }

    /// Where lines are missing.
    pub(super) fn write_cut(self, bytes: usize, counts: Counts, out: &mut String) {
        let Counts { added, removed } = counts;
        let _ = match self {
            Self::English => writeln!(out, "[cut: {bytes} bytes, +{added} -{removed}]"),
            Self::Japanese => writeln!(out, "[省略: {bytes} バイト, +{added} -{removed}]"),
        };
    }

    /// The closing line: files for which there was no room.
    pub(super) fn write_closing(self, files: usize, counts: Counts, out: &mut String) {
        let Counts { added, removed } = counts;
        let _ = match self {
            Self::English => {
                let noun = if files == 1 { "file" } else { "files" };
                writeln!(out, "[not shown: {files} more {noun}, +{added} -{removed}]")
            }
            Self::Japanese => writeln!(out, "[非表示: 他 {files} ファイル, +{added} -{removed}]"),
        };
    }
}
