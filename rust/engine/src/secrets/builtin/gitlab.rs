//! GitLab tokens: `glpat-` and 20 or more characters of base64url, maybe with parts after dots.

use super::Rule;
use crate::secrets::shape::token;
use crate::secrets::text::is_token;

/// Personal, project or group access token of GitLab.
pub(super) const RULE: Rule = Rule {
    name: "gitlab-token",
    description: "access token of GitLab",
    literals: &["pat"],
    verify: |text, at| {
        let start = at.checked_sub(2).filter(|&start| text.has(start, b"glpat-"))?;
        let span = token(text, start, at + 4, is_token, 20)?;
        // So short a body, with hyphens in it, is drawn without three digits now and then. Words
        // have neither a digit nor a capital.
        let drawn = text.part(at + 4..span.end).iter().any(|b| b.is_ascii_digit() || b.is_ascii_uppercase());
        drawn.then(|| start..text.dotted_end(span.start))
    },
};

#[cfg(test)]
mod tests {
    use crate::secrets::sample::*;

    const PREFIX: &str = concat!("gl", "pat-");

    #[test]
    fn tokens_are_hidden() {
        assert_hidden("gitlab-token", &format!("{PREFIX}{}", random(BASE64URL, 20)));
        let routable = format!("{PREFIX}{}.01.{}", random(BASE64URL, 27), random(HEX, 9));
        assert_hidden("gitlab-token", &routable);
        let few_digits = format!("{PREFIX}{}", concat!("nop_s_qr", "ni_v2jqrLruD"));
        assert_hidden("gitlab-token", &few_digits);
    }

    #[test]
    fn what_is_no_token_stays() {
        assert_plain("glpat-your-token-goes-here-please");
        assert_plain("glpat-xxxxxxxxxxxxxxxxxxxx");
    }
}
