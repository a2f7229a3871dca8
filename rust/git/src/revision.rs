//! Versions by name: every name that git knows.

use gix::objs::Kind;
use gix::revision::plumbing::Spec;
use gix::revision::spec::parse::{ObjectKindHint, Options};
use versiondiff_engine::snapshot::ContentId;

use crate::Error;
use crate::repository::{Handle, content_id};

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
    let Spec::Include(found) = parse(handle, revision).ok_or_else(|| error("is not known"))? else {
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
        return match handle.repository.head() {
            Ok(head) if head.is_unborn() => Ok(Range::default()),
            _ => Ok(Range { tips: vec![resolve(handle, "HEAD")?], hidden: Vec::new() }),
        };
    };
    let error = |rule| Error::NoRevision { revision: text.to_owned(), rule };
    let commit = |id| peel(handle, id).ok_or_else(|| error("is not a commit"));
    Ok(match parse(handle, text).ok_or_else(|| error("is not known"))? {
        Spec::Include(tip) => Range { tips: vec![commit(tip)?], hidden: Vec::new() },
        Spec::Range { from, to } => Range { tips: vec![commit(to)?], hidden: vec![commit(from)?] },
        Spec::ExcludeParents(id) => {
            let tip = commit(id)?;
            let mut raw = Vec::new();
            handle.commit(&tip, &mut raw)?;
            let hidden = crate::commit::Commit::parse(&raw, &tip)?.parents().collect();
            Range { tips: vec![tip], hidden }
        }
        Spec::Exclude(_) | Spec::Merge { .. } | Spec::IncludeOnlyParents(_) => {
            let rule = "is none of A..B, A.., ..B, B and B^!";
            return Err(Error::InvalidRange { range: text.to_owned(), rule });
        }
    })
}

fn parse(handle: &Handle, text: &str) -> Option<Spec> {
    // A name that git would take for an option or can't hold is none that it knows.
    if text.is_empty() || text.starts_with('-') || text.contains('\0') {
        return None;
    }
    let options = Options { object_kind_hint: Some(ObjectKindHint::Committish), ..Options::default() };
    gix::revision::Spec::from_bstr(text, &handle.repository, options).ok().map(gix::revision::Spec::detach)
}

fn peel(handle: &Handle, id: gix::ObjectId) -> Option<ContentId> {
    let object = handle.repository.find_object(id).ok()?;
    object.peel_to_kind(Kind::Commit).ok().map(|commit| content_id(commit.id))
}
