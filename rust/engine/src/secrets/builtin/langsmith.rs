//! LangSmith keys: `lsv2_pt_` or `lsv2_sk_`, 32 hexadecimal digits, `_` and 10 more.

use super::Rule;
use crate::secrets::shape::random_token;

/// Key of the LangSmith API.
pub(super) const RULE: Rule = Rule {
    name: "langsmith-key",
    description: "key of the LangSmith API",
    literals: &["lsv2_"],
    verify: |text, at| random_token(text, at, at + 5, 24),
};

#[cfg(test)]
mod tests {
    use crate::secrets::sample::*;

    #[test]
    fn keys_are_hidden() {
        for kind in ["pt", "sk"] {
            let (body, tail) = (random(HEX, 32), random(HEX, 10));
            let key = format!("{}{kind}_{body}_{tail}", concat!("ls", "v2_"));
            assert_hidden("langsmith-key", &key);
        }
    }

    #[test]
    fn what_is_no_key_stays() {
        assert_plain("lsv2_pt_your_api_key_goes_here_please");
        assert_plain("lsv2_...");
    }
}
