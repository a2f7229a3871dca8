//! Notion tokens: `ntn_` and 46, formerly `secret_` and 43 letters and digits.

use super::Rule;
use crate::secrets::shape::token;
use crate::secrets::text::is_alphanumeric;

/// Integration token of Notion.
pub(super) const RULE: Rule = Rule {
    name: "notion-token",
    description: "integration token of Notion",
    literals: &["ntn_", "ecret"],
    verify: |text, at| {
        if text.has(at, b"ntn_") {
            return token(text, at, at + 4, is_alphanumeric, 36);
        }
        let start = at.checked_sub(1).filter(|&start| text.has(start, b"secret_"))?;
        token(text, start, at + 6, is_alphanumeric, 36)
    },
};

#[cfg(test)]
mod tests {
    use crate::secrets::sample::*;

    #[test]
    fn tokens_are_hidden() {
        for (prefix, length) in [(concat!("nt", "n_"), 46), (concat!("sec", "ret_"), 43)] {
            assert_hidden("notion-token", &format!("{prefix}{}", random(ALPHANUMERIC, length)));
        }
    }

    #[test]
    fn what_is_no_token_stays() {
        assert_plain("secret_access_key secret_name_of_the_deployment_in_the_cluster");
        assert_plain("ntn_your_token");
    }
}
