//! Gems: a tar of `metadata.gz`, `data.tar.gz` and `checksums.yaml.gz`.

use std::io::{self, BufReader, Read};
use std::sync::Arc;

use bstr::ByteSlice;

use crate::compression::{Compression, Decompressed};
use crate::entry::{Entry, EntryKind, Flag};
use crate::error::{Error, Place};
use crate::limits::{Budget, Metered};
use crate::names;
use crate::package::{Reasons, unpack};

/// The archive of the gem's files.
const DATA: &[u8] = b"data.tar.gz";

/// What stands before the paths of the gem's files.
pub(crate) const FOLDER: &[u8] = b"data/";

/// Members that are one compressed file, and what they are without.
const COMPRESSED: [(&[u8], &str); 2] =
    [(b"metadata.gz", "metadata"), (b"checksums.yaml.gz", "checksums.yaml")];

/// How deep the layers of a member lie: the gem's own tar is the first.
const DEPTH: u64 = 1;

/// Whether the entries of a tar are the members of a gem.
pub(crate) fn is_gem(entries: &[Entry]) -> bool {
    let has = |name: &[u8]| entries.iter().any(|entry| entry.content.is_some() && path(entry) == name);
    has(b"metadata.gz") && has(DATA)
}

fn path(entry: &Entry) -> Vec<u8> {
    names::judge(entry.name.as_bstr()).path.map(Vec::from).unwrap_or_default()
}

/// Unpack the members of a gem. A member that stands twice is unpacked twice.
pub(crate) fn unfold(
    members: Vec<Entry>,
    budget: &Budget<'_>,
    reasons: &Reasons,
) -> Result<Vec<Entry>, Error> {
    let mut entries = Vec::with_capacity(members.len());
    // Readers take the files of the first alone, or of the last.
    let has_several = members.iter().filter(|member| path(member) == DATA).count() > 1;
    for mut member in members {
        let path = path(&member);
        let (Some(content), EntryKind::File | EntryKind::Executable) = (&member.content, &member.kind) else {
            entries.push(member);
            continue;
        };
        if path == DATA {
            let (_, files) = unpack(Box::new(&content[..]), DEPTH, budget, reasons)?;
            entries.extend(files.into_iter().map(|mut file| {
                file.within = Some(member.name.clone());
                if has_several {
                    file.flag(Flag::Duplicate);
                }
                file
            }));
            continue;
        }
        if let Some((_, plain)) = COMPRESSED.iter().find(|(name, _)| *name == path) {
            member.content = Some(Arc::new(decompress(content, budget, reasons)?));
            member.within = Some(std::mem::replace(&mut member.name, (*plain).into()));
        }
        entries.push(member);
    }
    Ok(entries)
}

/// The content of one compressed file.
///
/// Nothing that can be believed says how much it is. It is counted first, so that a bomb meets the
/// limit before anything is kept, and memory never holds more than the content.
fn decompress(bytes: &[u8], budget: &Budget<'_>, reasons: &Reasons) -> Result<Vec<u8>, Error> {
    budget.nest(DEPTH + 1)?;
    let place = Place { layer: "gzip", offset: 0 };
    let error = |error: &io::Error| Error::of_reading(error, budget, place);
    let mut counted = Metered::new(decoder(bytes, reasons), budget);
    let length = io::copy(&mut counted, &mut io::sink()).map_err(|failed| error(&failed))?;
    budget.file(length)?;
    let mut content = Vec::new();
    budget.reserve(&mut content, length)?;
    let seen = Reasons::default();
    decoder(bytes, &seen).take(length).read_to_end(&mut content).map_err(|failed| error(&failed))?;
    Ok(content)
}

fn decoder<'a>(bytes: &'a [u8], reasons: &'a Reasons) -> BufReader<Decompressed<'a>> {
    BufReader::new(Decompressed::new(Box::new(bytes), Compression::Gzip, reasons))
}
