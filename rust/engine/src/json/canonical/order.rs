//! The order of names.

use std::cmp::Ordering;

/// As ECMAScript compares strings: by UTF-16 code units, which differs from the order of UTF-8
/// only between characters beyond U+FFFF and those from U+E000.
pub fn utf16_order(a: &[u8], b: &[u8]) -> Ordering {
    // Most names differ in their first letter already.
    if let (Some(left), Some(right)) = (a.first(), b.first())
        && left != right
        && (*left < 0xed || *right < 0xed)
    {
        return left.cmp(right);
    }
    let equal = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (Some(left), Some(right)) = (a.get(equal), b.get(equal)) else { return a.len().cmp(&b.len()) };
    if *left < 0xed || *right < 0xed {
        return left.cmp(right);
    }
    // Both are, or are in, characters from U+D000: compare the units from the character's start.
    let start = (0..=equal).rev().find(|at| a[*at] & 0xc0 != 0x80).unwrap_or(0);
    units(&a[start..]).cmp(units(&b[start..]))
}

/// The UTF-16 code units of UTF-8 in which a lone surrogate takes three bytes.
fn units(text: &[u8]) -> impl Iterator<Item = u32> {
    let mut rest = text;
    let mut low = None;
    std::iter::from_fn(move || {
        if let Some(low) = low.take() {
            return Some(low);
        }
        let (first, after) = rest.split_first()?;
        let length = match first {
            0..0xc0 => 1,
            0xc0..0xe0 => 2,
            0xe0..0xf0 => 3,
            _ => 4,
        };
        let mask = [0xff, 0x1f, 0x0f, 0x07][length - 1];
        let more = &after[..after.len().min(length - 1)];
        rest = &after[more.len()..];
        let code =
            more.iter().fold(u32::from(first & mask), |code, byte| (code << 6) | u32::from(byte & 0x3f));
        if code < 0x1_0000 {
            return Some(code);
        }
        low = Some(0xdc00 + ((code - 0x1_0000) & 0x3ff));
        Some(0xd800 + ((code - 0x1_0000) >> 10))
    })
}

/// A number that sorts as the start of a name does: where two differ, so do the names, in the same
/// way; where they are the same, [`utf16_order`] tells.
#[inline]
pub fn sort_key(name: &[u8]) -> u64 {
    let bits = if let Some(start) = name.first_chunk() {
        u64::from_be_bytes(*start)
    } else if let (Some(first), Some(last)) = (name.first_chunk(), name.last_chunk()) {
        // The two may overlap, in bytes that are the same.
        u64::from(u32::from_be_bytes(*first)) << 32
            | u64::from(u32::from_be_bytes(*last)) << (8 * (8 - name.len()))
    } else {
        name.iter().zip([56, 48, 40]).fold(0, |bits, (byte, place)| bits | u64::from(*byte) << place)
    };
    if bits & 0x8080_8080_8080_8080 == 0 {
        return bits;
    }
    // From 0xed on, the bytes of UTF-8 sort otherwise than UTF-16.
    let mut bytes = bits.to_be_bytes();
    if let Some(at) = bytes.iter().position(|byte| *byte >= 0xed) {
        bytes[at..].fill(0xed);
    }
    u64::from_be_bytes(bytes)
}
