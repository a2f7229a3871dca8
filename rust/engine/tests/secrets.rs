//! Secrets that are planted, of every rule and in every place, are found and hidden whole.

use std::ops::Range;

use proptest::prelude::*;
use versiondiff_engine::secrets::{MARK, Rules, locate, redact};

const ALPHANUMERIC: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const BASE64URL: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE32: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const BECH32: &str = "023456789ACDEFGHJKLMNPQRSTUVWXYZ";
const HEX: &str = "0123456789abcdef";

/// Draws characters, the same ones for the same seed.
struct Draw(u64);

impl Draw {
    fn number(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % below
    }

    fn string(&mut self, alphabet: &str, length: usize) -> String {
        let mut character = || char::from(alphabet.as_bytes()[self.number(alphabet.len())]);
        (0..length).map(|_| character()).collect()
    }
}

/// A text with a secret in it.
#[derive(Clone, Debug)]
struct Planted {
    rule: &'static str,
    text: String,
    /// What must not be seen.
    random: Range<usize>,
}

impl Planted {
    fn new(rule: &'static str, before: &str, random: &str, after: &str) -> Self {
        let text = format!("{before}{random}{after}");
        Self { rule, text, random: before.len()..before.len() + random.len() }
    }
}

/// A key in lines of 64 characters.
fn key(rule: &'static str, draw: &mut Draw, kind: &str, length: usize, end: &str) -> Planted {
    let body = draw.string(BASE64, length);
    let lines: Vec<_> = body.as_bytes().chunks(64).map(String::from_utf8_lossy).collect();
    let dashes = "-".repeat(5);
    let begin = format!("{dashes}BEGIN {kind}{dashes}\n");
    Planted::new(rule, &begin, &lines.join("\n"), &end.replace('~', &dashes))
}

/// One secret of every rule, some rules with several forms.
fn secrets(seed: u64) -> Vec<Planted> {
    let draw = &mut Draw(seed | 1);
    let mut all = Vec::new();
    let mut token = |rule, prefix: &str, alphabet, length| {
        all.push(Planted::new(rule, prefix, &draw.string(alphabet, length), ""));
    };
    for (kind, length) in [("", 48), ("", 32), ("proj-", 156), ("proj-", 48), ("svcacct-", 124)] {
        token("openai-key", &format!("sk-{kind}"), BASE64URL, length);
    }
    token("openai-key", "sk-admin-", BASE64URL, 120);
    token("openai-key", "sk-None-", ALPHANUMERIC, 48);
    token("openai-key", "sk-", HEX, 32);
    token("anthropic-key", "sk-ant-api03-", BASE64URL, 95);
    token("anthropic-key", "sk-ant-admin01-", BASE64URL, 95);
    token("xai-key", "xai-", ALPHANUMERIC, 80);
    for kind in ["p", "o", "u", "s", "r"] {
        token("github-token", &format!("gh{kind}_"), ALPHANUMERIC, 36);
    }
    token("gitlab-token", "glpat-", BASE64URL, 20);
    token("docker-token", "dckr_pat_", BASE64URL, 27);
    token("shopify-token", "shpat_", HEX, 32);
    token("groq-key", "gsk_", ALPHANUMERIC, 52);
    token("perplexity-key", "pplx-", ALPHANUMERIC, 48);
    token("replicate-key", "r8_", ALPHANUMERIC, 37);
    token("hugging-face-token", "hf_", ALPHANUMERIC, 34);
    token("nvidia-key", "nvapi-", BASE64URL, 64);
    token("jina-key", "jina_", ALPHANUMERIC, 60);
    token("tavily-key", "tvly-", ALPHANUMERIC, 32);
    token("langsmith-key", "lsv2_pt_", HEX, 32);
    token("pinecone-key", "pcsk_", ALPHANUMERIC, 70);
    token("google-api-key", "AIza", BASE64URL, 35);
    token("google-oauth-secret", "GOCSPX-", BASE64URL, 28);
    token("google-access-token", "ya29.", BASE64URL, 160);
    for prefix in ["AKIA", "ASIA", "ABIA", "ACCA"] {
        token("aws-access-key-id", prefix, BASE32, 16);
    }
    token("aws-secret-access-key", "aws_secret_access_key = ", BASE64, 40);
    token("digitalocean-token", "dop_v1_", HEX, 64);
    token("slack-token", "xoxb-123456789012-123456789012-", ALPHANUMERIC, 24);
    token("slack-token", "xapp-1-A0123456789-1234567890123-", HEX, 64);
    let host = concat!("https://hooks.", "slack.com/services");
    token("slack-webhook", &format!("{host}/T0123ABCD/B0123ABCD/"), ALPHANUMERIC, 24);
    for prefix in ["sk_live_", "rk_live_", "sk_test_"] {
        token("stripe-key", prefix, ALPHANUMERIC, 24);
    }
    token("webhook-secret", "whsec_", ALPHANUMERIC, 32);
    token("telegram-bot-token", "123456789:AA", BASE64URL, 33);
    token("twilio-key", "SK", HEX, 32);
    token("npm-token", "npm_", ALPHANUMERIC, 36);
    token("pypi-token", concat!("pypi-", "AgEIcHlwaS5vcmc"), BASE64URL, 150);
    token("notion-token", "ntn_", ALPHANUMERIC, 46);
    token("notion-token", "secret_", ALPHANUMERIC, 43);
    token("supabase-key", "sbp_", HEX, 40);
    token("supabase-key", "sb_secret_", BASE64URL, 31);
    token("private-key", concat!("AGE-", "SECRET-KEY-1"), BECH32, 58);
    let part = |draw: &mut Draw, length| draw.string(BASE64URL, length);
    let personal = format!("{}_{}", draw.string(ALPHANUMERIC, 22), draw.string(ALPHANUMERIC, 59));
    all.push(Planted::new("github-token", "github_pat_", &personal, ""));
    let jwt = format!("{}.eyJ{}.{}", part(draw, 33), part(draw, 200), part(draw, 43));
    all.push(Planted::new("jwt", "eyJ", &jwt, ""));
    all.push(Planted::new("github-token", "ghs_1234567_eyJ", &jwt, ""));
    let sendgrid = format!("{}.{}", part(draw, 22), part(draw, 43));
    all.push(Planted::new("sendgrid-key", "SG.", &sendgrid, ""));
    let airtable = format!("{}.{}", draw.string(ALPHANUMERIC, 14), draw.string(HEX, 64));
    all.push(Planted::new("airtable-token", "pat", &airtable, ""));
    for (rule, before, after) in [
        ("postgres-url", "postgres://flow:", "@db.example.com:5432/app"),
        ("postgres-url", "postgresql+asyncpg://flow:", "@db/app?ssl=true"),
        ("postgres-url", "jdbc:postgresql://db/app?user=flow&password=", "&ssl=true"),
        ("postgres-url", "host=db dbname=app user=flow password=", " port=5432"),
        ("database-url", "mongodb+srv://flow:", "@cluster.example.net/app"),
        ("database-url", "redis://:", "@cache:6379/0"),
    ] {
        let password = draw.string(ALPHANUMERIC, 20);
        all.push(Planted::new(rule, before, &password, after));
    }
    let odd = format!("{}@{}#", draw.string(ALPHANUMERIC, 9), draw.string(ALPHANUMERIC, 9));
    all.push(Planted::new("postgres-url", "postgres://flow:", &odd, "@db/app"));
    for (kind, length) in
        [("RSA ", 240), ("EC ", 164), ("", 216), ("DSA ", 200), ("ENCRYPTED ", 192), ("OPENSSH ", 388)]
    {
        let kind = format!("{kind}PRIVATE KEY");
        for end in [format!("\n~END {kind}~\n"), "\n".into(), format!("~END {kind}~"), "\n~END X~".into()] {
            all.push(key("private-key", draw, &kind, length, &end));
        }
    }
    let block = "PGP PRIVATE KEY BLOCK";
    all.push(key("private-key", draw, block, 250, &format!("\n=aB3d\n~END {block}~")));
    all
}

fn wide(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(unit).collect()
}

/// A text within quotes of JSON, without them.
fn json(text: &str) -> String {
    let quoted = serde_json::to_string(text).expect("text is JSON");
    quoted[1..quoted.len() - 1].to_owned()
}

/// JSON in which no punctuation stands as it is.
fn json_of_codes(text: &str) -> String {
    let write = |character: char| match character {
        'a'..='z' | 'A'..='Z' | '0'..='9' => character.to_string(),
        _ => format!("\\u{:04x}", u32::from(character)),
    };
    text.chars().map(write).collect()
}

fn percent(text: &str) -> String {
    let write = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'.' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(write).collect()
}

/// How a text is written.
type Write = fn(&str) -> Vec<u8>;

/// Each way of writing text that the scanner sees through.
const WRITTEN: &[(&str, Write)] = &[
    ("plainly", |text| text.into()),
    ("in a JSON string", |text| json(text).into()),
    ("in JSON within JSON", |text| json(&json(text)).into()),
    ("with slashes escaped", |text| json(text).replace('/', "\\/").into()),
    ("with codes", |text| json_of_codes(text).into()),
    ("with codes within JSON", |text| json(&json_of_codes(text)).into()),
    ("for a URL", |text| percent(text).into()),
    ("for a URL twice", |text| percent(&percent(text)).into()),
    ("in UTF-16, little endian", |text| wide(text, u16::to_le_bytes)),
    ("in UTF-16, big endian", |text| wide(text, u16::to_be_bytes)),
    ("in JSON in UTF-16", |text| wide(&json(text), u16::to_le_bytes)),
];

/// What stands before and after a secret.
const AROUND: &[(&str, &str)] = &[
    ("", ""),
    ("", "\n"),
    ("\n", ""),
    ("KEY=", "\nNEXT=1\n"),
    ("key: ", "\n"),
    ("{\"key\": \"", "\"}"),
    ("key = '", "'\n"),
    ("`", "`"),
    ("(", ")"),
    ("+", "\n+next\n"),
    ("-", "\n"),
    ("first\n", "\nlast"),
    ("first\r\n", "\r\nlast"),
    ("\t", "\t"),
    ("\0", "\0"),
    ("鍵は", "です"),
    ("値:", ""),
    ("/folder/", "\n"),
    ("https://example.com/?a=b&key=", "\n"),
    ("Bearer ", "\r\n"),
    ("\u{1b}[31m", "\u{1b}[0m"),
    ("<key>", "</key>"),
    ("a,", ",b"),
];

fn encode(planted: &Planted, around: (&str, &str), written: Write) -> (Vec<u8>, Range<usize>) {
    let mut bytes = written(&format!("{}{}", around.0, &planted.text[..planted.random.start]));
    let start = bytes.len();
    bytes.extend(written(&planted.text[planted.random.clone()]));
    let end = bytes.len();
    bytes.extend(written(&format!("{}{}", &planted.text[planted.random.end..], around.1)));
    (bytes, start..end)
}

fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn check(planted: &Planted, around: (&str, &str), name: &str, written: Write) {
    let (bytes, random) = encode(planted, around, written);
    let rules = Rules::builtin();
    let findings = rules.scan(&bytes, None);
    let context = || format!("{} {name} in {around:?}: {}\n{findings:?}", planted.rule, shown(&bytes));
    let covering =
        findings.iter().find(|finding| finding.span.start <= random.start && finding.span.end >= random.end);
    assert!(covering.is_some(), "not hidden: {random:?} {}", context());
    assert_eq!(covering.map(|finding| rules.name(finding.rule)), Some(planted.rule), "{}", context());
    assert_eq!(locate(&bytes, &findings).len(), findings.len());
    let redacted = redact(&bytes, &findings);
    let parts = planted.text.as_bytes()[planted.random.clone()].windows(8);
    let mut parts = parts.filter(|part| part.iter().all(u8::is_ascii_alphanumeric)).map(shown);
    let visible = parts.find(|part| memmem(&redacted, &written(part)));
    assert_eq!(visible, None, "{}", context());
    let again = rules.scan(&redacted, None);
    assert!(again.is_empty(), "found again: {again:?} in {} after {}", shown(&redacted), context());
}

fn memmem(text: &[u8], part: &[u8]) -> bool {
    bstr::ByteSlice::contains_str(text, part)
}

#[test]
fn every_rule_is_planted() {
    let mut names: Vec<_> = secrets(1).iter().map(|planted| planted.rule).collect();
    names.sort_unstable();
    names.dedup();
    let rules = Rules::builtin();
    let mut known = rules.names();
    known.sort_unstable();
    assert_eq!(names, known);
}

#[test]
fn secrets_of_every_rule_are_hidden_whole_wherever_and_however_they_are_written() {
    for planted in secrets(0x0bad_5eed) {
        for &around in AROUND {
            for &(name, written) in WRITTEN {
                check(&planted, around, name, written);
            }
        }
    }
}

#[test]
fn keys_are_hidden_whatever_stands_before_their_lines() {
    let rules = Rules::builtin();
    for planted in secrets(7).iter().filter(|planted| planted.text.contains("PRIVATE KEY")) {
        for (before, after) in [
            ("+", ""),
            ("-", ""),
            (" ", ""),
            ("> ", ""),
            ("# ", ""),
            ("// ", ""),
            ("    ", ""),
            ("\t", ""),
            ("\"", "\\n\" +"),
            ("'", "',"),
            (" * ", ""),
            ("| ", ""),
            ("", " \\"),
            ("+    ", "\r"),
        ] {
            let write = |text: &str| text.replace('\n', &format!("{after}\n{before}"));
            let text = format!("{before}{}{after}\nafter the key\n", write(&planted.text));
            let findings = rules.scan(text.as_bytes(), None);
            let redacted = shown(&redact(text.as_bytes(), &findings));
            let body = &planted.text[planted.random.clone()];
            for line in body.lines() {
                for part in line.as_bytes().windows(8) {
                    assert!(!memmem(redacted.as_bytes(), part), "{before:?} {after:?} {text}\n{redacted}");
                }
            }
            assert!(redacted.contains("after the key"), "{redacted}");
        }
    }
}

#[test]
fn what_stands_after_a_key_stays() {
    let certificate = {
        let dashes = "-".repeat(5);
        format!(
            "{dashes}BEGIN CERTIFICATE{dashes}\n{}\n{dashes}END CERTIFICATE{dashes}\n",
            Draw(3).string(BASE64, 64)
        )
    };
    let rules = Rules::builtin();
    for planted in secrets(9).iter().filter(|planted| planted.text.contains("PRIVATE KEY")) {
        if planted.text.trim_end().ends_with('-') {
            let text = format!("{}\n{certificate}", planted.text);
            let redacted = shown(&redact(text.as_bytes(), &rules.scan(text.as_bytes(), None)));
            assert!(redacted.ends_with(&certificate), "{redacted}");
        }
    }
}

/// Pieces that secrets are made of, to be joined in ways nobody thought of.
const PIECES: &[&str] = &[
    "-----BEGIN ",
    "RSA PRIVATE KEY",
    "-----",
    "-----END ",
    "\\",
    "\\\\n",
    "\\u00",
    "\\u002d",
    "2d",
    "%",
    "%2D",
    "%25",
    "@",
    "://",
    "postgres",
    ":",
    "/",
    "eyJ",
    ".",
    "\0",
    "\n",
    "sk-",
    "sk-ant-",
    "ghp_",
    "ghs_1_eyJ",
    "AKIA",
    "pat",
    "SG.",
    ":AA",
    "123456789",
    "xoxb-",
    "password=",
    "host=",
    "?",
    "&",
    "\"",
    "'",
    " ",
    "{",
    "<",
    "é",
    "鍵",
    "SK",
    "aws_secret_access_key",
    "=",
    "PuTTY-User-Key-File-2: ",
    "Private-Lines: 2\n",
    "AGE-SECRET-KEY-1",
    "redis://",
    "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0NTY3",
    "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5z",
    "0123456789abcdef0123456789abcdef",
    "[secret hidden]",
    "h\0o\0s\0t\0",
    "T\0o\0",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn secrets_are_hidden_at_any_distance_from_the_start(seed: u64, pad in 0usize..200, which: usize) {
        let all = secrets(seed);
        let planted = &all[which % all.len()];
        let before = format!("{} ", "a".repeat(pad));
        for &(name, written) in WRITTEN {
            check(planted, (&before, " z"), name, written);
        }
    }

    #[test]
    fn two_secrets_are_both_hidden(seed: u64, one: usize, two: usize, gap in 0usize..AROUND.len()) {
        let all = secrets(seed);
        let (one, two) = (&all[one % all.len()], &all[two % all.len()]);
        let between = [" ", "\n", "\",\"", "\0"][gap % 4];
        let text = format!("{}{between}{}\n", one.text, two.text);
        let rules = Rules::builtin();
        let redacted = redact(text.as_bytes(), &rules.scan(text.as_bytes(), None)).into_owned();
        for planted in [one, two] {
            for line in planted.text[planted.random.clone()].lines() {
                prop_assert!(!line.as_bytes().windows(8).any(|part| memmem(&redacted, part)), "{text}");
            }
        }
    }

    #[test]
    fn findings_of_any_bytes_are_in_order_and_redaction_leaves_none(
        pieces in prop::collection::vec(0..PIECES.len(), 0..40),
        noise in prop::collection::vec(any::<u8>(), 0..20),
        at: usize,
    ) {
        let mut bytes: Vec<u8> = pieces.iter().flat_map(|&piece| PIECES[piece].bytes()).collect();
        let at = at % (bytes.len() + 1);
        bytes.splice(at..at, noise);
        let rules = Rules::builtin();
        let findings = rules.scan(&bytes, None);
        let mut end = 0;
        for (index, finding) in findings.iter().enumerate() {
            prop_assert!(index == 0 || finding.span.start > end);
            prop_assert!(finding.span.start < finding.span.end);
            end = finding.span.end;
        }
        prop_assert!(end <= bytes.len());
        let redacted = redact(&bytes, &findings);
        let again = rules.scan(&redacted, None);
        prop_assert!(again.is_empty(), "{:?} in {:?} from {:?}", again, shown(&redacted), shown(&bytes));
    }

    #[test]
    fn text_without_their_literals_holds_no_secrets(
        words in prop::collection::vec("[b-dlm0-9 =.\n]{0,60}", 0..60),
    ) {
        prop_assert_eq!(Rules::builtin().scan(words.concat().as_bytes(), None), vec![]);
    }
}

#[test]
fn rules_are_switched_off_by_name() {
    let rules = Rules::builtin().without(["openai-key", "jwt"]).expect("both are rules");
    assert!(!rules.names().contains(&"openai-key"));
    assert_eq!(rules.names().len() + 2, Rules::builtin().names().len());
    let key = secrets(5).remove(0);
    assert_eq!(key.rule, "openai-key");
    assert_eq!(rules.scan(key.text.as_bytes(), None), []);
    let unknown = Rules::builtin().without(["openai-key", "no-such"]).expect_err("there is none");
    assert_eq!(unknown.to_string(), "no secret rule is named no-such");
    assert!(rules.without(["jwt"]).is_err(), "it is off already");
}

#[test]
fn the_mark_is_no_secret_and_stays() {
    for text in [MARK.to_owned(), format!("sk-{MARK} password={MARK} host=x postgres://u:{MARK}@h")] {
        assert_eq!(Rules::builtin().scan(text.as_bytes(), None), []);
    }
}
