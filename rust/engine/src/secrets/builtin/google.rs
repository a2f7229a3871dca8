//! Google keys: `AIza` and 35 characters of base64url (newer ones start with `AQ.Ab`), the secret of
//! an OAuth client (`GOCSPX-`), and access tokens (`ya29.`).

use super::Rule;
use crate::secrets::shape::{random_token, token};
use crate::secrets::text::is_token;

/// Key of a Google API.
pub(super) const API_KEY: Rule = Rule {
    name: "google-api-key",
    description: "key of a Google API",
    literals: &["AIza", "AQ.Ab"],
    verify: |text, at| {
        if text.has(at, b"AIza") {
            token(text, at, at + 4, is_token, 30)
        } else {
            random_token(text, at, at + 5, 30)
        }
    },
};

/// Secret of a Google OAuth client.
pub(super) const OAUTH_SECRET: Rule = Rule {
    name: "google-oauth-secret",
    description: "secret of a Google OAuth client",
    literals: &["GOCSPX-"],
    verify: |text, at| token(text, at, at + 7, is_token, 20),
};

/// Access token of Google OAuth.
pub(super) const ACCESS_TOKEN: Rule = Rule {
    name: "google-access-token",
    description: "access token of Google OAuth",
    literals: &["ya29."],
    verify: |text, at| random_token(text, at, at + 5, 20).map(|span| at..text.dotted_end(span.start)),
};

#[cfg(test)]
mod tests {
    use crate::secrets::sample::*;

    #[test]
    fn keys_are_hidden() {
        for length in [35, 40] {
            let body = random(BASE64URL, length);
            assert_hidden("google-api-key", &format!("{}{body}", concat!("AI", "za")));
        }
        let body = random(BASE64URL, 48);
        assert_hidden("google-api-key", &format!("{}{body}", concat!("AQ", ".Ab")));
        let body = random(BASE64URL, 28);
        assert_hidden("google-oauth-secret", &format!("{}{body}", concat!("GOC", "SPX-")));
        let body = random(BASE64URL, 150);
        assert_hidden("google-access-token", &format!("{}a0{body}", concat!("ya", "29.")));
    }

    #[test]
    fn what_is_no_key_stays() {
        assert_plain("AIzaSyYourKeyHere");
        assert_plain(&format!("{}{}", concat!("AI", "za"), "x".repeat(35)));
        assert_plain("GOCSPX-your-client-secret-goes-here");
        assert_plain(&format!("Q{}{}", concat!("AI", "za"), random(BASE64URL, 35)));
    }
}
