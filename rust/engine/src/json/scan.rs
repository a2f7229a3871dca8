//! Looking at sixteen bytes of text at once.
//!
//! What is said of each of them is said so plainly that compilers turn it into the instructions
//! that processors have for sixteen bytes.

/// How many bytes are looked at at once.
pub(super) const STEP: usize = 16;

/// The bytes at `at`, if there are sixteen.
#[inline]
pub(super) fn step(text: &[u8], at: usize) -> Option<&[u8; STEP]> {
    text.get(at..)?.first_chunk()
}

/// Which of sixteen bytes are hit.
#[derive(Clone, Copy)]
pub(super) struct Hits(u128);

impl Hits {
    /// The first one that is hit, or sixteen.
    #[inline]
    pub(super) fn first(self) -> usize {
        self.0.trailing_zeros() as usize / 8
    }

    /// Without the very first byte.
    #[inline]
    pub(super) fn after_first(self) -> Self {
        Self(self.0 & !0xff)
    }
}

/// The bytes that end plain text in a string: a quote, a backslash or a control character.
#[inline]
pub(super) fn ends_plain(bytes: &[u8; STEP]) -> Hits {
    mark(bytes, |byte| byte < 0x20 || byte == b'"' || byte == b'\\')
}

/// The bytes that are no space.
#[inline]
fn no_spaces(bytes: &[u8; STEP]) -> Hits {
    mark(bytes, |byte| byte != b' ')
}

/// The first place from `at` that ends plain text in a string, or the end of the text.
#[inline]
pub(super) fn plain_end(text: &[u8], mut at: usize) -> usize {
    while let Some(bytes) = step(text, at) {
        let length = ends_plain(bytes).first();
        at += length;
        if length < STEP {
            return at;
        }
    }
    while let Some(byte) = text.get(at) {
        if *byte < 0x20 || matches!(byte, b'"' | b'\\') {
            break;
        }
        at += 1;
    }
    at
}

/// The first place from `at` that is no white space, or the end of the text.
#[inline]
pub(super) fn white_space_end(text: &[u8], at: usize) -> usize {
    match text.get(at) {
        Some(b'\t' | b'\n' | b'\r' | b' ') => long_white_space_end(text, at),
        _ => at,
    }
}

#[inline]
fn long_white_space_end(text: &[u8], mut at: usize) -> usize {
    loop {
        // Mostly a line break and then an indent, so the byte before the spaces is not looked at.
        at += 1;
        while let Some(bytes) = step(text, at) {
            let spaces = no_spaces(bytes).first();
            at += spaces;
            if spaces < STEP {
                break;
            }
        }
        match text.get(at) {
            Some(b'\t' | b'\n' | b'\r' | b' ') => {}
            _ => return at,
        }
    }
}

/// All bits of each byte that `is_hit`. Written so that a compiler makes vector instructions of it.
#[inline]
fn mark(bytes: &[u8; STEP], is_hit: impl Fn(u8) -> bool) -> Hits {
    let mut marks = [0; STEP];
    for (mark, byte) in marks.iter_mut().zip(bytes) {
        *mark = if is_hit(*byte) { 0xff } else { 0 };
    }
    Hits(u128::from_le_bytes(marks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_hit_is_found_at_every_place() {
        for byte in 0..=255_u8 {
            for at in 0..STEP {
                let mut bytes = [b'x'; STEP];
                bytes[at] = byte;
                let ends = byte < 0x20 || byte == b'"' || byte == b'\\';
                assert_eq!(ends_plain(&bytes).first(), if ends { at } else { STEP }, "{byte:#x} at {at}");
                assert_eq!(ends_plain(&bytes).after_first().first(), if ends && at > 0 { at } else { STEP });
                bytes = [b' '; STEP];
                bytes[at] = byte;
                assert_eq!(no_spaces(&bytes).first(), if byte == b' ' { STEP } else { at });
            }
        }
    }

    #[test]
    fn white_space_of_every_kind_and_length_is_passed() {
        for length in 0..40 {
            for (before, after) in [("", ""), ("", "x"), ("\n", "x  "), ("\r\n", "\"         "), ("\t \n", "y")] {
                let space = format!("{before}{}", " ".repeat(length));
                let text = format!("{space}{after}");
                assert_eq!(white_space_end(text.as_bytes(), 0), space.len(), "{text:?}");
            }
        }
    }

    #[test]
    fn plain_text_ends_where_it_does() {
        for length in 0..40 {
            for end in ["", "\"", "\\n", "\u{1}   ", "\"                    "] {
                let text = format!("{}{end}", "é".repeat(length));
                assert_eq!(plain_end(text.as_bytes(), 0), 2 * length, "{text:?}");
            }
        }
    }
}
