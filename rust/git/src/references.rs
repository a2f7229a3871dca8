//! References as readers want them, in their JSON form.

use bstr::{BStr, ByteSlice as _};
use versiondiff_engine::snapshot::ContentId;
use versiondiff_engine::wire::{write_base64_string, write_lossy_string};

use crate::Error;
use crate::commit::write_tag_details;
use crate::repository::Handle;
use crate::store::{Kind, Reference, Target};

/// The references whose full names start with `prefix`, sorted by name, as a JSON list of
/// `Reference`, in the order of `versiondiff/records.py`.
///
/// A reference that git can't make sense of is left out, as `git for-each-ref` does; one that leads
/// nowhere is listed without what it would lead to.
///
/// # Errors
/// [`Error::Reference`] where they can't be listed.
pub fn list_json(handle: &Handle, prefix: &BStr) -> Result<Vec<u8>, Error> {
    let mut references = handle.store.references(prefix)?;
    references.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    let mut json = b"[".to_vec();
    let mut buffer = Vec::new();
    for reference in &references {
        if json.len() > 1 {
            json.push(b',');
        }
        write_reference(handle, reference, &mut buffer, &mut json);
    }
    json.push(b']');
    Ok(json)
}

/// What `HEAD` stands on, as the JSON of `Head`.
///
/// # Errors
/// [`Error::Reference`] where it, or the branch that it is on, can't be read.
pub fn head_json(handle: &Handle) -> Result<Vec<u8>, Error> {
    let head = handle.store.reference(BStr::new("HEAD"))?;
    let mut json = b"{\"state\":".to_vec();
    match head.map(|head| head.target) {
        Some(Target::Object(id)) => {
            json.extend_from_slice(b"\"detached\"");
            write_id(b",\"commit\":", &id, &mut json);
        }
        Some(Target::Symbolic(name)) => {
            let id = end_of(handle, name.as_bstr())?;
            json.extend_from_slice(if id.is_some() { b"\"branch\"" } else { b"\"unborn\"".as_slice() });
            write_name(b",\"branch\":", name.as_bstr(), &mut json);
            if let Some(id) = id {
                write_id(b",\"commit\":", &id, &mut json);
            }
            write_raw_name(b",\"raw_branch\":", name.as_bstr(), &mut json);
        }
        // Git takes a repository without a `HEAD` for none at all.
        None => json.extend_from_slice(b"\"unborn\""),
    }
    json.push(b'}');
    Ok(json)
}

/// The object that a chain of references ends at; `None` where it leads nowhere.
fn end_of(handle: &Handle, name: &BStr) -> Result<Option<ContentId>, Error> {
    /// How many symbolic references git follows.
    const MOST_STEPS: usize = 5;
    let mut name = name.to_owned();
    for _ in 0..=MOST_STEPS {
        match handle.store.reference(name.as_bstr())?.map(|found| found.target) {
            Some(Target::Object(id)) => return Ok(Some(id)),
            Some(Target::Symbolic(next)) => name = next,
            None => return Ok(None),
        }
    }
    Ok(None)
}

fn write_reference(handle: &Handle, reference: &Reference, buffer: &mut Vec<u8>, json: &mut Vec<u8>) {
    write_name(b"{\"name\":", reference.name.as_bstr(), json);
    let (id, target) = match &reference.target {
        Target::Object(id) => (Some(*id), None),
        // One that leads to nothing that can be read leads nowhere.
        Target::Symbolic(name) => (end_of(handle, name.as_bstr()).ok().flatten(), Some(name)),
    };
    if let Some(id) = id {
        write_id(b",\"id\":", &id, json);
        if let Some(commit) = crate::revision::peel(handle, id) {
            write_id(b",\"commit\":", &commit, json);
        }
        if let Ok(Some(Kind::Tag)) = handle.store.read(BStr::new(""), &id, buffer) {
            json.extend_from_slice(b",\"tag\":");
            write_tag_details(buffer, json);
        }
    }
    if let Some(target) = target {
        write_name(b",\"target\":", target.as_bstr(), json);
    }
    write_raw_name(b",\"raw_name\":", reference.name.as_bstr(), json);
    if let Some(target) = target {
        write_raw_name(b",\"raw_target\":", target.as_bstr(), json);
    }
    json.push(b'}');
}

fn write_id(key: &[u8], id: &ContentId, json: &mut Vec<u8>) {
    json.extend_from_slice(key);
    json.push(b'"');
    id.write_hex(json);
    json.push(b'"');
}

fn write_name(key: &[u8], name: &BStr, json: &mut Vec<u8>) {
    json.extend_from_slice(key);
    write_lossy_string(json, name);
}

/// The bytes of a name, where they are no UTF-8.
fn write_raw_name(key: &[u8], name: &BStr, json: &mut Vec<u8>) {
    if name.to_str().is_err() {
        json.extend_from_slice(key);
        write_base64_string(json, name);
    }
}
