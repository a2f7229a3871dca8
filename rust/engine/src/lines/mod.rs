//! Line diffs: which lines came and went between two texts, grouped into hunks as git groups them.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `text.rs` | [`Text`]: bytes, and where their lines start |
//! | `compare.rs` | [`compare`]: two texts → the changes between them, within [`Limits`] |
//! | `window.rs` | what differs with some equal lines around it, as tokens: where lines are searched and slide |
//! | `effort.rs` | how long a search may take, told before it starts |
//! | `hunks.rs` | [`hunks`]: changes → hunks with context; [`Headings`]: what a hunk is in |
//! | `words.rs` | [`changed_words`]: the lines of one change → which bytes of them differ |

mod compare;
mod effort;
mod hunks;
mod text;
mod window;
mod words;

pub use compare::{Limits, LineChange, LineDiff, compare};
pub use hunks::{Headings, Hunk, heading, heading_text, hunks};
pub use text::{Text, is_binary};
pub use words::{ChangedWords, changed_words};
