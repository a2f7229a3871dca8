//! Which words of changed lines differ.

use std::ops::Range;

/// For each line of a change, which bytes of it differ word by word: whole graphemes, sorted,
/// touching ones joined. A line without its counterpart differs as a whole.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ChangedWords {
    /// Of each removed line, the bytes of it that are gone.
    pub old: Vec<Vec<Range<usize>>>,
    /// Of each added line, the bytes of it that came.
    pub new: Vec<Vec<Range<usize>>>,
}

/// Compare the lines of a change word by word.
pub fn changed_words(_old: &[&[u8]], _new: &[&[u8]]) -> ChangedWords {
    ChangedWords::default()
}
