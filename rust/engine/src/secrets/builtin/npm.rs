//! npm tokens: `npm_` and 36 letters and digits.

use super::Rule;
use crate::secrets::shape::token;
use crate::secrets::text::is_alphanumeric;

const PREFIX: &str = "npm_";

/// Access token of npm.
pub(super) const RULE: Rule = Rule {
    name: "npm-token",
    description: "access token of npm",
    literals: &[PREFIX],
    verify: |text, at| token(text, at, at + PREFIX.len(), is_alphanumeric, 30),
};

#[cfg(test)]
mod tests {
    use crate::secrets::sample::*;

    #[test]
    fn keys_are_hidden() {
        for length in [30, 36, 50] {
            assert_hidden("npm-token", &format!("{}{}", concat!("np", "m_"), random(ALPHANUMERIC, length)));
        }
    }

    #[test]
    fn what_is_no_key_stays() {
        let body = random(ALPHANUMERIC, 36);
        assert_plain(&format!("a{}{body}", concat!("np", "m_")));
        assert_plain(&format!("{}{}", concat!("np", "m_"), "x".repeat(36)));
        assert_plain("npm_config_registry");
        assert_plain("npm_lifecycle_event");
    }
}
