//! SendGrid keys: `SG.`, 22 characters of base64url, `.` and 43 more.

use super::Rule;
use crate::secrets::shape::token;
use crate::secrets::text::is_token;

/// Key of the SendGrid API.
pub(super) const RULE: Rule = Rule {
    name: "sendgrid-key",
    description: "key of the SendGrid API",
    literals: &["SG."],
    verify: |text, at| {
        let span = token(text, at, at + 3, is_token, 16)?;
        let found = text.get(span.end) == Some(b'.') && text.count(span.end + 1, 32, is_token) == 32;
        found.then(|| at..text.token_end(span.end + 1))
    },
};

#[cfg(test)]
mod tests {
    use crate::secrets::sample::*;

    #[test]
    fn keys_are_hidden() {
        let (head, tail) = (random(BASE64URL, 22), random(BASE64URL, 43));
        assert_hidden("sendgrid-key", &format!("{}{head}.{tail}", concat!("S", "G.")));
    }

    #[test]
    fn what_is_no_key_stays() {
        assert_plain("MSG.textOfTheMessage.lengthOfTheMessageInCharactersAndSoOn");
        assert_plain("SG.xxxxxxxxxxxxxxxxxxxxxx.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    }
}
