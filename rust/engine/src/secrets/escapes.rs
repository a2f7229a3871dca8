//! Text that is written escaped: JSON strings, JSON within JSON, percent encoding.
//!
//! Most escapes need no decoding: `\n` or `\"` ends a token, and a token may start after one (see
//! `Text::left_edge`). Only where an escape stands for a character that a secret is made of, the
//! text around it is decoded and scanned as well, and what is found is taken back to the bytes as
//! they stand.

use std::ops::Range;

use super::Finding;

/// So much around the words that hold an escape is decoded too, for what is recognised by what
/// stands near it.
const CONTEXT: usize = 96;

/// Decode and scan the surroundings of each escape that stands for a character of a secret.
///
/// Answers whether there is a NUL in the text, which costs nothing to look for in the same walk.
pub(super) fn scan(
    content: &[u8],
    found: &mut Vec<Finding>,
    scan: &mut dyn FnMut(&[u8], &mut Vec<Finding>),
) -> bool {
    let mut window: Range<usize> = 0..0;
    let mut decode = |window: &Range<usize>| {
        if window.is_empty() {
            return;
        }
        let decoded = Decoded::new(content, window.clone());
        let mut here = Vec::new();
        scan(&decoded.text, &mut here);
        for finding in here {
            let place = decoded.place(finding.span.start)..decoded.place(finding.span.end);
            found.push(Finding { rule: finding.rule, span: place });
        }
    };
    let mut visit = |at: usize| {
        if at < window.end || !stands_for_token(&content[at..]) {
            return;
        }
        let around = surroundings(content, at, window.end);
        if around.start <= window.end && !window.is_empty() {
            window.end = around.end;
        } else {
            decode(&window);
            window = around;
        }
    };
    let mut nul = None;
    for at in memchr::memchr3_iter(b'\\', b'%', 0, content) {
        if content[at] == 0 {
            nul = Some(at);
            break;
        }
        visit(at);
    }
    if let Some(nul) = nul {
        memchr::memchr2_iter(b'\\', b'%', &content[nul..]).for_each(|at| visit(nul + at));
    }
    decode(&window);
    nul.is_some()
}

/// Whether an escape starts here that stands for a character that secrets are made of.
fn stands_for_token(rest: &[u8]) -> bool {
    match rest {
        // A run of backslashes is looked at from its last one, so that a flood of them is not
        // walked again and again.
        [b'\\', b'\\', ..] => false,
        [b'\\', b'/', ..] => true,
        _ => escape(rest)
            .is_some_and(|(byte, _)| byte.is_ascii_alphanumeric() || b"-_.:/@=+?&~%$!".contains(&byte)),
    }
}

/// The words around an escape, and some of what stands before and after them; nothing before
/// `floor`, where other words were decoded already.
fn surroundings(content: &[u8], at: usize, floor: usize) -> Range<usize> {
    let before = &content[floor..at];
    let word = floor + before.iter().rposition(|&byte| is_border(byte)).map_or(0, |place| place + 1);
    let near = word.saturating_sub(CONTEXT).max(floor);
    let start =
        floor + content[floor..near].iter().rposition(|&byte| is_border(byte)).map_or(0, |place| place + 1);
    let word_end = |from: usize| {
        let rest = &content[from.min(content.len())..];
        from.min(content.len()) + rest.iter().position(|&byte| is_border(byte)).unwrap_or(rest.len())
    };
    start..word_end(word_end(at).saturating_add(CONTEXT))
}

/// What no token goes across.
fn is_border(byte: u8) -> bool {
    byte <= b' '
}

/// The escape at the start of a text: the byte it stands for and its length.
///
/// Backslashes may be doubled any number of times, as in JSON within JSON, and so may be the
/// percent sign, as `%25`.
fn escape(rest: &[u8]) -> Option<(u8, usize)> {
    match rest.first()? {
        b'\\' => {
            let slashes = rest.iter().take_while(|&&byte| byte == b'\\').count();
            let byte = match rest.get(slashes)? {
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                &byte @ (b'/' | b'"' | b'\'' | b'`') => byte,
                b'u' if rest[slashes + 1..].starts_with(b"00") => {
                    return hex(&rest[slashes + 3..]).map(|byte| (byte, slashes + 5));
                }
                b'x' => return hex(&rest[slashes + 1..]).map(|byte| (byte, slashes + 3)),
                _ => return None,
            };
            Some((byte, slashes + 1))
        }
        b'%' => {
            let mut at = 1;
            while rest[at..].starts_with(b"25") && hex(&rest[at + 2..]).is_some() {
                at += 2;
            }
            hex(&rest[at..]).map(|byte| (byte, at + 2))
        }
        _ => None,
    }
}

/// Short text with its escapes decoded.
pub(super) fn decode(text: &[u8]) -> Vec<u8> {
    Decoded::new(text, 0..text.len()).text
}

/// An ASCII character by its two hexadecimal digits.
fn hex(digits: &[u8]) -> Option<u8> {
    let digit = |place: usize| digits.get(place).and_then(|&digit| char::from(digit).to_digit(16));
    let byte = (digit(0)? * 16 + digit(1)?) as u8;
    (byte < 0x80).then_some(byte)
}

/// Decoded text, and where its bytes come from.
struct Decoded {
    text: Vec<u8>,
    /// Places in the decoded text and where they stand in the content, both rising: one at the
    /// start, and one before and after each escape. Between them bytes stand as they are.
    places: Vec<(usize, usize)>,
}

impl Decoded {
    fn new(content: &[u8], window: Range<usize>) -> Self {
        let mut text = Vec::with_capacity(window.len());
        let mut places = vec![(0, window.start)];
        let mut at = window.start;
        let part = &content[..window.end];
        while let Some(next) = memchr::memchr2(b'\\', b'%', &part[at..]) {
            text.extend_from_slice(&part[at..at + next]);
            at += next;
            if let Some((byte, length)) = escape(&part[at..]) {
                places.push((text.len(), at));
                text.push(byte);
                at += length;
                places.push((text.len(), at));
            } else {
                // A whole run of backslashes that escapes nothing stays, so that no later one of
                // it is looked at again.
                let run = part[at..].iter().take_while(|&&byte| byte == b'\\').count().max(1);
                text.extend_from_slice(&part[at..at + run]);
                at += run;
            }
        }
        text.extend_from_slice(&part[at..]);
        Self { text, places }
    }

    /// Where a place of the decoded text stands in the content.
    fn place(&self, decoded: usize) -> usize {
        let after = self.places.partition_point(|&(place, _)| place <= decoded);
        let (place, content) = self.places[after.saturating_sub(1)];
        content + (decoded - place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &str) -> String {
        String::from_utf8(Decoded::new(text.as_bytes(), 0..text.len()).text).expect("ASCII")
    }

    #[test]
    fn escapes_of_json_at_any_depth_and_of_urls_are_decoded() {
        assert_eq!(decoded(r#"a\u002db\n\"c\/\x2d\d"#), "a-b\n\"c/-\\d");
        assert_eq!(decoded(r"a\\u002Db\\\\u002dc\\nd"), "a-b-c\nd");
        assert_eq!(decoded("a%40b%2540c%zz%"), "a@b@c%zz%");
    }

    #[test]
    fn places_of_decoded_text_lead_back_to_whole_escapes() {
        let decoded = Decoded::new(br"xx a\u002db\n", 3..12);
        assert_eq!(decoded.text, b"a-b\\");
        let places: Vec<_> = (0..=4).map(|place| decoded.place(place)).collect();
        assert_eq!(places, [3, 4, 10, 11, 12]);
    }

    #[test]
    fn only_escapes_of_token_characters_are_decoded() {
        let count = |text: &str| {
            let mut windows = 0;
            scan(text.as_bytes(), &mut Vec::new(), &mut |_, _| windows += 1);
            windows
        };
        assert_eq!(count(r#""a\nb\t\"c\" \\n \u3042 %20 100% \u000a""#), 0);
        assert_eq!(count(r"a\u002db"), 1);
        assert_eq!(count(r"a\\u002db"), 1);
        assert_eq!(count("a%2Db"), 1);
    }
}
