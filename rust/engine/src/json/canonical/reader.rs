//! Reading a text and writing its canonical form on the way.
//!
//! Members are written as they come. An object whose members came in another order is put into
//! order when it ends. Nothing recurses.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::numbers;
use super::order::utf16_order;
use super::output::{Arrange, Output, Separator, put_short};
use super::strings::respell;
use super::{Options, Profile, Repeated};
use crate::json::MAX_BYTES;
use crate::json::scan::{STEP, ends_plain, plain_end, step, white_space_end};
use crate::json::text::unescape;

/// What is wrong with a text, and where.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) offset: usize,
    /// Up to where the text says what place that is, if further.
    pub(super) place_offset: usize,
    pub(super) rule: Rule,
}

/// Which rule was broken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rule {
    /// Of JSON, or of the profile.
    Text(&'static str),
    /// How deep values nest.
    Depth(usize),
    /// How long the text may be.
    Length,
}

impl From<(usize, &'static str)> for Problem {
    fn from((offset, rule): (usize, &'static str)) -> Self {
        Self { offset, place_offset: offset, rule: Rule::Text(rule) }
    }
}

/// A member of an object that is open.
#[derive(Clone, Copy)]
pub(super) struct Part {
    /// The first bytes of its name, if that is plain: names mostly differ in them.
    prefix: u64,
    /// Where its name starts in the text, after the quote.
    pub(super) start: u32,
    /// Where its name ends in the text.
    end: u32,
    /// Where it starts in the output.
    pub(super) out: u32,
    /// How long it is in the output, once the object has ended.
    pub(super) size: u32,
    /// How many objects were opened before it.
    pub(super) objects: u32,
    /// Its name is ASCII without escapes.
    plain: bool,
}

/// An array or an object that is open.
#[derive(Clone, Copy)]
struct Frame {
    is_object: bool,
    in_order: bool,
    /// The index of its first member.
    first: u32,
    /// What the output calls it.
    object: u32,
}

pub(super) struct Reader<'t, O> {
    text: &'t [u8],
    options: Options,
    pub(super) out: O,
    parts: Vec<Part>,
    open: Vec<Frame>,
    number: Vec<u8>,
    /// The last string that was read has escapes.
    escaped: bool,
    /// What ended the reading. Kept here, so that what is handed on at every step is small.
    problem: Option<Problem>,
}

impl<'t, O: Output + Arrange> Reader<'t, O> {
    pub(super) fn new(text: &'t [u8], options: Options, out: O) -> Self {
        Self {
            text,
            options,
            out,
            parts: Vec::new(),
            open: Vec::new(),
            number: Vec::new(),
            escaped: false,
            problem: None,
        }
    }

    /// Read all of the text, which is UTF-8.
    pub(super) fn read(&mut self) -> Result<(), Problem> {
        match (self.document(), self.problem.take()) {
            (Some(()), _) => Ok(()),
            (None, Some(problem)) => Err(problem),
            (None, None) => Err((0, "expected a value").into()),
        }
    }

    #[cold]
    fn fail<T>(&mut self, problem: impl Into<Problem>) -> Option<T> {
        self.problem = Some(problem.into());
        None
    }

    fn document(&mut self) -> Option<()> {
        let text = self.text;
        let mut at = white_space_end(text, 0);
        'values: loop {
            match text.get(at) {
                Some(b'"') => at = self.string(at)?,
                Some(b'{') => {
                    self.limit_depth(at)?;
                    at = white_space_end(text, at + 1);
                    if text.get(at) == Some(&b'}') {
                        self.out.put(b"{}");
                        at += 1;
                    } else {
                        self.open(at, true)?;
                        at = self.name(at)?;
                        continue;
                    }
                }
                Some(b'[') => {
                    self.limit_depth(at)?;
                    at = white_space_end(text, at + 1);
                    if text.get(at) == Some(&b']') {
                        self.out.put(b"[]");
                        at += 1;
                    } else {
                        self.open(at, false)?;
                        continue;
                    }
                }
                Some(b'-' | b'0'..=b'9') => at = self.number(at)?,
                _ => at = self.word(at)?,
            }
            loop {
                let Some(&frame) = self.open.last() else { break 'values };
                at = white_space_end(text, at);
                match text.get(at) {
                    Some(b',') => {
                        at = white_space_end(text, at + 1);
                        self.separate(true, self.open.len());
                        if frame.is_object {
                            at = self.name(at)?;
                        }
                        continue 'values;
                    }
                    Some(b'}') if frame.is_object => {
                        at += 1;
                        self.close_object(frame, at)?;
                    }
                    Some(b']') if !frame.is_object => {
                        at += 1;
                        self.open.pop();
                        self.separate(false, self.open.len());
                        self.out.put(b"]");
                    }
                    None => return self.fail((at, "the text ends inside a value")),
                    Some(_) if frame.is_object => {
                        return self.fail((at, "expected a comma or a closing brace"));
                    }
                    Some(_) => return self.fail((at, "expected a comma or a closing bracket")),
                }
            }
        }
        at = white_space_end(text, at);
        if at < text.len() {
            return self.fail((at, "text after the value"));
        }
        if self.options.profile == Profile::Canonical {
            self.out.put(b"\n");
        }
        self.limit(at)
    }

    fn limit(&mut self, offset: usize) -> Option<()> {
        if self.out.position() > MAX_BYTES {
            return self.fail(Problem { offset, place_offset: offset, rule: Rule::Length });
        }
        Some(())
    }

    #[inline]
    fn limit_depth(&mut self, offset: usize) -> Option<()> {
        let depth = self.options.max_depth;
        if self.open.len() >= depth {
            return self.fail(Problem { offset, place_offset: offset, rule: Rule::Depth(depth) });
        }
        Some(())
    }

    /// Start what comes next in an array or an object, or the line of its closing.
    #[inline]
    fn separate(&mut self, is_next: bool, depth: usize) {
        match self.options.profile {
            Profile::Canonical => self.out.put_line(is_next, depth),
            Profile::Jcs if is_next => self.out.put(b","),
            Profile::Jcs => {}
        }
    }

    /// An array or an object that is not empty. `at` is its first element or member.
    fn open(&mut self, at: usize, is_object: bool) -> Option<()> {
        self.limit(at)?;
        let object = if is_object { self.out.open_object() } else { 0 };
        self.open.push(Frame { is_object, in_order: true, first: self.parts.len() as u32, object });
        self.out.put(if is_object { b"{" } else { b"[" });
        self.separate(false, self.open.len());
        Some(())
    }

    /// A member's name and colon; gives the place of its value.
    #[inline]
    fn name(&mut self, at: usize) -> Option<usize> {
        let text = self.text;
        if text.get(at) != Some(&b'"') {
            return self.fail((at, "expected a name in quotes"));
        }
        let out = self.out.position();
        if out > MAX_BYTES {
            return self.fail(Problem { offset: at, place_offset: at, rule: Rule::Length });
        }
        let end = self.string(at)?;
        let start = at + 1;
        let prefix = prefix(text, start, end - 1);
        let plain = !self.escaped && is_ascii(text, start, end - 1, prefix);
        let is_first = self.open.last().is_none_or(|frame| self.parts.len() == frame.first as usize);
        // Told from what is at hand, without a look at what is about to be stored.
        let before = self.parts.last().map_or((0, false), |before| (before.prefix, before.plain));
        self.parts.push(Part {
            prefix,
            start: start as u32,
            end: end as u32 - 1,
            out: out as u32,
            size: 0,
            objects: self.out.objects(),
            plain,
        });
        let in_order = if is_first {
            true
        } else if plain && before.1 && before.0 != prefix {
            before.0 < prefix
        } else {
            self.last_two_in_order()
        };
        if !in_order && let Some(frame) = self.open.last_mut() {
            frame.in_order = false;
        }
        let at = white_space_end(text, end);
        if text.get(at) != Some(&b':') {
            return self.fail((at, "expected a colon"));
        }
        self.out.put(if self.options.profile == Profile::Canonical { b": " } else { b":" });
        Some(white_space_end(text, at + 1))
    }

    #[inline(never)]
    fn last_two_in_order(&self) -> bool {
        match self.parts[..] {
            [.., ref before, ref last] => long_order(self.text, before, last).is_lt(),
            _ => true,
        }
    }

    /// An object ends before `text_end`.
    #[inline]
    fn close_object(&mut self, frame: Frame, text_end: usize) -> Option<()> {
        let first = frame.first as usize;
        if !frame.in_order {
            self.arrange(frame, text_end)?;
        }
        self.parts.truncate(first);
        self.open.pop();
        self.separate(false, self.open.len());
        self.out.put(b"}");
        Some(())
    }

    #[inline(never)]
    fn arrange(&mut self, frame: Frame, text_end: usize) -> Option<()> {
        let text = self.text;
        let separator =
            Separator { depth: (self.options.profile == Profile::Canonical).then_some(self.open.len()) };
        let mut end = self.out.position();
        self.limit(text_end)?;
        let start = self.parts.get(frame.first as usize).map_or(end, |member| member.out as usize);
        let members = &mut self.parts[frame.first as usize..];
        for member in members.iter_mut().rev() {
            member.size = end as u32 - member.out;
            end = (member.out as usize).saturating_sub(separator.length());
        }
        members.sort_unstable_by(|a, b| order(text, a, b).then(a.start.cmp(&b.start)));
        let mut kept = members.len();
        if members.windows(2).any(|pair| order(text, &pair[0], &pair[1]).is_eq()) {
            if self.options.repeated == Repeated::Refused {
                let again = members.windows(2).filter(|pair| order(text, &pair[0], &pair[1]).is_eq());
                let again = again.map(|pair| pair[1]).min_by_key(|member| member.start);
                let (start, end) = again.map_or((0, 0), |member| (member.start, member.end));
                return self.fail(Problem {
                    offset: start as usize - 1,
                    place_offset: end as usize + 1,
                    rule: Rule::Text("a name that stands twice"),
                });
            }
            // Of each name the last one, as every reader of JSON that allows this has it.
            kept = 0;
            for index in 0..members.len() {
                let is_last =
                    members.get(index + 1).is_none_or(|next| order(text, &members[index], next).is_ne());
                if is_last {
                    members[kept] = members[index];
                    kept += 1;
                }
            }
        }
        self.out.arrange(frame.object, &members[..kept], start, separator, text_end);
        Some(())
    }

    /// The string whose quote is at `start`; gives the place after it.
    #[inline]
    fn string(&mut self, start: usize) -> Option<usize> {
        // The first step takes the quote along, and mostly the other one too.
        if let Some(bytes) = step(self.text, start) {
            let length = ends_plain(bytes).after_first().first();
            if length < STEP && bytes[length] == b'"' {
                self.out.put_step(bytes, length + 1);
                self.escaped = false;
                return Some(start + length + 1);
            }
            self.out.put_step(bytes, length);
            return self.long_string(start, start + length);
        }
        self.out.put(b"\"");
        self.long_string(start, start + 1)
    }

    /// A string that has been written up to `at`.
    fn long_string(&mut self, start: usize, mut at: usize) -> Option<usize> {
        let text = self.text;
        let out = self.out.position() - (at - start);
        let mut escaped = false;
        loop {
            let Some(bytes) = step(text, at) else {
                let end = plain_end(text, at);
                self.out.put(&text[at..end]);
                at = end;
                match text.get(at) {
                    Some(b'"') => break,
                    Some(b'\\') => {}
                    Some(_) => return self.fail((at, "a control character in a string")),
                    None => return self.fail((at, "the text ends inside a string")),
                }
                if !self.short_escape(&mut at) {
                    return self.respell(start, out);
                }
                escaped = true;
                continue;
            };
            let length = ends_plain(bytes).first();
            if length < STEP && bytes[length] == b'"' {
                self.out.put_step(bytes, length + 1);
                self.escaped = escaped;
                return Some(at + length + 1);
            }
            self.out.put_step(bytes, length);
            at += length;
            if length == STEP {
                continue;
            }
            if bytes[length] != b'\\' {
                return self.fail((at, "a control character in a string"));
            }
            if !self.short_escape(&mut at) {
                return self.respell(start, out);
            }
            escaped = true;
        }
        self.out.put(b"\"");
        self.escaped = escaped;
        Some(at + 1)
    }

    /// Take an escape that is canonical as it stands; whether it is one.
    #[inline]
    fn short_escape(&mut self, at: &mut usize) -> bool {
        match self.text.get(*at..*at + 2) {
            Some(escape @ [_, b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't']) => {
                self.out.put(escape);
                *at += 2;
                true
            }
            _ => false,
        }
    }

    /// Write a string again that has escapes of other kinds; gives the place after it.
    #[inline(never)]
    fn respell(&mut self, start: usize, out: usize) -> Option<usize> {
        let end = match string_end(self.text, start + 1) {
            Ok(end) => end,
            Err(problem) => return self.fail(problem),
        };
        self.escaped = true;
        self.out.rewind(out);
        self.out.put(b"\"");
        let refused = self.options.profile == Profile::Jcs;
        if let Err(at) = respell(&self.text[start + 1..end], refused, &mut self.out) {
            return self.fail((start + 1 + at, "half of a pair of surrogates"));
        }
        self.out.put(b"\"");
        Some(end + 1)
    }

    #[inline]
    fn number(&mut self, at: usize) -> Option<usize> {
        let text = self.text;
        let number = match numbers::scan(text, at) {
            Ok(number) => number,
            Err(_) if text[at..].starts_with(b"-Infinity") => return self.fail((at, NOT_FINITE)),
            Err(problem) => return self.fail(problem),
        };
        let spelled = &text[at..number.end];
        if number.plain && !(number.long && self.options.profile == Profile::Jcs) {
            put_short(text, at, spelled.len(), &mut self.out);
        } else {
            self.number.clear();
            match self.options.profile {
                Profile::Canonical => numbers::write(spelled, &mut self.number),
                Profile::Jcs if numbers::write_as_double(spelled, &mut self.number).is_none() => {
                    return self.fail((at, "a number that no double holds"));
                }
                Profile::Jcs => {}
            }
            self.out.put(&self.number);
        }
        Some(number.end)
    }

    fn word(&mut self, at: usize) -> Option<usize> {
        let rest = &self.text[at.min(self.text.len())..];
        for word in ["true", "false", "null"] {
            if rest.starts_with(word.as_bytes()) {
                self.out.put(word.as_bytes());
                return Some(at + word.len());
            }
        }
        let rule = if rest.is_empty() {
            "the text ends where a value should be"
        } else if rest.starts_with(b"NaN") || rest.starts_with(b"Infinity") {
            NOT_FINITE
        } else if at == 0 && rest.starts_with(b"\xef\xbb\xbf") {
            "a byte order mark"
        } else {
            "expected a value"
        };
        self.fail((at, rule))
    }
}

const NOT_FINITE: &str = "NaN and Infinity are no JSON";

/// Where the string ends whose content starts at `at`: the place of its quote.
fn string_end(text: &[u8], mut at: usize) -> Result<usize, Problem> {
    loop {
        at = plain_end(text, at);
        match (text.get(at), text.get(at + 1)) {
            (Some(b'"'), _) => return Ok(at),
            (None, _) => return Err((at, "the text ends inside a string").into()),
            (Some(b'\\'), Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')) => at += 2,
            (Some(b'\\'), Some(b'u')) => {
                let digits = text.get(at + 2..at + 6);
                if !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
                    return Err((at, "expected four hexadecimal digits").into());
                }
                at += 6;
            }
            (Some(b'\\'), _) => return Err((at, "an unknown escape").into()),
            (Some(_), _) => return Err((at, "a control character in a string").into()),
        }
    }
}

/// The first eight bytes of a name as a number that sorts as they do.
#[inline]
fn prefix(text: &[u8], start: usize, end: usize) -> u64 {
    match text.get(start..).and_then(<[u8]>::first_chunk) {
        Some(bytes) => {
            let all = u64::from_be_bytes(*bytes);
            match end - start {
                0 => 0,
                length @ 1..8 => all & (u64::MAX << (64 - 8 * length)),
                _ => all,
            }
        }
        None => text[start..end]
            .iter()
            .zip((0..8).rev())
            .fold(0, |prefix, (byte, place)| prefix | u64::from(*byte) << (8 * place)),
    }
}

#[inline]
fn is_ascii(text: &[u8], start: usize, end: usize, prefix: u64) -> bool {
    prefix & 0x8080_8080_8080_8080 == 0 && (end - start <= 8 || text[start + 8..end].is_ascii())
}

/// How two names are sorted.
#[inline]
fn order(text: &[u8], a: &Part, b: &Part) -> Ordering {
    if a.plain && b.plain && a.prefix != b.prefix {
        return a.prefix.cmp(&b.prefix);
    }
    long_order(text, a, b)
}

#[inline(never)]
fn long_order(text: &[u8], a: &Part, b: &Part) -> Ordering {
    if a.plain && b.plain {
        return spelled(text, a).cmp(spelled(text, b));
    }
    utf16_order(&content(text, a), &content(text, b))
}

fn spelled<'t>(text: &'t [u8], part: &Part) -> &'t [u8] {
    &text[part.start as usize..part.end as usize]
}

fn content<'t>(text: &'t [u8], part: &Part) -> Cow<'t, [u8]> {
    let spelled = spelled(text, part);
    if memchr::memchr(b'\\', spelled).is_some() {
        Cow::Owned(unescape(spelled))
    } else {
        Cow::Borrowed(spelled)
    }
}
