//! Writing the JSON of the wire format by hand, for what is written once per changed path.
//!
//! The text is what `msgspec` and `serde_json` write for the same value: compact, UTF-8 as it is,
//! control characters as their short escape or `\u00xx`.

/// Append `text` as a JSON string.
pub fn write_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    write_escaped(out, text.as_bytes());
    out.push(b'"');
}

/// Append `bytes` as a JSON string; what is no UTF-8 becomes U+FFFD, as [`String::from_utf8_lossy`]
/// has it.
pub fn write_lossy_string(out: &mut Vec<u8>, bytes: &[u8]) {
    out.push(b'"');
    write_lossy_text(out, bytes);
    out.push(b'"');
}

/// Append the inside of a JSON string: what [`write_lossy_string`] writes between the quotes.
pub fn write_lossy_text(out: &mut Vec<u8>, bytes: &[u8]) {
    for chunk in bytes.utf8_chunks() {
        write_escaped(out, chunk.valid().as_bytes());
        if !chunk.invalid().is_empty() {
            out.extend_from_slice("\u{fffd}".as_bytes());
        }
    }
}

/// Append `bytes` as a JSON string in base 64 (RFC 4648, with padding).
pub fn write_base64_string(out: &mut Vec<u8>, bytes: &[u8]) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    out.push(b'"');
    for group in bytes.chunks(3) {
        let bits =
            group.iter().fold(0_u32, |bits, byte| (bits << 8) | u32::from(*byte)) << (8 * (3 - group.len()));
        for place in 0..4 {
            out.push(if place > group.len() {
                b'='
            } else {
                DIGITS[((bits >> (18 - 6 * place)) & 63) as usize]
            });
        }
    }
    out.push(b'"');
}

/// Append a whole number.
pub fn write_integer(out: &mut Vec<u8>, value: i64) {
    // The digits of a number that fits 64 bits, from the last.
    let mut digits = [0_u8; 20];
    let mut at = digits.len();
    let mut rest = value.unsigned_abs();
    loop {
        at -= 1;
        digits[at] = b'0' + u8::try_from(rest % 10).unwrap_or_default();
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(&digits[at..]);
}

/// An object that is being written.
pub(crate) struct Object<'o> {
    out: &'o mut Vec<u8>,
    is_empty: bool,
}

impl<'o> Object<'o> {
    /// Open one.
    pub(crate) fn start(out: &'o mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, is_empty: true }
    }

    /// Close it.
    pub(crate) fn end(self) {
        self.out.push(b'}');
    }

    /// The name of the next member; its value is to follow.
    pub(crate) fn member(&mut self, name: &str) -> &mut Vec<u8> {
        if !self.is_empty {
            self.out.push(b',');
        }
        self.is_empty = false;
        write_string(self.out, name);
        self.out.push(b':');
        self.out
    }

    /// A member that is text.
    pub(crate) fn text(&mut self, name: &str, text: &str) {
        write_string(self.member(name), text);
    }

    /// Left out where it is 0.
    pub(crate) fn number(&mut self, name: &str, number: usize) {
        if number > 0 {
            write_integer(self.member(name), i64::try_from(number).unwrap_or(i64::MAX));
        }
    }

    /// Left out where it is empty.
    pub(crate) fn list<T>(&mut self, name: &str, items: &[T], mut write: impl FnMut(&T, &mut Vec<u8>)) {
        if items.is_empty() {
            return;
        }
        let out = self.member(name);
        for (index, item) in items.iter().enumerate() {
            out.push(if index == 0 { b'[' } else { b',' });
            write(item, out);
        }
        out.push(b']');
    }
}

/// Append the inside of a JSON string: text that is known to be UTF-8.
pub(crate) fn write_escaped(out: &mut Vec<u8>, text: &[u8]) {
    let mut written = 0;
    while let Some(at) = first_to_escape(&text[written..]) {
        out.extend_from_slice(&text[written..written + at]);
        written += at + 1;
        write_escape(out, text[written - 1]);
    }
    out.extend_from_slice(&text[written..]);
}

/// Where the first byte stands that can't stand as it is: eight bytes are looked at at a time.
fn first_to_escape(text: &[u8]) -> Option<usize> {
    const LOW: u64 = u64::from_ne_bytes([0x01; 8]);
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    let below = |word: u64, limit: u8| word.wrapping_sub(LOW * u64::from(limit)) & !word & HIGH;
    let (words, _) = text.as_chunks::<8>();
    let plain = words.iter().take_while(|word| {
        let word = u64::from_ne_bytes(**word);
        let is = |byte: u8| below(word ^ (LOW * u64::from(byte)), 1);
        below(word, 0x20) | is(b'"') | is(b'\\') == 0
    });
    let at = plain.count() * 8;
    text[at..].iter().position(|byte| NEEDS_ESCAPE[usize::from(*byte)]).map(|found| at + found)
}

const NEEDS_ESCAPE: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = true;
        byte += 1;
    }
    table[b'"' as usize] = true;
    table[b'\\' as usize] = true;
    table
};

#[cold]
fn write_escape(out: &mut Vec<u8>, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    match byte {
        b'\n' => out.extend_from_slice(b"\\n"),
        b'\r' => out.extend_from_slice(b"\\r"),
        b'\t' => out.extend_from_slice(b"\\t"),
        0x08 => out.extend_from_slice(b"\\b"),
        0x0c => out.extend_from_slice(b"\\f"),
        0..0x20 => {
            out.extend_from_slice(b"\\u00");
            out.extend_from_slice(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
        }
        _ => out.extend_from_slice(&[b'\\', byte]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn strings_are_those_of_serde_json() {
        for text in ["", "a/b c", "\"\\\n\r\t\u{8}\u{c}\u{0}\u{1f}\u{7f}", "読み込み\u{2028}", "x\"y\"z"]
        {
            let expected = serde_json::to_string(text).expect("serialises");
            assert_eq!(written(|out| write_string(out, text)), expected);
            assert_eq!(written(|out| write_lossy_string(out, text.as_bytes())), expected);
        }
    }

    #[test]
    fn what_is_no_utf8_is_replaced() {
        for bytes in [&b"\xff"[..], b"a\xc3", b"\xe3\x81b\xff\"", b"\xf0\x9f\x92"] {
            let expected = serde_json::to_string(&String::from_utf8_lossy(bytes)).expect("serialises");
            assert_eq!(written(|out| write_lossy_string(out, bytes)), expected);
        }
    }

    #[test]
    fn base64_is_that_of_rfc_4648() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
        ] {
            assert_eq!(written(|out| write_base64_string(out, bytes.as_bytes())), format!("\"{text}\""));
        }
        assert_eq!(written(|out| write_base64_string(out, b"\xff\xfe\xfb")), "\"//77\"");
    }

    #[test]
    fn integers_are_decimal() {
        for value in [0, 7, -1, 1_234_567_890, i64::MAX, i64::MIN] {
            assert_eq!(written(|out| write_integer(out, value)), value.to_string());
        }
    }
}
