//! Strings: no escape that is not needed, in the form that ECMAScript's `JSON.stringify` gives.

use super::output::Output;

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

/// Write the content of a string; a lone surrogate, three bytes that are no UTF-8, as its escape.
///
/// # Errors
/// There is a lone surrogate, and they are `refused`.
pub(super) fn write_content(content: &[u8], refused: bool, out: &mut impl Output) -> Result<(), LoneSurrogate> {
    let mut at = 0;
    loop {
        let end = content[at..]
            .iter()
            .position(|byte| *byte < 0x20 || matches!(byte, b'"' | b'\\' | 0xed))
            .map_or(content.len(), |plain| at + plain);
        out.put(&content[at..end]);
        match content.get(end..) {
            None | Some([]) => return Ok(()),
            Some([0xed, second @ 0xa0..=0xbf, third, ..]) => {
                if refused {
                    return Err(LoneSurrogate);
                }
                write_unit(0xd000 | u32::from(second & 0x3f) << 6 | u32::from(third & 0x3f), out);
                at = end + 3;
            }
            Some([0xed, ..]) => {
                out.put(b"\xed");
                at = end + 1;
            }
            Some([byte, ..]) => {
                write_byte(*byte, out);
                at = end + 1;
            }
        }
    }
}

/// A string holds half of a pair of surrogates, where none is allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoneSurrogate;
