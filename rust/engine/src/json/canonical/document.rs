//! The canonical form of a document that has been read already.

use std::borrow::Cow;

use super::numbers;
use super::order::utf16_order;
use super::output::Output as _;
use super::strings;
use crate::json::{Kind, Value};

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

/// Recursion is bounded by [`MAX_DEPTH`](crate::json::MAX_DEPTH), which parsing holds to.
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
                out.put_line(!is_empty, depth + 1);
                is_empty = false;
                write_value(element, depth + 1, members, out)?;
            }
            if !is_empty {
                out.put_line(false, depth);
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
                out.put_line(index > first, depth + 1);
                let (_, name, member) = members[index];
                write_string(value.at(name), out);
                out.extend_from_slice(b": ");
                write_value(value.at(member), depth + 1, members, out)?;
            }
            members.truncate(first);
            if end > first {
                out.put_line(false, depth);
            }
            out.push(b'}');
        }
    }
    Ok(())
}

fn write_string(string: Value<'_>, out: &mut Vec<u8>) {
    out.push(b'"');
    if string.is_escaped() {
        // Nothing is refused.
        let _ = strings::respell(string.raw(), false, out);
    } else {
        out.extend_from_slice(string.raw());
    }
    out.push(b'"');
}

fn write_number(text: &[u8], out: &mut Vec<u8>) {
    match numbers::scan(text, 0) {
        Ok(number) if number.plain => out.extend_from_slice(text),
        _ => numbers::write(text, out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Document;

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
