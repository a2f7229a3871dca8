//! The text of all files, in as much room as there is: small files whole, the others sharing the
//! rest evenly.

use std::cell::OnceCell;
use std::rc::Rc;

use super::Options;
use super::body::Body;
use super::compare::{Comparison, compare};
use super::content::Memory;
use super::header::{Header, Place};
use super::marks::{Counts, Remark};
use super::outcome::{Compared, Extent, FileDiff, Outcome, Status, VersionDiff};
use super::select::visible_changes;
use super::shown::Written;
use crate::format::Format;
use crate::secrets::MARK;
use crate::snapshot::{ReadError, Snapshot};

/// How many bytes of contents are held for files whose share is not known yet.
const HELD_BYTES: usize = 32 << 20;

/// How many bytes of finished texts are held, as a multiple of the whole limit.
const HELD_TEXTS: usize = 8;

/// How long the header of one line may be, in bytes.
const COMPACT_BYTES: usize = 240;

/// A file that takes its part of the text.
struct Part<'a> {
    file: FileDiff,
    /// Which of the changes it is.
    change: usize,
    header: Rc<Header>,
    /// The comparison, where it is held.
    comparison: Option<Comparison<'a>>,
    /// The finished text, where all of it fits and is held.
    text: Option<Section>,
    /// The bytes it takes where it gets all it may have.
    full: usize,
    /// The bytes of its header with a mark for the rest, or a little more.
    least: usize,
    /// Its header as one line; `None` where not even that fits.
    compact: OnceCell<Option<String>>,
}

impl Part<'_> {
    /// Its header as one line; `None` where not even that fits.
    fn compact(&self, options: &Options) -> Option<&String> {
        let room = options.limits.file.min(options.limits.total).min(COMPACT_BYTES);
        self.compact.get_or_init(|| self.header.compact(options.language, room)).as_ref()
    }

    /// The bytes it takes, at most, where each file may take `level`.
    fn size_at(&self, level: usize, options: &Options) -> usize {
        if self.full <= level {
            return self.full;
        }
        match self.compact(options) {
            None => 0,
            Some(_) if self.least <= level => level,
            Some(compact) => compact.len().min(self.full),
        }
    }
}

/// Compare, and put the text together.
pub(super) fn assemble(
    old: &dyn Snapshot,
    new: &dyn Snapshot,
    format: &Format,
    options: &Options,
    memory: &mut Memory,
) -> Result<VersionDiff, ReadError> {
    let (changes, mut left_out) = visible_changes(old, new, format, options)?;
    let mut findings = Vec::new();
    let mut parts = Vec::with_capacity(changes.len().min(1 << 10));
    let mut held = Held::default();
    for (index, change) in changes.iter().enumerate() {
        let comparison = compare(change, old, new, format, options, memory)?;
        comparison.report(options, &mut findings);
        if comparison.is_format_only() {
            left_out.format_only += 1;
        } else {
            parts.push(measure(index, comparison, options, &mut held));
        }
    }
    let all: usize = parts.iter().map(|part| part.full).sum();
    let mut sections: Vec<_> = if all <= options.limits.total && parts.iter().all(|part| part.text.is_some())
    {
        parts.iter_mut().filter_map(|part| part.text.take()).collect()
    } else {
        let (shown, closing) = room_for_headers(&parts, options);
        let mut compare_again = |change: usize| compare(&changes[change], old, new, format, options, memory);
        share(&mut parts[..shown], options, closing.len(), &mut compare_again)?
    };

    let mut outcome = Outcome { left_out, ..Outcome::default() };
    for finding in &findings {
        *outcome.secrets.entry(finding.rule.clone()).or_default() += 1;
    }
    take_back_secrets(&mut sections, &parts, options, &mut outcome);
    let closing = closing_line(&mut sections, &parts, options);
    for (part, section) in parts.iter_mut().zip(&sections) {
        part.file.bytes = section.text.len();
        part.file.extent = section.extent;
    }
    for part in &parts {
        match part.file.extent {
            Extent::Nothing => outcome.no_room += 1,
            Extent::Cut | Extent::Header => outcome.cut += 1,
            Extent::Exact | Extent::Whole => {}
        }
    }
    let mut text: String = sections.into_iter().map(|section| section.text).collect();
    text.push_str(&closing);
    Ok(VersionDiff {
        format: format.name().to_owned(),
        text,
        files: parts.into_iter().map(|part| part.file).collect(),
        findings,
        outcome,
    })
}

/// What is held of the files so far, in bytes.
#[derive(Default)]
struct Held {
    contents: usize,
    texts: usize,
}

/// How many bytes the file takes at most and at least, with its text and its comparison where
/// there is room to hold them.
fn measure<'a>(change: usize, comparison: Comparison<'a>, options: &Options, held: &mut Held) -> Part<'a> {
    let limit = options.limits.file.min(options.limits.total);
    let header = Rc::clone(&comparison.header);
    let mut header_text = String::with_capacity(512);
    header.write(options.language, &mut header_text);
    let header_bytes = header_text.len();
    let whole = write_whole(&comparison, &Body::new(&comparison, options.language), header_text, limit);
    let bytes = comparison.old.text.len() + comparison.new.text.len();
    let least = if header.has_lines {
        let mut mark = String::new();
        // A hidden part of one byte shows as a mark, so this is more than the text can ever have.
        options.language.write_cut(bytes * (MARK.len() + 1), header.counts, &mut mark);
        header_bytes + mark.len()
    } else {
        header_bytes
    };
    let mut part = Part {
        file: describe(&comparison),
        change,
        header,
        comparison: None,
        text: None,
        full: 0,
        least,
        compact: OnceCell::new(),
    };
    part.full = match &whole {
        Some(section) => section.text.len(),
        None if least <= limit => limit,
        None => part.compact(options).map_or(0, String::len),
    };
    part.text = whole.filter(|section| {
        held.texts += section.text.len();
        held.texts <= options.limits.total.saturating_mul(HELD_TEXTS)
    });
    if held.contents + bytes <= HELD_BYTES {
        held.contents += bytes;
        part.comparison = Some(comparison);
    }
    part
}

/// The text of the file, where all of it fits.
fn write_whole(
    comparison: &Comparison<'_>,
    body: &Body<'_>,
    header: String,
    limit: usize,
) -> Option<Section> {
    let room = limit.checked_sub(header.len())?;
    let mut text = header;
    let extent = match body.write_all(room, &mut text)? {
        Written::Exact if comparison.is_exact() => Extent::Exact,
        Written::Exact | Written::Whole => Extent::Whole,
        Written::Part => Extent::Cut,
    };
    Some(Section { text, extent })
}

fn describe(comparison: &Comparison<'_>) -> FileDiff {
    let Header { status, old, new, counts, remark, binary, .. } = &*comparison.header;
    let path = |place: &Option<Place>| place.as_ref().map(|place| place.path.text.clone());
    FileDiff {
        status: *status,
        path: path(new).or_else(|| path(old)).unwrap_or_default(),
        old_path: if *status == Status::Renamed { path(old) } else { None },
        old_mode: old.as_ref().map(|place| place.mode),
        new_mode: new.as_ref().map(|place| place.mode),
        added: counts.added,
        removed: counts.removed,
        extent: Extent::Nothing,
        bytes: 0,
        compared: match remark {
            Some(Remark::HiddenLink) => Compared::HiddenLink,
            Some(Remark::TooLarge) => Compared::TooLarge,
            Some(Remark::Coarse) => Compared::Coarsely,
            _ if *binary => Compared::Binary,
            _ if comparison.is_canonical() => Compared::CanonicalJson,
            _ => Compared::Text,
        },
    }
}

/// How many files have room for a header at least, and the closing line that counts the others.
///
/// Among the former are files of which not even a header fits the limit of one file: nothing is
/// shown of them, and they are counted as well.
fn room_for_headers(parts: &[Part<'_>], options: &Options) -> (usize, String) {
    let mut needed: usize = parts.iter().map(|part| part.size_at(0, options)).sum();
    let mut shown = parts.len();
    let (mut files, mut counts) = (0, Counts::default());
    let mut leave_out = |part: &Part<'_>| {
        files += 1;
        counts.added += part.file.added;
        counts.removed += part.file.removed;
        let mut closing = String::new();
        options.language.write_closing(files, counts, &mut closing);
        closing
    };
    let has_nothing = |part: &Part<'_>| part.compact(options).is_none();
    let mut closing = String::new();
    for part in parts.iter().filter(|part| has_nothing(part)) {
        closing = leave_out(part);
    }
    while needed + closing.len() > options.limits.total {
        let Some(last) = shown.checked_sub(1) else { return (0, String::new()) };
        shown = last;
        needed -= parts[last].size_at(0, options);
        if !has_nothing(&parts[last]) {
            closing = leave_out(&parts[last]);
        }
    }
    (shown, closing)
}

/// The text of a file.
struct Section {
    text: String,
    extent: Extent,
}

/// Give each file its room.
fn share<'a>(
    parts: &mut [Part<'a>],
    options: &Options,
    reserved: usize,
    compare_again: &mut dyn FnMut(usize) -> Result<Comparison<'a>, ReadError>,
) -> Result<Vec<Section>, ReadError> {
    let room = options.limits.total.saturating_sub(reserved);
    let size_at = |level| parts.iter().map(|part| part.size_at(level, options)).sum::<usize>();
    // The highest level at which all fit: what each file takes only grows with it.
    let (mut level, mut too_high) = (0, options.limits.file + 1);
    if size_at(options.limits.file) <= room {
        level = options.limits.file;
    }
    while level + 1 < too_high && level < options.limits.file {
        let middle = level + (too_high - level) / 2;
        if size_at(middle) <= room {
            level = middle;
        } else {
            too_high = middle;
        }
    }
    // What a file leaves of its share goes to the next ones.
    let mut spare = room.saturating_sub(size_at(level));
    let mut sections = Vec::with_capacity(parts.len());
    for part in parts {
        let most = part.size_at(level, options) + spare;
        let section = write_section(part, most.min(options.limits.file), options, compare_again)?;
        spare = most.saturating_sub(section.text.len());
        sections.push(section);
    }
    Ok(sections)
}

/// The text of a file in at most `room` bytes.
fn write_section<'a>(
    part: &mut Part<'a>,
    room: usize,
    options: &Options,
    compare_again: &mut dyn FnMut(usize) -> Result<Comparison<'a>, ReadError>,
) -> Result<Section, ReadError> {
    let Some(compact) = part.compact(options).cloned() else {
        return Ok(Section { text: String::new(), extent: Extent::Nothing });
    };
    if let Some(section) = part.text.take_if(|section| section.text.len() <= room) {
        return Ok(section);
    }
    if part.least.min(part.full) > room {
        return Ok(Section { text: compact, extent: Extent::Header });
    }
    let comparison = match part.comparison.take() {
        Some(comparison) => comparison,
        None => compare_again(part.change)?,
    };
    let mut header = String::new();
    comparison.header.write(options.language, &mut header);
    let body = Body::new(&comparison, options.language);
    if let Some(section) = write_whole(&comparison, &body, header.clone(), room) {
        return Ok(section);
    }
    if part.least > room {
        return Ok(Section { text: compact, extent: Extent::Header });
    }
    let mut text = header;
    body.write_cut(room - text.len(), &mut text);
    Ok(Section { text, extent: Extent::Cut })
}

/// The closing line, which counts the files of which nothing is shown. Those whose text was taken
/// back are among them; where it has no room beside the rest, the last of that goes as well.
fn closing_line(sections: &mut [Section], parts: &[Part<'_>], options: &Options) -> String {
    let mut used: usize = sections.iter().map(|section| section.text.len()).sum();
    loop {
        let shown = sections.iter().map(|section| section.extent != Extent::Nothing);
        let shown = shown.chain(std::iter::repeat(false));
        let (mut files, mut counts) = (0, Counts::default());
        for (part, _) in parts.iter().zip(shown).filter(|(_, shown)| !shown) {
            files += 1;
            counts.added += part.file.added;
            counts.removed += part.file.removed;
        }
        let mut closing = String::new();
        if files > 0 {
            options.language.write_closing(files, counts, &mut closing);
        }
        if used + closing.len() <= options.limits.total {
            return closing;
        }
        let Some(last) = sections.iter().rposition(|section| section.extent != Extent::Nothing) else {
            return String::new();
        };
        used -= sections[last].text.len();
        sections[last] = Section { text: String::new(), extent: Extent::Nothing };
    }
}

/// Read the finished text as a whole: where it looks as if it held a secret, as cutting may make
/// it, nothing but the header of that file stays, or not even that.
fn take_back_secrets(sections: &mut [Section], parts: &[Part<'_>], options: &Options, outcome: &mut Outcome) {
    loop {
        let text: String = sections.iter().map(|section| section.text.as_str()).collect();
        let findings = options.rules.scan(text.as_bytes(), None);
        if findings.is_empty() {
            return;
        }
        let mut start = 0;
        for (section, part) in sections.iter_mut().zip(parts) {
            let end = start + section.text.len();
            if findings.iter().any(|finding| finding.span.start < end && finding.span.end > start) {
                outcome.taken_back += usize::from(section.extent != Extent::Header);
                *section = match part.compact(options) {
                    Some(compact) if section.extent != Extent::Header => {
                        Section { text: compact.clone(), extent: Extent::Header }
                    }
                    _ => Section { text: String::new(), extent: Extent::Nothing },
                };
            }
            start = end;
        }
    }
}
