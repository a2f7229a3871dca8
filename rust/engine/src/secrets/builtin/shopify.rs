//! Shopify tokens: `shpat_` and 32 hexadecimal digits.

use super::Rule;
use crate::secrets::shape::token;
use crate::secrets::text::is_hex;

/// Access token of a Shopify shop.
pub(super) const RULE: Rule = Rule {
    name: "shopify-token",
    description: "access token of a Shopify shop",
    literals: &["pat"],
    verify: |text, at| {
        let start = at.checked_sub(2).filter(|&start| text.has(start, b"shpat_"))?;
        token(text, start, at + 4, is_hex, 32)
    },
};

#[cfg(test)]
mod tests {
    use crate::secrets::sample::*;

    const PREFIX: &str = concat!("sh", "pat_");

    #[test]
    fn tokens_are_hidden() {
        assert_hidden("shopify-token", &format!("{PREFIX}{}", random(HEX, 32)));
    }

    #[test]
    fn what_is_no_token_stays() {
        assert_plain("shpat_your_token");
        assert_plain("hashpat_index");
    }
}
