//! Whether a text is in canonical form already: compared, not written, and left at the first
//! difference.

use super::numbers;
use super::order::utf16_order;
use super::strings::respell;
use super::{Options, Profile};
use crate::json::scan::{STEP, ends_plain, plain_end, step};
use crate::json::text::unescape;

/// Whether writing `text` in its canonical form would give these very bytes.
pub(super) fn is_canonical(text: &[u8], options: Options) -> bool {
    let mut check = Check { text, options, at: 0, open: Vec::new(), scratch: Vec::new() };
    check.check().is_some() && simdutf8::basic::from_utf8(text).is_ok()
}

/// An array, or an object with the name before.
#[derive(Clone, Copy)]
struct Frame {
    is_object: bool,
    /// Where the last name stands, between its quotes; empty before the first one.
    name: (u32, u32),
}

struct Check<'t> {
    text: &'t [u8],
    options: Options,
    at: usize,
    open: Vec<Frame>,
    scratch: Vec<u8>,
}

impl Check<'_> {
    /// `None` at the first difference.
    fn check(&mut self) -> Option<()> {
        'values: loop {
            match *self.text.get(self.at)? {
                b'"' => {
                    self.string()?;
                }
                bracket @ (b'{' | b'[') => {
                    if self.open.len() >= self.options.max_depth {
                        return None;
                    }
                    self.at += 1;
                    // In ASCII, a closing bracket stands two after the opening one.
                    if self.text.get(self.at) == Some(&(bracket + 2)) {
                        self.at += 1;
                    } else {
                        let is_object = bracket == b'{';
                        self.open.push(Frame { is_object, name: (0, 0) });
                        self.line()?;
                        if is_object {
                            self.name(true)?;
                        }
                        continue;
                    }
                }
                b'-' | b'0'..=b'9' => self.number()?,
                b't' => self.expect(b"true")?,
                b'f' => self.expect(b"false")?,
                b'n' => self.expect(b"null")?,
                _ => return None,
            }
            loop {
                let Some(frame) = self.open.last() else { break 'values };
                let is_object = frame.is_object;
                if self.text.get(self.at) == Some(&b',') {
                    self.at += 1;
                    self.line()?;
                    if is_object {
                        self.name(false)?;
                    }
                    continue 'values;
                }
                self.open.pop();
                self.line()?;
                self.expect(if is_object { b"}" } else { b"]" })?;
            }
        }
        if self.options.profile == Profile::Canonical {
            self.expect(b"\n")?;
        }
        (self.at == self.text.len()).then_some(())
    }

    #[inline]
    fn expect(&mut self, bytes: &[u8]) -> Option<()> {
        let end = self.at + bytes.len();
        (self.text.get(self.at..end)? == bytes).then(|| self.at = end)
    }

    /// A line feed and the indent.
    #[inline]
    fn line(&mut self) -> Option<()> {
        if self.options.profile == Profile::Jcs {
            return Some(());
        }
        self.expect(b"\n")?;
        let end = self.at + 2 * self.open.len();
        let indent = self.text.get(self.at..end)?;
        let (steps, rest) = indent.as_chunks::<8>();
        let is_indent = steps.iter().all(|step| step == b"        ") && rest.iter().all(|byte| *byte == b' ');
        is_indent.then(|| self.at = end)
    }

    #[inline]
    fn name(&mut self, is_first: bool) -> Option<()> {
        if self.text.get(self.at) != Some(&b'"') {
            return None;
        }
        let start = self.at + 1;
        self.string()?;
        let name = (start as u32, self.at as u32 - 1);
        let before = std::mem::replace(&mut self.open.last_mut()?.name, name);
        if !is_first && !self.comes_before(before, name) {
            return None;
        }
        self.expect(if self.options.profile == Profile::Canonical { b": " } else { b":" })
    }

    #[inline]
    fn comes_before(&self, before: (u32, u32), name: (u32, u32)) -> bool {
        let spelled = |(start, end): (u32, u32)| &self.text[start as usize..end as usize];
        let (before, name) = (spelled(before), spelled(name));
        // Most names differ in their first letter, and up to `[` no letter is an escape's.
        if let (Some(left), Some(right)) = (before.first(), name.first())
            && left != right
            && *left < 0x80
            && *right < 0x80
            && *left != b'\\'
            && *right != b'\\'
        {
            return left < right;
        }
        utf16_order(&unescape(before), &unescape(name)).is_lt()
    }

    #[inline]
    fn string(&mut self) -> Option<()> {
        let start = self.at;
        if let Some(bytes) = step::<STEP>(self.text, start) {
            let length = ends_plain(bytes).after_first().first();
            if length < STEP && bytes[length] == b'"' {
                self.at += length + 1;
                return Some(());
            }
        }
        self.at += 1;
        let mut is_plain = true;
        loop {
            self.at = plain_end(self.text, self.at);
            match (self.text.get(self.at)?, self.text.get(self.at + 1)) {
                (b'"', _) => break,
                (b'\\', Some(b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't')) => self.at += 2,
                (b'\\', Some(b'u')) => {
                    if !self.text.get(self.at + 2..self.at + 6)?.iter().all(u8::is_ascii_hexdigit) {
                        return None;
                    }
                    is_plain = false;
                    self.at += 6;
                }
                _ => return None,
            }
        }
        let raw = &self.text[start + 1..self.at];
        self.at += 1;
        if !is_plain {
            self.scratch.clear();
            respell(raw, self.options.profile == Profile::Jcs, &mut self.scratch).ok()?;
            return (self.scratch == raw).then_some(());
        }
        Some(())
    }

    fn number(&mut self) -> Option<()> {
        let number = numbers::scan(self.text, self.at).ok()?;
        let spelled = &self.text[self.at..number.end];
        self.at = number.end;
        if number.plain && !(number.long && self.options.profile == Profile::Jcs) {
            return Some(());
        }
        self.scratch.clear();
        match self.options.profile {
            Profile::Canonical => numbers::write(spelled, &mut self.scratch),
            Profile::Jcs => numbers::write_as_double(spelled, &mut self.scratch)?,
        }
        (self.scratch == spelled).then_some(())
    }
}
