//! The order of listings.

use std::cmp::Ordering;

use bstr::BStr;

/// The order of paths by their components, each by its bytes: a directory stands where its name does,
/// so `a/x` comes before `a.rb`, and `a.rb` before `b`.
pub fn by_components(a: &BStr, b: &BStr) -> Ordering {
    // A component that ends is less than one that goes on, whatever with.
    let rank = |byte: &u8| if *byte == b'/' { 0 } else { u16::from(*byte) + 1 };
    a.iter().map(rank).cmp(b.iter().map(rank))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_stands_where_its_name_does() {
        let mut paths = ["a.rb", "b", "a/x", "a", "a/x/y", "a/x.c", "a\u{1}b", "a b/c"];
        paths.sort_by(|a, b| by_components((*a).into(), (*b).into()));
        assert_eq!(paths, ["a", "a/x", "a/x/y", "a/x.c", "a\u{1}b", "a b/c", "a.rb", "b"]);
    }
}
