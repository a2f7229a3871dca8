//! Which words of changed lines differ.
//!
//! The removed lines and the added ones are each read as one text. Equal beginnings and ends are
//! cut away by bytes, the rest is compared token by token: a run of letters and digits, a run of
//! spaces, a line end, or one grapheme of anything else.

use std::borrow::Cow;
use std::ops::Range;

use gix_imara_diff::{Algorithm, Diff, Interner, NoSliderHeuristic, Token};
use unicode_segmentation::UnicodeSegmentation as _;

use super::effort;
use crate::equal_ends::{common_prefix, common_suffix};

/// For each line of a change, which bytes of it differ word by word: whole graphemes, sorted,
/// touching ones joined. A line without its counterpart differs as a whole.
///
/// What is left of the removed lines without their ranges is what is left of the added ones.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ChangedWords {
    /// Of each removed line, the bytes of it that are gone.
    pub old: Vec<Vec<Range<usize>>>,
    /// Of each added line, the bytes of it that came.
    pub new: Vec<Vec<Range<usize>>>,
}

/// Tokens of both sides together that are compared; with more, all between the equal beginning and
/// the equal end counts as changed.
const MAX_TOKENS: usize = 1_000_000;
/// Bytes of one side's lines with other letters than ASCII's for which the same holds: the worst of
/// them take 0.3 µs each to part into graphemes.
const MAX_NOT_ASCII: usize = 1 << 20;
/// Steps of the search for which the same holds, as in [`Limits::effort`](super::Limits::effort).
const EFFORT: usize = 32_000_000;
/// So many equal tokens between two changes, none of them a word, are shown as changed with them:
/// one longer range reads better than two with a comma between them.
const GAP: usize = 2;

/// Compare the lines of a change word by word.
///
/// Takes time linear in the bytes for the equal beginning and end (3 ms for 20 MB), 10 µs for each kB
/// between them, and half a second at most.
pub fn changed_words(old: &[&[u8]], new: &[&[u8]]) -> ChangedWords {
    let (old, new) = (Side::new(old), Side::new(new));
    let changes: Vec<_> = changes(&old, &new).into_iter().map(|pair| narrowed(&old, &new, pair)).collect();
    let of = |side: &Side<'_>, which: fn(&Pair) -> &Range<usize>| side.by_line(changes.iter().map(which));
    ChangedWords { old: of(&old, |pair| &pair.old), new: of(&new, |pair| &pair.new) }
}

/// Bytes of the old side that gave way to bytes of the new one.
#[derive(Clone, Debug)]
struct Pair {
    old: Range<usize>,
    new: Range<usize>,
}

/// The lines of one side as one text.
struct Side<'a> {
    bytes: Cow<'a, [u8]>,
    /// Where each line ends.
    ends: Vec<usize>,
}

impl<'a> Side<'a> {
    fn new(lines: &[&'a [u8]]) -> Self {
        let bytes = match lines {
            [line] => Cow::Borrowed(*line),
            lines => Cow::Owned(lines.concat()),
        };
        let ends = lines.iter().scan(0, |end, line| {
            *end += line.len();
            Some(*end)
        });
        Self { bytes, ends: ends.collect() }
    }

    /// The tokens between two borders of graphemes, up to a number.
    fn tokens(&self, within: &Range<usize>, most: usize) -> Option<Vec<Range<usize>>> {
        let mut tokens = Vec::new();
        let mut start = within.start;
        let first = self.ends.partition_point(|&end| end <= start);
        let mut not_ascii = 0;
        for &end in &self.ends[first..] {
            let end = end.min(within.end);
            let line = &self.bytes[start..end];
            if line.is_ascii() {
                push_ascii_tokens(line, start, most, &mut tokens);
            } else {
                not_ascii += line.len();
                if not_ascii > MAX_NOT_ASCII {
                    return None;
                }
                push_tokens(line, start, &mut tokens);
            }
            if tokens.len() > most {
                return None;
            }
            start = end;
        }
        Some(tokens)
    }

    /// Sorted ranges of the text as ranges of its lines.
    fn by_line<'r>(&self, ranges: impl Iterator<Item = &'r Range<usize>>) -> Vec<Vec<Range<usize>>> {
        let mut lines: Vec<Vec<Range<usize>>> = vec![Vec::new(); self.ends.len()];
        let mut number = 0;
        for range in ranges {
            let mut at = range.start;
            while at < range.end {
                while self.ends[number] <= at {
                    number += 1;
                }
                let start = if number == 0 { 0 } else { self.ends[number - 1] };
                let end = range.end.min(self.ends[number]);
                match lines[number].last_mut() {
                    Some(last) if last.end == at - start => last.end = end - start,
                    _ => lines[number].push(at - start..end - start),
                }
                at = end;
            }
        }
        lines
    }
}

fn changes(old: &Side<'_>, new: &Side<'_>) -> Vec<Pair> {
    let middle = differing(&old.bytes, &new.bytes, Border::Word);
    if middle.old.is_empty() || middle.new.is_empty() {
        return vec![middle];
    }
    compared(old, new, &middle).unwrap_or_else(|| vec![middle])
}

/// The changes between two stretches, or nothing if that would take too long.
fn compared(old: &Side<'_>, new: &Side<'_>, within: &Pair) -> Option<Vec<Pair>> {
    let old_tokens = old.tokens(&within.old, MAX_TOKENS)?;
    let new_tokens = new.tokens(&within.new, MAX_TOKENS - old_tokens.len())?;
    let mut interner: Interner<&[u8]> = Interner::new(old_tokens.len() + new_tokens.len());
    let before: Vec<Token> =
        old_tokens.iter().map(|range| interner.intern(&old.bytes[range.clone()])).collect();
    let after: Vec<Token> =
        new_tokens.iter().map(|range| interner.intern(&new.bytes[range.clone()])).collect();
    if !effort::suffices(EFFORT, &before, &after) {
        return None;
    }
    let mut diff = Diff::default();
    diff.compute_with(Algorithm::Myers, &before, &after, interner.num_tokens());
    diff.postprocess_with(&before, &after, NoSliderHeuristic);

    let mut groups: Vec<gix_imara_diff::Hunk> = Vec::new();
    for group in diff.hunks() {
        match groups.last_mut() {
            Some(last) if hardly_apart(&old_tokens, &old.bytes, last.before.end..group.before.start) => {
                last.before.end = group.before.end;
                last.after.end = group.after.end;
            }
            _ => groups.push(group),
        }
    }
    let bytes = |tokens: &[Range<usize>], group: &Range<u32>, end: usize| {
        let at = |token: u32| tokens.get(token as usize).map_or(end, |range| range.start);
        at(group.start)..at(group.end)
    };
    let pairs = groups.iter().map(|group| Pair {
        old: bytes(&old_tokens, &group.before, within.old.end),
        new: bytes(&new_tokens, &group.after, within.new.end),
    });
    Some(pairs.collect())
}

/// Whether two changes have so little between them that they read better as one.
fn hardly_apart(tokens: &[Range<usize>], bytes: &[u8], between: Range<u32>) -> bool {
    let no_word = |range: &Range<usize>| {
        let byte = bytes[range.start];
        byte.is_ascii() && byte != b'\n' && Kind::of_ascii(byte) != Kind::Word
    };
    between.len() <= GAP && tokens[between.start as usize..between.end as usize].iter().all(no_word)
}

/// A long token, such as a picture in base64, is only shown where it differs.
fn narrowed(old: &Side<'_>, new: &Side<'_>, pair: Pair) -> Pair {
    /// Equal bytes at the beginning and the end that are not worth a second look.
    const FEW: usize = 64;
    let (a, b) = (&old.bytes[pair.old.clone()], &new.bytes[pair.new.clone()]);
    if a.len().min(b.len()) > FEW && common_prefix(a, b) + common_suffix(a, b) > FEW {
        let inner = differing(a, b, Border::Grapheme);
        let within =
            |outer: &Range<usize>, inner: Range<usize>| outer.start + inner.start..outer.start + inner.end;
        return Pair { old: within(&pair.old, inner.old), new: within(&pair.new, inner.new) };
    }
    pair
}

// ── Equal beginnings and ends ───────────────────────────────────────────────────────────────────

/// Where an equal beginning or end may be cut off.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Border {
    /// Between tokens, or at least graphemes where no such place is near.
    Word,
    /// Between graphemes.
    Grapheme,
}

/// What lies between the equal beginning and the equal end.
fn differing(a: &[u8], b: &[u8], border: Border) -> Pair {
    let equal = common_prefix(a, b);
    if equal == a.len() && equal == b.len() {
        return Pair { old: equal..equal, new: equal..equal };
    }
    let start = last_border(&a[..equal], border);
    let (rest_a, rest_b) = (&a[start..], &b[start..]);
    let equal = common_suffix(rest_a, rest_b);
    let kept = equal - first_border(&rest_a[rest_a.len() - equal..], border);
    Pair { old: start..a.len() - kept, new: start..b.len() - kept }
}

/// How far a border between words is looked for, in bytes.
const NEAR: usize = 256;
/// How far one between graphemes is: a grapheme that is longer is no text.
const FAR: usize = 4096;

/// The last place in a text that is a border whatever follows the text; or else its start.
fn last_border(text: &[u8], border: Border) -> usize {
    let places = |far: usize| (text.len().saturating_sub(far).max(1)..text.len()).rev();
    nearest(text, border, places).unwrap_or(0)
}

/// The first place in a text that is a border whatever goes before the text; or else its end.
fn first_border(text: &[u8], border: Border) -> usize {
    let places = |far: usize| 1..text.len().min(far);
    nearest(text, border, places).unwrap_or(text.len())
}

/// The first border of the places up to a distance.
fn nearest<Places: Iterator<Item = usize>>(
    text: &[u8],
    border: Border,
    places: impl Fn(usize) -> Places,
) -> Option<usize> {
    if border == Border::Word {
        let found = places(NEAR).find(|&at| is_border(text, at) && parts_tokens(text, at));
        if found.is_some() || text.len() <= NEAR {
            return found;
        }
    }
    places(FAR).find(|&at| is_border(text, at))
}

/// Whether a place between two bytes is for certain a border of graphemes, by the characters at both
/// sides of it alone.
fn is_border(text: &[u8], at: usize) -> bool {
    let (before, after) = (text[at - 1], text[at]);
    if before.is_ascii() && after.is_ascii() {
        return (before, after) != (b'\r', b'\n');
    }
    let ((Some(before), _), (Some(after), _)) =
        (bstr::decode_last_utf8(&text[..at]), bstr::decode_utf8(&text[at..]))
    else {
        return false;
    };
    // What stands further before only matters where the first of the two is half of a flag, or goes
    // itself with what is before it: a joiner, a mark.
    let flag = ('\u{1F1E6}'..='\u{1F1FF}').contains(&before);
    let three: String = ['a', before, after].iter().collect();
    !flag && three.graphemes(true).count() == 3
}

/// Whether a border of graphemes is one of tokens too.
fn parts_tokens(text: &[u8], at: usize) -> bool {
    let kind = |(character, _): (Option<char>, usize)| character.map_or(Kind::Other, Kind::of);
    let (before, after) = (kind(bstr::decode_last_utf8(&text[..at])), kind(bstr::decode_utf8(&text[at..])));
    before != after || before == Kind::Other
}

// ── Tokens ──────────────────────────────────────────────────────────────────────────────────────

/// What a token is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// Letters and digits, of scripts that put spaces between words: as many as stand together.
    Word,
    /// White space in a line: as much as stands together.
    Space,
    /// Anything else: one grapheme.
    Other,
}

impl Kind {
    fn of_ascii(byte: u8) -> Self {
        match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' => Self::Word,
            b' ' | b'\t' => Self::Space,
            _ => Self::Other,
        }
    }

    fn of(character: char) -> Self {
        match character {
            character if character.is_ascii() => Self::of_ascii(character as u8),
            // Thai, Lao, Burmese, Khmer, kana, Chinese characters: words stand without spaces.
            '\u{E00}'..='\u{EFF}'
            | '\u{1000}'..='\u{109F}'
            | '\u{1780}'..='\u{17FF}'
            | '\u{2E80}'..='\u{31FF}'
            | '\u{3400}'..='\u{9FFF}'
            | '\u{F900}'..='\u{FAFF}'
            | '\u{FF66}'..='\u{FF9F}'
            | '\u{20000}'..='\u{3FFFF}' => Self::Other,
            character if character.is_alphanumeric() => Self::Word,
            character if character.is_whitespace() => Self::Space,
            _ => Self::Other,
        }
    }
}

/// Push the tokens of an ASCII line, or of a part of it, until there are too many.
fn push_ascii_tokens(line: &[u8], mut at: usize, most: usize, tokens: &mut Vec<Range<usize>>) {
    let mut rest = line;
    while let [first, others @ ..] = rest
        && tokens.len() <= most
    {
        let kind = Kind::of_ascii(*first);
        let more = match kind {
            Kind::Other => usize::from(*first == b'\r' && others.first() == Some(&b'\n')),
            kind => others.iter().take_while(|byte| Kind::of_ascii(**byte) == kind).count(),
        };
        tokens.push(at..at + 1 + more);
        at += 1 + more;
        rest = &others[more..];
    }
}

/// Push the tokens of a line, or of a part of it between two borders.
fn push_tokens(line: &[u8], mut at: usize, tokens: &mut Vec<Range<usize>>) {
    let mut last = Kind::Other;
    let mut push = |len: usize, kind: Kind| {
        match tokens.last_mut() {
            Some(token) if kind == last && kind != Kind::Other => token.end += len,
            _ => tokens.push(at..at + len),
        }
        last = kind;
        at += len;
    };
    for chunk in line.utf8_chunks() {
        for grapheme in chunk.valid().graphemes(true) {
            push(grapheme.len(), grapheme.chars().next().map_or(Kind::Other, Kind::of));
        }
        for _ in chunk.invalid() {
            push(1, Kind::Other);
        }
    }
}
