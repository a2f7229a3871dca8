//! Names from files, made safe to show.
//!
//! Names come from files that anyone can write. Shown as they are, one could forge a second line,
//! colour a terminal, or turn the reading direction around (CVE-2021-42574).

use std::borrow::Cow;
use std::fmt::Write as _;

use unicode_segmentation::UnicodeSegmentation;

use crate::unseen::{Character, characters, has_unseen, is_unseen};

/// How many characters a shown name has at most.
pub const NAME_LENGTH: usize = 80;

/// A name on one line: invalid UTF-8 and control characters become U+FFFD, and what is longer
/// than [`NAME_LENGTH`] characters ends in `…` at a grapheme border.
pub fn name(bytes: &[u8]) -> Cow<'_, str> {
    shortened(safe(String::from_utf8_lossy(bytes)), NAME_LENGTH)
}

/// `text` with every [unseen](crate::unseen) character replaced by U+FFFD: one could break the line,
/// colour a terminal, turn the reading direction around, or carry a hidden text.
pub fn safe(text: Cow<'_, str>) -> Cow<'_, str> {
    if !has_unseen(&text) {
        return text;
    }
    let shown = |Character { letter, is_unseen }| if is_unseen { '\u{fffd}' } else { letter };
    Cow::Owned(characters(&text).map(shown).collect())
}

/// Whether all of it is shown as it is.
pub(crate) fn is_plain(text: &str) -> bool {
    all_in(text.as_bytes(), &CERTAINLY_PLAIN)
        || text.chars().all(|letter| letter == '\t' || !is_unseen(letter))
        || characters(text).all(is_shown_as_it_is)
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
    let line = String::from_utf8_lossy(line);
    if is_plain(&line) {
        out.extend_from_slice(line.as_bytes());
        return;
    }
    let mut visible = String::with_capacity(line.len() + 16);
    for character in characters(&line) {
        if is_shown_as_it_is(character) {
            visible.push(character.letter);
        } else {
            write_visibly(character.letter, &mut visible);
        }
    }
    out.extend_from_slice(visible.as_bytes());
}

/// Within a line, tabs are.
pub(crate) fn is_shown_as_it_is(character: Character) -> bool {
    !character.is_unseen || character.letter == '\t'
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
    // The delete character, and the first bytes of every other unseen one.
    let first_bytes = [0x7f, 0xc2, 0xcd, 0xd8, 0xe1, 0xe2, 0xe3, 0xee, 0xef, 0xf0, 0xf1, 0xf2, 0xf3, 0xf4];
    let mut index = 0;
    while index < first_bytes.len() {
        table[first_bytes[index]] = false;
        index += 1;
    }
    table
};

/// Lines of text, with every other [unseen](crate::unseen) character made visible: `^[` for an escape
/// character, `<U+202E>` for what turns text around. Tabs stay.
pub fn visible_lines(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.split('\n').all(is_plain) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 64);
    for character in characters(&text) {
        if character.letter == '\n' || is_shown_as_it_is(character) {
            out.push(character.letter);
        } else {
            write_visibly(character.letter, &mut out);
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
    fn lines_are_plain_that_have_no_unseen_character() {
        for letter in '\0'..=char::MAX {
            let is_unseen = is_unseen(letter) && letter != '\t';
            assert_eq!(is_plain(letter.encode_utf8(&mut [0; 4])), !is_unseen, "U+{:04X}", u32::from(letter));
        }
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
