//! Where symbolic links lead.

use bstr::{BStr, BString, ByteSlice};

/// The path that a link at `path` leads to, told from the text alone; `None` where that is absolute,
/// empty or outside of the root. Where a component on the way is a link itself, the system may end up
/// elsewhere.
pub(crate) fn place(path: &BStr, target: &[u8]) -> Option<BString> {
    if target.starts_with(b"/") || target.is_empty() {
        return None;
    }
    let mut place: Vec<&[u8]> = path.split_str("/").collect();
    place.pop();
    for step in target.split_str("/") {
        match step {
            b"" | b"." => {}
            b".." => {
                place.pop()?;
            }
            step => place.push(step),
        }
    }
    Some(BString::from(bstr::join("/", place)))
}
