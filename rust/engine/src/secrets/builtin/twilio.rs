//! Twilio API keys: `SK` and 32 hexadecimal digits. An account's number (`AC…`) is no secret.

use super::Rule;
use crate::secrets::shape::token;

/// Where the rule stands in the table of all.
pub(super) const NUMBER: usize = {
    let mut number = 0;
    while super::RULES[number].name.as_bytes()[0] != b't' || super::RULES[number].name.as_bytes()[1] != b'w' {
        number += 1;
    }
    number
};

/// Key of the Twilio API.
pub(super) const RULE: Rule = Rule {
    name: "twilio-key",
    description: "key of the Twilio API",
    // Shorter than the search for literals takes: see `each`.
    literals: &[],
    verify: |text, at| {
        let digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let span = token(text, at, at + 2, digit, 32)?;
        (!text.get(at + 34).is_some_and(|byte| byte.is_ascii_alphanumeric())).then_some(span)
    },
};

/// Call `hit` with each place that may start a key.
pub(super) fn each(content: &[u8], mut hit: impl FnMut(usize)) {
    for at in memchr::memmem::find_iter(content, "SK") {
        if content.get(at + 2).is_some_and(u8::is_ascii_hexdigit) {
            hit(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::secrets::sample::*;

    #[test]
    fn keys_are_hidden() {
        assert_hidden("twilio-key", &format!("{}{}", "SK", random(HEX, 32)));
    }

    #[test]
    fn what_is_no_key_stays() {
        assert_plain(&format!("AC{}", random(HEX, 32)));
        assert_plain(&format!("TA{}{}", "SK", random(HEX, 32)));
        assert_plain(&format!("{}{}", "SK", random(HEX, 40)));
        assert_plain(&format!("{}{}", "SK", "0".repeat(32)));
    }
}
