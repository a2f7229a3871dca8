//! Path patterns: `*` within a component, `**` across components, `{a,b}` for alternatives.

use bstr::{BStr, BString, ByteSlice};
use globset::{GlobBuilder, GlobMatcher};

/// A path pattern, ready for use.
///
/// Most patterns are a plain path or "everything below"; those need no pattern matcher.
#[derive(Clone, Debug)]
pub(crate) enum Pattern {
    Path(BString),
    Below(BString),
    Everything,
    Glob(Box<GlobMatcher>),
}

impl Pattern {
    pub(super) fn parse(pattern: &str) -> Result<Self, String> {
        if pattern.is_empty() {
            return Err("a pattern is empty".to_owned());
        }
        if pattern == "**" {
            return Ok(Self::Everything);
        }
        let is_plain = |text: &str| !text.contains(['*', '?', '[', ']', '{', '}', '\\']);
        if is_plain(pattern) {
            return Ok(Self::Path(pattern.into()));
        }
        if let Some(directory) =
            pattern.strip_suffix("**").filter(|rest| rest.ends_with('/') && is_plain(rest))
        {
            return Ok(Self::Below(directory.into()));
        }
        GlobBuilder::new(pattern)
            .literal_separator(true)
            .build()
            .map(|glob| Self::Glob(Box::new(glob.compile_matcher())))
            .map_err(|error| error.kind().to_string())
    }

    pub(crate) fn matches(&self, path: &BStr) -> bool {
        match self {
            Self::Path(exact) => path == exact,
            Self::Below(directory) => path.starts_with(directory),
            Self::Everything => true,
            Self::Glob(glob) => glob.is_match(path.to_path_lossy()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_paths() {
        for (pattern, path, matches) in [
            ("a/b", "a/b", true),
            ("a/b", "a/b/c", false),
            ("src/**", "src/a/b.py", true),
            ("src/**", "src", false),
            ("src/**", "srcs/a", false),
            ("**", "anything/at/all", true),
            ("**/*.json", "a.json", true),
            ("**/*.json", "a/b/c.json", true),
            ("*.json", "a/b.json", false),
            ("d/*/src/**/*.{py,sh}", "d/x/src/a.py", true),
            ("d/*/src/**/*.{py,sh}", "d/x/src/a/b.sh", true),
            ("d/*/src/**/*.{py,sh}", "d/x/y/src/a.py", false),
        ] {
            let parsed = Pattern::parse(pattern).expect("valid");
            assert_eq!(parsed.matches(path.into()), matches, "{pattern} {path}");
        }
        assert!(Pattern::parse("a{b").is_err());
        assert!(Pattern::parse("").is_err());
    }
}
