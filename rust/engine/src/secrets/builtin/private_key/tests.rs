//! What private keys look like, and what only mentions them.

use crate::secrets::sample::*;

const BEGIN: &str = concat!("-----BEG", "IN RSA PRIVATE KEY-----");
const END: &str = concat!("-----E", "ND RSA PRIVATE KEY-----");

/// Lines of a key's body.
fn body(lines: usize, join: &str) -> String {
    let line = |number: usize| random(BASE64, 60 + number % 2);
    let lines: Vec<_> = (0..lines).map(line).chain([random(BASE64, 22) + "=="]).collect();
    lines.join(join)
}

#[track_caller]
fn assert_key(text: &str, key: &str) {
    assert_eq!(found(text), [("private-key".to_owned(), key.to_owned())], "{text}");
}

#[test]
fn a_key_is_hidden_from_its_header_to_its_end_however_its_lines_are_joined() {
    for join in [
        "\n",
        "\r\n",
        "\\n",
        "\\\\n",
        "\\r\\n",
        " ",
        "\n+",
        "\n    ",
        "\\n\" +\n  \"",
        "&#10;",
        "<br>",
        "\n12: ",
        "%0A",
    ] {
        let key = format!("{BEGIN}{join}{}{join}{END}", body(5, join));
        assert_key(&key, &key);
        assert_key(&format!("key: \"{key}\", next: 1\n"), &key);
    }
}

#[test]
fn an_end_may_be_missing_or_on_the_same_line_or_of_another_kind() {
    let body = body(3, "\n");
    let cut = format!("{BEGIN}\n{body}");
    assert_key(&cut, &cut);
    assert_key(&cut[..cut.len() - 60], &cut[..cut.len() - 60]);
    assert_key(&format!("{cut}\nThis is what follows the key.\n"), &cut);
    for end in [format!("{body}{END}"), format!("{body}\n{}", END.replace("RSA ", ""))] {
        let key = format!("{BEGIN}\n{end}");
        assert_key(&format!("{key}\nnext line\n"), &key);
    }
}

#[test]
fn lines_with_names_belong_to_the_key() {
    let key =
        format!("{BEGIN}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123\n\n{}\n{END}", body(4, "\n"));
    assert_key(&key, &key);
}

#[test]
fn a_header_in_prose_hides_nothing() {
    assert_plain(&format!("A key starts with {BEGIN} and is kept in a file that nobody else reads.\n"));
    assert_plain(&format!("if text.startswith(\"{BEGIN}\"):\n    return parse_the_key_of_a_server(text)\n"));
    assert_plain(&format!("{BEGIN}\n...\n{END}\n"));
    assert_plain(&format!("{BEGIN}\n<your key>\n{END}\n"));
    assert_plain(&format!("{BEGIN}\n{}\n{END}\n", "x".repeat(64)));
    assert_plain(&format!("[\"{BEGIN}\", \"{END}\"]\n"));
    assert_plain("# THE PRIVATE KEY OF THE SERVER\n");
}

#[test]
fn public_keys_and_certificates_stay() {
    for kind in ["PUBLIC KEY", "RSA PUBLIC KEY", "CERTIFICATE", "PGP PUBLIC KEY BLOCK", "CERTIFICATE REQUEST"]
    {
        let dashes = "-".repeat(5);
        let text = format!("{dashes}BEGIN {kind}{dashes}\n{}\n{dashes}END {kind}{dashes}\n", body(3, "\n"));
        assert_plain(&text);
    }
}

#[test]
fn a_second_key_and_a_certificate_after_a_key_are_told_apart() {
    let key = format!("{BEGIN}\n{}\n{END}", body(3, "\n"));
    let certificate = key.replace("RSA PRIVATE KEY", "CERTIFICATE");
    assert_key(&format!("{certificate}\n{key}\n{certificate}\n"), &key);
    // Also when its own end is missing.
    let cut = key.strip_suffix(END).expect("it ends so").trim_end();
    assert_key(&format!("{cut}\n{certificate}\n"), cut);
    let two = found(&format!("{key}\n{key}\n"));
    assert_eq!(two.len(), 2);
}

#[test]
fn keys_of_putty_and_age_are_hidden() {
    for join in ["\n", "\\n", "\r\n"] {
        let lines = body(2, join);
        let key = [
            concat!("PuTTY-User-", "Key-File-2: ssh-rsa"),
            "Encryption: none",
            "Comment: imported key",
            "Public-Lines: 3",
            &lines,
            "Private-Lines: 3",
            &lines,
            "Private-MAC: 0123456789abcdef",
        ]
        .join(join);
        assert_key(&format!("{key}{join}next"), &key);
    }
    let age = format!("{}{}", concat!("AGE-", "SECRET-KEY-1"), random(BASE32, 58));
    assert_hidden("private-key", &age);
    assert_plain("AGE-SECRET-KEY-1... AGE-SECRET-KEY-1QQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ");
}
