//! A text as verifiers look at it: where runs of characters end, and where a token may start.
//!
//! Ends of runs are remembered, so that a flood of literals within one long run costs no more than
//! the run is long.

use std::cell::Cell;
use std::ops::Range;

/// A percent sign that was encoded again and again, `%252520`, is seen through so often.
const NESTED_PERCENTS: usize = 4;

/// Bytes, and the last run of token characters that was walked.
pub(super) struct Text<'t> {
    /// The text.
    pub(super) bytes: &'t [u8],
    run: Cell<(usize, usize)>,
    dotted: Cell<(usize, usize)>,
    url: [Cell<(usize, usize)>; 5],
    at_sign: Cell<(usize, usize, usize)>,
    tail: Cell<(usize, usize)>,
    /// The last Postgres URL and the last other database URL: where a password in its query belongs.
    pub(super) last_url: [Cell<(usize, usize)>; 2],
}

impl<'t> Text<'t> {
    pub(super) fn new(bytes: &'t [u8]) -> Self {
        Self {
            bytes,
            run: Cell::default(),
            dotted: Cell::default(),
            url: Default::default(),
            at_sign: Cell::default(),
            tail: Cell::default(),
            last_url: Default::default(),
        }
    }

    /// The byte at a place, if there is one.
    pub(super) fn get(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// The byte before a place, if there is one.
    pub(super) fn before(&self, at: usize) -> Option<u8> {
        at.checked_sub(1).map(|before| self.bytes[before])
    }

    /// What stands in a range, cut at the end of the text.
    pub(super) fn part(&self, range: Range<usize>) -> &'t [u8] {
        let end = range.end.min(self.bytes.len());
        &self.bytes[range.start.min(end)..end]
    }

    /// Whether `word` stands at a place.
    pub(super) fn has(&self, at: usize, word: &[u8]) -> bool {
        self.bytes.get(at..).is_some_and(|rest| rest.starts_with(word))
    }

    /// The end of the run of token characters (`A-Z a-z 0-9 _ -`) that holds `at`.
    pub(super) fn token_end(&self, at: usize) -> usize {
        end_of_run(self.bytes, at, &self.run, is_token)
    }

    /// The end of a token whose parts are joined by single dots.
    pub(super) fn dotted_end(&self, at: usize) -> usize {
        let (start, end) = self.dotted.get();
        if start <= at && at < end {
            return end;
        }
        let mut end = at;
        while let Some(byte) = self.get(end) {
            let joins = byte == b'.' && end > at && self.get(end + 1).is_some_and(is_token);
            if !is_token(byte) && !joins {
                break;
            }
            end += 1;
        }
        self.dotted.set((at, end));
        end
    }

    /// How many characters of a class stand from `at` on; stops counting at `enough`.
    pub(super) fn count(&self, at: usize, enough: usize, class: fn(u8) -> bool) -> usize {
        self.part(at..at.saturating_add(enough)).iter().take_while(|&&byte| class(byte)).count()
    }

    /// Whether a token may start here: the character before it is no letter and no digit, other
    /// than the end of an escape such as `\n`, `\u000a`, `%3D` or a terminal's colour.
    pub(super) fn left_edge(&self, at: usize) -> bool {
        let Some(before) = self.before(at) else { return true };
        if !before.is_ascii_alphanumeric() {
            return true;
        }
        let back = |distance: usize| at.checked_sub(distance).map(|place| self.bytes[place]);
        let hex = |distance| back(distance).is_some_and(|byte| byte.is_ascii_hexdigit());
        let is = |distance, byte| back(distance) == Some(byte);
        if is(2, b'\\') && matches!(before, b'n' | b'r' | b't' | b'b' | b'f' | b'v' | b'0') {
            return true;
        }
        if hex(1) && hex(2) {
            let wide = hex(3) && hex(4) && is(5, b'u') && is(6, b'\\');
            let octal = is(4, b'\\') && hex(3);
            let percent = (0..NESTED_PERCENTS)
                .take_while(|&pair| pair == 0 || (is(2 * pair + 2, b'2') && is(2 * pair + 1, b'5')))
                .any(|pair| is(2 * pair + 3, b'%'));
            if percent || (is(3, b'x') && is(4, b'\\')) || wide || octal {
                return true;
            }
        }
        before == b'm' && self.is_colour(at - 1)
    }

    /// Whether the `m` at a place ends a terminal's colour: `[`, maybe escaped, digits and `;`, `m`.
    fn is_colour(&self, at: usize) -> bool {
        let before = &self.bytes[at.saturating_sub(16)..at];
        let is_digit = |byte: &u8| byte.is_ascii_digit() || *byte == b';';
        let digits = before.iter().rev().take_while(|byte| is_digit(byte)).count();
        let before = &before[..before.len() - digits];
        [&b"["[..], b"5B", b"5b"].iter().any(|bracket| before.ends_with(bracket))
    }

    /// The end of the URL that starts before `at` and was opened by `opener`: a quote that opened
    /// it is what closes it, otherwise any quote does.
    pub(super) fn url_end(&self, at: usize, opener: Option<u8>) -> usize {
        let (slot, closes): (usize, fn(u8) -> bool) = match opener {
            Some(b'"') => (0, |byte| byte == b'"'),
            Some(b'\'') => (1, |byte| byte == b'\''),
            Some(b'`') => (2, |byte| byte == b'`'),
            Some(b'<') => (3, |byte| byte == b'>'),
            _ => (4, |byte| matches!(byte, b'"' | b'\'' | b'`')),
        };
        let cached = &self.url[slot];
        let (start, end) = cached.get();
        if start <= at && at < end {
            return end;
        }
        let mut end = at;
        while let Some(byte) = self.get(end) {
            if byte <= b' ' || byte == 0x7f || closes(byte) {
                break;
            }
            let slashes = self.bytes[end..].iter().take_while(|&&byte| byte == b'\\').count();
            let next = self.get(end + slashes);
            if slashes > 0 && matches!(next, None | Some(b'"' | b'\'' | b'`' | b'n' | b'r' | b't')) {
                break;
            }
            end += slashes.max(1);
        }
        cached.set((at, end));
        end
    }

    /// The end of what follows the host of a URL, up to a character that no URL is written with.
    pub(super) fn url_tail_end(&self, at: usize) -> usize {
        end_of_run(self.bytes, at, &self.tail, |byte| {
            !matches!(byte, 0..=b' ' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | b')' | b'|' | 0x7f)
        })
    }

    /// The last `@` of a range, whose end is that of a URL.
    pub(super) fn last_at_sign(&self, range: Range<usize>) -> Option<usize> {
        let (start, end, last) = self.at_sign.get();
        let last = if start <= range.start && end == range.end {
            last
        } else {
            let last = memchr::memrchr(b'@', &self.bytes[range.clone()]);
            let last = last.map_or(usize::MAX, |last| range.start + last);
            self.at_sign.set((range.start, range.end, last));
            last
        };
        (last != usize::MAX && last >= range.start).then_some(last)
    }
}

/// The end of the run of a class that holds `at`, remembered in `cached`.
fn end_of_run(bytes: &[u8], at: usize, cached: &Cell<(usize, usize)>, class: fn(u8) -> bool) -> usize {
    let (start, end) = cached.get();
    if start <= at && at < end {
        return end;
    }
    let at = at.min(bytes.len());
    let end = at + bytes[at..].iter().take_while(|&&byte| class(byte)).count();
    cached.set((at, end));
    end
}

/// A character of a token: what base64url is written with.
pub(super) fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// A letter or digit.
pub(super) fn is_alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

/// A digit of a hexadecimal number, of either case.
pub(super) fn is_hex(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
}

/// A character of plain base64, padding not counted.
pub(super) fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')
}
