//! Perplexity keys: `pplx-` and 48 letters and digits.

use super::Rule;
use crate::secrets::shape::token;
use crate::secrets::text::is_alphanumeric;

const PREFIX: &str = "pplx-";

/// Key of the Perplexity API.
pub(super) const RULE: Rule = Rule {
    name: "perplexity-key",
    description: "key of the Perplexity API",
    literals: &[PREFIX],
    verify: |text, at| token(text, at, at + PREFIX.len(), is_alphanumeric, 32),
};

#[cfg(test)]
mod tests {
    use crate::secrets::sample::*;

    #[test]
    fn keys_are_hidden() {
        for length in [32, 48, 64] {
            assert_hidden(
                "perplexity-key",
                &format!("{}{}", concat!("pp", "lx-"), random(ALPHANUMERIC, length)),
            );
        }
    }

    #[test]
    fn what_is_no_key_stays() {
        let body = random(ALPHANUMERIC, 48);
        assert_plain(&format!("a{}{body}", concat!("pp", "lx-")));
        assert_plain(&format!("{}{}", concat!("pp", "lx-"), "x".repeat(48)));
        assert_plain("pplx-70b-online");
    }
}
