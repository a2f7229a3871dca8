//! Slack tokens (`xoxb-`, `xoxp-` and others, `xapp-`) and the URLs of incoming web hooks.

use super::Rule;
use crate::secrets::shape::token;
use crate::secrets::text::is_token;

/// Token of Slack.
pub(super) const TOKEN: Rule = Rule {
    name: "slack-token",
    description: "token of Slack: of a bot, a user or an application",
    literals: &["xox", "xapp-"],
    verify: |text, at| {
        let kind = text.get(at + 3).is_some_and(|kind| b"abcdeoprs".contains(&kind));
        if text.has(at, b"xox") && !(kind && text.get(at + 4) == Some(b'-')) {
            return None;
        }
        let span = token(text, at, at + 5, is_token, 20)?;
        let digits = text.part(at + 5..span.end.min(at + 256));
        if digits.iter().filter(|byte| byte.is_ascii_digit()).count() < 3 {
            return None;
        }
        Some(at..text.dotted_end(span.start))
    },
};

/// Incoming web hook of Slack.
pub(super) const WEBHOOK: Rule = Rule {
    name: "slack-webhook",
    description: "URL of an incoming web hook of Slack",
    literals: &["hooks.slack.com"],
    verify: |text, at| {
        let path = at + 15;
        let folder = [&b"/services/"[..], b"/workflows/", b"/triggers/"];
        let folder = folder.into_iter().find(|folder| text.has(path, folder))?;
        let rest = text.part(path + folder.len()..text.bytes.len());
        let length = rest.iter().take_while(|&&byte| is_token(byte) || byte == b'/').count();
        let ids = &rest[..length];
        let digits = ids.iter().take(64).filter(|byte| byte.is_ascii_digit()).count();
        if length < 24 || digits < 3 || crate::secrets::shape::is_placeholder(ids) {
            return None;
        }
        let scheme = [&b"https://"[..], b"http://"];
        let scheme = scheme.into_iter().find(|scheme| text.bytes[..at].ends_with(scheme));
        Some(at - scheme.map_or(0, <[u8]>::len)..path + folder.len() + length)
    },
};

#[cfg(test)]
mod tests {
    use crate::secrets::sample::*;

    #[test]
    fn tokens_are_hidden() {
        for kind in ["b", "p", "a", "o", "r", "s"] {
            let tail = random(ALPHANUMERIC, 24);
            let token = format!("{}{kind}-123456789012-345678901234-{tail}", concat!("x", "ox"));
            assert_hidden("slack-token", &token);
        }
        let body = random(HEX, 64);
        let token = format!("{}1-A0123456789-1234567890123-{body}", concat!("x", "app-"));
        assert_hidden("slack-token", &token);
    }

    #[test]
    fn web_hooks_are_hidden_with_their_whole_url() {
        let tail = random(ALPHANUMERIC, 24);
        let host = concat!("https://hooks.", "slack.com/services");
        assert_hidden("slack-webhook", &format!("{host}/T0123ABCD/B0123ABCD/{tail}"));
    }

    #[test]
    fn placeholders_stay() {
        assert_plain("xoxb-your-token-goes-here xoxb-... xapp-your-token-goes-here");
        assert_plain("https://hooks.slack.com/services/XXX/YYY/ZZZ");
        assert_plain("https://hooks.slack.com/services/your/web/hook");
    }
}
