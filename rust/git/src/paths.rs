//! Which paths may be written into a version.

use gix::validate::path::component::Error as ComponentError;
use gix::validate::path::component::Options as PathRules;

/// The longest path, in bytes; no usual file system takes longer ones.
const LONGEST: usize = 4096;

/// Refuse a path that some system could not hold, or would take for something else.
///
/// All rules hold on every system: a repository is made to be copied.
///
/// # Errors
/// The rule that it breaks.
pub fn check(path: &[u8]) -> Result<(), &'static str> {
    if path.starts_with(b"/") {
        return Err("is absolute");
    }
    if path.contains(&0) {
        return Err("has NUL");
    }
    if path.len() > LONGEST {
        return Err("is longer than 4096 bytes");
    }
    for component in path.split(|byte| *byte == b'/') {
        gix::validate::path::component(component.into(), None, PathRules::default()).map_err(|error| {
            match error {
                ComponentError::Empty => "is empty or has an empty component",
                ComponentError::Relative => "has a . or .. component",
                ComponentError::DotGitDir => {
                    "has a .git component, or one that some file systems take for it"
                }
                _ => "has a component that Windows can't hold",
            }
        })?;
        if component.eq_ignore_ascii_case(b".gitmodules") {
            return Err("would make submodules, which no version that is written here has");
        }
    }
    Ok(())
}
