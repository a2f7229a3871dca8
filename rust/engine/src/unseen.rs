//! Characters that no one sees, or that act on what is around them: one notion for all that shows text
//! or warns of it. How they are shown differs by the medium, which they are does not.
//!
//! Unseen are
//!
//! - controls (`Cc`): they move the cursor, colour a terminal, end a line;
//! - line and paragraph separators (`Zl`, `Zp`);
//! - whatever Unicode asks to show as nothing (`Default_Ignorable_Code_Point`): bidirectional controls,
//!   zero-width characters, soft hyphens, variation selectors, tags, the fillers of Hangul;
//! - the marks of annotations and of embedded objects (U+FFF9 to U+FFFC), which text alone can't show;
//! - private use (`Co`) and noncharacters: what they show, if anything, the reader's font decides.
//!
//! Not unseen are blanks (`Zs`): they take room, and French and Japanese are written with them. Nor are
//! the other format characters (`Cf`), such as the Arabic signs before numbers: these are drawn.
//!
//! Some of them do what they are for *where they stand*: the joiners and selectors of emoji, of
//! ideographs and of scripts whose letters join. There they are part of what is seen, and anywhere else,
//! or one after the other, they could carry a hidden text. So a text is looked at, not a character.

use std::iter::Peekable;
use std::str::Chars;

/// A character of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Character {
    /// The character.
    pub letter: char,
    /// Whether no one sees it where it stands.
    pub is_unseen: bool,
}

/// The characters of a text in their order.
pub fn characters(text: &str) -> Characters<'_> {
    Characters { letters: text.chars().peekable(), before: ['\0'; 2] }
}

/// Whether a text has one that no one sees.
pub fn has_unseen(text: &str) -> bool {
    // Where they stand is looked at only where there may be some.
    text.chars().any(is_unseen) && characters(text).any(|character| character.is_unseen)
}

/// What [`characters`] gives.
#[derive(Clone, Debug)]
pub struct Characters<'t> {
    letters: Peekable<Chars<'t>>,
    /// The two that came before, the nearest first.
    before: [char; 2],
}

impl Iterator for Characters<'_> {
    type Item = Character;

    fn next(&mut self) -> Option<Character> {
        let letter = self.letters.next()?;
        let is_unseen = is_unseen(letter) && !self.belongs(letter);
        self.before = [letter, self.before[0]];
        Some(Character { letter, is_unseen })
    }
}

impl Characters<'_> {
    /// Whether a joiner or a selector stands where it does what it is for.
    fn belongs(&mut self, letter: char) -> bool {
        let [last, last_but_one] = self.before;
        match letter {
            '\u{200c}' => joins(last),
            '\u{200d}' => {
                let follows = is_picture(last) || (last == '\u{fe0f}' && is_picture(last_but_one));
                joins(last) || (follows && self.letters.peek().copied().is_some_and(is_picture))
            }
            '\u{fe0e}' | '\u{fe0f}' => {
                let is_key = matches!(last, '0'..='9' | '#' | '*');
                is_picture(last) || (is_key && self.letters.peek() == Some(&'\u{20e3}'))
            }
            '\u{fe00}'..='\u{fe02}' | '\u{e0100}'..='\u{e01ef}' => is_ideograph(last),
            '\u{180b}'..='\u{180f}' => matches!(last, '\u{1820}'..='\u{18aa}'),
            _ => false,
        }
    }
}

/// Whether a character is one that no one sees, but where it does what it is for.
pub fn is_unseen(letter: char) -> bool {
    // Nearly all that is written, told at once.
    match letter {
        ' '..='~' => return false,
        '\u{2070}'..='\u{d7ff}' => return letter == '\u{3164}',
        _ => {}
    }
    let is_private_use = matches!(letter, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}');
    let is_noncharacter = matches!(letter, '\u{fdd0}'..='\u{fdef}') || u32::from(letter) & 0xfffe == 0xfffe;
    letter.is_control()
        || matches!(letter,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffc}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
        || is_private_use
        || is_noncharacter
}

/// Whether it is a letter or a sign of a script whose letters join by their neighbours, or stop to:
/// those of the Middle East, of India and its neighbours.
fn joins(letter: char) -> bool {
    matches!(letter,
        '\u{600}'..='\u{109f}' | '\u{1700}'..='\u{18af}' | '\u{1900}'..='\u{1cff}'
        | '\u{a800}'..='\u{abff}' | '\u{fb50}'..='\u{fdcf}' | '\u{fdf0}'..='\u{fdff}'
        | '\u{fe70}'..='\u{fefc}' | '\u{10a00}'..='\u{11fff}' | '\u{1e900}'..='\u{1e95f}')
        && !is_unseen(letter)
}

/// Whether it may be an emoji: blocks of symbols, which no update of Unicode makes wrong.
fn is_picture(letter: char) -> bool {
    matches!(letter,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
        | '\u{2190}'..='\u{23ff}' | '\u{2460}'..='\u{24ff}' | '\u{25a0}'..='\u{27bf}'
        | '\u{2900}'..='\u{297f}' | '\u{2b00}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}'
        | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

fn is_ideograph(letter: char) -> bool {
    matches!(letter,
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3fffd}')
}

#[cfg(test)]
mod tests {
    use regex_syntax::hir::{Class, HirKind};

    use super::*;

    /// Whether Unicode says so of a character.
    fn said_by_unicode(classes: &str) -> impl Fn(char) -> bool {
        let parsed = regex_syntax::parse(classes).expect("classes");
        let HirKind::Class(Class::Unicode(class)) = parsed.into_kind() else { panic!("no class") };
        let ranges: Vec<(char, char)> = class.iter().map(|range| (range.start(), range.end())).collect();
        move |letter| {
            let at = ranges.partition_point(|(_, end)| *end < letter);
            ranges.get(at).is_some_and(|(start, _)| *start <= letter)
        }
    }

    #[test]
    fn they_are_those_of_unicode() {
        let is_named =
            said_by_unicode(r"[\p{Cc}\p{Zl}\p{Zp}\p{Co}\p{Default_Ignorable_Code_Point}\x{fff9}-\x{fffc}]");
        let is_noncharacter = said_by_unicode(r"\p{Noncharacter_Code_Point}");
        for letter in '\0'..=char::MAX {
            let expected = is_named(letter) || is_noncharacter(letter);
            assert_eq!(is_unseen(letter), expected, "U+{:04X}", u32::from(letter));
            let alone = characters(letter.encode_utf8(&mut [0; 4])).next().expect("one");
            assert_eq!(alone, Character { letter, is_unseen: expected });
        }
    }

    #[test]
    fn all_that_may_be_an_emoji_takes_its_selector() {
        let is_emoji = said_by_unicode(r"\p{Extended_Pictographic}");
        for letter in ('\0'..=char::MAX).filter(|letter| is_emoji(*letter) && *letter < '\u{1fb00}') {
            assert!(is_picture(letter), "U+{:04X}", u32::from(letter));
        }
    }

    #[test]
    fn what_joins_where_it_belongs_is_seen() {
        for text in [
            "👩\u{200d}👩\u{200d}👧\u{200d}👦",
            "👩🏽\u{200d}🚀",
            "❤\u{fe0f}\u{200d}🔥 ❤\u{fe0f} ☎\u{fe0e}",
            "1\u{fe0f}\u{20e3}#\u{fe0f}\u{20e3}",
            "می\u{200c}خواهم",
            "क्\u{200d}ष ക്\u{200d}",
            "葛\u{e0100}城 神\u{fe00}",
            "ᠰ\u{180b}ᠠ\u{180e}",
        ] {
            assert!(!has_unseen(text), "{text:?}");
        }
    }

    #[test]
    fn what_joins_nothing_is_unseen() {
        for (text, unseen) in [
            ("a\u{200d}b\u{200c}c", 2),
            ("👩\u{200d}", 1),
            ("👩\u{200d}\u{200d}👧", 2),
            ("\u{200d}👧", 1),
            ("😀\u{fe0f}\u{fe0f}\u{fe01}\u{e0141}", 3),
            ("葛\u{e0100}\u{e0101}", 1),
            ("1\u{fe0f} a\u{fe0f}", 2),
            ("می\u{200c}\u{200c}", 1),
            ("a\u{180b}", 1),
            // A flag of a part of a country is told by tags alone, which can tell anything else, too.
            ("🏴\u{e0067}\u{e007f}", 2),
        ] {
            assert_eq!(characters(text).filter(|character| character.is_unseen).count(), unseen, "{text:?}");
        }
    }
}
