//! Reading a rule file: TOML in the form that gitleaks reads.

use std::collections::BTreeMap;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex_automata::meta;

use super::allowlist::{Allowlist, Condition, Target};
use super::pattern::{self, COMPILED_BYTES, PatternError};
use super::table::{Source, Table};
use super::{CustomRules, Extend, Rule, RuleFileError, Warning};

/// How large a rule file may be, in bytes.
pub const FILE_BYTES: usize = 4 << 20;
/// How many rules a file may hold.
pub const RULES: usize = 4_000;
/// How much memory, in bytes, the compiled expressions of a file may take together.
const ALL_COMPILED_BYTES: usize = 256 << 20;
/// How many bytes of words are searched for by a full automaton.
const FULL_AUTOMATON_BYTES: usize = 8 << 10;

/// What takes part in reading a file.
struct Reader<'t> {
    source: Source<'t>,
    compiled_bytes: usize,
}

impl CustomRules {
    /// Read a rule file in the gitleaks TOML form.
    ///
    /// # Errors
    /// [`RuleFileError`] where it is none, or is too large.
    pub fn parse(text: &str) -> Result<(Self, Vec<Warning>), RuleFileError> {
        if text.len() > FILE_BYTES {
            let limit = format!("a rule file has at most {FILE_BYTES} bytes");
            return Err(RuleFileError::Limit {
                place: super::RulePlace { line: 1, ..Default::default() },
                limit,
            });
        }
        let root = Source::parse(text)?;
        let mut reader = Reader { source: Source::new(text), compiled_bytes: 0 };
        let root = Table::new(root.get_ref(), 0..0, None);
        let rules = reader.file(&root)?;
        Ok((rules, reader.source.into_warnings()))
    }
}

const FILE_FIELDS: &[&str] =
    &["title", "description", "minVersion", "extend", "rules", "allowlist", "allowlists"];
const EXTEND_FIELDS: &[&str] = &["useDefault", "disabledRules", "path", "url"];
const RULE_FIELDS: &[&str] = &[
    "id",
    "description",
    "regex",
    "path",
    "entropy",
    "secretGroup",
    "keywords",
    "tags",
    "allowlist",
    "allowlists",
    "required",
    "skipReport",
];
const ALLOWLIST_FIELDS: &[&str] =
    &["description", "condition", "commits", "paths", "regexTarget", "regexes", "stopwords", "targetRules"];

impl<'t> Reader<'t> {
    fn file(&mut self, root: &Table<'_, 't>) -> Result<CustomRules, RuleFileError> {
        self.source.check_fields(root, FILE_FIELDS);
        let extend = match self.source.table(root, "extend")? {
            Some(table) => self.extend(&table)?,
            None => Extend::default(),
        };
        let mut rules = CustomRules {
            rules: Vec::new(),
            keywords: None,
            rules_of_keyword: Vec::new(),
            allowlists: Vec::new(),
            extend,
            builtin_allowlists: Vec::new(),
        };
        let mut keywords = BTreeMap::new();
        for table in self.source.tables(root, "rules")? {
            self.rule(&table, &mut rules, &mut keywords)?;
        }
        for table in self.allowlist_tables(root)? {
            let targets = self.source.strings(&table, "targetRules")?;
            let list = Arc::new(self.allowlist(&table)?);
            if targets.is_empty() {
                rules.allowlists.push(Arc::clone(&list));
            }
            for target in targets {
                self.give(&mut rules, &target, &list, &table)?;
            }
        }
        let (texts, numbers): (Vec<String>, Vec<Vec<u16>>) = keywords.into_iter().unzip();
        rules.keywords = self.words(root, "keywords", &texts)?;
        rules.rules_of_keyword = numbers;
        Ok(rules)
    }

    fn extend(&mut self, table: &Table<'_, 't>) -> Result<Extend, RuleFileError> {
        self.source.check_fields(table, EXTEND_FIELDS);
        for field in ["path", "url"] {
            if table.has(field) {
                let rule = "rules are read from this file alone: load the other one too, and join them";
                return Err(self.source.invalid(table, field, rule));
            }
        }
        Ok(Extend {
            use_default: self.source.boolean(table, "useDefault")?,
            disabled: self.source.strings(table, "disabledRules")?,
        })
    }

    fn rule(
        &mut self,
        table: &Table<'_, 't>,
        rules: &mut CustomRules,
        keywords: &mut BTreeMap<String, Vec<u16>>,
    ) -> Result<(), RuleFileError> {
        let id = self.source.string(table, "id")?.unwrap_or_default();
        if id.trim().is_empty() {
            return Err(self.source.invalid(table, "id", "missing or empty"));
        }
        let table = &table.of_rule(id);
        self.source.check_fields(table, RULE_FIELDS);
        if rules.rules.len() >= RULES {
            return Err(self.source.limit(table, "id", &format!("a file has at most {RULES} rules")));
        }
        if rules.rules.iter().any(|rule| rule.id == id) {
            self.source.warn(table, "id", "another rule has the same id, both are kept");
        }
        let regex = self.regex(table, "regex")?;
        let path = self.regex(table, "path")?;
        let secret_group = self.secret_group(table, regex.as_ref())?;
        let entropy = self.source.number(table, "entropy")?.filter(|least| *least != 0.0);
        let own_keywords = self.keywords(table)?;
        let mut allowlists = Vec::new();
        for table in self.allowlist_tables(table)? {
            allowlists.push(Arc::new(self.allowlist(&table)?));
        }
        if table.has("required") {
            self.source.warn(table, "required", "not looked at: the rule finds by itself");
        }
        if self.source.boolean(table, "skipReport")? == Some(true) {
            self.source.warn(table, "skipReport", "the rule is left out, as it only helps others");
            return Ok(());
        }
        if regex.is_none() && path.is_none() {
            // A rule that is there to be added to.
            if extends_builtin(rules) {
                rules.builtin_allowlists.extend(allowlists.into_iter().map(|list| (id.to_owned(), list)));
                return Ok(());
            }
            return Err(self.source.invalid(table, "regex", "neither it nor path is there"));
        }
        if regex.is_some() && own_keywords.is_empty() {
            self.source.warn(table, "keywords", "none, so the rule is run on every file, which is slow");
        }
        // Bounded by `RULES`.
        let number = u16::try_from(rules.rules.len()).unwrap_or(u16::MAX);
        let has_keywords = regex.is_some() && !own_keywords.is_empty();
        for keyword in own_keywords.into_iter().filter(|_| has_keywords) {
            keywords.entry(keyword).or_default().push(number);
        }
        let id = id.to_owned();
        let description = self.source.string(table, "description")?.unwrap_or_default().to_owned();
        rules.rules.push(Rule {
            id,
            description,
            regex,
            secret_group,
            path,
            entropy,
            has_keywords,
            allowlists,
        });
        Ok(())
    }

    fn secret_group(
        &mut self,
        table: &Table<'_, 't>,
        regex: Option<&meta::Regex>,
    ) -> Result<Option<usize>, RuleFileError> {
        let Some(group) = self.source.integer(table, "secretGroup")?.filter(|group| *group != 0) else {
            return Ok(None);
        };
        let groups = regex.map_or(0, meta::Regex::captures_len);
        match usize::try_from(group).ok().filter(|group| *group < groups) {
            Some(group) => Ok(Some(group)),
            None => Err(self.source.invalid(table, "secretGroup", "the regex has no such group")),
        }
    }

    /// The keywords in lower case, each once.
    fn keywords(&mut self, table: &Table<'_, 't>) -> Result<Vec<String>, RuleFileError> {
        let mut keywords = self.source.strings(table, "keywords")?;
        for keyword in &mut keywords {
            keyword.make_ascii_lowercase();
        }
        // An empty one is in every file.
        if keywords.iter().any(String::is_empty) {
            keywords.clear();
        }
        keywords.sort_unstable();
        keywords.dedup();
        Ok(keywords)
    }

    /// The allowlists of a rule or of the file, in the older and the newer way to write them.
    fn allowlist_tables<'d>(&mut self, table: &Table<'d, 't>) -> Result<Vec<Table<'d, 't>>, RuleFileError> {
        let mut tables = self.source.tables(table, "allowlists")?;
        if let Some(older) = self.source.table(table, "allowlist")? {
            if !tables.is_empty() {
                let rule = "the older name of allowlists, which can't stand beside it";
                return Err(self.source.invalid(table, "allowlist", rule));
            }
            tables.push(older);
        }
        Ok(tables)
    }

    fn allowlist(&mut self, table: &Table<'_, 't>) -> Result<Allowlist, RuleFileError> {
        self.source.check_fields(table, ALLOWLIST_FIELDS);
        let condition = self.source.string(table, "condition")?.unwrap_or_default().to_ascii_uppercase();
        let condition = match condition.as_str() {
            "" | "OR" | "||" => Condition::Any,
            "AND" | "&&" => Condition::All,
            _ => return Err(self.source.invalid(table, "condition", "one of OR and AND")),
        };
        let target = match self.source.string(table, "regexTarget")?.unwrap_or_default() {
            "" | "secret" => Target::Secret,
            "match" => Target::Match,
            "line" => Target::Line,
            _ => {
                return Err(self.source.invalid(table, "regexTarget", "one of secret, match and line"));
            }
        };
        let has_commits = !self.source.strings(table, "commits")?.is_empty();
        if has_commits {
            self.source.warn(table, "commits", "not looked at: what they allow is found");
        }
        let stopwords = self.source.strings(table, "stopwords")?;
        let stopwords = self.words(table, "stopwords", &stopwords)?;
        let list = Allowlist {
            condition,
            target,
            paths: self.regexes(table, "paths")?,
            regexes: self.regexes(table, "regexes")?,
            stopwords,
            has_commits,
        };
        if list.paths.is_none() && list.regexes.is_none() && list.stopwords.is_none() && !has_commits {
            return Err(self.source.invalid(table, "allowlists", "it allows nothing"));
        }
        Ok(list)
    }

    /// Give an allowlist of the file to the one rule it is for.
    fn give(
        &mut self,
        rules: &mut CustomRules,
        target: &str,
        list: &Arc<Allowlist>,
        table: &Table<'_, 't>,
    ) -> Result<(), RuleFileError> {
        if let Some(rule) = rules.rules.iter_mut().find(|rule| rule.id == target) {
            rule.allowlists.push(Arc::clone(list));
        } else if extends_builtin(rules) {
            rules.builtin_allowlists.push((target.to_owned(), Arc::clone(list)));
        } else {
            return Err(self.source.invalid(table, "targetRules", "there is no such rule"));
        }
        Ok(())
    }

    fn regex(
        &mut self,
        table: &Table<'_, 't>,
        field: &'static str,
    ) -> Result<Option<meta::Regex>, RuleFileError> {
        match self.source.string(table, field)? {
            Some(text) if !text.is_empty() => self.compiled(table, field, &[text]).map(Some),
            _ => Ok(None),
        }
    }

    fn regexes(
        &mut self,
        table: &Table<'_, 't>,
        field: &'static str,
    ) -> Result<Option<meta::Regex>, RuleFileError> {
        let texts = self.source.strings(table, field)?;
        if texts.is_empty() {
            return Ok(None);
        }
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        self.compiled(table, field, &texts).map(Some)
    }

    fn compiled(
        &mut self,
        table: &Table<'_, 't>,
        field: &'static str,
        texts: &[&str],
    ) -> Result<meta::Regex, RuleFileError> {
        let regex = pattern::compile(texts).map_err(|error| match error {
            PatternError::Syntax(rule) => self.source.invalid(table, field, &rule),
            PatternError::TooLarge => {
                let limit = format!("compiled it takes more than {COMPILED_BYTES} bytes");
                self.source.limit(table, field, &limit)
            }
        })?;
        self.count(table, field, regex.memory_usage())?;
        Ok(regex)
    }

    /// A search for any of these words, whatever their case.
    fn words(
        &mut self,
        table: &Table<'_, 't>,
        field: &'static str,
        words: &[String],
    ) -> Result<Option<AhoCorasick>, RuleFileError> {
        if words.is_empty() {
            return Ok(None);
        }
        // A full automaton is several times as fast and takes a hundred times the memory.
        let is_small = words.iter().map(String::len).sum::<usize>() <= FULL_AUTOMATON_BYTES;
        let kind = if is_small { AhoCorasickKind::DFA } else { AhoCorasickKind::ContiguousNFA };
        let built = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .kind(Some(kind))
            .build(words)
            .map_err(|_| self.source.limit(table, field, "too many words"))?;
        self.count(table, field, built.memory_usage())?;
        Ok(Some(built))
    }

    fn count(
        &mut self,
        table: &Table<'_, 't>,
        field: &'static str,
        bytes: usize,
    ) -> Result<(), RuleFileError> {
        self.compiled_bytes += bytes;
        if self.compiled_bytes > ALL_COMPILED_BYTES {
            let limit = format!("up to here the file takes more than {ALL_COMPILED_BYTES} bytes compiled");
            return Err(self.source.limit(table, field, &limit));
        }
        Ok(())
    }
}

fn extends_builtin(rules: &CustomRules) -> bool {
    rules.extend.use_default == Some(true)
}
