//! Whether two values mean the same.

use std::borrow::Cow;

use super::number::Decimal;
use super::{Kind, Value};

/// Below this depth the text of arrays and objects is not compared as a whole first: each level
/// that tries may read all that is below it again.
const WHOLE_TEXT_DEPTH: usize = 16;

/// Recursion is bounded by [`MAX_DEPTH`](super::MAX_DEPTH), which parsing holds to.
pub(super) fn same(a: Value<'_>, b: Value<'_>, depth: usize) -> bool {
    if a.kind() != b.kind() {
        return false;
    }
    match a.kind() {
        Kind::Null => true,
        Kind::Boolean => a.raw() == b.raw(),
        Kind::Number => a.raw() == b.raw() || same_number(a.raw(), b.raw()),
        Kind::String => {
            // Equal text is equal content, whatever the escapes.
            a.raw() == b.raw()
                || ((a.node().escaped || b.node().escaped) && a.string_bytes() == b.string_bytes())
        }
        Kind::Array => {
            if depth < WHOLE_TEXT_DEPTH && a.raw() == b.raw() {
                return true;
            }
            let (mut left, mut right) = (a.elements(), b.elements());
            loop {
                match (left.next(), right.next()) {
                    (None, None) => return true,
                    (Some(left), Some(right)) if same(left, right, depth + 1) => {}
                    _ => return false,
                }
            }
        }
        Kind::Object => (depth < WHOLE_TEXT_DEPTH && a.raw() == b.raw()) || same_object(a, b, depth),
    }
}

fn same_object(a: Value<'_>, b: Value<'_>, depth: usize) -> bool {
    // Nearly always the members stand in the same order.
    let in_step = {
        let (mut left, mut right) = (a.members(), b.members());
        loop {
            match (left.next(), right.next()) {
                (None, None) => break true,
                (Some((name, _)), Some((other, _))) if name.raw() == other.raw() => {}
                _ => break false,
            }
        }
    };
    let (left, right) = (sorted_members(a, in_step), sorted_members(b, in_step));
    left.len() == right.len()
        && left
            .iter()
            .zip(&right)
            .all(|((name, value), (other, there))| name == other && same(*value, *there, depth + 1))
}

/// The members as they mean: of a repeated name the last one, sorted unless `keep_order`.
fn sorted_members(object: Value<'_>, keep_order: bool) -> Vec<(Cow<'_, [u8]>, Value<'_>)> {
    let mut members: Vec<_> =
        object.members().map(|(name, value)| (name.string_bytes().unwrap_or_default(), value)).collect();
    if keep_order && members.is_sorted_by(|a, b| a.0 < b.0) {
        return members;
    }
    members.sort_by(|a, b| a.0.cmp(&b.0));
    // The sort is stable, so the last of a name is the last of its run.
    let mut kept: Vec<(Cow<'_, [u8]>, Value<'_>)> = Vec::with_capacity(members.len());
    for member in members {
        match kept.last_mut() {
            Some(last) if last.0 == member.0 => *last = member,
            _ => kept.push(member),
        }
    }
    kept
}

/// Whether two numbers are the same decimal: `1.0` and `1`, `1e2` and `100`, `-0` and `0`.
fn same_number(a: &[u8], b: &[u8]) -> bool {
    let (a, b) = (Decimal::read(a), Decimal::read(b));
    if a.digits.is_empty() && b.digits.is_empty() {
        return true;
    }
    a.negative == b.negative && a.exponent.is_some() && a.exponent == b.exponent && a.digits == b.digits
}

#[cfg(test)]
mod tests {
    use super::super::Document;

    fn same(a: &str, b: &str) -> bool {
        let (a, b) =
            (Document::parse(a.as_bytes()).expect("JSON"), Document::parse(b.as_bytes()).expect("JSON"));
        let (forward, backward) = (a.root().same(&b.root()), b.root().same(&a.root()));
        assert_eq!(forward, backward);
        forward
    }

    #[test]
    fn spelling_makes_no_difference() {
        for (a, b) in [
            (r#"{"a":1,"b":[true,null]}"#, "{ \"b\": [true, null],\n \"a\": 1 }"),
            (r#""\u00e9\/""#, r#""é/""#),
            (r#"{"\u0061":1}"#, r#"{"a":1}"#),
            ("1.0", "1"),
            ("1e2", "100"),
            ("-0", "0.0e9"),
            ("0.10", "1E-1"),
            ("12345678901234567890123456789.0", "12345678901234567890123456789"),
            (r#"{"a":1,"a":2}"#, r#"{"a":2}"#),
            (r#"{"b":0,"a":1,"b":2}"#, r#"{"a":1,"b":2}"#),
            ("1e99999999999999999999", "1e99999999999999999999"),
        ] {
            assert!(same(a, b), "{a} {b}");
        }
    }

    #[test]
    fn meaning_does() {
        for (a, b) in [
            ("1", "2"),
            ("1", "-1"),
            ("1", "\"1\""),
            ("10", "1"),
            ("18446744073709551615", "18446744073709551616"),
            ("1e400", "1e401"),
            ("[1,2]", "[2,1]"),
            ("[1]", "[1,1]"),
            (r#"{"a":1}"#, r#"{"a":1,"b":1}"#),
            (r#"{"a":1}"#, r#"{"b":1}"#),
            (r#"{"a":1,"a":2}"#, r#"{"a":1}"#),
            ("null", "false"),
            (r#""\ud800""#, r#""\ud801""#),
            (r#""\ud800""#, "\"\u{fffd}\""),
        ] {
            assert!(!same(a, b), "{a} {b}");
        }
    }
}
