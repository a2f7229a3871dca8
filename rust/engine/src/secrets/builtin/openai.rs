//! OpenAI keys and those of the many services that took their form.
//!
//! `sk-` and 48 letters and digits; `sk-proj-`, `sk-svcacct-`, `sk-admin-` or `sk-None-` and more
//! of base64url, with or without the marker in the middle; `sk-or-v1-`, `sk-lf-`, or 32 and more
//! hexadecimal digits elsewhere. Words such as `task-`, `risk-` and class names after `sk-` are
//! none.

use std::ops::Range;

use super::Rule;
use crate::secrets::shape::random_token;
use crate::secrets::text::Text;

/// A body after a prefix of OpenAI's own.
const SHORTEST_NAMED: usize = 16;

/// A body after `sk-` alone.
const SHORTEST: usize = 20;

/// Key of the OpenAI API, or of one with keys of that form.
pub(super) const RULE: Rule = Rule {
    name: "openai-key",
    description: "key of the OpenAI API, or of a service whose keys have that form",
    literals: &["sk-"],
    verify,
};

fn verify(text: &Text<'_>, at: usize) -> Option<Range<usize>> {
    let after = at + 3;
    if !text.left_edge(at) || text.has(after, b"ant-") {
        return None;
    }
    let named = [&b"proj-"[..], b"svcacct-", b"admin-", b"None-", b"or-v1-", b"lf-"];
    let prefix = named.into_iter().find(|name| text.has(after, name));
    let (body, shortest) = prefix.map_or((after, SHORTEST), |name| (after + name.len(), SHORTEST_NAMED));
    random_token(text, at, body, shortest)
}

#[cfg(test)]
mod tests {
    use crate::secrets::sample::*;

    const SK: &str = concat!("s", "k-");

    #[test]
    fn keys_are_hidden_whatever_their_prefix_and_length() {
        for prefix in ["", "proj-", "svcacct-", "admin-", "None-"] {
            for length in [20, 24, 48, 124, 156] {
                let body = random(BASE64URL, length);
                assert_hidden("openai-key", &format!("{SK}{prefix}{body}"));
                let (head, tail) = body.split_at(length / 2);
                let marked = format!("{SK}{prefix}{head}{}{tail}", concat!("T3Blbk", "FJ"));
                assert_hidden("openai-key", &marked);
            }
        }
        assert_hidden("openai-key", &format!("{SK}{}", random(HEX, 32)));
        assert_hidden("openai-key", &format!("{SK}or-v1-{}", random(HEX, 64)));
    }

    #[test]
    fn words_that_end_in_sk_are_none() {
        let body = random(ALPHANUMERIC, 48);
        for word in ["ta", "ri", "di", "ma", "de"] {
            assert_plain(&format!("{word}{SK}{body}"));
        }
        assert_plain("task-list-with-many-words-in-a-name risk-assessment-for-2024-and-later");
    }

    #[test]
    fn placeholders_and_class_names_stay() {
        for body in ["...", "your-api-key", "<your key>", "proj-...", "xxxx", "proj-your-key-goes-here"] {
            assert_plain(&format!("{SK}{body}"));
        }
        assert_plain(&format!("{SK}{}", "x".repeat(48)));
        assert_plain(&format!("{SK}proj-{}", "A".repeat(48)));
        assert_plain("sk-circle-fade-dot sk-cube-grid-animation-delay sk-fading-circle-12-before");
    }
}
