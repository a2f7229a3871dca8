//! Airtable tokens: `pat`, 14 letters and digits, `.` and 64 hexadecimal digits.

use super::Rule;
use crate::secrets::text::{is_alphanumeric, is_hex};

/// Personal access token of Airtable.
pub(super) const RULE: Rule = Rule {
    name: "airtable-token",
    description: "personal access token of Airtable",
    literals: &["pat"],
    verify: |text, at| {
        let length = text.count(at + 3, 25, is_alphanumeric);
        let dot = at + 3 + length;
        let found = (12..25).contains(&length)
            && text.get(dot) == Some(b'.')
            && text.left_edge(at)
            && text.count(dot + 1, 40, is_hex) == 40;
        found.then(|| at..text.token_end(dot + 1))
    },
};

#[cfg(test)]
mod tests {
    use crate::secrets::sample::*;

    #[test]
    fn tokens_are_hidden() {
        let (head, tail) = (random(ALPHANUMERIC, 14), random(HEX, 64));
        assert_hidden("airtable-token", &format!("{}{head}.{tail}", concat!("p", "at")));
    }

    #[test]
    fn what_is_no_token_stays() {
        assert_plain("path.join(patternMatcherFor.abcdef)");
        assert_plain("patXXXXXXXXXXXXXX.XXXXXXXXXXXXXXXX");
    }
}
