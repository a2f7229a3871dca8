use std::fmt::Write as _;

use bstr::BStr;

use super::{CustomRules, FILE_BYTES, RuleFileError};

fn rules(text: &str) -> CustomRules {
    let (rules, warnings) = CustomRules::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    assert!(warnings.is_empty(), "{warnings:?}");
    rules
}

fn refusal(text: &str) -> String {
    match CustomRules::parse(text) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("taken: {text}"),
    }
}

fn warnings(text: &str) -> Vec<String> {
    let (_, warnings) = CustomRules::parse(text).expect("is taken");
    warnings.iter().map(ToString::to_string).collect()
}

/// What the rules find, as `rule:secret`.
fn found_at(rules: &CustomRules, content: &str, path: Option<&str>) -> Vec<String> {
    let mut found = Vec::new();
    rules.scan(content.as_bytes(), path.map(BStr::new), &mut found);
    found.into_iter().map(|(rule, span)| format!("{}:{}", rules.name(rule), &content[span])).collect()
}

fn found(rules: &CustomRules, content: &str) -> Vec<String> {
    found_at(rules, content, None)
}

const OWN: &str = r#"
title = "own rules"

[[rules]]
id = "own-token"
description = "A token of our own"
regex = '''\bown_([a-z0-9]{8})(?:[\x60'"\s;]|\\[nr]|$)'''
keywords = ["OWN_"]
tags = ["own"]
"#;

#[test]
fn a_rule_finds_its_first_group_that_is_not_empty() {
    let rules = rules(OWN);
    assert_eq!(rules.len(), 1);
    assert_eq!(
        found(&rules, "a own_abcd1234\nb = \"own_00000000\\n\" xown_abcd1234 own_abcd12345"),
        ["own-token:abcd1234", "own-token:00000000"]
    );
    assert!(found(&rules, "").is_empty());
}

#[test]
fn a_named_group_is_the_secret() {
    let with = |rest: &str| rules(&format!("[[rules]]\nid = \"r\"\nkeywords = [\"key\"]\n{rest}"));
    let both = "regex = '(?P<name>key[0-9])=(?P<value>[a-z]*)'";
    assert_eq!(found(&with(both), "key1=abc"), ["r:key1"]);
    assert_eq!(found(&with(&format!("{both}\nsecretGroup = 2")), "key1=abc"), ["r:abc"]);
    assert_eq!(found(&with(&format!("{both}\nsecretgroup = 2")), "key1="), [] as [&str; 0]);
    assert_eq!(found(&with("regex = '\\nkey[0-9]\\n'"), "\nkey1\n"), ["r:key1"]);
}

#[test]
fn a_rule_runs_only_where_a_keyword_of_it_stands() {
    let rules = rules("[[rules]]\nid = \"r\"\nregex = '[0-9]{4}'\nkeywords = [\"Pin\", \"code\"]");
    assert!(found(&rules, "1234").is_empty());
    assert_eq!(found(&rules, "1234 PINS"), ["r:1234"]);
    assert_eq!(found(&rules, "xCoDex 1234"), ["r:1234"]);
}

#[test]
fn a_secret_has_more_entropy_than_the_rule_asks_for() {
    let rules = rules("[[rules]]\nid = \"r\"\nregex = 'key=(\\w+)'\nentropy = 3\nkeywords = [\"key\"]");
    assert!(found(&rules, "key=aaaaaaaaaaaa").is_empty());
    assert!(found(&rules, "key=abcdefgh").is_empty(), "exactly as much is not more");
    assert_eq!(found(&rules, "key=abcdefghi"), ["r:abcdefghi"]);
}

#[test]
fn a_rule_with_a_path_looks_at_such_files_alone() {
    let rules = rules(
        "[[rules]]\nid = \"r\"\nregex = 'k[0-9]'\nkeywords = [\"k\"]\npath = '\\.env$'\n\
         [[rules]]\nid = \"file\"\npath = '(?i)\\.p12$'",
    );
    assert_eq!(found_at(&rules, "k1", Some("a/.env")), ["r:k1"]);
    assert!(found_at(&rules, "k1", Some("a.env.txt")).is_empty());
    assert!(found(&rules, "k1").is_empty(), "of a text without a path nothing is known");
    assert_eq!(found_at(&rules, "whole\nfile", Some("store.P12")), ["file:whole\nfile"]);
}

#[test]
fn allowlists_allow_by_secret_match_line_path_and_stopword() {
    let with = |list: &str| {
        let rule = "[[rules]]\nid = \"r\"\nregex = 'key=(\\w+)'\nkeywords = [\"key\"]\n";
        rules(&format!("{rule}{list}"))
    };
    let is_found =
        |list: &str, content: &str, path: &str| !found_at(&with(list), content, Some(path)).is_empty();
    for (list, content, path, expected) in [
        ("[[rules.allowlists]]\nregexes = ['^a', '^test']", "key=test", "f", false),
        ("[[rules.allowlists]]\nregexes = ['^key']", "key=test", "f", true),
        ("[[rules.allowlists]]\nregexTarget = \"match\"\nregexes = ['^key']", "key=test", "f", false),
        (
            "[[rules.allowlists]]\nregexTarget = \"line\"\nregexes = ['^# .*demo$']",
            "\n# key=x demo\n",
            "f",
            false,
        ),
        ("[[rules.allowlists]]\nregexTarget = \"line\"\nregexes = ['demo']", "demo\nkey=x\ndemo", "f", true),
        ("[[rules.allowlists]]\nstopwords = [\"Demo\"]", "key=aDEMOb", "f", false),
        ("[[rules.allowlists]]\npaths = ['^vendor/']", "key=x", "vendor/f", false),
        ("[[rules.allowlists]]\npaths = ['^vendor/']", "key=x", "f", true),
        ("[rules.allowlist]\npaths = ['^vendor/']", "key=x", "vendor/f", false),
        ("[allowlist]\npaths = ['^vendor/']", "key=x", "vendor/f", false),
        ("[[allowlists]]\nstopwords = ['demo']", "key=demo", "f", false),
        ("[[allowlists]]\ntargetRules = [\"r\"]\nstopwords = ['demo']", "key=demo", "f", false),
        (
            "[[rules.allowlists]]\ncondition = \"AND\"\npaths = ['^v/']\nregexes = ['^x$']",
            "key=x",
            "v/f",
            false,
        ),
        (
            "[[rules.allowlists]]\ncondition = \"and\"\npaths = ['^v/']\nregexes = ['^x$']",
            "key=y",
            "v/f",
            true,
        ),
        ("[[rules.allowlists]]\ncondition = \"&&\"\npaths = ['^v/']\nregexes = ['^x$']", "key=x", "f", true),
        ("[[rules.allowlists]]\ncondition = \"OR\"\npaths = ['^v/']\nregexes = ['^x$']", "key=x", "f", false),
    ] {
        assert_eq!(is_found(list, content, path), expected, "{list} {content} {path}");
    }
}

#[test]
fn an_allowlist_of_commits_never_allows_alone() {
    let text = "[[rules]]\nid = \"r\"\nregex = 'k[0-9]'\nkeywords = [\"k\"]\n\
                [[rules.allowlists]]\ncondition = \"AND\"\ncommits = [\"abc\"]\nregexes = ['k']";
    assert_eq!(warnings(text), ["line 7, rule r, commits: not looked at: what they allow is found"]);
    let (rules, _) = CustomRules::parse(text).expect("is taken");
    assert_eq!(found(&rules, "k1"), ["r:k1"]);
}

#[test]
fn what_is_odd_is_warned_of() {
    assert_eq!(
        warnings("[[rules]]\nid = \"r\"\nregex = 'x'\nkeyword = [\"planted\"]\nrequired = []"),
        [
            "line 4, rule r: a field that is not known, nor looked at",
            "line 5, rule r, required: not looked at: the rule finds by itself",
            "line 1, rule r, keywords: none, so the rule is run on every file, which is slow",
        ]
    );
    let twice = "[[rules]]\nid = \"r\"\nregex = 'x'\nkeywords = ['x']\n".repeat(2);
    assert_eq!(warnings(&twice), ["line 6, rule r, id: another rule has the same id, both are kept"]);
    let many = format!("[[rules]]\nid = \"r\"\nregex = 'x'\n{}", "a.b = 1\n");
    assert_eq!(warnings(&many).len(), 2);
}

#[test]
fn a_bad_file_is_refused_by_rule_field_and_line_and_never_quoted() {
    for (text, expected) in [
        ("a = planted", "line 1: this is no TOML"),
        ("rules = 1", "line 1, rules: must be a list of tables"),
        ("[[rules]]\nregex = 'planted'", "line 1, id: missing or empty"),
        ("[[rules]]\nid = \"r\"", "line 1, rule r, regex: neither it nor path is there"),
        (
            "\n[[rules]]\nid = \"r\"\nregex = '(planted'",
            "line 4, rule r, regex: no regular expression: unclosed group",
        ),
        ("[[rules]]\nid = \"r\"\nregex = 3", "line 3, rule r, regex: must be a string"),
        (
            "[[rules]]\nid = \"r\"\nregex = 'x'\nentropy = 'planted'",
            "line 4, rule r, entropy: must be a number",
        ),
        (
            "[[rules]]\nid = \"r\"\nregex = 'x'\nkeywords = 'x'",
            "line 4, rule r, keywords: must be a list of strings",
        ),
        (
            "[[rules]]\nid = \"r\"\nregex = '(x)'\nsecretGroup = 2",
            "line 4, rule r, secretGroup: the regex has no such group",
        ),
        (
            "[[rules]]\nid = \"r\"\nregex = 'x'\n[[rules.allowlists]]\n",
            "line 4, rule r, allowlists: it allows nothing",
        ),
        (
            "[[rules]]\nid = \"r\"\nregex = 'x'\n[[rules.allowlists]]\nregexes = ['x']\ncondition = 'planted'",
            "line 6, rule r, condition: one of OR and AND",
        ),
        (
            "[[rules]]\nid = \"r\"\nregex = 'x'\n[[rules.allowlists]]\nregexes = ['x']\nregexTarget = 'planted'",
            "line 6, rule r, regexTarget: one of secret, match and line",
        ),
        (
            "[extend]\npath = 'planted.toml'",
            "line 2, path: rules are read from this file alone: load the other one too, and join them",
        ),
        (
            "[[allowlists]]\ntargetRules = ['planted']\nregexes = ['x']",
            "line 2, targetRules: there is no such rule",
        ),
        (
            "[[rules]]\nid = \"r\"\nregex = '((a{1000}){1000}){1000}'",
            "line 3, rule r, regex: compiled it takes more than 8388608 bytes",
        ),
    ] {
        let said = refusal(text);
        assert_eq!(said, expected);
        assert!(!said.contains("planted"));
    }
}

#[test]
fn a_file_is_bounded() {
    assert!(matches!(CustomRules::parse(&" ".repeat(FILE_BYTES + 1)), Err(RuleFileError::Limit { .. })));
    let mut many = String::new();
    for number in 0..=super::RULES {
        let _ = write!(many, "[[rules]]\nid = \"{number}\"\nregex = 'x'\nkeywords = ['x']\n");
    }
    assert!(matches!(CustomRules::parse(&many), Err(RuleFileError::Limit { .. })));
    let deep = format!("a = {}", "[".repeat(100_000));
    assert!(matches!(CustomRules::parse(&deep), Err(RuleFileError::Invalid { .. })));
}

#[test]
fn what_a_file_extends_is_kept_for_the_set() {
    let rules = rules(
        "[extend]\nuseDefault = true\ndisabledRules = [\"a\", \"b\"]\n[[rules]]\nid = \"aws\"\n[[rules.allowlists]]\nregexes = ['x']",
    );
    assert_eq!(rules.extend().use_default, Some(true));
    assert_eq!(rules.extend().disabled, ["a", "b"]);
    assert!(rules.is_empty(), "a rule that only adds to a built-in one");
    assert!(rules.allows_builtin("aws", b"-x-", None, &(1..2)));
    assert!(!rules.allows_builtin("gcp", b"-x-", None, &(1..2)));
}

#[test]
fn long_matches_and_matches_far_apart_are_found_whole() {
    let rules = rules("[[rules]]\nid = \"r\"\nregex = 'key=([a-z]+);?'\nkeywords = [\"key\"]");
    let long = "a".repeat(300_000);
    let content = format!("{}key={long};{}key=b", "-".repeat(65_530), "-".repeat(3_000_000));
    let mut spans = Vec::new();
    rules.scan(content.as_bytes(), None, &mut spans);
    let spans: Vec<_> = spans.into_iter().map(|(_, span)| span).collect();
    assert_eq!(spans, [65_534..365_534, content.len() - 1..content.len()]);
}

#[test]
fn an_expression_that_looks_far_ahead_ends_in_bounds() {
    let rules = rules("[[rules]]\nid = \"r\"\nregex = 'a[^b]*b|a'\nkeywords = [\"a\"]");
    let mut spans = Vec::new();
    let start = std::time::Instant::now();
    rules.scan("a ".repeat(20_000).as_bytes(), None, &mut spans);
    assert_eq!(spans.len(), 20_000);
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

proptest::proptest! {
    #[test]
    fn any_expression_is_taken_or_refused(
        regex in r"([a-c0-9,]|\\[a-zA-Z0-9<>{}]|[\[\](){}|*+?.^$&~:<>=!é読-]|\[\^?|\{[0-9,]{1,4}\}|\(\?[a-zP<:]){0,24}",
        content in "[a-c0-9 é読\n]{0,60}",
    ) {
        let text = format!("[[rules]]\nid = \"r\"\nregex = '''{regex}'''\nkeywords = [\"a\"]\n");
        if let Ok((rules, _)) = CustomRules::parse(&text) {
            let mut spans = Vec::new();
            rules.scan(content.as_bytes(), None, &mut spans);
            for (_, span) in spans {
                proptest::prop_assert!(span.start < span.end && span.end <= content.len());
            }
        }
    }

    #[test]
    fn any_file_is_taken_or_refused(
        lines in proptest::collection::vec(
            "(\\[\\[rules\\]\\]|\\[extend\\]|\\[\\[rules.allowlists\\]\\]|\\[allowlist\\]|\
             (id|regex|path|keywords|entropy|secretGroup|regexes|useDefault|condition) = \
             (1|0.5|true|'a'|\\['a'\\]|'\\(a'|\\{\\}|\\[\\{\\}\\]))",
            0..12,
        ),
    ) {
        let _ = CustomRules::parse(&lines.join("\n"));
    }
}
