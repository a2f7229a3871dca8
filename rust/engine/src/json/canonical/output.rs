//! Where canonical text is written to, or only measured.

#![expect(clippy::inline_always, reason = "called for every token; left to itself, the compiler calls them")]

use super::Profile;
use super::members::{Member, Place, spelled};
use super::strings::respell;
use crate::json::scan::{STEP, step};

/// A comma, a line feed and an indent; longer indents take several.
const LINE: &[u8; 66] = b",\n                                                                ";
const INDENT: usize = LINE.len() - 2;
/// How many bytes are put at once where they are a part of a text.
const PART: usize = 4 * STEP;

/// Takes canonical text.
pub(super) trait Output {
    /// How long the text is by now.
    fn position(&self) -> usize;

    /// Go back to an earlier position.
    fn rewind(&mut self, position: usize);

    fn put(&mut self, bytes: &[u8]);

    /// Put the first `count` of the bytes. All of them may be written, what is too much is written
    /// over.
    fn put_step<const LENGTH: usize>(&mut self, bytes: &[u8; LENGTH], count: usize);

    /// Put a part of a text.
    #[inline(always)]
    fn put_part(&mut self, text: &[u8], at: usize, length: usize) {
        // Copying a fixed length is much faster than copying a given one.
        match step::<PART>(text, at) {
            Some(bytes) if length <= PART => self.put_step(bytes, length),
            _ => self.put(&text[at..at + length]),
        }
    }

    /// Start what comes next in an array or object at this depth; or, with the depth outside of
    /// it, the line of its closing bracket.
    #[inline(always)]
    fn separate(&mut self, profile: Profile, is_next: bool, depth: usize) {
        match profile {
            Profile::Canonical => self.put_line(is_next, depth),
            Profile::Jcs if is_next => self.put(b","),
            Profile::Jcs => {}
        }
    }

    /// Put what stands between a name and its value.
    #[inline(always)]
    fn put_colon(&mut self, profile: Profile) {
        self.put(if profile == Profile::Canonical { b": " } else { b":" });
    }

    /// Start a line, after a comma where there `is_next` something.
    #[inline(always)]
    fn put_line(&mut self, is_next: bool, depth: usize) {
        let mut left = depth * 2;
        let now = left.min(INDENT);
        self.put(&LINE[usize::from(!is_next)..2 + now]);
        left -= now;
        while left > 0 {
            let now = left.min(INDENT);
            self.put(&LINE[2..2 + now]);
            left -= now;
        }
    }
}

/// An object that has ended.
pub(super) struct Object<'a> {
    /// What [`Arrange::open_object`] gave.
    pub(super) number: u32,
    /// Its members in the order in which they are written.
    pub(super) members: &'a [Member],
    /// They stand in that order in the text, and none is left out.
    pub(super) in_order: bool,
    /// Where the output stood when it started; what came since then are values of its members.
    pub(super) start: usize,
    /// How deep its members are.
    pub(super) depth: usize,
    /// Where it ends in the text.
    pub(super) text_end: usize,
}

/// What else reading needs of an output: to bring members of objects into order.
pub(super) trait Arrange {
    /// An object starts; the number is given back when it ends.
    fn open_object(&mut self) -> u32;

    /// Put an object, in place of what came since it started.
    fn put_object(&mut self, text: &[u8], profile: Profile, object: Object<'_>);

    /// How many objects were opened.
    fn objects(&self) -> u32;
}

impl Output for Vec<u8> {
    fn position(&self) -> usize {
        self.len()
    }

    fn rewind(&mut self, position: usize) {
        self.truncate(position);
    }

    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }

    fn put_step<const LENGTH: usize>(&mut self, bytes: &[u8; LENGTH], count: usize) {
        self.extend_from_slice(&bytes[..count]);
    }
}

/// Memory that is written to in large steps, which may go beyond the text's end.
#[derive(Default)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
    at: usize,
}

impl Buffer {
    /// With room for so many bytes, in memory that may have been used before.
    pub(super) fn new(mut memory: Vec<u8>, capacity: usize) -> Self {
        if memory.len() < capacity + PART {
            memory.resize(capacity + PART, 0);
        }
        Self { bytes: memory, at: 0 }
    }

    /// The memory, to be used again.
    pub(super) fn into_memory(self) -> Vec<u8> {
        self.bytes
    }

    pub(super) fn written(&self) -> &[u8] {
        &self.bytes[..self.at]
    }

    /// Put a member whose value does not follow its name in the text as it should.
    fn put_member(&mut self, text: &[u8], profile: Profile, member: &Member) {
        if member.verbatim {
            let start = member.start - 1;
            self.put_part(text, start as usize, (member.end + 1 - start) as usize);
        } else {
            self.put(b"\"");
            // What is refused was refused when the name was read.
            let _ = respell(spelled(text, member), false, self);
            self.put(b"\"");
        }
        self.put_colon(profile);
        let (start, end) = (member.value_start as usize, member.value_end as usize);
        if member.place == Place::Output {
            if self.bytes.len() - self.at < end - start {
                self.grow(end - start);
            }
            self.bytes.copy_within(start..end, self.at);
            self.at += end - start;
        } else {
            self.put_part(text, start, end - start);
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, more: usize) {
        self.bytes.resize(2 * self.bytes.len() + more + 4 * STEP, 0);
    }
}

impl Output for Buffer {
    #[inline]
    fn position(&self) -> usize {
        self.at
    }

    #[inline]
    fn rewind(&mut self, position: usize) {
        self.at = position;
    }

    #[inline(always)]
    fn put(&mut self, bytes: &[u8]) {
        if self.bytes.len() - self.at < bytes.len() {
            self.grow(bytes.len());
        }
        self.bytes[self.at..self.at + bytes.len()].copy_from_slice(bytes);
        self.at += bytes.len();
    }

    #[inline(always)]
    fn put_step<const LENGTH: usize>(&mut self, bytes: &[u8; LENGTH], count: usize) {
        if self.bytes.len() - self.at < LENGTH {
            self.grow(LENGTH);
        }
        if let Some(room) = self.bytes[self.at..].first_chunk_mut() {
            *room = *bytes;
        }
        self.at += count;
    }

    #[inline(always)]
    fn put_line(&mut self, is_next: bool, depth: usize) {
        // Indents are short, and copying a fixed length is much faster than copying a given one.
        const SHORT: usize = 32;
        let skipped = usize::from(!is_next);
        let length = 2 + 2 * depth - skipped;
        if length > SHORT {
            let mut left = 2 * depth;
            self.put(&LINE[skipped..2]);
            while left > 0 {
                let now = left.min(INDENT);
                self.put(&LINE[2..2 + now]);
                left -= now;
            }
            return;
        }
        if self.bytes.len() - self.at < SHORT {
            self.grow(SHORT);
        }
        if let (Some(room), Some(line)) =
            (self.bytes[self.at..].first_chunk_mut::<SHORT>(), LINE[skipped..].first_chunk::<SHORT>())
        {
            *room = *line;
        }
        self.at += length;
    }
}

impl Arrange for Buffer {
    #[inline]
    fn open_object(&mut self) -> u32 {
        0
    }

    #[inline]
    fn put_object(&mut self, text: &[u8], profile: Profile, object: Object<'_>) {
        let values_end = self.at;
        self.put(b"{");
        for (index, member) in object.members.iter().enumerate() {
            self.separate(profile, index > 0, object.depth);
            if member.place == Place::Follows {
                let start = member.start - 1;
                self.put_part(text, start as usize, (member.value_end - start) as usize);
            } else {
                self.put_member(text, profile, member);
            }
        }
        self.separate(profile, false, object.depth - 1);
        self.put(b"}");
        if values_end > object.start {
            self.bytes.copy_within(values_end..self.at, object.start);
            self.at -= values_end - object.start;
        }
    }

    fn objects(&self) -> u32 {
        0
    }
}

/// Where a member that is to be written starts in the text.
#[derive(Clone, Copy)]
pub(super) struct Jump {
    /// Where its name starts; for the end of an object, [`Jump::END`] and what comes after it.
    pub(super) offset: u32,
    /// How many objects were opened before it.
    pub(super) object: u32,
}

impl Jump {
    pub(super) const END: u32 = 1 << 31;
}

/// A list that grows without being moved, so that it never takes up memory twice.
pub(super) struct Pile<T> {
    full: Vec<Vec<T>>,
    last: Vec<T>,
}

impl<T> Default for Pile<T> {
    fn default() -> Self {
        Self { full: Vec::new(), last: Vec::new() }
    }
}

impl<T: Copy> Pile<T> {
    const CHUNK: usize = 1 << 13;

    #[inline]
    fn push(&mut self, item: T) {
        if self.last.len() == Self::CHUNK {
            self.full.push(std::mem::replace(&mut self.last, Vec::with_capacity(Self::CHUNK)));
        }
        self.last.push(item);
    }

    #[inline]
    fn len(&self) -> usize {
        self.full.len() * Self::CHUNK + self.last.len()
    }

    #[inline]
    pub(super) fn get(&self, index: usize) -> T {
        let chunk = self.full.get(index / Self::CHUNK).unwrap_or(&self.last);
        chunk[index % Self::CHUNK]
    }

    fn set(&mut self, index: usize, item: T) {
        let chunk = self.full.get_mut(index / Self::CHUNK).unwrap_or(&mut self.last);
        chunk[index % Self::CHUNK] = item;
    }
}

/// Measures, and keeps in which order members are to be written.
#[derive(Default)]
pub(super) struct Measure {
    at: usize,
    /// For each object the index, counted from 1, of its first place; 0 where it is in order.
    pub(super) objects: Pile<u32>,
    /// The members of objects that are not in order, and each object's end.
    pub(super) places: Pile<Jump>,
}

impl Output for Measure {
    #[inline]
    fn position(&self) -> usize {
        self.at
    }

    #[inline]
    fn rewind(&mut self, position: usize) {
        self.at = position;
    }

    #[inline(always)]
    fn put(&mut self, bytes: &[u8]) {
        self.at += bytes.len();
    }

    #[inline(always)]
    fn put_step<const LENGTH: usize>(&mut self, _: &[u8; LENGTH], count: usize) {
        self.at += count;
    }

    #[inline(always)]
    fn put_line(&mut self, is_next: bool, depth: usize) {
        self.at += 1 + usize::from(is_next) + 2 * depth;
    }
}

impl Arrange for Measure {
    #[inline]
    fn open_object(&mut self) -> u32 {
        self.objects.push(0);
        self.objects.len() as u32 - 1
    }

    fn put_object(&mut self, text: &[u8], profile: Profile, object: Object<'_>) {
        if !object.in_order {
            self.objects.set(object.number as usize, self.places.len() as u32 + 1);
            for member in object.members {
                self.places.push(Jump { offset: member.start - 1, object: member.objects });
            }
            self.places.push(Jump { offset: Jump::END | object.text_end as u32, object: self.objects() });
        }
        let (colon, line) = match profile {
            Profile::Canonical => (2, 2 + 2 * object.depth),
            Profile::Jcs => (1, 1),
        };
        let content: usize = object.members.iter().map(|member| member.length(text, colon) + line).sum();
        // The brackets; the line of the closing one is two shorter, and has no comma.
        self.at = object.start + content + if profile == Profile::Canonical { line - 2 } else { 1 };
    }

    fn objects(&self) -> u32 {
        self.objects.len() as u32
    }
}

/// Memory that is just as long as the text.
pub(super) struct Room<'a> {
    pub(super) bytes: &'a mut [u8],
    pub(super) at: usize,
}

impl Output for Room<'_> {
    #[inline]
    fn position(&self) -> usize {
        self.at
    }

    #[inline]
    fn rewind(&mut self, position: usize) {
        self.at = position;
    }

    #[inline(always)]
    fn put(&mut self, bytes: &[u8]) {
        self.bytes[self.at..self.at + bytes.len()].copy_from_slice(bytes);
        self.at += bytes.len();
    }

    #[inline(always)]
    fn put_step<const LENGTH: usize>(&mut self, bytes: &[u8; LENGTH], count: usize) {
        match self.bytes[self.at..].first_chunk_mut() {
            Some(room) => *room = *bytes,
            None => self.bytes[self.at..self.at + count].copy_from_slice(&bytes[..count]),
        }
        self.at += count;
    }
}
