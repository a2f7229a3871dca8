//! Looking at sixteen bytes of text at once.
//!
//! By the instructions that processors have for that, which the crate `wide` makes safe to use.

use wide::u8x16;

/// How many bytes are looked at at once.
pub(super) const STEP: usize = 16;

/// The bytes at `at`, if there are so many.
#[inline]
pub(super) fn step<const LENGTH: usize>(text: &[u8], at: usize) -> Option<&[u8; LENGTH]> {
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

    /// None of the first `count` bytes, of which there are less than sixteen, is hit.
    #[inline]
    pub(super) fn none_in(self, count: usize) -> bool {
        self.0 & ((1 << count) - 1) == 0
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

/// The bytes that are not ASCII.
#[inline]
pub(super) fn not_ascii(bytes: &[u8; STEP]) -> Hits {
    Hits::new(u8x16::new(*bytes))
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

/// Bits for those of 32 bytes that end plain text in a string, and for what is beyond.
#[inline]
fn ends_plain_of_32(bytes: &[u8; 2 * STEP]) -> u64 {
    let (first, second) = halves(bytes);
    u64::from(ends_plain(first).0 & !Hits::BEYOND) | u64::from(ends_plain(second).0) << STEP
}

/// How many of 32 bytes stand before the first that ends plain text.
#[inline]
pub(super) fn plain_length_of_32(bytes: &[u8; 2 * STEP]) -> usize {
    ends_plain_of_32(bytes).trailing_zeros() as usize
}

/// How many of 32 bytes, of which the first is a quote, stand before what ends plain text.
#[inline]
pub(super) fn quoted_length_of_32(bytes: &[u8; 2 * STEP]) -> usize {
    (ends_plain_of_32(bytes) & !1).trailing_zeros() as usize
}

#[inline]
fn halves(bytes: &[u8; 2 * STEP]) -> (&[u8; STEP], &[u8; STEP]) {
    let (halves, _) = bytes.as_chunks::<STEP>();
    match halves {
        [first, second] => (first, second),
        _ => unreachable!(),
    }
}

/// The first place from `at` that ends plain text in a string, or the end of the text.
#[inline]
pub(super) fn plain_end(text: &[u8], mut at: usize) -> usize {
    while let Some(bytes) = step::<{ 2 * STEP }>(text, at) {
        let length = plain_length_of_32(bytes);
        at += length;
        if length < 2 * STEP {
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

/// As [`white_space_end`], where mostly one space stands, as after a colon: that is seen without
/// a computation that what comes next would have to wait for.
#[inline]
pub(super) fn space_end(text: &[u8], at: usize) -> usize {
    match text.get(at..).and_then(<[u8]>::first_chunk) {
        Some([b' ', b'!'..=b'~']) => at + 1,
        _ => white_space_end(text, at),
    }
}

/// As [`white_space_end`], where mostly a line starts that is indented by `guess - 1` spaces, as an
/// earlier one was, or where one space stands: that too is seen without a computation that has to
/// be waited for.
#[inline]
pub(super) fn line_end(text: &[u8], at: usize, guess: usize) -> usize {
    if let Some(bytes) = step::<{ 2 * STEP }>(text, at)
        && let Some(b'!'..=b'~') = bytes.get(guess)
        && bytes[0] == b'\n'
    {
        let (first, second) = halves(bytes);
        let (first, second) = (no_spaces(first).0 & !(Hits::BEYOND | 1), no_spaces(second).0);
        if (u64::from(first) | u64::from(second) << STEP).trailing_zeros() as usize == guess {
            return at + guess;
        }
    }
    space_end(text, at)
}

#[inline]
fn long_white_space_end(text: &[u8], mut at: usize) -> usize {
    loop {
        // Mostly a line break and then an indent, so the byte before the spaces is not looked at.
        at += 1;
        while let Some(bytes) = step::<{ 2 * STEP }>(text, at) {
            let (first, second) = halves(bytes);
            let (first, second) = (no_spaces(first).0 & !Hits::BEYOND, no_spaces(second).0);
            let spaces = (u64::from(first) | u64::from(second) << STEP).trailing_zeros() as usize;
            at += spaces;
            if spaces < 2 * STEP {
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
