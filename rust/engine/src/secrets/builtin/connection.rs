//! URLs of databases and brokers that hold a password: before the last `@` of the authority, or in
//! the query. The whole URL is hidden, for the host and the user are part of what it opens.

use std::cell::Cell;
use std::ops::Range;

use crate::secrets::escapes::decode;
use crate::secrets::shape::is_placeholder;
use crate::secrets::text::Text;

/// The longest scheme with its driver that is looked for before `://`.
const LONGEST_SCHEME: usize = 48;

/// The URL whose `://` stands at a place, if its scheme is one of those and it holds a password
/// before its host. Otherwise it is remembered in `last`, for [`in_query`].
pub(super) fn url(
    text: &Text<'_>,
    at: usize,
    schemes: &[&str],
    last: &Cell<(usize, usize)>,
) -> Option<Range<usize>> {
    let start = scheme(text, at, schemes)?;
    let authority = at + 3;
    let end = text.url_end(authority, text.before(start));
    let head = memchr::memchr(b'/', text.part(authority..end)).map_or(end, |slash| authority + slash);
    let at_sign = memchr::memrchr(b'@', text.part(authority..head)).map(|place| authority + place);
    let at_sign = at_sign.or_else(|| {
        // Not every password is encoded as it should be: it may hold a slash.
        let (_, port) = split(text.part(authority..head))?;
        let is_port = !port.is_empty() && port.iter().all(u8::is_ascii_digit);
        if is_port { None } else { text.last_at_sign(authority..end) }
    });
    let tail_end = text.url_tail_end(at_sign.map_or(authority, |place| place + 1));
    last.set((start, tail_end));
    let at_sign = at_sign?;
    let (user, password) = split(text.part(authority..at_sign))?;
    let is_local = [&b"localhost"[..], b"127.0.0.1", b"[::1]"];
    let is_local = is_local.iter().any(|host| text.has(at_sign + 1, host));
    let is_default = is_local && user == password;
    let stands_for_one = is_default || is_password_placeholder(password);
    (!stands_for_one).then_some(start..tail_end)
}

/// The URL in whose query `password=` stands, if `sword` is at a place and its value is none that
/// stands for one.
pub(super) fn in_query(text: &Text<'_>, at: usize, last: &Cell<(usize, usize)>) -> Option<Range<usize>> {
    let (start, end) = last.get();
    let value = at + b"sword=".len();
    if !(start < at && value < end && text.get(value - 1) == Some(b'=')) {
        return None;
    }
    let value = text.part(value..end.min(value + 512));
    let length = value.iter().position(|byte| matches!(byte, b'&' | b';')).unwrap_or(value.len());
    (!is_password_placeholder(&value[..length])).then_some(start..end)
}

/// Where the scheme before `://` starts, maybe with `jdbc:` before and a driver after a `+`.
fn scheme(text: &Text<'_>, at: usize, schemes: &[&str]) -> Option<usize> {
    let before = &text.bytes[at.saturating_sub(LONGEST_SCHEME)..at];
    let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || b"+_-.".contains(byte);
    let length = before.iter().rev().take_while(|byte| is_scheme(byte)).count();
    let mut part_start = at - length;
    for part in before[before.len() - length..].split(|&byte| byte == b'+') {
        let part_end = part_start + part.len();
        let named = schemes.iter().filter(|name| part.ends_with(name.as_bytes()));
        let starts = named.map(|name| part_end - name.len());
        if let Some(start) = starts.filter(|&start| text.left_edge(start)).min() {
            let java = start.checked_sub(5).filter(|&place| text.has(place, b"jdbc:"));
            return Some(java.unwrap_or(start));
        }
        part_start = part_end + 1;
    }
    None
}

/// What stands before and after the first colon.
fn split(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = memchr::memchr(b':', text)?;
    Some((&text[..colon], &text[colon + 1..]))
}

/// Whether what stands in place of a password says only that one belongs there.
pub(super) fn is_password_placeholder(password: &[u8]) -> bool {
    let password = decode(&password[..password.len().min(256)]);
    let (Some(&first), Some(&last)) = (password.first(), password.last()) else { return true };
    let named = |name: &[u8]| {
        let is_name = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
        let is_constant = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
        !name.is_empty() && (name.iter().all(is_name) || name.iter().all(is_constant))
    };
    let enclosed = matches!((first, last), (b'{', b'}') | (b'<', b'>') | (b'[', b']') | (b'%', b'%'));
    let variable = first == b'$' && (named(&password[1..]) || matches!(password.get(1), Some(b'{' | b'(')));
    if enclosed || variable || password.iter().all(|&byte| byte == first) {
        return true;
    }
    // What a redaction leaves, maybe cut at its space.
    if password.starts_with(b"[secret") {
        return true;
    }
    if password == b"%s" || password.starts_with(b"%(") || password.starts_with("…".as_bytes()) {
        return true;
    }
    let word: Vec<u8> = password.iter().filter(|byte| byte.is_ascii_alphanumeric()).copied().collect();
    let word = word.to_ascii_lowercase();
    let stripped = [&b"your"[..], b"my", b"db", b"the", b"user", b"database", b"postgres", b"redis"]
        .iter()
        .find_map(|owner| word.strip_prefix(*owner))
        .unwrap_or(&word);
    let words = [&b"password"[..], b"passwd", b"pass", b"pwd", b"pw", b"passwordhere", b"changeme"];
    words.contains(&stripped)
        || words.contains(&&*word)
        || (password.len() >= 8 && is_placeholder(&password) && word.len() * 2 >= password.len())
}
