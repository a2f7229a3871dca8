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

/// The literals of all rules, in an order of its own: the packed search throws each 16th of them into
/// one bucket and looks closer wherever the characters of a bucket's literals come in any mixture.
/// In this order that is so at one place in 800 of source text and JSON, in that of the rules at one
/// in 140.
const LITERALS: &[&str] = &[
    "ASIA",
    "hf_",
    "gho_",
    "dop_v1_",
    "pypi-AgE",
    "://",
    "PRIVATE",
    "pcsk_",
    "sbp_",
    "k_live_",
    "pplx-",
    "ya29.",
    "SG.",
    "pat",
    ":AA",
    "SECRET",
    "k_test_",
    "ecret",
    "npm_",
    "hooks.slack.com",
    "GOCSPX-",
    "ghu_",
    "nvapi-",
    "AKIA",
    "ghr_",
    "lsv2_",
    "gsk_",
    "xox",
    "jina_",
    "xapp-",
    "ACCA",
    "ntn_",
    "AIza",
    "r8_",
    "whsec_",
    "eyJ",
    "ABIA",
    "AQ.Ab",
    "PuTTY-User-Key-File-",
    "sk-",
    "sword",
    "ghp_",
    "tvly-",
    "xai-",
    "ghs_",
];

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
        let leads_to = |literal: &&str| {
            let rules = rules.iter().enumerate();
            let rules = rules.filter(|(_, rule)| rule.literals.contains(literal));
            rules.map(|(number, _)| number).collect()
        };
        let by_literal = LITERALS.iter().map(leads_to).collect();
        let mut packed = Config::new().match_kind(MatchKind::LeftmostFirst).builder();
        let packed = packed.extend(LITERALS).build();
        let search = packed.map_or_else(
            || {
                let automaton = AhoCorasick::new(LITERALS);
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

    #[test]
    fn the_literals_are_those_of_the_rules() {
        let mut known = LITERALS.to_vec();
        known.sort_unstable();
        let mut used: Vec<_> = RULES.iter().flat_map(|rule| rule.literals).copied().collect();
        used.sort_unstable();
        used.dedup();
        assert_eq!(known, used);
    }

    #[test]
    fn the_literals_are_few_and_long_enough_for_the_packed_search() {
        assert!(LITERALS.len() <= MOST_LITERALS, "{} literals", LITERALS.len());
        for literal in LITERALS {
            assert!(literal.len() >= SHORTEST_LITERAL, "{literal}");
        }
    }

    #[test]
    fn no_literal_hides_another_that_starts_at_the_same_place() {
        let mut literals = LITERALS.to_vec();
        literals.sort_unstable();
        for pair in literals.windows(2) {
            assert!(!pair[1].starts_with(pair[0]), "{} {}", pair[0], pair[1]);
        }
    }
}
