//! The canonical form of a document: one text for all ways of writing the same value.
//!
//! Members sorted by name as ECMAScript sorts them (UTF-16 code units), two spaces of indent, a
//! line feed at the end, no escape that is not needed. Numbers stand in ECMAScript's form where
//! that denotes the very same decimal, else in their own digits: nothing is lost.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::number::Decimal;
use super::{Kind, Value};

/// An object names a member twice, so there is no one text for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RepeatedName;

/// Append the canonical form of `value`, with its line feed.
///
/// # Errors
/// [`RepeatedName`]; what was appended until then is of no use.
pub fn write(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), RepeatedName> {
    let mut members = Vec::new();
    write_value(value, 0, &mut members, out)?;
    out.push(b'\n');
    Ok(())
}

/// Members of the objects that are being written, the innermost last: the name, and where in the
/// document the name and the value are.
type Members<'d> = Vec<(Cow<'d, [u8]>, u32, u32)>;

/// Recursion is bounded by [`MAX_DEPTH`](super::MAX_DEPTH), which parsing holds to.
fn write_value<'d>(
    value: Value<'d>,
    depth: usize,
    members: &mut Members<'d>,
    out: &mut Vec<u8>,
) -> Result<(), RepeatedName> {
    match value.kind() {
        Kind::Null | Kind::Boolean => out.extend_from_slice(value.raw()),
        Kind::Number => write_number(value.raw(), out),
        Kind::String => write_string(value, out),
        Kind::Array => {
            out.push(b'[');
            let mut is_empty = true;
            for element in value.elements() {
                start_line(!is_empty, depth + 1, out);
                is_empty = false;
                write_value(element, depth + 1, members, out)?;
            }
            if !is_empty {
                start_line(false, depth, out);
            }
            out.push(b']');
        }
        Kind::Object => {
            out.push(b'{');
            let first = members.len();
            for (name, member) in value.members() {
                members.push((name.string_bytes().unwrap_or_default(), name.index, member.index));
            }
            let own = &mut members[first..];
            if !own.is_sorted_by(|a, b| utf16_order(&a.0, &b.0).is_lt()) {
                own.sort_by(|a, b| utf16_order(&a.0, &b.0));
                if own.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                    return Err(RepeatedName);
                }
            }
            let end = members.len();
            for index in first..end {
                start_line(index > first, depth + 1, out);
                let (_, name, member) = members[index];
                write_string(value.at(name), out);
                out.extend_from_slice(b": ");
                write_value(value.at(member), depth + 1, members, out)?;
            }
            members.truncate(first);
            if end > first {
                start_line(false, depth, out);
            }
            out.push(b'}');
        }
    }
    Ok(())
}

fn start_line(is_next: bool, depth: usize, out: &mut Vec<u8>) {
    const LINE: &[u8; 66] = b",\n                                                                ";
    let mut left = depth * 2;
    let now = left.min(LINE.len() - 2);
    out.extend_from_slice(&LINE[usize::from(!is_next)..2 + now]);
    left -= now;
    while left > 0 {
        let now = left.min(LINE.len() - 2);
        out.extend_from_slice(&LINE[2..2 + now]);
        left -= now;
    }
}

/// As ECMAScript compares strings: by UTF-16 code units, which differs from the order of UTF-8
/// only between characters beyond U+FFFF and those from U+E000.
pub(super) fn utf16_order(a: &[u8], b: &[u8]) -> Ordering {
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

fn write_string(string: Value<'_>, out: &mut Vec<u8>) {
    out.push(b'"');
    let raw = string.raw();
    if !string.is_escaped() || has_needed_escapes_only(raw) {
        out.extend_from_slice(raw);
    } else {
        write_escaped(&string.string_bytes().unwrap_or_default(), out);
    }
    out.push(b'"');
}

/// Whether a string's text is canonical as it stands.
fn has_needed_escapes_only(raw: &[u8]) -> bool {
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        match rest.get(at + 1) {
            Some(b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't') => rest = &rest[at + 2..],
            _ => return false,
        }
    }
    true
}

/// Write the content of a string; a lone surrogate, three bytes that are no UTF-8, as its escape.
fn write_escaped(content: &[u8], out: &mut Vec<u8>) {
    let mut rest = content;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match *byte {
            0xed if matches!(after, [0xa0..=0xbf, _, ..]) => {
                write_unit(0xd000 | u32::from(after[0] & 0x3f) << 6 | u32::from(after[1] & 0x3f), out);
                rest = &after[2..];
            }
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x0c => out.extend_from_slice(b"\\f"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            control @ 0..0x20 => write_unit(u32::from(control), out),
            plain => out.push(plain),
        }
    }
}

fn write_unit(unit: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\\u");
    for shift in [12, 8, 4, 0] {
        out.push(b"0123456789abcdef"[((unit >> shift) & 15) as usize]);
    }
}

fn write_number(text: &[u8], out: &mut Vec<u8>) {
    // Most numbers are short whole ones, which are canonical as they stand.
    if text.len() <= 15 && text.iter().all(u8::is_ascii_digit) {
        out.extend_from_slice(text);
        return;
    }
    let decimal = Decimal::read(text);
    if decimal.digits.is_empty() {
        out.push(b'0');
        return;
    }
    match decimal.exponent {
        Some(exponent) if decimal.is_a_double(text) => write_decimal(&decimal, exponent, out),
        _ => out.extend_from_slice(text),
    }
}

/// ECMAScript's `Number::toString` (ECMA-262, 6.1.6.1.20) of a decimal that is a double's.
fn write_decimal(decimal: &Decimal, exponent: i64, out: &mut Vec<u8>) {
    let digits = &decimal.digits;
    let length = digits.len();
    let zeros = |out: &mut Vec<u8>, count: usize| out.extend(std::iter::repeat_n(b'0', count));
    if decimal.negative {
        out.push(b'-');
    }
    // Where the point stands, counted from before the first digit.
    let point = exponent.saturating_add(i64::try_from(length).unwrap_or(i64::MAX));
    match usize::try_from(point) {
        Ok(point @ 1..=21) if length <= point => {
            out.extend_from_slice(digits);
            zeros(out, point - length);
        }
        Ok(point @ 1..=21) => {
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
            out.extend_from_slice(if point > 0 { b"e+" } else { b"e-" });
            out.extend_from_slice((point - 1).unsigned_abs().to_string().as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Document;
    use super::*;

    fn canonical(text: &str) -> String {
        let document = Document::parse(text.as_bytes()).expect("JSON");
        let mut out = Vec::new();
        write(document.root(), &mut out).expect("no name stands twice");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn members_are_sorted_and_indented() {
        assert_eq!(
            canonical(r#"{"b":[1,{"z":{},"y":[]}],"a":null}"#),
            "{\n  \"a\": null,\n  \"b\": [\n    1,\n    {\n      \"y\": [],\n      \"z\": {}\n    }\n  ]\n}\n"
        );
        assert_eq!(canonical(" 7 "), "7\n");
    }

    #[test]
    fn names_are_in_the_order_of_utf_16() {
        // The example of RFC 8785, section 3.2.3.
        let text = r#"{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}"#;
        let values: Vec<String> = canonical(text)
            .lines()
            .filter_map(|line| line.rsplit_once(": ").map(|(_, value)| value.to_owned()))
            .collect();
        assert_eq!(values.join("").replace(',', ""), "2467153");
        assert_eq!(
            canonical(r#"{"\ud83d\ude00":1,"\ud800":2,"\ue000":3}"#),
            "{\n  \"\\ud800\": 2,\n  \"😀\": 1,\n  \"\u{e000}\": 3\n}\n"
        );
    }

    #[test]
    fn only_what_must_be_is_escaped() {
        assert_eq!(
            canonical(r#""\u00e9\/\u0041\u001f\u007f\"\\\n\ud800x\ude00""#),
            "\"é/A\\u001f\u{7f}\\\"\\\\\\n\\ud800x\\ude00\"\n"
        );
        assert_eq!(canonical(r#""\ud83d\ude00 \n""#), "\"😀 \\n\"\n");
    }

    #[test]
    fn numbers_are_those_of_ecmascript_where_nothing_is_lost() {
        for (text, expected) in [
            ("1.0", "1"),
            ("1e2", "100"),
            ("-0", "0"),
            ("-0.0e5", "0"),
            ("1E21", "1e+21"),
            ("123456789012345680000", "123456789012345680000"),
            ("0.000001", "0.000001"),
            ("0.0000001", "1e-7"),
            ("-1.50", "-1.5"),
            ("12.5e-1", "1.25"),
            ("1.7976931348623157e308", "1.7976931348623157e+308"),
            ("5e-324", "5e-324"),
            ("18446744073709551615", "18446744073709551615"),
            ("9007199254740993", "9007199254740993"),
            ("0.1000000000000000055511151231", "0.1000000000000000055511151231"),
            ("1e400", "1e400"),
            ("1e-400", "1e-400"),
            ("1e99999999999999999999", "1e99999999999999999999"),
        ] {
            assert_eq!(canonical(text), format!("{expected}\n"), "{text}");
        }
    }

    #[test]
    fn a_name_that_stands_twice_is_refused() {
        for text in [r#"{"a":1,"a":1}"#, r#"[{"b":{"x":0,"y":1,"\u0078":2}}]"#] {
            let document = Document::parse(text.as_bytes()).expect("JSON");
            assert_eq!(write(document.root(), &mut Vec::new()), Err(RepeatedName));
        }
    }
}
