//! Replicate keys: `r8_` and 37 letters and digits.

use super::Rule;
use crate::secrets::shape::token;
use crate::secrets::text::is_alphanumeric;

const PREFIX: &str = "r8_";

/// Key of the Replicate API.
pub(super) const RULE: Rule = Rule {
    name: "replicate-key",
    description: "key of the Replicate API",
    literals: &[PREFIX],
    verify: |text, at| token(text, at, at + PREFIX.len(), is_alphanumeric, 30),
};

#[cfg(test)]
mod tests {
    use crate::secrets::sample::*;

    #[test]
    fn keys_are_hidden() {
        for length in [30, 37, 50] {
            assert_hidden(
                "replicate-key",
                &format!("{}{}", concat!("r", "8_"), random(ALPHANUMERIC, length)),
            );
        }
    }

    #[test]
    fn what_is_no_key_stays() {
        let body = random(ALPHANUMERIC, 37);
        assert_plain(&format!("a{}{body}", concat!("r", "8_")));
        assert_plain(&format!("{}{}", concat!("r", "8_"), "x".repeat(37)));
        assert_plain("r8_unorm_format");
    }
}
