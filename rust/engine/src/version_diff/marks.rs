//! The words of the text that are neither git's nor the files'.
//!
//! They are here, and not with the wording of records, because their bytes count towards the
//! limits. Each stands on a line of its own that begins with `[`, as no line of a file does.

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
        out.push('[');
        out.push_str(self.status(status));
        if remark != Some(Remark::TooLarge) {
            out.push_str(", ");
            write_counts(counts, out);
        }
        if let Some(remark) = remark {
            out.extend([", ", self.remark(remark)]);
        }
        if let Some(path) = path {
            out.extend([": ", path]);
        }
        out.push_str("]\n");
    }

    /// Where lines are missing.
    pub(super) fn write_cut(self, bytes: usize, counts: Counts, out: &mut String) {
        let (before, after) = match self {
            Self::English => ("[cut: ", " bytes, "),
            Self::Japanese => ("[省略: ", " バイト, "),
        };
        out.push_str(before);
        write_number(bytes, out);
        out.push_str(after);
        write_counts(counts, out);
        out.push_str("]\n");
    }

    /// The closing line: files for which there was no room.
    pub(super) fn write_closing(self, files: usize, counts: Counts, out: &mut String) {
        let (before, after) = match self {
            Self::English if files == 1 => ("[not shown: ", " more file, "),
            Self::English => ("[not shown: ", " more files, "),
            Self::Japanese => ("[非表示: 他 ", " ファイル, "),
        };
        out.push_str(before);
        write_number(files, out);
        out.push_str(after);
        write_counts(counts, out);
        out.push_str("]\n");
    }
}

fn write_counts(counts: Counts, out: &mut String) {
    out.push('+');
    write_number(counts.added, out);
    out.push_str(" -");
    write_number(counts.removed, out);
}

/// Append a number in decimal. There are several in each file's text, and formatting them is a
/// good part of what a small file costs.
pub(super) fn write_number(number: usize, out: &mut String) {
    if number >= 10 {
        write_number(number / 10, out);
    }
    out.push(char::from(b'0' + (number % 10) as u8));
}
