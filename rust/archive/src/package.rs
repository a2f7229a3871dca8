//! A package: what was read of an archive.

use std::borrow::Cow;
use std::cell::RefCell;
use std::io::{BufReader, Cursor, Read};

use bstr::{BStr, BString, ByteSlice};
use versiondiff_engine::snapshot::{InvalidPath, Mapping, MappingEntry};

use crate::compression::{Compression, Decompressed, Source};
use crate::entry::Entry;
use crate::error::{Error, Place};
use crate::limits::{Budget, Limits, Metered};
use crate::{gem, settle, tar, zip};

/// What kind of package an archive is, by its content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A tar with `metadata.gz` and `data.tar.gz`, both of which are unpacked.
    Gem,
    /// A zip with `NAME-VERSION.dist-info/WHEEL`.
    Wheel,
    /// A tar or a zip with `NAME-VERSION/PKG-INFO`.
    Sdist,
    /// A tar with `NAME-VERSION/Cargo.toml`.
    Crate,
    /// A tar with `package/package.json`, or with another folder for all of it.
    Npm,
    /// Any other zip.
    Zip,
    /// Any other tar.
    Tar,
}

impl Kind {
    /// The name in the wire format.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gem => "gem",
            Self::Wheel => "wheel",
            Self::Sdist => "sdist",
            Self::Crate => "crate",
            Self::Npm => "npm",
            Self::Zip => "zip",
            Self::Tar => "tar",
        }
    }
}

/// What to know of the archive as a whole: where two readers may see two different things.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ReasonKind {
    /// Bytes stand before the first entry.
    LeadingData,
    /// Bytes follow after the end.
    TrailingData,
    /// Bytes between the entries of a zip that belong to none.
    HiddenData,
    /// An entry of a zip that its central directory doesn't list.
    UnlistedEntry,
    /// A zip with two end records, each of which a reader may take.
    SeveralEnds,
    /// The central directory of a zip says another number of entries than it has.
    CountMismatch,
    /// Central and local headers of a zip contradict one another.
    HeaderMismatch,
    /// Entries of a zip share bytes.
    Overlaps,
    /// Entries of a zip are encrypted.
    Encrypted,
    /// Several gzip streams, of which some readers see the first alone.
    SeveralStreams,
    /// A tar ends without the zeros that mark its end.
    NoEnd,
    /// A tar says a name, a link's target or a size for all files, which readers take differently.
    GlobalNames,
    /// An extended header at the end of a tar, for a file that never comes.
    LooseHeader,
    /// A zip ends with a comment, which may be anything.
    Comment,
    /// The bytes are a zip as well, which readers that go by its end record take.
    SeveralKinds,
}

impl ReasonKind {
    /// The name in the wire format.
    pub const fn name(self) -> &'static str {
        match self {
            Self::LeadingData => "leading_data",
            Self::TrailingData => "trailing_data",
            Self::HiddenData => "hidden_data",
            Self::UnlistedEntry => "unlisted_entry",
            Self::SeveralEnds => "several_ends",
            Self::CountMismatch => "count_mismatch",
            Self::HeaderMismatch => "header_mismatch",
            Self::Overlaps => "overlaps",
            Self::Encrypted => "encrypted",
            Self::SeveralStreams => "several_streams",
            Self::NoEnd => "no_end",
            Self::GlobalNames => "global_names",
            Self::LooseHeader => "loose_header",
            Self::Comment => "comment",
            Self::SeveralKinds => "several_kinds",
        }
    }
}

/// A kind of reason, and how often it was met.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason {
    /// Which.
    pub kind: ReasonKind,
    /// How often.
    pub count: u64,
    /// How many bytes, where it is about bytes.
    pub bytes: u64,
    /// The name of the first entry that it is about, where it is about one.
    pub name: Option<BString>,
}

/// The reasons that were met so far.
#[derive(Default)]
pub(crate) struct Reasons(RefCell<Vec<Reason>>);

impl Reasons {
    pub(crate) fn add(&self, kind: ReasonKind, bytes: u64) {
        self.note(kind, bytes, None);
    }

    pub(crate) fn add_of(&self, kind: ReasonKind, name: &BStr) {
        self.note(kind, 0, Some(name));
    }

    pub(crate) fn note(&self, kind: ReasonKind, bytes: u64, name: Option<&BStr>) {
        let mut reasons = self.0.borrow_mut();
        match reasons.binary_search_by_key(&kind, |reason| reason.kind) {
            Ok(at) => {
                reasons[at].count += 1;
                reasons[at].bytes = reasons[at].bytes.saturating_add(bytes);
            }
            Err(at) => {
                reasons.insert(at, Reason { kind, count: 1, bytes, name: name.map(ToOwned::to_owned) });
            }
        }
    }

    fn into_inner(self) -> Vec<Reason> {
        self.0.into_inner()
    }
}

/// An archive that has been read.
#[derive(Debug)]
pub struct Package {
    /// What kind of package it is.
    pub kind: Kind,
    /// The folder that every path is without: `NAME-VERSION`, or `package`.
    pub folder: Option<BString>,
    /// All entries, in the order of the archive.
    pub entries: Vec<Entry>,
    /// Sorted by kind, each kind once.
    pub reasons: Vec<Reason>,
}

impl Package {
    /// Read an archive, whose kind is found by its content.
    ///
    /// Memory stays below the limit of unpacked bytes and what the archive itself takes, but for
    /// some hundred bytes an entry and the window of a decoder.
    ///
    /// # Errors
    /// [`Error::UnknownKind`] where the bytes are no archive that is read here, [`Error::Damaged`]
    /// where it is cut off or breaks a rule of its format, [`Error::Limit`] where a limit is met.
    pub fn read(bytes: &[u8], limits: &Limits) -> Result<Self, Error> {
        Self::read_watched(bytes, limits, &|_| true)
    }

    /// As [`read`](Self::read), until `watch` says no: it is asked for every few kilobytes, and told how
    /// many entries there are so far.
    ///
    /// # Errors
    /// As for [`read`](Self::read), and [`Error::Interrupted`].
    pub fn read_watched(bytes: &[u8], limits: &Limits, watch: &dyn Fn(u64) -> bool) -> Result<Self, Error> {
        let budget = Budget::new(*limits, bytes.len(), watch);
        let reasons = Reasons::default();
        if let Some(what) = other_format(bytes) {
            return Err(Error::UnknownKind { what });
        }
        let (form, mut entries) = if Compression::of(bytes).is_some() || tar::is_tar(bytes) {
            if zip::is_zip(bytes) {
                reasons.add(ReasonKind::SeveralKinds, 0);
            }
            let (is_compressed, entries) = unpack(Box::new(bytes), 0, &budget, &reasons)?;
            if !is_compressed && gem::is_gem(&entries) {
                (Form::Gem, gem::unfold(entries, &budget, &reasons)?)
            } else {
                (Form::Tar, entries)
            }
        } else if zip::is_zip(bytes) {
            budget.nest(1)?;
            (Form::Zip, zip::read(bytes, &budget, &reasons)?)
        } else if tar::claims_to_be_tar(bytes) {
            return Err(Error::damaged(tar::WRONG_CHECKSUM, "tar", 0));
        } else {
            let what = if bytes.is_empty() { "the file is empty" } else { "neither tar nor zip" };
            return Err(Error::UnknownKind { what });
        };
        let (kind, folder) = settle::settle(&mut entries, form);
        Ok(Self { kind, folder, entries, reasons: reasons.into_inner() })
    }

    /// The entries that a tree can hold, as a snapshot: of several with one path the last.
    ///
    /// # Errors
    /// [`InvalidPath`] never: whatever the snapshot refuses is not compared.
    pub fn mapping(&self) -> Result<Mapping<'_>, InvalidPath> {
        let compared = self.entries.iter().filter_map(|entry| {
            let (mode, bytes) = (entry.compared?, entry.bytes()?);
            let path = Cow::Borrowed(entry.path.as_bstr());
            Some(MappingEntry { path, mode, content: Cow::Borrowed(bytes) })
        });
        Mapping::new(compared.collect())
    }
}

/// A format that people take for one of these, by its first bytes; of an image of a disc by the
/// name of its standard (ECMA-119, 8.1.2), before which any number of zeros may stand.
fn other_format(bytes: &[u8]) -> Option<&'static str> {
    const FORMATS: [(usize, &[u8], &str); 11] = [
        (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
        (0, b"Rar!\x1a\x07", "a RAR archive"),
        (0, b"!<arch>\n", "an ar archive, such as a Debian package"),
        (0, b"\xed\xab\xee\xdb", "an RPM package"),
        (0, b"MSCF", "a cabinet file"),
        (0, b"xar!", "a xar archive"),
        (0, b"LZIP", "lzip"),
        (0, b"\x04\x22\x4d\x18", "LZ4"),
        (0, b"\x1f\x9d", "compress (.Z)"),
        (0, b"\x5d\0\0", "LZMA without a container"),
        (0x8001, b"CD001", "an image of a disc (ISO 9660)"),
    ];
    let found =
        FORMATS.iter().find(|(at, magic, _)| bytes.get(*at..).is_some_and(|rest| rest.starts_with(magic)))?;
    let is_archive = tar::is_tar(bytes) && bytes.first() != Some(&0);
    let (at, _, what) = *found;
    let is_zip = at == 0 && zip::is_zip(bytes);
    (!is_archive && !is_zip).then_some(what)
}

/// How the entries were stored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Gem,
    Tar,
    Zip,
}

/// The entries of a tar within any number of compressions, and whether there was one.
pub(crate) fn unpack<'a>(
    mut source: Source<'a>,
    mut depth: u64,
    budget: &'a Budget<'a>,
    reasons: &'a Reasons,
) -> Result<(bool, Vec<Entry>), Error> {
    let mut layer = "tar";
    let mut is_compressed = false;
    loop {
        let mut head = Vec::new();
        source
            .by_ref()
            .take(512)
            .read_to_end(&mut head)
            .map_err(|error| Error::of_reading(&error, budget, Place { layer, offset: 0 }))?;
        depth += 1;
        budget.nest(depth)?;
        let compression = Compression::of(&head);
        let is_tar = tar::is_tar(&head);
        if compression.is_none() && !is_tar {
            let what = match (layer, &head[..]) {
                (_, [b'P', b'K', 3, 4, ..]) => "a zip within a compression",
                ("tar", _) => "neither tar nor zip",
                _ => "what is compressed is no tar",
            };
            return Err(Error::UnknownKind { what });
        }
        source = Box::new(Cursor::new(head).chain(source));
        match compression {
            Some(compression) => {
                layer = compression.layer();
                let stream =
                    BufReader::with_capacity(1 << 16, Decompressed::new(source, compression, reasons));
                source = Box::new(Metered::new(stream, budget));
                is_compressed = true;
            }
            None if is_compressed => return Ok((true, tar::read(&mut *source, budget, reasons)?)),
            None => {
                let mut metered = Metered::new(source, budget);
                return Ok((false, tar::read(&mut metered, budget, reasons)?));
            }
        }
    }
}
