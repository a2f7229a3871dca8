//! The built-in rules: one file for each kind of secret, or for each provider's family.
//!
//! A rule is a value: its name, what it finds, the literals one of which stands in every such
//! secret, and a verifier that is called for each such literal and answers with the bytes to hide.

use std::ops::Range;

use super::prefilter::PREFILTER;
use super::text::Text;
use super::{Finding, RuleNumber};

mod airtable;
mod anthropic;
mod aws;
mod connection;
mod database_url;
mod digitalocean;
mod docker;
mod github;
mod gitlab;
mod google;
mod groq;
mod hugging_face;
mod jina;
mod jwt;
mod langsmith;
mod notion;
mod npm;
mod nvidia;
mod openai;
mod perplexity;
mod pinecone;
mod postgres;
mod private_key;
mod pypi;
mod replicate;
mod sendgrid;
mod shopify;
mod slack;
mod stripe;
mod supabase;
mod tavily;
mod telegram;
mod twilio;
mod xai;

/// A kind of secret.
pub(super) struct Rule {
    /// Its name, in kebab case.
    pub(super) name: &'static str,
    /// What it finds, in a few words.
    pub(super) description: &'static str,
    /// Every secret of the kind holds one of these.
    pub(super) literals: &'static [&'static str],
    /// The bytes to hide, if the literal that stands at a place belongs to a secret of this kind.
    pub(super) verify: Verify,
}

type Verify = fn(&Text<'_>, usize) -> Option<Range<usize>>;

/// All rules; of two that claim the same bytes the earlier one names the finding.
pub(super) const RULES: &[Rule] = &[
    private_key::RULE,
    github::RULE,
    gitlab::RULE,
    docker::RULE,
    shopify::RULE,
    anthropic::RULE,
    openai::RULE,
    xai::RULE,
    groq::RULE,
    perplexity::RULE,
    replicate::RULE,
    hugging_face::RULE,
    nvidia::RULE,
    jina::RULE,
    tavily::RULE,
    langsmith::RULE,
    pinecone::RULE,
    google::API_KEY,
    google::OAUTH_SECRET,
    google::ACCESS_TOKEN,
    aws::ACCESS_KEY_ID,
    aws::SECRET_ACCESS_KEY,
    digitalocean::RULE,
    slack::TOKEN,
    slack::WEBHOOK,
    stripe::KEY,
    stripe::WEBHOOK_SECRET,
    telegram::RULE,
    sendgrid::RULE,
    twilio::RULE,
    npm::RULE,
    pypi::RULE,
    notion::RULE,
    airtable::RULE,
    supabase::RULE,
    postgres::RULE,
    database_url::RULE,
    jwt::RULE,
];

/// Add what the rules that are `on` find in text as it stands.
pub(super) fn scan(content: &[u8], on: &[bool], found: &mut Vec<Finding>) {
    let text = Text::new(content);
    let mut check = |at: usize, rules: &[usize]| {
        for &number in rules.iter().filter(|&&number| on[number]) {
            if let Some(span) = (RULES[number].verify)(&text, at) {
                found.push(Finding { rule: RuleNumber(number as u16), span });
            }
        }
    };
    PREFILTER.each(content, &mut check);
    // Its literal is too short for the search of all others.
    twilio::each(content, |at| check(at, &[twilio::NUMBER]));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_have_names_of_their_own_and_say_what_they_find() {
        let mut names: Vec<_> = RULES.iter().map(|rule| rule.name).collect();
        let in_kebab_case = |name: &&str| name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
        assert!(names.iter().all(in_kebab_case));
        assert!(RULES.iter().all(|rule| !rule.description.is_empty()));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), RULES.len());
    }
}
