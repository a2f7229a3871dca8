//! Hunks as lines to read: both line numbers, the sign, the text.

use super::{Hunk, Hunks};
use crate::display::{visible_lines, write_visible_line};

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
    let mut rows = Rows::of(numbering);
    let lines = memchr::memchr_iter(b'\n', body.as_bytes()).count();
    let mut out: Vec<u8> = Vec::with_capacity(body.len() + (lines + 1) * (2 * numbering.width + 3));
    let body = body.strip_suffix('\n').unwrap_or(body).as_bytes();
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', body).chain([body.len()]) {
        if start > 0 {
            out.push(b'\n');
        }
        let line = &body[start..end];
        let (sign, text) = match line.split_first() {
            Some((sign @ (b' ' | b'-' | b'+' | b'\\'), text)) => (*sign, text),
            // No body has such a line that was not made up: all of it is text.
            _ => (b' ', line),
        };
        rows.write(sign, text, &mut out);
        start = end + 1;
    }
    // Only whole lines of text and ASCII were put together.
    (String::from_utf8(out).unwrap_or_default(), rows.numbering.old, rows.numbering.new)
}

impl Hunks<'_> {
    /// The hunks as text to read: before each `@@ -1,2 +1,3 @@ heading`, then its lines as
    /// [`numbered_lines`] has them, with a line feed after each. Bytes that are no UTF-8 read as U+FFFD.
    ///
    /// `out` is handed over to `full` whenever it has grown large, to be emptied.
    ///
    /// # Errors
    /// Those of `full`.
    pub fn write_numbered<E>(
        &self,
        no_line_feed: &str,
        out: &mut Vec<u8>,
        full: &mut dyn FnMut(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<(), E> {
        let end = |hunk: &Hunk| (hunk.old_start() + hunk.old.len()).max(hunk.new_start() + hunk.new.len());
        let width = self.list().last().map_or(0, end).to_string().len();
        for hunk in self.list() {
            let (old, new) = (hunk.old_start(), hunk.new_start());
            let place = format!("@@ -{old},{} +{new},{} @@", hunk.old.len(), hunk.new.len());
            out.extend_from_slice(place.as_bytes());
            if !hunk.heading.is_empty() {
                let heading = visible_lines(String::from_utf8_lossy(&hunk.heading)).replace('\n', "^J");
                out.push(b' ');
                out.extend_from_slice(heading.as_bytes());
            }
            out.push(b'\n');
            let mut rows = Rows::of(Numbering { old, new, width, no_line_feed });
            self.each_line(hunk, |sign, line| {
                let text = line.strip_suffix(b"\n");
                rows.write(sign, text.unwrap_or(line), out);
                out.push(b'\n');
                if text.is_none() {
                    rows.write(b'\\', b"", out);
                    out.push(b'\n');
                }
                if out.len() < LARGE { Ok(()) } else { full(out) }
            })?;
        }
        Ok(())
    }
}

/// From how many bytes on text is handed over.
const LARGE: usize = 1 << 18;

/// Lines that are being numbered.
struct Rows<'a> {
    numbering: Numbering<'a>,
}

impl<'a> Rows<'a> {
    fn of(numbering: Numbering<'a>) -> Self {
        Self { numbering }
    }

    /// Append a line without its line feed.
    fn write(&mut self, sign: u8, text: &[u8], out: &mut Vec<u8>) {
        let Numbering { old, new, width, no_line_feed } = &mut self.numbering;
        let (shows_old, shows_new) = match sign {
            b'-' => (true, false),
            b'+' => (false, true),
            b'\\' => (false, false),
            _ => (true, true),
        };
        write_number(shows_old.then_some(*old), *width, out);
        out.push(b' ');
        write_number(shows_new.then_some(*new), *width, out);
        out.extend_from_slice(&[b' ', sign, b' ']);
        if shows_old || shows_new {
            write_visible_line(text, out);
        } else {
            out.extend_from_slice(no_line_feed.as_bytes());
        }
        // Whoever made the numbers up gets the last one again and again.
        *old = old.saturating_add(usize::from(shows_old));
        *new = new.saturating_add(usize::from(shows_new));
    }
}

/// Append a number, flush right.
fn write_number(number: Option<usize>, width: usize, out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + width, b' ');
    let Some(mut rest) = number else { return };
    for at in (start..out.len()).rev() {
        out[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            return;
        }
    }
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
