//! Which paths a comparison looks at.

use bstr::{BStr, BString, ByteSlice};

/// Paths to look at: each names a file, or a directory with everything below it.
///
/// The default looks at everything. Names are literal; there are no patterns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Without leading and trailing slashes; empty means everything.
    paths: Vec<BString>,
}

impl Scope {
    /// Look at these files and directories only. A path `""` or `.` is the root, so everything.
    pub fn new<P: AsRef<[u8]>>(paths: impl IntoIterator<Item = P>) -> Self {
        let mut kept: Vec<BString> = Vec::new();
        for path in paths {
            let path = path.as_ref();
            let path = path.strip_prefix(b"./").unwrap_or(path);
            let path = path.trim_end_with(|letter| letter == '/');
            if path.is_empty() || path == b"." {
                return Self::default();
            }
            kept.push(path.into());
        }
        kept.sort();
        kept.dedup();
        Self { paths: kept }
    }

    /// Whether everything is looked at.
    pub fn is_everything(&self) -> bool {
        self.paths.is_empty()
    }

    /// Whether this file is looked at.
    pub fn holds(&self, path: &BStr) -> bool {
        self.is_everything() || self.paths.iter().any(|scope| is_below(path, scope.as_ref()))
    }

    /// Whether this directory has to be opened: it is in the scope, or the scope is in it.
    pub(crate) fn reaches(&self, directory: &BStr) -> bool {
        self.is_everything()
            || self
                .paths
                .iter()
                .any(|scope| is_below(directory, scope.as_ref()) || is_below(scope.as_ref(), directory))
    }
}

fn is_below(path: &BStr, directory: &BStr) -> bool {
    path.strip_prefix(&**directory).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_holds_files_and_all_below_directories() {
        let scope = Scope::new(["flows/", "./a.json"]);
        for (path, held) in
            [("flows/x/y", true), ("flows", true), ("flowsome", false), ("a.json", true), ("b", false)]
        {
            assert_eq!(scope.holds(path.into()), held, "{path}");
        }
        assert!(Scope::new(["a/b/c"]).reaches("a".into()));
        assert!(!Scope::new(["a/b/c"]).reaches("b".into()));
        assert!(Scope::new(["."]).is_everything());
        assert!(Scope::new(Vec::<&str>::new()).is_everything());
    }
}
