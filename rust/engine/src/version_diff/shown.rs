//! A content's text as it may be shown: secrets hidden, and nothing in it that could break a line,
//! colour a terminal, turn the reading direction around or speak to a model unseen.

use std::ops::Range;

use unicode_segmentation::GraphemeCursor;

use super::content::Content;
use crate::display::{is_plain, is_shown_as_it_is, write_visibly};
use crate::secrets::MARK;
use crate::unseen::characters;

/// What came of writing a part of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Written {
    /// All of it, as it is.
    Exact,
    /// All of it; something is hidden, or shown in another way.
    Whole,
    /// There was no room for the rest.
    Part,
}

impl Written {
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Part, _) | (_, Self::Part) => Self::Part,
            (Self::Whole, _) | (_, Self::Whole) => Self::Whole,
            (Self::Exact, Self::Exact) => Self::Exact,
        }
    }
}

impl Content<'_> {
    /// Append a part of the text, within one line, with at most `room` bytes: whole graphemes and
    /// whole marks only.
    pub(super) fn write(&self, part: Range<usize>, room: usize, out: &mut String) -> Written {
        if part.is_empty() {
            return Written::Exact;
        }
        let end = out.len() + room;
        let mut written = Written::Exact;
        let mut at = part.start;
        let first = self.hidden.partition_point(|hidden| hidden.end <= part.start);
        for hidden in &self.hidden[first..] {
            if hidden.start >= part.end {
                break;
            }
            let start = hidden.start.max(at);
            written = written.and(self.write_plain(at..start, end - out.len(), out)).and(Written::Whole);
            if written == Written::Part || out.len() + MARK.len() > end {
                return Written::Part;
            }
            out.push_str(MARK);
            at = hidden.end.min(part.end);
        }
        written.and(self.write_plain(at..part.end, end - out.len(), out))
    }

    /// How long a part of a line is, in bytes, where each hidden part has the length of a mark: the
    /// length of a secret decides nothing.
    pub(super) fn length_without_secrets(&self, part: &Range<usize>) -> usize {
        let first = self.hidden.partition_point(|hidden| hidden.end <= part.start);
        let hidden = self.hidden[first..].iter().take_while(|hidden| hidden.start < part.end);
        hidden.fold(part.len(), |length, hidden| {
            length - (hidden.start.max(part.start)..hidden.end.min(part.end)).len() + MARK.len()
        })
    }

    /// Append a part that holds nothing to hide.
    fn write_plain(&self, part: Range<usize>, room: usize, out: &mut String) -> Written {
        let text = &self.text[part.clone()];
        // The byte order mark of a file is no more than that.
        let mark = usize::from(part.start == 0 && text.starts_with('\u{feff}')) * 3;
        if is_plain(&text[mark..]) {
            let fitting = if text.len() <= room { text.len() } else { self.border_before(&part, room) };
            out.push_str(&text[..fitting]);
            return if fitting == text.len() { Written::Exact } else { Written::Part };
        }
        let end = out.len() + room;
        let mut at = part.start;
        let mut characters = characters(text);
        while at < part.end {
            let next = self.border_after(at).min(part.end);
            let count = self.text[at..next].chars().count();
            let before = out.len();
            for character in characters.by_ref().take(count) {
                if is_shown_as_it_is(character) || (at == 0 && mark > 0) {
                    out.push(character.letter);
                } else {
                    write_visibly(character.letter, out);
                }
            }
            if out.len() > end {
                out.truncate(before);
                return Written::Part;
            }
            at = next;
        }
        Written::Whole
    }

    /// The last border between graphemes at most `length` bytes into the part.
    fn border_before(&self, part: &Range<usize>, length: usize) -> usize {
        let mut at = (part.start + length).min(part.end);
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        self.grapheme_border(at, part.start, part.end).start - part.start
    }

    /// The end of the grapheme that starts at `at`.
    fn border_after(&self, at: usize) -> usize {
        let mut cursor = GraphemeCursor::new(at, self.text.len(), true);
        cursor.next_boundary(&self.text, 0).ok().flatten().unwrap_or(self.text.len())
    }

    /// The grapheme around a place between characters, no further than from `start` to `end`; at
    /// a border the empty range there.
    pub(super) fn grapheme_border(&self, at: usize, start: usize, end: usize) -> Range<usize> {
        let mut cursor = GraphemeCursor::new(at, self.text.len(), true);
        if at <= start || at >= end || cursor.is_boundary(&self.text, 0).unwrap_or(true) {
            return at..at;
        }
        let before = cursor.prev_boundary(&self.text, 0).ok().flatten().unwrap_or(start);
        let after = self.border_after(before);
        before.max(start)..after.min(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, hidden: &[Range<usize>], room: usize) -> (String, Written) {
        let content = Content { text: text.into(), hidden: hidden.to_vec(), ..Content::nothing() };
        let mut out = String::new();
        let written = content.write(0..text.len(), room, &mut out);
        (out, written)
    }

    #[test]
    fn what_could_deceive_is_made_visible() {
        for (text, expected) in [
            ("a\rb", "a^Mb"),
            ("a\x1b[31m\x7f", "a^[[31m^?"),
            ("a\u{202e}b\u{2028}", "a<U+202E>b<U+2028>"),
            ("\u{e0041}x\u{85}", "<U+E0041>x<U+0085>"),
            ("a\u{feff}", "a<U+FEFF>"),
        ] {
            assert_eq!(shown(text, &[], 100), (expected.to_owned(), Written::Whole), "{text:?}");
        }
        for text in ["a\tb", "読み込み", "👩\u{200d}👩\u{200d}👧", "\u{feff}x", "“é”"] {
            assert_eq!(shown(text, &[], 100), (text.to_owned(), Written::Exact), "{text:?}");
        }
    }

    #[test]
    fn secrets_give_way_to_the_mark() {
        assert_eq!(shown("key = abc;", &[6..9], 100), ("key = [secret hidden];".to_owned(), Written::Whole));
        assert_eq!(shown("abcdef", &[0..2, 4..6], 100).0, "[secret hidden]cd[secret hidden]");
        assert_eq!(shown("key = abc;", &[6..9], 12), ("key = ".to_owned(), Written::Part));
    }

    #[test]
    fn nothing_is_cut_inside_a_grapheme() {
        let family = "👩\u{200d}👩\u{200d}👧";
        let text = format!("a{family}e\u{301}{family}");
        let borders: Vec<usize> = unicode_segmentation::UnicodeSegmentation::grapheme_indices(&*text, true)
            .map(|(at, _)| at)
            .collect();
        for room in 0..text.len() {
            let (cut, written) = shown(&text, &[], room);
            assert!(cut.len() <= room && borders.contains(&cut.len()), "{room}");
            assert_eq!(written, Written::Part);
            let (cut, _) = shown(&format!("{text}\r"), &[], room);
            assert!(cut.len() <= room && borders.contains(&cut.len()), "{room}, with a control character");
        }
    }
}
