//! Hostile text is scanned in time linear in its length.
//!
//! Measured with the release build, CPU time of one core, on a busy machine: no flood below 8 MB/s, most
//! above 30 MB/s. The bound here is loose, for debug builds on a busy machine; it is broken at once by
//! anything that grows with the square of the length.

use std::time::{Duration, Instant};

use versiondiff_engine::secrets::{Rules, locate, redact};

/// Long enough that a quadratic scan would take minutes.
const LENGTH: usize = 400_000;

const BOUND: Duration = Duration::from_secs(30);

fn flood(piece: &[u8]) {
    let text: Vec<u8> = piece.iter().copied().cycle().take(LENGTH).collect();
    let start = Instant::now();
    let rules = Rules::builtin();
    let findings = rules.scan(&text, None);
    locate(&text, &findings);
    redact(&text, &findings);
    assert!(start.elapsed() < BOUND, "{}", String::from_utf8_lossy(piece));
}

macro_rules! floods {
    ($($name:ident: $piece:expr;)*) => {
        $(#[test] fn $name() { flood($piece); })*
    };
}

floods! {
    begin: b"-----BEGIN";
    begin_key: b"-----BEGIN RSA PRIVATE KEY-----";
    begin_key_and_lines: b"-----BEGIN RSA PRIVATE KEY-----\n\n\n\n";
    begin_key_and_words: b"-----BEGIN RSA PRIVATE KEY----- a b c ";
    private: b"PRIVATE KEY ";
    begin_escaped: b"\\u002d\\u002d\\u002d\\u002d\\u002dBEGIN PRIVATE KEY";
    dashes: b"-";
    putty: b"PuTTY-User-Key-File-2: a\n";
    putty_headers: b"PuTTY-User-Key-File-2: a\nb: c\n";
    postgres: b"postgres://a:";
    postgres_spaced: b"postgres://a: ";
    postgres_quoted: b"'postgres://a:";
    postgres_at: b"postgres://a:b@";
    postgres_slash: b"postgres://a:b/";
    scheme: b"://";
    schemes: b"+postgres";
    at_signs: b"@";
    password: b"password=";
    password_host: b"host=a password=b ";
    password_quoted: b"host= password='";
    password_query: b"postgresql:///?password=";
    openai: b"sk-a ";
    openai_joined: b"sk-a-";
    openai_bare: b"sk-";
    jwt: b"eyJ";
    jwt_joined: b"-eyJ";
    jwt_dotted: b".eyJ";
    jwt_long: b"eyJhbGciOiJIUzI1NiJ9.";
    github_jwt: b"-ghs_1_eyJ.";
    airtable: b"pat";
    dotted: b"ya29.a";
    gitlab: b"glpat-a.";
    telegram: b"1:AA";
    telegram_numbers: b"12345678:AA-";
    sendgrid: b"SG.";
    slack: b"xoxb-";
    slack_dotted: b"xoxb-1.";
    hook: b"hooks.slack.com/services/";
    whsec: b"whsec_/";
    code: b"\\u00";
    code_of_dash: b"\\u002d";
    code_spaced: b"\\u002d a ";
    code_of_secret: b"sk\\u002d";
    percent: b"%2";
    percent_of_dash: b"%2D";
    percent_of_percent: b"%25";
    backslashes: b"\\";
    slashes: b"\\/";
    nuls: b"\0";
    wide: b"s\0k\0-\0";
    wide_broken: b"s\0k\0-\0\0";
    twilio: b"SK0";
    aws: b"AKIA";
    aws_secret: b"aws_secret_access_key=";
    colours: b"\x1b[31m";
    one_line: b"x";
    entities: b"-----BEGIN PRIVATE KEY-----&#10;";
}

#[test]
fn a_header_and_a_long_body() {
    let mut text = b"-----BEGIN PRIVATE KEY-----\n".to_vec();
    for _ in 0..LENGTH / 4 {
        text.extend_from_slice(b"ab\n ");
    }
    let start = Instant::now();
    Rules::builtin().scan(&text, None);
    assert!(start.elapsed() < BOUND);
}
