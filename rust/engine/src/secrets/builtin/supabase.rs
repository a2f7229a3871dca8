//! Supabase keys: `sbp_` and 40 hexadecimal digits; `sb_secret_` and more of base64url. Publishable
//! keys (`sb_publishable_`) are none.

use super::Rule;
use crate::secrets::shape::random_token;

/// Secret key or access token of Supabase.
pub(super) const RULE: Rule = Rule {
    name: "supabase-key",
    description: "secret key or access token of Supabase",
    literals: &["sbp_", "ecret"],
    verify: |text, at| {
        if text.has(at, b"sbp_") {
            return random_token(text, at, at + 4, 32);
        }
        let start = at.checked_sub(4).filter(|&start| text.has(start, b"sb_secret_"))?;
        random_token(text, start, at + 6, 20)
    },
};

#[cfg(test)]
mod tests {
    use crate::secrets::sample::*;

    #[test]
    fn keys_are_hidden() {
        assert_hidden("supabase-key", &format!("{}{}", concat!("sb", "p_"), random(HEX, 40)));
        let secret = format!("{}{}", concat!("sb_", "secret_"), random(BASE64URL, 31));
        assert_hidden("supabase-key", &secret);
    }

    #[test]
    fn publishable_keys_and_placeholders_stay() {
        assert_plain(&format!("sb_publishable_{}", random(ALPHANUMERIC, 31)));
        assert_plain("sb_secret_your_key_goes_here_please");
    }
}
