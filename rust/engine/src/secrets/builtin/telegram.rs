//! Telegram bot tokens: a bot's number, `:` and 35 characters of base64url, which start with `AA`.

use super::Rule;
use crate::secrets::shape::is_placeholder;
use crate::secrets::text::is_token;

/// Token of a Telegram bot.
pub(super) const RULE: Rule = Rule {
    name: "telegram-bot-token",
    description: "token of a Telegram bot",
    literals: &[":AA"],
    verify: |text, at| {
        let before = &text.bytes[at.saturating_sub(16)..at];
        let digits = before.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        if text.count(at + 1, 32, is_token) < 32 {
            return None;
        }
        // The number may stand right after the digits of an escape; in a URL it stands after `bot`.
        let mut starts = (6..=digits).rev().map(|length| at - length);
        let start = starts.find(|&start| text.left_edge(start) || text.bytes[..start].ends_with(b"bot"))?;
        let end = text.token_end(at + 1);
        (!is_placeholder(text.part(at + 3..end))).then_some(start..end)
    },
};

#[cfg(test)]
mod tests {
    use crate::secrets::sample::*;

    fn token() -> String {
        format!("{}:{}{}", "123456789", "AA", random(BASE64URL, 33))
    }

    #[test]
    fn tokens_are_hidden_in_a_url_too() {
        assert_hidden("telegram-bot-token", &token());
        let url = format!("https://api.telegram.org/bot{}/getMe", token());
        assert_eq!(found(&url), [("telegram-bot-token".to_owned(), token())]);
    }

    #[test]
    fn what_is_no_token_stays() {
        assert_plain("0A:AA:BB:CC:DD:EE 123456789:AAxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
        assert_plain(&format!("12:AA{}", random(BASE64URL, 33)));
    }
}
