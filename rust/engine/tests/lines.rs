//! What holds of line diffs, hunks and changed words, whatever the texts.

use std::ops::Range;

use gix_imara_diff::{Algorithm, Diff, IndentHeuristic, IndentLevel, Interner, Token};
use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation as _;
use versiondiff_engine::lines::{
    ChangedWords, Headings, Limits, LineChange, LineDiff, Text, changed_words, compare, heading,
    heading_text, hunks,
};

// ── Texts ───────────────────────────────────────────────────────────────────────────────────────

/// Few distinct lines, so that they repeat and groups of changed ones can slide.
const LINES: [&str; 8] = ["\n", "}\n", "  a\n", "    b\n", "\tc\n", "d\r\n", "  \n", "a\n"];

fn few_lines(most: usize) -> impl Strategy<Value = Vec<usize>> {
    (1..=LINES.len()).prop_flat_map(move |kinds| prop::collection::vec(0..kinds, 0..most))
}

/// A change of a text: so many lines from `at` on give way to others.
#[derive(Clone, Debug)]
enum Edit {
    Lines {
        removed: usize,
        added: Vec<usize>,
    },
    /// Lines that stand before `at` stand there once more: what slides far.
    Copy(usize),
}

fn edits() -> impl Strategy<Value = Vec<(prop::sample::Index, Edit)>> {
    // Lines that are nowhere else, with some that are.
    let strange = prop::collection::vec(prop_oneof![4 => 8..1000_usize, 1 => 0..2_usize], 0..20);
    let edit = prop_oneof![
        (0..4_usize, few_lines(4)).prop_map(|(removed, added)| Edit::Lines { removed, added }),
        (0..20_usize, strange).prop_map(|(removed, added)| Edit::Lines { removed, added }),
        (1..200_usize).prop_map(Edit::Copy),
    ];
    prop::collection::vec((any::<prop::sample::Index>(), edit), 0..5)
}

/// A text, and another made of it with a few edits; or the other way round.
fn versions() -> impl Strategy<Value = (String, String)> {
    let random = few_lines(300);
    let periodic = (few_lines(6), 0..600_usize).prop_map(|(lines, times)| lines.repeat(times));
    let mixed = (few_lines(40), few_lines(4), 0..400_usize, few_lines(40))
        .prop_map(|(before, lines, times, after)| [before, lines.repeat(times), after].concat());
    let sparse = (few_lines(30), 0..600_usize)
        .prop_map(|(lines, len)| (0..len).map(|at| *lines.get(at % 150).unwrap_or(&0)).collect());
    // What stands often, but far from what changes.
    let far =
        (few_lines(4), 0..200_usize, 0..300_usize, few_lines(10)).prop_map(|(lines, times, calm, after)| {
            [lines.repeat(times), (1000..1000 + calm).collect(), after].concat()
        });
    let texts = (prop_oneof![random, periodic, mixed, sparse, far], edits(), any::<[bool; 3]>());
    texts.prop_map(|(old, edits, [old_unfinished, new_unfinished, swapped])| {
        let mut new = old.clone();
        for (at, edit) in edits {
            let at = at.index(new.len() + 1);
            let (removed, added) = match edit {
                Edit::Lines { removed, added } => (removed, added),
                Edit::Copy(lines) => (0, new[at.saturating_sub(lines)..at].to_vec()),
            };
            new.splice(at..(at + removed).min(new.len()), added);
        }
        let text = |lines: &[usize], unfinished: bool| {
            let line =
                |&line: &usize| LINES.get(line).map_or_else(|| format!("{line}\n"), |&line| line.to_owned());
            let text: String = lines.iter().map(line).collect();
            text.strip_suffix('\n').filter(|_| unfinished).map(str::to_owned).unwrap_or(text)
        };
        let (old, new) = (text(&old, old_unfinished), text(&new, new_unfinished));
        if swapped { (new, old) } else { (old, new) }
    })
}

/// Two texts that have little to do with each other.
fn strangers() -> impl Strategy<Value = (String, String)> {
    let text = "[ab\n\r é]{0,60}";
    (text, text)
}

fn diff(old: &str, new: &str) -> LineDiff {
    compare(&Text::new(old.as_bytes()), &Text::new(new.as_bytes()), &Limits::default())
}

/// Every line as a token, and nothing cut away.
fn compare_whole(old: &str, new: &str) -> Vec<LineChange> {
    let mut interner = Interner::new(0);
    let mut tokens = |text: &'static str| -> Vec<Token> {
        text.split_inclusive('\n').map(|line| interner.intern(line)).collect()
    };
    // Leaked for the closure's sake; a test is short.
    let (old, new) = (tokens(old.to_owned().leak()), tokens(new.to_owned().leak()));
    let mut diff = Diff::default();
    diff.compute_with(Algorithm::Myers, &old, &new, interner.num_tokens());
    let indent = |token| IndentLevel::for_ascii_line(interner[token].bytes(), 8);
    diff.postprocess_with(&old, &new, IndentHeuristic::new(indent));
    let lines = |tokens: Range<u32>| tokens.start as usize..tokens.end as usize;
    diff.hunks().map(|hunk| LineChange { old: lines(hunk.before), new: lines(hunk.after) }).collect()
}

// ── Lines ───────────────────────────────────────────────────────────────────────────────────────

#[test]
fn a_text_is_its_lines() {
    let lines = |text: &'static str| {
        let text = Text::new(text.as_bytes());
        (0..text.len()).map(|number| text.line(number)).collect::<Vec<_>>()
    };
    assert_eq!(lines(""), [b""; 0]);
    assert_eq!(lines("\n"), [b"\n"]);
    assert_eq!(lines("a\r\n\nb"), [&b"a\r\n"[..], b"\n", b"b"]);
}

proptest! {
    #[test]
    fn lines_are_what_splitting_gives(text in "([\n\u{b}\u{8a}]|[a-zé ]{0,9}\n|[\n]{60,70}|x{0,140})*") {
        let lines: Vec<_> = text.split_inclusive('\n').collect();
        let found = Text::new(text.as_bytes());
        prop_assert_eq!(found.len(), lines.len());
        let mut start = 0;
        for (number, line) in lines.iter().enumerate() {
            prop_assert_eq!(found.line(number), line.as_bytes());
            prop_assert_eq!(found.start(number), start);
            prop_assert_eq!(found.line_at(start), number);
            prop_assert_eq!(found.line_at(start + line.len() - 1), number);
            start += line.len();
        }
        prop_assert_eq!(found.line_at(start), lines.len());
    }

    #[test]
    fn changes_make_the_new_text_of_the_old_one((old, new) in prop_oneof![versions(), strangers()]) {
        let found = diff(&old, &new);
        check_changes(&found, &old, &new)?;
        prop_assert!(!found.coarse);
        prop_assert_eq!(found.changes.is_empty(), old == new);
    }

    #[test]
    fn over_a_limit_one_change_is_all((old, new) in versions(), limit in 0..3_usize) {
        let mut limits = Limits::default();
        *[&mut limits.bytes, &mut limits.lines, &mut limits.effort][limit] = 0;
        let found = compare(&Text::new(old.as_bytes()), &Text::new(new.as_bytes()), &limits);
        check_changes(&found, &old, &new)?;
        prop_assert!(!found.coarse || found.changes.len() == 1);
        if limit < 2 {
            prop_assert_eq!(found.coarse, old != new);
        }
    }

    #[test]
    fn hunks_show_every_change_once((old, new) in versions(), context in 0..5_usize) {
        let found = diff(&old, &new);
        let (old, new) = (Text::new(old.as_bytes()), Text::new(new.as_bytes()));
        let hunks = hunks(&found, old.len(), new.len(), context);
        let mut next = 0;
        let (mut old_end, mut new_end) = (0, 0);
        for hunk in &hunks {
            prop_assert_eq!(hunk.changes.start, next);
            next = hunk.changes.end;
            let changes = &found.changes[hunk.changes.clone()];
            let (first, last) = (&changes[0], &changes[changes.len() - 1]);
            // Context is as long as asked for, or reaches the start or the end.
            prop_assert_eq!(hunk.old.start, first.old.start.saturating_sub(context));
            prop_assert_eq!(hunk.old.end, (last.old.end + context).min(old.len()));
            prop_assert_eq!(first.old.start - hunk.old.start, first.new.start - hunk.new.start);
            prop_assert_eq!(hunk.old.end - last.old.end, hunk.new.end - last.new.end);
            // Where hunks touch, they are one.
            prop_assert!(hunk.changes.start == 0 || (hunk.old.start > old_end && hunk.new.start > new_end));
            (old_end, new_end) = (hunk.old.end, hunk.new.end);
        }
        prop_assert_eq!(next, found.changes.len());
    }

    #[test]
    fn headings_are_found_one_by_one_or_in_order(
        text in "([a_$ 1\n]\n?){0,60}",
        mut lines in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let text = Text::new(text.as_bytes());
        let mut headings = Headings::new(&text);
        let mut asked: Vec<_> = lines.drain(..).map(|line| line.index(text.len() + 1)).collect();
        asked.sort_unstable();
        for line in asked {
            let named = |number: &usize| matches!(text.line(*number)[0], b'a' | b'_' | b'$');
            let expected = (0..line).rev().find(named);
            prop_assert_eq!(heading(&text, line), expected);
            prop_assert_eq!(headings.before(line), expected);
        }
    }
}

proptest! {
    // Only some texts have groups that slide far, or lines that are common elsewhere.
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn cutting_equal_ends_away_changes_nothing((old, new) in versions()) {
        prop_assert_eq!(diff(&old, &new).changes, compare_whole(&old, &new));
    }
}

fn check_changes(found: &LineDiff, old: &str, new: &str) -> Result<(), TestCaseError> {
    let (old_text, new_text) = (Text::new(old.as_bytes()), Text::new(new.as_bytes()));
    let mut made = Vec::new();
    let (mut old_at, mut new_at) = (0, 0);
    for (number, change) in found.changes.iter().enumerate() {
        prop_assert!(!(change.old.is_empty() && change.new.is_empty()));
        prop_assert!(number == 0 || change.old.start > old_at);
        prop_assert_eq!(change.old.start - old_at, change.new.start - new_at);
        made.extend((old_at..change.old.start).map(|line| old_text.line(line)));
        made.extend(change.new.clone().map(|line| new_text.line(line)));
        (old_at, new_at) = (change.old.end, change.new.end);
    }
    made.extend((old_at..old_text.len()).map(|line| old_text.line(line)));
    prop_assert_eq!(made.concat(), new.as_bytes());
    prop_assert_eq!(found.removed, found.changes.iter().map(|change| change.old.len()).sum::<usize>());
    prop_assert_eq!(found.added, found.changes.iter().map(|change| change.new.len()).sum::<usize>());
    Ok(())
}

#[test]
fn a_line_without_its_end_is_another_line() {
    let changed = |old, new| diff(old, new).changes;
    let one = LineChange { old: 1..2, new: 1..2 };
    assert_eq!(changed("a\nb", "a\nb\n"), std::slice::from_ref(&one));
    assert_eq!(changed("a\nb\n", "a\nb\r\n"), [one]);
    assert_eq!(changed("a", "a\nb"), [LineChange { old: 0..1, new: 0..2 }]);
    assert_eq!(changed("b", "ab"), [LineChange { old: 0..1, new: 0..1 }]);
    assert_eq!(changed("", "a\n"), [LineChange { old: 0..0, new: 0..1 }]);
    assert_eq!(changed("", ""), []);
}

#[test]
fn a_heading_is_cut_as_git_cuts_it() {
    assert_eq!(heading_text(b"def a():  \r\n"), b"def a():");
    assert_eq!(heading_text("x".repeat(90).as_bytes()), "x".repeat(80).as_bytes());
    assert_eq!(heading_text((" ".repeat(79) + "x" + "y").as_bytes()).len(), 80);
    // No half of a character, nor a letter without its accent.
    assert_eq!(heading_text(("x".repeat(79) + "é").as_bytes()), "x".repeat(79).as_bytes());
    assert_eq!(heading_text(("x".repeat(80) + "\u{301}").as_bytes()), "x".repeat(79).as_bytes());
    assert_eq!(heading_text(b""), b"");
}

#[test]
fn a_function_that_came_is_shown_from_its_first_line() {
    let old = "def a():\n    one\n\n\ndef c():\n    three\n";
    let new = "def a():\n    one\n\n\ndef b():\n    two\n\n\ndef c():\n    three\n";
    assert_eq!(diff(old, new).changes, [LineChange { old: 4..4, new: 4..8 }]);
}

#[test]
fn many_lines_are_compared_while_few_of_them_differ() {
    let lines = |number: u32| format!("line {number}\n");
    let limits = Limits { effort: 1_000_000, ..Limits::default() };
    let compared = |new: &str| {
        let old: String = (0..50_000).map(lines).collect();
        compare(&Text::new(old.as_bytes()), &Text::new(new.as_bytes()), &limits)
    };
    let few: String = (0..50_000).filter(|number| number % 1000 != 9).map(lines).collect();
    let found = compared(&few);
    assert_eq!((found.removed, found.added, found.coarse), (50, 0, false));
    // Every line is there, but far from where it was.
    let many: String = (0..50_000).map(|number| lines(number * 7919 % 50_000)).collect();
    let found = compared(&many);
    assert_eq!((found.changes.len(), found.coarse), (1, true));
}

// ── Words ───────────────────────────────────────────────────────────────────────────────────────

/// Words with spaces and without, marks, joined emoji, flags, Hangul in parts, line ends.
fn lines_of_words() -> impl Strategy<Value = Vec<String>> {
    let piece = prop::sample::select(vec![
        "alpha",
        "beta",
        "a",
        "_x1",
        " ",
        "  ",
        "\t",
        ", ",
        ".",
        "(",
        "\r",
        "é",
        "e\u{301}",
        "日本",
        "語",
        "を",
        "ไทย",
        "हिन्दी",
        "👩‍👩‍👧",
        "👍🏽",
        "🇯🇵",
        "🇫🇷",
        "🇩",
        "한",
        "\u{1112}\u{1161}",
        "\u{600}",
        "\u{200d}",
        "\u{301}",
    ]);
    let line = prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat() + "\n");
    prop::collection::vec(line, 0..4)
}

fn edited_words() -> impl Strategy<Value = (Vec<String>, Vec<String>)> {
    let edit = (any::<prop::sample::Index>(), 0..3_usize, "[a日 ,\u{301}🇯\u{200d}]{0,2}");
    (lines_of_words(), prop::collection::vec(edit, 0..4)).prop_map(|(old, edits)| {
        let mut new: Vec<char> = old.concat().chars().collect();
        for (at, removed, added) in edits {
            let at = at.index(new.len() + 1);
            new.splice(at..(at + removed).min(new.len()), added.chars());
        }
        let new: String = new.into_iter().collect();
        (old, new.split_inclusive('\n').map(str::to_owned).collect())
    })
}

fn without(lines: &[&[u8]], ranges: &[Vec<Range<usize>>]) -> Vec<u8> {
    let mut kept = Vec::new();
    for (line, ranges) in lines.iter().zip(ranges) {
        let mut at = 0;
        for range in ranges {
            kept.extend_from_slice(&line[at..range.start]);
            at = range.end;
        }
        kept.extend_from_slice(&line[at..]);
    }
    kept
}

/// In bounds, sorted, apart, not empty, and alike without the ranges.
fn check_words(old: &[&[u8]], new: &[&[u8]]) -> Result<ChangedWords, TestCaseError> {
    let words = changed_words(old, new);
    for (lines, ranges) in [(old, &words.old), (new, &words.new)] {
        prop_assert_eq!(lines.len(), ranges.len());
        for (line, ranges) in lines.iter().zip(ranges) {
            let mut end = None;
            for range in ranges {
                prop_assert!(range.start < range.end && range.end <= line.len());
                prop_assert!(end.is_none_or(|end| end < range.start));
                end = Some(range.end);
            }
        }
    }
    prop_assert_eq!(without(old, &words.old), without(new, &words.new));
    Ok(words)
}

proptest! {
    #[test]
    fn changed_words_are_all_that_differs_in_whole_graphemes(
        (old, new) in prop_oneof![edited_words(), (lines_of_words(), lines_of_words())],
    ) {
        let bytes = |lines: &'_ [String]| lines.iter().map(|line| line.clone().into_bytes()).collect::<Vec<_>>();
        let (old_bytes, new_bytes) = (bytes(&old), bytes(&new));
        let old_lines: Vec<_> = old_bytes.iter().map(Vec::as_slice).collect();
        let new_lines: Vec<_> = new_bytes.iter().map(Vec::as_slice).collect();
        let words = check_words(&old_lines, &new_lines)?;
        for (lines, ranges) in [(&old, &words.old), (&new, &words.new)] {
            for (line, ranges) in lines.iter().zip(ranges) {
                let mut borders: Vec<_> = line.grapheme_indices(true).map(|(at, _)| at).collect();
                borders.push(line.len());
                for range in ranges {
                    prop_assert!(borders.contains(&range.start) && borders.contains(&range.end));
                }
            }
        }
    }

    #[test]
    fn changed_words_of_any_bytes(
        old in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 0..3),
        new in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 0..3),
        shared in prop::collection::vec(any::<u8>(), 0..20),
    ) {
        let join = |lines: &[Vec<u8>]| lines.iter().map(|line| [line, &shared[..]].concat()).collect::<Vec<_>>();
        let (old, new) = (join(&old), join(&new));
        check_words(
            &old.iter().map(Vec::as_slice).collect::<Vec<_>>(),
            &new.iter().map(Vec::as_slice).collect::<Vec<_>>(),
        )?;
    }
}

/// The changed words of two lines, as text.
fn words<'a>(old: &'a str, new: &'a str) -> [Vec<&'a str>; 2] {
    let found = changed_words(&[old.as_bytes()], &[new.as_bytes()]);
    let text =
        |line: &'a str, ranges: &[Range<usize>]| ranges.iter().map(|range| &line[range.clone()]).collect();
    [text(old, &found.old[0]), text(new, &found.new[0])]
}

#[test]
fn words_stay_whole() {
    assert_eq!(words("say foobar twice\n", "say foobaz twice\n"), [["foobar"], ["foobaz"]]);
    assert_eq!(words("foo", "fox"), [["foo"], ["fox"]]);
    assert_eq!(words("one two three\n", "one three\n"), [vec!["two "], vec![]]);
    assert_eq!(words("a, b and c\n", "x, y and c\n"), [["a, b"], ["x, y"]]);
    assert_eq!(words("same\n", "same"), [vec!["\n"], vec![]]);
}

#[test]
fn graphemes_stay_whole() {
    assert_eq!(words("東京都に行く", "東京へ行く"), [["都に"], ["へ"]]);
    assert_eq!(words("x👩‍👩‍👧y", "x👩‍👩‍👦y"), [["👩‍👩‍👧"], ["👩‍👩‍👦"]]);
    assert_eq!(words("🇯🇵🇫🇷", "🇯🇵🇫🇮"), [["🇫🇷"], ["🇫🇮"]]);
    assert_eq!(words("-e-", "-e\u{301}-"), [["e"], ["e\u{301}"]]);
}

#[test]
fn a_line_alone_differs_as_a_whole() {
    let found = changed_words(&[], &[b"one two\n", b"three"]);
    let new: Vec<_> = found.new.concat();
    assert_eq!((found.old, new), (Vec::new(), vec![0..8, 0..5]));
}

#[test]
fn long_lines_show_only_what_differs() {
    let filler = |words: u32| (0..words).map(|number| number.to_string() + " word ").collect::<String>();
    let old = format!("{}one {} two {}\n", filler(900), filler(900), filler(900));
    assert_eq!(words(&old, &old.replace(" one ", " three ")), [["one"], ["three"]]);
    assert_eq!(words(&old, &old.replace(" two ", " ")), [vec!["two "], vec![]]);

    let picture = "iVBORw0KGgo".repeat(2000);
    let (old, new) = (format!("src {picture}A{picture}"), format!("src {picture}B{picture}"));
    // With a neighbour at each side, as a grapheme might have gone on into what differs.
    assert_eq!(words(&old, &new), [["oAi"], ["oBi"]]);
}
