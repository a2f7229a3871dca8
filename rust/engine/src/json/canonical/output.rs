//! Where canonical text is written to, or only measured.

#![expect(clippy::inline_always, reason = "called for every token; left to itself, the compiler calls them")]

use super::reader::Part;
use crate::json::scan::{STEP, step};

/// A comma, a line feed and an indent; longer indents take several.
const LINE: &[u8; 66] = b",\n                                                                ";
const INDENT: usize = LINE.len() - 2;

/// Put bytes of a text of which there are few, as of a number.
#[inline]
pub(super) fn put_short(text: &[u8], at: usize, length: usize, out: &mut impl Output) {
    match (step(text, at), step(text, at + STEP)) {
        (Some(bytes), _) if length <= STEP => out.put_step(bytes, length),
        (Some(bytes), Some(more)) if length <= 2 * STEP => {
            out.put_step(bytes, STEP);
            out.put_step(more, length - STEP);
        }
        _ => out.put(&text[at..at + length]),
    }
}

/// Takes canonical text.
pub(super) trait Output {
    /// How long the text is by now.
    fn position(&self) -> usize;

    /// Go back to an earlier position.
    fn rewind(&mut self, position: usize);

    fn put(&mut self, bytes: &[u8]);

    /// Put the first `count` of the bytes. All of them may be written, what is too much is written
    /// over.
    fn put_step(&mut self, bytes: &[u8; STEP], count: usize);

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

/// What else reading needs of an output: to bring members of objects into order.
pub(super) trait Arrange {
    /// An object starts; the number is given back when it ends.
    fn open_object(&mut self) -> u32;

    /// An object ends, whose members stand in another order than they should, or where some are
    /// left out. `members` are in the order in which they should stand; they start at `start`.
    fn arrange(&mut self, object: u32, members: &[Part], start: usize, separator: Separator, text_end: usize);

    /// How many objects were opened.
    fn objects(&self) -> u32;
}

/// What stands between two members: `length` bytes, of which a line's indent is for `depth`.
#[derive(Clone, Copy)]
pub(super) struct Separator {
    pub(super) depth: Option<usize>,
}

impl Separator {
    pub(super) fn length(self) -> usize {
        self.depth.map_or(1, |depth| 2 + 2 * depth)
    }
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

    fn put_step(&mut self, bytes: &[u8; STEP], count: usize) {
        self.extend_from_slice(&bytes[..count]);
    }
}

/// Memory that is written to in large steps, which may go beyond the text's end.
#[derive(Default)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
    at: usize,
    scratch: Vec<u8>,
}

impl Buffer {
    pub(super) fn new(capacity: usize) -> Self {
        Self { bytes: vec![0; capacity + 4 * STEP], at: 0, scratch: Vec::new() }
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        self.bytes.truncate(self.at);
        self.bytes
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
    fn put_step(&mut self, bytes: &[u8; STEP], count: usize) {
        if self.bytes.len() - self.at < STEP {
            self.grow(STEP);
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

    fn arrange(&mut self, _: u32, members: &[Part], start: usize, separator: Separator, _: usize) {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        scratch.extend_from_slice(&self.bytes[start..self.at]);
        self.at = start;
        for (index, member) in members.iter().enumerate() {
            if index > 0 {
                match separator.depth {
                    Some(depth) => self.put_line(true, depth),
                    None => self.put(b","),
                }
            }
            let mut at = member.out as usize - start;
            let end = at + member.size as usize;
            if end - at <= 4 * STEP {
                while at < end {
                    match scratch.get(at..).and_then(<[u8]>::first_chunk) {
                        Some(bytes) => self.put_step(bytes, STEP.min(end - at)),
                        None => self.put(&scratch[at..end]),
                    }
                    at += STEP;
                }
            } else {
                self.put(&scratch[at..end]);
            }
        }
        self.scratch = scratch;
    }

    fn objects(&self) -> u32 {
        0
    }
}

/// Where a member that is to be written starts in the text.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// Where its name starts; for the end of an object, [`Place::END`] and what comes after it.
    pub(super) offset: u32,
    /// How many objects were opened before it.
    pub(super) object: u32,
}

impl Place {
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
    pub(super) places: Pile<Place>,
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
    fn put_step(&mut self, _: &[u8; STEP], count: usize) {
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

    fn arrange(
        &mut self,
        object: u32,
        members: &[Part],
        start: usize,
        separator: Separator,
        text_end: usize,
    ) {
        self.objects.set(object as usize, self.places.len() as u32 + 1);
        for member in members {
            self.places.push(Place { offset: member.start - 1, object: member.objects });
        }
        self.places.push(Place { offset: Place::END | text_end as u32, object: self.objects() });
        let content: usize = members.iter().map(|member| member.size as usize).sum();
        self.at = start + content + (members.len() - 1) * separator.length();
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
    fn put_step(&mut self, bytes: &[u8; STEP], count: usize) {
        match self.bytes[self.at..].first_chunk_mut() {
            Some(room) => *room = *bytes,
            None => self.bytes[self.at..self.at + count].copy_from_slice(&bytes[..count]),
        }
        self.at += count;
    }
}
