//! Strings: no escape that is not needed, in the form that ECMAScript's `JSON.stringify` gives.

use super::output::Output;
use crate::json::scan::{STEP, ends_plain};

/// Write the canonical text of a string whose text, between the quotes, is `raw`; it is valid.
///
/// # Errors
/// The place of a lone surrogate, where they are `refused`.
pub(super) fn respell(raw: &[u8], refused: bool, out: &mut impl Output) -> Result<(), usize> {
    let mut at = 0;
    while let Some(run) = raw.get(at..).and_then(|rest| memchr::memchr(b'\\', rest)) {
        out.put(&raw[at..at + run]);
        at += run;
        match raw.get(at + 1).copied() {
            Some(b'u') => {
                let unit = code_unit(raw, at);
                let low = matches!(unit, 0xd800..=0xdbff)
                    .then(|| code_unit(raw, at + 6))
                    .filter(|low| matches!(low, 0xdc00..=0xdfff));
                let code = low.map_or(unit, |low| 0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
                match char::from_u32(code) {
                    Some(letter) => write_letter(letter, out),
                    None if refused => return Err(at),
                    None => write_unit(code, out),
                }
                at += if low.is_some() { 12 } else { 6 };
            }
            Some(b'/') => {
                out.put(b"/");
                at += 2;
            }
            letter => {
                out.put(&[b'\\', letter.unwrap_or(b'\\')]);
                at += 2;
            }
        }
    }
    out.put(raw.get(at..).unwrap_or_default());
    Ok(())
}

/// The unit of the escape `\uXXXX` at `at`, or 0 where there is none.
fn code_unit(raw: &[u8], at: usize) -> u32 {
    match raw.get(at..at + 6) {
        Some([b'\\', b'u', digits @ ..]) => {
            digits.iter().fold(0, |unit, digit| (unit << 4) | char::from(*digit).to_digit(16).unwrap_or(0))
        }
        _ => 0,
    }
}

fn write_letter(letter: char, out: &mut impl Output) {
    match letter {
        '"' | '\\' | '\0'..'\x20' => write_byte(letter as u8, out),
        _ => out.put(letter.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}

/// An ASCII character, escaped where it must be.
fn write_byte(byte: u8, out: &mut impl Output) {
    match byte {
        b'"' => out.put(b"\\\""),
        b'\\' => out.put(b"\\\\"),
        0x08 => out.put(b"\\b"),
        0x0c => out.put(b"\\f"),
        b'\n' => out.put(b"\\n"),
        b'\r' => out.put(b"\\r"),
        b'\t' => out.put(b"\\t"),
        control @ 0..0x20 => write_unit(u32::from(control), out),
        plain => out.put(&[plain]),
    }
}

fn write_unit(unit: u32, out: &mut impl Output) {
    let digit = |shift: u32| b"0123456789abcdef"[((unit >> shift) & 15) as usize];
    out.put(&[b'\\', b'u', digit(12), digit(8), digit(4), digit(0)]);
}

/// Write a string, from its first quote to `end`, which starts with the last one, if it is short
/// and needs no escapes; whether it is.
#[inline]
pub(super) fn write_short<const END: usize>(content: &[u8], end: [u8; END], out: &mut impl Output) -> bool {
    let length = content.len();
    if length > STEP - 1 - END {
        return false;
    }
    let bits = few_bytes(content);
    if ends_plain(&bits.to_le_bytes()).first() != length {
        return false;
    }
    let end = end.iter().rev().fold(0, |bits, byte| bits << 8 | u128::from(*byte));
    let quoted = u128::from(b'"') | bits << 8 | end << (8 * (length + 1));
    out.put_step(&quoted.to_le_bytes(), 1 + length + END);
    true
}

/// Less than sixteen bytes as a number, the first byte lowest: in two overlapping parts, which is
/// much faster than copying a given number of bytes.
#[inline]
fn few_bytes(content: &[u8]) -> u128 {
    let length = content.len();
    if let (Some(first), Some(last)) = (content.first_chunk::<8>(), content.last_chunk::<8>()) {
        u128::from(u64::from_le_bytes(*first)) | u128::from(u64::from_le_bytes(*last)) << (8 * (length - 8))
    } else if let (Some(first), Some(last)) = (content.first_chunk::<4>(), content.last_chunk::<4>()) {
        u128::from(u32::from_le_bytes(*first)) | u128::from(u32::from_le_bytes(*last)) << (8 * (length - 4))
    } else {
        content.iter().rev().fold(0, |bits, byte| bits << 8 | u128::from(*byte))
    }
}

/// Write the content of a string that is UTF-8.
#[inline]
pub(super) fn write_utf8(content: &[u8], out: &mut impl Output) {
    let mut at = 0;
    // What comes before this was not written as it stands.
    let mut run = 0;
    loop {
        let rest = &content[at..];
        at += if let Some(bytes) = rest.first_chunk() {
            let length = ends_plain(bytes).first();
            if length == STEP {
                // Where the next step starts is known without waiting for what this one holds.
                out.put_step(bytes, STEP);
                at += STEP;
                continue;
            }
            out.put_step(bytes, length);
            length
        } else if let Some(bytes) = content[run..].last_chunk() {
            // Less than a step is left: write some of it once more, so that it is one.
            let again = STEP - rest.len();
            out.rewind(out.position() - again);
            let length = ends_plain(bytes).first();
            if length == STEP {
                out.put_step(bytes, STEP);
                return;
            }
            out.put_step(bytes, length);
            length - again
        } else {
            let bytes = few_bytes(rest).to_le_bytes();
            // What comes after the content ends it.
            let length = ends_plain(&bytes).first();
            out.put_step(&bytes, length);
            length
        };
        let Some(byte) = content.get(at) else { return };
        write_byte(*byte, out);
        at += 1;
        run = at;
    }
}

/// Write the content of a string in which lone surrogates are three bytes that are no UTF-8.
///
/// # Errors
/// There is a lone surrogate, and they are `refused`.
pub(super) fn write_wtf8(content: &[u8], refused: bool, out: &mut impl Output) -> Result<(), LoneSurrogate> {
    let mut rest = content;
    while let Some(at) = rest.windows(3).position(|bytes| matches!(bytes, [0xed, 0xa0..=0xbf, _])) {
        if refused {
            return Err(LoneSurrogate);
        }
        write_utf8(&rest[..at], out);
        write_unit(0xd000 | u32::from(rest[at + 1] & 0x3f) << 6 | u32::from(rest[at + 2] & 0x3f), out);
        rest = &rest[at + 3..];
    }
    write_utf8(rest, out);
    Ok(())
}

/// A string holds half of a pair of surrogates, where none is allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoneSurrogate;
