//! Hunks as lines to read: both line numbers, the sign, the text.

use std::borrow::Cow;

use crate::display::visible_lines;
use crate::wire::write_integer;

/// How the lines of a hunk are numbered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Numbering<'a> {
    /// The number of the first line of the old side.
    pub old: usize,
    /// The number of the first line of the new side.
    pub new: usize,
    /// How many digits each number has room for.
    pub width: usize,
    /// What is said below a line without a line feed.
    pub no_line_feed: &'a str,
}

/// The lines of a hunk's [body](super::Hunks::write_body), without a line feed after the last:
/// `old new sign text`, the numbers flush right, and each blank where the line has none. What could
/// deceive who reads it is made visible.
///
/// Whole lines of a body may be given too. With the text come the numbers of the lines that follow, on
/// the old and the new side.
pub fn numbered_lines(body: &str, numbering: Numbering<'_>) -> (String, usize, usize) {
    let body = visible_lines(Cow::Borrowed(body));
    let Numbering { mut old, mut new, width, no_line_feed } = numbering;
    let lines = body.strip_suffix('\n').unwrap_or(&body).split('\n');
    let mut out: Vec<u8> = Vec::with_capacity(
        body.len() + memchr::memchr_iter(b'\n', body.as_bytes()).count() * (2 * width + 3),
    );
    for line in lines {
        if !out.is_empty() {
            out.push(b'\n');
        }
        let (sign, text) = line.split_at_checked(1).unwrap_or((" ", ""));
        let (shows_old, shows_new) = match sign {
            "-" => (true, false),
            "+" => (false, true),
            "\\" => (false, false),
            _ => (true, true),
        };
        write_number(shows_old.then_some(old), width, &mut out);
        out.push(b' ');
        write_number(shows_new.then_some(new), width, &mut out);
        out.push(b' ');
        out.extend_from_slice(sign.as_bytes());
        out.push(b' ');
        out.extend_from_slice(if shows_old || shows_new { text } else { no_line_feed }.as_bytes());
        // Whoever made the numbers up gets the last one again and again.
        old = old.saturating_add(usize::from(shows_old));
        new = new.saturating_add(usize::from(shows_new));
    }
    // Only whole lines of text and ASCII were put together.
    (String::from_utf8(out).unwrap_or_default(), old, new)
}

fn write_number(number: Option<usize>, width: usize, out: &mut Vec<u8>) {
    let start = out.len();
    if let Some(number) = number {
        write_integer(out, i64::try_from(number).unwrap_or(i64::MAX));
    }
    let missing = width.saturating_sub(out.len() - start);
    out.resize(out.len() + missing, b' ');
    out[start..].rotate_right(missing);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_has_the_numbers_of_its_sides() {
        let body = " a\n-b\n+c\x1b\n+\n\\ No newline at end of file\n";
        let numbering = Numbering { old: 9, new: 10, width: 3, no_line_feed: "no line feed" };
        assert_eq!(
            numbered_lines(body, numbering),
            (
                "  9  10   a\n 10     - b\n     11 + c^[\n     12 + \n        \\ no line feed".to_owned(),
                11,
                13
            )
        );
    }

    #[test]
    fn numbers_that_no_file_has_end_at_the_last_one() {
        let numbering = Numbering { old: usize::MAX, new: usize::MAX - 1, width: 1, no_line_feed: "" };
        let (text, old, new) = numbered_lines(" a\n b\n", numbering);
        assert_eq!((text.lines().count(), old, new), (2, usize::MAX, usize::MAX));
    }
}
