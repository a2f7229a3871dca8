//! Pinecone keys: `pcsk_`, a short part, `_` and 63 letters and digits.

use super::Rule;
use crate::secrets::shape::token;
use crate::secrets::text::is_token;

const PREFIX: &str = "pcsk_";

/// Key of the Pinecone API.
pub(super) const RULE: Rule = Rule {
    name: "pinecone-key",
    description: "key of the Pinecone API",
    literals: &[PREFIX],
    verify: |text, at| token(text, at, at + PREFIX.len(), is_token, 30),
};

#[cfg(test)]
mod tests {
    use crate::secrets::sample::*;

    #[test]
    fn keys_are_hidden() {
        for length in [40, 70, 90] {
            assert_hidden("pinecone-key", &format!("{}{}", concat!("pc", "sk_"), random(BASE64URL, length)));
        }
    }

    #[test]
    fn what_is_no_key_stays() {
        let body = random(BASE64URL, 70);
        assert_plain(&format!("a{}{body}", concat!("pc", "sk_")));
        assert_plain(&format!("{}{}", concat!("pc", "sk_"), "x".repeat(70)));
        assert_plain("pcsk_...");
    }
}
