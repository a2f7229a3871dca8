//! Fields of the tables of a rule file, and where they stand.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{RuleFileError, RulePlace, Warning};

/// How many warnings are given at most; each costs a look through the file for its line.
const WARNINGS: usize = 100;

/// A table of the file.
#[derive(Clone, Debug)]
pub(super) struct Table<'d, 't> {
    fields: &'d DeTable<'t>,
    span: Range<usize>,
    /// The rule that it belongs to.
    rule: Option<String>,
}

impl<'d, 't> Table<'d, 't> {
    pub(super) fn new(fields: &'d DeTable<'t>, span: Range<usize>, rule: Option<String>) -> Self {
        Self { fields, span, rule }
    }

    pub(super) fn of_rule(&self, id: &str) -> Self {
        Self { rule: Some(id.to_owned()), ..self.clone() }
    }

    pub(super) fn has(&self, field: &str) -> bool {
        self.get(field).is_some()
    }

    /// A field, whatever its case, as gitleaks has it.
    fn get(&self, field: &str) -> Option<&'d Spanned<DeValue<'t>>> {
        let mut fields = self.fields.iter();
        fields.find(|(name, _)| name.get_ref().eq_ignore_ascii_case(field)).map(|(_, value)| value)
    }
}

/// The text of the file, and what was odd about it.
#[derive(Debug)]
pub(super) struct Source<'t> {
    text: &'t str,
    warnings: Vec<Warning>,
}

impl<'t> Source<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, warnings: Vec::new() }
    }

    pub(super) fn into_warnings(self) -> Vec<Warning> {
        self.warnings
    }

    /// Parse the file as TOML. What the parser says may quote the file, and is not passed on.
    pub(super) fn parse(text: &'t str) -> Result<Spanned<DeTable<'t>>, RuleFileError> {
        DeTable::parse(text).map_err(|error| {
            let line = error.span().map_or(1, |span| line(text, span.start));
            let place = RulePlace { line, ..RulePlace::default() };
            RuleFileError::Invalid { place, rule: "this is no TOML".to_owned() }
        })
    }

    fn place(&self, table: &Table<'_, '_>, field: &'static str) -> RulePlace {
        let span = table.get(field).map_or(table.span.clone(), Spanned::span);
        RulePlace { rule: table.rule.clone(), field: Some(field), line: line(self.text, span.start) }
    }

    pub(super) fn invalid(&self, table: &Table<'_, '_>, field: &'static str, rule: &str) -> RuleFileError {
        RuleFileError::Invalid { place: self.place(table, field), rule: rule.to_owned() }
    }

    pub(super) fn limit(&self, table: &Table<'_, '_>, field: &'static str, limit: &str) -> RuleFileError {
        RuleFileError::Limit { place: self.place(table, field), limit: limit.to_owned() }
    }

    pub(super) fn warn(&mut self, table: &Table<'_, '_>, field: &'static str, what: &'static str) {
        if self.warnings.len() < WARNINGS {
            let place = self.place(table, field);
            self.warnings.push(Warning { place, what });
        }
    }

    /// Warn of fields that are not known, such as misspelt ones.
    pub(super) fn check_fields(&mut self, table: &Table<'_, '_>, known: &[&str]) {
        for (name, _) in table.fields {
            if self.warnings.len() < WARNINGS
                && !known.iter().any(|known| known.eq_ignore_ascii_case(name.get_ref()))
            {
                let place = RulePlace {
                    rule: table.rule.clone(),
                    field: None,
                    line: line(self.text, name.span().start),
                };
                self.warnings.push(Warning { place, what: "a field that is not known, nor looked at" });
            }
        }
    }

    fn read<'d, T>(
        &self,
        table: &Table<'d, 't>,
        field: &'static str,
        kind: &str,
        read: impl FnOnce(&'d Spanned<DeValue<'t>>) -> Option<T>,
    ) -> Result<Option<T>, RuleFileError> {
        match table.get(field) {
            None => Ok(None),
            Some(value) => match read(value) {
                Some(value) => Ok(Some(value)),
                None => Err(self.invalid(table, field, kind)),
            },
        }
    }

    pub(super) fn string<'d>(
        &self,
        table: &Table<'d, 't>,
        field: &'static str,
    ) -> Result<Option<&'d str>, RuleFileError> {
        self.read(table, field, "must be a string", |value| value.get_ref().as_str())
    }

    pub(super) fn boolean(
        &self,
        table: &Table<'_, 't>,
        field: &'static str,
    ) -> Result<Option<bool>, RuleFileError> {
        self.read(table, field, "must be true or false", |value| value.get_ref().as_bool())
    }

    pub(super) fn integer(
        &self,
        table: &Table<'_, 't>,
        field: &'static str,
    ) -> Result<Option<i64>, RuleFileError> {
        self.read(table, field, "must be a whole number", |value| {
            let value = value.get_ref().as_integer()?;
            i64::from_str_radix(value.as_str(), value.radix()).ok()
        })
    }

    pub(super) fn number(
        &self,
        table: &Table<'_, 't>,
        field: &'static str,
    ) -> Result<Option<f64>, RuleFileError> {
        self.read(table, field, "must be a number", |value| match value.get_ref() {
            DeValue::Float(float) => float.as_str().parse().ok(),
            DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str().parse().ok(),
            _ => None,
        })
    }

    /// A list of strings; where there is none, an empty one.
    pub(super) fn strings(
        &self,
        table: &Table<'_, 't>,
        field: &'static str,
    ) -> Result<Vec<String>, RuleFileError> {
        let strings = self.read(table, field, "must be a list of strings", |value| {
            let items = value.get_ref().as_array()?;
            items.iter().map(|item| item.get_ref().as_str().map(str::to_owned)).collect()
        })?;
        Ok(strings.unwrap_or_default())
    }

    pub(super) fn table<'d>(
        &self,
        table: &Table<'d, 't>,
        field: &'static str,
    ) -> Result<Option<Table<'d, 't>>, RuleFileError> {
        self.read(table, field, "must be a table", |value| {
            Some(Table::new(value.get_ref().as_table()?, value.span(), table.rule.clone()))
        })
    }

    /// A list of tables; where there is none, an empty one.
    pub(super) fn tables<'d>(
        &self,
        table: &Table<'d, 't>,
        field: &'static str,
    ) -> Result<Vec<Table<'d, 't>>, RuleFileError> {
        let tables = self.read(table, field, "must be a list of tables", |value| {
            let items = value.get_ref().as_array()?;
            items
                .iter()
                .map(|item| Some(Table::new(item.get_ref().as_table()?, item.span(), table.rule.clone())))
                .collect()
        })?;
        Ok(tables.unwrap_or_default())
    }
}

/// The line of an offset, from 1.
fn line(text: &str, offset: usize) -> usize {
    1 + memchr::memchr_iter(b'\n', &text.as_bytes()[..offset.min(text.len())]).count()
}
