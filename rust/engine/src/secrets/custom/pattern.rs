//! Regular expressions of rule files: Go's syntax (RE2), compiled for bytes.

use std::fmt::Write as _;

use regex_automata::meta;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::Hir;

/// How large, in bytes, the compiled form of one expression may be.
pub(super) const COMPILED_BYTES: usize = 8 << 20;
/// How deep groups may nest.
const NEST_LIMIT: u32 = 100;
/// How much memory, in bytes, a thread's lazily built automaton of one expression may take.
const CACHE_BYTES: usize = 1 << 20;

/// Why an expression is refused; the text of the expression is never quoted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum PatternError {
    /// It is none.
    Syntax(String),
    /// Its compiled form is over [`COMPILED_BYTES`].
    TooLarge,
}

/// Compile expressions into one that matches where any of them does, the first one preferred.
pub(super) fn compile(patterns: &[&str]) -> Result<meta::Regex, PatternError> {
    let parsed: Vec<Hir> = patterns.iter().map(|pattern| parse(pattern)).collect::<Result<_, _>>()?;
    let config = meta::Config::new()
        .utf8_empty(false)
        .nfa_size_limit(Some(COMPILED_BYTES))
        .hybrid_cache_capacity(CACHE_BYTES);
    meta::Builder::new().configure(config).build_many_from_hir(&parsed).map_err(|error| {
        if error.size_limit().is_some() {
            PatternError::TooLarge
        } else {
            PatternError::Syntax("no regular expression that can be compiled".to_owned())
        }
    })
}

fn parse(pattern: &str) -> Result<Hir, PatternError> {
    let unicode = needs_unicode(pattern);
    let mut parser = ParserBuilder::new().unicode(unicode).utf8(false).nest_limit(NEST_LIMIT).build();
    parser.parse(&translated(pattern, unicode)).map_err(|error| {
        let kind = match error {
            regex_syntax::Error::Parse(error) => error.kind().to_string(),
            regex_syntax::Error::Translate(error) => error.kind().to_string(),
            _ => "not known here".to_owned(),
        };
        PatternError::Syntax(format!("no regular expression: {kind}"))
    })
}

/// Whether an expression names characters outside ASCII.
///
/// All others are matched byte by byte, which is faster and takes less memory: a `.` and a negated
/// class then match one byte of a character that has several.
fn needs_unicode(pattern: &str) -> bool {
    let mut bytes = pattern.as_bytes();
    while let Some(at) = memchr::memchr(b'\\', bytes) {
        bytes = &bytes[at + 1..];
        match bytes {
            [b'p' | b'P', ..] | [b'x', b'8'..=b'9' | b'a'..=b'f' | b'A'..=b'F', ..] => return true,
            [b'x', b'{', rest @ ..] => {
                let digits = rest.iter().take_while(|byte| byte.is_ascii_hexdigit());
                let value = digits.fold(0_u32, |value, digit| {
                    value.saturating_mul(16).saturating_add(char::from(*digit).to_digit(16).unwrap_or(0))
                });
                if value > 0x7f {
                    return true;
                }
            }
            _ => {}
        }
        bytes = bytes.get(1..).unwrap_or_default();
    }
    !pattern.is_ascii()
}

/// An expression of Go's syntax in that of `regex-syntax`.
///
/// The two are close relatives. Go takes braces that count nothing as they stand, has no classes
/// inside classes nor operations on them, has `\Q…\E`, and no `\<` and `\>`; its `\w`, `\d`, `\s`
/// and `\b` are ASCII always.
fn translated(pattern: &str, unicode: bool) -> String {
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut rest = pattern;
    let mut in_class = false;
    while let Some(letter) = rest.chars().next() {
        let after = &rest[letter.len_utf8()..];
        rest = match (letter, in_class) {
            ('\\', _) => escape(after, in_class, unicode, &mut out),
            ('[', false) => {
                out.push('[');
                let (negation, inner) = match after.strip_prefix('^') {
                    Some(inner) => ("^", inner),
                    None => ("", after),
                };
                out.push_str(negation);
                in_class = true;
                // What comes first is no end, and no range.
                match inner.chars().next() {
                    Some(first @ (']' | '-')) => {
                        out.push('\\');
                        out.push(first);
                        &inner[1..]
                    }
                    _ => inner,
                }
            }
            (']', true) => {
                in_class = false;
                out.push(']');
                after
            }
            ('[', true) => {
                if let Some(length) = named_class(rest) {
                    out.push_str(&rest[..length]);
                    &rest[length..]
                } else {
                    out.push_str("\\[");
                    after
                }
            }
            ('&' | '~', true) => {
                out.push('\\');
                out.push(letter);
                after
            }
            // A range that ends in a hyphen.
            ('-', true) if after.starts_with('-') => {
                out.push_str("-\\-");
                &after[1..]
            }
            ('{', false) => {
                if let Some(length) = repetition(rest) {
                    out.push_str(&rest[..length]);
                    &rest[length..]
                } else {
                    out.push_str("\\{");
                    after
                }
            }
            ('}', false) => {
                out.push_str("\\}");
                after
            }
            _ => {
                out.push(letter);
                after
            }
        };
    }
    out
}

/// Write what follows a backslash; gives what comes after that.
fn escape<'p>(after: &'p str, in_class: bool, unicode: bool, out: &mut String) -> &'p str {
    let Some(letter) = after.chars().next() else {
        out.push('\\');
        return after;
    };
    let rest = &after[letter.len_utf8()..];
    let posix = match letter {
        'w' => Some("[:word:]"),
        'W' => Some("[:^word:]"),
        'd' => Some("[:digit:]"),
        'D' => Some("[:^digit:]"),
        's' => Some("\\t\\n\\f\\r "),
        'S' if !in_class => Some("^\\t\\n\\f\\r "),
        _ => None,
    };
    match (letter, posix) {
        ('Q', _) => {
            let (quoted, rest) = rest.split_once("\\E").unwrap_or((rest, ""));
            for letter in quoted.chars() {
                let _ = write!(out, "\\x{{{:x}}}", u32::from(letter));
            }
            return rest;
        }
        ('<' | '>', _) => out.push(letter),
        // ASCII, in an expression that is not.
        (_, Some(class)) if unicode => {
            if in_class {
                out.push_str(class);
            } else {
                let _ = write!(out, "[{class}]");
            }
        }
        ('b' | 'B', _) if unicode && !in_class => {
            let _ = write!(out, "(?-u:\\{letter})");
        }
        // The braces of `\x{…}` and `\p{…}` are no repetition.
        ('x' | 'p' | 'P', _) if rest.starts_with('{') => {
            let end = rest.find('}').map_or(rest.len(), |end| end + 1);
            out.push('\\');
            out.push(letter);
            out.push_str(&rest[..end]);
            return &rest[end..];
        }
        _ => {
            out.push('\\');
            out.push(letter);
        }
    }
    rest
}

/// The length of a class such as `[:alnum:]` at the start of `text`.
fn named_class(text: &str) -> Option<usize> {
    let name = text.strip_prefix("[:")?;
    let end = name.find(":]")?;
    let letters = name[..end].strip_prefix('^').unwrap_or(&name[..end]);
    letters.bytes().all(|byte| byte.is_ascii_lowercase()).then_some(end + 4)
}

/// The length of `{n}`, `{n,}` or `{n,m}` at the start of `text`.
fn repetition(text: &str) -> Option<usize> {
    let inner = &text.get(1..)?[..text.find('}')?.checked_sub(1)?];
    let (least, most) = inner.split_once(',').unwrap_or((inner, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    (!least.is_empty() && is_number(least) && is_number(most)).then_some(inner.len() + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matched<'t>(pattern: &str, text: &'t str) -> Option<&'t str> {
        let regex = compile(&[pattern]).expect("compiles");
        regex.find(text).map(|found| &text[found.range()])
    }

    #[test]
    fn expressions_mean_what_they_mean_in_go() {
        for (pattern, text, expected) in [
            (r"^\${(?:[A-Z_]+)}$", "${HOME}", Some("${HOME}")),
            (r"^\$(?:\d+|{\d+})$", "${12}", Some("${12}")),
            (r"a{,3}", "a{,3}", Some("a{,3}")),
            (r"a{2,3}", "aaaa", Some("aaa")),
            (r"[a[b]+", "b[a", Some("b[a")),
            (r"[]a]+", "a]", Some("a]")),
            (r"[^]a]+", "a]b", Some("b")),
            (r"[a&&b]+", "&ab", Some("&ab")),
            (r"[[:alnum:]-]+", "--x9", Some("--x9")),
            (r"[+--]+", ",-+", Some(",-+")),
            (r"[-+]+", "-,+", Some("-")),
            (r"[^--/]+", "-./,", Some(",")),
            (r"\Qa.b{2}\E+", "a.b{2}}}", Some("a.b{2}}}")),
            (r"\x60\x{61}\z", "`a", Some("`a")),
            (r"(?P<name>x)(?<other>y)", "xy", Some("xy")),
            (r"K(?i)ey", "KEY", Some("KEY")),
            (r"\<a\>", "<a>", Some("<a>")),
            (r"(?U)a+", "aa", Some("a")),
            (r"\bx\b", "éx", Some("x")),
            (r"(?i)パス[ァ-ー]+\d", "パスワード1", Some("パスワード1")),
            (r"é\w", "éé", None),
            (r"é\b", "é", None),
            (r"é[\w\s]+\S", "éa b-", Some("éa b-")),
            (r"\p{Han}+", "見出し", Some("見出")),
        ] {
            assert_eq!(matched(pattern, text), expected, "{pattern}");
        }
    }

    #[test]
    fn what_is_no_expression_is_refused_without_quoting_it() {
        for pattern in ["(planted", r"planted\1", "(?=planted)", "planted**(", "[planted", "planted\\"] {
            match compile(&[pattern]) {
                Err(PatternError::Syntax(why)) => assert!(!why.contains("planted"), "{why}"),
                other => panic!("{pattern}: {other:?}"),
            }
        }
    }

    #[test]
    fn what_would_grow_without_bound_is_refused() {
        assert_eq!(compile(&["((a{1000}){1000}){1000}"]).err(), Some(PatternError::TooLarge));
        let deep = format!("{}a{}", "(".repeat(1_000), ")".repeat(1_000));
        assert!(matches!(compile(&[&deep]), Err(PatternError::Syntax(_))));
    }
}
