//! Numbers: as ECMAScript writes them where that denotes the very same decimal.

use std::io::Write as _;

use super::output::Output;
use crate::json::number::Decimal;
use crate::json::scan::no_digits_of_32;

/// A number that was read.
#[derive(Clone, Copy)]
pub(super) struct Scanned {
    /// Where it ends.
    pub(super) end: usize,
    /// It is written as it stands, whether it is a double's or not.
    pub(super) plain: bool,
    /// It has more digits than every double keeps.
    pub(super) long: bool,
}

/// Read the number that starts at `start`, with its sign or first digit.
///
/// # Errors
/// The place and the rule.
#[inline]
pub(super) fn scan(text: &[u8], start: usize) -> Result<Scanned, (usize, &'static str)> {
    quick_scan(text, start).map_or_else(|| slow_scan(text, start), Ok)
}

/// As [`scan`]; `None` where a number is long or wrong, has an exponent, or the text ends soon.
#[inline]
fn quick_scan(text: &[u8], start: usize) -> Option<Scanned> {
    let negative = text.get(start) == Some(&b'-');
    let start = start + usize::from(negative);
    let no_digits = no_digits_of_32(text, start)?;
    let whole = no_digits.trailing_zeros() as usize;
    let bytes: &[u8; 32] = text.get(start..)?.first_chunk()?;
    let is_zero = bytes[0] == b'0';
    let next = *bytes.get(whole)?;
    if whole == 0 || whole > 21 || is_zero && whole > 1 || matches!(next, b'e' | b'E') {
        return None;
    }
    if next != b'.' {
        return Some(Scanned { end: start + whole, plain: !(is_zero && negative), long: whole > 15 });
    }
    let end = (no_digits & (no_digits - 1)).trailing_zeros() as usize;
    if matches!(bytes.get(end)?, b'e' | b'E') || end == whole + 1 {
        return None;
    }
    // ECMAScript writes 0.000001, but 1e-7.
    let plain = bytes[end - 1] != b'0' && !(is_zero && bytes.starts_with(b"0.000000"));
    Some(Scanned { end: start + end, plain, long: end > 16 })
}

#[cold]
fn slow_scan(text: &[u8], start: usize) -> Result<Scanned, (usize, &'static str)> {
    let digits = |at: usize| {
        at + text.get(at..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let negative = text.get(start) == Some(&b'-');
    let whole_start = start + usize::from(negative);
    let mut end = digits(whole_start);
    let whole = end - whole_start;
    if whole == 0 {
        return Err((end, "expected a digit"));
    }
    let is_zero = text[whole_start] == b'0';
    if is_zero && whole > 1 {
        return Err((whole_start + 1, "a number with a leading zero"));
    }
    let mut fraction = 0;
    let mut plain = !(is_zero && negative) && whole <= 21;
    if text.get(end) == Some(&b'.') {
        let fraction_start = end + 1;
        end = digits(fraction_start);
        fraction = end - fraction_start;
        if fraction == 0 {
            return Err((end, "expected a digit"));
        }
        plain = whole <= 21
            && text[end - 1] != b'0'
            && !(is_zero && text[fraction_start..end].starts_with(b"000000"));
    }
    if let Some(b'e' | b'E') = text.get(end) {
        plain = false;
        let exponent_start = end + 1 + usize::from(matches!(text.get(end + 1), Some(b'+' | b'-')));
        end = digits(exponent_start);
        if end == exponent_start {
            return Err((end, "expected a digit"));
        }
    }
    Ok(Scanned { end, plain, long: whole + fraction > 15 })
}

/// Write a number that is not written as it stands.
///
/// A decimal that is no double's is written with all its digits, laid out as ECMAScript would, but
/// that whole numbers stay whole while that adds no more than 21 zeros, and that no plus is written
/// before an exponent: so what comes after it is told from a double.
pub(super) fn write(text: &[u8], out: &mut Vec<u8>) {
    let decimal = Decimal::read(text);
    if decimal.digits.is_empty() {
        out.push(b'0');
        return;
    }
    match decimal.exponent {
        Some(exponent) => write_decimal(&decimal, exponent, decimal.is_a_double(text), out),
        None => out.extend_from_slice(text),
    }
}

/// The number of `text` as the double that it is read as. `None` where that is not finite.
pub(super) fn write_as_double(text: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let double: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    write_double(double, out)
}

/// ECMAScript's `Number::toString`. `None` where the number is not finite, and nothing is written.
#[inline]
pub(super) fn write_double(double: f64, out: &mut impl Output) -> Option<()> {
    if !double.is_finite() {
        return None;
    }
    if double == 0.0 {
        out.put(b"0");
        return Some(());
    }
    let mut buffer = zmij::Buffer::new();
    let shortest = buffer.format_finite(double).as_bytes();
    // Where no exponent is needed, ECMAScript's form is the same, but for a point and a zero.
    let is_plain = (1e-5..1e16).contains(&double.abs());
    if is_plain && !shortest.contains(&b'e') {
        out.put(shortest.strip_suffix(b".0").unwrap_or(shortest));
    } else {
        let decimal = Decimal::read(shortest);
        let mut text = Vec::with_capacity(32);
        write_decimal(&decimal, decimal.exponent.unwrap_or_default(), true, &mut text);
        out.put(&text);
    }
    Some(())
}

/// ECMAScript's `Number::toString` (ECMA-262, 6.1.6.1.20), and what [`write`] says of others.
fn write_decimal(decimal: &Decimal, exponent: i64, is_a_double: bool, out: &mut Vec<u8>) {
    let digits = &decimal.digits;
    let length = digits.len();
    let zeros = |out: &mut Vec<u8>, count: usize| out.extend(std::iter::repeat_n(b'0', count));
    if decimal.negative {
        out.push(b'-');
    }
    // Where the point stands, counted from before the first digit.
    let point = exponent.saturating_add(i64::try_from(length).unwrap_or(i64::MAX));
    match usize::try_from(point) {
        Ok(point @ 1..) if length <= point && (point <= 21 || !is_a_double && point - length <= 21) => {
            out.extend_from_slice(digits);
            zeros(out, point - length);
        }
        Ok(point @ 1..) if point < length && (point <= 21 || !is_a_double) => {
            out.extend_from_slice(&digits[..point]);
            out.push(b'.');
            out.extend_from_slice(&digits[point..]);
        }
        _ if (-5..=0).contains(&point) => {
            out.extend_from_slice(b"0.");
            zeros(out, point.unsigned_abs() as usize);
            out.extend_from_slice(digits);
        }
        _ => {
            out.push(digits[0]);
            if length > 1 {
                out.push(b'.');
                out.extend_from_slice(&digits[1..]);
            }
            out.push(b'e');
            if is_a_double && point > 0 {
                out.push(b'+');
            }
            // Writing to memory never fails.
            let _ = write!(out, "{}", point - 1);
        }
    }
}
