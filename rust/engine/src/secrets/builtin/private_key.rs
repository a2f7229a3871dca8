//! Private keys: every PEM kind, OpenSSH's, PGP blocks, those of PuTTY and age.
//!
//! From the header on the body is consumed by its shape, line after line, so that a flood of headers
//! costs no more than its length, an END that is missing or of another kind hides neither less nor
//! more than the key, and a header in prose hides nothing.

use std::ops::Range;

use super::Rule;
use crate::secrets::shape::is_placeholder;
use crate::secrets::text::Text;

/// Private key of any kind.
pub(super) const RULE: Rule = Rule {
    name: "private-key",
    description: "private key: PEM, OpenSSH, PGP, PuTTY or age",
    literals: &["PRIVATE", "PuTTY-User-Key-File-", "SECRET"],
    verify: |text, at| {
        if text.has(at, b"PRIVATE") {
            armored(text, at)
        } else if text.has(at, b"PuTTY") {
            putty(text, at)
        } else {
            age(text, at)
        }
    },
};

/// The longest words between `BEGIN` and `PRIVATE`.
const LONGEST_LABEL: usize = 48;

/// Fewer characters than this are no key, if the text goes on after them.
const SHORTEST_BODY: usize = 16;

/// A run of characters as long as this is no word, wherever it stands.
const LONG_RUN: usize = 40;

/// More characters in short runs than this, with nothing surer after them, are no key.
const MOST_DOUBTFUL: usize = 4096;

/// `AGE-SECRET-KEY-1` and 58 characters of bech32.
fn age(text: &Text<'_>, at: usize) -> Option<Range<usize>> {
    let start = at.checked_sub(4).filter(|&start| text.has(start, b"AGE-SECRET-KEY-"))?;
    let body = start + 15;
    let end = text.token_end(body);
    let bech32 = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'-';
    let found =
        text.left_edge(start) && text.count(body, 40, bech32) == 40 && !is_placeholder(text.part(body..end));
    found.then_some(start..end)
}

/// A key between `BEGIN … PRIVATE KEY` and its end.
fn armored(text: &Text<'_>, at: usize) -> Option<Range<usize>> {
    let start = header(text, at)?;
    let mut walk = Walk { text, at: at + 7 };
    if !walk.blank() || !text.has(walk.at, b"KEY") {
        return None;
    }
    walk.at += 3;
    let block = Walk { text, at: walk.at }.after_blank();
    if text.has(block, b"BLOCK") {
        walk.at = block + 5;
    }
    if walk.dashes() < 4 {
        return None;
    }
    walk.body().map(|end| start..end)
}

/// Where the dashes before `BEGIN` start, if that stands before `PRIVATE`.
fn header(text: &Text<'_>, at: usize) -> Option<usize> {
    let from = at.saturating_sub(LONGEST_LABEL);
    let before = &text.bytes[from..at];
    let begin = from + memchr::memmem::rfind(before, b"BEGIN")?;
    let is_label = |byte: &u8| byte.is_ascii_alphanumeric() || b" +_%\\".contains(byte);
    if !text.bytes[begin..at].iter().all(is_label) {
        return None;
    }
    let mut start = begin;
    let mut dashes = 0;
    loop {
        let ends = |word: &[u8]| text.bytes[..start].ends_with(word);
        start -= match () {
            () if ends(b"-") => 1,
            () if ends(b"%2D") || ends(b"%2d") => 3,
            () if ends(b"\\u002d") || ends(b"\\u002D") => 6,
            () if dashes == 0 && ends(b" ") => {
                start -= 1;
                continue;
            }
            () => break,
        };
        dashes += 1;
        // More dashes are a rule drawn before the header.
        if dashes == 5 {
            break;
        }
    }
    (dashes >= 4).then_some(start)
}

/// What may stand in a key's body at one place.
enum Piece {
    /// The end of a line, however it is written.
    Break,
    /// Space, quotes and signs that join or mark lines.
    Filler,
    /// A character of base64.
    Character,
    /// Several dashes.
    Dashes,
    /// Anything else.
    Other,
}

struct Walk<'t, 'b> {
    text: &'t Text<'b>,
    at: usize,
}

impl Walk<'_, '_> {
    /// What stands here, and its length.
    fn piece(&self) -> (Piece, usize) {
        let text = self.text;
        let Some(byte) = text.get(self.at) else { return (Piece::Other, 0) };
        match byte {
            b'\n' | b'\r' => (Piece::Break, 1),
            b'-' if text.get(self.at + 1) == Some(b'-') => (Piece::Dashes, 0),
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' | b'=' => (Piece::Character, 1),
            b' ' | b'\t' | b'"' | b'\'' | b'`' | b',' | b'-' | b'>' | b'#' | b'*' | b'|' | b';' | b'.'
            | b'(' | b')' | b'[' | b']' => (Piece::Filler, 1),
            b'\\' => self.escape(),
            b'%' => match text.part(self.at + 1..self.at + 3) {
                b"0A" | b"0a" | b"0D" | b"0d" => (Piece::Break, 3),
                b"20" | b"09" | b"22" | b"25" | b"27" => (Piece::Filler, 3),
                b"2B" | b"2b" | b"2F" | b"2f" | b"3D" | b"3d" => (Piece::Character, 3),
                b"2D" | b"2d" => (Piece::Dashes, 0),
                _ => (Piece::Other, 0),
            },
            b'<' => [&b"<br>"[..], b"<br/>", b"<br />"]
                .iter()
                .find(|tag| text.has(self.at, tag))
                .map_or((Piece::Other, 0), |tag| (Piece::Break, tag.len())),
            b'&' => [&b"&#10;"[..], b"&#13;", b"&#xA;", b"&#xa;", b"&#xD;", b"&#xd;"]
                .iter()
                .find(|entity| text.has(self.at, entity))
                .map_or((Piece::Other, 0), |entity| (Piece::Break, entity.len())),
            _ => (Piece::Other, 0),
        }
    }

    /// What a run of backslashes and the character after it stand for.
    fn escape(&self) -> (Piece, usize) {
        let text = self.text;
        let slashes = text.count(self.at, 64, |byte| byte == b'\\');
        let next = self.at + slashes;
        match text.get(next) {
            Some(b'n' | b'r') => (Piece::Break, slashes + 1),
            Some(b't' | b'"' | b'\'') => (Piece::Filler, slashes + 1),
            Some(b'/') => (Piece::Character, slashes + 1),
            Some(b'\n' | b'\r' | b' ') | None => (Piece::Filler, slashes),
            Some(b'u') => match text.part(next + 1..next + 5) {
                b"000a" | b"000A" | b"000d" | b"000D" => (Piece::Break, slashes + 5),
                b"0020" | b"0009" | b"0022" | b"0027" => (Piece::Filler, slashes + 5),
                b"002b" | b"002B" | b"002f" | b"002F" | b"003d" | b"003D" => (Piece::Character, slashes + 5),
                b"002d" | b"002D" => (Piece::Dashes, 0),
                _ => (Piece::Other, 0),
            },
            _ => (Piece::Other, 0),
        }
    }

    /// Pass the space between two words of a label, however it is written.
    fn blank(&mut self) -> bool {
        let before = self.at;
        self.at = Walk { text: self.text, at: self.at }.after_blank();
        self.at > before
    }

    fn after_blank(&self) -> usize {
        let blanks = [&b" "[..], b"+", b"%20", b"_", b"\\u0020"];
        let blank = blanks.iter().find(|blank| self.text.has(self.at, blank));
        self.at + blank.map_or(0, |blank| blank.len())
    }

    /// Pass dashes, however they are written; answers how many.
    fn dashes(&mut self) -> usize {
        let mut count = 0;
        loop {
            let written = [&b"-"[..], b"%2D", b"%2d", b"\\u002d", b"\\u002D"];
            let dash = written.iter().find(|dash| self.text.has(self.at, dash));
            match dash {
                Some(dash) => self.at += dash.len(),
                None if count == 0 && self.text.get(self.at) == Some(b' ') => {
                    self.at += 1;
                    if self.text.get(self.at) != Some(b'-') {
                        return 0;
                    }
                    continue;
                }
                None => return count,
            }
            count += 1;
        }
    }

    /// Pass the body; answers where the key ends, if it is one.
    fn body(&mut self) -> Option<usize> {
        let mut total = 0;
        // The end of what is surely part of the key.
        let mut sure = self.at;
        // Whether the last run was too short to be sure of it.
        let mut doubtful = 0;
        let mut sample = Vec::new();
        loop {
            let line_start = self.skip_to_line();
            let start = self.at;
            if matches!(self.piece().0, Piece::Dashes) {
                let mut end = Walk { text: self.text, at: self.at };
                let count = end.dashes();
                if end.text.get(end.at) == Some(b' ') {
                    end.at += 1;
                }
                if count >= 4 && self.text.has(end.at, b"END") {
                    end.end_line();
                    sure = end.at;
                    total += doubtful;
                }
                break;
            }
            let length = self.run(&mut sample);
            if length == 0 {
                if line_start && self.header_line() {
                    continue;
                }
                break;
            }
            let next = self.piece().0;
            let ends_line = self.ends_line() || self.ends_quoted();
            let at_end = self.at >= self.text.bytes.len();
            if length >= LONG_RUN || at_end || (ends_line && length >= SHORTEST_BODY) {
                total += length + doubtful;
                doubtful = 0;
                sure = self.at;
            } else if ends_line && total > 0 && doubtful == 0 {
                // The last line of a key is a short one.
                total += length;
                doubtful += 1;
                sure = self.at;
            } else if !(line_start && self.header_line_from(start)) {
                let joined = matches!(next, Piece::Filler | Piece::Break | Piece::Dashes);
                if !joined || doubtful >= MOST_DOUBTFUL {
                    break;
                }
                doubtful += length;
            }
        }
        let truncated = sure >= self.text.bytes.len() && total >= 4;
        let found = (truncated || total >= SHORTEST_BODY) && !is_placeholder(&sample);
        found.then_some(sure)
    }

    /// Pass what stands between two runs of base64; answers whether a line started there.
    fn skip_to_line(&mut self) -> bool {
        let mut line_start = false;
        loop {
            match self.piece() {
                (Piece::Break, length) => {
                    line_start = true;
                    self.at += length;
                }
                (Piece::Filler, length) => self.at += length,
                // A diff's sign, a joining `+` or a comment's slashes.
                (Piece::Character, 1) if self.is_sign() => self.at += 1,
                (Piece::Character, 1) if line_start && self.line_number() > 0 => {
                    self.at += self.line_number();
                }
                _ => return line_start,
            }
        }
    }

    /// The length of a line's number and the sign after it, or 0.
    fn line_number(&self) -> usize {
        let digits = self.text.count(self.at, 6, |byte| byte.is_ascii_digit());
        let sign = self.text.get(self.at + digits);
        if digits > 0 && matches!(sign, Some(b':' | b'|' | b'\t')) { digits + 1 } else { 0 }
    }

    /// Whether a `+` or `/` here is followed by filler or a slash and so is none of a key's.
    fn is_sign(&self) -> bool {
        let next = Walk { text: self.text, at: self.at + 1 };
        match self.text.get(self.at) {
            Some(b'+') => matches!(next.piece().0, Piece::Filler | Piece::Break),
            Some(b'/') => self.text.get(self.at + 1) == Some(b'/') || next.text.get(next.at) == Some(b' '),
            _ => false,
        }
    }

    /// Pass a run of base64; answers its length.
    fn run(&mut self, sample: &mut Vec<u8>) -> usize {
        let mut length = 0;
        while let (Piece::Character, width) = self.piece() {
            if sample.len() < 128 {
                sample.push(self.text.bytes[self.at + width - 1]);
            }
            self.at += width;
            length += 1;
        }
        length
    }

    /// Whether nothing but filler stands between here and the end of the line, or of the key.
    fn ends_line(&self) -> bool {
        let mut ahead = Walk { text: self.text, at: self.at };
        loop {
            match ahead.piece() {
                (Piece::Filler, length) => ahead.at += length,
                (Piece::Break | Piece::Dashes, _) => return true,
                _ => return ahead.at >= self.text.bytes.len(),
            }
        }
    }

    /// Whether only a closing quote stands between here and the end of the line.
    fn ends_quoted(&self) -> bool {
        matches!(self.text.get(self.at), Some(b'"' | b'\'' | b'`' | b'\\'))
    }

    /// Pass the rest of a line such as `Proc-Type: 4,ENCRYPTED` whose name starts at `start`.
    fn header_line_from(&mut self, start: usize) -> bool {
        let after = self.at;
        self.at = start;
        let found = self.header_line();
        if !found {
            self.at = after;
        }
        found
    }

    fn header_line(&mut self) -> bool {
        let names = [
            &b"Proc-Type:"[..],
            b"DEK-Info:",
            b"Version:",
            b"Comment:",
            b"Hash:",
            b"Charset:",
            b"Subject:",
            b"X-",
        ];
        if !names.iter().any(|name| self.text.has(self.at, name)) {
            return false;
        }
        for _ in 0..256 {
            let (piece, length) = self.piece();
            if length == 0 && self.at >= self.text.bytes.len() || matches!(piece, Piece::Break) {
                break;
            }
            self.at += length.max(1);
        }
        true
    }

    /// Pass `END`, its label and its dashes.
    fn end_line(&mut self) {
        self.at += 3;
        for _ in 0..LONGEST_LABEL {
            let label = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
            let blank = self.after_blank();
            if blank > self.at {
                self.at = blank;
            } else if self.text.get(self.at).is_some_and(label) {
                self.at += 1;
            } else {
                break;
            }
        }
        self.dashes();
    }
}

/// A key file of PuTTY: lines with names, lines of base64, and `Private-Lines:` among them.
fn putty(text: &Text<'_>, at: usize) -> Option<Range<usize>> {
    let mut walk = Walk { text, at };
    let mut private = false;
    let mut end = at;
    let mut first = true;
    loop {
        let line = walk.at;
        let name = text.count(line, 32, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if text.get(line + name) == Some(b':') && name > 0 {
            if text.has(line, b"PuTTY-User-Key-File-") && !first {
                break;
            }
            private |= text.has(line, b"Private-Lines:");
            while !matches!(walk.piece().0, Piece::Break)
                && walk.at < text.bytes.len()
                && walk.at < line + 1024
            {
                walk.at += walk.piece().1.max(1);
            }
        } else {
            let mut run = 0;
            while let (Piece::Character, width) = walk.piece() {
                walk.at += width;
                run += 1;
            }
            if run == 0 {
                break;
            }
        }
        end = walk.at;
        first = false;
        let closes = text.has(line, b"Private-MAC:");
        let before = walk.at;
        while let (Piece::Break, length) = walk.piece() {
            walk.at += length;
        }
        if closes || walk.at == before {
            break;
        }
        while matches!(text.get(walk.at), Some(b' ' | b'\t' | b'>' | b'#'))
            || (text.get(walk.at) == Some(b'+'))
        {
            walk.at += 1;
        }
    }
    (private && text.left_edge(at)).then_some(at..end)
}

#[cfg(test)]
mod tests;
