//! Postgres: URLs with a password (`postgres://`, `postgresql://`, with a driver after `+`, with
//! `jdbc:` before, with the password in the query), and the form with keywords, `host=… password=…`.

use std::ops::Range;

use super::Rule;
use super::connection::{in_query, is_password_placeholder, url};
use crate::secrets::text::Text;

/// Schemes of Postgres and of what speaks its protocol.
pub(super) const SCHEMES: &[&str] =
    &["postgres", "postgresql", "psql", "pgsql", "postgis", "cockroachdb", "timescaledb"];

/// So far around a password another keyword is looked for.
const NEAR: usize = 256;

/// Address of a Postgres database with a password.
pub(super) const RULE: Rule = Rule {
    name: "postgres-url",
    description: "URL or keywords that open a Postgres database with a password",
    literals: &["://", "sword"],
    verify,
};

fn verify(text: &Text<'_>, at: usize) -> Option<Range<usize>> {
    let last = &text.last_url[0];
    if text.has(at, b"://") {
        url(text, at, SCHEMES, last)
    } else {
        in_query(text, at, last).or_else(|| keyword(text, at))
    }
}

/// What stands before `sword` in the keyword.
fn is_password(before: &[u8]) -> bool {
    matches!(before, b"pas" | b"Pas")
}

/// The value of `password=` where `host=`, `dbname=` or the like stands near.
fn keyword(text: &Text<'_>, at: usize) -> Option<Range<usize>> {
    let start = at.checked_sub(3).filter(|&start| is_password(text.part(start..at)))?;
    let spaces = |place: usize| text.count(place, 8, |byte| byte == b' ');
    let equals = at + 5 + spaces(at + 5);
    if text.get(equals) != Some(b'=') || !text.left_edge(start) {
        return None;
    }
    let value = equals + 1 + spaces(equals + 1);
    let near = text.part(start.saturating_sub(NEAR)..equals + NEAR);
    let beside = [&b"host"[..], b"dbname", b"Host", b"Server", b"Database"];
    let is_beside = |name: &&[u8]| {
        memchr::memmem::find_iter(near, name).any(|place| {
            let rest = near[place + name.len()..].trim_ascii_start();
            rest.first() == Some(&b'=') || rest.starts_with(b"addr=")
        })
    };
    if !beside.iter().any(is_beside) {
        return None;
    }
    let quote = text.get(value).filter(|byte| matches!(byte, b'\'' | b'"'));
    let span = if let Some(quote) = quote {
        let rest = text.part(value + 1..text.bytes.len().min(value + 4096));
        let mut escaped = false;
        let length = rest.iter().position(|&byte| {
            let closes = (byte == quote && !escaped) || byte == b'\n';
            escaped = byte == b'\\' && !escaped;
            closes
        });
        value + 1..value + 1 + length.unwrap_or(rest.len())
    } else {
        let class =
            |byte: u8| !matches!(byte, 0..=b' ' | b'"' | b'\'' | b'`' | b',' | b';' | b')' | b'\\' | b'&');
        let end = value + text.count(value, 4096, class);
        let is_code = matches!(text.get(end), Some(b',' | b')'))
            || text.part(value..end).iter().any(|byte| matches!(byte, b'(' | b'['));
        // `password = url.password` is a name, not a value.
        let is_name = equals > at + 5
            && text.part(value..end).iter().all(|&byte| byte.is_ascii_alphabetic() || b"._:".contains(&byte));
        if is_code || is_name {
            return None;
        }
        value..end
    };
    (!is_password_placeholder(text.part(span.clone()))).then_some(span)
}

#[cfg(test)]
mod tests {
    use crate::secrets::sample::*;

    const NAME: &str = "postgres-url";
    const SCHEME: &str = concat!("postgres", "://");

    fn password() -> String {
        random(ALPHANUMERIC, 20)
    }

    #[track_caller]
    fn assert_all_hidden(text: &str) {
        assert_eq!(found(text), [(NAME.to_owned(), text.to_owned())]);
    }

    #[test]
    fn urls_of_every_scheme_are_hidden_whole() {
        for scheme in [
            "postgres",
            "postgresql",
            "postgresql+asyncpg",
            "postgresql+psycopg2",
            "jdbc:postgresql",
            "pgsql",
        ] {
            let url = format!("{scheme}://flow:{}@db.example.com:5432/app?sslmode=require", password());
            assert_hidden(NAME, &url);
        }
    }

    #[test]
    fn a_password_reaches_to_the_last_at_sign() {
        for password in ["p@ss@w0rd!", "a:b:c#1", "100%25-sure", "x?y#z", "pa/ss1", "p%40ss", "p'q"] {
            let url = format!("{SCHEME}u:{password}{}@h/db", random(ALPHANUMERIC, 12));
            assert_eq!(found(&format!("\"{url}\"")), [(NAME.to_owned(), url)]);
        }
    }

    #[test]
    fn a_password_in_the_query_is_hidden() {
        assert_all_hidden(&format!("jdbc:postgresql://h/db?user=u&password={}&ssl=true", password()));
        assert_all_hidden(&format!("postgresql:///db?host=/run&password={}", password()));
    }

    #[test]
    fn a_password_among_keywords_is_hidden() {
        for (before, after) in [
            ("host=db dbname=app user=u password=", ""),
            ("\"password=", " host=db\""),
            ("host = 'db' password = '", "'"),
            ("Host=db;Username=u;Password=", ";Database=app"),
            ("psycopg2.connect(host=\"db\", password=\"", "\")"),
        ] {
            let text = format!("{before}{}{after}", password());
            assert_eq!(found(&text), [(NAME.to_owned(), password())], "{text}");
        }
    }

    #[test]
    fn escaped_urls_are_hidden() {
        let password = password();
        for url in [
            format!(r"postgres:\/\/u:{password}@h\/db"),
            format!(r"postgres://u:{password}\u0040h/db"),
            format!(r"postgres://u:p\u0040{password}@h/db"),
            format!("postgres%3A%2F%2Fu%3A{password}%40h%2Fdb"),
        ] {
            assert_all_hidden(&url);
            assert_eq!(found(&format!(r#"{{"a":"{url}"}}"#)), [(NAME.to_owned(), url)]);
        }
    }

    #[test]
    fn placeholders_and_urls_without_a_password_stay() {
        for rest in [
            "user:password@localhost",
            "user:pass@localhost:5432/db",
            "postgres:postgres@localhost/db",
            "user:${DB_PASSWORD}@host/db",
            "user:$PGPASSWORD@host/db",
            "user:<password>@host/db",
            "{user}:{password}@{host}/db",
            "user:your_password@host",
            "user:[YOUR-PASSWORD]@host",
            "user:***@host",
            "user:xxxxxxxx@host",
            "user:%s@host",
            "user@host:5432/db",
            "host:5432/db?options=a@b",
            "host/db",
            "user:%3Cpassword%3E@host",
            r"user:\u003cpassword\u003e@host",
        ] {
            assert_plain(&format!("{SCHEME}{rest}"));
        }
        assert_plain("connect(host=host, password=password, dbname=name)");
        assert_plain("host = url.host\npassword = url.password\n");
        assert_plain("host=db password=$PGPASSWORD user=u");
        assert_plain("password=hunter22hunter");
    }
}
