//! AWS keys: the id of an access key (`AKIA`, `ASIA`, `ABIA`, `ACCA` and 16 characters of base32),
//! and the 40 characters of base64 of its secret where its name stands before it.

use std::ops::Range;

use super::Rule;
use crate::secrets::shape::is_placeholder;
use crate::secrets::text::{Text, is_base64};

/// Id of an AWS access key.
pub(super) const ACCESS_KEY_ID: Rule = Rule {
    name: "aws-access-key-id",
    description: "id of an AWS access key",
    literals: &["AKIA", "ASIA", "ABIA", "ACCA"],
    verify: key_id,
};

/// Secret of an AWS access key, by its name.
pub(super) const SECRET_ACCESS_KEY: Rule = Rule {
    name: "aws-secret-access-key",
    description: "secret of an AWS access key, where its name stands before it",
    literals: &["ecret", "SECRET"],
    verify: secret,
};

/// So much base64 beside a key's id makes it part of something else.
const LONG_BASE64: usize = 20;

fn key_id(text: &Text<'_>, at: usize) -> Option<Range<usize>> {
    let body = at + 4;
    let length = text.count(body, 128, |byte| matches!(byte, b'A'..=b'Z' | b'2'..=b'7'));
    let end = body + length;
    let longer = length > 16 && !text.part(body..end).iter().any(u8::is_ascii_digit);
    if !text.left_edge(at)
        || length < 16
        || longer
        || text.get(end).is_some_and(|byte| byte.is_ascii_alphanumeric())
        || is_placeholder(text.part(body..end))
    {
        return None;
    }
    let before = text.bytes[at.saturating_sub(2 * LONG_BASE64)..at].iter().rev();
    let after = text.part(end..end + 2 * LONG_BASE64).iter();
    if is_in_base64(before.copied()) || is_in_base64(after.copied()) {
        return None;
    }
    Some(at..text.token_end(end - 1))
}

/// Whether base64 goes on beside an id: many characters of all kinds, from a `+` or `/` on. Those of
/// a path are of fewer kinds.
fn is_in_base64(beside: impl Iterator<Item = u8>) -> bool {
    let run: Vec<u8> = beside.take_while(|&byte| is_base64(byte)).collect();
    let has = |class: fn(&u8) -> bool| run.iter().any(class);
    run.len() >= LONG_BASE64
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit)
}

fn secret(text: &Text<'_>, at: usize) -> Option<Range<usize>> {
    // `secret_access_key`, `SecretAccessKey`, `aws_secret_key`, in any case.
    let mut place = at + if text.has(at, b"ecret") { 5 } else { 6 };
    let word = |place: &mut usize, word: &[u8]| {
        let start = *place + usize::from(text.get(*place).is_some_and(|b| b"_-. ".contains(&b)));
        let found = text.part(start..start + word.len()).eq_ignore_ascii_case(word);
        if found {
            *place = start + word.len();
        }
        found
    };
    let access = word(&mut place, b"access");
    if !word(&mut place, b"key") {
        return None;
    }
    let before = &text.bytes[at.saturating_sub(8)..at];
    if !access && !before.windows(3).any(|part| part.eq_ignore_ascii_case(b"aws")) {
        return None;
    }
    let between = text.part(place..place + 16).iter();
    let between = between.take_while(|&&byte| b" \t\"'`:=>\\,|(".contains(&byte)).count();
    let value = place + between;
    let length = text.count(value, 40, is_base64);
    // In a path or a URL a slash follows it; others are part of something longer.
    let ends = !text.get(value + 40).is_some_and(|byte| byte == b'=' || (byte != b'/' && is_base64(byte)));
    let found = between > 0 && length == 40 && ends && !is_placeholder(text.part(value..value + 40));
    found.then_some(value..value + 40)
}

#[cfg(test)]
mod tests {
    use crate::secrets::sample::*;

    fn id(prefix: &str) -> String {
        format!("{prefix}{}", random(BASE32, 16))
    }

    #[test]
    fn ids_are_hidden() {
        for (head, tail) in [("AK", "IA"), ("AS", "IA"), ("AB", "IA"), ("AC", "CA")] {
            assert_hidden("aws-access-key-id", &id(&format!("{head}{tail}")));
        }
        let scope = format!("Credential={}/20260101/us-east-1/s3/aws4_request", id("AKIA"));
        assert_eq!(found(&scope), [("aws-access-key-id".to_owned(), id("AKIA"))]);
        let path = format!("/backups/2024/{}/x", id("AKIA"));
        assert_eq!(found(&path), [("aws-access-key-id".to_owned(), id("AKIA"))]);
    }

    #[test]
    fn ids_of_users_and_roles_examples_and_base64_stay() {
        assert_plain(&id("AIDA"));
        assert_plain(&id("AROA"));
        assert_plain(&format!("{}IOSFODNN7EXAMPLE ASIANLANGUAGESUPPORTENABLED", "AKIA"));
        assert_plain(&format!("{}abc", id("AKIA")));
        let run = random(ALPHANUMERIC, 30);
        assert_plain(&format!("{run}/{}+{run}", id("AKIA")));
    }

    #[test]
    fn a_secret_is_hidden_where_its_name_stands_before_it() {
        let secret = random(BASE64, 40);
        for name in [
            "aws_secret_access_key = ",
            "AWS_SECRET_ACCESS_KEY=",
            "\"SecretAccessKey\": \"",
            "secretAccessKey: '",
            "AWS_SECRET_KEY=",
        ] {
            let expected = [("aws-secret-access-key".to_owned(), secret.clone())];
            assert_eq!(found(&format!("{name}{secret}\n")), expected, "{name}");
        }
    }

    #[test]
    fn forty_characters_without_the_name_stay() {
        let secret = random(BASE64, 40);
        assert_plain(&format!("commit {}", random(HEX, 40)));
        assert_plain(&format!("key = {secret}"));
        assert_plain(&format!("aws_secret_access_key = {}EXAMPLEKEY", random(BASE64, 30)));
    }
}
