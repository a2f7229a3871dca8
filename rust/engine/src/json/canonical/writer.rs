//! Writing a text that was measured: each member in its place at once.
//!
//! Costs a second look at the text, and no memory but the output's, however deep values nest and
//! in whichever order members stand.

use super::Profile;
use super::numbers;
use super::output::{Jump, Measure, Output, Room};
use super::strings::respell;
use crate::json::scan::{STEP, ends_plain, plain_end, plain_length_of_32, space_end, step, white_space_end};

#[derive(Clone, Copy)]
enum Frame {
    Array,
    /// An object whose members stand in order.
    Object,
    /// An object whose members are written by their places; the index of the one being written.
    Places(usize),
}

/// Write what was measured into memory of exactly the measured length.
pub(super) fn write(text: &[u8], profile: Profile, measure: &Measure, bytes: &mut [u8]) {
    let out = Room { bytes, at: 0 };
    Writer { text, profile, measure, out, object: 0, open: Vec::new(), number: Vec::new() }.write();
}

struct Writer<'t, 'o> {
    text: &'t [u8],
    profile: Profile,
    measure: &'t Measure,
    out: Room<'o>,
    /// How many objects stand before the current place.
    object: u32,
    open: Vec<Frame>,
    number: Vec<u8>,
}

impl Writer<'_, '_> {
    /// The text has been read, so everything is where it is expected.
    fn write(&mut self) {
        let text = self.text;
        let mut at = white_space_end(text, 0);
        'values: loop {
            match text.get(at) {
                Some(b'"') => at = self.string(at),
                Some(b'{') => {
                    at = white_space_end(text, at + 1);
                    if text.get(at) == Some(&b'}') {
                        self.out.put(b"{}");
                        at += 1;
                    } else {
                        self.out.put(b"{");
                        at = self.open_object(at);
                        self.out.separate(self.profile, false, self.open.len());
                        at = self.name(at);
                        continue;
                    }
                }
                Some(b'[') => {
                    at = white_space_end(text, at + 1);
                    if text.get(at) == Some(&b']') {
                        self.out.put(b"[]");
                        at += 1;
                    } else {
                        self.open.push(Frame::Array);
                        self.out.put(b"[");
                        self.out.separate(self.profile, false, self.open.len());
                        continue;
                    }
                }
                Some(b'-' | b'0'..=b'9') => at = self.number(at),
                Some(b'f') => at = self.word(at, b"false"),
                Some(_) => at = self.word(at, if text[at] == b't' { b"true" } else { b"null" }),
                None => return,
            }
            loop {
                let depth = self.open.len();
                match self.open.last_mut() {
                    None => break 'values,
                    Some(Frame::Places(index)) => {
                        *index += 1;
                        let place = self.measure.places.get(*index);
                        self.object = place.object;
                        if place.offset & Jump::END == 0 {
                            self.out.separate(self.profile, true, depth);
                            at = self.name(place.offset as usize);
                            continue 'values;
                        }
                        at = (place.offset & !Jump::END) as usize;
                        self.close(b"}");
                    }
                    Some(frame) => {
                        let is_object = matches!(frame, Frame::Object);
                        if text.get(at) != Some(&b',') {
                            at = white_space_end(text, at);
                        }
                        if text.get(at) == Some(&b',') {
                            at = space_end(text, at + 1);
                            self.out.separate(self.profile, true, depth);
                            if is_object {
                                at = self.name(at);
                            }
                            continue 'values;
                        }
                        at += 1;
                        self.close(if is_object { b"}" } else { b"]" });
                    }
                }
            }
        }
        if self.profile == Profile::Canonical {
            self.out.put(b"\n");
        }
    }

    /// An object that has members, the first at `at`; gives the place of the one to be written
    /// first.
    fn open_object(&mut self, at: usize) -> usize {
        let first = self.measure.objects.get(self.object as usize);
        self.object += 1;
        if first == 0 {
            self.open.push(Frame::Object);
            return at;
        }
        let first = first as usize - 1;
        self.open.push(Frame::Places(first));
        let place = self.measure.places.get(first);
        self.object = place.object;
        place.offset as usize
    }

    fn close(&mut self, bracket: &[u8]) {
        self.open.pop();
        self.out.separate(self.profile, false, self.open.len());
        self.out.put(bracket);
    }

    #[inline]
    fn name(&mut self, at: usize) -> usize {
        let at = self.string(at);
        self.out.put_colon(self.profile);
        space_end(self.text, white_space_end(self.text, at) + 1)
    }

    #[inline]
    fn string(&mut self, start: usize) -> usize {
        if let Some(bytes) = step::<STEP>(self.text, start) {
            let length = ends_plain(bytes).after_first().first();
            if length < STEP && bytes[length] == b'"' {
                self.out.put_step(bytes, length + 1);
                return start + length + 1;
            }
            self.out.put_step(bytes, length);
            return self.long_string(start, start + length);
        }
        self.out.put(b"\"");
        self.long_string(start, start + 1)
    }

    /// A string that has been written up to `at`.
    fn long_string(&mut self, start: usize, mut at: usize) -> usize {
        let text = self.text;
        let out = self.out.position() - (at - start);
        while let Some(bytes) = step::<{ 2 * STEP }>(text, at) {
            let length = plain_length_of_32(bytes);
            self.out.put_step(bytes, length);
            at += length;
            if length == 2 * STEP {
                continue;
            }
            match (bytes[length], text.get(at + 1)) {
                (b'\\', Some(b'/' | b'u')) => break,
                (b'\\', Some(letter)) => {
                    self.out.put(&[b'\\', *letter]);
                    at += 2;
                }
                _ => {
                    self.out.put(b"\"");
                    return at + 1;
                }
            }
        }
        // An escape that is not canonical, or the end of the text is near.
        while text.get(at) != Some(&b'"') && at < text.len() {
            at = plain_end(text, at);
            if text.get(at) == Some(&b'\\') {
                at += 2;
            }
        }
        self.out.rewind(out);
        self.out.put(b"\"");
        // What is refused was refused when the text was measured.
        let _ = respell(text.get(start + 1..at).unwrap_or_default(), false, &mut self.out);
        self.out.put(b"\"");
        at + 1
    }

    fn number(&mut self, at: usize) -> usize {
        let Ok(number) = numbers::scan(self.text, at) else { return self.text.len() };
        let spelled = &self.text[at..number.end];
        if number.plain && !(number.long && self.profile == Profile::Jcs) {
            self.out.put_part(self.text, at, spelled.len());
        } else {
            self.number.clear();
            match self.profile {
                Profile::Canonical => numbers::write(spelled, &mut self.number),
                Profile::Jcs => numbers::write_as_double(spelled, &mut self.number).unwrap_or_default(),
            }
            self.out.put(&self.number);
        }
        number.end
    }

    fn word(&mut self, at: usize, word: &[u8]) -> usize {
        self.out.put(word);
        at + word.len()
    }
}
