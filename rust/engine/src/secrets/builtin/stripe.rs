//! Stripe keys: `sk_live_`, `rk_live_`, `sk_test_`, `rk_test_` and 24 or more letters and digits;
//! `whsec_` for web hooks. Publishable keys (`pk_live_`) are none.

use super::Rule;
use crate::secrets::shape::token;
use crate::secrets::text::{is_alphanumeric, is_base64};

/// Secret or restricted key of Stripe.
pub(super) const KEY: Rule = Rule {
    name: "stripe-key",
    description: "secret or restricted key of the Stripe API",
    literals: &["k_live_", "k_test_"],
    verify: |text, at| {
        let start = at.checked_sub(1).filter(|&start| matches!(text.get(start), Some(b's' | b'r')))?;
        token(text, start, at + 7, is_alphanumeric, 16)
    },
};

/// Secret of a web hook, of Stripe or others that sign the same way.
pub(super) const WEBHOOK_SECRET: Rule = Rule {
    name: "webhook-secret",
    description: "secret that signs web hooks of Stripe, or of a service that signs the same way",
    literals: &["whsec_"],
    verify: |text, at| {
        let mut span = token(text, at, at + 6, is_base64, 24)?;
        let rest = text.part(span.end..text.bytes.len());
        span.end += rest.iter().take_while(|&&byte| is_base64(byte) || byte == b'=').count();
        Some(span)
    },
};

#[cfg(test)]
mod tests {
    use crate::secrets::sample::*;

    #[test]
    fn keys_are_hidden() {
        for prefix in ["sk_live_", "rk_live_", "sk_test_", "rk_test_"] {
            for length in [24, 99] {
                assert_hidden("stripe-key", &format!("{prefix}{}", random(ALPHANUMERIC, length)));
            }
        }
        let secret = format!("{}{}==", concat!("wh", "sec_"), random(BASE64, 42));
        assert_hidden("webhook-secret", &secret);
    }

    #[test]
    fn publishable_keys_and_words_stay() {
        assert_plain(&format!("{}{}", concat!("pk", "_live_"), random(ALPHANUMERIC, 24)));
        assert_plain("task_test_case_with_a_name risk_live_data");
        assert_plain("sk_test_your_key_here sk_test_xxxxxxxxxxxxxxxxxxxxxxxx");
    }
}
