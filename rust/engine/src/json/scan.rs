//! Looking at sixteen bytes of text at once.
//!
//! By the instructions that processors have for that, which the crate `wide` makes safe to use.

use wide::u8x16;

/// How many bytes are looked at at once.
pub(super) const STEP: usize = 16;

/// The bytes at `at`, if there are sixteen.
#[inline]
pub(super) fn step(text: &[u8], at: usize) -> Option<&[u8; STEP]> {
    text.get(at..)?.first_chunk()
}

/// Which of sixteen bytes are hit: a bit for each, the first one lowest.
#[derive(Clone, Copy)]
pub(super) struct Hits(u32);

impl Hits {
    const BEYOND: u32 = 1 << STEP;

    #[inline]
    fn new(hits: u8x16) -> Self {
        Self(hits.to_bitmask() | Self::BEYOND)
    }

    /// The first one that is hit, or sixteen.
    #[inline]
    pub(super) fn first(self) -> usize {
        self.0.trailing_zeros() as usize
    }

    /// Without the very first byte.
    #[inline]
    pub(super) fn after_first(self) -> Self {
        Self(self.0 & !1)
    }
}

/// The bytes that end plain text in a string: a quote, a backslash or a control character.
#[inline]
pub(super) fn ends_plain(bytes: &[u8; STEP]) -> Hits {
    let bytes = u8x16::new(*bytes);
    let control = bytes.min(u8x16::splat(0x1f)).simd_eq(bytes);
    let quote = bytes.simd_eq(u8x16::splat(b'"'));
    let backslash = bytes.simd_eq(u8x16::splat(b'\\'));
    Hits::new(control | quote | backslash)
}

/// The bytes that are no space.
#[inline]
fn no_spaces(bytes: &[u8; STEP]) -> Hits {
    Hits::new(!u8x16::new(*bytes).simd_eq(u8x16::splat(b' ')))
}

/// Bits for the bytes that are no digit.
#[inline]
fn no_digits(bytes: &[u8; STEP]) -> u32 {
    let value = u8x16::new(*bytes) - u8x16::splat(b'0');
    !value.min(u8x16::splat(9)).simd_eq(value).to_bitmask() & ((1 << STEP) - 1)
}

/// Bits for the next 32 bytes from `at` that are no digit, if there are so many.
#[inline]
pub(super) fn no_digits_of_32(text: &[u8], at: usize) -> Option<u32> {
    let bytes: &[u8; 2 * STEP] = text.get(at..)?.first_chunk()?;
    let (first, second) = (bytes.first_chunk()?, bytes.last_chunk()?);
    Some(no_digits(first) | no_digits(second) << STEP)
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
                let mut many = [b'7'; 2 * STEP];
                many[2 * at] = byte;
                let bits = u32::from(!byte.is_ascii_digit()) << (2 * at);
                assert_eq!(no_digits_of_32(&many, 0), Some(bits));
            }
        }
    }

    #[test]
    fn white_space_of_every_kind_and_length_is_passed() {
        for length in 0..40 {
            for (before, after) in
                [("", ""), ("", "x"), ("\n", "x  "), ("\r\n", "\"         "), ("\t \n", "y")]
            {
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
