//! Tavily keys: `tvly-`, maybe `dev-` or `prod-`, and 32 or more letters and digits.

use super::Rule;
use crate::secrets::shape::random_token;

/// Key of the Tavily API.
pub(super) const RULE: Rule = Rule {
    name: "tavily-key",
    description: "key of the Tavily API",
    literals: &["tvly-"],
    verify: |text, at| random_token(text, at, at + 5, 20),
};

#[cfg(test)]
mod tests {
    use crate::secrets::sample::*;

    #[test]
    fn keys_are_hidden() {
        for middle in ["", "dev-", "prod-"] {
            let body = random(ALPHANUMERIC, 32);
            assert_hidden("tavily-key", &format!("{}{middle}{body}", concat!("tv", "ly-")));
        }
    }

    #[test]
    fn what_is_no_key_stays() {
        assert_plain("tvly-your-api-key-goes-here");
        assert_plain("tvly-YOUR_API_KEY");
        assert_plain("tvly-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    }
}
