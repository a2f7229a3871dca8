//! DigitalOcean tokens: `dop_v1_` and 64 hexadecimal digits.

use super::Rule;
use crate::secrets::shape::token;
use crate::secrets::text::is_hex;

const PREFIX: &str = "dop_v1_";

/// Access token of DigitalOcean.
pub(super) const RULE: Rule = Rule {
    name: "digitalocean-token",
    description: "access token of DigitalOcean",
    literals: &[PREFIX],
    verify: |text, at| token(text, at, at + PREFIX.len(), is_hex, 32),
};

#[cfg(test)]
mod tests {
    use crate::secrets::sample::*;

    #[test]
    fn keys_are_hidden() {
        for length in [32, 64] {
            assert_hidden(
                "digitalocean-token",
                &format!("{}{}", concat!("dop", "_v1_"), random(HEX, length)),
            );
        }
    }

    #[test]
    fn what_is_no_key_stays() {
        let body = random(HEX, 64);
        assert_plain(&format!("a{}{body}", concat!("dop", "_v1_")));
        assert_plain(&format!("{}{}", concat!("dop", "_v1_"), "x".repeat(64)));
        assert_plain("dop_v1_your_token");
    }
}
