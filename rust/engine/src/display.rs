//! Names from files, made safe to show.
//!
//! Names come from files that anyone can write. Shown as they are, one could forge a second line,
//! colour a terminal, or turn the reading direction around (CVE-2021-42574).

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;

/// How many characters a shown name has at most.
pub const NAME_LENGTH: usize = 80;

/// A name on one line: invalid UTF-8 and control characters become U+FFFD, and what is longer
/// than [`NAME_LENGTH`] characters ends in `…` at a grapheme border.
pub fn name(bytes: &[u8]) -> Cow<'_, str> {
    shortened(safe(String::from_utf8_lossy(bytes)), NAME_LENGTH)
}

/// `text` with every character replaced by U+FFFD that could break the line, colour a terminal or
/// turn the reading direction around: C0, C1, line and paragraph separators, bidirectional
/// controls, and the other format characters that no one sees, but for the joiners that emoji and
/// scripts need.
pub fn safe(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.chars().any(is_unsafe) {
        Cow::Owned(text.chars().map(|letter| if is_unsafe(letter) { '\u{fffd}' } else { letter }).collect())
    } else {
        text
    }
}

pub(crate) fn is_unsafe(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

/// `text` with at most `length` characters, cut with `…` where a grapheme ends.
pub fn shortened(text: Cow<'_, str>, length: usize) -> Cow<'_, str> {
    // A character has at least one byte, so most names are settled without counting.
    if text.len() <= length || text.chars().count() <= length {
        return text;
    }
    let mut kept = 0;
    let mut characters = 0;
    for grapheme in text.graphemes(true) {
        characters += grapheme.chars().count();
        if characters + 1 > length {
            break;
        }
        kept += grapheme.len();
    }
    Cow::Owned(format!("{}…", &text[..kept]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_forge_a_line_or_a_colour_is_replaced() {
        assert_eq!(name(b"load"), "load");
        assert_eq!(name("読み込み".as_bytes()), "読み込み");
        assert_eq!(name(b"a\nAdded b"), "a\u{fffd}Added b");
        assert_eq!(name(b"\x1b[31mred"), "\u{fffd}[31mred");
        assert_eq!(name("a\u{202e}b\u{2028}c\u{85}".as_bytes()), "a\u{fffd}b\u{fffd}c\u{fffd}");
        assert_eq!(name(b"\xff"), "\u{fffd}");
    }

    #[test]
    fn long_names_are_cut_between_graphemes() {
        assert_eq!(name("x".repeat(80).as_bytes()), "x".repeat(80));
        assert_eq!(name("x".repeat(81).as_bytes()), format!("{}…", "x".repeat(79)));
        let family = "👩\u{200d}👩\u{200d}👧\u{200d}👦";
        assert_eq!(shortened(Cow::Borrowed(&family.repeat(3)), 16), format!("{}…", family.repeat(2)));
        assert_eq!(shortened(Cow::Borrowed(&family.repeat(3)), 15), format!("{}…", family.repeat(2)));
        assert_eq!(shortened(Cow::Borrowed(&family.repeat(3)), 14), format!("{family}…"));
    }
}
