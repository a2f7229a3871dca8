//! Hugging Face tokens: `hf_` and 34 letters and digits.

use super::Rule;
use crate::secrets::shape::token;
use crate::secrets::text::is_alphanumeric;

const PREFIX: &str = "hf_";

/// Access token of Hugging Face.
pub(super) const RULE: Rule = Rule {
    name: "hugging-face-token",
    description: "access token of Hugging Face",
    literals: &[PREFIX],
    verify: |text, at| token(text, at, at + PREFIX.len(), is_alphanumeric, 30),
};

#[cfg(test)]
mod tests {
    use crate::secrets::sample::*;

    #[test]
    fn keys_are_hidden() {
        for length in [30, 34, 60] {
            assert_hidden(
                "hugging-face-token",
                &format!("{}{}", concat!("h", "f_"), random(ALPHANUMERIC, length)),
            );
        }
    }

    #[test]
    fn what_is_no_key_stays() {
        let body = random(ALPHANUMERIC, 34);
        assert_plain(&format!("a{}{body}", concat!("h", "f_")));
        assert_plain(&format!("{}{}", concat!("h", "f_"), "x".repeat(34)));
        assert_plain("from huggingface_hub import hf_hub_download");
        assert_plain("hf_api_key = None");
        assert_plain("hf_...");
    }
}
