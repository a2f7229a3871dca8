//! Names from files, made safe to show.
//!
//! Names come from files that anyone can write. Shown as they are, one could forge a second line,
//! colour a terminal, or turn the reading direction around (CVE-2021-42574).

use std::borrow::Cow;
use std::fmt::Write as _;

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

/// Whether all of it is shown as it is.
pub(crate) fn is_plain(text: &str) -> bool {
    all_in(text.as_bytes(), &CERTAINLY_PLAIN) || text.chars().all(is_shown_as_it_is)
}

/// Whether all bytes are in a table that has all of ASCII's visible characters: eight bytes are looked at
/// at a time.
pub(crate) fn all_in(bytes: &[u8], table: &[bool; 256]) -> bool {
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
    const BLANKS: u64 = u64::from_ne_bytes([0x20; 8]);
    let is_visible = |word: &[u8; 8]| {
        let word = u64::from_ne_bytes(*word);
        // The high bits of bytes below 0x20 once 0x20 is taken from all, and of those from 0x7F on once
        // 1 is added: while none is above 0x7F, no byte lends to or borrows from its neighbour unseen.
        (word | word.wrapping_add(ONES) | word.wrapping_sub(BLANKS)) & HIGH == 0
    };
    let is_in = |byte: &u8| table[usize::from(*byte)];
    let (words, rest) = bytes.as_chunks::<8>();
    words.iter().all(|word| is_visible(word) || word.iter().all(is_in)) && rest.iter().all(is_in)
}

/// Append a line, with what could break it, colour a terminal or turn the reading direction around made
/// visible as by [`visible_lines`]; what is no UTF-8 becomes U+FFFD.
pub(crate) fn write_visible_line(line: &[u8], out: &mut Vec<u8>) {
    if all_in(line, &CERTAINLY_PLAIN) && std::str::from_utf8(line).is_ok() {
        out.extend_from_slice(line);
        return;
    }
    let mut visible = String::with_capacity(line.len() + 16);
    for letter in String::from_utf8_lossy(line).chars() {
        if is_shown_as_it_is(letter) {
            visible.push(letter);
        } else {
            write_visibly(letter, &mut visible);
        }
    }
    out.extend_from_slice(visible.as_bytes());
}

pub(crate) fn is_shown_as_it_is(letter: char) -> bool {
    letter == '\t' || !is_unsafe(letter)
}

/// As `less` shows them: `^M` for a carriage return, `<U+202E>` for what turns text around.
pub(crate) fn write_visibly(letter: char, out: &mut String) {
    match letter {
        '\0'..='\x1f' | '\x7f' => {
            out.push('^');
            out.push(char::from(letter as u8 ^ 0x40));
        }
        _ => {
            // Writing to a string never fails.
            let _ = write!(out, "<U+{:04X}>", u32::from(letter));
        }
    }
}

/// The bytes that are in no character that has to be looked at.
const CERTAINLY_PLAIN: [bool; 256] = {
    let mut table = [true; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = byte == b'\t' as usize;
        byte += 1;
    }
    // The delete character, and the first bytes of every other unsafe one.
    let first_bytes = [0x7f, 0xc2, 0xd8, 0xe2, 0xef, 0xf3];
    let mut index = 0;
    while index < first_bytes.len() {
        table[first_bytes[index]] = false;
        index += 1;
    }
    table
};

/// Lines of text, with every other character made visible that could break a line, colour a terminal
/// or turn the reading direction around: `^[` for an escape character, `<U+202E>` for what turns text
/// around. Tabs stay.
pub fn visible_lines(text: Cow<'_, str>) -> Cow<'_, str> {
    let is_kept = |letter: char| letter == '\n' || is_shown_as_it_is(letter);
    if text.split('\n').all(is_plain) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 64);
    for letter in text.chars() {
        if is_kept(letter) {
            out.push(letter);
        } else {
            write_visibly(letter, &mut out);
        }
    }
    Cow::Owned(out)
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
    fn lines_stay_lines() {
        for (text, expected) in [
            ("a\tb\nc\n", "a\tb\nc\n"),
            ("a\r\n\x1b[31mb", "a^M\n^[[31mb"),
            ("\u{202e}x\u{2028}\n", "<U+202E>x<U+2028>\n"),
            ("読み", "読み"),
        ] {
            assert_eq!(visible_lines(Cow::Borrowed(text)), expected);
        }
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
