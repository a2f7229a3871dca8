//! What is wrong with a name, or with the target of a link.

use bstr::{BStr, BString, ByteSlice};
use versiondiff_engine::snapshot::MAX_DEPTH;
use versiondiff_engine::unseen::has_unseen;

use crate::entry::Flag;

/// No file system takes longer names, and a zip can't hold them.
pub(crate) const MOST_NAME_BYTES: usize = 65_535;

/// A name that has been looked at.
pub(crate) struct Judged {
    /// Without empty and `.` components: what a tree can hold. `None` where no tree can.
    pub(crate) path: Option<BString>,
    pub(crate) flags: Vec<Flag>,
}

/// Look at the name of an entry.
pub(crate) fn judge(name: &BStr) -> Judged {
    let mut flags = Vec::new();
    let mut path = BString::new(Vec::with_capacity(name.len()));
    let (mut depth, mut lowest, mut components, mut steps_up) = (0_isize, 0_isize, 0_usize, false);
    for component in name.split(|byte| *byte == b'/') {
        match component {
            b"" | b"." => {}
            b".." => {
                depth -= 1;
                lowest = lowest.min(depth);
                steps_up = true;
            }
            _ => {
                depth += 1;
                components += 1;
                if !path.is_empty() {
                    path.push(b'/');
                }
                path.extend_from_slice(component);
            }
        }
    }
    let absolute = name.first() == Some(&b'/');
    let mut held = !absolute && !steps_up;
    if absolute || is_absolute_on_windows(name) {
        flags.push(Flag::AbsoluteName);
    }
    if lowest < 0 || leaves_root_on_windows(name) {
        flags.push(Flag::LeavesRoot);
    } else if steps_up {
        flags.push(Flag::ParentStep);
    }
    if path.is_empty() {
        held = false;
    }
    if name.contains(&0) {
        flags.push(Flag::NulInName);
        held = false;
    }
    if name.contains(&b'\\') {
        flags.push(Flag::Backslash);
    }
    let after_drive = if has_drive(name) { &name[2..] } else { name };
    if after_drive.split(|byte| matches!(byte, b'/' | b'\\')).any(is_other_on_windows) {
        flags.push(Flag::WindowsName);
    }
    if components > MAX_DEPTH {
        flags.push(Flag::TooDeep);
        held = false;
    }
    match name.to_str() {
        Ok(text) if has_unseen(text) => flags.push(Flag::ControlCharacter),
        Ok(_) => {}
        Err(_) => {
            flags.push(Flag::NotUtf8);
            if name.iter().any(u8::is_ascii_control) {
                flags.push(Flag::ControlCharacter);
            }
        }
    }
    Judged { path: held.then_some(path), flags }
}

fn is_absolute_on_windows(name: &[u8]) -> bool {
    // Without a separator after the drive it begins at the working directory there.
    name.first() == Some(&b'\\') || has_drive(name)
}

fn has_drive(name: &[u8]) -> bool {
    matches!(name, [drive, b':', ..] if drive.is_ascii_alphabetic())
}

/// Whether a component is something else on Windows than it says: what is after a colon is a stream
/// of the file before it, dots and spaces at the end are taken away, and the names of devices are
/// theirs in every directory and with any extension (Microsoft, "Naming Files, Paths, and
/// Namespaces").
fn is_other_on_windows(component: &[u8]) -> bool {
    if matches!(component, b"" | b"." | b"..") {
        return false;
    }
    component.contains(&b':') || matches!(component.last(), Some(b'.' | b' ')) || is_device_name(component)
}

fn is_device_name(component: &[u8]) -> bool {
    let stem = component.split(|byte| *byte == b'.').next().unwrap_or_default().trim_ascii_end();
    let is = |name: &[u8]| stem.eq_ignore_ascii_case(name);
    let is_port = |name: &[u8]| {
        stem.split_at_checked(name.len()).is_some_and(|(start, number)| {
            let is_number = matches!(number, [b'0'..=b'9'] | [0xc2, 0xb9 | 0xb2 | 0xb3]);
            start.eq_ignore_ascii_case(name) && is_number
        })
    };
    is(b"con")
        || is(b"prn")
        || is(b"aux")
        || is(b"nul")
        || is(b"conin$")
        || is(b"conout$")
        || is_port(b"com")
        || is_port(b"lpt")
}

fn leaves_root_on_windows(name: &[u8]) -> bool {
    name.contains(&b'\\') && lowest_depth(0, name, |byte| matches!(byte, b'/' | b'\\')) < 0
}

fn lowest_depth(start: isize, path: &[u8], is_separator: impl Fn(u8) -> bool) -> isize {
    let (mut depth, mut lowest) = (start, start);
    for component in path.split(|byte| is_separator(*byte)) {
        match component {
            b"" | b"." => {}
            b".." => {
                depth -= 1;
                lowest = lowest.min(depth);
            }
            _ => depth += 1,
        }
    }
    lowest
}

/// Whether the target of a link in the directory of `path` is outside of the root.
pub(crate) fn leads_outside(path: &BStr, target: &BStr) -> bool {
    let depth = path.find_iter("/").count().cast_signed();
    target.first() == Some(&b'/')
        || is_absolute_on_windows(target)
        || lowest_depth(depth, target, |byte| matches!(byte, b'/' | b'\\')) < 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(name: &str) -> (Option<String>, Vec<Flag>) {
        let judged = judge(name.into());
        (judged.path.map(|path| path.to_string()), judged.flags)
    }

    #[test]
    fn names_lose_what_says_nothing() {
        assert_eq!(judged("./a//b/./c/"), (Some("a/b/c".to_owned()), vec![]));
        assert_eq!(judged("./"), (None, vec![]));
    }

    #[test]
    fn names_that_lead_elsewhere_are_no_paths() {
        assert_eq!(judged("/etc/passwd"), (None, vec![Flag::AbsoluteName]));
        assert_eq!(judged("a/../../b"), (None, vec![Flag::LeavesRoot]));
        assert_eq!(judged("a/../b"), (None, vec![Flag::ParentStep]));
        assert_eq!(judged("a\0b"), (None, vec![Flag::NulInName, Flag::ControlCharacter]));
    }

    #[test]
    fn names_that_lead_elsewhere_on_windows_are_flagged() {
        let paths = [r"C:\x", r"\x", r"..\x", r"a\..\..\x"].map(judged);
        assert!(paths.iter().all(|(path, _)| path.is_some()));
        assert!(paths[0].1.contains(&Flag::AbsoluteName) && paths[1].1.contains(&Flag::AbsoluteName));
        assert!(paths[2].1.contains(&Flag::LeavesRoot) && paths[3].1.contains(&Flag::LeavesRoot));
    }

    #[test]
    fn characters_that_forge_a_line_or_a_direction_are_flagged() {
        for name in ["a\nb", "a\x1b[31mb", "a\u{202e}b", "a\u{2066}b", "a\u{85}b", "a\u{200b}b"] {
            assert_eq!(judged(name).1, [Flag::ControlCharacter], "{name:?}");
        }
        assert_eq!(judged("ファイル.py").1, []);
    }

    #[test]
    fn names_that_are_others_on_windows_are_flagged() {
        for name in
            ["CON", "dir/aux.txt", "nul.tar.gz", "com1", "COM\u{b9}.c", "con /x", "a.", "a ", "a./b", "ff:s"]
        {
            assert_eq!(judged(name).1, [Flag::WindowsName], "{name:?}");
        }
        for name in ["console.py", "auxiliary", "com", "com10", ".a", "a/../b", "a/./b", "nul_.c"] {
            assert!(!judged(name).1.contains(&Flag::WindowsName), "{name:?}");
        }
        assert_eq!(judged("C:x").1, [Flag::AbsoluteName]);
        assert_eq!(judged("C:x:s").1, [Flag::AbsoluteName, Flag::WindowsName]);
    }

    #[test]
    fn a_link_is_outside_from_where_it_stands() {
        assert!(!leads_outside("a/b/link".into(), "../../x".into()));
        assert!(leads_outside("a/b/link".into(), "../../../x".into()));
        assert!(leads_outside("a/b/link".into(), "x/../../../../y".into()));
        assert!(leads_outside("link".into(), "/etc".into()));
        assert!(!leads_outside("link".into(), ".".into()));
    }
}
