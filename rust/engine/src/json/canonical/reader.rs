//! Reading a text and writing its canonical form on the way.
//!
//! A member whose value is no array and no object is only looked at: it is written when its object
//! ends and the order of all its members is known, mostly as it stands in the text. What a member
//! holds that has to be spelled anew, arrays and objects too, is put at the end of the output, and
//! moved to its place when the object ends. Nothing recurses.

use super::members::{Arranger, Member, Order, Place, keep_last, next_hash, prefix, repeated};
use super::numbers;
use super::output::{Arrange, Object, Output};
use super::strings::respell;
use super::{Options, Profile, Repeated};
use crate::json::MAX_BYTES;
use crate::json::scan::{
    STEP, ends_plain, line_end, not_ascii, plain_end, quoted_length_of_32, space_end, step, white_space_end,
};

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

/// An array or an object that is open.
#[derive(Clone, Copy)]
struct Frame {
    is_object: bool,
    /// The index of its first member.
    first: u32,
    /// What the output calls it.
    object: u32,
    /// Where the output stood.
    start: u32,
    /// Of the names of its members.
    hash: u64,
}

/// What a reading leaves for the next one: its memory, and what it has learned.
#[derive(Default)]
pub(super) struct State {
    members: Vec<Member>,
    arranger: Arranger,
    open: Vec<Frame>,
    scratch: Vec<u8>,
}

impl State {
    /// How many bytes it takes up, more or less.
    pub(super) fn size(&self) -> usize {
        size_of::<Member>() * self.members.capacity()
            + size_of::<Frame>() * self.open.capacity()
            + self.scratch.capacity()
    }
}

pub(super) struct Reader<'t, O> {
    text: &'t [u8],
    options: Options,
    pub(super) out: O,
    members: Vec<Member>,
    arranger: Arranger,
    open: Vec<Frame>,
    scratch: Vec<u8>,
    /// What ended the reading. Kept here, so that what is handed on at every step is small.
    problem: Option<Problem>,
}

/// How a string stands in the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spelling {
    /// In ASCII, without escapes.
    Ascii,
    /// Without escapes.
    Plain,
    /// With escapes that are canonical.
    Escaped,
    /// With escapes that are perhaps not.
    Other,
}

impl<'t, O: Output + Arrange> Reader<'t, O> {
    pub(super) fn new(text: &'t [u8], options: Options, out: O, state: State) -> Self {
        let State { mut members, arranger, mut open, scratch } = state;
        members.clear();
        open.clear();
        Self { text, options, out, members, arranger, open, scratch, problem: None }
    }

    /// The output, and what the next reading may use.
    pub(super) fn into_parts(self) -> (O, State) {
        let Self { out, members, arranger, open, scratch, .. } = self;
        (out, State { members, arranger, open, scratch })
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
        let mut line = 0;
        let mut at = white_space_end(text, 0);
        'values: loop {
            let start = at;
            let out = self.out.position();
            match text.get(at) {
                Some(b'"') => at = self.string(at)?,
                Some(b'{') => {
                    self.limit_depth(at)?;
                    at = white_space_end(text, at + 1);
                    line = at - start - 1;
                    if text.get(at) == Some(&b'}') {
                        at = self.empty(b"{}", start, at + 1);
                    } else {
                        self.open(at, true)?;
                        at = self.name(at)?;
                        continue;
                    }
                }
                Some(b'[') => {
                    self.limit_depth(at)?;
                    at = white_space_end(text, at + 1);
                    line = at - start - 1;
                    if text.get(at) == Some(&b']') {
                        at = self.empty(b"[]", start, at + 1);
                    } else {
                        self.open(at, false)?;
                        self.out.put(b"[");
                        self.out.separate(self.options.profile, false, self.open.len());
                        continue;
                    }
                }
                Some(b'-' | b'0'..=b'9') => at = self.number(at)?,
                _ => at = self.word(at)?,
            }
            self.end_value(start, at, out);
            loop {
                let Some(&frame) = self.open.last() else { break 'values };
                if text.get(at) != Some(&b',') {
                    let end = at;
                    at = white_space_end(text, at);
                    line = at - end;
                }
                match text.get(at) {
                    Some(b',') => {
                        let line_start = at + 1;
                        at = line_end(text, line_start, line);
                        line = at - line_start;
                        if frame.is_object {
                            at = self.name(at)?;
                        } else {
                            self.out.separate(self.options.profile, true, self.open.len());
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
                        self.out.separate(self.options.profile, false, self.open.len());
                        self.out.put(b"]");
                    }
                    None => return self.fail((at, "the text ends inside a value")),
                    Some(_) if frame.is_object => {
                        return self.fail((at, "expected a comma or a closing brace"));
                    }
                    Some(_) => return self.fail((at, "expected a comma or a closing bracket")),
                }
                self.end_container(frame);
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

    /// A value that is no array and no object stands from `start` to `end`. If it is not written as
    /// it stands, then it has been put into the output, from `out`.
    #[inline]
    fn end_value(&mut self, start: usize, end: usize, out: usize) {
        let now = self.out.position();
        match (self.open.last(), self.members.last_mut()) {
            (Some(frame), Some(member)) if frame.is_object => {
                (member.value_start, member.value_end) = if now > out {
                    member.place = Place::Output;
                    (out as u32, now as u32)
                } else {
                    (start as u32, end as u32)
                };
            }
            _ if now == out => self.out.put_part(self.text, start, end - start),
            _ => {}
        }
    }

    /// An array or an object has ended and is in the output.
    #[inline]
    fn end_container(&mut self, container: Frame) {
        if let (Some(frame), Some(member)) = (self.open.last(), self.members.last_mut())
            && frame.is_object
        {
            member.place = Place::Output;
            (member.value_start, member.value_end) = (container.start, self.out.position() as u32);
        }
    }

    #[inline]
    fn empty(&mut self, brackets: &[u8], start: usize, end: usize) -> usize {
        if end - start > brackets.len() {
            self.out.put(brackets);
        }
        end
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

    /// An array or an object that is not empty. `at` is its first element or member.
    fn open(&mut self, at: usize, is_object: bool) -> Option<()> {
        self.limit(at)?;
        let object = if is_object { self.out.open_object() } else { 0 };
        let start = self.out.position() as u32;
        self.open.push(Frame { is_object, first: self.members.len() as u32, object, start, hash: 0 });
        Some(())
    }

    /// A member's name and colon; gives the place of its value.
    #[inline]
    fn name(&mut self, at: usize) -> Option<usize> {
        let text = self.text;
        if text.get(at) != Some(&b'"') {
            return self.fail((at, "expected a name in quotes"));
        }
        if self.out.position() > MAX_BYTES {
            return self.fail(Problem { offset: at, place_offset: at, rule: Rule::Length });
        }
        let (end, spelling) = self.short_string(at)?;
        let (start, end) = (at + 1, end - 1);
        if spelling == Spelling::Other {
            self.check_name(start, end)?;
        }
        let prefix = prefix(text, start, end);
        let colon = if text.get(end + 1) == Some(&b':') { end + 1 } else { white_space_end(text, end + 1) };
        if text.get(colon) != Some(&b':') {
            return self.fail((colon, "expected a colon"));
        }
        let value = space_end(text, colon + 1);
        let follows = colon == end + 1
            && spelling != Spelling::Other
            && match self.options.profile {
                Profile::Canonical => value == colon + 2 && text[colon + 1] == b' ',
                Profile::Jcs => value == colon + 1,
            };
        if let Some(object) = self.open.last_mut() {
            object.hash = next_hash(object.hash, prefix);
        }
        self.members.push(Member {
            prefix,
            start: start as u32,
            end: end as u32,
            value_start: 0,
            value_end: 0,
            objects: self.out.objects(),
            place: if follows { Place::Follows } else { Place::Text },
            verbatim: spelling != Spelling::Other,
            plain: spelling == Spelling::Ascii,
        });
        Some(value)
    }

    #[cold]
    fn check_name(&mut self, start: usize, end: usize) -> Option<()> {
        self.scratch.clear();
        let refused = self.options.profile == Profile::Jcs;
        match respell(&self.text[start..end], refused, &mut self.scratch) {
            Ok(()) => Some(()),
            Err(at) => self.fail((start + at, "half of a pair of surrogates")),
        }
    }

    /// An object ends before `text_end`.
    #[inline]
    fn close_object(&mut self, frame: Frame, text_end: usize) -> Option<()> {
        let text = self.text;
        let members = &mut self.members[frame.first as usize..];
        let (order, members) = self.arranger.arrange(text, members, frame.hash);
        let mut kept = members.len();
        if order == Order::Repeated {
            if self.options.repeated == Repeated::Refused {
                let (start, end) =
                    repeated(text, members).map_or((0, 0), |member| (member.start, member.end));
                return self.fail(Problem {
                    offset: start as usize - 1,
                    place_offset: end as usize + 1,
                    rule: Rule::Text("a name that stands twice"),
                });
            }
            // Of each name the last one, as every reader of JSON that allows this has it.
            kept = keep_last(text, members);
        }
        let object = Object {
            number: frame.object,
            members: &members[..kept],
            in_order: order == Order::Kept,
            start: frame.start as usize,
            depth: self.open.len(),
            text_end,
        };
        self.out.put_object(text, self.options.profile, object);
        self.members.truncate(frame.first as usize);
        self.open.pop();
        self.limit(text_end)
    }

    /// The string whose quote is at `start`; gives the place after it.
    #[inline]
    fn string(&mut self, start: usize) -> Option<usize> {
        // A step takes a quote along, and mostly the other one too.
        let at = match step::<{ 2 * STEP }>(self.text, start) {
            Some(bytes) => {
                let length = quoted_length_of_32(bytes);
                if length < 2 * STEP && bytes[length] == b'"' {
                    return Some(start + length + 1);
                }
                start + length
            }
            None => start + 1,
        };
        let (end, spelling) = self.long_string(start, at)?;
        if spelling == Spelling::Other { self.respell(start, end) } else { Some(end) }
    }

    /// As [`Self::string`], where it is a name: these are short. Puts nothing.
    #[inline]
    fn short_string(&mut self, start: usize) -> Option<(usize, Spelling)> {
        if let Some(bytes) = step::<STEP>(self.text, start) {
            let length = ends_plain(bytes).after_first().first();
            if length < STEP && bytes[length] == b'"' {
                let is_ascii = not_ascii(bytes).none_in(length);
                return Some((start + length + 1, if is_ascii { Spelling::Ascii } else { Spelling::Plain }));
            }
        }
        let (end, spelling) = self.long_string(start, start + 1)?;
        let is_ascii = spelling == Spelling::Plain && self.text[start..end].is_ascii();
        Some((end, if is_ascii { Spelling::Ascii } else { spelling }))
    }

    /// A string that has been looked at up to `at`.
    fn long_string(&mut self, start: usize, mut at: usize) -> Option<(usize, Spelling)> {
        let text = self.text;
        let mut spelling = Spelling::Plain;
        loop {
            at = plain_end(text, at);
            match (text.get(at), text.get(at + 1)) {
                (Some(b'"'), _) => return Some((at + 1, spelling)),
                (Some(b'\\'), Some(b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't')) => {
                    spelling = Spelling::Escaped;
                    at += 2;
                }
                (Some(b'\\'), _) => break,
                (Some(_), _) => return self.fail((at, "a control character in a string")),
                (None, _) => return self.fail((at, "the text ends inside a string")),
            }
        }
        match string_end(text, start + 1) {
            Ok(end) => Some((end + 1, Spelling::Other)),
            Err(problem) => self.fail(problem),
        }
    }

    /// Write a string anew that has escapes of other kinds; gives its end again.
    #[cold]
    fn respell(&mut self, start: usize, end: usize) -> Option<usize> {
        self.out.put(b"\"");
        let refused = self.options.profile == Profile::Jcs;
        if let Err(at) = respell(&self.text[start + 1..end - 1], refused, &mut self.out) {
            return self.fail((start + 1 + at, "half of a pair of surrogates"));
        }
        self.out.put(b"\"");
        Some(end)
    }

    #[inline]
    fn number(&mut self, at: usize) -> Option<usize> {
        let text = self.text;
        let number = match numbers::scan(text, at) {
            Ok(number) => number,
            Err(_) if text[at..].starts_with(b"-Infinity") => return self.fail((at, NOT_FINITE)),
            Err(problem) => return self.fail(problem),
        };
        if !number.plain || number.long && self.options.profile == Profile::Jcs {
            let spelled = &text[at..number.end];
            self.scratch.clear();
            match self.options.profile {
                Profile::Canonical => numbers::write(spelled, &mut self.scratch),
                Profile::Jcs if numbers::write_as_double(spelled, &mut self.scratch).is_none() => {
                    return self.fail((at, "a number that no double holds"));
                }
                Profile::Jcs => {}
            }
            self.out.put(&self.scratch);
        }
        Some(number.end)
    }

    fn word(&mut self, at: usize) -> Option<usize> {
        let rest = &self.text[at.min(self.text.len())..];
        for word in ["true", "false", "null"] {
            if rest.starts_with(word.as_bytes()) {
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
