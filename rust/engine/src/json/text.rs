//! What an escaped string holds.

/// Undo the escapes of a string that [`parse`](super::parse) accepted.
pub(super) fn unescape(raw: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        let (letter, mut used) = (rest.get(at + 1).copied().unwrap_or(b'\\'), at + 2);
        match letter {
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'u' => {
                let first = code_unit(rest, at + 2);
                used = at + 6;
                let low = matches!(first, 0xd800..=0xdbff)
                    .then(|| rest.get(used..used + 2))
                    .flatten()
                    .filter(|escape| escape == b"\\u")
                    .map(|_| code_unit(rest, used + 2))
                    .filter(|second| (0xdc00..=0xdfff).contains(second));
                let code = low.map_or(first, |low| {
                    used += 6;
                    0x1_0000 + ((first - 0xd800) << 10) + (low - 0xdc00)
                });
                push_code_point(&mut out, code);
            }
            plain => out.push(plain),
        }
        rest = rest.get(used..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    out
}

fn code_unit(text: &[u8], at: usize) -> u32 {
    text.iter()
        .skip(at)
        .take(4)
        .fold(0, |code, digit| (code << 4) | char::from(*digit).to_digit(16).unwrap_or(0))
}

/// UTF-8, in which a lone surrogate takes the three bytes that its number asks for.
fn push_code_point(out: &mut Vec<u8>, code: u32) {
    match char::from_u32(code) {
        Some(letter) => out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
        None => out.extend_from_slice(&[
            0xe0 | (code >> 12) as u8,
            0x80 | ((code >> 6) & 0x3f) as u8,
            0x80 | (code & 0x3f) as u8,
        ]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_escape_is_undone() {
        for (raw, content) in [
            ("plain", "plain".as_bytes()),
            (r#"\"\\\/\b\f\n\r\t"#, b"\"\\/\x08\x0c\n\r\t"),
            (r"\u0041\u00e9\u3042", "Aéあ".as_bytes()),
            (r"\ud83d\ude00!", "😀!".as_bytes()),
            (r"\ud83d", b"\xed\xa0\xbd"),
            (r"\ud83d\ud83d\ude00", b"\xed\xa0\xbd\xf0\x9f\x98\x80"),
            (r"\ude00x", b"\xed\xb8\x80x"),
            (r"\ud83d\n", b"\xed\xa0\xbd\n"),
        ] {
            assert_eq!(unescape(raw.as_bytes()), content, "{raw}");
        }
    }
}
