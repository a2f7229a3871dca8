//! GitHub tokens: `gh[pousr]_` and 36 letters and digits; `ghs_`, an application's number, `_` and
//! a JWT; `github_pat_`, 22 letters and digits, `_` and 59 more.

use std::ops::Range;

use super::Rule;
use crate::secrets::shape::token;
use crate::secrets::text::{Text, is_alphanumeric, is_token};

/// Token of GitHub.
pub(super) const RULE: Rule = Rule {
    name: "github-token",
    description: "token of GitHub: personal, of an application, or to refresh one",
    literals: &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "pat"],
    verify,
};

fn verify(text: &Text<'_>, at: usize) -> Option<Range<usize>> {
    if text.has(at, b"pat") {
        let start = at.checked_sub(7).filter(|&start| text.has(start, b"github_pat_"))?;
        return token(text, start, at + 4, |byte| is_alphanumeric(byte) || byte == b'_', 40);
    }
    let body = at + 4;
    let digits = text.count(body, 20, |byte| byte.is_ascii_digit());
    if digits > 0 && text.has(body + digits, b"_eyJ") {
        let mut span = token(text, at, body + digits + 1, is_token, 8)?;
        span.end = text.dotted_end(span.start);
        return Some(span);
    }
    token(text, at, body, is_alphanumeric, 36)
}

#[cfg(test)]
mod tests {
    use crate::secrets::sample::*;

    fn token(kind: &str, body: &str) -> String {
        format!("{}{kind}_{body}", concat!("g", "h"))
    }

    #[test]
    fn tokens_of_every_kind_are_hidden() {
        for kind in ["p", "o", "u", "s", "r"] {
            for length in [36, 76, 251] {
                assert_hidden("github-token", &token(kind, &random(ALPHANUMERIC, length)));
            }
        }
        let (head, tail) = (random(ALPHANUMERIC, 22), random(ALPHANUMERIC, 59));
        let token = format!("{}{head}_{tail}", concat!("git", "hub_pat_"));
        assert_hidden("github-token", &token);
    }

    #[test]
    fn a_token_that_holds_a_jwt_is_hidden_to_its_end() {
        let part = |length| random(BASE64URL, length);
        let jwt = format!("eyJ{}.eyJ{}.{}", part(60), part(300), part(150));
        assert_hidden("github-token", &token("s", &format!("1234567_{jwt}")));
    }

    #[test]
    fn a_token_in_a_url_is_hidden_alone() {
        let token = token("p", &random(ALPHANUMERIC, 36));
        let url = format!("https://x-access-token:{token}@github.com/a/b.git");
        assert!(found(&url).iter().any(|(_, hidden)| hidden.contains(&token)));
    }

    #[test]
    fn what_is_no_token_stays() {
        assert_plain(&token("p", "your_token_here"));
        assert_plain(&token("p", &"x".repeat(36)));
        assert_plain(&token("p", &random(ALPHANUMERIC, 20)));
        assert_plain(&format!("a{}", token("p", &random(ALPHANUMERIC, 36))));
        assert_plain("github_pat_your_token github_path_of_the_repository_with_a_very_long_name");
    }
}
