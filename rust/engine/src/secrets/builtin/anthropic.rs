//! Anthropic keys: `sk-ant-`, a kind such as `api03-` or `admin01-`, and 95 characters of base64url.

use super::Rule;
use crate::secrets::shape::random_token;

/// Key of the Anthropic API.
pub(super) const RULE: Rule = Rule {
    name: "anthropic-key",
    description: "key of the Anthropic API",
    literals: &["sk-"],
    verify: |text, at| {
        if text.has(at + 3, b"ant-") { random_token(text, at, at + 7, 16) } else { None }
    },
};

#[cfg(test)]
mod tests {
    use crate::secrets::sample::*;

    const PREFIX: &str = concat!("s", "k-ant-");

    #[test]
    fn keys_are_hidden() {
        for kind in ["api03-", "admin01-", "oat01-", "sid01-", ""] {
            for length in [24, 93, 108] {
                let body = random(BASE64URL, length);
                assert_hidden("anthropic-key", &format!("{PREFIX}{kind}{body}"));
            }
        }
    }

    #[test]
    fn what_is_no_key_stays() {
        assert_plain(&format!("{PREFIX}..."));
        assert_plain(&format!("{PREFIX}api03-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"));
        assert_plain(&format!("{PREFIX}your-api-key-goes-here"));
        assert_plain("desk-ant-colony-optimisation-algorithm");
    }
}
