//! xAI keys: `xai-` and 80 letters and digits.

use super::Rule;
use crate::secrets::shape::token;
use crate::secrets::text::is_alphanumeric;

const PREFIX: &str = "xai-";

/// Key of the xAI API.
pub(super) const RULE: Rule = Rule {
    name: "xai-key",
    description: "key of the xAI API",
    literals: &[PREFIX],
    verify: |text, at| token(text, at, at + PREFIX.len(), is_alphanumeric, 32),
};

#[cfg(test)]
mod tests {
    use crate::secrets::sample::*;

    #[test]
    fn keys_are_hidden() {
        for length in [32, 80, 120] {
            assert_hidden("xai-key", &format!("{}{}", concat!("xa", "i-"), random(ALPHANUMERIC, length)));
        }
    }

    #[test]
    fn what_is_no_key_stays() {
        let body = random(ALPHANUMERIC, 80);
        assert_plain(&format!("a{}{body}", concat!("xa", "i-")));
        assert_plain(&format!("{}{}", concat!("xa", "i-"), "x".repeat(80)));
        assert_plain("xai-your-key-here");
        assert_plain("taxai-grok");
    }
}
