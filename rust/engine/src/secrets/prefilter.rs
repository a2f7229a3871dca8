//! The one search over a text: a few dozen literals, one of which every secret holds.

use std::sync::LazyLock;

use aho_corasick::packed::{Config, MatchKind, Searcher};
use aho_corasick::{AhoCorasick, Input, Span};

use super::builtin::{RULES, Rule};

/// More literals than this and the packed search falls off a cliff; see the tests.
#[cfg(test)]
const MOST_LITERALS: usize = 48;

/// Shorter ones would weaken the fingerprint that the packed search compares.
#[cfg(test)]
const SHORTEST_LITERAL: usize = 3;

/// The literals of all built-in rules, and which rules each of them leads to.
pub(super) struct Prefilter {
    search: Search,
    /// The rules, by the number of the literal.
    rules: Vec<Vec<usize>>,
}

enum Search {
    /// With vector instructions.
    Packed(Searcher),
    /// Where the processor has none that suit.
    Automaton(AhoCorasick),
}

/// Built once: the rules are constants.
pub(super) static PREFILTER: LazyLock<Prefilter> = LazyLock::new(|| Prefilter::new(RULES));

impl Prefilter {
    fn new(rules: &[Rule]) -> Self {
        let mut literals: Vec<&str> = Vec::new();
        let mut by_literal: Vec<Vec<usize>> = Vec::new();
        for (number, rule) in rules.iter().enumerate() {
            for literal in rule.literals {
                let known = literals.iter().position(|known| known == literal);
                let place = known.unwrap_or(literals.len());
                if known.is_none() {
                    literals.push(literal);
                    by_literal.push(Vec::new());
                }
                by_literal[place].push(number);
            }
        }
        let mut packed = Config::new().match_kind(MatchKind::LeftmostFirst).builder();
        let packed = packed.extend(&literals).build();
        let search = packed.map_or_else(
            || {
                let automaton = AhoCorasick::new(&literals);
                Search::Automaton(automaton.expect("a few dozen short constants fit an automaton"))
            },
            Search::Packed,
        );
        Self { search, rules: by_literal }
    }

    /// Call `hit` with the place of each literal and the rules it leads to.
    pub(super) fn each(&self, bytes: &[u8], mut hit: impl FnMut(usize, &[usize])) {
        let mut at = 0;
        loop {
            let span = Span::from(at..bytes.len());
            let found = match &self.search {
                Search::Packed(search) => search.find_in(bytes, span),
                Search::Automaton(search) => search.find(Input::new(bytes).span(span)),
            };
            let Some(found) = found else { return };
            hit(found.start(), &self.rules[found.pattern().as_usize()]);
            at = found.start() + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literals() -> Vec<&'static str> {
        let mut literals: Vec<_> = RULES.iter().flat_map(|rule| rule.literals).copied().collect();
        literals.sort_unstable();
        literals.dedup();
        literals
    }

    #[test]
    fn the_literals_are_few_and_long_enough_for_the_packed_search() {
        let literals = literals();
        assert!(literals.len() <= MOST_LITERALS, "{} literals", literals.len());
        for literal in literals {
            assert!(literal.len() >= SHORTEST_LITERAL, "{literal}");
        }
    }

    #[test]
    fn no_literal_hides_another_that_starts_at_the_same_place() {
        let literals = literals();
        for pair in literals.windows(2) {
            assert!(!pair[1].starts_with(pair[0]), "{} {}", pair[0], pair[1]);
        }
    }
}
