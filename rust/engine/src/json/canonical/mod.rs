//! The canonical form of a document: one text for all ways of writing the same value.
//!
//! Members sorted by name as ECMAScript sorts them (UTF-16 code units), two spaces of indent, a
//! line feed at the end, no escape that is not needed. Numbers stand in ECMAScript's form where
//! that denotes the very same decimal, else with all their digits: nothing is lost. The other
//! [`Profile`] is that of RFC 8785.
//!
//! A text is read and written at once; a large or deep one is measured first, and then written into
//! memory of that very length. [`Pieces`] and [`write()`] are for values that are no text.

mod check;
mod document;
mod members;
mod numbers;
mod order;
mod output;
mod pieces;
mod place;
mod reader;
mod strings;
mod writer;

use std::borrow::Cow;
use std::fmt;

use self::output::{Buffer, Measure, Output as _};
use self::reader::{Problem, Reader, Rule};
use super::{MAX_BYTES, SyntaxError};

pub use self::document::{RepeatedName, write};
pub use self::order::{sort_key, utf16_order};
pub use self::pieces::Pieces;
pub use self::place::{Step, pointer};
pub use self::strings::LoneSurrogate;

/// Which canonical form.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Profile {
    /// Lines that people read, and every digit.
    #[default]
    Canonical,
    /// RFC 8785: no white space, numbers as doubles.
    Jcs,
}

/// What becomes of a name that stands twice in an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Repeated {
    /// It is an error.
    #[default]
    Refused,
    /// The last one counts, as for `JSON.parse`.
    LastCounts,
}

/// How a text is read and written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Which canonical form.
    pub profile: Profile,
    /// What becomes of names that stand twice.
    pub repeated: Repeated,
    /// How deep arrays and objects may nest.
    pub max_depth: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { profile: Profile::default(), repeated: Repeated::default(), max_depth: super::MAX_DEPTH }
    }
}

/// Why a text has no canonical form: the place and the rule, never a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// The line, counted from 1.
    pub line: usize,
    /// Where in the line, in bytes, counted from 1.
    pub column: usize,
    /// The value, as a [pointer](fn@pointer).
    pub pointer: String,
    /// What is wrong there.
    pub rule: Cow<'static, str>,
    /// It is a limit that was met.
    pub is_limit: bool,
}

impl Error {
    fn new(text: &[u8], problem: &Problem) -> Self {
        let rule = match problem.rule {
            Rule::Text(rule) => Cow::Borrowed(rule),
            Rule::Depth(depth) => Cow::Owned(format!("nested deeper than {}", grouped(depth))),
            Rule::Length => Cow::Borrowed("the canonical form is longer than 1 GiB"),
        };
        let SyntaxError { line, column, .. } = SyntaxError::new(text, problem.offset, "");
        let pointer = pointer(place::steps(text, problem.place_offset).into_iter());
        Self { line, column, pointer, rule, is_limit: !matches!(problem.rule, Rule::Text(_)) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}, column {}", self.line, self.column)?;
        if !self.pointer.is_empty() {
            write!(formatter, ", at {}", self.pointer)?;
        }
        write!(formatter, ": {}", self.rule)
    }
}

impl std::error::Error for Error {}

/// A number with commas: `1,000`.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A text of up to so many bytes is written at once; that takes twice the memory of the output.
const SMALL: usize = 4 << 20;
/// How deep values may nest in a text that is written at once: what has to be put into order is
/// moved once for each level.
const SHALLOW: usize = 64;

/// Memory that is used again for the next text.
#[derive(Default)]
pub struct Workspace {
    bytes: Vec<u8>,
    state: reader::State,
}

impl Workspace {
    /// How many bytes it takes up, more or less.
    pub fn size(&self) -> usize {
        self.bytes.capacity() + self.state.size()
    }
}

impl fmt::Debug for Workspace {
    /// Only how large it is.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Workspace({} bytes)", self.size())
    }
}

/// The canonical form of a text, ready to be put somewhere.
pub struct Canonical<'a> {
    text: &'a [u8],
    profile: Profile,
    form: Form<'a>,
}

enum Form<'a> {
    Unchanged,
    Written(&'a [u8]),
    Measured { measure: Box<Measure>, length: usize },
}

impl fmt::Debug for Canonical<'_> {
    /// Only how long it is.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Canonical({} bytes)", self.length())
    }
}

impl<'a> Canonical<'a> {
    /// Read a text: one JSON value (RFC 8259), without a byte order mark.
    ///
    /// # Errors
    /// [`Error`] names the place and the rule.
    pub fn of(text: &'a [u8], options: Options, workspace: &'a mut Workspace) -> Result<Self, Error> {
        let form = Self::form(text, options, workspace).map_err(|problem| Error::new(text, &problem))?;
        Ok(Self { text, profile: options.profile, form })
    }

    fn form(text: &[u8], options: Options, workspace: &'a mut Workspace) -> Result<Form<'a>, Problem> {
        if text.len() > MAX_BYTES {
            return Err(Problem { offset: 0, place_offset: 0, rule: Rule::Length });
        }
        if check::is_canonical(text, options) {
            return Ok(Form::Unchanged);
        }
        if let Err(error) = simdutf8::compat::from_utf8(text) {
            return Err((error.valid_up_to(), "not UTF-8").into());
        }
        if text.len() <= SMALL {
            let shallow = Options { max_depth: options.max_depth.min(SHALLOW), ..options };
            let out = Buffer::new(std::mem::take(&mut workspace.bytes), text.len());
            let mut reader = Reader::new(text, shallow, out, std::mem::take(&mut workspace.state));
            let outcome = reader.read();
            let (out, state) = reader.into_parts();
            let length = out.position();
            (workspace.bytes, workspace.state) = (out.into_memory(), state);
            match outcome {
                Ok(()) => return Ok(Form::Written(&workspace.bytes[..length])),
                Err(problem) if matches!(problem.rule, Rule::Depth(_)) && shallow != options => {}
                Err(problem) => return Err(problem),
            }
        }
        let mut reader = Reader::new(text, options, Measure::default(), std::mem::take(&mut workspace.state));
        let outcome = reader.read();
        let (measure, state) = reader.into_parts();
        workspace.state = state;
        outcome?;
        let length = measure.position();
        Ok(Form::Measured { measure: Box::new(measure), length })
    }

    /// Whether the text is in its canonical form already.
    pub fn is_unchanged(&self) -> bool {
        matches!(self.form, Form::Unchanged)
    }

    /// How many bytes it has.
    pub fn length(&self) -> usize {
        match &self.form {
            Form::Unchanged => self.text.len(),
            Form::Written(bytes) => bytes.len(),
            Form::Measured { length, .. } => *length,
        }
    }

    /// Its bytes, if they are there already.
    pub fn bytes(&self) -> Option<&[u8]> {
        match &self.form {
            Form::Unchanged => Some(self.text),
            Form::Written(bytes) => Some(bytes),
            Form::Measured { .. } => None,
        }
    }

    /// Put it into memory of exactly its [length](Self::length).
    pub fn write_into(&self, memory: &mut [u8]) {
        match &self.form {
            Form::Unchanged => memory.copy_from_slice(self.text),
            Form::Written(bytes) => memory.copy_from_slice(bytes),
            Form::Measured { measure, .. } => writer::write(self.text, self.profile, measure, memory),
        }
    }

    /// As bytes of its own.
    pub fn into_bytes(self) -> Vec<u8> {
        let mut bytes = vec![0; self.length()];
        self.write_into(&mut bytes);
        bytes
    }
}

/// Whether [`Canonical::of`] would give these very bytes. Looks no further than the first
/// difference.
pub fn is_canonical(text: &[u8], options: Options) -> bool {
    text.len() <= MAX_BYTES && check::is_canonical(text, options)
}
