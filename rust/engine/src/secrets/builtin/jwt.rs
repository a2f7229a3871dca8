//! JSON Web Tokens: a header, a payload and a signature in base64url, joined by dots. The header and
//! a signed payload are objects, which start with `eyJ`.

use std::ops::Range;

use super::Rule;
use crate::secrets::text::{Text, is_token};

/// JSON Web Token.
pub(super) const RULE: Rule = Rule { name: "jwt", description: "JSON Web Token", literals: &["eyJ"], verify };

/// The parts of an encrypted token are looked for so far.
const LONGEST_ENCRYPTED: usize = 8192;

fn verify(text: &Text<'_>, at: usize) -> Option<Range<usize>> {
    if !text.left_edge(at) {
        return None;
    }
    let header = text.token_end(at);
    let payload = header + 1;
    if header - at < 12 || text.get(header) != Some(b'.') {
        return None;
    }
    let signed = text.has(payload, b"eyJ") && text.count(payload, 12, is_token) == 12;
    let end = text.dotted_end(at);
    // An encrypted one has five parts, of which the second may be empty.
    let near = text.part(at..end.min(at + LONGEST_ENCRYPTED));
    let parts = memchr::memchr_iter(b'.', near).take(5).count();
    (signed || parts == 4).then_some(at..end)
}

#[cfg(test)]
mod tests {
    use crate::secrets::sample::*;

    #[test]
    fn tokens_are_hidden() {
        let part = |length| random(BASE64URL, length);
        let signed = format!("{}{}.eyJ{}.{}", concat!("e", "yJ"), part(33), part(60), part(43));
        assert_hidden("jwt", &signed);
        let encrypted =
            format!("{}{}.{}.{}.{}.{}", concat!("e", "yJ"), part(33), part(60), part(16), part(90), part(22));
        assert_hidden("jwt", &encrypted);
    }

    #[test]
    fn what_is_no_token_stays() {
        assert_plain(&format!("data:application/json;base64,eyJ{}", random(ALPHANUMERIC, 80)));
        assert_plain("eyJ.eyJ.sig");
        assert_plain("KeyJoiner.eyJoinTable.resultOfThat");
    }
}
