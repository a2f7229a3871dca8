//! Secrets for tests, drawn when the tests run: none is ever written down.

/// Letters and digits.
pub(super) const ALPHANUMERIC: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Lower-case hexadecimal digits.
pub(super) const HEX: &str = "0123456789abcdef";

/// What base64url is written with.
pub(super) const BASE64URL: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// What base64 is written with.
pub(super) const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// What base32 is written with.
pub(super) const BASE32: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Characters of an alphabet, always the same ones for the same arguments; first and last ones are
/// letters or digits, as in most tokens.
pub(super) fn random(alphabet: &str, length: usize) -> String {
    let mut state = 0x9e37_79b9_7f4a_7c15 ^ (length as u64).wrapping_mul(0x2545_f491_4f6c_dd1d);
    let mut draw = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let place = (state >> 33) as usize % alphabet.len();
        char::from(alphabet.as_bytes()[place])
    };
    let mut drawn: String = (0..length).map(|_| draw()).collect();
    while !drawn.starts_with(|first: char| first.is_ascii_alphanumeric()) {
        drawn = format!("{}{}", draw(), &drawn[1..]);
    }
    while !drawn.ends_with(|last: char| last.is_ascii_alphanumeric()) {
        drawn = format!("{}{}", &drawn[..length - 1], draw());
    }
    drawn
}

/// The secrets in a text: the names of their rules and what is hidden.
pub(super) fn found(text: &str) -> Vec<(String, String)> {
    let rules = super::Rules::builtin();
    let findings = rules.scan(text.as_bytes(), None);
    let show = |finding: &super::Finding| {
        let hidden = String::from_utf8_lossy(&text.as_bytes()[finding.span.clone()]);
        (rules.name(finding.rule).to_owned(), hidden.into_owned())
    };
    findings.iter().map(show).collect()
}

/// The text alone, and in the midst of other text, is wholly hidden, by that rule.
#[track_caller]
pub(super) fn assert_hidden(rule: &str, secret: &str) {
    for (before, after) in [("", ""), ("key = \"", "\",\n"), ("+", "\n"), (r"a\n", r"\nb"), ("x:", " y")] {
        let text = format!("{before}{secret}{after}");
        let expected = [(rule.to_owned(), secret.to_owned())];
        assert_eq!(found(&text), expected, "in {text:?}");
    }
}

/// Nothing of the text is hidden.
#[track_caller]
pub(super) fn assert_plain(text: &str) {
    assert_eq!(found(text), [], "in {text:?}");
}
