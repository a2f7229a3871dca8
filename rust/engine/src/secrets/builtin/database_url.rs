//! URLs with a password of databases other than Postgres, caches and brokers.

use super::Rule;
use super::connection::{in_query, url};

/// Schemes of what flows connect to.
const SCHEMES: &[&str] = &[
    "mongodb",
    "mysql",
    "mariadb",
    "redis",
    "rediss",
    "valkey",
    "amqp",
    "amqps",
    "mssql",
    "sqlserver",
    "oracle",
    "clickhouse",
    "neo4j",
    "bolt",
    "nats",
    "couchdb",
    "cassandra",
    "elasticsearch",
    "mqtt",
    "mqtts",
    "ldap",
    "ldaps",
    "smtp",
    "smtps",
    "snowflake",
    "libsql",
];

/// URL of a database, cache or broker with a password.
pub(super) const RULE: Rule = Rule {
    name: "database-url",
    description: "URL of a database, cache or broker with a password",
    literals: &["://", "sword"],
    verify: |text, at| {
        let last = &text.last_url[1];
        if text.has(at, b"://") { url(text, at, SCHEMES, last) } else { in_query(text, at, last) }
    },
};

#[cfg(test)]
mod tests {
    use crate::secrets::sample::*;

    #[test]
    fn urls_are_hidden_whole() {
        let password = random(ALPHANUMERIC, 20);
        for (scheme, user) in [
            ("mongodb+srv", "flow"),
            ("mysql+pymysql", "flow"),
            ("jdbc:mysql", "flow"),
            ("redis", ""),
            ("rediss", "default"),
            ("amqps", "flow"),
        ] {
            assert_hidden("database-url", &format!("{scheme}://{user}:{password}@host:1234/name"));
        }
        let url = format!("jdbc:mysql://h/db?user=u&password={password}");
        assert_eq!(found(&url), [("database-url".to_owned(), url.clone())]);
    }

    #[test]
    fn what_holds_no_password_stays() {
        assert_plain("redis://localhost:6379/0 mongodb://localhost:27017/?authSource=admin");
        assert_plain("mongodb+srv://<user>:<password>@cluster0.mongodb.net amqp://guest:guest@localhost");
        assert_plain("https://example.com:8080/a@b");
    }
}
