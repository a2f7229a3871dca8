//! Reading JSON text (RFC 8259), without recursion.

use std::fmt;

use super::{Kind, MAX_BYTES, MAX_DEPTH, Node};

/// Why a text is not JSON: the place and the rule, never text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SyntaxError {
    /// The line, counted from 1.
    pub line: usize,
    /// Where in the line, in bytes, counted from 1.
    pub column: usize,
    /// What is wrong there.
    pub rule: &'static str,
}

impl SyntaxError {
    pub(super) fn new(text: &[u8], offset: usize, rule: &'static str) -> Self {
        let before = &text[..offset.min(text.len())];
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
        Self {
            line: memchr::memchr_iter(b'\n', before).count() + 1,
            column: before.len() - line_start + 1,
            rule,
        }
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}, column {}: {}", self.line, self.column, self.rule)
    }
}

impl std::error::Error for SyntaxError {}

pub(super) fn parse(text: &[u8]) -> Result<Vec<Node>, SyntaxError> {
    let fail = |offset, rule| SyntaxError::new(text, offset, rule);
    if text.len() > MAX_BYTES {
        return Err(fail(0, "the text is longer than 1 GiB"));
    }
    if let Err(error) = std::str::from_utf8(text) {
        return Err(fail(error.valid_up_to(), "not UTF-8"));
    }
    let mut parser =
        Parser { text, offset: 0, nodes: Vec::with_capacity(text.len() / 16 + 1), open: Vec::new() };
    if text.starts_with(b"\xef\xbb\xbf") {
        parser.offset = 3;
    }
    parser.document().map_err(|rule| fail(parser.offset, rule))?;
    Ok(parser.nodes)
}

struct Parser<'a> {
    text: &'a [u8],
    offset: usize,
    nodes: Vec<Node>,
    /// The indices of the arrays and objects that are not closed yet.
    open: Vec<u32>,
}

impl Parser<'_> {
    fn document(&mut self) -> Result<(), &'static str> {
        self.skip_white_space();
        self.value()?;
        while let Some(&container) = self.open.last() {
            self.skip_white_space();
            let container = container as usize;
            let is_object = self.nodes[container].kind == Kind::Object;
            let is_first = container + 1 == self.nodes.len();
            match (self.peek(), is_object) {
                (Some(b'}'), true) | (Some(b']'), false) => {
                    self.offset += 1;
                    self.close(container);
                    continue;
                }
                (Some(b','), _) if !is_first => {
                    self.offset += 1;
                    self.skip_white_space();
                }
                (Some(_), _) if is_first => {}
                (Some(_), true) => return Err("expected a comma or a closing brace"),
                (Some(_), false) => return Err("expected a comma or a closing bracket"),
                (None, _) => return Err("the text ends inside a value"),
            }
            if is_object {
                if self.peek() != Some(b'"') {
                    return Err("expected a name in quotes");
                }
                self.string()?;
                self.skip_white_space();
                if self.peek() != Some(b':') {
                    return Err("expected a colon");
                }
                self.offset += 1;
                self.skip_white_space();
            }
            self.value()?;
        }
        self.skip_white_space();
        if self.offset < self.text.len() { Err("text after the value") } else { Ok(()) }
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.offset).copied()
    }

    #[inline]
    fn skip_white_space(&mut self) {
        while let Some(letter) = self.peek() {
            match letter {
                b' ' => self.offset += space_length(&self.text[self.offset..]),
                b'\n' | b'\r' | b'\t' => self.offset += 1,
                _ => return,
            }
        }
    }

    fn push(&mut self, kind: Kind, escaped: bool, start: usize, end: usize) {
        let next = self.nodes.len() as u32 + 1;
        self.nodes.push(Node { kind, escaped, start: start as u32, end: end as u32, next });
    }

    /// A value that is whole at once, or the start of an array or object.
    fn value(&mut self) -> Result<(), &'static str> {
        match self.peek() {
            Some(b'"') => self.string(),
            Some(b'{') => self.open(Kind::Object),
            Some(b'[') => self.open(Kind::Array),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word(b"true", Kind::Boolean),
            Some(b'f') => self.word(b"false", Kind::Boolean),
            Some(b'n') => self.word(b"null", Kind::Null),
            Some(_) => Err("expected a value"),
            None => Err("the text ends where a value should be"),
        }
    }

    fn open(&mut self, kind: Kind) -> Result<(), &'static str> {
        if self.open.len() >= MAX_DEPTH {
            return Err("nested deeper than 1,000");
        }
        self.open.push(self.nodes.len() as u32);
        self.push(kind, false, self.offset, self.offset);
        self.offset += 1;
        Ok(())
    }

    fn close(&mut self, container: usize) {
        self.open.pop();
        let next = self.nodes.len() as u32;
        let node = &mut self.nodes[container];
        node.end = self.offset as u32;
        node.next = next;
    }

    fn word(&mut self, word: &[u8], kind: Kind) -> Result<(), &'static str> {
        if !self.text[self.offset..].starts_with(word) {
            return Err("expected a value");
        }
        self.push(kind, false, self.offset, self.offset + word.len());
        self.offset += word.len();
        Ok(())
    }

    fn number(&mut self) -> Result<(), &'static str> {
        let start = self.offset;
        if self.peek() == Some(b'-') {
            self.offset += 1;
        }
        if self.peek() == Some(b'0') {
            self.offset += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.offset += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.offset += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.offset += 1;
            }
            self.digits()?;
        }
        if let Some(b'0'..=b'9') = self.peek() {
            return Err("a number with a leading zero");
        }
        self.push(Kind::Number, false, start, self.offset);
        Ok(())
    }

    fn digits(&mut self) -> Result<(), &'static str> {
        let start = self.offset;
        while let Some(b'0'..=b'9') = self.peek() {
            self.offset += 1;
        }
        if self.offset == start { Err("expected a digit") } else { Ok(()) }
    }

    fn string(&mut self) -> Result<(), &'static str> {
        let start = self.offset + 1;
        self.offset = start;
        let mut escaped = false;
        loop {
            self.offset += plain_length(&self.text[self.offset..]);
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                Some(_) => return Err("a control character in a string"),
                None => return Err("the text ends inside a string"),
            }
        }
        self.push(Kind::String, escaped, start, self.offset);
        self.offset += 1;
        Ok(())
    }

    fn escape(&mut self) -> Result<(), &'static str> {
        match self.text.get(self.offset + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.offset += 2,
            Some(b'u') => {
                let digits = self.text.get(self.offset + 2..self.offset + 6);
                if !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
                    return Err("expected four hexadecimal digits");
                }
                self.offset += 6;
            }
            _ => return Err("an unknown escape"),
        }
        Ok(())
    }
}

/// How many spaces come first: indented text is long runs of them.
fn space_length(text: &[u8]) -> usize {
    const SPACES: u64 = u64::from_ne_bytes([b' '; 8]);
    let mut length = 0;
    let mut words = text.chunks_exact(8);
    for word in &mut words {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(word);
        let other = u64::from_le_bytes(bytes) ^ SPACES;
        if other != 0 {
            return length + other.trailing_zeros() as usize / 8;
        }
        length += 8;
    }
    let rest = words.remainder();
    length + rest.iter().position(|byte| *byte != b' ').unwrap_or(rest.len())
}

/// How many bytes come before the next quote, backslash or control character.
fn plain_length(text: &[u8]) -> usize {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    let mut length = 0;
    let mut words = text.chunks_exact(8);
    for word in &mut words {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(word);
        let word = u64::from_le_bytes(bytes);
        // The high bit of each byte that is below 0x20, a quote or a backslash. A byte above the
        // first hit may be marked falsely (borrows run upwards); the first hit never is.
        let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word;
        let quote = word ^ (ONES * u64::from(b'"'));
        let backslash = word ^ (ONES * u64::from(b'\\'));
        let hits = (below(word, 0x20) | below(quote, 1) | below(backslash, 1)) & HIGH;
        if hits != 0 {
            return length + hits.trailing_zeros() as usize / 8;
        }
        length += 8;
    }
    let rest = words.remainder();
    length + rest.iter().position(|byte| *byte < 0x20 || matches!(byte, b'"' | b'\\')).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::super::Document;
    use super::*;

    fn error(text: &[u8]) -> (usize, usize, &'static str) {
        let error = Document::parse(text).expect_err("refused");
        (error.line, error.column, error.rule)
    }

    #[test]
    fn what_rfc_8259_allows_is_read() {
        for text in [
            "null",
            " true ",
            "[]",
            "{}",
            "[[]]",
            "-0",
            "0.5e-10",
            "1E400",
            "\"\"",
            "\"\\ud800\"",
            "[1,2]",
            "{\"a\":1,\"a\":2}",
            "\u{feff}{}",
            "{\"a\" : [ { } , null ] }",
            "\"\u{7f}\"",
            "[\"0123456\\\"789\"]",
        ] {
            assert!(Document::parse(text.as_bytes()).is_ok(), "{text}");
        }
    }

    #[test]
    fn what_is_no_json_is_refused_with_place_and_rule() {
        for (text, expected) in [
            (&b""[..], (1, 1, "the text ends where a value should be")),
            (b"{\"a\":\n  nul}", (2, 3, "expected a value")),
            (b"[1,]", (1, 4, "expected a value")),
            (b"[1 2]", (1, 4, "expected a comma or a closing bracket")),
            (b"{\"a\" 1}", (1, 6, "expected a colon")),
            (b"{,}", (1, 2, "expected a name in quotes")),
            (b"{\"a\":1,}", (1, 8, "expected a name in quotes")),
            (b"[,1]", (1, 2, "expected a value")),
            (b"01", (1, 2, "a number with a leading zero")),
            (b"1.", (1, 3, "expected a digit")),
            (b"NaN", (1, 1, "expected a value")),
            (b"\"a", (1, 3, "the text ends inside a string")),
            (b"\"\\x\"", (1, 2, "an unknown escape")),
            (b"\"\\u12\"", (1, 2, "expected four hexadecimal digits")),
            (b"\"abcdefgh\tx\"", (1, 10, "a control character in a string")),
            (b"[\xff]", (1, 2, "not UTF-8")),
            (b"{} {}", (1, 4, "text after the value")),
            (b"[{", (1, 3, "the text ends inside a value")),
            (b"[}", (1, 2, "expected a value")),
        ] {
            assert_eq!(error(text), expected, "{:?}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn depth_is_limited_and_never_overflows_the_stack() {
        assert!(Document::parse([b"[".repeat(1_000), b"]".repeat(1_000)].concat()).is_ok());
        assert_eq!(error(&b"[".repeat(100_000)).2, "nested deeper than 1,000");
    }

    #[test]
    fn runs_of_spaces_are_counted_whole() {
        for length in 0..30 {
            for end in ["", "x", "x        ", "\n          "] {
                let text = format!("{}{end}", " ".repeat(length));
                assert_eq!(space_length(text.as_bytes()), length, "{text:?}");
            }
        }
    }

    #[test]
    fn the_fast_scan_stops_where_the_slow_one_does() {
        for stop in [b'"', b'\\', 0, 0x1f] {
            for at in 0..20 {
                let mut text = "é~ ]x\u{7f}é~ ]x\u{7f}é~ ]x\u{7f}é~ ]x\u{7f}".as_bytes().to_vec();
                text[at] = stop;
                assert_eq!(plain_length(&text), at);
            }
        }
    }
}
