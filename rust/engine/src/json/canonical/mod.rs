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
mod members;
mod numbers;
mod order;
mod output;
mod place;
mod reader;
mod strings;
mod writer;

use std::borrow::Cow;
use std::fmt;

use self::output::{Buffer, Measure, Output as _};
use self::reader::{Problem, Reader, Rule};
use super::{Kind, MAX_BYTES, SyntaxError, Value};

pub use self::order::{sort_key, utf16_order};
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
    /// Nothing yet.
    pub fn new(profile: Profile) -> Self {
        Self { out: Buffer::new(Vec::new(), 1 << 14), profile, number: Vec::new() }
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
    pub fn finish(mut self) -> Vec<u8> {
        if self.profile == Profile::Canonical {
            self.put(b"\n");
        }
        self.out.finish()
    }
}

/// An object names a member twice, so there is no one text for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RepeatedName;

/// Append the canonical form of `value`, with its line feed.
///
/// # Errors
/// [`RepeatedName`]; what was appended until then is of no use.
pub fn write(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), RepeatedName> {
    let mut members = Vec::new();
    write_value(value, 0, &mut members, out)?;
    out.push(b'\n');
    Ok(())
}

/// Members of the objects that are being written, the innermost last: the name, and where in the
/// document the name and the value are.
type Members<'d> = Vec<(Cow<'d, [u8]>, u32, u32)>;

/// Recursion is bounded by [`MAX_DEPTH`](super::MAX_DEPTH), which parsing holds to.
fn write_value<'d>(
    value: Value<'d>,
    depth: usize,
    members: &mut Members<'d>,
    out: &mut Vec<u8>,
) -> Result<(), RepeatedName> {
    match value.kind() {
        Kind::Null | Kind::Boolean => out.extend_from_slice(value.raw()),
        Kind::Number => write_number(value.raw(), out),
        Kind::String => write_string(value, out),
        Kind::Array => {
            out.push(b'[');
            let mut is_empty = true;
            for element in value.elements() {
                out.put_line(!is_empty, depth + 1);
                is_empty = false;
                write_value(element, depth + 1, members, out)?;
            }
            if !is_empty {
                out.put_line(false, depth);
            }
            out.push(b']');
        }
        Kind::Object => {
            out.push(b'{');
            let first = members.len();
            for (name, member) in value.members() {
                members.push((name.string_bytes().unwrap_or_default(), name.index, member.index));
            }
            let own = &mut members[first..];
            if !own.is_sorted_by(|a, b| utf16_order(&a.0, &b.0).is_lt()) {
                own.sort_by(|a, b| utf16_order(&a.0, &b.0));
                if own.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                    return Err(RepeatedName);
                }
            }
            let end = members.len();
            for index in first..end {
                out.put_line(index > first, depth + 1);
                let (_, name, member) = members[index];
                write_string(value.at(name), out);
                out.extend_from_slice(b": ");
                write_value(value.at(member), depth + 1, members, out)?;
            }
            members.truncate(first);
            if end > first {
                out.put_line(false, depth);
            }
            out.push(b'}');
        }
    }
    Ok(())
}

fn write_string(string: Value<'_>, out: &mut Vec<u8>) {
    out.push(b'"');
    if string.is_escaped() {
        // Nothing is refused.
        let _ = strings::respell(string.raw(), false, out);
    } else {
        out.extend_from_slice(string.raw());
    }
    out.push(b'"');
}

fn write_number(text: &[u8], out: &mut Vec<u8>) {
    match numbers::scan(text, 0) {
        Ok(number) if number.plain => out.extend_from_slice(text),
        _ => numbers::write(text, out),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Document;
    use super::*;

    fn canonical(text: &str) -> String {
        let document = Document::parse(text.as_bytes()).expect("JSON");
        let mut out = Vec::new();
        write(document.root(), &mut out).expect("no name stands twice");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn members_are_sorted_and_indented() {
        assert_eq!(
            canonical(r#"{"b":[1,{"z":{},"y":[]}],"a":null}"#),
            "{\n  \"a\": null,\n  \"b\": [\n    1,\n    {\n      \"y\": [],\n      \"z\": {}\n    }\n  ]\n}\n"
        );
        assert_eq!(canonical(" 7 "), "7\n");
    }

    #[test]
    fn names_are_in_the_order_of_utf_16() {
        // The example of RFC 8785, section 3.2.3.
        let text = r#"{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}"#;
        let values: Vec<String> = canonical(text)
            .lines()
            .filter_map(|line| line.rsplit_once(": ").map(|(_, value)| value.to_owned()))
            .collect();
        assert_eq!(values.join("").replace(',', ""), "2467153");
        assert_eq!(
            canonical(r#"{"\ud83d\ude00":1,"\ud800":2,"\ue000":3}"#),
            "{\n  \"\\ud800\": 2,\n  \"😀\": 1,\n  \"\u{e000}\": 3\n}\n"
        );
    }

    #[test]
    fn only_what_must_be_is_escaped() {
        assert_eq!(
            canonical(r#""\u00e9\/\u0041\u001f\u007f\"\\\n\ud800x\ude00""#),
            "\"é/A\\u001f\u{7f}\\\"\\\\\\n\\ud800x\\ude00\"\n"
        );
        assert_eq!(canonical(r#""\ud83d\ude00 \n""#), "\"😀 \\n\"\n");
    }

    #[test]
    fn numbers_are_those_of_ecmascript_where_nothing_is_lost() {
        for (text, expected) in [
            ("1.0", "1"),
            ("1e2", "100"),
            ("-0", "0"),
            ("-0.0e5", "0"),
            ("1E21", "1e+21"),
            ("123456789012345680000", "123456789012345680000"),
            ("0.000001", "0.000001"),
            ("0.0000001", "1e-7"),
            ("-1.50", "-1.5"),
            ("12.5e-1", "1.25"),
            ("1.7976931348623157e308", "1.7976931348623157e+308"),
            ("5e-324", "5e-324"),
            ("18446744073709551615", "18446744073709551615"),
            ("9007199254740993", "9007199254740993"),
            ("0.1000000000000000055511151231", "0.1000000000000000055511151231"),
            ("1e400", "1e400"),
            ("1e-400", "1e-400"),
            ("1e99999999999999999999", "1e99999999999999999999"),
        ] {
            assert_eq!(canonical(text), format!("{expected}\n"), "{text}");
        }
    }

    #[test]
    fn a_name_that_stands_twice_is_refused() {
        for text in [r#"{"a":1,"a":1}"#, r#"[{"b":{"x":0,"y":1,"\u0078":2}}]"#] {
            let document = Document::parse(text.as_bytes()).expect("JSON");
            assert_eq!(write(document.root(), &mut Vec::new()), Err(RepeatedName));
        }
    }
}
