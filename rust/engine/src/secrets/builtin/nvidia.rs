//! NVIDIA keys: `nvapi-` and 64 characters of base64url.

use super::Rule;
use crate::secrets::shape::token;
use crate::secrets::text::is_token;

const PREFIX: &str = "nvapi-";

/// Key of the NVIDIA API.
pub(super) const RULE: Rule = Rule {
    name: "nvidia-key",
    description: "key of the NVIDIA API",
    literals: &[PREFIX],
    verify: |text, at| token(text, at, at + PREFIX.len(), is_token, 32),
};

#[cfg(test)]
mod tests {
    use crate::secrets::sample::*;

    #[test]
    fn keys_are_hidden() {
        for length in [32, 64, 90] {
            assert_hidden("nvidia-key", &format!("{}{}", concat!("nva", "pi-"), random(BASE64URL, length)));
        }
    }

    #[test]
    fn what_is_no_key_stays() {
        let body = random(BASE64URL, 64);
        assert_plain(&format!("a{}{body}", concat!("nva", "pi-")));
        assert_plain(&format!("{}{}", concat!("nva", "pi-"), "x".repeat(64)));
        assert_plain("nvapi-your-key");
    }
}
