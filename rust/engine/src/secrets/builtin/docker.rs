//! Docker tokens: `dckr_pat_` and 27 characters of base64url.

use super::Rule;
use crate::secrets::shape::random_token;

/// Personal access token of Docker Hub.
pub(super) const RULE: Rule = Rule {
    name: "docker-token",
    description: "personal access token of Docker Hub",
    literals: &["pat"],
    verify: |text, at| {
        let start = at.checked_sub(5).filter(|&start| text.has(start, b"dckr_pat_"))?;
        random_token(text, start, at + 4, 20)
    },
};

#[cfg(test)]
mod tests {
    use crate::secrets::sample::*;

    const PREFIX: &str = concat!("dckr", "_pat_");

    #[test]
    fn tokens_are_hidden() {
        assert_hidden("docker-token", &format!("{PREFIX}{}", random(BASE64URL, 27)));
    }

    #[test]
    fn what_is_no_token_stays() {
        assert_plain("dckr_pat_your_token_goes_here_please");
    }
}
