//! Groq keys: `gsk_` and 52 letters and digits.

use super::Rule;
use crate::secrets::shape::token;
use crate::secrets::text::is_alphanumeric;

const PREFIX: &str = "gsk_";

/// Key of the Groq API.
pub(super) const RULE: Rule = Rule {
    name: "groq-key",
    description: "key of the Groq API",
    literals: &[PREFIX],
    verify: |text, at| token(text, at, at + PREFIX.len(), is_alphanumeric, 32),
};

#[cfg(test)]
mod tests {
    use crate::secrets::sample::*;

    #[test]
    fn keys_are_hidden() {
        for length in [32, 52, 80] {
            assert_hidden("groq-key", &format!("{}{}", concat!("gs", "k_"), random(ALPHANUMERIC, length)));
        }
    }

    #[test]
    fn what_is_no_key_stays() {
        let body = random(ALPHANUMERIC, 52);
        assert_plain(&format!("a{}{body}", concat!("gs", "k_")));
        assert_plain(&format!("{}{}", concat!("gs", "k_"), "x".repeat(52)));
        assert_plain("gsk_your_key_here");
        assert_plain("msgsk_count");
    }
}
