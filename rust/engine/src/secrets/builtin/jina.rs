//! Jina keys: `jina_` and some 60 letters, digits, `-` and `_`.

use super::Rule;
use crate::secrets::shape::token;
use crate::secrets::text::is_alphanumeric;

const PREFIX: &str = "jina_";

/// Key of the Jina API.
pub(super) const RULE: Rule = Rule {
    name: "jina-key",
    description: "key of the Jina API",
    literals: &[PREFIX],
    verify: |text, at| token(text, at, at + PREFIX.len(), is_alphanumeric, 24),
};

#[cfg(test)]
mod tests {
    use crate::secrets::sample::*;

    #[test]
    fn keys_are_hidden() {
        for length in [32, 60] {
            assert_hidden("jina-key", &format!("{}{}", concat!("ji", "na_"), random(ALPHANUMERIC, length)));
        }
    }

    #[test]
    fn what_is_no_key_stays() {
        let body = random(ALPHANUMERIC, 60);
        assert_plain(&format!("a{}{body}", concat!("ji", "na_")));
        assert_plain(&format!("{}{}", concat!("ji", "na_"), "x".repeat(60)));
        assert_plain("jina_embeddings_v3_base_en");
    }
}
