//! Values that are no text, as the bindings hand them over.

use std::fmt;

use super::Profile;
use super::numbers;
use super::output::{Buffer, Output as _};
use super::strings::{self, LoneSurrogate};

/// Writes values that are no text, piece by piece.
pub struct Pieces {
    out: Buffer,
    profile: Profile,
    number: Vec<u8>,
}

impl fmt::Debug for Pieces {
    /// Only how long it is.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Pieces({} bytes)", self.out.position())
    }
}

impl Pieces {
    /// Nothing yet, in memory that may have been used before.
    pub fn new(profile: Profile, memory: Vec<u8>) -> Self {
        Self { out: Buffer::new(memory, 1 << 14), profile, number: Vec::new() }
    }

    /// Forget everything that was put.
    pub fn restart(&mut self) {
        self.out.rewind(0);
    }

    /// How many bytes there are.
    pub fn length(&self) -> usize {
        self.out.position()
    }

    /// Put bytes that are canonical as they stand: brackets, `true`, digits.
    #[inline]
    pub fn put(&mut self, bytes: &[u8]) {
        self.out.put(bytes);
    }

    /// Start what comes next in an array or object at this depth; or, with the depth outside of
    /// it, the line of its closing bracket.
    #[inline]
    pub fn separate(&mut self, is_next: bool, depth: usize) {
        self.out.separate(self.profile, is_next, depth);
    }

    /// Put what stands between a name and its value.
    #[inline]
    pub fn put_colon(&mut self) {
        self.out.put_colon(self.profile);
    }

    /// Put the name of a member, and what stands before its value.
    #[inline]
    pub fn put_name(&mut self, name: &str) {
        let is_short = match self.profile {
            Profile::Canonical => strings::write_short(name.as_bytes(), *b"\": ", &mut self.out),
            Profile::Jcs => strings::write_short(name.as_bytes(), *b"\":", &mut self.out),
        };
        if !is_short {
            self.put_string(name);
            self.put_colon();
        }
    }

    /// Put a string.
    #[inline]
    pub fn put_string(&mut self, content: &str) {
        if !strings::write_short(content.as_bytes(), *b"\"", &mut self.out) {
            self.put(b"\"");
            strings::write_utf8(content.as_bytes(), &mut self.out);
            self.put(b"\"");
        }
    }

    /// Put a string in which lone surrogates are the three bytes that would encode them.
    ///
    /// # Errors
    /// There is one, and the profile has none.
    pub fn put_wtf8(&mut self, content: &[u8]) -> Result<(), LoneSurrogate> {
        self.put(b"\"");
        strings::write_wtf8(content, self.profile == Profile::Jcs, &mut self.out)?;
        self.put(b"\"");
        Ok(())
    }

    /// Put a whole number.
    #[inline]
    pub fn put_whole(&mut self, whole: i64) {
        let mut digits = [0; 20];
        let mut at = digits.len();
        let mut rest = whole.unsigned_abs();
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        if whole < 0 {
            at -= 1;
            digits[at] = b'-';
        }
        // Longer ones may be no double's.
        if self.profile == Profile::Jcs && digits.len() - at > 15 {
            self.put_number(&digits[at..]);
        } else {
            self.put(&digits[at..]);
        }
    }

    /// Put a double. `None` where it is not finite.
    #[inline]
    pub fn put_double(&mut self, double: f64) -> Option<()> {
        numbers::write_double(double, &mut self.out)
    }

    /// Put a number that is spelled as JSON allows it. `None` where the profile can't hold it.
    pub fn put_number(&mut self, spelled: &[u8]) -> Option<()> {
        self.number.clear();
        match self.profile {
            Profile::Canonical => numbers::write(spelled, &mut self.number),
            Profile::Jcs => numbers::write_as_double(spelled, &mut self.number)?,
        }
        self.out.put(&self.number);
        Some(())
    }

    /// The text, with its line feed where the profile has one.
    pub fn finish(&mut self) -> &[u8] {
        if self.profile == Profile::Canonical {
            self.put(b"\n");
        }
        self.out.written()
    }

    /// The memory, to be used again.
    pub fn into_memory(self) -> Vec<u8> {
        self.out.into_memory()
    }
}
