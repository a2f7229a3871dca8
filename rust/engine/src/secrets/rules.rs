//! Sets of rules: the built-in ones, a user's own, or several sets joined.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use bstr::BStr;

use super::custom::{CustomRules, RuleFileError, Warning};
use super::{Finding, RuleNumber, builtin};
use crate::display;

/// A set of rules, ready for use. Cloning is cheap; safe to share between threads.
///
/// A name may be that of several rules, as of a built-in one and one of a user's: they are listed
/// once, and are switched off together.
#[derive(Clone)]
pub struct Rules {
    set: Arc<Set>,
}

#[derive(Clone)]
struct Set {
    /// Which of the built-in rules are on, by their number.
    builtin: Vec<bool>,
    /// Those of them whose findings stand whatever a file allows.
    unconditional: Vec<bool>,
    parts: Vec<Part>,
}

/// The rules of a file.
#[derive(Clone)]
struct Part {
    /// The number of its first rule in the set.
    first: u16,
    rules: Arc<CustomRules>,
    /// Which of them are on.
    on: Vec<bool>,
    /// The built-in rules that the file extends: what it allows, it allows for them too.
    extended: Vec<bool>,
}

/// A name that no rule of a set has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownRule(pub String);

impl fmt::Display for UnknownRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "no secret rule is named {}", display::name(self.0.as_bytes()))
    }
}

impl std::error::Error for UnknownRule {}

/// What becomes of the built-in rules beside those of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Builtin {
    /// They are there where the file asks for them (`useDefault = true`).
    #[default]
    WhereAsked,
    /// They are there unless the file refuses them (`useDefault = false`).
    UnlessRefused,
}

impl Rules {
    /// The built-in rules.
    pub fn builtin() -> Self {
        let on = vec![true; builtin::RULES.len()];
        Self { set: Arc::new(Set { builtin: on.clone(), unconditional: on, parts: Vec::new() }) }
    }

    /// No rule at all, to join others with.
    pub fn none() -> Self {
        let off = vec![false; builtin::RULES.len()];
        Self { set: Arc::new(Set { builtin: off.clone(), unconditional: off, parts: Vec::new() }) }
    }

    /// The rules of a file in the gitleaks TOML form, and what is odd about it.
    ///
    /// # Errors
    /// [`RuleFileError`] where it is no such file, or is too large.
    pub fn parse(text: &str, with: Builtin) -> Result<(Self, Vec<Warning>), RuleFileError> {
        let (rules, mut warnings) = CustomRules::parse(text)?;
        let asked = rules.extend().use_default;
        let is_extending = asked == Some(true);
        let keeps = is_extending || (with == Builtin::UnlessRefused && asked.is_none());
        let on: Vec<bool> = builtin::RULES.iter().map(|rule| keeps && !rules.disables(rule.name)).collect();
        warnings.extend(rules.unknown_builtin(|name| builtin::RULES.iter().any(|rule| rule.name == name)));
        let off = vec![false; on.len()];
        let (unconditional, extended) = if is_extending { (off, on.clone()) } else { (on.clone(), off) };
        let part = Part { first: 0, on: vec![true; rules.len()], rules: Arc::new(rules), extended };
        let set = Set { builtin: on, unconditional, parts: Vec::new() };
        Ok((Self { set: Arc::new(set.with(&[part])) }, warnings))
    }

    /// The text with [marks](super::MARK) in place of its secrets; untouched where it holds none.
    pub fn hide<'t>(&self, text: Cow<'t, [u8]>) -> Cow<'t, [u8]> {
        let findings = self.scan(&text, None);
        if findings.is_empty() { text } else { Cow::Owned(super::redact(&text, &findings).into_owned()) }
    }

    /// These rules without the named ones.
    ///
    /// # Errors
    /// [`UnknownRule`] where no rule that is on has one of the names.
    pub fn without<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Result<Self, UnknownRule> {
        let mut set = (*self.set).clone();
        for name in names {
            let mut is_known = false;
            if let Some(number) = builtin::RULES.iter().position(|rule| rule.name == name) {
                is_known |= std::mem::take(&mut set.builtin[number]);
            }
            for part in &mut set.parts {
                for (number, on) in (0_u16..).zip(&mut part.on) {
                    if part.rules.name(number) == name {
                        is_known |= std::mem::take(on);
                    }
                }
            }
            if !is_known {
                return Err(UnknownRule(name.to_owned()));
            }
        }
        Ok(Self { set: Arc::new(set) })
    }

    /// The rules of both sets: what either finds is found.
    #[must_use]
    pub fn joined(&self, other: &Self) -> Self {
        let either = |one: &[bool], two: &[bool]| one.iter().zip(two).map(|(a, b)| *a || *b).collect();
        let set = Set {
            builtin: either(&self.set.builtin, &other.set.builtin),
            unconditional: either(&self.set.conditionless(), &other.set.conditionless()),
            parts: self.set.parts.clone(),
        };
        Self { set: Arc::new(set.with(&other.set.parts)) }
    }

    /// The names of the rules that are on, each once, the more specific first.
    pub fn names(&self) -> Vec<&str> {
        let builtin = builtin::RULES.iter().zip(&self.set.builtin);
        let mut names: Vec<&str> = builtin.filter_map(|(rule, on)| on.then_some(rule.name)).collect();
        let mut seen: std::collections::HashSet<&str> = names.iter().copied().collect();
        for part in &self.set.parts {
            for (number, on) in (0_u16..).zip(&part.on) {
                let name = part.rules.name(number);
                if *on && seen.insert(name) {
                    names.push(name);
                }
            }
        }
        names
    }

    /// The name of a rule, such as `github-token`.
    pub fn name(&self, rule: RuleNumber) -> &str {
        match builtin::RULES.get(usize::from(rule.0)) {
            Some(rule) => rule.name,
            None => self.own(rule).map_or("", |(part, number)| part.rules.name(number)),
        }
    }

    /// What a rule finds, in a few words; a rule of a user's may say nothing.
    pub fn description(&self, rule: RuleNumber) -> &str {
        match builtin::RULES.get(usize::from(rule.0)) {
            Some(rule) => rule.description,
            None => self.own(rule).map_or("", |(part, number)| part.rules.description(number)),
        }
    }

    fn own(&self, rule: RuleNumber) -> Option<(&Part, u16)> {
        let part = self.set.parts.iter().rfind(|part| part.first <= rule.0)?;
        Some((part, rule.0 - part.first))
    }

    pub(super) fn has_builtin(&self) -> bool {
        self.set.builtin.contains(&true)
    }

    pub(super) fn builtin_rules(&self) -> &[bool] {
        &self.set.builtin
    }

    /// Add what a user's rules find.
    pub(super) fn scan_own(&self, content: &[u8], path: Option<&BStr>, found: &mut Vec<Finding>) {
        let mut theirs = Vec::new();
        for part in &self.set.parts {
            let is_on = |number| part.on.get(usize::from(number)) == Some(&true);
            part.rules.scan_with(&is_on, content, path, &mut theirs);
            found.extend(theirs.drain(..).map(|(number, span)| {
                let rule = RuleNumber(part.first.saturating_add(number));
                Finding { rule, span: whole(content, span) }
            }));
        }
    }

    /// Drop what built-in rules found and every file that extends them allows.
    pub(super) fn drop_allowed(&self, content: &[u8], path: Option<&BStr>, found: &mut Vec<Finding>) {
        if self.set.parts.iter().all(|part| !part.extended.contains(&true)) {
            return;
        }
        found.retain(|finding| {
            let number = usize::from(finding.rule.0);
            let Some(rule) = builtin::RULES.get(number) else { return true };
            self.set.unconditional[number]
                || self.set.parts.iter().any(|part| {
                    part.extended[number]
                        && !part.rules.allows_builtin(rule.name, content, path, &finding.span)
                })
        });
    }
}

impl Set {
    /// The built-in rules that are on and unconditional.
    fn conditionless(&self) -> Vec<bool> {
        self.unconditional.iter().zip(&self.builtin).map(|(a, b)| *a && *b).collect()
    }

    /// With more parts, each once.
    fn with(mut self, parts: &[Part]) -> Self {
        for part in parts {
            let known = self.parts.iter_mut().find(|known| Arc::ptr_eq(&known.rules, &part.rules));
            if let Some(known) = known {
                known.on.iter_mut().zip(&part.on).for_each(|(on, other)| *on |= other);
                known.extended.iter_mut().zip(&part.extended).for_each(|(on, other)| *on |= other);
            } else {
                self.parts.push(part.clone());
            }
        }
        let mut first = builtin::RULES.len();
        for part in &mut self.parts {
            part.first = u16::try_from(first).unwrap_or(u16::MAX);
            first += part.on.len();
        }
        self
    }
}

/// A span of whole characters: a user's expression sees bytes, and could cut one in two.
fn whole(content: &[u8], mut span: std::ops::Range<usize>) -> std::ops::Range<usize> {
    let is_inside = |at: usize| content.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    // No character has more than four bytes.
    for _ in 0..3 {
        span.start -= usize::from(is_inside(span.start) && span.start > 0);
        span.end += usize::from(is_inside(span.end));
    }
    span
}

impl fmt::Debug for Rules {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Rules({})", self.names().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::sample;

    /// What a GitHub token looks like, with `letter` before the rest of its random part.
    fn token(letter: &str) -> String {
        format!("{}{letter}zQ{}", concat!("gh", "p_"), sample::random(sample::ALPHANUMERIC, 33))
    }

    fn parsed(text: &str, with: Builtin) -> Rules {
        Rules::parse(text, with).unwrap_or_else(|error| panic!("{error}")).0
    }

    fn found(rules: &Rules, content: &str) -> Vec<(String, String)> {
        let found = rules.scan(content.as_bytes(), None).into_iter();
        found.map(|hit| (rules.name(hit.rule).to_owned(), content[hit.span].to_owned())).collect()
    }

    const OWN: &str = "[[rules]]\nid = \"own\"\nregex = 'own_([a-z]+)'\nkeywords = [\"own_\"]\n";

    fn hit(name: &str, text: &str) -> (String, String) {
        (name.to_owned(), text.to_owned())
    }

    #[test]
    fn a_file_stands_alone_unless_it_or_its_reader_wants_the_built_in_rules() {
        let with = |line: &str, with| parsed(&format!("{line}\n{OWN}"), with).names().len();
        let all = Rules::builtin().names().len() + 1;
        for (line, expected) in
            [("", [1, all]), ("extend.useDefault = true", [all, all]), ("extend.useDefault = false", [1, 1])]
        {
            assert_eq!(
                [with(line, Builtin::WhereAsked), with(line, Builtin::UnlessRefused)],
                expected,
                "{line}"
            );
        }
        let rules =
            parsed("extend.useDefault = true\nextend.disabledRules = ['github-token']", Builtin::default());
        assert!(!rules.names().contains(&"github-token"));
        assert!(found(&rules, &token("a")).is_empty());
    }

    #[test]
    fn joined_sets_find_what_either_finds() {
        let content = format!("own_abc {}", token("a"));
        let own = parsed(OWN, Builtin::WhereAsked);
        let builtin = Rules::builtin();
        let expected = [hit("own", "abc"), hit("github-token", &token("a"))];
        assert_eq!(found(&own.joined(&builtin), &content), expected);
        assert_eq!(found(&builtin.joined(&own), &content), expected);
        assert_eq!(found(&Rules::none().joined(&own), &content), expected[..1]);
        assert_eq!(own.joined(&own).names(), ["own"]);
        let other =
            parsed("[[rules]]\nid = \"other\"\nregex = 'abc'\nkeywords = ['abc']", Builtin::WhereAsked);
        assert_eq!(found(&other.joined(&own), &content), [hit("other", "abc")], "the first names it");
        assert_eq!(other.joined(&own).joined(&builtin).names()[..1], builtin.names()[..1]);
    }

    #[test]
    fn rules_are_switched_off_by_name_wherever_they_come_from() {
        let both = parsed(OWN, Builtin::UnlessRefused);
        let content = format!("own_abc {}", token("a"));
        assert_eq!(
            found(&both.without(["own"]).expect("known"), &content),
            [hit("github-token", &token("a"))]
        );
        assert_eq!(found(&both.without(["github-token"]).expect("known"), &content), [hit("own", "abc")]);
        assert_eq!(both.without(["nope"]).err(), Some(UnknownRule("nope".to_owned())));
        let twice = both.without(["own", "own"]).err();
        assert_eq!(twice, Some(UnknownRule("own".to_owned())), "it is off already");
    }

    #[test]
    fn what_a_file_allows_it_allows_for_the_built_in_rules_it_extends() {
        let text = "[extend]\nuseDefault = true\n[[allowlists]]\nregexes = ['azQ']";
        let extending = parsed(text, Builtin::WhereAsked);
        assert!(found(&extending, &token("a")).is_empty());
        assert_eq!(found(&extending, &token("c")), [hit("github-token", &token("c"))]);
        let target = "[extend]\nuseDefault = true\n[[allowlists]]\ntargetRules = ['RULE']\nregexes = ['azQ']";
        let for_rule = |rule| parsed(&target.replace("RULE", rule), Builtin::WhereAsked);
        assert!(found(&for_rule("github-token"), &token("a")).is_empty());
        assert_eq!(found(&for_rule("slack-token"), &token("a")), [hit("github-token", &token("a"))]);
        // A set that has them without condition finds them all the same.
        assert_eq!(
            found(&extending.joined(&Rules::builtin()), &token("a")),
            [hit("github-token", &token("a"))]
        );
        // A file that is only read beside them has no say in what they find.
        let beside = text.replace("[extend]\nuseDefault = true", OWN);
        assert_eq!(
            found(&parsed(&beside, Builtin::UnlessRefused), &token("a")),
            [hit("github-token", &token("a"))]
        );
    }

    #[test]
    fn built_in_rules_that_are_not_there_are_warned_of() {
        let text = "[extend]\nuseDefault = true\ndisabledRules = ['nope', 'github-token']";
        let (_, warnings) = Rules::parse(text, Builtin::WhereAsked).expect("is taken");
        let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        assert_eq!(warnings, ["rule nope, disabledRules: no built-in rule has this name"]);
    }

    #[test]
    fn own_rules_see_escaped_and_wide_text_and_cut_no_character() {
        let own =
            parsed("[[rules]]\nid = \"own\"\nregex = 'own_.{4}'\nkeywords = ['own_']", Builtin::WhereAsked);
        assert_eq!(found(&own, "own_あいう"), [hit("own", "own_あい")]);
        assert_eq!(found(&own, r"x\u006fwn_abcd"), [hit("own", r"\u006fwn_abcd")]);
        let wide: Vec<u8> = "\u{feff}key = own_abcd".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let hits = own.scan(&wide, None);
        assert_eq!(hits.len(), 1);
        assert_eq!(hits[0].span, 14..30);
    }

    #[test]
    fn nothing_of_a_set_is_shown_but_its_size() {
        assert_eq!(format!("{:?}", parsed(OWN, Builtin::WhereAsked)), "Rules(1)");
    }
}
