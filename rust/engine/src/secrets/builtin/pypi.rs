//! PyPI tokens: `pypi-` and a macaroon in base64url, which starts with `AgE`.

use super::Rule;
use crate::secrets::shape::token;
use crate::secrets::text::is_token;

/// API token of PyPI.
pub(super) const RULE: Rule = Rule {
    name: "pypi-token",
    description: "API token of PyPI or its test instance",
    literals: &["pypi-AgE"],
    verify: |text, at| token(text, at, at + 8, is_token, 40),
};

#[cfg(test)]
mod tests {
    use crate::secrets::sample::*;

    #[test]
    fn tokens_are_hidden() {
        for start in ["IcHlwaS5vcmc", "NdGVzdC5weXBpLm9yZw"] {
            let body = random(BASE64URL, 150);
            assert_hidden("pypi-token", &format!("{}{start}{body}", concat!("py", "pi-AgE")));
        }
    }

    #[test]
    fn a_word_that_chance_wrote_is_no_placeholder() {
        let body = random(BASE64URL, 60);
        let token = format!("{}{body}14GU_yOURWGJ6{body}", concat!("py", "pi-AgE"));
        assert_hidden("pypi-token", &token);
        for word in ["_your-", "_Your_", "-YOUR-"] {
            assert_plain(&format!("{}{body}{word}{body}", concat!("py", "pi-AgE")));
        }
    }

    #[test]
    fn what_is_no_token_stays() {
        assert_plain("pypi-publish@release");
        assert_plain("pypi-AgEIcHlwaS5vcmc...");
    }
}
