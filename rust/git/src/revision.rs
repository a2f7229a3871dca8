//! Versions by name: every name that git knows.

use bstr::{BStr, ByteSlice as _};
use versiondiff_engine::snapshot::ContentId;

use crate::Error;
use crate::commit::hex_id;
use crate::repository::Handle;
use crate::store::{Kind, Revision, Target};

/// Where a listing starts, and what it leaves out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Range {
    /// The commits to start from: they and all that is reachable from them is listed …
    pub tips: Vec<ContentId>,
    /// … but for these, and all that is reachable from them.
    pub hidden: Vec<ContentId>,
}

/// The commit that `revision` names: `HEAD~3`, a branch, a tag, a short id, `v^{commit}`, `:/text`.
///
/// # Errors
/// [`Error::NoRevision`] where nothing goes by that name, or it is no commit.
pub fn resolve(handle: &Handle, revision: &str) -> Result<ContentId, Error> {
    let error = |rule| Error::NoRevision { revision: revision.to_owned(), rule };
    let Revision::One(found) = parse(handle, revision).ok_or_else(|| error("is not known"))? else {
        return Err(error("is a range, not one version"));
    };
    peel(handle, found).ok_or_else(|| error("is not a commit"))
}

/// The range that `range` names: `A..B`, `A..` (to `HEAD`), `..B` (from `HEAD`), `B` (all of it),
/// `B^!` (that version alone). `None` is all of `HEAD`, which may have no commit yet.
///
/// # Errors
/// [`Error::NoRevision`] where a name is not known; [`Error::InvalidRange`] where git knows it but
/// it is not such a range.
pub fn range(handle: &Handle, range: Option<&str>) -> Result<Range, Error> {
    let Some(text) = range else {
        if is_unborn(handle)? {
            return Ok(Range::default());
        }
        return Ok(Range { tips: vec![resolve(handle, "HEAD")?], hidden: Vec::new() });
    };
    let error = |rule| Error::NoRevision { revision: text.to_owned(), rule };
    let commit = |id| peel(handle, id).ok_or_else(|| error("is not a commit"));
    Ok(match parse(handle, text).ok_or_else(|| error("is not known"))? {
        Revision::One(tip) => Range { tips: vec![commit(tip)?], hidden: Vec::new() },
        Revision::Range { from, to } => Range { tips: vec![commit(to)?], hidden: vec![commit(from)?] },
        Revision::Alone(id) => {
            let tip = commit(id)?;
            let mut raw = Vec::new();
            handle.commit(&tip, &mut raw)?;
            let hidden = crate::commit::Commit::parse(&raw, &tip)?.parents().collect();
            Range { tips: vec![tip], hidden }
        }
        Revision::Other => {
            let rule = "is none of A..B, A.., ..B, B and B^!";
            return Err(Error::InvalidRange { range: text.to_owned(), rule });
        }
    })
}

/// Whether `HEAD` stands on a branch that has no commit yet.
fn is_unborn(handle: &Handle) -> Result<bool, Error> {
    let head = handle.store.reference(BStr::new("HEAD"))?;
    match head.map(|head| head.target) {
        Some(Target::Symbolic(branch)) => Ok(handle.store.reference(branch.as_bstr())?.is_none()),
        Some(Target::Object(_)) | None => Ok(false),
    }
}

fn parse(handle: &Handle, text: &str) -> Option<Revision> {
    // A name that git would take for an option or can't hold is none that it knows.
    if text.is_empty() || text.starts_with('-') || text.contains('\0') {
        return None;
    }
    crate::names::parse(handle.store.as_ref(), text)
}

/// The commit that an object is, or that a tag leads to.
pub(crate) fn peel(handle: &Handle, id: ContentId) -> Option<ContentId> {
    /// Tags of tags are rare, and a cycle of them can't be.
    const MOST_TAGS: usize = 100;
    let mut at = id;
    let mut buffer = Vec::new();
    for _ in 0..MOST_TAGS {
        match handle.store.read(BStr::new(""), &at, &mut buffer).ok()?? {
            Kind::Commit => return Some(at),
            Kind::Tag => at = hex_id(buffer.strip_prefix(b"object ")?)?,
            Kind::Blob | Kind::Tree => return None,
        }
    }
    None
}
